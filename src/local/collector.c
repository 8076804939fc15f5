/* SPDX-License-Identifier: Apache-2.0 */
/* Collectors: tallies that know what they have. Records come through intakes (intake.c). */
#include "local/collector.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

#define LANES_MOST 1024
#define BATCH_BYTES ((size_t)1 << 16)

static const struct {
    const char *name, *about;
} kinds[DUSK_TAKEN_KINDS] = {
    { "taken", "taken" },
    { "malformed", "no record in the frame" },
    { "truncated", "the input ended in it" },
    { "oversized", "longer than any record" },
    { "unframed", "inputs that could not be read to their end" },
    { "version", "of another version" },
    { "task", "of another task" },
    { "epoch", "of another epoch" },
    { "length", "a report of another length" },
    { "replayed", "taken before" },
    { "invalid", "a report that no device makes" },
};

const char *dusk_taken_name(unsigned kind) { return kind < DUSK_TAKEN_KINDS ? kinds[kind].name : NULL; }
const char *dusk_taken_about(unsigned kind) { return kind < DUSK_TAKEN_KINDS ? kinds[kind].about : NULL; }

static dusk_status start_lane(local_lane *lane, const dusk_survey *survey, uint32_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t fit = BATCH_BYTES / (size ? size : 1);
    lane->most = fit > LOCAL_BATCH ? LOCAL_BATCH : fit > 0 ? fit : 1;
    DUSK_NEW(lane->batch, lane->most * size);
    DUSK_TRY(dusk_tally_new(&lane->tally, survey, err));
    if (pthread_mutex_init(&lane->lock, NULL) != 0) DUSK_TRY(dusk_fail_memory(err));
    lane->locked = true;
done:
    return status;
}

dusk_status dusk_collector_new(dusk_collector **out, const dusk_survey *survey, uint64_t epoch,
                               uint32_t lanes, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_collector *collector = NULL;
    *out = NULL;
    if (lanes < 1 || lanes > LANES_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "one for each thread", "a collector has 1 to %d lanes",
                         LANES_MOST);
    DUSK_NEW(collector, 1);
    collector->survey = *survey;
    collector->epoch = epoch;
    collector->size = dusk_report_size(&survey->task);
    DUSK_NEW(collector->lane, lanes);
    for (; collector->lanes < lanes; collector->lanes++)
        DUSK_TRY(start_lane(&collector->lane[collector->lanes], survey, collector->size, err));
    DUSK_TRY(local_nonces_new(&collector->nonces, err));
    *out = collector;
    collector = NULL;
done:
    if (collector) collector->lanes = lanes; /* one may have been begun */
    dusk_collector_free(collector);
    return status;
}

void dusk_collector_free(dusk_collector *collector)
{
    for (uint32_t i = 0; collector && collector->lane && i < collector->lanes; i++) {
        local_lane *lane = &collector->lane[i];
        if (lane->locked) (void)pthread_mutex_destroy(&lane->lock);
        dusk_tally_free(lane->tally);
        dusk_deallocate(lane->batch);
    }
    if (collector) {
        dusk_deallocate(collector->lane);
        local_nonces_free(collector->nonces);
    }
    dusk_deallocate(collector);
}

uint64_t dusk_collector_epoch(const dusk_collector *collector) { return collector->epoch; }

void dusk_collector_kinds(dusk_collector *collector, uint64_t out[DUSK_TAKEN_KINDS])
{
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) out[k] = 0;
    for (uint32_t i = 0; i < collector->lanes; i++) {
        local_lane *lane = &collector->lane[i];
        (void)pthread_mutex_lock(&lane->lock);
        for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) out[k] += lane->kind[k];
        out[DUSK_TAKEN] += lane->tally->reports;
        out[DUSK_DROPPED_INVALID] += lane->tally->dropped;
        (void)pthread_mutex_unlock(&lane->lock);
    }
}

/* --- all lanes together ------------------------------------------------------------------------------------------------ */

/* Move what one lane has to the first. */
static void fold(dusk_collector *collector, local_lane *lane)
{
    local_lane *first = &collector->lane[0];
    dusk_tally *tally = lane->tally;
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) first->kind[k] += lane->kind[k];
    memset(lane->kind, 0, sizeof lane->kind);
    if (tally->reports + tally->dropped == 0) return;
    for (uint64_t i = 0; i < tally->cells; i++) first->tally->cell[i] += tally->cell[i];
    first->tally->reports += tally->reports;
    first->tally->dropped += tally->dropped;
    memset(tally->cell, 0, tally->cells * sizeof *tally->cell);
    tally->reports = tally->dropped = 0;
}

void local_collector_hold(dusk_collector *collector)
{
    for (uint32_t i = 0; i < collector->lanes; i++) (void)pthread_mutex_lock(&collector->lane[i].lock);
    for (uint32_t i = 1; i < collector->lanes; i++) fold(collector, &collector->lane[i]);
}

void local_collector_release(dusk_collector *collector)
{
    for (uint32_t i = 0; i < collector->lanes; i++) (void)pthread_mutex_unlock(&collector->lane[i].lock);
}

const dusk_tally *dusk_collector_tally(dusk_collector *collector)
{
    local_collector_hold(collector);
    local_collector_release(collector);
    return collector->lane[0].tally;
}

/* --- shards ------------------------------------------------------------------------------------------------------------- */

typedef struct comparison {
    local_nonces *with;
    uint64_t common;
    dusk_status status;
    dusk_error *err;
} comparison;

static bool compare(void *context, uint64_t nonce)
{
    comparison *c = context;
    c->common += local_nonces_has(c->with, nonce);
    return true;
}

static bool add(void *context, uint64_t nonce)
{
    comparison *c = context;
    bool added;
    c->status = local_nonces_add(c->with, nonce, &added, c->err);
    return c->status == DUSK_OK;
}

static dusk_status check_shard(const dusk_collector *collector, const dusk_collector *other, dusk_error *err)
{
    if (collector->survey.task.id != other->survey.task.id)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give shards of one survey",
                         "the shard is of another survey");
    if (collector->epoch != other->epoch)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "estimate from both: tallies of epochs can be added",
                         "the shard is of epoch %llu, not %llu", (unsigned long long)other->epoch,
                         (unsigned long long)collector->epoch);
    return DUSK_OK;
}

dusk_status dusk_collector_merge(dusk_collector *collector, dusk_collector *other, bool *added,
                                 uint64_t *twice, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    comparison c = { .with = collector->nonces, .err = err };
    DUSK_TRY(check_shard(collector, other, err));
    const uint64_t count = local_nonces_count(other->nonces);
    (void)local_nonces_each(other->nonces, compare, &c);
    if (DUSK_MUTATE(MERGE_TWICE, c.common == count, false)) {
        *added = false;
        *twice = 0;
        return DUSK_OK;
    }
    if (c.common > count / 100)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give every file of records to one shard only",
                         "%llu of the shard's %llu reports are here already", (unsigned long long)c.common,
                         (unsigned long long)count);
    collector->broken = true;
    if (!local_nonces_each(other->nonces, add, &c)) DUSK_TRY(c.status);
    const dusk_tally *tally = dusk_collector_tally(other);
    DUSK_TRY(dusk_tally_merge(collector->lane[0].tally, tally, err));
    for (unsigned k = 0; k < DUSK_TAKEN_KINDS; k++) collector->lane[0].kind[k] += other->lane[0].kind[k];
    collector->broken = false;
    *added = true;
    *twice = c.common;
done:
    return status;
}
