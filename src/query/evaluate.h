/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_EVALUATE_H
#define DUSK_QUERY_EVALUATE_H

/* The inside of query_evaluate: functions of cells by family. Each gets arguments that are evaluated and
 * `out` with its type set; it sets what is not NULL, false and exact, which `out` starts as. */

#include "query/release.h"

typedef struct query_call {
    query_function function;
    const dusk_cell *argument;
    size_t arguments;
    query_arena *arena;
} query_call;

/* The answer is NULL; the answer is a text (NULL when memory is out); a number without interval. */
void query_set_null(dusk_cell *out);
DUSK_MUST_USE dusk_status query_set_text(dusk_cell *out, const char *text, dusk_error *err);
void query_set_number(dusk_cell *out, double number);
void query_set_integer(dusk_cell *out, int64_t integer);
/* Less than 0, 0, more: of two cells of one kind that are not NULL. */
int query_compare_cells(const dusk_cell *a, const dusk_cell *b);

/* Numbers, with intervals. */
void query_evaluate_number(dusk_cell *out, const query_call *call);
/* Texts, dates, casts. */
DUSK_MUST_USE dusk_status query_evaluate_text(dusk_cell *out, const query_call *call, dusk_error *err);
DUSK_MUST_USE dusk_status query_evaluate_date(dusk_cell *out, const query_call *call, dusk_error *err);
DUSK_MUST_USE dusk_status query_evaluate_cast(dusk_cell *out, const query_call *call, dusk_error *err);

#endif
