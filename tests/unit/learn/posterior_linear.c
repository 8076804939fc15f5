/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "regressions.h"

#include "learn/learner.h"
#include "numeric/special.h"

static const char one[] = "x numeric -1:1\ny numeric -1:1\n";

static dusk_frame *plain(size_t rows, double x, double y)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, one, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        frame->column[0].number[i] = x;
        frame->column[1].number[i] = y;
    }
    dusk_fields_free(fields);
    return frame;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One weight in [-1, 1]: n rows (1, 1) of temper g have the density exp(-g n (1 - w)^2 / 2 - w^2 / 2 (prior 1)), a normal law cut
 * off; Kolmogorov's distance of m draws is above 2.8 / sqrt(m) with probability 1e-6 or less. The temper is what the
 * promise says: epsilon over the range of (1 - w)^2 / 2, which is 2. */
static void check_law(size_t rows, double epsilon, uint64_t seed)
{
    enum { DRAWS = 600 };
    double draw[DRAWS], far = 0, temper = epsilon / 2;
    regression_request r = { "posterior_linear", .settings = { "intercept=no", "prior=1" },
                             .epsilon = epsilon, .idealised = true };
    dusk_frame *frame = plain(rows, 1, 1);
    for (size_t t = 0; t < DRAWS; t++) {
        dusk_model *model = regression_train(&r, frame, seed + t);
        draw[t] = regression_number(model, "weights", 0);
        assert_true(fabs(draw[t]) <= 1);
        if (fabs(regression_number(model, "temper", 0) / temper - 1) > 1e-3)
            fail_msg("temper %g, not %g", regression_number(model, "temper", 0), temper);
        dusk_model_free(model);
    }
    double precision = temper * (double)rows + 1, mean = temper * (double)rows / precision,
           s = sqrt(precision);
    double low = dusk_normal_cdf((-1 - mean) * s), high = dusk_normal_cdf((1 - mean) * s);
    qsort(draw, DRAWS, sizeof *draw, compare);
    for (size_t t = 0; t < DRAWS; t++) {
        double p = (dusk_normal_cdf((draw[t] - mean) * s) - low) / (high - low);
        far = fmax(far, fmax(fabs(p - (double)t / DRAWS), fabs(p - (double)(t + 1) / DRAWS)));
    }
    assert_true(far < 2.8 / sqrt(DRAWS));
    dusk_frame_free(frame);
}

static void test_law(void **unused)
{
    (void)unused;
    check_law(0, 1, 1);
    check_law(3, 1, 1000);
    check_law(50, 2, 2000);
}

/* With a large epsilon both methods find the line. */
static void test_truth(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "method=ops", "method=adaptive" };
    const double truth[] = { 2, -3, 1 };
    dusk_frame *frame = regression_frame(regression_fields, 4000, 0.1, 7);
    for (size_t k = 0; k < 2; k++)
        for (int pure = 0; pure < 2; pure++) {
            regression_request r = { "posterior_linear", .settings = { methods[k] }, .epsilon = 1e4,
                                     .delta = pure ? 0 : 1e-6, .idealised = true };
            dusk_model *model = regression_train(&r, frame, 8);
            for (size_t i = 0; i < 3; i++)
                assert_true(fabs(regression_number(model, "coefficients", i) - truth[i]) < 0.2);
            assert_int_equal(dusk_model_statement(model)->numerics, DUSK_NUMERICS_IDEALISED);
            dusk_model_free(model);
        }
    dusk_frame_free(frame);
}

/* Small balls far from where the data pull, no rows, constant columns: finite, and within the ball. */
static void test_odd_data(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "method=ops", "method=adaptive" };
    for (size_t n = 0; n < 3000; n = 3 * n + 7)
        for (size_t k = 0; k < 4; k++) {
            dusk_frame *frame = regression_frame(regression_fields, n, 0.1, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = 0.5;
                if (i % 2) frame->column[3].number[i] = NAN;
            }
            regression_request r = { "posterior_linear", .settings = { methods[k % 2], "radius=0.001" },
                                     .delta = 1e-6, .epsilon = k < 2 ? 0.5 : 1000, .idealised = true };
            dusk_model *model = regression_train(&r, frame, 9 + n);
            double square = 0;
            regression_all_finite(model);
            for (size_t i = 0; i < 4; i++) square += pow(regression_number(model, "weights", i), 2);
            if (k % 2 == 0) assert_true(sqrt(square) <= 0.001 * (1 + 1e-9));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

static void test_refusals(void **unused)
{
    (void)unused;
    regression_request r = { "posterior_linear", .epsilon = 1 };
    regression_expect_refusal(&r, regression_fields, "ideal arithmetic");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_law), cmocka_unit_test(test_truth),
                                        cmocka_unit_test(test_odd_data), cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
