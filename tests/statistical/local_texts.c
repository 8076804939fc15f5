/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that nobody listed, by Zipf's law with three planted ones above it: the planted ones are found, those found are texts of somebody but for the rate of false discoveries, and their counts are as near as they say. */
#include <math.h>

#include "dusk/local_strings.h"
#include "local_survey.h"

enum { TEXTS = 120, PEOPLE = 60000, RUNS = 6 };

static char text[TEXTS][9];
static double share[TEXTS];

/* The first three have 8 % each; the others are pseudo-words of 2 to 6 letters, the k-th like 1 / k. */
static void make_texts(void)
{
    uint64_t seed = 4;
    double sum = 0;
    for (size_t i = 3; i < TEXTS; i++) sum += 1 / (double)(i - 2);
    for (size_t i = 0; i < TEXTS; i++) {
        const size_t length = 2 + splitmix64(&seed) % 5;
        memset(text[i], 0, sizeof text[i]);
        for (size_t k = 0; k < length; k++) text[i][k] = "abcdefgh"[splitmix64(&seed) % 8];
        share[i] = i < 3 ? 0.08 : 0.76 / (double)(i - 2) / sum;
    }
    memcpy(text[0], "planted", 7); /* cut to 6 */
    memcpy(text[1], "fade", 5);
    memcpy(text[2], "a", 2);
}

static dusk_tally *collect(dusk_randomiser mechanism, uint64_t seed, double *people)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_tally *tally;
    dusk_generator *gen;
    dusk_generator_entropy context;
    uint8_t report[16];
    double upto = 0, done = 0;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = 4;
    options.domain = 6;
    options.rows = 16;
    options.width = 1024;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < TEXTS; i++) {
        upto += share[i];
        people[i] = floor(PEOPLE * upto + 0.5) - done;
        done += people[i];
        for (double k = 0; k < people[i]; k++) {
            assert_int_equal(
                dusk_client_text(&survey.task, report, (const uint8_t *)text[i], strlen(text[i]), &entropy),
                0);
            dusk_tally_add(tally, report, 1);
        }
    }
    dusk_generator_free(gen);
    return tally;
}

static double people_with(const char *own, const double *people)
{
    double sum = 0;
    for (size_t i = 0; i < TEXTS; i++) sum += strncmp(text[i], own, 6) == 0 ? people[i] : 0;
    return sum;
}

static void check(dusk_randomiser mechanism)
{
    dusk_find_options options;
    dusk_string_found found[200];
    double people[TEXTS], wrong = 0;
    size_t all = 0, n, far = 0;
    dusk_find_options_init(&options);
    options.alphabet = "abcdefghlnpt";
    options.keep = 40;
    for (uint64_t run = 0; run < RUNS; run++) {
        dusk_tally *tally = collect(mechanism, 70 + run, people);
        unsigned planted = 0;
        assert_int_equal(dusk_tally_find(tally, &options, found, 200, &n, NULL), DUSK_OK);
        for (size_t i = 0; i < n; i++) {
            const double truth = people_with(found[i].text, people);
            for (unsigned k = 0; k < 3; k++)
                planted |= (unsigned)(strncmp(found[i].text, text[k], 6) == 0) << k;
            wrong += truth == 0;
            far += truth > 0 && !(fabs(found[i].count - truth) < 4.5 * found[i].deviation);
        }
        all += n;
        if (planted != 7)
            fail_msg("%s finds %x of 7 planted texts", dusk_randomiser_name((uint32_t)mechanism), planted);
        dusk_tally_free(tally);
    }
    /* 0.05 of some 60 on average: 20 is beyond one in a million */
    if (!(all >= RUNS * 6 && wrong <= 0.05 * (double)all + 5 * sqrt(0.05 * (double)all) + 2 && far <= 1))
        fail_msg("%s: of %zu found %g are of nobody, and %zu have other counts",
                 dusk_randomiser_name((uint32_t)mechanism), all, wrong, far);
}

static void pem(void **state)
{
    (void)state;
    check(DUSK_PEM);
}
static void treehist(void **state)
{
    (void)state;
    check(DUSK_TREEHIST);
}
static void sfp(void **state)
{
    (void)state;
    check(DUSK_SFP);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pem), cmocka_unit_test(treehist),
                                        cmocka_unit_test(sfp) };
    make_texts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
