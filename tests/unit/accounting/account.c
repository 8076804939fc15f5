/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the accountants: names, arguments, and the choice of the best. */
#include "accounting/account.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support.h"

static dusk_composition *composition(const char *text, dusk_neighbours neighbours)
{
    dusk_composition *c;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_composition_new(&c, neighbours, NULL), DUSK_OK);
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    return c;
}

static void names(void **state)
{
    dusk_accountant found;
    dusk_error err;
    (void)state;
    for (int i = 1; i <= DUSK_ACCOUNTANTS; i++) {
        assert_int_equal(dusk_accountant_named(&found, dusk_accountant_name((dusk_accountant)i), &err),
                         DUSK_OK);
        assert_int_equal(found, i);
    }
    assert_string_equal(dusk_accountant_name(DUSK_CONTOUR), "contour");
    assert_string_equal(dusk_accountant_name((dusk_accountant)0), "unknown");
    assert_string_equal(dusk_accountant_name((dusk_accountant)15), "unknown");
    assert_int_equal(dusk_accountant_named(&found, "pld", &err), DUSK_ERR_ARGUMENT);
    for (int i = 1; i <= DUSK_ACCOUNTANTS; i++)
        assert_non_null(strstr(err.hint, dusk_accountant_name((dusk_accountant)i)));
}

static void arguments(void **state)
{
    dusk_composition *c = composition("gaussian(1)", DUSK_ADD_REMOVE);
    dusk_account out = { .bound = { -1, -1 } };
    dusk_error err;
    (void)state;
    const double bad_delta[] = { -1, 1, NAN, INFINITY, -DBL_TRUE_MIN };
    for (size_t i = 0; i < sizeof bad_delta / sizeof *bad_delta; i++) {
        assert_int_equal(dusk_account_epsilon(&out, c, bad_delta[i], DUSK_BEST, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "delta"));
    }
    const double bad_epsilon[] = { -1, NAN, INFINITY };
    for (size_t i = 0; i < sizeof bad_epsilon / sizeof *bad_epsilon; i++) {
        assert_int_equal(dusk_account_delta(&out, c, bad_epsilon[i], DUSK_BEST, &err), DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "epsilon"));
    }
    assert_int_equal(dusk_account_epsilon(&out, c, 1e-6, (dusk_accountant)0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_account_epsilon(&out, c, 1e-6, (dusk_accountant)15, &err), DUSK_ERR_ARGUMENT);
    assert_true(out.bound.upper == -1);
    dusk_composition_free(c);
}

static void nothing_costs_nothing(void **state)
{
    static const char *const texts[] = { "gaussian(1) * 0", "pure(0)" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dusk_composition *c = composition(texts[i], DUSK_ADD_REMOVE);
        dusk_account out;
        assert_int_equal(dusk_account_epsilon(&out, c, 0, DUSK_BEST, NULL), DUSK_OK);
        assert_true(out.bound.lower == 0 && out.bound.upper == 0 && !out.approximation);
        dusk_composition_free(c);
    }
}

/* Both directions of one sampled Gaussian, by the exact accountant: removing is
 * worse, and what is said for both is what is said for removing. */
static void worse_direction(void **state)
{
    dusk_composition *c = composition("poisson(0.1, gaussian(1))", DUSK_ADD_REMOVE);
    dusk_pricing pricing;
    dusk_account both, one[2];
    (void)state;
    for (int of_delta = 0; of_delta < 2; of_delta++) {
        dusk_question question = { of_delta, of_delta ? 1 : 1e-5 };
        for (int best = 0; best < 2; best++) {
            assert_int_equal(dusk_pricing_begin(&pricing, c, best ? DUSK_BEST : DUSK_EXACT, NULL), DUSK_OK);
            assert_false(pricing.alike);
            assert_int_equal(dusk_pricing_ask(&both, &pricing, question, NULL), DUSK_OK);
            for (size_t d = 0; d < 2; d++)
                assert_int_equal(dusk_pricing_ask_direction(&one[d], &pricing, d, question, NULL), DUSK_OK);
            assert_true(one[1].bound.upper < one[0].bound.lower);
            assert_true(both.bound.upper == one[0].bound.upper && both.bound.lower == one[0].bound.lower);
            assert_int_equal(both.accountant, DUSK_EXACT);
            dusk_pricing_end(&pricing);
        }
    }
    dusk_composition_free(c);
}

/* Of an exponential mechanism only its range is known: no lower bound. */
static void loose_pairs_bound_from_above_only(void **state)
{
    dusk_composition *c = composition("permute_and_flip(1)", DUSK_ADD_REMOVE);
    dusk_account a;
    (void)state;
    for (int i = 1; i <= DUSK_ACCOUNTANTS; i++)
        if (dusk_account_epsilon(&a, c, 1e-6, (dusk_accountant)i, NULL) == DUSK_OK)
            assert_true((a.approximation || a.bound.lower == 0) && a.bound.upper > 0);
    dusk_composition_free(c);
}

/* The central limit says less than anybody who is right; best does not listen. */
static void approximations_are_not_charged(void **state)
{
    dusk_composition *c =
        composition("poisson(0.01, gaussian(1)) * 10000 + permute_and_flip(1e-6)", DUSK_ADD_REMOVE);
    dusk_account best, limit;
    (void)state;
    assert_int_equal(dusk_account_epsilon(&limit, c, 1e-6, DUSK_CLT, NULL), DUSK_OK);
    assert_int_equal(dusk_account_epsilon(&best, c, 1e-6, DUSK_BEST, NULL), DUSK_OK);
    assert_true(limit.approximation && !best.approximation);
    assert_true(limit.bound.upper < 6.7 && best.bound.upper > 6.9 && best.accountant != DUSK_CLT);
    dusk_composition_free(c);
}

static void best_of_a_gaussian(void **state)
{
    dusk_composition *c = composition("gaussian(1)", DUSK_ADD_REMOVE);
    dusk_account out;
    (void)state;
    assert_int_equal(dusk_account_epsilon(&out, c, 1e-5, DUSK_BEST, NULL), DUSK_OK);
    assert_true(out.bound.lower <= out.bound.upper && !out.approximation);
    assert_true(out.bound.upper >= 4.37717809568122460 && out.bound.upper <= 4.3771780957);
    dusk_composition_free(c);
}

/* A shuffle alone is priced by its own curve, whichever way it is asked. */
static void shuffle_both_ways(void **state)
{
    (void)state;
    dusk_composition *c;
    dusk_account a, back;
    assert_int_equal(dusk_composition_new(&c, DUSK_REPLACE_ONE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c, "shuffle(4540, 0.244881991)", NULL), DUSK_OK);
    for (double delta = 1e-12; delta < 1e-4; delta *= 10) {
        assert_int_equal(dusk_account_epsilon(&a, c, delta, DUSK_BEST, NULL), DUSK_OK);
        assert_int_equal(dusk_account_delta(&back, c, a.bound.upper, DUSK_BEST, NULL), DUSK_OK);
        assert_true(back.bound.upper <= delta && back.bound.upper > 0.99 * delta);
    }
    dusk_composition_free(c);
}

/* Alone, a parallel costs what its worst branch does, each priced as well as can be. */
static void parallel_is_the_worst_branch(void **state)
{
    (void)state;
    static const char *const text[] = {
        "gaussian(1)", "laplace(0.5) * 3", "poisson(0.01, gaussian(1)) * 10000",
        "parallel(gaussian(1), laplace(0.5) * 3, poisson(0.01, gaussian(1)) * 10000)"
    };
    for (double delta = 1e-12; delta < 0.1; delta *= 1e3) {
        double worst = 0, lower = 0;
        for (size_t i = 0; i < 4; i++) {
            dusk_composition *c;
            dusk_account a;
            assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
            assert_int_equal(dusk_composition_parse(c, text[i], NULL), DUSK_OK);
            assert_int_equal(dusk_account_epsilon(&a, c, delta, DUSK_BEST, NULL), DUSK_OK);
            dusk_composition_free(c);
            if (i < 3)
                worst = fmax(worst, a.bound.upper), lower = fmax(lower, a.bound.lower);
            else
                assert_true(a.bound.upper == worst && a.bound.lower == lower);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_is_the_worst_branch),
        cmocka_unit_test(shuffle_both_ways),
        cmocka_unit_test(names),
        cmocka_unit_test(arguments),
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(worse_direction),
        cmocka_unit_test(loose_pairs_bound_from_above_only),
        cmocka_unit_test(approximations_are_not_charged),
        cmocka_unit_test(best_of_a_gaussian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
