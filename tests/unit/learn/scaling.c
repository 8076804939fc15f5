/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling that is paid for: numbers get mean 0 and deviation 1 where the budget allows to see them, a column that never
 * changes is not blown up, rows keep their bound; the noise is that of all sums together; categories are left alone. */
#include "learn/scaling.h"

#include <math.h>

#include "seeded.h"

static const dusk_setting settings[] = {
    LEARN_FEATURE_SETTINGS_BY("standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};
static const learn_learner learner = { .shown = { .name = "none", .settings = settings } };

enum { ROWS = 2000 };

static learn_job job_of(dusk_fields *fields, double epsilon, double delta)
{
    learn_job job = { .learner = &learner, .fields = fields, .label = DUSK_NO_LINK };
    job.setting[1] = 1; /* standard */
    job.setting[2] = 0.05;
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, epsilon, delta, 1, NULL), DUSK_OK);
    return job;
}

static void forget(learn_job *job)
{
    learn_features_clear(&job->features);
    dusk_buffer_clear(&job->said);
}

static dusk_fields *parse(const char *text)
{
    dusk_fields *fields;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    return fields;
}

static void numbers_are_standard(void **state)
{
    dusk_fields *fields = parse("a numeric 0:100\nb numeric 5:6\nsame numeric -1:0\nc category x,y\n");
    dusk_generator *gen = seeded(3);
    dusk_frame *frame;
    learn_matrix matrix;
    (void)state;
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        frame->column[0].number[i] = i % 2 ? 20 : 30;
        frame->column[1].number[i] = i % 4 ? 5.25 : NAN; /* missing: the middle, 5.5 */
        frame->column[3].code[i] = (int32_t)(i % 2);
    }
    learn_job job = job_of(fields, 1e5, 1e-6);
    assert_int_equal(learn_plan_features(&job, true, NULL), DUSK_OK);
    assert_true(job.scaling_is_paid && job.scaling.dimension == 7);
    double norm = job.features.norm;
    assert_true(fabs(norm - 2 * sqrt(5)) < 1e-12);
    assert_int_equal(learn_fit_features(&job, &matrix, frame, gen, NULL), DUSK_OK);
    assert_true(job.features.norm == norm && job.features.bound == floor(norm * LEARN_ONE));
    for (size_t i = 0; i < ROWS; i++) {
        const float *x = matrix.rows.x + i * matrix.rows.width;
        assert_true(fabs((double)x[0] / LEARN_ONE - (i % 2 ? -1 : 1)) < 0.01);
        assert_true(fabs((double)x[1] / LEARN_ONE - (i % 4 ? -0.577 : 1.732)) < 0.01);
        assert_true(fabs((double)x[2]) / LEARN_ONE < 0.1); /* its deviation is not believed to be 0 */
        assert_true((double)x[3 + i % 2] == LEARN_ONE && (double)x[5] == LEARN_ONE);
    }
    learn_matrix_clear(&matrix);
    forget(&job);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
    dusk_generator_free(gen);
}

static void noise_is_for_all_sums(void **state)
{
    dusk_fields *fields = parse("a[4] numeric 0:1\n");
    (void)state;
    learn_job job = job_of(fields, 1, 1e-6);
    assert_int_equal(learn_plan_features(&job, true, NULL), DUSK_OK);
    double expected = sqrt(5) / (job.budget.mu * sqrt(0.05)); /* four numbers, and the count */
    assert_true(fabs(job.scaling.deviation / expected - 1) < 1e-3);
    assert_true(fabs(job.budget.left - 0.95) < 1e-9);
    forget(&job);
    dusk_fields_free(fields);
}

static void no_row_adds_more_than_one(void **state)
{
    const char *odd[] = { "a numeric 1:1.0000000000000002\n", "a numeric -1e308:1e308\n", "a numeric 5:6\n" };
    (void)state;
    for (int k = 0; k < 3; k++) {
        dusk_fields *fields = parse(odd[k]);
        dusk_frame *frame;
        const double values[] = { fields->field[0].lower, fields->field[0].upper, NAN, INFINITY, 0 };
        learn_features features;
        assert_int_equal(dusk_frame_new(&frame, fields, 1, NULL), DUSK_OK);
        assert_int_equal(learn_features_init(&features, fields, DUSK_NO_LINK, false, 4, NULL), DUSK_OK);
        for (int v = 0; v < 5; v++) {
            int64_t sum, squares;
            frame->column[0].number[0] = values[v];
            learn_number_sums(&features.feature[0], frame, &sum, &squares);
            assert_true(sum * sum + squares * squares <= (int64_t)1 << 30);
        }
        learn_features_clear(&features);
        dusk_frame_free(frame);
        dusk_fields_free(fields);
    }
}

/* All values that a number in steps can have. */
static void squares_are_free(void **state)
{
    dusk_fields *fields = parse("a numeric -32768:32768\n");
    dusk_frame *frame;
    learn_features features;
    (void)state;
    assert_int_equal(dusk_frame_new(&frame, fields, 1, NULL), DUSK_OK);
    assert_int_equal(learn_features_init(&features, fields, DUSK_NO_LINK, false, 4, NULL), DUSK_OK);
    for (int64_t x = -32768; x <= 32768; x++) {
        int64_t sum, squares;
        frame->column[0].number[0] = (double)x;
        learn_number_sums(&features.feature[0], frame, &sum, &squares);
        assert_int_equal(sum, x);
        assert_true(fabs((double)(squares + 32768) - (double)(x * x) / LEARN_ONE) < 1);
        assert_true(sum * sum + squares * squares <= (int64_t)1 << 30);
    }
    learn_features_clear(&features);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static void without_numbers_nothing_is_paid(void **state)
{
    dusk_fields *fields = parse("c category x,y\n");
    (void)state;
    learn_job job = job_of(fields, 1, 1e-6);
    assert_int_equal(learn_plan_features(&job, true, NULL), DUSK_OK);
    assert_true(!job.scaling_is_paid && job.budget.left == 1);
    forget(&job);
    dusk_fields_free(fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_standard),
        cmocka_unit_test(noise_is_for_all_sums),
        cmocka_unit_test(no_row_adds_more_than_one),
        cmocka_unit_test(squares_are_free),
        cmocka_unit_test(without_numbers_nothing_is_paid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
