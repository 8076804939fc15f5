/* SPDX-License-Identifier: Apache-2.0 */
/* The chance that a bound of one run exceeds the truth, summed exactly over all outcomes:
 * of randomized response, the worst there is for pure epsilon; of one that gives each bit away with a chance of delta, and of one that
 * gives all of them away at once; of Gaussian scores; and of whole audits that choose among
 * guesses. Errors are taken where they are hardest to meet: at the chances of the outcomes themselves. */
#include <math.h>

#include "dusk/audit_scores.h"
#include "numeric/special.h"
#include "support.h"

enum { MOST = 12, AUDITED = 6 };

static const double epsilons[] = { 0, 0.1, 0.5, 1, 2, 4 };
static const double deltas[] = { 0, 0.001, 0.02, 0.1 };

static double binomial(unsigned n, unsigned k, double p)
{
    double x = 1;
    for (unsigned i = 1; i <= k; i++) x *= (double)(n - k + i) / i;
    return x * pow(p, k) * pow(1 - p, n - k);
}

static double tail(unsigned n, unsigned k, double p)
{
    double sum = 0;
    for (unsigned i = k; i <= n; i++) sum += binomial(n, i, p);
    return sum;
}

static double share(double epsilon) { return 1 / (1 + exp(-epsilon)); }

/* --- bounds from counts ---------------------------------------------------------------- */

typedef double bound_of(uint64_t m, uint64_t r, uint64_t v, double delta, double error);

static double mu_bound(uint64_t m, uint64_t r, uint64_t v, double delta, double error)
{
    (void)delta;
    return dusk_one_run_mu_down(m, r, v, error);
}

/* Right guesses are Bin(r, p), and with a chance of `all` all of them are right instead. */
static void check_coverage(bound_of *bound, unsigned m, unsigned r, double truth, double delta, double p,
                           double all, double error)
{
    double wrong = 0;
    for (unsigned v = 0; v <= r; v++) {
        double chance = (1 - all) * binomial(r, v, p) + (v == r ? all : 0);
        if (bound(m, r, v, delta, error) > truth + 1e-9) wrong += chance;
    }
    if (wrong > error * (1 + 1e-9))
        fail_msg("m %u r %u truth %g delta %g error %g: wrong with %g", m, r, truth, delta, error, wrong);
}

/* For errors at, just above and just below the chance of an outcome. */
static void check_errors(bound_of *bound, unsigned m, unsigned r, double truth, double delta, double p,
                         double all)
{
    for (unsigned v = 1; v <= r; v++) {
        double at[] = { (1 - all) * tail(r, v, p) + all, tail(r, v, share(truth)) };
        for (int i = 0; i < 6; i++) {
            double error = at[i % 2] * (1 + 1e-6 * (i / 2 - 1));
            if (error > 1e-12 && error < 0.9) check_coverage(bound, m, r, truth, delta, p, all, error);
        }
    }
    check_coverage(bound, m, r, truth, delta, p, all, 0.05);
}

static void bounds_of_counts_are_bounds(void **state)
{
    static bound_of *const bounds[] = { dusk_one_run_epsilon_down, dusk_one_run_fdp_epsilon_down };
    static const unsigned guesses[] = { 1, 2, 3, 5, 8, 12 };
    (void)state;
    for (int b = 0; b < 2; b++)
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++)
            for (size_t d = 0; d < sizeof deltas / sizeof *deltas; d++)
                for (size_t g = 0; g < sizeof guesses / sizeof *guesses; g++) {
                    double q = share(epsilons[e]), delta = deltas[d];
                    check_errors(bounds[b], MOST, guesses[g], epsilons[e], delta, q + delta * (1 - q), 0);
                    if (delta > 0) check_errors(bounds[b], MOST, guesses[g], epsilons[e], delta, q, delta);
                }
}

/* Each canary's score is normal, mu higher when it is in; all are guessed, at mu/2. */
static void bounds_of_mu_are_bounds(void **state)
{
    static const double mus[] = { 0, 0.2, 0.5, 1, 2 };
    (void)state;
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++)
        for (unsigned m = 1; m <= MOST; m += 3) {
            double p = dusk_normal_cdf(mus[i] / 2);
            for (unsigned v = 1; v <= m; v++) check_coverage(mu_bound, m, m, mus[i], 0, p, 0, tail(m, v, p));
            check_coverage(mu_bound, m, m, mus[i], 0, p, 0, 0.05);
        }
}

/* --- whole audits ----------------------------------------------------------------------------- */

/* Scores are noisy memberships: two levels of trust, both bounded by epsilon. */
static double score_of(unsigned coin, unsigned wrong, unsigned strong)
{
    double side = (coin ^ wrong) & 1 ? 1 : -1;
    return strong ? 2 * side : side;
}

/* All coins, or those that put exactly half in; all flips; the strong answers are the first three. The
 * chance that some bound of the audit that assumes nothing exceeds the truth, each at its own level. */
static void check_audits(dusk_choice_rule rule, double epsilon, double error, bool half, bool declared)
{
    double wrong[3] = { 0 }, q = share(epsilon);
    for (unsigned coins = 0; coins < 1u << AUDITED; coins++)
        for (unsigned flips = 0; flips < 1u << AUDITED; flips++) {
            double score[AUDITED], chance = half ? 1.0 / 20 : pow(0.5, AUDITED);
            bool member[AUDITED];
            dusk_scores *scores;
            dusk_score_options options;
            dusk_score_report report;
            for (unsigned i = 0; i < AUDITED; i++) {
                unsigned flip = flips >> i & 1;
                member[i] = coins >> i & 1;
                score[i] = score_of(member[i], flip, i < 3);
                chance *= flip ? 1 - q : q;
            }
            if (half && __builtin_popcount(coins) != AUDITED / 2) continue;
            dusk_score_options_init(&options);
            options.rule = rule;
            options.fair_coins = declared;
            options.positives = options.negatives = AUDITED / 2;
            options.confidence = 1 - error;
            assert_int_equal(dusk_scores_new(&scores, score, member, AUDITED, NULL), DUSK_OK);
            assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_OK);
            dusk_scores_free(scores);
            for (int i = 0; i < 2; i++)
                if (report.bound[i].epsilon > epsilon + 1e-9) wrong[i] += chance;
            if (report.epsilon > epsilon + 1e-9) wrong[2] += chance;
        }
    for (int i = 0; i < 3; i++)
        if (wrong[i] > error)
            fail_msg("rule %d epsilon %g error %g: wrong with %g", rule, epsilon, error, wrong[i]);
}

static void audits_are_bounds(void **state)
{
    (void)state;
    check_audits(DUSK_CHOICE_LIST, 0, 0.3, false, false);
    check_audits(DUSK_CHOICE_LIST, 0.5, 0.6, false, false);
    check_audits(DUSK_CHOICE_SPLIT, 0, 0.3, false, false);
    check_audits(DUSK_CHOICE_SPLIT, 0, 0.15, false, false);
    check_audits(DUSK_CHOICE_FIXED, 0, 0.04, true, false);
    check_audits(DUSK_CHOICE_FIXED, 0.5, 0.2, true, false);
    check_audits(DUSK_CHOICE_FIXED, 0, 0.04, false, true);
    check_audits(DUSK_CHOICE_LIST, 0, 0.3, false, true);
    check_audits(DUSK_CHOICE_LIST, 0.5, 0.6, false, true);
}

/* --- the constant of the proof page -------------------------------------------------------------- */

/* A(c) of one_run.proof.md: over the places of a right guess, the mean of the chance that the right
 * ones among those before it and Bernoulli(q) numbers for those after it are v - 1. */
static double weight(unsigned r, unsigned c, unsigned v, double q)
{
    double sum = 0;
    for (unsigned before = 0; before < r; before++)
        for (unsigned right = 0; right <= before && right < c && right < v; right++)
            if (before - right <= r - c && v - 1 - right <= r - 1 - before)
                sum += binomial(c - 1, right, 0.5) * binomial(r - c, before - right, 0.5) /
                       binomial(r - 1, before, 0.5) * binomial(r - 1 - before, v - 1 - right, q);
    return sum / r;
}

/* The closed form of its maximum, which the published constant exceeds. */
static void check_constant(unsigned r, unsigned v, double q)
{
    double most = 0, below = 0, published = 0, beta = tail(r, v, q);
    for (unsigned c = 1; c <= r; c++) most = fmax(most, (1 - q) * weight(r, c, v, q));
    for (unsigned i = 1; i <= v; i++) {
        below += binomial(r, v - i, q);
        published = fmax(published, below / i);
    }
    double closed = beta * below / (v * binomial(r, v, q));
    assert_true(fabs(most - closed) <= 1e-11 * closed);
    if (v > (r + 1) * q) assert_true(beta <= 0.5 * (1 + 1e-12) && closed <= 0.4 * 2 * published);
}

static void published_constant_is_the_larger(void **state)
{
    static const unsigned guesses[] = { 1, 2, 3, 5, 8, 12, 20, 30 };
    (void)state;
    for (size_t g = 0; g < sizeof guesses / sizeof *guesses; g++)
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++)
            for (unsigned r = guesses[g], v = 1; v <= r; v++) check_constant(r, v, share(epsilons[e]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_counts_are_bounds),
        cmocka_unit_test(bounds_of_mu_are_bounds),
        cmocka_unit_test(audits_are_bounds),
        cmocka_unit_test(published_constant_is_the_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
