/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges at work: many small surveys with seeded coins. The squared error of ranges is what dusk_survey_range_variance says, intervals of two deviations cover as often as those of a normal law, or more often where deviations are bounds,
 * and quantiles lie in their intervals. Fixed seeds; each row fails right code with probability below 1e-6. DUSK_SEED chooses other coins. */
#include "dusk/local_estimates.h"
#include "local_errors.h"

enum { DOMAIN = 60, PEOPLE = 2000, SURVEYS = 150, RANGES = 24 };

typedef struct row {
    dusk_randomiser mechanism;
    double epsilon;
} row;

static const row rows[] = { { DUSK_TREE, 1 }, { DUSK_TREE, 4 }, { DUSK_HADAMARD, 1 },
                            { DUSK_GRR, 3 },  { DUSK_OUE, 1 },  { DUSK_SS, 2 },
                            { DUSK_OLH, 1 },  { DUSK_PGR, 1 },  { DUSK_HR, 3 } };

/* Most people in the middle. */
static void deal(uint64_t value[PEOPLE])
{
    for (size_t i = 0; i < PEOPLE; i++) value[i] = (i % 40 + (i / 40) % 21) % DOMAIN;
}

static dusk_range nth_range(size_t i)
{
    const uint64_t a = i * 37 % DOMAIN, b = i * i * 13 % DOMAIN;
    return (dusk_range){ a < b ? a : b, a < b ? b : a };
}

typedef struct sight {
    moments error, cover, quantile;
} sight;

static void look(sight *s, const dusk_survey *survey, const dusk_tally *tally, const uint64_t *value)
{
    static const double q[] = { 0.25, 0.5, 0.9 };
    dusk_quantile got[3];
    dusk_range ranges[RANGES];
    double count[RANGES], deviation[RANGES], squares = 0, covered = 0, held = 0;
    for (size_t i = 0; i < RANGES; i++) ranges[i] = nth_range(i);
    assert_int_equal(dusk_tally_ranges(tally, count, deviation, ranges, RANGES, NULL), DUSK_OK);
    for (size_t i = 0; i < RANGES; i++) {
        double truth = 0;
        for (size_t p = 0; p < PEOPLE; p++) truth += ranges[i].from <= value[p] && value[p] <= ranges[i].to;
        const double off = count[i] - truth;
        squares +=
            off * off / (PEOPLE * dusk_survey_range_variance(survey, ranges[i], truth / PEOPLE)) / RANGES;
        covered += (fabs(off) <= 1.959963985 * deviation[i]) / (double)RANGES;
    }
    assert_int_equal(dusk_tally_quantiles(tally, got, q, 3, 0.95, NULL), DUSK_OK);
    for (size_t k = 0; k < 3; k++) {
        uint64_t truth = 0;
        for (double people = 0;; truth++) {
            for (size_t p = 0; p < PEOPLE; p++) people += value[p] == truth;
            if (people >= q[k] * PEOPLE) break;
        }
        held += (got[k].low <= truth && truth <= got[k].high) / 3.0;
    }
    note(&s->error, squares);
    note(&s->cover, covered);
    note(&s->quantile, held);
}

static void run(const row *r, dusk_generator *gen)
{
    uint64_t value[PEOPLE];
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    const dusk_survey survey = survey_of(r->mechanism, DOMAIN, r->epsilon);
    const size_t size = dusk_report_size(&survey.task);
    const bool known = dusk_survey_ranges_known(&survey);
    uint8_t *reports = malloc(PEOPLE * size);
    sight s = { .error = { 0 } };
    assert_non_null(reports);
    deal(value);
    for (size_t n = 0; n < SURVEYS; n++) {
        for (size_t i = 0; i < PEOPLE; i++)
            assert_int_equal(dusk_client_report(&survey.task, reports + i * size, value[i], &entropy), 0);
        dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
        look(&s, &survey, tally, value);
        dusk_tally_free(tally);
    }
    if (known) check_mean(&s.error, 1, 1, "error by theory is", r->mechanism, r->epsilon);
    check_mean(&s.cover, 0.94, known ? 0.96 : 1, "intervals cover", r->mechanism, r->epsilon);
    check_mean(&s.quantile, 0.94, 1, "intervals of quantiles cover", r->mechanism, r->epsilon);
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
