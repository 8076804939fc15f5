/* SPDX-License-Identifier: Apache-2.0 */
/* Every randomiser of devices, with every choice of its coins: the largest ratio of two probabilities of a report is exactly what the survey says. */
#include "local_law.h"
#include "dusk/local.h"
#include "local/protocol.h"

static void check(dusk_survey_options options, uint64_t values)
{
    dusk_survey survey;
    options.size = sizeof options;
    options.name = "law";
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    law_check(&survey, options.epsilon, values);
}

static void grr(void **state)
{
    static const double epsilon[] = { 0.01, 0.5, 1, 2.3, 7 };
    (void)state;
    for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++)
        for (uint64_t k = 2; k <= 6; k++)
            check((dusk_survey_options){ .mechanism = DUSK_GRR, .epsilon = epsilon[e], .domain = k }, k + 1);
}

/* All bits of all reports, in any pattern. */
static void unary(void **state)
{
    static const double epsilon[] = { 0.01, 1, 3.7 };
    static const dusk_randomiser mechanism[] = { DUSK_SUE, DUSK_OUE };
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++)
            for (uint64_t k = 2; k <= 6; k++)
                check((dusk_survey_options){ .mechanism = mechanism[m], .epsilon = epsilon[e], .domain = k },
                      k + 1);
}

static void hadamard(void **state)
{
    static const double epsilon[] = { 0.01, 1, 3.7 };
    (void)state;
    for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++)
        for (uint64_t k = 2; k <= 9; k++)
            check((dusk_survey_options){ .mechanism = DUSK_HADAMARD, .epsilon = epsilon[e], .domain = k },
                  k + 1);
}

/* Full trees and cut ones, of all depths that the domain allows. */
static void tree(void **state)
{
    static const double epsilon[] = { 0.01, 1, 3.7 };
    (void)state;
    for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++)
        for (uint64_t k = 2; k <= 10; k++)
            for (uint32_t fan = 2; fan <= 8; fan *= 2)
                if (k <= 6 || e == 1)
                    check(
                        (dusk_survey_options){
                            .mechanism = DUSK_TREE, .epsilon = epsilon[e], .domain = k, .hashes = fan },
                        k + 1);
}

/* Small primes, so that every hash function can be drawn; those that are planned differ in size alone. */
static void olh(void **state)
{
    static const double epsilon[] = { 0.01, 1, 3.7 };
    static const uint32_t prime[] = { 5, 7 };
    (void)state;
    for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++)
        for (size_t r = 0; r < 2; r++)
            for (uint32_t g = 2; g <= 4; g++)
                check((dusk_survey_options){ .mechanism = DUSK_OLH,
                                             .epsilon = epsilon[e],
                                             .domain = 3 + g % 3,
                                             .width = g,
                                             .rows = prime[r] },
                      4 + g % 3);
}

/* Sets of all sizes. */
static void subsets(void **state)
{
    static const double epsilon[] = { 0.01, 1, 3.7 };
    (void)state;
    for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++) {
        for (uint64_t k = 2; k <= 5; k++)
            for (uint32_t size = 0; size < k; size++)
                check(
                    (dusk_survey_options){
                        .mechanism = DUSK_SS, .epsilon = epsilon[e], .domain = k, .width = size },
                    k + 1);
        check((dusk_survey_options){ .mechanism = DUSK_SS, .epsilon = epsilon[e], .domain = 9, .width = 2 },
              10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grr),     cmocka_unit_test(unary),    cmocka_unit_test(olh),
        cmocka_unit_test(subsets), cmocka_unit_test(hadamard), cmocka_unit_test(tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
