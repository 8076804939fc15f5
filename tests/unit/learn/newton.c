/* SPDX-License-Identifier: Apache-2.0 */
/* Second derivatives: where epsilon is huge they are those of plain doubles, a long row counts no more than the clip; the noise is
 * that of the clip; a step is that of Newton where the matrix stands out of the noise, and bounded whatever the noise has made of
 * it; what is not offered is refused. */
#include "learn/newton.h"

#include <math.h>
#include <string.h>

#include "seeded.h"

enum { WIDTH = 4, ROWS = 80 };

typedef struct bed {
    learn_features features;
    learn_matrix matrix;
    learn_gradient gradient;
    learn_curvature curvature;
    learn_gradient_work work;
    dusk_generator *gen;
} bed;

static void make_bed(bed *b, size_t rows, bool wild, bool residual, double epsilon)
{
    dusk_fields *fields;
    dusk_frame *frame;
    learn_job job = { 0 };
    uint64_t seed = 4;
    learn_loss loss = learn_loss_of(residual ? LEARN_LOG_COSH : LEARN_LOGISTIC, 0.5);
    *b = (bed){ .gen = seeded(8) };
    assert_int_equal(dusk_fields_parse(&fields,
                                       residual ? "x[3] numeric -1:1\ny numeric -1:1\n"
                                                : "x[3] numeric -1:1\ny category a,b\n",
                                       NULL),
                     DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < 3; c++)
            frame->column[c].number[i] = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        if (residual)
            frame->column[3].number[i] = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        else
            frame->column[3].code[i] = (int32_t)(i % 2);
    }
    assert_int_equal(learn_features_init(&b->features, fields, 3, true, wild ? 64 : 0, NULL), DUSK_OK);
    for (size_t c = 0; wild && c < 3; c++) learn_features_rescale(&b->features, c, 0, 60);
    assert_int_equal(learn_matrix_make(&b->matrix, &b->features, frame, NULL), DUSK_OK);
    job.features = b->features;
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, epsilon, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(learn_plan_curvature(&job, &b->curvature, &loss, 2, 0.5, 1, NULL), DUSK_OK);
    double expected = loss.smoothness * 4 / (job.budget.mu * sqrt(0.5));
    assert_true(fabs(b->curvature.noise.deviation / expected - 1) < 1e-2);
    assert_int_equal(learn_plan_gradient(&job, &b->gradient, &loss, 0, 1, 0.5, NULL, 1, NULL), DUSK_OK);
    assert_int_equal(learn_gradient_open(&b->work, &b->gradient, &b->matrix, NULL), DUSK_OK);
    dusk_buffer_clear(&job.said);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static void end_bed(bed *b)
{
    learn_gradient_close(&b->work);
    learn_matrix_clear(&b->matrix);
    learn_features_clear(&b->features);
    dusk_generator_free(b->gen);
}

static void huge_epsilon_is_plain(void **state)
{
    const double w[WIDTH] = { 0.7, -1, 0.2, 0.3 };
    (void)state;
    for (int residual = 0; residual < 2; residual++) {
        bed b;
        double out[WIDTH * WIDTH], plain[WIDTH * WIDTH] = { 0 };
        make_bed(&b, ROWS, false, residual, 1e7);
        assert_int_equal(
            learn_curvature_release(&b.curvature, out, &b.gradient, &b.work, &b.matrix, w, b.gen, NULL),
            DUSK_OK);
        for (size_t i = 0; i < ROWS; i++) {
            double x[WIDTH], at = 0;
            for (size_t j = 0; j < WIDTH; j++) {
                x[j] = (double)b.matrix.rows.x[i * WIDTH + j] / LEARN_ONE;
                at += x[j] * w[j];
            }
            at = residual ? at - (double)b.matrix.target[i] / LEARN_ONE : b.matrix.code[i] ? at : -at;
            double h = learn_loss_curvature(&b.gradient.loss, at);
            for (size_t j = 0; j < WIDTH * WIDTH; j++) plain[j] += h * x[j / WIDTH] * x[j % WIDTH];
        }
        for (size_t j = 0; j < WIDTH * WIDTH; j++) {
            assert_true(fabs(out[j] - plain[j]) < 0.15);
            assert_true(out[j] == out[j % WIDTH * WIDTH + j / WIDTH]);
        }
        end_bed(&b);
    }
}

static void long_rows_count_no_more(void **state)
{
    const double w[WIDTH] = { 0, 0, 0, 0 };
    double out[WIDTH * WIDTH], square = 0;
    bed b;
    (void)state;
    make_bed(&b, 1, true, false, 1e7);
    assert_int_equal(
        learn_curvature_release(&b.curvature, out, &b.gradient, &b.work, &b.matrix, w, b.gen, NULL), DUSK_OK);
    for (size_t j = 0; j < WIDTH * WIDTH; j++) square += out[j] * out[j];
    double clip = 0.25 * 4; /* smoothness times the square of the usual length */
    assert_true(sqrt(square) < clip * 1.1 && sqrt(square) > 0.3 * clip);
    end_bed(&b);
}

static void steps_are_bounded(void **state)
{
    double exact[4] = { 4e6, 1e6, 1e6, 3e6 }, wild[4] = { 1e-9, 5, 5, -1e-9 };
    double g[2] = { 1e6, 2e6 }, h[2] = { 3, 4 };
    learn_curvature c = { .width = 2, .noise = { .deviation = 10 } };
    (void)state;
    assert_int_equal(learn_newton_step(&c, g, exact, 0, NULL), DUSK_OK);
    assert_true(fabs(g[0] - 1 / 11.0) < 1e-9 && fabs(g[1] - 7 / 11.0) < 1e-9);
    assert_int_equal(learn_newton_step(&c, h, wild, 1, NULL), DUSK_OK);
    assert_true(hypot(h[0], h[1]) <= 5.0 / 21 * (1 + 1e-9)); /* 10 sqrt(2 * 2) + 1 */
}

static void others_are_refused(void **state)
{
    const char *const settings[][2] = { { "method=newton", "l1=1" }, { "method=newton", "group=1" } };
    dusk_fields *fields;
    dusk_training *training;
    dusk_train_options o;
    (void)state;
    assert_int_equal(dusk_fields_parse(&fields, "x numeric 0:1\ny category a,b\n", NULL), DUSK_OK);
    dusk_train_options_init(&o);
    o.label = "y";
    o.epsilon = 1;
    o.neighbours = DUSK_ADD_REMOVE;
    for (int k = 0; k < 4; k++) {
        o.delta = k == 2 ? 0 : 1e-6;
        o.settings = settings[k % 2];
        o.settings_count = k < 2 ? 2 : 1;
        assert_int_equal(
            dusk_training_prepare(&training, k == 3 ? "multinomial" : "logistic", fields, &o, NULL),
            DUSK_ERR_ARGUMENT);
    }
    dusk_fields_free(fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_epsilon_is_plain),
        cmocka_unit_test(long_rows_count_no_more),
        cmocka_unit_test(steps_are_bounded),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
