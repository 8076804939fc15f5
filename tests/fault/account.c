/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails while accountants are asked: DUSK_ERR_MEMORY with one
 * sentence, the answer untouched, nothing leaked (the sanitizer build looks);
 * never an answer by whoever is left over. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/accounting.h"
#include "support.h"

typedef dusk_status subject(dusk_bound *out, const dusk_composition *c, dusk_error *err);

static dusk_status epsilon(dusk_bound *out, const dusk_composition *c, dusk_error *err)
{
    dusk_account a;
    dusk_status status = dusk_account_epsilon(&a, c, 1e-6, DUSK_BEST, err);
    if (status == DUSK_OK) *out = a.bound;
    return status;
}

static dusk_status delta(dusk_bound *out, const dusk_composition *c, dusk_error *err)
{
    dusk_account a;
    dusk_status status = dusk_account_delta(&a, c, 1, DUSK_BEST, err);
    if (status == DUSK_OK) *out = a.bound;
    return status;
}

static dusk_status tradeoff(dusk_bound *out, const dusk_composition *c, dusk_error *err)
{
    dusk_account a;
    dusk_status status = dusk_account_tradeoff(&a, c, 0.5, DUSK_BEST, err);
    if (status == DUSK_OK) *out = a.bound;
    return status;
}

static dusk_status odds(dusk_bound *out, const dusk_composition *c, dusk_error *err)
{
    return dusk_account_posterior_odds(&out->upper, c, 1, 1e-6, err);
}

static dusk_status solve(dusk_bound *out, const dusk_composition *c, dusk_error *err)
{
    (void)c;
    return dusk_account_solve(&out->upper, "gaussian(sigma) + pure(0.1)", "sigma", (dusk_budget){ 1, 1e-6 },
                              DUSK_ADD_REMOVE, DUSK_BEST, err);
}

/* Fail at places 1, 2, ... and, when there are very many, at fewer and fewer. */
static void fail_everywhere(const char *text, subject *run)
{
    dusk_composition *c;
    dusk_bound right, got;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    right = (dusk_bound){ -1, -1 };
    assert_int_equal(run(&right, c, NULL), DUSK_OK);
    for (long n = 1;; n += 1 + n / 8) {
        dusk_error err = { .message = "" };
        got = (dusk_bound){ -1, -1 };
        dusk_memory_fail_at(n);
        dusk_status status = run(&got, c, &err);
        dusk_memory_fail_at(0);
        if (status == DUSK_OK) {
            assert_memory_equal(&got, &right, sizeof got);
            break;
        }
        if (status != DUSK_ERR_MEMORY) fail_msg("%s, allocation %ld: status %d", text, n, (int)status);
        assert_int_equal(err.status, DUSK_ERR_MEMORY);
        assert_string_equal(err.message, "out of memory");
        assert_true(got.upper == -1);
        assert_true(n < 1000000);
    }
    dusk_composition_free(c);
}

static void prices(void **state)
{
    static const char *const texts[] = {
        "gaussian(1)",    "poisson(0.01, gaussian(1)) * 1000", "approx(0.5, 1e-9) * 20 + pure(0.1)",
        "laplace(1) * 3", "zcdp(0.1) + gaussian(2)",           "discrete_gaussian(2) * 3"
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fail_everywhere(texts[i], epsilon);
        fail_everywhere(texts[i], delta);
    }
}

static void other_questions(void **state)
{
    (void)state;
    fail_everywhere("poisson(0.5, gaussian(1))", tradeoff);
    fail_everywhere("pure(0.5) * 3", odds);
    fail_everywhere("pure(0)", solve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices),
        cmocka_unit_test(other_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
