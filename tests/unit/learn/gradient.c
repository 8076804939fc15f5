/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients: the sum is that of rows one by one, each a whole multiple of its row (or k of them) and never longer than the clip,
 * exactly, for long rows, wild labels and wild weights; where nothing is clipped it is the gradient; its noise is that of the
 * clip. */
#include "learn/gradient.h"

#include <math.h>
#include <stdio.h>

#include "seeded.h"

enum { ROWS = 60, WIDTH = 5, CLASSES = 3 };

static void make_matrix(learn_matrix *out, learn_features *features, const char *label, bool wild,
                        uint64_t seed)
{
    char text[200];
    dusk_fields *fields;
    dusk_frame *frame;
    snprintf(text, sizeof text, "x[%d] numeric -1:1\n%s\n", WIDTH - 1, label);
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, ROWS, NULL), DUSK_OK);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < WIDTH - 1; c++)
            frame->column[c].number[i] = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
        if (frame->column[WIDTH - 1].code)
            frame->column[WIDTH - 1].code[i] = (int32_t)(splitmix64(&seed) % fields->field[WIDTH - 1].values);
        else
            frame->column[WIDTH - 1].number[i] = (double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1;
    }
    assert_int_equal(learn_features_init(features, fields, WIDTH - 1, true, wild ? 64 : 0, NULL), DUSK_OK);
    for (size_t c = 0; wild && c < WIDTH - 1; c++) learn_features_rescale(features, c, 0, 100);
    assert_int_equal(learn_matrix_make(out, features, frame, NULL), DUSK_OK);
    assert_int_equal(out->rows.width, WIDTH);
    dusk_frame_free(frame);
    dusk_fields_free(fields);
}

static learn_gradient plan(const learn_features *features, const learn_loss *loss, size_t classes,
                           double clip)
{
    learn_job job = { .features = *features };
    learn_gradient gradient;
    assert_int_equal(learn_budget_init(&job.budget, DUSK_ADD_REMOVE, 1, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(
        learn_plan_gradient(&job, &gradient, loss, classes, clip, job.budget.left, NULL, 4, NULL), DUSK_OK);
    double expected = ldexp(gradient.clip, LEARN_GRADIENT_GRID) * 2 / job.budget.mu;
    assert_true(fabs(gradient.noise.deviation / expected - 1) < 1e-3);
    return gradient;
}

/* Row i of the matrix alone. */
static void sum_one(int64_t *out, const learn_gradient *g, const learn_matrix *matrix, size_t i,
                    const double *whole)
{
    learn_matrix one = *matrix;
    learn_gradient_work work;
    one.rows.x = matrix->rows.x + i * WIDTH;
    one.rows.rows = 1;
    one.length = matrix->length + i;
    one.code = matrix->code ? matrix->code + i : NULL;
    one.target = matrix->target ? matrix->target + i : NULL;
    assert_int_equal(learn_gradient_open(&work, g, &one, NULL), DUSK_OK);
    const dusk_int128 *totals = learn_gradient_sum(&work, g, &one, whole);
    for (size_t j = 0; j < g->vectors * WIDTH; j++) out[j] = (int64_t)totals[j];
    learn_gradient_close(&work);
}

/* What one row should add, in plain doubles. */
static void expected_one(double *out, const learn_gradient *g, const learn_matrix *matrix, size_t i,
                         const double *w)
{
    const float *x = matrix->rows.x + i * WIDTH;
    double score[CLASSES], c[CLASSES], length = 0, size = 0;
    for (size_t k = 0; k < g->vectors; k++) {
        score[k] = 0;
        for (size_t j = 0; j < WIDTH; j++) score[k] += (double)x[j] / LEARN_ONE * w[k * WIDTH + j];
    }
    for (size_t j = 0; j < WIDTH; j++) length += (double)x[j] / LEARN_ONE * ((double)x[j] / LEARN_ONE);
    if (g->classes) {
        learn_softmax_slopes(c, score, g->classes, (size_t)matrix->code[i]);
    } else if (g->loss.margin) {
        double y = matrix->code[i] == 1 ? 1 : -1;
        c[0] = y * learn_loss_slope(&g->loss, y * score[0]);
    } else {
        c[0] = learn_loss_slope(&g->loss, score[0] - (double)matrix->target[i] / LEARN_ONE);
    }
    for (size_t k = 0; k < g->vectors; k++) size += c[k] * c[k];
    double factor = fmin(1, ldexp(g->clip, LEARN_GRADIENT_GRID) / (sqrt(size * length) + 1e-300));
    for (size_t k = 0; k < g->vectors; k++)
        for (size_t j = 0; j < WIDTH; j++) out[k * WIDTH + j] = factor * c[k] * (double)x[j] / LEARN_ONE;
}

static void check(const learn_loss *loss, size_t classes, const char *label, double clip, bool wild,
                  double far)
{
    learn_features features;
    learn_matrix matrix;
    learn_gradient_work work;
    double w[CLASSES * WIDTH], whole[CLASSES * WIDTH], row[CLASSES * WIDTH];
    int64_t part[CLASSES * WIDTH], sum[CLASSES * WIDTH] = { 0 };
    uint64_t seed = 9;
    make_matrix(&matrix, &features, label, wild, 5);
    learn_gradient g = plan(&features, loss, classes, clip);
    const size_t cells = g.vectors * WIDTH;
    for (size_t j = 0; j < cells; j++) w[j] = far * ((double)(splitmix64(&seed) >> 11) * 0x1p-52 - 1);
    learn_gradient_round(whole, w, g.vectors, WIDTH);
    for (size_t i = 0; i < ROWS; i++) {
        dusk_int128 square = 0;
        sum_one(part, &g, &matrix, i, whole);
        expected_one(row, &g, &matrix, i, w);
        for (size_t j = 0; j < cells; j++) {
            square += (dusk_int128)part[j] * part[j];
            sum[j] += part[j];
            if (far < 10) assert_true(fabs(ldexp((double)part[j], LEARN_GRADIENT_GRID) - row[j]) < 0.005);
        }
        assert_true(square <= (dusk_int128)g.clip * (dusk_int128)g.clip);
    }
    assert_int_equal(learn_gradient_open(&work, &g, &matrix, NULL), DUSK_OK);
    const dusk_int128 *totals = learn_gradient_sum(&work, &g, &matrix, whole);
    for (size_t j = 0; j < cells; j++) assert_true(totals[j] == sum[j]);
    learn_gradient_close(&work);
    learn_matrix_clear(&matrix);
    learn_features_clear(&features);
}

static void sums_are_of_clipped_rows(void **state)
{
    const double clips[] = { 64, 1, 0.01, 1e-9 }, fars[] = { 0, 1, 1e4, INFINITY };
    (void)state;
    for (int wild = 0; wild < 2; wild++)
        for (int c = 0; c < 4; c++)
            for (int f = 0; f < 4; f++) {
                for (int k = 0; k <= LEARN_LOG_COSH; k++) {
                    learn_loss loss = learn_loss_of((learn_loss_kind)k, 0.5);
                    check(&loss, 0, loss.margin ? "y category no,yes" : "y numeric -1:1", clips[c], wild,
                          wild && fars[f] == 1 ? 0.01 : fars[f]);
                }
                learn_loss none = learn_loss_of(LEARN_LOGISTIC, 1);
                check(&none, CLASSES, "y category a,b,c", clips[c], wild, fars[f]);
            }
}

static void weights_are_rounded_into_a_ball(void **state)
{
    const double wild[] = { 1e300, -1e300, NAN, 3, INFINITY, 1e-9 };
    double whole[6], square = 0;
    (void)state;
    learn_gradient_round(whole, wild, 1, 6);
    for (int j = 0; j < 6; j++) {
        assert_true(whole[j] == floor(whole[j]));
        square += whole[j] * whole[j];
    }
    assert_true(square <= 0x1p64);
    learn_gradient_round(whole, (const double[]){ 0.5, -0.25 }, 2, 1);
    assert_true(whole[0] == 0x1p19 && whole[1] == -0x1p18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_of_clipped_rows),
        cmocka_unit_test(weights_are_rounded_into_a_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
