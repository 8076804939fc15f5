/* SPDX-License-Identifier: Apache-2.0 */
/* Unary encoding on a device [Erlingsson, Pihur & Korolova 2014; Wang et al. 2017]: one bit a category, each a coin. */
#include "base/mutant.h"
#include "local/client.h"

/* 64 coins of q at a time. The bit of the truth is a coin of its own, put in its place by a mask, and every word is treated in the same way. */
DUSK_PROVEN(unary)
static int unary(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t truth = client_truth(task, value);
    const int own = client_coin(entropy, DUSK_MUTATE(UNARY_TRUTH_AS_LIES, task->p, task->q));
    uint32_t at;
    client_zero(report, (task->domain + 7) / 8);
    if (own < 0) return DUSK_CLIENT_NO_ENTROPY;
    for (at = 0; at < task->domain; at += 64) {
        const uint32_t left = task->domain - at, lanes = left < 64 ? left : 64;
        const uint64_t here = truth / 64 == at / 64, place = here << (truth % 64);
        uint64_t coins;
        if (client_coins(entropy, &coins, task->q, lanes)) {
            client_zero(report, (task->domain + 7) / 8);
            return DUSK_CLIENT_NO_ENTROPY;
        }
        coins = (coins & ~place) | (place & (0 - (uint64_t)own));
        client_put(report + at / 8, coins, (lanes + 7) / 8);
    }
    return DUSK_CLIENT_OK;
}

int dusk_client_sue(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    return unary(task, report, value, entropy);
}

int dusk_client_oue(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    return unary(task, report, value, entropy);
}
