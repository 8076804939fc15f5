/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on no list, from their beginnings: sizes, finding, merging, garbage, refusals. Their law is tests/exhaustive/local_texts.c. */
#include "text_survey.h"

static const dusk_randomiser both[] = { DUSK_PEM, DUSK_TREEHIST };

static dusk_find_options ways(const char *alphabet)
{
    dusk_find_options options;
    dusk_find_options_init(&options);
    options.alphabet = alphabet;
    return options;
}

static double share_of(const char *const *text, size_t texts, const char *own)
{
    double share = 0;
    for (size_t i = 0; i < texts; i++) share += strcmp(text[i], own) == 0 ? 1.0 / (double)texts : 0;
    return share;
}

/* All of them, in two halves that are merged, with counts that hold: the empty text and those of full length, too. */
static void finds(void **state)
{
    static const char *const text[] = {
        "abcab", "abc", "abcab", "", "cc", "abcab", "cacac", "", "ab", "abc"
    };
    enum { PEOPLE = 40000 };
    const dusk_find_options options = ways("abc");
    dusk_string_found found[20];
    size_t n;
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (uint32_t step = 1; step <= 3; step++) {
            const dusk_survey survey = text_survey(both[m], 3, 5, step, 16, 256);
            dusk_tally *one, *two;
            assert_int_equal(dusk_tally_new(&one, &survey, NULL), DUSK_OK);
            assert_int_equal(dusk_tally_new(&two, &survey, NULL), DUSK_OK);
            report_texts(one, text, 10, PEOPLE / 2, 1);
            report_texts(two, text, 10, PEOPLE / 2, 2);
            assert_int_equal(dusk_tally_merge(one, two, NULL), DUSK_OK);
            assert_int_equal(dusk_tally_find(one, &options, found, 20, &n, NULL), DUSK_OK);
            assert_in_range(n, 6, 10); /* 20 are possible, and a twentieth of those found may be wrong */
            for (size_t i = 0; i < 6; i++) {
                const double truth = PEOPLE * share_of(text, 10, found[i].text);
                if (!(truth > 0 && fabs(found[i].count - truth) < 5 * found[i].deviation))
                    fail_msg("\"%s\": %g for %g, deviation %g", found[i].text, found[i].count, truth,
                             found[i].deviation);
            }
            assert_int_equal(dusk_tally_find(one, &options, found, 2, &n, NULL), DUSK_OK);
            assert_int_equal(n, 2);
            dusk_tally_free(one);
            dusk_tally_free(two);
        }
}

/* Nobody has a text twice: at a rate of 0.05 seldom anything is found. */
static void finds_nothing(void **state)
{
    enum { PEOPLE = 3000 };
    static char word[PEOPLE][8];
    static const char *text[PEOPLE];
    const dusk_find_options options = ways("abcdefghij");
    dusk_string_found found[20];
    size_t n, wrong = 0;
    (void)state;
    for (size_t i = 0; i < PEOPLE; i++) {
        for (size_t k = 0; k < 6; k++) word[i][k] = (char)('a' + (i * 2654435761u >> (5 * k + 2)) % 10);
        text[i] = word[i];
    }
    for (size_t m = 0; m < 2; m++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            const dusk_survey survey = text_survey(both[m], 1, 6, 2, 16, 256);
            dusk_tally *tally;
            assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
            report_texts(tally, text, PEOPLE, PEOPLE, 3 + seed);
            assert_int_equal(dusk_tally_find(tally, &options, found, 20, &n, NULL), DUSK_OK);
            wrong += n > 0;
            dusk_tally_free(tally);
        }
    assert_in_range(wrong, 0, 3); /* 8 tests of 0.05 */
}

/* A value is a text of up to 8 bytes; texts of a hashed survey are their hashes. */
static void values(void **state)
{
    static const char *const text[] = { "abcdefgh", "", "a" };
    const uint64_t value[] = { 0x6867666564636261u, 0, 0x61 };
    static const uint8_t six = 6;
    dusk_survey survey = text_survey(DUSK_TREEHIST, 2, 8, 1, 4, 64);
    dusk_tally *tally;
    double a[3], b[3], spread[3], same[3];
    uint8_t report[8], again[8];
    (void)state;
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    report_texts(tally, text, 3, 3000, 5);
    assert_int_equal(dusk_tally_texts(tally, a, spread, text, 3, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_counts(tally, b, same, value, 3, NULL), DUSK_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_true(a[i] == b[i] && spread[i] == same[i]);
        assert_true(fabs(a[i] - 1000) < 5 * spread[i]);
    }
    assert_true(spread[1] < spread[0] / 2); /* 8 levels have the empty text, and one the longest */
    dusk_tally_free(tally);
    survey = survey_of(DUSK_HCMS, 0, 2);
    for (uint64_t i = 0; i < 3; i++) {
        size_t left = 64;
        dusk_entropy entropy = { survey_dry, &left };
        assert_int_equal(dusk_client_text(&survey.task, report, (const uint8_t *)"word", 4, &entropy), 0);
        left = 64;
        assert_int_equal(
            dusk_client_report(&survey.task, again, dusk_client_hash((const uint8_t *)"word", 4), &entropy),
            0);
        assert_memory_equal(report, again, dusk_report_size(&survey.task));
    }
    survey = survey_of(DUSK_GRR, 4, 2);
    assert_int_equal(dusk_client_text(&survey.task, report, &six, 1, NULL), DUSK_CLIENT_BAD_TASK);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_texts(tally, a, spread, text, 3, NULL), DUSK_ERR_UNSUPPORTED);
    dusk_tally_free(tally);
}

static void ordinary(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        const dusk_survey survey = text_survey(both[m], 1, 5, 2, 4, 16);
        assert_int_equal(dusk_report_size(&survey.task), 2);
        assert_int_equal(dusk_survey_counters(&survey), 3 * (4 * 16 + 1));
        survey_adds_up(&survey, 500, 1 << 20);
        assert_true(survey_takes_garbage(&survey, 4000, 9) > 1000);
        survey_without_entropy(&survey, 77);
        survey_hostile_tasks(both[m], 3000);
    }
}

static dusk_status try_survey(uint64_t length, uint32_t step, uint32_t width, dusk_error *err)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_PEM;
    options.epsilon = 1;
    options.domain = length;
    options.hashes = step;
    options.width = width;
    return dusk_survey_init(&survey, &options, err);
}

static void refuses(void **state)
{
    const dusk_survey survey = text_survey(DUSK_PEM, 1, 4, 4, 2, 4), other = survey_of(DUSK_GRR, 4, 1);
    dusk_tally *tally;
    dusk_error err;
    dusk_string_found found[2];
    size_t n = 7;
    (void)state;
    assert_int_equal(try_survey(33, 1, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(try_survey(4, 5, 0, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(try_survey(4, 1, 3, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(try_survey(32, 1, 524288, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(try_survey(1, 0, 0, &err), DUSK_OK);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    dusk_find_options options = ways("ab");
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_OK);
    assert_int_equal(n, 0);
    options.alphabet = "aba";
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_ARGUMENT);
    options.alphabet = "";
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_ARGUMENT);
    options.alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_ARGUMENT);
    assert_true(err.hint[0]);
    options = ways("ab");
    options.keep = 0;
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_ARGUMENT);
    options = ways("ab");
    options.rate = 1;
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_ARGUMENT);
    dusk_tally_free(tally);
    options = ways("ab");
    assert_int_equal(dusk_tally_new(&tally, &other, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_find(tally, &options, found, 2, &n, &err), DUSK_ERR_UNSUPPORTED);
    dusk_tally_free(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds),    cmocka_unit_test(finds_nothing), cmocka_unit_test(values),
        cmocka_unit_test(ordinary), cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
