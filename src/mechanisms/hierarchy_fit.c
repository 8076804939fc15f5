/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy counts of a tree made to agree: weighted least squares in two passes, for any
 * tree and any variance a level [Hay, Rastogi, Miklau & Suciu 2010, section 4.2; the
 * unequal case: Cormode et al. 2012, section 5], and whole numbers >= 0 from the root
 * down [Abowd et al. 2022]. All of it is public post-processing of noisy counts. How far
 * the result is from the truth is hierarchy_width.c. Proof: hierarchy_fit.proof.md. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/hierarchy.h"

#define WHOLE_MAX 0x1p53

static bool is_pure(const dusk_hierarchy *h) { return h->how.delta == 0; }

double dusk_hierarchy_variance(const dusk_hierarchy *h, size_t level)
{
    if (!(h->share[level] > 0)) return INFINITY;
    double scale = h->noise[level].scale;
    return is_pure(h) ? 2 * scale * scale : scale * scale;
}

/* ---- Least squares --------------------------------------------------------------- */

double dusk_hierarchy_own_weight(const dusk_hierarchy *h, size_t i)
{
    if (h->children[i] == 0) return 1;
    double own = dusk_hierarchy_variance(h, h->level[i]);
    if (isinf(own)) return 0;
    return DUSK_MUTATE(HIERARCHY_EQUAL_WEIGHTS, h->under[i] / (own + h->under[i]), 0.5);
}

double dusk_hierarchy_part(const dusk_hierarchy *h, size_t i)
{
    return h->below[i] / h->under[h->parents[i]];
}

DUSK_PROVEN(dusk_hierarchy_variances)
void dusk_hierarchy_variances(dusk_hierarchy *h)
{
    for (size_t i = h->nodes; i-- > 0;) {
        double own = dusk_hierarchy_variance(h, h->level[i]);
        h->below[i] = h->children[i] == 0 ? own
                      : isinf(own)        ? h->under[i]
                                          : own * dusk_hierarchy_own_weight(h, i);
        if (i > 0) h->under[h->parents[i]] += h->below[i];
    }
    h->fitted[0] = h->below[0];
    for (size_t i = 1; i < h->nodes; i++) {
        double p = dusk_hierarchy_part(h, i), rest = h->under[h->parents[i]] - h->below[i];
        h->fitted[i] = p * fmax(rest, 0) + p * p * h->fitted[h->parents[i]];
    }
}

DUSK_PROVEN(dusk_hierarchy_fit)
dusk_status dusk_hierarchy_fit(const dusk_hierarchy *h, double *fitted, const double *noisy, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *sum = NULL, *estimate = NULL;

    DUSK_NEW(sum, h->nodes);
    DUSK_NEW(estimate, h->nodes);
    for (size_t i = h->nodes; i-- > 0;) {
        double weight = dusk_hierarchy_own_weight(h, i), own = weight > 0 ? noisy[i] : 0;
        own = DUSK_MUTATE(HIERARCHY_CLAMPS_FIRST, own, fmax(own, 0));
        estimate[i] = weight * own + (1 - weight) * sum[i];
        if (i > 0) sum[h->parents[i]] += estimate[i];
    }
    fitted[0] = estimate[0];
    for (size_t i = 1; i < h->nodes; i++) {
        size_t up = h->parents[i];
        fitted[i] = estimate[i] + dusk_hierarchy_part(h, i) * (fitted[up] - sum[up]);
    }
done:
    dusk_deallocate(sum);
    dusk_deallocate(estimate);
    return status;
}

/* ---- Whole numbers --------------------------------------------------------------- */

typedef struct child {
    size_t node;
    double value, variance; /* fitted count, clamped; its variance from below */
    double key;             /* what is sorted by, largest first               */
    int64_t whole;
} child;

static int by_key(const void *a, const void *b)
{
    const child *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static double tame(double x)
{
    if (isnan(x)) return 0;
    return fmin(fmax(x, -WHOLE_MAX), WHOLE_MAX);
}

/* The numbers >= 0 with this sum that are nearest to the values, a difference counting
 * by the inverse of its variance: value + lambda variance where that is above 0. */
static void project(child *list, size_t n, double total)
{
    double sum = 0, variance = 0, lambda = 0;
    for (size_t j = 0; j < n; j++) list[j].key = list[j].value / list[j].variance;
    qsort(list, n, sizeof *list, by_key);
    for (size_t j = 0; j < n; j++) {
        double next = (total - sum - list[j].value) / (variance + list[j].variance);
        if (j > 0 && !(list[j].key + next > 0)) break;
        sum += list[j].value;
        variance += list[j].variance;
        lambda = next;
    }
    for (size_t j = 0; j < n; j++)
        list[j].value = fmin(fmax(list[j].value + lambda * list[j].variance, 0), total);
}

/* Whole numbers >= 0 whose sum is `total`, each within 1 of its value but for rounding:
 * rounded down, and the largest remainders rounded up. */
DUSK_PROVEN(apportion)
static void apportion(child *list, size_t n, int64_t total)
{
    dusk_int128 left = total;
    for (size_t j = 0; j < n; j++) {
        list[j].whole = (int64_t)floor(list[j].value);
        list[j].key = list[j].value - floor(list[j].value);
        left -= list[j].whole;
    }
    qsort(list, n, sizeof *list, by_key);
    while (DUSK_MUTATE(WHOLE_SUM_DRIFTS, left > 0, false))
        for (size_t j = 0; j < n && left > 0; j++, left--) list[j].whole++;
    while (left < 0)
        for (size_t j = n; j-- > 0 && left < 0;)
            if (list[j].whole > 0) {
                list[j].whole--;
                left++;
            }
}

/* The nodes sorted by parent: those of node i begin at first[i]. */
static void group_children(const dusk_hierarchy *h, child *list, size_t *first)
{
    size_t at = 0;
    for (size_t i = 0; i < h->nodes; i++) {
        first[i] = at;
        at += h->children[i];
    }
    for (size_t i = 1; i < h->nodes; i++)
        list[first[h->parents[i]]++] = (child){ .node = i, .variance = h->below[i] };
    for (size_t i = 0; i < h->nodes; i++) first[i] -= h->children[i];
}

DUSK_PROVEN(dusk_hierarchy_whole)
dusk_status dusk_hierarchy_whole(const dusk_hierarchy *h, double *whole, const double *fitted,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    child *list = NULL;
    size_t *first = NULL;

    DUSK_NEW(list, h->nodes);
    DUSK_NEW(first, h->nodes);
    group_children(h, list, first);
    for (size_t i = 1; i < h->nodes; i++) list[i - 1].value = tame(fitted[list[i - 1].node]);
    whole[0] = fmax(floor(tame(fitted[0]) + 0.5), 0);
    for (size_t i = 0; i < h->nodes; i++) {
        child *family = list + first[i];
        size_t n = h->children[i];
        if (n == 0) continue;
        project(family, n, whole[i]);
        apportion(family, n, (int64_t)whole[i]);
        for (size_t j = 0; j < n; j++) whole[family[j].node] = (double)family[j].whole;
    }
done:
    dusk_deallocate(list);
    dusk_deallocate(first);
    return status;
}
