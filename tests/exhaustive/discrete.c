/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace and discrete Gaussian on every coin tape, as in rounded.c.
 * Each draw takes two uniforms or more, so the tapes are long; widths where the
 * undecided mass cannot come below one per cent within reach are left to the
 * single trial in unit.random.discrete_gaussian. */
#include "exhaustive/law.h"

static void test_discrete_laplace(void **state)
{
    (void)state;
    for (law_path form = DRAW; form <= FILL_WIDE; form++) {
        law_check(DUSK_ADDITIVE_DISCRETE_LAPLACE, 0.5, 4, 20, form, 0.01);
        law_check(DUSK_ADDITIVE_DISCRETE_LAPLACE, 1, 5, 21, form, 0.01);
    }
    law_check(DUSK_ADDITIVE_DISCRETE_LAPLACE, 0.5, 6, 22, DRAW, 0.02);
}

/* One trial: the repetition of trials needs no test of its own. */
static void test_discrete_gaussian(void **state)
{
    (void)state;
    for (unsigned width = 4; width <= 6; width++)
        law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 0.4, width, 24, TRIAL, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 0.9, 4, 22, TRIAL, 0.02);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 1, 4, 20, TRIAL, 0.06);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 1, 6, 22, TRIAL, 0.06);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 2, 5, 20, TRIAL, 0.06);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_discrete_laplace),
                                        cmocka_unit_test(test_discrete_gaussian) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
