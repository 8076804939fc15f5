/* SPDX-License-Identifier: Apache-2.0 */
/* A hierarchical histogram on a device [Kulkarni, Cormode & Srivastava 2019, "Answering range queries under local differential privacy"]: a level of the tree by lot, and one bit of the Hadamard
 * transform of the node that the value is under. Fan-outs are powers of 2, so that no division shows by its time what the value is. */
#include "base/mutant.h"
#include "local/client.h"

uint32_t client_fan_bits(const dusk_client_task *task)
{
    uint32_t bits = 0;
    while (task->hashes >> (bits + 1)) bits++;
    return bits;
}

uint32_t client_levels(const dusk_client_task *task)
{
    const uint32_t bits = client_fan_bits(task);
    uint32_t levels = 0, last = task->domain - 1;
    for (; last > 0; last >>= bits) levels++;
    return levels;
}

DUSK_PROVEN(dusk_client_tree)
int dusk_client_tree(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t truth = client_truth(task, value);
    const uint32_t bytes = client_bytes_for(2 * task->rows * task->width);
    uint32_t level, row, node;
    int kept;
    client_zero(report, bytes);
    kept = client_coin(entropy, task->p);
    if (kept < 0 || client_below(entropy, &level, task->rows) || client_below(entropy, &row, task->width))
        return DUSK_CLIENT_NO_ENTROPY;
    level = DUSK_MUTATE(TREE_LEVEL_BY_VALUE, level, truth % task->rows);
    node = truth >> DUSK_MUTATE(TREE_HALVES, client_fan_bits(task), 1) * level;
    client_put(report,
               2 * (level * task->width + row) |
                   (client_parity(row & node) ^ (uint32_t)DUSK_MUTATE(TREE_SIGN_IS_SURE, !kept, 0)),
               bytes);
    return DUSK_CLIENT_OK;
}
