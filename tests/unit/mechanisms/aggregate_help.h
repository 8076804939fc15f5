/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_MECHANISMS_AGGREGATE_HELP_H
#define TESTS_UNIT_MECHANISMS_AGGREGATE_HELP_H

/* For the tests of the aggregates. Two releases with the same coins differ by
 * what the data differ by: that shows exact sums and sensitivities without any
 * statistics. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/mechanisms.h"
#include "seeded.h"
#include "support.h"

static inline dusk_aggregate ask(dusk_neighbours neighbours, double lower, double upper, double epsilon)
{
    dusk_aggregate how;
    dusk_aggregate_init(&how);
    how.neighbours = neighbours;
    how.lower = lower;
    how.upper = upper;
    how.epsilon = epsilon;
    return how;
}

typedef dusk_status aggregate(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                              dusk_generator *gen, dusk_error *err);

static inline dusk_answer answer_of(aggregate *release, const dusk_aggregate *how, const double *rows,
                                    size_t n, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_answer answer;
    dusk_error err = { .message = "" };
    if (release(&answer, how, rows, n, gen, &err) != DUSK_OK) fail_msg("%s", err.message);
    assert_true(isfinite(answer.value) && answer.low <= answer.high);
    assert_true(answer.confidence == how->confidence);
    dusk_generator_free(gen);
    return answer;
}

static inline double value_of(aggregate *release, const dusk_aggregate *how, const double *rows, size_t n,
                              uint64_t seed)
{
    return answer_of(release, how, rows, n, seed).value;
}

static inline const char *event_of(dusk_statement statement)
{
    static char text[4096];
    assert_int_equal(dusk_event_format(&statement.event, text, sizeof text, NULL), DUSK_OK);
    return text;
}

#endif
