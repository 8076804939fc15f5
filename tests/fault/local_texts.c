/* SPDX-License-Identifier: Apache-2.0 */
/* Finding texts, and pairs of reports, where the n-th allocation fails: an error that says so, and nothing is lost. */
#include "dusk/local_strings.h"
#include "failing_memory.h"
#include "local_survey.h"

enum { PEOPLE = 300 };

static dusk_tally *tally_of(dusk_randomiser mechanism)
{
    static const char *const text[] = { "ab", "ba", "abba" };
    dusk_survey survey;
    dusk_survey_options options;
    dusk_tally *tally;
    dusk_generator *gen;
    dusk_generator_entropy context;
    uint8_t report[16];
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = 8;
    options.domain = 4;
    options.rows = 2;
    options.width = 64;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_new_seeded(&gen, 3, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < PEOPLE; i++) {
        const char *own = text[i % 3];
        assert_int_equal(dusk_client_text(&survey.task, report, (const uint8_t *)own, strlen(own), &entropy),
                         0);
        dusk_tally_add(tally, report, 1);
    }
    dusk_generator_free(gen);
    return tally;
}

static void find(void **state)
{
    static const dusk_randomiser all[] = { DUSK_PEM, DUSK_TREEHIST, DUSK_SFP };
    static const char *const asked[] = { "ab", "aa" };
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        dusk_tally *tally = tally_of(all[m]);
        dusk_find_options options;
        dusk_string_found found[8];
        double count[2], deviation[2];
        dusk_error err;
        size_t n;
        bool done = false;
        dusk_find_options_init(&options);
        options.alphabet = "ab";
        options.keep = 4;
        for (long at = 1; !done; at++) {
            dusk_memory_fail_at(at);
            done = went_through(dusk_tally_find(tally, &options, found, 8, &n, &err), &err, at, 400);
            assert_true(done ? n > 0 : n == 0);
        }
        done = false;
        for (long at = 1; !done; at++) {
            dusk_memory_fail_at(at);
            done = went_through(dusk_tally_texts(tally, count, deviation, asked, 2, &err), &err, at, 100);
        }
        dusk_tally_free(tally);
    }
}

static void associate(void **state)
{
    const dusk_survey survey = survey_of(DUSK_GRR, 3, 2);
    uint8_t *reports = survey_reports(&survey, PEOPLE, 3, 5);
    const dusk_association_side side = { &survey, reports, NULL, 0 };
    double joint[9], deviation[9];
    uint64_t dropped;
    dusk_error err;
    bool done = false;
    (void)state;
    for (long at = 1; !done; at++) {
        dusk_memory_fail_at(at);
        done = went_through(
            dusk_reports_association(&side, &side, PEOPLE, NULL, joint, deviation, &dropped, &err), &err, at,
            50);
    }
    free(reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(find), cmocka_unit_test(associate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
