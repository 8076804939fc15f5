/* SPDX-License-Identifier: Apache-2.0 */
/* How many people have each of a list of candidates, from a sketch: weighted least squares of the numbers of people at places on the candidates that have them, and on one column for people who have none of
 * the candidates and come to all places alike. Columns are sparse: a candidate has `hashes` places in each row, which are computed when they are needed. Two passes:
 *
 *   which    LASSO with no coefficient below 0, by coordinate descent, at a penalty of so many deviations of each candidate: who stands out
 *   how many    these together without penalty; of every other candidate what its places have left over
 *
 * Columns of hash functions are almost orthogonal, so that the estimate of a candidate is about the same whether the first pass took it or not: there is no bias
 * from having been chosen, and tests of all candidates hold together. What part of a column the chosen ones explain by chance, their number by that of places, is corrected for, and where places are
 * further from the fit than their noise, by people with values that are not on the list, deviations grow by as much.
 * [Erlingsson, Pihur & Korolova 2014, section 4; the second step as Zhang & Zhang 2014.] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_strings.h"
#include "local/decode.h"

#define PENALTY 3.0 /* deviations */
#define ROUNDS 20
#define SWEEPS 200
#define PENALTIES 12 /* that are tried, up to 260 deviations: what stands out then stands out at any */
#define EXACT 1e-7   /* of a deviation */

typedef struct regression {
    local_places places; /* `people` becomes what is left over */
    const uint64_t *candidate;
    size_t n, chosen;
    double *count, *spread; /* spread: deviation of the weighted sum over a candidate's places */
    double *total;          /* sum of weights of its places */
    double others, all;     /* people at every place who have no candidate; sum of weights of all places */
    double cells, expected; /* places that count; weighted sum of variances over them */
    bool *taken;
} regression;

/* The places of a candidate in a row, each once; returns how many. */
static uint32_t places_of(const local_places *p, uint64_t candidate, uint32_t row, uint64_t *at)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < p->hashes; h++) {
        const uint64_t place =
            (uint64_t)row * p->width + client_place(p->seed, row * p->hashes + h, candidate, p->width);
        uint32_t i = 0;
        while (i < n && at[i] != place) i++;
        if (i == n) at[n++] = place;
    }
    return n;
}

/* The weighted sum of what is left over at the places of a candidate. */
static double left_over(const regression *r, size_t v)
{
    const local_places *p = &r->places;
    uint64_t at[16];
    double sum = 0;
    for (uint32_t j = 0; j < p->rows; j++) {
        const uint32_t n = places_of(p, r->candidate[v], j, at);
        double row = 0;
        for (uint32_t i = 0; i < n; i++) row += p->people[at[i]];
        sum += p->weight[j] * row;
    }
    return sum;
}

static void take_off(regression *r, size_t v, double people)
{
    const local_places *p = &r->places;
    uint64_t at[16];
    for (uint32_t j = 0; j < p->rows; j++) {
        const uint32_t n = places_of(p, r->candidate[v], j, at);
        for (uint32_t i = 0; i < n; i++) p->people[at[i]] -= people;
    }
}

/* Before anything is taken off. */
static void measure(regression *r)
{
    const local_places *p = &r->places;
    uint64_t at[16];
    for (uint32_t j = 0; j < p->rows; j++) {
        if (!(p->weight[j] > 0)) continue;
        r->all += p->weight[j] * p->width;
        r->cells += p->width;
        for (uint32_t b = 0; b < p->width; b++)
            r->expected += p->weight[j] * local_place_variance(p, j, p->people[(uint64_t)j * p->width + b]);
    }
    for (size_t v = 0; v < r->n; v++) {
        double variance = 0;
        for (uint32_t j = 0; j < p->rows; j++) {
            if (!(p->weight[j] > 0)) continue;
            const uint32_t n = places_of(p, r->candidate[v], j, at);
            r->total[v] += p->weight[j] * n;
            for (uint32_t i = 0; i < n; i++)
                variance += p->weight[j] * p->weight[j] * local_place_variance(p, j, p->people[at[i]]);
        }
        r->spread[v] = sqrt(variance);
    }
}

/* The column of others, which may be below 0: it is there so that the mean of what is left over is 0. */
static void fit_others(regression *r)
{
    const local_places *p = &r->places;
    double sum = 0;
    for (uint32_t j = 0; j < p->rows; j++)
        for (uint32_t b = 0; b < p->width; b++) sum += p->weight[j] * p->people[(uint64_t)j * p->width + b];
    const double step = sum / r->all;
    for (uint64_t i = 0; i < (uint64_t)p->rows * p->width; i++) p->people[i] -= step;
    r->others += step;
}

/* One coordinate; returns by how many deviations it moved, or by what part where there is no noise. */
static double fit_one(regression *r, size_t v, double penalty, bool positive)
{
    double to = r->count[v] + (left_over(r, v) - penalty * r->spread[v]) / r->total[v];
    if (positive && to < 0) to = 0;
    const double step = to - r->count[v];
    if (step == 0) return 0;
    take_off(r, v, step);
    r->count[v] = to;
    return r->spread[v] > 0 ? fabs(step) * r->total[v] / r->spread[v] : fabs(step) / (fabs(to) + 1);
}

/* Over those that are taken, until nothing moves. */
static void fit_taken(regression *r, double penalty, bool positive)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (size_t v = 0; v < r->n; v++)
            if (r->taken[v]) moved = fmax(moved, fit_one(r, v, penalty, positive));
        fit_others(r);
        if (moved < EXACT) break;
    }
}

/* LASSO: all candidates, then those above 0 until they stand, and again, until no other wants in. */
static void choose(regression *r, double penalty)
{
    bool more = true;
    for (int round = 0; round < ROUNDS && more; round++) {
        more = false;
        for (size_t v = 0; v < r->n; v++) {
            if (!(r->total[v] > 0 && r->total[v] < r->all)) continue;
            fit_one(r, v, penalty, true);
            more |= !r->taken[v] && r->count[v] > 0;
            r->taken[v] = r->count[v] > 0;
        }
        fit_others(r);
        fit_taken(r, penalty, true);
    }
    r->chosen = 0;
    for (size_t v = 0; v < r->n; v++) {
        r->taken[v] = r->count[v] > 0;
        r->chosen += r->taken[v];
    }
}

/* By what the noise of places is exceeded; at least 1. */
static double excess(const regression *r)
{
    const local_places *p = &r->places;
    double squares = 0;
    for (uint32_t j = 0; j < p->rows; j++)
        for (uint32_t b = 0; b < p->width; b++) {
            const double left = p->people[(uint64_t)j * p->width + b];
            squares += p->weight[j] * left * left;
        }
    const double part = 1 - (double)(r->chosen + 1) / r->cells;
    return fmax(squares / (r->expected * part), 1);
}

static void estimate(regression *r, double *counts, double *deviations)
{
    const double scale = sqrt(excess(r)), part = 1 - (double)(r->chosen + 1) / r->cells;
    for (size_t v = 0; v < r->n; v++) {
        /* of a column less its mean, and less what the chosen ones have of it */
        const double own = r->total[v] * (1 - r->total[v] / r->all) * part;
        if (!(own > 0)) { /* it has all places: nothing tells it from others */
            counts[v] = 0;
            deviations[v] = INFINITY;
            continue;
        }
        const double rest = r->taken[v] ? 0 : left_over(r, v) / own;
        counts[v] = DUSK_MUTATE(DECODE_KEEPS_PENALTY, r->taken[v] ? r->count[v] : rest, r->count[v]);
        deviations[v] =
            r->spread[v] / r->total[v] * sqrt(r->total[v] / own) * DUSK_MUTATE(DECODE_NOISE_ONLY, scale, 1);
    }
}

static int increasing(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static dusk_status check_candidates(const uint64_t *candidates, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *sorted = NULL;
    DUSK_NEW(sorted, n);
    if (n > 0) memcpy(sorted, candidates, n * sizeof *sorted);
    if (n > 0) qsort(sorted, n, sizeof *sorted, increasing);
    for (size_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            DUSK_TRY(
                dusk_fail(err, DUSK_ERR_ARGUMENT, "give each candidate once", "a candidate is there twice"));
done:
    dusk_deallocate(sorted);
    return status;
}

static int decreasing(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Of more than that the largest ones stay: places with little noise, or counters that nobody counted, have many at any penalty. */
static dusk_status keep_largest(regression *r, double most, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *sorted = NULL;
    if (!((double)r->chosen > most)) return DUSK_OK;
    DUSK_NEW(sorted, r->n);
    memcpy(sorted, r->count, r->n * sizeof *sorted);
    qsort(sorted, r->n, sizeof *sorted, decreasing);
    const double least = sorted[(size_t)most];
    r->chosen = 0;
    for (size_t v = 0; v < r->n; v++) {
        r->taken[v] = r->count[v] > least;
        r->chosen += r->taken[v];
        if (r->taken[v]) continue;
        take_off(r, v, -r->count[v]);
        r->count[v] = 0;
    }
done:
    dusk_deallocate(sorted);
    return status;
}

/* Fits at growing penalties, until those chosen are few beside the places. */
static dusk_status fit(regression *r, const dusk_tally *tally, double *counts, double *deviations,
                       dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(r->count, r->n);
    DUSK_NEW(r->spread, r->n);
    DUSK_NEW(r->total, r->n);
    DUSK_NEW(r->taken, r->n);
    measure(r);
    double penalty = PENALTY;
    for (int turn = 1;; turn++, penalty *= 1.5) {
        choose(r, penalty);
        if ((double)r->chosen <= r->cells / 4 || turn == PENALTIES) break;
        local_places_free(&r->places); /* begin again */
        DUSK_TRY(local_places_of(&r->places, tally, err));
        memset(r->count, 0, r->n * sizeof *r->count);
        memset(r->taken, 0, r->n * sizeof *r->taken);
        r->others = 0;
    }
    DUSK_TRY(keep_largest(r, r->cells / 4, err));
    fit_taken(r, 0, false);
    estimate(r, counts, deviations);
done:
    return status;
}

dusk_status dusk_tally_decode(const dusk_tally *tally, double *counts, double *deviations,
                              const uint64_t *candidates, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    regression r = { .candidate = candidates, .n = n };
    DUSK_TRY(check_candidates(candidates, n, err));
    DUSK_TRY(local_places_of(&r.places, tally, err));
    if (tally->reports > 0 && n > 0) {
        DUSK_TRY(fit(&r, tally, counts, deviations, err));
    } else {
        for (size_t v = 0; v < n; v++) counts[v] = deviations[v] = 0;
    }
done:
    local_places_free(&r.places);
    dusk_deallocate(r.count);
    dusk_deallocate(r.spread);
    dusk_deallocate(r.total);
    dusk_deallocate(r.taken);
    return status;
}
