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

double audit_forecast_epsilon(const audit_forecast *forecast, audit_counts counts)
{
    double n = forecast->draws;
    double p = audit_limit_down(counts.p_hits, counts.trials, forecast->caution);
    double q = audit_limit_up(counts.q_hits, counts.trials, forecast->caution);
    double excess = audit_limit_down(p * n, n, forecast->z) - forecast->delta;
    return excess > 0 ? log(excess / audit_limit_up(q * n, n, forecast->z)) : -INFINITY;
}

double audit_worth_showing(double claimed) { return 1.25 * claimed + 0.01; }

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

/* Whether n draws are enough: the bound loses little of `truth`, which these counts
 * suggest, and the claim is refuted where it should be or else a fault worth showing is seen. */
static bool enough(audit_counts counts, double truth, double claimed, double delta, double error,
                   double alarm, double n)
{
    audit_forecast shown = { delta, n, audit_deviations(error / 2), 0 };
    audit_forecast sure = { delta, n, audit_deviations(alarm / 2), 0 }, careful = sure;
    careful.caution = 2;
    careful.z = 0;
    careful.draws = 1e15;
    if (audit_forecast_epsilon(&shown, counts) < truth - 0.025 * fmax(truth, fmin(claimed, 1))) return false;
    if (audit_forecast_epsilon(&careful, counts) > claimed)
        return audit_forecast_epsilon(&sure, counts) > claimed + 0.1 * (truth - claimed);
    return audit_detectable(counts.p_hits / counts.trials, claimed, delta, n, alarm) <=
           audit_worth_showing(claimed);
}

double audit_draws_wanted(audit_counts counts, double claimed, double delta, double error, double alarm,
                          double most)
{
    double p = counts.p_hits / counts.trials, q = fmax(counts.q_hits, 0.7) / counts.trials, n = 0x1p15;
    if (!(p > delta)) return most;
    double truth = fmax(0, log((p - delta) / q));
    while (n < most && !enough(counts, truth, claimed, delta, error, alarm, n)) n *= 1.2;
    return fmin(ceil(n), most);
}
