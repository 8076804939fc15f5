/* SPDX-License-Identifier: Apache-2.0 */
/* Weights chosen from a net: with much budget nearly the best there are, with none anywhere in the ball; losses end where they are said to,
 * and noise follows the rows of a unit. */
#include "regressions.h"

#include "learn/learner.h"

enum { WIDTH = 4 };

static const char binary_fields[] = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny category no,yes\n";

static dusk_frame *make_binary(size_t rows, uint64_t seed)
{
    dusk_frame *number = regression_frame(regression_fields, rows, 0.1, seed), *frame;
    dusk_fields *fields;
    assert_int_equal(dusk_fields_parse(&fields, binary_fields, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < 3; j++) frame->column[j].number[i] = number->column[j].number[i];
        /* y is 4 in the mean; categories follow it, not surely */
        double lean = number->column[3].number[i] - 4;
        frame->column[3].code[i] = regression_uniform(&seed) < 1 / (1 + exp(-lean));
    }
    dusk_fields_free(fields);
    dusk_frame_free(number);
    return frame;
}

/* The mean loss of a model, ended at `most`: by its own definition, in doubles. */
static double loss_of(const dusk_frame *frame, const double *w, bool binary, double most)
{
    double sum = 0;
    for (size_t i = 0; i < frame->rows; i++) {
        double at = w[WIDTH - 1];
        for (size_t j = 0; j + 1 < WIDTH; j++)
            at += w[j] * (2 * (frame->column[j].number[i] - frame->fields->field[j].lower) - 1);
        if (binary) {
            sum += fmin(log1p(exp(frame->column[3].code[i] ? -at : at)), most);
            continue;
        }
        double r = fabs(at - frame->column[3].number[i] / 10);
        sum += fmin(r < 0.25 ? r * r / 2 : 0.25 * r - 0.03125, most);
    }
    return sum / (double)frame->rows;
}

static const double *weights_of(const dusk_model *model)
{
    size_t rows, columns;
    const double *w = dusk_model_array(model, "weights", &rows, &columns);
    assert_non_null(w);
    assert_int_equal(columns, WIDTH);
    return w;
}

/* Near the best of many points about the best, whichever way it is chosen. */
static void test_truth(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        const bool binary = k & 1;
        dusk_frame *frame = binary ? make_binary(2000, 1) : regression_frame(regression_fields, 2000, 0.1, 1);
        /* y = 2 a - 3 b + c - 4 is 1 u - 1.5 v + 0.5 w + 4 for columns in [-1, 1] */
        const double truth[][WIDTH] = { { 0.1, -0.15, 0.05, 0.4 }, { 1, -1.5, 0.5, 0 } };
        regression_request r = { binary ? "net_logistic" : "net_huber",
                                 .settings = { "rounds=8", "candidates=256" }, .epsilon = 1e6,
                                 .delta = k & 2 ? 0 : 1e-6 };
        dusk_model *model = regression_train(&r, frame, 2);
        double most = binary ? 1.5 : 0.25, got = loss_of(frame, weights_of(model), binary, most),
               best = loss_of(frame, truth[binary], binary, most);
        if (got > best + 0.01) fail_msg("%s: loss %g, of the truth %g", r.learner, got, best);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

/* Without budget any candidate comes, none longer than the radius; every weight varies. */
static void test_anywhere(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 3, 0.1, 1);
    double sum[WIDTH] = { 0 }, squares[WIDTH] = { 0 };
    enum { RUNS = 100 };
    for (uint64_t t = 0; t < RUNS; t++) {
        regression_request r = { "net_huber", .settings = { "radius=3", "rounds=1", "candidates=64" },
                                 .epsilon = 0.001, .delta = t % 2 ? 0 : 1e-6 };
        dusk_model *model = regression_train(&r, frame, t);
        double length = 0;
        for (size_t j = 0; j < WIDTH; j++) {
            double w = weights_of(model)[j];
            sum[j] += w;
            squares[j] += w * w;
            length += w * w;
        }
        assert_true(sqrt(length) <= 3 + 1e-5);
        dusk_model_free(model);
    }
    for (size_t j = 0; j < WIDTH; j++) /* a ball of 3 in 4 dimensions: deviation 3 / sqrt(6) */
        assert_true(fabs(sum[j] / RUNS) < 0.7 && sqrt(squares[j] / RUNS) > 0.9);
    dusk_frame_free(frame);
}

/* What one odd row can do is held, however far off it is: with `most` little, weights do not follow it. */
static void test_losses_end(void **unused)
{
    (void)unused;
    dusk_frame *frame =
        regression_frame("a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny numeric -1:1\n", 40, 0, 3);
    for (size_t i = 0; i < 40; i++) frame->column[3].number[i] = i < 13 ? 1 : -0.02;
    regression_request r = { "net_huber", .settings = { "most=0.01", "knee=4", "candidates=256" },
                             .epsilon = 1e6, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 4);
    /* 13 rows at 1 cost 0.01 each when the other 27 are met; met half way they would cost less by their squares */
    if (fabs(weights_of(model)[WIDTH - 1]) > 0.2)
        fail_msg("the constant is %g", weights_of(model)[WIDTH - 1]);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

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
            regression_request r = { "net_logistic", .settings = { "candidates=32" }, .epsilon = 1,
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
    regression_request wide = { "net_huber", .epsilon = 1 };
    regression_expect_refusal(&wide, "x[16] numeric 0:1\ny numeric 0:1\n", "16 columns at most");
    regression_request many = { "net_huber", .settings = { "candidates=5000" }, .epsilon = 1 };
    regression_expect_refusal(&many, regression_fields, "candidates");
    regression_request three = { "net_logistic", .epsilon = 1 };
    regression_expect_refusal(&three, "x numeric 0:1\ny category a,b,c\n", "a category of two values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),    cmocka_unit_test(test_anywhere), cmocka_unit_test(test_losses_end),
        cmocka_unit_test(test_odd_data), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
