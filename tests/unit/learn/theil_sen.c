/* SPDX-License-Identifier: Apache-2.0 */
#include "regressions.h"

#include "learn/learner.h"

static const char one[] = "x numeric 5:9\ny numeric -10:10\n";

/* y = 3 - 2 (x - 7), with residuals; `odd` rows in a hundred are anywhere. */
static dusk_frame *line(size_t rows, double deviation, uint64_t odd, uint64_t seed)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, one, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        double x = 5 + 4 * regression_uniform(&seed);
        frame->column[0].number[i] = x;
        frame->column[1].number[i] = 3 - 2 * (x - 7) + deviation * regression_normal(&seed);
        if (splitmix64(&seed) % 100 < odd) frame->column[1].number[i] = 10 * (x - 7);
    }
    dusk_fields_free(fields);
    return frame;
}

static void check_line(const dusk_frame *frame, double epsilon, double delta, double within)
{
    regression_request r = { "theil_sen", .epsilon = epsilon, .delta = delta };
    dusk_model *model = regression_train(&r, frame, 3);
    double slope = regression_number(model, "coefficients", 0),
           level = regression_number(model, "intercept", 0);
    if (fabs(slope + 2) > within || fabs(level + 7 * slope - 3) > 2 * within)
        fail_msg("slope %g, at the middle %g", slope, level + 7 * slope);
    dusk_model_free(model);
}

static void test_line(void **unused)
{
    (void)unused;
    dusk_frame *exact = line(500, 0, 0, 1), *noisy = line(5000, 1, 0, 2), *odd = line(5000, 0.5, 20, 3);
    check_line(exact, 1e4, 0, 0.01);
    check_line(exact, 1e4, 1e-6, 0.01);
    check_line(noisy, 1, 0, 0.2);
    check_line(noisy, 1, 1e-6, 0.2);
    check_line(odd, 1, 1e-6, 0.6); /* a fifth of all rows are on another line */
    dusk_frame_free(exact);
    dusk_frame_free(noisy);
    dusk_frame_free(odd);
}

/* No rows, one, the same x everywhere, no labels: anything within the settings. */
static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 40; n += 13)
        for (int k = 0; k < 3; k++) {
            dusk_frame *frame = line(n, 1, 0, n);
            for (size_t i = 0; i < n; i++) {
                if (k == 1) frame->column[0].number[i] = i % 2 ? NAN : 7;
                if (k == 2) frame->column[1].number[i] = i % 3 ? NAN : INFINITY;
            }
            regression_request r = { "theil_sen", .settings = { "steepest=2" }, .epsilon = 1 };
            dusk_model *model = regression_train(&r, frame, n + 1);
            regression_all_finite(model);
            assert_true(fabs(regression_number(model, "weights", 0)) <= 2);
            assert_true(fabs(regression_number(model, "weights", 1)) <= 3);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

/* A delta is no reason to choose less well: what is asked for is used, about. */
static void test_epsilon_is_used(void **unused)
{
    (void)unused;
    const double epsilons[] = { 0.01, 1, 30 };
    dusk_frame *frame = line(5, 1, 0, 4);
    for (int k = 0; k < 6; k++) {
        regression_request r = { "theil_sen", .epsilon = epsilons[k % 3], .delta = k < 3 ? 0 : 1e-6 };
        dusk_model *model = regression_train(&r, frame, 5);
        double stated = dusk_model_statement(model)->epsilon;
        if (!(stated <= r.epsilon && stated > 0.8 * r.epsilon)) fail_msg("%g of %g", stated, r.epsilon);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

static void test_refusals(void **unused)
{
    (void)unused;
    regression_request r = { "theil_sen", .epsilon = 1 };
    regression_expect_refusal(&r, regression_fields, "theil_sen learns from one number");
    regression_expect_refusal(&r, "x category a\ny numeric 0:1\n", "theil_sen learns from one number");
    r.settings[0] = "pairs=256";
    r.neighbours = DUSK_REPLACE_ONE;
    regression_expect_refusal(&r, "x numeric 0:1\ny numeric 0:1\nrows_per_unit 1048576\n", "unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_line), cmocka_unit_test(test_odd_data),
                                        cmocka_unit_test(test_epsilon_is_used),
                                        cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
