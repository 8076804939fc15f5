/* SPDX-License-Identifier: Apache-2.0 */
#include "regressions.h"

#include "learn/learner.h"

static const double none = 1e7;

/* Without noise: the ridge solution with lambda = s2 / prior^2, and the covariance s2 (X^T X + lambda)^-1. */
static void test_textbook(void **unused)
{
    (void)unused;
    const size_t n = 4000;
    const double s = 0.5, expected = s * sqrt(12 / (double)n);
    dusk_frame *frame = regression_frame(regression_fields, n, s, 8);
    regression_request r = { "bayes_linear", .epsilon = none, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 2);
    const double truth[] = { 2, -3, 1 };
    for (size_t i = 0; i < 3; i++) {
        assert_true(fabs(regression_number(model, "coefficients", i) - truth[i]) < 5 * expected);
        assert_true(fabs(regression_number(model, "standard_error", i) / expected - 1) < 0.1);
    }
    assert_true(fabs(regression_number(model, "residual", 0) / s - 1) < 0.05);
    size_t rows, columns;
    assert_non_null(dusk_model_array(model, "covariance", &rows, &columns));
    assert_int_equal(rows * columns, 16);
    dusk_model_free(model);
    r.settings[0] =
        "prior=0.001"; /* then data hardly matter: the variance of one weight is that of the prior */
    r.epsilon = 0.1;
    model = regression_train(&r, frame, 3);
    for (size_t i = 0; i < 4; i++) assert_true(fabs(regression_number(model, "weights", i)) < 0.01);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* With nothing but noise the posterior is close to the prior: deviation 0.5 of a weight, 10 a unit of label, slope factor 2. */
static void test_nothing_known(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 0, 0, 8);
    regression_request r = { "bayes_linear", .epsilon = 0.01, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 4);
    regression_all_finite(model);
    for (size_t i = 0; i < 3; i++) {
        double error = regression_number(model, "standard_error", i);
        assert_true(error > 5 && error <= 10 * (1 + 1e-9));
    }
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 1; n < 60; n += 29)
        for (int k = 0; k < 4; k++) {
            dusk_frame *frame = regression_frame(regression_fields, n, 0.1, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = 0.5;
                if (i % 2) frame->column[3].number[i] = NAN;
            }
            regression_request r = { "bayes_linear", .epsilon = k & 1 ? none : 0.5,
                                     .delta = k & 2 ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, 5);
            regression_all_finite(model);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
    regression_request r = { "bayes_linear", .settings = { "prior=0" }, .epsilon = 1, .delta = 1e-6 };
    regression_expect_refusal(&r, regression_fields, "prior is a number from");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_textbook), cmocka_unit_test(test_nothing_known),
                                        cmocka_unit_test(test_odd_data) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
