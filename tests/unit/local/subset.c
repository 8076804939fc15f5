/* SPDX-License-Identifier: Apache-2.0 */
#include "local_survey.h"

/* d / (e^epsilon + 1), the better of two whole numbers. */
static void shapes(void **state)
{
    static const struct {
        uint64_t domain;
        double epsilon;
        uint32_t width;
    } want[] = { { 2, 0.01, 1 },   { 2, 8, 1 },    { 10, 1, 2 },
                 { 1024, 1, 275 }, { 1024, 8, 1 }, { 1 << 20, 1, 282005 } };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const dusk_survey survey = survey_of(DUSK_SS, want[i].domain, want[i].epsilon);
        assert_int_equal(survey.task.width, want[i].width);
        assert_int_equal(dusk_report_size(&survey.task), (want[i].domain + 7) / 8);
        assert_true(survey.epsilon <= want[i].epsilon && survey.epsilon > want[i].epsilon * (1 - 1e-12));
    }
}

static void refusals(void **state)
{
    dusk_survey survey;
    dusk_survey_options options;
    (void)state;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_SS;
    options.epsilon = 1;
    options.domain = (uint64_t)8 * DUSK_REPORT_MOST + 1;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    options.domain = 10;
    options.width = 10;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    options.width = 9;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
}

/* Every report has as many members as the task says, wherever the truth lies. */
static void sizes(void **state)
{
    static const uint64_t domain[] = { 2, 7, 8, 9, 64, 65, 200 };
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++)
        for (double epsilon = 0.2; epsilon < 5; epsilon *= 2) {
            const dusk_survey survey = survey_of(DUSK_SS, domain[i], epsilon);
            survey_adds_up(&survey, domain[i] < 60 ? 100 : 500, domain[i]); /* none is dropped */
        }
}

static void adds_up(void **state)
{
    const dusk_survey survey = survey_of(DUSK_SS, 513, 2);
    (void)state;
    for (size_t n = 0; n < 6; n++) survey_adds_up(&survey, n, 513);
    survey_without_entropy(&survey, 1);
    survey_without_entropy(&survey, 600);
}

/* Too many members, too few, and members that are no categories. */
static void garbage(void **state)
{
    const uint8_t reports[6][2] = { { 0x05, 0 },    { 0x01, 0 },    { 0x07, 0 },
                                    { 0x01, 0x02 }, { 0x01, 0x04 }, { 0, 0 } };
    const dusk_survey survey = survey_of(DUSK_SS, 10, 1);
    (void)state;
    assert_int_equal(survey.task.width, 2);
    dusk_tally *tally = survey_tally(&survey, reports[0], 6);
    assert_int_equal(dusk_tally_reports(tally), 2);
    assert_int_equal(dusk_tally_dropped(tally), 4);
    assert_int_equal(tally->cell[0], 2);
    assert_int_equal(tally->cell[2], 1);
    assert_int_equal(tally->cell[9], 1);
    dusk_tally_free(tally);
    assert_true(survey_takes_garbage(&survey, 1001, 1) > 500);
}

static void hostile_tasks(void **state)
{
    (void)state;
    survey_hostile_tasks(DUSK_SS, 3000);
}

static void estimates(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_SS, 2, 1), more = survey_of(DUSK_SS, 150, 2);
    survey_estimates(&small, 4000, 2);
    survey_estimates(&more, 4000, 11);
}

/* Not above that of optimised unary encoding, and 3.674 at epsilon 1 of 1024. */
static void variance(void **state)
{
    (void)state;
    for (double epsilon = 0.5; epsilon < 5; epsilon += 0.5) {
        const dusk_survey ss = survey_of(DUSK_SS, 1024, epsilon), oue = survey_of(DUSK_OUE, 1024, epsilon);
        assert_true(dusk_survey_variance(&ss, 0) <= dusk_survey_variance(&oue, 0));
    }
    const dusk_survey survey = survey_of(DUSK_SS, 1024, 1);
    assert_true(fabs(dusk_survey_variance(&survey, 0) - 3.674) < 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),    cmocka_unit_test(refusals), cmocka_unit_test(sizes),
        cmocka_unit_test(adds_up),   cmocka_unit_test(garbage),  cmocka_unit_test(hostile_tasks),
        cmocka_unit_test(estimates), cmocka_unit_test(variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
