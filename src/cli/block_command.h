/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_BLOCK_COMMAND_H
#define DUSK_CLI_BLOCK_COMMAND_H

/* A command of the user's as a function of numbers: they are written to its standard
 * input, a line each, and the one number that it prints is the value. */

#include <stddef.h>

/* The value of the command on values[index[0..n-1]]. NaN when it does not print one number
 * and end with 0; what it writes to standard error is thrown away. *code, which may be
 * NULL, is its exit code, 128 and more where a signal ended it, -1 where it never ran. */
double dusk_block_command(const char *command, const double *values, const size_t *index, size_t n,
                          int *code);

#endif
