/* SPDX-License-Identifier: Apache-2.0 */
/* Several attributes of a person in one report: all of them with a part of epsilon each (spl), one of them with all of it (smp), or one among fakes (rsfd) [Arcolezi et al. 2021]. Proof:
 * client_several.proof.md.
 *
 * An attribute of k categories is answered by k-ary response where k is small, and by optimised unary encoding where it is large [Wang et al. 2017]. Both have the weights p and q of the
 * task, p + q = 2^30, and likelihood ratios of p / q, whatever k is: response keeps the truth with p / (p + (k-1) q), and unary encoding sets the bits of others with q / (p + q). */
#include "base/mutant.h"
#include "local/client.h"

/* k < 3 p / q + 2; then p + (k-1) q < 4 p + q is below 2^32. */
int client_answer_is_bits(const dusk_client_task *task, uint32_t k)
{
    return (uint64_t)(k - 2) * task->q >= 3 * task->p;
}

uint32_t client_answer_bytes(const dusk_client_task *task, uint32_t k)
{
    return client_answer_is_bits(task, k) ? (k + 7) / 8 : client_bytes_for(k);
}

/* --- what is answered together ------------------------------------------------------------------------------------------ */

uint32_t client_groups(const dusk_client_task *task)
{
    return task->hashes == 2 ? task->attributes * (task->attributes - 1) / 2 : task->attributes;
}

void client_group(const dusk_client_task *task, uint32_t group, uint32_t *first, uint32_t *second)
{
    uint32_t row = 0;
    *first = *second = group;
    if (task->hashes != 2) return;
    for (; group >= task->attributes - 1 - row; row++) group -= task->attributes - 1 - row;
    *first = row;
    *second = row + 1 + group;
}

uint64_t client_group_size(const dusk_client_task *task, uint32_t group)
{
    uint32_t first, second;
    client_group(task, group, &first, &second);
    return first == second ? task->sizes[first] : (uint64_t)task->sizes[first] * task->sizes[second];
}

#define MOST_CATEGORIES ((uint64_t)1 << 28) /* of all groups together */

/* Weights, groups of up to 2^28 categories together, their number, and a report that is not too long. */
int client_several_are_fine(const dusk_client_task *task)
{
    uint64_t all = 0, longest = 0, together = 0;
    uint32_t g;
    if (task->attributes < 1 || task->p <= task->q || task->q < 1 || task->p >= CLIENT_WEIGHTS ||
        task->p + task->q != CLIENT_WEIGHTS)
        return 0;
    if (task->hashes != 1 && !(task->hashes == 2 && task->mechanism == DUSK_SMP && task->attributes >= 2))
        return 0;
    for (g = 0; g < client_groups(task); g++) {
        const uint64_t size = client_group_size(task, g);
        uint64_t bytes;
        if (size > MOST_CATEGORIES - all) return 0;
        bytes = client_answer_bytes(task, (uint32_t)size);
        all += size;
        together += bytes;
        if (bytes > longest) longest = bytes;
    }
    return task->domain == all && (task->mechanism == DUSK_SMP ? 1 + longest : together) <= DUSK_REPORT_MOST;
}

uint32_t client_several_bytes(const dusk_client_task *task)
{
    uint32_t longest = 0, together = 0, g;
    for (g = 0; g < client_groups(task); g++) {
        const uint32_t bytes = client_answer_bytes(task, (uint32_t)client_group_size(task, g));
        together += bytes;
        if (bytes > longest) longest = bytes;
    }
    return task->mechanism == DUSK_SMP ? 1 + longest : together;
}

/* --- answers -------------------------------------------------------------------------------------------------------------- */

/* Both choices are made whatever the first says. */
DUSK_PROVEN(client_answer)
int client_answer(const dusk_client_task *task, uint8_t *to, uint32_t k, uint32_t truth,
                  dusk_entropy *entropy)
{
    uint32_t kept, other;
    if (client_answer_is_bits(task, k)) {
        dusk_client_task bits = { 0 };
        bits.domain = k;
        bits.p = (uint64_t)1 << 63;
        bits.q = task->q << 34;
        return dusk_client_oue(&bits, to, truth, entropy);
    }
    if (client_part(entropy, &kept, (uint32_t)task->p, (uint32_t)(task->p + (k - 1) * task->q)) ||
        client_below(entropy, &other, k - 1))
        return DUSK_CLIENT_NO_ENTROPY;
    other += DUSK_MUTATE(ANSWER_LIES_MAY_BE_TRUE, other >= truth, 0);
    client_put(to, kept ? truth : other, client_bytes_for(k));
    return DUSK_CLIENT_OK;
}

/* Every attribute, one behind the other. */
static int answer_all(const dusk_client_task *task, uint8_t *report, const uint32_t *category,
                      dusk_entropy *entropy)
{
    uint32_t i, at = 0;
    for (i = 0; i < task->attributes; i++) {
        if (client_answer(task, report + at, task->sizes[i], category[i], entropy)) {
            client_zero(report, client_several_bytes(task));
            return DUSK_CLIENT_NO_ENTROPY;
        }
        at += client_answer_bytes(task, task->sizes[i]);
    }
    return DUSK_CLIENT_OK;
}

DUSK_PROVEN(dusk_client_spl)
int dusk_client_spl(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST];
    dusk_client_unpack(task, value, category);
    return answer_all(task, report, category, entropy);
}

uint32_t client_group_category(const dusk_client_task *task, uint32_t group, uint64_t value)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST], first, second;
    dusk_client_unpack(task, value, category);
    client_group(task, group, &first, &second);
    return category[first] + (first == second ? 0 : task->sizes[first] * category[second]);
}

/* Which group it is stands in the first byte; a shorter answer is filled up with 0. */
DUSK_PROVEN(client_smp_answer)
int client_smp_answer(const dusk_client_task *task, uint8_t *report, uint32_t group, uint32_t category,
                      dusk_entropy *entropy)
{
    const uint32_t bytes = client_several_bytes(task);
    client_zero(report, bytes);
    if (client_answer(task, report + 1, (uint32_t)client_group_size(task, group), category, entropy)) {
        client_zero(report, bytes);
        return DUSK_CLIENT_NO_ENTROPY;
    }
    report[0] = (uint8_t)group;
    return DUSK_CLIENT_OK;
}

DUSK_PROVEN(dusk_client_smp)
int dusk_client_smp(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    uint32_t group;
    client_zero(report, client_several_bytes(task));
    if (client_below(entropy, &group, client_groups(task))) return DUSK_CLIENT_NO_ENTROPY;
    return client_smp_answer(task, report, group, client_group_category(task, group, value), entropy);
}

/* A fake category is drawn for every attribute, and all but one of them are used; fakes are answered for as the truth is, so that no answer shows what it is. */
DUSK_PROVEN(dusk_client_rsfd)
int dusk_client_rsfd(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST], picked, fake, i;
    dusk_client_unpack(task, value, category);
    client_zero(report, client_several_bytes(task));
    if (client_below(entropy, &picked, task->attributes)) return DUSK_CLIENT_NO_ENTROPY;
    for (i = 0; i < task->attributes; i++) {
        if (client_below(entropy, &fake, task->sizes[i])) return DUSK_CLIENT_NO_ENTROPY;
        if (DUSK_MUTATE(RSFD_FAKES_END_AT_TRUTH, i != picked, i < picked)) category[i] = fake;
    }
    return answer_all(task, report, category, entropy);
}
