/* SPDX-License-Identifier: Apache-2.0 */
/* The curve of a single pair that runs once: delta is pair_delta.c's, epsilon
 * its inverse, found from above and from below. Gaussians are one pair however
 * many they are. */
#include <float.h>
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/inversion.h"
#include "accounting/pair_make.h"
#include "base/mutant.h"

#define LOWER_STEPS 27 /* of a factor 4, from 2^-52 to 1 */

static dusk_status refuse(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "the contour and lattice accountants price compositions",
                     "the exact accountant prices one mechanism that runs once, or Gaussians alone");
}

/* Whether there is a pair at all in *single; fails when there are more. */
static dusk_status single_of(const dusk_pair **single, const dusk_pairs *pairs, dusk_error *err)
{
    *single = NULL;
    if (pairs->count == 0) return DUSK_OK;
    if (pairs->count > 1 || pairs->pair[0].times != 1) return refuse(err);
    *single = pairs->pair;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_exact_delta)
dusk_status dusk_exact_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon, dusk_error *err)
{
    const dusk_pair *pair;
    dusk_bound delta = dusk_bound_of(0);
    dusk_status status = single_of(&pair, pairs, err);
    if (status == DUSK_OK && pair) status = dusk_pair_delta(&delta, pair, epsilon, err);
    if (status != DUSK_OK) return status;
    /* the curve itself, of which the pair is a coarse upper bound: no lower one */
    if (pair && pair->shuffled) delta.upper = fmin(delta.upper, dusk_shuffled_delta_up(pair->tree, epsilon));
    if (pair && (pair->shuffled || !pair->tight)) delta.lower = 0;
    *out = delta;
    return DUSK_OK;
}

/* What is above the target, as the search wants it. */
typedef struct question {
    const dusk_pair *pair;
    double delta;
} question;

/* ln(delta / target), positive exactly when delta > target */
static double excess_of(double delta, double target)
{
    if (target == 0) return delta > 0 ? 1 : -1;
    double excess = log(delta) - log(target);
    if (delta > target) return excess > 0 ? excess : DBL_MIN;
    return excess < 0 ? excess : 0;
}

static dusk_curve_point along_epsilon(double epsilon, const void *context)
{
    const question *q = context;
    return (dusk_curve_point){ .excess = excess_of(dusk_pair_delta_up(q->pair, epsilon), q->delta),
                               .step = NAN };
}

/* The largest loss, which is the least epsilon at delta 0; +inf when there is none. */
DUSK_PROVEN(largest_loss)
static dusk_bound largest_loss(const dusk_pair *pair)
{
    dusk_bound loss = { 0, INFINITY };
    if (pair->infinite.upper > 0) return loss;
    if (pair->kind == DUSK_PAIR_ATOMS) {
        size_t n = pair->atoms;
        while (n > 0 && !(pair->mass[n - 1].upper > 0)) n--;
        loss.upper = n ? pair->loss[n - 1].upper : 0;
        while (n > 0 && !(pair->mass[n - 1].lower > 0)) n--;
        loss.lower = n ? pair->loss[n - 1].lower : 0;
    } else if (pair->kind == DUSK_PAIR_LAPLACE) {
        /* ln(1 + q (e^d - 1)) at most d, twice that where both laws are sampled */
        double d = dusk_div_up(1, pair->scale.lower);
        loss.upper = pair->direction == DUSK_REPLACE ? 2 * d : d;
    }
    return (dusk_bound){ loss.lower > 0 ? loss.lower : 0, loss.upper > 0 ? loss.upper : 0 };
}

/* Whether delta(eps) is 0 from some eps on that is not simply the last atom. */
static bool reaches_zero(const dusk_pair *pair)
{
    if (pair->infinite.upper > 0) return false;
    return pair->kind == DUSK_PAIR_LAPLACE ||
           (pair->kind == DUSK_PAIR_MIXTURE && pair->direction == DUSK_ADD);
}

/* An epsilon whose delta is above the target, not far below one that is enough. */
static double lower_end(const question *q, double upper)
{
    double step = 0x1p-52;
    if (isinf(upper)) upper = DBL_MAX;
    for (int i = 0; i < LOWER_STEPS; i++, step *= 4) {
        double epsilon = upper * (1 - step);
        if (!(epsilon > 0)) break;
        if (dusk_pair_delta_down(q->pair, epsilon) > q->delta)
            return DUSK_MUTATE(LOWER_END_IS_UPPER, epsilon, upper);
    }
    return 0;
}

DUSK_PROVEN(dusk_exact_epsilon)
dusk_status dusk_exact_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta, dusk_error *err)
{
    const dusk_pair *pair;
    dusk_bound epsilon = dusk_bound_of(0);
    dusk_status status = single_of(&pair, pairs, err);
    if (status != DUSK_OK) return status;
    if (!(delta >= 0 && delta < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "delta must be at least 0 and below 1");
    question q = { pair, delta };
    if (pair && pair->shuffled && delta > 0) {
        *out = (dusk_bound){ 0, dusk_shuffled_epsilon_up(pair->tree, delta) };
        return DUSK_OK;
    }
    if (pair && dusk_pair_delta_up(pair, 0) > delta) {
        epsilon = largest_loss(pair);
        if (delta > 0 || reaches_zero(pair)) {
            double found = dusk_curve_invert(along_epsilon, &q, 1, false);
            epsilon.upper = found < epsilon.upper ? found : epsilon.upper;
        }
        double low = lower_end(&q, epsilon.upper);
        epsilon.lower = delta > 0 || low > epsilon.lower ? low : epsilon.lower;
        if (!pair->tight) epsilon.lower = 0;
    }
    *out = epsilon;
    return DUSK_OK;
}
