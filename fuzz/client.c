/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: devices with tasks of nobody knows whom. A task that passes the check makes reports of the size that it says, and no other byte is
 * written; the server takes such reports, and whatever else has their size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "local/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FEW ((uint64_t)1 << 16) /* counters, and bytes of a report, so that a run does not take long */

static uint32_t size_of(const uint8_t *from)
{
    const uint32_t x = (uint32_t)client_get(from, 4);
    return x % 5 == 0 ? (uint32_t)1 << (x >> 8) % 32 : x >> (x >> 8) % 32;
}

/* Reports of devices are never dropped; other bytes may be, and do no harm. */
static void count(const dusk_client_task *task, const uint8_t *report, const uint8_t *other)
{
    const local_protocol *protocol = local_protocol_of(task->mechanism);
    if (!protocol || protocol->cells(task) > FEW) return;
    int64_t *cell = calloc(protocol->cells(task), sizeof *cell);
    if (!cell || protocol->absorb(task, cell, report, 1) != 0) abort();
    if (protocol->absorb(task, cell, other, 1) > 1) abort();
    free(cell);
}

static void report(const dusk_client_task *task, const uint8_t *data, size_t size)
{
    const uint32_t bytes = dusk_report_size(task);
    const uint64_t value = data[57] & 1 ? client_get(data, 8) : data[56];
    dusk_memory memory;
    dusk_stream stream;
    dusk_entropy entropy = dusk_stream_of(&stream, data);
    if (bytes < 1 || bytes > DUSK_REPORT_MOST) abort();
    if (bytes > 2 * FEW / 8) return;
    uint8_t *made = malloc(bytes),
            *other = calloc(bytes, 1); /* no byte more, so that writing there is seen */
    if (!made || !other) abort();
    memcpy(memory.secret, data + 8, 32);
    memcpy(other, data, size < bytes ? size : bytes);
    if (dusk_client_report(task, made, value, &entropy) != DUSK_CLIENT_OK) abort();
    count(task, made, other);
    if (dusk_client_remembered(task, &memory, made, value, &entropy) == DUSK_CLIENT_OK)
        count(task, made, other);
    free(made);
    free(other);
}

/* The same of a text, by randomisers that take texts. */
static void report_text(const dusk_client_task *task, const uint8_t *data, size_t size)
{
    dusk_stream stream;
    dusk_entropy entropy = dusk_stream_of(&stream, data);
    if (dusk_report_size(task) > 2 * FEW / 8) return;
    uint8_t *made = malloc(dusk_report_size(task));
    if (!made) abort();
    if (dusk_client_text(task, made, data, size, &entropy) == DUSK_CLIENT_NO_ENTROPY) abort();
    free(made);
}

/* Several attributes: weights that are some, and a domain that belongs to the sizes, or nearly always no task would pass. */
static void set_attributes(dusk_client_task *task, const uint8_t *data)
{
    task->attributes = data[45] % 18;
    for (uint32_t i = 0; i < task->attributes && i < DUSK_ATTRIBUTES_MOST; i++)
        task->sizes[i] = data[46 + i % 8] % 16 == 15 ? size_of(data + 46 + i % 8) : data[46 + i % 8] % 40;
    if (data[63] & 4 || task->attributes > DUSK_ATTRIBUTES_MOST) return;
    task->p %= CLIENT_WEIGHTS;
    task->q = CLIENT_WEIGHTS - task->p;
    task->hashes = 1 + data[44] % 2;
    task->domain = 0;
    for (uint32_t g = 0; g < client_groups(task); g++) task->domain += (uint32_t)client_group_size(task, g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 64) return 0;
    dusk_client_task task = { .id = 1,
                              .seed = client_get(data, 8),
                              .p = client_get(data + 8, 8),
                              .q = data[63] & 1 ? client_get(data + 16, 8) : 0,
                              .f = data[63] & 2 ? client_get(data + 24, 8) : 0,
                              .mechanism = data[62] % 32,
                              .domain = size_of(data + 32),
                              .width = size_of(data + 36),
                              .rows = size_of(data + 40),
                              .hashes = data[44] % 18 };
    if (task.mechanism >= DUSK_SPL && task.mechanism <= DUSK_RSFD) set_attributes(&task, data);
    if (task.mechanism == DUSK_PLANAR) task.domain = task.width * task.rows;
    if (dusk_client_check(&task) != DUSK_CLIENT_OK) return 0;
    report(&task, data, size);
    report_text(&task, data, size);
    return 0;
}
