/* SPDX-License-Identifier: Apache-2.0 */
/* Right guesses in one run, held against a whole trade-off curve [Mahloujifar, Melis &
 * Chaudhuri 2024, "Auditing f-Differential Privacy in One Run", theorem 3.2 and algorithm 3].
 * With p_i the chance of exactly i right guesses of c', and
 *     r_i = sum_(j >= i) j p_j / m,   h_i = sum_(j >= i) (c' - j) p_j / m,
 * every mechanism under which no test does better than f has r_i <= 1 - f(h_(i-1)). If c or more right
 * guesses had a chance of tau, the r and h that follow, from c down to 0, would add up to more than
 * r_0 + h_0 = c'/m can: then they have not.
 *
 * The curve is that of a Gaussian mechanism or the best of some points (epsilon, delta).
 * All numbers are rounded down, so that less follows. */
#include <math.h>

#include "audit/one_run.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

#define MU_MAX 64.0
#define COUNT_MAX ((uint64_t)1 << 52)

/* --- the least false positive rate of a test with power y ------------------------------ */

/* Phi(Phi^-1(y) - mu). special.h: both functions have relative errors of 1e-14, of which the
 * tail makes less than 2e-11 while it is above 1e-300. */
static double gaussian_least(double y, double mu)
{
    if (!(y > 1e-300)) return 0;
    double x = dusk_normal_cdf(dusk_normal_quantile(y) - mu);
    return x > 1e-300 ? x * (1 - 1e-10) : 0;
}

/* y <= delta + e^epsilon x, and 1 - x <= delta + e^epsilon (1 - y). */
static double point_least(double y, double epsilon, double delta)
{
    double first = (y - delta) * exp(-epsilon) * (1 - 0x1p-48);
    double second = 1 - delta - exp(epsilon) * (1 - y) - 0x1p-47;
    return fmax(0, fmax(first, second));
}

DUSK_PROVEN(least)
static double least(const dusk_promise *promise, double y)
{
    double x = 0;
    if (!promise->n) return gaussian_least(y, promise->mu);
    for (size_t i = 0; i < promise->n; i++)
        x = fmax(x, point_least(y, promise->epsilons[i], promise->deltas[i]));
    return x;
}

static bool is_promise(const dusk_promise *promise)
{
    if (!promise->n) return promise->mu >= 0 && promise->mu <= MU_MAX;
    for (size_t i = 0; i < promise->n; i++)
        if (!(promise->epsilons[i] >= 0 && promise->deltas[i] >= 0)) return false;
    return true;
}

/* --- the recursion ----------------------------------------------------------------------- */

DUSK_PROVEN(dusk_one_run_refutes)
bool dusk_one_run_refutes(const dusk_promise *promise, uint64_t canaries, uint64_t guesses, uint64_t correct,
                          double error)
{
    if (!is_promise(promise) || canaries > COUNT_MAX || guesses > canaries || correct > guesses ||
        correct == 0 || !(error > 0 && error < 1))
        return false;
    double m = (double)canaries, all = (double)guesses, c = (double)correct;
    double whole = dusk_div_up(all, m);
    double h = dusk_div_down(dusk_mul_down(error, DUSK_MUTATE(FDP_ONE_RUN_STARTS_WRONG, all - c, all)), m);
    double r = dusk_div_down(dusk_mul_down(error, c), m) * (1 - 0x1p-50); /* r <= c / (c' - c) h */
    for (double i = c - 1; i >= 0; i--) {
        double next = DUSK_MUTATE(FDP_ONE_RUN_NO_LIMIT, fmax(h, least(promise, r)), h + least(promise, r));
        if (next == h) break; /* and nothing will change from here */
        double rise = dusk_sub_down(next, h);
        r = dusk_add_down(r, dusk_mul_down(dusk_div_down(i, all - i), rise));
        h = next;
        if (dusk_add_down(r, h) > whole) return true;
    }
    return dusk_add_down(r, h) > whole;
}

/* --- parameters ------------------------------------------------------------------------------ */

static bool epsilon_refuted(double epsilon, const void *context)
{
    const audit_guessed *g = context;
    dusk_promise promise = { .epsilons = &epsilon, .deltas = &g->delta, .n = 1 };
    return dusk_one_run_refutes(&promise, g->canaries, g->guesses, g->correct, g->error);
}

static bool mu_refuted(double mu, const void *context)
{
    const audit_guessed *g = context;
    dusk_promise promise = { .mu = mu };
    return dusk_one_run_refutes(&promise, g->canaries, g->guesses, g->correct, g->error);
}

DUSK_PROVEN(audit_one_run_fdp_epsilon)
double audit_one_run_fdp_epsilon(const audit_guessed *guessed, double from)
{
    if (!(guessed->delta >= 0 && guessed->delta < 1)) return from;
    return audit_largest_refuted(epsilon_refuted, guessed, from, AUDIT_EPSILON_MAX);
}

double audit_one_run_mu(const audit_guessed *guessed, double from)
{
    return audit_largest_refuted(mu_refuted, guessed, from, MU_MAX);
}

double dusk_one_run_fdp_epsilon_down(uint64_t canaries, uint64_t guesses, uint64_t correct, double delta,
                                     double error)
{
    audit_guessed guessed = { canaries, guesses, correct, delta, error };
    return audit_one_run_fdp_epsilon(&guessed, 0);
}

double dusk_one_run_mu_down(uint64_t canaries, uint64_t guesses, uint64_t correct, double error)
{
    audit_guessed guessed = { canaries, guesses, correct, 0, error };
    return audit_one_run_mu(&guessed, 0);
}
