/* SPDX-License-Identifier: Apache-2.0 */
/* Wishart noise: as many degrees of freedom as two chi-squared tails ask for, and few more; its mean is taken off; components are found. */
#include "learn/wishart.h"

#include "numeric/special.h"
#include "spectral.h"

/* The true delta of u against u + r by integration over u, both ways. */
static double true_delta(double epsilon, double k, double r)
{
    double one = 0, other = 0, step = (k + 12 * sqrt(2 * k) + 40) / 200000;
    for (double x = step / 2; x < k + 12 * sqrt(2 * k) + 40; x += step) {
        double log_constant = -k / 2 * log(2) - lgamma(k / 2);
        double f = exp(log_constant + (k / 2 - 1) * log(x) - x / 2);
        double g = x > r ? exp(log_constant + (k / 2 - 1) * log(x - r) - (x - r) / 2) : 0;
        one += fmax(f - exp(epsilon) * g, 0) * step;
        other += fmax(g - exp(epsilon) * f, 0) * step;
    }
    return fmax(one, other);
}

static void degrees_are_enough(void **state)
{
    const double epsilons[] = { 0.1, 0.4, 1, 4 }, deltas[] = { 1e-3, 1e-6 };
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        double epsilon = epsilons[i / 2], delta = deltas[i % 2];
        learn_wishart w = { .width = i % 2 ? 5 : 40 };
        assert_true(learn_wishart_find(epsilon, delta, &w));
        double k = (double)(w.rows - w.width) + 1, r = 1 / w.scale;
        assert_true(true_delta(epsilon, k, r) <= delta * (1 + 1e-3));
        assert_true(true_delta(epsilon, k, r * 1.02) > delta); /* and hardly more than that */
    }
}

static void noise_has_its_mean_taken_off(void **state)
{
    enum { D = 3, DRAWS = 400 };
    learn_wishart w = { .width = D, .rows = 150, .scale = 2 };
    dusk_generator *gen = seeded(3);
    double sum[D * D] = { 0 }, square[D * D] = { 0 };
    (void)state;
    for (int n = 0; n < DRAWS; n++) {
        double matrix[D * D] = { 0 };
        assert_int_equal(learn_fit_wishart(&w, matrix, gen, NULL), DUSK_OK);
        for (size_t c = 0; c < D * D; c++) {
            sum[c] += matrix[c];
            square[c] += matrix[c] * matrix[c];
        }
        assert_true(matrix[1] == matrix[D]);
    }
    for (size_t c = 0; c < D * D; c++) { /* variance n off the diagonal, 2 n on it */
        double deviation = 2 * sqrt(150.0 * (c % (D + 1) ? 1 : 2));
        assert_true(fabs(sum[c] / DRAWS) < 5.2 * deviation / sqrt(DRAWS));
        assert_true(fabs(sqrt(square[c] / DRAWS) / deviation - 1) < 0.25);
    }
    dusk_generator_free(gen);
}

static void finds_the_axes(void **state)
{
    dusk_frame *frame = frame_of("x[4] numeric -1:1\n", 5000);
    uint64_t seed = 4;
    (void)state;
    for (size_t i = 0; i < 5000; i++)
        for (size_t c = 0; c < 4; c++) frame->column[c].number[i] = even(&seed) / (1 + 2 * (double)c);
    dusk_model *model = trained("pca_sampling", frame, 2, 1e-6, "method=wishart", 3);
    const double *parts = array_of(model, "components", 2, 4);
    assert_true(fabs(parts[0]) > 0.97 && fabs(parts[5]) > 0.9);
    array_of(model, "explained", 1, 2);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

/* What is planned for (1, 1e-6) without other releases is learn_wishart_find for it. */
static void plans_what_the_promise_needs(void **state)
{
    dusk_frame *frame = frame_of("x[4] numeric -1:1\n", 0),
               *two = frame_of("x[4] numeric -1:1\nrows_per_unit 2\n", 0);
    learn_job job = job_of(frame, false, 1, 1e-6);
    learn_wishart w, least = { .width = 4 }, most = { .width = 4 };
    dusk_model *model;
    dusk_error err;
    (void)state;
    assert_int_equal(learn_plan_wishart(&job, &w, NULL), DUSK_OK);
    assert_true(learn_wishart_find(1, 5e-7, &least) && learn_wishart_find(0.99, 5e-7, &most));
    assert_true(w.rows == least.rows && w.scale >= least.scale && w.scale <= most.scale);
    assert_true(learn_wishart_find(1e6, 1e-9, &least));
    assert_int_equal(try_training(&model, "pca_sampling", frame, 1, 0, "method=wishart", 1, &err),
                     DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "delta"));
    assert_int_equal(try_training(&model, "pca_sampling", two, 1, 1e-6, "method=wishart", 1, &err),
                     DUSK_ERR_ARGUMENT);
    end_job(&job);
    dusk_frame_free(frame);
    dusk_frame_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_are_enough),
        cmocka_unit_test(noise_has_its_mean_taken_off),
        cmocka_unit_test(finds_the_axes),
        cmocka_unit_test(plans_what_the_promise_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
