/* SPDX-License-Identifier: Apache-2.0 */
/* Selection at its production width: chi-square tests against the exact laws,
 * alpha 1e-6, fixed seed. */
#include <math.h>

#include "dusk/mechanisms.h"
#include "law.h"
#include "mechanisms/noisy_max.h"
#include "seeded.h"

enum { N = 8, RUNS = 400000 };

/* Scores that are irregular, far from 0, and far apart. */
static const double tables[][N] = {
    { 0, 0, 0, 0, 0, 0, 0, 0 },
    { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 0.1, -0.7, 3.14159, 2.71828, 3.14160, 1.41421, -2.5, 3.0 },
    { 1e12, 1e12 + 1, 1e12 + 0.5, 1e12 + 2, 1e12 - 3, 1e12 - 1, 1e12, 1e12 + 1.25 },
    { -1e300, 0, 1, NAN, -INFINITY, 0.5, 2, 2 },
};
enum { TABLES = sizeof tables / sizeof *tables };

static int open_generator(void **state) { return open_seeded(state, 271828); }

static void check(dusk_selection_method method, const double *scores, const double *p, void **state)
{
    dusk_selection selection;
    uint64_t seen[N] = { 0 };
    assert_int_equal(dusk_selection_init(&selection, method, 1, false, 1, NULL), DUSK_OK);
    for (int i = 0; i < RUNS; i++) {
        size_t index;
        assert_int_equal(dusk_selection_release(&selection, &index, scores, N, *state, NULL), DUSK_OK);
        seen[index]++;
    }
    assert_law(seen, p, N, RUNS);
}

/* gap[i] = rate (max - score[i]) >= 0, rate 1/2. */
static void set_gaps(double *gap, const double *scores)
{
    double top = -INFINITY;
    for (size_t i = 0; i < N; i++) top = fmax(top, dusk_noisy_score(scores[i]));
    for (size_t i = 0; i < N; i++) gap[i] = (top - dusk_noisy_score(scores[i])) / 2;
}

static void the_exponential_mechanism(void **state)
{
    for (size_t t = 0; t < TABLES; t++) {
        double gap[N], p[N], total = 0;
        set_gaps(gap, tables[t]);
        for (size_t i = 0; i < N; i++) total += exp(-gap[i]);
        for (size_t i = 0; i < N; i++) p[i] = exp(-gap[i]) / total;
        check(DUSK_SELECT_EXPONENTIAL, tables[t], p, state);
    }
}

static void permute_and_flip(void **state)
{
    for (size_t t = 0; t < TABLES; t++) {
        double gap[N], p[N] = { 0 };
        set_gaps(gap, tables[t]);
        for (unsigned set = 1; set < 1U << N; set++) {
            double chance = 1 / (double)__builtin_popcount(set);
            for (size_t i = 0; i < N; i++) chance *= set >> i & 1 ? exp(-gap[i]) : -expm1(-gap[i]);
            for (size_t i = 0; i < N; i++) p[i] += set >> i & 1 ? chance : 0;
        }
        check(DUSK_SELECT_PERMUTE_AND_FLIP, tables[t], p, state);
    }
}

/* Simpson's rule over the noise of candidate `me`; kinks cost less than 1e-5. */
static double laplace_wins(const double *gap, size_t me)
{
    double sum = 0, step = 1.0 / 512;
    for (int i = -40 * 512; i <= 40 * 512; i++) {
        double x = i * step, density = exp(-fabs(x)) / 2;
        for (size_t j = 0; j < N; j++) {
            double y = x - gap[me] + gap[j];
            if (j != me) density *= y < 0 ? exp(y) / 2 : 1 - exp(-y) / 2;
        }
        sum += (i % 2 ? 4 : 2) * density;
    }
    return sum * step / 3;
}

static void the_noisy_maximum_with_laplace_noise(void **state)
{
    for (size_t t = 0; t < TABLES; t++) {
        double gap[N], p[N];
        set_gaps(gap, tables[t]);
        for (size_t i = 0; i < N; i++) p[i] = laplace_wins(gap, i);
        check(DUSK_SELECT_NOISY_MAX_LAPLACE, tables[t], p, state);
    }
}

/* Pairs (first, second) by choosing one after the other. */
static void the_two_best(void **state)
{
    const double *scores = tables[2];
    double gap[N], p[N * N] = { 0 }, total = 0;
    uint64_t seen[N * N] = { 0 };
    dusk_selection selection;
    assert_int_equal(dusk_selection_init(&selection, DUSK_SELECT_NOISY_MAX_GUMBEL, 2, true, 1, NULL),
                     DUSK_OK);
    set_gaps(gap, scores);
    for (size_t i = 0; i < N; i++) total += exp(-gap[i]);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (i != j) p[i * N + j] = exp(-gap[i]) / total * exp(-gap[j]) / (total - exp(-gap[i]));
    for (int i = 0; i < RUNS; i++) {
        size_t top[2];
        assert_int_equal(dusk_selection_release_top(&selection, top, 2, scores, N, *state, NULL), DUSK_OK);
        seen[top[0] * N + top[1]]++;
    }
    assert_law(seen, p, N * N, RUNS);
}

/* P(i) ~ weight_i exp(rate score_i): what the quantiles stand on. */
static void weighted_candidates(void **state)
{
    const uint64_t weights[N] = { 1, 0, 1000, 1048576, 3, 0, 77, 12 };
    const double *scores = tables[1];
    dusk_noisy_scores in = { scores, weights, N, 3, 2, DUSK_NOISY_GUMBEL, 64 };
    double p[N], total = 0;
    uint64_t seen[N] = { 0 };
    for (size_t i = 0; i < N; i++) total += p[i] = (double)weights[i] * exp(1.5 * scores[i]);
    for (size_t i = 0; i < N; i++) p[i] /= total;
    for (int i = 0; i < RUNS; i++) {
        size_t index;
        assert_int_equal(dusk_noisy_max(&index, 1, &in, *state, NULL), DUSK_OK);
        seen[index]++;
    }
    assert_law(seen, p, N, RUNS);
    assert_true(seen[1] == 0 && seen[5] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_mechanism),
        cmocka_unit_test(permute_and_flip),
        cmocka_unit_test(the_noisy_maximum_with_laplace_noise),
        cmocka_unit_test(the_two_best),
        cmocka_unit_test(weighted_candidates),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
