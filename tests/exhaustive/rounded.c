/* SPDX-License-Identifier: Apache-2.0 */
/* The real samplers on every coin tape, fallback included, with 4 to 10 leading
 * digits: each outcome's exact probability must lie between what was decided
 * for it and that plus the undecided mass, which must be below one per cent.
 * No statistics: a wrong margin, table or digit of any consequence fails. */
#include "exhaustive/law.h"

static void check_widths(dusk_additive_law law)
{
    for (unsigned width = 4; width <= 10; width++) {
        unsigned depth = 3 + (width < 6 ? 3 : 2) * width;
        law_check(law, 1.5, width, depth, DRAW, 0.01);
        if (width % 3 != 1) continue;
        law_check(law, 1.5, width, depth, FILL_NARROW, 0.01);
        law_check(law, 1.5, width, depth, FILL_WIDE, 0.01);
    }
    law_check(law, 4, 6, 15, DRAW, 0.01);
    law_check(law, 0.3, 5, 18, DRAW, 0.01);
    law_check(law, 0x1p-40, 4, 15, DRAW, 0.01);
    law_check(law, 0x1p-40, 4, 15, FILL_NARROW, 0.01);
}

static void test_laplace(void **state)
{
    (void)state;
    check_widths(DUSK_ADDITIVE_LAPLACE);
}

static void test_gaussian(void **state)
{
    (void)state;
    check_widths(DUSK_ADDITIVE_GAUSSIAN);
}

static void test_geometric(void **state)
{
    (void)state;
    check_widths(DUSK_ADDITIVE_GEOMETRIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_laplace), cmocka_unit_test(test_gaussian),
                                        cmocka_unit_test(test_geometric) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
