/* SPDX-License-Identifier: Apache-2.0 */
/* The Bernstein mechanism: with much budget the polynomial is the objective and its minimum that of the rows; with little, weights are
 * anywhere in the box and every released value varies as claimed; lattices that are too large are refused. */
#include "regressions.h"

#include "learn/learner.h"

enum { WIDTH = 4, POINTS = 625 };

/* The loss of all rows at weights, less that at 0: by its own definition, in doubles. */
static double loss_of(const dusk_frame *frame, const double *w, double knee)
{
    double sum = 0;
    for (size_t i = 0; i < frame->rows; i++) {
        double y = frame->column[3].number[i] / 10, at = w[WIDTH - 1];
        for (size_t j = 0; j + 1 < WIDTH; j++)
            at += w[j] * (2 * (frame->column[j].number[i] - frame->fields->field[j].lower) - 1);
        for (int k = 0; k < 2; k++) {
            double r = fabs(k ? y : at - y);
            sum += (k ? -1 : 1) * (r < knee ? r * r / 2 : knee * r - knee * knee / 2);
        }
    }
    return sum;
}

static const double *array_of(const dusk_model *model, const char *name, size_t width)
{
    size_t rows, columns;
    const double *w = dusk_model_array(model, name, &rows, &columns);
    assert_non_null(w);
    assert_int_equal(columns, width);
    return w;
}

/* What is released is the objective on the lattice; its minimum is near that of the rows. */
static void test_truth(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 1000, 0.1, 1);
    for (int k = 0; k < 2; k++) {
        regression_request r = { "bernstein_huber",
                                 .settings = { "clip=1", "iterations=1", "polynomial=keep", "degree=4" },
                                 .epsilon = 1e6, .delta = k ? 0 : 1e-6 };
        dusk_model *model = regression_train(&r, frame, 2);
        const double *value = array_of(model, "polynomial", POINTS);
        for (size_t i = 0; i < POINTS; i += 7) {
            double w[WIDTH] = { (double)(i / 125) / 2 - 1, (double)(i / 25 % 5) / 2 - 1,
                                (double)(i / 5 % 5) / 2 - 1, (double)(i % 5) / 2 - 1 };
            /* a row's loss is rounded to steps of 2^-10, its residual to 2^-8 */
            if (fabs(value[i] - loss_of(frame, w, 0.25)) > 2.5)
                fail_msg("value %zu is %g, not %g", i, value[i], loss_of(frame, w, 0.25));
        }
        dusk_model_free(model);
        r.settings[1] = "iterations=32";
        model = regression_train(&r, frame, 2);
        const double *got = array_of(model, "weights", WIDTH);
        /* y = 2 a - 3 b + c - 4 is 1 u - 1.5 v + 0.5 w + 4 for columns in [-1, 1] */
        const double truth[WIDTH] = { 0.1, -0.15, 0.05, 0.4 };
        for (size_t j = 0; j < WIDTH; j++)
            if (fabs(got[j] - truth[j]) > 0.05) fail_msg("weight %zu is %g, not %g", j, got[j], truth[j]);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

static const char binary_fields[] = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny category no,yes\n";

static dusk_frame *make_binary(size_t rows, uint64_t seed)
{
    dusk_frame *number = regression_frame(regression_fields, rows, 0.1, seed), *frame;
    dusk_fields *fields;
    assert_int_equal(dusk_fields_parse(&fields, binary_fields, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < 3; j++) frame->column[j].number[i] = number->column[j].number[i];
        double lean = number->column[3].number[i] - 4; /* y is 4 in the mean */
        frame->column[3].code[i] = regression_uniform(&seed) < 1 / (1 + exp(-lean));
    }
    dusk_fields_free(fields);
    dusk_frame_free(number);
    return frame;
}

static void test_classes(void **unused)
{
    (void)unused;
    dusk_frame *frame = make_binary(5000, 3);
    regression_request r = { "bernstein_logistic", .settings = { "clip=1", "iterations=16", "radius=2" },
                             .epsilon = 1e6, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 2);
    const double truth[WIDTH] = { 1, -1.5, 0.5, 0 }, *got = array_of(model, "weights", WIDTH);
    for (size_t j = 0; j < WIDTH; j++)
        if (fabs(got[j] - truth[j]) > 0.25) fail_msg("weight %zu is %g, not %g", j, got[j], truth[j]);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* Every value of the lattice varies over seeds as the length of a row and the budget say, whatever the bounds are; weights stay in the box. */
static void test_variance(void **unused)
{
    (void)unused;
    enum { RUNS = 60, SMALL = 81 };
    dusk_frame *frame = regression_frame(regression_fields, 3, 0.1, 1);
    for (int pure = 0; pure < 2; pure++) {
        double sum[SMALL] = { 0 }, squares[SMALL] = { 0 };
        for (uint64_t t = 0; t < RUNS; t++) {
            regression_request r = { "bernstein_huber",
                                     .settings = { "degree=2", "iterations=1", "polynomial=keep", "clip=1",
                                                   "radius=1" },
                                     .epsilon = 0.5, .delta = pure ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, t);
            const double *value = array_of(model, "polynomial", SMALL);
            for (size_t i = 0; i < SMALL; i++) sum[i] += value[i], squares[i] += value[i] * value[i];
            for (size_t j = 0; j < WIDTH; j++) assert_true(fabs(array_of(model, "weights", WIDTH)[j]) <= 1);
            dusk_model_free(model);
        }
        /* 0.25 * 2 * sqrt(81 * 4 / 6) over mu, which is 0.12 for (0.5, 1e-6); or the radius of K-norm noise */
        const double row = 0.5 * sqrt(54), least = pure ? row / 0.5 * sqrt(82) : row / 0.12;
        for (size_t i = 0; i < SMALL; i++) {
            double mean = sum[i] / RUNS, deviation = sqrt(squares[i] / RUNS - mean * mean);
            if (deviation < 0.6 * least || deviation > 1.5 * least)
                fail_msg("value %zu varies by %g, not %g", i, deviation, least);
        }
    }
    dusk_frame_free(frame);
}

/* A row that is much longer than the others is scaled down: it moves the constant no more than its length allows. */
static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 30; n += 7)
        for (int pure = 0; pure < 2; pure++) {
            dusk_frame *frame = make_binary(n, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = i % 2 ? NAN : 0.5;
                frame->column[3].code[i] = i % 3 ? 1 : -1;
            }
            regression_request r = { "bernstein_logistic", .settings = { "degree=2" }, .epsilon = 1,
                                     .delta = pure ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, 5);
            regression_all_finite(model);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

static void test_refusals(void **unused)
{
    (void)unused;
    regression_request wide = { "bernstein_huber", .epsilon = 1 };
    regression_expect_refusal(&wide, "x[7] numeric 0:1\ny numeric 0:1\n", "more than 4096 points");
    regression_request fine = { "bernstein_huber", .settings = { "degree=8" }, .epsilon = 1 };
    regression_expect_refusal(&fine, regression_fields, "more than 4096 points");
    regression_request wide_corners = { "bernstein_huber", .settings = { "degree=1" }, .epsilon = 1 };
    regression_expect_refusal(&wide_corners, "x[20] numeric 0:1\ny numeric 0:1\n", "more than 4096 points");
    regression_request three = { "bernstein_logistic", .epsilon = 1 };
    regression_expect_refusal(&three, "x numeric 0:1\ny category a,b,c\n", "a category of two values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),    cmocka_unit_test(test_classes),  cmocka_unit_test(test_variance),
        cmocka_unit_test(test_odd_data), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
