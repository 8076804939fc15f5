/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of a list of pairs along a vertical line. Each kind of pair is turned
 * into a tilted law on nodes (mixture.h) whose characteristic function is swept
 * up the line; Gaussians have a closed form. */
#include "accounting/contour_line.h"

#include <math.h>

#include "accounting/bound.h"
#include "base/memory.h"
#include "base/mutant.h"

#define ATOMS_MAX 4096
#define COUNT_MAX ((size_t)1 << 20)
#define PAIRS_MAX 5000 /* with a law of their own: each is swept along the whole line */
#define WORK_GOOD 1e7  /* nodes of the line times nodes of the pairs: what all digits are worth, */
#define WORK_MAX 1.5e8 /* and what any are */

static dusk_status refuse(dusk_error *err, const char *why)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "the lattice accountant may do", "the contour accountant %s",
                     why);
}

static double times_of(const dusk_pair *pair) { return (double)pair->times; }

/* ln of sum m e^(c l), and mean and variance of l under the tilted law. */
static bool atoms_sketch(double out[3], const dusk_pair *pair, double c)
{
    double top = -INFINITY, zero = 0, one = 0, two = 0;
    for (size_t i = 0; i < pair->atoms; i++) {
        double e = c * pair->loss[i].upper;
        if (pair->mass[i].upper > 0 && e > top) top = e;
    }
    for (size_t i = 0; i < pair->atoms; i++) {
        double l = pair->loss[i].upper, m = pair->mass[i].upper * exp(c * l - top);
        if (!(pair->mass[i].upper > 0)) continue;
        zero += m;
        one += m * l;
        two += m * l * l;
    }
    out[0] = top + log(zero);
    out[1] = one / zero;
    out[2] = fmax(0, two / zero - out[1] * out[1]);
    return isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
}

dusk_status dusk_contour_list_init(dusk_contour_list *list, const dusk_pairs *pairs, double lost,
                                   double sharpness, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *list = (dusk_contour_list){ .pairs = pairs };
    if (pairs->count > PAIRS_MAX) return refuse(err, "would have to look at too many different parts");
    DUSK_NEW(list->mixture, pairs->count);
    for (size_t i = 0; i < pairs->count; i++) list->repeats += times_of(&pairs->pair[i]);
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        bool far = lost > 0 && pair->kind == DUSK_PAIR_MIXTURE && pair->direction != DUSK_ADD;
        list->mixture[i] =
            far ? dusk_mixture_tapered(pair, lost / list->repeats, sharpness) : dusk_mixture_whole(pair);
    }
done:
    return status;
}

void dusk_contour_list_free(dusk_contour_list *list)
{
    dusk_deallocate(list->mixture);
    *list = (dusk_contour_list){ 0 };
}

bool dusk_contour_sketch(double out[3], const dusk_contour_list *list, double c)
{
    const dusk_pairs *pairs = list->pairs;
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        double one[3];
        if (pair->kind == DUSK_PAIR_GAUSSIAN) {
            double m = pair->mu_squared.upper;
            one[0] = m * c * (c + 1) / 2;
            one[1] = m * (c + 0.5);
            one[2] = m;
        } else if (pair->kind == DUSK_PAIR_MIXTURE) {
            if (!dusk_mixture_sketch(one, &list->mixture[i], c)) return false;
        } else if (!atoms_sketch(one, pair, c)) {
            return false;
        }
        for (int k = 0; k < 3; k++) out[k] += times_of(pair) * one[k];
    }
    return isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
}

/* Atoms as a tilted law. Mass and loss are taken in the middle of their bounds;
 * both ends are within the errors. */
DUSK_PROVEN(atoms_grid)
static dusk_status atoms_grid(dusk_mixture_grid *grid, const dusk_pair *pair, double c, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double top = -INFINITY, total = 0, off = 0, spread = 0;
    size_t n = pair->atoms, room = (n + 7) / 8 * 8;
    dusk_mixture_grid_free(grid);
    DUSK_NEW(grid->loss, 4 * room);
    grid->mass = grid->loss + room;
    grid->error = grid->mass + room;
    grid->blur = grid->error + room;
    DUSK_NEW(grid->scratch, 4 * room);
    grid->room = grid->count = room;
    grid->c = c;
    for (size_t i = 0; i < n; i++)
        if (pair->mass[i].upper > 0 && c * pair->loss[i].upper > top) top = c * pair->loss[i].upper;
    for (size_t i = 0; i < n; i++) {
        dusk_bound l = pair->loss[i], m = pair->mass[i];
        double middle = l.lower / 2 + l.upper / 2, mass = (m.lower / 2 + m.upper / 2) * exp(c * middle - top);
        if (!(mass > 0)) continue;
        grid->loss[i] = middle;
        grid->error[i] = (l.upper - l.lower) / 2 + 2 * DUSK_UNIT * fabs(middle);
        double relative = (m.upper - m.lower) / (m.upper + m.lower), of_exp = c * grid->error[i];
        of_exp = expm1(1.0001 * (of_exp + 8 * DUSK_UNIT * (fabs(c * middle) + fabs(top)) + 2 * DUSK_LIBM));
        relative += (1 + relative) * of_exp;
        grid->mass[i] = mass;
        total += mass;
        off += mass * relative;
        grid->linear += mass * ((relative + (double)(128 + n / 8) * DUSK_UNIT) * fabs(middle) +
                                (1 + relative) * grid->error[i]);
        spread += mass * fabs(middle);
    }
    for (size_t i = 0; i < n; i++) grid->mass[i] /= total;
    off =
        1.0001 * (off / total + (double)(n + 2) * DUSK_UNIT); /* of the total, the sum's rounding included */
    grid->log_moment = top + log(total);
    grid->log_moment_error = 1.001 * off + DUSK_LIBM * (fabs(grid->log_moment) + fabs(top));
    grid->linear = 1.002 * (grid->linear + off * spread) / total;
    if (!isfinite(grid->log_moment) || !(grid->log_moment_error < 1e-3))
        status = refuse(err, "knows the atoms too poorly");
done:
    return status;
}

/* Where along the line nothing is left: one bound a pair. */
typedef struct plan {
    dusk_decay *decay;         /* of MIXTURE pairs; NULL: not wanted, nor is the frame */
    double gaussian;           /* sum of mu^2, rounded down */
    double variance;           /* sum of T K'', about */
    dusk_mixture_frame *frame; /* of MIXTURE pairs */
} plan;

static double decay_at(const plan *p, const dusk_contour_list *list, double t)
{
    const dusk_pairs *pairs = list->pairs;
    double sum = -p->gaussian * t * t / 2 * (1 - 8 * DUSK_UNIT);
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->pair[i].kind == DUSK_PAIR_MIXTURE)
            sum += times_of(&pairs->pair[i]) * dusk_decay_log_up(&p->decay[i], t) * (1 - 8 * DUSK_UNIT);
    return sum;
}

static double tolerance_for(const dusk_contour_list *list)
{
    return 0x1p-53 / (list->repeats > 16 ? list->repeats : 16);
}

/* sum of T K(c) and how it decays. */
static dusk_status start_line(dusk_contour_line *line, plan *p, const dusk_contour_list *list,
                              dusk_error *err)
{
    const dusk_pairs *pairs = list->pairs;
    dusk_status status = DUSK_OK;
    dusk_mixture_grid grid = { 0 };
    dusk_bound c = dusk_bound_of(line->c), half = dusk_bound_of(0.5);
    line->start = dusk_bound_of(0);
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_bound k, times = dusk_bound_of_whole(pair->times);
        if (pair->kind == DUSK_PAIR_GAUSSIAN) {
            dusk_bound s = dusk_bound_mul(c, dusk_bound_add(c, dusk_bound_of(1)));
            k = dusk_bound_mul(dusk_bound_mul(pair->mu_squared, s), half);
            p->gaussian += pair->mu_squared.lower;
            p->variance += pair->mu_squared.upper;
        } else {
            if (pair->kind == DUSK_PAIR_MIXTURE) {
                DUSK_TRY(dusk_mixture_grid_init(&grid, &list->mixture[i], line->c, 0, tolerance_for(list),
                                                NULL, err));
                if (p->decay) DUSK_TRY(dusk_decay_init(&p->decay[i], &list->mixture[i], &grid, err));
            } else {
                DUSK_TRY(atoms_grid(&grid, pair, line->c, err));
            }
            k.lower = dusk_sub_down(grid.log_moment, grid.log_moment_error);
            k.upper = dusk_add_up(grid.log_moment, grid.log_moment_error);
            p->variance += times_of(pair) * grid.variance;
            if (p->frame) p->frame[i] = (dusk_mixture_frame){ grid.left, grid.right, k.lower };
        }
        /* times k, which may have either sign */
        double low = k.lower < 0 ? times.upper : times.lower, high = k.upper < 0 ? times.lower : times.upper;
        line->start.lower = dusk_add_down(line->start.lower, dusk_mul_down(low, k.lower));
        line->start.upper = dusk_add_up(line->start.upper, dusk_mul_up(high, k.upper));
    }
    if (!(line->start.upper - line->start.lower < 30))
        status = refuse(err, "cannot tell so many repetitions apart");
done:
    dusk_mixture_grid_free(&grid);
    return status;
}

/* How far apart copies of delta must be so that far losses add less than
 * exp(enough) to it, by a Chernoff bound at an abscissa c' > c; which c' needs
 * the least. */
static double choose_period(double *right, const dusk_contour_list *list, double c, double epsilon,
                            double least, double enough)
{
    double best = INFINITY;
    *right = 2 * c;
    for (double gap = 4 * c; gap > c / 1024; gap /= 2) {
        double k[3], at = c + gap;
        if (!dusk_contour_sketch(k, list, at)) continue;
        double chernoff = k[0] - at * epsilon + at * log(at) - (1 + at) * log1p(at);
        double period = (chernoff - enough) / gap;
        if (period > best) break;
        best = period;
        *right = at;
        if (best < least) return least;
    }
    return best;
}

/* Nodes of the line times nodes of the pairs, about: of many pairs some are asked. */
static double work_for(const plan *p, const dusk_contour_list *list, double c, double step, double reach)
{
    const dusk_pairs *pairs = list->pairs;
    size_t stride = pairs->count / 32 + 1, asked = 0;
    double nodes = 0;
    for (size_t i = 0; i < pairs->count; i += stride, asked++) {
        const dusk_pair *pair = &pairs->pair[i];
        const dusk_mixture_frame *f = &p->frame[i];
        if (pair->kind == DUSK_PAIR_MIXTURE)
            nodes += (f->left + f->right) /
                     dusk_mixture_choose_long_step(&list->mixture[i], c, reach, tolerance_for(list), f).step;
        else
            nodes += (double)pair->atoms + 1;
    }
    return (reach / step + 10) * nodes / (double)asked * (double)pairs->count;
}

/* How far apart nodes may be, and up to where they are needed. Where that would
 * be too much work, more is left out. */
static dusk_status lay_out(dusk_contour_line *line, const plan *p, const dusk_contour_list *list,
                           double epsilon, double log_delta, double digits, dusk_error *err)
{
    double c = line->c, spread = sqrt(p->variance + 1 / (c * c)), period;
    period = choose_period(&line->right, list, c, epsilon, fmax((digits - log_delta) / c, 12 * spread),
                           log_delta - digits);
    if (!isfinite(period)) return refuse(err, "finds losses that are too far apart");
    line->step = 2 * M_PI / period;
    /* delta is about exp(start - c epsilon) times this */
    double log_main = -log(c * (c + 1)) - log(spread), top = 0.25 / spread;
    for (double left_out = digits; left_out >= 16 || left_out == digits; left_out -= 2) {
        double most = line->step * (double)COUNT_MAX;
        for (top = 0.25 / spread; top < most; top *= 1.3)
            if (decay_at(p, list, top) - log(M_PI * top) < log_main - left_out) break;
        for (int i = 0; i < 5; i++, top /= 1.045)
            if (!(decay_at(p, list, top / 1.045) - log(M_PI * top) < log_main - left_out)) break;
        double work = work_for(p, list, c, line->step, top);
        if (!(work < (left_out > 31 ? WORK_GOOD : WORK_MAX))) continue;
        line->count = (size_t)ceil(top / line->step);
        if (line->count < 2) line->count = 2;
        line->beyond = decay_at(p, list, (double)line->count * line->step);
        return DUSK_OK;
    }
    return refuse(
        err, "finds a characteristic function that falls too slowly: too few steps, or too rarely taken");
}

/* T (K(s_j) - K(c)) of one pair, added to the line. */
DUSK_PROVEN(add_swept)
static void add_swept(dusk_contour_line *line, const dusk_mixture_grid *grid, double times, const double *re,
                      const double *im)
{
    for (size_t j = 1; j <= line->count; j++) {
        double a = re[j - 1], b = im[j - 1], t = (double)j * line->step;
        /* near 1 the logarithm is that of a square that nothing cancels in; near 0 that square
         * would be nothing but rounding, while 1 + a is exact */
        double square = 2 * a + (a * a + b * b), modulus = hypot(1 + a, b);
        double error = grid->constant + t * grid->linear + 32 * DUSK_UNIT * (fabs(a) + fabs(b));
        if (error < modulus / 2) {
            bool near = DUSK_MUTATE(CONTOUR_MODULUS_BY_SQUARE, square > -0.5, square > -1);
            double log_modulus = near ? log1p(square) / 2 : log(modulus), angle = atan2(b, 1 + a);
            line->re[j] += times * log_modulus;
            line->im[j] += times * angle;
            line->blur[j] += times * (1.0001 * -log1p(-error / modulus) +
                                      2 * DUSK_LIBM * (fabs(log_modulus) + fabs(angle)));
        } else { /* nothing is known but that it is small */
            line->re[j] += times * log(modulus + error);
            line->im[j] = NAN;
            line->blur[j] += times * 2 * DUSK_LIBM * fabs(log(modulus + error));
        }
    }
}

DUSK_PROVEN(add_gaussian)
static void add_gaussian(dusk_contour_line *line, dusk_bound mu_squared)
{
    double m = mu_squared.lower / 2 + mu_squared.upper / 2, off = (mu_squared.upper - mu_squared.lower) / 2;
    for (size_t j = 1; j <= line->count; j++) {
        double t = (double)j * line->step, re = -m * t * t / 2, im = m * t * (line->c + 0.5);
        line->re[j] += re;
        line->im[j] += im;
        line->blur[j] += (8 * DUSK_UNIT + (m > 0 ? off / m : 0)) * (fabs(re) + fabs(im));
    }
}

static dusk_status sweep(dusk_contour_line *line, const plan *p, const dusk_contour_list *list,
                         dusk_error *err)
{
    const dusk_pairs *pairs = list->pairs;
    dusk_status status = DUSK_OK;
    dusk_mixture_grid grid = { 0 };
    double *phi = NULL, reach = (double)line->count * line->step;
    DUSK_NEW(phi, 2 * line->count);
    DUSK_NEW(line->re, 3 * (line->count + 1));
    line->im = line->re + line->count + 1;
    line->blur = line->im + line->count + 1;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        if (pair->kind == DUSK_PAIR_GAUSSIAN) {
            add_gaussian(line, pair->mu_squared);
            continue;
        }
        if (pair->kind == DUSK_PAIR_MIXTURE)
            DUSK_TRY(dusk_mixture_grid_init(&grid, &list->mixture[i], line->c, reach, tolerance_for(list),
                                            &p->frame[i], err));
        else
            DUSK_TRY(atoms_grid(&grid, pair, line->c, err));
        dusk_mixture_sweep(&grid, line->step, line->count, phi, phi + line->count);
        add_swept(line, &grid, times_of(pair), phi, phi + line->count);
    }
    for (size_t j = 1; j <= line->count; j++)
        line->blur[j] += (double)(pairs->count + 4) * DUSK_UNIT *
                         (fabs(line->re[j]) + (isnan(line->im[j]) ? 0 : fabs(line->im[j])));
done:
    dusk_mixture_grid_free(&grid);
    dusk_deallocate(phi);
    return status;
}

/* sum of T K(c') rounded up. */
static dusk_status find_right(dusk_contour_line *line, const dusk_contour_list *list, dusk_error *err)
{
    dusk_contour_line far = { .c = line->right };
    plan p = { 0 };
    dusk_status status = DUSK_OK;
    DUSK_TRY(start_line(&far, &p, list, err));
    line->right_start = far.start.upper;
done:
    return status;
}

/* 1 - product of (1 - p)^T */
static dusk_bound infinite_mass(const dusk_contour_list *list)
{
    const dusk_pairs *pairs = list->pairs;
    dusk_bound log_rest = dusk_bound_of(0);
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        dusk_bound one = { dusk_log1p_down(-dusk_add_up(pair->infinite.upper, list->mixture[i].lost)),
                           dusk_log1p_up(-pair->infinite.lower) };
        dusk_bound times = dusk_bound_of_whole(pair->times);
        log_rest.lower = dusk_add_down(log_rest.lower, dusk_mul_down(times.upper, one.lower));
        log_rest.upper = dusk_add_up(log_rest.upper, one.upper < 0 ? dusk_mul_up(times.lower, one.upper) : 0);
    }
    return dusk_bound_clamp((dusk_bound){ -dusk_expm1_up(log_rest.upper), -dusk_expm1_down(log_rest.lower) });
}

static dusk_status check(const dusk_pairs *pairs, dusk_error *err)
{
    bool smooth = false;
    for (size_t i = 0; i < pairs->count; i++) {
        const dusk_pair *pair = &pairs->pair[i];
        if (pair->folded || pair->kind == DUSK_PAIR_LAPLACE || pair->atoms > ATOMS_MAX)
            return dusk_fail_unsupported(err, "contour", pair->tree);
        if (pair->kind != DUSK_PAIR_ATOMS) smooth = true;
    }
    if (!smooth) return refuse(err, "needs at least one loss with a density");
    return DUSK_OK;
}

DUSK_PROVEN(dusk_contour_line_init)
dusk_status dusk_contour_line_init(dusk_contour_line *line, const dusk_contour_list *list, double c,
                                   double epsilon, double log_delta, double digits, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    plan p = { 0 };
    *line = (dusk_contour_line){ .c = c };
    DUSK_TRY(check(list->pairs, err));
    DUSK_NEW(p.decay, list->pairs->count);
    DUSK_NEW(p.frame, list->pairs->count);
    line->infinite = infinite_mass(list);
    DUSK_TRY(start_line(line, &p, list, err));
    DUSK_TRY(lay_out(line, &p, list, epsilon, log_delta, digits, err));
    DUSK_TRY(find_right(line, list, err));
    DUSK_TRY(sweep(line, &p, list, err));
done:
    dusk_deallocate(p.decay);
    dusk_deallocate(p.frame);
    if (status != DUSK_OK) dusk_contour_line_free(line);
    return status;
}

void dusk_contour_line_free(dusk_contour_line *line)
{
    dusk_deallocate(line->re);
    *line = (dusk_contour_line){ 0 };
}
