/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal accountant: exact curves of compositions whose losses can be
 * listed or summed in closed form, and their certified inversion. Which curve
 * serves which pairs is decided here; what none serves is left to the lattice
 * and contour accountants. */
#include <math.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "accounting/optimal.h"
#include "base/mutant.h"

/* Up to so many equal parts a list is faster than the closed form. */
#define LIST_TIMES 5000
#define TAIL 1e-14 /* tails that are so small beside delta do not matter */
#define LOOKS_MAX 100
#define WIDE_MAX 6    /* looks whose bounds say little */
#define CLOSE 0x1p-50 /* relative; steps below it do not matter */

void dusk_loss_curve_free(dusk_loss_curve *curve)
{
    if (curve->free && curve->curve) curve->free(curve->curve);
    *curve = (dusk_loss_curve){ 0 };
}

static dusk_status refuse(const dusk_pairs *pairs, dusk_error *err)
{
    if (pairs->count == 1 && pairs->pair[0].tree)
        return dusk_fail_unsupported(err, "optimal", pairs->pair[0].tree);
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use --accountant best, lattice or contour",
                     "the optimal accountant cannot list the losses of these events together");
}

/* `tail`: a probability that is small beside the delta that is asked about. */
static dusk_status make_curve(dusk_loss_curve *out, const dusk_pairs *pairs, double tail, dusk_error *err)
{
    *out = (dusk_loss_curve){ 0 };
    const dusk_pair *only = pairs->count == 1 ? &pairs->pair[0] : NULL;
    bool listed = dusk_product_curve_fits(pairs);
    if (only && (!listed || only->times > LIST_TIMES) && dusk_binomial_curve_fits(only))
        return dusk_binomial_curve(out, only, err);
    if (listed) return dusk_product_curve(out, pairs, err);
    if (only && dusk_laplace_curve_fits(only)) return dusk_laplace_curve(out, only, err);
    if (dusk_grid_curve_fits(pairs)) return dusk_grid_curve(out, pairs, tail, err);
    return refuse(pairs, err);
}

/* What certified looks have shown so far. */
typedef struct search {
    const dusk_loss_curve *curve;
    double delta;
    double low, high; /* delta(low) > delta, or low = 0; delta(high) <= delta */
} search;

/* delta(x) and whether it decides something; x > 0, below the top. */
static dusk_curve_look look(search *s, double x)
{
    dusk_curve_look found = s->curve->look(s->curve->curve, x);
    if (found.delta.upper <= s->delta && x < s->high) s->high = x;
    if (found.delta.lower > s->delta && x > s->low) s->low = x;
    return found;
}

/* The middle of the bounds, or what there is. */
static double middle_of(const dusk_curve_look *found)
{
    return found->delta.lower > 0 ? found->delta.lower / 2 + found->delta.upper / 2 : found->delta.upper;
}

/* Newton's step for ln delta from x, or that for delta, inside (low, high). */
static double newton(double middle, double slope, double x, double delta, double low, double high)
{
    double next = x + log(middle / delta) * middle / slope;
    if (!(next > low && next < high)) next = x + (middle - delta) / slope;
    return next > low && next < high ? next : NAN;
}

/* About where the upper bound reaches delta: a guess, never a certificate. */
static double find_root(search *s)
{
    double low = 0, high = s->high, width = high, last = NAN, last_middle = NAN;
    double x = s->curve->mean + s->curve->deviation * sqrt(-2 * log(s->delta));
    if (!(x > 0 && x < high)) x = high - high / 16;
    for (int i = 0, wide = 0; i < LOOKS_MAX && wide < WIDE_MAX; i++) {
        dusk_curve_look found = look(s, x);
        double middle = middle_of(&found), slope = found.slope;
        if (s->curve->tight && found.delta.upper - found.delta.lower > found.delta.upper / 4) wide++;
        if (found.delta.upper <= s->delta)
            high = x;
        else
            low = x;
        if (isnan(slope)) slope = middle * log(middle / last_middle) / (last - x); /* a secant */
        if (fabs(log(middle / s->delta) * middle / slope) <= 4 * CLOSE * x) return x;
        double next = newton(middle, slope, x, s->delta, low, high);
        bool slow = i % 8 == 7 && !(high - low <= width / 4);
        if (i % 8 == 7) width = high - low;
        if (isnan(next) || slow)
            next = low > 0 && high / low > 4 ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
        if (!(next > low && next < high) || fabs(next - x) <= CLOSE * x) return next > 0 ? next : x;
        last = x;
        last_middle = middle;
        x = next;
    }
    return high;
}

/* The relative step that makes up for a miss of delta at x, at least CLOSE. */
static double gap_for(double miss, double slope, double x)
{
    double gap = 1.01 * miss / (slope * x);
    return gap > CLOSE && gap < 1 ? gap : CLOSE;
}

/* Step outward from the root until both sides are certain. */
static void settle(search *s, double root)
{
    double before = s->high;
    if (root >= before) root = before - before * CLOSE;
    dusk_curve_look at = look(s, root);
    for (double gap = gap_for(at.delta.upper - s->delta, at.slope, root); gap < 8; gap *= 4) {
        double x = root + root * gap;
        if (x >= before || s->high <= x) break;
        if (look(s, x).delta.upper <= s->delta) break;
    }
    for (double gap = gap_for(s->delta - at.delta.lower, at.slope, root); gap < 1 && s->curve->tight;
         gap *= 2) {
        double x = root - root * gap;
        if (!(x > 0) || s->low >= x) break;
        if (look(s, x).delta.lower > s->delta) break;
    }
}

/* Least eps with delta(eps) <= delta. */
DUSK_PROVEN(invert)
static dusk_bound invert(const dusk_loss_curve *curve, double delta)
{
    search s = { .curve = curve, .delta = delta, .high = curve->top.upper };
    if (delta < curve->infinite.upper)
        return (dusk_bound){ delta < curve->infinite.lower ? INFINITY : 0, INFINITY };
    if (delta <= curve->infinite.lower) /* nothing is left for finite losses */
        return (dusk_bound){ curve->tight ? curve->top.lower : 0, curve->top.upper };
    if (!(s.high > 0) || curve->look(curve->curve, 0).delta.upper <= delta) return dusk_bound_of(0);
    settle(&s, find_root(&s));
    if (s.low > s.high) s.low = s.high;
    return (dusk_bound){ s.low, s.high };
}

dusk_status dusk_optimal_epsilon(dusk_bound *out, const dusk_pairs *pairs, double delta, dusk_error *err)
{
    dusk_loss_curve curve = { 0 };
    if (pairs->count == 0) {
        *out = dusk_bound_of(0);
        return DUSK_OK;
    }
    dusk_status status = make_curve(&curve, pairs, delta * TAIL, err);
    if (status == DUSK_OK) *out = invert(&curve, delta);
    dusk_loss_curve_free(&curve);
    return status;
}

static dusk_bound ask_delta(const dusk_loss_curve *curve, double epsilon)
{
    return epsilon >= curve->top.upper ? curve->infinite : curve->look(curve->curve, epsilon).delta;
}

dusk_status dusk_optimal_delta(dusk_bound *out, const dusk_pairs *pairs, double epsilon, dusk_error *err)
{
    dusk_loss_curve curve = { 0 };
    if (pairs->count == 0) {
        *out = dusk_bound_of(0);
        return DUSK_OK;
    }
    dusk_status status = make_curve(&curve, pairs, TAIL * TAIL, err);
    if (status == DUSK_OK) *out = ask_delta(&curve, epsilon);
    bool cut = curve.cut;
    dusk_loss_curve_free(&curve);
    if (status != DUSK_OK || !cut || out->upper > TAIL) return status;
    /* so small a delta may be what was cut off */
    status = make_curve(&curve, pairs, 0, err);
    if (status == DUSK_OK) *out = ask_delta(&curve, epsilon);
    dusk_loss_curve_free(&curve);
    return status;
}
