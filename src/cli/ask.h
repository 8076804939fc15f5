/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_ASK_H
#define DUSK_CLI_ASK_H

/* The commands on a source, one file each: init, schema, query and explain, budget. */

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/output.h"
#include "dusk/dusk.h"

extern const dusk_command dusk_init_command, dusk_schema_command, dusk_query_command, dusk_explain_command,
    dusk_budget_command;

/* A file that grows beyond a limit (ulimit -f) is an error like a full disk, and does not end the program. */
void ask_begin(void);
/* The source that the first operand names, open. */
dusk_status ask_open(dusk_source **out, const dusk_parsed *parsed, const char *example, dusk_error *err);
/* "epsilon 0.5" or "epsilon 0.5, delta 1e-6": what is spent is rounded up, what is left down. */
#define ASK_BUDGET_SIZE 160
void ask_budget_up(char text[ASK_BUDGET_SIZE], dusk_budget budget);
void ask_budget_down(char text[ASK_BUDGET_SIZE], dusk_budget budget);

/* A delta, rounded up; what is below 1 is not shown as 1. */
void ask_delta_up(char text[ASK_BUDGET_SIZE], double delta);

/* A word as it is typed in a shell: as it is, or in quotes. One that is too long is cut. */
#define ASK_WORD_SIZE 1024
void ask_word(char out[ASK_WORD_SIZE], const char *word);

/* Who asks: the one who was named, else $DUSK_ANALYST, else "owner". */
const char *ask_analyst(const char *named);
/* "cost: ..." and "left: ...", on standard error. */
void ask_print_receipt(const dusk_receipt *receipt, const dusk_query_options *options);

/* What the data say about contribution bounds, paid for (advise.c). */
dusk_status ask_advise(dusk_source *source, const char *file, const char *subject,
                       const dusk_query_options *options, dusk_error *err);

/* Answers (answer.c): an aligned table, comma-separated values, or one JSON object. */
typedef enum ask_format { ASK_TABLE = 0, ASK_CSV = 1, ASK_JSON = 2 } ask_format;
dusk_status ask_print(const dusk_result *result, const dusk_receipt *receipt, ask_format format,
                      dusk_error *err);
/* A text in a column of so many characters. */
void ask_print_padded(const char *text, size_t width, bool right);
/* A field of comma-separated values, quoted where it must be. */
void ask_print_field(FILE *file, const char *text);

#endif
