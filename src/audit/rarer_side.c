/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a truth can be counted. The sets that show the most for their mass are {L > t}, L
 * the log ratio (Neyman & Pearson 1933); with draws from P their mass on the other side is the
 * mean of e^-L, however small it is. No bound: it decides how a subject is audited. */
#include "audit/rarer_side.h"

#include <math.h>

#include "base/memory.h"

enum { FIRST = 1 << 14, MOST = 1 << 19, BLOCK = 1 << 10, ENOUGH = 64 /* draws in the set */ };
#define NEARLY_ALL 0.97

/* The largest set among n draws, of which `sorted` has the `kept` log ratios, increasing. */
static double widest(size_t *size, const double *sorted, size_t kept, size_t n, double delta, double truth)
{
    double q = 0, mass = 0;
    *size = 0;
    for (size_t k = 1; k <= kept; k++) {
        q += exp(-sorted[kept - k]) / (double)n;
        double excess = (double)k / (double)n - delta;
        if (!(excess > 0) || log(excess / q) < NEARLY_ALL * truth) continue;
        mass = q;
        *size = k;
    }
    return mass;
}

dusk_status audit_rarer_mass(double *out, const dusk_sampler *sampler, const double *const input[2],
                             double delta, double truth, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *outputs = NULL, *values = NULL, *scratch = NULL, mass = 0;
    size_t size = 0;
    DUSK_NEW(outputs, BLOCK * sampler->output_length);
    DUSK_NEW(values, MOST);
    DUSK_NEW(scratch, MOST);
    for (size_t n = FIRST; n <= MOST && !(mass >= AUDIT_RAREST && size >= ENOUGH); n *= 2) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i += BLOCK) {
            double *now = values + kept;
            DUSK_TRY(sampler->draw(sampler->context, outputs, BLOCK, input[0], err));
            DUSK_TRY(audit_log_ratios(now, sampler, input, outputs, BLOCK, err));
            for (size_t j = 0; j < BLOCK; j++)
                if (!isnan(now[j])) values[kept++] = now[j];
        }
        audit_sort_many(values, kept, scratch);
        mass = widest(&size, values, kept, n, delta, truth);
    }
    *out = fmax(mass, exp(-truth) / MOST); /* rarer than was seen */
done:
    dusk_deallocate(outputs);
    dusk_deallocate(values);
    dusk_deallocate(scratch);
    return status;
}
