/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies: counters that add up. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "local/protocol.h"
#include "local/tally.h"

#define MOST ((uint64_t)1 << 61) /* of a counter, so that sums of two do not overflow */

dusk_status dusk_tally_new(dusk_tally **out, const dusk_survey *survey, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_tally *tally = NULL;
    *out = NULL;
    DUSK_NEW(tally, 1);
    tally->survey = *survey;
    tally->protocol = local_protocol_of(survey->task.mechanism);
    tally->cells = tally->protocol->cells(&survey->task);
    DUSK_NEW(tally->cell, tally->cells);
    *out = tally;
    tally = NULL;
done:
    dusk_tally_free(tally);
    return status;
}

void dusk_tally_free(dusk_tally *tally)
{
    if (tally) dusk_deallocate(tally->cell);
    dusk_deallocate(tally);
}

const dusk_survey *dusk_tally_survey(const dusk_tally *tally) { return &tally->survey; }
uint64_t dusk_tally_reports(const dusk_tally *tally) { return tally->reports; }
uint64_t dusk_tally_dropped(const dusk_tally *tally) { return tally->dropped; }

void dusk_tally_add(dusk_tally *tally, const uint8_t *reports, size_t n)
{
    const uint64_t dropped = tally->protocol->absorb(&tally->survey.task, tally->cell, reports, n);
    tally->reports += n - dropped;
    tally->dropped += dropped;
}

dusk_status dusk_tally_merge(dusk_tally *tally, const dusk_tally *other, dusk_error *err)
{
    if (tally->survey.task.id != other->survey.task.id)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give tallies of one survey",
                         "the tally is of another survey");
    bool fits = tally->reports + other->reports < MOST && tally->dropped + other->dropped < MOST;
    for (uint64_t i = 0; i < tally->cells; i++)
        fits &= llabs(tally->cell[i]) < (int64_t)MOST && llabs(other->cell[i]) < (int64_t)MOST;
    if (!fits)
        return dusk_fail(err, DUSK_ERR_CORRUPT, "take files that servers have written",
                         "the counters of the tallies are larger than reports can make them");
    for (uint64_t i = 0; i < tally->cells; i++) tally->cell[i] += other->cell[i];
    tally->reports += other->reports;
    tally->dropped += other->dropped;
    return DUSK_OK;
}

dusk_status dusk_tally_counts(const dusk_tally *tally, double *counts, double *deviations,
                              const uint64_t *values, size_t n, dusk_error *err)
{
    if (!tally->protocol->counts)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         tally->protocol->mean ? "ask for the mean" : "ask for shares",
                         "%s is for %s, not categories", tally->protocol->name,
                         tally->protocol->mean ? "numbers" : "places");
    return tally->protocol->counts(&tally->survey.task, tally->cell, tally->reports, counts, deviations,
                                   values, n, err);
}

dusk_status dusk_tally_mean(const dusk_tally *tally, double *mean, double *deviation, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double centre = tally->survey.low / 2 + tally->survey.high / 2;
    const double half = tally->survey.high / 2 - tally->survey.low / 2;
    double unit, spread;
    if (!tally->protocol->mean)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         tally->protocol->counts ? "ask for counts" : "ask for shares",
                         "%s is for %s, not numbers", tally->protocol->name,
                         tally->protocol->counts ? "categories" : "places");
    DUSK_TRY(tally->protocol->mean(&tally->survey.task, tally->cell, tally->reports, &unit, &spread, err));
    *mean = centre + half * unit;
    if (deviation) *deviation = half * spread;
done:
    return status;
}
