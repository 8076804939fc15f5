/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of a sketch, all at once: right where there is no noise to speak of, right on average and as far off as it says where there is, and no more false discoveries than allowed. */
#include "dusk/local_estimates.h"
#include "dusk/local_strings.h"
#include "local_survey.h"

enum { CANDIDATES = 300, HELD = 12, UNLISTED = 7 };

static dusk_survey sketch_of(dusk_randomiser mechanism, double epsilon, uint32_t rows, uint32_t width)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = epsilon;
    options.rows = rows;
    options.width = width;
    if (dusk_survey_init(&survey, &options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return survey;
}

/* Candidate 0 has the most people, then ever fewer; the last of those who have something have a value that is on no list. */
static uint64_t value_of(size_t i)
{
    for (size_t v = 0, upto = 0; v < HELD; v++) {
        upto += 60 / (v + 1);
        if (i % 250 < upto) return v + 1;
    }
    return 1000000 + i % UNLISTED;
}

static dusk_tally *tally_of(const dusk_survey *survey, size_t n, uint64_t seed, double *truth)
{
    dusk_tally *tally;
    dusk_generator *gen;
    dusk_generator_entropy context;
    uint8_t report[64];
    assert_true(dusk_report_size(&survey->task) <= sizeof report);
    assert_int_equal(dusk_tally_new(&tally, survey, NULL), DUSK_OK);
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    memset(truth, 0, CANDIDATES * sizeof *truth);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = value_of(i);
        if (value <= CANDIDATES) truth[value - 1]++;
        assert_int_equal(dusk_client_report(&survey->task, report, value, &entropy), DUSK_CLIENT_OK);
        dusk_tally_add(tally, report, 1);
    }
    dusk_generator_free(gen);
    return tally;
}

/* Errors in deviations over surveys: mean 0 and square 1, of those with people and of those without, and discoveries that are true. */
static void check_survey(dusk_randomiser mechanism, double epsilon, uint32_t rows, uint32_t width)
{
    enum { SURVEYS = 6, PEOPLE = 20000 };
    const dusk_survey survey = sketch_of(mechanism, epsilon, rows, width);
    static uint64_t candidate[CANDIDATES];
    static double truth[CANDIDATES], count[CANDIDATES], deviation[CANDIDATES];
    static bool found[CANDIDATES];
    double held = 0, none = 0, square = 0, big = 0;
    size_t right = 0, wrong = 0;
    for (size_t v = 0; v < CANDIDATES; v++) candidate[v] = v + 1;
    for (uint64_t s = 0; s < SURVEYS; s++) {
        dusk_tally *tally = tally_of(&survey, PEOPLE, s + 1, truth);
        assert_int_equal(dusk_tally_decode(tally, count, deviation, candidate, CANDIDATES, NULL), DUSK_OK);
        assert_int_equal(dusk_counts_found(found, count, deviation, CANDIDATES, 0.05, NULL), DUSK_OK);
        for (size_t v = 0; v < CANDIDATES; v++) {
            const double z = (count[v] - truth[v]) / deviation[v];
            *(truth[v] > 0 ? &held : &none) += z;
            square += z * z;
            big = fmax(big, fabs(z));
            right += found[v] && truth[v] > 0;
            wrong += found[v] && truth[v] == 0;
        }
        dusk_tally_free(tally);
    }
    if (!(fabs(held) < 5 * sqrt(SURVEYS * HELD) && fabs(none) < 5 * sqrt(SURVEYS * (CANDIDATES - HELD)) &&
          square / SURVEYS / CANDIDATES < 1.2 && square / SURVEYS / CANDIDATES > 0.6 && big < 5.2))
        fail_msg("%s: %g of held, %g of none, squares %g, largest %g", dusk_randomiser_name(mechanism),
                 held / sqrt(SURVEYS * HELD), none / sqrt(SURVEYS * (CANDIDATES - HELD)),
                 square / SURVEYS / CANDIDATES, big);
    if (!(right >= SURVEYS * 2 && wrong * 5 <= right + 5))
        fail_msg("%s: %zu found, %zu of them wrong", dusk_randomiser_name(mechanism), right + wrong, wrong);
}

static void holds(void **state)
{
    (void)state;
    check_survey(DUSK_RAPPOR, 6, 16, 64);
    check_survey(DUSK_CMS, 3, 16, 64);
    check_survey(DUSK_HCMS, 3, 16, 64);
}

/* With next to no noise counts are what they are, where one value at a time is far off: few rows are shared by many. */
static void undoes_sharing(void **state)
{
    static const dusk_randomiser mechanism[] = { DUSK_RAPPOR, DUSK_CMS };
    static uint64_t candidate[CANDIDATES];
    static double truth[CANDIDATES], count[CANDIDATES], deviation[CANDIDATES], single[CANDIDATES];
    (void)state;
    for (size_t v = 0; v < CANDIDATES; v++) candidate[v] = v + 1;
    for (size_t m = 0; m < 2; m++) {
        const dusk_survey survey = sketch_of(mechanism[m], 30, 4, 128);
        double error = 0, error_single = 0;
        dusk_tally *tally = tally_of(&survey, 5000, 9, truth);
        assert_int_equal(dusk_tally_decode(tally, count, deviation, candidate, CANDIDATES, NULL), DUSK_OK);
        assert_int_equal(dusk_tally_counts(tally, single, NULL, candidate, CANDIDATES, NULL), DUSK_OK);
        for (size_t v = 0; v < CANDIDATES; v++) {
            error += (count[v] - truth[v]) * (count[v] - truth[v]);
            error_single += (single[v] - truth[v]) * (single[v] - truth[v]);
        }
        if (!(error < error_single / 2)) fail_msg("squares %g of %g", error, error_single);
        dusk_tally_free(tally);
    }
}

static void refuses(void **state)
{
    dusk_error err;
    dusk_tally *tally;
    double count[3], deviation[3];
    const uint64_t twice[] = { 4, 9, 4 }, fine[] = { 4, 9, 5 };
    (void)state;
    const dusk_survey sketch = sketch_of(DUSK_RAPPOR, 2, 4, 16), other = survey_of(DUSK_GRR, 5, 1);
    assert_int_equal(dusk_tally_new(&tally, &sketch, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_decode(tally, count, deviation, twice, 3, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_decode(tally, count, deviation, fine, 3, &err), DUSK_OK);
    assert_true(count[0] == 0 && count[2] == 0 && deviation[1] == 0);
    assert_int_equal(dusk_tally_decode(tally, NULL, NULL, NULL, 0, &err), DUSK_OK);
    dusk_tally_free(tally);
    assert_int_equal(dusk_tally_new(&tally, &other, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_decode(tally, count, deviation, fine, 3, &err), DUSK_ERR_UNSUPPORTED);
    dusk_tally_free(tally);
}

/* A candidate that has all places, more candidates than places, a row or two with reports, counters of nobody's making: numbers all the same, and an end. */
static void small_and_hostile(void **state)
{
    static uint64_t candidate[CANDIDATES];
    static double count[CANDIDATES], deviation[CANDIDATES];
    static const dusk_randomiser mechanism[] = { DUSK_RAPPOR, DUSK_CMS, DUSK_HCMS };
    (void)state;
    for (size_t v = 0; v < CANDIDATES; v++) candidate[v] = v;
    for (size_t m = 0; m < 3; m++)
        for (uint32_t rows = 1; rows <= 3; rows++)
            for (int64_t size = 1; size <= 1000000; size *= 1000) {
                const dusk_survey survey = sketch_of(mechanism[m], 20, rows, rows == 2 ? 16 : 2);
                dusk_tally *tally;
                assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
                for (uint64_t i = 0; i < tally->cells; i++)
                    tally->cell[i] = (int64_t)(i * 7919 % 11) % 2 * size;
                tally->reports = (uint64_t)size;
                assert_int_equal(dusk_tally_decode(tally, count, deviation, candidate, CANDIDATES, NULL),
                                 DUSK_OK);
                for (size_t v = 0; v < CANDIDATES; v++) assert_true(isfinite(count[v]) && deviation[v] >= 0);
                dusk_tally_free(tally);
            }
}

/* Counters that nobody counted, of a sketch without noise, where more candidates stand out than there can be at any penalty: it ends. */
static void too_many_at_any_penalty(void **state)
{
    enum { FEW = 40 };
    const dusk_survey survey = sketch_of(DUSK_HCMS, 40, 2, 16);
    uint64_t candidate[FEW], seed = 3;
    double count[FEW], deviation[FEW];
    dusk_tally *tally;
    (void)state;
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    tally->reports = 1000;
    for (uint64_t i = 0; i < tally->cells; i++) tally->cell[i] = (int64_t)(splitmix64(&seed) >> 12);
    for (size_t i = 0; i < FEW; i++) candidate[i] = i;
    assert_int_equal(dusk_tally_decode(tally, count, deviation, candidate, FEW, NULL), DUSK_OK);
    dusk_tally_free(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds),
        cmocka_unit_test(undoes_sharing),
        cmocka_unit_test(refuses),
        cmocka_unit_test(small_and_hostile),
        cmocka_unit_test(too_many_at_any_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
