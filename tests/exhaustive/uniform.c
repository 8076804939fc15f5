/* SPDX-License-Identifier: Apache-2.0 */
/* The law of the uniform draws on every coin tape, in whole units of
 * 2^-depth: every outcome gets exactly the same mass, and what stays undecided
 * is exactly what rejection leaves. */
#include <string.h>

#include "random/sampling.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 1024 };

typedef struct law {
    uint64_t n;
    unsigned width; /* 0: dusk_uniform_below128 */
    double mass[MOST];
} law;

static bool draw(dusk_generator *gen, void *context)
{
    law *l = context;
    uint64_t x;
    dusk_uint128 wide;
    if (l->width) {
        if (dusk_uniform_below_width(gen, &x, l->n, l->width, NULL) != DUSK_OK) return false;
    } else {
        if (dusk_uniform_below128(gen, &wide, l->n, NULL) != DUSK_OK) return false;
        x = (uint64_t)wide;
    }
    assert_true(x < l->n);
    l->mass[x] += dusk_tape_weight(gen);
    return true;
}

/* Tries of `coins` coins each, `excess` of the 2^coins words refused: as many
 * tries as keep the number of tapes below `budget`, 0.01 being enough. */
static unsigned tries_within(double budget, unsigned coins, double excess)
{
    double words = (double)((uint64_t)1 << coins), tapes = words, undecided = excess / words;
    unsigned tries = 1;
    /* 52 coins: every mass is then a double exactly. */
    while (undecided >= 0.01 && tapes * excess <= budget && (tries + 1) * coins <= 52) {
        tapes *= excess;
        undecided *= excess / words;
        tries++;
    }
    return tries;
}

/* The undecided mass, after comparing everything with the exact law. */
static double check(uint64_t n, unsigned width, unsigned coins, double budget)
{
    static law l;
    uint64_t words = (uint64_t)1 << coins;
    double excess = (double)(words % n), share = (double)(words / n);
    unsigned tries = tries_within(budget, coins, excess);
    double mass = 0, undecided = 1;

    memset(&l, 0, sizeof l);
    l.n = n;
    l.width = width;
    for (unsigned i = 0; i < tries; i++) {
        mass += share / (double)words * undecided;
        undecided *= excess / (double)words;
    }
    assert_true(dusk_tape_walk(tries * coins, draw, &l) == undecided);
    for (uint64_t x = 0; x < n; x++) assert_true(l.mass[x] == mass);
    return undecided;
}

static void every_range_at_narrow_widths(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width++)
        for (uint64_t n = 1; n <= (uint64_t)1 << width; n++) assert_true(check(n, width, width, 4e6) < 0.01);
}

static void every_range_at_wider_widths(void **state)
{
    unsigned cases = 0, decided = 0;

    (void)state;
    for (unsigned width = 5; width <= 10; width++)
        for (uint64_t n = 1; n <= (uint64_t)1 << width; n++) {
            double undecided = check(n, width, width, 16384);
            assert_true(undecided < 0.5);
            cases++;
            decided += undecided < 0.01;
        }
    assert_true(5 * decided > cases);
}

static unsigned digits(uint64_t x)
{
    unsigned count = 0;
    for (; x; x >>= 1) count++;
    return count;
}

static void every_range_by_digits(void **state)
{
    (void)state;
    assert_true(check(1, 0, 0, 1) == 0);
    for (uint64_t n = 2; n <= 16; n++) assert_true(check(n, 0, digits(n - 1), 4e6) < 0.01);
    for (uint64_t n = 17; n <= MOST; n++) assert_true(check(n, 0, digits(n - 1), 16384) < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_at_narrow_widths),
        cmocka_unit_test(every_range_at_wider_widths),
        cmocka_unit_test(every_range_by_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
