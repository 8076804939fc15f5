/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method inside a bracket. ln delta is a concave function of epsilon
 * for Gaussian noise (a convolution of log-concave functions), so Newton steps
 * from the right stay on the right, where the answer is safe; anywhere else the
 * bracket and, without a slope, the secant keep it going. Only points at which
 * the certified bound held are ever returned: speed rests on the slope, safety
 * does not. */
#include "accounting/inversion.h"

#include <math.h>

#define STEPS_MAX 200
#define NUDGE 0x1p-52 /* relative; keeps a converged step on the safe side */
#define CLOSE 0x1p-50 /* relative; the bracket is as good as adjacent doubles */

typedef struct search {
    bool logarithmic;
    double low, high;        /* not enough at low, enough at high */
    double x, excess, slope; /* the last point looked at */
} search;

/* The slope through the last two points when the curve gave none. */
static double slope_between(const search *s, double x, double excess)
{
    double run = s->logarithmic ? log(x / s->x) : x - s->x;
    return (excess - s->excess) / run;
}

/* Where the tangent reaches the target, a nudge to the right. */
static double tangent_root(const search *s)
{
    double step = -s->excess / s->slope;
    double next = s->logarithmic ? s->x * exp(step) : s->x + step;
    return next + next * NUDGE;
}

/* A point well inside the bracket, or beyond its open end. Without any slope
 * yet, a point close by shows one. */
static double middle(const search *s)
{
    if (s->slope == 0 && isfinite(s->excess))
        return s->excess <= 0 ? s->x * (1 - 0x1p-10) : s->x * (1 + 0x1p-10);
    if (isinf(s->high)) return s->x * 4;
    if (s->low <= 0 || s->high / s->low > 4) return s->low > 0 ? sqrt(s->low) * sqrt(s->high) : s->high / 16;
    return s->low + (s->high - s->low) / 2;
}

static bool converged(const search *s, double next)
{
    if (isinf(s->high)) return false;
    if (s->high - s->low <= CLOSE * s->high) return true;
    return s->x == s->high && next >= s->x - CLOSE * s->x;
}

static void look(search *s, dusk_curve *curve, const void *context, double x)
{
    dusk_curve_point point = curve(x, context);
    if (point.slope == 0 && s->x > 0) point.slope = slope_between(s, x, point.excess);
    s->x = x;
    s->excess = point.excess;
    s->slope = point.slope;
    if (point.excess <= 0)
        s->high = x;
    else
        s->low = x;
}

double dusk_curve_invert(dusk_curve *curve, const void *context, double start, bool logarithmic)
{
    search s = { .logarithmic = logarithmic, .high = INFINITY };
    double x = start;
    for (int i = 0; i < STEPS_MAX && x > 0 && isfinite(x); i++) {
        look(&s, curve, context, x);
        bool usable = s.slope < 0 && isfinite(s.slope) && isfinite(s.excess);
        x = usable ? tangent_root(&s) : NAN;
        if (converged(&s, x)) break;
        if (!(x > s.low && x < s.high)) x = middle(&s);
    }
    return s.high;
}

double dusk_curve_excess(const mpfr_t delta_up, double target)
{
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(delta_up));
    mpfr_sub_d(t, delta_up, target, MPFR_RNDU);
    mpfr_div_d(t, t, target, MPFR_RNDU);
    mpfr_log1p(t, t, MPFR_RNDU);
    double excess = mpfr_get_d(t, MPFR_RNDU);
    mpfr_clear(t);
    return excess;
}
