/* SPDX-License-Identifier: Apache-2.0 */
/* Frequency oracles at work: many small surveys with seeded coins. The mean squared error is what dusk_survey_variance says, and intervals of two deviations
 * cover as often as those of a normal law. Fixed seeds; both tests fail right code with probability below 1e-6 a row. DUSK_SEED chooses other coins. */
#include "local_errors.h"

enum { DOMAIN = 40, PEOPLE = 1500, SURVEYS = 150 };

typedef struct row {
    dusk_randomiser mechanism;
    double epsilon;
} row;

static const row rows[] = {
    { DUSK_GRR, 1 }, { DUSK_GRR, 4 },      { DUSK_SUE, 1 },      { DUSK_OUE, 1 },
    { DUSK_OUE, 3 }, { DUSK_OLH, 1 },      { DUSK_OLH, 3 },      { DUSK_SS, 1 },
    { DUSK_SS, 3 },  { DUSK_HADAMARD, 1 }, { DUSK_HADAMARD, 3 },
};

static void run(const row *r, dusk_generator *gen)
{
    uint64_t value[PEOPLE];
    double truth[DOMAIN], count[DOMAIN], deviation[DOMAIN];
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    const dusk_survey survey = survey_of(r->mechanism, DOMAIN, r->epsilon);
    const size_t size = dusk_report_size(&survey.task);
    uint8_t *reports = malloc(PEOPLE * size);
    moments error = { 0 }, cover = { 0 };
    assert_non_null(reports);
    deal_zipf(value, PEOPLE, truth, DOMAIN);
    for (size_t s = 0; s < SURVEYS; s++) {
        double squares = 0, covered = 0;
        for (size_t i = 0; i < PEOPLE; i++)
            assert_int_equal(dusk_client_report(&survey.task, reports + i * size, value[i], &entropy), 0);
        dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
        assert_int_equal(dusk_tally_dropped(tally), 0);
        assert_int_equal(dusk_tally_counts(tally, count, deviation, NULL, DOMAIN, NULL), DUSK_OK);
        for (size_t v = 0; v < DOMAIN; v++) {
            const double off = count[v] - truth[v];
            squares += off * off / (PEOPLE * dusk_survey_variance(&survey, truth[v] / PEOPLE)) / DOMAIN;
            covered += (fabs(off) <= 1.959963985 * deviation[v]) / (double)DOMAIN;
        }
        note(&error, squares);
        note(&cover, covered);
        dusk_tally_free(tally);
    }
    check_mean(&error, 1, 1, "error by theory is", r->mechanism, r->epsilon);
    check_mean(&cover, 0.94, 0.96, "intervals cover", r->mechanism,
               r->epsilon); /* counts are whole, and few: not quite normal */
    free(reports);
}

static void errors_and_intervals(void **state)
{
    dusk_generator *gen = chosen_coins();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) run(&rows[i], gen);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_and_intervals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
