/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts: what the last step of an audit can be expected to show with a set, how many
 * draws it wants, and which fault it would have seen. None of these is a bound: they steer
 * choices, and the bound holds whatever is chosen. */
#include <math.h>

#include "audit/bounds.h"
#include "numeric/special.h"

/* Gamma quantiles as cubes [Wilson & Hilferty 1931], which are the limits of a Poisson
 * mean; a binomial's are nearer by the factor 1 - p of its variance. */
static double poisson_limit(double shape, double z)
{
    double root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));
    return root > 0 ? shape * root * root * root : 0;
}

double audit_limit_down(double k, double n, double z)
{
    if (!(k > 0)) return 0;
    if (k > 0.5 * n) return 1 - audit_limit_up(n - k, n, z);
    return fmax(0, poisson_limit(k, -z * sqrt(1 - k / n)) / n);
}

double audit_limit_up(double k, double n, double z)
{
    if (k > 0.5 * n) return 1 - audit_limit_down(n - k, n, z);
    return fmin(1, poisson_limit(k + 1, z * sqrt(1 - k / n)) / n);
}

double audit_deviations(double error) { return dusk_normal_upper_quantile(fmin(fmax(error, 1e-300), 0.5)); }

/* The Renyi divergence of one coin from another; negative for a coin that falls less often. */
static double bernoulli_divergence(double p, double q, double order)
{
    if (!(p > q)) return p - q;
    double hit = order * log(p) - (order - 1) * log(q), miss = order * log1p(-p) - (order - 1) * log1p(-q);
    return (fmax(hit, miss) + log1p(exp(-fabs(hit - miss)))) / (order - 1);
}

/* By how much n draws would show a test of power p and level q to lie below a curve. */
static double refuted_by(const audit_tradeoff *claim, double p, double q, double n)
{
    double alpha = audit_limit_up(q * n, n, claim->z), beta = 1 - audit_limit_down(p * n, n, claim->z);
    size_t i = 1;
    while (i + 1 < AUDIT_TRADEOFF && claim->alpha[i] < alpha) i++;
    double a = claim->alpha[i - 1], b = claim->alpha[i], share = (fmin(fmax(alpha, a), b) - a) / (b - a);
    return claim->beta[i - 1] + share * (claim->beta[i] - claim->beta[i - 1]) - beta;
}

double audit_forecast_epsilon(const audit_forecast *forecast, audit_counts counts)
{
    double n = forecast->draws;
    double p = audit_limit_down(counts.p_hits, counts.trials, forecast->caution);
    double q = audit_limit_up(counts.q_hits, counts.trials, forecast->caution);
    double refuted = forecast->claim ? refuted_by(forecast->claim, p, q, n) : 0;
    if (refuted > 0) return 1000 + refuted; /* beyond any epsilon */
    double shown_p = audit_limit_down(p * n, n, forecast->z), shown_q = audit_limit_up(q * n, n, forecast->z);
    if (forecast->order > 1) return bernoulli_divergence(shown_p, shown_q, forecast->order);
    double excess = shown_p - forecast->delta;
    return excess > 0 ? log(excess / shown_q) : -INFINITY;
}

double audit_worth_showing(double claimed, double worth) { return claimed * (1 + worth) + 0.04 * worth; }

/* Whether a true epsilon is shown to be above the claim when both counts are at the bad
 * ends of their nineteen cases in twenty. */
static bool would_show(double epsilon, double p, double claimed, double delta, double n, double z)
{
    double q = (p - delta) * exp(-epsilon), away = 1.645;
    double p_hits = fmax(0, p * n - away * sqrt(p * (1 - p) * n)),
           q_hits = q * n + away * sqrt(q * (1 - q) * n);
    double excess = audit_limit_down(p_hits, n, z) - delta;
    return excess > 0 && log(excess / audit_limit_up(q_hits, n, z)) > claimed;
}

double audit_detectable(double p, double claimed, double delta, double draws, double alarm)
{
    double z = audit_deviations(alarm / 2), low = claimed, high = claimed + 60;
    if (!(p > delta) || !isfinite(claimed) || !would_show(high, p, claimed, delta, draws, z)) return INFINITY;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        if (would_show(middle, p, claimed, delta, draws, z))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Whether n draws make a bound that is close to the truth, as far as these counts tell it. */
static bool is_sharp(audit_counts counts, const audit_forecast *planned, double claimed, double n)
{
    audit_forecast shown = { .delta = planned->delta, .draws = n, .z = planned->z };
    double q = fmax(counts.q_hits, 0.7), truth = log((counts.p_hits - planned->delta * counts.trials) / q);
    /* with few hits the truth is hardly known, and perhaps infinite */
    double share = counts.q_hits < 10 ? 0.2 : 0.022;
    if (!(truth > 0)) return true; /* nothing to be close to */
    if (n > fmax(planned->draws, fmin(8 * planned->draws, planned->most))) return true;
    return !(audit_forecast_epsilon(&shown, counts) < truth - share * fmax(truth, 0.25 * fmin(claimed, 1)));
}

/* A fault that is there is to be shown even where both counts of the last step are this many
 * standard deviations to the bad side. */
#define AWAY 2.5

/* Whether n draws settle the claim: it is refuted where it should be, or else a fault worth
 * showing would be seen. A refutation that is foreseen must not rest on counts that may have
 * flattered the set: the draws are to do for a cautious forecast, or for a fault worth showing. */
static bool settles(audit_counts counts, double delta, double planned, double claimed, double worth,
                    double alarm, double n)
{
    double z = audit_deviations(alarm / 2) + AWAY;
    audit_forecast careful = { .delta = delta, .draws = 1e15, .caution = 2 };
    audit_forecast sure = { .delta = delta, .draws = n, .z = z, .caution = 0.5 };
    bool sees = audit_detectable(counts.p_hits / counts.trials, claimed, delta, n, alarm) <=
                audit_worth_showing(claimed, worth);
    if (n < 8 * planned && audit_forecast_epsilon(&careful, counts) > claimed) {
        if (!(audit_forecast_epsilon(&sure, counts) > claimed)) return false;
        sure.caution = careful.caution;
        return sees || audit_forecast_epsilon(&sure, counts) > claimed;
    }
    /* it may be refuted: worth some draws, not any number of them */
    careful.caution = sure.caution = 0;
    if (n < 0.5 * planned && audit_forecast_epsilon(&careful, counts) > claimed &&
        !(audit_forecast_epsilon(&sure, counts) > claimed))
        return false;
    return sees;
}

double audit_draws_wanted(audit_counts counts, const audit_forecast *planned, double claimed, double worth,
                          double alarm, double most)
{
    double n = 0x1p15, delta = planned->delta;
    if (!(counts.p_hits > delta * counts.trials)) return most;
    while (n < most && !(is_sharp(counts, planned, claimed, n) &&
                         settles(counts, delta, planned->draws, claimed, worth, alarm, n)))
        n *= 1.2;
    return fmin(ceil(n), most);
}
