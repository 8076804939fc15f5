/* SPDX-License-Identifier: Apache-2.0 */
/* One input of a collector: bytes become frames, frames become records, and records that are not known yet are counted, some hundred at a time.
 * All of an input that is kept between calls is the beginning of one frame. */
#include <string.h>

#include "base/memory.h"
#include "local/collector.h"
#include "local/record.h"

#define HEAD_MOST 9 /* bytes of a frame's head */

struct dusk_intake {
    dusk_collector *collector;
    local_lane *lane;
    uint8_t *held; /* a frame that has not come whole */
    size_t used, room;
    uint64_t skip; /* bytes of an oversized frame that are still to come */
    bool lost;     /* where frames begin is not known any more */
    uint64_t taken, dropped;
};

dusk_status dusk_intake_new(dusk_intake **out, dusk_collector *collector, uint32_t lane, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_intake *intake = NULL;
    *out = NULL;
    if (lane >= collector->lanes)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the collector one for each thread",
                         "there is no such lane");
    DUSK_NEW(intake, 1);
    intake->collector = collector;
    intake->lane = &collector->lane[lane];
    *out = intake;
done:
    return status;
}

uint64_t dusk_intake_taken(const dusk_intake *intake) { return intake->taken; }
uint64_t dusk_intake_dropped(const dusk_intake *intake) { return intake->dropped; }

static void drop(dusk_intake *intake, dusk_taken kind)
{
    intake->lane->kind[kind]++;
    intake->dropped++;
}

const dusk_collector *local_intake_collector(const dusk_intake *intake) { return intake->collector; }

void local_intake_drop(dusk_intake *intake, dusk_taken kind, uint64_t n)
{
    (void)pthread_mutex_lock(&intake->lane->lock);
    intake->lane->kind[kind] += n;
    intake->dropped += n;
    (void)pthread_mutex_unlock(&intake->lane->lock);
}

/* Count the reports that wait, and were not counted before. Where memory fails, those whose nonces went in are counted: both or neither. */
static dusk_status settle(dusk_intake *intake, dusk_error *err)
{
    local_lane *lane = intake->lane;
    dusk_tally *tally = lane->tally;
    const size_t n = lane->waiting, size = intake->collector->size;
    bool added[LOCAL_BATCH] = { false };
    const dusk_status status = local_nonces_add_all(intake->collector->nonces, lane->nonce, n, added, err);
    size_t fresh = 0;
    for (size_t i = 0; i < n; i++) {
        if (!added[i]) continue;
        if (fresh != i) memcpy(lane->batch + fresh * size, lane->batch + i * size, size);
        fresh++;
    }
    const uint64_t before = tally->dropped;
    dusk_tally_add(tally, lane->batch, fresh);
    const uint64_t invalid = tally->dropped - before;
    intake->taken += fresh - invalid;
    intake->dropped += n - fresh + invalid;
    if (status == DUSK_OK) lane->kind[DUSK_DROPPED_REPLAYED] += n - fresh; /* else they were not looked at */
    lane->waiting = 0;
    return status;
}

static dusk_status take_frame(dusk_intake *intake, const uint8_t *bytes, size_t n, dusk_error *err)
{
    const dusk_collector *c = intake->collector;
    local_lane *lane = intake->lane;
    local_record record;
    const dusk_taken kind = local_record_read(&record, bytes, n, &c->survey.task, c->epoch, c->size);
    if (kind != DUSK_TAKEN) {
        drop(intake, kind);
        return DUSK_OK;
    }
    lane->nonce[lane->waiting] = record.nonce;
    memcpy(lane->batch + lane->waiting * c->size, record.report, c->size);
    lane->waiting++;
    return lane->waiting == lane->most ? settle(intake, err) : DUSK_OK;
}

/* Keep bytes for later; there will be `most`, if what announced them is true: memory grows as they come. */
static dusk_status hold(dusk_intake *intake, const uint8_t *bytes, size_t n, size_t most, dusk_error *err)
{
    size_t room = 2 * (intake->used + n);
    if (room > most) room = most;
    if (intake->used + n > intake->room) {
        uint8_t *larger = dusk_larger(intake->held, intake->used, room, 1);
        if (!larger) return dusk_fail_memory(err);
        intake->held = larger;
        intake->room = room;
    }
    memcpy(intake->held + intake->used, bytes, n);
    intake->used += n;
    return DUSK_OK;
}

/* The frame that begins with what is held: take as much of the bytes, of which there is one at least, as it needs. */
static dusk_status go_on(dusk_intake *intake, const uint8_t **bytes, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t head = 0, want;
    uint64_t length = 0;
    if (local_frame_read(intake->held, intake->used, &head, &length) == LOCAL_FRAME_SHORT) {
        DUSK_TRY(hold(intake, (*bytes)++, 1, HEAD_MOST, err));
        --*n;
        if (local_frame_read(intake->held, intake->used, &head, &length) == LOCAL_FRAME_SHORT) goto done;
    }
    if (length > LOCAL_RECORD_MOST) {
        drop(intake, DUSK_DROPPED_OVERSIZED);
        intake->skip = length;
        intake->used = 0;
        goto done;
    }
    want = head + (size_t)length - intake->used;
    if (want > *n) want = *n;
    DUSK_TRY(hold(intake, *bytes, want, head + (size_t)length, err));
    *bytes += want;
    *n -= want;
    if (intake->used == head + (size_t)length) {
        intake->used = 0;
        status = take_frame(intake, intake->held + head, (size_t)length, err);
    }
done:
    return status;
}

/* One frame of the bytes, or what there is of it. */
static dusk_status begin(dusk_intake *intake, const uint8_t **bytes, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t head = 0;
    uint64_t length = 0;
    const local_frame frame = local_frame_read(*bytes, *n, &head, &length);
    if (frame == LOCAL_FRAME_NONE) {
        drop(intake, DUSK_DROPPED_UNFRAMED);
        intake->lost = true;
    } else if (frame == LOCAL_FRAME_WHOLE && length > LOCAL_RECORD_MOST) {
        drop(intake, DUSK_DROPPED_OVERSIZED);
        intake->skip = length;
        *bytes += head;
        *n -= head;
    } else if (frame == LOCAL_FRAME_WHOLE && *n - head >= length) {
        DUSK_TRY(take_frame(intake, *bytes + head, (size_t)length, err));
        *bytes += head + (size_t)length;
        *n -= head + (size_t)length;
    } else {
        const size_t room = frame == LOCAL_FRAME_WHOLE ? head + (size_t)length : HEAD_MOST;
        DUSK_TRY(hold(intake, *bytes, *n, room, err));
        *n = 0;
    }
done:
    return status;
}

static void skip(dusk_intake *intake, const uint8_t **bytes, size_t *n)
{
    const size_t over = intake->skip < *n ? (size_t)intake->skip : *n;
    intake->skip -= over;
    *bytes += over;
    *n -= over;
}

dusk_status dusk_intake_take(dusk_intake *intake, const uint8_t *bytes, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    local_lane *lane = intake->lane;
    (void)pthread_mutex_lock(&lane->lock);
    while (n > 0 && !intake->lost) {
        if (intake->skip > 0)
            skip(intake, &bytes, &n);
        else if (intake->used > 0)
            DUSK_TRY(go_on(intake, &bytes, &n, err));
        else
            DUSK_TRY(begin(intake, &bytes, &n, err));
    }
done:
    if (lane->waiting > 0) {
        const dusk_status settled = settle(intake, status == DUSK_OK ? err : NULL);
        if (status == DUSK_OK) status = settled;
    }
    (void)pthread_mutex_unlock(&lane->lock);
    return status;
}

void dusk_intake_end(dusk_intake *intake)
{
    (void)pthread_mutex_lock(&intake->lane->lock);
    if (intake->used > 0) drop(intake, DUSK_DROPPED_TRUNCATED);
    intake->used = 0;
    (void)pthread_mutex_unlock(&intake->lane->lock);
}

void dusk_intake_free(dusk_intake *intake)
{
    if (intake) dusk_deallocate(intake->held);
    dusk_deallocate(intake);
}
