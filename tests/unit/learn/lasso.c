/* SPDX-License-Identifier: Apache-2.0 */
#include "regressions.h"

#include "learn/learner.h"

static const double none = 1e7;

/* The least of the objective: its slope at w is within lambda of 0 where w is 0, and lambda elsewhere. Checked on the
 * true sums of the rows. */
static void check_optimal(const dusk_frame *frame, const dusk_model *model, double lambda)
{
    double slope[4] = { 0 };
    for (size_t i = 0; i < frame->rows; i++) {
        double x[4] = { 2 * frame->column[0].number[i] - 1, 2 * frame->column[1].number[i] + 1,
                        2 * frame->column[2].number[i] - 11, 1 };
        double residual = -frame->column[3].number[i] / 10;
        for (size_t j = 0; j < 4; j++) residual += x[j] * regression_number(model, "weights", j);
        for (size_t j = 0; j < 4; j++) slope[j] += residual * x[j];
    }
    for (size_t j = 0; j < 4; j++) {
        double w = regression_number(model, "weights", j), penalty = j == 3 ? 0 : lambda;
        if (w == 0)
            assert_true(fabs(slope[j]) <= penalty + 0.2);
        else
            assert_true(fabs(slope[j] + copysign(penalty, w)) < 0.2);
    }
}

static void test_optimal(void **unused)
{
    (void)unused;
    static const char *const settings[] = { "lambda=1", "lambda=20", "lambda=60", "lambda=90", "lambda=1e6" };
    static const double lambda[] = { 1, 20, 60, 90, 1e6 };
    dusk_frame *frame = regression_frame(regression_fields, 2000, 0.5, 21);
    size_t zeros = 0;
    for (size_t k = 0; k < 5; k++) {
        regression_request r = { "lasso", .settings = { settings[k] }, .epsilon = none, .delta = 1e-6 };
        dusk_model *model = regression_train(&r, frame, 22);
        check_optimal(frame, model, lambda[k]);
        for (size_t j = 0; j < 3; j++) zeros += regression_number(model, "weights", j) == 0;
        assert_true(regression_number(model, "weights", 3) != 0);
        dusk_model_free(model);
    }
    assert_true(zeros > 3 && zeros < 12); /* one column after the other leaves */
    dusk_frame_free(frame);
}

/* By the noise: when there is nothing to be found, nothing is, most of the time. */
static void test_by_noise(void **unused)
{
    (void)unused;
    size_t found = 0;
    dusk_frame *frame = regression_frame(regression_fields, 3000, 0, 23);
    uint64_t seed = 24;
    for (size_t i = 0; i < frame->rows; i++) frame->column[3].number[i] = regression_normal(&seed);
    for (uint64_t t = 0; t < 40; t++) {
        regression_request r = { "lasso", .epsilon = 0.5, .delta = 1e-6 };
        dusk_model *model = regression_train(&r, frame, 25 + t);
        for (size_t j = 0; j < 3; j++) found += regression_number(model, "weights", j) != 0;
        dusk_model_free(model);
    }
    assert_true(found < 40);
    dusk_frame_free(frame);
}

static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 60; n += 19)
        for (int k = 0; k < 4; k++) {
            dusk_frame *frame = regression_frame(regression_fields, n, 0.1, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = 0.5;
                if (i % 2) frame->column[3].number[i] = NAN;
            }
            regression_request r = { "lasso", .epsilon = k & 1 ? none : 0.05, .delta = k & 2 ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, 5);
            regression_all_finite(model);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
    regression_request r = { "lasso", .settings = { "lambda=-1" }, .epsilon = 1, .delta = 1e-6 };
    regression_expect_refusal(&r, regression_fields, "lambda is a number from");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_optimal), cmocka_unit_test(test_by_noise),
                                        cmocka_unit_test(test_odd_data) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
