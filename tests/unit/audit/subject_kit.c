/* SPDX-License-Identifier: Apache-2.0 */
/* What standard subjects are made of: logarithms in blocks, inverse tails, and every subject
 * opened for claims from 0.01 to 10: pairs that are there, truths of the right sign, draws and
 * densities that are numbers; and memory that runs out while one is opened. */
#include <math.h>

#include "audit/subject_kit.h"
#include "base/memory.h"
#include "support.h"

static const audit_subject *const tables[] = { audit_additive_subjects, audit_discrete_subjects,
                                               audit_noisy_max_subjects, audit_sparse_vector_subjects };

static void test_logarithms(void **state)
{
    double x[7], want[7];
    uint64_t seed = 3;
    (void)state;
    for (int run = 0; run < 200000; run++) {
        size_t n = 1 + (size_t)run % 7;
        for (size_t i = 0; i < n; i++) {
            uint64_t word = splitmix64(&seed);
            double u = ((double)(word >> 11) + 0.5) * 0x1p-53;
            x[i] = run % 3 == 0 ? u : run % 3 == 1 ? 1 - u * 0x1p-30 : ldexp(u, -(int)(word % 54));
            if (x[i] >= 1) x[i] = 0.5;
            want[i] = log(x[i]);
        }
        audit_log_block(x, n);
        for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - want[i]) <= 1e-15 * fabs(want[i]));
    }
    audit_log_block(x, 0);
}

/* Inverse to the tail that the oracles use. */
static void test_inverse_tail(void **state)
{
    (void)state;
    for (double u = 1e-12; u < 1; u = u < 0.4 ? 2 * u : u + 0.01)
        assert_true(fabs(audit_laplace_tail(audit_laplace_at(u, 3), 3) - u) < 1e-14);
}

static void check_case(const audit_case *c)
{
    enum { DRAWS = 100 };
    double outputs[DRAWS * AUDIT_INPUTS_MAX], densities[DRAWS];
    const dusk_sampler *s = &c->sampler;
    assert_true(c->pair_count > 0 && c->epsilon > 0 && c->delta >= 0);
    assert_true(isnan(c->exact) || c->exact >= 0);
    for (size_t i = 0; i < c->pair_count; i++)
        for (int side = 0; side < 2; side++) {
            assert_int_equal(s->draw(s->context, outputs, DRAWS, c->pairs[i].input[side], NULL), DUSK_OK);
            if (!s->log_density) continue;
            assert_int_equal(
                s->log_density(s->context, densities, outputs, DRAWS, c->pairs[i].input[side], NULL),
                DUSK_OK);
            for (int k = 0; k < DRAWS; k++) assert_true(isfinite(densities[k]));
        }
}

static void test_opened(void **state)
{
    static const double epsilons[] = { 0.01, 0.5, 10 };
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const audit_subject *s = tables[t]; s->says.name; s++)
            for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
                audit_case c;
                assert_int_equal(s->open(&c, epsilons[e], 5, NULL, NULL), DUSK_OK);
                check_case(&c);
                c.close(c.sampler.context);
            }
}

/* The same seed gives the same draws, another one others. */
static void test_repeats(void **state)
{
    double x[3][50];
    (void)state;
    for (int i = 0; i < 3; i++) {
        audit_case c;
        assert_int_equal(audit_noisy_max_subjects[2].open(&c, 1, i < 2 ? 9 : 10, NULL, NULL), DUSK_OK);
        assert_int_equal(c.sampler.draw(c.sampler.context, x[i], 50, c.pairs[0].input[0], NULL), DUSK_OK);
        c.close(c.sampler.context);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_true(x[0][0] != x[2][0]);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (long n = 1;; n++) {
            audit_case c = { .exact = 42 };
            dusk_memory_fail_at(n);
            dusk_status status = tables[t]->open(&c, 1, 5, NULL, NULL);
            dusk_memory_fail_at(0);
            if (status == DUSK_OK) {
                assert_true(n > 1 && !isnan(c.exact));
                c.close(c.sampler.context);
                break;
            }
            assert_int_equal(status, DUSK_ERR_MEMORY);
            assert_true(c.exact == 42);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logarithms), cmocka_unit_test(test_inverse_tail), cmocka_unit_test(test_opened),
        cmocka_unit_test(test_repeats),    cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
