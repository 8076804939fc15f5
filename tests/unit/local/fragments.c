/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list, from fragments: sizes, finding, garbage, refusals. Their law is tests/exhaustive/local_texts.c. */
#include "text_survey.h"

/* Texts of all lengths; the longest counts as its first bytes. Nobody else is found, at a rate at which nobody should be. */
static void finds(void **state)
{
    static const char *const text[] = {
        "abcab", "abc", "abcab", "", "cc", "abcab", "cacacaa", "", "a", "abc"
    };
    static const struct {
        const char *text;
        double share;
    } truth[] = {
        { "abcab", 0.3 }, { "abc", 0.2 }, { "", 0.2 }, { "cc", 0.1 }, { "cacac", 0.1 }, { "a", 0.1 }
    };
    enum { PEOPLE = 20000 };
    dusk_find_options options;
    dusk_string_found found[20];
    size_t n;
    (void)state;
    dusk_find_options_init(&options);
    options.alphabet = "abc";
    options.rate = 1e-6;
    for (uint32_t step = 1; step <= 3; step++) {
        const dusk_survey survey = text_survey(DUSK_SFP, 8, 5, step, 8, 256);
        dusk_tally *tally;
        assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
        report_texts(tally, text, 10, PEOPLE, 1 + step);
        assert_int_equal(dusk_tally_find(tally, &options, found, 20, &n, NULL), DUSK_OK);
        assert_int_equal(n, 6);
        for (size_t i = 0; i < 6; i++) {
            size_t j = 0;
            while (j < 6 && strcmp(truth[j].text, found[i].text) != 0) j++;
            if (!(j < 6 && fabs(found[i].count - PEOPLE * truth[j].share) < 5 * found[i].deviation))
                fail_msg("\"%s\": %g, deviation %g", found[i].text, found[i].count, found[i].deviation);
        }
        dusk_tally_free(tally);
    }
}

static void ordinary(void **state)
{
    const dusk_survey survey = text_survey(DUSK_SFP, 1, 5, 2, 4, 16);
    (void)state;
    assert_int_equal(dusk_report_size(&survey.task), 3);
    assert_int_equal(dusk_survey_counters(&survey), 4 * (4 * 16 + 1));
    survey_adds_up(&survey, 500, 1 << 20);
    assert_true(survey_takes_garbage(&survey, 4000, 9) > 1000);
    survey_without_entropy(&survey, 77);
    survey_hostile_tasks(DUSK_SFP, 3000);
}

/* A report is dropped whole: the sketch of whole texts has as many as those of places together. */
static void halves(void **state)
{
    const dusk_survey survey = text_survey(DUSK_SFP, 1, 4, 2, 3, 4);
    const uint8_t reports[] = { 0, 23, 23, 1, 0, 0, 2, 0, 0, 0, 24, 0, 0, 0, 24 };
    dusk_tally *tally;
    (void)state;
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    dusk_tally_add(tally, reports, 5);
    assert_true(dusk_tally_reports(tally) == 2 && dusk_tally_dropped(tally) == 3);
    assert_true(tally->cell[36] == 2 && tally->cell[37] == 1 && tally->cell[38] == 1);
    dusk_tally_free(tally);
}

/* Reports of an enemy who sends one hash and all letters: the puzzle ends. */
static void crowded(void **state)
{
    const dusk_survey survey = text_survey(DUSK_SFP, 4, 6, 1, 2, 256);
    dusk_find_options options;
    dusk_string_found found[20];
    dusk_tally *tally;
    size_t n;
    (void)state;
    dusk_find_options_init(&options);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_find(tally, &options, found, 20, &n, NULL), DUSK_OK);
    assert_int_equal(n, 0);
    for (uint8_t place = 0; place < 6; place++) {
        const uint8_t report[] = { place, 0, 0, (uint8_t)(2 * place), 1 };
        for (int i = 0; i < 50; i++) dusk_tally_add(tally, report, 1);
    }
    assert_int_equal(dusk_tally_reports(tally), 300);
    assert_int_equal(dusk_tally_find(tally, &options, found, 20, &n, NULL), DUSK_OK);
    dusk_tally_free(tally);
}

static void refuses(void **state)
{
    const dusk_survey survey = text_survey(DUSK_SFP, 1, 4, 4, 2, 4);
    dusk_find_options options;
    dusk_string_found found[2];
    dusk_tally *tally;
    dusk_error err;
    size_t n;
    (void)state;
    dusk_find_options_init(&options);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_ARGUMENT);
    assert_true(err.hint[0]);
    dusk_tally_free(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds),   cmocka_unit_test(ordinary), cmocka_unit_test(halves),
        cmocka_unit_test(crowded), cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
