/* SPDX-License-Identifier: Apache-2.0 */
#include "local/tree.h"
#include "dusk/local_estimates.h"
#include "local/counting.h"
#include "local_survey.h"

static dusk_survey tree_of(uint64_t domain, double epsilon, uint32_t fan)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_TREE;
    options.domain = domain;
    options.epsilon = epsilon;
    options.hashes = fan;
    if (dusk_survey_init(&survey, &options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return survey;
}

static void shapes(void **state)
{
    static const struct {
        uint64_t domain;
        uint32_t fan, rows, width, bytes;
        uint64_t cells;
    } want[] = { { 2, 2, 1, 2, 1, 2 },           { 16, 4, 2, 16, 1, 20 },
                 { 17, 4, 3, 32, 1, 42 },        { 1024, 4, 5, 1024, 2, 1364 },
                 { 1000, 16, 3, 1024, 2, 1092 }, { 3, 256, 1, 4, 1, 4 },
                 { 1025, 32, 3, 2048, 2, 2114 }, { 100000, 8, 6, 131072, 3, 149796 } };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const dusk_survey survey = tree_of(want[i].domain, 1, want[i].fan);
        assert_int_equal(survey.task.rows, want[i].rows);
        assert_int_equal(survey.task.width, want[i].width);
        assert_int_equal(dusk_report_size(&survey.task), want[i].bytes);
        assert_int_equal(dusk_survey_counters(&survey), want[i].cells);
        assert_true(survey.epsilon <= 1 && survey.epsilon > 1 - 1e-12);
    }
    const dusk_survey large = tree_of((uint64_t)1 << 24, 1, 0);
    assert_int_equal(large.task.hashes, 4);
    assert_int_equal(dusk_report_size(&large.task), 4);
}

static void refusals(void **state)
{
    static const uint32_t bad[] = { 1, 3, 6, 257, 512 };
    dusk_survey survey;
    dusk_survey_options options;
    (void)state;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_TREE;
    options.epsilon = 1;
    options.domain = 100;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.hashes = bad[i];
        assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    }
    options.hashes = 0;
    options.domain = ((uint64_t)1 << 24) + 1;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
    options.domain = 0;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_ERR_ARGUMENT);
}

/* Levels that are not those of the domain, and sizes that would not fit, are none of a task. */
static void hostile_tasks(void **state)
{
    const dusk_survey fine = tree_of(1000, 1, 4);
    dusk_client_task task = fine.task;
    (void)state;
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_OK);
    for (uint32_t rows = 0; rows < 40; rows++) {
        task = fine.task;
        task.rows = rows;
        assert_int_equal(dusk_client_check(&task), rows == 5 ? DUSK_CLIENT_OK : DUSK_CLIENT_BAD_TASK);
    }
    task = fine.task;
    task.hashes = 0;
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
    task = fine.task;
    task.width = 512;
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
    task.width = (uint32_t)1 << 27; /* 5 2^27 rows are too many */
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
    task.width = (uint32_t)1 << 24; /* wider than need be is allowed */
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_OK);
    survey_hostile_tasks(DUSK_TREE, 20000);
}

static void adds_up(void **state)
{
    static const uint64_t domain[] = { 2, 5, 100, 300, 70000 };
    (void)state;
    for (size_t i = 0; i < sizeof domain / sizeof *domain; i++) {
        const dusk_survey survey = tree_of(domain[i], 2, 0);
        for (size_t n = 0; n < 6; n++) survey_adds_up(&survey, n, domain[i]);
        survey_adds_up(&survey, 300, domain[i]);
        survey_without_entropy(&survey, 1);
        survey_without_entropy(&survey, domain[i] + 5);
    }
}

/* Reports of a byte: those below 2 rows width are taken, all others dropped. */
static void garbage(void **state)
{
    const dusk_survey survey = tree_of(17, 1, 4);
    (void)state;
    for (unsigned x = 0; x < 256; x++) {
        const uint8_t report = (uint8_t)x;
        dusk_tally *tally = survey_tally(&survey, &report, 1);
        assert_int_equal(dusk_tally_dropped(tally), x >= 2 * 3 * 32);
        dusk_tally_free(tally);
    }
    assert_true(survey_takes_garbage(&survey, 1000, 3) > 0);
}

/* Counters beside one report at a time, taken apart by division. */
static void as_written(void **state)
{
    enum { PEOPLE = 500 };
    (void)state;
    for (uint32_t fan = 2; fan <= 16; fan *= 2) {
        const dusk_survey survey = tree_of(300, 1, fan);
        const uint32_t size = dusk_report_size(&survey.task);
        tree_shape shape;
        uint8_t *reports = survey_reports(&survey, PEOPLE, 300, fan);
        dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
        int64_t *want = calloc(tally->cells, sizeof *want);
        local_tree_shape(&shape, &survey.task);
        assert_non_null(want);
        for (size_t i = 0; i < PEOPLE; i++) {
            const uint64_t x = client_get(reports + i * size, size), row = x / 2;
            const uint64_t level = row / survey.task.width;
            want[shape.offset[level] + row % shape.width[level]] += x % 2 ? -1 : 1;
        }
        assert_memory_equal(tally->cell, want, tally->cells * sizeof *want);
        free(want);
        free(reports);
        dusk_tally_free(tally);
    }
}

/* --- least squares ----------------------------------------------------------------------------------------------------------- */

enum { LEAVES = 13 };

static void solve(double a[LEAVES][LEAVES + 1], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++) {
            const double part = a[i][k] / a[k][k];
            for (size_t j = k; i != k && j <= n; j++) a[i][j] -= part * a[k][j];
        }
    }
    for (size_t k = 0; k < n; k++) a[k][n] /= a[k][k];
}

/* The counts that are nearest to what all nodes say, with the last one what the others leave of the total: by the normal equations. */
static void least_squares(double *out, const dusk_tally *tally, uint64_t total)
{
    const dusk_client_task *task = &tally->survey.task;
    const double worth = task->rows / (2 * local_chance(task->p) - 1);
    double a[LEAVES][LEAVES + 1] = { { 0 } };
    const size_t n = task->domain - 1;
    tree_shape s;
    local_tree_shape(&s, task);
    for (uint32_t l = 0; l < s.levels; l++) {
        int64_t sum[64];
        memcpy(sum, tally->cell + s.offset[l], s.width[l] * sizeof *sum);
        local_hadamard(sum, s.width[l]);
        for (uint64_t v = 0; v < s.nodes[l]; v++) {
            double row[LEAVES], right = worth * (double)sum[v];
            const bool last = v == n >> (s.bits * l);
            if (last) right -= (double)total;
            for (size_t i = 0; i < n; i++) row[i] = (double)(i >> (s.bits * l) == v) - (double)last;
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < n; j++) a[i][j] += row[i] * row[j];
                a[i][n] += row[i] * right;
            }
        }
    }
    solve(a, n);
    out[n] = (double)total;
    for (size_t i = 0; i < n; i++) out[n] -= out[i] = a[i][n];
}

static void best(void **state)
{
    enum { PEOPLE = 400 };
    (void)state;
    for (uint64_t domain = 2; domain <= LEAVES; domain++)
        for (uint32_t fan = 2; fan <= 8; fan *= 2) {
            const dusk_survey survey = tree_of(domain, 1, fan);
            uint8_t *reports = survey_reports(&survey, PEOPLE, domain, domain);
            dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
            double want[LEAVES], count[LEAVES];
            least_squares(want, tally, PEOPLE);
            assert_int_equal(dusk_tally_counts(tally, count, NULL, NULL, domain, NULL), DUSK_OK);
            for (uint64_t v = 0; v < domain; v++)
                if (!(fabs(count[v] - want[v]) < 1e-8))
                    fail_msg("%d of %d by %d: %.12g, not %.12g", (int)v, (int)domain, (int)fan, count[v],
                             want[v]);
            dusk_tally_free(tally);
            free(reports);
        }
}

/* What any report adds to any leaf, and to several, is within what is said of liars. */
static void within_reach(void **state)
{
    (void)state;
    for (uint64_t domain = 2; domain <= LEAVES; domain++)
        for (uint32_t fan = 2; fan <= 4; fan *= 2) {
            const dusk_survey survey = tree_of(domain, 1, fan);
            const local_protocol *protocol = local_protocol_of(DUSK_TREE);
            double least, most, pair_least, pair_most, count[LEAVES];
            protocol->reach(&survey.task, 1, &least, &most);
            protocol->reach(&survey.task, 2, &pair_least, &pair_most);
            for (unsigned x = 0; x < 2 * survey.task.rows * survey.task.width; x++) {
                const uint8_t report = (uint8_t)x;
                dusk_tally *tally = survey_tally(&survey, &report, 1);
                assert_int_equal(dusk_tally_counts(tally, count, NULL, NULL, domain, NULL), DUSK_OK);
                for (uint64_t v = 0; v < domain; v++) {
                    assert_true(least - 1e-9 <= count[v] && count[v] <= most + 1e-9);
                    const double both = count[v] + count[(v + 1) % domain];
                    assert_true(pair_least - 1e-9 <= both && both <= pair_most + 1e-9);
                }
                dusk_tally_free(tally);
            }
        }
}

/* --- ranges ------------------------------------------------------------------------------------------------------------------- */

static void ranges(void **state)
{
    enum { PEOPLE = 3000, DOMAIN = 100 };
    const dusk_survey survey = tree_of(DOMAIN, 2, 0);
    uint8_t *reports = survey_reports(&survey, PEOPLE, DOMAIN, 1);
    dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
    double count[DOMAIN], each[DOMAIN], sum = 0, deviation, whole;
    const dusk_range all = { 0, DOMAIN - 1 }, one = { 7, 7 };
    (void)state;
    assert_int_equal(dusk_tally_counts(tally, count, each, NULL, DOMAIN, NULL), DUSK_OK);
    for (size_t v = 0; v < DOMAIN; v++) sum += count[v];
    assert_true(fabs(sum - PEOPLE) < 1e-6);
    assert_int_equal(dusk_tally_ranges(tally, &whole, &deviation, &all, 1, NULL), DUSK_OK);
    assert_true(fabs(whole - PEOPLE) < 1e-6 && deviation < 1e-3); /* everybody, for sure */
    assert_int_equal(dusk_tally_ranges(tally, &whole, &deviation, &one, 1, NULL), DUSK_OK);
    assert_true(fabs(whole - count[7]) < 1e-6 && fabs(deviation - each[7]) < 1e-6);
    for (uint64_t v = 0; v < DOMAIN; v++) { /* a leaf's deviation is that of its range, wherever it is */
        const dusk_range here = { v, v };
        assert_int_equal(dusk_tally_ranges(tally, &whole, &deviation, &here, 1, NULL), DUSK_OK);
        assert_true(fabs(deviation - each[v]) < 1e-6);
    }
    const dusk_range bad[] = { { 3, 2 }, { 0, DOMAIN }, { DOMAIN, DOMAIN } };
    for (size_t i = 0; i < 3; i++) {
        whole = -7;
        assert_int_equal(dusk_tally_ranges(tally, &whole, NULL, &bad[i], 1, NULL), DUSK_ERR_ARGUMENT);
        assert_true(whole == -7 && isnan(dusk_survey_range_variance(&survey, bad[i], 0.5)));
    }
    dusk_tally_free(tally);
    free(reports);
}

/* A longer range costs a tree little, and a plain histogram its length. */
static void growth(void **state)
{
    const dusk_survey tree = tree_of(1024, 1, 0), flat = survey_of(DUSK_HADAMARD, 1024, 1);
    const dusk_range few = { 500, 500 }, half = { 100, 611 };
    (void)state;
    assert_true(dusk_survey_range_variance(&flat, half, 0.5) > 500 * 4.6);
    assert_true(dusk_survey_range_variance(&tree, half, 0.5) < 6 * dusk_survey_range_variance(&tree, few, 0));
    assert_true(dusk_survey_range_variance(&tree, half, 0.5) <
                dusk_survey_range_variance(&flat, half, 0.5) / 20);
}

/* Ranges of other histograms: sums, whose deviations are known or added up; and what has no ranges. */
static void others(void **state)
{
    static const dusk_randomiser all[] = { DUSK_GRR,      DUSK_SUE, DUSK_OUE, DUSK_OLH,     DUSK_SS,
                                           DUSK_HADAMARD, DUSK_HR,  DUSK_PGR, DUSK_DBITFLIP };
    (void)state;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++) {
        const dusk_survey survey = survey_of(all[m], 20, 2);
        uint8_t *reports = survey_reports(&survey, 2000, 20, 1);
        dusk_tally *tally = survey_tally(&survey, reports, 2000);
        const dusk_range r = { 3, 8 };
        double count[20], deviation[20], sum = 0, spread = 0, whole, error;
        assert_int_equal(dusk_tally_counts(tally, count, deviation, NULL, 20, NULL), DUSK_OK);
        for (uint64_t v = r.from; v <= r.to; v++) {
            sum += count[v];
            spread += deviation[v];
        }
        assert_int_equal(dusk_tally_ranges(tally, &whole, &error, &r, 1, NULL), DUSK_OK);
        assert_true(fabs(whole - sum) < 1e-6 && error > 0);
        assert_true(!dusk_survey_ranges_known(&survey) || error <= spread);
        if (isnan(dusk_survey_range_variance(&survey, r, 0.5))) assert_true(fabs(error / spread - 1) < 1e-9);
        dusk_tally_free(tally);
        free(reports);
    }
    dusk_tally *tally = NULL;
    const dusk_survey mean = survey_of(DUSK_DUCHI, 0, 1);
    assert_int_equal(dusk_tally_new(&tally, &mean, NULL), DUSK_OK);
    double count;
    assert_int_equal(dusk_tally_ranges(tally, &count, NULL, &(dusk_range){ 0, 1 }, 1, NULL),
                     DUSK_ERR_UNSUPPORTED);
    dusk_tally_free(tally);
}

/* --- quantiles ------------------------------------------------------------------------------------------------------------------ */

static void quantiles(void **state)
{
    enum { PEOPLE = 20000, DOMAIN = 64 };
    const dusk_survey survey = tree_of(DOMAIN, 6, 0);
    uint8_t *reports = survey_reports(&survey, PEOPLE, 50, 1); /* i i mod 50 */
    dusk_tally *tally = survey_tally(&survey, reports, PEOPLE);
    const double q[] = { 0, 0.1, 0.5, 0.9, 1 };
    dusk_quantile got[5];
    (void)state;
    assert_int_equal(dusk_tally_quantiles(tally, got, q, 5, 0.999999, NULL), DUSK_OK);
    for (size_t k = 0; k < 5; k++) {
        uint64_t truth = 0, people = 0;
        for (;; truth++) {
            for (uint64_t i = 0; i < 50; i++) people += i * i % 50 == truth ? PEOPLE / 50 : 0;
            if ((double)people >= q[k] * PEOPLE) break;
        }
        assert_true(got[k].low <= truth && truth <= got[k].high);
        assert_true(got[k].low <= got[k].value && got[k].value <= got[k].high);
        assert_true(k == 4 || got[k].high - got[k].low < 12);
    }
    const double bad[] = { -0.1, 1.1, NAN };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(dusk_tally_quantiles(tally, got, &bad[i], 1, 0.95, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_quantiles(tally, got, q, 1, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_quantiles(tally, got, q, 1, NAN, NULL), DUSK_ERR_ARGUMENT);
    dusk_tally_free(tally);
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK); /* of nobody */
    assert_int_equal(dusk_tally_quantiles(tally, got, q, 5, 0.95, NULL), DUSK_OK);
    assert_true(got[2].low <= got[2].value && got[2].value <= got[2].high);
    dusk_tally_free(tally);
    free(reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),       cmocka_unit_test(refusals), cmocka_unit_test(hostile_tasks),
        cmocka_unit_test(adds_up),      cmocka_unit_test(garbage),  cmocka_unit_test(as_written),
        cmocka_unit_test(within_reach), cmocka_unit_test(best),     cmocka_unit_test(ranges),
        cmocka_unit_test(growth),       cmocka_unit_test(others),   cmocka_unit_test(quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
