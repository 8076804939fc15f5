/* SPDX-License-Identifier: Apache-2.0 */
/* Places with coins of a generator, 4 to 64 at once: how far reports are, on average, and how often they are where they should be. alpha 1e-6 in all. */
#include <math.h>
#include <stdlib.h>

#include "dusk/local_estimates.h"
#include "dusk/local_places.h"
#include "local/planar.h"
#include "local_errors.h"

static dusk_survey grid_of(uint32_t columns, uint32_t rows, double epsilon)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_PLANAR;
    options.epsilon = epsilon;
    options.width = columns;
    options.rows = rows;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    return survey;
}

/* The histogram of reports from one cell against the law, by chi-squared, and the mean squared distance. */
static void reports(void **state)
{
    static const struct {
        uint32_t columns, rows, cell;
        double epsilon;
        size_t n;
    } row[] = { { 9, 9, 40, 2.5, 60000 },
                { 12, 7, 3, 0.7, 60000 },
                { 15, 11, 80, 0.17, 60000 },
                { 25, 20, 0, 0.06, 30000 },
                { 30, 30, 465, 0.012, 8000 } };
    dusk_generator *gen = chosen_coins();
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const dusk_survey survey = grid_of(row[i].columns, row[i].rows, row[i].epsilon);
        const size_t cells = survey.task.domain, size = dusk_report_size(&survey.task);
        double *unit = calloc(cells, sizeof *unit), *law = calloc(cells, sizeof *law), sum = 0, square = 0,
               rest[2] = { 0 };
        uint64_t *count = calloc(cells, sizeof *count);
        local_planar_law table;
        assert_true(unit && law && count);
        for (size_t k = 0; k < row[i].n; k++) {
            uint8_t report[4];
            assert_int_equal(dusk_client_report(&survey.task, report, row[i].cell, &entropy), 0);
            const uint64_t at = client_get(report, (uint32_t)size);
            const double x = (double)(at % row[i].columns) - row[i].cell % row[i].columns;
            const double y = (double)(at / row[i].columns) - row[i].cell / row[i].columns;
            count[at]++;
            sum += x * x + y * y;
            square += (x * x + y * y) * (x * x + y * y);
        }
        const double n = (double)row[i].n, mean = sum / n, deviation = sqrt((square / n - mean * mean) / n);
        const double want = dusk_survey_variance(&survey, (row[i].cell + 0.5) / (double)cells);
        if (!(fabs(mean - want) < 5.5 * deviation)) fail_msg("at %g: %g, not %g", row[i].epsilon, mean, want);
        assert_int_equal(local_planar_law_new(&table, &survey.task, NULL), DUSK_OK);
        unit[row[i].cell] = 1;
        local_planar_chances(&table, law, unit);
        double chi = 0, degrees = -1;
        for (size_t c = 0; c < cells; c++) {
            if (n * law[c] < 10) { /* the rare ones together */
                rest[0] += (double)count[c];
                rest[1] += n * law[c];
                continue;
            }
            chi += pow((double)count[c] - n * law[c], 2) / (n * law[c]);
            degrees++;
        }
        if (rest[1] >= 10) {
            chi += pow(rest[0] - rest[1], 2) / rest[1];
            degrees++;
        }
        if (!(chi < degrees + 6 * sqrt(2 * degrees) + 30))
            fail_msg("at %g: chi-squared %g of %g", row[i].epsilon, chi, degrees);
        local_planar_law_free(&table);
        free(unit);
        free(law);
        free(count);
    }
    dusk_generator_free(gen);
}

/* Shares of many people are near the truth: nearer than reports are as they come. */
static void shares(void **state)
{
    enum { PEOPLE = 60000, CELLS = 12 * 10 };
    const dusk_survey survey = grid_of(12, 10, 0.8);
    dusk_generator *gen = chosen_coins();
    dusk_generator_entropy context;
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    double got[CELLS], truth[CELLS] = { 0 }, raw[CELLS] = { 0 }, apart = 0, plain = 0;
    dusk_tally *tally = NULL;
    (void)state;
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    for (uint64_t i = 0; i < PEOPLE; i++) {
        const uint64_t cell = i % 2 ? 27 : i % 3 ? 77 : i % CELLS;
        uint8_t report[4];
        assert_int_equal(dusk_client_report(&survey.task, report, cell, &entropy), 0);
        truth[cell] += 1.0 / PEOPLE;
        raw[report[0]] += 1.0 / PEOPLE;
        dusk_tally_add(tally, report, 1);
    }
    assert_int_equal(dusk_tally_shares(tally, got, CELLS, NULL), DUSK_OK);
    for (size_t c = 0; c < CELLS; c++) {
        apart += fabs(got[c] - truth[c]);
        plain += fabs(raw[c] - truth[c]);
    }
    if (!(apart < 0.25 * plain)) fail_msg("shares are %g apart, reports %g", apart, plain);
    dusk_tally_free(tally);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reports), cmocka_unit_test(shares) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
