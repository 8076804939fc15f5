/* SPDX-License-Identifier: Apache-2.0 */
/* Counts with Laplace noise beside what else a budget is shared among: nothing costs more than was asked for, with and without
 * delta, whatever was taken before; the noise has the deviation that is said, and follows rows a unit. */
#include <math.h>

#include "learn/budget.h"
#include "random/generator.h"
#include "seeded.h"

static learn_budget budget(double epsilon, double delta, uint32_t rows_per_unit, dusk_neighbours relation)
{
    learn_budget b;
    assert_int_equal(learn_budget_init(&b, relation, epsilon, delta, rows_per_unit, NULL), DUSK_OK);
    return b;
}

static void counts_and_sums_keep_the_promise(void **state)
{
    const double epsilons[] = { 0.1, 1, 8 }, deltas[] = { 0, 1e-9, 1e-6 }, before[] = { 0, 0.1 },
                 shares[] = { 0.05, 0.4, 0.6 };
    (void)state;
    for (int i = 0; i < 54; i++) {
        learn_budget b = budget(epsilons[i % 3], deltas[i / 3 % 3], 1, DUSK_ADD_REMOVE);
        learn_noise noise;
        dusk_statement statement;
        if (before[i / 9 % 2] > 0)
            assert_int_equal(learn_budget_noise(&b, &noise, 2, 8, 0, before[i / 9 % 2], 1, NULL), DUSK_OK);
        assert_int_equal(learn_budget_counts(&b, &noise, 1, shares[i / 18], NULL), DUSK_OK);
        double expected = M_SQRT2 / epsilons[i % 3] / shares[i / 18];
        assert_true(fabs(noise.deviation / expected - 1) < 1e-6);
        assert_int_equal(learn_budget_counts(&b, &noise, 3, 0.02, NULL), DUSK_OK);
        assert_int_equal(learn_budget_noise(&b, &noise, 3, 5, 0, b.left, 2, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon > 0.5 * b.epsilon); /* and little is wasted */
    }
}

static void counts_may_take_all_and_no_more(void **state)
{
    learn_noise noise;
    dusk_statement statement;
    (void)state;
    for (int gaussian = 0; gaussian < 2; gaussian++) {
        learn_budget b = budget(1, gaussian ? 1e-6 : 0, 1, DUSK_ADD_REMOVE);
        assert_int_equal(learn_budget_counts(&b, &noise, 1, 1, NULL), DUSK_OK);
        assert_true(b.left == 0);
        learn_budget twice = budget(1, gaussian ? 1e-6 : 0, 1, DUSK_ADD_REMOVE);
        assert_int_equal(learn_budget_counts(&twice, &noise, 1, 0.05, NULL), DUSK_OK);
        assert_int_equal(learn_budget_counts(&twice, &noise, 1, 0.95, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&twice, &statement, "row", NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon > 0.999 && statement.epsilon <= 1);
        assert_int_equal(learn_budget_counts(&b, &noise, 1, 0.1, NULL), DUSK_ERR_ARGUMENT);
        b = budget(1, gaussian ? 1e-6 : 0, 1, DUSK_ADD_REMOVE);
        assert_int_equal(learn_budget_counts(&b, &noise, 1.5, 0.1, NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(learn_budget_counts(&b, &noise, 1, 0, NULL), DUSK_ERR_ARGUMENT);
    }
}

static void noise_follows_what_a_change_moves(void **state)
{
    learn_noise noise;
    (void)state;
    learn_budget b = budget(1, 0, 3, DUSK_REPLACE_ONE);
    assert_int_equal(learn_budget_counts(&b, &noise, 2, 0.5, NULL), DUSK_OK);
    assert_true(fabs(noise.gauss.scale / 24 - 1) < 1e-6); /* 2 steps, 3 rows, both sides, half of epsilon */
}

static void every_count_gets_noise_of_its_own(void **state)
{
    enum { N = 4000 };
    static dusk_int128 totals[N];
    static double out[N];
    learn_budget b = budget(0.5, 0, 1, DUSK_ADD_REMOVE);
    learn_noise noise;
    double square = 0, product = 0;
    dusk_generator *gen = seeded(4);
    (void)state;
    for (int i = 0; i < N; i++) totals[i] = 100 * i;
    assert_int_equal(learn_budget_counts(&b, &noise, 1, 1, NULL), DUSK_OK);
    assert_int_equal(learn_counts_release(&noise, out, totals, N, gen, NULL), DUSK_OK);
    for (int i = 0; i < N; i++) {
        square += pow(out[i] - 100 * i, 2);
        if (i) product += (out[i] - 100 * i) * (out[i - 1] - 100 * (i - 1));
        assert_true(out[i] == floor(out[i]));
    }
    assert_true(fabs(square / N / (noise.deviation * noise.deviation) - 1) < 0.2); /* 5.6 deviations */
    assert_true(fabs(product / square) < 0.09);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_sums_keep_the_promise),
        cmocka_unit_test(counts_may_take_all_and_no_more),
        cmocka_unit_test(noise_follows_what_a_change_moves),
        cmocka_unit_test(every_count_gets_noise_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
