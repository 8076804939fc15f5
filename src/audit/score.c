/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of scores, thresholds, and the choice of a set; see score.h. Nothing here is part
 * of a bound: a set may be chosen in any way that does not look at the draws counted in the
 * last step. */
#include "audit/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MOST_THRESHOLDS = 768 };

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

/* Whether more than rounding lies between a < b: a mechanism's last bits are looked at by
 * another audit, and must not decide here. */
static bool apart(double a, double b) { return b - a > 0x1p-45 * (fabs(a) + fabs(b)); }

/* A place between a < b that is none of the round numbers which a mechanism's arithmetic
 * may treat in a way of its own. */
static double inside(double a, double b)
{
    if (isinf(a) && isinf(b)) return 0.381966011250105;
    if (isinf(a)) return b - 0.381966011250105 * (1 + fabs(b));
    if (isinf(b)) return a + 0.381966011250105 * (1 + fabs(a));
    return a + 0.381966011250105 * (b - a);
}

/* The first gap at or after place i (between sorted[i] and its successor), n if none. */
static size_t next_gap(const double *sorted, size_t n, size_t i)
{
    while (i + 1 < n && !apart(sorted[i], sorted[i + 1])) i++;
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
        out[count++] = inside(sorted[i], sorted[i + 1]);
        i = next_gap(sorted, n, step_from(i, n, room));
    }
    return count;
}

/* --- the choice ----------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The scores of both sides in one list, without NaN, sorted. */
static dusk_status sorted_values(double *values, size_t *count, const audit_score *score,
                                 const audit_sample *train, dusk_error *err)
{
    *count = 0;
    for (int side = 0; side < 2; side++) {
        double *place = values + *count;
        dusk_status status = score->kind->evaluate(score, place, train->out[side], train->n, err);
        if (status != DUSK_OK) return status;
        for (size_t i = 0; i < train->n; i++)
            if (!isnan(place[i])) values[(*count)++] = place[i];
    }
    qsort(values, *count, sizeof *values, by_value);
    return DUSK_OK;
}

/* How many values lie above each threshold and how many below: above[k] counts x > t_k,
 * below[k] counts x < t_k. */
typedef struct tally {
    uint64_t above[2][MOST_THRESHOLDS + 1], below[2][MOST_THRESHOLDS + 1];
} tally;

/* The number of thresholds below x. */
static size_t place_of(double x, const double *thresholds, size_t count)
{
    size_t low = 0, width = count;
    while (width > 0) {
        size_t half = width / 2;
        bool beyond = thresholds[low + half] < x;
        low = beyond ? low + half + 1 : low;
        width = beyond ? width - half - 1 : half;
    }
    return low;
}

static void tally_side(tally *t, int side, const double *values, size_t n, const double *thresholds,
                       size_t count)
{
    uint64_t in[MOST_THRESHOLDS + 1] = { 0 }; /* in[k]: above k thresholds */
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i])) in[place_of(values[i], thresholds, count)]++;
    uint64_t sum = 0;
    for (size_t k = 0; k < count; k++) t->below[side][k] = sum += in[k];
    sum = 0;
    for (size_t k = count; k > 0; k--) t->above[side][k - 1] = sum += in[k];
}

static void keep_better(audit_event *best, const audit_event *tried, const audit_forecast *forecast,
                        uint64_t hits0, uint64_t hits1, size_t trials)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        audit_counts counts = { (double)(swapped ? hits1 : hits0), (double)(swapped ? hits0 : hits1),
                                (double)trials };
        double promise = audit_forecast_epsilon(forecast, counts);
        /* where nothing is expected the set of the most even counts sees the most */
        if (!(promise > 0)) promise = -fabs(counts.p_hits / counts.trials - 0.5);
        if (!(promise > best->forecast)) continue;
        *best = *tried;
        best->swapped = swapped;
        best->counts = counts;
        best->forecast = promise;
    }
}

static dusk_status choose_threshold(audit_event *best, const audit_score *score, size_t index,
                                    const audit_sample *train, const audit_sample *validate,
                                    const audit_forecast *forecast, double *values, tally *t, dusk_error *err)
{
    double thresholds[MOST_THRESHOLDS];
    size_t values_count;
    dusk_status status = sorted_values(values, &values_count, score, train, err);
    if (status != DUSK_OK) return status;
    size_t count = audit_thresholds(thresholds, MOST_THRESHOLDS, values, values_count);
    for (int side = 0; side < 2; side++) {
        status = score->kind->evaluate(score, values, validate->out[side], validate->n, err);
        if (status != DUSK_OK) return status;
        tally_side(t, side, values, validate->n, thresholds, count);
    }
    for (size_t k = 0; k < count; k++) {
        audit_event tried = { .score = index, .threshold = thresholds[k], .above = true };
        keep_better(best, &tried, forecast, t->above[0][k], t->above[1][k], validate->n);
        tried.above = false;
        keep_better(best, &tried, forecast, t->below[0][k], t->below[1][k], validate->n);
    }
    return DUSK_OK;
}

dusk_status audit_choose(audit_event *best, const audit_scores *scores, const audit_sample *train,
                         const audit_sample *validate, const audit_forecast *forecast, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_event found = { .forecast = -INFINITY };
    double *values = NULL;
    tally *t = NULL;
    size_t room = 2 * train->n > validate->n ? 2 * train->n : validate->n;
    DUSK_NEW(values, room);
    DUSK_NEW(t, 1);
    for (size_t i = 0; i < scores->count; i++)
        DUSK_TRY(choose_threshold(&found, &scores->list[i], i, train, validate, forecast, values, t, err));
    *best = found;
done:
    dusk_deallocate(values);
    dusk_deallocate(t);
    return status;
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
