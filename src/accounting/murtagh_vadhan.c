/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal composition of different mechanisms [Murtagh & Vadhan 2018, "The
 * complexity of computing the optimal composition of differential privacy",
 * Theorem 1.5], by listing all losses. Exact composition is #P-hard in general;
 * the square root of the number of outcomes is what is paid here: the mechanisms
 * are put into two halves A and B, and with theta = eps - L_a and j the first
 * loss of B above theta,
 *     delta(eps) = sum over a of m_a (D_j + E_j (1 - e^(theta - L_j))),
 *     E_j = sum over b >= j of m_b e^(L_j - L_b),
 *     D_j = sum over b >= j of m_b (1 - e^(L_j - L_b)).
 * Every part is positive: nothing cancels. */
#include <float.h>
#include <math.h>

#include "accounting/bound.h"
#include "accounting/loss_list.h"
#include "accounting/optimal.h"
#include "base/memory.h"
#include "base/mutant.h"

#define UNIT ((double)LDBL_EPSILON)

/* One law, in two halves. */
typedef struct side {
    dusk_loss_list a, b;
    long double *first; /* D_j */
    long double *decay; /* E_j; one more of both, 0, at the end */
    double relative, absolute, lost;
    double mean, variance; /* about */
} side;

typedef struct product_curve {
    side upper, lower;
    bool same, tight;
    dusk_bound infinite;
} product_curve;

static void side_clear(side *s)
{
    dusk_loss_list_free(&s->a);
    dusk_loss_list_free(&s->b);
    dusk_deallocate(s->first);
    dusk_deallocate(s->decay);
    *s = (side){ 0 };
}

static void product_free(void *curve)
{
    product_curve *c = curve;
    if (!c) return;
    side_clear(&c->upper);
    side_clear(&c->lower);
    dusk_deallocate(c);
}

/* Counts of the halves if the lists are put, in this order, to the shorter one. */
static bool halves_fit(const dusk_pairs *pairs)
{
    size_t half[2] = { 1, 1 };
    for (size_t i = 0; i < pairs->count; i++) {
        size_t count = dusk_loss_list_count(&pairs->pair[i]), *shorter = &half[half[1] <= half[0]];
        if (count > DUSK_LOSS_LIST_MAX / *shorter) return false;
        *shorter *= count;
    }
    return true;
}

bool dusk_product_curve_fits(const dusk_pairs *pairs) { return halves_fit(pairs); }

/* Put one more list to the shorter half. */
static dusk_status join(side *s, const dusk_pair *pair, bool up, dusk_error *err)
{
    dusk_loss_list one = { 0 }, made = { 0 };
    dusk_loss_list *shorter = s->b.count <= s->a.count ? &s->b : &s->a;
    dusk_status status;
    DUSK_TRY(dusk_loss_list_of(&one, pair, up, err));
    DUSK_TRY(dusk_loss_list_product(&made, shorter, &one, err));
    dusk_loss_list_free(shorter);
    *shorter = made;
done:
    dusk_loss_list_free(&one);
    return status;
}

/* D and E from the end. */
static void sum_up(side *s)
{
    const dusk_loss_list *b = &s->b;
    size_t n = b->count;
    s->decay[n - 1] = b->mass[n - 1];
    for (size_t j = n - 1; j > 0; j--) {
        long double gap = b->loss[j] - b->loss[j - 1];
        s->decay[j - 1] = b->mass[j - 1] + s->decay[j] * expl(-gap);
        s->first[j - 1] = s->first[j] - s->decay[j] * expm1l(-gap);
    }
}

/* Mean and variance of a list, to find a place to start a search from. */
static void add_moments(side *s, const dusk_loss_list *list)
{
    double mass = 0, mean = 0, square = 0;
    for (size_t i = 0; i < list->count; i++) {
        double m = (double)list->mass[i], l = (double)list->loss[i];
        mass += m;
        mean += m * l;
        square += m * l * l;
    }
    mean /= mass;
    s->mean += mean;
    s->variance += fmax(square / mass - mean * mean, 0);
}

static dusk_status side_make(side *s, const dusk_pairs *pairs, bool up, dusk_error *err)
{
    dusk_status status;
    DUSK_TRY(dusk_loss_list_one(&s->a, err));
    DUSK_TRY(dusk_loss_list_one(&s->b, err));
    for (size_t i = 0; i < pairs->count; i++) DUSK_TRY(join(s, &pairs->pair[i], up, err));
    DUSK_NEW(s->first, s->b.count + 1);
    DUSK_NEW(s->decay, s->b.count + 1);
    sum_up(s);
    add_moments(s, &s->a);
    add_moments(s, &s->b);
    double reach = dusk_add_up(s->a.reach, s->b.reach);
    /* 8 roundings for each of B's entries, e^-gap being wrong by gap units more and the
     * gaps adding up to twice the reach; 2 for each of A's; expm1 in double. */
    double counts = 8 * (double)s->b.count + 4 * (double)s->a.count + 2 * reach + 64;
    s->relative = 1.01 * (s->a.relative + s->b.relative + UNIT * counts) + 0x1p-49;
    s->absolute = dusk_add_up(dusk_add_up(s->a.absolute, s->b.absolute), dusk_mul_up(8 * UNIT, reach));
    /* underflow, where long double has a double's range, takes less than the counts */
    double trace = 4 * DBL_TRUE_MIN * (double)(LDBL_MIN_EXP < -5000 ? 1 : s->a.count + s->b.count);
    s->lost = dusk_add_up(dusk_add_up(s->a.lost, s->b.lost), trace);
done:
    if (status != DUSK_OK) side_clear(s);
    return status;
}

/* The sum at theta = eps - L_a, and with e^(theta - L_b) in the place of 1 - that. */
static void add_up(long double *sum, long double *other, const side *s, long double epsilon)
{
    const dusk_loss_list *a = &s->a, *b = &s->b;
    size_t j = b->count;
    *sum = *other = 0;
    for (size_t i = 0; i < a->count; i++) {
        long double theta = epsilon - a->loss[i];
        while (j > 0 && b->loss[j - 1] > theta) j--;
        if (j == b->count) continue;
        double part = expm1((double)(theta - b->loss[j])); /* in [-1, 0) */
        *sum += a->mass[i] * (s->first[j] - s->decay[j] * part);
        *other += a->mass[i] * (s->decay[j] * (1 + (long double)part));
    }
}

/* Bounds of the finite part, one law. */
DUSK_PROVEN(side_look)
static dusk_curve_look side_look(const side *s, double epsilon)
{
    long double sum, other;
    /* every loss may be larger by `absolute` */
    add_up(&sum, &other, s, (long double)epsilon - s->absolute);
    dusk_curve_look found = { .slope = (double)other };
    double up = nextafter((double)sum, INFINITY), down = nextafter((double)sum, 0);
    double slope = nextafter((double)other, INFINITY);
    found.delta.upper = dusk_add_up(dusk_mul_up(up, 1 + s->relative), s->lost);
    /* or smaller: the curve is convex in e^eps, and 2 absolute further right */
    double fall = dusk_mul_up(dusk_mul_up(slope, 1 + s->relative), 3 * s->absolute);
    found.delta.lower = dusk_sub_down(dusk_mul_down(down, 1 - s->relative), fall);
    if (!(found.delta.lower > 0)) found.delta.lower = 0;
    return found;
}

DUSK_PROVEN(product_look)
static dusk_curve_look product_look(const void *curve, double epsilon)
{
    const product_curve *c = curve;
    dusk_curve_look found = side_look(&c->upper, epsilon);
    if (c->tight && !c->same) found.delta.lower = side_look(&c->lower, epsilon).delta.lower;
    if (!c->tight) found.delta.lower = 0;
    found.delta = dusk_bound_clamp(dusk_bound_add(found.delta, c->infinite));
    return found;
}

/* P(L = inf) of all: the product of (f + d)^n less that of f^n, which is the latter
 * times e^w - 1, w = sum of n ln(1 + d/f). */
dusk_bound dusk_pairs_infinite(const dusk_pairs *pairs)
{
    dusk_bound w = { 0, 0 }, log_f = { 0, 0 };
    if (pairs->count == 1 && pairs->pair[0].times == 1) return pairs->pair[0].infinite;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_bound n = dusk_bound_of_whole(pair->times), f = dusk_bound_of(0), d = pair->infinite;
        for (size_t j = 0; j < pair->atoms; j++) f = dusk_bound_add(f, pair->mass[j]);
        if (dusk_pair_is_symmetric(pair)) f = dusk_bound_sub(dusk_bound_of(1), d);
        if (!(f.lower > 0)) return (dusk_bound){ 0, 1 };
        dusk_bound more =
            dusk_bound_log1p((dusk_bound){ dusk_div_down(d.lower, f.upper), dusk_div_up(d.upper, f.lower) });
        w = dusk_bound_add(w, dusk_bound_mul(n, more));
        log_f.lower = dusk_add_down(log_f.lower, dusk_mul_down(n.upper, fmin(dusk_log_down(f.lower), 0)));
        log_f.upper = dusk_add_up(log_f.upper, dusk_mul_up(n.lower, fmin(dusk_log_up(f.upper), 0)));
        if (f.upper > 1) log_f.upper = dusk_add_up(log_f.upper, dusk_mul_up(n.upper, dusk_log_up(f.upper)));
    }
    if (!(w.upper > 0)) return dusk_bound_of(0);
    if (w.upper > 600) return (dusk_bound){ 0, 1 };
    dusk_bound power = { dusk_expm1_down(w.lower), dusk_expm1_up(w.upper) };
    return dusk_bound_clamp(dusk_bound_mul(power, dusk_bound_exp(log_f)));
}

static bool is_exact(const dusk_pair *pair)
{
    return dusk_pair_is_symmetric(pair) && pair->loss[1].lower == pair->loss[1].upper &&
           pair->infinite.lower == pair->infinite.upper;
}

dusk_bound dusk_pairs_top(const dusk_pairs *pairs)
{
    dusk_bound top = { 0, 0 };
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_bound n = dusk_bound_of_whole(pair->times), last = pair->loss[pair->atoms - 1];
        double low = last.lower > 0 ? n.lower : n.upper, high = last.upper > 0 ? n.upper : n.lower;
        top.lower = dusk_add_down(top.lower, dusk_mul_down(low, last.lower));
        top.upper = dusk_add_up(top.upper, dusk_mul_up(high, last.upper));
        if (!(pair->mass[pair->atoms - 1].lower > 0)) top.lower = -INFINITY;
    }
    return (dusk_bound){ top.lower > 0 ? top.lower : 0, top.upper > 0 ? top.upper : 0 };
}

dusk_status dusk_product_curve(dusk_loss_curve *out, const dusk_pairs *pairs, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    product_curve *c;
    DUSK_NEW(c, 1);
    c->same = c->tight = true;
    for (size_t i = 0; i < pairs->count; i++) {
        if (!is_exact(&pairs->pair[i])) c->same = false;
        if (!pairs->pair[i].tight || !dusk_loss_list_has_lower(&pairs->pair[i])) c->tight = false;
    }
    DUSK_TRY(side_make(&c->upper, pairs, true, err));
    if (c->tight && !c->same) DUSK_TRY(side_make(&c->lower, pairs, false, err));
    c->infinite = dusk_pairs_infinite(pairs);
    if (!c->tight) c->infinite.lower = 0;
    *out = (dusk_loss_curve){ .look = product_look, .free = product_free, .curve = c, .tight = c->tight };
    out->infinite = c->infinite;
    out->top = dusk_pairs_top(pairs);
    out->mean = c->upper.mean;
    out->deviation = sqrt(c->upper.variance);
    c = NULL;
done:
    product_free(c);
    return status;
}
