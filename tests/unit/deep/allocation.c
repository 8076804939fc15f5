/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that is found on the way: falls of lengths are found, noise follows them as it is said to, and what all stages cost is within the allowance, by an account of its own. */
#include "deep/allocation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dusk/learn.h"
#include "seeded.h"

enum { STEPS = 160, NUMBERS = 50 };
#define LOT 1e5

static void falls_are_found(void **state)
{
    (void)state;
    double length[8], middle[8];
    for (double fall = -0.5; fall <= 3; fall += 0.25) {
        double mean = 0, spread = 0;
        for (size_t k = 0; k < 8; k++) {
            middle[k] = 5 + 10 * (double)k;
            length[k] = k == 3 ? 0 : 0.7 * pow(middle[k], -fall); /* one of them is not known */
            mean += k == 3 ? 0 : log(middle[k]) / 7;
        }
        for (size_t k = 0; k < 8; k++) spread += k == 3 ? 0 : pow(log(middle[k]) - mean, 2);
        const double wanted = fmin(fmax(fall * spread / (spread + 1), 0), 1);
        assert_true(fabs(deep_fall_of(length, middle, 8) - wanted) < 1e-9);
        assert_true(deep_fall_of(length, middle, 1) == 0);
    }
    memset(length, 0, sizeof length);
    assert_true(deep_fall_of(length, middle, 8) == 0);
}

static learn_allowance allowance_of(double rate, uint64_t steps)
{
    learn_budget budget;
    learn_sampler sampler;
    learn_allowance out;
    assert_int_equal(learn_budget_init(&budget, DUSK_ADD_REMOVE, 2, 1e-5, 1, NULL), DUSK_OK);
    assert_int_equal(learn_sampler_init(&sampler, LEARN_POISSON, rate, 0, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(learn_budget_allow(&budget, &out, NUMBERS, 0x1p22, -22, &sampler, steps, NULL), DUSK_OK);
    return out;
}

/* Steps whose gradients are as long as t^-fall, t being the middle of ten, and a little noise. */
static void run_stages(deep_allocation *a, double fall, uint64_t *seed)
{
    for (uint64_t step = 0; step < a->steps; step++) {
        float released[NUMBERS];
        assert_int_equal(deep_allocation_begin(a, step, NULL), DUSK_OK);
        const double length = LOT * 0.5 * pow((double)(step / 10 * 10 + 5), -fall) / sqrt(NUMBERS);
        for (size_t j = 0; j < NUMBERS; j++)
            released[j] = (float)(length + (splitmix64(seed) % 2 ? 0.1 : -0.1));
        deep_allocation_look(a, step, released, 0, NUMBERS / 2);
        deep_allocation_look(a, step, released + NUMBERS / 2, NUMBERS / 2, NUMBERS - NUMBERS / 2);
    }
}

static double cost_of(const learn_allowance *allowance, const deep_allocation *a)
{
    char text[4000] = "";
    size_t at = 0;
    dusk_event event;
    dusk_statement statement;
    for (size_t k = 0; k < a->stages; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%spoisson(%.17g, gaussian(%.17g)) * %u",
                               k ? " + " : "", allowance->sampler.rate, a->kept.multiplier[k],
                               (unsigned)a->times[k]);
    assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &event, 1e-5, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    return statement.epsilon;
}

static void noise_follows(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int all = 0; all < 2; all++) {
        const learn_allowance allowance = allowance_of(all ? 1 : 0.05, STEPS);
        for (double fall = 0; fall <= 1; fall += 0.5) {
            deep_allocation a;
            assert_int_equal(deep_allocation_open(&a, &allowance, STEPS, LOT, NUMBERS, NULL), DUSK_OK);
            run_stages(&a, fall, &seed);
            assert_int_equal(a.stages, DEEP_ALLOCATIONS);
            assert_true(fabs(a.kept.multiplier[0] / allowance.even - 1) < 1e-3); /* nothing is known yet */
            /* stages 8 and 15 are about steps 85 and 155; how little is known at first counts a little */
            const double ratio = a.kept.multiplier[15] / a.kept.multiplier[8];
            assert_true(fabs(log(ratio) + fall / 2 * log(155.0 / 85)) < 0.02 + 0.1 * fall);
            const double cost = cost_of(&allowance, &a);
            if (!(cost <= 2 && cost > 1.7)) fail_msg("%d, %g: %g", all, fall, cost);
            deep_allocation_close(&a);
        }
    }
}

/* Gradients that cannot be told from noise: no fall is made up of what is smaller than its error. */
static void noise_alone_is_even(void **state)
{
    (void)state;
    const learn_allowance allowance = allowance_of(0.05, STEPS);
    deep_allocation a;
    assert_int_equal(deep_allocation_open(&a, &allowance, STEPS, LOT, NUMBERS, NULL), DUSK_OK);
    for (uint64_t step = 0; step < STEPS; step++) {
        float released[NUMBERS];
        for (size_t j = 0; j < NUMBERS; j++) released[j] = (step + j) % 2 ? 0.01f : -0.01f;
        assert_int_equal(deep_allocation_begin(&a, step, NULL), DUSK_OK);
        deep_allocation_look(&a, step, released, 0, NUMBERS);
    }
    for (size_t k = 0; k < a.stages; k++) assert_true(fabs(a.kept.multiplier[k] / allowance.even - 1) < 0.05);
    deep_allocation_close(&a);
}

/* Few steps are as many stages. */
static void few_steps(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (uint64_t steps = 1; steps < 20; steps++) {
        const learn_allowance allowance = allowance_of(0.5, steps);
        deep_allocation a;
        assert_int_equal(deep_allocation_open(&a, &allowance, steps, LOT, NUMBERS, NULL), DUSK_OK);
        run_stages(&a, 0.5, &seed);
        assert_true(a.stages == (steps < DEEP_ALLOCATIONS ? steps : DEEP_ALLOCATIONS));
        assert_true(cost_of(&allowance, &a) <= 2);
        deep_allocation_close(&a);
    }
}

/* The shipped training, of nobody: weights are sums of noise, whose deviations the model names. */
static void noise_is_what_the_model_says(void **state)
{
    (void)state;
    enum { RUNS = 300 };
    static const char *const settings[] = { "net=output",          "rate=1",          "steps=8",
                                            "allocation=adaptive", "learning_rate=1", "momentum=0" };
    dusk_train_options o = { .size = sizeof o,
                             .epsilon = 2,
                             .delta = 1e-3,
                             .neighbours = DUSK_REPLACE_ONE,
                             .rows = 2,
                             .label = "y",
                             .settings = settings,
                             .settings_count = 6 };
    dusk_fields *fields;
    dusk_training *training;
    dusk_frame *nobody;
    dusk_generator *gen = seeded(5);
    double variance = 0, square = 0;
    assert_int_equal(dusk_fields_parse(&fields, "x numeric -1:1\ny category no,yes\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&nobody, fields, 0, NULL), DUSK_OK);
    assert_int_equal(dusk_training_prepare(&training, "net", fields, &o, NULL), DUSK_OK);
    for (int run = 0; run < RUNS; run++) {
        size_t rows, columns, stages;
        dusk_model *model;
        assert_int_equal(dusk_training_run(training, &model, nobody, gen, NULL), DUSK_OK);
        const double *noise = dusk_model_array(model, "noise", &rows, &stages);
        assert_true(noise && stages == 8);
        double information = 0;
        for (size_t k = 0; k < stages; k++) {
            variance += pow(noise[k] / 2, 2);
            information += 4 / (noise[k] * noise[k]); /* a replacement moves a sum by 2 */
        }
        /* gdp(mu) of all stages: the promise is for this much */
        char text[64];
        dusk_event event;
        dusk_statement statement;
        snprintf(text, sizeof text, "gdp(%.17g)", sqrt(information) * (1 - 1e-9));
        assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
        assert_int_equal(dusk_statement_init(&statement, &event, 1e-3, DUSK_REPLACE_ONE, "row", NULL),
                         DUSK_OK);
        assert_true(statement.epsilon <= 2 && statement.epsilon > 1.9);
        const double *p = dusk_model_array(model, "parameters", &rows, &columns);
        for (size_t j = 0; j < columns; j++) square += p[j] * p[j] / (double)columns;
        dusk_model_free(model);
    }
    assert_true(fabs(square / variance - 1) < 5.5 * sqrt(2.0 / (RUNS * 4)));
    dusk_training_free(training);
    dusk_frame_free(nobody);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_are_found),
        cmocka_unit_test(noise_follows),
        cmocka_unit_test(noise_alone_is_even),
        cmocka_unit_test(few_steps),
        cmocka_unit_test(noise_is_what_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
