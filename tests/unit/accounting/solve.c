/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: the value that is found is safe, hardly any safer than needed,
 * and the reason is given when there is none. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dusk/accounting.h"
#include "support.h"

static double solve(const char *text, const char *variable, double epsilon, double delta,
                    dusk_neighbours neighbours)
{
    double x = NAN;
    dusk_error err = { .message = "" };
    dusk_budget target = { epsilon, delta };
    if (dusk_account_solve(&x, text, variable, target, neighbours, DUSK_BEST, &err) != DUSK_OK)
        fail_msg("%s: %s", text, err.message);
    return x;
}

/* The upper bound of epsilon at a value. */
static double epsilon_at(const char *text, const char *variable, double x, double delta,
                         dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_account a;
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse_with(c, text, variable, x, NULL), DUSK_OK);
    assert_int_equal(dusk_account_epsilon(&a, c, delta, DUSK_BEST, NULL), DUSK_OK);
    dusk_composition_free(c);
    return a.bound.upper;
}

/* Every problem: safe at the value, not a little beyond it. */
static void safe_and_tight(void **state)
{
    static const struct {
        const char *text, *variable;
        double epsilon, delta;
        dusk_neighbours neighbours;
        double beyond; /* this much further is no longer safe */
    } row[] = {
        { "gaussian(sigma)", "sigma", 1, 1e-6, DUSK_ADD_REMOVE, 1 - 1e-9 },
        { "gaussian(sigma)", "sigma", 1, 1e-300, DUSK_ADD_REMOVE, 1 - 1e-9 },
        { "gaussian(sigma)", "sigma", 1e-3, 1e-6, DUSK_REPLACE_ONE, 1 - 1e-9 },
        { "gaussian(sigma) * 1e6", "sigma", 500, 1e-12, DUSK_ADD_REMOVE, 1 - 1e-9 },
        { "gaussian(s) + gaussian(s) * 3 + gaussian(7)", "s", 1, 1e-6, DUSK_ADD_REMOVE, 1 - 1e-9 },
        { "gdp(mu)", "mu", 1, 1e-6, DUSK_ADD_REMOVE, 1 + 1e-9 },
        { "pure(epsilon)", "epsilon", 1, 0, DUSK_ADD_REMOVE, 1 + 1e-9 },
        { "laplace(b)", "b", 1, 0, DUSK_ADD_REMOVE, 1 - 1e-9 },
        { "laplace(b)", "b", 1, 1e-3, DUSK_ADD_REMOVE, 1 - 1e-9 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double x = solve(row[i].text, row[i].variable, row[i].epsilon, row[i].delta, row[i].neighbours);
        double at = epsilon_at(row[i].text, row[i].variable, x, row[i].delta, row[i].neighbours);
        double beyond =
            epsilon_at(row[i].text, row[i].variable, x * row[i].beyond, row[i].delta, row[i].neighbours);
        if (!(at <= row[i].epsilon && beyond > row[i].epsilon))
            fail_msg("%s: %s = %.17g gives %.17g, beyond it %.17g", row[i].text, row[i].variable, x, at,
                     beyond);
    }
}

/* [Balle & Wang 2018, Theorem 8] */
static void known_values(void **state)
{
    (void)state;
    double sigma = solve("gaussian(sigma)", "sigma", 1, 1e-12, DUSK_ADD_REMOVE);
    assert_true(sigma >= 6.5578220674588500 && sigma <= 6.55782206745885 * (1 + 1e-9));
    double b = solve("laplace(b) * 1", "b", 0.5, 0, DUSK_ADD_REMOVE);
    assert_true(b >= 2 && b <= 2 * (1 + 1e-9));
}

/* Steps: the largest number that is safe. */
static void whole_numbers(void **state)
{
    static const struct {
        const char *text;
        double epsilon, delta;
    } row[] = {
        { "gaussian(10) * n", 1, 1e-6 },       { "gaussian(100) * n", 3, 1e-9 },
        { "gaussian(1e5) * n", 1, 1e-6 },      { "pure(0.125) * n", 1, 0 },
        { "group(n, gaussian(40))", 2, 1e-6 }, { "group(n, pure(0.1))", 1, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double n = solve(row[i].text, "n", row[i].epsilon, row[i].delta, DUSK_ADD_REMOVE);
        assert_true(n >= 1 && n == floor(n));
        assert_true(epsilon_at(row[i].text, "n", n, row[i].delta, DUSK_ADD_REMOVE) <= row[i].epsilon);
        assert_true(epsilon_at(row[i].text, "n", n + 1, row[i].delta, DUSK_ADD_REMOVE) > row[i].epsilon);
    }
    assert_true(solve("pure(0.125) * n", "n", 1, 0, DUSK_ADD_REMOVE) == 8);
}

static void assert_fails(const char *text, const char *variable, double epsilon, double delta,
                         dusk_accountant accountant, dusk_status status, const char *word)
{
    double x = -1;
    dusk_error err = { .message = "" };
    dusk_budget target = { epsilon, delta };
    assert_int_equal(dusk_account_solve(&x, text, variable, target, DUSK_ADD_REMOVE, accountant, &err),
                     status);
    if (!strstr(err.message, word)) fail_msg("%s: expected %s, got %s", text, word, err.message);
    assert_int_equal(err.status, status);
    assert_true(x == -1);
}

static void failures(void **state)
{
    (void)state;
    assert_fails("gaussian(sigma)", "sigma", 1, 0, DUSK_BEST, DUSK_ERR_UNSUPPORTED, "no sigma from 1e-12");
    assert_fails("gaussian(10) * n", "n", 0.01, 1e-6, DUSK_BEST, DUSK_ERR_UNSUPPORTED, "no n from 1 to");
    assert_fails("gaussian(1) * 0 + pure(0) * n", "n", 1, 0, DUSK_BEST, DUSK_ERR_UNSUPPORTED, "every n");
    assert_fails("gaussian(sigma", "sigma", 1, 1e-6, DUSK_BEST, DUSK_ERR_PARSE, "column 15");
    assert_fails("gaussian(1)", "sigma", 1, 1e-6, DUSK_BEST, DUSK_ERR_PARSE, "not in the text");
    assert_fails("gaussian(sigma)", "2", 1, 1e-6, DUSK_BEST, DUSK_ERR_ARGUMENT, "variable");
    assert_fails("gaussian(sigma)", "sigma", -1, 1e-6, DUSK_BEST, DUSK_ERR_ARGUMENT, "epsilon");
    assert_fails("gaussian(sigma)", "sigma", 1, 1, DUSK_BEST, DUSK_ERR_ARGUMENT, "delta");
    assert_fails("gaussian(sigma)", "sigma", 1, 1e-6, DUSK_CLT, DUSK_ERR_UNSUPPORTED, "approximation");
    assert_fails("gaussian(sigma)", "sigma", 1, 1e-6, (dusk_accountant)99, DUSK_ERR_ARGUMENT, "accountant");
    double x;
    assert_int_equal(dusk_account_solve(&x, "gaussian(s)", "s", (dusk_budget){ 1, 1e-6 }, (dusk_neighbours)0,
                                        DUSK_BEST, NULL),
                     DUSK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_and_tight),
        cmocka_unit_test(known_values),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
