/* SPDX-License-Identifier: Apache-2.0 */
#include "local_survey.h"

static void shapes(void **state)
{
    static const struct {
        uint64_t domain;
        double epsilon;
        uint32_t width, rows, bytes;
    } want[] = { { 2, 0.1, 2, 37, 2 },         { 1024, 1, 4, 1031, 3 },       { 16381, 1, 4, 16381, 4 },
                 { 20000, 2, 8, 20011, 4 },    { 1 << 20, 1, 4, 1048583, 6 }, { 1 << 28, 1, 4, 268435459, 8 },
                 { 10, 40, 65536, 1048583, 8 } };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const dusk_survey survey = survey_of(DUSK_OLH, want[i].domain, want[i].epsilon);
        assert_int_equal(survey.task.width, want[i].width);
        assert_int_equal(survey.task.rows, want[i].rows);
        assert_int_equal(dusk_report_size(&survey.task), want[i].bytes);
        assert_true(survey.epsilon <= want[i].epsilon && survey.epsilon > want[i].epsilon * (1 - 1e-4));
    }
}

static void refusals(void **state)
{
    static const struct {
        uint64_t domain;
        uint32_t width, rows;
    } bad[] = { { 0, 0, 0 },   { ((uint64_t)1 << 28) + 1, 0, 0 },
                { 10, 1, 0 },  { 10, 65537, 0 },
                { 10, 4, 15 }, { 10, 4, 7 },
                { 10, 12, 11 } };
    dusk_survey survey;
    dusk_survey_options options;
    (void)state;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_OLH;
    options.epsilon = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.domain = bad[i].domain;
        options.width = bad[i].width;
        options.rows = bad[i].rows;
        assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    }
}

/* The hash of a device, beside the formula with divisions. */
static void hashes(void **state)
{
    static const uint64_t domain[] = { 2, 100, 1024, 1 << 20, 1 << 28 };
    uint64_t seed = 4;
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++)
        for (double epsilon = 0.5; epsilon < 6; epsilon += 1) {
            const dusk_survey survey = survey_of(DUSK_OLH, domain[i], epsilon);
            const uint64_t prime = survey.task.rows;
            for (unsigned k = 0; k < 500; k++) {
                const uint64_t v = k < 2 ? k * (domain[i] - 1) : splitmix64(&seed) % domain[i];
                const uint64_t a = k % 7 ? splitmix64(&seed) % prime : prime - 1,
                               b = splitmix64(&seed) % prime;
                assert_int_equal(client_hash_value(&survey.task, (uint32_t)a, (uint32_t)b, (uint32_t)v),
                                 (a * v + b) % prime * survey.task.width / prime);
            }
        }
}

/* All categories of all reports, decoded one by one by the device's hash: what the lanes must give, narrow and wide, over several chunks. */
static void lanes_are_hashes(void **state)
{
    static const uint64_t domain[] = { 2, 31, 33, 1000, 1024, 1025, 16381, 20000 };
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
        const size_t n = i < 6 ? 21 : 7;
        const dusk_survey survey = survey_of(DUSK_OLH, domain[i], 1.7);
        const uint32_t bytes = dusk_report_size(&survey.task), g = survey.task.width,
                       prime = survey.task.rows;
        uint8_t *reports = survey_reports(&survey, n, domain[i], 9);
        dusk_tally *tally = survey_tally(&survey, reports, n);
        for (uint32_t v = 0; v < domain[i]; v++) {
            int64_t supports = 0;
            for (size_t r = 0; r < n; r++) {
                const uint64_t x = client_get(reports + r * bytes, bytes);
                supports += client_hash_value(&survey.task, (uint32_t)(x / g / prime),
                                              (uint32_t)(x / g % prime), v) == x % g;
            }
            assert_int_equal(tally->cell[v], supports);
        }
        dusk_tally_free(tally);
        free(reports);
    }
}

static void adds_up(void **state)
{
    static const uint64_t domain[] = { 2, 100, 1500 };
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
        const dusk_survey survey = survey_of(DUSK_OLH, domain[i], 2);
        for (size_t n = 0; n < 6; n++) survey_adds_up(&survey, n, domain[i]);
        survey_adds_up(&survey, 1100, domain[i]);
        survey_without_entropy(&survey, 1);
        survey_without_entropy(&survey, domain[i] + 5);
    }
}

static void garbage(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_OLH, 5, 1), large = survey_of(DUSK_OLH, 20000, 1);
    assert_true(survey_takes_garbage(&small, 1001, 1) > 100);
    assert_true(survey_takes_garbage(&large, 100, 1) > 10);
}

static void hostile_tasks(void **state)
{
    (void)state;
    survey_hostile_tasks(DUSK_OLH, 30000);
}

static void estimates(void **state)
{
    (void)state;
    const dusk_survey small = survey_of(DUSK_OLH, 2, 1), more = survey_of(DUSK_OLH, 150, 2);
    survey_estimates(&small, 4000, 2);
    survey_estimates(&more, 4000, 11);
}

/* 4 e^epsilon / (e^epsilon - 1)^2, nearly: the width is a whole number. */
static void variance(void **state)
{
    (void)state;
    const dusk_survey survey = survey_of(DUSK_OLH, 1024, 1);
    assert_true(fabs(dusk_survey_variance(&survey, 0) / (4 * M_E / ((M_E - 1) * (M_E - 1))) - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),    cmocka_unit_test(refusals),         cmocka_unit_test(hashes),
        cmocka_unit_test(adds_up),   cmocka_unit_test(lanes_are_hashes), cmocka_unit_test(garbage),
        cmocka_unit_test(estimates), cmocka_unit_test(hostile_tasks),    cmocka_unit_test(variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
