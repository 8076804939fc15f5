/* SPDX-License-Identifier: Apache-2.0 */
/* Smooth sensitivity of order statistics against its definition: all tables over a
 * small universe that holds both bounds, all neighbours, both relations. The
 * algorithm gives the least beta-smooth bound where rows are replaced; where they
 * come and go it is above it, smooth, and never below the local sensitivity. What
 * was rounded is compared with e^beta in MPFR. */
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "mechanisms/smooth_quantile.h"
#include "mechanisms/smooth_sensitivity.h"
#include "small_tables.h"
#include "support.h"

enum { TABLES = SMALL_TABLES };

static double smooth_of(const small_table *t, uint64_t target, unsigned m, double beta)
{
    dusk_ordered x = small_ordered(t);
    return dusk_ordered_smooth(&x, dusk_rank_of(target, t->n), m, dusk_smooth_inner_beta(beta));
}

/* The definition [Nissim, Raskhodnikova & Smith 2007, Definition 2.2], tables of at
 * most MOST rows being all there are. */
static double by_definition(size_t i, uint64_t target, bool replace, unsigned m, double beta,
                            const double *local)
{
    double most = 0;
    for (size_t j = 0; j < TABLES; j++) {
        unsigned d = small_distance(&small_tables[i], &small_tables[j], replace, m);
        if (d < 99) most = fmax(most, local[j] * exp(-beta * d));
    }
    (void)target;
    return most;
}

static void local_sensitivities(double *local, uint64_t target, bool replace, unsigned m)
{
    for (size_t i = 0; i < TABLES; i++) {
        local[i] = 0;
        for (size_t j = 0; j < TABLES; j++)
            if (small_distance(&small_tables[i], &small_tables[j], replace, m) <= 1)
                local[i] = fmax(local[i], fabs(small_statistic(&small_tables[i], target) -
                                               small_statistic(&small_tables[j], target)));
    }
}

/* a <= e^beta b, for real numbers */
static bool is_smooth(double a, double b, double beta)
{
    mpfr_t t;
    mpfr_init2(t, 200);
    mpfr_set_d(t, beta, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDD);
    mpfr_mul_d(t, t, b, MPFR_RNDD);
    bool smooth = mpfr_cmp_d(t, a) >= 0;
    mpfr_clear(t);
    return smooth;
}

static void check(double q, bool replace, unsigned m, double beta)
{
    double local[TABLES], smooth[TABLES];
    uint64_t target = dusk_rank_target(q);
    local_sensitivities(local, target, replace, m);
    for (size_t i = 0; i < TABLES; i++) {
        smooth[i] = smooth_of(&small_tables[i], target, m, beta);
        double least = by_definition(i, target, replace, m, beta, local);
        if (smooth[i] < least * (1 - 1e-15)) fail_msg("q %g: %.17g is below %.17g", q, smooth[i], least);
        if (replace && m == 1 && small_tables[i].n > 0) assert_true(smooth[i] <= least * (1 + 0x1p-26));
    }
    for (size_t i = 0; i < TABLES; i++)
        for (size_t j = 0; j < TABLES; j++) {
            if (small_distance(&small_tables[i], &small_tables[j], replace, m) != 1) continue;
            assert_true(is_smooth(smooth[i], smooth[j], beta));
            /* the shift is within both: smooth_noise.c counts on it */
            assert_true(fabs(small_statistic(&small_tables[i], target) -
                             small_statistic(&small_tables[j], target)) <= fmin(smooth[i], smooth[j]));
        }
}

static void replacing_a_row_gives_the_least_bound(void **state)
{
    (void)state;
    const double q[] = { 0.5, 0.25, 0.9, 0.01 }, beta[] = { 0.05, 0.3, 1.1, 5 };
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) check(q[i], true, 1, beta[j]);
}

static void rows_that_come_and_go(void **state)
{
    (void)state;
    const double q[] = { 0.5, 0.3, 0.99 }, beta[] = { 0.05, 0.3, 1.1 };
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) check(q[i], false, 1, beta[j]);
}

static void units_of_several_rows(void **state)
{
    (void)state;
    for (unsigned m = 2; m <= 3; m++) {
        check(0.5, false, m, 0.3);
        check(0.5, true, m, 0.3);
        check(0.8, false, m, 1.5);
        check(0.8, true, m, 0.1);
    }
}

/* --- the privacy loss of what is shipped ----------------------------------------------- */

/* sup_z ln p(z)/q(z) between f + S/r T and f' + S'/r T: the larger eigenvalue of a matrix
 * (smooth_noise.proof.md), for the very f, S and r of two tables. */
static double loss(const dusk_smooth *smooth, double shift, double s, double s_other)
{
    double d = smooth->degrees, l = log(s / s_other), c = shift * smooth->ratio / s / sqrt(d);
    double a = exp(2 * l), trace = a + 1 + a * c * c, root = sqrt(trace * trace - 4 * a);
    return -l + (d + 1) / 2 * log((trace + root) / 2);
}

static void all_neighbours_are_within_epsilon(void **state)
{
    (void)state;
    for (int replace = 0; replace < 2; replace++)
        for (uint32_t degrees = 1; degrees <= 3; degrees++)
            for (double epsilon = 0.2; epsilon < 4; epsilon *= 4) {
                dusk_smooth smooth;
                double worst = 0, s[TABLES];
                uint64_t target = dusk_rank_target(0.4);
                assert_int_equal(
                    dusk_smooth_init(&smooth, DUSK_SMOOTH_STUDENT_T, degrees, 0, epsilon, 0, -40, NULL),
                    DUSK_OK);
                for (size_t i = 0; i < TABLES; i++)
                    s[i] = smooth_of(&small_tables[i], target, 1, smooth.beta);
                for (size_t i = 0; i < TABLES; i++)
                    for (size_t j = 0; j < TABLES; j++) {
                        if (small_distance(&small_tables[i], &small_tables[j], replace, 1) != 1) continue;
                        double shift = small_statistic(&small_tables[i], target) -
                                       small_statistic(&small_tables[j], target);
                        worst = fmax(worst, loss(&smooth, shift, s[i], s[j]));
                    }
                assert_true(worst <= epsilon * (1 + 1e-9));
                assert_true(worst > 0.5 * epsilon); /* it is spent, too */
            }
}

/* The integral of (p - e^eps q)_+ for Laplace or Gaussian noise, by the middle of cells: p is
 * the law about 0 in the unit S/r, q that of the other table. */
static double divergence(const dusk_smooth *smooth, double shift, double s, double s_other)
{
    bool gaussian = smooth->law == DUSK_SMOOTH_GAUSSIAN;
    double l = log(s / s_other), move = shift * smooth->ratio / s, far = gaussian ? 7 : 24, step = far / 1500;
    double grow = exp(smooth->promise.epsilon + l), sum = 0;
    for (double z = -far + step / 2; z < far; z += step) {
        double w = exp(l) * (z + move);
        double p = gaussian ? exp(-z * z / 2) : exp(-fabs(z)), q = gaussian ? exp(-w * w / 2) : exp(-fabs(w));
        sum += fmax(0, p - grow * q);
    }
    return sum * step / (gaussian ? sqrt(2 * acos(-1)) : 2);
}

static void all_neighbours_are_within_delta(void **state)
{
    (void)state;
    for (int replace = 0; replace < 2; replace++)
        for (dusk_smooth_law law = DUSK_SMOOTH_LAPLACE; law <= DUSK_SMOOTH_GAUSSIAN; law++) {
            dusk_smooth smooth;
            double worst = 0, s[TABLES], delta = 1e-3;
            uint64_t target = dusk_rank_target(0.5);
            assert_int_equal(dusk_smooth_init(&smooth, law, 1, 0.1, 1, delta, -40, NULL), DUSK_OK);
            for (size_t i = 0; i < TABLES; i++) s[i] = smooth_of(&small_tables[i], target, 1, smooth.beta);
            for (size_t i = 0; i < TABLES; i++)
                for (size_t j = 0; j < TABLES; j++) {
                    if (small_distance(&small_tables[i], &small_tables[j], replace, 1) != 1) continue;
                    double shift =
                        small_statistic(&small_tables[i], target) - small_statistic(&small_tables[j], target);
                    if (s[i] == s[j] && shift == 0) continue;
                    worst = fmax(worst, divergence(&smooth, shift, s[i], s[j]));
                }
            assert_true(worst <= delta * 1.01 && worst > 0.2 * delta);
        }
}

/* The divide and conquer against all windows, on rows that are not round. */
static void the_largest_window_is_found(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 400; trial++) {
        double raw[60], beta = exp(-5.0 * (trial % 11) / 10), most = 0;
        size_t n = splitmix64(&seed) % 60;
        uint32_t m = 1 + (uint32_t)(splitmix64(&seed) % (trial % 3 ? 4 : 1));
        for (size_t i = 0; i < n; i++) raw[i] = pow((double)(splitmix64(&seed) >> 11) * 0x1p-53, trial % 7);
        dusk_ordered x;
        assert_int_equal(dusk_ordered_new(&x, raw, n, 0, 1, NULL), DUSK_OK);
        int64_t r = (int64_t)dusk_rank_of(dusk_rank_target(0.37), n);
        for (int64_t i = -5; i <= r; i++)
            for (int64_t j = r; j <= (int64_t)n + 5; j++) {
                double k = ceil((double)(j - i) / m) - 1;
                if (j > i)
                    most = fmax(most, (dusk_ordered_row(&x, j) - dusk_ordered_row(&x, i)) * exp(-beta * k));
            }
        double found = dusk_ordered_smooth(&x, (size_t)r, m, beta);
        assert_true(found >= most && found <= most * (1 + 0x1p-31));
        dusk_ordered_clear(&x);
    }
}

static void ranks_move_by_one_at_most(void **state)
{
    (void)state;
    const double q[] = { 1e-12, 0.1, 1.0 / 3, 0.5, 0.9999999999, 1 - 0x1p-50 };
    for (size_t i = 0; i < 6; i++) {
        uint64_t target = dusk_rank_target(q[i]);
        assert_int_equal(dusk_rank_of(target, 0), 0);
        for (size_t n = 0; n < 5000; n++) {
            size_t step = dusk_rank_of(target, n + 1) - dusk_rank_of(target, n);
            assert_true(step <= 1 && dusk_rank_of(target, n) <= n);
        }
        assert_true(dusk_rank_of(target, (size_t)1 << 60) <= (size_t)1 << 60);
    }
}

int main(void)
{
    small_tables_list();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replacing_a_row_gives_the_least_bound),
        cmocka_unit_test(rows_that_come_and_go),
        cmocka_unit_test(units_of_several_rows),
        cmocka_unit_test(all_neighbours_are_within_epsilon),
        cmocka_unit_test(all_neighbours_are_within_delta),
        cmocka_unit_test(the_largest_window_is_found),
        cmocka_unit_test(ranks_move_by_one_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
