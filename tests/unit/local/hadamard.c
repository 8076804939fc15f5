/* SPDX-License-Identifier: Apache-2.0 */
#include "local_survey.h"

static void shapes(void **state)
{
    static const struct {
        uint64_t domain;
        uint32_t width, bytes;
    } want[] = { { 2, 2, 1 },       { 3, 4, 1 },         { 128, 128, 1 },        { 129, 256, 2 },
                 { 1024, 1024, 2 }, { 32769, 65536, 3 }, { 1 << 24, 1 << 24, 4 } };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const dusk_survey survey = survey_of(DUSK_HADAMARD, want[i].domain, 1);
        assert_int_equal(survey.task.width, want[i].width);
        assert_int_equal(dusk_report_size(&survey.task), want[i].bytes);
        assert_true(survey.epsilon <= 1 && survey.epsilon > 1 - 1e-12);
    }
}

static void too_many_categories(void **state)
{
    dusk_survey survey;
    dusk_survey_options options;
    (void)state;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_HADAMARD;
    options.epsilon = 1;
    options.domain = ((uint64_t)1 << 28) + 1;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    options.domain = 0;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
}

static void adds_up(void **state)
{
    static const uint64_t domain[] = { 2, 5, 100, 300, 70000 };
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
        const dusk_survey survey = survey_of(DUSK_HADAMARD, domain[i], 2);
        for (size_t n = 0; n < 6; n++) survey_adds_up(&survey, n, domain[i]);
        survey_adds_up(&survey, 300, domain[i]);
        survey_without_entropy(&survey, 1);
        survey_without_entropy(&survey, domain[i] + 5);
    }
}

static void garbage(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_HADAMARD, 5, 1), large = survey_of(DUSK_HADAMARD, 1000, 1);
    assert_true(survey_takes_garbage(&small, 1001, 1) > 500);
    assert_true(survey_takes_garbage(&large, 1001, 1) > 500);
}

static void hostile_tasks(void **state)
{
    (void)state;
    survey_hostile_tasks(DUSK_HADAMARD, 10000);
}

static void estimates(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_HADAMARD, 2, 1), more = survey_of(DUSK_HADAMARD, 150, 2);
    survey_estimates(&small, 4000, 2);
    survey_estimates(&more, 4000, 11);
}

/* ((e^epsilon + 1) / (e^epsilon - 1))^2. */
static void variance(void **state)
{
    (void)state;
    const dusk_survey survey = survey_of(DUSK_HADAMARD, 1024, 1);
    assert_true(fabs(dusk_survey_variance(&survey, 0) / pow((M_E + 1) / (M_E - 1), 2) - 1) < 1e-9);
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
