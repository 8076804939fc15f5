/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of RAPPOR and of sketches, turned into numbers of people. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "local/counting.h"
#include "local/decode.h"

/* A bit is reported as 1 with `set` where the value sets it and with `unset` elsewhere: how many set it follows, scaled from the reports of the row to all. */
static void of_bits(local_places *p, const dusk_tally *tally)
{
    const uint64_t table = (uint64_t)p->rows * p->width;
    for (uint32_t j = 0; j < p->rows; j++) {
        const double reports = (double)tally->cell[table + j];
        p->weight[j] = reports;
        for (uint32_t b = 0; reports > 0 && b < p->width; b++) {
            const uint64_t at = (uint64_t)j * p->width + b;
            const double share = ((double)tally->cell[at] / reports - p->unset) / (p->set - p->unset);
            p->people[at] = share * p->all;
        }
    }
}

/* Rows have about as many reports each, and how many is not counted. */
static dusk_status of_signs(local_places *p, const dusk_tally *tally, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double gain = 2 * local_chance(tally->survey.task.p) - 1, k = p->rows;
    int64_t *row = NULL;
    DUSK_NEW(row, p->width);
    for (uint32_t j = 0; j < p->rows; j++) {
        memcpy(row, tally->cell + (uint64_t)j * p->width, p->width * sizeof *row);
        local_hadamard(row, p->width);
        p->weight[j] = p->all / k;
        for (uint32_t b = 0; b < p->width; b++)
            p->people[(uint64_t)j * p->width + b] = k * (double)row[b] / gain;
    }
    p->noise = k * p->all / (gain * gain);
done:
    dusk_deallocate(row);
    return status;
}

dusk_status local_places_of(local_places *out, const dusk_tally *tally, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_client_task *task = &tally->survey.task;
    const double q = local_chance(task->q), p = local_chance(task->p), lie = local_chance(task->f) / 2;
    *out = (local_places){ .rows = task->rows,
                           .width = task->width,
                           .hashes = task->mechanism == DUSK_RAPPOR ? task->hashes : 1,
                           .seed = task->seed,
                           .all = (double)tally->reports };
    local_places places = *out;
    if (task->mechanism != DUSK_RAPPOR && task->mechanism != DUSK_CMS && task->mechanism != DUSK_HCMS)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "ask for counts: they are of all categories at once",
                           "%s has no places that candidates share", tally->protocol->name));
    DUSK_NEW(places.people, (uint64_t)task->rows * task->width);
    DUSK_NEW(places.weight, task->rows);
    places.set = task->mechanism == DUSK_RAPPOR ? (1 - lie) * q + lie * p : p;
    places.unset = task->mechanism == DUSK_RAPPOR ? (1 - lie) * p + lie * q : local_chance(0 - task->p);
    if (places.set == places.unset)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "plan a survey with a larger epsilon",
                           "reports of this survey say nothing of values"));
    if (task->mechanism == DUSK_HCMS)
        DUSK_TRY(of_signs(&places, tally, err));
    else
        of_bits(&places, tally);
    *out = places;
    memset(&places, 0, sizeof places);
done:
    local_places_free(&places);
    return status;
}

void local_places_free(local_places *places)
{
    dusk_deallocate(places->people);
    dusk_deallocate(places->weight);
}

double local_place_variance(const local_places *p, uint32_t row, double people)
{
    if (p->noise > 0) return p->noise;
    const double gain = p->set - p->unset;
    const double least = 0.5 / fmax(p->weight[row], 1); /* no place is known to be sure */
    const double share = fmin(fmax(p->unset + gain * people / p->all, least), 1 - least);
    return p->all * p->all * share * (1 - share) / (gain * gain) / p->weight[row];
}
