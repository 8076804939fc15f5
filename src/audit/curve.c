/* SPDX-License-Identifier: Apache-2.0 */
/* Whole curves on one pair: lower bounds of epsilon at several deltas, or of the Renyi
 * divergences at several orders. A set for each is chosen on draws of its own; all sets are
 * then counted on the same fresh draws, each at its share of the error (Boole's inequality
 * needs no independence). The same counts give the bounds at both levels of confidence. */
#include <math.h>

#include "audit/mechanism.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"

/* What is asked for at a point (a delta or an order) and what a corner shows of it. */
typedef struct quantity {
    bool renyi;
    double (*shows)(audit_corner corner, double point);
} quantity;
static const quantity of_delta = { false, audit_corner_epsilon }, of_order = { true, audit_corner_renyi };

/* A set for each point, and its counts on the two inputs. */
typedef struct points {
    size_t count;
    audit_scores scores;
    audit_event *events;
    audit_forecast *forecasts;
    uint64_t *hits[2], trials;
} points;

static void points_clear(points *p)
{
    audit_scores_clear(&p->scores);
    dusk_deallocate(p->events);
    dusk_deallocate(p->forecasts);
    dusk_deallocate(p->hits[0]);
    dusk_deallocate(p->hits[1]);
}

/* Choose the sets and count them; `p` needs clearing also when this fails. */
static dusk_status measure(points *p, const quantity *asked, const double *at, audit_job *job,
                           const dusk_input_pair *pair, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(p->events, p->count);
    DUSK_NEW(p->forecasts, p->count);
    DUSK_NEW(p->hits[0], p->count);
    DUSK_NEW(p->hits[1], p->count);
    p->trials = (uint64_t)job->forecast.draws;
    job->forecast.z = audit_deviations(0.5 * (1 - job->options->confidence) / (double)p->count);
    for (size_t i = 0; i < p->count; i++) {
        p->forecasts[i] = job->forecast;
        if (asked->renyi)
            p->forecasts[i].order = at[i];
        else
            p->forecasts[i].delta = at[i];
    }
    DUSK_TRY(audit_select_sets(&p->scores, p->events, p->forecasts, p->count, job, pair,
                               audit_last_round(job), NULL, err));
    for (int side = 0; side < 2; side++)
        DUSK_TRY(audit_count_fresh(p->hits[side], job, &p->scores, p->events, p->count, pair->input[side],
                                   p->trials, err));
done:
    return status;
}

/* The bounds of all points, which hold together but for a chance of `error`. */
DUSK_PROVEN(bounds_together)
static void bounds_together(double *out, const points *p, const quantity *asked, const double *at,
                            double error)
{
    double share = DUSK_MUTATE(AUDIT_CURVE_NO_UNION, dusk_div_down(error, (double)p->count), error);
    for (size_t i = 0; i < p->count; i++) {
        bool swapped = p->events[i].swapped;
        uint64_t hits[2] = { p->hits[swapped][i], p->hits[!swapped][i] };
        out[i] = asked->shows(audit_corner_of(hits[0], p->trials, hits[1], p->trials, share), at[i]);
    }
}

static dusk_status curve(double *shown, double *sure, const quantity *asked, const double *at, size_t n,
                         const dusk_sampler *sampler, const dusk_input_pair *pair,
                         const dusk_audit_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    points p = { .count = n };
    audit_job job;
    if (n == 0) return DUSK_OK;
    DUSK_TRY(audit_job_open(&job, sampler, pair, 1, options, err));
    DUSK_TRY(measure(&p, asked, at, &job, pair, err));
    bounds_together(shown, &p, asked, at, dusk_sub_down(1, options->confidence));
    /* the alarm itself: 1 - alarm is 1 where it is small */
    if (sure)
        bounds_together(sure, &p, asked, at,
                        DUSK_MUTATE(AUDIT_CURVE_UNSURE, options->alarm, 1 - options->confidence));
done:
    points_clear(&p);
    return status;
}

dusk_status dusk_audit_curve(double *epsilons, double *sure, const double *deltas, size_t n,
                             const dusk_sampler *sampler, const dusk_input_pair *pair,
                             const dusk_audit_options *options, dusk_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(deltas[i] >= 0 && deltas[i] < 1))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "each delta must be in [0, 1)");
    return curve(epsilons, sure, &of_delta, deltas, n, sampler, pair, options, err);
}

dusk_status dusk_audit_renyi(double *divergences, double *sure, const double *orders, size_t n,
                             const dusk_sampler *sampler, const dusk_input_pair *pair,
                             const dusk_audit_options *options, dusk_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(orders[i] > 1 && isfinite(orders[i])))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "each order must be above 1, and finite");
    return curve(divergences, sure, &of_order, orders, n, sampler, pair, options, err);
}
