/* SPDX-License-Identifier: Apache-2.0 */
/* A text and a fragment of it, on a device [Sequence Fragment Puzzle: Apple 2017, "Learning with privacy at scale"]: a Hadamard sketch's report of the whole text, and at a place that is drawn another one of a few
 * letters with 8 bits of a hash of the whole, by which the server knows fragments that belong together. Proof: client_fragment.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

uint32_t client_text_bits(const dusk_client_task *task, const uint8_t *text, size_t n)
{
    return (uint32_t)(dusk_client_hash(text, n < task->domain ? n : task->domain) & 255);
}

/* Always of as many bytes; the second says how many are of the text. */
uint64_t client_fragment_value(const dusk_client_task *task, uint32_t place, const uint8_t *fragment,
                               uint32_t n, uint32_t bits)
{
    uint8_t bytes[DUSK_STRING_MOST + 3];
    uint32_t i;
    uint64_t value;
    bytes[0] = (uint8_t)place;
    bytes[1] = (uint8_t)n;
    bytes[2] = (uint8_t)bits;
    for (i = 0; i < task->hashes; i++) bytes[3 + i] = i < n ? fragment[i] : 0;
    value = dusk_client_hash(bytes, 3 + task->hashes);
    client_zero(bytes, sizeof bytes);
    return value;
}

/* What is at a place of a text: how many of its bytes, from where. */
static uint32_t bytes_at(const dusk_client_task *task, uint32_t from, size_t n)
{
    const uint32_t end = n < task->domain ? (uint32_t)n : task->domain;
    if (end <= from) return 0;
    return end - from < task->hashes ? end - from : task->hashes;
}

DUSK_PROVEN(dusk_client_fragment)
int dusk_client_fragment(const dusk_client_task *task, uint8_t *report, const uint8_t *text, size_t n,
                         dusk_entropy *entropy)
{
    const uint32_t places = client_text_levels(task), size = dusk_report_size(task), half = size / 2;
    const uint64_t whole = client_prefix_value(task, places - 1, text, n);
    dusk_client_task second = *task;
    uint32_t place, from, some;
    uint64_t value;
    client_zero(report, size);
    second.p = task->q;
    if (client_below(entropy, &place, places)) return DUSK_CLIENT_NO_ENTROPY;
    place = DUSK_MUTATE(FRAGMENT_WITHIN_THE_TEXT, place, n < place ? (uint32_t)n : place);
    from = place * task->hashes;
    some = bytes_at(task, from, n);
    value = client_fragment_value(task, place, some > 0 ? text + from : text, some,
                                  client_text_bits(task, text, n));
    if (dusk_client_hcms(task, report + 1, whole, entropy) ||
        dusk_client_hcms(&second, report + 1 + half, value, entropy)) {
        client_zero(report, size);
        return DUSK_CLIENT_NO_ENTROPY;
    }
    report[0] = (uint8_t)place;
    return DUSK_CLIENT_OK;
}
