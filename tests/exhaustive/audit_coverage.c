/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of the bounds from counts, summed exactly over all outcomes: for every n up to
 * 60, every probability of a fine grid and those just beside the bounds themselves (where
 * coverage is worst), the chance of a wrong bound is at most the error; and the bound of
 * epsilon from two counts is wrong with at most its error, also at a delta. */
#include <math.h>

#include "audit/bounds.h"
#include "support.h"

enum { MOST = 60 };

/* P(Bin(n, p) = k), k = 0, ..., n, in long double. */
static void law(long double *out, unsigned n, long double p)
{
    for (unsigned k = 0; k <= n; k++) {
        long double x = 1;
        for (unsigned i = 0; i < k; i++) x *= p * (long double)(n - i) / (long double)(i + 1);
        out[k] = x * powl(1 - p, (long double)(n - k));
    }
}

static void check_at(unsigned n, long double p, double error, const double *down, const double *up)
{
    long double w[MOST + 1], below = 0, above = 0;
    if (!(p > 0 && p < 1)) return;
    law(w, n, p);
    for (unsigned k = 0; k <= n; k++) {
        if ((long double)down[k] > p) below += w[k];
        if ((long double)up[k] < p) above += w[k];
    }
    if (below > error * (1 + 1e-12L) || above > error * (1 + 1e-12L))
        fail_msg("n %u, p %.17Lg: wrong with %.9Lg and %.9Lg, allowed %.9g", n, p, below, above, error);
}

static void counts(void **state)
{
    (void)state;
    static const double errors[] = { 0.025, 5e-7, 0.3, 0.9 };
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
        for (unsigned n = 1; n <= MOST; n += n < 20 ? 1 : 8) {
            double down[MOST + 1], up[MOST + 1];
            for (unsigned k = 0; k <= n; k++) {
                down[k] = dusk_clopper_pearson_down(k, n, errors[e]);
                up[k] = dusk_clopper_pearson_up(k, n, errors[e]);
                assert_true(down[k] >= 0 && up[k] <= 1);
                if (errors[e] < 0.5) assert_true(down[k] <= (double)k / n && up[k] >= (double)k / n);
            }
            for (unsigned i = 1; i < 50; i++) check_at(n, i / 50.0L, errors[e], down, up);
            for (unsigned k = 0; k <= n; k++)
                for (int side = -1; side <= 1; side += 2) {
                    check_at(n, (long double)down[k] * (1 + side * 1e-12L), errors[e], down, up);
                    check_at(n, 1 - (1 - (long double)up[k]) * (1 + side * 1e-12L), errors[e], down, up);
                }
        }
}

/* Sharp: where the lower bound of k says x, k or more hits have nearly the error. */
static void sharp(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= MOST; n += 7)
        for (unsigned k = 1; k <= n; k++) {
            long double w[MOST + 1], tail = 0;
            law(w, n, dusk_clopper_pearson_down(k, n, 0.025));
            for (unsigned i = k; i <= n; i++) tail += w[i];
            assert_true(tail <= 0.025L && tail > 0.025L * (1 - 1e-6L));
        }
}

/* The chance that epsilon's bound exceeds the truth, P(S) = p, Q(S) = q. */
static void check_epsilon(unsigned n, long double p, long double q, double delta, double error)
{
    long double a[MOST + 1], b[MOST + 1], wrong = 0;
    law(a, n, p);
    law(b, n, q);
    for (unsigned i = 0; i <= n; i++)
        for (unsigned j = 0; j <= n; j++) {
            long double bound = dusk_epsilon_down(i, n, j, n, delta, error);
            if (bound > 0 && expl(bound) * q + delta > p) wrong += a[i] * b[j];
        }
    if (wrong > error * (1 + 1e-12L))
        fail_msg("n %u, p %Lg, q %Lg, delta %g: wrong with %.9Lg", n, p, q, delta, wrong);
}

/* The chance that one or the other bound of a corner is wrong. */
static void check_corner(unsigned n, long double p, long double q, double error)
{
    long double a[MOST + 1], b[MOST + 1], wrong = 0;
    law(a, n, p);
    law(b, n, q);
    for (unsigned i = 0; i <= n; i++)
        for (unsigned j = 0; j <= n; j++) {
            audit_corner c = audit_corner_of(i, n, j, n, error);
            if ((long double)c.p > p || (long double)c.q < q) wrong += a[i] * b[j];
        }
    if (wrong > error * (1 + 1e-12L)) fail_msg("n %u, p %Lg, q %Lg: wrong with %.9Lg", n, p, q, wrong);
}

static void corners(void **state)
{
    (void)state;
    for (unsigned n = 5; n <= 20; n += 5)
        for (unsigned i = 1; i < n; i += 2) {
            /* just below the bounds themselves, where coverage is worst */
            long double p = dusk_clopper_pearson_down(i, n, 0.2) * (1 - 1e-12L);
            long double q = 1 - (1 - dusk_clopper_pearson_up(n - i, n, 0.2)) * (1 - 1e-12L);
            check_corner(n, p, q, 0.2);
            p = dusk_clopper_pearson_down(i, n, 0.1) * (1 - 1e-12L);
            q = 1 - (1 - dusk_clopper_pearson_up(n - i, n, 0.1)) * (1 - 1e-12L);
            check_corner(n, p, q, 0.2);
        }
}

static void epsilons(void **state)
{
    (void)state;
    static const double deltas[] = { 0, 0.05, 0.3 }, errors[] = { 0.05, 0.5 };
    for (size_t d = 0; d < 3; d++)
        for (size_t e = 0; e < 2; e++)
            for (unsigned n = 5; n <= 20; n += 5)
                for (unsigned i = 1; i < 20; i++)
                    for (unsigned j = 1; j < 20; j += 4)
                        check_epsilon(n, i / 20.0L, j / 20.0L, deltas[d], errors[e]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(sharp),
        cmocka_unit_test(corners),
        cmocka_unit_test(epsilons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
