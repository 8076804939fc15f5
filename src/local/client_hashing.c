/* SPDX-License-Identifier: Apache-2.0 */
/* Local hashing on a device [Wang et al. 2017]: a hash function by lot, randomized response on what it makes of the value, and both are reported.
 *
 * Hash functions are x = (a v + b) mod P for a prime P = rows, and then g x / P rounded down, g = width. With a and b uniform below P, two values of the
 * domain have independent x, both uniform [Carter & Wegman 1979]: how often two values collide is known exactly, and is the same for all pairs. Products and quotients are
 * made bit by bit, since a division may take longer for some values than for others. */
#include "local/client.h"

uint32_t client_hash_bytes(const dusk_client_task *task)
{
    const uint64_t last = (uint64_t)task->rows * task->rows * task->width - 1;
    uint32_t bytes = 1;
    while (bytes < 8 && last >> (8 * bytes)) bytes++;
    return bytes;
}

/* x + y mod P, both below P <= 2^31. */
static uint32_t add(uint32_t x, uint32_t y, uint32_t prime)
{
    x += y;
    return x - (prime & (0 - (uint32_t)(x >= prime)));
}

DUSK_PROVEN(client_hash_value)
uint32_t client_hash_value(const dusk_client_task *task, uint32_t a, uint32_t b, uint32_t value)
{
    uint32_t x = 0, y = 0, bits = 0;
    uint64_t rest;
    while (bits < 32 && (task->domain - 1) >> bits) bits++;
    while (bits-- > 0) {
        x = add(x, x, task->rows);
        x = add(x, a & (0 - (value >> bits & 1)), task->rows);
    }
    rest = (uint64_t)add(x, b, task->rows) * task->width;
    for (bits = 0; task->width >> bits; bits++) {
    }
    while (bits-- > 0) {
        const uint64_t part = (uint64_t)task->rows << bits, fits = rest >= part;
        rest -= part & (0 - fits);
        y |= (uint32_t)fits << bits;
    }
    return y;
}

DUSK_PROVEN(dusk_client_olh)
int dusk_client_olh(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t bytes = client_hash_bytes(task);
    const uint32_t truth = client_truth(task, value);
    uint32_t a, b, hashed, other;
    int kept;
    client_zero(report, bytes);
    if (client_below(entropy, &a, task->rows) || client_below(entropy, &b, task->rows))
        return DUSK_CLIENT_NO_ENTROPY;
    kept = client_coin(entropy, task->p);
    if (kept < 0 || client_below(entropy, &other, task->width - 1)) return DUSK_CLIENT_NO_ENTROPY;
    hashed = client_hash_value(task, a, b, truth);
    other += other >= hashed;
    client_put(report, ((uint64_t)a * task->rows + b) * task->width + (kept ? hashed : other), bytes);
    return DUSK_CLIENT_OK;
}
