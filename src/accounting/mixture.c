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

#define U 0x1p-53
#define LIBM (8 * U) /* relative error that is allowed to a function of the C library: 4 ulp */
#define NODES_MAX ((size_t)1 << 17)
#define PI 3.14159265358979323846
#define ROOT_2PI 2.5066282746310002
#define BLUR 1.0001 /* covers second order terms of error bounds */
#define REFRESH 64
#define SHIFT_FROM 30.0

/* r(x) - 1 = sum_j w_j (e^y_j - 1), y_j = j (2 x - j) / (2 sigma^2). Weights are
 * off by 8 U, y by 6 U (|2 j x| + j^2) / (2 sigma^2), each term by 4 more roundings. */
DUSK_PROVEN(dusk_mixture_ratio_at)
dusk_mixture_ratio dusk_mixture_ratio_at(const dusk_pair *pair, double x)
{
    double variance2 = 2 * (pair->sigma * pair->sigma), J = (double)pair->shifts;
    double top = J * (2 * x - J) / variance2, low = (2 * x - 1) / variance2;
    double excess = 0, size = 0, blur = 0, slope = 0;
    if (top < low) top = low;
    double shift = top > 500 ? top : 0, scale = shift > 0 ? exp(-shift) : 1;
    for (size_t j = 1; j <= pair->shifts; j++) {
        double d = (double)j, y = d * (2 * x - d) / variance2;
        double e = shift > 0 ? exp(y - shift) : expm1(y), p = shift > 0 ? e : 1 + e;
        double w = pair->weight[j];
        excess += w * e;
        size += w * fabs(e);
        blur += w * p * (d * (2 * fabs(x) + d) / variance2 + fabs(shift));
        slope += w * p * d;
    }
    dusk_mixture_ratio out;
    if (shift > 0) { /* the rest of r is below e^-400 of it */
        out.log = shift + log(excess + scale);
        out.excess = INFINITY;
        out.error = BLUR * (6 * U * blur / excess + (32 + J) * U + LIBM * out.log + scale / excess);
        out.slope = 2 * slope / (excess * variance2);
        return out;
    }
    double r = 1 + excess;
    out.excess = excess;
    out.log = log1p(excess);
    out.error = BLUR * ((6 * U * blur + (32 + J) * U * size) / r + LIBM * fabs(out.log));
    out.slope = 2 * slope / (r * variance2);
    if (!(r > 0x1p-30)) out.error = INFINITY;
    return out;
}

void dusk_mixture_ratios(dusk_mixture_ratio *a, dusk_mixture_ratio *b, const dusk_pair *pair, double x)
{
    const dusk_mixture_ratio one = { 0 };
    *a = pair->direction == DUSK_ADD ? one : dusk_mixture_ratio_at(pair, x);
    *b = pair->direction == DUSK_REMOVE ? one
                                        : dusk_mixture_ratio_at(pair, pair->direction == DUSK_ADD ? x : -x);
}

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

/* The step of the trapezoid rule, and how far off it may be relative to M(c):
 *   2 exp(sigma^2 b^2/2) (exp(k t J b - c' ln cos(J b/2)) + 1 + 2 (c + t)) / (exp(2 pi sigma^2 b/h) - 1)
 * for every b in (0, pi/J); k is 2 where both ratios move, c' = 0 where r_b is 1. */
typedef struct step_choice {
    double step, error;
} step_choice;

DUSK_PROVEN(choose_step)
static step_choice choose_step(const dusk_pair *pair, double c, double t, double tolerance)
{
    double variance = pair->sigma * pair->sigma, J = (double)pair->shifts;
    double k = pair->direction == DUSK_REPLACE ? 2 : 1, bottom = pair->direction == DUSK_REMOVE ? 0 : c;
    double best = 0, best_angle = 0, best_log = 0, wanted = log(1 / tolerance);
    for (int i = 0; i <= 40; i++) {
        double b = PI / J * (i <= 20 ? 0x1p-5 * exp2(i / 4.0) : 1 - 0.5 * exp2((20 - i) / 4.0));
        if (i == 0) b = sqrt(2 * wanted / variance); /* best where sigma is large */
        if (i <= 20 && b > PI / J / 2) continue;
        double power = k * t * J * b - bottom * log(cos(J * b / 2));
        double log_top = log(2) + variance * b * b / 2 + (power > 0 ? power : 0) + log(2 + 2 * (c + t));
        double step = 2 * PI * variance * b / (wanted + log_top);
        if (step > best) best = step, best_angle = b, best_log = log_top;
    }
    step_choice out = { 0, INFINITY };
    if (!(best > 0) || !isfinite(best)) return out;
    int exponent; /* few bits: k step is exact */
    double digits = frexp(best, &exponent);
    out.step = ldexp(floor(digits * 0x1p24), exponent - 24);
    double fall = 2 * PI * variance * best_angle / out.step * (1 - 0x1p-40);
    out.step *= DUSK_MUTATE(MIXTURE_STEP_TOO_LONG, 1, 2);
    out.error = BLUR * exp(best_log - fall) / -expm1(-fall);
    return out;
}

/* What is gathered while nodes are added. */
typedef struct gathering {
    dusk_mixture_grid *grid;
    const dusk_pair *pair;
    double c, reach, tolerance, step, norm;
    double largest; /* of the logarithms of the masses, without norm */
    sum excess;     /* M - 1 */
    double error;   /* of its terms */
    double tail;    /* what was left out */
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

/* A bound on all nodes beyond x = +-|x|, relative to M(c), from the one at x: terms
 * fall by a factor at least; +inf where that is not seen yet. M(c) is at least 1,
 * and at least its largest node so far. */
DUSK_PROVEN(tail_bound)
static double tail_bound(const gathering *g, double x, double log_f, const dusk_mixture_ratio *a,
                         const dusk_mixture_ratio *b)
{
    const dusk_pair *pair = g->pair;
    double variance = pair->sigma * pair->sigma, c = g->c, J = (double)pair->shifts, rate = 0;
    if (x > 0) rate = (pair->direction == DUSK_ADD ? 1 : c + 1) * J / variance;
    if (x > 0 && pair->direction == DUSK_REPLACE) rate += c * BLUR * b->slope;
    if (x < 0 && pair->direction == DUSK_ADD) rate = c * BLUR * b->slope;
    if (x < 0 && pair->direction == DUSK_REPLACE) rate = J / variance;
    double fall = (fabs(x) / variance - rate) * g->step;
    if (!(fall > 0.01)) return INFINITY;
    double ref = g->largest + log(g->norm) > 0 ? g->largest + log(g->norm) : 0;
    double term = exp(log_f + (c + 1) * a->log - c * b->log - ref) +
                  (1 + c + g->reach) * exp(log_f + a->log - ref) + (c + g->reach) * exp(log_f + b->log - ref);
    return BLUR * g->norm * term / expm1(fall);
}

/* a e^z - a in modulus, about: how a e^z - a - a z changes with z. */
static double weighted_slope(double norm, double log_a, double z)
{
    return z > 1 ? norm * exp(log_a + z) : norm * exp(log_a) * fabs(expm1(z));
}

/* How far off weighted() may be when z is off by `error`. */
static double weighted_error(double norm, double log_a, double z, double error)
{
    double mass = norm * exp(log_a + z), relative = 8 * U * fabs(log_a) + 16 * LIBM;
    double off =
        relative * fabs(weighted(norm, log_a, z)) + error * (weighted_slope(norm, log_a, z) + error * mass);
    /* there it is the difference of larger numbers */
    if (z > 1) off += (8 * U * (fabs(log_a) + z) + 2 * LIBM) * mass;
    return off;
}

/* One node. */
static void add_node(gathering *g, double log_f, const dusk_mixture_ratio *a, const dusk_mixture_ratio *b)
{
    dusk_mixture_grid *grid = g->grid;
    size_t i = grid->count++;
    double c = g->c, norm = g->norm, z = (c + 1) * a->log - c * b->log;
    double z_error = (c + 1) * a->error + c * b->error + 4 * U * (fabs(z) + (c + 1) * fabs(a->log));
    grid->loss[i] = a->log - b->log;
    grid->mass[i] = log_f + z;
    grid->error[i] = a->error + b->error + U * fabs(grid->loss[i]);
    grid->blur[i] = BLUR * (z_error + 8 * U * (fabs(log_f) + fabs(z)) + 4 * LIBM);
    if (grid->mass[i] > g->largest) g->largest = grid->mass[i];
    if (g->reach > 0) return; /* ln M(c) is not wanted */
    sum_add(&g->excess, weighted(norm, log_f, z));
    sum_add(&g->excess, -(c + 1) * weighted(norm, log_f, a->log));
    sum_add(&g->excess, c * weighted(norm, log_f, b->log));
    g->error += weighted_error(norm, log_f, z, z_error) +
                (c + 1) * weighted_error(norm, log_f, a->log, a->error) +
                c * weighted_error(norm, log_f, b->log, b->error);
}

/* The nodes on one side of 0, and 0 itself for sign > 0. */
static dusk_status add_side(gathering *g, double sign, dusk_error *err)
{
    double variance2 = 2 * (g->pair->sigma * g->pair->sigma);
    for (size_t k = sign > 0 ? 0 : 1; k < NODES_MAX; k++) {
        double x = sign * (double)k * g->step, log_f = -(x * x / variance2), tail;
        dusk_mixture_ratio a, b;
        dusk_mixture_ratios(&a, &b, g->pair, x);
        if (!(a.error + b.error < 1e-3)) break;
        if (g->grid->count + 8 > g->grid->room) {
            dusk_status status = grow(g->grid, err);
            if (status != DUSK_OK) return status;
        }
        add_node(g, log_f, &a, &b);
        tail = k == 0 ? INFINITY : tail_bound(g, x, log_f, &a, &b);
        if (tail <= g->tolerance) {
            g->tail += DUSK_MUTATE(MIXTURE_TAIL_DROPPED, tail, 0);
            *(sign > 0 ? &g->grid->right : &g->grid->left) = fabs(x);
            return DUSK_OK;
        }
    }
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "another accountant may do",
                     "the contour accountant needs too many nodes for noise of deviation %g", g->pair->sigma);
}

/* Masses from their logarithms; ln M(c); errors. */
static void settle(gathering *g, const step_choice *choice)
{
    dusk_mixture_grid *grid = g->grid;
    size_t n = grid->count;
    double shift = g->largest + log(g->norm) > SHIFT_FROM ? g->largest : 0, off = choice->error + g->tail;
    double blur = 0, spread = 0, linear = 0, mean = 0, square = 0;
    sum all = { 0 };
    for (size_t i = 0; i < n; i++) {
        double mass = g->norm * exp(grid->mass[i] - shift), size = fabs(grid->loss[i]);
        grid->blur[i] += 2 * U * fabs(shift);
        grid->mass[i] = mass;
        sum_add(&all, mass);
        blur += mass * grid->blur[i];
        spread += mass * size;
        linear += mass * ((grid->blur[i] + (double)(128 + n / 8) * U) * size + grid->error[i]);
    }
    double total = all.high + all.low, total_error = BLUR * (blur / total + off + 8 * U);
    if (g->reach > 0) {
        grid->log_moment = NAN;
        grid->log_moment_error = INFINITY;
    } else if (shift > 0) {
        grid->log_moment = shift + log(total);
        grid->log_moment_error = BLUR * total_error + 4 * LIBM * (fabs(shift) + fabs(grid->log_moment));
    } else {
        double excess = g->excess.high + g->excess.low;
        double error = g->error + 4 * U * fabs(excess) + 16 * (double)n * U * (double)n * U * g->excess.size;
        grid->log_moment = log1p(excess);
        grid->log_moment_error = BLUR * (error / (1 + excess) + off) + LIBM * fabs(grid->log_moment);
    }
    grid->log_moment_error *= DUSK_MUTATE(MIXTURE_ERROR_DROPPED, 1, 0.01);
    /* phi - 1 is the sum of masses times (e^{itL} - 1): both ends off by `off`, and
     * the masses by what `total` is off from M(c) */
    grid->constant = BLUR * 4 * off;
    grid->linear = BLUR * (linear + total_error * spread) / total;
    for (size_t i = 0; i < n; i++) {
        grid->mass[i] /= total;
        mean += grid->mass[i] * grid->loss[i];
        square += grid->mass[i] * grid->loss[i] * grid->loss[i];
    }
    grid->mean = mean;
    grid->variance = square - mean * mean;
}

DUSK_PROVEN(dusk_mixture_grid_init)
dusk_status dusk_mixture_grid_init(dusk_mixture_grid *grid, const dusk_pair *pair, double c, double reach,
                                   double tolerance, dusk_error *err)
{
    step_choice choice = choose_step(pair, c, reach, tolerance);
    gathering g = { .grid = grid, .pair = pair, .c = c, .reach = reach, .tolerance = tolerance };
    grid->count = 0;
    grid->c = c;
    g.largest = -INFINITY;
    grid->step = g.step = choice.step;
    g.norm = choice.step / (pair->sigma * ROOT_2PI);
    if (!(choice.step > 0) || !isfinite(g.norm) || !(choice.error < 0.01))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "another accountant may do",
                         "the contour accountant cannot sum noise of deviation %g", pair->sigma);
    dusk_status status = add_side(&g, 1, err);
    if (status == DUSK_OK) status = add_side(&g, -1, err);
    if (status != DUSK_OK) return status;
    settle(&g, &choice);
    for (; grid->count % 8; grid->count++) grid->loss[grid->count] = grid->mass[grid->count] = 0;
    return DUSK_OK;
}

double dusk_mixture_nodes(const dusk_pair *pair, double c, double reach, double tolerance, double range)
{
    return range / choose_step(pair, c, reach, tolerance).step;
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
    dusk_status status = dusk_mixture_grid_init(&grid, pair, s, 0, 0x1p-80, err);
    if (status == DUSK_OK) {
        out->lower = dusk_sub_down(grid.log_moment, grid.log_moment_error);
        out->upper = dusk_add_up(grid.log_moment, grid.log_moment_error);
        if (!(out->lower > 0)) out->lower = 0; /* Jensen */
    }
    dusk_mixture_grid_free(&grid);
    return status;
}

bool dusk_mixture_sketch(double out[3], const dusk_pair *pair, double c)
{
    double sigma = pair->sigma, J = (double)pair->shifts, variance = sigma * sigma;
    double strip = PI * PI * variance / (6 * J), step = 0.7 * sigma < strip ? 0.7 * sigma : strip;
    double norm = step / (sigma * ROOT_2PI), zero = 0, one = 0, two = 0, excess = 0, shift = 0;
    for (int side = 0; side < 2; side++) {
        for (size_t k = (size_t)side;; k++) {
            double x = (side ? -step : step) * (double)k, log_f = -x * x / (2 * variance), rate = 0;
            dusk_mixture_ratio a, b;
            if (k > NODES_MAX / 4) return false;
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
            if (side == 0 && pair->direction != DUSK_ADD) rate = (c + 1) * J;
            if (side == 0 && pair->direction == DUSK_REPLACE) rate += c * J;
            if (side == 1 && pair->direction == DUSK_ADD) rate = c * b.slope * variance;
            if (fabs(x) > rate && log_mass < shift - 30) break;
        }
    }
    out[0] = shift > 0 ? shift + log(zero) : log1p(excess);
    out[1] = one / zero;
    out[2] = two / zero - out[1] * out[1];
    return isfinite(out[0]) && isfinite(out[1]) && out[2] >= 0;
}
