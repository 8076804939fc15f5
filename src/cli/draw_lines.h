/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_DRAW_LINES_H
#define DUSK_CLI_DRAW_LINES_H

/* Lines of text as draws: what a program prints, in numbers that an audit can look at.
 *
 * A line is fields, with blanks, commas or brackets between them: 3.7, "T F F", [1.5, 2.5],
 * {"count": 3.7}. A field that reads as a number is that number, any other is a word and
 * stands for a number. Nothing between two commas, and whatever is not there at the end of a
 * short line, is NaN.
 *
 * How many numbers a draw has must be known before the audit: some first lines are looked
 * at, and then every line, whatever it is, has its draw. A field that had numbers and words
 * has two places in a draw, one for each. What comes unexpected is not lost: a new word has one
 * of many numbers by its letters; a word in a field that had numbers only stands far below
 * all numbers; what is beyond the last field belongs to that, as one word. Once the first
 * lines were looked at all of it is a function of the line alone, whatever came before, so
 * that what the audit shows of the draws is true of the lines. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

#define DRAW_FIELDS_MAX 4096
#define DRAW_WORDS_MAX ((size_t)1 << 20)   /* different ones */
#define DRAW_LETTERS_MAX ((size_t)1 << 26) /* of all of them */

typedef struct draw_lines draw_lines;

dusk_status draw_lines_new(draw_lines **out, dusk_error *err);
void draw_lines_free(draw_lines *lines);

/* Look at a line, without its end. DUSK_ERR_PARSE when there are too many fields or words. */
dusk_status draw_lines_look(draw_lines *lines, const char *line, size_t length, dusk_error *err);
/* From now on lines are read: how many numbers a draw has. DUSK_ERR_PARSE when words are
 * nearly all different, so that no two draws could be compared. */
dusk_status draw_lines_settle(draw_lines *lines, size_t *outputs, dusk_error *err);
/* The draw of a line. */
void draw_lines_read(const draw_lines *lines, double *out, const char *line, size_t length);

/* What the numbers of a draw are, once settled: field `*field` of a line from 0, and whether
 * as a word. */
size_t draw_lines_outputs(const draw_lines *lines);
bool draw_lines_place(const draw_lines *lines, size_t output, size_t *field);
/* How many words were looked at, and the one that stands for a number. */
size_t draw_lines_words(const draw_lines *lines);
const char *draw_lines_word(const draw_lines *lines, size_t index);

#endif
