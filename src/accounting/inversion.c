/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method, or the secant, inside a bracket. ln delta is a concave
 * function of epsilon for Gaussian noise (a convolution of log-concave ones),
 * so Newton steps from the right stay on the right, where the answer is safe;
 * when steps do not shrink the bracket, bisection does. Only points at which
 * the certified bound held are ever returned: speed rests on the steps, safety
 * does not. */
#include "accounting/inversion.h"

#include <math.h>

#define LOOKS_MAX 300
#define PATIENCE 6    /* looks in which the bracket must become four times smaller */
#define NUDGE 0x1p-52 /* relative; keeps a converged step on the safe side */
#define CLOSE 0x1p-50 /* relative; the bracket is as good as adjacent doubles */

typedef struct search {
    bool logarithmic;
    double low, high;       /* not enough at low, enough at high */
    double x, excess, step; /* the last look */
    double width;           /* of the bracket, when last checked */
} search;

/* The step to the zero of the line through the last look and this one. */
static double secant_step(const search *s, double x, double excess)
{
    double run = s->logarithmic ? log(x / s->x) : x - s->x;
    double slope = (excess - s->excess) / run;
    return slope < 0 ? -excess / slope : NAN;
}

static void look(search *s, dusk_curve *curve, const void *context, double x)
{
    dusk_curve_point point = curve(x, context);
    if (isnan(point.step) && s->x > 0) point.step = secant_step(s, x, point.excess);
    s->x = x;
    s->excess = point.excess;
    s->step = point.step;
    if (point.excess <= 0)
        s->high = x;
    else
        s->low = x;
}

/* Where the last look points to, a nudge to the right. */
static double target_of(const search *s)
{
    double next = s->logarithmic ? s->x * exp(s->step) : s->x + s->step;
    return next + next * NUDGE;
}

/* A point well inside the bracket, or beyond its open end. */
static double middle(const search *s)
{
    if (isinf(s->high)) return s->x * 4;
    if (s->low <= 0) return s->high / 16;
    if (s->high / s->low > 4) return sqrt(s->low) * sqrt(s->high);
    return s->low + (s->high - s->low) / 2;
}

static bool is_slow(search *s, int looks)
{
    if (looks % PATIENCE != PATIENCE - 1) return false;
    double width = s->high - s->low, before = s->width;
    s->width = width;
    return !(width <= before / 4);
}

static bool has_converged(const search *s, double next)
{
    if (isinf(s->high)) return false;
    if (s->high - s->low <= CLOSE * s->high) return true;
    return s->x == s->high && next >= s->x - CLOSE * s->x;
}

DUSK_PROVEN(dusk_curve_invert)
double dusk_curve_invert(dusk_curve *curve, const void *context, double start, bool logarithmic)
{
    search s = { .logarithmic = logarithmic, .high = INFINITY, .width = INFINITY };
    double x = start;
    for (int i = 0; i < LOOKS_MAX && x > 0 && isfinite(x); i++) {
        look(&s, curve, context, x);
        x = target_of(&s);
        if (has_converged(&s, x)) break;
        /* A first look without a step: a second one close by gives the secant. */
        if (i == 0 && isnan(x) && isfinite(s.excess)) x = s.x * (s.excess > 0 ? 1 + 0x1p-10 : 1 - 0x1p-10);
        if (!(x > s.low && x < s.high) || is_slow(&s, i)) x = middle(&s);
    }
    return s.high;
}

DUSK_PROVEN(dusk_curve_excess)
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
