/* SPDX-License-Identifier: Apache-2.0 */
/* The logarithm of the likelihood ratio, where a mechanism exports its density, as a score:
 * the best one there is (Neyman & Pearson 1933). Here it only orders the outputs; a wrong
 * density makes a worse set, not a wrong bound. */
#include <math.h>

#include "audit/select.h"
#include "base/memory.h"

typedef struct ratio {
    const dusk_sampler *sampler;
    const double *input[2]; /* borrowed, like the pair */
} ratio;

/* ln p - ln q; NaN where neither can happen. */
dusk_status audit_log_ratios(double *out, const dusk_sampler *sampler, const double *const input[2],
                             const double *outputs, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    enum { BLOCK = 512 };
    double q[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t now = n - i < BLOCK ? n - i : BLOCK;
        const double *x = outputs + i * sampler->output_length;
        DUSK_TRY(sampler->log_density(sampler->context, out + i, x, now, input[0], err));
        DUSK_TRY(sampler->log_density(sampler->context, q, x, now, input[1], err));
        for (size_t j = 0; j < now; j++) out[i + j] -= q[j];
    }
done:
    return status;
}

static dusk_status evaluate(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err)
{
    const ratio *r = score->self;
    return audit_log_ratios(values, r->sampler, r->input, outputs, n, err);
}

static void describe(const audit_score *score, dusk_text *text, bool above, double threshold)
{
    (void)score;
    dusk_text_add(text, "log likelihood ratio %s %.6g", above ? ">" : "<", threshold);
}

static const audit_score_kind kind = { "density", evaluate, describe, dusk_deallocate };

dusk_status audit_propose_density(audit_scores *scores, const dusk_sampler *sampler,
                                  const double *const input[2], dusk_error *err)
{
    dusk_status status = DUSK_OK;
    ratio *r;
    DUSK_NEW(r, 1);
    *r = (ratio){ sampler, { input[0], input[1] } };
    return audit_scores_take(scores, (audit_score){ &kind, r, sampler->output_length }, err);
done:
    return status;
}
