/* SPDX-License-Identifier: Apache-2.0 */
/* The audit of a mechanism: choose a pair and a set (select.c), then count on fresh draws.
 * The draws of the last step are made in blocks and never kept; their number is fixed before
 * the first of them. Only their two counts enter the bounds. */
#include <math.h>
#include <stdio.h>

#include "audit/coins.h"
#include "audit/mechanism.h"
#include "audit/trusted_density.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"

enum { BLOCK = 1 << 14 /* numbers in a block of draws */ };
#define MOST_DRAWS (UINT64_C(1) << 26)

void dusk_audit_options_init(dusk_audit_options *options)
{
    *options = (dusk_audit_options){ .size = sizeof *options,
                                     .confidence = 0.95,
                                     .alarm = 1e-6,
                                     .worth = 0.25,
                                     .density = DUSK_DENSITY_SCORE };
}

/* --- what may be asked ---------------------------------------------------------------- */

dusk_status audit_options_check(const dusk_audit_options *o, dusk_error *err)
{
    if (!o || o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_audit_options_init",
                         "the options are not set up");
    if (!o->event && !(o->epsilon >= 0 && isfinite(o->epsilon)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "such as 0.7",
                         "the claimed epsilon must be 0 or more, and finite");
    if (!(o->delta >= 0 && o->delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0 is for pure epsilon",
                         "the claimed delta must be in [0, 1)");
    if (!(o->confidence > 0 && o->confidence < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0.95 is usual", "the confidence must be between 0 and 1");
    if (!(o->worth > 0 && isfinite(o->worth)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0.25 is usual", "the share worth showing must be above 0");
    if (!(o->alarm >= 1e-100 && o->alarm < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "1e-6 is usual", "the alarm must be between 1e-100 and 1");
    if (o->search && o->search != DUSK_ONE_MOVES && o->search != DUSK_ALL_MOVE)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0, DUSK_ONE_MOVES or DUSK_ALL_MOVE",
                         "no such distance between neighbours");
    if (o->density > DUSK_DENSITY_TRUSTED)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "DUSK_DENSITY_UNUSED, _SCORE or _TRUSTED",
                         "no such use of a density");
    if (o->draws > UINT64_C(1) << 40)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "there can be at most 2^40 draws");
    return DUSK_OK;
}

static dusk_status check_subject(const dusk_sampler *sampler, const dusk_input_pair *pairs, size_t count,
                                 dusk_error *err)
{
    if (!sampler || !sampler->draw || sampler->output_length == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "a sampler needs a draw function and an output length");
    for (size_t i = 0; pairs && i < count; i++)
        if (!pairs[i].input[0] || !pairs[i].input[1])
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "a pair needs two inputs");
    if (!pairs || count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk_input_pairs_new has standard ones",
                         "at least one pair of inputs is needed");
    return DUSK_OK;
}

/* --- the last step -------------------------------------------------------------------- */

DUSK_PROVEN(audit_count_fresh)
dusk_status audit_count_fresh(uint64_t *hits, audit_job *job, const audit_scores *scores,
                              const audit_event *events, size_t count, const double *input, uint64_t n,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t length = job->sampler->output_length, block = length < BLOCK ? BLOCK / length : 1;
    double *outputs = NULL, *values = NULL;
    uint64_t more;
    DUSK_NEW(outputs, block * length);
    DUSK_NEW(values, block);
    for (size_t i = 0; i < count; i++) hits[i] = 0;
    for (uint64_t left = n; left > 0;) {
        size_t now = left < block ? (size_t)left : block;
        DUSK_TRY(audit_draw(job, outputs, now, input, err));
        for (size_t i = 0; i < count; i++) {
            const audit_event *e = &events[i];
            DUSK_TRY(audit_count(&more, &scores->list[e->score], e->above, e->threshold, outputs, now, values,
                                 err));
            hits[i] += more;
        }
        left -= now;
    }
done:
    dusk_deallocate(outputs);
    dusk_deallocate(values);
    return status;
}

static void describe(dusk_audit_report *report, const audit_selection *chosen)
{
    const audit_score *score = &chosen->scores.list[chosen->event.score];
    dusk_text text;
    snprintf(report->family, sizeof report->family, "%s", score->kind->family);
    dusk_text_init(&text, report->event, sizeof report->event);
    score->kind->describe(score, &text, chosen->event.above, chosen->event.threshold);
}

static void judge(dusk_audit_report *report, double worth)
{
    if (report->epsilon_sure > report->claimed)
        report->verdict = DUSK_VIOLATION;
    else if (report->detectable <= audit_worth_showing(report->claimed, worth))
        report->verdict = DUSK_PASS;
    else
        report->verdict = DUSK_INCONCLUSIVE;
}

/* The mass of the deciding set. Where outputs never varied there is none: a fault would have
 * parted them in two, and one of two parts has half the mass. Outputs that vary in their last
 * bits only have none either, and nothing was seen of them. */
static double mass_of(const dusk_audit_report *report, const audit_event *event)
{
    if (event->forecast > -INFINITY) return (double)report->hits[0] / (double)report->trials[0];
    return DUSK_MUTATE(AUDIT_LAST_BITS_PASS, event->constant, true) ? 0.5 : 0;
}

static void conclude(dusk_audit_report *report, const audit_event *event, const dusk_audit_options *o)
{
    const uint64_t *hits = report->hits, *trials = report->trials;
    double error = 1 - o->confidence;
    audit_corner shown = audit_corner_of(hits[0], trials[0], hits[1], trials[1], error);
    audit_corner sure = audit_corner_of(hits[0], trials[0], hits[1], trials[1], o->alarm);
    report->epsilon = audit_corner_epsilon(shown, o->delta);
    report->epsilon_sure = audit_corner_epsilon(sure, o->delta);
    report->mu = audit_corner_mu(shown);
    report->detectable =
        audit_detectable(mass_of(report, event), report->claimed, o->delta, (double)trials[0], o->alarm);
    judge(report, o->worth);
}

/* Step 3, by counts on both sides. */
static dusk_status count_both(dusk_audit_report *report, audit_job *job, const audit_selection *chosen,
                              uint64_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    report->swapped = chosen->event.swapped;
    report->roc = chosen->roc;
    for (int side = 0; side < 2; side++) {
        const double *input = chosen->input[report->swapped ? 1 - side : side];
        report->trials[side] = DUSK_MUTATE(AUDIT_SAME_DRAWS, n, (uint64_t)chosen->event.counts.trials);
        DUSK_TRY(
            audit_count_fresh(&report->hits[side], job, &chosen->scores, &chosen->event, 1, input, n, err));
    }
    report->hits[0] = DUSK_MUTATE(AUDIT_SAME_DRAWS, report->hits[0], (uint64_t)chosen->event.counts.p_hits);
    report->hits[1] = DUSK_MUTATE(AUDIT_SAME_DRAWS, report->hits[1], (uint64_t)chosen->event.counts.q_hits);
    describe(report, chosen);
    conclude(report, &chosen->event, job->options);
    if (job->options->density && job->sampler->log_density) report->density = DUSK_DENSITY_SCORE;
done:
    return status;
}

/* Step 3 with a density that is believed: draws from one side. */
static dusk_status climb(dusk_audit_report *report, audit_job *job, const audit_selection *chosen, uint64_t n,
                         dusk_error *err)
{
    audit_ladder ladder;
    const dusk_audit_options *o = job->options;
    dusk_status status = audit_trusted(&ladder, &report->swapped, job, chosen->input, n, err);
    if (status != DUSK_OK) return status;
    report->density = DUSK_DENSITY_TRUSTED;
    report->epsilon = audit_ladder_epsilon(&ladder, o->delta, 1 - o->confidence);
    report->epsilon_sure = audit_ladder_epsilon(&ladder, o->delta, o->alarm);
    size_t top = ladder.count;
    while (top > 0 && (ladder.place[top - 1] > report->epsilon || ladder.hits[top - 1] == 0)) top--;
    report->trials[0] = ladder.trials;
    report->hits[0] = top ? ladder.hits[top - 1] : 0;
    /* what is lost to confidence is what could have hidden above the claim, and at delta 0 what
     * was seen too seldom to have a place */
    double seen = o->delta > 0 ? report->epsilon : fmax(report->epsilon, ladder.most);
    report->detectable = report->claimed + (seen - report->epsilon_sure) + 0.01;
    /* ... and where draws are few, or most of them have no ratio (the lowest place is below
     * nearly all that do), anything could have */
    bool blind = ladder.trials < 100 || ladder.count == 0 || ladder.hits[0] < ladder.trials / 2 ||
                 (o->delta > 0 && (double)ladder.trials * o->delta < 100);
    if (DUSK_MUTATE(AUDIT_BLIND_LADDER, blind, false)) report->detectable = INFINITY;
    snprintf(report->family, sizeof report->family, "density");
    dusk_format(report->event, sizeof report->event, "log likelihood ratio > %.6g, density trusted",
                report->epsilon);
    judge(report, o->worth);
    return DUSK_OK;
}

/* Claims that are a composition are also held against its whole curve. */
static dusk_status judge_curve(dusk_audit_report *report, const dusk_audit_options *o, dusk_error *err)
{
    bool refuted = false;
    audit_corner sure =
        audit_corner_of(report->hits[0], report->trials[0], report->hits[1], report->trials[1], o->alarm);
    dusk_status status = audit_claim_refuted(&refuted, o->event, sure, err);
    if (status == DUSK_OK && refuted) report->verdict = DUSK_VIOLATION;
    return status;
}

uint64_t audit_most_draws(const dusk_audit_options *options)
{
    return options->draws ? options->draws : MOST_DRAWS;
}

dusk_status audit_job_open(audit_job *job, const dusk_sampler *sampler, const dusk_input_pair *pairs,
                           size_t pair_count, const dusk_audit_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(audit_options_check(options, err));
    DUSK_TRY(check_subject(sampler, pairs, pair_count, err));
    *job = (audit_job){ .sampler = sampler, .options = options, .claimed = options->epsilon };
    DUSK_TRY(audit_seed(&job->seed, options->seed, err));
    if (options->event) {
        dusk_account claim;
        DUSK_TRY(dusk_account_epsilon(&claim, options->event, options->delta, DUSK_BEST, err));
        job->claimed = claim.bound.upper;
        if (!isfinite(job->claimed)) {
            status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give a delta above 0",
                               "the claimed event has no finite epsilon at this delta");
            goto done;
        }
    }
    /* small claims need more draws, and short outputs are cheap ones */
    double small = 0.25 / (job->claimed * job->claimed);
    double cheap = 16 / (double)(sampler->input_length + sampler->output_length + 1);
    double planned = 0x1p21 * fmin(fmax(small, 1), 4) * fmin(fmax(cheap, 0.25), 2);
    job->forecast =
        (audit_forecast){ .delta = options->delta,
                          .draws = fmin((double)audit_most_draws(options), planned),
                          .most = fmin((double)audit_most_draws(options), 0x1.1p25 * fmin(sqrt(cheap), 1.25)),
                          .z = audit_deviations(0.5 * (1 - options->confidence)),
                          .caution = 3 };
done:
    return status;
}

dusk_status dusk_audit_run(dusk_audit_report *out, const dusk_sampler *sampler, const dusk_input_pair *pairs,
                           size_t pair_count, const dusk_audit_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_selection chosen = { 0 };
    audit_tradeoff curve;
    audit_job job;
    DUSK_TRY(audit_job_open(&job, sampler, pairs, pair_count, options, err));
    if (options->event) {
        DUSK_TRY(audit_tradeoff_of(&curve, options, err));
        job.forecast.claim = &curve;
    }
    DUSK_TRY(audit_select(&chosen, &job, pairs, pair_count, err));

    dusk_audit_report report = { .claimed = job.claimed, .delta = options->delta, .pair = chosen.pair };
    report.varied = chosen.varied != NULL;
    double most = (double)audit_most_draws(options);
    if (options->density == DUSK_DENSITY_TRUSTED && sampler->log_density) {
        DUSK_TRY(climb(&report, &job, &chosen, (uint64_t)fmin(most, 0x1p20), err));
    } else {
        /* outputs that never varied: as many as for a set of half the mass, see mass_of */
        audit_counts counts =
            chosen.event.constant ? (audit_counts){ 0x1p20, 0x1p20, 0x1p21 } : chosen.event.counts;
        double n =
            audit_draws_wanted(counts, &job.forecast, job.claimed, options->worth, options->alarm, most);
        if (options->event) n = fmax(n, job.forecast.draws);
        DUSK_TRY(count_both(&report, &job, &chosen, (uint64_t)n, err));
        if (options->event) DUSK_TRY(judge_curve(&report, options, err));
    }
    report.draws = job.draws;
    *out = report;
done:
    audit_selection_clear(&chosen);
    return status;
}
