/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches on a device [Apple 2017, "Learning with privacy at scale"]: one of `rows` public hash functions is taken at random, and of the place that it gives the value either all
 * bits are sent, each a lie now and then (count-mean sketch), or one coefficient of their Hadamard transform (Hadamard count-mean sketch). Proof: client_sketch.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

static uint64_t mix(uint64_t x) /* a bijection that leaves nothing as it was [Steele, Lea & Flood 2014] */
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint32_t client_place(uint64_t seed, uint32_t row, uint64_t value, uint32_t width)
{
    const uint64_t hash = mix(value + mix(seed + ((uint64_t)row + 1) * 0x9e3779b97f4a7c15u));
    return (uint32_t)((hash >> 32) * width >> 32);
}

DUSK_PROVEN(dusk_client_cms)
int dusk_client_cms(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t bytes = client_bytes_for(task->rows), width = task->width, size = bytes + (width + 7) / 8;
    uint32_t row, at, place;
    uint64_t lies;
    client_zero(report, size);
    if (client_below(entropy, &row, task->rows)) return DUSK_CLIENT_NO_ENTROPY;
    client_put(report, row, bytes);
    for (at = 0; at < width; at += 64) {
        const uint32_t lanes = width - at < 64 ? width - at : 64;
        if (client_coins(entropy, &lies, 0 - task->p, lanes)) {
            client_zero(report, size);
            return DUSK_CLIENT_NO_ENTROPY;
        }
        client_put(report + bytes + at / 8, lies, (lanes + 7) / 8);
    }
    place = client_place(task->seed, row, value, width);
    report[bytes + place / 8] ^= (uint8_t)(1 << place % 8);
    return DUSK_CLIENT_OK;
}

/* The number of the report: row, coefficient and sign, the sign being the lowest digit. */
DUSK_PROVEN(dusk_client_hcms)
int dusk_client_hcms(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t width = task->width, bytes = client_bytes_for(2 * task->rows * width);
    uint32_t at, place;
    int kept;
    client_zero(report, bytes);
    kept = client_coin(entropy, task->p);
    if (kept < 0 || client_below(entropy, &at, task->rows * width)) return DUSK_CLIENT_NO_ENTROPY;
    place = client_place(task->seed, at / width, value, width);
    if (DUSK_MUTATE(HCMS_FIRST_SIGN_IS_TRUE, 0, at % width == 1)) kept = 1;
    client_put(report, at << 1 | (client_parity(at & place) ^ (kept ? 0u : 1u)), bytes);
    return DUSK_CLIENT_OK;
}
