/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_REQUESTS_H
#define TESTS_REQUESTS_H

/* A request for an aggregate, in one line, and counting rows as an aggregate like others; without cmocka, which not all tests use. */

#include "dusk/mechanisms.h"

static inline dusk_aggregate request_of(dusk_neighbours neighbours, double epsilon, double delta)
{
    dusk_aggregate how;
    dusk_aggregate_init(&how);
    how.neighbours = neighbours;
    how.epsilon = epsilon;
    how.delta = delta;
    return how;
}

/* The same for rows that are clamped to bounds. */
static inline dusk_aggregate request_within(double lower, double upper, dusk_neighbours neighbours,
                                            double epsilon, double delta)
{
    dusk_aggregate how = request_of(neighbours, epsilon, delta);
    how.lower = lower;
    how.upper = upper;
    return how;
}

typedef dusk_status release_aggregate(dusk_answer *out, const dusk_aggregate *how, const double *rows,
                                      size_t n, dusk_generator *gen, dusk_error *err);

static inline dusk_status count_rows(dusk_answer *out, const dusk_aggregate *how, const double *rows,
                                     size_t n, dusk_generator *gen, dusk_error *err)
{
    (void)rows;
    return dusk_count_release(out, how, n, gen, err);
}

#endif
