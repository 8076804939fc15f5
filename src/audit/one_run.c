/* SPDX-License-Identifier: Apache-2.0 */
/* Right guesses in one run [Steinke, Nasr & Jagielski 2023, "Privacy Auditing with One (1)
 * Training Run", Theorem 5.2 and appendix D]: m canaries, each in by a fair coin, r guesses, v of them
 * right. With W ~ Bin(r, q), q = e^epsilon / (1 + e^epsilon), a mechanism that is
 * (epsilon, delta)-DP has so many right guesses with a chance of at most
 *     beta + 2 m delta max_(1 <= i <= v) P(v - i <= W < v) / i,  beta = P(W >= v),
 * where v is above the mode of W: one_run.proof.md has a proof of its own.
 *
 * The binomial is summed from its mode outwards: all terms are positive, so the rounding
 * errors are counted and given to the bound. Nothing here chooses guesses; see scores.c. */
#include <math.h>
#include <stdbool.h>

#include "audit/one_run.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"

/* Terms below this, beside a term of 1 at the mode, are not followed further. */
#define SMALLEST 1e-290
/* Whole numbers up to here are exact as doubles. */
#define COUNT_MAX ((uint64_t)1 << 52)

/* Terms of Bin(r, q) beside the one at the mode, whose term is 1. */
typedef struct sums {
    double all;   /* of terms, not all of them: a lower bound          */
    double upper; /* of those at v and above: an upper bound           */
    double below; /* the term at v - 1: an upper bound                 */
    double count; /* operations, for the rounding errors               */
} sums;

/* Upwards from the mode: the term at k + 1 is that at k times (r-k)/(k+1) e^epsilon. */
static void sum_upwards(sums *s, double r, double v, double mode, double odds)
{
    double term = 1, k = mode;
    if (k >= v) s->upper += term;
    while (k < r && term > SMALLEST) {
        term *= (r - k) / (k + 1) * odds;
        k++;
        s->all += term;
        if (k >= v) s->upper += term;
        if (k == v - 1) s->below = term;
        s->count++;
    }
    if (k < v - 1) s->below = SMALLEST; /* terms fall: those beyond are below the last one */
    s->upper += SMALLEST * r;           /* all that were left out, and underflow */
}

static void sum_downwards(sums *s, double r, double mode, double odds)
{
    double term = 1, k = mode;
    while (k > 0 && term > SMALLEST) {
        term *= k / ((r - k + 1) * odds);
        k--;
        s->all += term;
        s->count++;
    }
}

/* The largest mean of the terms at v - 1, v - 2, ..., v - i. They rise until the mode and
 * fall from there: once a term is below the mean so far, means only fall. */
static double largest_mean(const sums *s, double r, double v, double odds)
{
    double term = s->below, total = 0, mean = 0;
    for (double i = 1; i <= v; i++) {
        total += term;
        if (term < mean) break;
        mean = total / i;
        double k = v - i;
        term *= k / ((r - k + 1) * odds);
    }
    return mean;
}

DUSK_PROVEN(dusk_one_run_chance_up)
double dusk_one_run_chance_up(uint64_t canaries, uint64_t guesses, uint64_t correct, double epsilon,
                              double delta)
{
    if (!(epsilon >= 0 && delta >= 0 && delta < 1) || canaries > COUNT_MAX || guesses > canaries ||
        correct > guesses || correct == 0 || epsilon > AUDIT_EPSILON_MAX)
        return 1;
    double r = (double)guesses, v = (double)correct, odds = dusk_exp_up(epsilon);
    /* up: above it v is surely above (r + 1) q */
    double mode = floor(dusk_mul_up(r + 1, dusk_div_up(odds, dusk_add_down(1, odds))));
    if (mode > r) mode = r;
    if (v <= mode) return 1; /* about one half: no use to anybody */
    sums s = { .all = 1, .below = v - 1 == mode ? 1 : 0 };
    sum_upwards(&s, r, v, mode, odds);
    sum_downwards(&s, r, mode, odds);
    double chance = s.upper;
    if (delta > 0) {
        double trials = DUSK_MUTATE(ONE_RUN_FORGETS_DELTA, (double)canaries, 0);
        chance += 2 * trials * delta * largest_mean(&s, r, v, odds);
        s.count += v;
    }
    chance = chance / s.all * (1 + (16 * s.count + 8 * r + 64) * DUSK_UNIT);
    return chance < 1 ? chance : 1;
}

/* By halving. What is returned was refuted itself, so nothing rests on how chances grow. */
double audit_largest_refuted(audit_refuted *refuted, const void *context, double from, double most)
{
    double low = from, high = fmax(1, 2 * from);
    if (!refuted(from, context)) return from;
    while (high < most && refuted(high, context)) {
        low = high;
        high *= 2;
    }
    if (high > most) high = most;
    for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
        double middle = 0.5 * (low + high);
        if (refuted(middle, context))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_refuted(double epsilon, const void *context)
{
    const audit_guessed *g = context;
    return dusk_one_run_chance_up(g->canaries, g->guesses, g->correct, epsilon, g->delta) <= g->error;
}

DUSK_PROVEN(audit_one_run_epsilon)
double audit_one_run_epsilon(const audit_guessed *guessed, double from)
{
    if (!(guessed->error > 0 && guessed->error < 1)) return from;
    return audit_largest_refuted(is_refuted, guessed, from, AUDIT_EPSILON_MAX);
}

double dusk_one_run_epsilon_down(uint64_t canaries, uint64_t guesses, uint64_t correct, double delta,
                                 double error)
{
    audit_guessed guessed = { canaries, guesses, correct, delta, error };
    return audit_one_run_epsilon(&guessed, 0);
}
