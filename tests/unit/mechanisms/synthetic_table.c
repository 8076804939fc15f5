/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic tables: scores of pairs that move by no more than a row does, a schedule that keeps
 * its promise, sums over the tree against the full table, and rows that look like it. */
#include "mechanisms/synthetic_table.h"

#include "mechanisms/packing.h"
#include "mechanisms/spanning_tree.h"
#include "mechanisms/tree_model.h"
#include "unit/mechanisms/aggregate_help.h"

enum { COLUMNS = 4, ROWS = 3000, FULL = 2 * 3 * 4 * 2 };

static const uint32_t sizes[COLUMNS] = { 2, 3, 4, 2 };
static const dusk_table domain = { .columns = COLUMNS, .sizes = sizes };

/* --- scores -------------------------------------------------------------------------- */

static double score_of(const uint32_t *codes, size_t rows, const double *const *singles, double total)
{
    dusk_table table = { .columns = 2, .sizes = sizes, .rows = rows, .codes = codes };
    uint64_t exact[6];
    return dusk_pair_score(exact, &table, (dusk_column_pair){ 0, 1 }, singles, total);
}

/* Every row added to every small table, and every one exchanged. */
static void scores_move_by_no_more_than_a_row_does(void **state)
{
    const double first[][2] = { { 1.5, 1.5 }, { 0.3, 7.1 }, { 0, 0 }, { 1e300, 1 }, { 2, 1 } };
    const double second[][3] = {
        { 1, 1, 1 }, { 2.2, 5.1, 0.1 }, { 0, 0, 0 }, { 1e300, NAN, 1 }, { 1, 1, 1 }
    };
    double added = 0, exchanged = 0;
    (void)state;
    for (int s = 0; s < 5; s++)
        for (unsigned base = 0; base < 36; base++)
            for (size_t rows = 0; rows <= 2; rows++) {
                const double *singles[2] = { first[s], second[s] };
                uint32_t codes[6] = { base % 2, base / 2 % 3, base / 6 % 2, base / 12, 0, 0 };
                double before = score_of(codes, rows, singles, 3), after[6];
                for (uint32_t x = 0; x < 6; x++) {
                    codes[2 * rows] = x % 2;
                    codes[2 * rows + 1] = x / 2;
                    after[x] = score_of(codes, rows + 1, singles, 3);
                    assert_true(isfinite(after[x]));
                    added = fmax(added, fabs(after[x] - before));
                    for (uint32_t y = 0; y < x; y++) exchanged = fmax(exchanged, fabs(after[x] - after[y]));
                }
            }
    assert_true(added == 1 && exchanged == 2); /* exactly, and not less */
}

static void the_schedule_keeps_its_promise(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        dusk_aggregate how = ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, 0.7);
        dusk_schedule_part parts[DUSK_SYNTHETIC_PARTS];
        dusk_statement statement;
        double sides = kind & 1 ? 2 : 1, m = kind & 2 ? 3 : 1;
        how.rows_per_unit = (uint32_t)m;
        how.delta = kind & 4 ? 1e-8 : 0;
        size_t n = dusk_synthetic_table_parts(parts, &how, 5);
        assert_int_equal(n, 3);
        assert_int_equal(dusk_schedule_calibrate(parts, n, &how, &statement, NULL), DUSK_OK);
        assert_true(statement.epsilon <= 0.7 && statement.epsilon > (how.delta > 0 ? 0.697 : 0.7 - 1e-9));
        assert_true(parts[DUSK_SYNTHETIC_CHOICES].selection.sensitivity == sides * m);
        for (int i = 0; i < 2; i++) { /* as in dusk_marginals_release */
            double marginals = i ? 4 : 5,
                   norm = how.delta > 0 ? m * sqrt(sides * marginals) : sides * marginals * m;
            const dusk_noise *noise = &parts[i ? DUSK_SYNTHETIC_PAIRS : DUSK_SYNTHETIC_SINGLES].noise;
            assert_true(fabs(noise->sensitivity - norm) < 1e-9 && noise->sensitivity >= norm);
        }
        assert_int_equal(dusk_synthetic_table_parts(parts, &how, 1), 1);
        assert_true(parts[0].share == 1);
    }
}

/* --- the model ------------------------------------------------------------------------ */

/* Counts of a star or a chain, not agreeing: only their proportions matter. */
static dusk_tree_model random_model(uint64_t *random, bool chain)
{
    static double single[COLUMNS][4], pair[COLUMNS][16];
    const double *singles[COLUMNS];
    dusk_tree_edge edges[COLUMNS];
    dusk_tree_model model;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < 4; i++) single[c][i] = (double)(splitmix64(random) % 9);
        for (int i = 0; i < 16; i++) pair[c][i] = (double)(splitmix64(random) % 4);
        singles[c] = single[c];
    }
    for (uint32_t e = 0; e + 1 < COLUMNS; e++)
        edges[e] = (dusk_tree_edge){ chain ? e : e < 2 ? e : 2, chain ? e + 1 : e < 2 ? 2 : 3, pair[e] };
    assert_int_equal(dusk_tree_model_make(&model, &domain, singles, edges, NULL), DUSK_OK);
    return model;
}

/* The probability of a cell of the full table: the product along the tree. */
static double joint(const dusk_tree_model *model, size_t cell)
{
    uint32_t code[COLUMNS];
    double p = 1;
    for (size_t c = COLUMNS; c-- > 0; cell /= sizes[c]) code[c] = (uint32_t)(cell % sizes[c]);
    for (size_t c = 0; c < COLUMNS; c++)
        p *= model->chance[c][(c == 0 ? 0 : code[model->parent[c]] * sizes[c]) + code[c]];
    return p;
}

static void sums_over_the_tree_are_those_of_the_full_table(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (int run = 0; run < 20; run++) {
        dusk_tree_model model = random_model(&random, run % 2);
        double full[FULL], sum = 0;
        for (size_t i = 0; i < FULL; i++) sum += full[i] = joint(&model, i);
        assert_true(fabs(sum - 1) < 1e-12);
        for (unsigned set = 1; set < 16; set++) {
            dusk_marginal marginal = { 0, { 0 } };
            double found[FULL], expected[FULL];
            for (uint32_t c = 0; c < COLUMNS; c++)
                if (set >> c & 1) marginal.column[marginal.columns++] = c;
            assert_int_equal(dusk_tree_model_marginal(&model, found, &marginal, NULL), DUSK_OK);
            assert_int_equal(dusk_marginals_of(expected, &domain, &marginal, 1, full, NULL), DUSK_OK);
            for (size_t i = 0; i < dusk_marginal_cells(&domain, &marginal); i++)
                assert_true(fabs(found[i] - expected[i]) < 1e-12);
        }
        dusk_tree_model_clear(&model);
    }
}

/* In each group of a parent's value a child's value comes floor or ceiling of what is expected. */
static void rows_come_as_often_as_they_should(void **state)
{
    static uint32_t codes[COLUMNS * ROWS];
    uint64_t random = 5;
    (void)state;
    for (int run = 0; run < 6; run++) {
        dusk_tree_model model = random_model(&random, run % 2);
        dusk_generator *gen = seeded((uint64_t)run);
        assert_int_equal(dusk_tree_model_draw(&model, codes, ROWS, gen, NULL), DUSK_OK);
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t above = c == 0 ? 1 : sizes[model.parent[c]];
            double group[4] = { 0 }, count[16] = { 0 };
            for (size_t r = 0; r < ROWS; r++) {
                uint32_t x = c == 0 ? 0 : codes[r * COLUMNS + model.parent[c]];
                assert_true(codes[r * COLUMNS + c] < sizes[c]);
                group[x]++;
                count[x * sizes[c] + codes[r * COLUMNS + c]]++;
            }
            for (size_t i = 0; i < above * sizes[c]; i++)
                assert_true(fabs(count[i] - group[i / sizes[c]] * model.chance[c][i]) < 1 + 1e-9);
        }
        dusk_generator_free(gen);
        dusk_tree_model_clear(&model);
    }
}

static void rare_values_are_packed_and_come_back(void **state)
{
    const uint32_t few[2] = { 5, 2 };
    const dusk_table small = { .columns = 2, .sizes = few };
    const double counts[7] = { 3, 90, -4, 50, 1, 2, 80 };
    double packed[5];
    uint32_t codes[8] = { 0, 0, 1, 1, 4, 0, 9, 7 };
    dusk_table table = { .columns = 2, .sizes = few, .rows = 4, .codes = codes };
    uint32_t made[8];
    dusk_packing packing;
    dusk_generator *gen = seeded(1);
    (void)state;
    assert_int_equal(dusk_packing_make(&packing, &small, counts, 10, NULL), DUSK_OK);
    assert_true(packing.packed[0] == 3 && packing.packed[1] == 2); /* one rare value stays alone */
    dusk_packing_counts(&packing, 0, packed, counts);
    assert_true(packed[0] == 90 && packed[1] == 50 && packed[2] == 0);
    dusk_packing_rows(&packing, made, &table);
    const uint32_t expected[8] = { 2, 0, 0, 1, 2, 0, 2, 1 };
    assert_memory_equal(made, expected, sizeof made);
    assert_int_equal(dusk_packing_undo(&packing, made, 4, gen, NULL), DUSK_OK);
    assert_true(made[2] == 1 && (made[0] == 0 || made[0] == 4)); /* -4 counts as none */
    dusk_packing_clear(&packing);
    dusk_generator_free(gen);
}

/* --- the release ---------------------------------------------------------------------- */

static void fill(uint32_t *codes)
{
    uint64_t seed = 9;
    for (size_t r = 0; r < ROWS; r++) {
        uint64_t x = splitmix64(&seed);
        uint32_t *row = codes + COLUMNS * r;
        row[0] = x % 3 == 0;
        row[1] = row[0] ? 2 : (uint32_t)(x >> 8) % 2;
        row[2] = (row[1] + ((x >> 16) % 4 == 0)) % 4;
        row[3] = (x >> 24) % 5 == 0 ? row[0] : row[2] > 1;
    }
}

static dusk_synthetic_table *release(dusk_statement *statement, const dusk_aggregate *how,
                                     const dusk_table *table, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_synthetic_table *made;
    dusk_error err = { .message = "" };
    if (dusk_synthetic_table_release(&made, statement, how, table, gen, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    dusk_generator_free(gen);
    return made;
}

static void with_much_budget_the_tree_is_that_of_the_data(void **state)
{
    static uint32_t codes[COLUMNS * ROWS];
    dusk_table table = { .columns = COLUMNS, .sizes = sizes, .rows = ROWS, .codes = codes };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 300);
    dusk_statement statement;
    uint32_t neighbour[COLUMNS];
    (void)state;
    fill(codes);
    dusk_synthetic_table *made = release(&statement, &how, &table, 1);
    assert_true(llabs((long long)dusk_synthetic_table_rows(made) - ROWS) <= 2);
    dusk_synthetic_table_tree(made, neighbour);
    for (uint32_t c = 1; c < COLUMNS; c++) {
        dusk_marginal pair = { 2,
                               { c < neighbour[c] ? c : neighbour[c], c < neighbour[c] ? neighbour[c] : c } };
        double counts[16];
        uint64_t exact[16];
        assert_int_equal(dusk_synthetic_table_marginal(made, counts, &pair, NULL), DUSK_OK);
        dusk_marginal_count(exact, &table, &pair);
        for (size_t i = 0; i < dusk_marginal_cells(&table, &pair); i++)
            assert_true(fabs(counts[i] - (double)exact[i]) < 3);
    }
    dusk_synthetic_table_free(made);
}

/* Two columns of two values, all counts far from 0. By orthogonal effects: the total is measured by the pair
 * (4 p) and both columns (2 s each), each column's difference by the pair and itself, the interaction by the
 * pair; a cell is a quarter of their sum. */
static void what_is_measured_has_the_noise_that_is_charged(void **state)
{
    enum { RUNS = 2000 };
    static uint32_t codes[2 * ROWS];
    const uint32_t two[2] = { 2, 2 };
    const dusk_marginal both = { 2, { 0, 1 } };
    dusk_table table = { .columns = 2, .sizes = two, .rows = ROWS, .codes = codes };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    double s = 2 * 36, p = 2 * 9; /* thirds of epsilon, for what two marginals change and what one does */
    double total = 1 / (1 / (4 * p) + 2 / (2 * s)), difference = 1 / (1 / (4 * p) + 1 / (2 * s));
    double variance = (total + 2 * difference + 4 * p) / 16, sum = 0;
    uint64_t exact[4];
    (void)state;
    for (size_t i = 0; i < 2 * ROWS; i++) codes[i] = i % 7 < 3;
    dusk_marginal_count(exact, &table, &both);
    for (uint64_t run = 0; run < RUNS; run++) {
        dusk_statement statement;
        double counts[4];
        dusk_synthetic_table *made = release(&statement, &how, &table, run);
        assert_int_equal(dusk_synthetic_table_marginal(made, counts, &both, NULL), DUSK_OK);
        for (int i = 0; i < 4; i++) sum += (counts[i] - (double)exact[i]) * (counts[i] - (double)exact[i]);
        dusk_synthetic_table_free(made);
    }
    assert_true(fabs(sum / (4 * RUNS) - variance) < 6 * sqrt(5.0 / RUNS) * variance);
}

static void every_table_and_relation_has_an_answer(void **state)
{
    static uint32_t codes[COLUMNS * ROWS];
    (void)state;
    fill(codes);
    for (int kind = 0; kind < 12; kind++) {
        dusk_aggregate how =
            ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, kind & 2 ? 0.01 : 2);
        dusk_table table = { .columns = kind == 4 ? 1 : COLUMNS, .sizes = sizes, .codes = codes };
        dusk_statement statement;
        double single, pair;
        uint32_t drawn[COLUMNS * 7];
        dusk_generator *gen = seeded(2);
        table.rows = kind < 4 ? 0 : ROWS;
        if (kind > 9) how.delta = 1e-6;
        dusk_synthetic_table *made = release(&statement, &how, &table, (uint64_t)kind);
        assert_true(statement.epsilon <= how.epsilon);
        if (kind & 1) assert_int_equal(dusk_synthetic_table_rows(made), table.rows);
        assert_int_equal(dusk_synthetic_table_interval(made, &single, &pair, 0.95, NULL), DUSK_OK);
        assert_true(single >= 0 && pair >= 0 && (pair == 0 || table.columns > 1));
        assert_int_equal(dusk_synthetic_table_interval(made, &single, &pair, 1, NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_synthetic_table_draw(made, drawn, 7, gen, NULL), DUSK_OK);
        for (size_t i = 0; i < 7 * table.columns; i++) assert_true(drawn[i] < sizes[i % table.columns]);
        assert_int_equal(dusk_synthetic_table_draw(made, drawn, 0, gen, NULL), DUSK_OK);
        dusk_synthetic_table_free(made);
        dusk_generator_free(gen);
    }
}

static void bad_requests_are_refused_before_the_data(void **state)
{
    const uint32_t huge[2] = { 1u << 20, 1u << 20 }, none[2] = { 0, 2 };
    dusk_generator *gen = seeded(1);
    dusk_synthetic_table *made;
    dusk_statement statement;
    (void)state;
    for (int bad = 0; bad < 4; bad++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
        dusk_table table = { .columns = 2, .sizes = sizes, .rows = 3, .codes = (const uint32_t *)16 };
        if (bad == 0) how.epsilon = -1;
        if (bad == 1) table.sizes = huge;
        if (bad == 2) table.sizes = none;
        if (bad == 3) table.columns = 65;
        assert_int_equal(dusk_synthetic_table_release(&made, &statement, &how, &table, gen, NULL),
                         DUSK_ERR_ARGUMENT);
        assert_null(made);
    }
    dusk_synthetic_table_free(NULL);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_move_by_no_more_than_a_row_does),
        cmocka_unit_test(the_schedule_keeps_its_promise),
        cmocka_unit_test(sums_over_the_tree_are_those_of_the_full_table),
        cmocka_unit_test(rows_come_as_often_as_they_should),
        cmocka_unit_test(rare_values_are_packed_and_come_back),
        cmocka_unit_test(with_much_budget_the_tree_is_that_of_the_data),
        cmocka_unit_test(what_is_measured_has_the_noise_that_is_charged),
        cmocka_unit_test(every_table_and_relation_has_an_answer),
        cmocka_unit_test(bad_requests_are_refused_before_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
