/* SPDX-License-Identifier: Apache-2.0 */
/* k-ary randomized response on a device [Warner 1965; Kairouz, Bonawitz & Ramage 2016]. */
#include "base/mutant.h"
#include "local/client.h"

/* Both coins are tossed whatever the first says, so that time does not tell whether the truth was kept. */
DUSK_PROVEN(dusk_client_grr)
int dusk_client_grr(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t bytes = client_bytes_for(task->domain);
    const uint32_t truth = client_truth(task, value);
    uint32_t other;
    int kept;
    client_zero(report, bytes);
    kept = client_coin(entropy, task->p);
    if (kept < 0 || client_below(entropy, &other, task->domain - 1)) return DUSK_CLIENT_NO_ENTROPY;
    other += DUSK_MUTATE(GRR_LIES_MAY_BE_TRUE, other >= truth, 0);
    client_put(report, kept ? truth : other, bytes);
    return DUSK_CLIENT_OK;
}
