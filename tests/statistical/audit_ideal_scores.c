/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds from scores give at best: ideal canaries of a Gaussian mechanism, whose scores
 * are N(0, 1), or N(mu, 1) for members, for true epsilons 1, 2, 4, 8 and 16 at delta 1e-5 and
 * 1000, 10 000 and 100 000 canaries; means of some draws, at 95 %. Prints the table of docs/auditing.md, and
 * holds every bound below the truth, and those of one run near those of jax_privacy (one draw a cell, measured
 * with its default correction). */
#include <math.h>
#include <stdlib.h>

#include "audit_samplers.h"
#include "dusk/audit_scores.h"
#include "support.h"

#define DELTA 1e-5

enum { DRAWS = 10, BOUNDS = 5 };

typedef struct cell {
    double epsilon, mu;
    size_t canaries;
    double one_run, fdp; /* of jax_privacy; the second is that of a Gaussian curve; 0: none */
} cell;

static const cell cells[] = {
    { 1, 0.268, 1000, 0.05, 0.18 },  { 1, 0.268, 10000, 0.23, 0.37 },  { 1, 0.268, 100000, 0, 0.62 },
    { 2, 0.502, 1000, 0.74, 1.00 },  { 2, 0.502, 10000, 0.47, 0.78 },  { 2, 0.502, 100000, 0, 1.43 },
    { 4, 0.925, 1000, 1.06, 1.40 },  { 4, 0.925, 10000, 1.00, 2.12 },  { 4, 0.925, 100000, 0, 2.41 },
    { 8, 1.666, 1000, 2.12, 2.91 },  { 8, 1.666, 10000, 1.87, 4.46 },  { 8, 1.666, 100000, 0, 4.20 },
    { 16, 2.905, 1000, 3.65, 5.71 }, { 16, 2.905, 10000, 2.97, 7.25 }, { 16, 2.905, 100000, 0, 7.66 },
};

static void draw(const cell *c, double *score, bool *member, audit_coins *coins)
{
    for (size_t i = 0; i < c->canaries; i++) {
        member[i] = audit_word(coins) >> 63;
        score[i] = toy_normal(coins) + (member[i] ? c->mu : 0);
    }
}

/* Adds the bounds of one draw; the number of those above the truth. */
static unsigned audit(const cell *c, double sum[BOUNDS + 1], audit_coins *coins)
{
    double *score = calloc(c->canaries, sizeof *score);
    bool *member = calloc(c->canaries, sizeof *member);
    unsigned wrong = 0;
    dusk_scores *scores;
    dusk_score_options options;
    dusk_score_report report;
    assert_true(score && member);
    draw(c, score, member, coins);
    dusk_score_options_init(&options);
    options.delta = DELTA;
    assert_int_equal(dusk_scores_new(&scores, score, member, c->canaries, NULL), DUSK_OK);
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_OK);
    assert_int_equal(report.count, BOUNDS);
    for (size_t k = 0; k < BOUNDS; k++) {
        sum[k] += report.bound[k].epsilon;
        wrong += report.bound[k].epsilon > c->epsilon + 0.01;
    }
    sum[BOUNDS] += report.epsilon;
    dusk_scores_free(scores);
    free(score);
    free(member);
    return wrong;
}

static void ideal_canaries(void **state)
{
    audit_coins coins = audit_coins_seeded(1);
    unsigned wrong = 0;
    (void)state;
    print_message(
        "epsilon canaries | one run, one run f-DP, one run GDP, Clopper-Pearson, threshold GDP | together\n");
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const cell *c = &cells[i];
        double sum[BOUNDS + 1] = { 0 };
        for (int k = 0; k < DRAWS; k++) wrong += audit(c, sum, &coins);
        for (int k = 0; k <= BOUNDS; k++) sum[k] /= DRAWS;
        print_message("%2.0f %6zu | %.2f %.2f %.2f %.2f %.2f | %.2f\n", c->epsilon, c->canaries, sum[0],
                      sum[1], sum[2], sum[3], sum[4], sum[BOUNDS]);
        assert_true(sum[0] >= 0.6 * c->one_run - 0.1);
        assert_true(sum[2] >= 0.6 * c->fdp - 0.1);
    }
    /* 5 % of 750 may be */
    assert_true(dusk_clopper_pearson_down(wrong, DRAWS * BOUNDS * sizeof cells / sizeof *cells, 1e-6) <=
                0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ideal_canaries) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
