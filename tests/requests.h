/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_REQUESTS_H
#define TESTS_REQUESTS_H

/* A request for an aggregate, in one line; without cmocka, which not all tests use. */

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

#endif
