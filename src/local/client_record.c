/* SPDX-License-Identifier: Apache-2.0 */
/* A report on its way: a CBOR byte string [RFC 8949] that holds the array [1, task, epoch, nonce, report], every head in its
 * shortest form. Freestanding as all of client_*.c. Reading: record.c; byte by byte: docs/collect/wire.md. */
#include "local/client.h"

#define NONCE 8

/* Bytes of the head of a number or a length. */
static uint32_t head_size(uint64_t x)
{
    if (x < 24) return 1;
    if (x < 0x100) return 2;
    if (x < 0x10000) return 3;
    return x >> 32 ? 9 : 5;
}

/* The head of an item: its major type, in the highest three bits, and a number. */
static uint32_t put_head(uint8_t *to, uint8_t major, uint64_t x)
{
    const uint32_t size = head_size(x);
    uint32_t i;
    if (size == 1) {
        to[0] = (uint8_t)(major | x);
        return 1;
    }
    to[0] = (uint8_t)(major | (size == 2 ? 24 : size == 3 ? 25 : size == 5 ? 26 : 27));
    for (i = 1; i < size; i++) to[i] = (uint8_t)(x >> (8 * (size - 1 - i)));
    return size;
}

uint32_t dusk_client_record(const dusk_client_task *task, uint64_t epoch, uint8_t *record,
                            const uint8_t *report, dusk_entropy *entropy)
{
    const uint32_t bytes = dusk_report_size(task);
    const uint32_t inside = 2 + head_size(task->id) + head_size(epoch) + 1 + NONCE + head_size(bytes) + bytes;
    uint32_t at = put_head(record, 0x40, inside), i;
    at += put_head(record + at, 0x80, 5);
    at += put_head(record + at, 0, 1); /* the version */
    at += put_head(record + at, 0, task->id);
    at += put_head(record + at, 0, epoch);
    at += put_head(record + at, 0x40, NONCE);
    if (entropy->fill(entropy->context, record + at, NONCE)) {
        client_zero(record, at + NONCE);
        return 0;
    }
    at += NONCE;
    at += put_head(record + at, 0x40, bytes);
    for (i = 0; i < bytes; i++) record[at + i] = report[i];
    return at + bytes;
}
