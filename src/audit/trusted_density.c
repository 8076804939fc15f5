/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds that believe an exported density. With L = ln p/q of a draw from P,
 *     delta(e) = sup_S P(S) - exp(e) Q(S) = E[g_e(L)],  g_e(t) = max(0, 1 - exp(e - t)),
 * and as g_e grows, for any places t_1 < ... < t_K (g_e(t_0) = 0)
 *     delta(e) >= sum_k (g_e(t_k) - g_e(t_{k-1})) P(L > t_k).
 * The places are fixed beforehand, each P(L > t_k) is bounded below by Clopper and Pearson's
 * bound at error / K, and the sum holds for all e at once: epsilon at delta is at least every
 * e where it exceeds delta. At delta = 0 one hit beyond t shows epsilon >= t, however
 * small Q is there, which counting on both sides could not. */
#include "audit/trusted_density.h"

#include <math.h>

#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"

/* A lower bound of g_e(t). */
static double gain_down(double t, double e)
{
    return t > e ? fmax(0, dusk_sub_down(1, dusk_exp_up(dusk_sub_up(e, t)))) : 0;
}

static double gain_up(double t, double e)
{
    return t > e ? fmax(0, dusk_sub_up(1, dusk_exp_down(dusk_sub_down(e, t)))) : 0;
}

DUSK_PROVEN(audit_ladder_delta)
double audit_ladder_delta(const audit_ladder *ladder, double e, double error)
{
    double sum = 0, before = 0, share = dusk_div_down(error, AUDIT_RUNGS);
    for (size_t k = 0; k < ladder->count; k++) {
        double t = ladder->place[k], p = dusk_clopper_pearson_down(ladder->hits[k], ladder->trials, share);
        double gain = dusk_sub_down(gain_down(t, e), DUSK_MUTATE(AUDIT_LADDER_ADDS_UP, before, 0));
        if (gain > 0) {
            sum = dusk_add_down(sum, dusk_mul_down(gain, p));
            before = gain_up(t, e);
        }
    }
    return sum;
}

DUSK_PROVEN(audit_ladder_epsilon)
double audit_ladder_epsilon(const audit_ladder *ladder, double delta, double error)
{
    double low = 0, high = 0;
    for (size_t k = 0; k < ladder->count; k++)
        if (isfinite(ladder->place[k])) high = fmax(high, ladder->place[k]);
    if (!(delta >= 0 && audit_ladder_delta(ladder, 0, error) > delta)) return 0;
    /* the bound falls in e: keep an end where it is above delta */
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (audit_ladder_delta(ladder, middle, error) > delta)
            low = middle;
        else
            high = middle;
    }
    return low;
}
