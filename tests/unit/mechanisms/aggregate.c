/* SPDX-License-Identifier: Apache-2.0 */
/* What all aggregates share: a bad request is refused before a row is read or a
 * coin is tossed, the statement never promises more than was asked for, and the
 * arithmetic of intervals encloses. */
#include "unit/mechanisms/aggregate_help.h"

#include "base/memory.h"
#include "mechanisms/aggregate.h"

/* Every aggregate of rows in one form; the rows of a refused request are at an
 * address that must not be read. */
static dusk_status count(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                         dusk_generator *gen, dusk_error *err)
{
    (void)rows;
    return dusk_count_release(out, how, n, gen, err);
}

static dusk_status histogram(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                             dusk_generator *gen, dusk_error *err)
{
    const double edges[3] = { 0, 5, 10 };
    double counts[2], half_width;
    dusk_statement statement;
    dusk_status status =
        dusk_histogram_release(counts, &half_width, &statement, how, edges, 2, rows, n, gen, err);
    if (status == DUSK_OK)
        *out = (dusk_answer){ counts[0], counts[0] - half_width, counts[0] + half_width, how->confidence,
                              statement };
    return status;
}

static dusk_status quantile(dusk_answer *out, const dusk_aggregate *how, const double *rows, size_t n,
                            dusk_generator *gen, dusk_error *err)
{
    const double q[3] = { 0.25, 0.5, 0.75 };
    double values[3], rank_error;
    dusk_statement statement;
    dusk_status status =
        dusk_quantiles_release(values, &rank_error, &statement, how, q, 3, rows, n, gen, err);
    if (status == DUSK_OK)
        *out = (dusk_answer){ values[1], values[0], values[2], how->confidence, statement };
    return status;
}

static aggregate *const all[] = { count,     dusk_sum_release, dusk_mean_release, dusk_variance_release,
                                  histogram, quantile };
enum { KINDS = sizeof all / sizeof *all };

static void assert_refused(size_t kind, const dusk_aggregate *how, const char *word)
{
    dusk_generator *tape; /* without coins: a draw would be an entropy error */
    dusk_answer out, before;
    dusk_error err = { .message = "" };
    memset(&out, 7, sizeof out);
    memcpy(&before, &out, sizeof out);
    assert_int_equal(dusk_generator_new_tape(&tape, NULL, 0, NULL), DUSK_OK);
    assert_int_equal(all[kind](&out, how, (const double *)16, 1000, tape, &err), DUSK_ERR_ARGUMENT);
    if (!strstr(err.message, word)) fail_msg("kind %zu: '%s' should speak of %s", kind, err.message, word);
    assert_true(strlen(err.hint) > 0);
    assert_memory_equal(&out, &before, sizeof out);
    dusk_generator_free(tape);
}

static void bad_requests_are_refused(void **state)
{
    const double bad[] = { 0, -1, NAN, INFINITY };
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        const dusk_aggregate good = ask(DUSK_ADD_REMOVE, 0, 10, 1);
        dusk_aggregate how;
        bool bounded = all[kind] != count && all[kind] != histogram;
        for (size_t i = 0; i < 4; i++) {
            how = good, how.epsilon = bad[i];
            assert_refused(kind, &how, "epsilon");
            how = good, how.confidence = bad[i];
            assert_refused(kind, &how, "confidence");
        }
        how = good, how.confidence = 1, assert_refused(kind, &how, "confidence");
        how = good, how.confidence = 1 - 0x1p-50, assert_refused(kind, &how, "confidence");
        how = good, how.delta = 1, assert_refused(kind, &how, "delta");
        how = good, how.delta = NAN, assert_refused(kind, &how, "delta");
        how = good, how.delta = -1e-9, assert_refused(kind, &how, "delta");
        how = good, how.rows_per_unit = 0, assert_refused(kind, &how, "rows_per_unit");
        how = good, how.neighbours = 0, assert_refused(kind, &how, "neighbours");
        how = good, how.size = 0, assert_refused(kind, &how, "initialised");
        how = good, how.unit = "a very long word for somebody or something whose privacy is to be protected";
        assert_refused(kind, &how, "unit");
        dusk_aggregate_init(&how); /* nothing without a default was set */
        assert_refused(kind, &how, "neighbours");
        if (!bounded) continue;
        how = good, how.lower = NAN, assert_refused(kind, &how, "lower");
        how = good, how.upper = INFINITY, assert_refused(kind, &how, "upper");
        how = good, how.upper = 0, assert_refused(kind, &how, "lower");
        how = good, how.upper = -1, assert_refused(kind, &how, "lower");
        how = good, how.lower = -DBL_MAX, how.upper = DBL_MAX, assert_refused(kind, &how, "");
        how = good, how.upper = DBL_TRUE_MIN, assert_refused(kind, &how, "");
    }
}

static void statements_never_promise_more_than_was_asked(void **state)
{
    const double epsilons[] = { 0.01, 0.1, 0.7, 1, 3, 10 }, deltas[] = { 0, 1e-9, 0.01 };
    const double rows[4] = { 1, 2, 3, 4 };
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t e = 0; e < 6; e++)
            for (size_t d = 0; d < 3; d++)
                for (uint32_t m = 1; m <= 5; m += 2)
                    for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++) {
                        dusk_aggregate how = ask(who, 0, 10, epsilons[e]);
                        if (all[kind] == quantile && d > 0) continue;
                        how.delta = deltas[d];
                        how.rows_per_unit = m;
                        dusk_statement s = answer_of(all[kind], &how, rows, 4, e).statement;
                        assert_true(s.epsilon <= how.epsilon && s.delta == how.delta);
                        bool exact = all[kind] == count && who == DUSK_REPLACE_ONE && m == 1;
                        assert_true(exact ? s.epsilon == 0 : s.epsilon > how.epsilon * (1 - 1e-9));
                        assert_int_equal(s.neighbours, who);
                        assert_int_equal(s.numerics, DUSK_NUMERICS_EXACT);
                        assert_string_equal(s.unit, "row");
                    }
}

static void statements_say_what_was_declared(void **state)
{
    const double rows[2] = { 1, 2 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, -2.5, 12, 1);
    (void)state;
    how.rows_per_unit = 3;
    how.unit = "person";
    dusk_statement s = answer_of(dusk_sum_release, &how, rows, 2, 1).statement;
    assert_string_equal(s.assumed, "bounds -2.5:12 declared; at most 3 rows a unit");
    assert_string_equal(s.unit, "person");
    how = ask(DUSK_REPLACE_ONE, 0, 1, 1);
    s = answer_of(dusk_mean_release, &how, rows, 2, 1).statement;
    assert_string_equal(s.assumed, "bounds 0:1 declared; exactly 1 row a unit");
    s = answer_of(count, &how, rows, 2, 1).statement;
    assert_string_equal(s.assumed, "exactly 1 row a unit");
}

static void failures_leave_no_answer(void **state)
{
    const double rows[4] = { 1, 2, 3, 4 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, 0, 10, 1);
    dusk_generator *tape, *gen = seeded(1);
    (void)state;
    assert_int_equal(dusk_generator_new_tape(&tape, NULL, 0, NULL), DUSK_OK);
    for (size_t kind = 0; kind < KINDS; kind++) {
        dusk_answer out, before;
        memset(&out, 7, sizeof out);
        memcpy(&before, &out, sizeof out);
        assert_int_equal(all[kind](&out, &how, rows, 4, tape, NULL), DUSK_ERR_ENTROPY);
        assert_memory_equal(&out, &before, sizeof out);
        for (int n = 1;; n++) { /* the n-th allocation fails, until there is none */
            dusk_memory_fail_at(n);
            dusk_status status = all[kind](&out, &how, rows, 4, gen, NULL);
            dusk_memory_fail_at(0);
            if (status == DUSK_OK) break;
            assert_int_equal(status, DUSK_ERR_MEMORY);
            assert_memory_equal(&out, &before, sizeof out);
        }
    }
    dusk_generator_free(tape);
    dusk_generator_free(gen);
}

/* A10, A11: no table, odd rows: an ordinary answer of the ordinary shape. */
static void a10_a11_odd_tables_give_ordinary_answers(void **state)
{
    const double odd[] = { 1, NAN, 2, INFINITY, -INFINITY, -0.0, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MAX, -NAN };
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (dusk_neighbours who = DUSK_ADD_REMOVE; who <= DUSK_REPLACE_ONE; who++)
            for (uint64_t seed = 0; seed < 50; seed++) {
                dusk_aggregate how = ask(who, -3, 10, 1);
                dusk_statement full = answer_of(all[kind], &how, odd, 10, seed).statement;
                dusk_statement none = answer_of(all[kind], &how, NULL, 0, seed).statement;
                assert_memory_equal(&full.event, &none.event, sizeof full.event); /* it never reads n */
            }
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed * 0x1p-60;
}

static void ranges_enclose(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double a = draw(&seed), b = draw(&seed), c = fabs(draw(&seed)) + 1e-3, d = fabs(draw(&seed));
        double s = (double)(i % 11) / 10, t = (double)(i % 7) / 6;
        dusk_range total = { fmin(a, b), fmax(a, b) }, rows = { c, c + d };
        double x = fmin(fmax(total.low + s * (total.high - total.low), total.low), total.high);
        double n = fmin(rows.low + t * (rows.high - rows.low), rows.high);
        dusk_range ratio = dusk_range_ratio(total, rows), square = dusk_range_square(total);
        assert_true(ratio.low <= x / n && x / n <= ratio.high);
        assert_true(square.low <= x * x && x * x <= square.high);
        dusk_range about = dusk_range_about(x, d, -60);
        assert_true(about.low <= x - d && x + d <= about.high);
    }
    dusk_range wide = dusk_range_about(0x1p60, 1, 0); /* such a double stands for many whole numbers */
    assert_true(wide.low <= 0x1p60 - 129 && wide.high >= 0x1p60 + 129);
    wide = dusk_range_about(0x1p53, 0, 0); /* 2^53 + 1 becomes 2^53 */
    assert_true(wide.high >= 0x1p53 + 2);
    dusk_range clamped = dusk_range_clamp((dusk_range){ -2, 5 }, 0, 3);
    assert_true(clamped.low == 0 && clamped.high == 3);
}

static void centred_rows_stay_within_reach(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        dusk_aggregate how = ask(DUSK_ADD_REMOVE, draw(&seed), 0, 1);
        how.upper = how.lower + fabs(draw(&seed)) * (i % 2 ? 1 : 1e-9) + 1e-12;
        dusk_centre c = dusk_centre_of(&how);
        double rows[4] = { how.lower, how.upper, how.lower / 2 + how.upper / 2, NAN };
        int grid = ilogb(c.reach) - 50, square_grid = ilogb(c.half_square) - 50;
        for (int r = 0; r < 4; r++) {
            double one = (double)dusk_centre_sum(&c, &rows[r], 1, grid);
            double square = (double)dusk_centre_sum_squares(&c, &rows[r], 1, square_grid);
            assert_true(fabs(ldexp(one, grid)) <= c.reach);
            assert_true(fabs(ldexp(square, square_grid)) <= c.half_square);
        }
        double both = (double)dusk_centre_sum(&c, rows, 2, grid);
        assert_true(fabs(ldexp(both, grid)) <= 0x1p-40 * (fabs(how.lower) + fabs(how.upper) + c.reach));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(statements_never_promise_more_than_was_asked),
        cmocka_unit_test(statements_say_what_was_declared),
        cmocka_unit_test(failures_leave_no_answer),
        cmocka_unit_test(a10_a11_odd_tables_give_ordinary_answers),
        cmocka_unit_test(ranges_enclose),
        cmocka_unit_test(centred_rows_stay_within_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
