/* SPDX-License-Identifier: Apache-2.0 */
/* Exposure of planted secrets [Carlini, Liu, Erlingsson, Kos & Song 2019, "The Secret
 * Sharer", definitions 4 and 5, section 4.3]: how many bits of a secret the model gives
 * away, by its rank among all that it might have been, or among a random sample of them. No
 * skew-normal fit: a bound that holds does not need one. */
#include <math.h>

#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/audit_scores.h"

double dusk_exposure(uint64_t rank, uint64_t space)
{
    if (rank == 0 || rank > space) return 0;
    return log2((double)space) - log2((double)rank);
}

/* A random secret looks at least as likely as the planted one with a chance of p; the exposure is -log2 p. Each of the
 * sample is such a secret, so p is below its Clopper-Pearson bound. */
DUSK_PROVEN(dusk_exposure_down)
double dusk_exposure_down(uint64_t above, uint64_t sample, double error)
{
    if (!(error > 0 && error < 1) || above > sample || sample == 0) return 0;
    double p = DUSK_MUTATE(EXPOSURE_IS_AN_ESTIMATE, dusk_clopper_pearson_up(above, sample, error),
                           (double)(above + 1) / (double)(sample + 1));
    double bits = -log2(p) * (1 - 0x1p-48); /* down */
    return bits > 0 ? bits : 0;
}
