/* SPDX-License-Identifier: Apache-2.0 */
/* The epsilon of two laws: small tables worked by hand, edges, and the definition. */
#include <math.h>

#include "audit/oracle.h"
#include "support.h"

static void test_largest_ratio(void **state)
{
    static const double p[] = { 0.5, 0.25, 0.25 }, q[] = { 0.25, 0.25, 0.5 };
    (void)state;
    assert_true(fabs(audit_table_epsilon(p, q, 3, 0) - log(2)) < 1e-15);
    assert_true(audit_table_epsilon(p, p, 3, 0) == 0);
    /* 0.5 - 0.25 e^epsilon = 0.1 */
    assert_true(fabs(audit_table_epsilon(p, q, 3, 0.1) - log(1.6)) < 1e-12);
    /* The whole distance is 0.25. */
    assert_true(audit_table_epsilon(p, q, 3, 0.25) == 0);
    assert_true(audit_table_epsilon(p, q, 3, 0.2499) > 0);
}

static void test_impossible(void **state)
{
    static const double p[] = { 0.01, 0.59, 0.4 }, q[] = { 0, 0.5, 0.5 };
    (void)state;
    assert_true(isinf(audit_table_epsilon(p, q, 3, 0)));
    assert_true(isinf(audit_table_epsilon(p, q, 3, 0.0099)));
    assert_true(fabs(audit_table_epsilon(p, q, 3, 0.01) - log(0.59 / 0.5)) < 1e-12);
    assert_true(audit_impossible_mass(p, q, 3) == 0.01);
    assert_true(audit_impossible_mass(q, p, 3) == 0);
    /* What neither has does not count. */
    assert_true(fabs(audit_table_epsilon(q, p, 3, 0) - log(0.5 / 0.4)) < 1e-15);
}

/* At the epsilon found the divergence is delta. */
static void test_definition(void **state)
{
    enum { N = 40 };
    double p[N], q[N];
    uint64_t seed = 5;
    (void)state;
    for (int run = 0; run < 200; run++) {
        double sum[2] = { 0, 0 }, divergence = 0, delta = ldexp(1, -1 - run % 20);
        for (int i = 0; i < N; i++) {
            sum[0] += p[i] = exp(-(double)(splitmix64(&seed) >> 60));
            sum[1] += q[i] = exp(-(double)(splitmix64(&seed) >> 60));
        }
        for (int i = 0; i < N; i++) p[i] /= sum[0], q[i] /= sum[1];
        double epsilon = audit_table_epsilon(p, q, N, delta);
        for (int i = 0; i < N; i++) divergence += fmax(p[i] - exp(epsilon) * q[i], 0);
        assert_true(divergence <= delta + 1e-12);
        if (epsilon > 0) assert_true(divergence >= delta - 1e-12);
    }
}

/* sigma and epsilon are inverse to each other, and monotone. */
static void test_gaussian(void **state)
{
    (void)state;
    for (double epsilon = 0.01; epsilon < 20; epsilon *= 2)
        for (double delta = 1e-6; delta < 0.2; delta *= 10) {
            double sigma = audit_gaussian_sigma(epsilon, delta);
            assert_true(fabs(audit_gaussian_epsilon(sigma, delta) - epsilon) < 1e-9 * (1 + epsilon));
            assert_true(audit_gaussian_epsilon(1.01 * sigma, delta) < epsilon);
        }
    assert_true(audit_gaussian_epsilon(1e6, 0.01) == 0);
}

/* Shapes that the oracles refuse. */
static void test_refused(void **state)
{
    static double out[1 << 12];
    double queries[21] = { 0 };
    (void)state;
    assert_false(audit_svt_law(out, &(audit_svt){ 21, 0, 1, 1, true }, queries));
    assert_false(audit_svt_law(out, &(audit_svt){ 13, 0, 1, 1, false }, queries));
    assert_false(audit_svt_law(out, &(audit_svt){ 20, 0, 100, 1, true }, queries));
    assert_false(audit_argmax_law(out, queries, 0, 1, false));
    assert_false(audit_argmax_law(out, queries, 21, 1, false));
    queries[0] = NAN;
    assert_false(audit_svt_law(out, &(audit_svt){ 3, 0, 1, 1, true }, queries));
    queries[0] = 1e9;
    assert_false(audit_svt_law(out, &(audit_svt){ 3, 0, 1, 1, true }, queries));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_ratio), cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_definition),    cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
