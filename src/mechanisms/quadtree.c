/* SPDX-License-Identifier: Apache-2.0 */
/* Private spatial histogram over a complete tree of cells [Cormode, Procopiuc,
 * Srivastava, Shen & Yu 2012, section 4]. The cells are those of the public box, never of
 * the data: a point falls into one cell of each level, so this is the hierarchy of
 * hierarchy.c, whose proof it uses. Leaving out cells by their noisy counts is left to the
 * caller: of counts that are all released it is post-processing. Proof: quadtree.proof.md. */
#include "mechanisms/quadtree.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"

/* ---- Cells ------------------------------------------------------------------------ */

/* Edge number k of `cells` equal parts; grows with k, and is exact at both ends. */
static double edge(double low, double high, uint32_t k, uint32_t cells)
{
    if (k == 0) return low;
    if (k == cells) return high;
    double part = (double)k / cells;
    return low * (1 - part) + high * part;
}

/* Which of the last level's columns (or rows) holds a number between its ends: a guess,
 * and then what the edges say. */
static uint32_t place(double x, const double *edges, uint32_t cells)
{
    double low = edges[0] / 2, guess = (x / 2 - low) / (edges[cells] / 2 - low) * cells;
    uint32_t k = guess < cells ? guess > 0 ? (uint32_t)guess : 0 : cells - 1;
    while (k > 0 && x < edges[k]) k--;
    while (k + 1 < cells && x >= edges[k + 1]) k++;
    return k;
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

DUSK_PROVEN(dusk_quadtree_find)
size_t dusk_quadtree_find(const dusk_quadtree *q, double x, double y)
{
    const dusk_box *b = &q->box;
    if (isnan(x) || isnan(y)) return q->nodes;
    if (q->outside == DUSK_OUTSIDE_CLAMP) {
        x = clamp(x, b->x_low, b->x_high);
        y = clamp(y, b->y_low, b->y_high);
    }
    bool inside = x >= b->x_low && x <= b->x_high && y >= b->y_low && y <= b->y_high;
    if (DUSK_MUTATE(QUADTREE_COUNTS_OUTSIDE, !inside, false)) return q->nodes;
    return q->last + q->spread[place(x, q->x_edges, q->side)] +
           q->split * q->spread[place(y, q->y_edges, q->side)];
}

dusk_box dusk_quadtree_cell(const dusk_quadtree *q, size_t node)
{
    size_t children = (size_t)q->split * q->split;
    uint32_t column = 0, row = 0, side = 1;
    for (; node > 0; node = (node - 1) / children, side *= q->split) {
        uint32_t k = (uint32_t)((node - 1) % children);
        column += k % q->split * side;
        row += k / q->split * side;
    }
    return (dusk_box){ .x_low = edge(q->box.x_low, q->box.x_high, column, side),
                       .x_high = edge(q->box.x_low, q->box.x_high, column + 1, side),
                       .y_low = edge(q->box.y_low, q->box.y_high, row, side),
                       .y_high = edge(q->box.y_low, q->box.y_high, row + 1, side) };
}

/* ---- The handle ------------------------------------------------------------------- */

static dusk_status check_box(const dusk_box *box, dusk_error *err)
{
    if (isfinite(box->x_low) && isfinite(box->x_high) && isfinite(box->y_low) && isfinite(box->y_high) &&
        box->x_low < box->x_high && box->y_low < box->y_high)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare a box that does not come from the data",
                     "the edges of the box must be finite, the low ones below the high ones");
}

static dusk_status check_shape(dusk_quadtree *q, dusk_error *err)
{
    size_t children = (size_t)q->split * q->split, cells = 1;
    if (q->outside != DUSK_OUTSIDE_DROP && q->outside != DUSK_OUTSIDE_CLAMP)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_OUTSIDE_DROP or DUSK_OUTSIDE_CLAMP",
                         "what becomes of points outside the box must be said: it has no default");
    if (q->split < 2 || q->split > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 2 for a quadtree", "split must be between 2 and 4096");
    q->side = 1;
    for (uint32_t l = 0; l < q->depth; l++) {
        if (cells > DUSK_QUADTREE_CELLS_MAX / children)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose a smaller depth",
                             "the last level would have more than %u cells", DUSK_QUADTREE_CELLS_MAX);
        q->last += cells;
        cells *= children;
        q->side *= q->split;
    }
    q->nodes = q->last + cells;
    return DUSK_OK;
}

/* A cell of the last level is the node `last` + the number whose digits of base split^2 are
 * column digit + split row digit, one a level, the way down the tree. */
static dusk_status fill_tables(dusk_quadtree *q, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(q->x_edges, q->side + (size_t)1);
    DUSK_NEW(q->y_edges, q->side + (size_t)1);
    DUSK_NEW(q->spread, q->side);
    for (uint32_t k = 0; k <= q->side; k++) {
        q->x_edges[k] = edge(q->box.x_low, q->box.x_high, k, q->side);
        q->y_edges[k] = edge(q->box.y_low, q->box.y_high, k, q->side);
    }
    for (uint32_t k = 1; k < q->side; k++)
        q->spread[k] = k % q->split + (size_t)q->split * q->split * q->spread[k / q->split];
done:
    return status;
}

/* Shares that make the sum over l of split^l variances least. */
static void fill_shares(double *shares, const dusk_quadtree *q, double delta)
{
    for (uint32_t l = 0; l <= q->depth; l++) shares[l] = pow(q->split, l / (delta > 0 ? 2.0 : 3.0));
}

dusk_status dusk_quadtree_new(dusk_quadtree **out, const dusk_aggregate *how, const dusk_box *box,
                              uint32_t split, uint32_t depth, const double *shares, dusk_outside outside,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_quadtree *q = NULL;
    uint32_t *parents = NULL;
    double geometric[DUSK_HIERARCHY_LEVELS_MAX];

    *out = NULL;
    DUSK_NEW(q, 1);
    *q = (dusk_quadtree){ .box = *box, .split = split, .depth = depth, .outside = outside };
    DUSK_TRY(check_box(box, err));
    DUSK_TRY(check_shape(q, err));
    DUSK_TRY(fill_tables(q, err));
    DUSK_NEW(parents, q->nodes);
    for (size_t i = 1; i < q->nodes; i++) parents[i] = (uint32_t)((i - 1) / ((size_t)split * split));
    if (!shares) fill_shares(geometric, q, how->delta);
    DUSK_TRY(dusk_hierarchy_new(&q->hierarchy, how, parents, q->nodes, shares ? shares : geometric,
                                depth + (size_t)1, err));
    *out = q;
    q = NULL;
done:
    dusk_deallocate(parents);
    dusk_quadtree_free(q);
    return status;
}

void dusk_quadtree_free(dusk_quadtree *q)
{
    if (!q) return;
    dusk_hierarchy_free(q->hierarchy);
    dusk_deallocate(q->x_edges);
    dusk_deallocate(q->y_edges);
    dusk_deallocate(q->spread);
    dusk_deallocate(q);
}

const dusk_hierarchy *dusk_quadtree_hierarchy(const dusk_quadtree *q) { return q->hierarchy; }

size_t dusk_quadtree_nodes(const dusk_quadtree *q) { return q->nodes; }

dusk_status dusk_quadtree_state(const dusk_quadtree *q, dusk_statement *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_statement statement;
    dusk_text text;
    char fact[140];

    DUSK_TRY(dusk_hierarchy_state(q->hierarchy, &statement, err));
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "box ");
    dusk_text_number(&text, q->box.x_low);
    dusk_text_add(&text, ":");
    dusk_text_number(&text, q->box.x_high);
    dusk_text_add(&text, ",");
    dusk_text_number(&text, q->box.y_low);
    dusk_text_add(&text, ":");
    dusk_text_number(&text, q->box.y_high);
    dusk_text_add(&text, " declared");
    DUSK_TRY(dusk_statement_assume(&statement, fact, err));
    *out = statement;
done:
    return status;
}

/* ---- Release and queries ---------------------------------------------------------- */

DUSK_PROVEN(dusk_quadtree_release)
dusk_status dusk_quadtree_release(const dusk_quadtree *q, double *noisy, const double *x, const double *y,
                                  size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *exact = NULL;

    DUSK_NEW(exact, q->nodes);
    for (size_t i = 0; i < n; i++) {
        size_t cell = dusk_quadtree_find(q, x[i], y[i]);
        if (cell == q->nodes) continue;
        exact[cell]++;
        if (DUSK_MUTATE(QUADTREE_EDGE_TWICE, false, x[i] == dusk_quadtree_cell(q, cell).x_low))
            exact[cell - 1]++;
    }
    DUSK_TRY(dusk_hierarchy_release(q->hierarchy, noisy, exact, gen, err));
done:
    if (exact) dusk_wipe(exact, q->nodes * sizeof *exact);
    dusk_deallocate(exact);
    return status;
}

/* The part of [low, high] that lies in [from, to]. */
static double overlap(double low, double high, double from, double to)
{
    double width = fmin(high, to) / 2 - fmax(low, from) / 2, whole = high / 2 - low / 2;
    if (from <= low && high <= to) return 1; /* also where halves are too near to each other */
    if (!(width > 0)) return 0;
    return width < whole ? width / whole : 1;
}

/* The parts of the last level's cells below `node` that lie in the range. */
static void fill_weights(double *weights, const dusk_quadtree *q, const dusk_box *range, size_t node)
{
    dusk_box c = dusk_quadtree_cell(q, node);
    double part = overlap(c.x_low, c.x_high, range->x_low, range->x_high) *
                  overlap(c.y_low, c.y_high, range->y_low, range->y_high);
    size_t children = (size_t)q->split * q->split;
    if (part == 0) return;
    if (node >= q->last)
        weights[node] = part;
    else
        for (size_t k = 1; k <= children; k++) fill_weights(weights, q, range, children * node + k);
}

dusk_status dusk_quadtree_query(const dusk_quadtree *q, double *value, double *half_width,
                                const double *fitted, const dusk_box *range, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *weights = NULL;
    if (!(range->x_low <= range->x_high && range->y_low <= range->y_high))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the low edges first",
                         "the low edges of a range must not be above its high ones");
    DUSK_NEW(weights, q->nodes);
    fill_weights(weights, q, range, 0);
    DUSK_TRY(dusk_hierarchy_query(q->hierarchy, value, half_width, weights, fitted, err));
done:
    dusk_deallocate(weights);
    return status;
}
