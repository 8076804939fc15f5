/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor on all standard subjects, claims 0.7 and 0.1: every broken one is caught and
 * every right one passes, no bound lies above the truth, and most of the truth is shown. One
 * run is a fixed seed; DUSK_SEED chooses another. With right bounds a run fails by chance with
 * probability below 1e-4: each verdict and each hard bound errs with 1e-6. At claim 0.1 two right ones may be
 * inconclusive: of svt2, a set that is rare may be chosen, on which little more than the claim would be seen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dusk/audit.h"
#include "numeric/special.h"
#include "support.h"

static uint64_t seed(void)
{
    const char *text = getenv("DUSK_SEED");
    return 1000003 * (text ? strtoull(text, NULL, 10) : 20261116);
}

static dusk_suite_result audit(size_t index, double epsilon)
{
    dusk_suite_result result;
    dusk_audit_options options;
    dusk_error err = { 0 };
    dusk_audit_options_init(&options);
    options.seed = seed() + index + (uint64_t)(1000 * epsilon);
    if (dusk_suite_audit(&result, index, epsilon, &options, NULL, &err) != DUSK_OK)
        fail_msg("%s: %s", dusk_suite_at(index)->name, err.message);
    return result;
}

/* What all subjects together have to show. */
typedef struct tally {
    int subjects, wrong, open, above, weak, judged; /* open: right, and inconclusive */
} tally;

/* The chance that a bound at 95 % lies above the truth is 5 % each. */
static void check_tally(const tally *t, int open)
{
    assert_int_equal(t->wrong, 0);
    assert_true(t->open <= open);
    assert_true(t->above == 0 || dusk_beta_inc(t->above, t->subjects - t->above + 1, 0.05) > 1e-6);
    assert_true(t->judged >= 20);
    assert_true(t->weak <= t->judged / 4);
}

/* What is not counted to 5 %: sets whose rarer side has a mass m below 1e-5; and small truths e
 * that take more than 2^25 draws a side, as two limits at 97.5 % of a count m n lie within
 * 2 * 2.24/sqrt(m n) of each other and that is to be 0.05 e. */
static bool beyond_counting(const dusk_suite_result *r)
{
    double m = r->rarer_mass, within = 0.05 * r->exact;
    return m > 0 && (m < 1e-5 || 20 / (m * within * within) > 0x1p25);
}

static void judge(tally *t, size_t index, double epsilon)
{
    dusk_suite_result r = audit(index, epsilon);
    const dusk_audit_report *report = &r.report;
    const char *name = dusk_suite_at(index)->name;

    t->subjects++;
    if (report->verdict != r.expected) {
        const bool open = report->verdict == DUSK_INCONCLUSIVE && r.expected == DUSK_PASS;
        t->open += open;
        t->wrong += !open;
        print_message("%s, claim %g: %s, expected %s (measured %g, truth %g)\n", name, epsilon,
                      dusk_verdict_name(report->verdict), dusk_verdict_name(r.expected), report->epsilon,
                      r.exact);
    }
    if (isnan(r.exact)) return;
    assert_true(report->epsilon_sure <= r.exact + 1e-9);
    t->above += report->epsilon > r.exact + 1e-9;
    if (!isfinite(r.exact) || beyond_counting(&r)) return;
    t->judged++;
    if (report->epsilon < 0.95 * r.exact) {
        t->weak++;
        print_message("%s, claim %g: %.3f of %.3f is shown (%s)\n", name, epsilon, report->epsilon, r.exact,
                      report->event);
    }
}

static void check_all(double epsilon, int open)
{
    tally t = { 0 };
    for (size_t i = 0; i < dusk_suite_size(); i++)
        if (dusk_suite_at(i)->part == DUSK_SUITE_STANDARD) judge(&t, i, epsilon);
    print_message("claim %g: %d subjects, %d wrong, %d inconclusive, %d bounds above the truth, %d of %d "
                  "show less than "
                  "95 %%\n",
                  epsilon, t.subjects, t.wrong, t.open, t.above, t.weak, t.judged);
    check_tally(&t, open);
}

static void test_at_0_7(void **state)
{
    (void)state;
    check_all(0.7, 0);
}

static void test_at_0_1(void **state)
{
    (void)state;
    check_all(0.1, 2);
}

/* Its true epsilon is 1/1.5, below the claim. */
static void test_histogram(void **state)
{
    (void)state;
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        if (strcmp(dusk_suite_at(i)->name, "noisy-hist2") != 0) continue;
        dusk_suite_result r = audit(i, 1.5);
        assert_int_equal(r.expected, DUSK_PASS);
        assert_int_equal(r.report.verdict, DUSK_PASS);
        assert_true(fabs(r.exact - 1 / 1.5) < 1e-12 && r.report.epsilon > 0.9 * r.exact);
        r = audit(i, 0.7);
        assert_int_equal(r.report.verdict, DUSK_VIOLATION);
    }
}

/* The small claim takes most of the time: only where DUSK_DEEP is set (audit.standard.deep). */
int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_histogram), cmocka_unit_test(test_at_0_7) };
    const struct CMUnitTest deep[] = { cmocka_unit_test(test_at_0_1) };
    return getenv("DUSK_DEEP") ? cmocka_run_group_tests(deep, NULL, NULL)
                               : cmocka_run_group_tests(tests, NULL, NULL);
}
