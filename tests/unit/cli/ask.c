/* SPDX-License-Identifier: Apache-2.0 */
/* What a receipt says: what was spent is rounded up and what is left down, and no delta below 1 is shown as 1. */
#include "support.h"

#include "cli/ask.c"
#include "cli/output.c"

static const char *spent(double epsilon, double delta)
{
    static char text[ASK_BUDGET_SIZE];
    ask_budget_up(text, (dusk_budget){ epsilon, delta });
    return text;
}

static void budgets(void **state)
{
    (void)state;
    assert_string_equal(spent(1, 0), "epsilon 1");
    assert_string_equal(spent(1, 1e-6), "epsilon 1, delta 1e-6");
    assert_string_equal(spent(1, 1.00000001e-6), "epsilon 1, delta 1.00001e-6");
    assert_string_equal(spent(1, 0.9999999), "epsilon 1, delta 0.9999999");
    assert_string_equal(spent(1, 1 - 0x1p-53), "epsilon 1, delta 0.9999999999999999");
    assert_string_equal(spent(1, 1), "epsilon 1, delta 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(budgets) };
    return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
