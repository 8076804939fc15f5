/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of runs by inversion: K is the least k whose distribution function
 * F(k) exceeds a uniform number v. Terms and sums are enclosed outward and v has
 * lazily drawn digits; when both ends of what is known do not give the same k,
 * more digits are drawn at a higher precision (dusk_real_floor). Proof:
 * runs.proof.md. */
#include "random/noise_runs.h"

#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/real.h"
#include "random/lazy.h"

/* --- the law, term by term ---------------------------------------------------------- */

/* P(k), and what takes it to P(k + 1). */
typedef struct walk {
    const dusk_runs *runs;
    uint64_t k;
    dusk_interval term, sum; /* P(k), and F(k) once added */
    dusk_interval keep, x;   /* 1 - gamma or mu; scratch */
} walk;

/* eta / (gamma^-eta - 1), 1 / ln(1/gamma) for eta = 0, times 1 - gamma. */
static void first_term(walk *w)
{
    double eta = w->runs->eta;
    dusk_interval_set(&w->term, w->runs->gamma);
    if (eta == 1) return; /* gamma itself */
    dusk_interval_log(&w->term, &w->term);
    dusk_interval_neg(&w->term, &w->term);
    if (eta != 0) {
        dusk_interval_set(&w->x, eta);
        dusk_interval_mul(&w->term, &w->term, &w->x);
        dusk_interval_expm1(&w->term, &w->term);
        dusk_interval_div(&w->term, &w->x, &w->term);
    } else {
        dusk_interval_set(&w->x, 1);
        dusk_interval_div(&w->term, &w->x, &w->term);
    }
    dusk_interval_mul(&w->term, &w->term, &w->keep);
}

static void walk_start(walk *w, const dusk_runs *runs, mpfr_prec_t precision)
{
    w->runs = runs;
    dusk_interval_init(&w->term, precision);
    dusk_interval_init(&w->sum, precision);
    dusk_interval_init(&w->keep, precision);
    dusk_interval_init(&w->x, precision);
    dusk_interval_set(&w->sum, 0);
    if (runs->kind == DUSK_RUNS_POISSON) {
        w->k = 0;
        dusk_interval_set(&w->keep, runs->mu);
        dusk_interval_neg(&w->term, &w->keep);
        dusk_interval_exp(&w->term, &w->term);
    } else {
        w->k = 1;
        dusk_interval_set(&w->keep, 1);
        dusk_interval_set(&w->x, runs->gamma);
        dusk_interval_sub(&w->keep, &w->keep, &w->x);
        first_term(w);
    }
    dusk_interval_add(&w->sum, &w->sum, &w->term);
}

/* P(k + 1) = P(k) mu / (k + 1), or P(k) (1 - gamma) (k + eta) / (k + 1). */
static void walk_step(walk *w)
{
    if (w->runs->kind == DUSK_RUNS_NEGATIVE_BINOMIAL && w->runs->eta != 1) {
        dusk_interval eta;
        dusk_interval_init(&eta, mpfr_get_prec(w->x.lo));
        dusk_interval_set(&eta, w->runs->eta);
        dusk_interval_set_int(&w->x, w->k);
        dusk_interval_add(&w->x, &w->x, &eta);
        dusk_interval_mul(&w->term, &w->term, &w->x);
        dusk_interval_clear(&eta);
    }
    w->k++;
    dusk_interval_mul(&w->term, &w->term, &w->keep);
    if (w->runs->kind == DUSK_RUNS_POISSON || w->runs->eta != 1) {
        dusk_interval_set_int(&w->x, w->k);
        dusk_interval_div(&w->term, &w->term, &w->x);
    }
    dusk_interval_add(&w->sum, &w->sum, &w->term);
}

static void walk_end(walk *w)
{
    dusk_interval_clear(&w->term);
    dusk_interval_clear(&w->sum);
    dusk_interval_clear(&w->keep);
    dusk_interval_clear(&w->x);
}

/* Whether further terms can no longer move the sum at this precision. They fall by
 * then: they do from the largest one on, which is not as small. */
static bool is_spent(const walk *w)
{
    long precision = (long)mpfr_get_prec(w->sum.lo);
    return mpfr_cmp_d(w->sum.lo, 0.5) > 0 &&
           mpfr_cmp_ui_2exp(w->term.hi, 1, (mpfr_exp_t)(-2 * precision)) < 0;
}

/* --- inversion ------------------------------------------------------------------------ */

typedef struct inversion {
    const dusk_runs *runs;
    dusk_lazy v;
    dusk_generator *gen;
} inversion;

/* [least k that v may have, largest k that it may have], as far as digits and
 * precision say. */
static void invert(const dusk_runs *runs, const dusk_interval *v, dusk_interval *out)
{
    walk w;
    bool least = false;
    walk_start(&w, runs, mpfr_get_prec(out->lo));
    mpfr_set_inf(out->hi, 1);
    for (;; walk_step(&w)) {
        if (!least && mpfr_greater_p(w.sum.hi, v->lo)) {
            mpfr_set_ui(out->lo, w.k, MPFR_RNDD);
            least = true;
        }
        bool enough = mpfr_greater_p(w.sum.lo, v->hi);
        if (enough) mpfr_set_ui(out->hi, w.k, MPFR_RNDU);
        if (enough || is_spent(&w)) break;
    }
    if (!least) mpfr_set_ui(out->lo, w.k, MPFR_RNDD);
    walk_end(&w);
}

static dusk_status enclose_runs(void *real, dusk_interval *out, dusk_error *err)
{
    inversion *in = real;
    dusk_interval v;
    dusk_status status;
    dusk_interval_init(&v, mpfr_get_prec(out->lo));
    DUSK_TRY(dusk_lazy_refine(&in->v, in->gen, err));
    dusk_lazy_enclose(&in->v, &v);
    invert(in->runs, &v, out);
done:
    dusk_interval_clear(&v);
    return status;
}

DUSK_PROVEN(dusk_runs_draw)
dusk_status dusk_runs_draw(const dusk_runs *runs, uint64_t *out, unsigned width, dusk_generator *gen,
                           dusk_error *err)
{
    inversion in = { .runs = runs, .gen = gen };
    dusk_int128 k;
    dusk_status status;
    dusk_lazy_init(&in.v, width);
    DUSK_TRY(dusk_real_floor(&k, enclose_runs, &in, err));
    *out = (uint64_t)DUSK_MUTATE(RUNS_ONE_MORE, k, k + 1);
done:
    dusk_lazy_clear(&in.v);
    return status;
}

/* --- what is known beforehand ------------------------------------------------------------ */

DUSK_PROVEN(dusk_runs_at_most)
uint64_t dusk_runs_at_most(const dusk_runs *runs, double tail)
{
    walk w;
    dusk_interval rest;
    mpfr_prec_t precision = 64 + (mpfr_prec_t)fmax(-log2(tail), 0);
    dusk_interval_init(&rest, precision);
    dusk_interval_set(&rest, tail);
    walk_start(&w, runs, precision);
    dusk_interval_set(&w.x, 1);
    dusk_interval_sub(&rest, &w.x, &rest);
    while (mpfr_less_p(w.sum.lo, rest.hi) && !is_spent(&w)) walk_step(&w);
    bool found = mpfr_greaterequal_p(w.sum.lo, rest.hi);
    uint64_t k = (uint64_t)w.k;
    walk_end(&w);
    dusk_interval_clear(&rest);
    return found ? k : UINT64_MAX;
}

/* The upper end of an enclosure, which is not needed any more. */
static double take_upper(dusk_interval *a, dusk_interval *b)
{
    double x = mpfr_get_d(a->hi, MPFR_RNDU);
    dusk_interval_clear(a);
    dusk_interval_clear(b);
    return x;
}

enum { PRECISION = 256 };

DUSK_PROVEN(dusk_runs_mean_up)
double dusk_runs_mean_up(const dusk_runs *runs)
{
    dusk_interval a, b;
    if (runs->kind == DUSK_RUNS_POISSON) return runs->mu;
    dusk_interval_init(&a, PRECISION);
    dusk_interval_init(&b, PRECISION);
    dusk_interval_set(&a, runs->gamma);
    dusk_interval_log(&a, &a);
    if (runs->eta != 0) { /* (gamma^eta - 1) / eta */
        dusk_interval_set(&b, runs->eta);
        dusk_interval_mul(&a, &a, &b);
        dusk_interval_expm1(&a, &a);
        dusk_interval_div(&a, &a, &b);
    }
    dusk_interval_set(&b, runs->gamma);
    dusk_interval_mul(&a, &a, &b);
    dusk_interval_neg(&a, &a);
    dusk_interval_set(&b, 1);
    dusk_interval_div(&a, &b, &a); /* 1 / (gamma (1 - gamma^eta) / eta) */
    dusk_interval_mul(&b, &a, &b);
    dusk_interval_set(&a, runs->gamma);
    dusk_interval_mul(&a, &a, &b);
    dusk_interval_sub(&a, &b, &a); /* times 1 - gamma */
    return take_upper(&a, &b);
}

/* ln(1 - (1 - gamma) x), then (exp(-eta .) - 1) / -eta of it. */
static void power_part(dusk_interval *out, dusk_interval *scratch, const dusk_runs *runs, double x)
{
    dusk_interval_set(out, runs->gamma);
    dusk_interval_set(scratch, 1);
    dusk_interval_sub(out, scratch, out);
    dusk_interval_set(scratch, x);
    dusk_interval_mul(out, out, scratch);
    dusk_interval_set(scratch, 1);
    dusk_interval_sub(out, scratch, out);
    dusk_interval_log(out, out);
    if (runs->eta == 0) return;
    dusk_interval_set(scratch, -runs->eta);
    dusk_interval_mul(out, out, scratch);
    dusk_interval_expm1(out, out);
    dusk_interval_div(out, out, scratch);
}

DUSK_PROVEN(dusk_runs_power_up)
double dusk_runs_power_up(const dusk_runs *runs, double x)
{
    dusk_interval a, b, c;
    dusk_interval_init(&a, PRECISION);
    dusk_interval_init(&b, PRECISION);
    if (runs->kind == DUSK_RUNS_POISSON) {
        dusk_interval_set(&a, x);
        dusk_interval_set(&b, 1);
        dusk_interval_sub(&a, &a, &b);
        dusk_interval_set(&b, runs->mu);
        dusk_interval_mul(&a, &a, &b);
        dusk_interval_exp(&a, &a);
        return take_upper(&a, &b);
    }
    dusk_interval_init(&c, PRECISION);
    power_part(&a, &c, runs, x);
    power_part(&b, &c, runs, 1);
    dusk_interval_div(&a, &a, &b);
    dusk_interval_clear(&c);
    return take_upper(&a, &b);
}
