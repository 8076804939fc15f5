/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of rows. Proof: shares.proof.md. */
#include "learn/shares.h"

#include <math.h>

#include "base/mutant.h"
#include "base/platform.h"

DUSK_PROVEN(learn_share_out)
void learn_share_out(double *part, size_t k, double rest)
{
    double most = rest, sum, left = LEARN_PARTS;
    for (size_t j = 0; j < k; j++) most = fmax(most, part[j]);
    sum = exp(rest - most);
    for (size_t j = 0; j < k; j++) sum += part[j] = exp(part[j] - most);
    for (size_t j = 0; j < k; j++) {
        double whole = floor(part[j] / sum * LEARN_PARTS);
        part[j] = DUSK_MUTATE(EM_SHARES_ADD_TO_MORE, whole >= 0 ? fmin(whole, left) : 0, LEARN_PARTS);
        left -= part[j];
    }
}
