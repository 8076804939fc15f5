/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_RECORD_H
#define DUSK_LOCAL_RECORD_H

/* Records as they come: bytes of nobody knows whom. Nothing is read beyond the end, whatever they say. */

#include "dusk/local_wire.h"

/* No record is longer: what a frame may announce. */
#define LOCAL_RECORD_MOST (DUSK_REPORT_MOST + DUSK_RECORD_HEAD)

typedef enum local_frame { LOCAL_FRAME_WHOLE, LOCAL_FRAME_SHORT, LOCAL_FRAME_NONE } local_frame;

/* What the n bytes begin with: a frame with `length` bytes behind its head of `head` bytes, of which not all need be there (WHOLE); the
 * beginning of a head (SHORT: more bytes are needed to say); or something that is no byte string (NONE). */
local_frame local_frame_read(const uint8_t *bytes, size_t n, size_t *head, uint64_t *length);

typedef struct local_record {
    uint64_t nonce;
    const uint8_t *report;
} local_record;

/* The record in a frame of n bytes, for a task whose reports have `size` bytes: DUSK_TAKEN, or why it is dropped. */
dusk_taken local_record_read(local_record *out, const uint8_t *bytes, size_t n, const dusk_client_task *task,
                             uint64_t epoch, uint32_t size);

#endif
