/* SPDX-License-Identifier: Apache-2.0 */
/* Enclosures of Mills' ratio M(x) = (1 - Phi(x)) / phi(x): from Laplace's
 * continued fraction [Abramowitz & Stegun 26.2.14] where few of its levels are
 * enough and where e^(x^2/2) would leave MPFR's range, from MPFR's erfc
 * elsewhere. Both are bounds at any precision; the choice is one of speed. */
#include "accounting/mills_ratio.h"

#include <math.h>

#define FRACTION_FROM 64    /* always the fraction: e^(x^2/2) grows too large */
#define FRACTION_LEVELS 250 /* more cost more than erfc */

/* M(x) at one point, rounded `with`:
 * sqrt(pi/2) exp(x^2/2) erfc(x / sqrt 2), all three factors positive. */
DUSK_PROVEN(ratio_at)
static void ratio_at(mpfr_t out, const mpfr_t x, mpfr_rnd_t with)
{
    mpfr_rnd_t against = with == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
    mpfr_t factor, tail;
    mpfr_inits2(mpfr_get_prec(out), factor, tail, (mpfr_ptr)0);
    /* erfc decreases, so its argument goes the other way. */
    mpfr_set_d(tail, 0.5, MPFR_RNDN);
    mpfr_sqrt(tail, tail, mpfr_sgn(x) >= 0 ? against : with);
    mpfr_mul(tail, tail, x, against);
    mpfr_erfc(tail, tail, with);
    mpfr_sqr(factor, x, with);
    mpfr_div_2ui(factor, factor, 1, with);
    mpfr_exp(factor, factor, with);
    mpfr_mul(tail, tail, factor, with);
    mpfr_const_pi(factor, with);
    mpfr_div_2ui(factor, factor, 1, with);
    mpfr_sqrt(factor, factor, with);
    mpfr_mul(out, tail, factor, with);
    mpfr_clears(factor, tail, (mpfr_ptr)0);
}

/* Levels after which the fraction has the precision of x, or too many: level
 * k makes the enclosure u^2/k times narrower, u being near (x + sqrt(x^2 + 4k))/2. */
static unsigned levels_for(const dusk_interval *x)
{
    double at = mpfr_get_d(x->lo, MPFR_RNDD), missing = (double)mpfr_get_prec(x->lo);
    unsigned levels = 0;
    if (!(at > 1)) return FRACTION_LEVELS + 1;
    while (missing > 0 && levels <= FRACTION_LEVELS) {
        levels++;
        double u = (at + sqrt(at * at + 4.0 * levels)) / 2;
        missing -= log2(u / levels * u);
    }
    return levels + 2;
}

/* With I_k = integral over t > x of (t-x)^k phi(t): phi = I_1 + x I_0 and
 * k I_(k-1) = I_(k+1) + x I_k, by parts. So u_k = k I_(k-1) / I_k has
 *     1/M(x) = x + 1/u_1,   u_k = x + (k+1)/u_(k+1),   u_k > 0,
 * and u_n lies in [x, x + (n+1)/x]; each level keeps the enclosure. x.lo > 0. */
DUSK_PROVEN(fraction)
static void fraction(dusk_interval *out, const dusk_interval *x, unsigned levels)
{
    dusk_interval u;
    dusk_interval_init(&u, mpfr_get_prec(out->lo));
    mpfr_set(u.lo, x->lo, MPFR_RNDD);
    mpfr_ui_div(u.hi, levels + 1, x->lo, MPFR_RNDU);
    mpfr_add(u.hi, u.hi, x->hi, MPFR_RNDU);
    for (unsigned k = levels; k >= 1; k--) {
        mpfr_ui_div(u.lo, k, u.lo, MPFR_RNDU);
        mpfr_ui_div(u.hi, k, u.hi, MPFR_RNDD);
        mpfr_swap(u.lo, u.hi);
        dusk_interval_add(&u, &u, x);
    }
    mpfr_ui_div(out->lo, 1, u.hi, MPFR_RNDD);
    mpfr_ui_div(out->hi, 1, u.lo, MPFR_RNDU);
    dusk_interval_clear(&u);
}

DUSK_PROVEN(dusk_mills_ratio)
void dusk_mills_ratio(dusk_interval *out, const dusk_interval *x)
{
    unsigned levels = levels_for(x);
    if (levels <= FRACTION_LEVELS || mpfr_cmp_ui(x->lo, FRACTION_FROM) >= 0) {
        fraction(out, x, levels);
        return;
    }
    mpfr_t lo; /* M decreases; out may be x */
    mpfr_init2(lo, mpfr_get_prec(out->lo));
    ratio_at(lo, x->hi, MPFR_RNDD);
    ratio_at(out->hi, x->lo, MPFR_RNDU);
    mpfr_swap(out->lo, lo);
    mpfr_clear(lo);
}

void dusk_normal_density(dusk_interval *out, const dusk_interval *x)
{
    dusk_interval root;
    dusk_interval_init(&root, mpfr_get_prec(out->lo));
    mpfr_const_pi(root.lo, MPFR_RNDD);
    mpfr_const_pi(root.hi, MPFR_RNDU);
    dusk_interval_scale(&root, &root, 1);
    mpfr_sqrt(root.lo, root.lo, MPFR_RNDD);
    mpfr_sqrt(root.hi, root.hi, MPFR_RNDU);
    dusk_interval_mul(out, x, x);
    dusk_interval_scale(out, out, -1);
    dusk_interval_neg(out, out);
    dusk_interval_exp(out, out);
    dusk_interval_div(out, out, &root);
    dusk_interval_clear(&root);
}

DUSK_PROVEN(dusk_far_tail)
int dusk_far_tail(double sigma, uint64_t s, double epsilon)
{
    mpfr_t m, h;
    mpfr_inits2(640, m, h, (mpfr_ptr)0);
    mpfr_set_d(m, epsilon, MPFR_RNDN);
    mpfr_mul_d(m, m, sigma, MPFR_RNDN);
    mpfr_div_ui(m, m, s, MPFR_RNDN);
    mpfr_set_ui(h, s, MPFR_RNDN);
    mpfr_div_d(h, h, sigma, MPFR_RNDN);
    mpfr_div_2ui(h, h, 1, MPFR_RNDN);
    mpfr_sub(m, m, h, MPFR_RNDN);
    int side = mpfr_cmp_ui(m, 39) > 0 ? 1 : mpfr_cmp_si(m, -39) < 0 ? -1 : 0;
    mpfr_clears(m, h, (mpfr_ptr)0);
    return side;
}
