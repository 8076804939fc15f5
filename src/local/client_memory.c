/* SPDX-License-Identifier: Apache-2.0 */
/* Reporting again and again: answers that a device gives once and for all, made anew each time from 32 bytes of secret instead of being kept [Erlingsson, Pihur & Korolova 2014, section 2;
 * Ding, Kulkarni & Yekhanin 2017, section 3], and a budget that ends. The keyed function is the block function of ChaCha20 [RFC 8439]. Proof: client_memory.proof.md. */
#include "base/mutant.h"
#include "local/client.h"

/* --- ChaCha20 ------------------------------------------------------------------------------------------------------------ */

#define TURN(x, b) ((x) << (b) | (x) >> (32 - (b)))

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = TURN(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = TURN(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = TURN(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = TURN(x[b] ^ x[c], 7);
}

void client_chacha(const uint8_t key[32], uint64_t low, uint64_t high, uint8_t block[64])
{
    uint32_t start[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }, x[16];
    int i;
    for (i = 0; i < 8; i++) start[4 + i] = client_word(key + 4 * i);
    start[12] = (uint32_t)low;
    start[13] = (uint32_t)(low >> 32);
    start[14] = (uint32_t)high;
    start[15] = (uint32_t)(high >> 32);
    for (i = 0; i < 16; i++) x[i] = start[i];
    for (i = 0; i < 10; i++) {
        quarter(x, 0, 4, 8, 12);
        quarter(x, 1, 5, 9, 13);
        quarter(x, 2, 6, 10, 14);
        quarter(x, 3, 7, 11, 15);
        quarter(x, 0, 5, 10, 15);
        quarter(x, 1, 6, 11, 12);
        quarter(x, 2, 7, 8, 13);
        quarter(x, 3, 4, 9, 14);
    }
    for (i = 0; i < 64; i++) block[i] = (uint8_t)((x[i / 4] + start[i / 4]) >> 8 * (i % 4));
    for (i = 0; i < 16; i++) ((volatile uint32_t *)start)[i] = ((volatile uint32_t *)x)[i] = 0;
}

/* --- streams --------------------------------------------------------------------------------------------------------------- */

/* A block is half bytes to give and half the next key, so that what was given cannot be found from what is left. */
static int fill(void *context, uint8_t *bytes, size_t n)
{
    dusk_stream *s = context;
    size_t i;
    for (i = 0; i < n; i++) {
        if (s->used == sizeof s->give) {
            uint8_t block[64];
            uint32_t j;
            client_chacha(s->key, 0, 0, block);
            for (j = 0; j < 32; j++) {
                s->key[j] = block[j];
                s->give[j] = block[32 + j];
            }
            client_wipe(block, sizeof block);
            s->used = 0;
        }
        bytes[i] = s->give[s->used];
        s->give[s->used++] = 0;
    }
    return 0;
}

dusk_entropy dusk_stream_of(dusk_stream *stream, const uint8_t seed[32])
{
    dusk_entropy entropy;
    uint32_t i;
    for (i = 0; i < 32; i++) stream->key[i] = seed[i];
    client_zero(stream->give, sizeof stream->give);
    stream->used = sizeof stream->give;
    entropy.fill = fill;
    entropy.context = stream;
    return entropy;
}

/* --- memories --------------------------------------------------------------------------------------------------------------- */

/* Coins of a task: of one value, or of the device whatever the value. */
static dusk_entropy coins_of(const dusk_client_task *task, const dusk_memory *memory, dusk_stream *stream,
                             int has_value, uint64_t value)
{
    uint8_t block[64];
    dusk_entropy entropy;
    client_chacha(memory->secret, DUSK_MUTATE(MEMORY_OF_ALL_TASKS, task->id, 0),
                  DUSK_MUTATE(MEMORY_OF_NO_VALUE, has_value ? value : 0, 0), block);
    entropy = dusk_stream_of(stream, has_value ? block : block + 32);
    client_wipe(block, sizeof block);
    return entropy;
}

/* Which attributes are answered is the device's; the answer has the coins of their categories, and does not change with other attributes. */
static int remember_sample(const dusk_client_task *task, const dusk_memory *memory, uint8_t *report,
                           uint64_t value, dusk_entropy *device, dusk_stream *of_value)
{
    dusk_entropy mine = coins_of(task, memory, of_value, 1, value);
    uint32_t group, category;
    if (client_below(DUSK_MUTATE(MEMORY_ASKS_ANOTHER, device, &mine), &group, client_groups(task))) {
        client_zero(report, dusk_report_size(task));
        return DUSK_CLIENT_NO_ENTROPY;
    }
    category = client_group_category(task, group, value);
    mine = coins_of(task, memory, of_value, 1, category);
    return client_smp_answer(task, report, group, category, &mine);
}

/* Every attribute has coins of its own, by its category: a change of one does not touch the answers of others. */
static int remember_each(const dusk_client_task *task, const dusk_memory *memory, uint8_t *report,
                         uint64_t value, dusk_stream *of_value)
{
    uint32_t category[DUSK_ATTRIBUTES_MOST], i, at = 0;
    int status = DUSK_CLIENT_OK;
    dusk_client_unpack(task, value, category);
    for (i = 0; i < task->attributes && status == DUSK_CLIENT_OK; i++) {
        const uint64_t place =
            DUSK_MUTATE(MEMORY_OF_ALL_ATTRIBUTES, (uint64_t)i << 32 | category[i], category[i]);
        dusk_entropy mine = coins_of(task, memory, of_value, 1, place);
        status = client_answer(task, report + at, task->sizes[i], category[i], &mine);
        at += client_answer_bytes(task, task->sizes[i]);
    }
    if (status != DUSK_CLIENT_OK) client_zero(report, dusk_report_size(task));
    return status;
}

DUSK_PROVEN(dusk_client_remembered)
int dusk_client_remembered(const dusk_client_task *task, const dusk_memory *memory, uint8_t *report,
                           uint64_t value, dusk_entropy *entropy)
{
    dusk_stream of_device, of_value;
    dusk_entropy device = coins_of(task, memory, &of_device, 0, 0);
    dusk_entropy mine = coins_of(task, memory, &of_value, 1, client_category(task, value));
    int status;
    switch (task->mechanism) {
    case DUSK_RAPPOR: status = client_rappor_apart(task, report, value, &device, &mine, entropy); break;
    case DUSK_DBITFLIP: status = client_dbitflip_apart(task, report, value, &device, &mine); break;
    case DUSK_SPL: status = remember_each(task, memory, report, value, &of_value); break;
    case DUSK_SMP: status = remember_sample(task, memory, report, value, &device, &of_value); break;
    case DUSK_ONEBIT:
    case DUSK_DUCHI: status = dusk_client_onebit(task, report, value, &device); break;
    case DUSK_PIECEWISE:
    case DUSK_HYBRID:
    case DUSK_SQUAREWAVE:
        client_zero(report, dusk_report_size(task));
        status = DUSK_CLIENT_BAD_TASK;
        break;
    default: status = dusk_client_report(task, report, value, &mine); break;
    }
    client_wipe(&of_device, sizeof of_device);
    client_wipe(&of_value, sizeof of_value);
    return status;
}

/* --- budgets ---------------------------------------------------------------------------------------------------------------- */

int dusk_client_spend(dusk_client_budget *budget, uint32_t millionths)
{
    if (budget->left < millionths || millionths == 0) return DUSK_CLIENT_SPENT;
    budget->left -= millionths;
    return DUSK_CLIENT_OK;
}
