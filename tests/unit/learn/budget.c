/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a promise: what is given costs no more than was asked for and wastes little; noise grows with what one change of the data
 * moves; releases are of the noise that was planned. */
#include "learn/budget.h"

#include <math.h>

#include "seeded.h"

static learn_budget budget(double epsilon, double delta, uint32_t rows_per_unit, dusk_neighbours relation)
{
    learn_budget b;
    dusk_error err;
    if (learn_budget_init(&b, relation, epsilon, delta, rows_per_unit, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    return b;
}

static void refusals(void **state)
{
    static const struct {
        double epsilon, delta;
        uint32_t rows;
        dusk_neighbours relation;
    } bad[] = {
        { 0, 0, 1, DUSK_ADD_REMOVE },        { -1, 0, 1, DUSK_ADD_REMOVE },
        { NAN, 0, 1, DUSK_ADD_REMOVE },      { INFINITY, 0, 1, DUSK_ADD_REMOVE },
        { 1, -1e-9, 1, DUSK_ADD_REMOVE },    { 1, 1, 1, DUSK_ADD_REMOVE },
        { 1, NAN, 1, DUSK_ADD_REMOVE },      { 1, 0, 0, DUSK_ADD_REMOVE },
        { 1, 0, 1u << 21, DUSK_ADD_REMOVE }, { 1, 0, 1, (dusk_neighbours)0 },
        { 1, 0, 1, (dusk_neighbours)77 },
    };
    learn_noise noise;
    double each;
    dusk_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        learn_budget b;
        assert_int_equal(
            learn_budget_init(&b, bad[i].relation, bad[i].epsilon, bad[i].delta, bad[i].rows, &err),
            DUSK_ERR_ARGUMENT);
        assert_true(*err.message && *err.hint);
    }
    static const double steps[] = { 0, 0.5, 1.5, 0x1p51, NAN, INFINITY, -1 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        learn_budget b = budget(1, 1e-6, 1, DUSK_ADD_REMOVE);
        assert_int_equal(learn_budget_noise(&b, &noise, 1, steps[i], 0, 0.5, 1, &err), DUSK_ERR_ARGUMENT);
        assert_true(b.left == 1 && !b.any);
    }
    learn_budget b = budget(1, 1e-6, 1u << 20, DUSK_REPLACE_ONE);
    assert_int_equal(learn_budget_noise(&b, &noise, 1, 0x1p40, 0, 0.5, 1, &err), DUSK_ERR_ARGUMENT);
    static const double shares[] = { 0, -0.1, 1.001, NAN };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        b = budget(1, 0, 1, DUSK_ADD_REMOVE);
        assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, shares[i], 1, &err), DUSK_ERR_ARGUMENT);
        assert_int_equal(learn_budget_pure(&b, &each, false, shares[i], 1, &err), DUSK_ERR_ARGUMENT);
    }
    b = budget(1, 0, 1, DUSK_ADD_REMOVE);
    assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, 0.7, 1, &err), DUSK_OK);
    assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, 0.31, 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, 0.1, 0, &err), DUSK_ERR_ARGUMENT);
}

/* Sums and choices together, in all the ways that shares can be cut. */
static void promises_are_kept(void **state)
{
    static const double epsilons[] = { 0.01, 0.3, 1, 10 }, deltas[] = { 0, 1e-12, 1e-6, 1e-3 };
    (void)state;
    for (int i = 0; i < 64; i++) {
        double delta = deltas[i / 4 % 4], each;
        learn_budget b =
            budget(epsilons[i % 4], delta, 1 + (uint32_t)(i % 3), i & 8 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
        learn_noise noise;
        dusk_statement statement;
        uint64_t times = i & 16 ? 40 : 1;
        assert_int_equal(learn_budget_noise(&b, &noise, 7, 1000, -5, 0.3, times, NULL), DUSK_OK);
        assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, 0.05, 1, NULL), DUSK_OK);
        if (i & 32) assert_int_equal(learn_budget_pure(&b, &each, i & 16, 0.2, times, NULL), DUSK_OK);
        assert_int_equal(learn_budget_noise(&b, &noise, 100, 12345, 3, b.left, 2, NULL), DUSK_OK);
        assert_true(b.left >= 0 && b.left < 1e-9);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon <= b.epsilon && statement.neighbours == b.neighbours);
        if (!(i & 32))
            assert_true(statement.epsilon > 0.98 * b.epsilon); /* nothing is wasted on sums alone */
    }
}

/* One pure part alone is priced by its epsilon: it must not be more than was asked for, whatever the delta allows. */
static void pure_parts_stay_within_epsilon(void **state)
{
    static const double epsilons[] = { 1e-6, 0.001, 0.5, 3, 1e6 },
                        deltas[] = { 1e-300, 1e-6, 0.01, 0.5, 0.9 };
    (void)state;
    for (size_t i = 0; i < 25; i++) {
        learn_budget b = budget(epsilons[i / 5], deltas[i % 5], 1, DUSK_ADD_REMOVE);
        dusk_statement statement;
        double each;
        assert_int_equal(learn_budget_pure(&b, &each, i % 2, 1, 1, NULL), DUSK_OK);
        assert_true(each > 0 && each <= epsilons[i / 5]);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
    }
}

/* Choices get what is left of epsilon, and no less than their shares of a Gaussian budget would be. */
static void choices_use_what_is_left(void **state)
{
    static const double epsilons[] = { 0.01, 3 };
    static const uint64_t times[] = { 1, 7 };
    (void)state;
    for (size_t i = 0; i < 16; i++) {
        const double epsilon = epsilons[i & 1];
        const uint64_t often = times[i >> 1 & 1];
        learn_budget b = budget(epsilon, i & 4 ? 1e-6 : 0, 1, DUSK_ADD_REMOVE), other;
        learn_noise noise;
        dusk_statement statement;
        double each, least;
        if (i & 8) assert_int_equal(learn_budget_noise(&b, &noise, 3, 5, 0, 0.3, 1, NULL), DUSK_OK);
        other = b;
        assert_int_equal(learn_budget_pure(&other, &least, true, other.left, often, NULL), DUSK_OK);
        assert_int_equal(learn_budget_choices(&b, &each, often, NULL), DUSK_OK);
        assert_true(b.left == 0 && each >= least);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        if (!(statement.epsilon <= epsilon && statement.epsilon > 0.7 * epsilon))
            fail_msg("%g of %g, case %zu", statement.epsilon, epsilon, i);
    }
}

/* Twice the change of the data, twice the noise. */
static void noise_follows_what_a_change_moves(void **state)
{
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++)
        for (uint32_t rows = 1; rows <= 5; rows += 2)
            for (int replace = 0; replace < 2; replace++) {
                learn_noise one, many;
                learn_budget plain = budget(1, gaussian * 1e-6, 1, DUSK_ADD_REMOVE);
                learn_budget b =
                    budget(1, gaussian * 1e-6, rows, replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE);
                assert_int_equal(learn_budget_noise(&plain, &one, 4, 64, -3, 0.5, 1, NULL), DUSK_OK);
                assert_int_equal(learn_budget_noise(&b, &many, 4, 64, -3, 0.5, 1, NULL), DUSK_OK);
                double factor = rows * (replace ? 2.0 : 1.0);
                assert_true(b.factor == factor && fabs(many.deviation / one.deviation / factor - 1) < 1e-3);
                assert_true(many.gaussian == (gaussian == 1));
            }
}

/* The noise of releases is what was said: about the totals, of that deviation, on the grid, with fresh coins. */
static void releases(void **state)
{
    enum { N = 300, D = 8 };
    dusk_generator *gen = seeded(9);
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        learn_budget b = budget(2, gaussian * 1e-6, 1, DUSK_ADD_REMOVE);
        learn_noise noise;
        dusk_int128 totals[D];
        double out[D], sum = 0, square = 0;
        assert_int_equal(learn_budget_noise(&b, &noise, D, 1 << 20, -10, 1, 1, NULL), DUSK_OK);
        for (int j = 0; j < D; j++) totals[j] = (dusk_int128)(j - 4) * (1 << 30);
        for (int i = 0; i < N; i++) {
            assert_int_equal(learn_noise_release(&noise, out, totals, gen, NULL), DUSK_OK);
            for (int j = 0; j < D; j++) {
                double z = (out[j] - ldexp(j - 4, 20)) / noise.deviation;
                sum += z;
                square += z * z;
            }
        }
        double n = N * D;
        assert_true(fabs(sum / sqrt(n)) < 6);
        assert_true(fabs(square / n - 1) < (gaussian ? 0.18 : 0.6)); /* six deviations and more */
    }
    dusk_generator_free(gen);
}

/* Totals beyond what doubles hold: exact with Gaussian noise, clamped without delta, finite always. */
static void huge_totals(void **state)
{
    dusk_generator *gen = seeded(10);
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        learn_budget b = budget(1, gaussian * 1e-6, 1, DUSK_ADD_REMOVE);
        learn_noise noise;
        dusk_int128 totals[2] = { (dusk_int128)1 << 90, -((dusk_int128)1 << 90) };
        double out[2], expected = gaussian ? 0x1p80 : 0x1p43;
        assert_int_equal(learn_budget_noise(&b, &noise, 2, 1, -10, 1, 1, NULL), DUSK_OK);
        assert_int_equal(learn_noise_release(&noise, out, totals, gen, NULL), DUSK_OK);
        assert_true(fabs(out[0] / expected - 1) < 1e-6 && fabs(out[1] / expected + 1) < 1e-6);
    }
    dusk_generator_free(gen);
}

/* An event of one's own is added as it is; more than was asked for is a bug that is found. */
static void events(void **state)
{
    (void)state;
    learn_budget b = budget(1, 0, 1, DUSK_ADD_REMOVE);
    dusk_event event;
    dusk_statement statement;
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_ERR_INTERNAL);
    assert_int_equal(dusk_event_pure(&event, 0.25, NULL), DUSK_OK);
    assert_int_equal(learn_budget_event(&b, &event, 0.5, 2, NULL), DUSK_OK);
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
    assert_true(fabs(statement.epsilon - 0.5) < 1e-9);
    assert_int_equal(learn_budget_event(&b, &event, 0.5, 3, NULL), DUSK_OK);
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_ERR_INTERNAL);
    assert_int_equal(learn_budget_event(&b, &event, 0.1, 1, NULL), DUSK_ERR_ARGUMENT);
}

/* Pure releases with a delta: as much as the accountant allows, never less than without a delta or by shares, and beside others, with something set aside for them. */
static void few_pure_releases(void **state)
{
    (void)state;
    static const double promises[][2] = { { 0.3, 1e-6 }, { 1, 1e-6 }, { 1, 1e-12 }, { 8, 1e-5 } };
    static const uint64_t times[] = { 1, 3, 15, 200, 5000 };
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            const double epsilon = promises[i][0], delta = promises[i][1];
            learn_budget most = budget(epsilon, delta, 1, DUSK_ADD_REMOVE), shares = most,
                         none = budget(epsilon, 0, 1, DUSK_ADD_REMOVE);
            dusk_statement statement;
            double each, by_shares, without;
            assert_int_equal(learn_budget_pure_most(&most, &each, times[k], NULL), DUSK_OK);
            assert_int_equal(learn_budget_pure(&shares, &by_shares, false, 1, times[k], NULL), DUSK_OK);
            assert_int_equal(learn_budget_pure_most(&none, &without, times[k], NULL), DUSK_OK);
            assert_true(each >= by_shares && each >= without * (1 - 1e-5) && most.left == 0);
            assert_int_equal(learn_budget_state(&most, &statement, "row", NULL), DUSK_OK);
            assert_true(statement.epsilon <= epsilon && statement.epsilon > 0.99 * epsilon);
            /* as many as there were without a delta fit with one */
            none = budget(epsilon, delta, 1, DUSK_ADD_REMOVE);
            assert_true(learn_budget_pure_times(&none, without * 0.999, 1 << 14) >= times[k]);
        }
    /* before and after others */
    learn_budget b = budget(1, 1e-6, 1, DUSK_ADD_REMOVE);
    learn_noise noise;
    dusk_statement statement;
    double each, alone;
    assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, 0.2, 1, NULL), DUSK_OK);
    b.left -= 0.1; /* set aside */
    assert_int_equal(learn_budget_pure_most(&b, &each, 20, NULL), DUSK_OK);
    b.left += 0.1;
    assert_int_equal(learn_budget_noise(&b, &noise, 1, 1, 0, b.left, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
    assert_true(statement.epsilon <= 1 && statement.epsilon > 0.99);
    b = budget(1, 1e-6, 1, DUSK_ADD_REMOVE);
    assert_int_equal(learn_budget_pure_most(&b, &alone, 20, NULL), DUSK_OK);
    assert_true(each < alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_pure_releases),
        cmocka_unit_test(refusals),
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(pure_parts_stay_within_epsilon),
        cmocka_unit_test(choices_use_what_is_left),
        cmocka_unit_test(noise_follows_what_a_change_moves),
        cmocka_unit_test(releases),
        cmocka_unit_test(huge_totals),
        cmocka_unit_test(events),
    };
    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
