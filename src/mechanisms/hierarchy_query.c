/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over leaves of fitted counts, and how far noise puts them off: the weights that
 * such a sum gives to every noisy count, by one pass up the tree and one down. Public
 * post-processing. Proof: hierarchy_query.proof.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanisms/hierarchy.h"
#include "numeric/rounding.h"
#include "numeric/special.h"

DUSK_PROVEN(dusk_hierarchy_weights)
dusk_status dusk_hierarchy_weights(const dusk_hierarchy *h, double *weights, const double *queried,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *slope = NULL, *carry = NULL;

    DUSK_NEW(slope, h->nodes);
    DUSK_NEW(carry, h->nodes);
    for (size_t i = h->nodes; i-- > 0;) {
        if (h->children[i] == 0) slope[i] = queried[i];
        if (i > 0) slope[h->parents[i]] += dusk_hierarchy_part(h, i) * slope[i];
    }
    for (size_t i = 0; i < h->nodes; i++) {
        size_t up = h->parents[i];
        carry[i] = slope[i];
        if (i > 0) carry[i] += (1 - dusk_hierarchy_own_weight(h, up)) * carry[up] - slope[up];
        weights[i] = dusk_hierarchy_own_weight(h, i) * carry[i];
    }
done:
    dusk_deallocate(slope);
    dusk_deallocate(carry);
    return status;
}

static double term(const dusk_hierarchy *h, const double *weights, size_t i)
{
    return weights[i] == 0 ? 0 : fabs(weights[i]) * h->noise[h->level[i]].scale;
}

/* What there is to know about the Laplace noise in a sum with these weights. */
static dusk_laplace_sum describe_sum(const dusk_hierarchy *h, const double *weights)
{
    dusk_laplace_sum sum = { 0, 0, 0, 2 };
    size_t largest = 0;
    for (size_t i = 0; i < h->nodes; i++) {
        double m = term(h, weights, i);
        sum.squares += m * m;
        if (m > sum.largest) largest = i;
        if (m > sum.largest) sum.largest = m;
    }
    for (size_t i = 0; i < h->nodes && sum.largest > 0; i++) {
        double x = term(h, weights, i) / sum.largest;
        if (i != largest) sum.growth -= log1p(-x * x);
    }
    if (sum.largest > 0) sum.doubled = 2 / (1 + exp(-1 / h->noise[h->level[largest]].scale));
    return sum;
}

/* How far a sum with these weights on noisy counts is from the truth, but with
 * probability p. */
DUSK_PROVEN(width_of)
static double width_of(const dusk_hierarchy *h, const double *weights, double p)
{
    double variance = 0, absolute = 0;
    if (h->how.delta == 0) {
        dusk_laplace_sum sum = describe_sum(h, weights);
        return dusk_laplace_sum_width(&sum, p, NULL);
    }
    for (size_t i = 0; i < h->nodes; i++) {
        variance += term(h, weights, i) * term(h, weights, i);
        absolute += fabs(weights[i]);
    }
    return dusk_normal_upper_quantile(p / 2) * sqrt(variance) + absolute / 2;
}

static dusk_status check_weights(const dusk_hierarchy *h, const double *weights, dusk_error *err)
{
    for (size_t i = 0; i < h->nodes; i++)
        if (h->children[i] == 0 && !(fabs(weights[i]) <= 0x1p100))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give finite weights for the leaves",
                             "the weight of leaf %zu must be at most 2^100", i);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_hierarchy_query)
dusk_status dusk_hierarchy_query(const dusk_hierarchy *h, double *value, double *half_width,
                                 const double *weights, const double *fitted, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double sum = 0, *all = NULL;

    DUSK_TRY(check_weights(h, weights, err));
    if (half_width) {
        DUSK_NEW(all, h->nodes);
        DUSK_TRY(dusk_hierarchy_weights(h, all, weights, err));
        *half_width = (1 + 1e-6) * width_of(h, all, dusk_sub_down(1, h->how.confidence));
    }
    for (size_t i = 0; i < h->nodes; i++)
        if (h->children[i] == 0 && weights[i] != 0) sum += weights[i] * fitted[i];
    *value = sum;
done:
    dusk_deallocate(all);
    return status;
}
