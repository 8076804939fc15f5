/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

/* cmocka, with the headers that it wants to come first, and repeatable random
 * inputs (not coins: those come from random/tape.h). */

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdlib.h>
#include <string.h>

/* With a planted bug (tests/must_fail) the first failure is enough; and DUSK_TEST names the one test of the
 * program that runs, where tests/mutants.txt says which of them sees the bug. */
static inline int run_group(const char *name, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction begin, CMFixtureFunction end)
{
    const char *only = getenv("DUSK_TEST");
    void *state = NULL;
    int failed = 0;
    if (!getenv("DUSK_MUTANT")) return _cmocka_run_group_tests(name, tests, count, begin, end);
    if (begin && begin(&state)) return 1;
    for (size_t i = 0; i < count && !failed; i++) {
        struct CMUnitTest test = tests[i];
        if (only && strcmp(only, test.name)) continue;
        if (!test.initial_state) test.initial_state = state;
        failed = _cmocka_run_group_tests(name, &test, 1, NULL, NULL);
    }
    if (end) end(&state);
    return failed;
}
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, begin, end) cmocka_run_group_tests_name(#tests, tests, begin, end)
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, tests, begin, end)                                                 \
    run_group(name, tests, sizeof(tests) / sizeof((tests)[0]), begin, end)

/* splitmix64 [Steele, Lea & Flood 2014]. */
static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
