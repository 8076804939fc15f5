/* SPDX-License-Identifier: Apache-2.0 */
/* The trade-off between the two errors of a test [Dong, Roth & Su 2022]. A test
 * of Q against P with type I error alpha has type II error at least
 *     f(alpha) = sup over z > 0 of h(z),   h(z) = 1 - D(z) - alpha z,
 * D(z) = sup over events E of P(E) - z Q(E), which is delta(ln z) for z >= 1 and,
 * by the curve of the other direction, 1 - z + z delta'(ln 1/z) below. h is
 * concave: each value of it is a promise, and lines through its values bound
 * what any other value could promise. The derivations are in tradeoff.proof.md. */
#include <math.h>

#include "accounting/account.h"
#include "accounting/bound.h"
#include "base/mutant.h"

#define LOOKS_MAX 40
#define FARTHEST 700.0 /* |ln z|; beyond, z or 1/z is as good as infinite */
#define ENOUGH 1e-9    /* the supremum is known as well as this, relatively: enough */
#define CLOSE 1e-4     /* |ln z| of values around the top: the rest is in their squares */

/* A value of h. */
typedef struct value {
    double x; /* about ln z: where it was looked for */
    dusk_bound z, h;
} value;

typedef struct tradeoff {
    dusk_pricing *pricing;
    size_t first, other; /* the directions of delta and delta' */
    double alpha;
    size_t count;
    value seen[LOOKS_MAX + 2]; /* by increasing z */
} tradeoff;

/* h(exp x), with its place. */
DUSK_PROVEN(look)
static dusk_status look(value *out, tradeoff *t, double x, dusk_error *err)
{
    dusk_account a;
    dusk_question question = { true, fabs(x) };
    bool above = x >= 0;
    dusk_status status =
        dusk_pricing_ask_direction(&a, t->pricing, above ? t->first : t->other, question, err);
    if (status != DUSK_OK) return status;
    dusk_bound z = dusk_bound_exp(dusk_bound_of(x)), alpha = dusk_bound_of(t->alpha), one = dusk_bound_of(1);
    dusk_bound kept = dusk_bound_sub(one, a.bound);
    value v = { .x = x, .z = z };
    if (above) {
        v.h = dusk_bound_sub(kept, dusk_bound_mul(z, alpha));
    } else {
        dusk_bound rest = dusk_bound_sub(kept, alpha);
        v.h.lower = rest.lower > 0 ? dusk_mul_down(z.lower, rest.lower) : dusk_mul_down(z.upper, rest.lower);
        v.h.upper = rest.upper > 0 ? dusk_mul_up(z.upper, rest.upper) : dusk_mul_up(z.lower, rest.upper);
    }
    *out = v;
    return DUSK_OK;
}

/* Put a value in its place; one that is there already is not kept. */
static void keep(tradeoff *t, value v)
{
    size_t i = t->count;
    while (i > 0 && t->seen[i - 1].x > v.x) i--;
    if (i > 0 && !(t->seen[i - 1].z.upper < v.z.lower)) return;
    if (i < t->count && !(v.z.upper < t->seen[i].z.lower)) return;
    for (size_t j = t->count; j > i; j--) t->seen[j] = t->seen[j - 1];
    t->seen[i] = v;
    t->count++;
}

/* The slope of the line from a to b, at most; a is left of b. */
static double slope_up(const value *a, const value *b)
{
    double rise = dusk_sub_up(b->h.upper, a->h.lower);
    double run = rise > 0 ? dusk_sub_down(b->z.lower, a->z.upper) : dusk_sub_up(b->z.upper, a->z.lower);
    return dusk_div_up(rise, run);
}

/* And at least. */
static double slope_down(const value *a, const value *b)
{
    double rise = dusk_sub_down(b->h.lower, a->h.upper);
    double run = rise < 0 ? dusk_sub_down(b->z.lower, a->z.upper) : dusk_sub_up(b->z.upper, a->z.lower);
    return dusk_div_down(rise, run);
}

/* An upper bound of h between seen[i] and seen[i + 1]: it is below the line
 * through the two values on the left, and below that through the two on the
 * right, either of which may be missing. */
DUSK_PROVEN(most_between)
static double most_between(const tradeoff *t, size_t i)
{
    const value *a = &t->seen[i], *b = a + 1;
    double width = dusk_sub_up(b->z.upper, a->z.lower);
    double rising = i > 0 ? slope_up(a - 1, a) : INFINITY;                /* from a to the right */
    double falling = i + 2 < t->count ? -slope_down(b, b + 1) : INFINITY; /* from b to the left */
    if (rising <= 0) return a->h.upper;
    if (falling <= 0) return b->h.upper;
    /* the left line is used up to a + part, the right one from there */
    double part = (b->h.upper - a->h.upper + falling * width) / (rising + falling);
    if (isinf(rising)) part = 0;
    if (isinf(falling)) part = width;
    if (!(part >= 0)) part = 0;
    if (!(part <= width)) part = width;
    double left = part > 0 ? dusk_add_up(a->h.upper, dusk_mul_up(rising, part)) : a->h.upper;
    double rest = dusk_sub_up(width, part);
    double right = rest > 0 ? dusk_add_up(b->h.upper, dusk_mul_up(falling, rest)) : b->h.upper;
    return fmax(left, right);
}

/* What is known of the supremum. */
static dusk_bound supremum(const tradeoff *t)
{
    dusk_bound f = { 0, 0 };
    for (size_t i = 0; i < t->count; i++) f.lower = fmax(f.lower, t->seen[i].h.lower);
    for (size_t i = 0; i + 1 < t->count; i++) f.upper = fmax(f.upper, most_between(t, i));
    double most = dusk_sub_up(1, t->alpha);
    if (!(f.upper <= most)) f.upper = most;
    return f;
}

/* Where h was largest. */
static size_t summit(const tradeoff *t)
{
    size_t top = 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->seen[i].h.lower > t->seen[top].h.lower) top = i;
    return top;
}

/* The vertex of the parabola through three values, or the middle of the wider side. */
static double next_look(const value *a, const value *b, const value *c)
{
    double left = b->x - a->x, right = c->x - b->x;
    double down = (b->h.lower - a->h.lower) / left, up = (c->h.lower - b->h.lower) / right;
    double bend = (up - down) / (left + right);
    double x = b->x - (down + bend * left) / (2 * bend);
    if (bend < 0 && x > a->x + 1e-3 * left && x < c->x - 1e-3 * right && left < 20 * right &&
        right < 20 * left) {
        /* not closer to b than tells the two apart */
        double least = 1e-2 * fmin(left, right);
        return fabs(x - b->x) >= least ? x : x >= b->x ? b->x + least : b->x - least;
    }
    return left > right ? b->x - left / 2 : b->x + right / 2;
}

/* Where to look next: outward in steps that double until h has fallen on both
 * sides of its top, then between the neighbours of the top. */
static double next_place(const tradeoff *t, double *step)
{
    const value *end = &t->seen[t->count - 1], *from;
    size_t top = summit(t);
    if (t->count == 2) return fmax(0, t->seen[0].x);
    if (top >= 2 && top + 3 <= t->count) {
        const value *at = &t->seen[top];
        return next_look(at - 1, at, at + 1);
    }
    double x;
    if (top <= 1) {
        from = &t->seen[1];
        x = from->x - *step;
        if (!(x > t->seen[0].x)) x = (from->x + t->seen[0].x) / 2;
    } else {
        from = end - 1;
        x = from->x + *step;
        if (!(x < end->x)) x = (from->x + end->x) / 2;
    }
    *step *= 2;
    return x;
}

/* Climb to the top of h: three values around it, drawn together. */
static dusk_status climb(tradeoff *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double step = 0.5;
    for (int i = 0; i < LOOKS_MAX; i++) {
        value v;
        dusk_bound f = supremum(t);
        size_t top = summit(t), before = t->count;
        if (f.upper - f.lower <= ENOUGH * f.upper) break;
        if (top >= 2 && top + 3 <= t->count && t->seen[top + 1].x - t->seen[top - 1].x < CLOSE) break;
        DUSK_TRY(look(&v, t, next_place(t, &step), err));
        keep(t, v);
        if (t->count == before) break;
    }
done:
    return status;
}

/* Whether h is that of one pair of neighbours: sampling without replacement and
 * disjoint parts reach their curve at each epsilon by neighbours of its own. */
static bool is_one_pair(const dusk_composition *composition)
{
    for (size_t i = 0; i < composition->count; i++) {
        uint32_t kind = composition->node[i].kind;
        if (kind == DUSK_EVENT_WITHOUT_REPLACEMENT || kind == DUSK_EVENT_PARALLEL) return false;
    }
    return true;
}

/* f for a test of one direction against the other; alpha in (0, 1). */
DUSK_PROVEN(least_error)
static dusk_status least_error(dusk_bound *out, dusk_pricing *pricing, size_t first, size_t other,
                               double alpha, dusk_error *err)
{
    tradeoff t = { .pricing = pricing, .first = first, .other = other, .alpha = alpha, .count = 2 };
    /* h(0) = 0, and -1 <= h(1/alpha) <= 0 but for rounding */
    dusk_bound end = { dusk_div_down(1, alpha), dusk_div_up(1, alpha) };
    t.seen[0] = (value){ -FARTHEST, { 0, 0 }, { 0, 0 } };
    t.seen[1] = (value){ fmin(FARTHEST, -log(alpha)), end, { -1.001, 0x1p-50 } };
    dusk_status status = climb(&t, err);
    if (status == DUSK_OK) *out = supremum(&t);
    return status;
}

dusk_status dusk_account_tradeoff(dusk_account *out, const dusk_composition *composition, double alpha,
                                  dusk_accountant accountant, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pricing pricing = { 0 };
    dusk_account a;
    dusk_bound f, g;
    if (!(alpha >= 0 && alpha <= 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a chance such as 0.05", "alpha must be in [0, 1]");
    DUSK_TRY(dusk_pricing_begin(&pricing, composition, accountant, err));
    /* who speaks: the one that prices the middle of the curve */
    DUSK_TRY(dusk_pricing_ask(&a, &pricing, (dusk_question){ true, 0 }, err));
    if (alpha == 0 || alpha == 1) {
        DUSK_TRY(dusk_pricing_ask(&a, &pricing, (dusk_question){ true, FARTHEST }, err));
        a.bound = alpha > 0 ? dusk_bound_of(0) : (dusk_bound){ dusk_sub_down(1, a.bound.upper), 1 };
        *out = a;
        goto done;
    }
    size_t last = pricing.directions - 1;
    DUSK_TRY(least_error(&f, &pricing, 0, last, alpha, err));
    if (last > 0 && !pricing.alike) {
        DUSK_TRY(least_error(&g, &pricing, last, 0, alpha, err));
        f = (dusk_bound){ DUSK_MUTATE(TRADEOFF_OF_ONE_DIRECTION, fmin(f.lower, g.lower), f.lower),
                          fmin(f.upper, g.upper) };
    }
    if (!is_one_pair(composition)) f.upper = dusk_sub_up(1, alpha);
    a.bound = f;
    *out = a;
done:
    dusk_pricing_end(&pricing);
    return status;
}
