/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th allocation fails while scores are audited: DUSK_ERR_MEMORY, the output untouched,
 * nothing leaked (the sanitizer build looks). */
#include <string.h>

#include "failing_memory.h"

enum { SCORES = 60, MOST = 100 };

static double score[SCORES];
static bool member[SCORES];

static void fill(void)
{
    uint64_t seed = 3;
    for (size_t i = 0; i < SCORES; i++) {
        score[i] = (double)(splitmix64(&seed) >> 40);
        member[i] = splitmix64(&seed) >> 63;
    }
}

static dusk_scores *make(void)
{
    dusk_scores *scores;
    assert_int_equal(dusk_scores_new(&scores, score, member, SCORES, NULL), DUSK_OK);
    return scores;
}

static void scores_are_made_or_not(void **state)
{
    (void)state;
    fill();
    for (long n = 1;; n++) {
        dusk_error err;
        dusk_scores *scores;
        dusk_memory_fail_at(n);
        dusk_status status = dusk_scores_new(&scores, score, member, SCORES, &err);
        if (status != DUSK_OK) assert_null(scores);
        bool through = went_through(status, &err, n, MOST);
        dusk_scores_free(scores);
        if (through) break;
    }
}

static void audits_leave_nothing_half_done(void **state)
{
    dusk_scores *scores = make();
    (void)state;
    for (int rule = DUSK_CHOICE_LIST; rule <= DUSK_CHOICE_SPLIT; rule++)
        for (long n = 1;; n++) {
            dusk_error err;
            dusk_score_options options;
            dusk_score_report report, before;
            memset(&report, 7, sizeof report);
            memcpy(&before, &report, sizeof report);
            dusk_score_options_init(&options);
            options.rule = (dusk_choice_rule)rule;
            dusk_memory_fail_at(n);
            dusk_status status = dusk_scores_audit(&report, scores, &options, &err);
            if (status != DUSK_OK) assert_memory_equal(&report, &before, sizeof report);
            if (went_through(status, &err, n, MOST)) break;
        }
    dusk_scores_free(scores);
}

typedef dusk_status call(const dusk_scores *scores, dusk_error *err);

static dusk_status figures(const dusk_scores *scores, dusk_error *err)
{
    dusk_attack_figures out;
    return dusk_scores_figures(&out, scores, err);
}

static dusk_status found(const dusk_scores *scores, dusk_error *err)
{
    dusk_tpr out;
    return dusk_scores_tpr(&out, scores, 0.1, 0.95, 1, err);
}

static dusk_status curve(const dusk_scores *scores, dusk_error *err)
{
    size_t n;
    return dusk_scores_roc_size(&n, scores, err);
}

static dusk_status lira(const dusk_scores *scores, dusk_error *err)
{
    dusk_lira_options options;
    double out[SCORES / 3];
    (void)scores;
    dusk_lira_options_init(&options);
    return dusk_lira(out, NULL, score, score, member, SCORES / 3, 3, &options, err);
}

static void figures_fail_cleanly(void **state)
{
    static call *const calls[] = { figures, found, curve, lira };
    dusk_scores *scores = make();
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (long n = 1;; n++) {
            dusk_error err;
            dusk_memory_fail_at(n);
            if (went_through(calls[i](scores, &err), &err, n, MOST)) break;
        }
    dusk_scores_free(scores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_made_or_not),
        cmocka_unit_test(audits_leave_nothing_half_done),
        cmocka_unit_test(figures_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
