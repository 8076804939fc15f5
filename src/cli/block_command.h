/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_BLOCK_COMMAND_H
#define DUSK_CLI_BLOCK_COMMAND_H

/* A command of the user's as a function of rows: they are written to its standard input,
 * a line each, and the one number that it prints is the value. */

#include <stddef.h>

#include "dusk/base.h"

/* Rows as they came: the lines of a file that are not blank, or the records of a .csv file,
 * which may go over several lines. The first of these is its header, which is public and
 * goes before every block. */
typedef struct dusk_lines {
    char *header; /* or NULL */
    char **line;  /* each with its end of line */
    size_t n, room;
} dusk_lines;

/* Read `path` (NULL or "-": standard input). A file that cannot be opened is an error before
 * the first row; after it only reading and memory can fail. */
dusk_status dusk_lines_read(dusk_lines *lines, const char *path, dusk_error *err);
void dusk_lines_free(dusk_lines *lines);

/* The value of the command on the rows index[0..n-1]. NaN when it does not print one number
 * and end with 0; what it writes to standard error is thrown away. *code, which may be NULL,
 * is its exit code, 128 and more where a signal ended it, -1 where it never ran. */
double dusk_block_command(const char *command, const dusk_lines *lines, const size_t *index, size_t n,
                          int *code);

#endif
