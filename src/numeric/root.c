/* SPDX-License-Identifier: Apache-2.0 */
/* Root finding in the manner of ITP: interpolate, truncate, project (Oliveira
 * & Takahashi, "An enhancement of the bisection method average performance
 * preserving minmax optimality", ACM TOMS 47:5, 2020).
 *
 * It runs on the *ordinals* of doubles (their rank on the real line), not on
 * their values, so that the worst case is known whatever the bracket, infinite
 * ends and roots at zero included: at most 64 halvings, SLACK more, and the
 * two ends. Interpolation alone is done in values, by regula falsi with the
 * weights of Anderson & Bjorck (BIT 13, 1973); a step that did not halve the
 * bracket is followed by one that does.
 *
 * It uses the sign of f only to keep the bracket; it does not prove that f
 * has one root. */
#include "numeric/root.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mutant.h"

enum { SLACK = 20 }; /* evaluations that we may waste against bisection; n0 in the paper */

typedef struct bracket {
    int64_t a, b;    /* ordinals of the ends, a < b */
    double fa, fb;   /* values there, weighted; their signs are right */
    int repeats;     /* how often in a row the same end moved */
    bool left_moved; /* which one that was */
    int poor_steps;  /* in a row, that did not halve the bracket */
} bracket;

static int64_t ordinal(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits; /* -0.0 and 0.0 are both 0 */
}

static double from_ordinal(int64_t rank)
{
    int64_t bits = rank < 0 ? INT64_MIN - rank : rank;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* b - a: below 2^64 for any two doubles. */
static uint64_t width(const bracket *s) { return (uint64_t)s->b - (uint64_t)s->a; }

static int64_t middle(const bracket *s) { return (int64_t)((uint64_t)s->a + width(s) / 2); }

/* Where the chord meets zero, or the middle when the chord is of no use. */
static int64_t interpolate(const bracket *s)
{
    double a = from_ordinal(s->a), b = from_ordinal(s->b);
    double x = a + (b - a) * (s->fa / (s->fa - s->fb));
    return x >= a && x <= b ? ordinal(x) : middle(s);
}

static double distance(int64_t x, int64_t y)
{
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
}

/* From one ordinal toward another, `step` of them but not past it. */
static int64_t toward(int64_t from, int64_t to, double step)
{
    if (!(step < distance(from, to))) return to;
    uint64_t whole = (uint64_t)step;
    return (int64_t)(from < to ? (uint64_t)from + whole : (uint64_t)from - whole);
}

/* The next point, strictly inside, such that the bracket left over is at most
 * `allowed` wide (unless it is already too wide for that: then the middle). */
static int64_t next_point(const bracket *s, double allowed)
{
    int64_t center = middle(s);
    if (s->poor_steps > 1) return center;
    /* A little beyond the zero of the chord, as seen from the end that moved
     * last: then the root is most often behind us, and both ends are close. */
    int64_t x = interpolate(s);
    double stride = distance(x, s->left_moved ? s->a : s->b), w = (double)width(s);
    double beyond = fmax(fmin(0.1 * stride, w * w * 0x1p-53), 1);
    x = toward(x, center, ldexp(beyond, 2 * s->repeats));
    x = toward(center, x, fmax(allowed - ceil((double)width(s) / 2), 0));
    if (x <= s->a) x = s->a + 1;
    return x >= s->b ? s->b - 1 : x;
}

/* What to weigh the value of the end that stays with, when the other one
 * moves again from f = `before` to f = `after`. */
static double stale_weight(double before, double after)
{
    double weight = 1 - after / before;
    return weight > 0 ? weight : 0.5;
}

static void move_end(bracket *s, int64_t x, double fx)
{
    uint64_t before = width(s);
    bool left = (fx < 0) == (s->fa < 0);
    left = DUSK_MUTATE(ROOT_WRONG_END, left, !left);
    s->repeats = left == s->left_moved ? s->repeats + 1 : 0;
    s->left_moved = left;
    if (left) {
        if (s->repeats > 0) s->fb *= stale_weight(s->fa, fx);
        s->a = x;
        s->fa = fx;
    } else {
        if (s->repeats > 0) s->fa *= stale_weight(s->fb, fx);
        s->b = x;
        s->fb = fx;
    }
    s->poor_steps = width(s) > before - before / 2 ? s->poor_steps + 1 : 0;
}

static int steps_of_bisection(uint64_t w)
{
    int steps = 0;
    while (steps < 64 && w > (uint64_t)1 << steps) steps++;
    return steps;
}

int dusk_root_bracket(double *a, double *b, double tolerance, dusk_function *f, const void *context)
{
    if (!(*a <= *b)) return -1;
    bracket s = { .a = ordinal(*a), .b = ordinal(*b), .fa = f(*a, context), .fb = f(*b, context) };
    if (isnan(s.fa) || isnan(s.fb)) return -1;
    if (s.fa != 0 && s.fb != 0 && (s.fa < 0) == (s.fb < 0)) return -1;
    if (s.fa == 0)
        s.b = s.a;
    else if (s.fb == 0)
        s.a = s.b;

    int budget = steps_of_bisection(width(&s)) + SLACK;
    while (width(&s) > 1 && !(from_ordinal(s.b) - from_ordinal(s.a) <= tolerance)) {
        if (budget > 0) budget--;
        int64_t x = next_point(&s, ldexp(1.0, budget));
        double fx = f(from_ordinal(x), context);
        if (isnan(fx)) return -1;
        if (fx == 0)
            s.a = s.b = x;
        else
            move_end(&s, x, fx);
    }
    *a = from_ordinal(s.a);
    *b = from_ordinal(s.b);
    return 0;
}
