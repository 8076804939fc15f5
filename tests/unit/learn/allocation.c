/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are put into one step of an epoch: each is there once; they cost what was asked for, and no less than poisson samples; the event is
 * above what such an epoch really costs, as far as that can be seen by trying; and what cannot be priced is refused. */
#include <math.h>
#include <stdlib.h>

#include "learn/normals.h"
#include "learn/sampler.h"
#include "seeded.h"

static learn_sampler sampler_of(double rate)
{
    learn_sampler s;
    assert_int_equal(learn_sampler_init(&s, LEARN_ALLOCATED, rate, 0, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    return s;
}

static void rows_come_once_an_epoch(void **state)
{
    enum { ROWS = 1000, BINS = 20 };
    const learn_sampler s = sampler_of(0.05);
    dusk_generator *gen = seeded(5);
    learn_draw draw;
    size_t bin[2][ROWS], count, same = 0;
    (void)state;
    assert_int_equal(learn_sampler_epoch(&s), BINS);
    assert_int_equal(learn_draw_open(&draw, &s, ROWS, gen, NULL), DUSK_OK);
    for (size_t epoch = 0; epoch < 2; epoch++) {
        size_t times[ROWS] = { 0 };
        for (size_t k = 0; k < BINS; k++) {
            assert_int_equal(learn_draw_take(&draw, epoch * BINS + k, &count, NULL), DUSK_OK);
            assert_true(count > 15 && count < 95); /* 50, give or take 7 */
            for (size_t i = 0; i < count; i++) {
                assert_true(i == 0 || draw.row[i] > draw.row[i - 1]);
                times[draw.row[i]]++;
                bin[epoch][draw.row[i]] = k;
            }
        }
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(times[i], 1);
    }
    for (size_t i = 0; i < ROWS; i++) same += bin[0][i] == bin[1][i];
    assert_true(same > 15 && same < 95);
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

static void prices_are_kept(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double epsilon = k & 1 ? 0.3 : 2, rate = k & 2 ? 0.001 : 0.01;
        const uint64_t times = k & 2 ? 3500 : 500; /* the last epoch is not ended */
        const learn_sampler s = sampler_of(rate);
        learn_sampler poisson;
        learn_budget b, other;
        learn_noise count, noise, less;
        dusk_statement statement;
        assert_int_equal(learn_sampler_init(&poisson, LEARN_POISSON, rate, 0, DUSK_ADD_REMOVE, NULL),
                         DUSK_OK);
        assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, epsilon, 1e-6, 1, NULL), DUSK_OK);
        if (k == 1) assert_int_equal(learn_budget_noise(&b, &count, 1, 1, 0, 0.01, 1, NULL), DUSK_OK);
        other = b;
        assert_int_equal(learn_budget_sampled(&b, &noise, 3, 64, -3, b.left, &s, times, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        if (!(statement.epsilon <= epsilon && statement.epsilon > (k & 1 ? 0.99 : 0.5) * epsilon))
            fail_msg("%d: %g", k, statement.epsilon); /* few steps need noise, whatever they may cost */
        assert_int_equal(learn_budget_sampled(&other, &less, 3, 64, -3, other.left, &poisson, times, NULL),
                         DUSK_OK);
        assert_true(noise.deviation > 1.05 * less.deviation && noise.deviation < 4 * less.deviation);
    }
}

/* An epoch of Gaussian releases with a row in one of them has the likelihood ratio (L_1 + ... + L_T) / T: what is above e^epsilon, on average over epochs that were tried, is
 * below what the event says, and of the same size. */
static void the_event_is_above_what_is_seen(void **state)
{
    enum { BINS = 200, TRIED = 4000 };
    const double sigma = 1.5, said = 0.02;
    dusk_statement statement;
    const learn_sampler s = sampler_of(1.0 / BINS);
    dusk_generator *gen = seeded(11);
    dusk_event release, event;
    double normal[BINS], both[2] = { 0, 0 };
    (void)state;
    assert_int_equal(dusk_event_gaussian(&release, sigma, NULL), DUSK_OK);
    assert_int_equal(learn_allocation_event(&event, &s, 1e-5, &release, BINS, BINS, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &event, said, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    for (size_t k = 0; k < 2 * TRIED; k++) { /* with the row, in the first step, and without it */
        double ratio = 0;
        assert_int_equal(learn_normals(normal, BINS, gen, NULL), DUSK_OK);
        if (k % 2 == 0) normal[0] += 1 / sigma;
        for (size_t j = 0; j < BINS; j++) ratio += exp(normal[j] / sigma - 1 / (2 * sigma * sigma)) / BINS;
        if (k % 2) ratio = 1 / ratio;
        both[k % 2] += fmax(1 - exp(statement.epsilon) / ratio, 0) / TRIED;
    }
    if (!(both[0] < said && both[1] < said && both[0] > said / 30))
        fail_msg("%g and %g, the event says %g", both[0], both[1], said);
    dusk_generator_free(gen);
}

static void what_has_no_price_is_refused(void **state)
{
    learn_sampler s;
    learn_budget b;
    learn_noise noise[1];
    dusk_error err;
    const double factor = 1;
    const uint64_t all = 1000;
    dusk_event release, event;
    (void)state;
    assert_int_equal(learn_sampler_init(&s, LEARN_ALLOCATED, 0.01, 1000, DUSK_REPLACE_ONE, &err),
                     DUSK_ERR_ARGUMENT);
    for (int k = 0; k < 3; k++) {
        s = sampler_of(k == 0 ? 0.1 : 0.001); /* ten steps are too few; units of two rows; no delta */
        assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, 1, k == 2 ? 0 : 1e-6, k == 1 ? 2 : 1, NULL),
                         DUSK_OK);
        assert_int_equal(learn_budget_sampled(&b, noise, 3, 64, -3, b.left, &s, 1000, &err),
                         DUSK_ERR_ARGUMENT);
        assert_true(err.message[0] && err.hint[0]);
    }
    s = sampler_of(0.001);
    assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, 1, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_stages(&b, noise, 1, &factor, &all, 3, 64, -3, &s, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_event_gaussian(&release, 0.2, NULL), DUSK_OK); /* so little noise */
    assert_int_equal(learn_allocation_event(&event, &s, 1e-6, &release, 10, 10, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_event_laplace(&release, 2, NULL), DUSK_OK); /* another law */
    assert_int_equal(learn_allocation_event(&event, &s, 1e-6, &release, 10, 10, &err), DUSK_ERR_ARGUMENT);
}

/* A noise that is given has the price that it has. */
static void noise_may_be_given(void **state)
{
    const learn_sampler s = sampler_of(0.001);
    learn_budget b;
    learn_noise noise;
    dusk_statement statement;
    (void)state;
    assert_int_equal(learn_budget_by_noise(&b, DUSK_ADD_REMOVE, 2, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_sampled(&b, &noise, 3, 64, -3, b.left, &s, 1000, NULL), DUSK_OK);
    assert_true(noise.deviation > 2 * 8 && noise.deviation < 2.001 * 8);
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
    assert_true(statement.epsilon > 0.05 && statement.epsilon < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_once_an_epoch),
        cmocka_unit_test(prices_are_kept),
        cmocka_unit_test(the_event_is_above_what_is_seen),
        cmocka_unit_test(what_has_no_price_is_refused),
        cmocka_unit_test(noise_may_be_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
