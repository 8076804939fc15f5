/* SPDX-License-Identifier: Apache-2.0 */
/* Whole curves on one pair: lower bounds of epsilon at several deltas, or of the Renyi
 * divergences at several orders. A set for each is chosen on draws of its own; all sets are
 * then counted on the same fresh draws, each at its share of the error (Boole's inequality
 * needs no independence). */
#include <math.h>

#include "audit/mechanism.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"

enum { BLOCK = 1 << 14 /* numbers in a block of draws */ };

/* One set of each kind, and its counts on the two inputs. */
typedef struct points {
    size_t count;
    audit_scores scores;
    audit_event *events;
    uint64_t (*hits)[2], trials;
} points;

static void points_clear(points *p)
{
    audit_scores_clear(&p->scores);
    dusk_deallocate(p->events);
    dusk_deallocate(p->hits);
}

/* Count all sets on n fresh draws on one input. */
DUSK_PROVEN(count_points)
static dusk_status count_points(points *p, int side, audit_job *job, const double *input, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = job->sampler->output_length, block = length < BLOCK ? BLOCK / length : 1;
    double *outputs = NULL, *values = NULL;
    uint64_t more;
    DUSK_NEW(outputs, block * length);
    DUSK_NEW(values, block);
    for (uint64_t left = p->trials; left > 0;) {
        size_t now = left < block ? (size_t)left : block;
        DUSK_TRY(audit_draw(job, outputs, now, input, err));
        for (size_t i = 0; i < p->count; i++) {
            const audit_event *e = &p->events[i];
            DUSK_TRY(audit_count(&more, &p->scores.list[e->score], e->above, e->threshold, outputs, now,
                                 values, err));
            p->hits[i][side] += more;
        }
        left -= now;
    }
done:
    dusk_deallocate(outputs);
    dusk_deallocate(values);
    return status;
}

static dusk_status measure(points *p, audit_job *job, const audit_forecast *forecasts, size_t n,
                           const dusk_input_pair *pair, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    p->count = n;
    p->trials = (uint64_t)job->forecast.draws;
    DUSK_NEW(p->events, n);
    DUSK_NEW(p->hits, n);
    DUSK_TRY(
        audit_select_sets(&p->scores, p->events, forecasts, n, job, pair, audit_last_round(job), 0, err));
    DUSK_TRY(count_points(p, 0, job, pair->input[0], err));
    DUSK_TRY(count_points(p, 1, job, pair->input[1], err));
done:
    return status;
}

/* The corner of point i at its share of the error. */
static audit_corner corner_at(const points *p, size_t i, double error)
{
    double share = DUSK_MUTATE(AUDIT_CURVE_NO_UNION, error / (double)p->count, error);
    bool swapped = p->events[i].swapped;
    return audit_corner_of(p->hits[i][swapped], p->trials, p->hits[i][!swapped], p->trials, share);
}

/* Set the job up, and forecasts that are all alike. */
static dusk_status open(audit_job *job, audit_forecast **forecasts, size_t n, const dusk_sampler *sampler,
                        const dusk_input_pair *pair, const dusk_audit_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(audit_job_open(job, sampler, pair, 1, options, err));
    DUSK_NEW(*forecasts, n);
    job->forecast.z = audit_deviations(0.5 * (1 - options->confidence) / (double)n);
    for (size_t i = 0; i < n; i++) (*forecasts)[i] = job->forecast;
done:
    return status;
}

dusk_status dusk_audit_curve(double *epsilons, const double *deltas, size_t n, const dusk_sampler *sampler,
                             const dusk_input_pair *pair, const dusk_audit_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_forecast *forecasts = NULL;
    points p = { 0 };
    audit_job job;
    for (size_t i = 0; i < n; i++)
        if (!(deltas[i] >= 0 && deltas[i] < 1))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "each delta must be in [0, 1)");
    if (n == 0) return DUSK_OK;
    DUSK_TRY(open(&job, &forecasts, n, sampler, pair, options, err));
    for (size_t i = 0; i < n; i++) forecasts[i].delta = deltas[i];
    DUSK_TRY(measure(&p, &job, forecasts, n, pair, err));
    for (size_t i = 0; i < n; i++)
        epsilons[i] = audit_corner_epsilon(corner_at(&p, i, 1 - options->confidence), deltas[i]);
done:
    dusk_deallocate(forecasts);
    points_clear(&p);
    return status;
}

dusk_status dusk_audit_renyi(double *divergences, const double *orders, size_t n, const dusk_sampler *sampler,
                             const dusk_input_pair *pair, const dusk_audit_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_forecast *forecasts = NULL;
    points p = { 0 };
    audit_job job;
    for (size_t i = 0; i < n; i++)
        if (!(orders[i] > 1 && isfinite(orders[i])))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "each order must be above 1, and finite");
    if (n == 0) return DUSK_OK;
    DUSK_TRY(open(&job, &forecasts, n, sampler, pair, options, err));
    for (size_t i = 0; i < n; i++) forecasts[i].order = orders[i];
    DUSK_TRY(measure(&p, &job, forecasts, n, pair, err));
    for (size_t i = 0; i < n; i++)
        divergences[i] = audit_corner_renyi(corner_at(&p, i, 1 - options->confidence), orders[i]);
done:
    dusk_deallocate(forecasts);
    points_clear(&p);
    return status;
}
