/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_STORED_DRAWS_H
#define DUSK_CLI_STORED_DRAWS_H

/* Draws that were made elsewhere: two files of numbers as a sampler that gives each of them
 * out once, in order. */

#include "dusk/audit_mechanisms.h"

typedef struct stored_draws {
    double *values[2]; /* on either input */
    size_t n[2];
    size_t used[2];
    const double *input[2]; /* which asks for which: compared as pointers */
} stored_draws;

/* Read both files; numbers may be decimal or hexadecimal and keep all their bits. Anything
 * else in them is an error, and so are draws that were sorted: they are no longer
 * independent. */
dusk_status stored_draws_read(stored_draws *out, const char *const paths[2], dusk_error *err);
void stored_draws_free(stored_draws *draws);
/* A sampler of one number. Asking for more than there is fails. */
dusk_sampler stored_draws_sampler(stored_draws *draws, const dusk_input_pair *pair);

/* The numbers of one file, free with dusk_numbers_free also when it fails; NaN is none of them. */
dusk_status draws_read(double **values, size_t *n, const char *path, const char *hint, dusk_error *err);
dusk_status draws_are_numbers(const double *values, size_t n, const char *name, const char *hint,
                              dusk_error *err);

/* Whether numbers were sorted, which draws never are: 64 or more that never fall, or never
 * rise, and are not all equal. */
bool draws_are_sorted(const double *values, size_t n);
/* Whether numbers look as if they had been rounded to decimals: all of them have at most 15
 * digits, and some of them are no short binary fractions. */
bool draws_are_decimals(const double *values, size_t n);

#endif
