/* SPDX-License-Identifier: Apache-2.0 */
/* The privacy curve of the discrete Gaussian against its definition, summed
 * term by term at 400 bits without any formula for the optimal set:
 *     delta = sum over k of max(0, P[Y = k] - e^eps P[Y = k + s]).
 * The bound is never below it, and within 1e-12 (delta) or 1e-9 (epsilon). */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "accounting/gaussian.h"
#include "support.h"

#define BITS 400
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* exp(-k^2/(2 sigma^2)) for k = 0 .. size - 1, and the sum over all integers */
typedef struct law {
    size_t size;
    mpfr_t *weight, total;
} law;

static void law_init(law *y, double sigma, uint64_t sensitivity)
{
    mpfr_t ratio, shrink;
    y->size = (size_t)(45 * sigma) + (size_t)sensitivity + 8;
    y->weight = malloc(y->size * sizeof *y->weight);
    assert_non_null(y->weight);
    mpfr_inits2(BITS, y->total, ratio, shrink, (mpfr_ptr)0);
    mpfr_set_d(ratio, sigma, MPFR_RNDN);
    mpfr_sqr(ratio, ratio, MPFR_RNDN);
    mpfr_si_div(shrink, -1, ratio, MPFR_RNDN);
    mpfr_div_2ui(ratio, shrink, 1, MPFR_RNDN);
    mpfr_exp(ratio, ratio, MPFR_RNDN);
    mpfr_exp(shrink, shrink, MPFR_RNDN);
    mpfr_set_ui(y->total, 0, MPFR_RNDN);
    for (size_t k = 0; k < y->size; k++) {
        mpfr_init2(y->weight[k], BITS);
        if (k == 0) {
            mpfr_set_ui(y->weight[0], 1, MPFR_RNDN);
        } else {
            mpfr_mul(y->weight[k], y->weight[k - 1], ratio, MPFR_RNDN);
            mpfr_mul(ratio, ratio, shrink, MPFR_RNDN);
            mpfr_add(y->total, y->total, y->weight[k], MPFR_RNDN);
        }
    }
    mpfr_mul_2ui(y->total, y->total, 1, MPFR_RNDN);
    mpfr_add_ui(y->total, y->total, 1, MPFR_RNDN);
    mpfr_clears(ratio, shrink, (mpfr_ptr)0);
}

static void law_clear(law *y)
{
    for (size_t k = 0; k < y->size; k++) mpfr_clear(y->weight[k]);
    free(y->weight);
    mpfr_clear(y->total);
}

static void truth(mpfr_t delta, const law *y, uint64_t sensitivity, double epsilon)
{
    mpfr_t growth, term;
    long size = (long)y->size, s = (long)sensitivity;
    mpfr_inits2(BITS, growth, term, (mpfr_ptr)0);
    mpfr_set_d(growth, epsilon, MPFR_RNDN);
    mpfr_exp(growth, growth, MPFR_RNDN);
    mpfr_set_ui(delta, 0, MPFR_RNDN);
    for (long k = size - 1 - s; k > -size; k--) {
        mpfr_mul(term, growth, y->weight[labs(k + s)], MPFR_RNDN);
        mpfr_sub(term, y->weight[labs(k)], term, MPFR_RNDN);
        if (mpfr_sgn(term) <= 0) break; /* the likelihood ratio increases in k */
        mpfr_add(delta, delta, term, MPFR_RNDN);
    }
    mpfr_div(delta, delta, y->total, MPFR_RNDN);
    if (mpfr_cmp_ui(delta, 1) > 0) mpfr_set_ui(delta, 1, MPFR_RNDN); /* a sum rounded up */
    mpfr_clears(growth, term, (mpfr_ptr)0);
}

static int compare(const law *y, uint64_t sensitivity, double epsilon, double delta)
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    truth(t, y, sensitivity, epsilon);
    int order = mpfr_cmp_d(t, delta);
    mpfr_clear(t);
    return order;
}

static void check_delta(const law *y, double sigma, uint64_t s, double epsilon)
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    truth(t, y, s, epsilon);
    double bound = dusk_discrete_gaussian_delta_up(sigma, s, epsilon);
    if (mpfr_cmp_d(t, bound) > 0)
        fail_msg("sigma %g s %g epsilon %g: %.17g is below the truth", sigma, (double)s, epsilon, bound);
    mpfr_mul_d(t, t, 1 + 1e-12, MPFR_RNDU);
    mpfr_add_d(t, t, DBL_TRUE_MIN, MPFR_RNDU);
    if (mpfr_cmp_d(t, bound) < 0)
        fail_msg("sigma %g s %g epsilon %g: %.17g is too far up", sigma, (double)s, epsilon, bound);
    mpfr_clear(t);
}

static void check_epsilon(const law *y, double sigma, uint64_t s, double delta)
{
    double epsilon = dusk_discrete_gaussian_epsilon_up(sigma, s, delta);
    assert_true(isfinite(epsilon) && epsilon >= 0);
    if (compare(y, s, epsilon, delta) > 0)
        fail_msg("sigma %g s %g delta %g: epsilon %.17g is not enough", sigma, (double)s, delta, epsilon);
    if (epsilon > 0 && compare(y, s, epsilon * (1 - 1e-9), delta) <= 0)
        fail_msg("sigma %g s %g delta %g: epsilon %.17g is too far up", sigma, (double)s, delta, epsilon);
    assert_true(dusk_discrete_gaussian_delta_up(sigma, s, epsilon) <= delta);
}

/* Both sums, and the sigmas between which the code changes its method. */
static void curve_encloses(void **state)
{
    const double sigmas[] = { 0.05, 0.3, 0.5, 1, 2.5, 10, 15.9, 16, 31.9, 32, 33.3, 100, 700 };
    const double quantiles[] = { -20, -3, 0, 0.4, 2, 6, 15, 30, 38, 41 };
    const double deltas[] = { 1e-300, 1e-100, 1e-20, 1e-6, 1e-2, 0.3, 0.9 };
    const uint64_t sensitivities[] = { 1, 2, 7, 1000 };
    (void)state;
    for (size_t i = 0; i < COUNT(sigmas); i++)
        for (size_t j = 0; j < COUNT(sensitivities); j++) {
            double sigma = sigmas[i], s = (double)sensitivities[j];
            law y;
            if (s / sigma > 500) continue; /* e^epsilon of a million is no test */
            law_init(&y, sigma, sensitivities[j]);
            check_delta(&y, sigma, sensitivities[j], 0);
            for (size_t k = 0; k < COUNT(quantiles); k++) {
                double epsilon = (0.5 * s / sigma + quantiles[k]) * s / sigma;
                if (epsilon > 0) check_delta(&y, sigma, sensitivities[j], epsilon);
            }
            for (size_t k = 0; k < COUNT(deltas); k++) check_epsilon(&y, sigma, sensitivities[j], deltas[k]);
            law_clear(&y);
        }
}

/* Epsilons where a term of the sum is exactly zero. */
static void kinks_enclose(void **state)
{
    law y;
    (void)state;
    law_init(&y, 2, 3);
    for (int k = -1; k < 40; k++) {
        double epsilon = 3 * (k + 1.5) / 4;
        check_delta(&y, 2, 3, epsilon);
        check_delta(&y, 2, 3, nextafter(epsilon, 0));
        check_delta(&y, 2, 3, nextafter(epsilon, INFINITY));
    }
    law_clear(&y);
}

static void sigma_encloses(void **state)
{
    const double epsilons[] = { 0.01, 0.1, 1, 4.5, 10, 100 }, deltas[] = { 1e-300, 1e-20, 1e-6, 1e-2, 0.3 };
    const uint64_t sensitivities[] = { 1, 5 };
    (void)state;
    for (size_t i = 0; i < COUNT(epsilons); i++)
        for (size_t j = 0; j < COUNT(deltas); j++)
            for (size_t k = 0; k < COUNT(sensitivities); k++) {
                uint64_t s = sensitivities[k];
                double sigma = dusk_discrete_gaussian_sigma_up(s, epsilons[i], deltas[j]);
                assert_true(isfinite(sigma) && sigma > 0);
                assert_true(dusk_discrete_gaussian_delta_up(sigma, s, epsilons[i]) <= deltas[j]);
                assert_true(dusk_discrete_gaussian_epsilon_up(sigma, s, deltas[j]) <= epsilons[i]);
                if (sigma > 1000) continue;
                for (int less = 0; less < 2; less++) {
                    law y;
                    law_init(&y, less ? sigma * (1 - 1e-9) : sigma, s);
                    int order = compare(&y, s, epsilons[i], deltas[j]);
                    if (less ? order <= 0 : order > 0)
                        fail_msg("s %g epsilon %g delta %g: sigma %.17g is %s", (double)s, epsilons[i],
                                 deltas[j], sigma, less ? "too far up" : "not enough");
                    law_clear(&y);
                }
            }
}

/* Too wide to sum; there the grid no longer shows. */
static void wide_is_nearly_continuous(void **state)
{
    const double deltas[] = { 1e-300, 1e-30, 1e-12 };
    (void)state;
    for (double sigma = 1e4; sigma < 1e19; sigma *= 1e3)
        for (size_t i = 0; i < COUNT(deltas); i++) {
            double discrete = dusk_discrete_gaussian_epsilon_up(sigma, 4, deltas[i]);
            double continuous = dusk_gaussian_epsilon_up(sigma / 4, deltas[i]);
            assert_true(fabs(discrete - continuous) <= continuous / sigma);
            if (discrete == 0) continue;
            double back = dusk_discrete_gaussian_sigma_up(4, discrete, deltas[i]);
            assert_true(fabs(back - sigma) <= 1e-9 * sigma);
        }
}

/* A larger sensitivity never costs less, and delta falls as epsilon grows. */
static void monotone(void **state)
{
    const double sigmas[] = { 0.4, 1.7, 12, 40 };
    (void)state;
    for (size_t i = 0; i < COUNT(sigmas); i++) {
        double last = 2;
        for (double epsilon = 0; epsilon < 20; epsilon = epsilon * 1.5 + 0.03) {
            double delta = dusk_discrete_gaussian_delta_up(sigmas[i], 2, epsilon);
            assert_true(delta <= last && delta <= dusk_discrete_gaussian_delta_up(sigmas[i], 3, epsilon));
            last = delta;
        }
    }
}

static void edges(void **state)
{
    const double odd[] = { DBL_TRUE_MIN, 1e-310, 1e-200, 1e-5, 1, 1e30, DBL_MAX };
    const uint64_t sensitivities[] = { 1, UINT64_MAX };
    (void)state;
    for (size_t i = 0; i < COUNT(odd); i++)
        for (size_t j = 0; j < COUNT(odd); j++)
            for (size_t k = 0; k < COUNT(sensitivities); k++) {
                double delta = dusk_discrete_gaussian_delta_up(odd[i], sensitivities[k], odd[j]);
                assert_true(delta > 0 && delta <= 1);
                if (odd[j] >= 1) continue;
                double epsilon = dusk_discrete_gaussian_epsilon_up(odd[i], sensitivities[k], odd[j]);
                assert_true(epsilon >= 0);
                assert_true(dusk_discrete_gaussian_delta_up(odd[i], sensitivities[k], epsilon) <= odd[j]);
            }
    assert_true(dusk_discrete_gaussian_delta_up(1, 1, INFINITY) == 0);
    assert_true(dusk_discrete_gaussian_delta_up(NAN, 1, 1) == 1);
    assert_true(dusk_discrete_gaussian_delta_up(1, 0, 0) == 0);
    assert_true(dusk_discrete_gaussian_epsilon_up(1, 1, 0) == INFINITY);
    assert_true(dusk_discrete_gaussian_sigma_up(1, 1, 0) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curve_encloses), cmocka_unit_test(kinks_enclose),
        cmocka_unit_test(sigma_encloses), cmocka_unit_test(wide_is_nearly_continuous),
        cmocka_unit_test(monotone),       cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
