/* SPDX-License-Identifier: Apache-2.0 */
/* K(s) = ln E_P[exp(s L)] of one dominating pair: s times the Renyi divergence of
 * order s + 1. Moments are near 1 for a mechanism that says little, so sums run
 * over exp(s L) - 1 wherever that does not overflow. Library functions count as
 * wrong by 4 ulp. The derivations are in pair_moment.proof.md. */
#include "accounting/pair_moment.h"

#include <float.h>

#include "accounting/accountants.h"
#include "accounting/bound.h"
#include "base/mutant.h"
#include "dusk/numeric.h"

#define LARGE 600.0       /* exp of it has room for 2^20 summands */
#define NODES_MAX 10000.0 /* of a quadrature */
#define SEEN 4000.0       /* exponents beyond are about the same when shifts are seen */

/* Sums of terms of both signs, in blocks, with a bound of their error. */
typedef struct tally {
    double sum, block, size; /* size: the sum of magnitudes, and of errors over DUSK_ULP */
    unsigned in_block;
} tally;

#define BLOCK 1024u

static void tally_add(tally *t, double term, double magnitude)
{
    t->block += term;
    t->size += magnitude;
    if (++t->in_block < BLOCK) return;
    t->sum += t->block;
    t->block = 0;
    t->in_block = 0;
}

/* The sum of n terms moved by all that rounding can have done. */
static double tally_end_up(const tally *t, size_t n)
{
    double steps = (double)(n < BLOCK ? n : BLOCK + n / BLOCK) + 16;
    return t->sum + t->block + (t->size * (steps * DUSK_ULP) + DBL_MIN);
}

/* What the masses are above 1 together, where a table says so; else 0. */
static double excess_mass(const dusk_pair *pair)
{
    dusk_exact_sum lower, upper;
    const double minus = -1;
    dusk_exact_sum_init(&lower);
    dusk_exact_sum_init(&upper);
    dusk_exact_sum_add(&lower, &minus, 1);
    dusk_exact_sum_add(&upper, &minus, 1);
    for (size_t i = 0; i < pair->atoms; i++) {
        dusk_exact_sum_add(&lower, &pair->mass[i].lower, 1);
        dusk_exact_sum_add(&upper, &pair->mass[i].upper, 1);
    }
    if (!(dusk_exact_sum_value(&lower) > 0)) return 0;
    return nextafter(dusk_exact_sum_value(&upper), INFINITY);
}

/* ln(1 + sum of mass (exp(s loss) - 1) + excess), no s loss above LARGE */
static double moment_near_one(const dusk_pair *pair, double s)
{
    tally t = { 0 };
    for (size_t i = 0; i < pair->atoms - DUSK_MUTATE(MOMENT_LAST_ATOM_DROPPED, 0u, 1u); i++) {
        double x = s * pair->loss[i].upper, e = expm1(x);
        double m = e > 0 ? pair->mass[i].upper : pair->mass[i].lower;
        /* x is off by |x| DUSK_ULP/2, which moves e by at most (e + 1) |x| DUSK_ULP */
        tally_add(&t, m * e, m * (fabs(e) + (e + 1) * fabs(x)));
    }
    double above = dusk_add_up(tally_end_up(&t, pair->atoms), excess_mass(pair));
    return above > -1 ? dusk_log1p_up(above) : 0;
}

/* The largest exponent of an atom that has mass. */
static double top_exponent(const dusk_pair *pair, double s, bool up)
{
    for (size_t i = pair->atoms; i-- > 0;) {
        if (up && pair->mass[i].upper > 0) return dusk_mul_up(s, pair->loss[i].upper);
        if (!up && pair->mass[i].lower > 0) return dusk_mul_down(s, pair->loss[i].lower);
    }
    return -INFINITY;
}

/* top + ln of the sum of mass exp(s loss - top), on one side of it */
static double moment_shifted(const dusk_pair *pair, double s, double top, bool up)
{
    double sum = 0;
    for (size_t i = 0; i < pair->atoms; i++) {
        double l = up ? pair->loss[i].upper : pair->loss[i].lower;
        double m = up ? pair->mass[i].upper : pair->mass[i].lower, x = s * l;
        double slack = (fabs(x) + fabs(top)) * (2 * DUSK_ULP);
        double term = m * exp(x - top + (up ? slack : -slack));
        sum += up ? term : term * (1 - 8 * DUSK_ULP);
    }
    double error = ((double)pair->atoms + 16) * DUSK_ULP;
    if (!up) return sum > 0 ? dusk_add_down(top, dusk_log_down(sum * (1 - error))) : -INFINITY;
    double k = dusk_add_up(top, dusk_log_up(sum * (1 + error) + DBL_MIN));
    return k < top ? k : top + excess_mass(pair);
}

DUSK_PROVEN(atoms_moment)
static dusk_bound atoms_moment(const dusk_pair *pair, double s)
{
    double top = top_exponent(pair, s, true), bottom = top_exponent(pair, s, false);
    dusk_bound k = { -INFINITY, -INFINITY };
    if (!(top > -INFINITY)) return k; /* all mass is at infinity */
    if (isinf(top)) {                 /* more than the largest double */
        k.upper = INFINITY;
    } else {
        k.upper = top > LARGE ? moment_shifted(pair, s, top, true) : moment_near_one(pair, s);
    }
    if (bottom > -INFINITY && bottom < INFINITY) k.lower = moment_shifted(pair, s, bottom, false);
    if (k.lower > k.upper) k.lower = k.upper;
    return k;
}

/* s (s + 1) mu^2 / 2 */
static dusk_bound gaussian_moment(const dusk_pair *pair, double s)
{
    dusk_bound order = { dusk_add_down(s, 1), dusk_add_up(s, 1) };
    dusk_bound k = dusk_bound_mul(dusk_bound_mul(dusk_bound_of(s), order), pair->mu_squared);
    return (dusk_bound){ dusk_mul_down(k.lower, 0.5), dusk_mul_up(k.upper, 0.5) };
}

/* ln(1 + times (sum of w_j (exp(s (s+1) (j d)^2 / (2 sigma^2)) - 1))): the moment if
 * the shift were seen; d = 2 for REPLACE, times = 2 for a folded law. */
DUSK_PROVEN(mixture_seen_up)
static double mixture_seen_up(const dusk_pair *pair, double s)
{
    double order = dusk_mul_up(dusk_mul_up(s, dusk_add_up(s, 1)), 0.5), sum = 0, last = 0;
    for (size_t j = pair->shifts; j >= 1; j--) {
        double d = dusk_div_up((double)j * (pair->direction == DUSK_REPLACE ? 2 : 1), pair->sigma);
        double k = dusk_mul_up(order, dusk_mul_up(d, d));
        if (j == pair->shifts) last = k;
        /* the weights add up to 1 at most */
        if (k > LARGE) return pair->folded ? dusk_add_up(last, 0.7) : last;
        sum = dusk_add_up(sum, dusk_mul_up(pair->weight[j] * (1 + 8 * DUSK_ULP), dusk_expm1_up(k)));
    }
    return dusk_log1p_up(pair->folded ? 2 * sum : sum);
}

/* Where the grid of mixture.c is of a sensible size, that: for a folded law ln(1 + the moment for removing). */
DUSK_PROVEN(mixture_grid_moment)
static dusk_status mixture_grid_moment(dusk_bound *out, const dusk_pair *pair, double s, dusk_error *err)
{
    double sigma = pair->sigma, shift = (double)pair->shifts, reach = (s + 1) * shift + 40 * sigma;
    double step = fmin(0.5 * sigma, sigma * sigma / shift);
    dusk_status status = DUSK_ERR_UNSUPPORTED;
    dusk_bound k = { 0, INFINITY };
    if (reach / step < NODES_MAX && s * (s + 1) * shift * shift < 2 * sigma * sigma * SEEN)
        status = dusk_mixture_log_moment(&k, pair, s, err);
    if (status != DUSK_OK) k = (dusk_bound){ 0, INFINITY };
    if (DUSK_MUTATE(FOLDED_MOMENT_OF_ONE_SIDE, pair->folded, false))
        k = (dusk_bound){ 0, dusk_add_up(k.upper, dusk_log1p_up(dusk_exp_up(-k.upper))) };
    *out = k;
    return status == DUSK_ERR_UNSUPPORTED ? DUSK_OK : status;
}

/* The least bound that there is; at worst shifts are seen. */
static dusk_status mixture_moment(dusk_bound *out, const dusk_pair *pair, double s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_bound k = { 0, INFINITY };
    const double seen = mixture_seen_up(pair, s);
    if (pair->folded) k = dusk_folded_log_moment(pair, s);
    if (DUSK_MUTATE(FOLDED_MOMENT_OF_ONE_SIDE, isinf(k.upper), true))
        status = mixture_grid_moment(&k, pair, s, err);
    *out = (dusk_bound){ k.lower, fmin(seen, k.upper) };
    return status;
}

DUSK_PROVEN(dusk_pair_finite_moment)
dusk_status dusk_pair_finite_moment(dusk_bound *out, const dusk_pair *pair, double s, dusk_error *err)
{
    switch (pair->kind) {
    case DUSK_PAIR_ATOMS: *out = atoms_moment(pair, s); return DUSK_OK;
    case DUSK_PAIR_GAUSSIAN: *out = gaussian_moment(pair, s); return DUSK_OK;
    case DUSK_PAIR_LAPLACE: *out = dusk_laplace_log_moment(pair, s); return DUSK_OK;
    case DUSK_PAIR_MIXTURE: return mixture_moment(out, pair, s, err);
    }
    return dusk_fail(err, DUSK_ERR_INTERNAL, "", "a pair without a kind");
}

dusk_status dusk_pair_log_moment(dusk_bound *out, const dusk_pair *pair, double s, dusk_error *err)
{
    dusk_status status = dusk_pair_finite_moment(out, pair, s, err);
    if (status == DUSK_OK && pair->infinite.upper > 0) out->upper = INFINITY;
    return status;
}
