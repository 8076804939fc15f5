/* SPDX-License-Identifier: Apache-2.0 */
/* Reading records; see record.h, client_record.c and docs/collect/wire.md. Numbers and lengths need not be in their shortest
 * form, as generic CBOR writers may not use it; lengths must be definite. A record is looked at from its beginning, and the first thing that is
 * wrong says why it is dropped. */
#include "local/record.h"

#include <string.h>

#include "base/mutant.h"

#define ARRAY 0x80
#define BYTES 0x40
#define NUMBER 0x00
#define FIELDS 5
#define NONCE 8

/* What is left to be read. */
typedef struct reader {
    const uint8_t *at, *end;
} reader;

/* Bytes that follow the first one of a head; -1: no such head. */
static int follow(uint8_t first)
{
    const uint8_t low = first & 0x1f;
    if (low < 24) return 0;
    return low <= 27 ? 1 << (low - 24) : -1;
}

static uint64_t big_endian(const uint8_t *from, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x = x << 8 | from[i];
    return x;
}

/* A head of the major type; false: it is another one, or does not end. */
static inline bool read_head(reader *r, uint8_t major, uint64_t *x)
{
    if (r->at == r->end || (*r->at & 0xe0) != major) return false;
    const uint8_t first = *r->at & 0x1f;
    const int more = follow(first);
    if (more < 0 || r->end - r->at < 1 + more) return false;
    *x = more ? big_endian(r->at + 1, more) : first;
    r->at += 1 + more;
    return true;
}

local_frame local_frame_read(const uint8_t *bytes, size_t n, size_t *head, uint64_t *length)
{
    if (n == 0) return LOCAL_FRAME_SHORT;
    const int more = follow(bytes[0]);
    if ((bytes[0] & 0xe0) != BYTES || more < 0) return LOCAL_FRAME_NONE;
    *head = 1 + (size_t)more;
    if (n < *head) return LOCAL_FRAME_SHORT;
    *length = more ? big_endian(bytes + 1, more) : (uint64_t)(bytes[0] & 0x1f);
    return LOCAL_FRAME_WHOLE;
}

/* The version stands first, so that whatever a later one has behind it is told apart from garbage. */
dusk_taken local_record_read(local_record *out, const uint8_t *bytes, size_t n, const dusk_client_task *task,
                             uint64_t epoch, uint32_t size)
{
    reader r = { bytes, bytes + n };
    uint64_t fields, version, id, when, nonce, length;
    if (!read_head(&r, ARRAY, &fields) || fields == 0 || !read_head(&r, NUMBER, &version))
        return DUSK_DROPPED_MALFORMED;
    if (version != 1) return DUSK_DROPPED_VERSION;
    if (fields != FIELDS || !read_head(&r, NUMBER, &id) || !read_head(&r, NUMBER, &when) ||
        !read_head(&r, BYTES, &nonce) || nonce != NONCE || r.end - r.at < NONCE)
        return DUSK_DROPPED_MALFORMED;
    memcpy(&out->nonce, r.at, NONCE);
    r.at += NONCE;
    if (!read_head(&r, BYTES, &length) || length != (uint64_t)(r.end - r.at)) return DUSK_DROPPED_MALFORMED;
    if (DUSK_MUTATE(RECORD_ANY_TASK, id != task->id, false)) return DUSK_DROPPED_TASK;
    if (DUSK_MUTATE(RECORD_ANY_EPOCH, when != epoch, false)) return DUSK_DROPPED_EPOCH;
    if (length != size) return DUSK_DROPPED_LENGTH;
    out->report = r.at;
    return DUSK_TAKEN;
}
