/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation of the contour accountant fails, for every n until the call
 * succeeds: DUSK_ERR_MEMORY, nothing leaked (the sanitizer build looks). */
#include "accounting/accountants.h"
#include "base/memory.h"
#include "support.h"

static void memory_runs_out(void **state)
{
    (void)state;
    dusk_composition *c;
    dusk_pairs pairs;
    dusk_bound out = { -1, -1 };
    long n = 0;
    dusk_status status;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(
        dusk_composition_parse(c, "poisson(0.1, gaussian(3)) * 200 + pure(0.1) * 4 + gaussian(9)", NULL),
        DUSK_OK);
    assert_int_equal(dusk_pairs_resolve(&pairs, c, DUSK_REMOVE, "contour", NULL), DUSK_OK);
    do {
        dusk_error err = { 0 };
        dusk_memory_fail_at(++n);
        status = dusk_contour_epsilon(&out, &pairs, 1e-6, &err);
        dusk_memory_fail_at(0);
        if (status != DUSK_OK) {
            assert_int_equal(status, DUSK_ERR_MEMORY);
            assert_true(out.upper == -1);
        }
    } while (status != DUSK_OK && n < 1000);
    assert_true(n > 5 && n < 1000);
    assert_true(out.lower > 1 && out.upper < 10);
    dusk_pairs_free(&pairs);
    dusk_composition_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
