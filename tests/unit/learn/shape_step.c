/* SPDX-License-Identifier: Apache-2.0 */
/* The step of boosting beside a dense solution, and what it makes of much noise and of none. */
#include "learn/shape_step.h"

#include <math.h>

#include "support.h"

enum { BINS = 6 };

static uint64_t seed = 5;

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)splitmix64(&seed) * 0x1p-64;
    return sum;
}

typedef struct column {
    double counts[BINS], evidence[BINS], variance[BINS], truth[BINS];
    shape_known known;
} column;

static void start(column *c, double count, bool ordered)
{
    for (size_t v = 0; v < BINS; v++) {
        c->counts[v] = count * (1 + (double)v);
        c->evidence[v] = 0;
        c->variance[v] = -1;
    }
    c->known = (shape_known){ c->counts, c->evidence, c->variance, BINS, ordered };
}

/* One round: the true sums of residuals of a squared loss, with noise. */
static void run_round(shape_step *step, column *c, double *shape, double noise)
{
    double sums[BINS];
    step->noise = noise;
    for (size_t v = 0; v < BINS; v++)
        sums[v] = c->counts[v] * step->curvature * (c->truth[v] - shape[v]) + noise * normal();
    shape_step_solve(step, &c->known, sums, shape);
    memcpy(shape, step->answer, BINS * sizeof *shape);
}

static void without_noise_the_truth_is_found(void **state)
{
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        shape_step step = { .curvature = 1, .drift = 0.5 };
        column c = { .truth = { 0.5, -0.25, 0.125, 0, -0.5, 0.75 } };
        double shape[BINS] = { 0 };
        start(&c, 1e6, ordered);
        assert_int_equal(shape_step_open(&step, BINS, NULL), DUSK_OK);
        for (int t = 0; t < 4; t++) run_round(&step, &c, shape, 1e-6);
        for (size_t v = 0; v < BINS; v++) assert_true(fabs(shape[v] - c.truth[v]) < 1e-3);
        shape_step_close(&step);
    }
}

/* A column that tells nothing stays near zero, however large the noise is. */
static void noise_alone_moves_little(void **state)
{
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        double worst = 0;
        for (int k = 0; k < 50; k++) {
            shape_step step = { .curvature = 1, .drift = 0.5 };
            column c = { .truth = { 0 } };
            double shape[BINS] = { 0 };
            start(&c, 100, ordered);
            assert_int_equal(shape_step_open(&step, BINS, NULL), DUSK_OK);
            for (int t = 0; t < 8; t++) run_round(&step, &c, shape, 1000);
            for (size_t v = 0; v < BINS; v++) worst += fabs(shape[v]) / (50 * BINS);
            shape_step_close(&step);
        }
        assert_true(worst < 0.1); /* the sums alone would say 1000 / 350 */
    }
}

/* Rounds are averaged: sixteen with noise s are nearly as good as one with s / 4. */
static void rounds_are_averaged(void **state)
{
    (void)state;
    double many = 0, few = 0;
    for (int k = 0; k < 200; k++) {
        for (int rounds = 1; rounds <= 16; rounds += 15) {
            shape_step step = { .curvature = 1, .drift = 0 };
            column c = { .truth = { 0.5, -0.25, 0.125, 0, -0.5, 0.75 } };
            double shape[BINS] = { 0 };
            start(&c, 1000, false);
            assert_int_equal(shape_step_open(&step, BINS, NULL), DUSK_OK);
            for (int t = 0; t < rounds; t++) run_round(&step, &c, shape, rounds == 1 ? 100 : 400);
            for (size_t v = 0; v < BINS; v++)
                *(rounds == 1 ? &few : &many) += (shape[v] - c.truth[v]) * (shape[v] - c.truth[v]);
            shape_step_close(&step);
        }
    }
    assert_true(many < 2 * few);
}

/* Bins of a number with no rows follow their neighbours; a category without rows is 0. */
static void empty_bins_follow_their_neighbours(void **state)
{
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        shape_step step = { .curvature = 1, .drift = 0.5 };
        column c = { .truth = { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 } };
        double shape[BINS] = { 0 };
        start(&c, 1e5, ordered);
        c.counts[2] = c.counts[3] = -40; /* a noisy count may be negative */
        assert_int_equal(shape_step_open(&step, BINS, NULL), DUSK_OK);
        for (int t = 0; t < 4; t++) run_round(&step, &c, shape, 20);
        assert_true(fabs(shape[1] - 0.5) < 0.05);
        if (ordered)
            assert_true(fabs(shape[2] - 0.5) < 0.2 && fabs(shape[3] - 0.5) < 0.2);
        else
            assert_true(fabs(shape[2]) < 0.2);
        shape_step_close(&step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_the_truth_is_found),
        cmocka_unit_test(noise_alone_moves_little),
        cmocka_unit_test(rounds_are_averaged),
        cmocka_unit_test(empty_bins_follow_their_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
