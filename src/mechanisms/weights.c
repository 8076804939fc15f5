/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplicative weights; see weights.h. A query touches its own cells only: instead of
 * dividing all others, the sum of all weights is carried along. */
#include "mechanisms/weights.h"

#include <math.h>

void dusk_weights_start(dusk_weights *weights)
{
    for (size_t c = 0; c < weights->cells; c++) weights->weight[c] = weights->total / (double)weights->cells;
}

/* A walk over the cells of the domain that belong to a query, and how many there are; `at` of the walk
 * is their place. The values of a column of which the query takes several, first to last, are one more
 * dimension. */
static dusk_cell_walk walk_query(const dusk_weights *weights, const dusk_cell_query *query, size_t *cells)
{
    const dusk_table *domain = weights->domain;
    const dusk_marginal *marginal = query->marginal;
    dusk_cell_walk walk = { 0 };
    size_t step[DUSK_TABLE_COLUMNS_MAX], product = 1, cell = query->first;
    uint64_t fixed = 0;

    for (size_t c = domain->columns; c-- > 0;) {
        step[c] = product;
        product *= domain->sizes[c];
    }
    for (uint32_t j = marginal->columns; j-- > 0;) {
        uint32_t column = marginal->column[j], size = domain->sizes[column];
        walk.at += step[column] * (cell % size);
        cell /= size;
        fixed |= UINT64_C(1) << column;
    }
    if (query->last > query->first) {
        walk.size[walk.columns] = (uint32_t)(query->last - query->first + 1);
        walk.step[walk.columns++] = step[marginal->column[0]];
    }
    for (size_t c = 0; c < domain->columns; c++) {
        if (fixed >> c & 1) continue;
        walk.size[walk.columns] = domain->sizes[c];
        walk.step[walk.columns++] = step[c];
    }
    *cells = weights->cells / dusk_marginal_cells(domain, marginal) * (query->last - query->first + 1);
    return walk;
}

/* The sum of the query's weights, each multiplied by `factor` first. */
static double scale_query(dusk_weights *weights, const dusk_cell_query *query, double factor)
{
    size_t cells;
    dusk_cell_walk walk = walk_query(weights, query, &cells);
    double sum = 0;
    for (size_t i = 0; i < cells; i++, dusk_cell_walk_next(&walk)) sum += weights->weight[walk.at] *= factor;
    return sum;
}

static double sum_of(const dusk_weights *weights)
{
    double sum = 0;
    for (size_t c = 0; c < weights->cells; c++) sum += weights->weight[c];
    return sum;
}

/* A sum of 0 or infinity has lost everything; then all weights are alike again. */
static void normalise(dusk_weights *weights)
{
    double sum = sum_of(weights), factor = weights->total / sum;
    if (!(sum > 0 && isfinite(sum) && isfinite(factor))) {
        dusk_weights_start(weights);
        return;
    }
    for (size_t c = 0; c < weights->cells; c++) weights->weight[c] *= factor;
}

void dusk_weights_learn(dusk_weights *weights, const dusk_cell_query *queries, size_t n, uint32_t replays)
{
    for (uint32_t replay = 0; replay < replays; replay++) {
        double sum = sum_of(weights);
        for (size_t i = 0; i < n; i++) {
            double own = scale_query(weights, &queries[i], 1), answer = weights->total * own / sum;
            double target = fmin(fmax(queries[i].measured, 0), weights->total);
            double step = (target - answer) / (2 * weights->total);
            if (!isfinite(step)) continue;
            sum += scale_query(weights, &queries[i], exp(step)) - own;
        }
        normalise(weights);
    }
}
