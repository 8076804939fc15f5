/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_TERMS_H
#define DUSK_QUERY_TERMS_H

/* The inside of query_terms. Measures are lowered to primitives, each a total of every group that gets
 * noise of its own; measures that need the same total share it. terms.c lowers, terms_noise.c prices,
 * terms_describe.c says it in words. */

#include "mechanisms/aggregate.h"
#include "query/release.h"

/* Quantiles for MIN and MAX: far out, and still with rows beyond them. */
#define QUERY_LOWEST_FRACTION 0.01
#define QUERY_HIGHEST_FRACTION 0.99

/* A sum loses at most one step a row; intervals count on so many rows. */
#define QUERY_ROWS_MOST 0x1p32

/* The grid of a sum of real numbers until it is priced; that of whole numbers is 0. */
#define QUERY_GRID_OPEN INT32_MIN

typedef struct query_primitive {
    bounding_total total;
    double l1, l2;    /* how far one unit that comes or goes moves the totals of all groups, at most */
    double epsilon;   /* its share */
    bool rounds;      /* a sum of real numbers: every row is rounded to the grid */
    dusk_noise noise; /* of all but COLLECT: for what neighbours change, so for twice l1 under replace-one */
    double *fraction; /* of COLLECT: increasing */
    size_t fractions;
    dusk_aggregate quantiles; /* of COLLECT: how each group's are made */
} query_primitive;

/* Where a measure finds its numbers: primitives, or QUERY_NONE. */
typedef struct query_source_of {
    size_t count, sum, squares, collected;
    size_t fraction;       /* which one of `collected` */
    bool derived;          /* a sum that is made of `sum` about the middle, and `count` */
    dusk_centre centre;    /* of mean, variance, derived sums */
    double width_of_count, /* half of the interval of each number, such that all that */
        width_of_sum,      /* the measure needs hold together with the confidence     */
        width_of_squares;
} query_source_of;

struct query_terms {
    const query_plan *plan;
    dusk_query_options options;
    dusk_neighbours neighbours;
    uint32_t groups_per_unit, rows_per_group, rows_per_unit; /* the last: 0, no such limit */
    query_primitive *primitive;
    size_t primitives, room;
    query_source_of *measure; /* one for each of the plan's */
    bounding_total *total;    /* of the primitives */
    bool selects;             /* keys are private */
    dusk_key_selection selection;
    double selection_epsilon, selection_delta; /* of the event, for `neighbours` */
    uint64_t selection_half;                   /* a key with so many units is shown every second time */
    size_t counted; /* the primitive whose numbers the selection draws with the keys, or QUERY_NONE */
    dusk_event event;
    double delta; /* query_terms_delta */
};

/* Every measure has its primitives, without noise; bounds of contributions are set. */
DUSK_MUST_USE dusk_status query_terms_lower(query_terms *terms, dusk_error *err);
/* Noise of every primitive, key selection, event, and widths. */
DUSK_MUST_USE dusk_status query_terms_price(query_terms *terms, dusk_error *err);

#endif
