/* SPDX-License-Identifier: Apache-2.0 */
/* What sampling does to a dominating pair (P, Q), taking the unit with chance q:
 *   REMOVE  ((1-q) Q + q P, Q)      ADD  (P, (1-q) P + q Q)
 * [Zhu, Dong & Wang 2022, Theorem 11; in both, Q and P are the base's pair in
 * that direction]; fixed-size samples under replacement [Balle, Barthe &
 * Gaboardi 2018, Theorem 9]; groups and draws with replacement for Gaussian
 * noise. The derivations are in pair_sampling.proof.md. */
#include <float.h>
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/pair_make.h"
#include "base/memory.h"
#include "base/mutant.h"

#define BITS 256

/* ln(1 + q (e^l - 1)), which increases in l, and in q where l > 0. */
static double sampled_loss(double q, double l, bool up)
{
    if (isinf(l)) return l > 0 ? l : up ? dusk_log1p_up(-q) : dusk_log1p_down(-q);
    if (l < 1) {
        double e = up ? dusk_expm1_up(l) : dusk_expm1_down(l);
        return up ? dusk_log1p_up(dusk_mul_up(q, e)) : dusk_log1p_down(dusk_mul_down(q, e));
    }
    /* l + ln(1 - (1-q)(1 - e^-l)): nothing overflows */
    double e = up ? -dusk_expm1_up(-l) : -dusk_expm1_down(-l);
    double cut = up ? dusk_mul_down(dusk_sub_down(1, q), e) : dusk_mul_up(dusk_sub_up(1, q), e);
    return up ? dusk_add_up(l, dusk_log1p_up(-cut)) : dusk_add_down(l, dusk_log1p_down(-cut));
}

static dusk_bound sample_loss(dusk_bound q, dusk_bound l)
{
    return (dusk_bound){ sampled_loss(l.lower > 0 ? q.lower : q.upper, l.lower, false),
                         sampled_loss(l.upper > 0 ? q.upper : q.lower, l.upper, true) };
}

/* m (q + (1-q) e^-l) */
static dusk_bound sample_mass(dusk_bound q, dusk_bound l, dusk_bound m)
{
    dusk_bound other = dusk_bound_exp(dusk_bound_neg(l));
    dusk_bound rest = dusk_bound_sub(dusk_bound_of(1), q);
    if (isinf(other.upper)) { /* far below -700: m e^-l is a mass of Q, 1 at most */
        dusk_bound all = { 0, 1 };
        return all;
    }
    return dusk_bound_clamp(dusk_bound_mul(m, dusk_bound_add(q, dusk_bound_mul(rest, other))));
}

/* The new law in place of the old one. */
static void adopt(dusk_pair *pair, dusk_pair *made)
{
    dusk_deallocate(pair->loss);
    dusk_deallocate(pair->mass);
    pair->loss = made->loss;
    pair->mass = made->mass;
    pair->atoms = made->atoms;
    pair->infinite = made->infinite;
    pair->absent = made->absent;
    pair->absent_at = made->absent_at;
    pair->lattice = pair->shuffled = false;
    if (made->atoms == 2) {
        pair->origin = pair->loss[0];
        pair->step = dusk_bound_sub(pair->loss[1], pair->loss[0]);
        pair->lattice = pair->step.lower > 0;
    }
    dusk_atoms_finish(pair);
}

static void sample_remove(dusk_pair *made, const dusk_pair *pair, dusk_bound q)
{
    dusk_bound rest = dusk_bound_sub(dusk_bound_of(1), q);
    size_t n = 0;
    if (pair->absent.upper > 0) {
        dusk_bound at = { -INFINITY, pair->absent_at };
        made->loss[n] = sample_loss(q, at);
        made->mass[n++] = dusk_bound_mul(rest, pair->absent);
    }
    for (size_t i = 0; i < pair->atoms; i++, n++) {
        made->loss[n] = sample_loss(q, pair->loss[i]);
        made->mass[n] = sample_mass(q, pair->loss[i], pair->mass[i]);
    }
    made->atoms = n;
    made->infinite = dusk_bound_mul(q, pair->infinite);
    /* masses that were only counted as infinite have a trace in Q, below every double */
    if (pair->infinite.upper > 0) made->infinite.upper = dusk_add_up(made->infinite.upper, DBL_TRUE_MIN);
}

static void sample_add(dusk_pair *made, const dusk_pair *pair, dusk_bound q)
{
    size_t n = 0;
    for (; n < pair->atoms; n++) {
        made->loss[n] = dusk_bound_neg(sample_loss(q, dusk_bound_neg(pair->loss[n])));
        made->mass[n] = pair->mass[n];
    }
    if (pair->infinite.upper > 0) {
        made->loss[n] = dusk_bound_neg(sample_loss(q, dusk_bound_of(-INFINITY)));
        made->mass[n++] = pair->infinite;
    }
    made->atoms = n;
    made->absent = dusk_bound_mul(q, pair->absent);
    made->absent_at = -sampled_loss(pair->absent_at < 0 ? q.lower : q.upper, -pair->absent_at, false);
}

DUSK_PROVEN(dusk_atoms_sample)
dusk_status dusk_atoms_sample(dusk_pair *pair, dusk_bound rate, dusk_direction direction, dusk_error *err)
{
    dusk_pair made = { 0 };
    dusk_status status = dusk_atoms_new(&made, pair->atoms + 1, err);
    if (status != DUSK_OK) return status;
    if (direction == DUSK_MUTATE(SAMPLED_SIDES_SWAPPED, DUSK_REMOVE, DUSK_ADD))
        sample_remove(&made, pair, rate);
    else
        sample_add(&made, pair, rate);
    adopt(pair, &made);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_atoms_reveal)
dusk_status dusk_atoms_reveal(dusk_pair *pair, dusk_bound rate, dusk_error *err)
{
    dusk_pair made = { 0 };
    dusk_status status = dusk_atoms_new(&made, pair->atoms + 1, err);
    if (status != DUSK_OK) return status;
    dusk_bound rest = dusk_bound_sub(dusk_bound_of(1), rate);
    size_t n = 0, i = 0;
    for (; i < pair->atoms && pair->loss[i].upper < 0; i++, n++) {
        made.loss[n] = pair->loss[i];
        made.mass[n] = dusk_bound_mul(rate, pair->mass[i]);
    }
    made.mass[n++] = rest; /* at 0; finish() puts ends in order */
    for (; i < pair->atoms; i++, n++) {
        made.loss[n] = pair->loss[i];
        made.mass[n] = dusk_bound_mul(rate, pair->mass[i]);
    }
    made.atoms = n;
    made.infinite = dusk_bound_mul(rate, pair->infinite);
    made.absent = dusk_bound_mul(rate, pair->absent);
    made.absent_at = pair->absent_at;
    adopt(pair, &made);
    pair->tight = false;
    return DUSK_OK;
}

/* m e^-l for l >= 0 */
static dusk_bound mirrored(dusk_bound l, dusk_bound m)
{
    return dusk_bound_mul(m,
                          dusk_bound_exp(DUSK_MUTATE(FOLD_KEEPS_MASS, dusk_bound_neg(l), dusk_bound_of(0))));
}

DUSK_PROVEN(dusk_atoms_fold)
dusk_status dusk_atoms_fold(dusk_pair *pair, dusk_error *err)
{
    dusk_pair made = { 0 };
    size_t first = 0;
    while (first < pair->atoms && !(pair->loss[first].upper > 0)) first++;
    size_t above = pair->atoms - first;
    dusk_status status = dusk_atoms_new(&made, 2 * above + 1, err);
    if (status != DUSK_OK) return status;
    dusk_bound rest = dusk_bound_sub(dusk_bound_of(1), pair->infinite);
    for (size_t i = 0; i < above; i++) {
        dusk_bound l = pair->loss[first + i], m = pair->mass[first + i];
        if (l.lower < 0) l.lower = 0;
        made.loss[above + 1 + i] = l;
        made.mass[above + 1 + i] = m;
        made.loss[above - 1 - i] = dusk_bound_neg(l);
        made.mass[above - 1 - i] = mirrored(l, m);
        rest = dusk_bound_sub(rest, dusk_bound_add(m, mirrored(l, m)));
    }
    if (rest.lower < 0) rest.lower = 0;
    if (rest.upper < 0) rest.upper = 0;
    made.mass[above] = rest;
    made.infinite = made.absent = pair->infinite;
    adopt(pair, &made);
    if (pair->atoms == 3 && pair->loss[2].lower > 0) { /* -l, 0, l */
        pair->lattice = true;
        pair->origin = pair->loss[0];
        pair->step = dusk_bound_neg(pair->loss[0]);
    }
    return DUSK_OK;
}

/* sigma = 1/mu, exact or rounded down, which is more distance: then not tight. */
static void settle_sigma(dusk_pair *pair)
{
    if (pair->sigma > 0) return;
    pair->sigma = dusk_div_down(1, dusk_sqrt_up(pair->mu_squared.upper));
    pair->tight = false;
}

void dusk_gaussian_sample(dusk_pair *pair, double rate, dusk_direction direction)
{
    settle_sigma(pair);
    pair->kind = DUSK_PAIR_MIXTURE;
    pair->direction = direction;
    pair->shifts = 1;
    pair->weight[0] = 0;
    pair->weight[1] = rate;
    pair->infinite = dusk_bound_of(0);
}

/* weight[j] = C(count, j) q^j (1-q)^(count-j), j = 1 .. count, given ln of
 * (1-q)^count in `weight` and q/(1-q) in `odds`; left is what is not stored. */
static void set_binomial(dusk_pair *pair, uint64_t count, mpfr_t weight, const mpfr_t odds)
{
    size_t shifts = count < 31 ? (size_t)count : 31;
    mpfr_exp(weight, weight, MPFR_RNDN);
    pair->weight[0] = mpfr_get_d(weight, MPFR_RNDN);
    if (!(pair->weight[0] >= DBL_MIN)) pair->weight[0] = 0;
    for (size_t j = 1; j <= shifts; j++) {
        mpfr_mul_ui(weight, weight, count - j + 1, MPFR_RNDN);
        mpfr_div_ui(weight, weight, j, MPFR_RNDN);
        mpfr_mul(weight, weight, odds, MPFR_RNDN);
        pair->weight[j] = mpfr_get_d(weight, MPFR_RNDN);
        if (pair->weight[j] < DBL_MIN) { /* more weight is worse */
            pair->weight[j] = DBL_MIN;
            pair->tight = false;
        }
    }
    pair->shifts = shifts;
}

DUSK_PROVEN(dusk_mixture_group)
void dusk_mixture_group(dusk_pair *pair, uint64_t count)
{
    mpfr_t weight, odds;
    mpfr_inits2(BITS, weight, odds, (mpfr_ptr)0);
    mpfr_set_d(odds, pair->weight[1], MPFR_RNDN);
    mpfr_neg(weight, odds, MPFR_RNDN);
    mpfr_add_ui(weight, weight, 1, MPFR_RNDN);
    mpfr_div(odds, odds, weight, MPFR_RNDN);
    mpfr_log(weight, weight, MPFR_RNDN);
    mpfr_mul_ui(weight, weight, count, MPFR_RNDN);
    set_binomial(pair, count, weight, odds);
    mpfr_clears(weight, odds, (mpfr_ptr)0);
}

/* P(multiplicity > 31) at most: the next term over 1 minus the next ratio. False
 * when the ratio is not below 1/2. */
static bool bound_tail(double *tail, uint64_t m, uint64_t n, mpfr_t last)
{
    *tail = 0;
    if (m <= 31) return true;
    double ratio = (double)(m - 31) / 32 / (double)(n - 1) * (1 + 0x1p-50);
    if (!(ratio < 0.5)) return false;
    mpfr_mul_d(last, last, ratio, MPFR_RNDU);
    *tail = 2 * mpfr_get_d(last, MPFR_RNDU) * (1 + 0x1p-50) + DBL_TRUE_MIN;
    return true;
}

DUSK_PROVEN(dusk_gaussian_draws)
bool dusk_gaussian_draws(dusk_pair *pair, uint64_t m, uint64_t n, dusk_direction direction)
{
    mpfr_t weight, odds, none;
    double tail;
    mpfr_inits2(BITS, weight, odds, none, (mpfr_ptr)0);
    mpfr_set_ui(odds, 1, MPFR_RNDN);
    mpfr_div_ui(weight, odds, n, MPFR_RNDN);
    mpfr_neg(weight, weight, MPFR_RNDN);
    mpfr_log1p(weight, weight, MPFR_RNDN);
    mpfr_mul_ui(weight, weight, m, MPFR_RNDN);
    mpfr_div_ui(odds, odds, n - 1, MPFR_RNDN);
    mpfr_exp(none, weight, MPFR_RNDD);
    set_binomial(pair, m, weight, odds);
    bool fits = bound_tail(&tail, m, n, weight);
    if (fits) {
        settle_sigma(pair);
        pair->sigma /= 2; /* another unit's draw became this one's: distance 2 */
        pair->kind = DUSK_PAIR_MIXTURE;
        pair->direction = direction;
        /* for ADD what is lost is a share of Q, at most tail/none of it in each run; twice
         * that covers any number of runs when it is tiny */
        double least = mpfr_get_d(none, MPFR_RNDD) * (1 - 0x1p-50);
        if (tail > 0 && direction == DUSK_ADD) {
            tail = 2 * dusk_div_up(tail, least);
            fits = tail <= 0x1p-66;
        }
        pair->infinite = (dusk_bound){ 0, tail < 1 ? tail : 1 };
        if (m > pair->shifts) pair->weight[0] = 0; /* what is beyond the shifts counts there */
    }
    mpfr_clears(weight, odds, none, (mpfr_ptr)0);
    return fits;
}
