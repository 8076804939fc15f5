/* SPDX-License-Identifier: Apache-2.0 */
/* RAPPOR on a device [Erlingsson, Pihur & Korolova 2014]: the bits that a value sets in a Bloom filter, by the hash functions of one of `rows` cohorts, are kept or thrown anew with
 * probability f (the permanent response), and what that gave is reported with probability q of a 1 and p of a 0 to be 1 (the instantaneous one).
 *
 * dusk_client_rappor throws all of it anew, and its epsilon is that of one report. With a memory (client_memory.c) cohort and permanent response are the same whenever the value is,
 * and all reports together have the permanent epsilon. Proof: client_rappor.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

/* The permanent response, over the bits of the filter. */
static int permanent(const dusk_client_task *task, uint8_t *filter, dusk_entropy *entropy)
{
    uint32_t at;
    uint64_t thrown, fair;
    for (at = 0; at < task->width; at += 64) {
        const uint32_t lanes = task->width - at < 64 ? task->width - at : 64, bytes = (lanes + 7) / 8;
        const uint64_t bits = client_get(filter + at / 8, bytes);
        if (client_coins(entropy, &thrown, DUSK_MUTATE(RAPPOR_F_IS_CUT, task->f, task->f >> 57 << 57),
                         lanes) ||
            client_coins(entropy, &fair, (uint64_t)1 << 63, lanes))
            return DUSK_CLIENT_NO_ENTROPY;
        client_put(filter + at / 8, (bits & ~thrown) | (fair & thrown), bytes);
    }
    return 0;
}

static int instantaneous(const dusk_client_task *task, uint8_t *filter, dusk_entropy *entropy)
{
    uint32_t at;
    uint64_t ones, zeros;
    for (at = 0; at < task->width; at += 64) {
        const uint32_t lanes = task->width - at < 64 ? task->width - at : 64, bytes = (lanes + 7) / 8;
        const uint64_t bits = client_get(filter + at / 8, bytes);
        if (client_coins(entropy, &ones, task->q, lanes) || client_coins(entropy, &zeros, task->p, lanes))
            return DUSK_CLIENT_NO_ENTROPY;
        client_put(filter + at / 8, (bits & ones) | (~bits & zeros), bytes);
    }
    return 0;
}

DUSK_PROVEN(client_rappor_apart)
int client_rappor_apart(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *device,
                        dusk_entropy *first, dusk_entropy *second)
{
    const uint32_t bytes = client_bytes_for(task->rows), size = bytes + (task->width + 7) / 8;
    uint32_t cohort, i;
    client_zero(report, size);
    if (client_below(device, &cohort, task->rows)) return DUSK_CLIENT_NO_ENTROPY;
    client_put(report, cohort, bytes);
    for (i = 0; i < task->hashes; i++) {
        const uint32_t bit = client_place(task->seed, cohort * task->hashes + i, value, task->width);
        report[bytes + bit / 8] |= (uint8_t)(1 << bit % 8);
    }
    if (permanent(task, report + bytes, first) || instantaneous(task, report + bytes, second)) {
        client_zero(report, size);
        return DUSK_CLIENT_NO_ENTROPY;
    }
    return DUSK_CLIENT_OK;
}

int dusk_client_rappor(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    return client_rappor_apart(task, report, value, entropy, entropy, entropy);
}
