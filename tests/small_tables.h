/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SMALL_TABLES_H
#define TESTS_SMALL_TABLES_H

/* All tables of up to six rows over a universe of four values that holds both bounds,
 * and how far they are from each other: for mechanisms that are compared with their
 * definition over everything there is. */

#include <stdbool.h>
#include <stddef.h>

#include "mechanisms/smooth_quantile.h"

enum { SMALL_VALUES = 4, SMALL_ROWS = 6, SMALL_TABLES = 210 };
static const double small_universe[SMALL_VALUES] = { -1, 0, 2.5, 7 };

typedef struct small_table {
    unsigned count[SMALL_VALUES], n;
    double rows[SMALL_ROWS]; /* sorted */
} small_table;

static small_table small_tables[SMALL_TABLES];

static inline void small_tables_list(void)
{
    size_t listed = 0;
    for (unsigned code = 0; code < 7 * 7 * 7 * 7; code++) {
        small_table t = { .count = { code % 7, code / 7 % 7, code / 49 % 7, code / 343 } };
        for (unsigned v = 0; v < SMALL_VALUES; v++) t.n += t.count[v];
        if (t.n > SMALL_ROWS) continue;
        unsigned at = 0;
        for (unsigned v = 0; v < SMALL_VALUES; v++)
            for (unsigned i = 0; i < t.count[v]; i++) t.rows[at++] = small_universe[v];
        small_tables[listed++] = t;
    }
}

static inline dusk_ordered small_ordered(const small_table *t)
{
    return (dusk_ordered){ t->rows, t->n, small_universe[0], small_universe[SMALL_VALUES - 1] };
}

static inline double small_statistic(const small_table *t, uint64_t target)
{
    dusk_ordered x = small_ordered(t);
    return dusk_ordered_row(&x, (int64_t)dusk_rank_of(target, t->n));
}

/* How many steps lie between two tables when one step is `m` rows; 99: out of reach. */
static inline unsigned small_distance(const small_table *a, const small_table *b, bool replace, unsigned m)
{
    unsigned come = 0, go = 0;
    for (unsigned v = 0; v < SMALL_VALUES; v++) {
        if (b->count[v] > a->count[v]) come += b->count[v] - a->count[v];
        if (a->count[v] > b->count[v]) go += a->count[v] - b->count[v];
    }
    if (replace && m == 1) return come == go ? come : 99;
    unsigned rows = replace ? (come > go ? come : go) : come + go;
    return (rows + m - 1) / m;
}

#endif
