/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_FUNCTIONS_H
#define DUSK_QUERY_FUNCTIONS_H

/* What functions and aggregates SQL may call: what is not in these tables is refused. */

#include "query/plan.h"

/* Arguments, one letter each: n number, i whole number, t text, d date or timestamp, I constant
 * whole number, u constant unit of time. Those behind '?' may be left out. */
typedef struct query_signature {
    const char *name;
    query_function function;
    const char *arguments;
    char result; /* n: as the argument is; i, r, t; d: of the type of the date */
} query_signature;

/* By name, without regard to case; NULL: not supported. */
const query_signature *query_function_named(const char *name);

typedef struct query_aggregate {
    const char *name;
    query_measure_kind kind; /* with DISTINCT, COUNT is QUERY_COUNT_DISTINCT */
    query_inner inner;       /* 0: only at the release */
} query_aggregate;
const query_aggregate *query_aggregate_named(const char *name);

#endif
