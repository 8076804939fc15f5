/* SPDX-License-Identifier: Apache-2.0 */
#include "regressions.h"

#include "learn/learner.h"

static void check_truth(const char *const *settings, const dusk_frame *frame, double epsilon, double delta,
                        double within)
{
    const double truth[] = { 2, -3, 1 };
    regression_request r = { "aggregate_linear", .settings = { settings[0], settings[1], settings[2] },
                             .epsilon = epsilon, .delta = delta, .rows = frame->rows };
    dusk_model *model = regression_train(&r, frame, 1);
    for (size_t i = 0; i < 3; i++)
        if (fabs(regression_number(model, "coefficients", i) - truth[i]) > within)
            fail_msg("%s: coefficient %zu is %g", settings[0], i,
                     regression_number(model, "coefficients", i));
    dusk_model_free(model);
}

static void test_truth(void **unused)
{
    (void)unused;
    static const char *const mean[] = { "combine=mean", "ridge=0.001", "blocks=100" };
    static const char *const median[] = { "combine=median", "ridge=0.001", "blocks=100" };
    dusk_frame *frame = regression_frame(regression_fields, 8000, 0.1, 7);
    for (int pure = 0; pure < 2; pure++) {
        check_truth(mean, frame, 1e6, pure ? 0 : 1e-6, 0.05);
        check_truth(median, frame, 1e3, pure ? 0 : 1e-6, 0.1);
        check_truth(mean, frame, 20, pure ? 0 : 1e-6, 1.5);
    }
    dusk_frame_free(frame);
}

/* Whatever the rows are, weights are within the ball, up to noise: one block tells. */
static void test_ball(void **unused)
{
    (void)unused;
    dusk_frame *frame = regression_frame(regression_fields, 3, 0, 8);
    for (size_t i = 0; i < 3; i++) { /* y = 10 x, x hardly other than 0 */
        frame->column[0].number[i] = 0.5 + 1e-4 * (double)i;
        frame->column[1].number[i] = -0.5;
        frame->column[2].number[i] = 5.5;
        frame->column[3].number[i] = 10 * (double)i - 10;
    }
    regression_request r = { "aggregate_linear",
                             .settings = { "blocks=1", "longest=1", "ridge=1e-6", "intercept=no" },
                             .epsilon = 1e6, .delta = 1e-6 };
    dusk_model *model = regression_train(&r, frame, 9);
    double square = 0;
    for (size_t i = 0; i < 3; i++) square += pow(regression_number(model, "weights", i), 2);
    assert_true(square > 0.9 && square < 1.01);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 40; n += 13)
        for (int k = 0; k < 4; k++) {
            dusk_frame *frame = regression_frame(regression_fields, n, 0.1, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = 0.5;
                if (i % 2) frame->column[3].number[i] = NAN;
            }
            regression_request r = { "aggregate_linear",
                                     .settings = { k & 1 ? "combine=median" : "combine=mean" }, .epsilon = 1,
                                     .delta = k & 2 ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, 5);
            regression_all_finite(model);
            assert_true(regression_number(model, "blocks", 0) == 100);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_truth), cmocka_unit_test(test_ball),
                                        cmocka_unit_test(test_odd_data) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
