/* SPDX-License-Identifier: Apache-2.0 */
/* k-means begins with counts on a grid of two levels [EUGkM of Su et al. 2016; adaptive grids of Qardaji, Yang & Li 2013]: a coarse grid over the
 * box, and finer cells where the coarse ones have rows, so that bounds much wider than the data cost little. Noise is kept where it is: weight is
 * shared out from the whole down. Proof: kmeans_grid.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/kmeans_start.h"

#define CELLS_MOST 0x1p18
#define GRID_WIDTH_MOST 8

typedef struct grid {
    const learn_groups *box;
    size_t side, cells; /* coarse; side ^ width of them */
    size_t *fine;       /* the side of the cells of each coarse cell */
    size_t *first;      /* cells + 1: where they begin */
} grid;

/* --- cells ------------------------------------------------------------------------------------------------------ */

static double cells_for(size_t width, double rows, double deviation)
{
    double d = (double)width;
    return pow(fmax(rows * M_SQRT2 / (3 * deviation), 1), 2 * d / (d + 2));
}

static double power(double side, size_t width) { return pow(side, (double)width); }

/* (rows sqrt(2) / (c deviation)) ^ (2 d / (d + 2)) cells balance noise and the size of cells; c is 10 in Su et al. 2016, and less
 * here, since share_out keeps noise in its place. */
size_t learn_grid_side(size_t width, double rows, double deviation)
{
    double side = ceil(pow(fmin(cells_for(width, rows, deviation), CELLS_MOST), 1 / (double)width) - 1e-9);
    while (side > 1 && power(side, width) > CELLS_MOST) side--;
    return (size_t)fmax(side, 1);
}

/* The coarse cell of a row, and where in it the row is, [0, 1) in every direction. By this row and the public box only. */
static size_t coarse_cell(const grid *g, const double *x, double *part)
{
    size_t cell = 0;
    for (size_t i = 0; i < g->box->width; i++) {
        double width = g->box->high[i] - g->box->low[i] + 1, side = (double)g->side;
        double at = (x[i] - g->box->low[i]) * side / width, whole = fmin(fmax(floor(at), 0), side - 1);
        part[i] = fmin(fmax(at - whole, 0), 1);
        cell = cell * g->side + (size_t)whole;
    }
    return cell;
}

static size_t fine_cell(const grid *g, size_t coarse, const double *part)
{
    size_t cell = 0, side = g->fine[coarse];
    for (size_t i = 0; i < g->box->width; i++) {
        size_t at = (size_t)(part[i] * (double)side);
        cell = cell * side + (at < side ? at : side - 1);
    }
    return g->first[coarse] + cell;
}

/* Count every row in its cell, coarse or fine. */
DUSK_PROVEN(count_cells)
static void count_cells(dusk_int128 *totals, const grid *g, tensor_block *block)
{
    const int one = DUSK_MUTATE(START_CELLS_COUNT_TWICE, 1, 2);
    double part[GRID_WIDTH_MOST];
    while (tensor_block_next(block))
        for (size_t i = 0; i < block->rows; i++) {
            size_t cell = coarse_cell(g, block->x + i * g->box->width, part);
            totals[g->first ? fine_cell(g, cell, part) : cell] += one;
        }
}

static dusk_status release_level(double *out, const grid *g, size_t cells, const learn_noise *noise,
                                 tensor_block *block, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 *totals = NULL;
    DUSK_NEW(totals, cells);
    count_cells(totals, g, block);
    DUSK_TRY(learn_counts_release(noise, out, totals, cells, gen, err));
done:
    if (totals) dusk_wipe(totals, cells * sizeof *totals);
    dusk_deallocate(totals);
    return status;
}

/* --- weights ---------------------------------------------------------------------------------------------------- */

/* A box of cells, [low, high) in every direction. */
typedef struct cell_box {
    size_t low[GRID_WIDTH_MOST], high[GRID_WIDTH_MOST];
} cell_box;

typedef struct sharing {
    const double *noisy;
    double *weight;
    size_t side, width;
    double threshold; /* of a cell; in a box of n cells sqrt(n) times that */
} sharing;

/* Two halves of a box, across its longest side; false: it is one cell, whose number is *cell. */
static bool halve(const sharing *s, const cell_box *box, cell_box half[2], size_t *cell)
{
    size_t along = 0;
    *cell = 0;
    for (size_t i = 0; i < s->width; i++) {
        if (box->high[i] - box->low[i] > box->high[along] - box->low[along]) along = i;
        *cell = *cell * s->side + box->low[i];
    }
    half[0] = half[1] = *box;
    half[0].high[along] = half[1].low[along] = (box->low[along] + box->high[along]) / 2;
    return box->high[along] - box->low[along] > 1;
}

typedef struct heard {
    double sum, cells; /* of noisy counts */
    double clear;      /* what noise would not explain: all of it, or that of parts */
} heard;

static heard listen(const sharing *s, const cell_box *box)
{
    cell_box half[2];
    size_t cell;
    heard h = { .cells = 1 };
    if (halve(s, box, half, &cell)) {
        heard a = listen(s, &half[0]), b = listen(s, &half[1]);
        h = (heard){ a.sum + b.sum, a.cells + b.cells, a.clear + b.clear };
    } else
        h.sum = s->noisy[cell];
    if (h.sum > s->threshold * sqrt(h.cells)) h.clear = h.sum;
    return h;
}

/* From the whole down, halves share what there is by what was clearly heard in them: weights that are >= 0, of which noise moves
 * some between neighbours, but not across the box. */
static void share_out(const sharing *s, const cell_box *box, double total)
{
    cell_box half[2];
    size_t cell;
    if (!(total > 0)) return;
    if (!halve(s, box, half, &cell)) {
        s->weight[cell] = total;
        return;
    }
    heard a = listen(s, &half[0]), b = listen(s, &half[1]);
    if (!(a.clear + b.clear > 0)) {
        a.clear = fmax(a.sum, 0) + 1e-9;
        b.clear = fmax(b.sum, 0) + 1e-9;
    }
    double first = a.clear / (a.clear + b.clear) * total;
    share_out(s, &half[0], first);
    share_out(s, &half[1], total - first);
}

/* The threshold is such that about one cell without rows is heard. */
static void share_all(const double *noisy, double *weight, size_t side, size_t width, double deviation,
                      double total)
{
    sharing s = { noisy, weight, side, width, 0 };
    cell_box all = { { 0 }, { 0 } };
    for (size_t i = 0; i < width; i++) all.high[i] = side;
    s.threshold = deviation * fmax(log(power((double)side, width)) / M_SQRT2, 1);
    share_out(&s, &all, isnan(total) ? fmax(listen(&s, &all).sum, 0) : total);
}

/* How finely each coarse cell is cut, by the weight that it seems to have. */
static dusk_status cut_cells(grid *g, const double *weight, double deviation, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_NEW(g->fine, g->cells);
    DUSK_NEW(g->first, g->cells + 1);
    for (size_t c = 0; c < g->cells; c++) {
        size_t side = weight[c] > 0 ? learn_grid_side(g->box->width, weight[c], deviation) : 1;
        double cells = power((double)side, g->box->width);
        if ((double)(g->first[c] + g->cells) + cells > 2 * CELLS_MOST) side = 1;
        g->fine[c] = side;
        g->first[c + 1] = g->first[c] + (size_t)power((double)side, g->box->width);
    }
done:
    return status;
}

/* Both levels tell of a coarse cell: their mean, by what each is worth. */
static void combine(double *coarse, const grid *g, const double *fine, double coarse_deviation,
                    double fine_deviation)
{
    for (size_t c = 0; c < g->cells; c++) {
        double sum = 0, cells = (double)(g->first[c + 1] - g->first[c]);
        for (size_t f = g->first[c]; f < g->first[c + 1]; f++) sum += fine[f];
        double a = 1 / (coarse_deviation * coarse_deviation),
               b = 1 / (fine_deviation * fine_deviation * cells);
        coarse[c] = (a * coarse[c] + b * sum) / (a + b);
    }
}

/* Where fine cell `f` of coarse cell `c` has its middle. */
static void middle_of(double *x, const grid *g, size_t c, size_t f)
{
    const size_t side = g->fine[c];
    f -= g->first[c];
    for (size_t i = g->box->width; i-- > 0; c /= g->side, f /= side) {
        double width = (g->box->high[i] - g->box->low[i] + 1) / (double)g->side;
        x[i] = g->box->low[i] + ((double)(c % g->side) + ((double)(f % side) + 0.5) / (double)side) * width;
    }
}

/* Fine cells with weight become points; returns the mean square of rows about the middle of their cell. */
static double make_points(learn_points *points, const grid *g, const double *weight)
{
    const size_t d = g->box->width;
    double square = 0, rows = 0, area = 0;
    for (size_t i = 0; i < d; i++)
        area += pow((g->box->high[i] - g->box->low[i] + 1) / (double)g->side, 2) / 12;
    points->n = 0;
    for (size_t c = 0; c < g->cells; c++)
        for (size_t f = g->first[c]; f < g->first[c + 1]; f++) {
            if (!(weight[f] > 0)) continue;
            middle_of(points->x + points->n * d, g, c, f);
            points->weight[points->n++] = weight[f];
            rows += weight[f];
            square += weight[f] * area / (double)(g->fine[c] * g->fine[c]);
        }
    return rows > 0 ? square / rows : 0;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static dusk_status fill_points(learn_points *points, double *inner, grid *g, const learn_noise *coarse,
                               const learn_noise *fine, tensor_block *block, dusk_generator *gen,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = g->box->width;
    double *noisy = NULL, *weight = NULL, *fine_noisy = NULL, *fine_weight = NULL;
    size_t cells;

    DUSK_NEW(noisy, g->cells);
    DUSK_NEW(weight, g->cells);
    DUSK_TRY(release_level(noisy, g, g->cells, coarse, block, gen, err));
    share_all(noisy, weight, g->side, d, coarse->deviation, NAN);
    DUSK_TRY(cut_cells(g, weight, fine->deviation, err));
    cells = g->first[g->cells];
    DUSK_NEW(fine_noisy, cells);
    DUSK_NEW(fine_weight, cells);
    DUSK_TRY(release_level(fine_noisy, g, cells, fine, block, gen, err));
    combine(noisy, g, fine_noisy, coarse->deviation, fine->deviation);
    memset(weight, 0, g->cells * sizeof *weight);
    share_all(noisy, weight, g->side, d, fmin(coarse->deviation, fine->deviation), NAN);
    for (size_t c = 0; c < g->cells; c++)
        share_all(fine_noisy + g->first[c], fine_weight + g->first[c], g->fine[c], d, fine->deviation,
                  weight[c]);
    DUSK_TRY(learn_points_init(points, cells, d, err));
    *inner = make_points(points, g, fine_weight);
done:
    dusk_deallocate(noisy);
    dusk_deallocate(weight);
    dusk_deallocate(fine_noisy);
    dusk_deallocate(fine_weight);
    return status;
}

DUSK_PROVEN(learn_start_grid)
dusk_status learn_start_grid(learn_groups *groups, const learn_noise *coarse, const learn_noise *fine,
                             double rows, const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    grid g = { .box = groups, .side = learn_grid_side(groups->width, rows, coarse->deviation) };
    learn_points points = { .n = 0 };
    tensor_block block = { 0 };
    double inner = 0;

    g.cells = (size_t)power((double)g.side, groups->width);
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_TRY(fill_points(&points, &inner, &g, coarse, fine, &block, gen, err));
    DUSK_TRY(learn_start_from(groups, &points, inner, err));
done:
    tensor_block_close(&block);
    dusk_deallocate(g.fine);
    dusk_deallocate(g.first);
    learn_points_clear(&points);
    return status;
}
