/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of standard subjects against rigorous integrals in wide arithmetic (Arb), and the
 * epsilon of Gaussian noise against its definition: relative errors below 1e-11, and 1e-9. */
#include <acb_calc.h>
#include <arb.h>
#include <arb_hypgeom.h>
#include <math.h>

#include "audit/oracle.h"
#include "support.h"

enum { PRECISION = 128, MOST = 10 };

/* One integrand: the density of the threshold's noise times, for each query, the chance to
 * be below (answer 0), to be above (1), or nothing (2); on a piece that holds no kink, where
 * all are analytic. `inside` is a point of the piece. */
typedef struct integrand {
    const audit_svt *svt;
    const double *queries;
    const int *answers;
    double inside;
} integrand;

/* P(noise >= x) near a point where x has the sign of `side`. */
static void wide_tail(acb_t out, const acb_t x, double scale, double side)
{
    acb_t y;
    acb_init(y);
    arb_set_d(acb_realref(y), side > 0 ? -scale : scale);
    acb_div(y, x, y, PRECISION);
    acb_exp(y, y, PRECISION);
    acb_mul_2exp_si(y, y, -1);
    if (side > 0)
        acb_set(out, y);
    else {
        acb_neg(y, y);
        acb_add_ui(out, y, 1, PRECISION);
    }
    acb_clear(y);
}

static int wide_integrand(acb_ptr out, const acb_t r, void *context, slong order, slong precision)
{
    const integrand *f = context;
    const audit_svt *svt = f->svt;
    acb_t x, factor, product;
    (void)order, (void)precision;
    acb_init(x);
    acb_init(factor);
    acb_init(product);
    arb_set_d(acb_realref(x), f->inside > 0 ? -svt->threshold_scale : svt->threshold_scale);
    acb_div(product, r, x, PRECISION);
    acb_exp(product, product, PRECISION);
    acb_zero(x);
    arb_set_d(acb_realref(x), 2 * svt->threshold_scale);
    acb_div(product, product, x, PRECISION);
    for (size_t i = 0; i < svt->queries; i++) {
        if (f->answers[i] == 2) continue;
        double shift = svt->threshold - f->queries[i], side = shift + f->inside;
        acb_zero(x);
        arb_set_d(acb_realref(x), shift);
        acb_add(x, x, r, PRECISION);
        if (f->answers[i] == 0) {
            acb_neg(x, x);
            side = -side;
        }
        wide_tail(factor, x, svt->query_scale, side);
        acb_mul(product, product, factor, PRECISION);
    }
    acb_set(out, product);
    acb_clear(x);
    acb_clear(factor);
    acb_clear(product);
    return 0;
}

/* The integral up to `limit` (at most 120 scales away). */
static double wide_mass(const audit_svt *svt, const double *queries, const int *answers, double limit)
{
    double kinks[MOST + 3] = { 0 }, far = 120 * svt->threshold_scale;
    integrand f = { svt, queries, answers, 0 };
    acb_t sum, part, from, to;
    mag_t tolerance;
    for (size_t i = 0; i < svt->queries; i++) kinks[i + 1] = queries[i] - svt->threshold;
    kinks[svt->queries + 1] = -far;
    kinks[svt->queries + 2] = far;
    audit_sort(kinks, svt->queries + 3);
    acb_init(sum);
    acb_init(part);
    acb_init(from);
    acb_init(to);
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -100);
    for (size_t i = 0; i + 1 < svt->queries + 3; i++) {
        double end = fmin(kinks[i + 1], limit);
        if (!(kinks[i] < end)) continue;
        f.inside = (kinks[i] + end) / 2;
        acb_set_d(from, kinks[i]);
        acb_set_d(to, end);
        acb_calc_integrate(part, wide_integrand, &f, from, to, 80, tolerance, NULL, PRECISION);
        acb_add(sum, sum, part, PRECISION);
    }
    assert_true(arb_rel_accuracy_bits(acb_realref(sum)) > 50);
    double mass = arf_get_d(arb_midref(acb_realref(sum)), ARF_RND_NEAR);
    acb_clear(sum);
    acb_clear(part);
    acb_clear(from);
    acb_clear(to);
    mag_clear(tolerance);
    return mass;
}

static void assert_close(double have, double want) { assert_true(fabs(have - want) <= 1e-11 * fabs(want)); }

/* Scales of SVT1, SVT4, SVT6 and the numerical one; queries on and off whole numbers. */
static const double scales[][2] = { { 2, 4 }, { 4, 4.0 / 3 }, { 2, 2 }, { 3, 6 } };
static const double epsilons[] = { 0.05, 0.1, 0.7, 3 };

static void fill_queries(double *queries, size_t n, uint64_t *seed, bool whole)
{
    for (size_t i = 0; i < n; i++) {
        double x = (double)(splitmix64(seed) >> 40) * 0x1p-24;
        queries[i] = whole ? floor(3 * x) : 5 * x - 2;
    }
}

static void test_stopped(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (size_t s = 0; s < 4; s++)
        for (size_t e = 0; e < 4; e++) {
            double queries[MOST], law[MOST + 1];
            audit_svt svt = { MOST, 1, scales[s][0] / epsilons[e], scales[s][1] / epsilons[e], true };
            fill_queries(queries, MOST, &seed, e % 2);
            assert_true(audit_svt_law(law, &svt, queries));
            for (size_t k = 0; k <= MOST; k += 5) {
                int answers[MOST];
                for (size_t i = 0; i < MOST; i++) answers[i] = i < k ? 0 : i == k ? 1 : 2;
                assert_close(law[k], wide_mass(&svt, queries, answers, INFINITY));
            }
        }
}

static void test_endless(void **state)
{
    static double law[1 << MOST];
    uint64_t seed = 12;
    (void)state;
    for (size_t e = 0; e < 4; e++) {
        double queries[MOST], sum = 0;
        audit_svt svt = { MOST, 1, 2 / epsilons[e], 2 / epsilons[e], false };
        fill_queries(queries, MOST, &seed, e % 2);
        assert_true(audit_svt_law(law, &svt, queries));
        for (size_t k = 0; k < 1 << MOST; k++) sum += law[k];
        assert_true(fabs(sum - 1) < 1e-13);
        for (size_t k = 0x55; k < 1 << MOST; k += 421) {
            int answers[MOST];
            for (size_t i = 0; i < MOST; i++) answers[i] = k >> i & 1;
            assert_close(law[k], wide_mass(&svt, queries, answers, INFINITY));
        }
    }
}

/* Values below, between and above the queries. */
static void test_shown(void **state)
{
    static const double values[] = { -9, 0.3, 1, 1.7, 30 };
    static audit_shown law;
    uint64_t seed = 13;
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        double queries[MOST];
        audit_svt svt = { MOST, 1, 2 / epsilons[e], 2 / epsilons[e], true };
        fill_queries(queries, MOST, &seed, e % 2);
        assert_true(audit_shown_make(&law, &svt, queries));
        for (size_t v = 0; v < 5; v++)
            for (size_t k = 0; k < MOST; k += 3) {
                int answers[MOST];
                for (size_t i = 0; i < MOST; i++) answers[i] = i < k ? 0 : 2;
                double want = log(wide_mass(&svt, queries, answers, values[v] - svt.threshold)) +
                              audit_laplace_log_density(values[v] - queries[k], svt.query_scale);
                assert_true(fabs(audit_shown_log_density(&law, k, values[v]) - want) < 1e-10);
            }
    }
}

/* The winner among Laplace noises is the last of a sparse vector whose threshold is the
 * winner itself: its noise plays the threshold's, the others are below. */
static void test_argmax(void **state)
{
    uint64_t seed = 14;
    (void)state;
    for (size_t e = 0; e < 4; e++) {
        double scores[5], law[5], others[4];
        int below[4] = { 0, 0, 0, 0 };
        fill_queries(scores, 5, &seed, e % 2);
        assert_true(audit_argmax_law(law, scores, 5, 2 / epsilons[e], false));
        for (size_t i = 0; i < 5; i++) {
            audit_svt svt = { 4, scores[i], 2 / epsilons[e], 2 / epsilons[e], true };
            for (size_t j = 0; j < 4; j++) others[j] = scores[j + (j >= i)];
            assert_close(law[i], wide_mass(&svt, others, below, INFINITY));
        }
    }
}

/* delta at epsilon, by definition; x: 1 where it lies above `delta`, -1 below. */
static int side_of_delta(double sigma, double epsilon, double delta)
{
    arb_t half, shift, x, y, root;
    arb_init(half);
    arb_init(shift);
    arb_init(x);
    arb_init(y);
    arb_init(root);
    arb_set_d(half, sigma);
    arb_mul_2exp_si(half, half, 1);
    arb_inv(half, half, 256);
    arb_set_d(shift, sigma);
    arb_set_d(x, epsilon);
    arb_mul(shift, shift, x, 256);
    arb_sqrt_ui(root, 2, 256);
    arb_sub(x, shift, half, 256);
    arb_div(x, x, root, 256);
    arb_hypgeom_erfc(x, x, 256);
    arb_add(y, shift, half, 256);
    arb_div(y, y, root, 256);
    arb_hypgeom_erfc(y, y, 256);
    arb_set_d(shift, epsilon);
    arb_exp(shift, shift, 256);
    arb_submul(x, shift, y, 256);
    arb_mul_2exp_si(x, x, -1);
    arb_set_d(y, delta);
    arb_sub(x, x, y, 256);
    int side = arb_is_positive(x) ? 1 : arb_is_negative(x) ? -1 : 0;
    arb_clear(half);
    arb_clear(shift);
    arb_clear(x);
    arb_clear(y);
    arb_clear(root);
    return side;
}

static void test_gaussian(void **state)
{
    (void)state;
    for (double sigma = 0.2; sigma < 60; sigma *= 1.9)
        for (double delta = 1e-7; delta < 0.2; delta *= 30) {
            double epsilon = audit_gaussian_epsilon(sigma, delta);
            assert_int_equal(side_of_delta(sigma, epsilon + 1e-9 * (1 + epsilon), delta), -1);
            if (epsilon > 0) assert_int_equal(side_of_delta(sigma, epsilon - 1e-9 * (1 + epsilon), delta), 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped), cmocka_unit_test(test_endless),  cmocka_unit_test(test_shown),
        cmocka_unit_test(test_argmax),  cmocka_unit_test(test_gaussian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
