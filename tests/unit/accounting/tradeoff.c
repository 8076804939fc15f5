/* SPDX-License-Identifier: Apache-2.0 */
/* Trade-off curves and what an attacker gains, against closed forms. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "dusk/accounting.h"
#include "support.h"

static dusk_composition *composition(const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

static dusk_bound tradeoff(const char *text, double alpha, dusk_neighbours neighbours)
{
    dusk_composition *c = composition(text, neighbours);
    dusk_account a;
    dusk_error err = { .message = "" };
    if (dusk_account_tradeoff(&a, c, alpha, DUSK_BEST, &err) != DUSK_OK)
        fail_msg("%s: %s", text, err.message);
    assert_true(0 <= a.bound.lower && a.bound.lower <= a.bound.upper && a.bound.upper <= 1);
    dusk_composition_free(c);
    return a.bound;
}

/* The truth is enclosed, and the bounds are this close, relatively. */
static void assert_about(const char *text, double alpha, dusk_bound b, double truth, double width)
{
    if (!(b.lower <= truth * (1 + 1e-13) && b.upper >= truth * (1 - 1e-13) &&
          b.upper - b.lower <= width * truth))
        fail_msg("%s at %g: [%.17g, %.17g], truth %.17g", text, alpha, b.lower, b.upper, truth);
}

/* Phi(Phi^-1(1 - alpha) - mu), values by an independent program. */
static void gaussian(void **state)
{
    static const struct {
        double alpha, beta;
    } row[] = {
        { 1e-6, 0.99991278238985758 }, { 0.01, 0.90763775192630587 }, { 0.1, 0.61085630835463912 },
        { 0.5, 0.15865525393145705 },  { 0.9, 0.011257914512604772 }, { 0.999, 2.1547066907878776e-05 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_about("gaussian(1)", row[i].alpha, tradeoff("gaussian(1)", row[i].alpha, DUSK_ADD_REMOVE),
                     row[i].beta, 1e-7);
        assert_about("gaussian(4) * 16", row[i].alpha,
                     tradeoff("gaussian(4) * 16", row[i].alpha, DUSK_ADD_REMOVE), row[i].beta, 1e-7);
        assert_about("gaussian(2)", row[i].alpha, tradeoff("gaussian(2)", row[i].alpha, DUSK_REPLACE_ONE),
                     row[i].beta, 1e-7);
    }
}

/* max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha)) */
static void approximate(void **state)
{
    const double alphas[] = { 0, 0.01, 0.2, 0.268, 0.3, 0.7, 0.95, 1 };
    (void)state;
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        double alpha = alphas[i], e = 1, d = 0.01;
        double truth = fmax(0, fmax(1 - d - exp(e) * alpha, exp(-e) * (1 - d - alpha)));
        dusk_bound b = tradeoff("approx(1, 0.01)", alpha, DUSK_ADD_REMOVE);
        assert_true(b.lower <= truth * (1 + 1e-13) && b.lower >= truth - 1e-6);
        assert_true(b.upper >= truth * (1 - 1e-13) && (alpha == 0 || b.upper <= truth + 1e-6));
    }
}

/* Gaussian noise on a sample, q = 1/2: chances of x > t without and with the unit. */
static double without(double t) { return erfc(t / M_SQRT2) / 2; }
static double with(double t) { return (without(t) + erfc((t - 1) / M_SQRT2) / 2) / 2; }

/* The attacker may test for presence (reject absence where x > t) or for absence
 * (reject presence where x < t), and the two differ. */
static double sampled_error(double alpha, bool presence)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double t = low + (high - low) / 2;
        if (presence ? without(t) > alpha : 1 - with(t) < alpha)
            low = t;
        else
            high = t;
    }
    return presence ? 1 - with(low) : without(low);
}

static void sampled(void **state)
{
    (void)state;
    for (double alpha = 0.02; alpha < 1; alpha += 0.07) {
        double truth = fmin(sampled_error(alpha, true), sampled_error(alpha, false));
        assert_about("sampled", alpha, tradeoff("poisson(0.5, gaussian(1))", alpha, DUSK_ADD_REMOVE), truth,
                     1e-6);
    }
    double a = sampled_error(0.1, true), b = sampled_error(0.1, false);
    assert_true(fabs(a - b) > 1e-3);
}

static void arguments(void **state)
{
    const double bad[] = { -1, 1.5, NAN, INFINITY };
    dusk_composition *c = composition("gaussian(1)", DUSK_ADD_REMOVE);
    dusk_account a;
    dusk_error err;
    double odds = -1;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dusk_account_tradeoff(&a, c, bad[i], DUSK_BEST, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "alpha"));
        if (bad[i] == 1.5) continue;
        assert_int_equal(dusk_account_posterior_odds(&odds, c, bad[i], 1e-6, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "odds"));
    }
    assert_int_equal(dusk_account_posterior_odds(&odds, c, 1, 1, &err), DUSK_ERR_ARGUMENT);
    assert_true(odds == -1);
    dusk_composition_free(c);
}

/* Total variation: 2 Phi(mu/2) - 1, and tanh(eps/2) of randomized response. */
static void advantage(void **state)
{
    static const struct {
        const char *text;
        double truth;
    } row[] = {
        { "gaussian(1)", 0.38292492254802621 },
        { "gaussian(3) * 9", 0.38292492254802621 },
        { "pure(1)", 0.46211715726000975 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        dusk_composition *c = composition(row[i].text, DUSK_ADD_REMOVE);
        dusk_account a;
        assert_int_equal(dusk_account_advantage(&a, c, DUSK_BEST, NULL), DUSK_OK);
        assert_about(row[i].text, 0, a.bound, row[i].truth, 1e-9);
        dusk_composition_free(c);
    }
}

/* The loss of Gaussian noise is normal, N(1/2, 1): P(L > c) = delta at c. The
 * bound on the odds is at least e^c, and not far from it; e^eps is below. */
static void odds(void **state)
{
    const double deltas[] = { 0.1, 1e-3, 1e-6, 1e-12 };
    dusk_composition *c = composition("gaussian(1)", DUSK_ADD_REMOVE),
                     *p = composition("pure(2)", DUSK_ADD_REMOVE);
    double o;
    (void)state;
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        assert_int_equal(dusk_account_posterior_odds(&o, c, 1, deltas[i], NULL), DUSK_OK);
        double tail = erfc((log(o) - 0.5) / M_SQRT2) / 2;
        assert_true(tail <= deltas[i] && tail >= deltas[i] / 8);
        assert_int_equal(dusk_account_posterior_odds(&o, p, 3, deltas[i], NULL), DUSK_OK);
        assert_true(o <= 3 * exp(2) * (1 + 1e-12));
    }
    assert_int_equal(dusk_account_posterior_odds(&o, c, 1, 0, NULL), DUSK_OK);
    assert_true(isinf(o));
    assert_int_equal(dusk_account_posterior_odds(&o, c, 0, 0, NULL), DUSK_OK);
    assert_true(o == 0);
    assert_int_equal(dusk_account_posterior_odds(&o, p, 3, 0, NULL), DUSK_OK);
    assert_true(o >= 3 * exp(2) * (1 - 1e-15) && o <= 3 * exp(2) * (1 + 1e-12));
    dusk_composition_free(c);
    dusk_composition_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian),  cmocka_unit_test(approximate), cmocka_unit_test(sampled),
        cmocka_unit_test(arguments), cmocka_unit_test(advantage),   cmocka_unit_test(odds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
