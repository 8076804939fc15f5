/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients over samples: every row is in with its chance, anew at each step, alone and in pairs; an empty sample is
 * released with noise as any other; pieces add up to what all rows at once are. */
#include "learn/sampled.h"

#include <math.h>

#include "seeded.h"

enum { ROWS = 1500, STEPS = 300 };

typedef struct bed {
    learn_features features;
    learn_matrix matrix;
    learn_gradient gradient;
    learn_sample sample;
    learn_gradient_work work;
    dusk_generator *gen;
} bed;

/* Rows of class 1 whose x is 1 in the first half and -1 in the second, at weights 0: a row adds -(x, 1) / 2. */
static void make_bed(bed *b, size_t rows, double rate, double epsilon)
{
    dusk_fields *fields;
    dusk_frame *frame;
    learn_job job = { 0 };
    learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    const learn_sampler sampler = { .rate = rate };
    *b = (bed){ .gen = seeded(11) };
    assert_int_equal(dusk_fields_parse(&fields, "x numeric -1:1\ny category a,b\n", NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        frame->column[0].number[i] = i < rows / 2 ? 1 : -1;
        frame->column[1].code[i] = 1;
    }
    assert_int_equal(learn_features_init(&b->features, fields, 1, true, 0, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&b->matrix, &b->features, frame, NULL), DUSK_OK);
    job.features = b->features;
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, epsilon, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(
        learn_plan_gradient(&job, &b->gradient, &loss, 0, 1, job.budget.left, &sampler, STEPS, NULL),
        DUSK_OK);
    assert_int_equal(learn_sample_open(&b->sample, &b->matrix, &sampler, b->gen, NULL), DUSK_OK);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static void end_bed(bed *b)
{
    learn_gradient_close(&b->work);
    learn_sample_close(&b->sample);
    learn_matrix_clear(&b->matrix);
    learn_features_clear(&b->features);
    dusk_generator_free(b->gen);
}

static void rows_are_in_by_their_own_coins(void **state)
{
    const double rate = 0.8; /* so that samples take more than one piece */
    const double weights[2] = { 0, 0 };
    bed b;
    double sum[2] = { 0, 0 }, squares[2] = { 0, 0 };
    (void)state;
    make_bed(&b, ROWS, rate, 1e5);
    assert_int_equal(learn_gradient_open(&b.work, &b.gradient, &b.sample.piece, NULL), DUSK_OK);
    for (uint32_t t = 0; t < STEPS; t++) {
        double g[2];
        assert_int_equal(learn_sample_release(&b.sample, &b.work, &b.gradient, g, weights, t, b.gen, NULL),
                         DUSK_OK);
        const double half[2] = { -(g[1] + g[0]), -(g[1] - g[0]) }; /* how many of each half were in */
        for (int k = 0; k < 2; k++) sum[k] += half[k], squares[k] += half[k] * half[k];
        assert_true(half[0] > 0 && half[0] < ROWS / 2 + 10);
    }
    for (int k = 0; k < 2; k++) { /* 6 deviations of a mean of 300, and of a variance */
        double mean = sum[k] / STEPS, variance = squares[k] / STEPS - mean * mean;
        double expected = ROWS / 2 * rate * (1 - rate);
        assert_true(fabs(mean - ROWS / 2 * rate) < 6 * sqrt(expected / STEPS));
        assert_true(variance > 0.5 * expected && variance < 1.6 * expected);
    }
    end_bed(&b);
}

static void empty_samples_are_released(void **state)
{
    const double weights[2] = { 0, 0 };
    bed b;
    double least = INFINITY;
    (void)state;
    make_bed(&b, 1, 0.000001, 1);
    assert_int_equal(learn_gradient_open(&b.work, &b.gradient, &b.sample.piece, NULL), DUSK_OK);
    for (uint32_t t = 0; t < 20; t++) {
        double g[2];
        assert_int_equal(learn_sample_release(&b.sample, &b.work, &b.gradient, g, weights, t, b.gen, NULL),
                         DUSK_OK);
        least = fmin(least, fabs(g[0]));
    }
    assert_true(least > 0); /* noise every time */
    end_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_by_their_own_coins),
        cmocka_unit_test(empty_samples_are_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
