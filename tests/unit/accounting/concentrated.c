/* SPDX-License-Identifier: Apache-2.0 */
/* Concentrated and Gaussian privacy, the moments accountant and the central
 * limit: parameters of events, conversions against reference values and against
 * each other, conditions that are checked, and hostile parameters. */
#include "accounting/concentrated.h"

#include <math.h>
#include <stdio.h>

#include "accounting/accountants.h"
#include "accounting/gaussian.h"
#include "support.h"

typedef dusk_status accountant(dusk_bound *out, const dusk_composition *composition, double at,
                               dusk_error *err);

static dusk_composition *parse(const char *text, dusk_neighbours how)
{
    dusk_composition *c;
    dusk_error err = { 0 };
    assert_int_equal(dusk_composition_new(&c, how, &err), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

static double ask(accountant *who, const char *text, dusk_neighbours how, double at)
{
    dusk_composition *c = parse(text, how);
    dusk_bound out = { 0, NAN };
    dusk_error err = { 0 };
    if (who(&out, c, at, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    if (!(out.upper >= 0 && out.lower >= 0 && out.lower <= out.upper)) fail_msg("%s: %g", text, out.upper);
    dusk_composition_free(c);
    return out.upper;
}

static dusk_status status_of(accountant *who, const char *text, dusk_neighbours how, double at)
{
    dusk_composition *c = parse(text, how);
    dusk_bound out = { 0, 0 };
    dusk_error err = { 0 };
    dusk_status status = who(&out, c, at, &err);
    if (status == DUSK_OK && !(out.upper >= 0)) fail_msg("%s: %g", text, out.upper);
    if (status != DUSK_OK && !err.message[0]) fail_msg("%s: no sentence", text);
    dusk_composition_free(c);
    return status;
}

/* not below, and within a share */
static void assert_just_above(const char *what, double a, double b, double share)
{
    if (!(a >= b && a <= b * (1 + share) + 1e-300)) fail_msg("%s: %.17g against %.17g", what, a, b);
}

static void parameters(void **state)
{
    static const struct {
        const char *text;
        dusk_neighbours how;
        double xi, rho, gdp;
    } rows[] = {
        { "gaussian(2) * 4", DUSK_ADD_REMOVE, 0, 0.5, 1 },
        { "gaussian(2) * 4", DUSK_REPLACE_ONE, 0, 2, 4 },
        { "gdp(3)", DUSK_REPLACE_ONE, 0, 4.5, 9 },
        { "matrix(2, 3)", DUSK_ADD_REMOVE, 0, 1.125, 2.25 },
        { "tree(2, 8)", DUSK_ADD_REMOVE, 0, 0.5, 1 },
        { "group(3, gaussian(3))", DUSK_ADD_REMOVE, 0, 0.5, 1 },
        { "discrete_gaussian(4, 2)", DUSK_ADD_REMOVE, 0, 0.125, INFINITY },
        { "zcdp(0.25, 0.5) * 3", DUSK_ADD_REMOVE, 1.5, 0.75, INFINITY },
        { "mcdp(2, 2)", DUSK_ADD_REMOVE, 0, 2, INFINITY },
        { "mcdp(3, 2)", DUSK_ADD_REMOVE, 1, 2, INFINITY },
        { "exponential(2)", DUSK_ADD_REMOVE, 0, 0.5, 5.5599824 },
        { "poisson(0.1, gaussian(2))", DUSK_ADD_REMOVE, 0, 0.125, 0.25 },
        { "poisson(0.1, gaussian(2))", DUSK_REPLACE_ONE, 0, 0.5, 1 },
        { "parallel(gaussian(2), gaussian(4))", DUSK_ADD_REMOVE, 0, 0.125, 0.25 },
        { "approx(1, 1e-6)", DUSK_ADD_REMOVE, INFINITY, INFINITY, INFINITY },
        { "tcdp(1, 5)", DUSK_ADD_REMOVE, INFINITY, INFINITY, INFINITY },
        { "rdp(2: 1)", DUSK_ADD_REMOVE, INFINITY, INFINITY, INFINITY },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dusk_composition *c = parse(rows[i].text, rows[i].how);
        double xi, rho, gdp;
        assert_int_equal(dusk_zcdp_of_tree(&xi, &rho, dusk_composition_first(c), rows[i].how, NULL), DUSK_OK);
        assert_int_equal(dusk_gdp_of_tree(&gdp, dusk_composition_first(c), rows[i].how, NULL), DUSK_OK);
        if (!(xi >= rows[i].xi && (xi <= rows[i].xi + 1e-14 || isinf(xi))))
            fail_msg("%s: xi %g", rows[i].text, xi);
        assert_just_above(rows[i].text, rho, rows[i].rho, 1e-14);
        assert_just_above(rows[i].text, gdp, rows[i].gdp * (1 - 1e-5), 3e-5);
        dusk_composition_free(c);
    }
}

/* eps tanh(eps/2) is the least rho: the divergence of randomized response over its
 * order comes near it and never above; the trade-off function of mu touches the
 * corner of that of eps. */
static void pure_is_tight(void **state)
{
    (void)state;
    for (double e = 1e-8; e < 50; e *= 3) {
        double rho = dusk_pure_rho_up(e), mu = dusk_pure_gdp_up(e), most = 0;
        for (double s = 1e-3; s < 1e3; s *= 2) {
            dusk_composition *c = parse("pure(1)", DUSK_ADD_REMOVE);
            dusk_event_node tree = *dusk_composition_first(c);
            double d;
            tree.real[0] = e;
            assert_int_equal(dusk_rdp_of_tree(&d, &tree, DUSK_ADD_REMOVE, 1 + s, NULL), DUSK_OK);
            most = fmax(most, d / (1 + s));
            dusk_composition_free(c);
        }
        assert_just_above("rho", rho, most * (1 - 1e-4), 3e-3);
        assert_just_above("rho", rho, e * tanh(e / 2) * (1 - 1e-14), 1e-13);
        double corner = 1 / (1 + exp(e));
        if (e > 1e-3) assert_just_above("corner", 0.5 * erfc(mu / sqrt(8)), corner * (1 - 1e-9), 2e-9);
        assert_true(0.5 * erfc(mu / sqrt(8)) <= corner * (1 + 1e-12));
        /* delta of the Gaussian is above that of eps-privacy at every epsilon */
        for (double x = 0; x < e; x += e / 7)
            assert_true(dusk_gaussian_delta_up(1 / mu, x) >= (exp(e) - exp(x)) / (1 + exp(e)) * (1 - 1e-12));
    }
}

static void zcdp_and_mcdp(void **state)
{
    static const struct {
        const char *text;
        double delta, epsilon;
    } rows[] = {
        { "zcdp(0.01)", 1e-06, 0.6216926545596025 }, { "zcdp(0.5)", 1e-05, 4.728386984943313 },
        { "zcdp(1)", 1e-10, 10.03434358134762 },     { "zcdp(5)", 1e-06, 20.55194881404125 },
        { "zcdp(50)", 1e-06, 100.6899051610582 },    { "zcdp(0.5)", 1e-30, 11.95367424418210 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double epsilon = ask(dusk_zcdp_epsilon, rows[i].text, DUSK_ADD_REMOVE, rows[i].delta);
        assert_just_above(rows[i].text, epsilon, rows[i].epsilon, 1e-9);
        double delta = ask(dusk_zcdp_delta, rows[i].text, DUSK_ADD_REMOVE, epsilon);
        assert_just_above("and back", delta, rows[i].delta * (1 - 1e-8), 1e-6);
        double rdp = ask(dusk_rdp_epsilon, rows[i].text, DUSK_ADD_REMOVE, rows[i].delta);
        assert_just_above("rdp", rdp, rows[i].epsilon, 1e-9);
    }
    /* rho, and mean rho with deviation sqrt(2 rho), are the same curve */
    assert_just_above("mcdp", ask(dusk_mcdp_epsilon, "mcdp(0.5, 1)", DUSK_ADD_REMOVE, 1e-5),
                      4.728386984943313, 1e-9);
    assert_just_above("mcdp", ask(dusk_mcdp_epsilon, "gaussian(1)", DUSK_ADD_REMOVE, 1e-5), 4.728386984943313,
                      1e-9);
    assert_just_above("mcdp", ask(dusk_mcdp_epsilon, "discrete_gaussian(1)", DUSK_ADD_REMOVE, 1e-5),
                      4.728386984943313, 1e-9);
    assert_true(ask(dusk_mcdp_epsilon, "pure(0.1) * 50", DUSK_ADD_REMOVE, 1e-6) >=
                ask(dusk_rdp_epsilon, "pure(0.1) * 50", DUSK_ADD_REMOVE, 1e-6));
    assert_true(ask(dusk_zcdp_epsilon, "pure(0.1) * 50", DUSK_ADD_REMOVE, 1e-6) >=
                ask(dusk_rdp_epsilon, "pure(0.1) * 50", DUSK_ADD_REMOVE, 1e-6));
    assert_true(isinf(ask(dusk_zcdp_epsilon, "zcdp(1)", DUSK_ADD_REMOVE, 0)));
    assert_int_equal(status_of(dusk_zcdp_epsilon, "approx(1, 1e-6)", DUSK_ADD_REMOVE, 1e-5),
                     DUSK_ERR_UNSUPPORTED);
    assert_int_equal(status_of(dusk_mcdp_epsilon, "zcdp(1)", DUSK_ADD_REMOVE, 1e-5), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(status_of(dusk_mcdp_epsilon, "poisson(0.1, gaussian(1))", DUSK_ADD_REMOVE, 1e-5),
                     DUSK_ERR_UNSUPPORTED);
}

static void tcdp_fits(void **state)
{
    (void)state;
    double whole = ask(dusk_zcdp_epsilon, "zcdp(0.5)", DUSK_ADD_REMOVE, 1e-5);
    assert_just_above("omega is far", ask(dusk_tcdp_epsilon, "tcdp(0.5, 1000)", DUSK_ADD_REMOVE, 1e-5),
                      whole * (1 - 1e-12), 1e-9);
    assert_true(ask(dusk_tcdp_epsilon, "tcdp(0.5, 3)", DUSK_ADD_REMOVE, 1e-5) > whole);
    /* at its omega: rho omega + ln(1 - 1/omega) - ln(delta omega)/(omega - 1) */
    assert_just_above("omega binds", ask(dusk_tcdp_epsilon, "tcdp(0.5, 3)", DUSK_ADD_REMOVE, 1e-5),
                      1.5 + log(2. / 3) - log(3e-5) / 2, 1e-9);
    assert_just_above("gaussian", ask(dusk_tcdp_epsilon, "gaussian(1)", DUSK_ADD_REMOVE, 1e-5),
                      whole * (1 - 1e-12), 1e-9);
    /* a sample is fitted: above the Renyi accountant, far below no sampling */
    double sample = ask(dusk_tcdp_epsilon, "poisson(0.01, gaussian(2)) * 1000", DUSK_ADD_REMOVE, 1e-5);
    double renyi = ask(dusk_rdp_epsilon, "poisson(0.01, gaussian(2)) * 1000", DUSK_ADD_REMOVE, 1e-5);
    assert_true(sample >= renyi && sample <= 1.2 * renyi);
    assert_true(isinf(ask(dusk_tcdp_epsilon, "tcdp(0.5, 3)", DUSK_ADD_REMOVE, 0)));
    double delta = ask(dusk_tcdp_delta, "tcdp(0.5, 3) * 2", DUSK_ADD_REMOVE, 10);
    assert_just_above("delta", delta, exp(2 * (3 - 10.)) / 3 * 4 / 9 * (1 - 1e-12), 1e-9);
}

static void gaussian_privacy(void **state)
{
    (void)state;
    assert_just_above("gdp", ask(dusk_gdp_epsilon, "gaussian(1)", DUSK_ADD_REMOVE, 1e-5), 4.37717809568122,
                      1e-12);
    assert_just_above("gdp", ask(dusk_gdp_epsilon, "gaussian(2) * 2 + gdp(0.5) * 2", DUSK_ADD_REMOVE, 1e-5),
                      4.37717809568122, 1e-12);
    assert_just_above("gdp", ask(dusk_gdp_delta, "gdp(1)", DUSK_ADD_REMOVE, 4.37717809568122),
                      1e-5 * (1 - 1e-12), 1e-10);
    assert_int_equal(status_of(dusk_gdp_epsilon, "zcdp(1)", DUSK_ADD_REMOVE, 1e-5), DUSK_ERR_UNSUPPORTED);
    /* 100 answers of 0.1: not below the optimum of Kairouz, Oh & Viswanath */
    double many = ask(dusk_gdp_epsilon, "pure(0.1) * 100", DUSK_ADD_REMOVE, 1e-6);
    assert_true(many >= 4.5 && many <= 7);
    /* the limit: q^2 T (exp(1/sigma^2) - 1), and for losses of two values their own variance */
    double mu = 0.01 * sqrt(10000 * (exp(1.) - 1));
    assert_just_above("clt",
                      ask(dusk_clt_epsilon, "poisson(0.01, gaussian(1)) * 10000", DUSK_ADD_REMOVE, 1e-6),
                      dusk_gaussian_epsilon_up(1 / mu, 1e-6) * (1 - 1e-12), 1e-11);
    assert_just_above("clt", ask(dusk_clt_epsilon, "gaussian(1)", DUSK_ADD_REMOVE, 1e-5), 4.37717809568122,
                      1e-10);
    double e = 0.1, mean = e * tanh(e / 2), square = e * e - mean * mean;
    double limit = 2 * mean * sqrt(1000 / square);
    assert_just_above("clt", ask(dusk_clt_epsilon, "pure(0.1) * 1000", DUSK_ADD_REMOVE, 1e-6),
                      dusk_gaussian_epsilon_up(1 / limit, 1e-6) * (1 - 1e-4), 2e-4);
}

static void moments_check_conditions(void **state)
{
    (void)state;
    /* A + 2 sqrt(A ln(1/delta)), A = 1/2 */
    assert_just_above("gaussian", ask(dusk_moments_epsilon, "gaussian(1)", DUSK_ADD_REMOVE, 1e-5),
                      0.5 + 2 * sqrt(0.5 * log(1e5)) * (1 - 1e-15), 1e-12);
    double a = 1000 * 2 * 1e-4 / 25;
    assert_just_above("sampled",
                      ask(dusk_moments_epsilon, "poisson(0.01, gaussian(5)) * 1000", DUSK_ADD_REMOVE, 1e-3),
                      (a + 2 * sqrt(a * log(1e3))) * (1 - 1e-12), 0.5);
    assert_int_equal(status_of(dusk_moments_epsilon, "poisson(0.01, gaussian(3.9))", DUSK_ADD_REMOVE, 1e-5),
                     DUSK_ERR_UNSUPPORTED);
    assert_int_equal(status_of(dusk_moments_epsilon, "poisson(0.21, gaussian(5))", DUSK_ADD_REMOVE, 1e-5),
                     DUSK_ERR_UNSUPPORTED);
    assert_int_equal(status_of(dusk_moments_epsilon, "laplace(1)", DUSK_ADD_REMOVE, 1e-5),
                     DUSK_ERR_UNSUPPORTED);
    /* never below the exact moment, at orders that its conditions allow */
    static const double rates[] = { 1e-4, 0.01, 0.19 }, sigmas[] = { 4, 5, 8, 20 };
    static const double deltas[] = { 0.1, 1e-3, 1e-6, 1e-12 };
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t k = 0; k < 4; k++)
                for (double runs = 1; runs < 1e8; runs *= 100) {
                    char text[80];
                    (void)snprintf(text, sizeof text, "poisson(%g, gaussian(%g)) * %.0f", rates[i], sigmas[j],
                                   runs);
                    double closed = ask(dusk_moments_epsilon, text, DUSK_ADD_REMOVE, deltas[k]);
                    double exact = ask(dusk_rdp_epsilon, text, DUSK_ADD_REMOVE, deltas[k]);
                    if (!(closed >= exact)) fail_msg("%s: %g below %g", text, closed, exact);
                }
}

static void hostile(void **state)
{
    static accountant *const who[] = { dusk_zcdp_epsilon,    dusk_zcdp_delta,    dusk_mcdp_epsilon,
                                       dusk_mcdp_delta,      dusk_tcdp_epsilon,  dusk_tcdp_delta,
                                       dusk_moments_epsilon, dusk_moments_delta, dusk_gdp_epsilon,
                                       dusk_gdp_delta,       dusk_clt_epsilon,   dusk_clt_delta };
    static const char *const texts[] = {
        "gaussian(1e-12) * 4611686018427387904",
        "gaussian(1e12)",
        "laplace(1e-300)",
        "laplace(1e300) * 1000",
        "poisson(1e-300, gaussian(1))",
        "poisson(0.5, gaussian(1e-12))",
        "poisson(1e-9, gaussian(1e12)) * 4611686018427387904",
        "pure(1e300) * 1000000000",
        "pure(1e-300)",
        "zcdp(1e300) * 1000000",
        "mcdp(1e300, 1e300)",
        "tcdp(1e-300, 1e300)",
        "tcdp(1, 1.0000000000000002)",
        "rdp(1.0000001: 1e300)",
        "exponential(1e300)",
        "exponential(1e-300)",
        "svt_gaussian(1, 1, 10)",
        "select_best(0, 0.5, zcdp(1e-6))",
        "group(4611686018427387904, zcdp(1))",
        "discrete_gaussian(3) + approx(1, 0.5)",
    };
    static const double at[] = { 0, 1e-300, 1e-6, 0.5 };
    (void)state;
    for (size_t w = 0; w < sizeof who / sizeof *who; w++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            for (size_t j = 0; j < 4; j++)
                for (int how = DUSK_ADD_REMOVE; how <= DUSK_REPLACE_ONE; how++)
                    (void)status_of(who[w], texts[i], (dusk_neighbours)how, at[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters),       cmocka_unit_test(pure_is_tight),
        cmocka_unit_test(zcdp_and_mcdp),    cmocka_unit_test(tcdp_fits),
        cmocka_unit_test(gaussian_privacy), cmocka_unit_test(moments_check_conditions),
        cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
