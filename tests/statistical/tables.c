/* SPDX-License-Identifier: Apache-2.0 */
/* Tables at production width, with fixed seeds and alpha 1e-6: intervals hold at least as often as
 * they say, measured and agreeing counts have no bias, agreement takes noise away, and rows of a
 * model come without bias. */
#include "mechanisms/table.h"
#include "mechanisms/tree_model.h"
#include "unit/mechanisms/aggregate_help.h"

enum { ROWS = 500, CELLS = 26, RUNS = 3000 };

static const uint32_t sizes[3] = { 2, 3, 4 };
static const dusk_marginal pairs[3] = { { 2, { 0, 1 } }, { 2, { 1, 2 } }, { 2, { 0, 2 } } };
static uint32_t codes[3 * ROWS];
static const dusk_table table = { .columns = 3, .sizes = sizes, .rows = ROWS, .codes = codes };

static void fill(double *exact)
{
    uint64_t seed = 4, counts[12];
    for (size_t r = 0; r < ROWS; r++) {
        uint64_t x = splitmix64(&seed);
        codes[3 * r] = x % 5 == 0;
        codes[3 * r + 1] = codes[3 * r] ? 2 : (uint32_t)(x >> 8) % 3;
        codes[3 * r + 2] = (codes[3 * r + 1] + ((x >> 16) % 4 == 0)) % 4;
    }
    for (int i = 0; i < 3; i++) {
        size_t cells = dusk_marginal_cells(&table, &pairs[i]);
        dusk_marginal_count(counts, &table, &pairs[i]);
        for (size_t c = 0; c < cells; c++) *exact++ = (double)counts[c];
    }
}

static void assert_held(double held, double runs, double p)
{
    if (held < runs * p - 4.9 * sqrt(runs * p * (1 - p)))
        fail_msg("%g of %g held, asked for %g", held, runs, p);
}

static void marginals_hold_together(void **state)
{
    double exact[CELLS];
    (void)state;
    fill(exact);
    for (int kind = 0; kind < 2; kind++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
        double held = 0, sum[2][CELLS] = { { 0 } }, square[2][CELLS] = { { 0 } },
               runs = kind ? RUNS / 10 : RUNS;
        dusk_generator *gen = seeded(3);
        how.confidence = 0.8;
        how.delta = kind ? 1e-6 : 0;
        for (int run = 0; run < (int)runs; run++) {
            double counts[CELLS], width, gap;
            dusk_statement statement;
            bool all = true;
            assert_int_equal(
                dusk_marginals_release(counts, &width, &statement, &how, &table, pairs, 3, gen, NULL),
                DUSK_OK);
            for (int adjusted = 0; adjusted < 2; adjusted++) {
                for (int i = 0; i < CELLS; i++) {
                    double error = counts[i] - exact[i];
                    all = all && (adjusted || fabs(error) <= width);
                    sum[adjusted][i] += error;
                    square[adjusted][i] += error * error;
                }
                assert_int_equal(
                    dusk_marginals_reconcile(counts, &gap, &table, pairs, 3, NULL, NAN, false, NULL),
                    DUSK_OK);
            }
            held += all;
        }
        assert_held(held, runs, how.confidence);
        double raw = 0, adjusted = 0;
        for (int i = 0; i < CELLS; i++) {
            for (int a = 0; a < 2; a++) assert_true(fabs(sum[a][i]) <= 6 * sqrt(square[a][i]));
            raw += square[0][i];
            adjusted += square[1][i];
        }
        /* the agreeing marginals of this table have 18 dimensions of 26 */
        assert_true(fabs(adjusted / raw - 18.0 / 26) < 0.05);
        dusk_generator_free(gen);
    }
}

static void the_bound_of_mwem_holds(void **state)
{
    double exact[CELLS], held = 0;
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_mwem_options options;
    dusk_generator *gen = seeded(5);
    (void)state;
    fill(exact);
    how.confidence = 0.8;
    dusk_mwem_options_init(&options);
    options.marginals = pairs;
    options.marginals_count = 3;
    options.rounds = 5;
    for (int run = 0; run < RUNS; run++) {
        double model[24], answers[CELLS], error, worst = 0;
        dusk_statement statement;
        assert_int_equal(dusk_mwem_release(model, &error, &statement, &how, &options, &table, gen, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_marginals_of(answers, &table, pairs, 3, model, NULL), DUSK_OK);
        for (int i = 0; i < CELLS; i++) worst = fmax(worst, fabs(answers[i] - exact[i]));
        held += worst <= error;
    }
    assert_held(held, RUNS, how.confidence);
    dusk_generator_free(gen);
}

/* How often each full row comes in a table of 7 rows, over many tables. */
static void rows_have_no_bias(void **state)
{
    enum { DRAWN = 7, TABLES = 40000, KINDS = 24 };
    static const double single[3][4] = { { 3, 2 }, { 1, 2, 4 }, { 5, 1, 1, 0.5 } };
    static const double first[6] = { 1, 1, 1, 0, 1, 3 }, second[12] = { 2, 1, 0, 1, 1, 1, 1, 1, 0, 0, 3, 1 };
    const double *const singles[3] = { single[0], single[1], single[2] };
    const dusk_tree_edge edges[2] = { { 0, 1, first }, { 1, 2, second } };
    dusk_generator *gen = seeded(6);
    dusk_tree_model model;
    double chance[KINDS], seen[KINDS] = { 0 };
    (void)state;
    assert_int_equal(dusk_tree_model_make(&model, &table, singles, edges, NULL), DUSK_OK);
    assert_int_equal(dusk_tree_model_marginal(&model, chance, &(dusk_marginal){ 3, { 0, 1, 2 } }, NULL),
                     DUSK_OK);
    for (int i = 0; i < TABLES; i++) {
        uint32_t drawn[3 * DRAWN];
        assert_int_equal(dusk_tree_model_draw(&model, drawn, DRAWN, gen, NULL), DUSK_OK);
        for (int r = 0; r < DRAWN; r++) seen[(drawn[3 * r] * 3 + drawn[3 * r + 1]) * 4 + drawn[3 * r + 2]]++;
    }
    for (int k = 0; k < KINDS; k++) {
        double expected = (double)TABLES * DRAWN * chance[k]; /* and no more variance than single rows have */
        assert_true(fabs(seen[k] - expected) <= 5.5 * sqrt(expected * (1 - chance[k])) * 1.5);
    }
    dusk_tree_model_clear(&model);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_hold_together),
        cmocka_unit_test(the_bound_of_mwem_holds),
        cmocka_unit_test(rows_have_no_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
