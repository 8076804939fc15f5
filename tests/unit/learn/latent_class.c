/* SPDX-License-Identifier: Apache-2.0 */
/* Latent classes: at a large epsilon they are those that rows were drawn from, with their shares and chances; densities add to one; classes that noise
 * hides are not there; deviations say how far chances are from those without noise; odd tables are defined. */
#include "learn/latent.h"

#include <math.h>

#include "cluster_frames.h"

#define FIELDS "a category p,q,r\nb category u,v\nc category s,t\nx numeric 5:6\n"

/* Half of the rows, three tenths and two tenths; every class has its own favourite values, which nine in ten of its rows have. */
static dusk_frame *make_frame(size_t rows, uint64_t seed)
{
    static const int favourite[3][3] = { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 0, 1 } };
    dusk_frame *frame = cluster_frame(FIELDS, rows, 1, 3);
    for (size_t i = 0; i < rows; i++) {
        const size_t z = i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : 2;
        for (size_t c = 0; c < 3; c++) {
            bool own = cluster_uniform(&seed) < 0.9;
            int32_t values = c == 0 ? 3 : 2,
                    other = (int32_t)(splitmix64(&seed) % (uint64_t)(values - 1)) + 1;
            frame->column[c].code[i] = (favourite[z][c] + (own ? 0 : other)) % values;
        }
        frame->column[3].number[i] = 5 + ((double)z + cluster_uniform(&seed)) / 3;
    }
    return frame;
}

static void classes_are_found(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        cluster_request r = { "latent_class", .settings = { "groups=3", "rounds=40" }, .epsilon = 5000,
                              .delta = k ? 1e-6 : 0 };
        dusk_frame *frame = make_frame(5000, 11);
        dusk_model *model = cluster_train(&r, frame, 1);
        static const double truth[3] = { 0.5, 0.3, 0.2 };
        size_t one, n, cells, right = 0;
        const double *share = dusk_model_array(model, "shares", &one, &n);
        const double *chance = dusk_model_array(model, "chances", &n, &cells);
        assert_true(n == 3);
        for (size_t j = 0; j < 3; j++) {
            if (!(fabs(share[j] - truth[j]) < 0.02)) fail_msg("class %zu has %g", j, share[j]);
            if (!(fabs(chance[j * cells + j] - 0.9) < 0.03)) fail_msg("chance %g", chance[j * cells + j]);
        }
        dusk_prediction p;
        assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
        for (size_t i = 0; i < p.rows; i++) {
            const double *own = p.value + 3 * i;
            const size_t z = i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : 2;
            right += own[z] >= own[0] && own[z] >= own[1] && own[z] >= own[2];
        }
        assert_true(right > 4900);
        dusk_prediction_clear(&p);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
}

/* Over all values, and a lattice of the number, the density adds to one. */
static void densities_add_to_one(void **state)
{
    enum { SIDE = 48 };
    cluster_request r = { "latent_class", .settings = { "groups=4" }, .epsilon = 2, .delta = 1e-6 };
    dusk_frame *frame = make_frame(2000, 5), *all = cluster_frame(FIELDS, 4 * 3 * 3 * SIDE, 1, 1);
    double sum = 0;
    (void)state;
    for (size_t i = 0; i < all->rows; i++) {
        all->column[0].code[i] = (int32_t)(i % 4) - 1;
        all->column[1].code[i] = (int32_t)(i / 4 % 3) - 1;
        all->column[2].code[i] = (int32_t)(i / 12 % 3) - 1;
        all->column[3].number[i] = 5 + ((double)(i / 36) + 0.5) / SIDE;
    }
    dusk_model *model = cluster_train(&r, frame, 2);
    for (size_t i = 0; i < all->rows; i++) {
        dusk_model_scores s;
        dusk_frame *row = cluster_frame(FIELDS, 1, 1, 1);
        for (size_t c = 0; c < 3; c++) row->column[c].code[0] = all->column[c].code[i];
        row->column[3].number[0] = all->column[3].number[i];
        assert_int_equal(dusk_model_score(&s, model, row, NULL), DUSK_OK);
        sum += exp(s.log_likelihood) / SIDE;
        dusk_frame_free(row);
    }
    if (!(fabs(sum - 1) < 1e-9)) fail_msg("densities add to %.12g", sum);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_frame_free(all);
}

static size_t classes_at(double epsilon, size_t rows)
{
    cluster_request r = { "latent_class", .settings = { "groups=6" }, .epsilon = epsilon, .delta = 1e-6 };
    dusk_frame *frame = make_frame(rows, 7);
    dusk_model *model = cluster_train(&r, frame, 3);
    size_t one, n = 0;
    (void)dusk_model_array(model, "rows", &one, &n);
    dusk_model_free(model);
    dusk_frame_free(frame);
    return n;
}

static void hidden_classes_are_not_there(void **state)
{
    (void)state;
    assert_int_equal(classes_at(0.01, 300), 1);
    assert_true(classes_at(50, 3000) >= 3);
}

/* Chances of one class over many trainings: they vary by what the model says of noise: a little less, since they must add to one. */
static void deviations_are_told(void **state)
{
    enum { RUNS = 80 };
    static const char *const texts[] = { "a category p,q\n", "x numeric 0:1\n", "x numeric -1:0\n",
                                         "x numeric 5:6\n" };
    (void)state;
    for (int t = 0; t < 4; t++) {
        cluster_request r = { "latent_class", .settings = { "groups=1", "rounds=1", "bins=2" }, .epsilon = 1,
                              .delta = 1e-6 };
        dusk_frame *frame = cluster_frame(texts[t], 2000, 2, 9);
        double sum = 0, squares = 0, told = 0;
        size_t likely = 0; /* the likeliest value: others are held to 0 and above */
        for (uint64_t k = 0; k < RUNS; k++) {
            dusk_model *model = cluster_train(&r, frame, k);
            size_t n, cells;
            const double *chances = dusk_model_array(model, "chances", &n, &cells);
            for (size_t v = 0; k == 0 && v < cells; v++) likely = chances[v] > chances[likely] ? v : likely;
            double chance = chances[likely];
            told += pow(dusk_model_array(model, "deviations", &n, &cells)[likely], 2) / RUNS;
            sum += chance / RUNS;
            squares += chance * chance / RUNS;
            dusk_model_free(model);
        }
        double seen = sqrt(squares - sum * sum);
        told = sqrt(told - sum * (1 - sum) / 2002); /* what is not because rows are a sample */
        if (!(seen > 0.4 * told && seen < 1.3 * told)) fail_msg("%s: told %g, seen %g", texts[t], told, seen);
        dusk_frame_free(frame);
    }
}

static void odd_tables_are_defined(void **state)
{
    static const char *const texts[] = { "x[40] numeric 5:6\n", "a category p\n", FIELDS };
    (void)state;
    for (int k = 0; k < 6; k++)
        for (size_t rows = 0; rows < 12; rows += 11) {
            cluster_request r = { "latent_class", .settings = { "groups=5" }, .epsilon = 0.1,
                                  .delta = k / 3 ? 1e-6 : 0 };
            dusk_frame *frame = cluster_frame(texts[k % 3], rows, 1, 3);
            if (rows && k % 3 == 0) frame->column[0].number[3] = NAN;
            if (rows && k % 3) frame->column[0].code[3] = 77;
            dusk_model *model = cluster_train(&r, frame, (uint64_t)k);
            dusk_prediction p;
            assert_int_equal(dusk_predict(&p, model, frame, NULL), DUSK_OK);
            for (size_t i = 0; i < p.rows * p.columns; i++) assert_true(p.value[i] >= 0 && p.value[i] <= 1);
            dusk_prediction_clear(&p);
            dusk_model_free(model);
            dusk_frame_free(frame);
        }
}

static void nonsense_is_refused(void **state)
{
    cluster_request r = { "latent_class", .settings = { "groups=1024", "bins=4096" }, .epsilon = 1 };
    (void)state;
    cluster_refused(&r, "x[9] numeric 0:1\n", "values");
    r.settings[0] = "rounds=0";
    cluster_refused(&r, FIELDS, "rounds");
}

static void digamma_is_right(void **state)
{
    static const double at[][2] = { { 1, -0.57721566490153286 },
                                    { 0.5, -1.9635100260214235 },
                                    { 10, 2.2517525890667211 },
                                    { 1e-3, -1000.5755719318103 } };
    (void)state;
    for (int i = 0; i < 4; i++) assert_true(fabs(learn_digamma(at[i][0]) - at[i][1]) < 1e-9 * fabs(at[i][1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_found),
        cmocka_unit_test(densities_add_to_one),
        cmocka_unit_test(hidden_classes_are_not_there),
        cmocka_unit_test(deviations_are_told),
        cmocka_unit_test(odd_tables_are_defined),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(digamma_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
