/* SPDX-License-Identifier: Apache-2.0 */
/* The law of the sum of all losses. Masses are multiplied by exp(theta k) and
 * scaled to about one in all, so that what is asked for lies where most of the
 * mass is; the worse law is the real and the better one the imaginary part of one
 * Fourier transform; powers and products are taken there. Every error is bounded:
 * rounding of the tilted masses (against us, before), of the transforms
 * (fft.proof.md) and of products (after), what wraps around the window
 * (Chernoff's bound at another tilt). The argument is in lattice_sum.proof.md. */
#include <float.h>

#include "accounting/lattice.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/fft.h"

#define INDEX_MAX 0x1p50    /* of a sum */
#define PRODUCT_ERROR 1e-15 /* relative, of a complex product, and of the bound beside it */
#define VANISHED 1e-130     /* what underflow can hide, all in all */
#define SHIFT_BITS 512
#define LITTLE 1e-300 /* a tilted mass that is as good as none */
#define LOG_LITTLE (-692.0)
#define LEAST_MORE (-10000.0L) /* exponent; 16 MORE_MAX more of either sign are still in range */
#define MORE_MAX 64.0

/* One law while it is tilted: w_k = mass_k exp(theta (k - centre) - level). */
typedef struct tilted {
    double theta, centre, level;
    double above, below;                                                /* more tilts */
    long double worse_above, better_above, better_below, worse, better; /* sums of w at those tilts; of w */
} tilted;

/* What belongs to one frequency and its conjugate, at the smaller position. */
typedef struct spectrum {
    double *re, *im;       /* product for the worse law at p, for the better one at the partner */
    double *size, *unsure; /* the truth of both is below `size`, and within size min(1, unsure) */
} spectrum;

/* exp(theta (k - centre) - level) sum of masses is about 1 */
static void choose_level(tilted *t, const dusk_lattice_law *law)
{
    long double sum = 0, first = 0, power = 1, factor = expl(-(long double)t->theta);
    size_t n = law->count;
    for (size_t i = 0; i < n && power > 1e-30L * sum && power > 0; i++, power *= factor) {
        long double term = law->upper[n - 1 - i] * power;
        sum += term;
        first += (long double)i * term;
    }
    t->centre = nearbyint((double)((long double)(n - 1) - first / sum));
    t->level = (double)(logl(sum) + (long double)t->theta * ((long double)(n - 1) - (long double)t->centre));
}

/* A block with next to nothing of the tilted mass, below the centre: `LITTLE` for each of the worse law. */
static void tilt_little(tilted *t, double *re, size_t size, const dusk_lattice_law *law, size_t from,
                        size_t end)
{
    double all = 0;
    for (size_t k = from; k < end; k++) {
        double w = law->upper[k] > 0 ? LITTLE : 0;
        re[k & (size - 1)] += w;
        all += w;
    }
    t->worse += all;
    t->worse_above += all;
}

DUSK_PROVEN(tilt)
static void tilt(tilted *t, double *re, double *im, size_t size, const dusk_lattice_law *law)
{
    size_t block = t->theta < 1 && t->above < 1 && t->below < 1 ? 256 : 16;
    bool lost_above = !(t->above >= 0 && t->above <= MORE_MAX);
    bool lost_below = !(t->below >= 0 && t->below <= MORE_MAX), rising = t->theta >= 0 && t->above >= 0;
    long double factor = expl((long double)t->theta), up = expl((long double)t->above),
                down = expl(-(long double)t->below);
    for (size_t from = 0; from < law->count; from += block) {
        long double away = (long double)from - (long double)t->centre;
        long double x = (long double)t->theta * away - (long double)t->level;
        double slack =
            (8 + 2 * (double)(law->count / size)) * DUSK_ULP + 0x1p-60 * ((double)fabsl(x) + fabs(t->level));
        size_t end = from + block < law->count ? from + block : law->count;
        if (rising && (double)end <= t->centre && slack < 0.5 &&
            x + (long double)t->theta * (long double)block < LOG_LITTLE) {
            tilt_little(t, re, size, law, from, end);
            continue;
        }
        /* Nothing denormal or infinite, which is slow: too small is made larger, too large remembered. */
        long double high = (long double)t->above * away, low = -(long double)t->below * away;
        bool far_above = !(high < -LEAST_MORE), far_below = !(low < -LEAST_MORE);
        long double power = expl(x), more = far_above ? 0 : expl(fmaxl(high, LEAST_MORE)),
                    less = far_below ? 0 : expl(fmaxl(low, LEAST_MORE));
        for (size_t k = from; k < end; k++, power *= factor, more *= up, less *= down) {
            size_t at = k & (size - 1);
            if (law->upper[k] > 0) {
                double w = (double)(law->upper[k] * power) * (1 + slack) + DBL_TRUE_MIN;
                re[at] += w;
                t->worse += w;
                t->worse_above += w * more;
                lost_above |= far_above;
            }
            if (law->lower[k] > 0) {
                double w = (double)(law->lower[k] * power) * (1 - slack);
                if (!(w > DBL_MIN)) continue;
                im[at] += w;
                t->better += w;
                t->better_above += w * more;
                t->better_below += w * less;
                lost_above |= far_above;
                lost_below |= far_below;
            }
        }
    }
    if (lost_above) t->worse_above = t->better_above = INFINITY;
    if (lost_below) t->better_below = INFINITY;
}

/* (re + i im)^n, to (n - 1) roundings of a product; 0 when it is below VANISHED */
static void raise(double *re, double *im, uint64_t n)
{
    double x = *re, y = *im, ar = 1, ai = 0;
    if ((double)n * (1 - (x * x + y * y)) > 660) { /* |x + i y|^n < e^-329 */
        *re = *im = 0;
        return;
    }
    for (;; n >>= 1) {
        if (n & 1) {
            double t = ar * x - ai * y;
            ai = ar * y + ai * x;
            ar = t;
        }
        if (n <= 1) break;
        double t = x * x - y * y;
        y = 2 * x * y;
        x = t;
        if (x * x + y * y < 1e-280) { /* and something above the lowest bit is left */
            ar = ai = 0;
            break;
        }
    }
    *re = ar, *im = ai;
}

/* The factor of one law at one frequency, both laws of it, with |error| <= e. */
DUSK_PROVEN(multiply)
static void multiply(spectrum *s, size_t p, size_t q, double ur, double ui, double lr, double li, uint64_t n,
                     double e)
{
    double times = (double)n, m = sqrt(fmax(ur * ur + ui * ui, lr * lr + li * li)) * (1 + 4 * DUSK_ULP),
           x = 1, size;
    raise(&ur, &ui, n);
    raise(&lr, &li, n);
    if (m >= 100 * e && times * e < m) {
        x = times * e / m;
        size = sqrt(fmax(ur * ur + ui * ui, lr * lr + li * li)) + VANISHED * 1e-3;
        size *= 1 + x + x * x;
    } else {
        size = pow(fmax(m, 100 * e) + e, times);
    }
    s->size[p] *= size * (1 + 2 * (times + 2) * PRODUCT_ERROR);
    s->unsure[p] += x + (times + 2) * PRODUCT_ERROR;
    double ar = s->re[p], ai = s->im[p], br = s->re[q], bi = s->im[q];
    if (p == q) { /* real spectra: the worse law in re, the better one in im */
        s->re[p] = ar * ur;
        s->im[p] = ai * lr;
        return;
    }
    s->re[p] = ar * ur - ai * ui;
    s->im[p] = ar * ui + ai * ur;
    s->re[q] = br * lr - bi * li;
    s->im[q] = br * li + bi * lr;
}

/* The spectrum of one packed law into the product; e bounds the error of re + i im. */
static void absorb(spectrum *s, const double *re, const double *im, size_t size, uint64_t times, double e)
{
    for (size_t p = 0; p < size; p++) {
        size_t q = dusk_fft_partner(p);
        if (q < p) continue;
        if (q == p) {
            multiply(s, p, p, re[p], 0, im[p], 0, times, e);
            continue;
        }
        multiply(s, p, q, 0.5 * (re[p] + re[q]), 0.5 * (im[p] - im[q]), 0.5 * (im[p] + im[q]),
                 0.5 * (re[q] - re[p]), times, e);
    }
}

/* Back to one packed spectrum; the error of the masses that it will give. */
DUSK_PROVEN(pack)
static double pack(double *re, double *im, const spectrum *s, size_t size, double eta)
{
    long double error = 0;
    for (size_t p = 0; p < size; p++) {
        size_t q = dusk_fft_partner(p);
        if (q < p) continue;
        double unsure = fmin(s->unsure[p], 1);
        if (q == p) {
            re[p] = s->re[p];
            im[p] = s->im[p];
            error += s->size[p] * (unsure + 3 * eta);
            continue;
        }
        re[p] = s->re[p] - s->im[q];
        im[p] = s->im[p] + s->re[q];
        re[q] = s->re[p] + s->im[q];
        im[q] = s->re[q] - s->im[p];
        error += 2 * s->size[p] * (unsure + 3 * eta);
    }
    return (double)(error / (long double)size) * (1 + 1e-6) + VANISHED;
}

/* --- the window ---------------------------------------------------------- */

static dusk_status too_long(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "", "the lattice accountant cannot sum that many losses");
}

static dusk_status choose_window(dusk_lattice_sum *sum, unsigned *log_size, const dusk_lattice *lattice,
                                 const dusk_lattice_plan *plan, dusk_error *err)
{
    double step = lattice->step.upper, runs = 0;
    dusk_bound origin = dusk_bound_of(0);
    sum->last = 0;
    for (size_t i = 0; i < lattice->count; i++) {
        const dusk_lattice_law *law = &lattice->law[i];
        dusk_bound times = dusk_bound_of_whole(law->times), o = law->origin;
        sum->last += (double)law->times * (double)(law->count - 1);
        runs += (double)law->times;
        origin.upper =
            dusk_add_up(origin.upper, dusk_mul_up(o.upper > 0 ? times.upper : times.lower, o.upper));
        origin.lower =
            dusk_add_down(origin.lower, dusk_mul_down(o.lower > 0 ? times.lower : times.upper, o.lower));
    }
    if (!(runs * PRODUCT_ERROR < 0.01)) return too_long(err);
    if (!(sum->last < INDEX_MAX) || !isfinite(origin.lower) || !isfinite(origin.upper)) return too_long(err);
    double from = fmax(floor((plan->bottom - origin.upper) / step) - 2, 0);
    double to = fmin(ceil((plan->top - origin.upper) / step) + 2, sum->last);
    if (!(to >= from)) to = from;
    for (*log_size = 4; *log_size <= DUSK_LATTICE_LOG_MAX && to - from + 1 > ldexp(1, (int)*log_size);)
        ++*log_size;
    if (*log_size > DUSK_LATTICE_LOG_MAX) return too_long(err);
    sum->size = (size_t)1 << *log_size;
    double spare = (double)sum->size - (to - from + 1);
    sum->first = fmax(fmin(from - floor(spare / 2), sum->last + 1 - (double)sum->size), 0);
    sum->origin = origin;
    sum->step = lattice->step;
    return DUSK_OK;
}

/* Chernoff's bound: product of `moments` to the times, over exp(tilt distance). */
typedef struct exponent {
    double value, sizes;
} exponent;

static void exponent_add(exponent *x, double factor, long double moment)
{
    double term = moment > 0 ? factor * (double)logl(moment) : factor > 0 ? -INFINITY : 0;
    x->value += term;
    x->sizes += fabs(term) + 0.2 * fabs(factor); /* moments are right to 1e-13 */
}

static double exponent_bound(exponent x)
{
    double bound = exp(x.value + 1e-12 * x.sizes + 1e-6);
    return bound >= 0 ? bound : INFINITY; /* not a number: no bound */
}

/* 1 - (1 - infinite)^times over all laws, and for the better laws, which may have
 * less than mass 1, the mass with any infinite loss. */
static dusk_bound infinite_of(const dusk_lattice *lattice)
{
    double up = 0, finite = 0, ratio = 0;
    for (size_t i = 0; i < lattice->count; i++) {
        const dusk_lattice_law *law = &lattice->law[i];
        dusk_bound times = dusk_bound_of_whole(law->times);
        if (law->infinite.upper >= 1)
            up = INFINITY;
        else
            up = dusk_add_up(up, dusk_mul_up(times.upper, -dusk_log1p_down(-law->infinite.upper)));
        double mass = 0;
        for (size_t k = 0; k < law->count; k++) mass += law->lower[k];
        mass = fmin(mass * (1 - 2 * (double)law->count * DUSK_ULP), 1);
        if (!(mass > 0)) mass = 0;
        finite = dusk_add_down(finite, dusk_mul_down(times.upper, dusk_log_down(mass)));
        if (mass > 0)
            ratio = dusk_add_down(
                ratio, dusk_mul_down(times.lower, dusk_log1p_down(dusk_div_down(law->infinite.lower, mass))));
    }
    double none = dusk_exp_down(finite), any = none > 0 ? dusk_mul_down(none, dusk_expm1_down(ratio)) : 0;
    return (dusk_bound){ any > 0 ? fmin(any, 1) : 0, isinf(up) ? 1 : fmin(-dusk_expm1_down(-up), 1) };
}

/* --- all ----------------------------------------------------------------- */

static void spectrum_free(spectrum *s)
{
    dusk_deallocate(s->re);
    dusk_deallocate(s->im);
    dusk_deallocate(s->size);
    dusk_deallocate(s->unsure);
}

static dusk_status spectrum_new(spectrum *s, size_t size, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(s->re, size);
    DUSK_NEW(s->im, size);
    DUSK_NEW(s->size, size);
    DUSK_NEW(s->unsure, size);
    for (size_t p = 0; p < size; p++) {
        s->re[p] = s->size[p] = 1;
        s->im[p] = dusk_fft_partner(p) == p ? 1 : 0;
    }
done:
    return status;
}

void dusk_lattice_sum_free(dusk_lattice_sum *sum)
{
    dusk_deallocate(sum->upper);
    dusk_deallocate(sum->lower);
    sum->upper = sum->lower = NULL;
    mpfr_clear(sum->shift);
}

/* times (level + theta centre): exact in SHIFT_BITS bits */
static void add_shift(mpfr_t shift, const tilted *t, uint64_t times)
{
    mpfr_t x;
    mpfr_init2(x, SHIFT_BITS);
    mpfr_set_d(x, t->theta, MPFR_RNDN);
    mpfr_mul_d(x, x, t->centre, MPFR_RNDN);
    mpfr_add_d(x, x, t->level, MPFR_RNDN);
    mpfr_mul_ui(x, x, (unsigned long)times, MPFR_RNDN);
    mpfr_add(shift, shift, x, MPFR_RNDN);
    mpfr_clear(x);
}

DUSK_PROVEN(dusk_lattice_sum_make)
dusk_status dusk_lattice_sum_make(dusk_lattice_sum *out, const dusk_lattice *lattice,
                                  const dusk_lattice_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fft fft = { 0 };
    spectrum product = { 0 };
    unsigned log_size = 0;
    exponent worse_above = { 0 }, better_above = { 0 }, better_below = { 0 }, all = { 0 };
    double centre = 0;
    *out = (dusk_lattice_sum){ 0 };
    mpfr_init2(out->shift, SHIFT_BITS);
    mpfr_set_zero(out->shift, 1);
    DUSK_TRY(choose_window(out, &log_size, lattice, plan, err));
    size_t size = out->size;
    double eta = dusk_fft_error_up(log_size), step = lattice->step.upper;
    DUSK_TRY(dusk_fft_new(&fft, log_size, err));
    DUSK_TRY(spectrum_new(&product, size, err));
    DUSK_NEW(out->upper, size);
    DUSK_NEW(out->lower, size);
    out->theta = plan->tilt * step;
    for (size_t i = 0; i < lattice->count; i++) {
        const dusk_lattice_law *law = &lattice->law[i];
        tilted t = { .theta = out->theta, .above = plan->above * step, .below = plan->below * step };
        double times = (double)law->times;
        choose_level(&t, law);
        if (!isfinite(t.level)) DUSK_TRY(too_long(err));
        for (size_t p = 0; p < size; p++) out->upper[p] = out->lower[p] = 0;
        tilt(&t, out->upper, out->lower, size, law);
        exponent_add(&all, times, t.worse);
        exponent_add(&worse_above, times, t.worse_above);
        exponent_add(&better_above, times, t.better_above);
        exponent_add(&better_below, times, t.better_below);
        centre += times * t.centre;
        add_shift(out->shift, &t, law->times);
        dusk_fft_forward(&fft, out->upper, out->lower);
        double e = (eta + 4 * DUSK_ULP) * (double)(t.worse + t.better) * (1 + 1e-9);
        absorb(&product, out->upper, out->lower, size, law->times, e);
    }
    out->error = pack(out->upper, out->lower, &product, size, eta);
    out->error = DUSK_MUTATE(LATTICE_ERROR_DROPPED, out->error, 0.0);
    dusk_fft_inverse(&fft, out->upper, out->lower);
    out->infinite = infinite_of(lattice);
    out->all = exponent_bound(all);
    if (out->first + (double)size <= out->last) {
        double distance = -plan->above * step * (out->first + (double)size - centre);
        exponent_add(&worse_above, distance, M_E);
        exponent_add(&better_above, distance, M_E);
        out->beyond = exponent_bound(worse_above);
        out->outside = exponent_bound(better_above);
    }
    if (out->first > 0) {
        exponent_add(&better_below, plan->below * step * (out->first - 1 - centre), M_E);
        out->outside += exponent_bound(better_below);
    }
done:
    dusk_fft_free(&fft);
    spectrum_free(&product);
    if (status != DUSK_OK) dusk_lattice_sum_free(out);
    return status;
}
