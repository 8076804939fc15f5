/* SPDX-License-Identifier: Apache-2.0 */
/* The mode: what is refused, how far one unit can move the odds, values that are
 * public and values that are not. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "unit/mechanisms/aggregate_help.h"

static int open_generator(void **state) { return open_seeded(state, 4711); }

static dusk_aggregate request(dusk_neighbours neighbours, uint32_t rows, double epsilon, double delta)
{
    dusk_aggregate how = ask(neighbours, NAN, NAN, epsilon);
    how.rows_per_unit = rows;
    how.delta = delta;
    return how;
}

static size_t mode(const dusk_aggregate *how, const uint64_t *counts, size_t n, double *shortfall,
                   void **state)
{
    size_t index = 77;
    dusk_statement statement;
    assert_int_equal(dusk_mode_release(&index, shortfall, &statement, how, counts, n, *state, NULL), DUSK_OK);
    assert_true(statement.epsilon <= how->epsilon * (1 + 1e-12) && statement.delta == how->delta);
    return index;
}

static void the_mode_is_found(void **state)
{
    const uint64_t counts[] = { 100, 5000, 0, 300 };
    double shortfall;
    dusk_aggregate known = request(DUSK_REPLACE_ONE, 2, 1, 0), unknown = request(DUSK_ADD_REMOVE, 2, 1, 1e-6);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(mode(&known, counts, 4, &shortfall, state), 1);
        assert_int_equal(mode(&unknown, counts, 4, &shortfall, state), 1);
    }
}

static void values_that_few_have_are_not_shown(void **state)
{
    const uint64_t counts[] = { 1, 2, 1, 3 };
    double shortfall;
    dusk_aggregate how = request(DUSK_ADD_REMOVE, 1, 1, 1e-9);
    for (int i = 0; i < 100; i++) assert_true(mode(&how, counts, 4, &shortfall, state) == DUSK_NO_MODE);
    assert_true(mode(&how, counts, 0, &shortfall, state) == DUSK_NO_MODE);
}

/* Permute-and-flip from two counts c > d at rate r: the second wins with probability exp(-r (c - d)) / 2.
 * Its frequency shows the rate; 4 standard deviations of 10,000 runs. */
static void check_rate(dusk_neighbours neighbours, uint32_t rows, double rate, void **state)
{
    enum { RUNS = 10000 };
    const uint64_t counts[] = { 3, 1 };
    double shortfall, p = exp(-2 * rate) / 2;
    dusk_aggregate how = request(neighbours, rows, 1, 0);
    int second = 0;
    for (int i = 0; i < RUNS; i++) second += mode(&how, counts, 2, &shortfall, state) == 1;
    assert_true(fabs(second - RUNS * p) < 4 * sqrt(RUNS * p * (1 - p)));
    how.confidence = 0.9;
    mode(&how, counts, 2, &shortfall, state);
    assert_true(fabs(shortfall - log(1 / (2 * 0.1)) / rate) < 1e-9);
}

static void public_values_have_the_rate_of_the_relation(void **state)
{
    check_rate(DUSK_ADD_REMOVE, 1, 1, state);
    check_rate(DUSK_ADD_REMOVE, 3, 1.0 / 3, state);
    check_rate(DUSK_REPLACE_ONE, 1, 0.5, state);
    check_rate(DUSK_REPLACE_ONE, 2, 0.25, state);
}

/* From the data: a single unit of m rows shows its value with probability delta at most. */
static void one_unit_is_shown_no_more_often_than_delta(void **state)
{
    enum { RUNS = 2000 };
    double shortfall;
    for (uint32_t rows = 1; rows <= 8; rows += 7) {
        const uint64_t counts[] = { rows };
        dusk_aggregate how = request(DUSK_ADD_REMOVE, rows, 1, 0.01);
        int shown = 0;
        for (int i = 0; i < RUNS; i++) shown += mode(&how, counts, 1, &shortfall, state) == 0;
        assert_true(shown < RUNS * 0.01 + 4 * sqrt(RUNS * 0.01));
    }
}

static void bad_requests_are_refused(void **state)
{
    const uint64_t counts[] = { 3, 1 };
    size_t index = 77;
    double shortfall = 77;
    dusk_statement statement;
    dusk_error err;
    dusk_aggregate bad[] = { request(DUSK_ADD_REMOVE, 1, 0, 0), request(DUSK_ADD_REMOVE, 0, 1, 0),
                             request(DUSK_REPLACE_ONE, 1, 1, 1e-6), request((dusk_neighbours)0, 1, 1, 0),
                             request(DUSK_ADD_REMOVE, 1, 1, 1) };
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(dusk_mode_release(&index, &shortfall, &statement, &bad[i], counts, 2, *state, &err),
                         DUSK_ERR_ARGUMENT);
        assert_true(strlen(err.message) > 10);
    }
    dusk_aggregate good = request(DUSK_ADD_REMOVE, 1, 1, 0);
    assert_int_equal(dusk_mode_release(&index, &shortfall, &statement, &good, counts, 0, *state, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(index == 77 && shortfall == 77);
}

static void failing_memory_releases_nothing(void **state)
{
    const uint64_t counts[] = { 30, 1, 2 };
    for (int form = 0; form < 2; form++) {
        dusk_aggregate how = request(DUSK_ADD_REMOVE, 1, 1, form ? 1e-6 : 0);
        size_t index = 77;
        double shortfall;
        dusk_statement statement;
        dusk_status status = DUSK_ERR_MEMORY;
        for (long nth = 1; status == DUSK_ERR_MEMORY && nth < 60; nth++) {
            assert_int_equal(index, 77);
            dusk_memory_fail_at(nth);
            status = dusk_mode_release(&index, &shortfall, &statement, &how, counts, 3, *state, NULL);
            dusk_memory_fail_at(0);
        }
        assert_int_equal(status, DUSK_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mode_is_found),
        cmocka_unit_test(values_that_few_have_are_not_shown),
        cmocka_unit_test(public_values_have_the_rate_of_the_relation),
        cmocka_unit_test(one_unit_is_shown_no_more_often_than_delta),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(failing_memory_releases_nothing),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
