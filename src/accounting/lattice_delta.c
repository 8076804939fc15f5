/* SPDX-License-Identifier: Apache-2.0 */
/* delta at epsilon of a tilted sum. With d_n = d_0 + n step the distance of a
 * loss from epsilon,
 *     delta = exp(shift - theta K_0) sum_n w_n exp(-theta n) (1 - exp(-d_n))
 * over the losses above epsilon. Blocks share their powers; all terms are
 * positive, so nothing cancels. */
#include <float.h>

#include "accounting/lattice.h"
#include "base/mutant.h"

#define BLOCK 256
#define SUM_ERROR 4e-13 /* relative, of the sum below: lattice_delta.proof.md */
#define LEAST 1e-300    /* what underflow can do to it: less than a 1e-16th of that */

/* exp(shift - theta index) */
static double untilt(const dusk_lattice_sum *sum, double index, mpfr_rnd_t round)
{
    mpfr_t x;
    mpfr_init2(x, mpfr_get_prec(sum->shift));
    mpfr_set_d(x, DUSK_MUTATE(LATTICE_TILT_MISMATCH, -sum->theta, -sum->theta * (1 + 1e-9)), MPFR_RNDN);
    mpfr_mul_d(x, x, index, MPFR_RNDN);
    mpfr_add(x, x, sum->shift, MPFR_RNDN);
    mpfr_exp(x, x, round);
    double result = mpfr_get_d(x, round);
    mpfr_clear(x);
    return result;
}

/* Sum of w_n exp(-theta n) (1 - exp(-d_n)), n = 0 .. count - 1, w_n moved by
 * `move` and not negative; to SUM_ERROR, but for what is left out: *rest. */
static double weigh(const dusk_lattice_sum *sum, const double *w, size_t from, size_t count, double nearest,
                    double step, double move, double *rest)
{
    double power[BLOCK], part[BLOCK];
    long double total = 0;
    size_t mask = sum->size - 1;
    *rest = 0;
    for (size_t n = 0; n < BLOCK; n++) {
        power[n] = exp(-sum->theta * (double)n);
        part[n] = -expm1(-step * (double)n);
    }
    for (size_t n = 0; n < count; n += BLOCK) {
        double scale = exp(-sum->theta * (double)n), all = -expm1(-(nearest + step * (double)n));
        double flat = 0, rising = 0;
        if (scale < 1e-300) {
            *rest = scale;
            break;
        }
        size_t end = count - n < BLOCK ? count - n : BLOCK;
        for (size_t j = 0; j < end; j++) {
            double m = w[(from + n + j) & mask] + move;
            m = m > 0 ? m * power[j] : 0;
            flat += m;
            rising += m * part[j];
        }
        total += (long double)scale * ((long double)all * flat + (long double)(1 - all) * rising);
    }
    return (double)total;
}

/* The first index of the window whose loss (origin + K step) is above epsilon. */
static double first_above(const dusk_lattice_sum *sum, double epsilon, double origin, double step)
{
    double k = floor((epsilon - origin) / step) - 1;
    if (!(k > sum->first)) k = sum->first;
    double end = fmin(sum->last + 1, sum->first + (double)sum->size);
    while (k < end && !(origin + k * step > epsilon)) k++;
    return k;
}

/* Rounding may have taken the index before for one that is not above epsilon:
 * what it would add, by hardly any distance. */
static double almost_above(const dusk_lattice_sum *sum, double index, double epsilon)
{
    double loss = dusk_add_up(sum->origin.upper, dusk_mul_up(index, sum->step.upper));
    double distance = dusk_sub_up(loss, epsilon);
    double w = sum->upper[(size_t)index & (sum->size - 1)] + sum->error;
    if (!(distance > 0 && w > 0)) return 0;
    return dusk_mul_up(dusk_mul_up(untilt(sum, index, MPFR_RNDU), w), distance);
}

DUSK_PROVEN(dusk_lattice_sum_delta_up)
double dusk_lattice_sum_delta_up(const dusk_lattice_sum *sum, double epsilon)
{
    double origin = sum->origin.upper, step = sum->step.upper, delta = sum->infinite.upper, rest;
    double from = first_above(sum, epsilon, origin, step);
    double end = fmin(sum->last + 1, sum->first + (double)sum->size);
    /* losses below the window are above epsilon, too */
    if (DUSK_MUTATE(LATTICE_BELOW_WINDOW_FORGOTTEN, from <= sum->first && sum->first > 0, false)) return 1;
    if (from > sum->first && from <= end) delta = dusk_add_up(delta, almost_above(sum, from - 1, epsilon));
    if (from < end) {
        double nearest = dusk_sub_up(dusk_add_up(origin, dusk_mul_up(from, step)), epsilon);
        double total = weigh(sum, sum->upper, (size_t)from & (sum->size - 1), (size_t)(end - from), nearest,
                             step, sum->error, &rest);
        /* what was left out, and what underflowed */
        total = total * (1 + SUM_ERROR) + (rest + LEAST) * (1 + sum->all + (double)sum->size * sum->error);
        delta = dusk_add_up(delta, dusk_mul_up(untilt(sum, from, MPFR_RNDU), total));
    }
    /* Beyond the window; the losses there may be above epsilon. */
    if (sum->beyond > 0) {
        double past = dusk_mul_up(untilt(sum, sum->first + (double)sum->size, MPFR_RNDU), sum->beyond);
        delta = dusk_add_up(delta, DUSK_MUTATE(LATTICE_TAIL_FORGOTTEN, past, 0.0));
    }
    return delta <= 1 ? delta : 1;
}

DUSK_PROVEN(dusk_lattice_sum_delta_down)
double dusk_lattice_sum_delta_down(const dusk_lattice_sum *sum, double epsilon)
{
    double origin = sum->origin.lower, step = sum->step.lower, delta = sum->infinite.lower, rest, nearest;
    double from = first_above(sum, epsilon, origin, step) - 1;
    double end = fmin(sum->last + 1, sum->first + (double)sum->size);
    do nearest = dusk_sub_down(dusk_add_down(origin, dusk_mul_down(++from, step)), epsilon);
    while (nearest < 0 && from < end);
    if (!(from < end)) return delta;
    double total = weigh(sum, sum->lower, (size_t)from & (sum->size - 1), (size_t)(end - from), nearest, step,
                         -sum->error, &rest);
    /* what was wrapped around is among the masses, weighed 1/(1 + c) at most */
    double alias = sum->outside * fmin(1, exp(sum->theta) / (1 + sum->theta / step) * 1.01);
    total = total * (1 - SUM_ERROR) - DUSK_MUTATE(LATTICE_ALIAS_FORGOTTEN, alias, 0.0);
    if (!(total > LEAST)) return delta;
    delta = dusk_add_down(delta, dusk_mul_down(untilt(sum, from, MPFR_RNDD), total));
    return delta <= 1 ? delta : 1;
}
