/* SPDX-License-Identifier: Apache-2.0 */
/* Allowances: equal steps cost what the promise is, about as much noise as without choices; whatever is taken is within it, by an account of its own; replacements and units of several rows are paid for. */
#include "learn/allowance.h"

#include <math.h>
#include <stdio.h>

#include "accounting/filter.h"
#include "seeded.h"

enum { TIMES = 200 };

static learn_budget budget_of(double epsilon, dusk_neighbours neighbours, uint32_t rows)
{
    learn_budget b;
    assert_int_equal(learn_budget_init(&b, neighbours, epsilon, 1e-6, rows, NULL), DUSK_OK);
    return b;
}

static learn_sampler sampler_of(learn_sampling way, double rate, dusk_neighbours neighbours)
{
    learn_sampler s;
    assert_int_equal(learn_sampler_init(&s, way, rate, way == LEARN_POISSON ? 0 : 1000, neighbours, NULL),
                     DUSK_OK);
    return s;
}

static double epsilon_of(const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_account account;
    dusk_error err = { .message = "" };
    dusk_event event;
    assert_int_equal(dusk_composition_new(&c, neighbours, &err), DUSK_OK);
    if (dusk_event_parse(&event, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_int_equal(dusk_composition_add(c, &event, 1, &err), DUSK_OK);
    assert_int_equal(dusk_account_epsilon(&account, c, 1e-6, DUSK_BEST, &err), DUSK_OK);
    dusk_composition_free(c);
    return account.bound.upper;
}

/* Noise that is the same in all steps is a little more than without choices, for the one order; all rows have the same. */
static void even_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const dusk_neighbours neighbours = k & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        const double rate = k & 2 ? 1 : 0.02, epsilon = k & 4 ? 4 : 0.5;
        const learn_sampler s = sampler_of(LEARN_POISSON, rate, neighbours);
        learn_budget a = budget_of(epsilon, neighbours, 1), b = a;
        learn_allowance allowance;
        learn_noise without;
        dusk_statement statement;
        assert_int_equal(learn_budget_allow(&a, &allowance, 4, 100, -3, &s, TIMES, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&a, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon <= epsilon && statement.epsilon > 0.999 * epsilon);
        assert_int_equal(learn_budget_sampled(&b, &without, 4, 100, -3, 1, &s, TIMES, NULL), DUSK_OK);
        const double scale = allowance.even * ldexp(allowance.all ? 100 * a.factor : 100, -3);
        assert_true(scale >= without.deviation * (1 - 1e-6));
        assert_true(scale < without.deviation * (rate < 1 ? 1.15 : 1.001));
    }
}

/* Steps that get less and less noise, until nothing more is taken: what they cost by another accountant is within the promise. */
static void what_is_taken_is_within(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const dusk_neighbours neighbours = k & 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        const double rate = k & 2 ? 1 : 0.02;
        const uint32_t rows = k & 4 ? 2 : 1;
        const learn_sampler s = sampler_of(LEARN_POISSON, rate, neighbours);
        learn_budget budget = budget_of(2, neighbours, rows);
        learn_allowance allowance;
        dusk_filter *filter;
        learn_noise noise;
        char text[4000] = "";
        size_t at = 0;
        dusk_status status;
        assert_int_equal(learn_budget_allow(&budget, &allowance, 4, 100, -3, &s, TIMES, NULL), DUSK_OK);
        assert_int_equal(learn_allowance_open(&allowance, &filter, NULL), DUSK_OK);
        for (double m = allowance.even * 1.5;; m *= 0.93) {
            status = learn_allowance_take(&allowance, filter, &noise, m, 10, NULL);
            if (status != DUSK_OK) break;
            /* in units of what one row adds, which is 12.5, for one row that comes or goes */
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "%sgroup(%u, poisson(%.17g, gaussian(%.17g))) * 10", at ? " + " : "", rows,
                                   rate, noise.gauss.scale / 12.5);
        }
        assert_int_equal(status, DUSK_ERR_BUDGET);
        assert_true(at > 0);
        const double epsilon = epsilon_of(text, neighbours);
        if (!(epsilon <= 2 && epsilon > (rows > 1 ? 0.5 : 1))) /* divergences of groups are bounded loosely */
            fail_msg("%d: %g of %s", k, epsilon, text);
        dusk_filter_free(filter);
    }
}

/* What fits is taken, and nothing is left of it. */
static void what_is_left_is_found(void **state)
{
    (void)state;
    static const double factor[] = { 1, 0.7, 0.5 };
    static const uint64_t times[] = { 50, 60, 90 };
    const learn_sampler s = sampler_of(LEARN_FIXED, 0.1, DUSK_REPLACE_ONE);
    learn_budget budget = budget_of(3, DUSK_REPLACE_ONE, 1);
    learn_allowance allowance;
    dusk_filter *filter;
    learn_noise noise;
    double found;
    assert_int_equal(learn_budget_allow(&budget, &allowance, 4, 100, -3, &s, TIMES, NULL), DUSK_OK);
    assert_int_equal(learn_allowance_open(&allowance, &filter, NULL), DUSK_OK);
    assert_int_equal(learn_allowance_fit(&allowance, filter, &found, factor, times, 3, NULL), DUSK_OK);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(
            learn_allowance_take(&allowance, filter, &noise, found * factor[k] * (1 + 1e-9), times[k], NULL),
            DUSK_OK);
    assert_true(dusk_filter_left_down(filter) < 1e-5 * allowance.most);
    assert_int_equal(learn_allowance_take(&allowance, filter, &noise, allowance.even, 1, NULL),
                     DUSK_ERR_BUDGET);
    dusk_filter_free(filter);
}

/* Beside what was given before. */
static void counts_come_first(void **state)
{
    (void)state;
    const learn_sampler s = sampler_of(LEARN_POISSON, 0.02, DUSK_ADD_REMOVE);
    learn_budget budget = budget_of(2, DUSK_ADD_REMOVE, 1), bare = budget;
    learn_allowance allowance, alone;
    learn_noise count;
    dusk_statement statement;
    assert_int_equal(learn_budget_noise(&budget, &count, 1, 1, 0, 0.05, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_allow(&budget, &allowance, 4, 100, -3, &s, TIMES, NULL), DUSK_OK);
    assert_int_equal(learn_budget_state(&budget, &statement, "row", NULL), DUSK_OK);
    assert_true(statement.epsilon <= 2 && statement.epsilon > 1.998);
    assert_int_equal(learn_budget_allow(&bare, &alone, 4, 100, -3, &s, TIMES, NULL), DUSK_OK);
    assert_true(alone.even < allowance.even && allowance.even < 1.1 * alone.even);
}

static void others_are_refused(void **state)
{
    (void)state;
    learn_budget b = budget_of(1, DUSK_REPLACE_ONE, 1);
    learn_allowance allowance;
    const learn_sampler s = sampler_of(LEARN_SHUFFLED, 0.1, DUSK_REPLACE_ONE);
    assert_int_equal(learn_budget_allow(&b, &allowance, 4, 100, -3, &s, TIMES, NULL), DUSK_ERR_ARGUMENT);
    assert_true(b.left == 1 && !b.any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_steps),
        cmocka_unit_test(what_is_taken_is_within),
        cmocka_unit_test(what_is_left_is_found),
        cmocka_unit_test(counts_come_first),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
