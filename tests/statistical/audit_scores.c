/* SPDX-License-Identifier: Apache-2.0 */
/* How often bounds from scores are wrong: a thousand runs without any leak, with coins for
 * each canary, and with 500 members listed before 500 others; scores with many ties; and
 * runs with a leak of known size. Each bound may exceed the truth in 5 % of runs; a count that has a
 * chance below 1e-6 at 5 % fails. A quarter of the runs unless DUSK_DEEP is set, as in make soak. */
#include <math.h>
#include <stdlib.h>

#include "audit_samplers.h"
#include "dusk/audit_scores.h"
#include "support.h"

enum { CANARIES = 1000, BOUNDS = 5 };

#define DELTA 1e-5

typedef struct design {
    double mu;   /* members score higher by this */
    bool listed; /* 500 members first, then 500 others; otherwise a coin each */
    bool ties;   /* scores are 0 or 1 */
    bool many_runs;
    dusk_choice_rule rule;
    int runs;
} design;

static void draw(double *score, bool *member, const design *d, audit_coins *coins)
{
    for (size_t i = 0; i < CANARIES; i++) {
        member[i] = d->listed ? i < CANARIES / 2 : audit_word(coins) >> 63;
        score[i] = toy_normal(coins) + (member[i] ? d->mu : 0);
        if (d->ties) score[i] = score[i] > 0.5;
    }
}

static void audit(dusk_score_report *out, const design *d, audit_coins *coins)
{
    double score[CANARIES];
    bool member[CANARIES];
    dusk_scores *scores;
    dusk_score_options options;
    draw(score, member, d, coins);
    dusk_score_options_init(&options);
    options.delta = DELTA;
    options.rule = d->rule;
    options.many_runs = d->many_runs;
    options.seed = audit_word(coins);
    assert_int_equal(dusk_scores_new(&scores, score, member, CANARIES, NULL), DUSK_OK);
    assert_int_equal(dusk_scores_audit(out, scores, &options, NULL), DUSK_OK);
    dusk_scores_free(scores);
}

/* Runs in which a bound exceeds the truth by 0.01, as in the tables of the literature; the last count is of all
 * bounds together that assume nothing. */
static void check(const design *d, uint64_t seed)
{
    audit_coins coins = audit_coins_seeded(seed);
    double epsilon = dusk_mu_epsilon_down(d->mu, DELTA);
    unsigned wrong[BOUNDS + 1] = { 0 };
    const int runs = getenv("DUSK_DEEP") ? d->runs : d->runs / 4;
    for (int i = 0; i < runs; i++) {
        dusk_score_report report;
        audit(&report, d, &coins);
        for (size_t k = 0; k < report.count; k++)
            wrong[k] += report.bound[k].epsilon > epsilon + 0.01 || report.bound[k].mu > d->mu + 0.001;
        wrong[BOUNDS] += report.epsilon > epsilon + 0.01;
    }
    for (int k = 0; k <= BOUNDS; k++) {
        print_message("bound %d: %u of %d wrong\n", k, wrong[k], runs);
        assert_true(dusk_clopper_pearson_down(wrong[k], (uint64_t)runs, 1e-6) <= 0.05);
    }
}

static void coins_without_leak(void **state)
{
    (void)state;
    check(&(design){ .rule = DUSK_CHOICE_LIST, .runs = 1000 }, 1);
}

static void split_without_leak(void **state)
{
    (void)state;
    check(&(design){ .rule = DUSK_CHOICE_SPLIT, .runs = 1000 }, 2);
}

static void listed_without_leak(void **state)
{
    (void)state;
    check(&(design){ .listed = true, .rule = DUSK_CHOICE_LIST, .runs = 1000 }, 3);
    check(&(design){ .listed = true, .rule = DUSK_CHOICE_SPLIT, .runs = 1000 }, 4);
}

static void many_runs_without_leak(void **state)
{
    (void)state;
    check(&(design){ .listed = true, .many_runs = true, .rule = DUSK_CHOICE_SPLIT, .runs = 1000 }, 5);
}

static void ties_without_leak(void **state)
{
    (void)state;
    check(&(design){ .listed = true, .ties = true, .rule = DUSK_CHOICE_LIST, .runs = 1000 }, 6);
    check(&(design){ .listed = true, .ties = true, .rule = DUSK_CHOICE_SPLIT, .runs = 1000 }, 7);
}

static void leaks_are_not_overstated(void **state)
{
    (void)state;
    check(&(design){ .mu = 0.5, .rule = DUSK_CHOICE_LIST, .runs = 300 }, 8);
    check(&(design){ .mu = 2, .rule = DUSK_CHOICE_LIST, .runs = 300 }, 9);
    check(&(design){ .mu = 1, .rule = DUSK_CHOICE_SPLIT, .runs = 300 }, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_without_leak),  cmocka_unit_test(split_without_leak),
        cmocka_unit_test(listed_without_leak), cmocka_unit_test(many_runs_without_leak),
        cmocka_unit_test(ties_without_leak),   cmocka_unit_test(leaks_are_not_overstated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
