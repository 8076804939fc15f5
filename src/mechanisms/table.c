/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of categorical columns: what is public is checked before a row is read, and
 * rows are counted exactly. A code beyond its domain counts as the last value, so that
 * every row is in one cell of every marginal. Nothing here draws or promises. */
#include "mechanisms/table.h"

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"

dusk_status dusk_table_check(const dusk_table *domain, dusk_error *err)
{
    if (domain->columns < 1 || domain->columns > DUSK_TABLE_COLUMNS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave out columns that nobody asks about",
                         "a table must have 1 to %d columns", DUSK_TABLE_COLUMNS_MAX);
    for (size_t c = 0; c < domain->columns; c++)
        if (domain->sizes[c] < 1)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare the values a column may have",
                             "column %zu must have at least one value", c);
    return DUSK_OK;
}

static dusk_status fail_cells(dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "take fewer columns, or columns of fewer values",
                     "there are more than %u cells", DUSK_CELLS_MAX);
}

dusk_status dusk_marginal_check(const dusk_table *domain, const dusk_marginal *marginal, dusk_error *err)
{
    size_t cells = 1;
    if (marginal->columns < 1 || marginal->columns > DUSK_MARGINAL_COLUMNS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name the columns of each marginal",
                         "a marginal must have 1 to %d columns", DUSK_MARGINAL_COLUMNS_MAX);
    for (uint32_t j = 0; j < marginal->columns; j++) {
        uint32_t column = marginal->column[j];
        if (column >= domain->columns || (j > 0 && column <= marginal->column[j - 1]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give each column once, in the order of the table",
                             "the columns of a marginal must increase and be in the table");
        cells *= domain->sizes[column]; /* below 2^26 * 2^32 */
        if (cells > DUSK_CELLS_MAX) return fail_cells(err);
    }
    return DUSK_OK;
}

size_t dusk_marginal_cells(const dusk_table *domain, const dusk_marginal *marginal)
{
    size_t cells = 1;
    for (uint32_t j = 0; j < marginal->columns; j++) cells *= domain->sizes[marginal->column[j]];
    return cells;
}

dusk_status dusk_table_cells(size_t *cells, const dusk_table *domain, dusk_error *err)
{
    size_t product = 1;
    for (size_t c = 0; c < domain->columns; c++) {
        product *= domain->sizes[c];
        if (product > DUSK_CELLS_MAX) return fail_cells(err);
    }
    *cells = product;
    return DUSK_OK;
}

dusk_status dusk_marginals_cells(size_t *cells, const dusk_table *domain, const dusk_marginal *marginals,
                                 size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t sum = 0;

    DUSK_TRY(dusk_table_check(domain, err));
    if (n < 1 || n > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for less at a time",
                         "there must be 1 to 4096 marginals");
    for (size_t i = 0; i < n; i++) {
        DUSK_TRY(dusk_marginal_check(domain, &marginals[i], err));
        sum += dusk_marginal_cells(domain, &marginals[i]);
        if (sum > DUSK_CELLS_MAX) return fail_cells(err);
    }
    *cells = sum;
done:
    return status;
}

/* Where each column of a marginal steps in its cells. */
static void fill_steps(size_t *step, const dusk_table *domain, const dusk_marginal *marginal)
{
    size_t product = 1;
    for (uint32_t j = marginal->columns; j-- > 0;) {
        step[j] = product;
        product *= domain->sizes[marginal->column[j]];
    }
}

DUSK_PROVEN(dusk_marginal_count)
void dusk_marginal_count(uint64_t *exact, const dusk_table *table, const dusk_marginal *marginal)
{
    size_t step[DUSK_MARGINAL_COLUMNS_MAX], cells = dusk_marginal_cells(table, marginal);
    fill_steps(step, table, marginal);
    for (size_t i = 0; i < cells; i++) exact[i] = 0;
    for (size_t r = 0; r < table->rows; r++) {
        const uint32_t *row = table->codes + r * table->columns;
        size_t at = 0;
        for (uint32_t j = 0; j < marginal->columns; j++) {
            uint32_t code = row[marginal->column[j]], last = table->sizes[marginal->column[j]] - 1;
            at += step[j] * (code < last ? code : last);
        }
        exact[at]++;
    }
}

static dusk_cell_walk walk_start(const dusk_table *domain, const uint32_t *column, size_t n,
                                 const dusk_marginal *to)
{
    size_t step[DUSK_MARGINAL_COLUMNS_MAX];
    dusk_cell_walk walk = { .columns = n };
    fill_steps(step, domain, to);
    for (size_t i = 0; i < n; i++) {
        walk.size[i] = domain->sizes[column ? column[i] : i];
        for (uint32_t j = 0; j < to->columns; j++)
            if (to->column[j] == (column ? column[i] : i)) walk.step[i] = step[j];
    }
    return walk;
}

dusk_cell_walk dusk_cell_walk_start(const dusk_table *domain, const dusk_marginal *from,
                                    const dusk_marginal *to)
{
    return walk_start(domain, from->column, from->columns, to);
}

dusk_cell_walk dusk_cell_walk_all(const dusk_table *domain, const dusk_marginal *to)
{
    return walk_start(domain, NULL, domain->columns, to);
}

dusk_status dusk_marginals_of(double *counts, const dusk_table *domain, const dusk_marginal *marginals,
                              size_t n, const double *cells, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t all = 0, sum = 0;

    DUSK_TRY(dusk_marginals_cells(&sum, domain, marginals, n, err));
    DUSK_TRY(dusk_table_cells(&all, domain, err));
    for (size_t i = 0; i < sum; i++) counts[i] = 0;
    for (size_t i = 0; i < n; i++) {
        dusk_cell_walk walk = dusk_cell_walk_all(domain, &marginals[i]);
        for (size_t c = 0; c < all; c++, dusk_cell_walk_next(&walk)) counts[walk.at] += cells[c];
        counts += dusk_marginal_cells(domain, &marginals[i]);
    }
done:
    return status;
}
