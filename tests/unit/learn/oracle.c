/* SPDX-License-Identifier: Apache-2.0 */
/* Perturbed minima on a lattice: the very minimum, by another way of looking for it, with any noise; the truth with much budget, also where odd rows would carry
 * a convex loss away; anywhere with none. */
#include "regressions.h"

#include "learn/learner.h"
#include "learn/oracle.h"
#include "learn/polynomial.h"

static const char fields_text[] = "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny category no,yes\n";
enum { WIDTH = 4 };

/* Rows whose label follows 1 u - 1.5 v + 0.5 w, columns being u, v, w in [-1, 1]; `against` of them at an end, with the other label. */
static dusk_frame *make_rows(size_t rows, size_t against, uint64_t seed)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, fields_text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        double lean = 0;
        for (size_t j = 0; j < 3; j++) {
            double u = i < against ? (j == 1 ? -1 : 1) : 2 * regression_uniform(&seed) - 1;
            frame->column[j].number[i] = fields->field[j].lower + (u + 1) / 2;
            lean += u * (double[]){ 1, -1.5, 0.5 }[j];
        }
        frame->column[3].code[i] = (lean > 0) ^ (i < against);
    }
    dusk_fields_free(fields);
    return frame;
}

/* The objective at a point by its definition, in doubles: numbers are small enough for those to be exact. */
static double objective(const learn_oracle *o, const learn_matrix *m, const size_t *at,
                        const dusk_int128 *noise)
{
    const double knee = o->knee * 4096;
    double sum = 0;
    for (size_t i = 0; i < m->rows.rows; i++) {
        double margin = 0;
        for (size_t j = 0; j < o->width; j++)
            margin += (double)m->rows.x[i * o->width + j] *
                      ((double)o->centre[j] + (2 * (double)at[j] - (double)o->sides) * o->half);
        if (m->code[i] != 1) margin = -margin;
        sum += o->ramp ? fmin(fmax(knee - margin, 0), 2 * knee) : margin > 0 ? 0 : 2 * knee;
    }
    for (size_t j = 0; j < o->width; j++)
        for (size_t t = 0; t < o->sides; t++)
            sum -= (t < at[j] ? 4096.0 : -4096.0) * (double)noise[j * o->sides + t];
    return sum;
}

static void test_minimum(void **unused)
{
    (void)unused;
    dusk_frame *frame = make_rows(37, 5, 1);
    learn_features features = { .width = 0 };
    learn_matrix matrix = { .bound = 0 };
    assert_int_equal(learn_features_init(&features, frame->fields, 3, true, 0, NULL), DUSK_OK);
    assert_int_equal(learn_matrix_make(&matrix, &features, frame, NULL), DUSK_OK);
    for (uint64_t seed = 0; seed < 12; seed++) {
        const int64_t centre[WIDTH] = { 3, -700, 4096, 0 };
        learn_oracle o = { WIDTH, 2 + seed % 2, seed % 3 > 0, 0x1p15, 1000, 4 * LEARN_ONE, centre };
        dusk_int128 noise[WIDTH * 3];
        int64_t weights[WIDTH];
        uint64_t state = seed;
        for (size_t i = 0; i < WIDTH * o.sides; i++)
            noise[i] = (dusk_int128)((regression_uniform(&state) - 0.5) * pow(8, (double)seed));
        const size_t points = learn_lattice_points(o.sides, WIDTH, 1000);
        size_t best = 0, got, at[WIDTH];
        double least = INFINITY;
        for (size_t i = 0; i < points; i++) {
            learn_lattice_point(i, o.sides, WIDTH, at);
            double value = objective(&o, &matrix, at, noise);
            if (value < least) best = i, least = value;
        }
        assert_int_equal(learn_oracle_minimise(&o, &got, &matrix, noise, NULL), DUSK_OK);
        if (best != got) fail_msg("the minimum is at %zu, not %zu", best, got);
        learn_oracle_weights(&o, got, weights);
        learn_lattice_point(got, o.sides, WIDTH, at);
        for (size_t j = 0; j < WIDTH; j++)
            assert_int_equal(weights[j], centre[j] + (2 * (int64_t)at[j] - (int64_t)o.sides) * 1000);
    }
    learn_matrix_clear(&matrix);
    learn_features_clear(&features);
    dusk_frame_free(frame);
}

static double wrong_part(const dusk_model *model, const dusk_frame *frame, size_t first)
{
    dusk_prediction p;
    size_t wrong = 0;
    assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
    for (size_t i = first; i < frame->rows; i++)
        wrong += (p.value[i * p.columns + p.columns - 1] > 0.5) != frame->column[3].code[i];
    dusk_prediction_clear(&p);
    return (double)wrong / (double)(frame->rows - first);
}

/* A fifth of all rows say the opposite, from a corner: losses with an end give them up. */
static void test_truth(void **unused)
{
    (void)unused;
    dusk_frame *frame = make_rows(1500, 300, 3);
    for (int k = 0; k < 4; k++) {
        regression_request r = { "oracle_ramp",
                                 .settings = { k & 1 ? "loss=errors" : "loss=ramp", "rounds=8" },
                                 .epsilon = 1e5, .delta = k & 2 ? 0 : 1e-6 };
        dusk_model *model = regression_train(&r, frame, 2);
        double wrong = wrong_part(model, frame, 300);
        if (wrong > 0.04) fail_msg("of the other rows %g are wrong", wrong);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

/* Without budget every weight is anywhere on the lattice. */
static void test_anywhere(void **unused)
{
    (void)unused;
    enum { RUNS = 150 };
    dusk_frame *frame = make_rows(5, 0, 1);
    int seen[WIDTH][3] = { { 0 } };
    for (uint64_t t = 0; t < RUNS; t++) {
        regression_request r = { "oracle_ramp",
                                 .settings = { "radius=3", "rounds=1", t % 2 ? "loss=errors" : "loss=ramp" },
                                 .epsilon = 0.01, .delta = t % 3 ? 0 : 1e-6 };
        dusk_model *model = regression_train(&r, frame, t);
        for (size_t j = 0; j < WIDTH; j++) seen[j][(int)(regression_number(model, "weights", j) / 3 + 1.5)]++;
        dusk_model_free(model);
    }
    for (size_t j = 0; j < WIDTH;
         j++) /* signs of two numbers: a third each at the ends and in the middle, about */
        for (int v = 0; v < 3; v++) assert_true(seen[j][v] > RUNS / 6);
    dusk_frame_free(frame);
}

static void test_odd_data(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 30; n += 7)
        for (int k = 0; k < 4; k++) {
            dusk_frame *frame = make_rows(n, 0, n);
            for (size_t i = 0; i < n; i++) {
                frame->column[0].number[i] = i % 2 ? NAN : 0.5;
                frame->column[3].code[i] = i % 3 ? 1 : -1;
            }
            regression_request r = { "oracle_ramp", .settings = { k & 1 ? "scaling=standard" : "norm=1" },
                                     .epsilon = 1, .delta = k & 2 ? 0 : 1e-6 };
            dusk_model *model = regression_train(&r, frame, 5);
            regression_all_finite(model);
            assert_true(model->learner->complete(model));
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

static void test_refusals(void **unused)
{
    (void)unused;
    regression_request wide = { "oracle_ramp", .epsilon = 1 };
    regression_expect_refusal(&wide, "x[9] numeric 0:1\ny category a,b\n", "more than 20000 points");
    regression_request fine = { "oracle_ramp", .settings = { "sides=12" }, .epsilon = 1 };
    regression_expect_refusal(&fine, fields_text, "more than 20000 points");
    regression_request little = { "oracle_ramp", .epsilon = 1e-7 };
    regression_expect_refusal(&little, fields_text, "too little for a perturbed objective");
    regression_request three = { "oracle_ramp", .epsilon = 1 };
    regression_expect_refusal(&three, "x numeric 0:1\ny category a,b,c\n", "a category of two values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimum),  cmocka_unit_test(test_truth),    cmocka_unit_test(test_anywhere),
        cmocka_unit_test(test_odd_data), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
