/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of reports: which are used, what is refused, and records in their order. That shares are right is tests/statistical/local_association.c. */
#include "dusk/local_strings.h"
#include "local_survey.h"

static void refuses(void **state)
{
    const dusk_survey grr = survey_of(DUSK_GRR, 3, 2), olh = survey_of(DUSK_OLH, 3, 2),
                      cms = survey_of(DUSK_CMS, 0, 2), wide = survey_of(DUSK_GRR, 40, 2);
    const uint64_t twice[] = { 5, 6, 5 };
    uint8_t reports[256] = { 0 };
    const dusk_association_side fine = { &grr, reports, NULL, 0 }, no = { &olh, reports, NULL, 0 },
                                listed = { &grr, reports, twice, 2 }, unlisted = { &cms, reports, NULL, 0 },
                                same = { &cms, reports, twice, 3 }, many = { &wide, reports, NULL, 0 };
    double joint[1600];
    uint64_t dropped;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_reports_association(&fine, &no, 1, NULL, joint, NULL, &dropped, &err),
                     DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_reports_association(&fine, &listed, 1, NULL, joint, NULL, &dropped, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_reports_association(&unlisted, &fine, 1, NULL, joint, NULL, &dropped, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_reports_association(&same, &fine, 1, NULL, joint, NULL, &dropped, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_reports_association(&many, &many, 1, NULL, joint, NULL, &dropped, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(err.hint[0]);
    assert_int_equal(dusk_reports_association(&fine, &fine, 0, NULL, joint, NULL, &dropped, &err),
                     DUSK_ERR_ARGUMENT);
}

/* At a large epsilon answers are values, and shares those of the pairs that are used. */
static void uses(void **state)
{
    const dusk_survey survey = survey_of(DUSK_GRR, 2, 30);
    const uint8_t a[] = { 0, 0, 1, 7, 1, 0, 1 }, b[] = { 0, 1, 1, 1, 3, 0, 0 };
    const bool used[] = { true, true, true, true, true, false, true };
    const dusk_association_side left = { &survey, a, NULL, 0 }, right = { &survey, b, NULL, 0 };
    double joint[4], deviation[4];
    uint64_t dropped;
    (void)state;
    assert_int_equal(dusk_reports_association(&left, &right, 7, used, joint, deviation, &dropped, NULL),
                     DUSK_OK);
    assert_int_equal(dropped, 3); /* two that no device makes, and one that is not to be used */
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs(joint[k] - 0.25) < 1e-6 && fabs(deviation[k] - sqrt(3 / 16.0 / 4)) < 1e-6);
}

/* Records of this task and of another, and one that is cut off. */
static void lists(void **state)
{
    const dusk_survey survey = survey_of(DUSK_GRR, 1000, 1), other = survey_of(DUSK_GRR, 1001, 1);
    uint8_t bytes[256], reports[8] = { 0 };
    bool fine[4];
    size_t n = 0, count = 0;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 3, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (uint8_t i = 0; i < 4; i++) {
        const uint8_t report[] = { i, 1 };
        n += dusk_client_record(i == 2 ? &other.task : &survey.task, i == 3, bytes + n, report, &entropy);
    }
    assert_int_equal(dusk_records_list(&survey, 0, bytes, n, NULL, NULL, &count, &err), DUSK_OK);
    assert_int_equal(count, 4);
    assert_int_equal(dusk_records_list(&survey, 0, bytes, n, reports, fine, &count, &err), DUSK_OK);
    assert_true(fine[0] && fine[1] && !fine[2] && !fine[3]);
    assert_true(reports[0] == 0 && reports[1] == 1 && reports[2] == 1 && reports[3] == 1 && reports[4] == 0);
    for (size_t cut = 1; cut < 20; cut++)
        assert_int_equal(dusk_records_list(&survey, 0, bytes, n - cut, NULL, NULL, &count, &err),
                         DUSK_ERR_PARSE);
    assert_int_equal(dusk_records_list(&survey, 0, bytes, 0, NULL, NULL, &count, &err), DUSK_OK);
    assert_int_equal(count, 0);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refuses), cmocka_unit_test(uses),
                                        cmocka_unit_test(lists) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
