/* SPDX-License-Identifier: Apache-2.0 */
/* From Renyi to (epsilon, delta) [Canonne, Kamath & Steinke 2020, Proposition 12],
 * the best that a single order gives but for parts in exp(-(alpha-1) D). See
 * rdp_conversion.proof.md. */
#include "accounting/rdp_conversion.h"

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "base/mutant.h"

/* ln of (1/alpha) (1 - 1/alpha)^s = the largest (1 - e^-x) e^(-s x), alpha = s + 1 */
static double log_factor_up(double s)
{
    double rest = -dusk_mul_down(s, dusk_log1p_down(dusk_div_down(1, s)));
    return DUSK_MUTATE(CONVERSION_FACTOR_SQUARED, 1, 2) * dusk_sub_up(rest, dusk_log1p_down(s));
}

DUSK_PROVEN(dusk_moment_to_epsilon_up)
double dusk_moment_to_epsilon_up(double s, double k, double delta)
{
    if (!(delta > 0) || !(k < INFINITY)) return INFINITY;
    double sum = dusk_add_up(dusk_sub_up(k, dusk_log_down(delta)), log_factor_up(s));
    return sum > 0 ? dusk_div_up(sum, s) : 0;
}

DUSK_PROVEN(dusk_moment_to_delta_up)
double dusk_moment_to_delta_up(double s, double k, double epsilon)
{
    if (!(k < INFINITY)) return 1;
    double l = dusk_add_up(dusk_sub_up(k, dusk_mul_down(s, epsilon)), log_factor_up(s));
    return l < 0 ? dusk_exp_up(l) : 1;
}

/* delta(0) is the total variation, at most sqrt(D/2) (Pinsker) and sqrt(1 - exp(-D))
 * (Bretagnolle & Huber), D of order 1 being at most that of order alpha. */
double dusk_divergence_to_delta_up(double divergence)
{
    if (!(divergence >= 0)) return 1;
    double a = dusk_sqrt_up(dusk_mul_up(divergence, 0.5)), b = dusk_sqrt_up(-dusk_expm1_down(-divergence));
    return a < b ? a : b;
}

double dusk_rdp_to_epsilon_up(double alpha, double rdp, double delta)
{
    double s = dusk_sub_down(alpha, 1);
    if (!(delta > 0) || !(s > 0) || !(rdp < INFINITY)) return INFINITY;
    if (delta >= dusk_divergence_to_delta_up(rdp)) return 0;
    return fmin(isinf(alpha) ? rdp : INFINITY,
                isinf(alpha) ? INFINITY : dusk_moment_to_epsilon_up(s, dusk_mul_up(rdp, s), delta));
}

double dusk_rdp_to_delta_up(double alpha, double rdp, double epsilon)
{
    double s = dusk_sub_down(alpha, 1);
    if (!(s > 0) || !(rdp < INFINITY)) return 1;
    if (rdp <= epsilon && isinf(alpha)) return 0;
    double most = dusk_divergence_to_delta_up(rdp);
    return isinf(alpha) ? most : fmin(most, dusk_moment_to_delta_up(s, dusk_mul_up(rdp, s), epsilon));
}
