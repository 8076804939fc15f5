/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the pair of inputs and the set; see select.h. Pairs run against each other in
 * rounds: all with few draws, the best third with four times as many, and so on
 * (sequential halving, Karnin, Koren & Somekh 2013); every round makes fresh draws, and so
 * does the last choice of the set. */
#include "audit/trusted_density.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define GOOD_DEAL 0.03 /* of what is shown already */
enum { WIDER = 4, KNOWN = 10 /* hits of a set whose epsilon is not perhaps infinite */ };
enum {
    MOST_NUMBERS = 1 << 22, /* in one sample of one side */
    LEAST_DRAWS = 32,       /* in one sample of one side */
    BLOCK = 1 << 14         /* numbers in a block */
};

/* Draws a side, of training and of validating each, in the first round of pairs and for the
 * last choice: small claims need more to be seen at all. Where draws are few, because they
 * cost much, the choices make no more of them than the last step. */
static size_t round_of(const audit_job *job, double wanted, double least, double most, double share)
{
    double n = fmin(fmax(wanted / (job->claimed * job->claimed), least), most);
    if (job->options->draws) n = fmin(n, share * (double)job->options->draws);
    size_t fits = MOST_NUMBERS / job->sampler->output_length;
    n = fmin(n, (double)fits);
    return n < LEAST_DRAWS ? LEAST_DRAWS : (size_t)n;
}
static size_t first_round(const audit_job *job) { return round_of(job, 0x1p12, 0x1p14, 0x1p16, 0.125); }
static size_t last_round(const audit_job *job) { return round_of(job, 0x1p15, 0x1p17, 0x1p19, 0.5); }

size_t audit_last_round(const audit_job *job) { return last_round(job); }

void audit_selection_clear(audit_selection *selection)
{
    audit_scores_clear(&selection->scores);
    dusk_deallocate(selection->varied);
}

dusk_status audit_draw(audit_job *job, double *out, size_t n, const double *input, dusk_error *err)
{
    job->draws += n;
    return job->sampler->draw(job->sampler->context, out, n, input, err);
}

static void sample_clear(audit_sample *sample)
{
    dusk_deallocate(sample->out[0]);
    dusk_deallocate(sample->out[1]);
}

static dusk_status sample_draw(audit_sample *sample, audit_job *job, const dusk_input_pair *pair, size_t n,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *sample = (audit_sample){ .n = n, .length = job->sampler->output_length };
    for (int side = 0; side < 2; side++) {
        DUSK_NEW(sample->out[side], n * sample->length);
        DUSK_TRY(audit_draw(job, sample->out[side], n, pair->input[side], err));
    }
done:
    return status;
}

static bool uses_density(const audit_job *job) { return job->options->density && job->sampler->log_density; }

/* With a density the likelihood ratio is the best score if the density is right, and plain
 * sets are for when it is not; without one, all families have their say. */
static dusk_status propose_all(audit_scores *scores, const dusk_input_pair *pair, audit_job *job,
                               const audit_sample *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool density = uses_density(job);
    DUSK_TRY(audit_propose_half_lines(scores, train, err));
    DUSK_TRY(audit_propose_tables(scores, train, err));
    if (density) {
        DUSK_TRY(audit_propose_density(scores, job->sampler, pair->input, err));
    } else {
        DUSK_TRY(audit_propose_products(scores, train, err));
        DUSK_TRY(audit_propose_additive(scores, train, err));
        DUSK_TRY(audit_propose_patterns(scores, train, err));
    }
done:
    return status;
}

/* Whether four or sixteen times the draws, with a set chosen for them, would show a good deal more
 * than what was chosen, because it is rare or the claim small. Then four times as many are
 * planned. */
static bool widen(const audit_event *event, const audit_rerun *rerun, audit_job *job, size_t seen)
{
    audit_forecast now = job->forecast, wider = now;
    now.caution = wider.caution = fmin(1, now.caution);
    double shown = audit_forecast_epsilon(&now, event->counts);
    double good_deal = GOOD_DEAL * fmax(shown, 0.2 * job->claimed);
    if (event->counts.q_hits < KNOWN) return false;
    for (int i = 0; i < 2; i++) {
        audit_event rarer = *event;
        wider.draws *= WIDER;
        if (wider.draws > wider.most) return false;
        audit_rerun_choose(&rarer, rerun, &wider, seen);
        if (rarer.forecast > shown + (i + 1) * good_deal) {
            job->forecast.draws *= WIDER;
            return true;
        }
    }
    return false;
}

/* `more` draws on both inputs, counted and not kept. */
static dusk_status rerun_on(audit_rerun *rerun, audit_job *job, const dusk_input_pair *pair, size_t more,
                            double *outputs, size_t block, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (int side = 0; side < 2; side++)
        for (size_t left = more; left > 0;) {
            size_t now = left < block ? left : block;
            DUSK_TRY(audit_draw(job, outputs, now, pair->input[side], err));
            DUSK_TRY(audit_rerun_count(rerun, side, outputs, now, err));
            left -= now;
        }
done:
    return status;
}

/* The thresholds of the best few scores once more, on so many fresh draws a side, or several times
 * as many: what looked good by chance does so no longer, and rare sets are seen often enough to be
 * judged. */
static dusk_status choose_again(audit_event *event, const audit_scores *scores, const audit_sample *train,
                                audit_job *job, const dusk_input_pair *pair, audit_again *again,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_rerun *rerun = NULL;
    double *outputs = NULL;
    size_t length = train->length, block = length < BLOCK ? BLOCK / length : 1, seen = 0, more = again->draws;
    DUSK_TRY(audit_rerun_new(&rerun, event, scores, train, block, err));
    DUSK_NEW(outputs, block * length);
    do {
        DUSK_TRY(rerun_on(rerun, job, pair, more, outputs, block, err));
        seen += more;
        more = seen;                             /* twice as many in all, where they are worth it */
        audit_forecast forecast = job->forecast; /* few sets are left, seen by many draws */
        forecast.caution = fmin(2, forecast.caution);
        audit_rerun_choose(event, rerun, &forecast, seen);
    } while (widen(event, rerun, job, seen));
    audit_rerun_roc(&again->roc, rerun, event, seen);
done:
    audit_rerun_free(rerun);
    dusk_deallocate(outputs);
    return status;
}

dusk_status audit_select_sets(audit_scores *scores, audit_event *events, const audit_forecast *forecasts,
                              size_t count, audit_job *job, const dusk_input_pair *pair, size_t n,
                              audit_again *again, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_sample train = { 0 }, validate = { 0 };
    audit_scores found = { 0 };
    DUSK_TRY(sample_draw(&train, job, pair, n, err));
    DUSK_TRY(sample_draw(&validate, job, pair, n, err));
    DUSK_TRY(propose_all(&found, pair, job, &train, err));
    for (size_t i = 0; i < count; i++)
        DUSK_TRY(audit_choose(&events[i], &found, &train, &validate, &forecasts[i], err));
    if (again) DUSK_TRY(choose_again(&events[0], &found, &train, job, pair, again, err));
    *scores = found;
    found = (audit_scores){ 0 };
done:
    sample_clear(&train);
    sample_clear(&validate);
    audit_scores_clear(&found);
    return status;
}

dusk_status audit_select_set(audit_selection *out, audit_job *job, const dusk_input_pair *pair, size_t n,
                             dusk_error *err)
{
    audit_selection found = { .input = { pair->input[0], pair->input[1] } };
    dusk_status status =
        audit_select_sets(&found.scores, &found.event, &job->forecast, 1, job, pair, n, NULL, err);
    if (status == DUSK_OK) *out = found;
    return status;
}

dusk_status audit_select_well(audit_selection *out, audit_job *job, const dusk_input_pair *pair,
                              dusk_error *err)
{
    size_t last = last_round(job);
    audit_again again = { .draws = (size_t)fmin(job->forecast.draws / 2, 8 * (double)last) };
    audit_selection found = { .input = { pair->input[0], pair->input[1] } };
    dusk_status status = audit_select_sets(&found.scores, &found.event, &job->forecast, 1, job, pair, last,
                                           again.draws > 0 ? &again : NULL, err);
    found.roc = again.roc;
    if (status == DUSK_OK) *out = found;
    return status;
}

dusk_status audit_promise(double *out, audit_job *job, const dusk_input_pair *pair, size_t n, dusk_error *err)
{
    if (uses_density(job)) return audit_ladder_promise(out, job, pair->input, n, err);
    audit_selection tried;
    audit_job bold = *job; /* pairs are compared by little, and all flattered alike */
    bold.forecast.caution = 1.5;
    dusk_status status = audit_select_set(&tried, &bold, pair, n, err);
    job->draws = bold.draws;
    if (status != DUSK_OK) return status;
    *out = tried.event.forecast;
    audit_selection_clear(&tried);
    return DUSK_OK;
}

typedef struct runner {
    size_t pair;
    double forecast;
} runner;

static int by_forecast(const void *a, const void *b)
{
    const runner *x = a, *y = b;
    if (x->forecast != y->forecast) return x->forecast > y->forecast ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

dusk_status audit_select(audit_selection *out, audit_job *job, const dusk_input_pair *pairs, size_t count,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    runner *runners = NULL;
    DUSK_NEW(runners, count);
    for (size_t i = 0; i < count; i++) runners[i].pair = i;
    size_t n = first_round(job), last = last_round(job);
    for (size_t left = count; left > 1; left = (left + 2) / 3, n = 4 * n < last ? 4 * n : last) {
        for (size_t i = 0; i < left; i++) {
            DUSK_TRY(audit_promise(&runners[i].forecast, job, &pairs[runners[i].pair], n, err));
        }
        qsort(runners, left, sizeof *runners, by_forecast);
    }
    const dusk_input_pair *best = &pairs[runners[0].pair];
    if (job->options->density == DUSK_DENSITY_TRUSTED && uses_density(job) && !job->options->search)
        *out = (audit_selection){ .input = { best->input[0], best->input[1] } }; /* it needs no set */
    else
        DUSK_TRY(audit_select_well(out, job, best, err));
    out->pair = runners[0].pair;
    if (job->options->search) DUSK_TRY(audit_vary(out, job, err));
done:
    dusk_deallocate(runners);
    return status;
}
