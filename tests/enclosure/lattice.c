/* SPDX-License-Identifier: Apache-2.0 */
/* The lattice accountant in its parts. Laws: their curves enclose that of the pair
 * (its certified value), at lattice points and between. Sums: tilted, wrapped and
 * transformed, against plain convolution in extended precision, also in windows
 * that are far too small. The whole: binomial sums in MPFR, Gaussian closed form. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include <mpfr.h>

#include "accounting/accountants.h"
#include "accounting/gaussian.h"
#include "accounting/lattice.h"
#include "numeric/special.h"
#include "pairs_of.h"
#include "support.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double uniform(uint64_t *state) { return (double)(splitmix64(state) >> 11) * 0x1p-53; }

/* What the curves count with: tails of the normal law, also next to underflow. */
static void tails_near_underflow(void **state)
{
    (void)state;
    mpfr_t x, root;
    mpfr_inits2(200, x, root, (mpfr_ptr)0);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    for (int i = 0; i < 4000; i++) {
        double z = -9 + 0.01217 * i;
        mpfr_set_d(x, z, MPFR_RNDN);
        mpfr_div(x, x, root, MPFR_RNDN);
        mpfr_erfc(x, x, MPFR_RNDN);
        mpfr_div_2ui(x, x, 1, MPFR_RNDN);
        double tail = dusk_normal_sf(z), truth = mpfr_get_d(x, MPFR_RNDN);
        double error = truth < 1e-290 ? 1e-9 * truth + 1e-316 : 1e-14 * truth;
        if (!(fabs(tail - truth) <= error)) fail_msg("at %g: %g, truth %g", z, tail, truth);
    }
    mpfr_clears(x, root, (mpfr_ptr)0);
}

/* --- laws ---------------------------------------------------------------- */

/* delta of a law at epsilon; relative error below 1e-16 */
static long double curve_of(const double *mass, size_t count, double origin, double step, double infinite,
                            double epsilon)
{
    long double sum = infinite;
    for (size_t k = 0; k < count; k++) {
        long double d = (long double)origin + (long double)k * (long double)step - (long double)epsilon;
        if (d > 0) sum += (long double)mass[k] * -expm1l(-d);
    }
    return sum;
}

typedef struct event {
    const char *text;
    dusk_direction direction;
} event;

static const event events[] = {
    { "gaussian(1)", DUSK_REMOVE },
    { "gaussian(20)", DUSK_ADD },
    { "gaussian(0.3)", DUSK_REMOVE },
    { "poisson(0.01, gaussian(1))", DUSK_REMOVE },
    { "poisson(0.01, gaussian(1))", DUSK_ADD },
    { "poisson(0.3, gaussian(0.7))", DUSK_REPLACE },
    { "poisson(0.000001, gaussian(3))", DUSK_REPLACE },
    { "poisson(0.0003, gaussian(50))", DUSK_REPLACE },
    { "poisson(0.9, gaussian(0.2))", DUSK_REPLACE },
    { "poisson(0.001, gaussian(0.4))", DUSK_REMOVE },
    { "poisson(0.001, gaussian(0.4))", DUSK_ADD },
    { "group(3, poisson(0.1, gaussian(2)))", DUSK_REMOVE },
    { "group(3, poisson(0.1, gaussian(2)))", DUSK_ADD },
    { "laplace(1)", DUSK_REMOVE },
    { "laplace(50)", DUSK_ADD },
    { "laplace(0.05)", DUSK_REPLACE },
    { "poisson(0.1, laplace(1))", DUSK_REMOVE },
    { "poisson(0.1, laplace(1))", DUSK_ADD },
    { "poisson(0.3, laplace(0.4))", DUSK_REPLACE },
    { "without_replacement(10, 100, gaussian(1))", DUSK_REPLACE },
    { "without_replacement(10, 100, laplace(1))", DUSK_REPLACE },
    { "discrete_gaussian(3)", DUSK_REMOVE },
    { "poisson(0.2, discrete_gaussian(3))", DUSK_REMOVE },
    { "poisson(0.2, discrete_laplace(2, 3))", DUSK_ADD },
    { "approx(0.5, 1e-3)", DUSK_REMOVE },
};

static void check_curve(const dusk_pairs *pairs, const dusk_lattice *lattice, const char *text,
                        double epsilon)
{
    const dusk_lattice_law *law = &lattice->law[0];
    dusk_bound truth;
    dusk_error err;
    if (dusk_pair_delta(&truth, &pairs->pair[0], epsilon, &err) != DUSK_OK)
        fail_msg("%s at %.17g: %s", text, epsilon, err.message);
    long double worse = curve_of(law->upper, law->count, law->origin.upper, lattice->step.upper,
                                 law->infinite.upper, epsilon);
    long double better = curve_of(law->lower, law->count, law->origin.lower, lattice->step.lower,
                                  law->infinite.lower, epsilon);
    if (worse < (long double)truth.lower * (1 - 1e-15L))
        fail_msg("%s at %.17g: worse law %.17g, truth from %.17g", text, epsilon, (double)worse, truth.lower);
    if (better > (long double)truth.upper * (1 + 1e-15L))
        fail_msg("%s at %.17g: better law %.17g, truth to %.17g", text, epsilon, (double)better, truth.upper);
}

static void laws_enclose_curves(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (size_t i = 0; i < COUNT(events); i++) {
        dusk_pairs pairs = pairs_of(events[i].text, events[i].direction);
        assert_int_equal(pairs.count, 1);
        dusk_lattice_cut cut = { .above = 1e-30, .below = 1e-18, .tilt = i % 2 ? 3 : 0 };
        double effort, length = dusk_lattice_length(&effort, &pairs, cut);
        for (int n = 0; n < 3; n++) {
            dusk_lattice lattice;
            const double points[] = { 23, 150, 1200.5 };
            if (dusk_lattice_make(&lattice, &pairs, length / points[n], cut, NULL) != DUSK_OK)
                fail_msg("%s: no lattice with %g points", events[i].text, points[n]);
            const dusk_lattice_law *law = &lattice.law[0];
            double step = lattice.step.upper;
            for (int j = 0; j < 40; j++) {
                double at = uniform(&seed) * (double)law->count;
                if (j % 2) at = floor(at);
                double epsilon = (j % 4 < 2 ? law->origin.upper : law->origin.lower) + at * step;
                if (epsilon >= 0) check_curve(&pairs, &lattice, events[i].text, epsilon);
            }
            check_curve(&pairs, &lattice, events[i].text, 0);
            dusk_lattice_free(&lattice);
        }
        dusk_pairs_free(&pairs);
    }
}

/* The two laws close in like the square of the step. */
static void laws_converge(void **state)
{
    (void)state;
    const event smooth[] = { { "gaussian(1)", DUSK_REMOVE },
                             { "poisson(0.1, gaussian(1))", DUSK_REMOVE },
                             { "poisson(0.1, gaussian(1))", DUSK_ADD },
                             { "poisson(0.1, laplace(1))", DUSK_REMOVE },
                             { "laplace(2)", DUSK_ADD } };
    for (size_t i = 0; i < COUNT(smooth); i++) {
        dusk_pairs pairs = pairs_of(smooth[i].text, smooth[i].direction);
        dusk_lattice_cut cut = { .above = 1e-30, .below = 1e-18 };
        double gap[2], epsilon = 0.03;
        for (int n = 0; n < 2; n++) {
            dusk_lattice lattice;
            assert_int_equal(dusk_lattice_make(&lattice, &pairs, n ? 3e-4 : 3e-3, cut, NULL), DUSK_OK);
            const dusk_lattice_law *law = &lattice.law[0];
            gap[n] =
                (double)(curve_of(law->upper, law->count, law->origin.upper, lattice.step.upper,
                                  law->infinite.upper, epsilon) -
                         curve_of(law->lower, law->count, law->origin.lower, lattice.step.upper, 0, epsilon));
            dusk_lattice_free(&lattice);
        }
        if (!(gap[0] > 0 && gap[1] > 0 && gap[0] < 3e-4 && gap[1] < 3e-6))
            fail_msg("%s: gaps %g %g", smooth[i].text, gap[0], gap[1]);
        dusk_pairs_free(&pairs);
    }
}

/* --- sums ---------------------------------------------------------------- */

enum { ATOMS = 24, RUNS = 5, SUMS = (ATOMS - 1) * RUNS + 1 };

/* masses^RUNS by the definition, to 1e-17 */
static void convolve(long double *out, const double *mass)
{
    long double now[SUMS] = { 1 }, next[SUMS];
    for (int run = 0; run < RUNS; run++) {
        memset(next, 0, sizeof next);
        for (size_t i = 0; i < SUMS; i++)
            for (size_t k = 0; k < ATOMS && i + k < SUMS; k++) next[i + k] += now[i] * (long double)mass[k];
        memcpy(now, next, sizeof now);
    }
    memcpy(out, now, sizeof now);
}

static long double exact_delta(const long double *sum, double origin, double step, double epsilon)
{
    long double delta = 0;
    for (size_t k = 0; k < SUMS; k++) {
        long double d =
            (long double)RUNS * (long double)origin + (long double)k * (long double)step - epsilon;
        if (d > 0) delta += sum[k] * -expm1l(-d);
    }
    return delta;
}

static void check_sum(const double *mass, double step, const dusk_lattice_plan *plan, bool wide)
{
    long double truth[SUMS];
    double upper[ATOMS], lower[ATOMS], origin = -3.25;
    memcpy(upper, mass, sizeof upper);
    memcpy(lower, mass, sizeof lower);
    dusk_lattice_law law = {
        .times = RUNS, .count = ATOMS, .upper = upper, .lower = lower, .origin = { origin, origin }
    };
    dusk_lattice lattice = { .step = { step, step }, .count = 1, .law = &law };
    dusk_lattice_sum sum;
    assert_int_equal(dusk_lattice_sum_make(&sum, &lattice, plan, NULL), DUSK_OK);
    assert_true(sum.size < SUMS || wide);
    convolve(truth, mass);
    for (size_t i = 0; i <= 4 * SUMS; i++) {
        double epsilon = RUNS * origin + step * ((double)i / 4 - 1);
        long double exact = exact_delta(truth, origin, step, epsilon);
        double up = dusk_lattice_sum_delta_up(&sum, epsilon),
               down = dusk_lattice_sum_delta_down(&sum, epsilon);
        if (!((long double)up >= exact * (1 - 1e-15L)))
            fail_msg("window %zu from %g, tilt %g, at %g: %.17g above truth %.17g", sum.size, sum.first,
                     plan->tilt, (double)i / 4 - 1, up, (double)exact);
        if (!((long double)down <= exact * (1 + 1e-15L)))
            fail_msg("window %zu from %g, tilt %g, at %g: %.17g below truth %.17g", sum.size, sum.first,
                     plan->tilt, (double)i / 4 - 1, down, (double)exact);
    }
    dusk_lattice_sum_free(&sum);
}

static void sums_enclose_convolutions(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 40; round++) {
        double mass[ATOMS], total = 0, step = round % 3 ? 0.25 : 0.01;
        for (size_t k = 0; k < ATOMS; k++) {
            mass[k] = exp(-30 * uniform(&seed) * (round % 2)) * uniform(&seed);
            total += mass[k];
        }
        for (size_t k = 0; k < ATOMS; k++) mass[k] /= total * 1.0001;
        double tilt = (round % 4) * 0.7 / step * uniform(&seed),
               low = RUNS * -3.25 + step * 10 * uniform(&seed);
        /* all of it; a window in the middle; one that is far too small */
        dusk_lattice_plan plan = { .tilt = tilt, .above = 0.5 / step, .below = 0.5 / step };
        for (int window = 0; window < 5; window++) {
            plan.bottom = window ? low + step * 12 * (window - 1) : -INFINITY;
            plan.top = window ? plan.bottom + step * (window % 2 ? 57 : 12) : INFINITY;
            check_sum(mass, step, &plan, !window);
        }
    }
}

/* --- the whole ----------------------------------------------------------- */

/* randomized_response(e, 2) * n: delta = sum_j C(n, j) p^j (1-p)^(n-j) (1 - exp(eps - (2j - n) e))+ */
static void binomial_delta(mpfr_t delta, double e, unsigned long n, double epsilon)
{
    mpfr_t p, q, term, gap;
    mpfr_inits2(400, p, q, term, gap, (mpfr_ptr)0);
    mpfr_set_d(q, -e, MPFR_RNDN);
    mpfr_exp(q, q, MPFR_RNDN);
    mpfr_add_ui(p, q, 1, MPFR_RNDN);
    mpfr_ui_div(p, 1, p, MPFR_RNDN); /* 1/(1 + e^-e) */
    mpfr_pow_ui(term, p, n, MPFR_RNDN);
    mpfr_set_zero(delta, 1);
    for (unsigned long j = n;; j--) {
        mpfr_set_d(gap, e, MPFR_RNDN);
        mpfr_mul_si(gap, gap, 2 * (long)j - (long)n, MPFR_RNDN);
        mpfr_d_sub(gap, epsilon, gap, MPFR_RNDN);
        if (mpfr_sgn(gap) >= 0) break;
        mpfr_expm1(gap, gap, MPFR_RNDN);
        mpfr_neg(gap, gap, MPFR_RNDN);
        mpfr_mul(gap, gap, term, MPFR_RNDN);
        mpfr_add(delta, delta, gap, MPFR_RNDN);
        if (j == 0) break;
        mpfr_mul_ui(term, term, j, MPFR_RNDN); /* C(n, j-1) = C(n, j) j / (n - j + 1) */
        mpfr_div_ui(term, term, n - j + 1, MPFR_RNDN);
        mpfr_mul(term, term, q, MPFR_RNDN);
    }
    mpfr_clears(p, q, term, gap, (mpfr_ptr)0);
}

static void responses_are_binomial(void **state)
{
    (void)state;
    const double local[] = { 0.1, 0.75, 3 };
    const unsigned long runs[] = { 1, 7, 100, 3000 };
    mpfr_t truth;
    mpfr_init2(truth, 400);
    for (size_t i = 0; i < COUNT(local) * COUNT(runs); i++) {
        double e = local[i % COUNT(local)];
        unsigned long n = runs[i / COUNT(local)];
        char text[64];
        snprintf(text, sizeof text, "randomized_response(%.17g, 2) * %lu", e, n);
        dusk_pairs pairs = pairs_of(text, DUSK_REPLACE);
        for (double share = 0; share < 1; share += 0.14) {
            double epsilon = share * e * (double)n;
            dusk_bound b;
            binomial_delta(truth, e, n, epsilon);
            assert_int_equal(dusk_lattice_delta(&b, &pairs, epsilon, NULL), DUSK_OK);
            double known = mpfr_get_d(truth, MPFR_RNDN);
            if (!(mpfr_cmp_d(truth, b.lower) >= 0 && (b.upper >= 1 || mpfr_cmp_d(truth, b.upper) <= 0)))
                fail_msg("%s at %.17g: [%.17g, %.17g], truth %.17g", text, epsilon, b.lower, b.upper, known);
            if (known > 1e-280 && !(b.upper - b.lower <= 1e-9 * known))
                fail_msg("%s at %.17g: [%.17g, %.17g] is wide", text, epsilon, b.lower, b.upper);
        }
        dusk_pairs_free(&pairs);
    }
    mpfr_clear(truth);
}

/* Gaussians that were not merged. */
static void gaussians_have_a_closed_form(void **state)
{
    (void)state;
    const double sigmas[] = { 4, 30 }, deltas[] = { 1e-6, 1e-150 };
    for (size_t i = 0; i < COUNT(sigmas) * COUNT(deltas); i++) {
        double sigma = sigmas[i % COUNT(sigmas)], delta = deltas[i / COUNT(sigmas)];
        char text[64];
        snprintf(text, sizeof text, "gaussian(%.17g)", sigma);
        dusk_pairs pairs = pairs_of(text, DUSK_REMOVE);
        dusk_bound b;
        pairs.pair[0].times = 16; /* sigma / 4, which is exact */
        assert_int_equal(dusk_lattice_epsilon(&b, &pairs, delta, NULL), DUSK_OK);
        double truth = dusk_gaussian_epsilon_up(sigma / 4, delta);
        if (!(b.lower <= truth && b.upper >= truth * (1 - 1e-12)) || !(b.upper - b.lower <= 1e-6 * truth))
            fail_msg("%s * 16 at %g: [%.17g, %.17g], truth %.17g", text, delta, b.lower, b.upper, truth);
        dusk_pairs_free(&pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_near_underflow),   cmocka_unit_test(laws_enclose_curves),
        cmocka_unit_test(laws_converge),          cmocka_unit_test(sums_enclose_convolutions),
        cmocka_unit_test(responses_are_binomial), cmocka_unit_test(gaussians_have_a_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
