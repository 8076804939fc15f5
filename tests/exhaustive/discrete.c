/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace and discrete Gaussian on every coin tape, as in rounded.c. A
 * draw takes two uniforms, so tapes are long: the discrete Gaussian is run one
 * trial at a time (the repetition of trials needs no test), and where its two
 * uniforms would need more than 24 coins for one per cent, a larger undecided
 * mass is allowed. With DUSK_SOAK set the deep tapes are walked as well. */
#include <stdlib.h>

#include "exhaustive/law.h"

static void test_discrete_laplace(void **state)
{
    (void)state;
    for (law_path form = DRAW; form <= FILL_WIDE; form++)
        law_check(DUSK_ADDITIVE_DISCRETE_LAPLACE, 0.5, 4, 20, form, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_LAPLACE, 1, 5, 21, DRAW, 0.01);
}

static void test_discrete_gaussian(void **state)
{
    (void)state;
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 0.4, 4, 22, TRIAL, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 0.9, 4, 22, TRIAL, 0.02);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 1.25, 4, 19, TRIAL, 0.1);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 2, 5, 20, TRIAL, 0.08);
    if (!getenv("DUSK_SOAK")) return;
    for (unsigned width = 5; width <= 6; width++)
        law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 0.4, width, 24, TRIAL, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_LAPLACE, 0.5, 7, 27, DRAW, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 1.25, 4, 26, TRIAL, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 2, 6, 28, TRIAL, 0.01);
    law_check(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, 1.25, 8, 28, TRIAL, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_discrete_laplace),
                                        cmocka_unit_test(test_discrete_gaussian) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
