/* SPDX-License-Identifier: Apache-2.0 */
/* The float subjects of the suite: noise of doubles is caught, the snapping mechanism and
 * every additive noise of Dusk pass with 4 * 10^5 draws, of which a pass takes that a fault of half the
 * claim would have been seen. DUSK_SEED chooses other coins. When
 * DUSK_DEEP is set (audit.floats.deep) right ones get 10^8 draws a side, and nothing else is
 * done; with the first seed only, for it takes a quarter of an hour. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/subject.h"
#include "seeded.h"

static uint64_t seed(void)
{
    const char *text = getenv("DUSK_SEED");
    return text ? strtoull(text, NULL, 10) : 20260711;
}

static bool is_right(const audit_subject *subject)
{
    return !strncmp(subject->says.name, "bits.", 5) || !strcmp(subject->says.name, "float.snapping");
}

static void audit_all(double epsilon, bool right, uint64_t draws, double worth, double least)
{
    dusk_generator *gen = seeded(seed());
    dusk_audit_options options;
    unsigned count = 0;
    dusk_audit_options_init(&options);
    options.draws = draws;
    options.worth = worth;
    options.seed = seed();
    for (const audit_subject *s = audit_float_subjects; s->says.name; s++) {
        dusk_suite_result result = { .expected = 0 };
        dusk_error err;
        if (is_right(s) != right) continue;
        assert_int_equal(s->audit(&result, epsilon, &options, gen, &err), DUSK_OK);
        const dusk_audit_report *r = &result.report;
        printf("%-26s claimed %g, at least %.3f, %s: %s\n", s->says.name, epsilon, r->epsilon,
               dusk_verdict_name(r->verdict), r->event);
        assert_int_equal(result.expected, right ? DUSK_PASS : DUSK_VIOLATION);
        assert_int_equal(r->verdict, result.expected);
        assert_true(right ? r->epsilon_sure <= epsilon : r->epsilon > least);
        count++;
    }
    assert_in_range(count, 11, 20);
    dusk_generator_free(gen);
}

static bool is_deep(void) { return getenv("DUSK_DEEP") != NULL; }

static void noise_of_doubles_is_caught(void **state)
{
    (void)state;
    if (is_deep()) return;
    audit_all(0.7, false, 1 << 18, 0.25, 8);
    audit_all(0.1, false, 1 << 18, 0.25, 6);
    audit_all(3, false, 1 << 17, 0.25, 6);
}

static void right_noise_passes(void **state)
{
    (void)state;
    if (is_deep()) {
        if (!getenv("DUSK_SEED") || seed() == 1) audit_all(0.7, true, 100000000, 0.25, 0);
        return;
    }
    audit_all(0.7, true, 400000, 0.5, 0);
    audit_all(0.1, true, 1 << 17, 0.25, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_of_doubles_is_caught),
        cmocka_unit_test(right_noise_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
