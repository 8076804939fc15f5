/* SPDX-License-Identifier: Apache-2.0 */
/* Densities: with much budget the shares of the rows, and the tree that made them; always probabilities that add to 1. */
#include "learn/tallies.h"
#include "spectral.h"

enum { ROWS = 4000 };

/* a -> b -> c, each the same as the one before nine times out of ten; z is a number that follows a, u one that follows nothing. */
static dusk_frame *chain(size_t rows, uint64_t seed)
{
    dusk_frame *frame =
        frame_of("a category p,q\nb category p,q\nc category p,q\nz numeric 1:3\nu numeric 5:6\n", rows);
    for (size_t i = 0; i < rows; i++) {
        int32_t a = splitmix64(&seed) % 10 < 3, b = splitmix64(&seed) % 10 ? a : !a,
                c = splitmix64(&seed) % 10 ? b : !b;
        frame->column[0].code[i] = a;
        frame->column[1].code[i] = b;
        frame->column[2].code[i] = c;
        frame->column[3].number[i] = (a ? 2.5 : 1.5) + 0.5 * even(&seed);
        frame->column[4].number[i] = 5.5 + 0.5 * even(&seed);
    }
    return frame;
}

static void shares_are_those_of_rows(void **state)
{
    dusk_frame *frame = chain(ROWS, 1);
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        dusk_model *model =
            trained("density", frame, 1e4, pure ? 0 : 1e-6, "structure=independent bins=4", 3);
        const double *single = array_of(model, "single", 1, 3 + 3 + 3 + 4 + 4);
        double share = 0, sum = 0;
        for (size_t i = 0; i < ROWS; i++) share += frame->column[0].code[i] / (double)ROWS;
        assert_true(fabs(single[1] - share) < 0.01);
        for (size_t v = 9; v < 13; v++) sum += single[v];
        assert_true(fabs(sum - 1) < 1e-9);
        for (size_t v = 13; v < 17; v++) assert_true(fabs(single[v] - 0.25) < 0.04);
        for (size_t c = 0; c < 5; c++) assert_true(array_of(model, "parent", 1, 5)[c] == -1);
        dusk_model_free(model);
    }
    dusk_frame_free(frame);
}

static void finds_the_tree(void **state)
{
    dusk_frame *frame = chain(ROWS, 2), *other = chain(ROWS, 77);
    dusk_model_scores tree, alone;
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        dusk_model *model = trained("density", frame, 100, pure ? 0 : 1e-6, "bins=4", 3);
        const double *parent = array_of(model, "parent", 1, 5);
        assert_true(parent[0] == -1);
        assert_true(parent[1] == 0 || parent[0] == 1);
        assert_true(parent[2] == 1);
        assert_true(parent[3] == 0);
        assert_int_equal(dusk_model_score(&tree, model, other, NULL), DUSK_OK);
        dusk_model_free(model);
        model = trained("density", frame, 100, pure ? 0 : 1e-6, "bins=4 structure=independent", 3);
        assert_int_equal(dusk_model_score(&alone, model, other, NULL), DUSK_OK);
        dusk_model_free(model);
        /* two steps of the chain are worth H(0.3) - H(0.1) each, and z tells a: all three together about 1.2 */
        assert_true(tree.log_likelihood > alone.log_likelihood + 1);
    }
    dusk_frame_free(frame);
    dusk_frame_free(other);
}

/* The density adds to 1 over all that there is, whatever the noise: 3 * 3 * 3 * 4 * 4 cells. */
static void probabilities_add_to_one(void **state)
{
    dusk_frame *all =
        frame_of("a category p,q\nb category p,q\nc category p,q\nz numeric 1:3\nu numeric 5:6\n", 432);
    (void)state;
    for (size_t i = 0; i < 432; i++) {
        for (size_t c = 0; c < 3; c++)
            all->column[c].code[i] = (int32_t)(i / (c == 0 ? 1 : c == 1 ? 3 : 9) % 3) - 1;
        all->column[3].number[i] = 1.25 + 0.5 * (double)(i / 27 % 4);
        all->column[4].number[i] = 5.125 + 0.25 * (double)(i / 108);
    }
    for (uint64_t t = 0; t < 24; t++) {
        dusk_frame *frame = chain(t % 3 * 50, t);
        dusk_prediction p;
        double sum = 0;
        dusk_model *model = trained("density", frame, t % 4 ? 1 : 20, t % 2 ? 0 : 1e-6,
                                    t % 5 ? "bins=4" : "bins=4 structure=independent", t);
        assert_int_equal(dusk_predict(&p, model, all, NULL), DUSK_OK);
        for (size_t i = 0; i < p.rows; i++) sum += exp(p.value[i]) / 16; /* two numbers of four bins */
        assert_true(fabs(sum - 1) < 1e-9);
        dusk_prediction_clear(&p);
        dusk_model_free(model);
        dusk_frame_free(frame);
    }
    dusk_frame_free(all);
}

static void totals_are_met(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (size_t n = 1; n < 40; n++) {
        double x[40], before[40], scratch[40], total = n % 3 ? 10 : 0.001, sum = 0, shift = NAN;
        for (size_t i = 0; i < n; i++) before[i] = x[i] = 5 * even(&seed);
        learn_project_total(x, n, total, scratch);
        for (size_t i = 0; i < n; i++) {
            assert_true(x[i] >= 0);
            sum += x[i];
            if (x[i] > 0 && isnan(shift)) shift = before[i] - x[i];
        }
        assert_true(fabs(sum - total) < 1e-12 * 40);
        for (size_t i = 0; i < n; i++)
            assert_true(x[i] > 0 ? fabs(before[i] - x[i] - shift) < 1e-12 : before[i] <= shift + 1e-12);
    }
}

/* Noise on every count, over seeds: deviations of 400 draws are within 19 % but for 1e-6. */
static void every_count_varies(void **state)
{
    enum { SEEDS = 400, CELLS = 17 };
    dusk_frame *frame = chain(50, 9);
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        double sum[CELLS] = { 0 }, square[CELLS] = { 0 }, deviation = 0;
        for (uint64_t s = 0; s < SEEDS; s++) {
            dusk_model *model =
                trained("density", frame, 1, pure ? 0 : 1e-6, "structure=independent bins=4", s);
            const double *counts = array_of(model, "counts", 1, CELLS);
            deviation = array_of(model, "noise", 1, 1)[0];
            for (size_t c = 0; c < CELLS; c++) {
                sum[c] += counts[c];
                square[c] += counts[c] * counts[c];
            }
            dusk_model_free(model);
        }
        assert_true(deviation >= (pure ? 5 * sqrt(2) * 0.99 : sqrt(5) * 4));
        for (size_t c = 0; c < CELLS; c++) {
            double found = sqrt((square[c] - sum[c] * sum[c] / SEEDS) / (SEEDS - 1));
            assert_true(fabs(found / deviation - 1) < (pure ? 0.4 : 0.19));
        }
    }
    dusk_frame_free(frame);
}

static void refuses_what_cannot_be_counted(void **state)
{
    dusk_frame *one = frame_of("x numeric 0:1\n", 0), *many = frame_of("x[300] numeric 0:1\n", 0);
    dusk_model *model;
    dusk_error err;
    (void)state;
    assert_int_equal(try_training(&model, "density", one, 1, 1e-6, "", 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(try_training(&model, "density", many, 1, 1e-6, "", 1, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.hint, "independent"));
    assert_int_equal(
        try_training(&model, "density", many, 1, 1e-6, "bins=4097 structure=independent", 1, &err),
        DUSK_ERR_ARGUMENT);
    dusk_frame_free(one);
    dusk_frame_free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_rows),
        cmocka_unit_test(finds_the_tree),
        cmocka_unit_test(probabilities_add_to_one),

        cmocka_unit_test(totals_are_met),
        cmocka_unit_test(every_count_varies),
        cmocka_unit_test(refuses_what_cannot_be_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
