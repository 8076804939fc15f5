/* SPDX-License-Identifier: Apache-2.0 */
/* Marginals: which cell a row is in, noise for what one unit changes in all marginals
 * together (against every neighbour of every small table, A21), and agreement: against
 * least squares on the full table, and the conditions of the nearest non-negative one. */
#include <stdio.h>

#include "mechanisms/table.h"
#include "unit/mechanisms/aggregate_help.h"

enum { CELLS = 64 };

static const uint32_t sizes[3] = { 2, 3, 2 };
static const dusk_marginal pairs[3] = { { 2, { 0, 1 } }, { 2, { 1, 2 } }, { 2, { 0, 2 } } };

typedef struct released {
    double counts[CELLS], half_width;
    dusk_statement statement;
} released;

static dusk_table table_of(const uint32_t *codes, size_t rows)
{
    return (dusk_table){ .columns = 3, .sizes = sizes, .rows = rows, .codes = codes };
}

static released release(const dusk_aggregate *how, const dusk_marginal *marginals, size_t n,
                        const uint32_t *codes, size_t rows, uint64_t seed)
{
    dusk_table table = table_of(codes, rows);
    dusk_generator *gen = seeded(seed);
    released r = { .half_width = 0 };
    assert_int_equal(
        dusk_marginals_release(r.counts, &r.half_width, &r.statement, how, &table, marginals, n, gen, NULL),
        DUSK_OK);
    dusk_generator_free(gen);
    return r;
}

/* With the same coins, the difference to an empty table is the exact marginal. */
static void rows_are_in_their_cells(void **state)
{
    const uint32_t codes[] = { 0, 0, 0, 1, 2, 1, 1, 2, 0, 9, 9, 9 };
    const double expected[] = { 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 1, 2, 1, 0, 1, 2 };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 0.3);
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        released full = release(&how, pairs, 3, codes, 4, seed),
                 none = release(&how, pairs, 3, NULL, 0, seed);
        for (int i = 0; i < 16; i++) assert_true(full.counts[i] - none.counts[i] == expected[i]);
    }
}

/* The exact change of all cells from one table to another. */
static void change(double *l1, double *l2, size_t n, const uint32_t *a, size_t a_rows, const uint32_t *b,
                   size_t b_rows)
{
    uint64_t x[CELLS], y[CELLS];
    dusk_table ta = table_of(a, a_rows), tb = table_of(b, b_rows);
    double square = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t cells = dusk_marginal_cells(&ta, &pairs[i]);
        dusk_marginal_count(x, &ta, &pairs[i]);
        dusk_marginal_count(y, &tb, &pairs[i]);
        for (size_t c = 0; c < cells; c++) {
            double d = (double)x[c] - (double)y[c];
            sum += fabs(d);
            square += d * d;
        }
    }
    *l1 = fmax(*l1, sum);
    *l2 = fmax(*l2, sqrt(square));
}

static void row_of(uint32_t *row, unsigned which)
{
    row[0] = which % 2;
    row[1] = which / 2 % 3;
    row[2] = which / 6;
}

/* Every unit of `m` rows (or two such units) on top of every table of one row. */
static void largest_change(double *l1, double *l2, size_t n, unsigned m, bool replace)
{
    *l1 = *l2 = 0;
    for (unsigned base = 0; base < 12; base++)
        for (unsigned unit = 0; unit < 144; unit++)
            for (unsigned other = 0; other < (replace ? 144 : 1); other++) {
                uint32_t a[9], b[9];
                row_of(a, base);
                row_of(b, base);
                for (unsigned j = 0; j < m; j++) {
                    row_of(a + 3 + 3 * j, j ? unit / 12 : unit % 12);
                    row_of(b + 3 + 3 * j, j ? other / 12 : other % 12);
                }
                change(l1, l2, n, a, 1 + m, b, replace ? 1 + m : 1);
            }
}

static void a21_noise_is_for_what_a_unit_changes_in_all_marginals(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 3; n++)
        for (unsigned m = 1; m <= 2; m++)
            for (int replace = 0; replace < 2; replace++) {
                dusk_aggregate how = ask(replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NAN, NAN, 1);
                double l1, l2;
                char expected[64];
                dusk_event event;
                dusk_noise unit;
                largest_change(&l1, &l2, n, m, replace);
                how.rows_per_unit = m;
                snprintf(expected, sizeof expected,
                         l1 == 1 ? "discrete_laplace(%g)" : "discrete_laplace(%g, %g)", l1, l1);
                assert_string_equal(event_of(release(&how, pairs, n, NULL, 0, 1).statement), expected);
                how.delta = 1e-6; /* the scale is that of a unit vector times the largest l2 change */
                released r = release(&how, pairs, n, NULL, 0, 1);
                assert_int_equal(dusk_gaussian_init(&unit, 1, 1, 1, 1e-6, 0, NULL), DUSK_OK);
                assert_int_equal(dusk_noise_event(&unit, &event, NULL), DUSK_OK);
                assert_true(r.statement.epsilon <= 1 && r.statement.epsilon > 0.999999);
                unit.dimension = (uint32_t)(n == 1 ? 6 : n == 2 ? 12 : 16);
                unit.scale *= l2;
                unit.sensitivity = unit.grid_sensitivity = l2;
                double width;
                assert_int_equal(dusk_noise_interval(&unit, &width, 0.95, NULL), DUSK_OK);
                assert_true(fabs(r.half_width - floor(width)) <= 1);
            }
}

static void bad_requests_are_refused_before_the_data(void **state)
{
    const dusk_marginal bad[] = {
        { 0, { 0 } }, { 9, { 0, 1, 2 } }, { 1, { 3 } }, { 2, { 1, 1 } }, { 2, { 2, 0 } }
    };
    dusk_aggregate how = ask(DUSK_ADD_REMOVE, NAN, NAN, 1);
    dusk_table table = table_of((const uint32_t *)16, 9);
    dusk_generator *gen = seeded(1);
    dusk_error err;
    released r = { .half_width = 7 };
    uint32_t empty[3] = { 2, 0, 2 }, huge[3] = { 1u << 20, 1u << 20, 2 };
    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(dusk_marginals_release(r.counts, &r.half_width, &r.statement, &how, &table, &bad[i],
                                                1, gen, &err),
                         DUSK_ERR_ARGUMENT);
    assert_int_equal(
        dusk_marginals_release(r.counts, &r.half_width, &r.statement, &how, &table, pairs, 0, gen, &err),
        DUSK_ERR_ARGUMENT);
    table.sizes = empty;
    assert_int_equal(
        dusk_marginals_release(r.counts, &r.half_width, &r.statement, &how, &table, pairs, 1, gen, &err),
        DUSK_ERR_ARGUMENT);
    table.sizes = huge;
    assert_int_equal(
        dusk_marginals_release(r.counts, &r.half_width, &r.statement, &how, &table, pairs, 1, gen, &err),
        DUSK_ERR_ARGUMENT);
    table.sizes = sizes;
    how.neighbours = 0;
    assert_int_equal(
        dusk_marginals_release(r.counts, &r.half_width, &r.statement, &how, &table, pairs, 1, gen, &err),
        DUSK_ERR_ARGUMENT);
    assert_true(r.half_width == 7);
    dusk_generator_free(gen);
}

/* --- agreement -------------------------------------------------------------------- */

/* The cells of the marginals of a full table of 12 cells, added up. */
static void marginals_of(double *out, const double *full, const dusk_marginal *views, size_t n)
{
    dusk_table domain = table_of(NULL, 0);
    size_t at = 0;
    for (size_t v = 0; v < n; v++) {
        dusk_cell_walk walk = dusk_cell_walk_all(&domain, &views[v]);
        size_t cells = dusk_marginal_cells(&domain, &views[v]);
        for (size_t i = 0; i < cells; i++) out[at + i] = 0;
        for (int c = 0; c < 12; c++, dusk_cell_walk_next(&walk)) out[at + walk.at] += full[c];
        at += cells;
    }
}

/* Weighted least squares over all full tables, by many gradient steps. */
static void least_squares(double *out, const double *counts, const dusk_marginal *views, size_t n,
                          const double *weights, double total)
{
    dusk_table domain = table_of(NULL, 0);
    double full[12] = { 0 };
    for (int step = 0; step < 60000; step++) {
        double gradient[12] = { 0 }, sum = 0;
        size_t at = 0;
        marginals_of(out, full, views, n);
        for (size_t v = 0; v < n; v++) {
            dusk_cell_walk walk = dusk_cell_walk_all(&domain, &views[v]);
            for (int c = 0; c < 12; c++, dusk_cell_walk_next(&walk))
                gradient[c] += weights[v] * (counts[at + walk.at] - out[at + walk.at]);
            at += dusk_marginal_cells(&domain, &views[v]);
        }
        for (int c = 0; c < 12; c++) sum += full[c] += 0.02 * gradient[c];
        for (int c = 0; c < 12 && !isnan(total); c++) full[c] += (total - sum) / 12;
    }
    marginals_of(out, full, views, n);
}

static void agreement_is_least_squares(void **state)
{
    const dusk_marginal mixed[4] = { { 2, { 0, 1 } }, { 1, { 1 } }, { 2, { 1, 2 } }, { 1, { 0 } } };
    const double variances[2][4] = { { 1, 1, 1, 1 }, { 1, 0.5, 2, 4 } }, totals[2] = { NAN, 40 };
    uint64_t random = 5;
    dusk_table domain = table_of(NULL, 0);
    (void)state;
    for (int views = 0; views < 2; views++)
        for (int kind = 0; kind < 2; kind++)
            for (int t = 0; t < 2; t++) {
                const dusk_marginal *v = views ? mixed : pairs;
                size_t n = views ? 4 : 3, cells;
                double counts[CELLS], expected[CELLS], weights[4], gap;
                assert_int_equal(dusk_marginals_cells(&cells, &domain, v, n, NULL), DUSK_OK);
                for (size_t i = 0; i < cells; i++) counts[i] = (double)(splitmix64(&random) % 200) / 10 - 5;
                for (size_t i = 0; i < n; i++) weights[i] = 1 / variances[kind][i];
                least_squares(expected, counts, v, n, weights, totals[t]);
                assert_int_equal(dusk_marginals_reconcile(counts, &gap, &domain, v, n,
                                                          kind ? variances[1] : NULL, totals[t], false, NULL),
                                 DUSK_OK);
                for (size_t i = 0; i < cells; i++) assert_true(fabs(counts[i] - expected[i]) < 1e-8);
                assert_true(gap < 1e-9);
            }
}

/* On a tree the non-negative agreeing marginals are the cone of those of single rows, so
 * the nearest point z of x has <x - z, ray> <= 0 for all rays, and <x - z, z> = 0. */
static void non_negative_is_the_nearest(void **state)
{
    dusk_table domain = table_of(NULL, 0);
    uint64_t random = 11;
    (void)state;
    for (int run = 0; run < 50; run++) {
        double x[12], z[12], ray[12], gap, size = 0, product = 0;
        for (int i = 0; i < 12; i++) x[i] = z[i] = (double)(splitmix64(&random) % 300) / 10 - 12;
        assert_int_equal(dusk_marginals_reconcile(z, &gap, &domain, pairs, 2, NULL, NAN, true, NULL),
                         DUSK_OK);
        assert_true(gap < 1e-3);
        for (int i = 0; i < 12; i++) {
            assert_true(z[i] >= 0);
            size += z[i];
            product += (x[i] - z[i]) * z[i];
        }
        assert_true(fabs(product) < 1e-3 * (size + 1));
        for (int c = 0; c < 12; c++) {
            double full[12] = { 0 };
            full[c] = 1;
            marginals_of(ray, full, pairs, 2);
            product = 0;
            for (int i = 0; i < 12; i++) product += (x[i] - z[i]) * ray[i];
            assert_true(product < 1e-3);
        }
    }
}

static void bad_counts_are_refused(void **state)
{
    dusk_table domain = table_of(NULL, 0);
    double counts[16] = { 0 }, gap = 7, variances[3] = { 1, 0, 1 };
    (void)state;
    counts[3] = NAN;
    assert_int_equal(dusk_marginals_reconcile(counts, &gap, &domain, pairs, 3, NULL, NAN, false, NULL),
                     DUSK_ERR_ARGUMENT);
    counts[3] = 0;
    assert_int_equal(dusk_marginals_reconcile(counts, &gap, &domain, pairs, 3, variances, NAN, false, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_marginals_reconcile(counts, &gap, &domain, pairs, 3, NULL, -1, false, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_true(gap == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_their_cells),
        cmocka_unit_test(a21_noise_is_for_what_a_unit_changes_in_all_marginals),
        cmocka_unit_test(bad_requests_are_refused_before_the_data),
        cmocka_unit_test(agreement_is_least_squares),
        cmocka_unit_test(non_negative_is_the_nearest),
        cmocka_unit_test(bad_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
