/* SPDX-License-Identifier: Apache-2.0 */
/* Covariances: with much budget those of the rows; never with a negative eigenvalue; the density is the normal one. */
#include "spectral.h"

enum { D = 4, ROWS = 2000 };

static dusk_frame *make_frame(double low, uint64_t seed)
{
    char text[64];
    snprintf(text, sizeof text, "x[3] numeric %g:%g\nsame numeric 0:2\n", low, low + 1);
    dusk_frame *frame = frame_of(text, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        double u = even(&seed), v = even(&seed);
        frame->column[0].number[i] = low + 0.5 + 0.4 * u;
        frame->column[1].number[i] = low + 0.5 - 0.3 * u + 0.1 * v;
        frame->column[2].number[i] = low + 0.6 + 0.3 * v;
        frame->column[3].number[i] = 1.5;
    }
    return frame;
}

/* What the rows are once encoded: [-1, 1] by bounds. */
static void plain(double *mean, double *covariance, const dusk_frame *frame)
{
    double x[D];
    memset(mean, 0, D * sizeof *mean);
    memset(covariance, 0, (size_t)(D * D) * sizeof *covariance);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < frame->rows; i++) {
            for (size_t c = 0; c < D; c++) {
                const dusk_field *f = &frame->fields->field[c];
                x[c] = (frame->column[c].number[i] - f->lower) / (f->upper - f->lower) * 2 - 1;
                if (pass == 0) mean[c] += x[c] / (double)frame->rows;
            }
            for (size_t c = 0; pass == 1 && c < D * D; c++)
                covariance[c] += (x[c / D] - mean[c / D]) * (x[c % D] - mean[c % D]) / (double)frame->rows;
        }
}

static void are_those_of_the_rows(void **state)
{
    static const double lows[] = { 0, -1, 5 };
    (void)state;
    for (size_t t = 0; t < 6; t++) {
        dusk_frame *frame = make_frame(lows[t / 2], t);
        double mean[D], covariance[D * D];
        plain(mean, covariance, frame);
        dusk_model *model = trained("covariance", frame, 1e5, t % 2 ? 0 : 1e-6, "", t);
        const double *m = array_of(model, "mean", 1, D), *s = array_of(model, "covariance", D, D);
        const double *r = array_of(model, "correlation", D, D), *moments = array_of(model, "moments", D, D);
        assert_true(fabs(array_of(model, "count", 1, 1)[0] - ROWS) < 1);
        for (size_t c = 0; c < D; c++) {
            assert_true(fabs(m[c] - mean[c]) < 1e-3);
            assert_true(r[c * D + c] == 1);
        }
        for (size_t c = 0; c < D * D; c++) {
            assert_true(fabs(s[c] - covariance[c]) < 2e-3);
            assert_true(fabs(moments[c] - covariance[c] - mean[c / D] * mean[c % D]) < 2e-3);
            assert_true(fabs(r[c]) <= 1);
        }
        assert_true(r[1] < -0.9);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

/* Little budget, few rows: v^T C v >= 0 for many v. */
static void no_variance_is_negative(void **state)
{
    dusk_frame *frame = make_frame(0, 1);
    uint64_t seed = 3;
    (void)state;
    frame->rows = 5;
    for (uint64_t t = 0; t < 60; t++) {
        dusk_model *model = trained("covariance", frame, 0.1, t % 2 ? 0 : 1e-6, "", t);
        const double *s = array_of(model, "covariance", D, D);
        for (int k = 0; k < 50; k++) {
            double v[D], sum = 0, size = 0;
            for (size_t c = 0; c < D; c++) v[c] = even(&seed);
            for (size_t c = 0; c < D * D; c++) {
                sum += v[c / D] * s[c] * v[c % D];
                size += fabs(s[c]);
            }
            assert_true(sum >= -1e-12 * size);
        }
        array_of(model, "correlation", D, D);
        array_of(model, "whitening", D, D + 1);
        dusk_model_free(model);
    }
    frame->rows = ROWS;
    dusk_frame_free(frame);
}

/* One column: the normal density, by its formula. */
static void density_is_normal(void **state)
{
    dusk_frame *frame = frame_of("x numeric -1:1\n", ROWS);
    uint64_t seed = 8;
    dusk_prediction p;
    dusk_model_scores scores;
    double mean = 0;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) frame->column[0].number[i] = 0.2 + 0.5 * even(&seed);
    dusk_model *model = trained("covariance", frame, 1e5, 1e-6, "", 1);
    double m = array_of(model, "mean", 1, 1)[0], s = array_of(model, "covariance", 1, 1)[0];
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    assert_int_equal(p.columns, 1);
    for (size_t i = 0; i < ROWS; i++) {
        double away = frame->column[0].number[i] - m;
        double expected = -(log(2 * M_PI * s) + away * away / s) / 2;
        assert_true(fabs(p.value[i] - expected) < 1e-2);
        mean += p.value[i] / ROWS;
    }
    assert_int_equal(dusk_model_score(&scores, model, frame, NULL), DUSK_OK);
    assert_true(fabs(scores.log_likelihood - mean) < 1e-9);
    dusk_prediction_clear(&p);
    dusk_model_free(model);
    dusk_frame_free(frame);
}

static void no_rows_have_a_model(void **state)
{
    dusk_frame *frame = frame_of("x[3] numeric 0:1\nc category a,b\n", 0);
    (void)state;
    for (uint64_t t = 0; t < 20; t++) {
        dusk_model *model = trained("covariance", frame, 1, t % 2 ? 0 : 1e-6, "", t);
        array_of(model, "covariance", 5, 5);
        assert_true(array_of(model, "count", 1, 1)[0] >= 1);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_those_of_the_rows),
        cmocka_unit_test(no_variance_is_negative),
        cmocka_unit_test(density_is_normal),
        cmocka_unit_test(no_rows_have_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
