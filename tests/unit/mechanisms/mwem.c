/* SPDX-License-Identifier: Apache-2.0 */
/* MWEM: scores that move by no more than a count, a schedule that keeps its promise, a
 * number of rows that is paid for, and a bound on the error that holds. */
#include "mechanisms/mwem.h"

#include "mechanisms/table.h"
#include "unit/mechanisms/aggregate_help.h"

enum { CELLS = 24, ROWS = 400 };

static const uint32_t sizes[3] = { 2, 3, 4 };
static const dusk_marginal pairs[3] = { { 2, { 0, 1 } }, { 2, { 1, 2 } }, { 2, { 0, 2 } } };

static void scores_move_by_no_more_than_their_count(void **state)
{
    const double answers[] = { 0,    0.1,      1.0 / 3, 2.9999,    1e3 + 1e-13, 1e9 + 0.7,    0x1p42 - 0.3,
                               1e60, INFINITY, NAN,     -INFINITY, -7.25,       0.00048828125 };
    const uint64_t counts[] = { 0, 1, 2, 3, 1000, 1000000007, ((uint64_t)1 << 42) - 2, UINT64_MAX - 3 };
    (void)state;
    for (size_t a = 0; a < sizeof answers / sizeof *answers; a++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (uint64_t m = 1; m <= 3; m++) {
                const uint64_t near[2] = { counts[c], counts[c] + m };
                const double same[2] = { answers[a], answers[a] };
                double score[2];
                dusk_mwem_scores(score, near, same, 2);
                assert_true(score[0] >= 0 && score[1] >= 0);
                assert_true(fabs(score[0] - score[1]) <= (double)m); /* exact: both are multiples of 2^-10 */
            }
}

static void the_schedule_keeps_its_promise(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        dusk_aggregate how = ask(kind & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, 0.7);
        dusk_schedule_part parts[DUSK_MWEM_PARTS];
        dusk_statement statement;
        how.rows_per_unit = kind & 2 ? 3 : 1;
        how.delta = kind & 4 ? 1e-8 : 0;
        size_t n = dusk_mwem_parts(parts, &how, 12);
        assert_int_equal(n, kind % 4 == 1 ? 2 : 3); /* only there is the number of rows public */
        assert_int_equal(dusk_schedule_calibrate(parts, n, &how, &statement, NULL), DUSK_OK);
        assert_true(statement.epsilon <= 0.7 && statement.epsilon > (how.delta > 0 ? 0.697 : 0.7 - 1e-9));
        assert_non_null(strstr(event_of(statement), ") * 12"));
        for (size_t i = 0; i < n; i++)
            assert_true((parts[i].choice ? parts[i].selection.sensitivity : parts[i].noise.sensitivity) ==
                        how.rows_per_unit);
    }
}

typedef struct learned {
    double model[CELLS], error;
    dusk_statement statement;
} learned;

static learned learn(const dusk_aggregate *how, const dusk_mwem_options *options, const uint32_t *codes,
                     size_t rows, uint64_t seed)
{
    dusk_table table = { .columns = 3, .sizes = sizes, .rows = rows, .codes = codes };
    dusk_generator *gen = seeded(seed);
    learned l = { .error = 0 };
    dusk_error err = { .message = "" };
    if (dusk_mwem_release(l.model, &l.error, &l.statement, how, options, &table, gen, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    dusk_generator_free(gen);
    return l;
}

static dusk_mwem_options options_of(uint32_t rounds)
{
    dusk_mwem_options options;
    dusk_mwem_options_init(&options);
    options.marginals = pairs;
    options.marginals_count = 3;
    options.rounds = rounds;
    return options;
}

/* Columns that hang together. */
static void fill(uint32_t *codes, uint64_t seed)
{
    for (size_t r = 0; r < ROWS; r++) {
        uint64_t x = splitmix64(&seed);
        codes[3 * r] = x % 5 == 0;
        codes[3 * r + 1] = codes[3 * r] ? 2 : (uint32_t)(x >> 8) % 3;
        codes[3 * r + 2] = (codes[3 * r + 1] + ((x >> 16) % 4 == 0)) % 4;
    }
}

/* Before the rows are there, and without running it. */
static void what_will_be_stated_is_known_beforehand(void **state)
{
    dusk_table table = { .columns = 3, .sizes = sizes, .rows = 9, .codes = (const uint32_t *)16 };
    dusk_mwem_options options = options_of(100000);
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    uint32_t codes[3 * ROWS];
    dusk_statement stated;
    (void)state;
    assert_int_equal(dusk_mwem_state(&stated, &how, &options, &table, NULL), DUSK_OK);
    assert_true(stated.epsilon <= 1 && strstr(event_of(stated), ") * 100000"));
    options.rounds = 3;
    how.delta = 1e-6;
    assert_int_equal(dusk_mwem_state(&stated, &how, &options, &table, NULL), DUSK_OK);
    fill(codes, 1);
    learned l = learn(&how, &options, codes, ROWS, 1);
    assert_memory_equal(&stated, &l.statement, sizeof stated);
}

static double total_of(const learned *l)
{
    double sum = 0;
    for (int c = 0; c < CELLS; c++) {
        assert_true(l->model[c] >= 0);
        sum += l->model[c];
    }
    return sum;
}

static void the_number_of_rows_is_paid_for(void **state)
{
    uint32_t codes[3 * ROWS];
    dusk_mwem_options options = options_of(2);
    int exact = 0;
    (void)state;
    fill(codes, 1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.5);
        learned l = learn(&how, &options, codes, ROWS, seed);
        exact += fabs(total_of(&l) - ROWS) < 0.5;
        how.neighbours = DUSK_REPLACE_ONE; /* now it is public */
        l = learn(&how, &options, codes, ROWS, seed);
        assert_true(fabs(total_of(&l) - ROWS) < 1e-6);
    }
    assert_true(exact < 5); /* noise of scale 40 */
}

/* One round on one column of two values: the model comes to be what was measured. */
static void what_is_measured_has_the_noise_that_is_charged(void **state)
{
    enum { RUNS = 2000 };
    static const dusk_marginal column = { 1, { 0 } };
    static uint32_t codes[1000];
    dusk_table table = { .columns = 1, .sizes = sizes, .rows = 1000, .codes = codes };
    dusk_aggregate how = ask(DUSK_REPLACE_ONE, NAN, NAN, 0.5);
    dusk_mwem_options options = options_of(1);
    dusk_generator *gen = seeded(8);
    double sum = 0, variance = 2 * 4 * 4; /* half of epsilon */
    (void)state;
    for (int r = 0; r < 400; r++) codes[r] = 1;
    options.marginals = &column;
    options.marginals_count = 1;
    options.replays = 100;
    for (int run = 0; run < RUNS; run++) {
        double model[2], error;
        dusk_statement statement;
        assert_int_equal(dusk_mwem_release(model, &error, &statement, &how, &options, &table, gen, NULL),
                         DUSK_OK);
        sum += (model[0] - 600) * (model[0] - 600);
    }
    assert_true(fabs(sum / RUNS - variance) < 6 * sqrt(5.0 / RUNS) * variance);
    dusk_generator_free(gen);
}

/* Noise that is far above 2^42: scores are cut off there, so the model must be. */
static void no_model_is_larger_than_scores_reach(void **state)
{
    uint32_t codes[3 * ROWS];
    dusk_mwem_options options = options_of(1);
    (void)state;
    fill(codes, 1);
    for (uint64_t seed = 0; seed < 8; seed++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0x1p-45);
        learned l = learn(&how, &options, codes, ROWS, seed);
        assert_true(total_of(&l) < 0x1p42);
    }
}

static double worst_answer(const learned *l, const dusk_mwem_options *options, const uint32_t *codes)
{
    dusk_table table = { .columns = 3, .sizes = sizes, .rows = ROWS, .codes = codes };
    double answers[CELLS * 2], worst = 0, *answer = answers;
    uint64_t exact[CELLS];
    assert_int_equal(
        dusk_marginals_of(answers, &table, options->marginals, options->marginals_count, l->model, NULL),
        DUSK_OK);
    for (size_t i = 0; i < options->marginals_count; i++) {
        size_t cells = dusk_marginal_cells(&table, &options->marginals[i]);
        dusk_marginal_count(exact, &table, &options->marginals[i]);
        for (size_t c = 1; c < cells && options->prefixes; c++) {
            exact[c] += exact[c - 1];
            answer[c] += answer[c - 1];
        }
        for (size_t c = 0; c < cells; c++) worst = fmax(worst, fabs(answer[c] - (double)exact[c]));
        answer += cells;
    }
    return worst;
}

static void the_bound_on_the_error_holds(void **state)
{
    static const dusk_marginal last[] = { { 1, { 2 } } };
    uint32_t codes[3 * ROWS];
    int held = 0, runs = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++, runs++) {
        dusk_mwem_options options = options_of(4 + (uint32_t)(seed % 9));
        dusk_aggregate how =
            ask(seed & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, 0.5 + (double)(seed % 3));
        if (seed % 24 == 3) how.delta = 1e-5;
        if (seed % 5 == 4) {
            options.marginals = last;
            options.marginals_count = 1;
            options.prefixes = true;
        }
        how.confidence = 0.8;
        fill(codes, seed);
        learned l = learn(&how, &options, codes, ROWS, seed);
        held += worst_answer(&l, &options, codes) <= l.error;
    }
    assert_true(held >= 0.8 * runs - 5 * sqrt(0.16 * runs));
}

static void with_much_budget_the_workload_is_learned(void **state)
{
    uint32_t codes[3 * ROWS];
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1e4);
    dusk_mwem_options options = options_of(60);
    (void)state;
    fill(codes, 3);
    learned l = learn(&how, &options, codes, ROWS, 1);
    assert_true(worst_answer(&l, &options, codes) < 12);
    assert_true(l.error < 40);
}

static void bad_requests_are_refused_before_the_data(void **state)
{
    dusk_table table = { .columns = 3, .sizes = sizes, .rows = 9, .codes = (const uint32_t *)16 };
    uint32_t huge[3] = { 1000, 1000, 1000 };
    dusk_generator *gen = seeded(1);
    learned l = { .error = 7 };
    (void)state;
    for (int bad = 0; bad < 6; bad++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
        dusk_mwem_options options = options_of(3);
        if (bad == 0) options.size = 0;
        if (bad == 1) options.rounds = 0;
        if (bad == 2) options.replays = 0;
        if (bad == 3) options.marginals_count = 0;
        if (bad == 4) how.epsilon = NAN;
        if (bad == 5) table.sizes = huge;
        assert_int_equal(
            dusk_mwem_release(l.model, &l.error, &l.statement, &how, &options, &table, gen, NULL),
            DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_mwem_state(&l.statement, &how, &options, &table, NULL), DUSK_ERR_ARGUMENT);
    }
    assert_true(l.error == 7);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_move_by_no_more_than_their_count),
        cmocka_unit_test(the_schedule_keeps_its_promise),
        cmocka_unit_test(what_will_be_stated_is_known_beforehand),
        cmocka_unit_test(the_number_of_rows_is_paid_for),
        cmocka_unit_test(what_is_measured_has_the_noise_that_is_charged),
        cmocka_unit_test(no_model_is_larger_than_scores_reach),
        cmocka_unit_test(the_bound_on_the_error_holds),
        cmocka_unit_test(with_much_budget_the_workload_is_learned),
        cmocka_unit_test(bad_requests_are_refused_before_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
