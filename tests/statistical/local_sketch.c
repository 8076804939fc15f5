/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches and filters at work: many small surveys with seeded coins, each with hash functions of its own. The mean squared error is what dusk_survey_variance says and what values that share places add, and
 * intervals cover as often as those of a normal law, or more often where the deviation is a bound. Right code fails with probability below 1e-6 a row. DUSK_SEED chooses other coins. */
#include "local_errors.h"

enum { VALUES = 30, PEOPLE = 1200, SURVEYS = 150 };

typedef struct row {
    dusk_randomiser mechanism;
    double epsilon;
    uint32_t width, rows;
} row;

static const row rows[] = {
    { DUSK_CMS, 1, 64, 16 },   { DUSK_CMS, 4, 128, 64 },    { DUSK_HCMS, 1, 64, 16 },
    { DUSK_HCMS, 4, 128, 64 }, { DUSK_RAPPOR, 3, 128, 64 },
};

/* What others who share places of a value add to the variance of its count, beside what each of them adds by himself: pairs of people of one value and one row, who are put to the same place. A row is taken
 * by lot, so that 1 / rows of pairs are in one. */
static double shared(const dusk_client_task *task, const double truth[VALUES], size_t v)
{
    const double m = task->width, hashes = task->hashes;
    const double c = -expm1(hashes * log1p(-1 / m));
    const double a_pair =
        task->mechanism == DUSK_RAPPOR ? c * (1 - c) / hashes / (1 - c) / (1 - c) : 1 / (m - 1);
    double pairs = 0;
    for (size_t u = 0; u < VALUES; u++)
        if (u != v) pairs += truth[u] * (truth[u] - 1) / task->rows;
    return pairs * a_pair;
}

static void run(const row *r, dusk_generator *gen)
{
    uint64_t value[PEOPLE];
    double truth[VALUES], count[VALUES], deviation[VALUES];
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    moments error = { 0 }, cover = { 0 };
    deal_zipf(value, PEOPLE, truth, VALUES);
    for (size_t s = 0; s < SURVEYS; s++) {
        dusk_survey_options o;
        dusk_survey survey;
        double squares = 0, covered = 0;
        dusk_survey_options_init(&o);
        o.mechanism = r->mechanism;
        o.epsilon = r->epsilon;
        o.width = r->width;
        o.rows = r->rows;
        o.seed = s + 1;
        assert_int_equal(dusk_survey_init(&survey, &o, NULL), DUSK_OK);
        const size_t size = dusk_report_size(&survey.task);
        uint8_t *reports = malloc(PEOPLE * size);
        assert_non_null(reports);
        for (size_t i = 0; i < PEOPLE; i++)
            assert_int_equal(dusk_client_report(&survey.task, reports + i * size, value[i], &entropy), 0);
        dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
        assert_int_equal(dusk_tally_dropped(tally), 0);
        assert_int_equal(dusk_tally_counts(tally, count, deviation, NULL, VALUES, NULL), DUSK_OK);
        for (size_t v = 0; v < VALUES; v++) {
            const double off = count[v] - truth[v];
            const double right =
                PEOPLE * dusk_survey_variance(&survey, truth[v] / PEOPLE) + shared(&survey.task, truth, v);
            squares += off * off / right / VALUES;
            covered += (fabs(off) <= 1.959963985 * deviation[v]) / (double)VALUES;
        }
        note(&error, squares);
        note(&cover, covered);
        dusk_tally_free(tally);
        free(reports);
    }
    /* of rappor the bits of a value may be the same one, which the formula leaves out, and intervals are wider than they need be */
    const bool filter = r->mechanism == DUSK_RAPPOR;
    check_mean(&error, filter ? 0.95 : 0.99, filter ? 1.05 : 1.01, "error by theory is", r->mechanism,
               r->epsilon);
    check_mean(&cover, 0.94, filter ? 1 : 0.96, "intervals cover", r->mechanism, r->epsilon);
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
