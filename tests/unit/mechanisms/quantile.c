/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles: the law of the exponential mechanism where it has a closed form,
 * data of any size (A28), ties, several quantiles at once, and ranks within the
 * error that is stated. */
#include "unit/mechanisms/aggregate_help.h"

enum { MOST = 4000 };

static void quantiles(double *values, double *rank_error, const dusk_aggregate *how, const double *q,
                      size_t m, const double *rows, size_t n, dusk_generator *gen)
{
    dusk_statement statement;
    dusk_error err = { .message = "" };
    if (dusk_quantiles_release(values, rank_error, &statement, how, q, m, rows, n, gen, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < m; i++) {
        assert_true(values[i] >= how->lower && values[i] <= how->upper);
        if (i > 0) assert_true(values[i - 1] <= values[i]);
    }
}

static double median(const dusk_aggregate *how, const double *rows, size_t n, dusk_generator *gen)
{
    const double half = 0.5;
    double value, rank_error;
    quantiles(&value, &rank_error, how, &half, 1, rows, n, gen);
    return value;
}

/* How far the rank q n lies outside what the value has. */
static double rank_gap(double value, double q, const double *rows, size_t n, double grid)
{
    double below = 0, not_above = 0;
    for (size_t i = 0; i < n; i++) {
        below += rows[i] < value - grid;
        not_above += rows[i] <= value + grid;
    }
    return fmax(0, fmax(below - q * (double)n, q * (double)n - not_above));
}

/* A28: 1492 rows work like 1491, and a million like both. */
static void a28_many_rows_do_not_overflow(void **state)
{
    enum { MANY = 1000001 };
    double *rows = calloc(MANY, sizeof *rows);
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 1, 1);
    dusk_generator *gen = seeded(28);
    const size_t sizes[] = { 1491, 1492, 1493, 20000, MANY - 1 };
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        rows[sizes[i]] = 1;
        assert_true(median(&how, rows, sizes[i] + 1, gen) == 0);
        rows[sizes[i]] = 0;
    }
    how.epsilon = 1000; /* exp(-epsilon rank) is far below every double */
    assert_true(median(&how, rows, 1492, gen) == 0);
    free(rows);
    dusk_generator_free(gen);
}

/* n rows at the lower bound, one grid point of G in all: that point has score 0
 * and all others -n/2, so P(point) = 1 / (1 + (G - 1) exp(-rate n / 2)) with
 * rate = epsilon / (2 sensitivity). */
static void the_law_is_that_of_the_exponential_mechanism(void **state)
{
    enum { RUNS = 3000 };
    const struct {
        dusk_neighbours who;
        uint32_t rows_per_unit;
        double sensitivity;
    } kinds[] = { { DUSK_ADD_REMOVE, 1, 0.5 }, { DUSK_REPLACE_ONE, 1, 1 }, { DUSK_ADD_REMOVE, 3, 1.5 } };
    static double rows[MOST];
    dusk_generator *gen = seeded(5);
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        dusk_aggregate how = ask(kinds[k].who, 0, 1, 0.1);
        double rate = how.epsilon / (2 * kinds[k].sensitivity), others = 0x1p30, hits = 0;
        size_t n = (size_t)(2 * log(others) / rate);
        double p = 1 / (1 + others * exp(-rate * (double)n / 2));
        how.rows_per_unit = kinds[k].rows_per_unit;
        assert_true(n < MOST && p > 0.2 && p < 0.8);
        for (int i = 0; i < RUNS; i++) hits += median(&how, rows, n, gen) == 0;
        assert_true(fabs(hits - RUNS * p) < 5 * sqrt(RUNS * p * (1 - p)));
    }
    dusk_generator_free(gen);
}

/* No rows, or one: any point of the bounds, evenly. */
static void without_rows_the_answer_is_even(void **state)
{
    enum { RUNS = 4000 };
    dusk_generator *gen = seeded(6);
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -3, 7, 1e-3);
    const double odd = NAN;
    double sum = 0;
    (void)state;
    for (int i = 0; i < RUNS; i++) sum += median(&how, &odd, (size_t)i % 2, gen);
    assert_true(fabs(sum / RUNS - 2) < 5 * 10 / sqrt(12.0 * RUNS) + 0.02);
    dusk_generator_free(gen);
}

static void ranks_are_within_the_stated_error(void **state)
{
    enum { N = 3000, RUNS = 60 };
    const double q[] = { 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99 };
    static double rows[N];
    dusk_generator *gen = seeded(7);
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* spread out, tied in ten places, all alike */
        for (int i = 0; i < N; i++) rows[i] = kind == 0 ? i * 37 % N / 30.0 : kind == 1 ? i % 10 * 9.0 : 42;
        for (size_t m = 1; m <= 7; m++)
            for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++) {
                dusk_aggregate how = ask(who, 0, 100, 1);
                double values[7], rank_error, worst = 0;
                for (int run = 0; run < RUNS / 10; run++) {
                    quantiles(values, &rank_error, &how, q + (7 - m) / 2, m, rows, N, gen);
                    for (size_t i = 0; i < m; i++)
                        worst = fmax(worst, rank_gap(values[i], q[(7 - m) / 2 + i], rows, N, 1e-6));
                }
                assert_true(worst <= rank_error);
                assert_true(worst < (m == 1 ? 60 : 400)); /* the stated error is for the worst case */
            }
    }
    dusk_generator_free(gen);
}

/* Halving by value alone would lose the rows that equal the median. */
static void tied_rows_are_halved(void **state)
{
    enum { N = 3000 };
    static double rows[N];
    const double q[] = { 0.1, 0.3, 0.5, 0.7, 0.9 };
    dusk_generator *gen = seeded(8);
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 100, 1);
    double values[5], rank_error;
    (void)state;
    for (int i = 0; i < N; i++) rows[i] = 42;
    for (int run = 0; run < 20; run++) {
        quantiles(values, &rank_error, &how, q, 5, rows, N, gen);
        for (int i = 0; i < 5; i++) assert_true(fabs(values[i] - 42) < 1e-6);
    }
    dusk_generator_free(gen);
}

static void awkward_bounds_work(void **state)
{
    const double bounds[][2] = { { 1e18, 1e18 + 256 }, { -1e-200, 1e-200 }, { -1e200, 1e200 }, { 0.1, 0.3 } };
    dusk_generator *gen = seeded(9);
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, bounds[i][0], bounds[i][1], 1);
        double rows[200], range = how.upper - how.lower;
        for (int r = 0; r < 200; r++) rows[r] = r % 2 ? how.upper : INFINITY;
        assert_true(fabs(median(&how, rows, 200, gen) - how.upper) <= range * 0x1p-29);
    }
    dusk_generator_free(gen);
}

static void bad_quantiles_are_refused(void **state)
{
    const double bad[][2] = { { 0, 0.5 }, { 0.5, 1 }, { 0.5, 0.5 }, { 0.7, 0.3 }, { NAN, 0.5 } };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 1, 1);
    dusk_generator *gen = seeded(1);
    dusk_statement statement;
    dusk_error err;
    double values[2] = { 7, 7 }, rank_error = 7;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(dusk_quantiles_release(values, &rank_error, &statement, &how, bad[i], 2,
                                                (const double *)16, 9, gen, &err),
                         DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "quantile"));
    }
    assert_int_equal(dusk_quantiles_release(values, &rank_error, &statement, &how, bad[0], 0,
                                            (const double *)16, 9, gen, &err),
                     DUSK_ERR_ARGUMENT);
    how.delta = 1e-6;
    assert_int_equal(dusk_quantiles_release(values, &rank_error, &statement, &how, &bad[0][1], 1,
                                            (const double *)16, 9, gen, &err),
                     DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "delta"));
    assert_true(values[0] == 7 && values[1] == 7 && rank_error == 7);
    dusk_generator_free(gen);
}

static void events_say_how_it_was_done(void **state)
{
    const double q[] = { 0.25, 0.5, 0.75 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 1, 1);
    dusk_generator *gen = seeded(1);
    dusk_statement statement;
    double values[3], rank_error;
    (void)state;
    assert_int_equal(dusk_quantiles_release(values, &rank_error, &statement, &how, q, 1, q, 3, gen, NULL),
                     DUSK_OK);
    assert_string_equal(event_of(statement), "exponential(1)");
    assert_int_equal(dusk_quantiles_release(values, &rank_error, &statement, &how, q, 3, q, 3, gen, NULL),
                     DUSK_OK);
    assert_string_equal(event_of(statement), "pure(0.5) * 2");
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a28_many_rows_do_not_overflow),
        cmocka_unit_test(the_law_is_that_of_the_exponential_mechanism),
        cmocka_unit_test(without_rows_the_answer_is_even),
        cmocka_unit_test(ranks_are_within_the_stated_error),
        cmocka_unit_test(tied_rows_are_halved),
        cmocka_unit_test(awkward_bounds_work),
        cmocka_unit_test(bad_quantiles_are_refused),
        cmocka_unit_test(events_say_how_it_was_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
