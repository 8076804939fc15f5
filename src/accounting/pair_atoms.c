/* SPDX-License-Identifier: Apache-2.0 */
/* Dominating pairs with finitely many losses, one for each kind of event that
 * has them: the four-point laws of (epsilon, delta)-privacy [Kairouz, Oh &
 * Viswanath 2017, Theorem 3.3], randomized response [Kairouz et al. 2016],
 * discrete Laplace [Ghosh et al. 2009], discrete Gaussian [Canonne, Kamath &
 * Steinke 2020] and staircase noise [Geng & Viswanath 2014]. The derivations
 * are in pair_atoms.proof.md. Sampling is in pair_sampling.c. */
#include <float.h>
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/pair_make.h"
#include "base/memory.h"
#include "base/mutant.h"

/* Beyond this many deviations a subgaussian tail is below every double:
 * exp(-38.8^2/2) < 1e-326. */
#define DEVIATIONS 38.8
#define BITS 192

void dusk_pair_clear(dusk_pair *pair)
{
    dusk_deallocate(pair->loss);
    dusk_deallocate(pair->mass);
    pair->loss = pair->mass = NULL;
    pair->atoms = 0;
}

dusk_status dusk_atoms_new(dusk_pair *pair, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_bound *loss, *mass = NULL;
    DUSK_NEW(loss, n);
    DUSK_NEW(mass, n);
    pair->kind = DUSK_PAIR_ATOMS;
    pair->atoms = n;
    pair->loss = loss;
    pair->mass = mass;
    pair->lattice = false;
    pair->infinite = pair->absent = dusk_bound_of(0);
    pair->absent_at = -INFINITY;
    return DUSK_OK;
done:
    dusk_deallocate(loss);
    return status;
}

DUSK_PROVEN(dusk_atoms_finish)
void dusk_atoms_finish(dusk_pair *pair)
{
    size_t n = pair->atoms;
    for (size_t i = 1; i < n; i++)
        if (pair->loss[i].upper < pair->loss[i - 1].upper) pair->loss[i].upper = pair->loss[i - 1].upper;
    for (size_t i = n; i-- > 1;)
        if (pair->loss[i - 1].lower > pair->loss[i].lower) pair->loss[i - 1].lower = pair->loss[i].lower;
    for (; n > 0 && isinf(pair->loss[n - 1].upper) && pair->loss[n - 1].upper > 0; n--)
        pair->infinite.upper = dusk_add_up(pair->infinite.upper, pair->mass[n - 1].upper);
    for (size_t i = 0; i < n && isinf(pair->loss[i].lower); i++) {
        pair->loss[i].lower = pair->loss[i].upper; /* a loss of mass 0 */
        pair->mass[i].lower = 0;
    }
    pair->atoms = n;
    if (pair->lattice && !(isfinite(pair->origin.lower) && isfinite(pair->step.upper))) pair->lattice = false;
    if (pair->infinite.upper > 1) pair->infinite.upper = 1;
}

static void set_lattice(dusk_pair *pair, dusk_bound origin, dusk_bound step)
{
    pair->lattice = true;
    pair->origin = origin;
    pair->step = step;
}

/* t / (1 + t), which increases in t >= 0 */
static dusk_bound share(dusk_bound t)
{
    return (dusk_bound){ dusk_div_down(t.lower, dusk_add_up(1, t.lower)),
                         dusk_div_up(t.upper, dusk_add_down(1, t.upper)) };
}

DUSK_PROVEN(dusk_atoms_approx)
dusk_status dusk_atoms_approx(dusk_pair *pair, dusk_bound epsilon, dusk_bound delta, dusk_error *err)
{
    dusk_bound rest = dusk_bound_clamp(dusk_bound_sub(dusk_bound_of(1), delta));
    size_t n = epsilon.upper > 0 ? 2 : 1;
    dusk_status status = dusk_atoms_new(pair, n, err);
    if (status != DUSK_OK) return status;
    if (n == 1) {
        pair->mass[0] = rest;
        set_lattice(pair, dusk_bound_of(0), dusk_bound_of(1));
    } else {
        dusk_bound t = dusk_bound_exp(dusk_bound_neg(epsilon));
        pair->loss[0] = dusk_bound_neg(epsilon);
        pair->loss[1] = epsilon;
        pair->mass[0] = dusk_bound_mul(rest, share(t));
        pair->mass[1] =
            dusk_bound_mul(rest, dusk_bound_div(dusk_bound_of(1), dusk_bound_add(dusk_bound_of(1), t)));
        set_lattice(pair, pair->loss[0], dusk_bound_add(epsilon, epsilon));
    }
    pair->infinite = pair->absent = dusk_bound_clamp(delta);
    pair->tight = true;
    dusk_atoms_finish(pair);
    return DUSK_OK;
}

/* With t = e^-epsilon and c = 1 + (k - 1) t: the true answer has probability
 * 1/c, each other one t/c. */
DUSK_PROVEN(dusk_atoms_response)
dusk_status dusk_atoms_response(dusk_pair *pair, double epsilon, uint64_t answers, dusk_error *err)
{
    size_t n = answers == 2 ? 2 : 3;
    dusk_status status = dusk_atoms_new(pair, n, err);
    if (status != DUSK_OK) return status;
    dusk_bound one = dusk_bound_of(1), t = dusk_bound_exp(dusk_bound_of(-epsilon));
    dusk_bound total = dusk_bound_add(one, dusk_bound_mul(dusk_bound_of_whole(answers - 1), t));
    pair->loss[0] = dusk_bound_of(-epsilon);
    pair->mass[0] = dusk_bound_div(t, total);
    if (n == 3)
        pair->mass[1] = dusk_bound_clamp(dusk_bound_div(
            dusk_bound_mul(dusk_bound_of_whole(answers - DUSK_MUTATE(RESPONSE_OTHERS, 2u, 1u)), t), total));
    pair->loss[n - 1] = dusk_bound_of(epsilon);
    pair->mass[n - 1] = dusk_bound_div(one, total);
    set_lattice(pair, pair->loss[0], dusk_bound_of(n == 2 ? 2 * epsilon : epsilon));
    pair->tight = true;
    dusk_atoms_finish(pair);
    return DUSK_OK;
}

/* With r = e^(-1/b), noise k has probability (1-r)/(1+r) r^|k|. At distance s
 * the loss is (2j - s)/b, j = 0 .. s; the ends collect the tails. */
DUSK_PROVEN(dusk_atoms_discrete_laplace)
dusk_status dusk_atoms_discrete_laplace(dusk_pair *pair, double scale, uint64_t distance, dusk_error *err)
{
    size_t s = (size_t)distance;
    dusk_status status = dusk_atoms_new(pair, s + 1, err);
    if (status != DUSK_OK) return status;
    dusk_bound one = dusk_bound_of(1), b = dusk_bound_of(scale), rate = dusk_bound_div(one, b);
    dusk_bound r = dusk_bound_exp(dusk_bound_neg(rate)), total = dusk_bound_add(one, r);
    dusk_bound gap = { -dusk_expm1_up(-rate.lower), -dusk_expm1_down(-rate.upper) }; /* 1 - r */
    for (size_t j = 0; j <= s; j++) {
        double doubled = 2 * (double)j - (double)s, below = (double)(s - j);
        dusk_bound power = { dusk_exp_down(-dusk_div_up(below, scale)),
                             dusk_exp_up(-dusk_div_down(below, scale)) };
        pair->loss[j] = (dusk_bound){ dusk_div_down(doubled, scale), dusk_div_up(doubled, scale) };
        if (0 < j && j < s) power = dusk_bound_mul(power, gap);
        pair->mass[j] = dusk_bound_div(power, total);
    }
    set_lattice(pair, pair->loss[0], (dusk_bound){ dusk_div_down(2, scale), dusk_div_up(2, scale) });
    pair->tight = true;
    dusk_atoms_finish(pair);
    return DUSK_OK;
}

bool dusk_atoms_gaussian_fits(double sigma) { return 2 * DEVIATIONS * sigma + 3 < DUSK_ATOMS_MAX; }

/* s (2j + s) / (2 sigma^2) */
static dusk_bound gaussian_loss(double sigma, uint64_t s, long j)
{
    dusk_bound distance = dusk_bound_of_whole(s),
               twice = dusk_bound_mul(dusk_bound_of(sigma), dusk_bound_of(sigma));
    dusk_bound middle = dusk_bound_add(distance, dusk_bound_of(2 * (double)j));
    twice = dusk_bound_add(twice, twice);
    bool negative = middle.lower < 0;
    if (negative) middle = dusk_bound_neg(middle);
    if (middle.lower < 0) middle.lower = 0;
    dusk_bound loss = dusk_bound_div(dusk_bound_mul(distance, middle), twice);
    return negative ? dusk_bound_neg(loss) : loss;
}

/* mass[last + j] and mass[last - j] = weight / total, whose relative errors are below 2^-80 */
static void set_masses(dusk_pair *pair, size_t last, size_t j, const mpfr_t weight, const mpfr_t total)
{
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    mpfr_div(x, weight, total, MPFR_RNDN);
    mpfr_mul_d(y, x, 1 - 0x1p-52, MPFR_RNDN);
    mpfr_mul_d(x, x, 1 + 0x1p-52, MPFR_RNDN);
    dusk_bound mass = { mpfr_get_d(y, MPFR_RNDD), mpfr_get_d(x, MPFR_RNDU) };
    pair->mass[last + j] = pair->mass[last - j] = mass;
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* weight[j] = exp(-j^2/(2 sigma^2)) by two running products: the masses when
 * `total` is known, else total = the sum over |j| <= last. */
static void run_through(dusk_pair *pair, double sigma, size_t last, mpfr_t total)
{
    mpfr_t weight, ratio, shrink;
    bool summing = mpfr_zero_p(total);
    mpfr_inits2(BITS, weight, ratio, shrink, (mpfr_ptr)0);
    mpfr_set_d(ratio, sigma, MPFR_RNDN);
    mpfr_sqr(ratio, ratio, MPFR_RNDN);
    mpfr_si_div(shrink, -1, ratio, MPFR_RNDN);
    mpfr_div_2ui(ratio, shrink, 1, MPFR_RNDN);
    mpfr_exp(ratio, ratio, MPFR_RNDN);
    mpfr_exp(shrink, shrink, MPFR_RNDN);
    mpfr_set_ui(weight, 1, MPFR_RNDN);
    for (size_t j = 0; j <= last; j++) {
        if (!summing)
            set_masses(pair, last, j, weight, total);
        else
            mpfr_add(total, total, weight, MPFR_RNDN);
        mpfr_mul(weight, weight, ratio, MPFR_RNDN);
        mpfr_mul(ratio, ratio, shrink, MPFR_RNDN);
    }
    if (summing) { /* both signs */
        mpfr_mul_2ui(total, total, 1, MPFR_RNDN);
        mpfr_sub_ui(total, total, 1, MPFR_RNDN);
    }
    mpfr_clears(weight, ratio, shrink, (mpfr_ptr)0);
}

/* Mass of Q, which lies `distance` below P, on losses below the atoms: its
 * noise is at least last - distance + 1 in size, on one side. */
static dusk_bound gaussian_absent(const dusk_pair *pair, size_t last, uint64_t distance)
{
    dusk_bound sum = { 0, DBL_TRUE_MIN };
    if (distance > 2 * (uint64_t)last) return (dusk_bound){ 1 - 0x1p-50, 1 };
    for (size_t i = pair->atoms - (size_t)distance; i < pair->atoms; i++)
        sum = dusk_bound_add(sum, pair->mass[i]);
    return dusk_bound_clamp(sum);
}

DUSK_PROVEN(dusk_atoms_discrete_gaussian)
dusk_status dusk_atoms_discrete_gaussian(dusk_pair *pair, double sigma, uint64_t distance, dusk_error *err)
{
    size_t last = (size_t)(DEVIATIONS * sigma);
    dusk_status status = dusk_atoms_new(pair, 2 * last + 1, err);
    if (status != DUSK_OK) return status;
    mpfr_t total;
    mpfr_init2(total, BITS);
    mpfr_set_zero(total, 1);
    run_through(pair, sigma, last, total);
    run_through(pair, sigma, last, total);
    mpfr_clear(total);
    for (size_t i = 0; i < pair->atoms; i++)
        pair->loss[i] = gaussian_loss(sigma, distance, (long)i - (long)last);
    /* Both tails are below every double. */
    pair->mass[0].upper = dusk_add_up(pair->mass[0].upper, DBL_TRUE_MIN);
    pair->infinite = (dusk_bound){ 0, DBL_TRUE_MIN };
    pair->absent = gaussian_absent(pair, last, distance);
    pair->absent_at = gaussian_loss(sigma, distance, -(long)last - 1).upper;
    dusk_bound square = dusk_bound_mul(dusk_bound_of(sigma), dusk_bound_of(sigma));
    set_lattice(pair, pair->loss[0], dusk_bound_div(dusk_bound_of_whole(distance), square));
    pair->tight = true;
    dusk_atoms_finish(pair);
    return DUSK_OK;
}

/* Steps of width 1 start at gamma, 1 + gamma, ...; with t = e^-epsilon and
 * a = (1-t) / (2 (gamma + t (1-gamma))) the height of the first one. At distance
 * 1 the loss is epsilon beyond 1 and on a part of (0, 1) of width
 * min(gamma, 1-gamma), where P has height a; between the two such parts the
 * loss is 0 and the height t a (gamma <= 1/2) or a. */
DUSK_PROVEN(dusk_atoms_staircase)
dusk_status dusk_atoms_staircase(dusk_pair *pair, double epsilon, double gamma, dusk_error *err)
{
    dusk_status status = dusk_atoms_new(pair, 3, err);
    if (status != DUSK_OK) return status;
    dusk_bound one = dusk_bound_of(1), g = dusk_bound_of(gamma), rest = dusk_bound_sub(one, g);
    dusk_bound t = dusk_bound_exp(dusk_bound_of(-epsilon));
    dusk_bound drop = { -dusk_expm1_up(-epsilon), -dusk_expm1_down(-epsilon) }; /* 1 - t */
    dusk_bound area = dusk_bound_add(g, dusk_bound_mul(t, rest));
    dusk_bound height = dusk_bound_div(drop, dusk_bound_add(area, area));
    dusk_bound inner = gamma <= 0.5 ? g : rest; /* min(gamma, 1 - gamma) */
    dusk_bound flat = gamma <= 0.5 ? dusk_bound_sub(rest, g) : dusk_bound_sub(g, rest);
    flat.lower = flat.lower > 0 ? flat.lower : 0;
    dusk_bound top = dusk_bound_add(dusk_bound_of(0.5), dusk_bound_mul(inner, height));
    pair->loss[0] = dusk_bound_of(-epsilon);
    pair->loss[2] = dusk_bound_of(epsilon);
    pair->mass[0] = dusk_bound_clamp(dusk_bound_mul(t, top));
    pair->mass[1] = dusk_bound_mul(flat, height);
    if (gamma <= 0.5) pair->mass[1] = dusk_bound_mul(pair->mass[1], t);
    pair->mass[2] = dusk_bound_clamp(top);
    set_lattice(pair, pair->loss[0], dusk_bound_of(epsilon));
    pair->tight = true;
    dusk_atoms_finish(pair);
    return DUSK_OK;
}
