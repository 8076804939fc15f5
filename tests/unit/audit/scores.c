/* SPDX-License-Identifier: Apache-2.0 */
/* Audits from scores: what is counted, what decides, what is refused; figures of attacks;
 * exposure. */
#include <math.h>

#include "audit/scores.h"
#include "support.h"

enum { MANY = 400 };

static uint64_t seed = 11;

static double uniform(void) { return ((double)(splitmix64(&seed) >> 11) + 0.5) * 0x1p-53; }

static dusk_scores *make(const double *score, const bool *member, size_t n)
{
    dusk_scores *scores;
    assert_int_equal(dusk_scores_new(&scores, score, member, n, NULL), DUSK_OK);
    return scores;
}

/* Members score `shift` higher. */
static dusk_scores *shifted(double shift)
{
    double score[MANY];
    bool member[MANY];
    for (size_t i = 0; i < MANY; i++) {
        member[i] = uniform() < 0.5;
        score[i] = uniform() + (member[i] ? shift : 0);
    }
    return make(score, member, MANY);
}

static dusk_score_report audit(const dusk_scores *scores, const dusk_score_options *options)
{
    dusk_score_report report;
    dusk_error err;
    if (dusk_scores_audit(&report, scores, options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return report;
}

static const dusk_score_bound *bound_of(const dusk_score_report *report, dusk_score_method method)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->bound[i].method == method) return &report->bound[i];
    return NULL;
}

/* --- ranking -------------------------------------------------------------------------------- */

static void halves_and_ties_go_by_coins_alone(void **state)
{
    double score[MANY] = { 0 };
    bool member[MANY];
    audit_ranking all, first, second;
    (void)state;
    for (size_t i = 0; i < MANY; i++) member[i] = i < MANY / 2; /* members first, all equal */
    dusk_scores *scores = make(score, member, MANY);
    assert_int_equal(audit_rank(&all, scores, AUDIT_ALL, 1, NULL), DUSK_OK);
    assert_int_equal(audit_rank(&first, scores, AUDIT_FIRST_HALF, 1, NULL), DUSK_OK);
    assert_int_equal(audit_rank(&second, scores, AUDIT_SECOND_HALF, 1, NULL), DUSK_OK);
    assert_int_equal(all.n, MANY);
    assert_int_equal(first.n + second.n, MANY);
    assert_int_equal(first.before[first.n] + second.before[second.n], MANY / 2);
    assert_in_range(first.n, MANY / 2 - 60, MANY / 2 + 60);
    assert_in_range(all.before[MANY / 2], MANY / 4 - 40, MANY / 4 + 40); /* not all members first */
    for (size_t i = 1; i < first.n; i++) assert_true(first.rows[i - 1].score >= first.rows[i].score);
    audit_ranking_free(&all);
    audit_ranking_free(&first);
    audit_ranking_free(&second);
    dusk_scores_free(scores);
}

/* --- one run ------------------------------------------------------------------------------------ */

static void guesses_are_counted(void **state)
{
    const double score[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    const bool member[] = { 1, 1, 0, 1, 0, 1, 0, 0, 1, 0 };
    dusk_score_options options;
    dusk_scores *scores = make(score, member, 10);
    (void)state;
    dusk_score_options_init(&options);
    options.rule = DUSK_CHOICE_FIXED;
    options.positives = 4; /* 3 right */
    options.negatives = 3; /* 2 right */
    dusk_score_report report = audit(scores, &options);
    const dusk_score_bound *b = bound_of(&report, DUSK_ONE_RUN);
    assert_int_equal(b->guesses, 7);
    assert_int_equal(b->correct, 5);
    assert_int_equal(b->canaries, 10);
    assert_int_equal(b->choices, 1);
    assert_int_equal(report.verdict, 0);
    assert_true(b->epsilon == dusk_one_run_epsilon_down(10, 7, 5, 0, 1 - options.confidence));
    options.positives = 11;
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
    options.positives = options.negatives = 0;
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
    dusk_scores_free(scores);
}

static void verdicts_follow_what_decides(void **state)
{
    dusk_score_options options;
    dusk_scores *leaky = shifted(1), *tight = shifted(0);
    (void)state;
    dusk_score_options_init(&options);
    options.epsilon = 1;
    assert_int_equal(audit(leaky, &options).verdict, DUSK_VIOLATION);
    assert_int_equal(audit(tight, &options).verdict, DUSK_PASS);
    options.epsilon = 20; /* more than so few scores could ever show */
    dusk_score_report report = audit(leaky, &options);
    assert_int_equal(report.verdict, DUSK_INCONCLUSIVE);
    assert_true(report.detectable < 20 && report.detectable > 1);
    options.epsilon = 1;
    options.delta = 1e-4; /* above the alarm: one run can show nothing */
    report = audit(leaky, &options);
    assert_int_equal(report.verdict, DUSK_INCONCLUSIVE);
    assert_true(report.detectable == 0 && report.epsilon > 1);
    assert_false(bound_of(&report, DUSK_ONE_RUN_GDP)->decides);
    assert_true(bound_of(&report, DUSK_ONE_RUN_GDP)->refutes);
    assert_false(bound_of(&report, DUSK_CLOPPER_PEARSON)->decides); /* canaries of one run */
    options.assume_gaussian = true;
    report = audit(leaky, &options);
    assert_int_equal(report.verdict, DUSK_VIOLATION);
    assert_true(bound_of(&report, DUSK_ONE_RUN_GDP)->decides);
    options.assume_gaussian = false;
    options.many_runs = true;
    report = audit(leaky, &options);
    assert_int_equal(report.verdict, DUSK_VIOLATION);
    assert_null(bound_of(&report, DUSK_ONE_RUN));
    dusk_scores_free(leaky);
    dusk_scores_free(tight);
}

static void above_the_claim_at_95_percent_is_no_violation(void **state)
{
    dusk_score_options options;
    dusk_scores *scores = shifted(0.4);
    (void)state;
    dusk_score_options_init(&options);
    dusk_score_report report = audit(scores, &options);
    options.epsilon = 0.5 * (report.epsilon_sure + report.epsilon);
    report = audit(scores, &options);
    assert_true(report.epsilon > report.claimed && report.claimed > report.epsilon_sure);
    assert_true(report.detectable > report.claimed);
    assert_int_equal(report.verdict, DUSK_PASS);
    dusk_scores_free(scores);
}

static void a_whole_event_is_refuted(void **state)
{
    dusk_score_options options;
    dusk_composition *event;
    dusk_scores *leaky = shifted(1), *tight = shifted(0);
    (void)state;
    assert_int_equal(dusk_composition_new(&event, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(event, "gaussian(2)", NULL), DUSK_OK);
    dusk_score_options_init(&options);
    options.event = event;
    options.delta = 1e-5;
    dusk_score_report report = audit(leaky, &options);
    assert_true(bound_of(&report, DUSK_ONE_RUN_EVENT)->refutes);
    assert_int_equal(report.verdict, DUSK_VIOLATION);
    report = audit(tight, &options);
    assert_false(bound_of(&report, DUSK_ONE_RUN_EVENT)->refutes);
    assert_true(bound_of(&report, DUSK_ONE_RUN_EVENT)->could);
    assert_int_equal(report.verdict, DUSK_PASS);
    dusk_composition_free(event);
    dusk_scores_free(leaky);
    dusk_scores_free(tight);
}

static void unfair_coins_are_refused(void **state)
{
    double score[MANY] = { 0 };
    bool member[MANY] = { false };
    dusk_score_options options;
    dusk_score_report report;
    (void)state;
    for (size_t i = 0; i < 100; i++) member[i] = true;
    dusk_scores *scores = make(score, member, MANY);
    dusk_score_options_init(&options);
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_UNSUPPORTED);
    options.many_runs = true;
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_OK);
    assert_true(report.epsilon == 0);
    dusk_scores_free(scores);
}

/* A declaration of coins matters where half are members, and nowhere else; it raises bounds of one
 * run, and those alone. */
static void coins_are_declared(void **state)
{
    (void)state;
    for (size_t members = MANY / 2; members < MANY / 2 + 4; members++) {
        double score[MANY];
        bool member[MANY];
        for (size_t i = 0; i < MANY; i++) {
            member[i] = i < members;
            score[i] = uniform() + (member[i] ? 0.5 : 0);
        }
        dusk_scores *scores = make(score, member, MANY);
        dusk_score_options options;
        dusk_score_options_init(&options);
        dusk_score_report plain = audit(scores, &options);
        options.fair_coins = true;
        dusk_score_report declared = audit(scores, &options);
        dusk_scores_free(scores);
        bool half = 2 * members <= MANY + 1;
        for (size_t i = 0; i < plain.count; i++) {
            const dusk_score_bound *a = &plain.bound[i], *b = &declared.bound[i];
            if (half && a->method <= DUSK_ONE_RUN_FDP) assert_true(b->epsilon > a->epsilon);
            if (!half || a->method == DUSK_CLOPPER_PEARSON)
                assert_true(a->epsilon == b->epsilon && a->epsilon_sure == b->epsilon_sure);
        }
        assert_true(half ? declared.epsilon > plain.epsilon : declared.epsilon == plain.epsilon);
    }
}

/* What was chosen on one half is counted on the other, and nowhere else. */
static void check_other_half(const dusk_scores *scores)
{
    dusk_score_options options;
    audit_ranking second;
    dusk_score_options_init(&options);
    options.rule = DUSK_CHOICE_SPLIT;
    dusk_score_report report = audit(scores, &options);
    assert_int_equal(audit_rank(&second, scores, AUDIT_SECOND_HALF, options.seed, NULL), DUSK_OK);
    for (size_t i = 0; i < report.count; i++) assert_int_equal(report.bound[i].canaries, second.n);
    const dusk_score_bound *cut = bound_of(&report, DUSK_CLOPPER_PEARSON);
    size_t above = audit_rank_of(&second, cut->threshold), in = second.before[above];
    assert_int_equal(cut->trials[0], second.before[second.n]);
    assert_int_equal(cut->hits[0], cut->below ? second.before[second.n] - in : in);
    const dusk_score_bound *guesses = bound_of(&report, DUSK_ONE_RUN);
    size_t lowest = second.before[second.n] - second.before[second.n - guesses->negatives];
    assert_int_equal(guesses->correct, second.before[guesses->positives] + guesses->negatives - lowest);
    audit_ranking_free(&second);
}

static void counts_are_of_the_other_half(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        dusk_scores *scores = shifted(0.05 * i);
        check_other_half(scores);
        dusk_scores_free(scores);
    }
}

static void hostile_options_are_refused(void **state)
{
    static const double bad[] = { NAN, INFINITY, -1, 0, 1 };
    dusk_scores *scores = shifted(0), *empty = make(NULL, NULL, 0);
    dusk_score_options options;
    dusk_score_report report;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dusk_score_options_init(&options);
        options.confidence = bad[i];
        assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
        dusk_score_options_init(&options);
        options.alarm = bad[i];
        assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
        dusk_score_options_init(&options);
        options.delta = bad[i];
        if (bad[i] != 0)
            assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
    }
    dusk_score_options_init(&options);
    options.assume_gaussian = true;
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
    dusk_score_options_init(&options);
    options.epsilon = -1;
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
    dusk_score_options_init(&options);
    assert_int_equal(dusk_scores_audit(&report, empty, &options, NULL), DUSK_ERR_UNSUPPORTED);
    options.many_runs = true;
    assert_int_equal(dusk_scores_audit(&report, empty, &options, NULL), DUSK_OK);
    assert_true(report.epsilon == 0);
    options.size = 0;
    assert_int_equal(dusk_scores_audit(&report, scores, &options, NULL), DUSK_ERR_ARGUMENT);
    dusk_scores *out;
    double nan = NAN;
    bool member = true;
    assert_int_equal(dusk_scores_new(&out, &nan, &member, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_null(out);
    dusk_scores_free(scores);
    dusk_scores_free(empty);
}

/* --- figures ------------------------------------------------------------------------------------------ */

static void figures_of_a_small_table(void **state)
{
    const double score[] = { 4, 3, 3, 2, 1, 0 };
    const bool member[] = { 1, 1, 0, 1, 0, 0 };
    double fpr[8], tpr[8];
    size_t n;
    dusk_attack_figures figures;
    dusk_scores *scores = make(score, member, 6);
    (void)state;
    assert_int_equal(dusk_scores_figures(&figures, scores, NULL), DUSK_OK);
    assert_true(fabs(figures.area - 7.5 / 9) < 1e-15); /* pairs in order, a tie counted half */
    assert_true(fabs(figures.accuracy - 5.0 / 6) < 1e-15);
    assert_true(fabs(figures.advantage - 2.0 / 3) < 1e-15);
    assert_true(fabs(figures.exposure_largest - 2) < 1e-12); /* none of three others above */
    assert_true(fabs(figures.exposure_median - 1) < 1e-12);
    assert_int_equal(dusk_scores_roc_size(&n, scores, NULL), DUSK_OK);
    assert_int_equal(n, 6);
    assert_int_equal(dusk_scores_roc(fpr, tpr, scores, NULL), DUSK_OK);
    assert_true(fpr[0] == 0 && tpr[0] == 0 && fpr[5] == 1 && tpr[5] == 1);
    assert_true(fpr[2] == 1.0 / 3 && tpr[2] == 2.0 / 3);
    dusk_scores_free(scores);
    scores = make(score, (const bool[]){ 1, 1, 1, 1, 1, 1 }, 6);
    assert_int_equal(dusk_scores_figures(&figures, scores, NULL), DUSK_ERR_ARGUMENT);
    dusk_scores_free(scores);
}

static void found_members_have_intervals(void **state)
{
    dusk_tpr t;
    dusk_scores *scores = shifted(0.5);
    (void)state;
    assert_int_equal(dusk_scores_tpr(&t, scores, 0.01, 0.95, 1, NULL), DUSK_OK);
    assert_true(t.tpr_down <= t.tpr && t.tpr <= t.tpr_up && t.fpr_down <= t.fpr && t.fpr <= t.fpr_up);
    assert_true(t.whole > 0.3 && t.tpr > 0.3 && t.fpr < 0.1);
    assert_int_equal(dusk_scores_tpr(&t, scores, NAN, 0.95, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_scores_tpr(&t, scores, 0.1, 1, 1, NULL), DUSK_ERR_ARGUMENT);
    dusk_scores_free(scores);
}

static void exposure_counts_bits(void **state)
{
    (void)state;
    assert_true(dusk_exposure(1, 1024) == 10);
    assert_true(dusk_exposure(1024, 1024) == 0);
    assert_true(dusk_exposure(0, 8) == 0 && dusk_exposure(9, 8) == 0);
    /* none of 1000 above: p <= 1 - 0.05^(1/1000) */
    assert_true(fabs(dusk_exposure_down(0, 1000, 0.05) + log2(1 - pow(0.05, 1e-3))) < 1e-3);
    assert_true(dusk_exposure_down(0, 1000, 0.05) < log2(1001));
    assert_true(dusk_exposure_down(1000, 1000, 0.05) == 0);
    assert_true(dusk_exposure_down(2, 1, 0.05) == 0 && dusk_exposure_down(0, 0, 0.05) == 0);
    assert_true(dusk_exposure_down(0, 10, NAN) == 0 && dusk_exposure_down(0, 10, 1) == 0);
    /* What is claimed of the rank is true with the chance that is claimed. */
    for (unsigned share = 1; share < 32; share += 6) {
        double p = share / 32.0, wrong = 0, chance = pow(1 - p, 20);
        for (unsigned k = 0; k <= 20; k++) {
            if (dusk_exposure_down(k, 20, 0.1) > -log2(p) + 1e-9) wrong += chance;
            chance *= (20.0 - k) / (k + 1) * p / (1 - p);
        }
        assert_true(wrong <= 0.1 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_and_ties_go_by_coins_alone),
        cmocka_unit_test(guesses_are_counted),
        cmocka_unit_test(verdicts_follow_what_decides),
        cmocka_unit_test(a_whole_event_is_refuted),
        cmocka_unit_test(unfair_coins_are_refused),
        cmocka_unit_test(counts_are_of_the_other_half),
        cmocka_unit_test(coins_are_declared),
        cmocka_unit_test(hostile_options_are_refused),
        cmocka_unit_test(figures_of_a_small_table),
        cmocka_unit_test(found_members_have_intervals),
        cmocka_unit_test(exposure_counts_bits),
        cmocka_unit_test(above_the_claim_at_95_percent_is_no_violation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
