/* SPDX-License-Identifier: Apache-2.0 */
#include "local_survey.h"

static void shapes(void **state)
{
    static const struct {
        uint64_t domain;
        uint32_t bytes;
    } want[] = { { 2, 1 },     { 256, 1 },     { 257, 2 },          { 65536, 2 },
                 { 65537, 3 }, { 1 << 24, 3 }, { (1 << 24) + 1, 4 } };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const dusk_survey survey = survey_of(DUSK_GRR, want[i].domain, 1);
        assert_int_equal(dusk_report_size(&survey.task), want[i].bytes);
        assert_true(survey.epsilon <= 1 && survey.epsilon > 1 - 1e-12);
    }
}

static void too_many_categories(void **state)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    (void)state;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_GRR;
    options.epsilon = 1;
    options.domain = 1;
    assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
    options.domain = ((uint64_t)1 << 28) + 1;
    assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
    options.domain = (uint64_t)1 << 32;
    assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
}

/* Any length of answers, and any number of them. */
static void adds_up(void **state)
{
    static const uint64_t domain[] = { 2, 5, 256, 257, 1024, 70000 };
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
        const dusk_survey survey = survey_of(DUSK_GRR, domain[i], 2);
        for (size_t n = 0; n < 10; n++) survey_adds_up(&survey, n, domain[i]);
        survey_adds_up(&survey, 1003, domain[i]);
        survey_without_entropy(&survey, 1);
    }
}

static void garbage(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_GRR, 5, 1), whole = survey_of(DUSK_GRR, 256, 1);
    const dusk_survey large = survey_of(DUSK_GRR, 1000, 1), huge = survey_of(DUSK_GRR, 70000, 1);
    assert_true(survey_takes_garbage(&small, 1001, 1) > 500);
    assert_true(survey_takes_garbage(&whole, 1001, 1) == 0);
    assert_true(survey_takes_garbage(&large, 1001, 1) > 500);
    assert_true(survey_takes_garbage(&huge, 1001, 1) > 500);
}

static void hostile_tasks(void **state)
{
    (void)state;
    survey_hostile_tasks(DUSK_GRR, 3000);
}

static void estimates(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_GRR, 2, 1), more = survey_of(DUSK_GRR, 300, 4);
    survey_estimates(&small, 4000, 2);
    survey_estimates(&more, 4000, 11);
}

/* (e^epsilon + k - 2) / (e^epsilon - 1)^2 of a value that nobody has. */
static void variance(void **state)
{
    (void)state;
    const dusk_survey survey = survey_of(DUSK_GRR, 1024, 1);
    assert_true(fabs(dusk_survey_variance(&survey, 0) / ((M_E + 1022) / ((M_E - 1) * (M_E - 1))) - 1) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),   cmocka_unit_test(too_many_categories), cmocka_unit_test(adds_up),
        cmocka_unit_test(garbage),  cmocka_unit_test(hostile_tasks),       cmocka_unit_test(estimates),
        cmocka_unit_test(variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
