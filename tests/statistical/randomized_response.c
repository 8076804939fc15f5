/* SPDX-License-Identifier: Apache-2.0 */
/* Randomized response at its production width: chi-square tests against the
 * exact laws, alpha 1e-6, fixed seed. */
#include <math.h>
#include <stdlib.h>

#include "dusk/mechanisms.h"
#include "numeric/special.h"
#include "random/tape.h"
#include "support.h"

enum { RUNS = 2000000, MOST = 100 };

static int open_generator(void **state)
{
    return dusk_generator_new_seeded((dusk_generator **)state, 577215, NULL) != DUSK_OK;
}

static int close_generator(void **state)
{
    dusk_generator_free(*state);
    return 0;
}

static void assert_law(const uint64_t *seen, const double *p, size_t cells)
{
    double chi2 = 0;
    for (size_t i = 0; i < cells; i++) {
        double want = RUNS * p[i], have = (double)seen[i];
        assert_true(want > 10);
        chi2 += (have - want) * (have - want) / want;
    }
    assert_true(dusk_gamma_q((double)(cells - 1) / 2, chi2 / 2) > 1e-6);
}

/* Everybody holds `truth`. */
static void check(const dusk_randomized_response *rr, uint32_t truth, const double *p, void **state)
{
    uint32_t *answers = calloc(RUNS, sizeof *answers), *out = calloc(RUNS, sizeof *out);
    uint64_t seen[MOST] = { 0 };
    assert_true(answers && out);
    for (size_t i = 0; i < RUNS; i++) answers[i] = truth;
    assert_int_equal(dusk_randomized_response_release(rr, out, answers, RUNS, *state, NULL), DUSK_OK);
    for (size_t i = 0; i < RUNS; i++) {
        assert_true(out[i] < rr->answers);
        seen[out[i]]++;
    }
    free(answers);
    free(out);
    assert_law(seen, p, rr->answers);
}

static void several_answers(void **state)
{
    const double epsilons[] = { 0.01, 1, 5 };
    const uint32_t answers[] = { 2, 3, MOST };
    for (size_t e = 0; e < 3; e++)
        for (size_t a = 0; a < 3; a++) {
            dusk_randomized_response rr;
            double p[MOST], total = exp(epsilons[e]) + answers[a] - 1;
            uint32_t truth = answers[a] / 2;
            assert_int_equal(dusk_randomized_response_init(&rr, answers[a], epsilons[e], NULL), DUSK_OK);
            for (uint32_t i = 0; i < answers[a]; i++) p[i] = (i == truth ? exp(epsilons[e]) : 1) / total;
            check(&rr, truth, p, state);
        }
}

static void two_coins(void **state)
{
    const double coins[][2] = { { 0.5, 0.5 }, { 0.1, 0.7 }, { 0.999, 0.01 }, { 1e-3, 1e-3 } };
    for (size_t c = 0; c < sizeof coins / sizeof *coins; c++)
        for (uint32_t truth = 0; truth < 2; truth++) {
            dusk_randomized_response rr;
            double yes = (1 - coins[c][0]) * coins[c][1] + (truth ? coins[c][0] : 0);
            assert_int_equal(dusk_two_coin_init(&rr, coins[c][0], coins[c][1], NULL), DUSK_OK);
            check(&rr, truth, (double[]){ 1 - yes, yes }, state);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(several_answers), cmocka_unit_test(two_coins) };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
