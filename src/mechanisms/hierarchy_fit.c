/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy counts of a tree made to agree: weighted least squares in two passes, for any
 * tree and any variance a level [Hay, Rastogi, Miklau & Suciu 2010, section 4.2; the
 * unequal case: Cormode et al. 2012, section 5], how far the result is from the truth,
 * and whole numbers >= 0 from the root down [Abowd et al. 2022]. All of it is public
 * post-processing of noisy counts. Proof: hierarchy_fit.proof.md. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/hierarchy.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

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

/* ---- Intervals ------------------------------------------------------------------- */

/* What the roundings of variances and weights may add, relative. */
static const double slack = 1 + 1e-6;

/* ln of a bound on P(|S| > t M) for a sum S of independent Laplace numbers of scales
 * at most M whose squares add up to k M^2: Chernoff's, 2 exp(-u t) (1 - u^2)^-k. */
static double log_tail(double t, double k)
{
    double u = t / (k + sqrt(k * k + t * t)); /* the best one; any in (0, 1) is right */
    return log(2) - u * t - k * log1p(-u * u);
}

DUSK_PROVEN(dusk_hierarchy_laplace_deviate)
double dusk_hierarchy_laplace_deviate(double p, double k)
{
    double low = 0, high = 1, wanted = log(p) - 1e-9;
    while (log_tail(high, k) > wanted) high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        *(log_tail(middle, k) > wanted ? &low : &high) = middle;
    }
    return high;
}

/* The largest ratio of a fitted count's variance to that of its noisy count. */
static double largest_gain(const dusk_hierarchy *h)
{
    double most = 0;
    for (size_t i = 0; i < h->nodes; i++)
        if (h->share[h->level[i]] > 0)
            most = fmax(most, h->fitted[i] / dusk_hierarchy_variance(h, h->level[i]));
    return most < 1 ? most : 1;
}

/* Half-width over the root of the variance. */
static double deviate(const dusk_hierarchy *h, double p)
{
    if (!is_pure(h)) return dusk_normal_upper_quantile(p / 2);
    double gain = largest_gain(h);
    return dusk_hierarchy_laplace_deviate(p, 1 / gain) * sqrt(gain / 2);
}

/* Sums of the absolute weights that a fitted count gives to noisy counts, or more:
 * from below exactly, then by the triangle inequality. */
static dusk_status add_weights(const dusk_hierarchy *h, double *weights, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *sum = NULL;
    DUSK_NEW(sum, h->nodes);
    for (size_t i = h->nodes; i-- > 0;) {
        double own = dusk_hierarchy_own_weight(h, i);
        weights[i] = own + (1 - own) * sum[i];
        if (i > 0) sum[h->parents[i]] += weights[i];
    }
    for (size_t i = 1; i < h->nodes; i++) {
        size_t up = h->parents[i];
        double p = dusk_hierarchy_part(h, i), others = sum[up] - weights[i];
        weights[i] = (1 - p) * weights[i] + p * (others + weights[up]);
    }
done:
    dusk_deallocate(sum);
    return status;
}

/* A rounded Gaussian number is a Gaussian one and at most half a step. */
DUSK_PROVEN(fitted_widths)
static dusk_status fitted_widths(const dusk_hierarchy *h, double *widths, double p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double times = deviate(h, p);
    if (!is_pure(h)) DUSK_TRY(add_weights(h, widths, err));
    for (size_t i = 0; i < h->nodes; i++)
        widths[i] = slack * (times * sqrt(h->fitted[i]) + (is_pure(h) ? 0 : widths[i] / 2));
done:
    return status;
}

/* Of the noisy counts: independent in a level, levels by the union bound. */
static dusk_status noisy_widths(const dusk_hierarchy *h, double *widths, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double level[DUSK_HIERARCHY_LEVELS_MAX];
    for (size_t l = 0; l < h->levels; l++) {
        level[l] = NAN;
        if (!(h->share[l] > 0)) continue;
        DUSK_TRY(dusk_aggregate_interval(&level[l], &h->how, (unsigned)h->levels, &h->noise[l], err));
        level[l] = floor(level[l]); /* counts are whole; nothing was rounded */
    }
    for (size_t i = 0; i < h->nodes; i++) widths[i] = level[h->level[i]];
done:
    return status;
}

DUSK_PROVEN(dusk_hierarchy_interval)
dusk_status dusk_hierarchy_interval(const dusk_hierarchy *h, double *half_widths, bool fitted,
                                    dusk_error *err)
{
    if (!fitted) return noisy_widths(h, half_widths, err);
    double p = dusk_div_down(dusk_sub_down(1, h->how.confidence), (double)h->nodes);
    p = DUSK_MUTATE(HIERARCHY_ONE_NODE, p, p * (double)h->nodes);
    return fitted_widths(h, half_widths, p, err);
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
