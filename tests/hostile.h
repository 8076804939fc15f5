/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_HOSTILE_H
#define TESTS_HOSTILE_H

/* Hostile numbers, and neighbouring tables of them, for replays with the same coins. */

#include <float.h>
#include <math.h>

#include "dusk/mechanisms.h"
#include "support.h"

enum { HOSTILE_ROWS = 60 };

/* One in four is not a number, infinite or at the end of the range; the others are `step`
 * times 64 bits with a sign. */
static inline double hostile_number(uint64_t *seed, double step)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, 0x1p53 };
    uint64_t r = splitmix64(seed);
    return r % 4 ? (double)(int64_t)splitmix64(seed) * step : odd[r / 4 % 8];
}

/* A table, and the same with its last row gone (add-remove) or another. */
typedef struct tables {
    double rows[2][HOSTILE_ROWS];
    size_t n[2];
} tables;

/* The same for a unit of up to `unit` rows, the last ones. */
static inline tables hostile_units(uint64_t *seed, double step, dusk_neighbours relation, size_t unit)
{
    tables t = { .n = { unit + splitmix64(seed) % (HOSTILE_ROWS - unit + 1), 0 } };
    for (size_t i = 0; i < t.n[0]; i++) t.rows[0][i] = t.rows[1][i] = hostile_number(seed, step);
    t.n[1] = relation == DUSK_ADD_REMOVE ? t.n[0] - unit : t.n[0];
    for (size_t i = t.n[0] - unit; i < t.n[1]; i++) t.rows[1][i] = hostile_number(seed, step);
    return t;
}

static inline tables hostile_neighbours(uint64_t *seed, double step, dusk_neighbours relation)
{
    return hostile_units(seed, step, relation, 1);
}

#endif
