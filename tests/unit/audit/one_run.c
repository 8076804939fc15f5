/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of one run: order, ends and hostile numbers. That they are bounds is in
 * tests/exhaustive/audit_one_run.c. */
#include <math.h>

#include "dusk/audit_scores.h"
#include "support.h"

static void more_right_guesses_show_more(void **state)
{
    (void)state;
    double last[3] = { 0 };
    for (uint64_t v = 0; v <= 200; v += 5) {
        double now[3] = { dusk_one_run_epsilon_down(1000, 200, v, 1e-6, 0.05),
                          dusk_one_run_fdp_epsilon_down(1000, 200, v, 1e-6, 0.05),
                          dusk_one_run_mu_down(1000, 200, v, 0.05) };
        for (int i = 0; i < 3; i++) {
            assert_true(now[i] >= last[i] - 1e-9);
            last[i] = now[i];
        }
    }
    for (int i = 0; i < 3; i++) assert_true(last[i] > 1);
}

static void delta_and_confidence_cost(void **state)
{
    (void)state;
    assert_true(dusk_one_run_epsilon_down(1000, 100, 90, 1e-4, 0.05) <
                dusk_one_run_epsilon_down(1000, 100, 90, 0, 0.05));
    assert_true(dusk_one_run_fdp_epsilon_down(1000, 100, 90, 1e-4, 0.05) <
                dusk_one_run_fdp_epsilon_down(1000, 100, 90, 0, 0.05));
    assert_true(dusk_one_run_epsilon_down(1000, 100, 90, 0, 1e-6) <
                dusk_one_run_epsilon_down(1000, 100, 90, 0, 0.05));
    /* A claim may fail outright with a chance of delta: nothing is shown at a smaller one. */
    assert_true(dusk_one_run_epsilon_down(1000, 1000, 1000, 1e-3, 1e-6) == 0);
    assert_true(dusk_one_run_fdp_epsilon_down(1000, 1000, 1000, 1e-3, 1e-6) == 0);
}

/* All of r guesses right: q^r = error. */
static void perfect_guesses_have_a_closed_form(void **state)
{
    (void)state;
    for (uint64_t r = 1; r <= 4096; r *= 4) {
        double q = pow(0.05, 1 / (double)r), exact = fmax(0, log(q) - log1p(-q));
        double found = dusk_one_run_epsilon_down(5000, r, r, 0, 0.05);
        assert_true(found <= exact && found >= exact * (1 - 1e-8));
    }
}

static void points_of_a_curve_refute_what_the_best_of_them_refutes(void **state)
{
    static const double epsilons[] = { 0.5, 3, 8 }, deltas[] = { 0.01, 1e-6, 1e-9 };
    dusk_promise all = { .epsilons = epsilons, .deltas = deltas, .n = 3 };
    bool refuted = false;
    (void)state;
    for (uint64_t v = 50; v <= 100; v++) {
        bool now = dusk_one_run_refutes(&all, 1000, 100, v, 0.01);
        for (size_t i = 0; i < 3; i++) {
            dusk_promise one = { .epsilons = epsilons + i, .deltas = deltas + i, .n = 1 };
            if (dusk_one_run_refutes(&one, 1000, 100, v, 0.01)) assert_true(now);
        }
        refuted = refuted || now;
    }
    assert_true(refuted);
}

static void hostile_numbers_show_nothing(void **state)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY, -1, 0, 1, 2 };
    double minus = -1, zero = 0;
    dusk_promise wrong = { .epsilons = &minus, .deltas = &zero, .n = 1 };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(dusk_one_run_epsilon_down(100, 10, 10, 0, bad[i]) == 0);
        assert_true(dusk_one_run_fdp_epsilon_down(100, 10, 10, 0, bad[i]) == 0);
        assert_true(dusk_one_run_mu_down(100, 10, 10, bad[i]) == 0);
        if (bad[i] == 0) continue;
        assert_true(dusk_one_run_epsilon_down(100, 10, 10, bad[i], 0.05) == 0);
        assert_true(dusk_one_run_fdp_epsilon_down(100, 10, 10, bad[i], 0.05) == 0);
    }
    assert_false(dusk_one_run_refutes(&wrong, 100, 10, 10, 0.05));
    assert_false(dusk_one_run_refutes(&(dusk_promise){ .mu = NAN }, 100, 10, 10, 0.05));
    assert_true(dusk_one_run_chance_up(10, 20, 20, 0, 0) == 1); /* more guesses than canaries */
    assert_true(dusk_one_run_chance_up(10, 5, 6, 0, 0) == 1);
    assert_true(dusk_one_run_chance_up(0, 0, 0, 0, 0) == 1);
    assert_true(dusk_one_run_chance_up(UINT64_MAX, 2, 2, 0, 0) == 1);
    assert_true(dusk_one_run_mu_down(10, 5, 6, 0.05) == 0);
    assert_true(dusk_one_run_mu_down(0, 0, 0, 0.05) == 0);
}

/* Against the curve itself, in plain arithmetic. */
static void epsilon_of_mu_is_on_the_curve(void **state)
{
    static const double mus[] = { 0.01, 0.268, 0.925, 2.905, 10 }, deltas[] = { 1e-12, 1e-5, 0.01 };
    (void)state;
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++)
        for (size_t d = 0; d < sizeof deltas / sizeof *deltas; d++) {
            double mu = mus[i], epsilon = dusk_mu_epsilon_down(mu, deltas[d]);
            double first = 0.5 * erfc(-(mu / 2 - epsilon / mu) * M_SQRT1_2);
            double second = exp(epsilon) * 0.5 * erfc((mu / 2 + epsilon / mu) * M_SQRT1_2);
            if (epsilon == 0) {
                assert_true(first - second <= deltas[d]);
                continue;
            }
            assert_true(first - second >= deltas[d] * (1 - 1e-9));
            assert_true(fabs(first - second - deltas[d]) <= 1e-6 * deltas[d] + 1e-12);
        }
    assert_true(fabs(dusk_mu_epsilon_down(0.925, 1e-5) - 4) < 0.01);
    assert_true(dusk_mu_epsilon_down(0, 1e-5) == 0 && dusk_mu_epsilon_down(NAN, 1e-5) == 0);
    assert_true(dusk_mu_epsilon_down(1, 1) == 0 && dusk_mu_epsilon_down(1, NAN) == 0);
    assert_true(isinf(dusk_mu_epsilon_down(1, 0)));
    assert_true(dusk_mu_epsilon_down(INFINITY, 1e-5) > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_right_guesses_show_more),
        cmocka_unit_test(delta_and_confidence_cost),
        cmocka_unit_test(perfect_guesses_have_a_closed_form),
        cmocka_unit_test(points_of_a_curve_refute_what_the_best_of_them_refutes),
        cmocka_unit_test(hostile_numbers_show_nothing),
        cmocka_unit_test(epsilon_of_mu_is_on_the_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
