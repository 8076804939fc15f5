/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_VALUE_H
#define DUSK_TABLE_VALUE_H

/* Values out of text: one set of rules for fields of text files, casts and declared domains.
 * Every function says no to what it does not know; blanks (spaces and tabs) at both ends of
 * numbers and times are allowed. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/table.h"

/* A whole number of 64 bits: -12, +7. */
bool table_read_integer(int64_t *out, const char *text, size_t length);
/* A decimal number, or inf, infinity with a sign; what is beyond doubles is infinite. Not NaN. */
bool table_read_real(double *out, const char *text, size_t length);
/* true false t f yes no y n on off 1 0, in any case. */
bool table_read_boolean(bool *out, const char *text, size_t length);

/* The nearest whole number, halves away from 0; false for NaN and beyond 64 bits. */
bool table_whole(int64_t *out, double x);

/* The longest text of a value that is not text, with its '\0'. */
#define TABLE_VALUE_MAX 40
/* Write the value of `type` that the text means as that type writes it, and '\0': 7 for 007,
 * true for yes. False when it means none. For any type but text. */
bool table_canonical(char out[TABLE_VALUE_MAX], dusk_type type, const char *text, size_t length);

#endif
