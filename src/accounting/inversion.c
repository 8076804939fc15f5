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
#define NEAR 0x1p-40  /* relative; a step that misses the bracket by less is good */
#define CLOSE 0x1p-50 /* relative; a bracket in ln x is not made narrower */

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

/* The smallest move that makes sense: a bracket in x ends at adjacent doubles,
 * so that an epsilon for which sigma was made is found again. */
static double below(const search *s, double x)
{
    return s->logarithmic ? x - x * CLOSE / 2 : nextafter(x, 0);
}

static double above(const search *s, double x)
{
    return s->logarithmic ? x + x * CLOSE / 2 : nextafter(x, INFINITY);
}

/* A point well inside the bracket, or beyond its open end. */
static double middle(const search *s)
{
    if (isinf(s->high)) return s->x * 4;
    if (s->low <= 0) return s->high / 16;
    if (s->high / s->low > 4) return sqrt(s->low) * sqrt(s->high);
    return s->low + (s->high - s->low) / 2;
}

/* Where the last look points to, put into the bracket. */
static double next_of(const search *s)
{
    double next = s->logarithmic ? s->x * exp(s->step) : s->x + s->step;
    if (next > s->low && next < s->high) return next;
    if (next >= s->high && next - s->high <= NEAR * s->high) return below(s, s->high);
    if (next <= s->low && s->low - next <= NEAR * s->low) return above(s, s->low);
    return middle(s);
}

static bool is_slow(search *s, int looks)
{
    if (looks % PATIENCE != PATIENCE - 1) return false;
    double width = s->high - s->low, before = s->width;
    s->width = width;
    return !(width <= before / 4);
}

static bool has_converged(const search *s)
{
    if (isinf(s->high)) return false;
    return s->high - s->low <= (s->logarithmic ? CLOSE * s->high : 0) ||
           nextafter(s->low, INFINITY) >= s->high;
}

DUSK_PROVEN(dusk_curve_invert)
double dusk_curve_invert(dusk_curve *curve, const void *context, double start, bool logarithmic)
{
    search s = { .logarithmic = logarithmic, .high = INFINITY, .width = INFINITY };
    double x = start;
    for (int i = 0; i < LOOKS_MAX && x > 0 && isfinite(x); i++) {
        look(&s, curve, context, x);
        if (has_converged(&s)) break;
        x = is_slow(&s, i) ? middle(&s) : next_of(&s);
        /* A first look without a step: a second one close by gives the secant. */
        if (i == 0 && isnan(s.step) && isfinite(s.excess))
            x = s.x * (s.excess > 0 ? 1 + 0x1p-10 : 1 - 0x1p-10);
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
