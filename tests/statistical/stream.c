/* SPDX-License-Identifier: Apache-2.0 */
/* The intervals of streams on whole runs: they miss as often as said at most, and not
 * absurdly seldom. Fixed seeds. */
#include <math.h>

#include "seeded.h"
#include "streams.h"

/* Misses at most as often as said, and not absurdly seldom. */
static void interval_holds(dusk_stream_method method, bool whole, double delta, uint64_t length,
                           uint64_t window, double least)
{
    enum { RUNS = 500 };
    const double confidence = 0.9;
    const uint64_t steps = length ? length : 27; /* without a length: five epochs */
    int missed = 0;
    double half;
    dusk_generator *gen = seeded(length + window);
    dusk_stream *s;
    dusk_stream_options o = stream_request(method, length, delta);
    o.whole = whole;
    o.upper = 1;
    o.window = window;
    o.bands = 4;
    for (int run = 0; run < RUNS; run++) {
        double value = 0;
        assert_int_equal(dusk_stream_new(&s, &o, NULL), DUSK_OK);
        for (uint64_t t = 0; t < steps; t++)
            assert_int_equal(dusk_stream_release(s, &value, 0, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_interval(s, &half, steps, confidence, NULL), DUSK_OK);
        missed += fabs(value) > half;
        dusk_stream_free(s);
    }
    if (missed > 0.1 * RUNS + 34 || missed < least * RUNS) fail_msg("%d of %d missed", missed, RUNS);
    dusk_generator_free(gen);
}

static void intervals_hold(void **state)
{
    (void)state;
    interval_holds(DUSK_STREAM_TREE, false, 0, 15, 0, 0.07);
    interval_holds(DUSK_STREAM_TREE, true, 0, 15, 0, 0.04);
    interval_holds(DUSK_STREAM_TREE, false, 1e-6, 15, 0, 0.07);
    interval_holds(DUSK_STREAM_TREE, false, 1e-6, 20, 11, 0.07);
    interval_holds(DUSK_STREAM_HONAKER, false, 1e-6, 15, 0, 0.07);
    interval_holds(DUSK_STREAM_SQUARE_ROOT, true, 1e-6, 20, 0, 0.07);
    interval_holds(DUSK_STREAM_SQUARE_ROOT, false, 1e-6, 20, 6, 0.07);
    interval_holds(DUSK_STREAM_BANDED, false, 1e-6, 20, 0, 0.07);
    interval_holds(DUSK_STREAM_TREE, false, 1e-6, 0, 0, 0.07);
    interval_holds(DUSK_STREAM_HONAKER, false, 1e-6, 0, 0, 0.07);
    interval_holds(DUSK_STREAM_HONAKER, false, 0, 15, 0, 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
