/* SPDX-License-Identifier: Apache-2.0 */
/* Every number that is released has at least the noise that is claimed, whatever the bounds are; and intervals that
 * include the noise contain the truth as often as they say. */
#include <stdio.h>
#include <stdlib.h>

#include "regressions.h"

#include "learn/regression.h"

enum { DRAWS = 400, NUMBERS = 16 + 4 + 1 + 1 };

extern const learn_learner learn_linear;

static void plan_job(learn_job *job, learn_regression *plan, const dusk_fields *fields, double delta)
{
    *job = (learn_job){
        .learner = &learn_linear, .fields = fields, .label = 3, .label_field = &fields->field[3]
    };
    assert_int_equal(learn_budget_init(&job->budget, DUSK_ADD_REMOVE, 0.5, delta, 1, NULL), DUSK_OK);
    assert_int_equal(learn_plan_features(job, true, NULL), DUSK_OK);
    assert_int_equal(learn_plan_regression(job, plan, NULL), DUSK_OK);
}

static void collect(double *sum, double *square, const learn_statistics *s)
{
    double all[NUMBERS];
    memcpy(all, s->moments, 16 * sizeof *all);
    memcpy(all + 16, s->products, 4 * sizeof *all);
    all[20] = s->squares;
    all[21] = s->rows;
    for (size_t i = 0; i < NUMBERS; i++) {
        sum[i] += all[i];
        square[i] += all[i] * all[i];
    }
}

static double claimed(const learn_statistics *s, const learn_regression *plan, size_t i)
{
    if (i < 16) return i % 5 == 0 ? s->moment_noise : s->corner_noise;
    return i < 20 ? s->product_noise : i == 20 ? s->square_noise : plan->count.deviation;
}

/* The deviation of a deviation of normal numbers is sigma / sqrt(2 n); 6 of them are beyond alpha 1e-6 for 44 numbers. Noise
 * without delta has heavier tails (that of y^T y and of the count is Laplace noise), so the band is wider. */
static void check_noise(double delta)
{
    dusk_frame *frame =
        regression_frame(regression_fields, 2000, 1, 5); /* so many that a count is never below 1 */
    double sum[NUMBERS] = { 0 }, square[NUMBERS] = { 0 }, band = (delta > 0 ? 6 : 10) / sqrt(2.0 * DRAWS);
    learn_statistics s = { .width = 0 };
    learn_regression plan;
    dusk_generator *gen;
    learn_job job;

    assert_int_equal(dusk_generator_new_seeded(&gen, 99, NULL), DUSK_OK);
    plan_job(&job, &plan, frame->fields, delta);
    for (int t = 0; t < DRAWS; t++) {
        learn_statistics_clear(&s);
        assert_int_equal(learn_fit_regression(&job, &plan, &s, frame, gen, NULL), DUSK_OK);
        collect(sum, square, &s);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        double mean = sum[i] / DRAWS, deviation = sqrt((square[i] - DRAWS * mean * mean) / (DRAWS - 1));
        if (fabs(deviation / claimed(&s, &plan, i) - 1) > band)
            fail_msg("number %zu has deviation %g, claimed %g", i, deviation, claimed(&s, &plan, i));
    }
    learn_statistics_clear(&s);
    learn_features_clear(&job.features);
    dusk_buffer_clear(&job.said);
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

static void test_noise(void **unused)
{
    (void)unused;
    check_noise(1e-6);
    check_noise(0);
}

/* How often intervals of 95 % contain the truth, over tables and noise. */
static void check_coverage(const char *learner, const char *setting, size_t rows, double epsilon,
                           double delta, double deviation, double low, double high)
{
    const double truth[] = { 2, -3, 1, -4 };
    const int tables = 300;
    double inside = 0, width = 0;
    for (int t = 0; t < tables; t++) {
        dusk_frame *frame = regression_frame(regression_fields, rows, deviation, 1000 + (uint64_t)t);
        regression_request r = { learner, .settings = { setting }, .epsilon = epsilon, .delta = delta };
        dusk_model *model = regression_train(&r, frame, 5000 + (uint64_t)t);
        for (size_t i = 0; i < 4; i++)
            inside += regression_number(model, "low", i) <= truth[i] &&
                      truth[i] <= regression_number(model, "high", i);

        width += regression_number(model, "standard_error", 0);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
    inside /= 4 * tables;
    if (getenv("DUSK_SHOW"))
        printf("%s %s n %zu epsilon %g delta %g: %.4f inside, error %.3g\n", learner, setting, rows, epsilon,
               delta, inside, width / tables);
    if (!(inside >= low && inside <= high)) fail_msg("%.4f of the intervals contain the truth", inside);
}

/* 0.95 +- 5.5 deviations of 1200 tries that are correlated in fours at worst: 0.95 +- 0.07 */
static void test_coverage(void **unused)
{
    (void)unused;
    check_coverage("linear", "method=ssp", 2000, 1e6, 1e-6, 1, 0.88, 1);
    check_coverage("linear", "method=ssp", 2000, 3, 1e-6, 1, 0.88, 1);
    check_coverage("linear", "method=adassp", 2000, 1, 1e-6, 1, 0.88, 1);
    check_coverage("linear", "method=adassp", 2000, 3, 0, 1, 0.88, 1);
    check_coverage("bayes_linear", "prior=0.5", 2000, 1, 1e-6, 1, 0.88, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_noise), cmocka_unit_test(test_coverage) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
