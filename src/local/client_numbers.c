/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on a device. A number is v of 2^32 - 1 steps; between two places it is rounded to one of them at random, so that it is right on average.
 *
 *     one bit    a number is rounded to the bottom or the top, and that is answered by coins [Duchi, Jordan & Wainwright 2018; Ding, Kulkarni & Yekhanin 2017]
 *     window     a number is rounded to one of `domain` places; the answer is one of the `width` cells from there on, or one of the others: the
 *                piecewise mechanism [Wang et al. 2019] and the square wave [Li et al. 2020], with cells instead of a continuum
 *     hybrid     one or the other [Wang et al. 2019]
 *
 * Proof: client_numbers.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

#define TOP ((uint64_t)UINT32_MAX)

/* *up: 1 with probability part / TOP. */
static int round_up(dusk_entropy *entropy, uint32_t part, uint32_t *up)
{
    return client_part(entropy, up, part, UINT32_MAX);
}

/* The top answers 1 with probability p, the bottom with q. */
static int one_bit(const uint64_t p, const uint64_t q, uint64_t value, uint32_t *bit, dusk_entropy *entropy)
{
    const uint32_t number = value < TOP ? (uint32_t)value : UINT32_MAX;
    uint32_t top;
    int high, low;
    if (round_up(entropy, number, &top)) return DUSK_CLIENT_NO_ENTROPY;
    high = client_coin(entropy, p);
    low = client_coin(entropy, q);
    if (high < 0 || low < 0) return DUSK_CLIENT_NO_ENTROPY;
    *bit = (uint32_t)(top ? high : low);
    return 0;
}

/* A cell of the window, all as likely, or one of the others. */
static int window(const dusk_client_task *task, uint64_t value, uint32_t *cell, dusk_entropy *entropy)
{
    const uint64_t steps = (value < TOP ? value : TOP) * (task->domain - 1);
    uint32_t place = (uint32_t)(steps / TOP), up, inside, outside;
    int within;
    if (round_up(entropy, (uint32_t)(steps % TOP), &up)) return DUSK_CLIENT_NO_ENTROPY;
    within = client_coin(entropy, task->p);
    if (within < 0 || client_below(entropy, &inside, task->width) ||
        client_below(entropy, &outside, task->domain - 1))
        return DUSK_CLIENT_NO_ENTROPY;
    place += up;
    outside += outside >= place ? task->width : 0;
    *cell = within ? place + inside : outside;
    return 0;
}

DUSK_PROVEN(dusk_client_onebit)
int dusk_client_onebit(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    uint32_t bit;
    client_zero(report, 1);
    if (one_bit(task->p, task->q, value, &bit, entropy)) return DUSK_CLIENT_NO_ENTROPY;
    client_put(report, bit, 1);
    return DUSK_CLIENT_OK;
}

DUSK_PROVEN(dusk_client_window)
int dusk_client_window(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t bytes = client_bytes_for(task->domain + task->width - 1);
    uint32_t cell;
    client_zero(report, bytes);
    if (window(task, value, &cell, entropy)) return DUSK_CLIENT_NO_ENTROPY;
    client_put(report, cell, bytes);
    return DUSK_CLIENT_OK;
}

/* After the cells come the two answers of one bit. Both are drawn, whichever is taken. */
DUSK_PROVEN(dusk_client_hybrid)
int dusk_client_hybrid(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t cells = task->domain + task->width - 1, bytes = client_bytes_for(cells + 2);
    uint32_t cell, bit;
    int piecewise;
    client_zero(report, bytes);
    piecewise = client_coin(entropy, task->f);
    if (piecewise < 0 || window(task, value, &cell, entropy) ||
        one_bit(DUSK_MUTATE(HYBRID_BIT_IS_SURE, 0 - task->q, UINT64_MAX), task->q, value, &bit, entropy))
        return DUSK_CLIENT_NO_ENTROPY;
    client_put(report, piecewise ? cell : cells + bit, bytes);
    return DUSK_CLIENT_OK;
}

uint32_t dusk_client_number(int64_t number, int64_t low, int64_t high)
{
    uint64_t range = (uint64_t)high - (uint64_t)low, above = (uint64_t)number - (uint64_t)low;
    if (number <= low || high <= low) return 0;
    if (number >= high) return UINT32_MAX;
    while (range >> 32) { /* 32 digits are enough */
        range >>= 1;
        above >>= 1;
    }
    return (uint32_t)(above * TOP / range);
}
