/* SPDX-License-Identifier: Apache-2.0 */
/* Means of numbers at work: many small surveys with seeded coins. The mean squared error is what dusk_survey_variance says, the mean of estimates is the truth, and intervals cover as often as those of a normal law, where all people have one number. Right
 * code fails with probability below 1e-6 a row. DUSK_SEED chooses other coins. */
#include "local_errors.h"

enum { PEOPLE = 400, SURVEYS = 1200 };

typedef struct row {
    dusk_randomiser mechanism;
    double epsilon;
} row;

static const row rows[] = {
    { DUSK_ONEBIT, 1 },   { DUSK_DUCHI, 0.5 }, { DUSK_PIECEWISE, 1 },  { DUSK_PIECEWISE, 4 },
    { DUSK_HYBRID, 0.5 }, { DUSK_HYBRID, 2 },  { DUSK_SQUAREWAVE, 1 },
};

/* Numbers between 0 and 7, more of them small; or one for all. */
static double number_of(size_t i, bool same) { return same ? 2.3 : 7 * pow((double)i / (PEOPLE - 1), 2); }

static void run(const row *r, bool same, dusk_generator *gen)
{
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    dusk_survey_options o;
    dusk_survey survey;
    moments off = { 0 }, error = { 0 }, cover = { 0 };
    double truth = 0, variance = 0;
    uint64_t value[PEOPLE];
    dusk_survey_options_init(&o);
    o.mechanism = r->mechanism;
    o.epsilon = r->epsilon;
    o.low = 0;
    o.high = 7;
    assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
    for (size_t i = 0; i < PEOPLE; i++) {
        truth += number_of(i, same) / PEOPLE;
        value[i] = (uint64_t)(number_of(i, same) / 7 * UINT32_MAX);
        variance += dusk_survey_variance(&survey, number_of(i, same) / 7) * 3.5 * 3.5 / PEOPLE / PEOPLE;
    }
    for (size_t s = 0; s < SURVEYS; s++) {
        dusk_tally *tally;
        double mean, deviation;
        uint8_t report[PEOPLE][4];
        const size_t size = dusk_report_size(&survey.task);
        for (size_t i = 0; i < PEOPLE; i++)
            assert_int_equal(
                dusk_client_report(&survey.task, (uint8_t *)report + i * size, value[i], &entropy), 0);
        tally = survey_tally(&survey, (uint8_t *)report, PEOPLE);
        assert_int_equal(dusk_tally_dropped(tally), 0);
        assert_int_equal(dusk_tally_mean(tally, &mean, &deviation, NULL), DUSK_OK);
        note(&off, (mean - truth) / sqrt(variance));
        note(&error, (mean - truth) * (mean - truth) / variance);
        note(&cover, fabs(mean - truth) <= 1.959963985 * deviation);
        dusk_tally_free(tally);
    }
    check_mean(&off, -1e-4, 1e-4, "the mean is off by deviations", r->mechanism, r->epsilon);
    check_mean(&error, 1, 1, "error by theory is", r->mechanism, r->epsilon);
    /* the deviation is that of answers: where people differ, intervals are for those of whom they are a sample, and wider */
    if (same) check_mean(&cover, 0.945, 0.955, "intervals cover", r->mechanism, r->epsilon);
    if (!same) assert_true(mean_of(&cover) > 0.91);
}

static void errors_and_intervals(void **state)
{
    dusk_generator *gen = chosen_coins();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run(&rows[i], false, gen);
        run(&rows[i], true, gen);
    }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_and_intervals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
