/* SPDX-License-Identifier: Apache-2.0 */
/* Key selection at production width, with a fixed seed and alpha 1e-6: keys are
 * kept as often as the stated probability, those of one unit no more often than
 * delta (A16), wherever they stand in the list. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/mechanisms.h"
#include "random/tape.h"
#include "support.h"

enum { N = 500000 };
static uint64_t units[N];
static bool keep[N];
static double counts[N];

static dusk_generator *seeded(uint64_t seed)
{
    dusk_generator *gen;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    return gen;
}

static dusk_key_selection make(dusk_key_method method, uint32_t keys, double epsilon, double delta)
{
    dusk_key_selection selection;
    assert_int_equal(dusk_key_selection_init(&selection, method, keys, epsilon, delta, NULL), DUSK_OK);
    return selection;
}

/* How many of N keys of n units are kept. */
static double kept(const dusk_key_selection *selection, uint64_t n, dusk_generator *gen)
{
    double sum = 0;
    for (int i = 0; i < N; i++) units[i] = n;
    assert_int_equal(dusk_key_selection_release(selection, keep, counts, units, N, gen, NULL), DUSK_OK);
    for (int i = 0; i < N; i++) sum += keep[i];
    return sum;
}

/* A16: a key of one unit appears in at most delta of all runs. */
static void a16_keys_of_one_unit_stay_hidden(void **state)
{
    dusk_generator *gen = seeded(16);
    (void)state;
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++)
        for (uint32_t keys = 1; keys <= 4; keys += 3) {
            dusk_key_selection often = make(method, keys, 1, 1e-3), seldom = make(method, keys, 1, 1e-6);
            /* Mean at most 500 / keys and 0.5: Poisson bounds at 1e-6. */
            double most = 500.0 / keys;
            assert_true(kept(&often, 1, gen) < most + 5.2 * sqrt(most));
            assert_true(kept(&seldom, 1, gen) <= 9);
            assert_true(kept(&often, 0, gen) == 0);
        }
    dusk_generator_free(gen);
}

static void keys_are_kept_as_often_as_stated(void **state)
{
    dusk_generator *gen = seeded(17);
    (void)state;
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++) {
        dusk_key_selection s = make(method, 2, 1.5, 1e-4);
        for (uint64_t n = 1; n <= 60; n += 6) {
            double p, seen;
            assert_int_equal(dusk_key_selection_probability(&s, &p, n, NULL), DUSK_OK);
            seen = kept(&s, n, gen);
            if (!(fabs(seen - N * p) <= 5 * sqrt(N * p * (1 - p)) + 5))
                fail_msg("method %d, %d units: %g of %d, expected %g", (int)method, (int)n, seen, (int)N,
                         N * p);
        }
    }
    dusk_generator_free(gen);
}

/* Where a key stands in the list says nothing: each tenth of it is kept alike. */
static void order_does_not_matter(void **state)
{
    dusk_generator *gen = seeded(18);
    (void)state;
    for (dusk_key_method method = DUSK_KEYS_TRUNCATED_GEOMETRIC; method <= DUSK_KEYS_GAUSSIAN; method++) {
        dusk_key_selection s = make(method, 1, 1, 0.01);
        double part[10] = { 0 }, chi = 0, all = kept(&s, 6, gen) / 10;
        for (int i = 0; i < N; i++) part[i / (N / 10)] += keep[i];
        double spread = all * (1 - 10 * all / N);
        for (int i = 0; i < 10; i++) chi += pow(part[i] - all, 2) / spread;
        assert_true(chi < 47); /* 9 degrees of freedom, 1e-6 is 46.4 */
    }
    dusk_generator_free(gen);
}

/* The counts that are shown are the noisy ones from the threshold up. */
static void shown_counts_have_the_noise(void **state)
{
    dusk_generator *gen = seeded(19);
    dusk_key_selection s = make(DUSK_KEYS_LAPLACE, 1, 1, 1e-3);
    double shown = 0, sum = 0, n = (double)s.threshold + 20;
    (void)state;
    kept(&s, (uint64_t)n, gen);
    for (int i = 0; i < N; i++) {
        if (!keep[i]) continue;
        assert_true(counts[i] >= (double)s.threshold && counts[i] == rint(counts[i]));
        shown++;
        sum += counts[i] - n;
    }
    assert_true(shown > N * 0.999);
    assert_true(fabs(sum / shown) < 5 * sqrt(2.1 / N));
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a16_keys_of_one_unit_stay_hidden),
        cmocka_unit_test(keys_are_kept_as_often_as_stated),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(shown_counts_have_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
