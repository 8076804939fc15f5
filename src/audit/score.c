/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of scores, thresholds, and the choice of a set; see score.h. Nothing here is part
 * of a bound: a set may be chosen in any way that does not look at the draws counted in the
 * last step. */
#include "audit/score.h"

#include <math.h>
#include <string.h>

#include "audit/cells.h"
#include "base/memory.h"
#include "base/mutant.h"

enum {
    MOST_THRESHOLDS = 384,
    FOR_THRESHOLDS = 1 << 14, /* training draws a side that thresholds are taken from      */
    FOR_SCREENING = 1 << 14,  /* validating draws a side that decide which scores go on    */
    GOING_ON = 6              /* scores that are looked at with all draws                  */
};

dusk_status audit_scores_take(audit_scores *scores, audit_score score, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_GROW(scores->list, scores->room, scores->count);
    scores->list[scores->count++] = score;
    return DUSK_OK;
done:
    score.kind->free(score.self);
    return status;
}

void audit_scores_clear(audit_scores *scores)
{
    for (size_t i = 0; i < scores->count; i++) scores->list[i].kind->free(scores->list[i].self);
    dusk_deallocate(scores->list);
    *scores = (audit_scores){ 0 };
}

/* --- thresholds ----------------------------------------------------------------------- */

/* The first gap at or after place i (between sorted[i] and its successor), n if none. */
static size_t next_gap(const double *sorted, size_t n, size_t i)
{
    while (i + 1 < n && !audit_apart(sorted[i], sorted[i + 1])) i++;
    return i + 1 < n ? i : n;
}

/* The place after i at which to look for a gap: every place near the ends, then places
 * whose distance from the nearer end grows by a share, at most a share of the whole. */
static size_t step_from(size_t i, size_t n, size_t room)
{
    size_t left = i + 1, right = n - i, near = left < right ? left : right;
    size_t step = near / (room / 24) + 1, most = n / (room / 2) + 1;
    return i + (step < most ? step : most);
}

size_t audit_thresholds(double *out, size_t room, const double *sorted, size_t n)
{
    size_t count = 0;
    for (size_t i = next_gap(sorted, n, 0); i < n && count < room;) {
        out[count++] = audit_inside(sorted[i], sorted[i + 1]);
        i = next_gap(sorted, n, step_from(i, n, room));
    }
    return count;
}

/* --- the choice ----------------------------------------------------------------------- */

/* above[side][k] counts x > t_k, below[side][k] counts x < t_k. */
typedef struct tally {
    uint64_t above[2][MOST_THRESHOLDS], below[2][MOST_THRESHOLDS];
} tally;

/* Room for scores and their sorting, and what is counted. */
typedef struct bench {
    double *values, *scratch;
    double thresholds[MOST_THRESHOLDS];
    tally tally;
} bench;

static dusk_status find_thresholds(size_t *count, bench *b, const audit_score *score,
                                   const audit_sample *train, dusk_error *err)
{
    size_t n = train->n < FOR_THRESHOLDS ? train->n : FOR_THRESHOLDS, kept = 0;
    for (int side = 0; side < 2; side++) {
        double *place = b->values + kept;
        dusk_status status = score->kind->evaluate(score, place, train->out[side], n, err);
        if (status != DUSK_OK) return status;
        for (size_t i = 0; i < n; i++)
            if (!isnan(place[i])) b->values[kept++] = place[i];
    }
    audit_sort_many(b->values, kept, b->scratch);
    *count = audit_thresholds(b->thresholds, MOST_THRESHOLDS, b->values, kept);
    return DUSK_OK;
}

/* Add one side's scores to the tally. */
static void tally_side(bench *b, int side, size_t n, size_t count)
{
    uint64_t in[MOST_THRESHOLDS + 1] = { 0 }, sum = 0; /* in[k]: beyond k thresholds */
    for (size_t i = 0; i < n; i++)
        if (!isnan(b->values[i])) in[audit_place(b->values[i], b->thresholds, count)]++;
    for (size_t k = 0; k < count; k++) b->tally.below[side][k] += sum += in[k];
    sum = 0;
    for (size_t k = count; k > 0; k--) b->tally.above[side][k - 1] += sum += in[k];
}

static void keep_better(audit_event *best, const audit_event *tried, const audit_forecast *forecast,
                        uint64_t hits0, uint64_t hits1, size_t trials)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        audit_counts counts = { (double)(swapped ? hits1 : hits0), (double)(swapped ? hits0 : hits1),
                                (double)trials };
        double promise = audit_forecast_epsilon(forecast, counts);
        /* where nothing is expected the set of the most even counts is as good as any, the
         * larger of two */
        if (!(promise > 0)) {
            double p = counts.p_hits / counts.trials;
            promise = p < 0.5 ? p - 0.501 : 0.5 - p;
        }
        if (!(promise > best->forecast)) continue;
        *best = *tried;
        best->swapped = swapped;
        best->counts = counts;
        best->forecast = promise;
    }
}

/* The best set of one score that was tallied on n draws a side; `best` if it is better. */
static void keep_best(audit_event *best, size_t index, const bench *b, size_t count,
                      const audit_forecast *forecast, size_t n)
{
    const tally *t = &b->tally;
    for (size_t k = 0; k < count; k++) {
        audit_event tried = { .score = index, .threshold = b->thresholds[k], .above = true };
        keep_better(best, &tried, forecast, t->above[0][k], t->above[1][k], n);
        tried.above = false;
        keep_better(best, &tried, forecast, t->below[0][k], t->below[1][k], n);
    }
}

/* The best set of one score, by the first n validating draws; `best` if it is better. */
static dusk_status choose_threshold(audit_event *best, const audit_score *score, size_t index,
                                    const audit_sample *train, const audit_sample *validate, size_t n,
                                    const audit_forecast *forecast, bench *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t count;
    b->tally = (tally){ 0 };
    DUSK_TRY(find_thresholds(&count, b, score, train, err));
    for (int side = 0; side < 2; side++) {
        DUSK_TRY(score->kind->evaluate(score, b->values, validate->out[side], n, err));
        tally_side(b, side, n, count);
    }
    keep_best(best, index, b, count, forecast, n);
done:
    return status;
}

/* Likelihood ratios (density.c), the best score there is, which few draws may not show. */
static bool is_ratio(const audit_score *score) { return !strcmp(score->kind->family, "density"); }

/* Keep `found` among the best so far, the best first. */
static void rank(audit_event *best, size_t *count, const audit_event *found)
{
    size_t i = *count < GOING_ON ? (*count)++ : GOING_ON;
    for (; i > 0 && found->forecast > best[i - 1].forecast; i--)
        if (i < GOING_ON) best[i] = best[i - 1];
    if (i < GOING_ON) best[i] = *found;
}

/* Whether all outputs of both sides are `first`, bit by bit. */
static bool all_are(const audit_sample *sample, const double *first)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sample->n; i++)
            if (memcmp(sample->out[side] + i * sample->length, first, sample->length * sizeof *first))
                return false;
    return true;
}

dusk_status audit_choose(audit_event *best, const audit_scores *scores, const audit_sample *train,
                         const audit_sample *validate, const audit_forecast *forecast, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_event found = { .forecast = -INFINITY }, going_on[GOING_ON];
    audit_forecast bold = *forecast; /* for the screening, which sees few draws */
    bench *b = NULL;
    size_t room = 2 * train->n > validate->n ? 2 * train->n : validate->n, count = 0;
    size_t few = validate->n < FOR_SCREENING ? validate->n : FOR_SCREENING;
    bold.caution = fmin(1, bold.caution);
    DUSK_NEW(b, 1);
    DUSK_NEW(b->values, room);
    DUSK_NEW(b->scratch, room);
    for (size_t i = 0; i < scores->count; i++) {
        audit_event tried = { .forecast = -INFINITY };
        DUSK_TRY(choose_threshold(&tried, &scores->list[i], i, train, validate, few, &bold, b, err));
        if (is_ratio(&scores->list[i])) tried.forecast = INFINITY; /* it is never screened out */
        rank(going_on, &count, &tried);
    }
    audit_event finals[GOING_ON];
    size_t done_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t index = going_on[i].score;
        audit_event tried = { .forecast = -INFINITY };
        DUSK_TRY(choose_threshold(&tried, &scores->list[index], index, train, validate, validate->n, forecast,
                                  b, err));
        rank(finals, &done_count, &tried);
    }
    if (done_count > 0) found = finals[0];
    for (found.rivals = 0; found.rivals < AUDIT_RERUN && found.rivals < done_count; found.rivals++)
        found.rival[found.rivals] = finals[found.rivals].score;
    for (size_t i = found.rivals; i < done_count; i++)
        if (is_ratio(&scores->list[finals[i].score])) found.rival[found.rivals - 1] = finals[i].score;
    found.constant =
        found.forecast == -INFINITY && all_are(train, train->out[0]) && all_are(validate, train->out[0]);
    *best = found;
done:
    if (b) {
        dusk_deallocate(b->values);
        dusk_deallocate(b->scratch);
        dusk_deallocate(b);
    }
    return status;
}

/* --- the choice once more, with draws that are not kept ------------------------------- */

struct audit_rerun {
    const audit_scores *scores;
    size_t count, index[AUDIT_RERUN], thresholds[AUDIT_RERUN];
    bench bench[AUDIT_RERUN]; /* values and scratch of the first serve all */
};

dusk_status audit_rerun_new(audit_rerun **out, const audit_event *best, const audit_scores *scores,
                            const audit_sample *train, size_t block, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_rerun *r = NULL;
    size_t room = 2 * (train->n < FOR_THRESHOLDS ? train->n : FOR_THRESHOLDS);
    DUSK_NEW(r, 1);
    r->scores = scores;
    DUSK_NEW(r->bench[0].values, room > block ? room : block);
    DUSK_NEW(r->bench[0].scratch, room);
    for (size_t i = 0; i < best->rivals && r->count < AUDIT_RERUN; i++) {
        bench *b = &r->bench[r->count];
        b->values = r->bench[0].values;
        b->scratch = r->bench[0].scratch;
        r->index[r->count] = best->rival[i];
        DUSK_TRY(find_thresholds(&r->thresholds[r->count], b, &scores->list[best->rival[i]], train, err));
        r->count++;
    }
    *out = r;
    r = NULL;
done:
    audit_rerun_free(r);
    return status;
}

void audit_rerun_free(audit_rerun *r)
{
    if (!r) return;
    dusk_deallocate(r->bench[0].values);
    dusk_deallocate(r->bench[0].scratch);
    dusk_deallocate(r);
}

dusk_status audit_rerun_count(audit_rerun *r, int side, const double *outputs, size_t n, dusk_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        const audit_score *score = &r->scores->list[r->index[i]];
        dusk_status status = score->kind->evaluate(score, r->bench[i].values, outputs, n, err);
        if (status != DUSK_OK) return status;
        tally_side(&r->bench[i], side, n, r->thresholds[i]);
    }
    return DUSK_OK;
}

void audit_rerun_choose(audit_event *best, const audit_rerun *r, const audit_forecast *forecast, size_t n)
{
    audit_event found = { .forecast = -INFINITY, .constant = best->constant };
    for (size_t i = 0; i < r->count; i++)
        keep_best(&found, r->index[i], &r->bench[i], r->thresholds[i], forecast, n);
    if (r->count > 0) *best = found;
}

/* The k-th of `count` sets of one direction, the smallest first: its threshold. */
static size_t threshold_of(size_t k, size_t count, bool above) { return above ? count - 1 - k : k; }

/* The set that was chosen, and others evenly among the thresholds, of which many lie near the ends. */
void audit_rerun_roc(dusk_audit_roc *out, const audit_rerun *r, const audit_event *chosen, size_t n)
{
    enum { INNER = DUSK_AUDIT_ROC_MAX - 2 };
    dusk_audit_roc roc = { .count = 0 };
    size_t i = 0;
    while (i < r->count && r->index[i] != chosen->score) i++;
    if (i < r->count && chosen->forecast > -INFINITY) {
        const bench *b = &r->bench[i];
        const uint64_t(*hits)[MOST_THRESHOLDS] = chosen->above ? b->tally.above : b->tally.below;
        size_t all = r->thresholds[i], inner = all < INNER ? all : INNER;
        int p = DUSK_MUTATE(AUDIT_ROC_SIDES, chosen->swapped, !chosen->swapped);
        roc.draws = n;
        roc.count = 1; /* (0, 0) */
        for (size_t j = 0, next = 0; j < inner; j++) {
            size_t first = next;
            next = (j + 1) * all / inner;
            size_t t = threshold_of(first, all, chosen->above);
            for (size_t k = first; k < next; k++)
                if (b->thresholds[threshold_of(k, all, chosen->above)] == chosen->threshold)
                    t = threshold_of(k, all, chosen->above);
            roc.p[roc.count] = (double)hits[p][t] / (double)n;
            roc.q[roc.count++] = (double)hits[!p][t] / (double)n;
        }
        roc.p[roc.count] = roc.q[roc.count] = 1;
        roc.count++;
    }
    *out = roc;
}

dusk_status audit_count(uint64_t *hits, const audit_score *score, bool above, double threshold,
                        const double *outputs, size_t n, double *values, dusk_error *err)
{
    dusk_status status = score->kind->evaluate(score, values, outputs, n, err);
    if (status != DUSK_OK) return status;
    uint64_t count = 0;
    if (above)
        for (size_t i = 0; i < n; i++) count += values[i] > threshold;
    else
        for (size_t i = 0; i < n; i++) count += values[i] < threshold;
    *hits = count;
    return DUSK_OK;
}
