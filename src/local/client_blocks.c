/* SPDX-License-Identifier: Apache-2.0 */
/* Hadamard response on a device [Acharya, Sun & Zhang 2019]. Answers are `rows` blocks of `width` numbers; a value belongs to a block and to a row j >= 1 of its Hadamard matrix, and its set is the half of the block
 * in which the row has +1. The answer is from the set with probability p, and from all other numbers otherwise. Proof: client_blocks.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

/* The r-th of the numbers y below `width` with parity(j & y) = odd, j not 0: the lowest digit that j has is the one that is chosen, the others are r. */
static uint32_t half(uint32_t j, uint32_t r, uint32_t odd)
{
    const uint32_t digit = j & (0 - j), y = (r & (0 - digit)) << 1 | (r & (digit - 1));
    return client_parity(j & y) == odd ? y : y | digit;
}

DUSK_PROVEN(dusk_client_hr)
int dusk_client_hr(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t width = task->width, all = task->rows * width, set = width / 2,
                   bytes = client_bytes_for(all);
    const uint32_t truth = client_truth(task, value);
    const uint32_t block = truth % task->rows * width, j = truth / task->rows + 1;
    uint32_t inside, outside, answer;
    int within;
    client_zero(report, bytes);
    within = client_coin(entropy, task->p);
    if (within < 0 || client_below(entropy, &inside, set) || client_below(entropy, &outside, all - set))
        return DUSK_CLIENT_NO_ENTROPY;
    if (within)
        answer = block + half(j, inside, 0);
    else if (outside < set)
        answer = block + half(j, outside, DUSK_MUTATE(HR_LIES_MAY_BE_TRUE, 1, 0));
    else
        answer = outside - set < block ? outside - set : outside - set + width; /* the other blocks */
    client_put(report, answer, bytes);
    return DUSK_CLIENT_OK;
}
