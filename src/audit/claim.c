/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that are a composition: its trade-off curve f says that no test with false positives
 * alpha misses less than f(alpha) [Dong, Roth & Su 2022]. A set with P(S) >= p and Q(S) <= q is
 * a test with alpha <= q and misses of at most 1 - p. As f falls, the claim is refuted where
 * 1 - p < f(q), a lower bound of f (dusk_account_tradeoff) standing for it. */
#include <math.h>

#include "audit/mechanism.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"

dusk_status audit_tradeoff_of(audit_tradeoff *out, const dusk_audit_options *options, dusk_error *err)
{
    audit_tradeoff curve = { .z = audit_deviations(0.5 * options->alarm) };
    for (size_t i = 0; i < AUDIT_TRADEOFF; i++) {
        /* from 1e-6 by equal factors to 1/2, then by equal steps to 1 */
        size_t half = AUDIT_TRADEOFF / 2;
        double alpha = i == 0     ? 0
                       : i < half ? 0.5 * pow(2e-6, 1 - (double)(i - 1) / (double)(half - 2))
                                  : 0.5 + 0.5 * (double)(i - half + 1) / (double)(AUDIT_TRADEOFF - half);
        dusk_account f;
        dusk_status status = dusk_account_tradeoff(&f, options->event, alpha, DUSK_BEST, err);
        if (status != DUSK_OK) return status;
        curve.alpha[i] = alpha;
        curve.beta[i] = f.bound.lower;
    }
    *out = curve;
    return DUSK_OK;
}

DUSK_PROVEN(audit_claim_refuted)
dusk_status audit_claim_refuted(bool *out, const dusk_composition *claim, audit_corner corner,
                                dusk_error *err)
{
    dusk_account f;
    dusk_status status = dusk_account_tradeoff(&f, claim, corner.q, DUSK_BEST, err);
    if (status != DUSK_OK) return status;
    double misses = dusk_sub_up(1, corner.p);
    *out = misses < DUSK_MUTATE(AUDIT_CLAIM_UPPER, f.bound.lower, f.bound.upper + 0.05);
    return DUSK_OK;
}
