/* SPDX-License-Identifier: Apache-2.0 */
/* Smoothed sums against least squares by the normal equations, for every number of steps
 * up to 33, with the nodes and the noise of a real stream. */
#include <math.h>
#include <string.h>

#include "mechanisms/stream.h"
#include "random/noise_additive.h"
#include "random/tape.h"
#include "streams.h"
#include "support.h"

enum { MOST = 33, LENGTH = 40 };

static dusk_stream *start(double delta, bool keep)
{
    dusk_stream_options o = stream_request(DUSK_STREAM_HONAKER, LENGTH, delta);
    dusk_stream *s;
    o.upper = 9;
    o.keep = keep;
    assert_int_equal(dusk_stream_new_on(&s, &o, DUSK_GRID_DEFAULT, DUSK_WIDTH_FULL, 100, NULL), DUSK_OK);
    return s;
}

/* Nodes as rows of zeros and ones, and what was seen of each. */
typedef struct problem {
    int steps;
    double normal[MOST][MOST], right[MOST]; /* H'H and H'y */
    double prefix[MOST + 1];
} problem;

static void see(problem *p, int from, int to, double noisy)
{
    for (int i = from; i < to; i++) {
        p->right[i] += noisy;
        for (int j = from; j < to; j++) p->normal[i][j] += 1;
    }
}

/* Gauss-Jordan: normal becomes its inverse. */
static void invert(problem *p)
{
    int n = p->steps;
    for (int k = 0; k < n; k++) {
        double pivot = 1 / p->normal[k][k];
        p->normal[k][k] = 1;
        for (int j = 0; j < n; j++) p->normal[k][j] *= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            double factor = p->normal[i][k];
            p->normal[i][k] = 0;
            for (int j = 0; j < n; j++) p->normal[i][j] -= factor * p->normal[k][j];
        }
    }
}

static void compare(const dusk_stream *s, problem *p)
{
    double sums[LENGTH], widths[LENGTH], sigma = s->noise.scale;
    assert_int_equal(dusk_stream_smooth(s, sums, widths, 0.95, NULL), DUSK_OK);
    invert(p);
    for (int t = 1; t <= p->steps; t++) {
        double estimate = 0, variance = 0;
        for (int i = 0; i < t; i++)
            for (int j = 0; j < p->steps; j++) estimate += p->normal[i][j] * p->right[j];
        for (int i = 0; i < t; i++)
            for (int j = 0; j < t; j++) variance += p->normal[i][j];
        if (fabs(sums[t - 1] - estimate) > 1e-7)
            fail_msg("%d of %d: %g, not %g", t, p->steps, sums[t - 1], estimate);
        double width = 1.9599639845400545 * sigma * sqrt(variance);
        assert_true(widths[t - 1] >= width && widths[t - 1] < width * (1 + 1e-6));
    }
}

static void estimates_and_widths_are_those_of_least_squares(void **state)
{
    (void)state;
    for (int steps = 1; steps <= MOST; steps++) {
        static problem p;
        dusk_stream *s = start(1e-6, true);
        dusk_generator *gen, *same;
        dusk_pool pool;
        size_t used = 0;
        p = (problem){ .steps = steps };
        assert_int_equal(dusk_generator_new_seeded(&gen, 4, NULL), DUSK_OK);
        assert_int_equal(dusk_generator_new_seeded(&same, 4, NULL), DUSK_OK);
        assert_int_equal(dusk_pool_draw(&pool, &s->noise, 100, DUSK_WIDTH_FULL, same, NULL), DUSK_OK);
        for (int t = 1; t <= steps; t++) {
            double value, number = t * t % 10;
            assert_int_equal(dusk_stream_release(s, &value, number, gen, NULL), DUSK_OK);
            p.prefix[t] = p.prefix[t - 1] + number;
            for (int size = 1; t % size == 0 && size <= 32; size *= 2) {
                double noise = ldexp((double)dusk_pool_add(&pool, used++, 0), s->noise.grid);
                see(&p, t - size, t, p.prefix[t] - p.prefix[t - size] + noise);
            }
        }
        compare(s, &p);
        dusk_pool_clear(&pool);
        dusk_stream_free(s);
        dusk_generator_free(gen);
        dusk_generator_free(same);
    }
}

/* The last sum of a complete tree is what it was; those before are never worse. */
static void smoothing_never_widens(void **state)
{
    (void)state;
    dusk_stream *s = start(1e-6, true);
    dusk_generator *gen;
    double value, sums[LENGTH], widths[LENGTH], width;
    assert_int_equal(dusk_generator_new_seeded(&gen, 8, NULL), DUSK_OK);
    for (int t = 1; t <= 32; t++) assert_int_equal(dusk_stream_release(s, &value, 1, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_stream_smooth(s, sums, widths, 0.95, NULL), DUSK_OK);
    assert_true(fabs(sums[31] - value) < 1e-9);
    for (uint64_t t = 1; t <= 32; t++) {
        assert_int_equal(dusk_stream_interval(s, &width, t, 0.95, NULL), DUSK_OK);
        assert_true(widths[t - 1] <= width * (1 + 1e-9));
    }
    assert_int_equal(dusk_stream_smooth(s, sums, NULL, 0.95, NULL), DUSK_OK);
    assert_int_equal(dusk_stream_smooth(s, sums, NULL, 0, NULL), DUSK_ERR_ARGUMENT);
    dusk_stream_free(s);
    s = start(0, false);
    assert_int_equal(dusk_stream_smooth(s, sums, NULL, 0.95, NULL), DUSK_ERR_ARGUMENT);
    dusk_stream_free(s);
    dusk_generator_free(gen);
}

/* Laplace noise: a bound from the variance alone, which holds. */
static void widths_hold_for_laplace_noise(void **state)
{
    (void)state;
    int missed = 0;
    for (uint64_t run = 0; run < 300; run++) {
        dusk_stream *s = start(0, true);
        dusk_generator *gen;
        double value, sums[LENGTH], widths[LENGTH];
        assert_int_equal(dusk_generator_new_seeded(&gen, run, NULL), DUSK_OK);
        for (int t = 1; t <= 23; t++) assert_int_equal(dusk_stream_release(s, &value, 1, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_smooth(s, sums, widths, 0.9, NULL), DUSK_OK);
        missed += fabs(sums[10] - 11) > widths[10];
        dusk_stream_free(s);
        dusk_generator_free(gen);
    }
    assert_true(missed <= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_and_widths_are_those_of_least_squares),
        cmocka_unit_test(smoothing_never_widens),
        cmocka_unit_test(widths_hold_for_laplace_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
