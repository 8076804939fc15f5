/* SPDX-License-Identifier: Apache-2.0 */
/* A certified approximation of the optimal composition of hundreds of different
 * mechanisms, in the manner of Murtagh & Vadhan 2018 (section 5: round losses to a
 * lattice, then a dynamic programme), but with errors of second order.
 *   Upper: a loss between two points is split over both so that the masses under P
 * and under Q stay [Doroshenko et al. 2022, "Connect the dots"]. Merging the two
 * again is post-processing, so the split law dominates.
 *   Lower: all outcomes whose losses fall into the same cell are merged, which is
 * post-processing; a cell keeps its mass and its mean loss less what Jensen's
 * inequality may take. */
#include <float.h>
#include <math.h>

#include "accounting/bound.h"
#include "accounting/optimal.h"
#include "base/memory.h"
#include "base/mutant.h"

#define WORK_MAX ((size_t)1 << 14) /* atoms, each time they run */
#define ATOMS_MAX 3
#define CELLS_MAX ((size_t)1 << 20)
#define CELLS_MIN ((size_t)1 << 14)
#define LOWER_SHARE 6 /* the lower side has so many times fewer cells */
#define LOSS_MAX 1e6
#define STEP_MAX 0.5
#define TINY 1e-290 /* smaller masses, whose moments underflow, are left out below */

/* A law on cells: mass[i] at (i - zero + offset[i]) step; upper: no offsets. */
typedef struct grid {
    size_t count, zero;
    size_t first, last; /* cells outside have no mass */
    double step, lost;
    double *mass, *offset, *next, *moment;
    long double *rise, *decay; /* D and E as in murtagh_vadhan.c */
} grid;

typedef struct grid_curve {
    grid upper, lower;
    dusk_bound infinite;
    double relative, trace;
    bool tight;
} grid_curve;

static void grid_clear(grid *g)
{
    dusk_deallocate(g->mass);
    dusk_deallocate(g->offset);
    dusk_deallocate(g->next);
    dusk_deallocate(g->moment);
    dusk_deallocate(g->rise);
    dusk_deallocate(g->decay);
    *g = (grid){ 0 };
}

static void grid_curve_free(void *curve)
{
    grid_curve *c = curve;
    if (!c) return;
    grid_clear(&c->upper);
    grid_clear(&c->lower);
    dusk_deallocate(c);
}

static size_t work_of(const dusk_pairs *pairs)
{
    size_t work = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        if (pair->kind != DUSK_PAIR_ATOMS || pair->atoms == 0 || pair->atoms > ATOMS_MAX) return SIZE_MAX;
        if (pair->times > WORK_MAX / pair->atoms) return SIZE_MAX;
        if (!(fabs(pair->loss[0].lower) <= LOSS_MAX && pair->loss[pair->atoms - 1].upper <= LOSS_MAX))
            return SIZE_MAX;
        work += pair->atoms * (size_t)pair->times;
        if (work > WORK_MAX) return SIZE_MAX;
    }
    return work;
}

/* One pair alone, or laws of many losses, are better transformed than run one by one. */
bool dusk_grid_curve_fits(const dusk_pairs *pairs) { return pairs->count > 1 && work_of(pairs) != SIZE_MAX; }

/* ln E[exp(s L)], about */
static double log_moment(const dusk_pairs *pairs, double s)
{
    double sum = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        double top = s * (s > 0 ? pair->loss[pair->atoms - 1].upper : pair->loss[0].lower), part = 0;
        for (size_t j = 0; j < pair->atoms; j++)
            part += pair->mass[j].upper * exp(s * pair->loss[j].upper - top);
        sum += (double)pair->times * (top + log(part));
    }
    return sum;
}

/* About where a tail of probability `tail` begins, above (sign 1) or below (-1). */
static double reach(const dusk_pairs *pairs, double tail, int sign)
{
    double best = INFINITY;
    for (double s = 0x1p-20; s < 0x1p30; s *= 1.25) {
        double x = (log_moment(pairs, sign * s) - log(tail)) / s;
        if (x < best) best = x;
    }
    return sign * best;
}

static dusk_status grid_new(grid *g, size_t cells, double low, double high, bool lower, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double step = (high - low) / (double)(cells - 8);
    *g = (grid){ .step = step };
    if (!(step <= STEP_MAX))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use --accountant best or basic",
                         "the losses of these events are too large for the optimal accountant");
    g->zero = (size_t)(-low / step) + 3;
    g->count = g->zero + (size_t)(high / step) + 4;
    DUSK_NEW(g->mass, g->count);
    DUSK_NEW(g->next, g->count);
    DUSK_NEW(g->rise, g->count + 1);
    DUSK_NEW(g->decay, g->count + 1);
    if (lower) {
        DUSK_NEW(g->offset, g->count);
        DUSK_NEW(g->moment, g->count);
    }
    g->mass[g->zero] = 1;
    g->first = g->last = g->zero;
done:
    if (status != DUSK_OK) grid_clear(g);
    return status;
}

/* to[i] += weight from[i], in fours so that compilers see vectors */
static void accumulate(double *restrict to, const double *restrict from, size_t n, double weight)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t j = 0; j < 4; j++) to[i + j] += weight * from[i + j];
    for (; i < n; i++) to[i] += weight * from[i];
}

/* next[i + shift] += weight mass[i]; what falls off the top is lost, what falls off
 * the bottom is put there, a loss that is not smaller. */
static void pour(grid *g, long shift, double weight)
{
    long first = (long)g->first, last = (long)g->last, end = (long)g->count - 1;
    double off = 0, under = 0;
    for (; first <= last && last + shift > end; last--) off += weight * g->mass[last];
    for (; first <= last && first + shift < 0; first++) under += weight * g->mass[first];
    if (first <= last)
        accumulate(g->next + (first + shift), g->mass + first, (size_t)(last - first) + 1, weight);
    g->next[0] += under * (1 + 0x1p-30); /* sums of up to 2^20 numbers */
    off = DUSK_MUTATE(GRID_TOP_FORGOTTEN, off, 0);
    g->lost = dusk_add_up(g->lost, dusk_mul_up(off, 1 + 0x1p-30));
}

static void grow(size_t *first, size_t *last, long from, long to, size_t count)
{
    long low = from < 0 ? 0 : from, high = to >= (long)count ? (long)count - 1 : to;
    if (low < (long)*first) *first = (size_t)low;
    if (high > (long)*last) *last = (size_t)high;
}

static void adopt(grid *g, size_t first, size_t last)
{
    double *old = g->mass;
    g->mass = g->next;
    g->next = old;
    for (size_t i = g->first; i <= g->last; i++) old[i] = 0;
    g->first = first;
    g->last = last;
}

/* The shares of the lower point and of the upper one of a loss that is `fraction` f
 * of a step h above the former: (e^-fh - e^-h) / (1 - e^-h) and (1 - e^-fh) / (1 - e^-h). */
static void shares_up(double *below, double *above, double fraction, double step)
{
    double whole = -dusk_expm1_up(-step), rest = dusk_mul_up(dusk_sub_up(1, fraction), step);
    *above = dusk_div_up(-dusk_expm1_down(-dusk_mul_up(fraction, step)), whole);
    *below =
        dusk_mul_up(dusk_exp_up(-dusk_mul_down(fraction, step)), dusk_div_up(-dusk_expm1_down(-rest), whole));
}

/* One more run of a pair, for the upper side. */
DUSK_PROVEN(run_upper)
static void run_upper(grid *g, const dusk_pair *pair)
{
    size_t first = g->count - 1, last = 0;
    for (size_t j = 0; j < pair->atoms; j++) {
        double place = dusk_div_up(pair->loss[j].upper, g->step), cell = floor(place), below, above;
        long shift = (long)cell;
        shares_up(&below, &above, place - cell, g->step);
        pour(g, shift, dusk_mul_up(pair->mass[j].upper, below));
        pour(g, shift + 1, dusk_mul_up(pair->mass[j].upper, DUSK_MUTATE(GRID_SPLIT_DROPS, above, 0)));
        grow(&first, &last, (long)g->first + shift, (long)g->last + shift + 1, g->count);
    }
    adopt(g, first, last);
}

/* Mean offset of what fell into a cell, less the loss of merging it: with Y in a
 * cell of width 1, ln E[e^-h(Y - EY)] <= var(Y) (e^h - 1 - h) [Bennett], var <= m (1 - m),
 * and e^h - 1 - h <= h^2/2 (1 + h) for h <= 1. `slack` is more than all roundings. */
static double merged(double mass, double moment, double step, double slack)
{
    double mean = moment / mass;
    return mean - 0.5 * step * (1 + step) * (mean + 0x1p-30) * (1 - mean + 0x1p-30) - slack;
}

DUSK_PROVEN(run_lower)
static void run_lower(grid *g, const dusk_pair *pair)
{
    size_t first = g->count - 1, last = 0;
    long end = (long)g->count;
    double slack = 0x1p-46 * (double)(pair->atoms + 4);
    for (size_t j = 0; j < pair->atoms; j++) {
        double place = dusk_div_down(pair->loss[j].lower, g->step), cell = floor(place),
               fraction = place - cell;
        double weight = pair->mass[j].lower;
        long shift = (long)cell;
        for (long i = (long)g->first; i <= (long)g->last; i++) {
            double v = g->offset[i] + fraction, m = weight * g->mass[i];
            bool carry = v >= 1;
            long to = i + shift + carry;
            if (to < 0 || to >= end) continue;
            g->next[to] += m;
            g->moment[to] += m * (carry ? v - 1 : v);
        }
        grow(&first, &last, (long)g->first + shift, (long)g->last + shift + 1, g->count);
    }
    adopt(g, first, last);
    for (size_t i = g->first; i <= g->last; i++) {
        if (g->mass[i] < TINY) g->mass[i] = 0;
        g->offset[i] = g->mass[i] > 0 ? merged(g->mass[i], g->moment[i], g->step, slack) : 0;
        g->moment[i] = 0;
    }
}

static long double loss_at(const grid *g, size_t i)
{
    long double place = (long double)i - (long double)g->zero;
    return (g->offset ? place + g->offset[i] : place) * g->step;
}

/* D and E from the end; in long double, so that long sums do not matter. */
static void sum_up(grid *g)
{
    long double fixed = expl(-(long double)g->step), rest = -expm1l(-(long double)g->step);
    g->decay[g->count - 1] = g->mass[g->count - 1];
    for (size_t j = g->count - 1; j > 0; j--) {
        long double keep = fixed, go = rest;
        if (g->offset) {
            long double gap = loss_at(g, j) - loss_at(g, j - 1);
            keep = gap > 0 ? expl(-gap) : 1;
            go = gap > 0 ? -expm1l(-gap) : 0;
        }
        g->decay[j - 1] = g->mass[j - 1] + g->decay[j] * keep;
        g->rise[j - 1] = g->rise[j] + g->decay[j] * go;
    }
}

/* E[(1 - e^(eps - L))+] of one side, without errors. */
static double value_at(const grid *g, double epsilon, double *slope)
{
    double place = floor(epsilon / g->step) - 1;
    *slope = 0;
    if (place + (double)g->zero >= (double)g->count) return 0;
    size_t j = (size_t)(place + (double)g->zero); /* at or before the first above eps; zero >= 3 */
    while (j < g->count && loss_at(g, j) <= (long double)epsilon) j++;
    if (j >= g->count) return 0;
    long double part = expm1l((long double)epsilon - loss_at(g, j));
    *slope = (double)(g->decay[j] * (1 + part));
    return (double)(g->rise[j] - g->decay[j] * part);
}

DUSK_PROVEN(grid_look)
static dusk_curve_look grid_look(const void *curve, double epsilon)
{
    const grid_curve *c = curve;
    dusk_curve_look found;
    /* losses on the lattice are rounded too */
    double up = value_at(&c->upper, nextafter(epsilon, 0), &found.slope), slope;
    double lost = dusk_add_up(c->upper.lost, c->trace);
    found.delta.upper = dusk_add_up(dusk_mul_up(up, 1 + c->relative), lost);
    found.delta.lower = 0;
    if (c->tight) {
        double down = value_at(&c->lower, nextafter(epsilon, INFINITY), &slope);
        found.delta.lower = dusk_sub_down(dusk_mul_down(down, 1 - c->relative), c->trace);
        if (!(found.delta.lower > 0)) found.delta.lower = 0;
    }
    found.delta = dusk_bound_clamp(dusk_bound_add(found.delta, c->infinite));
    return found;
}

static dusk_status fill(grid_curve *c, const dusk_pairs *pairs, double tail, dusk_error *err)
{
    dusk_status status;
    dusk_bound top = dusk_pairs_top(pairs);
    size_t cells = ((size_t)1 << 29) / work_of(pairs);
    if (cells > CELLS_MAX) cells = CELLS_MAX;
    if (cells < CELLS_MIN) cells = CELLS_MIN;
    double high = fmin(reach(pairs, tail, 1), top.upper), low = fmax(reach(pairs, tail, -1), -top.upper);
    DUSK_TRY(grid_new(&c->upper, cells, fmin(low, 0), fmax(high, 0x1p-900), false, err));
    if (c->tight)
        DUSK_TRY(grid_new(&c->lower, cells / LOWER_SHARE, fmin(low, 0), fmax(high, 0x1p-900), true, err));
    for (size_t i = 0; i < pairs->count; i++)
        for (uint64_t t = 0; t < pairs->pair[i].times; t++) {
            run_upper(&c->upper, &pairs->pair[i]);
            if (c->tight) run_lower(&c->lower, &pairs->pair[i]);
        }
    sum_up(&c->upper);
    if (c->tight) sum_up(&c->lower);
done:
    return status;
}

dusk_status dusk_grid_curve(dusk_loss_curve *out, const dusk_pairs *pairs, double tail, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    grid_curve *c;
    DUSK_NEW(c, 1);
    c->tight = true;
    for (size_t i = 0; i < pairs->count; i++)
        if (!pairs->pair[i].tight) c->tight = false;
    DUSK_TRY(fill(c, pairs, tail < 1e-300 ? 1e-300 : tail, err));
    double work = (double)work_of(pairs);
    c->relative = 8 * work * DBL_EPSILON + 0x1p-38;
    c->trace = 16 * work * (double)c->upper.count * DBL_TRUE_MIN;
    c->infinite = dusk_pairs_infinite(pairs);
    if (!c->tight) c->infinite.lower = 0;
    *out = (dusk_loss_curve){
        .look = grid_look, .free = grid_curve_free, .curve = c, .tight = c->tight, .cut = true
    };
    out->infinite = c->infinite;
    out->top = dusk_pairs_top(pairs);
    out->mean = (reach(pairs, 0.5, 1) + reach(pairs, 0.5, -1)) / 2;
    out->deviation = (reach(pairs, 0.5, 1) - out->mean) / 1.2;
    c = NULL;
done:
    grid_curve_free(c);
    return status;
}
