/* SPDX-License-Identifier: Apache-2.0 */
#include "regressions.h"

#include "learn/learner.h"

static const double none = 1e7; /* an epsilon so large that there is next to no noise */

static void check_truth(const dusk_model *model, double within)
{
    const double truth[] = { 2, -3, 1, -4 };
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(regression_number(model, "coefficients", i) - truth[i]) < within);
    assert_true(regression_number(model, "intercept", 0) == regression_number(model, "coefficients", 3));
}

/* Without noise it is least squares, in the units of the data, whatever the bounds are. */
static void test_least_squares(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "method=adassp", "method=ssp", "method=ridge" };
    dusk_frame *frame = regression_frame(regression_fields, 3000, 0, 7);
    for (size_t i = 0; i < 3; i++)
        for (int pure = 0; pure < 2; pure++) {
            regression_request r = { "linear", .settings = { methods[i] }, .epsilon = none,
                                     .delta = pure ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, 1);
            check_truth(model, 0.02);
            assert_string_equal(dusk_model_feature(model, 3), "1");
            dusk_model_free(model);
        }
    dusk_frame_free(frame);
}

/* The same with residuals: errors are those of least squares, s^2 (X^T X)^-1. For uniform columns of [0, 1] that is
 * s sqrt(12 / n) a slope. */
static void test_standard_errors(void **unused)
{
    (void)unused;
    const size_t n = 4000;
    const double s = 0.5, expected = s * sqrt(12 / (double)n);
    dusk_frame *frame = regression_frame(regression_fields, n, s, 8);
    regression_request r = { "linear", .epsilon = none, .delta = 1e-6, .rows = n };
    dusk_model *model = regression_train(&r, frame, 2);
    for (size_t i = 0; i < 3; i++) {
        double error = regression_number(model, "standard_error", i),
               c = regression_number(model, "coefficients", i);
        assert_true(fabs(error / expected - 1) < 0.1);
        assert_true(fabs(regression_number(model, "high", i) - (c + 1.959964 * error)) < 1e-4 * error);
        assert_true(fabs(regression_number(model, "low", i) - (c - 1.959964 * error)) < 1e-4 * error);
        assert_true(regression_number(model, "p_value", i) < 1e-10);
    }
    /* the intercept is at a = b = c = 0, where c is 5.5 from its middle */
    double squares = 0.25 + 0.25 + 5.5 * 5.5;
    assert_true(
        fabs(regression_number(model, "standard_error", 3) / (s * sqrt((1 + 12 * squares) / (double)n)) - 1) <
        0.1);
    assert_true(fabs(regression_number(model, "residual", 0) / s - 1) < 0.05);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* A column without influence: its p value is anything, those of the others are small. Prediction ends at the bounds. */
static void test_prediction(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 2000, 0.1, 9);
    regression_request r = { "linear", .epsilon = none, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 3);
    dusk_prediction p;
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    assert_int_equal(p.columns, 1);
    for (size_t i = 0; i < frame->rows; i++) {
        double truth = regression_truth(frame->column[0].number[i], frame->column[1].number[i],
                                        frame->column[2].number[i]);
        assert_true(fabs(p.value[i] - truth) < 0.05);
    }
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    for (size_t i = 0; i < frame->rows; i++)
        frame->column[3].number[i] = 1e300 * (frame->column[0].number[i] - 0.5);
    model = regression_train(&r, frame, 4);
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    for (size_t i = 0; i < frame->rows; i++) assert_true(fabs(p.value[i]) <= 10);
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* Categories: one column each, all of them together the constant column, so that no single one is determined. Predictions
 * are, by the least solution (adassp), and numbers are finite. */
static void test_categories(void **unused)
{
    (void)unused;
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, "kind category red,green,blue\ny numeric 0:8\n", NULL),
                     DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, 3000, NULL), DUSK_OK);
    for (size_t i = 0; i < 3000; i++) {
        frame->column[0].code[i] = (int32_t)(i % 3);
        frame->column[1].number[i] = 1 + 2 * (double)(i % 3);
    }
    regression_request r = { "linear", .epsilon = none, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 5);
    dusk_prediction p;
    regression_all_finite(model);
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    for (size_t i = 0; i < 3; i++) assert_true(fabs(p.value[i] - 1 - 2 * (double)i) < 0.05);
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

/* No rows, fewer rows than columns, columns that are constant, labels that are missing: a model of finite numbers. */
static void test_odd_data(void **unused)
{
    (void)unused;
    static const size_t sizes[] = { 0, 1, 2, 50 };
    static const char *const methods[] = { "method=adassp", "method=ssp", "method=ridge" };
    for (size_t k = 0; k < 4; k++)
        for (size_t m = 0; m < 6; m++) {
            dusk_frame *frame = regression_frame(regression_fields, sizes[k], 0.1, 10 + k);
            for (size_t i = 0; i < sizes[k]; i++) {
                frame->column[0].number[i] = 0.5;
                frame->column[1].number[i] = i % 3 ? NAN : -INFINITY;
                if (i % 2) frame->column[3].number[i] = NAN;
            }
            regression_request r = { "linear", .settings = { methods[m % 3] }, .epsilon = m < 3 ? 0.5 : none,
                                     .delta = 1e-6 };
            dusk_model *model = regression_train(&r, frame, 11 + k);
            regression_all_finite(model);
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

/* Rows without a label are not there at all. */
static void test_missing_labels(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 2000, 0, 12);
    for (size_t i = 0; i < 2000; i += 2) frame->column[3].number[i] = NAN;
    regression_request r = { "linear", .epsilon = none, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 13);
    check_truth(model, 0.05);
    assert_true(fabs(regression_number(model, "rows", 0) - 1000) < 1);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void test_settings(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 1000, 0, 14);
    regression_request r = { "linear", .settings = { "method=ridge", "lambda=1e9" }, .epsilon = none,
                             .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 15);
    for (size_t i = 0; i < 4; i++) assert_true(fabs(regression_number(model, "weights", i)) < 1e-5);
    assert_true(regression_number(model, "lambda", 0) == 1e9);
    dusk_model_free(model);
    r = (regression_request){ "linear", .settings = { "intercept=no", "norm=0.5" }, .epsilon = 0.01,
                              .delta = 1e-6 };
    model = regression_train(&r, frame, 16);
    assert_null(dusk_model_feature(model, 3));
    assert_true(regression_number(model, "lambda", 0) > 0);
    dusk_model_free(model);
    dusk_frame_free(frame);
    r = (regression_request){ "linear", .settings = { "lambda=1" }, .epsilon = 1, .delta = 1e-6 };
    regression_expect_refusal(&r, regression_fields, "lambda is for method=ridge");
    r = (regression_request){ "linear", .epsilon = 1, .delta = 1e-6 };
    regression_expect_refusal(&r, "y numeric 0:1\n", "columns to learn from");
    regression_expect_refusal(&r, "a numeric 0:1\ny category u,v\n", "learns numbers");
}

/* What was released is what a model read from a file must have. */
static void test_complete(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 10, 0, 17);
    regression_request r = { "linear", .epsilon = 1, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 18);
    assert_true(model->learner->complete(model));
    const double bad[4] = { 0, NAN, 0, 0 };
    assert_int_equal(learn_model_put(model, "weights", 1, 4, bad, NULL), DUSK_OK);
    assert_false(model->learner->complete(model));
    assert_int_equal(learn_model_put(model, "weights", 1, 3, bad, NULL), DUSK_OK);
    assert_false(model->learner->complete(model));
    dusk_model_free(model);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares), cmocka_unit_test(test_standard_errors),
        cmocka_unit_test(test_prediction),    cmocka_unit_test(test_categories),
        cmocka_unit_test(test_odd_data),      cmocka_unit_test(test_missing_labels),
        cmocka_unit_test(test_settings),      cmocka_unit_test(test_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
