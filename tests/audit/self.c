/* SPDX-License-Identifier: Apache-2.0 */
/* The self-audit: every mechanism of Dusk passes an audit of its claim, none is accused, and what
 * draws allow is decided. With DUSK_SUBJECT and DUSK_EPSILON one subject is audited alone; so
 * tests/audit_mutants.txt names for every planted bug that changes privacy the subject that is
 * accused with it. DUSK_SEED chooses other coins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dusk/audit_suite.h"
#include "seeded.h"

#define FEW 50000       /* draws that show a planted bug */
#define NOT_AUDITED 125 /* neither passed nor accused: tests/must_fail takes it for no catch */

static uint64_t seed(void)
{
    const char *text = getenv("DUSK_SEED");
    return text ? strtoull(text, NULL, 10) : 20261116;
}

static void audit_subject(dusk_suite_result *out, size_t index, double epsilon, uint64_t draws)
{
    dusk_generator *gen = seeded(seed());
    dusk_audit_options options;
    dusk_error err = { 0 };
    dusk_audit_options_init(&options);
    options.seed = seed();
    options.draws = draws;
    if (dusk_suite_audit(out, index, epsilon, &options, gen, &err) != DUSK_OK) {
        fprintf(stderr, "%s: %s\n", dusk_suite_at(index)->name, err.message);
        exit(NOT_AUDITED);
    }
    dusk_generator_free(gen);
    printf("%-34s claimed %g at %g, at least %.3f, surely %.3f, %s: %s\n", dusk_suite_at(index)->name,
           out->report.claimed, out->report.delta, out->report.epsilon, out->report.epsilon_sure,
           dusk_verdict_name(out->report.verdict), out->report.event);
}

/* Some cost too much for a verdict at this claim, or hide behind their delta; most must pass. */
static void no_mechanism_is_accused(void **state)
{
    unsigned count = 0, passed = 0;
    (void)state;
    if (getenv("DUSK_SUBJECT")) skip();
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        dusk_suite_result result;
        if (dusk_suite_at(i)->part != DUSK_SUITE_DUSK) continue;
        audit_subject(&result, i, 0.7, 0);
        assert_int_equal(result.expected, DUSK_PASS);
        assert_int_not_equal(result.report.verdict, DUSK_VIOLATION);
        passed += result.report.verdict == DUSK_PASS;
        count++;
    }
    assert_in_range(count, 75, 100);
    assert_true(10 * passed >= 7 * count);
}

static void one_subject_is_not_accused(void **state)
{
    const char *name = getenv("DUSK_SUBJECT"), *epsilon = getenv("DUSK_EPSILON");
    dusk_suite_result result;
    (void)state;
    if (!name) skip();
    for (size_t i = 0; i < dusk_suite_size(); i++) {
        if (strcmp(name, dusk_suite_at(i)->name)) continue;
        audit_subject(&result, i, epsilon ? strtod(epsilon, NULL) : 0.7, FEW);
        assert_int_not_equal(result.report.verdict, DUSK_VIOLATION);
        return;
    }
    fprintf(stderr, "there is no subject %s\n", name);
    exit(NOT_AUDITED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mechanism_is_accused),
        cmocka_unit_test(one_subject_is_not_accused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
