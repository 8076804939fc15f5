/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace and discrete Gaussian on every coin tape, as in rounded.c:
 * less than one per cent stays undecided at every width from 4 to 10. A draw
 * takes two uniforms, so tapes are long; the discrete Gaussian is run one trial
 * at a time (the repetition of trials needs no test). The short walks run
 * always, the long ones when DUSK_DEEP is set: exhaustive.discrete.deep. */
#include <stdlib.h>

#include "exhaustive/law.h"

typedef struct walk {
    double scale;
    unsigned width, depth;
} walk;

static void check_all(dusk_additive_law law, law_path form, const walk *quick, const walk *deep)
{
    for (const walk *w = getenv("DUSK_DEEP") ? deep : quick; w->width; w++)
        law_check(law, w->scale, w->width, w->depth, form, 0.01);
}

static void test_discrete_laplace(void **state)
{
    const walk quick[] = { { 0.5, 4, 20 }, { 1, 5, 21 }, { 0.5, 8, 22 }, { 0, 0, 0 } };
    const walk deep[] = { { 0.5, 6, 24 }, { 0.5, 7, 27 }, { 0.5, 9, 24 }, { 0.5, 10, 26 }, { 0, 0, 0 } };
    const walk bulk[] = { { 0.5, 4, 20 }, { 0, 0, 0 } };
    (void)state;
    check_all(DUSK_ADDITIVE_DISCRETE_LAPLACE, DRAW, quick, deep);
    check_all(DUSK_ADDITIVE_DISCRETE_LAPLACE, FILL_NARROW, bulk, bulk);
    check_all(DUSK_ADDITIVE_DISCRETE_LAPLACE, FILL_WIDE, bulk, bulk);
}

static void test_discrete_gaussian_below_one(void **state)
{
    const walk quick[] = { { 0.4, 4, 22 }, { 0.4, 8, 24 }, { 0, 0, 0 } };
    const walk deep[] = { { 0.9, 4, 24 }, { 0.4, 5, 24 },  { 0.4, 6, 24 }, { 0.4, 7, 27 },
                          { 0.4, 9, 24 }, { 0.4, 10, 26 }, { 0, 0, 0 } };
    (void)state;
    check_all(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, TRIAL, quick, deep);
}

static void test_discrete_gaussian(void **state)
{
    const walk quick[] = { { 1.25, 4, 19 }, { 1.25, 6, 21 }, { 0, 0, 0 } };
    const walk deep[] = { { 1.25, 5, 23 }, { 1.25, 7, 24 },  { 1.25, 8, 27 },
                          { 1.25, 9, 21 }, { 1.25, 10, 23 }, { 0, 0, 0 } };
    (void)state;
    check_all(DUSK_ADDITIVE_DISCRETE_GAUSSIAN, TRIAL, quick, deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_discrete_laplace),
                                        cmocka_unit_test(test_discrete_gaussian_below_one),
                                        cmocka_unit_test(test_discrete_gaussian) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
