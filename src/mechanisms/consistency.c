/* SPDX-License-Identifier: Apache-2.0 */
/* Marginals that agree: the nearest ones, in the norm that counts every marginal by one
 * over its variance, whose sums over shared columns are equal [Barak et al. 2007;
 * Qardaji, Yang & Li 2014, section 4.4]. A pass over the intersections of the sets of columns, small
 * ones first, that gives each its best average and spreads the difference evenly *is* the
 * orthogonal projection: effects of different columns are orthogonal, and a later
 * average leaves earlier ones as they are (consistency.proof.md). Non-negative counts by
 * Dykstra's method [Boyle & Dykstra 1986], which takes turns with that projection and
 * ends at the nearest point of both. Public post-processing in doubles: nothing private
 * is seen here and nothing promised. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/table.h"

enum { ROUNDS_MAX = 2000 };

typedef struct agreement {
    const dusk_table *domain;
    const dusk_marginal *views;
    size_t n, cells;
    double total;      /* NaN: not known */
    size_t *offset;    /* of each view in the counts */
    uint64_t *mask;    /* of its columns */
    double *precision; /* one over its variance */
    uint64_t *shared;  /* sets of columns on which views must agree, smaller ones first */
    size_t shared_count;
    double *mean, *sum; /* of one shared set */
} agreement;

static uint64_t mask_of(const dusk_marginal *marginal)
{
    uint64_t mask = 0;
    for (uint32_t j = 0; j < marginal->columns; j++) mask |= UINT64_C(1) << marginal->column[j];
    return mask;
}

/* At most DUSK_MARGINAL_COLUMNS_MAX columns; none is the total. */
static dusk_marginal marginal_of(uint64_t mask)
{
    dusk_marginal marginal = { 0 };
    for (uint32_t c = 0; c < 64; c++)
        if (mask >> c & 1) marginal.column[marginal.columns++] = c;
    return marginal;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    int difference = __builtin_popcountll(x) - __builtin_popcountll(y);
    return difference ? difference : (x > y) - (x < y);
}

/* What all views that contain `mask` have in common; *holders: how many they are. */
static uint64_t closure(const agreement *a, uint64_t mask, size_t *holders)
{
    uint64_t common = ~UINT64_C(0);
    *holders = 0;
    for (size_t v = 0; v < a->n; v++)
        if ((a->mask[v] & mask) == mask) {
            common &= a->mask[v];
            ++*holders;
        }
    return common;
}

/* Every subset of a view that is the intersection of two views or more, once; and the
 * total where it is known. */
static dusk_status find_shared(agreement *a, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t room = 0, count = 0, holders;

    for (size_t v = 0; v < a->n; v++)
        for (uint64_t subset = a->mask[v];; subset = (subset - 1) & a->mask[v]) {
            bool pinned = subset == 0 && !isnan(a->total);
            uint64_t common = closure(a, subset, &holders);
            if (pinned || (holders > 1 && common == subset)) {
                DUSK_GROW(a->shared, room, count);
                a->shared[count++] = subset;
            }
            if (subset == 0) break;
        }
    if (count) qsort(a->shared, count, sizeof *a->shared, by_size);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || a->shared[i] != a->shared[i - 1]) a->shared[a->shared_count++] = a->shared[i];
done:
    return status;
}

static void free_agreement(agreement *a)
{
    dusk_deallocate(a->offset);
    dusk_deallocate(a->mask);
    dusk_deallocate(a->precision);
    dusk_deallocate(a->shared);
    dusk_deallocate(a->mean);
    dusk_deallocate(a->sum);
}

static dusk_status start(agreement *a, const double *variances, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t at = 0, most = 1;

    DUSK_NEW(a->offset, a->n);
    DUSK_NEW(a->mask, a->n);
    DUSK_NEW(a->precision, a->n);
    for (size_t v = 0; v < a->n; v++) {
        size_t cells = dusk_marginal_cells(a->domain, &a->views[v]);
        a->offset[v] = at;
        a->mask[v] = mask_of(&a->views[v]);
        a->precision[v] = variances ? 1 / variances[v] : 1;
        at += cells;
        most = cells > most ? cells : most;
    }
    DUSK_NEW(a->mean, most);
    DUSK_NEW(a->sum, most);
    DUSK_TRY(find_shared(a, err));
done:
    return status;
}

/* sum[i] = sum of the counts of view v over the cells that are i in `to`, times `factor`
 * and on top of what is there. */
static void add_view(double *sum, const agreement *a, const double *counts, size_t v, const dusk_marginal *to,
                     double factor)
{
    dusk_cell_walk walk = dusk_cell_walk_start(a->domain, &a->views[v], to);
    size_t cells = dusk_marginal_cells(a->domain, &a->views[v]);
    const double *count = counts + a->offset[v];
    for (size_t c = 0; c < cells; c++, dusk_cell_walk_next(&walk)) sum[walk.at] += factor * count[c];
}

/* How many cells of view v make one cell of `to`. */
static double fan(const agreement *a, size_t v, const dusk_marginal *to)
{
    return (double)dusk_marginal_cells(a->domain, &a->views[v]) / (double)dusk_marginal_cells(a->domain, to);
}

/* The average of what the views say about `to`, each by one over the variance of its
 * sums: its own times the cells in a sum. */
static void average(agreement *a, const double *counts, uint64_t mask, const dusk_marginal *to)
{
    size_t cells = dusk_marginal_cells(a->domain, to);
    double weight = 0;
    for (size_t i = 0; i < cells; i++) a->mean[i] = 0;
    for (size_t v = 0; v < a->n; v++) {
        if ((a->mask[v] & mask) != mask) continue;
        double w = DUSK_MUTATE(CONSISTENCY_EQUAL_WEIGHTS, a->precision[v] / fan(a, v, to), 1);
        add_view(a->mean, a, counts, v, to, w);
        weight += w;
    }
    for (size_t i = 0; i < cells; i++) a->mean[i] /= weight;
    if (mask == 0 && !isnan(a->total)) a->mean[0] = a->total;
}

static void sum_view(agreement *a, const double *counts, size_t v, const dusk_marginal *to)
{
    size_t cells = dusk_marginal_cells(a->domain, to);
    for (size_t i = 0; i < cells; i++) a->sum[i] = 0;
    add_view(a->sum, a, counts, v, to, 1);
}

DUSK_PROVEN(reconcile_views)
static void reconcile_views(agreement *a, double *counts)
{
    for (size_t s = 0; s < a->shared_count; s++) {
        uint64_t mask = a->shared[s];
        dusk_marginal to = marginal_of(mask);
        average(a, counts, mask, &to);
        for (size_t v = 0; v < a->n; v++) {
            if ((a->mask[v] & mask) != mask) continue;
            dusk_cell_walk walk = dusk_cell_walk_start(a->domain, &a->views[v], &to);
            size_t cells = dusk_marginal_cells(a->domain, &a->views[v]);
            double share = 1 / fan(a, v, &to), *count = counts + a->offset[v];
            sum_view(a, counts, v, &to);
            for (size_t c = 0; c < cells; c++, dusk_cell_walk_next(&walk))
                count[c] += share * (a->mean[walk.at] - a->sum[walk.at]);
        }
    }
}

/* The most by which a shared sum of any view is off the average, times two. */
static double disagreement(agreement *a, const double *counts)
{
    double most = 0;
    for (size_t s = 0; s < a->shared_count; s++) {
        dusk_marginal to = marginal_of(a->shared[s]);
        size_t cells = dusk_marginal_cells(a->domain, &to);
        average(a, counts, a->shared[s], &to);
        for (size_t v = 0; v < a->n; v++) {
            if ((a->mask[v] & a->shared[s]) != a->shared[s]) continue;
            sum_view(a, counts, v, &to);
            for (size_t i = 0; i < cells; i++) most = fmax(most, 2 * fabs(a->sum[i] - a->mean[i]));
        }
    }
    return most;
}

/* `counts` are a projection already. Ends when a turn moves no count by more than 2^-20
 * of the largest, or after ROUNDS_MAX turns. */
static dusk_status push_up(agreement *a, double *counts, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *rest = NULL, *high = NULL, largest = 1, moved = 0;

    DUSK_NEW(rest, a->cells);
    DUSK_NEW(high, a->cells);
    for (size_t i = 0; i < a->cells; i++) largest = fmax(largest, fabs(counts[i]));
    for (int round = 0; round < ROUNDS_MAX; round++) {
        moved = 0;
        for (size_t i = 0; i < a->cells; i++) {
            double y = counts[i] + rest[i];
            high[i] = fmax(y, 0);
            rest[i] = y - high[i];
            moved = fmax(moved, fabs(high[i] - counts[i]));
            counts[i] = high[i];
        }
        if (moved <= 0x1p-20 * largest) break;
        reconcile_views(a, counts);
    }
    for (size_t i = 0; i < a->cells; i++) counts[i] = fmax(counts[i], 0);
done:
    dusk_deallocate(rest);
    dusk_deallocate(high);
    return status;
}

static dusk_status check(const double *counts, size_t cells, size_t n, const double *variances, double total,
                         dusk_error *err)
{
    for (size_t i = 0; i < cells; i++)
        if (!(fabs(counts[i]) <= 0x1p400))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give what dusk_marginals_release wrote",
                             "counts must be numbers, and at most 2^400");
    for (size_t i = 0; variances && i < n; i++)
        if (!(variances[i] >= 0x1p-400 && variances[i] <= 0x1p400))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "use NULL when they are all alike",
                             "variances must be above 0, and between 2^-400 and 2^400");
    if (!isnan(total) && !(total >= 0 && total <= 0x1p400))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use NAN when it is not public",
                         "the total must be at least 0, and at most 2^400");
    return DUSK_OK;
}

dusk_status dusk_marginals_reconcile(double *counts, double *gap, const dusk_table *domain,
                                     const dusk_marginal *marginals, size_t n, const double *variances,
                                     double total, bool non_negative, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    agreement a = { .domain = domain, .views = marginals, .n = n, .total = total };
    double *work = NULL;

    DUSK_TRY(dusk_marginals_cells(&a.cells, domain, marginals, n, err));
    DUSK_TRY(check(counts, a.cells, n, variances, total, err));
    DUSK_TRY(start(&a, variances, err));
    DUSK_NEW(work, a.cells);
    for (size_t i = 0; i < a.cells; i++) work[i] = counts[i];
    reconcile_views(&a, work);
    if (non_negative) DUSK_TRY(push_up(&a, work, err));
    *gap = disagreement(&a, work);
    for (size_t i = 0; i < a.cells; i++) counts[i] = work[i];
done:
    free_agreement(&a);
    dusk_deallocate(work);
    return status;
}
