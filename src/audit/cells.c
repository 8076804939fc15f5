/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs as words of symbols; see cells.h. */
#include "audit/cells.h"

#include <math.h>

#include "base/memory.h"

enum { PIECES = 24, LEAST_PIECE = 64, MOST_DRAWS = 1 << 15 /* a side, to cut by */ };

bool audit_apart(double a, double b)
{
    if (isinf(a) || isinf(b)) return a < b;
    return 0.5 * b - 0.5 * a > 0x1p-46 * fabs(a) + 0x1p-46 * fabs(b); /* halves: nothing overflows */
}

double audit_inside(double a, double b)
{
    const double share = 0.381966011250105;
    if (isinf(a) && isinf(b)) return share;
    if (isinf(a)) return b - share * (1 + fabs(b));
    if (isinf(b)) return a + share * (1 + fabs(a));
    return isinf(b - a) ? a + (share * b - share * a) : a + share * (b - a);
}

size_t audit_place(double x, const double *edges, size_t count)
{
    size_t low = 0;
    if (count == 0) return 0;
    /* no branches on x, which no processor foresees: steps depend on the count only */
    for (size_t width = count; width > 1;) {
        size_t half = width / 2;
        low += half & -(size_t)(edges[low + half - 1] < x);
        width -= half;
    }
    return low + (edges[low] < x);
}

double audit_shrunk_ratio(double a, double b)
{
    double x = a + 0.5, y = b + 0.5, ratio = log(x / y), square = ratio * ratio;
    return square > 0 ? ratio * square / (square + 1 / x + 1 / y) : 0;
}

/* How many values a piece at place i of n should hold. */
static size_t piece_at(size_t i, size_t n)
{
    size_t near = i < n - i ? i : n - i, most = n / PIECES + 1, piece = near / 2;
    if (piece < LEAST_PIECE) piece = LEAST_PIECE;
    return piece < most ? piece : most;
}

/* Cut one number's sorted values. */
static void cut(audit_cells *cells, size_t at, const double *sorted, size_t n)
{
    double *edges = cells->edges + at * AUDIT_EDGES;
    bool *atom = cells->atom + at * AUDIT_SYMBOLS;
    size_t count = 0, start = 0, end;
    for (size_t i = 0; i < n && count + 2 < AUDIT_EDGES; i = end) {
        for (end = i + 1; end < n && !audit_apart(sorted[end - 1], sorted[end]);) end++;
        bool heavy = end - i >= 16 && end - i >= piece_at(i, n) / 2;
        if (heavy && i > start) edges[count++] = audit_inside(sorted[i - 1], sorted[i]);
        if (heavy) atom[count] = true;
        if (end < n && (heavy || end - start >= piece_at(end, n))) {
            edges[count++] = audit_inside(sorted[end - 1], sorted[end]);
            start = end;
        }
    }
    cells->count[at] = (uint8_t)count;
    atom[count + 1] = true; /* NaN */
}

static size_t column(double *out, const audit_sample *train, bool steps, size_t at)
{
    size_t count = 0, length = train->length, n = train->n < MOST_DRAWS ? train->n : MOST_DRAWS;
    for (int side = 0; side < 2; side++) {
        const double *x = train->out[side] + at;
        for (size_t i = 0; i < n; i++, x += length) {
            double y = steps && at > 0 ? x[0] - x[-1] : x[0];
            if (!isnan(y)) out[count++] = y;
        }
    }
    return count;
}

dusk_status audit_cells_make(audit_cells *out, const audit_sample *train, bool steps, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    audit_cells cells = { .length = train->length, .steps = steps };
    double *values = NULL, *scratch = NULL;
    DUSK_NEW(cells.edges, train->length * AUDIT_EDGES);
    DUSK_NEW(cells.count, train->length);
    DUSK_NEW(cells.atom, train->length * AUDIT_SYMBOLS);
    DUSK_NEW(values, 2 * train->n);
    DUSK_NEW(scratch, 2 * train->n);
    for (size_t at = 0; at < train->length; at++) {
        size_t n = column(values, train, steps, at);
        audit_sort_many(values, n, scratch);
        cut(&cells, at, values, n);
    }
    *out = cells;
    cells = (audit_cells){ 0 };
done:
    audit_cells_clear(&cells);
    dusk_deallocate(values);
    dusk_deallocate(scratch);
    return status;
}

void audit_cells_clear(audit_cells *cells)
{
    dusk_deallocate(cells->edges);
    dusk_deallocate(cells->count);
    dusk_deallocate(cells->atom);
    *cells = (audit_cells){ 0 };
}

void audit_cells_of(const audit_cells *cells, uint8_t *symbols, const double *output)
{
    for (size_t i = 0; i < cells->length; i++) {
        double x = cells->steps && i > 0 ? output[i] - output[i - 1] : output[i];
        size_t count = cells->count[i];
        symbols[i] = (uint8_t)(isnan(x) ? count + 1 : audit_place(x, cells->edges + i * AUDIT_EDGES, count));
    }
}
