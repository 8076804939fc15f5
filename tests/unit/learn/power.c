/* SPDX-License-Identifier: Apache-2.0 */
/* The noisy power method: with hardly any noise the components of the exact matrix; noise for the longest row, in every number. */
#include "learn/power.h"

#include "spectral.h"

enum { D = 8, ROWS = 2000, K = 3 };

static dusk_frame *frame_with_axes(uint64_t seed)
{
    dusk_frame *frame = frame_of("x[8] numeric -1:1\n", ROWS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < D; c++) frame->column[c].number[i] = even(&seed) / (double)(1 + 2 * c);
    return frame;
}

static void finds_the_axes(void **state)
{
    dusk_frame *frame = frame_with_axes(1);
    learn_job job = job_of(frame, false, 1e6, 1e-6);
    learn_power power;
    learn_matrix matrix;
    double zero[D] = { 0 }, components[K * D], values[K], total, squares[D] = { 0 }, all = 0;
    learn_ball ball = { .width = D, .centre = zero, .radius = job.features.bound, .count = ROWS };
    dusk_generator *gen = seeded(4);
    (void)state;
    assert_int_equal(learn_plan_power(&job, &power, K, 12, 1, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&matrix, &job.features, frame, NULL), DUSK_OK);
    assert_int_equal(learn_fit_power(&job, &power, &ball, components, values, &total, &matrix, gen, NULL),
                     DUSK_OK);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < D; c++) {
            double x = (double)matrix.rows.x[i * D + c] / ball.radius;
            squares[c] += x * x / ROWS;
            all += x * x / ROWS;
        }
    assert_true(fabs(total / all - 1) < 1e-3);
    for (size_t k = 0; k < K; k++) {
        assert_true(fabs(components[k * D + k]) > 0.99);
        assert_true(fabs(values[k] / squares[k] - 1) < 0.05);
    }
    learn_matrix_clear(&matrix);
    end_job(&job);
    dusk_generator_free(gen);
    dusk_frame_free(frame);
}

static void noise_is_for_the_longest_row(void **state)
{
    dusk_frame *frame = frame_with_axes(1);
    learn_job job = job_of(frame, false, 1, 1e-6);
    learn_power power;
    dusk_statement statement;
    double sigma = 1 / job.budget.mu;
    (void)state;
    assert_int_equal(learn_plan_power(&job, &power, K, 4, 1, NULL), DUSK_OK);
    assert_true(power.noise.deviation >= 2 * sigma / sqrt(0.99) * (1 - 1e-9));
    assert_true(power.noise.deviation <= 2 * sigma / sqrt(0.99) * (1 + 1e-3));
    assert_true(power.total.deviation >= sigma * 10 * (1 - 1e-9));
    assert_int_equal(learn_budget_state(&job.budget, &statement, "row", NULL), DUSK_OK);
    end_job(&job);
    dusk_frame_free(frame);
}

/* Over seeds every number of the result varies, also where rows say nothing. */
static void nothing_is_without_noise(void **state)
{
    dusk_frame *frame = frame_of("x[8] numeric 5:6\n", 40);
    (void)state;
    for (size_t i = 0; i < 40; i++)
        for (size_t c = 0; c < D; c++) frame->column[c].number[i] = 5;
    dusk_model *a = trained("pca", frame, 1, 1e-6, "method=power iterations=1 components=2", 1);
    dusk_model *b = trained("pca", frame, 1, 1e-6, "method=power iterations=1 components=2", 2);
    const double *x = array_of(a, "components", 2, D), *y = array_of(b, "components", 2, D);
    for (size_t i = 0; i < 2 * D; i++) assert_true(x[i] != y[i]);
    dusk_model_free(a);
    dusk_model_free(b);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_axes),
        cmocka_unit_test(noise_is_for_the_longest_row),
        cmocka_unit_test(nothing_is_without_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
