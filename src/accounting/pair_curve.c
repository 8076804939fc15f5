/* SPDX-License-Identifier: Apache-2.0 */
/* A pair from a privacy curve that is known at points ("connecting the dots":
 * Doroshenko et al. 2022). As a function of e^eps a curve is convex, so that
 * straight lines between upper bounds of it are above it; a curve made of
 * straight lines is that of a pair with one loss for each corner. The
 * derivations are in pair_curve.proof.md. */
#include <float.h>
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/pair_make.h"
#include "base/memory.h"
#include "base/mutant.h"

#define BITS 320
#define ROUNDING 0x1p-50 /* relative, more than all roundings together */
#define LEAST_DELTA 1e-310
#define RANGE_POINTS 256 /* for bounded range */
#define TAILS 1e-4       /* what a loss in ln delta counts beside one in variance */

typedef struct corner {
    mpfr_t x, y; /* e^eps - 1, delta */
    double epsilon, delta;
    mpfr_t slope; /* of the line to the next corner; 0 for the last */
} corner;

/* (b.y - a.y) / (b.x - a.x) */
static void slope_between(mpfr_t out, const corner *a, const corner *b)
{
    mpfr_t run;
    mpfr_init2(run, BITS);
    mpfr_sub(out, b->y, a->y, MPFR_RNDN);
    mpfr_sub(run, b->x, a->x, MPFR_RNDN);
    mpfr_div(out, out, run, MPFR_RNDN);
    mpfr_clear(run);
}

/* The lower convex hull of n corners with increasing x, as places; its size. */
static size_t lower_hull(size_t *at, corner *all, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        while (size > 0) { /* slopes must increase */
            slope_between(all[at[size - 1]].slope, &all[at[size - 1]], &all[i]);
            if (size == 1 || mpfr_less_p(all[at[size - 2]].slope, all[at[size - 1]].slope)) break;
            size--;
        }
        at[size++] = i;
    }
    if (size > 0) mpfr_set_zero(all[at[size - 1]].slope, 1);
    return size;
}

/* x and x (1 + 2^-50), not negative; anything where exp(loss) was beyond all numbers */
static dusk_bound widened(mpfr_t x)
{
    if (!mpfr_number_p(x)) return (dusk_bound){ 0, 1 };
    if (mpfr_sgn(x) < 0) mpfr_set_zero(x, 1);
    double down = mpfr_get_d(x, MPFR_RNDD) * (1 - ROUNDING);
    mpfr_mul_d(x, x, 1 + ROUNDING, MPFR_RNDU);
    return (dusk_bound){ down, mpfr_get_d(x, MPFR_RNDU) };
}

/* With k corners after the first: atoms -eps_k .. -eps_1, 0, eps_1 .. eps_k. The
 * change of slope at a corner is Q's mass there. */
static void set_atoms(dusk_pair *pair, const corner *all, const size_t *at, size_t k)
{
    mpfr_t q, p;
    mpfr_inits2(BITS, q, p, (mpfr_ptr)0);
    for (size_t i = 1; i <= k; i++) {
        const corner *c = &all[at[i]];
        mpfr_sub(q, c->slope, all[at[i - 1]].slope, MPFR_RNDN);
        if (mpfr_sgn(q) < 0) mpfr_set_zero(q, 1);
        mpfr_mul(p, q, c->x, MPFR_RNDN);
        mpfr_add(p, p, q, MPFR_RNDN);
        pair->mass[k + i] = widened(p);
        pair->mass[k - i] = widened(DUSK_MUTATE(DOTS_NOT_MIRRORED, q, p));
        pair->loss[k + i] = dusk_bound_of(c->epsilon);
        pair->loss[k - i] = dusk_bound_of(-c->epsilon);
    }
    /* 1 - delta_0 + 2 slope_0 */
    mpfr_mul_2ui(p, all[at[0]].slope, 1, MPFR_RNDN);
    mpfr_sub(p, p, all[at[0]].y, MPFR_RNDN);
    mpfr_add_ui(p, p, 1, MPFR_RNDN);
    pair->mass[k] = widened(p);
    mpfr_clears(q, p, (mpfr_ptr)0);
}

DUSK_PROVEN(dusk_atoms_curve)
dusk_status dusk_atoms_curve(dusk_pair *pair, const double *epsilon, const double *delta, size_t n,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    corner *all;
    size_t *at = NULL, made = 0;
    DUSK_NEW(all, n);
    DUSK_NEW(at, n);
    for (; made < n; made++) {
        corner *c = &all[made];
        mpfr_inits2(BITS, c->x, c->y, c->slope, (mpfr_ptr)0);
        c->epsilon = epsilon[made];
        c->delta = delta[made] < 1 ? delta[made] : 1;
        mpfr_set_d(c->x, c->epsilon, MPFR_RNDN);
        mpfr_expm1(c->x, c->x, MPFR_RNDN);
        mpfr_set_d(c->y, c->delta, MPFR_RNDN);
    }
    size_t k = lower_hull(at, all, n) - 1;
    DUSK_TRY(dusk_atoms_new(pair, 2 * k + 1, err));
    set_atoms(pair, all, at, k);
    double last = all[at[k]].delta;
    pair->infinite = pair->absent = (dusk_bound){ 0, last };
    pair->tight = false;
    dusk_atoms_finish(pair);
done:
    for (size_t i = 0; i < made; i++) mpfr_clears(all[i].x, all[i].y, all[i].slope, (mpfr_ptr)0);
    dusk_deallocate(all);
    dusk_deallocate(at);
    return status;
}

/* --- where to look ----------------------------------------------------------- */

typedef struct table {
    dusk_delta_up *delta_up;
    const void *context;
    size_t count;
    double *epsilon, *delta, *middle, *loss; /* the last two: of the piece to the next point */
} table;

/* What a straight piece loses, about: what it adds to the variance of the privacy
 * loss, which counts when many runs are composed, and in ln delta, which counts
 * for few; far tails count less. */
static void judge(table *t, size_t i)
{
    double a = t->epsilon[i], b = t->epsilon[i + 1], e = a + (b - a) / 2;
    t->middle[i] = 1;
    t->loss[i] = 0;
    if (!(a < e && e < b)) return;
    double d = t->delta_up(e, t->context), share = exp(e - b) * expm1(a - e) / expm1(a - b);
    if (!(d >= t->delta[i + 1])) d = t->delta[i + 1];
    if (!(d <= t->delta[i])) d = t->delta[i];
    double line = t->delta[i] + (t->delta[i + 1] - t->delta[i]) * share;
    t->middle[i] = d;
    if (!(line > d)) return;
    t->loss[i] = (line - d) * (b - a) / (t->delta[0] * t->delta[0]);
    t->loss[i] += d > 0 ? TAILS * log(line / d) * exp(log(d) / 16) : TAILS;
}

/* Cut a piece at its middle. */
static void cut(table *t, size_t i)
{
    for (size_t k = t->count; k > i + 1; k--) {
        t->epsilon[k] = t->epsilon[k - 1];
        t->delta[k] = t->delta[k - 1];
        t->loss[k] = t->loss[k - 1];
        t->middle[k] = t->middle[k - 1];
    }
    t->epsilon[i + 1] = t->epsilon[i] + (t->epsilon[i + 1] - t->epsilon[i]) / 2;
    t->delta[i + 1] = t->middle[i];
    t->count++;
    judge(t, i);
    judge(t, i + 1);
}

static size_t worst_piece(const table *t)
{
    size_t worst = 0;
    for (size_t i = 1; i + 1 < t->count; i++)
        if (t->loss[i] > t->loss[worst]) worst = i;
    return worst;
}

/* The first points: 0, and an end where delta is nothing, or so little that it may as
 * well be at infinity: losses that are never seen would make the law needlessly wide. */
static void start(table *t, double top)
{
    double end = top < 1 ? top : 1, d = t->delta_up(end, t->context);
    for (int i = 0; i < 1000 && !(d > LEAST_DELTA) && end > DBL_MIN; i++) {
        end /= 2;
        d = t->delta_up(end, t->context);
    }
    for (int i = 0; i < 3000 && d > LEAST_DELTA && end < top; i++) {
        end = end * 1.5 < top ? end * 1.5 : top;
        if (!isfinite(end)) {
            end = DBL_MAX;
            break;
        }
        d = t->delta_up(end, t->context);
    }
    t->epsilon[0] = 0;
    t->delta[0] = t->delta_up(0, t->context);
    t->epsilon[1] = end;
    t->delta[1] = end >= top ? 0 : t->delta_up(end, t->context);
    t->count = 2;
    judge(t, 0);
}

dusk_status dusk_atoms_sample_curve(dusk_pair *pair, dusk_delta_up *delta_up, const void *context, double top,
                                    size_t points, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table t = { .delta_up = delta_up, .context = context };
    DUSK_NEW(t.epsilon, 4 * (points + 1));
    t.delta = t.epsilon + points + 1;
    t.middle = t.delta + points + 1;
    t.loss = t.middle + points + 1;
    start(&t, top);
    while (t.count < points) {
        size_t worst = worst_piece(&t);
        if (!(t.loss[worst] > 1e-12)) break;
        cut(&t, worst);
    }
    status = dusk_atoms_curve(pair, t.epsilon, t.delta, t.count, err);
done:
    dusk_deallocate(t.epsilon);
    return status;
}

/* --- bounded range ------------------------------------------------------------- */

/* With losses t and t - range only, delta is (1 - e^(t - range)) (1 - e^(eps - t)) /
 * (1 - e^-range), the most at t = (range + eps)/2. */
DUSK_PROVEN(range_delta_up)
static double range_delta_up(double epsilon, const void *context)
{
    const double range = *(const double *)context;
    if (epsilon >= range) return 0;
    double most = dusk_mul_up(dusk_sub_up(range, epsilon), 0.5), half = -dusk_expm1_down(-most);
    double delta = dusk_div_up(dusk_mul_up(half, half), -dusk_expm1_up(-range));
    if (most < delta) delta = most; /* where squares underflow */
    return delta < 1 ? delta : 1;
}

dusk_status dusk_atoms_bounded_range(dusk_pair *pair, double epsilon, dusk_error *err)
{
    return dusk_atoms_sample_curve(pair, range_delta_up, &epsilon, epsilon, RANGE_POINTS, err);
}
