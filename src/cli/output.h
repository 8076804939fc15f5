/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_OUTPUT_H
#define DUSK_CLI_OUTPUT_H

/* Answers to standard output, everything else to standard error. Colour and
 * progress are for terminals only; NO_COLOR is honoured. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "dusk/base.h"

/* Exit codes, the same for every command. */
enum dusk_exit {
    DUSK_EXIT_DONE = 0,
    DUSK_EXIT_USAGE = 2,
    DUSK_EXIT_INPUT = 3,
    DUSK_EXIT_BUDGET = 4,
    DUSK_EXIT_ENVIRONMENT = 5,
    DUSK_EXIT_CHECK = 6,
    DUSK_EXIT_BUG = 70
};

int dusk_exit_code(dusk_status status);

/* "command: message", then "hint: ..." when there is one; gives the exit code. */
int dusk_output_error(const char *command, const dusk_error *err);
/* "label: text" on standard error; a line of a receipt. */
void dusk_output_note(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flush standard output; a full disk shows here. */
dusk_status dusk_output_flush(dusk_error *err);
/* The same and close it, at the end of the program. */
dusk_status dusk_output_finish(dusk_error *err);

/* The shortest decimal that reads back as the same double, written in plain
 * digits where that is not absurdly long. `size` 40 always suffices. */
void dusk_format_number(char *text, size_t size, double x);
/* An interval for people: rounded outward to three digits of its width. */
void dusk_format_interval(char *text, size_t size, double low, double high);
/* A length for people, rounded up to three digits. */
void dusk_format_width(char *text, size_t size, double width);
/* So many decimal places, as columns of a table have, but never less than x; below 1e15. */
void dusk_format_up(char *text, size_t size, double x, int places);
void dusk_print_number(FILE *file, double x);
/* A text that comes from data, in one line: a control character, which a terminal would obey, is a
 * question mark. */
void dusk_print_tame(FILE *file, const char *text);
void dusk_print_tame_lines(FILE *file, const char *text); /* in several */

/* JSON to a file, one value after the other; commas see to themselves. */
typedef struct dusk_json {
    FILE *file;
    bool comma; /* before the next value */
} dusk_json;
void dusk_json_key(dusk_json *json, const char *key);
void dusk_json_open(dusk_json *json, char bracket);
void dusk_json_close(dusk_json *json, char bracket);
void dusk_json_number(dusk_json *json, double x); /* null when not finite */
void dusk_json_bool(dusk_json *json, bool x);
void dusk_json_null(dusk_json *json);
/* Bytes of the UTF-8 character at s, or 0 when there is none (overlong forms
 * and surrogates included). */
size_t dusk_utf8_length(const char *s);
/* Bytes that are not UTF-8 become U+FFFD. */
void dusk_json_string(dusk_json *json, const char *s);
/* A key and its value. */
void dusk_json_number_field(dusk_json *json, const char *key, double x);
void dusk_json_bool_field(dusk_json *json, const char *key, bool x);
void dusk_json_string_field(dusk_json *json, const char *key, const char *s);
/* Text that is JSON already. */
void dusk_json_raw(dusk_json *json, const char *text);

/* One line that is rewritten on a terminal: how much, how fast, how long still,
 * and what it will cost. Silent elsewhere, and for work that is over at once. */
typedef struct dusk_progress {
    bool shown, on;
    double epsilon;
    uint64_t total; /* bytes, or things; 0 when not known */
    struct timespec start, last;
} dusk_progress;
void dusk_progress_start(dusk_progress *progress, uint64_t total, double epsilon);
void dusk_progress_at(dusk_progress *progress, uint64_t bytes);
/* The same for `done` of `total` things, or of nobody knows how many. */
void dusk_progress_count(dusk_progress *progress, uint64_t done);
/* The same for a part of the work, from 0 to 1. */
void dusk_progress_part(dusk_progress *progress, double part);
/* Or a line of the caller's: whether it is time for one, how many columns the terminal has, and the line, which must
 * be shorter. */
bool dusk_progress_due(const dusk_progress *progress);
size_t dusk_progress_columns(void);
void dusk_progress_show(dusk_progress *progress, const char *line);
void dusk_progress_end(dusk_progress *progress);

#endif
