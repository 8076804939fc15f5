/* SPDX-License-Identifier: Apache-2.0 */
/* Where to put the places of a ladder of likelihood ratios (trusted_density.c), which
 * direction to climb, and counting it. */
#include <math.h>

#include "audit/trusted_density.h"
#include "base/memory.h"

enum { MOST_TRIAL = 1 << 17, BLOCK = 1 << 10 };
/* Room between a place and the cut that is counted for it: what a density may have lost by
 * rounding, relative and absolute. */
#define ROOM 1e-9

/* Ranks from the end: half of them spread over the whole, half crowding at the top. */
void audit_ladder_set(audit_ladder *ladder, const double *sorted, size_t n)
{
    *ladder = (audit_ladder){ 0 };
    for (size_t k = 0; k < AUDIT_RUNGS && n > 64; k++) {
        double share = (double)(k + 1) / (AUDIT_RUNGS + 1);
        size_t from_end = (size_t)fmax(4, (double)n * pow(4.0 / (double)n, share));
        double cut = sorted[n - 1 - (from_end < n ? from_end : n - 1)];
        if (!isfinite(cut)) cut = cut > 0 ? 700 : -700;
        double place = cut - ROOM * (1 + fabs(cut));
        cut -= 0.5 * ROOM * (1 + fabs(cut)); /* below the value itself: ties count */
        if (ladder->count && !(place > ladder->place[ladder->count - 1])) continue;
        ladder->place[ladder->count] = place;
        ladder->cut[ladder->count++] = cut;
    }
}

/* n log ratios of draws on input[0]. */
static dusk_status ratios(double *out, double *outputs, audit_job *job, const double *const input[2],
                          size_t n, dusk_error *err)
{
    dusk_status status = audit_draw(job, outputs, n, input[0], err);
    return status == DUSK_OK ? audit_log_ratios(out, job->sampler, input, outputs, n, err) : status;
}

static void count_block(audit_ladder *ladder, const double *values, size_t n)
{
    for (size_t k = 0; k < ladder->count; k++) {
        uint64_t hits = 0;
        for (size_t i = 0; i < n; i++) hits += values[i] > ladder->cut[k];
        ladder->hits[k] += hits;
    }
    for (size_t i = 0; i < n; i++) ladder->most = fmax(ladder->most, values[i]); /* passes over NaN */
    ladder->trials += n;
}

/* A ladder for one direction, and what it can be expected to show. */
static dusk_status set_up(audit_ladder *ladder, double *expected, audit_job *job,
                          const double *const input[2], size_t trial, double *outputs, double *values,
                          double *scratch, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t kept = 0, block = BLOCK;
    for (size_t i = 0; i < trial; i += block) {
        DUSK_TRY(ratios(values + kept, outputs, job, input, block, err));
        for (size_t end = kept + block, j = kept; j < end; j++)
            if (!isnan(values[j])) values[kept++] = values[j];
    }
    audit_sort_many(values, kept, scratch);
    audit_ladder_set(ladder, values, kept);
    audit_ladder tried = *ladder;
    count_block(&tried, values, kept);
    *expected = audit_ladder_epsilon(&tried, job->options->delta, 1 - job->options->confidence);
done:
    return status;
}

dusk_status audit_trusted(audit_ladder *ladder, bool *swapped, audit_job *job, const double *const input[2],
                          uint64_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *outputs = NULL, *values = NULL, *scratch = NULL, expected[2];
    const double *const reverse[2] = { input[1], input[0] };
    audit_ladder ladders[2];
    size_t trial = n < MOST_TRIAL ? (size_t)n : MOST_TRIAL;
    DUSK_NEW(outputs, BLOCK * job->sampler->output_length);
    DUSK_NEW(values, trial + BLOCK);
    DUSK_NEW(scratch, trial + BLOCK);
    DUSK_TRY(set_up(&ladders[0], &expected[0], job, input, trial, outputs, values, scratch, err));
    DUSK_TRY(set_up(&ladders[1], &expected[1], job, reverse, trial, outputs, values, scratch, err));
    bool second = expected[1] > expected[0];
    audit_ladder counted = ladders[second];
    for (uint64_t left = n; left > 0;) {
        size_t now = left < BLOCK ? (size_t)left : BLOCK;
        DUSK_TRY(ratios(values, outputs, job, second ? reverse : input, now, err));
        count_block(&counted, values, now);
        left -= now;
    }
    *ladder = counted;
    *swapped = second;
done:
    dusk_deallocate(outputs);
    dusk_deallocate(values);
    dusk_deallocate(scratch);
    return status;
}

dusk_status audit_ladder_promise(double *out, audit_job *job, const double *const input[2], size_t trial,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *outputs = NULL, *values = NULL, *scratch = NULL, expected[2];
    const double *const reverse[2] = { input[1], input[0] };
    audit_ladder ladder;
    DUSK_NEW(outputs, BLOCK * job->sampler->output_length);
    DUSK_NEW(values, trial + BLOCK);
    DUSK_NEW(scratch, trial + BLOCK);
    DUSK_TRY(set_up(&ladder, &expected[0], job, input, trial, outputs, values, scratch, err));
    DUSK_TRY(set_up(&ladder, &expected[1], job, reverse, trial, outputs, values, scratch, err));
    *out = fmax(expected[0], expected[1]);
done:
    dusk_deallocate(outputs);
    dusk_deallocate(values);
    dusk_deallocate(scratch);
    return status;
}
