/* SPDX-License-Identifier: Apache-2.0 */
/* How far noisy and fitted counts of a tree are from the exact ones. A fitted count is a
 * weighted sum of all noisy counts; its variance is known exactly, of its weights the
 * largest are bounded by one pass up the tree and one down. Gaussian noise: normal, but
 * for the rounding. Laplace noise: Chernoff's bound, or the tail of the largest term times
 * the moment of the rest, whichever is smaller. Proof: hierarchy_width.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/hierarchy.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

/* What the roundings of variances and weights may add, relative. */
static const double slack = 1 + 1e-6;

/* ---- Sums of Laplace numbers ------------------------------------------------------ */

/* ln of 2 exp(-u t) (1 - u^2)^-k at the best u. */
static double log_tail(double t, double k)
{
    double u = t / (k + sqrt(k * k + t * t));
    return log(2) - u * t - k * log1p(-u * u);
}

DUSK_PROVEN(dusk_hierarchy_chernoff)
double dusk_hierarchy_chernoff(double p, double k)
{
    double low = 0, high = 1, wanted = log(p) - 1e-9;
    while (log_tail(high, k) > wanted) high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        *(log_tail(middle, k) > wanted ? &low : &high) = middle;
    }
    return high;
}

DUSK_PROVEN(dusk_laplace_sum_width)
double dusk_laplace_sum_width(const dusk_laplace_sum *sum, double p, const double *deviate)
{
    double m = sum->largest;
    if (!(m > 0)) return 0;
    double t = deviate ? *deviate : dusk_hierarchy_chernoff(p, fmax(sum->squares / (m * m), 1));
    double one = log(sum->doubled / p) + sum->growth;
    return slack * m * fmin(t, DUSK_MUTATE(HIERARCHY_ONE_TERM, one, one - sum->growth));
}

/* ---- Fitted counts ---------------------------------------------------------------- */

/* Bounds on the weights of all nodes' estimates, times the scales of the noise. */
typedef struct weight_bounds {
    double *below;  /* the largest in the estimate from below  */
    double *beside; /* the largest `below` of a node's children */
    double *fitted; /* the largest in the fitted count          */
    double gain;    /* the largest ratio of variances, fitted to noisy */
} weight_bounds;

static double scale_of(const dusk_hierarchy *h, size_t i)
{
    return h->share[h->level[i]] > 0 ? h->noise[h->level[i]].scale : 0;
}

static void free_bounds(weight_bounds *b)
{
    dusk_deallocate(b->below);
    dusk_deallocate(b->beside);
    dusk_deallocate(b->fitted);
}

/* The largest weight times scale that a fitted count can have, from its variance. */
static double most_by_variance(const dusk_hierarchy *h, const weight_bounds *b, size_t i)
{
    return sqrt(h->fitted[i] * b->gain / 2);
}

DUSK_PROVEN(bound_weights)
static dusk_status bound_weights(const dusk_hierarchy *h, weight_bounds *b, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(b->below, h->nodes);
    DUSK_NEW(b->beside, h->nodes);
    DUSK_NEW(b->fitted, h->nodes);
    for (size_t i = h->nodes; i-- > 0;) {
        double own = dusk_hierarchy_own_weight(h, i), scale = scale_of(h, i);
        b->below[i] = fmax(own * scale, (1 - own) * b->beside[i]);
        if (i > 0) b->beside[h->parents[i]] = fmax(b->beside[h->parents[i]], b->below[i]);
        if (scale > 0) b->gain = fmax(b->gain, h->fitted[i] / (2 * scale * scale));
    }
    b->gain = fmin(b->gain, 1);
    b->fitted[0] = b->below[0];
    for (size_t i = 1; i < h->nodes; i++) {
        size_t up = h->parents[i];
        double p = dusk_hierarchy_part(h, i);
        double most = fmax((1 - p) * b->below[i], p * b->beside[up]) + p * b->fitted[up];
        b->fitted[i] = fmin(most, most_by_variance(h, b, i));
    }
done:
    if (status != DUSK_OK) {
        free_bounds(b);
        *b = (weight_bounds){ 0 };
    }
    return status;
}

/* What is known of the noise in fitted count i. */
DUSK_PROVEN(describe_sum)
static dusk_laplace_sum describe_sum(const dusk_hierarchy *h, const weight_bounds *b, size_t i)
{
    double scale = scale_of(h, i), variance = h->fitted[i];
    dusk_laplace_sum sum = { b->fitted[i], variance / 2, INFINITY, 2 };
    if (!(scale > 0)) return sum;
    double own = variance / (2 * scale), p = i ? dusk_hierarchy_part(h, i) : 0;
    double inside = (1 - dusk_hierarchy_own_weight(h, i)) * b->beside[i], others = inside;
    if (i) others = fmax((1 - p) * inside, p * b->beside[h->parents[i]]) + p * b->fitted[h->parents[i]];
    double ratio = others / own, rest = fmax(variance / 2 / (own * own) - 1, 0);
    if (!(ratio < 1)) return sum;
    sum.largest = own;
    sum.growth = rest == 0 ? 0 : -log1p(-ratio * ratio) * rest / (ratio * ratio);
    sum.doubled = 2 / (1 + exp(-1 / scale));
    return sum;
}

/* Chernoff's deviates of one level, by k rounded up to eighths: the bound grows with k. */
enum { EIGHTHS = 256 };

static double deviate_for(double *table, double p, double k)
{
    if (!(k < EIGHTHS / 8 - 1)) return dusk_hierarchy_chernoff(p, k);
    size_t at = (size_t)ceil(8 * k);
    if (table[at] == 0) table[at] = dusk_hierarchy_chernoff(p, fmax((double)at, 1) / 8);
    return table[at];
}

DUSK_PROVEN(laplace_widths)
static dusk_status laplace_widths(const dusk_hierarchy *h, double *widths, const double *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    weight_bounds bounds = { 0 };
    double(*tables)[EIGHTHS] = NULL;
    DUSK_NEW(tables, h->levels);
    DUSK_TRY(bound_weights(h, &bounds, err));
    for (size_t i = 0; i < h->nodes; i++) {
        size_t l = h->level[i];
        dusk_laplace_sum sum = describe_sum(h, &bounds, i);
        double k = sum.squares / (sum.largest * sum.largest), deviate = deviate_for(tables[l], p[l], k);
        widths[i] = dusk_laplace_sum_width(&sum, p[l], &deviate);
    }
done:
    free_bounds(&bounds);
    dusk_deallocate(tables);
    return status;
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
DUSK_PROVEN(gaussian_widths)
static dusk_status gaussian_widths(const dusk_hierarchy *h, double *widths, const double *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double deviate[DUSK_HIERARCHY_LEVELS_MAX];
    for (size_t l = 0; l < h->levels; l++) deviate[l] = dusk_normal_upper_quantile(p[l] / 2);
    DUSK_TRY(add_weights(h, widths, err));
    for (size_t i = 0; i < h->nodes; i++)
        widths[i] = slack * (deviate[h->level[i]] * sqrt(h->fitted[i]) + widths[i] / 2);
done:
    return status;
}

/* ---- Noisy counts ----------------------------------------------------------------- */

/* Independent in a level, levels by the union bound. */
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
    double p[DUSK_HIERARCHY_LEVELS_MAX];
    if (!fitted) return noisy_widths(h, half_widths, err);
    for (size_t l = 0; l < h->levels; l++) { /* every level may fail alike, and every node of it */
        p[l] = dusk_div_down(dusk_sub_down(1, h->how.confidence), (double)(h->levels * h->size[l]));
        p[l] = DUSK_MUTATE(HIERARCHY_ONE_NODE, p[l], 1 - h->how.confidence);
    }
    return h->how.delta > 0 ? gaussian_widths(h, half_widths, p, err)
                            : laplace_widths(h, half_widths, p, err);
}
