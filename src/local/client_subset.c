/* SPDX-License-Identifier: Apache-2.0 */
/* Subset selection on a device [Ye & Barg 2018; Wang et al. 2016]: a set of categories of a fixed size, which has the truth in it with p.
 *
 * The others are numbered without the truth, so that what is drawn cannot be it. A set of them is drawn whether the truth is in or not [Floyd 1987], and one of its members,
 * by lot, makes room where it is. Then a place for the truth is opened among the bits. Memory is read and written by coins alone until then, and in the same order for all
 * values after. */
#include "base/mutant.h"
#include "local/client.h"

/* A set of `size` of the numbers below `others`, each as likely, as bits of `map`, which is all 0; one of them, each as likely, is *member. */
DUSK_PROVEN(draw_set)
static int draw_set(uint8_t *map, uint32_t *member, uint32_t size, uint32_t others, dusk_entropy *entropy)
{
    uint32_t chosen, i;
    if (client_below(entropy, &chosen, size)) return DUSK_CLIENT_NO_ENTROPY;
    for (i = 0; i < size; i++) {
        const uint32_t last = others - size + i;
        uint32_t x;
        if (client_below(entropy, &x, last + 1)) return DUSK_CLIENT_NO_ENTROPY;
        if (map[x / 8] >> (x % 8) & 1) x = last; /* it is in: then the last is not */
        map[x / 8] |= (uint8_t)(1u << (x % 8));
        if (i == chosen) *member = x;
    }
    return 0;
}

/* Bits from `place` on go one further, and `bit` comes there. */
DUSK_PROVEN(open_place)
static void open_place(uint8_t *map, uint32_t bytes, uint32_t place, uint32_t bit)
{
    uint32_t carry = 0, i;
    for (i = 0; i < bytes; i++) {
        const uint32_t here = i == place / 8, after = i > place / 8;
        const uint32_t own = here << (place % 8);
        const uint32_t low = (own - here) | (0xffu & (0 - (uint32_t)(i < place / 8)));
        const uint32_t high = 0xffu & ~(low | own) & (0 - (here | after));
        const uint32_t from = map[i];
        const uint32_t set = DUSK_MUTATE(SS_FILL_MAY_DRAW_TRUTH, own & (0 - bit), own & (from | (0 - bit)));
        map[i] = (uint8_t)((from & low) | set | ((from << 1 | carry) & high));
        carry = from >> 7;
    }
}

DUSK_PROVEN(dusk_client_ss)
int dusk_client_ss(const dusk_client_task *task, uint8_t *report, uint64_t value, dusk_entropy *entropy)
{
    const uint32_t bytes = (task->domain + 7) / 8;
    const uint32_t truth = client_truth(task, value);
    uint32_t member = 0;
    int in;
    client_zero(report, bytes);
    in = client_coin(entropy, task->p);
    if (in < 0 || draw_set(report, &member, task->width, task->domain - 1, entropy)) {
        client_zero(report, bytes);
        return DUSK_CLIENT_NO_ENTROPY;
    }
    report[member / 8] = (uint8_t)(report[member / 8] & ~((uint32_t)in << (member % 8)));
    open_place(report, bytes, truth, (uint32_t)in);
    return DUSK_CLIENT_OK;
}
