/* SPDX-License-Identifier: Apache-2.0 */
/* Second moments: the sums are those of integers, the noise is that of the longest row that can be, on every number. */
#include "learn/moments.h"

#include "spectral.h"

enum { D = 3, ROWS = 500 };

static dusk_frame *make_frame(const char *bounds, double low, double high, uint64_t seed)
{
    char text[128];
    snprintf(text, sizeof text, "x[%d] numeric %s\n", D, bounds);
    dusk_frame *frame = frame_of(text, ROWS);
    for (size_t c = 0; c < D; c++)
        for (size_t i = 0; i < ROWS; i++)
            frame->column[c].number[i] = low + (high - low) * (even(&seed) + 1) / 2;
    return frame;
}

static void sums_are_those_of_integers(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        dusk_frame *frame = make_frame("5:6", 4.9, 6.1, 1);
        learn_job job = job_of(frame, true, 1e6, pure ? 0 : 1e-9);
        learn_moments moments;
        learn_matrix matrix;
        double out[(D + 1) * (D + 1)];
        dusk_generator *gen = seeded(3);
        assert_int_equal(learn_plan_moments(&job, &moments, 1, NULL), DUSK_OK);
        assert_int_equal(learn_matrix_make(&matrix, &job.features, frame, NULL), DUSK_OK);
        assert_int_equal(learn_fit_moments(&moments, out, &matrix, gen, NULL), DUSK_OK);
        for (size_t a = 0; a <= D; a++)
            for (size_t b = 0; b <= D; b++) {
                double sum = 0;
                for (size_t i = 0; i < ROWS; i++)
                    sum += (double)matrix.rows.x[i * (D + 1) + a] * (double)matrix.rows.x[i * (D + 1) + b];
                assert_true(fabs(out[a * (D + 1) + b] - sum / LEARN_ONE / LEARN_ONE) < 0.1);
                assert_true(out[a * (D + 1) + b] == out[b * (D + 1) + a]);
            }
        learn_matrix_clear(&matrix);
        end_job(&job);
        dusk_generator_free(gen);
        dusk_frame_free(frame);
    }
}

/* D numbers of [-1, 1] and the constant: the square of the longest row is D + 1, less what the grid rounds. */
static void noise_is_for_the_longest_row(void **state)
{
    dusk_frame *frame = make_frame("-1:1", -1, 1, 1);
    (void)state;
    learn_job job = job_of(frame, true, 1, 1e-6);
    learn_moments moments;
    double sigma = 1 / job.budget.mu;
    assert_int_equal(learn_plan_moments(&job, &moments, 0.5, NULL), DUSK_OK);
    assert_true(moments.noise.deviation >= (D + 1) * sigma * sqrt(2) * (1 - 1e-4));
    assert_true(moments.noise.deviation <= (D + 1) * sigma * sqrt(2) * (1 + 1e-3));
    assert_int_equal(learn_plan_ball_moments(&job, &moments, 0.25, 0.5, NULL), DUSK_OK);
    assert_int_equal(moments.width, D + 2);
    assert_true(moments.noise.deviation >= 1.0625 * sigma * sqrt(2) * (1 - 1e-9));
    assert_true(moments.noise.deviation <= 1.0625 * sigma * sqrt(2) * (1 + 1e-3));
    end_job(&job);
    dusk_frame_free(frame);
}

/* Over seeds each number varies as is said: on the diagonal by the deviation, off it by 1/sqrt(2) of it. Deviations of 600 draws are within
 * 15 % of the truth but for 1e-6 (5.2 standard errors of 2.9 %). */
static void every_number_varies(void **state)
{
    static const struct {
        const char *text;
        double low, high;
    } bounds[] = { { "0:1", 0, 1 }, { "-1:0", -1, 0 }, { "5:6", 5, 6 } };
    enum { SEEDS = 600, CELLS = D * D };
    (void)state;
    for (size_t t = 0; t < 3; t++) {
        dusk_frame *frame = make_frame(bounds[t].text, bounds[t].low, bounds[t].high, 7);
        learn_job job = job_of(frame, false, 0.5, 1e-6);
        learn_moments moments;
        learn_matrix matrix;
        double sum[CELLS] = { 0 }, square[CELLS] = { 0 }, out[CELLS];
        assert_int_equal(learn_plan_moments(&job, &moments, 1, NULL), DUSK_OK);
        assert_int_equal(learn_matrix_make(&matrix, &job.features, frame, NULL), DUSK_OK);
        dusk_generator *gen = seeded(11 + t);
        for (int s = 0; s < SEEDS; s++) {
            assert_int_equal(learn_fit_moments(&moments, out, &matrix, gen, NULL), DUSK_OK);
            for (size_t c = 0; c < CELLS; c++) {
                sum[c] += out[c];
                square[c] += out[c] * out[c];
            }
        }
        for (size_t c = 0; c < CELLS; c++) {
            double deviation = sqrt((square[c] - sum[c] * sum[c] / SEEDS) / (SEEDS - 1));
            double expected = moments.noise.deviation * (c % (D + 1) ? sqrt(0.5) : 1);
            assert_true(fabs(deviation / expected - 1) < 0.15);
        }
        dusk_generator_free(gen);
        learn_matrix_clear(&matrix);
        end_job(&job);
        dusk_frame_free(frame);
    }
}

static void too_many_columns_are_refused(void **state)
{
    dusk_frame *frame = frame_of("x[9000] numeric 0:1\n", 0);
    learn_job job = { .fields = frame->fields, .label = DUSK_NO_LINK };
    learn_moments moments;
    dusk_error err;
    (void)state;
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, 1, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(learn_features_init(&job.features, frame->fields, DUSK_NO_LINK, false, 8, NULL),
                     DUSK_OK);
    assert_int_equal(learn_plan_moments(&job, &moments, 1, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "9000 columns"));
    end_job(&job);
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_integers),
        cmocka_unit_test(noise_is_for_the_longest_row),
        cmocka_unit_test(every_number_varies),
        cmocka_unit_test(too_many_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
