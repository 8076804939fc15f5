/* SPDX-License-Identifier: Apache-2.0 */
/* The moment generating function of Gaussian mixtures by the trapezoid rule, with
 * bounds for everything that is left out. The integrand is analytic where r has
 * no zero, in the strip |Im x| < pi sigma^2 / J for shifts up to J, so that the
 * rule converges exponentially; both tails are geometric; and M(c) - 1 is summed
 * as a second order quantity,
 *     M - 1 = Int f [E((c+1) l_a - c l_b) - (c+1) E(l_a) + c E(l_b)],
 * E(z) = e^z - 1 - z, l = ln r, because r_a f and r_b f are densities: a moment
 * that is taken to the 10^6th power keeps its digits. */
#include "accounting/mixture.h"

#include <math.h>
#include <string.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "base/memory.h"
#include "base/mutant.h"

#define NODES_MAX ((size_t)1 << 17)
#define REFRESH 64
#define SHIFT_FROM 30.0

/* e^z - 1 - z to a few roundings, for z <= 1: z^2/2! + z^3/3! + ... */
static double second_order(double z)
{
    static const double c[] = {
        1 / 2.0,         1 / 6.0,          1 / 24.0,          1 / 120.0,           1 / 720.0,
        1 / 5040.0,      1 / 40320.0,      1 / 362880.0,      1 / 3628800.0,       1 / 39916800.0,
        1 / 479001600.0, 1 / 6227020800.0, 1 / 87178291200.0, 1 / 1307674368000.0, 1 / 20922789888000.0
    };
    if (z < -0.5 || z > 0.5) return expm1(z) - z;
    int n = fabs(z) < 0x1p-9 ? 6 : 14;
    double sum = c[n];
    while (n-- > 0) sum = c[n] + z * sum;
    return z * z * sum;
}

/* a e^z - a - a z, where a = e^log_a norm. */
static double weighted(double norm, double log_a, double z)
{
    if (z == 0) return 0;
    double a = norm * exp(log_a);
    return z > 1 ? norm * exp(log_a + z) - a * (1 + z) : a * second_order(z);
}

/* Neumaier's sum and the sum of moduli. */
typedef struct sum {
    double high, low, size;
} sum;

static void sum_add(sum *s, double x)
{
    double t = s->high + x;
    s->low += fabs(s->high) >= fabs(x) ? (s->high - t) + x : (x - t) + s->high;
    s->high = t;
    s->size += fabs(x);
}

/* What is gathered while nodes are added. */
typedef struct gathering {
    dusk_mixture_grid *grid;
    const dusk_mixture *mixture;
    double c, tolerance, step, norm;
    bool sweeps;                     /* ln M(c) is not wanted */
    double largest;                  /* of the logarithms of the masses, without norm */
    sum excess;                      /* M - 1 */
    double error;                    /* of its terms */
    double tail;                     /* what was left out */
    double far, far_slope, far_tail; /* a place far to the right: d ln r / dx and what is beyond it */
} gathering;

static dusk_status grow(dusk_mixture_grid *grid, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = grid->room ? 2 * grid->room : 256;
    double *more, *scratch;
    DUSK_NEW(more, 4 * room);
    scratch = dusk_allocate(4 * room, sizeof *scratch);
    if (!scratch) {
        dusk_deallocate(more);
        return dusk_fail_memory(err);
    }
    for (size_t i = 0; i < grid->count; i++) {
        more[i] = grid->loss[i];
        more[room + i] = grid->mass[i];
        more[2 * room + i] = grid->error[i];
        more[3 * room + i] = grid->blur[i];
    }
    dusk_deallocate(grid->loss);
    dusk_deallocate(grid->scratch);
    grid->loss = more;
    grid->mass = more + room;
    grid->error = more + 2 * room;
    grid->blur = more + 3 * room;
    grid->scratch = scratch;
    grid->room = room;
done:
    return status;
}

void dusk_mixture_grid_free(dusk_mixture_grid *grid)
{
    dusk_deallocate(grid->loss);
    dusk_deallocate(grid->scratch);
    *grid = (dusk_mixture_grid){ 0 };
}

/* The terms at x, relative to M(c), which is at least 1 and at least its largest node so
 * far; and what follows when they fall by e^-fall a node. */
static double tail_terms(const gathering *g, double log_f, const dusk_mixture_ratio *a,
                         const dusk_mixture_ratio *b, double fall)
{
    double ref = g->largest + log(g->norm) > 0 ? g->largest + log(g->norm) : 0, c = g->c;
    double term = exp(log_f + (c + 1) * a->log - c * b->log - ref) + (1 + c) * exp(log_f + a->log - ref) +
                  c * exp(log_f + b->log - ref);
    if (!(fall > 0.01)) return INFINITY;
    /* nodes, and the integral from half a step on */
    return 1.02 * g->norm * term * (1 / expm1(fall) + exp(-fall / 2) / fall);
}

/* A bound on all nodes beyond x = +-|x|, relative to M(c), from the one at x: terms
 * fall by a factor at least; +inf where that is not seen yet. (ln r)' grows with x: up
 * to `far` it is what it is there, beyond it J / sigma^2. */
DUSK_PROVEN(tail_bound)
static double tail_bound(const gathering *g, double x, double log_f, const dusk_mixture_ratio *a,
                         const dusk_mixture_ratio *b)
{
    const dusk_pair *pair = g->mixture->pair;
    double variance = pair->sigma * pair->sigma, c = g->c, J = (double)pair->shifts, rate = 0;
    bool near = x > 0 && x < g->far;
    double slope = near ? g->far_slope : J / variance;
    if (x > 0) rate = (pair->direction == DUSK_ADD ? 1 : c + 1) * slope;
    if (x > 0 && pair->direction == DUSK_REPLACE) rate += c * DUSK_BLUR * b->slope;
    if (x < 0 && pair->direction == DUSK_ADD) rate = c * DUSK_BLUR * b->slope;
    if (x < 0 && pair->direction == DUSK_REPLACE) rate = J / variance;
    double width = g->mixture->width, over = width > 0 && x > g->mixture->at ? x - g->mixture->at : 0;
    double fall = (fabs(x) / variance - rate + (over > 0 ? over / (width * width) : 0)) * g->step;
    return tail_terms(g, log_f, a, b, fall) + (near ? g->far_tail : 0);
}

/* Far enough to the right that (c + 1) J / sigma^2 is less than what pulls back. */
static void look_far(gathering *g)
{
    const dusk_mixture *m = g->mixture;
    double variance = m->pair->sigma * m->pair->sigma, J = (double)m->pair->shifts, error;
    double pull = 1 / variance + (m->width > 0 ? 1 / (m->width * m->width) : 0);
    double rate = ((m->pair->direction == DUSK_ADD ? 1 : 2 * g->c + 1) * J) / variance;
    g->far = 1.1 * (rate + (m->width > 0 ? m->at / (m->width * m->width) : 0)) / pull + 4 * m->pair->sigma;
    dusk_mixture_ratio a, b, there = dusk_mixture_ratio_at(m->pair, g->far);
    double log_f = -(g->far * g->far / (2 * variance)) + dusk_mixture_log_taper(m, g->far, &error);
    dusk_mixture_ratios(&a, &b, m->pair, g->far);
    g->far_slope = DUSK_BLUR * there.slope;
    double over = m->width > 0 && g->far > m->at ? (g->far - m->at) / (m->width * m->width) : 0;
    double fall = (g->far / variance + over - rate) * g->step;
    /* the first node beyond may be next to it, not a step away: hence e^fall more */
    g->far_tail = tail_terms(g, log_f + 1 + fall, &a, &b, fall);
    /* without ends of its own the bound is that of a rule without a far place */
    if (!(there.error < 1e-3) || !(g->far_tail < g->tolerance / 4)) g->far = 0;
}

/* a e^z - a in modulus, about: how a e^z - a - a z changes with z. */
static double weighted_slope(double norm, double log_a, double z)
{
    return z > 1 ? norm * exp(log_a + z) : norm * exp(log_a) * fabs(expm1(z));
}

/* How far off weighted() may be when z is off by `error`. */
static double weighted_error(double norm, double log_a, double z, double error)
{
    double mass = norm * exp(log_a + z), relative = 8 * DUSK_UNIT * fabs(log_a) + 16 * DUSK_LIBM;
    double off =
        relative * fabs(weighted(norm, log_a, z)) + error * (weighted_slope(norm, log_a, z) + error * mass);
    /* there it is the difference of larger numbers */
    if (z > 1) off += (8 * DUSK_UNIT * (fabs(log_a) + z) + 2 * DUSK_LIBM) * mass;
    return off;
}

/* The same when moreover log_a is off by log_error. */
static double weighted_off(double norm, double log_a, double log_error, double z, double error)
{
    double off = weighted_error(norm, log_a, z, error);
    return off + 1.001 * log_error * (fabs(weighted(norm, log_a, z)) + off);
}

/* One node. */
static void add_node(gathering *g, double log_f, double f_error, const dusk_mixture_ratio *a,
                     const dusk_mixture_ratio *b)
{
    dusk_mixture_grid *grid = g->grid;
    size_t i = grid->count++;
    double c = g->c, norm = g->norm, z = (c + 1) * a->log - c * b->log;
    double z_error = (c + 1) * a->error + c * b->error + 4 * DUSK_UNIT * (fabs(z) + (c + 1) * fabs(a->log));
    grid->loss[i] = a->log - b->log;
    grid->mass[i] = log_f + z;
    grid->error[i] = a->error + b->error + DUSK_UNIT * fabs(grid->loss[i]);
    grid->blur[i] =
        DUSK_BLUR * expm1(z_error + f_error + 8 * DUSK_UNIT * (fabs(log_f) + fabs(z)) + 4 * DUSK_LIBM);
    if (grid->mass[i] > g->largest) g->largest = grid->mass[i];
    if (g->sweeps) return;
    sum_add(&g->excess, weighted(norm, log_f, z));
    sum_add(&g->excess, -(c + 1) * weighted(norm, log_f, a->log));
    sum_add(&g->excess, c * weighted(norm, log_f, b->log));
    /* times c + 1, z may be off by more than a little */
    g->error += weighted_off(norm, log_f, f_error, z, expm1(z_error)) +
                (c + 1) * weighted_off(norm, log_f, f_error, a->log, a->error) +
                c * weighted_off(norm, log_f, f_error, b->log, b->error);
}

/* The nodes on one side of 0, and 0 itself for sign > 0. */
static dusk_status add_side(gathering *g, double sign, dusk_error *err)
{
    const dusk_pair *pair = g->mixture->pair;
    double variance2 = 2 * (pair->sigma * pair->sigma);
    for (size_t k = sign > 0 ? 0 : 1; k < NODES_MAX; k++) {
        double x = sign * (double)k * g->step, f_error, tail;
        double log_f = -(x * x / variance2) + dusk_mixture_log_taper(g->mixture, x, &f_error);
        dusk_mixture_ratio a, b;
        dusk_mixture_ratios(&a, &b, pair, x);
        if (!(a.error + b.error + f_error < 1e-3)) break;
        if (g->grid->count + 8 > g->grid->room) {
            dusk_status status = grow(g->grid, err);
            if (status != DUSK_OK) return status;
        }
        add_node(g, log_f, f_error, &a, &b);
        tail = k == 0 ? INFINITY : tail_bound(g, x, log_f, &a, &b);
        tail *= DUSK_MUTATE(MIXTURE_TAIL_TOO_SMALL, 1, 1e-4);
        if (tail <= g->tolerance) {
            g->tail += tail;
            *(sign > 0 ? &g->grid->right : &g->grid->left) = fabs(x);
            return DUSK_OK;
        }
    }
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "another accountant may do",
                     "the contour accountant needs too many nodes for noise of deviation %g", pair->sigma);
}

/* How far a logarithm is off when its argument is, relatively. */
static double log_factor(double relative) { return relative < 0.25 ? -log1p(-relative) : INFINITY; }

/* Masses from their logarithms; ln M(c); errors. */
static void settle(gathering *g, double step_error)
{
    dusk_mixture_grid *grid = g->grid;
    size_t n = grid->count;
    double shift = g->largest + log(g->norm) > SHIFT_FROM ? g->largest : 0, off = step_error + g->tail;
    double blur = 0, spread = 0, linear = 0, mean = 0, square = 0;
    sum all = { 0 };
    for (size_t i = 0; i < n; i++) {
        double mass = g->norm * exp(grid->mass[i] - shift), size = fabs(grid->loss[i]);
        grid->blur[i] += 2 * DUSK_UNIT * fabs(shift);
        grid->mass[i] = mass;
        sum_add(&all, mass);
        blur += mass * grid->blur[i];
        spread += mass * size;
        linear += mass * ((grid->blur[i] + (double)(128 + n / 8) * DUSK_UNIT) * size +
                          (1 + grid->blur[i]) * grid->error[i]);
    }
    double total = all.high + all.low,
           total_error = log_factor(DUSK_BLUR * (blur / total + off + 8 * DUSK_UNIT));
    if (g->sweeps) {
        grid->log_moment = NAN;
        grid->log_moment_error = INFINITY;
    } else if (shift > 0) {
        grid->log_moment = shift + log(total);
        grid->log_moment_error =
            DUSK_BLUR * total_error + 4 * DUSK_LIBM * (fabs(shift) + fabs(grid->log_moment));
    } else {
        double excess = g->excess.high + g->excess.low;
        /* w f r_a and w f r_b are not quite densities */
        double lost = (2 * g->c + 1) * g->mixture->lost;
        double error = g->error + lost + 4 * DUSK_UNIT * fabs(excess) +
                       16 * (double)n * DUSK_UNIT * (double)n * DUSK_UNIT * g->excess.size;
        grid->log_moment = log1p(excess);
        grid->log_moment_error =
            log_factor(DUSK_BLUR * (error / (1 + excess) + off)) + DUSK_LIBM * fabs(grid->log_moment);
    }
    grid->log_moment_error *= DUSK_MUTATE(MIXTURE_ERROR_DROPPED, 1, 0.01);
    /* phi - 1 is the sum of masses times (e^{itL} - 1): both ends off by `off`, and
     * the masses by what `total` is off from M(c) */
    grid->constant = DUSK_BLUR * 4 * off;
    double factor = expm1(total_error);
    grid->linear = DUSK_BLUR * ((1 + factor) * linear + factor * spread) / total;
    for (size_t i = 0; i < n; i++) {
        grid->mass[i] /= total;
        mean += grid->mass[i] * grid->loss[i];
        square += grid->mass[i] * grid->loss[i] * grid->loss[i];
    }
    grid->mean = mean;
    grid->variance = square - mean * mean;
}

DUSK_PROVEN(dusk_mixture_grid_init)
dusk_status dusk_mixture_grid_init(dusk_mixture_grid *grid, const dusk_mixture *mixture, double c,
                                   double reach, double tolerance, const dusk_mixture_frame *frame,
                                   dusk_error *err)
{
    dusk_mixture_step choice = frame ? dusk_mixture_choose_long_step(mixture, c, reach, tolerance, frame)
                                     : dusk_mixture_choose_step(mixture, c, 0, tolerance);
    gathering g = {
        .grid = grid, .mixture = mixture, .c = c, .tolerance = tolerance, .sweeps = frame != NULL
    };
    grid->count = 0;
    grid->c = c;
    g.largest = -INFINITY;
    grid->step = g.step = choice.step;
    g.norm = choice.step / (mixture->pair->sigma * DUSK_ROOT_2PI);
    if (!(choice.step > 0) || !isfinite(g.norm) || !(choice.error < 0.01) ||
        !((2 * c + 1) * mixture->lost < 0.01))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "another accountant may do",
                         "the contour accountant cannot sum noise of deviation %g", mixture->pair->sigma);
    look_far(&g);
    dusk_status status = add_side(&g, 1, err);
    if (status == DUSK_OK) status = add_side(&g, -1, err);
    if (status != DUSK_OK) return status;
    double error = choice.error;
    if (choice.ends) {
        double reached = fmax(grid->left - frame->left, grid->right - frame->right) + choice.step / 2;
        error +=
            dusk_mixture_end(mixture, c, reach, &choice, grid->right + choice.step / 2, frame->log_moment);
        error +=
            dusk_mixture_end(mixture, c, reach, &choice, -grid->left - choice.step / 2, frame->log_moment);
        if (!(reached < 2 * mixture->pair->sigma)) error = INFINITY; /* beyond the cells */
    }
    if (!(error < 0.01))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "another accountant may do",
                         "the contour accountant loses sight of the ends of noise of deviation %g",
                         mixture->pair->sigma);
    settle(&g, error);
    for (; grid->count % 8; grid->count++) grid->loss[grid->count] = grid->mass[grid->count] = 0;
    return DUSK_OK;
}

typedef double lanes __attribute__((vector_size(64)));

/* u = e^{i t L} - 1 goes from t to t + step by u += v (1 + u), v = e^{i step L} - 1,
 * and is found anew from time to time. */
DUSK_PROVEN(dusk_mixture_sweep)
void dusk_mixture_sweep(const dusk_mixture_grid *grid, double step, size_t count, double *re, double *im)
{
    size_t n = grid->count;
    double *u_re = grid->scratch, *u_im = u_re + n, *v_re = u_im + n, *v_im = v_re + n;
    for (size_t i = 0; i < n; i++) {
        double half = sin(step * grid->loss[i] / 2);
        v_re[i] = -2 * half * half;
        v_im[i] = sin(step * grid->loss[i]);
    }
    for (size_t j = 1; j <= count; j++) {
        if (j % REFRESH == 1) {
            double t = (double)j * step;
            for (size_t i = 0; i < n; i++) {
                double half = sin(t * grid->loss[i] / 2);
                u_re[i] = -2 * half * half;
                u_im[i] = sin(t * grid->loss[i]);
            }
        }
        lanes sum_re = { 0 }, sum_im = { 0 };
        for (size_t i = 0; i < n; i += 8) {
            lanes a, b, va, vb, m;
            memcpy(&a, u_re + i, sizeof a);
            memcpy(&b, u_im + i, sizeof b);
            memcpy(&va, v_re + i, sizeof va);
            memcpy(&vb, v_im + i, sizeof vb);
            memcpy(&m, grid->mass + i, sizeof m);
            sum_re += m * a;
            sum_im += m * b;
            lanes e = 1 + a, next_re = a + (va * e - vb * b), next_im = b + (va * b + vb * e);
            memcpy(u_re + i, &next_re, sizeof next_re);
            memcpy(u_im + i, &next_im, sizeof next_im);
        }
        re[j - 1] = im[j - 1] = 0;
        for (size_t l = 0; l < 8; l++) {
            re[j - 1] += sum_re[l];
            im[j - 1] += sum_im[l];
        }
    }
}

DUSK_PROVEN(dusk_mixture_log_moment)
dusk_status dusk_mixture_log_moment(dusk_bound *out, const dusk_pair *pair, double s, dusk_error *err)
{
    dusk_mixture_grid grid = { 0 };
    dusk_mixture whole = dusk_mixture_whole(pair);
    dusk_status status = dusk_mixture_grid_init(&grid, &whole, s, 0, 0x1p-80, NULL, err);
    if (status == DUSK_OK) {
        out->lower = dusk_sub_down(grid.log_moment, grid.log_moment_error);
        out->upper = dusk_add_up(grid.log_moment, grid.log_moment_error);
        if (!(out->lower > 0)) out->lower = 0; /* Jensen */
    }
    dusk_mixture_grid_free(&grid);
    return status;
}

/* Where far losses, if they count at all, have their largest mass; 0 when they do not. */
static double far_mode(const dusk_mixture *m, double c)
{
    double variance = m->pair->sigma * m->pair->sigma, error;
    double pull = 1 + (m->width > 0 ? variance / (m->width * m->width) : 0), J = (double)m->pair->shifts;
    double rate = m->pair->direction == DUSK_ADD ? 0 : (c + 1) * J;
    double x = (rate + (m->width > 0 ? m->at * variance / (m->width * m->width) : 0)) / pull;
    dusk_mixture_ratio a, b;
    dusk_mixture_ratios(&a, &b, m->pair, x);
    double log_mass =
        -x * x / (2 * variance) + dusk_mixture_log_taper(m, x, &error) + (c + 1) * a.log - c * b.log;
    return log_mass > -60 ? x : 0;
}

bool dusk_mixture_sketch(double out[3], const dusk_mixture *mixture, double c)
{
    const dusk_pair *pair = mixture->pair;
    double bump = far_mode(mixture, c);
    double sigma = pair->sigma, J = (double)pair->shifts, variance = sigma * sigma;
    double strip = M_PI * M_PI * variance / (6 * J), step = 0.7 * sigma < strip ? 0.7 * sigma : strip;
    if (mixture->width > 0 && mixture->width < step) step = mixture->width;
    double norm = step / (sigma * DUSK_ROOT_2PI), zero = 0, one = 0, two = 0, excess = 0, shift = 0;
    for (int side = 0; side < 2; side++) {
        for (size_t k = (size_t)side;; k++) {
            double x = (side ? -step : step) * (double)k, error;
            double log_f = -x * x / (2 * variance) + dusk_mixture_log_taper(mixture, x, &error);
            dusk_mixture_ratio a, b;
            if (k > NODES_MAX / 8) return false;
            dusk_mixture_ratios(&a, &b, pair, x);
            double z = (c + 1) * a.log - c * b.log, log_mass = log_f + z, loss = a.log - b.log;
            if (!isfinite(log_mass)) return false;
            if (log_mass > shift + 30) { /* masses are kept relative to e^shift */
                double less = exp(shift - log_mass);
                zero *= less, one *= less, two *= less;
                shift = log_mass;
            }
            double mass = norm * exp(log_mass - shift);
            zero += mass;
            one += mass * loss;
            two += mass * loss * loss;
            if (shift == 0)
                excess += weighted(norm, log_f, z) - (c + 1) * weighted(norm, log_f, a.log) +
                          c * weighted(norm, log_f, b.log);
            if (log_mass > shift - 30) continue;
            if (side == 0 ? x > bump : fabs(x) > (pair->direction == DUSK_ADD ? c * b.slope * variance : 0))
                break;
        }
    }
    out[0] = shift > 0 ? shift + log(zero) : log1p(excess);
    out[1] = one / zero;
    out[2] = two / zero - out[1] * out[1];
    return isfinite(out[0]) && isfinite(out[1]) && out[2] >= 0;
}
