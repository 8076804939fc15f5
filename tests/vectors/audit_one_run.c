/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of one run against the published algorithms: the p-value of Steinke, Nasr &
 * Jagielski 2023 (appendix D) and the recursion of Mahloujifar, Melis & Chaudhuri 2024
 * (algorithm 3), each written down once more, plainly, in 30 decimal digits (mpmath) and solved by halving;
 * and the p-value also here, by sums of all terms. A bound may not exceed its reference. */
#include <math.h>

#include "dusk/audit_scores.h"
#include "support.h"

#define ERROR 0.05
#define DELTA 1e-5

typedef struct reference {
    uint64_t canaries, guesses, correct;
    double pure, approximate; /* epsilon at delta 0 and at 1e-5 [Steinke et al.]     */
    double mu, curve;         /* mu, and epsilon at 1e-5 [Mahloujifar et al.]        */
} reference;

static const reference references[] = {
    { 100, 10, 10, 1.0518732, 1.0482371, 0.41641, 1.051139 },
    { 100, 50, 40, 0.77408519, 0.77351577, 0.3915882, 0.756501 },
    { 1000, 100, 90, 1.6308232, 1.6261435, 0.6025035, 1.614318 },
    { 1000, 100, 80, 0.95839205, 0.95531853, 0.3643255, 0.9427909 },
    { 1000, 500, 320, 0.41856337, 0.41806851, 0.2026911, 0.4107356 },
    { 1000, 1000, 600, 0.29746792, 0.29722695, 0.1638496, 0.2918038 },
    { 10000, 100, 100, 3.4929654, 3.2023038, 0.9919353, 3.48648 },
};

/* To five digits: the references were halved to 3e-7. */
static void check(double found, double expected)
{
    assert_true(found <= expected + 1e-6);
    assert_true(found >= expected - 1e-6);
}

static void bounds_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const reference *r = &references[i];
        uint64_t m = r->canaries, n = r->guesses, v = r->correct;
        check(dusk_one_run_epsilon_down(m, n, v, 0, ERROR), r->pure);
        check(dusk_one_run_epsilon_down(m, n, v, DELTA, ERROR), r->approximate);
        check(dusk_one_run_mu_down(m, n, v, ERROR), r->mu);
        check(dusk_one_run_fdp_epsilon_down(m, n, v, DELTA, ERROR), r->curve);
    }
}

/* --- the p-value as it is printed in the paper, term by term ----------------------------- */

static long double term(uint64_t n, uint64_t k, double epsilon)
{
    long double q = 1 / (1 + expl(-(long double)epsilon));
    return expl(lgammal((long double)n + 1) - lgammal((long double)k + 1) -
                lgammal((long double)(n - k) + 1) + (long double)k * logl(q) +
                (long double)(n - k) * log1pl(-q));
}

static long double plain_chance(uint64_t m, uint64_t r, uint64_t v, double epsilon, double delta)
{
    long double beta = 0, below = 0, alpha = 0;
    for (uint64_t k = v; k <= r; k++) beta += term(r, k, epsilon);
    for (uint64_t i = 1; i <= v; i++) {
        below += term(r, v - i, epsilon);
        if (below / (long double)i > alpha) alpha = below / (long double)i;
    }
    return beta + 2 * (long double)m * (long double)delta * alpha;
}

static void chances_are_the_published_ones(void **state)
{
    static const double epsilons[] = { 0, 0.1, 0.7, 2, 5 }, deltas[] = { 0, 1e-12, 1e-5, 1e-2 };
    static const uint64_t guesses[] = { 1, 2, 7, 30, 400 };
    (void)state;
    for (size_t e = 0; e < 5; e++)
        for (size_t d = 0; d < 4; d++)
            for (size_t g = 0; g < 5; g++)
                for (uint64_t v = 1; v <= guesses[g]; v += 1 + v / 4) {
                    long double exact = plain_chance(1000, guesses[g], v, epsilons[e], deltas[d]);
                    double up = dusk_one_run_chance_up(1000, guesses[g], v, epsilons[e], deltas[d]);
                    if (up == 1 || exact < 1e-280L) continue;
                    assert_true(up >= (double)(exact * (1 - 1e-13L)));
                    assert_true(up <= (double)(exact * (1 + 1e-10L)));
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_the_published_ones),
        cmocka_unit_test(chances_are_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
