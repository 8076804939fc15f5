/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a text, on a device: a level by a coin, and a Hadamard sketch's report of as many bytes as the level has [PEM: Wang, Li & Jha 2018; TreeHist: Bassily, Nissim, Stemmer & Thakurta
 * 2017]. Proof: client_prefix.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

uint32_t client_text_levels(const dusk_client_task *task)
{
    return (task->domain + task->hashes - 1) / task->hashes;
}

/* Always of as many bytes, the last of which says how many are of the text: who has no more differs from who has a 0. */
uint64_t client_prefix_value(const dusk_client_task *task, uint32_t level, const uint8_t *text, size_t n)
{
    uint8_t bytes[DUSK_STRING_MOST + 1];
    uint32_t most = (level + 1) * task->hashes, i;
    uint64_t value;
    if (most > task->domain) most = task->domain;
    for (i = 0; i < most; i++) bytes[i] = i < n ? text[i] : 0;
    bytes[most] = (uint8_t)(n < most ? n : most);
    value = dusk_client_hash(bytes, most + 1);
    client_zero(bytes, sizeof bytes);
    return value;
}

/* Both draws in any case. */
static int draw_level(const dusk_client_task *task, uint32_t *level, dusk_entropy *entropy)
{
    const uint32_t levels = client_text_levels(task);
    int whole;
    if (task->mechanism == DUSK_PEM) return client_below(entropy, level, levels);
    whole = client_coin(entropy, task->f);
    if (whole < 0 || client_below(entropy, level, levels > 1 ? levels - 1 : 1)) return 1;
    if (whole) *level = levels - 1;
    return 0;
}

DUSK_PROVEN(dusk_client_prefix)
int dusk_client_prefix(const dusk_client_task *task, uint8_t *report, const uint8_t *text, size_t n,
                       dusk_entropy *entropy)
{
    uint32_t level;
    int failed;
    client_zero(report, dusk_report_size(task));
    if (draw_level(task, &level, entropy)) return DUSK_CLIENT_NO_ENTROPY;
    level = DUSK_MUTATE(PREFIX_LEVEL_BY_LENGTH, level, n < level ? (uint32_t)n : level);
    failed = dusk_client_hcms(task, report + 1, client_prefix_value(task, level, text, n), entropy);
    if (!failed) report[0] = (uint8_t)level;
    return failed;
}
