/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in a ball: none is longer than it, those within keep their place, and where the ball is follows from the rows. */
#include "learn/ball.h"

#include "spectral.h"
#include "tensor/lanes.h"

enum { D = 5, ROWS = 4000 };

/* A cloud about (0.5, ..., 0.5) of half width 0.1, every tenth row far out. */
static dusk_frame *cloud(const char *text, uint64_t seed)
{
    dusk_frame *frame = frame_of(text, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < D; c++) frame->column[c].number[i] = 0.5 + even(&seed) * (i % 10 ? 0.1 : 0.5);
    return frame;
}

static void ball_is_where_the_rows_are(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        dusk_frame *frame = cloud("x[5] numeric -1:1\n", 1);
        learn_job job = job_of(frame, false, 50, pure ? 0 : 1e-6);
        learn_ball_plan plan;
        learn_ball ball;
        learn_matrix matrix;
        dusk_generator *gen = seeded(2);
        assert_int_equal(learn_plan_ball(&job, &plan, 0.3, 0.3, NULL), DUSK_OK);
        assert_int_equal(learn_matrix_make(&matrix, &job.features, frame, NULL), DUSK_OK);
        assert_int_equal(learn_fit_ball(&job, &plan, &ball, &matrix, gen, NULL), DUSK_OK);
        for (size_t c = 0; c < D; c++) {
            assert_true(ball.centre[c] == rint(ball.centre[c]));
            assert_true(fabs(ball.centre[c] / LEARN_ONE - 0.5) < 0.02);
        }
        assert_true(fabs(ball.count / ROWS - 1) < 0.02);
        /* uniform in a cube of side 0.2: half of the rows are within about 0.13, and bins end 19 % apart */
        assert_true(ball.radius / LEARN_ONE > 0.11 && ball.radius / LEARN_ONE < 0.17);
        learn_ball_clear(&ball);
        learn_matrix_clear(&matrix);
        end_job(&job);
        dusk_generator_free(gen);
        dusk_frame_free(frame);
    }
}

static void no_row_is_longer_than_the_ball(void **state)
{
    dusk_frame *frame = cloud("x[5] numeric 0:1\n", 3);
    (void)state;
    for (size_t i = 0; i < 64; i++) frame->column[i % D].number[i] = i % 2 ? INFINITY : -1e300;
    for (int t = 0; t < 60; t++) {
        uint64_t seed = (uint64_t)t;
        double centre[D], before[D];
        learn_job job = job_of(frame, false, 1, 1e-6);
        learn_matrix matrix;
        tensor_block block;
        for (size_t c = 0; c < D; c++) centre[c] = rint(even(&seed) * LEARN_ONE);
        learn_ball ball = { .width = D, .centre = centre, .radius = t == 0 ? 1 : exp2(t / 4.0) };
        assert_int_equal(learn_matrix_make(&matrix, &job.features, frame, NULL), DUSK_OK);
        assert_int_equal(tensor_block_open(&block, &matrix.rows, NULL), DUSK_OK);
        assert_true(tensor_block_next(&block));
        for (size_t c = 0; c < D; c++) before[c] = block.x[c] - centre[c];
        learn_ball_map(&ball, &block);
        for (size_t i = 0; i < block.rows; i++) {
            int64_t square = 0;
            for (size_t c = 0; c < D; c++) {
                assert_true(block.x[i * D + c] == rint(block.x[i * D + c]));
                square += (int64_t)block.x[i * D + c] * (int64_t)block.x[i * D + c];
            }
            assert_true(square <= (int64_t)1 << 36);
        }
        double length = 0, factor;
        for (size_t c = 0; c < D; c++) length += before[c] * before[c];
        factor = LEARN_BALL / fmax(sqrt(length), ball.radius);
        for (size_t c = 0; c < D; c++) assert_true(fabs(block.x[c] - before[c] * factor) < 1.001);
        tensor_block_close(&block);
        learn_matrix_clear(&matrix);
        end_job(&job);
    }
    dusk_frame_free(frame);
}

/* Lanes of all machines give the same, for every width around theirs, and each row by itself. */
static void machines_agree(void **state)
{
    enum { N = 5, MOST = 37 };
    uint64_t seed = 12;
    (void)state;
    for (size_t width = 1; width <= MOST; width++) {
        float x[N * MOST];
        double centre[MOST], out[2][N * MOST], alone[MOST];
        for (size_t i = 0; i < N * width; i++) x[i] = (float)rint(even(&seed) * 0x1p20);
        for (size_t c = 0; c < width; c++) centre[c] = rint(even(&seed) * 0x1p18);
        tensor_lanes_into_ball(0, out[0], x, N, width, centre, 0x1p20, 0x1p20, LEARN_BALL);
        for (int level = 0; level <= tensor_lanes_level(); level++) {
            tensor_lanes_into_ball(level, out[1], x, N, width, centre, 0x1p20, 0x1p20, LEARN_BALL);
            tensor_lanes_into_ball(level, alone, x + 3 * width, 1, width, centre, 0x1p20, 0x1p20, LEARN_BALL);
            for (size_t i = 0; i < N * width; i++) assert_true(out[0][i] == out[1][i]);
            for (size_t c = 0; c < width; c++) assert_true(alone[c] == out[0][3 * width + c]);
        }
    }
}

/* Wider than what the proof covers without a check. */
static void wide_rows_are_in_the_ball(void **state)
{
    enum { WIDE = 3000 };
    static float x[WIDE];
    static double centre[WIDE];
    tensor_rows rows = { x, 1, WIDE };
    learn_ball ball = { .width = WIDE, .centre = centre, .radius = 1 };
    tensor_block block;
    int64_t square = 0;
    uint64_t seed = 3;
    (void)state;
    for (size_t c = 0; c < WIDE; c++) x[c] = (float)rint(even(&seed) * 0x1p20);
    assert_int_equal(tensor_block_open(&block, &rows, NULL), DUSK_OK);
    assert_true(tensor_block_advance(&block));
    learn_ball_map(&ball, &block);
    for (size_t c = 0; c < WIDE; c++) square += (int64_t)block.x[c] * (int64_t)block.x[c];
    assert_true(square <= (int64_t)1 << 36 && square > (int64_t)63 << 30);
    tensor_block_close(&block);
}

/* The count has noise of its own: a row moves sum and count together. */
static void noise_is_for_row_and_count(void **state)
{
    dusk_frame *frame = cloud("x[5] numeric -1:1\n", 1);
    learn_job job = job_of(frame, false, 1, 1e-6);
    learn_ball_plan plan;
    double bound = job.features.bound / LEARN_ONE, sigma = 1 / job.budget.mu;
    (void)state;
    assert_int_equal(learn_plan_ball(&job, &plan, 0.25, 0, NULL), DUSK_OK);
    assert_true(plan.mean.deviation >= 2 * sigma * bound * sqrt(1.25) * (1 - 1e-9));
    assert_int_equal(plan.mean.dimension, D + 1);
    job.rows = 100;
    assert_int_equal(learn_plan_ball(&job, &plan, 0.25, 0, NULL), DUSK_OK);
    assert_true(plan.mean.deviation <= 2 * sigma * bound * 1.001);
    assert_int_equal(plan.mean.dimension, D);
    end_job(&job);
    dusk_frame_free(frame);
}

static void no_rows_are_fine(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        dusk_frame *frame = frame_of("x[5] numeric -1:1\n", 0);
        learn_job job = job_of(frame, false, 0.1, pure ? 0 : 1e-6);
        learn_ball_plan plan;
        learn_ball ball;
        learn_matrix matrix;
        dusk_generator *gen = seeded(5);
        assert_int_equal(learn_plan_ball(&job, &plan, 0.3, 0.3, NULL), DUSK_OK);
        assert_int_equal(learn_matrix_make(&matrix, &job.features, frame, NULL), DUSK_OK);
        for (int t = 0; t < 50; t++) {
            assert_int_equal(learn_fit_ball(&job, &plan, &ball, &matrix, gen, NULL), DUSK_OK);
            assert_true(ball.radius >= 1 && ball.radius <= 2 * job.features.bound + 2 && ball.count >= 1);
            for (size_t c = 0; c < D; c++) assert_true(fabs(ball.centre[c]) <= job.features.bound);
            learn_ball_clear(&ball);
        }
        learn_matrix_clear(&matrix);
        end_job(&job);
        dusk_generator_free(gen);
        dusk_frame_free(frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_is_where_the_rows_are),
        cmocka_unit_test(no_row_is_longer_than_the_ball),
        cmocka_unit_test(machines_agree),
        cmocka_unit_test(wide_rows_are_in_the_ball),
        cmocka_unit_test(noise_is_for_row_and_count),
        cmocka_unit_test(no_rows_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
