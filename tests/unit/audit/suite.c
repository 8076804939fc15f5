/* SPDX-License-Identifier: Apache-2.0 */
/* The suite: its list, what it refuses, and verdicts that it expects, among them those of the
 * wrong-scale histogram, which is right as soon as its true epsilon is below the claim. */
#include <math.h>

#include "dusk/audit.h"
#include "support.h"

static size_t find(const char *name)
{
    for (size_t i = 0; i < dusk_suite_size(); i++)
        if (!strcmp(dusk_suite_at(i)->name, name)) return i;
    fail_msg("%s", name);
    return 0;
}

static void test_list(void **state)
{
    size_t n = dusk_suite_size();
    (void)state;
    assert_true(n >= 40);
    assert_null(dusk_suite_at(n));
    for (size_t i = 0; i < n; i++) {
        const dusk_suite_subject *s = dusk_suite_at(i);
        assert_true(s->name[0] && s->summary[0] && s->part >= DUSK_SUITE_STANDARD);
        assert_int_equal(find(s->name), i);
        if (i > 0) assert_true(s->part >= dusk_suite_at(i - 1)->part);
    }
}

static dusk_suite_result audit(const char *name, double epsilon)
{
    dusk_suite_result result;
    dusk_audit_options options;
    dusk_error err;
    dusk_audit_options_init(&options);
    options.draws = 2000;
    options.seed = 7;
    assert_int_equal(dusk_suite_audit(&result, find(name), epsilon, &options, NULL, &err), DUSK_OK);
    return result;
}

/* One step on either side of the claim. */
static void test_expected(void **state)
{
    static const struct {
        const char *name;
        double epsilon, exact;
        dusk_verdict expected;
    } known[] = {
        { "laplace-99", 0.7, 0.7 / 0.99, DUSK_VIOLATION },
        { "laplace-99", 0.1, 0.1 / 0.99, DUSK_VIOLATION }, /* however little was seen of it */
        { "one-time-rappor", 0.8, 8 * 0.1000834585569826, DUSK_VIOLATION },
        { "noisy-hist2", 0.7, 1 / 0.7, DUSK_VIOLATION },
        { "noisy-hist2", 1.5, 1 / 1.5, DUSK_PASS },
        { "one-time-rappor", 0.81, 8 * 0.1000834585569826, DUSK_PASS },
        { "truncated-geometric", 0.1, 0.1177830356563834, DUSK_VIOLATION },
        { "exact-count", 10, INFINITY, DUSK_VIOLATION },
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        dusk_suite_result r = audit(known[i].name, known[i].epsilon);
        assert_int_equal(r.expected, known[i].expected);
        assert_true(r.exact == known[i].exact || fabs(r.exact - known[i].exact) < 1e-9);
        assert_true(r.report.claimed == known[i].epsilon);
        assert_true(r.report.epsilon_sure <= r.exact);
    }
}

static void test_refused(void **state)
{
    static const double epsilons[] = { 0, -1, 0.001, 11, NAN, INFINITY };
    dusk_suite_result result = { .exact = 42 };
    dusk_audit_options options;
    dusk_error err;
    (void)state;
    dusk_audit_options_init(&options);
    assert_int_equal(dusk_suite_audit(&result, dusk_suite_size(), 1, &options, NULL, &err),
                     DUSK_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++)
        assert_int_equal(dusk_suite_audit(&result, 0, epsilons[i], &options, NULL, &err), DUSK_ERR_ARGUMENT);
    options.confidence = 2;
    assert_int_equal(dusk_suite_audit(&result, 0, 1, &options, NULL, &err), DUSK_ERR_ARGUMENT);
    assert_true(result.exact == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
