/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of many releases of the same groups: intervals hold as often as they say, those of one noisy number
 * not much more often, and counts and sums are right on average. Alpha is 1e-6 for each. */
#include "query_plans.h"
#include "seeded.h"

enum { ROUNDS = 4000, ROWS = 200, MEASURES = 8 };

static const query_measure_kind kinds[MEASURES] = {
    QUERY_COUNT_ROWS,          QUERY_SUM,         QUERY_SUM, QUERY_MEAN, QUERY_VARIANCE, QUERY_DEVIATION,
    QUERY_VARIANCE_POPULATION, QUERY_COUNT_VALUES
};

/* Exact answers of the values 0, 1, ..., ROWS - 1 out of 0:250, in the order of `kinds`. */
static void exact_answers(double out[MEASURES])
{
    const double n = ROWS, sum = n * (n - 1) / 2, population = (n * n - 1) / 12;
    const double wanted[MEASURES] = {
        n, sum, sum, sum / n, population * n / (n - 1), sqrt(population * n / (n - 1)), population, n
    };
    memcpy(out, wanted, sizeof wanted);
}

static void check(dusk_query_noise noise, dusk_neighbours neighbours, dusk_generator *gen)
{
    const double confidence = 0.8, deviate = 4.9; /* P(Z > 4.9) < 1e-6 */
    double right[MEASURES], total[2] = { 0 }, square[2] = { 0 };
    unsigned held[MEASURES] = { 0 };
    plan_kit kit;
    bounding_options how;
    dusk_query_options o = kit_options(4, 1e-6, noise);
    kit_open(&kit, 0, 2, true);
    for (int i = 0; i < MEASURES; i++) kit_add(&kit, kinds[i], i == 1, 0, 250);
    o.confidence = confidence;
    query_terms *terms = kit_terms(&kit, &o, neighbours);
    query_terms_bounding(terms, &how);
    bounded *b = kit_bounded(1, 0, how.totals);
    for (int i = 0; i < ROWS; i++) kit_add_row(b, &how, 0, (const double[]){ i, i });
    exact_answers(right);
    for (int round = 0; round < ROUNDS; round++) {
        dusk_result *r;
        assert_int_equal(query_release(&r, &kit.plan, terms, b, gen, NULL), DUSK_OK);
        for (size_t i = 0; i < MEASURES; i++) {
            const dusk_cell *cell = dusk_result_cell(r, 0, i);
            held[i] += cell->low <= right[i] && right[i] <= cell->high;
            if (i < 2) total[i] += cell->number - right[i];
            if (i < 2) square[i] += (cell->number - right[i]) * (cell->number - right[i]);
        }
        dusk_result_free(r);
    }
    double slack = deviate * sqrt(ROUNDS * confidence * (1 - confidence));
    for (int i = 0; i < MEASURES; i++)
        if (held[i] < ROUNDS * confidence - slack) fail_msg("interval %d held %u times", i, held[i]);
    assert_true(held[0] < ROUNDS * (confidence + 0.05) + slack &&
                held[1] < ROUNDS * (confidence + 0.01) + slack);
    for (int i = 0; i < 2; i++) assert_true(fabs(total[i]) <= deviate * 1.1 * sqrt(square[i]));
    kit_bounded_free(b, how.totals);
    query_terms_free(terms);
}

static void intervals_hold_as_often_as_they_say(void **state)
{
    check(DUSK_QUERY_LAPLACE, DUSK_ADD_REMOVE, *state);
    check(DUSK_QUERY_GAUSSIAN, DUSK_ADD_REMOVE, *state);
    check(DUSK_QUERY_LAPLACE, DUSK_REPLACE_ONE, *state);
    check(DUSK_QUERY_GAUSSIAN, DUSK_REPLACE_ONE, *state);
}

/* Counts that are shown because they reached a threshold: given that they are, their intervals hold as often as
 * they say, wherever the true count lies. */
static void intervals_hold_for_counts_that_passed_a_threshold(void **state)
{
    enum { KEYS = 4000 };
    const double confidence = 0.8;
    plan_kit kit;
    bounding_options how;
    dusk_query_options o = kit_options(1, 1e-6, DUSK_QUERY_LAPLACE);
    kit_open(&kit, 1, 1, false);
    kit_add(&kit, QUERY_COUNT_UNITS, QUERY_NONE, NAN, NAN);
    o.confidence = confidence;
    query_terms *terms = kit_terms(&kit, &o, DUSK_ADD_REMOVE);
    query_terms_bounding(terms, &how);
    bounded *b = kit_bounded(KEYS, 1, how.totals);
    for (uint64_t units = 8; units <= 24; units += 2) { /* the threshold is 15 */
        unsigned shown = 0, held = 0;
        for (size_t g = 0; g < KEYS; g++) b->units[g] = units, b->sum[g] = (dusk_int128)units;
        for (int round = 0; round < 60 && shown < 3000; round++) {
            dusk_result *r;
            assert_int_equal(query_release(&r, &kit.plan, terms, b, *state, NULL), DUSK_OK);
            for (size_t i = 0; i < dusk_result_rows(r); i++) {
                const dusk_cell *cell = dusk_result_cell(r, i, 1);
                shown++;
                held += cell->low <= (double)units && (double)units <= cell->high;
            }
            dusk_result_free(r);
        }
        assert_true(shown > 50);
        if (held < shown * confidence - 4.9 * sqrt(shown * confidence * (1 - confidence)))
            fail_msg("of %u counts of %u units that were shown, %u intervals held", shown, (unsigned)units,
                     held);
    }
    kit_bounded_free(b, how.totals);
    query_terms_free(terms);
}

static int open_one(void **state) { return open_seeded(state, 2024); }

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(intervals_hold_as_often_as_they_say),
                                        cmocka_unit_test(intervals_hold_for_counts_that_passed_a_threshold) };
    return cmocka_run_group_tests(tests, open_one, close_generator);
}
