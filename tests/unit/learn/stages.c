/* SPDX-License-Identifier: Apache-2.0 */
/* Noise in stages: as large as asked for beside the first, within the promise and close to it, priced as what it is; the same as without stages where all
 * are alike. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/sampler.h"
#include "seeded.h"

static const double factor[] = { 1, 0.8, 0.5 };
static const uint64_t times[] = { 100, 100, 50 };

static learn_budget budget_of(double epsilon, dusk_neighbours neighbours, uint32_t rows)
{
    learn_budget b;
    assert_int_equal(learn_budget_init(&b, neighbours, epsilon, 1e-6, rows, NULL), DUSK_OK);
    return b;
}

static learn_sampler poisson(double rate)
{
    learn_sampler s;
    assert_int_equal(learn_sampler_init(&s, LEARN_POISSON, rate, 0, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    return s;
}

/* What is drawn, priced once more from its numbers. */
static double price_of(const learn_noise *noise, double rate, uint32_t rows, dusk_neighbours neighbours)
{
    char text[1000] = "";
    size_t at = 0;
    dusk_event event;
    dusk_statement statement;
    for (size_t k = 0; k < 3; k++) {
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%sgroup(%u, poisson(%.17g, gaussian(%.17g))) * %u",
                             k ? " + " : "", rows, rate, noise[k].gauss.scale / 12.5, (unsigned)times[k]);
    }
    assert_int_equal(dusk_event_parse(&event, text, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &event, 1e-6, neighbours, "row", NULL), DUSK_OK);
    return statement.epsilon;
}

static void prices_are_kept(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double epsilon = k == 1 ? 0.3 : 3;
        const uint32_t rows = k == 2 ? 2 : 1;
        const dusk_neighbours neighbours = k == 1 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        const learn_sampler s = poisson(0.01);
        learn_budget b = budget_of(epsilon, neighbours, rows);
        learn_noise noise[3];
        dusk_statement statement;
        assert_int_equal(learn_budget_stages(&b, noise, 3, factor, times, 4, 100, -3, &s, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon <= epsilon && statement.epsilon > 0.98 * epsilon);
        assert_true(price_of(noise, s.rate, rows, neighbours) <= epsilon * (1 + 1e-9));
        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(noise[i].deviation / noise[0].deviation - factor[i]) < 1e-6);
    }
}

static void all_alike_are_as_without(void **state)
{
    (void)state;
    static const double same[] = { 1, 1, 1 };
    for (int all = 0; all < 2; all++) {
        const learn_sampler s = poisson(all ? 1 : 0.02);
        learn_budget b = budget_of(1, DUSK_ADD_REMOVE, 1), c = b;
        learn_noise noise[3], one;
        assert_int_equal(learn_budget_stages(&b, noise, 3, same, times, 4, 100, -3, &s, NULL), DUSK_OK);
        assert_int_equal(learn_budget_sampled(&c, &one, 4, 100, -3, c.left, &s, 250, NULL), DUSK_OK);
        for (size_t i = 0; i < 3; i++) assert_true(fabs(noise[i].deviation / one.deviation - 1) < 0.01);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    learn_sampler s;
    learn_budget b = budget_of(1, DUSK_REPLACE_ONE, 1);
    learn_noise noise[3];
    assert_int_equal(learn_sampler_init(&s, LEARN_SHUFFLED, 0.1, 100, DUSK_REPLACE_ONE, NULL), DUSK_OK);
    assert_int_equal(learn_budget_stages(&b, noise, 3, factor, times, 4, 100, -3, &s, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_true(b.left == 1 && !b.any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_kept),
        cmocka_unit_test(all_alike_are_as_without),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
