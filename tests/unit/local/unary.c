/* SPDX-License-Identifier: Apache-2.0 */
#include "local_survey.h"

static const dusk_randomiser both[] = { DUSK_SUE, DUSK_OUE };

static void shapes(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (uint64_t domain = 2; domain <= 1 << 20; domain = domain * 3 + 1) {
            const dusk_survey survey = survey_of(both[m], domain, 1);
            assert_int_equal(dusk_report_size(&survey.task), (domain + 7) / 8);
            assert_true(survey.epsilon <= 1 && survey.epsilon > 1 - 1e-12);
        }
    assert_true(survey_of(DUSK_OUE, 9, 2).task.p == (uint64_t)1 << 63);
}

static void too_long(void **state)
{
    dusk_survey survey;
    dusk_survey_options options;
    (void)state;
    dusk_survey_options_init(&options);
    options.epsilon = 1;
    for (size_t m = 0; m < 2; m++) {
        options.mechanism = both[m];
        options.domain = (uint64_t)8 * DUSK_REPORT_MOST;
        assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
        options.domain++;
        assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    }
}

static void adds_up(void **state)
{
    static const uint64_t domain[] = { 2, 7, 8, 64, 65, 513 };
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
            const dusk_survey survey = survey_of(both[m], domain[i], 2);
            for (size_t n = 0; n < 6; n++) survey_adds_up(&survey, n, domain[i]);
            survey_adds_up(&survey, 300, domain[i]);
            survey_without_entropy(&survey, 1);
            survey_without_entropy(&survey, domain[i] + 5);
        }
}

/* Bits behind the last category: dropped, wherever such reports stand between others. */
static void garbage(void **state)
{
    (void)state;
    const dusk_survey padded = survey_of(DUSK_OUE, 13, 1), whole = survey_of(DUSK_OUE, 24, 1);
    assert_true(survey_takes_garbage(&padded, 1001, 1) > 500);
    assert_true(survey_takes_garbage(&whole, 1001, 1) == 0);
}

static void hostile_tasks(void **state)
{
    (void)state;
    survey_hostile_tasks(DUSK_SUE, 3000);
    survey_hostile_tasks(DUSK_OUE, 3000);
}

static void estimates(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        const dusk_survey small = survey_of(both[m], 2, 1), more = survey_of(both[m], 150, 2);
        survey_estimates(&small, 4000, 2);
        survey_estimates(&more, 4000, 11);
    }
}

/* The closed forms of Wang et al. 2017, of a value that nobody has. */
static void variance(void **state)
{
    (void)state;
    const dusk_survey sue = survey_of(DUSK_SUE, 1024, 1), oue = survey_of(DUSK_OUE, 1024, 1);
    const double root = sqrt(M_E);
    assert_true(fabs(dusk_survey_variance(&sue, 0) / (root / ((root - 1) * (root - 1))) - 1) < 1e-9);
    assert_true(fabs(dusk_survey_variance(&oue, 0) / (4 * M_E / ((M_E - 1) * (M_E - 1))) - 1) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),   cmocka_unit_test(too_long),      cmocka_unit_test(adds_up),
        cmocka_unit_test(garbage),  cmocka_unit_test(hostile_tasks), cmocka_unit_test(estimates),
        cmocka_unit_test(variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
