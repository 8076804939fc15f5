/* SPDX-License-Identifier: Apache-2.0 */
/* From the counts of one set S on two sides to a lower bound of what tells the sides apart.
 *
 * The error is shared equally by a lower bound p of P(S) and an upper bound q of Q(S); both
 * hold with probability at least 1 - error, whatever joins the two counts. Then
 *     epsilon >= ln((p - delta) / q)                        by the definition,
 *     D_a(P || Q) >= D_a(Bernoulli(p) || Bernoulli(q))      by data processing, where p > q,
 *     mu >= Phi^-1(p) - Phi^-1(q)                           [Dong, Roth & Su 2022, section 2.2].
 * Each grows in p and falls in q, so that the corner of the rectangle is its least value.
 * Clopper and Pearson's bounds are for S fixed before the counted draws were made. */
#include <math.h>

#include "audit/bounds.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

DUSK_PROVEN(audit_corner_of)
audit_corner audit_corner_of(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials,
                             double error)
{
    double half = DUSK_MUTATE(AUDIT_NO_UNION, 0.5, 1.0) * error;
    return (audit_corner){ dusk_clopper_pearson_down(p_hits, p_trials, half),
                           dusk_clopper_pearson_up(q_hits, q_trials, half) };
}

DUSK_PROVEN(audit_corner_epsilon)
double audit_corner_epsilon(audit_corner corner, double delta)
{
    double excess = dusk_sub_down(corner.p, DUSK_MUTATE(AUDIT_FORGETS_DELTA, delta, 0));
    if (!(delta >= 0 && delta <= 1 && excess > corner.q)) return 0;
    return fmax(0, dusk_log_down(dusk_div_down(excess, corner.q)));
}

/* (p/q)^order q, the share of one outcome in exp((order - 1) D_order), from below. */
static double power_down(double p, double q_lower, double q_upper, double order)
{
    if (!(p > 0)) return 0;
    double ratio = dusk_log_down(dusk_div_down(p, q_upper));
    return dusk_mul_down(dusk_exp_down(dusk_mul_down(ratio, order)), q_lower);
}

DUSK_PROVEN(audit_corner_renyi)
double audit_corner_renyi(audit_corner corner, double order)
{
    double p = corner.p, q = corner.q;
    if (!(order > 1 && isfinite(order) && p > q)) return 0;
    /* 1 - p and 1 - q, each rounded the way that makes its share smaller */
    double hit = power_down(p, q, q, order);
    double miss = power_down(dusk_sub_down(1, p), dusk_sub_down(1, q), dusk_sub_up(1, q), order);
    double sum = dusk_add_down(hit, miss), top = 0;
    if (sum > 1) top = dusk_log_down(sum);
    /* the hits alone, in logarithms: sharper where the sum is beyond a double's range */
    double alone = dusk_add_down(dusk_mul_down(dusk_log_down(dusk_div_down(p, q)), order), dusk_log_down(q));
    return fmax(0, dusk_div_down(fmax(top, alone), dusk_sub_up(order, 1)));
}

/* Phi^-1 with its error, toward `direction` (-1, +1). */
static double quantile_toward(double p, double direction)
{
    double x = dusk_normal_quantile(p);
    /* p itself is exact; a relative error of 1e-14 in p or x moves x by less than this */
    return x + direction * 1e-12 * (1 + fabs(x));
}

DUSK_PROVEN(audit_corner_mu)
double audit_corner_mu(audit_corner corner)
{
    if (!(corner.p > corner.q && corner.q > 0 && corner.p < 1)) return 0;
    return fmax(0, dusk_sub_down(quantile_toward(corner.p, -1), quantile_toward(corner.q, 1)));
}

double dusk_epsilon_down(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials, double delta,
                         double error)
{
    return audit_corner_epsilon(audit_corner_of(p_hits, p_trials, q_hits, q_trials, error), delta);
}

double dusk_renyi_down(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials, double order,
                       double error)
{
    return audit_corner_renyi(audit_corner_of(p_hits, p_trials, q_hits, q_trials, error), order);
}

double dusk_gaussian_mu_down(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials,
                             double error)
{
    return audit_corner_mu(audit_corner_of(p_hits, p_trials, q_hits, q_trials, error));
}
