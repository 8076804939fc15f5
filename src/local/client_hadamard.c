/* SPDX-License-Identifier: Apache-2.0 */
/* One bit of the Hadamard transform on a device [Apple 2017; Acharya & Sun 2019]: a row by lot, and the sign that the value has in it, kept with p. */
#include "base/mutant.h"
#include "local/client.h"

DUSK_PROVEN(dusk_client_hadamard)
int dusk_client_hadamard(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t truth = client_truth(task, value);
    const uint32_t bytes = client_bytes_for(2 * task->width);
    uint32_t row;
    int kept;
    client_zero(report, bytes);
    kept = client_coin(entropy, task->p);
    if (kept < 0 || client_below(entropy, &row, task->width)) return DUSK_CLIENT_NO_ENTROPY;
    client_put(report,
               2 * row |
                   (client_parity(row & truth) ^ (uint32_t)DUSK_MUTATE(HADAMARD_SIGN_IS_SURE, !kept, 0)),
               bytes);
    return DUSK_CLIENT_OK;
}
