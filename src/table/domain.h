/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_DOMAIN_H
#define DUSK_TABLE_DOMAIN_H

/* Declared domains: a,b,c as a list of texts, each as its type writes it. */

#include "dusk/table.h"

/* Read "a,b,c" (a comma in a value is "\,", a backslash "\\"); free as table_domain_free does. */
DUSK_MUST_USE dusk_status table_domain_parse(char ***out, size_t *values, dusk_type type, const char *text,
                                             dusk_error *err);
/* The first text that is the same as one before it, *second, and that one, *first; *second is n when there is none.
 * `folded`: without regard to ASCII case. */
DUSK_MUST_USE dusk_status table_find_twins(size_t *first, size_t *second, const char *const *texts, size_t n,
                                           bool folded, dusk_error *err);
/* Free `n` texts and their list; NULL is fine. */
void table_free_texts(char **texts, size_t n);
/* The values of the column's domain as another type writes them. */
DUSK_MUST_USE dusk_status table_domain_retype(char ***out, const dusk_column *column, dusk_type type,
                                              dusk_error *err);

#endif
