/* SPDX-License-Identifier: Apache-2.0 */
/* d bits of a histogram on a device [Ding, Kulkarni & Yekhanin 2017, dBitFlipPM]: whether the value is in each of `width` buckets that are taken at random, every answer a lie
 * now and then. Report: the numbers of the buckets, and then the answers, a bit each. Proof: client_buckets.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

static int taken(const uint8_t *report, uint32_t count, uint32_t bytes, uint32_t bucket)
{
    uint32_t i;
    int found = 0;
    for (i = 0; i < count; i++) found |= client_get(report + i * bytes, bytes) == bucket;
    return found;
}

/* Buckets are chosen by Floyd's algorithm: of 0 .. j one is drawn, and j itself instead of one that was taken. */
DUSK_PROVEN(client_dbitflip_apart)
int client_dbitflip_apart(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *device,
                          dusk_entropy *coins)
{
    const uint32_t bytes = client_bytes_for(task->domain), width = task->width, size = width * bytes;
    const uint32_t truth = client_truth(task, value);
    uint32_t i, bucket;
    client_zero(report, size + (width + 7) / 8);
    for (i = 0; i < width; i++) {
        const uint32_t last = task->domain - width + i;
        const int kept = client_coin(coins, task->p);
        if (kept < 0 || client_below(device, &bucket, last + 1)) {
            client_zero(report, size + (width + 7) / 8);
            return DUSK_CLIENT_NO_ENTROPY;
        }
        if (taken(report, i, bytes, bucket)) bucket = last;
        client_put(report + i * bytes, bucket, bytes);
        report[size + i / 8] |= (uint8_t)(((bucket == truth) == DUSK_MUTATE(DBITFLIP_ONE_IS_NO_LIE, kept,
                                                                            kept | (bucket == truth)))
                                          << i % 8);
    }
    return DUSK_CLIENT_OK;
}

int dusk_client_dbitflip(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    return client_dbitflip_apart(task, report, value, entropy, entropy);
}
