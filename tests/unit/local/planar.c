/* SPDX-License-Identifier: Apache-2.0 */
/* Places: cells and steps against plain counting, tables of the law against sums over points, shares that come back. */
#include <string.h>

#include "dusk/local_estimates.h"
#include "dusk/local_places.h"
#include "dusk/local_shuffle.h"
#include "failing_memory.h"
#include "local/planar.h"
#include "local_survey.h"
#include "seeded.h"

static dusk_survey_options options_of(uint32_t columns, uint32_t rows, double epsilon)
{
    dusk_survey_options options;
    dusk_survey_options_init(&options);
    options.mechanism = DUSK_PLANAR;
    options.epsilon = epsilon;
    options.width = columns;
    options.rows = rows;
    return options;
}

static dusk_survey grid_of(uint32_t columns, uint32_t rows, double epsilon)
{
    const dusk_survey_options options = options_of(columns, rows, epsilon);
    dusk_survey survey;
    dusk_error err;
    if (dusk_survey_init(&survey, &options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return survey;
}

/* --- surveys ------------------------------------------------------------------------------------------------------------ */

static void shapes(void **state)
{
    static const struct {
        uint32_t columns, rows, bytes;
    } want[] = { { 2, 2, 1 },     { 16, 16, 1 },   { 257, 2, 2 },
                 { 256, 256, 2 }, { 300, 300, 3 }, { 2048, 2048, 3 } };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const dusk_survey survey = grid_of(want[i].columns, want[i].rows, 0.5);
        assert_int_equal(survey.task.domain, want[i].columns * want[i].rows);
        assert_int_equal(dusk_survey_counters(&survey), survey.task.domain);
        assert_int_equal(dusk_report_size(&survey.task), want[i].bytes);
    }
    const dusk_survey usual = grid_of(0, 0, 1);
    assert_int_equal(usual.task.domain, 1024);
    assert_true(usual.cell == 1 && dusk_survey_steps(&usual) == 1);
    survey_adds_up(&usual, 1003, 1024);
    survey_without_entropy(&usual, 5);
    survey_hostile_tasks(DUSK_PLANAR, 3000);
    const dusk_survey odd = grid_of(7, 5, 1);
    assert_true(survey_takes_garbage(&odd, 1001, 1) > 500);
}

static void refusals(void **state)
{
    dusk_survey survey;
    dusk_error err;
    (void)state;
    const struct {
        uint32_t columns, rows;
        double epsilon, cell, left, within;
    } bad[] = { { 1, 5, 1, 0, 0, 0 },        { 5, 1, 1, 0, 0, 0 },   { 4096, 4096, 1, 0, 0, 0 },
                { 5, 5, 0.005, 0, 0, 0 },    { 5, 5, 1, -1, 0, 0 },  { 5, 5, 1, NAN, 0, 0 },
                { 5, 5, 1, INFINITY, 0, 0 }, { 5, 5, 1, 1, NAN, 0 }, { 5, 5, 1, 1, 0, -1 },
                { 5, 5, 1, 1, 0, NAN },      { 5, 5, 1, 1, 0, 2e6 }, { 5, 5, 1, 1e-300, 0, 1e10 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dusk_survey_options options = options_of(bad[i].columns, bad[i].rows, bad[i].epsilon);
        options.cell = bad[i].cell;
        options.left = bad[i].left;
        options.within = bad[i].within;
        assert_int_equal(dusk_survey_init(&survey, &options, &err), DUSK_ERR_ARGUMENT);
        assert_true(err.hint[0]);
    }
    dusk_client_task task = { .mechanism = DUSK_PLANAR, .width = 4, .rows = 4, .domain = 16, .p = 1 };
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_OK);
    task.p = 0 - ((uint64_t)1 << 57);
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_OK);
    task.p++; /* lengths would grow beyond what they are counted in */
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
    task.p = 0;
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
    task.p = 1;
    task.domain = 15;
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
    task.rows = task.domain = 0;
    assert_int_equal(dusk_client_check(&task), DUSK_CLIENT_BAD_TASK);
}

/* The grid is part of the task: a text with another one is refused, and so is a grid of a survey that has none. */
static void texts(void **state)
{
    dusk_survey_options options = options_of(50, 40, 0.2);
    dusk_survey survey, again;
    char text[2048], *at;
    (void)state;
    options.cell = 100;
    options.left = -1234.5;
    options.bottom = 1e6;
    options.within = 500;
    assert_int_equal(dusk_survey_init(&survey, &options, NULL), DUSK_OK);
    assert_int_equal(dusk_survey_format(&survey, text, sizeof text, NULL), DUSK_OK);
    assert_int_equal(dusk_survey_parse(&again, text, strlen(text), NULL), DUSK_OK);
    assert_memory_equal(&again.task, &survey.task, sizeof survey.task);
    assert_true(again.cell == 100 && again.left == -1234.5 && again.bottom == 1e6 && again.within == 500);
    at = strstr(text, "\"within\":500");
    assert_non_null(at);
    at[9] = '9'; /* 900 */
    assert_int_equal(dusk_survey_parse(&again, text, strlen(text), NULL), DUSK_ERR_CORRUPT);
    memcpy(at, "\"withon\"", 8);
    assert_int_equal(dusk_survey_parse(&again, text, strlen(text), NULL), DUSK_ERR_PARSE);
}

/* --- cells and steps ------------------------------------------------------------------------------------------------------ */

static void places(void **state)
{
    dusk_survey survey = grid_of(5, 4, 1);
    double x, y;
    (void)state;
    survey.cell = 0.1;
    survey.left = 0.3;
    survey.bottom = -1;
    assert_int_equal(dusk_place_cell(&survey, 0.3, -1), 0);
    assert_int_equal(dusk_place_cell(&survey, -1e300, -1e300), 0);
    assert_int_equal(dusk_place_cell(&survey, 1e300, INFINITY), 19);
    assert_int_equal(dusk_place_cell(&survey, 0.55, -0.75), 2 + 5 * 2);
    assert_int_equal(dusk_place_cell(&survey, NAN, -0.75), 2 + 5 * 2);
    assert_int_equal(dusk_place_cell(&survey, 0.55, NAN), 2 + 5 * 2);
    for (uint64_t cell = 0; cell < 20; cell++) {
        dusk_cell_place(&survey, cell, &x, &y);
        assert_int_equal(dusk_place_cell(&survey, x, y), cell);
    }
    const dusk_client_task *task = &survey.task;
    for (int64_t i = -25; i < 90; i++)
        for (int64_t j = -25; j < 70; j += 5) {
            const uint32_t column = i < 0 ? 0 : i < 50 ? (uint32_t)i / 10 : 4;
            const uint32_t row = j < 0 ? 0 : j < 40 ? (uint32_t)j / 10 : 3;
            assert_int_equal(dusk_client_cell(task, i, j, 10), column + 5 * row);
        }
    assert_int_equal(dusk_client_cell(task, INT64_MAX, INT64_MIN, 1), 4);
}

/* Where a double is not where it seems: against exact fractions, in long double of 64 bits where they suffice. */
static void exact_places(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (size_t trial = 0; trial < 200000; trial++) {
        dusk_survey survey = { .task = { .mechanism = DUSK_PLANAR, .width = 1000, .rows = 2 } };
        const uint64_t r = splitmix64(&seed);
        survey.cell = 0.1 * (double)(1 + r % 7);
        survey.left = (double)(int64_t)(r >> 8 & 255) * 0.1 - 12;
        double x = survey.left + survey.cell * (double)(r >> 16 & 511); /* about an edge */
        x = r >> 30 & 1 ? nextafter(x, -1e9) : r >> 31 & 1 ? nextafter(x, 1e9) : x;
        if (fabs(x) < 1e-3) continue; /* its difference has more digits */
        const long double d = (long double)x - (long double)survey.left;
        uint64_t column = 0;
        while (d >= (long double)survey.cell * (long double)(column + 1) && column < 999) column++;
        if (dusk_place_cell(&survey, x, 0) != column)
            fail_msg("%.17g from %.17g by %.17g: %d, not %d", x, survey.left, survey.cell,
                     (int)dusk_place_cell(&survey, x, 0), (int)column);
    }
}

/* Two places at most `within` apart, tried on a lattice much finer than cells: no more steps than are said, and somewhere as many. */
static void steps(void **state)
{
    static const struct {
        double within;
        uint32_t steps;
    } row[] = { { 0, 1 },   { 0.01, 2 }, { 0.5, 2 }, { 1, 2 }, { 1.01, 3 },
                { 1.5, 3 }, { 2, 3 },    { 2.5, 4 }, { 5, 6 }, { 5.01, 7 } };
    enum { FINE = 20 };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        dusk_survey survey = grid_of(64, 64, 1);
        survey.cell = 100;
        survey.within = 100 * row[i].within;
        assert_int_equal(dusk_survey_steps(&survey), row[i].steps);
        if (row[i].within < 0.1) continue;
        const int most = (int)(row[i].within * FINE);
        int64_t found = 0;
        for (int start = 0; start < FINE; start++) /* from (FINE - 1, start) upwards and to the right */
            for (int x = 0; x <= most; x++)
                for (int y = 0; x * x + y * y <= row[i].within * row[i].within * FINE * FINE; y++) {
                    const int64_t a = (FINE - 1 + x) / FINE, b = (start + y) / FINE;
                    int64_t k = 0;
                    while (k * k < a * a + b * b) k++;
                    found = k > found ? k : found;
                }
        assert_true(found <= row[i].steps && found >= row[i].steps - 1);
    }
}

static void promises(void **state)
{
    dusk_survey survey = grid_of(64, 64, 0.1), grr = survey_of(DUSK_GRR, 5, 1);
    dusk_event event;
    dusk_statement statement;
    dusk_error err;
    char text[256];
    (void)state;
    survey.cell = 100;
    survey.within = 500;
    assert_int_equal(dusk_survey_event(&event, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_non_null(strstr(text, "metric(0.1"));
    assert_non_null(strstr(text, ", 6)"));
    assert_int_equal(dusk_survey_cost(&survey), 600001); /* epsilon is rounded up */
    assert_int_equal(dusk_survey_event(&event, &grr, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_int_equal(strncmp(text, "pure(", 5), 0);
    assert_int_equal(dusk_survey_steps(&grr), 1);
    assert_int_equal(dusk_shuffled_statement(&statement, &survey, 1000, 0, 1e-6, &err), DUSK_ERR_UNSUPPORTED);
}

/* --- the law of estimates ------------------------------------------------------------------------------------------------------ */

/* The chance of each report of somebody in a cell, point by point. */
static void law_of_cell(const dusk_client_task *task, uint64_t cell, double *out)
{
    const double alpha = local_chance(task->p);
    const int reach = (int)(45 / -log(alpha)) + 1, columns = (int)task->width, rows = (int)task->rows;
    double all = 0;
    memset(out, 0, task->domain * sizeof *out);
    for (int x = -reach; x <= reach; x++)
        for (int y = -reach; y <= reach; y++) {
            const double chance = pow(alpha, ceil(sqrt((double)(x * x + y * y))));
            const int c = (int)cell % columns + x, r = (int)cell / columns + y;
            all += chance;
            out[(r < 0      ? 0
                 : r < rows ? r
                            : rows - 1) *
                    columns +
                (c < 0         ? 0
                 : c < columns ? c
                               : columns - 1)] += chance;
        }
    for (size_t i = 0; i < task->domain; i++) out[i] /= all;
}

static void tables(void **state)
{
    static const struct {
        uint32_t columns, rows;
        double epsilon;
    } row[] = { { 2, 2, 1 }, { 2, 7, 0.4 }, { 9, 2, 2 }, { 6, 5, 0.3 }, { 8, 8, 9 }, { 13, 3, 0.7 } };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const dusk_survey survey = grid_of(row[i].columns, row[i].rows, row[i].epsilon);
        const size_t n = survey.task.domain;
        double *want = calloc(n, sizeof *want), *got = calloc(n, sizeof *got),
               *back = calloc(n, sizeof *back);
        double *unit = calloc(n, sizeof *unit), *squares = calloc(n, sizeof *squares);
        local_planar_law law;
        assert_true(want && got && back && unit && squares);
        assert_int_equal(local_planar_law_new(&law, &survey.task, NULL), DUSK_OK);
        assert_int_equal(dusk_survey_distances(&survey, squares, NULL), DUSK_OK);
        for (size_t cell = 0; cell < n; cell++) {
            double square = 0;
            law_of_cell(&survey.task, cell, want);
            unit[cell] = 1;
            local_planar_chances(&law, got, unit);
            unit[cell] = 0;
            for (size_t y = 0; y < n; y++) {
                const double right = (double)(y % row[i].columns) - (double)(cell % row[i].columns);
                const double up = (double)(y / row[i].columns) - (double)(cell / row[i].columns);
                square += want[y] * (right * right + up * up);
                if (!(fabs(got[y] - want[y]) < 1e-12))
                    fail_msg("%d: %d of %d: %g, not %g", (int)i, (int)y, (int)cell, got[y], want[y]);
                unit[y] = 1; /* the other way round */
                local_planar_explain(&law, back, unit);
                unit[y] = 0;
                assert_true(fabs(back[cell] - want[y]) < 1e-12);
            }
            assert_true(fabs(squares[cell] - square) < 1e-9);
            assert_true(fabs(dusk_survey_variance(&survey, ((double)cell + 0.5) / (double)n) - square) <
                        1e-9);
        }
        local_planar_law_free(&law);
        free(want);
        free(got);
        free(back);
        free(unit);
        free(squares);
    }
}

/* From reports that are exactly as expected, the shares come back; fewer bins there are not, and no counts or mean. */
static void shares(void **state)
{
    const dusk_survey survey = grid_of(6, 5, 1.5);
    double truth[30] = { 0 }, law[30], expected[30] = { 0 }, got[30], sum = 0, apart = 0;
    dusk_tally *tally = NULL;
    (void)state;
    truth[0] = 0.3;
    truth[8] = 0.1;
    truth[14] = 0.35;
    truth[29] = 0.25;
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    assert_int_equal(dusk_tally_shares(tally, got, 30, NULL), DUSK_OK); /* nobody: anywhere */
    assert_true(fabs(got[7] - 1.0 / 30) < 1e-12);
    for (size_t v = 0; v < 30; v++) {
        law_of_cell(&survey.task, v, law);
        for (size_t y = 0; y < 30; y++) expected[y] += truth[v] * law[y];
    }
    for (size_t y = 0; y < 30; y++) {
        tally->cell[y] = llrint(1e9 * expected[y]);
        tally->reports += (uint64_t)tally->cell[y];
    }
    assert_int_equal(dusk_tally_shares(tally, got, 30, NULL), DUSK_OK);
    for (size_t v = 0; v < 30; v++) {
        sum += got[v];
        apart += fabs(got[v] - truth[v]);
        assert_true(got[v] >= 0);
    }
    assert_true(fabs(sum - 1) < 1e-9);
    if (!(apart < 0.02)) fail_msg("shares are %g apart", apart);
    dusk_error err;
    assert_int_equal(dusk_tally_shares(tally, got, 29, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_tally_counts(tally, got, NULL, NULL, 30, &err), DUSK_ERR_UNSUPPORTED);
    assert_string_equal(err.hint, "ask for shares");
    assert_int_equal(dusk_tally_mean(tally, got, NULL, &err), DUSK_ERR_UNSUPPORTED);
    assert_string_equal(err.hint, "ask for shares");
    dusk_tally_free(tally);
}

/* A device with a memory gives one answer for a cell, and another for another. */
static void remembered(void **state)
{
    const dusk_survey survey = grid_of(20, 20, 0.5);
    size_t same = 0;
    (void)state;
    for (uint64_t d = 0; d < 50; d++) {
        dusk_memory memory = { { (uint8_t)d, 1 } };
        uint8_t a[2], b[2], c[2];
        assert_int_equal(dusk_client_remembered(&survey.task, &memory, a, 210, NULL), DUSK_CLIENT_OK);
        assert_int_equal(dusk_client_remembered(&survey.task, &memory, b, 210, NULL), DUSK_CLIENT_OK);
        assert_int_equal(dusk_client_remembered(&survey.task, &memory, c, 211, NULL), DUSK_CLIENT_OK);
        assert_memory_equal(a, b, 2);
        same += memcmp(a, c, 2) == 0;
    }
    assert_true(same < 10);
}

/* Coins that are always heads, or ways that lead nowhere, end. */
static int all_zero(void *context, uint8_t *bytes, size_t n)
{
    (void)context;
    memset(bytes, 0, n);
    return 0;
}

static int all_ones(void *context, uint8_t *bytes, size_t n)
{
    (void)context;
    memset(bytes, 255, n);
    return 0;
}

static void unfair(void **state)
{
    const dusk_survey survey = grid_of(20, 20, 0.5);
    dusk_entropy heads = { all_zero, NULL }, tails = { all_ones, NULL };
    uint8_t report[2] = { 7, 7 };
    (void)state;
    assert_int_equal(dusk_client_report(&survey.task, report, 210, &heads), DUSK_CLIENT_NO_ENTROPY);
    assert_true(report[0] == 0 && report[1] == 0);
    assert_int_equal(dusk_client_report(&survey.task, report, 210, &tails), DUSK_CLIENT_NO_ENTROPY);
    assert_true(report[0] == 0 && report[1] == 0);
}

/* Whichever allocation fails, it is said, and nothing is left over. */
static void without_memory(void **state)
{
    const dusk_survey survey = grid_of(6, 5, 1.5);
    double shares_of[30], squares[30];
    dusk_tally *tally = NULL;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_tally_new(&tally, &survey, NULL), DUSK_OK);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_tally_shares(tally, shares_of, 30, &err), &err, n, 100)) break;
    }
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_survey_distances(&survey, squares, &err), &err, n, 100)) break;
    }
    dusk_memory_fail_at(1);
    assert_true(isnan(dusk_survey_variance(&survey, 0.5)));
    dusk_memory_fail_at(0);
    dusk_tally_free(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),     cmocka_unit_test(refusals),     cmocka_unit_test(texts),
        cmocka_unit_test(places),     cmocka_unit_test(exact_places), cmocka_unit_test(steps),
        cmocka_unit_test(promises),   cmocka_unit_test(tables),       cmocka_unit_test(shares),
        cmocka_unit_test(remembered), cmocka_unit_test(unfair),       cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
