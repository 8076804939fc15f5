/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of k-means. Proof: kmeans_start.proof.md. */
#include "learn/kmeans_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "random/sampling.h"

#define CELLS_MOST 0x1p18
#define GRID_WIDTH_MOST 8
#define PLANES_MOST 11.0
enum { PUBLIC_SEED = 2016 };

/* --- without looking -------------------------------------------------------------------------------------------- */

void learn_start_spread(learn_groups *groups)
{
    uint64_t seed = PUBLIC_SEED;
    double *at = groups->centre;
    for (size_t j = 0; j < groups->k; j++, at += groups->width) {
        for (size_t i = 0; i < groups->width; i++)
            at[i] = groups->low[i] + learn_points_uniform(&seed) * (groups->high[i] - groups->low[i]);
        learn_groups_place(groups, j, at);
    }
}

/* Centres, spreads and radii from points. `inner`: the mean square of what points stand for about them. */
static dusk_status start_from(learn_groups *groups, const learn_points *points, double inner, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = groups->k, d = groups->width;
    double *centres = NULL;

    DUSK_NEW(centres, k * d);
    learn_start_spread(groups);
    memcpy(centres, groups->centre, k * d * sizeof *centres);
    DUSK_TRY(learn_points_cluster(points, centres, k, PUBLIC_SEED, err));
    learn_points_describe(points, centres, k, groups->count, groups->spread);
    for (size_t j = 0; j < k; j++) {
        learn_groups_place(groups, j, centres + j * d);
        groups->spread[j] = sqrt(groups->spread[j] + inner);
        learn_groups_reach(groups, j, LEARN_GROUP_RADIUS * groups->spread[j]);
    }
done:
    dusk_deallocate(centres);
    return status;
}

/* --- a grid ------------------------------------------------------------------------------------------------------- */

/* (rows sqrt(2) / (c deviation)) ^ (2 d / (d + 2)) cells balance noise and the size of cells; c is 10 in Su et al. 2016, and less here, since
 * make_weights keeps noise in its place. */
size_t learn_grid_side(size_t width, double rows, double deviation)
{
    double d = (double)width, cells = pow(fmax(rows * M_SQRT2 / (3 * deviation), 1), 2 * d / (d + 2));
    double side = ceil(pow(fmin(cells, CELLS_MOST), 1 / d) - 1e-9);
    while (side > 2 && pow(side, d) > CELLS_MOST) side--;
    return (size_t)fmax(side, 2);
}

static size_t cell_of(const double *x, const learn_groups *groups, size_t side)
{
    size_t cell = 0;
    for (size_t i = 0; i < groups->width; i++) {
        double width = groups->high[i] - groups->low[i] + 1;
        double at = floor((x[i] - groups->low[i]) * (double)side / width);
        at = fmin(fmax(at, 0), (double)side - 1);
        cell = cell * side + (size_t)at;
    }
    return cell;
}

static void middle_of(double *x, const learn_groups *groups, size_t side, size_t cell)
{
    for (size_t i = groups->width; i-- > 0; cell /= side) {
        double width = groups->high[i] - groups->low[i] + 1;
        x[i] = groups->low[i] + ((double)(cell % side) + 0.5) * width / (double)side;
    }
}

/* A box of cells, [low, high) in every direction. */
typedef struct cell_box {
    size_t low[GRID_WIDTH_MOST], high[GRID_WIDTH_MOST];
} cell_box;

typedef struct sharing {
    const double *noisy;
    double *weight;
    size_t side, width;
    double deviation; /* of a cell */
} sharing;

/* The sum of the noisy counts of a box, and how many cells it has. */
static double sum_box(const sharing *s, const cell_box *box, size_t direction, size_t first, double *cells)
{
    double sum = 0;
    for (size_t i = box->low[direction]; i < box->high[direction]; i++) {
        size_t at = first * s->side + i;
        if (direction + 1 < s->width)
            sum += sum_box(s, box, direction + 1, at, cells);
        else {
            sum += s->noisy[at];
            (*cells)++;
        }
    }
    return sum;
}

static void set_cell(const sharing *s, const cell_box *box, double weight)
{
    size_t cell = 0;
    for (size_t i = 0; i < s->width; i++) cell = cell * s->side + box->low[i];
    s->weight[cell] = weight;
}

static void share_out(const sharing *s, const cell_box *box, double total)
{
    size_t along = 0;
    cell_box half[2] = { *box, *box };
    double sum[2], cells[2] = { 0, 0 };
    for (size_t i = 1; i < s->width; i++)
        if (box->high[i] - box->low[i] > box->high[along] - box->low[along]) along = i;
    if (box->high[along] - box->low[along] == 1) {
        set_cell(s, box, total);
        return;
    }
    if (!(total > 0)) return;
    half[0].high[along] = half[1].low[along] = (box->low[along] + box->high[along]) / 2;
    for (int h = 0; h < 2; h++) sum[h] = sum_box(s, &half[h], 0, 0, &cells[h]);
    double rest = (total - sum[0] - sum[1]) / (cells[0] + cells[1]), heard[2];
    for (int h = 0; h < 2; h++) {
        sum[h] += rest * cells[h];
        heard[h] = sum[h] < 2 * s->deviation * sqrt(cells[h]) ? 0 : sum[h];
    }
    double both = heard[0] + heard[1];
    double first = both > 0 ? heard[0] / both * total : sum[0] > sum[1] ? total : 0;
    share_out(s, &half[0], first);
    share_out(s, &half[1], total - first);
}

/* Weights that are >= 0 from noisy counts: from the whole down, halves share what there is by what was counted in
 * them, one that is lost in noise getting nothing. So noise moves weight between neighbours, not across the box. */
static void make_weights(double *weight, const double *noisy, size_t side, size_t width, double deviation)
{
    sharing s = { noisy, weight, side, width, deviation };
    cell_box all = { { 0 }, { 0 } };
    double cells = 0;
    for (size_t i = 0; i < width; i++) all.high[i] = side;
    share_out(&s, &all, fmax(sum_box(&s, &all, 0, 0, &cells), 0));
}

DUSK_PROVEN(learn_start_grid)
dusk_status learn_start_grid(learn_groups *groups, const learn_noise *counts, double rows,
                             const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = groups->width, side = learn_grid_side(d, rows, counts->deviation);
    const size_t cells = (size_t)pow((double)side, (double)d);
    learn_points points = { .n = 0 };
    tensor_block block = { 0 };
    dusk_int128 *totals = NULL;
    double *sorted = NULL, inner = 0;

    DUSK_NEW(totals, cells);
    DUSK_NEW(sorted, cells);
    DUSK_TRY(learn_points_init(&points, cells, d, err));
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    while (tensor_block_next(&block))
        for (size_t i = 0; i < block.rows; i++) totals[cell_of(block.x + i * d, groups, side)]++;
    DUSK_TRY(learn_counts_release(counts, sorted, totals, cells, gen, err));
    make_weights(points.weight, sorted, side, d, counts->deviation);
    for (size_t c = 0; c < cells; c++) middle_of(points.x + c * d, groups, side, c);
    for (size_t i = 0; i < d; i++)
        inner += pow((groups->high[i] - groups->low[i] + 1) / (double)side, 2) / 12;
    DUSK_TRY(start_from(groups, &points, inner, err));
done:
    tensor_block_close(&block);
    if (totals) dusk_wipe(totals, cells * sizeof *totals);
    dusk_deallocate(totals);
    dusk_deallocate(sorted);
    learn_points_clear(&points);
    return status;
}

/* --- planes ----------------------------------------------------------------------------------------------------------- */

/* So many that a cell of average size has a mean that is known to about a tenth of the radius. */
size_t learn_hash_planes(size_t width, double rows, double deviation)
{
    double noise = deviation / LEARN_GROUP_SIZE * sqrt((double)width);
    double planes = floor(log2(fmax(rows / (4 * noise), 2)));
    return (size_t)fmin(planes, PLANES_MOST);
}

/* Whole numbers; coins of the generator, although they need not be secret. */
static dusk_status draw_planes(double *out, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < n; i++) {
        double sum = -2.0 * 1023;
        for (int part = 0; part < 4; part++) {
            uint64_t coin;
            DUSK_TRY(dusk_uniform_below(gen, &coin, 1024, err));
            sum += (double)coin;
        }
        out[i] = sum;
    }
done:
    return status;
}

/* Which cell rows of a block are in. */
static void hash(const tensor_block *block, const double *plane, const double *offset, size_t planes,
                 double *margins, int32_t *which)
{
    tensor_block_multiply(block, margins, plane, planes);
    for (size_t i = 0; i < block->rows; i++) {
        int32_t cell = 0;
        for (size_t p = 0; p < planes; p++) cell = 2 * cell + (margins[i * planes + p] >= offset[p]);
        which[i] = cell;
    }
}

typedef struct hashing {
    learn_groups cells; /* all with the mean as centre */
    size_t planes;
    double *plane, *offset;
} hashing;

static void close_hashing(hashing *h)
{
    learn_groups_clear(&h->cells);
    dusk_deallocate(h->plane);
    dusk_deallocate(h->offset);
}

/* All cells about the mean of `one`, with its radius. */
static dusk_status open_hashing(hashing *h, const learn_groups *one, size_t planes, dusk_generator *gen,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = one->width, k = (size_t)1 << planes;
    h->planes = planes;
    h->cells = (learn_groups){ .k = k, .width = d, .bound = one->bound };
    DUSK_NEW(h->cells.centre, k * d);
    DUSK_NEW(h->cells.scale, k);
    DUSK_NEW(h->cells.reach, k);
    DUSK_NEW(h->plane, planes * d);
    DUSK_NEW(h->offset, planes);
    for (size_t j = 0; j < k; j++) {
        memcpy(h->cells.centre + j * d, one->centre, d * sizeof *one->centre);
        learn_groups_reach(&h->cells, j, one->reach[0]);
    }
    DUSK_TRY(draw_planes(h->plane, planes * d, gen, err));
    for (size_t p = 0; p < planes; p++)
        for (size_t i = 0; i < d; i++) h->offset[p] += h->plane[p * d + i] * one->centre[i];
done:
    return status;
}

/* Cells with more rows than noise alone would show become points at their means. */
static double make_points(learn_points *points, const hashing *h, const learn_group_noise *noise,
                          const double *released)
{
    const size_t d = points->width;
    const double doubt = noise->noise.deviation / noise->weight;
    double rows = 0, square = 0;
    points->n = 0;
    for (size_t j = 0; j < h->cells.k; j++) {
        const double *own = released + j * (d + 2);
        double *x = points->x + points->n * d, moved = 0;
        if (!(own[d] > fmax(3 * doubt, 1))) continue;
        for (size_t i = 0; i < d; i++) {
            x[i] = own[i] / own[d];
            moved += x[i] * x[i];
            x[i] += h->cells.centre[j * d + i];
        }
        points->weight[points->n++] = own[d];
        rows += own[d];
        square += own[d + 1] - moved * own[d];
    }
    return rows > 0 ? fmax(square / rows, 0) : 0;
}

static dusk_status release_cells(const hashing *h, const learn_group_noise *noise, double *out,
                                 const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *margins = NULL, *scratch = NULL;
    int32_t *which = NULL;
    size_t room = 0;

    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    room = block.room;
    DUSK_NEW(margins, room * h->planes);
    DUSK_NEW(scratch, h->cells.width);
    DUSK_NEW(which, room);
    DUSK_TRY(learn_groups_sum(&h->cells, &sum, err));
    while (tensor_block_next(&block)) {
        hash(&block, h->plane, h->offset, h->planes, margins, which);
        learn_groups_add(&h->cells, &sum, &block, which, scratch);
    }
    DUSK_TRY(learn_groups_release(&h->cells, noise, &sum, out, gen, err));
done:
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    if (margins) dusk_wipe(margins, room * h->planes * sizeof *margins);
    if (which) dusk_wipe(which, room * sizeof *which);
    if (scratch) dusk_wipe(scratch, h->cells.width * sizeof *scratch);
    dusk_deallocate(margins);
    dusk_deallocate(scratch);
    dusk_deallocate(which);
    return status;
}

/* The mean of all rows, as the only group of `groups` with room for it: group 0. */
static dusk_status find_middle(learn_groups *groups, const learn_group_noise *noise,
                               const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    const size_t d = groups->width, k = groups->k;
    for (size_t i = 0; i < d; i++) groups->centre[i] = groups->low[i] / 2 + groups->high[i] / 2;
    learn_groups_place(groups, 0, groups->centre);
    double square = 0;
    for (size_t i = 0; i < d; i++) {
        double far = fmax(groups->high[i] - groups->centre[i], groups->centre[i] - groups->low[i]);
        square += far * far;
    }
    learn_groups_reach(groups, 0, ceil(sqrt(square)));
    groups->k = 1;
    dusk_status status = learn_groups_round(groups, noise, matrix, gen, err);
    groups->k = k;
    return status;
}

DUSK_PROVEN(learn_start_hash)
dusk_status learn_start_hash(learn_groups *groups, const learn_group_noise *middle,
                             const learn_group_noise *cells, double rows, const learn_matrix *matrix,
                             dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = groups->width, planes = learn_hash_planes(d, rows, cells->noise.deviation),
                 k = (size_t)1 << planes;
    hashing h = { .planes = 0 };
    learn_points points = { .n = 0 };
    double *released = NULL;

    DUSK_NEW(released, k * (d + 2));
    DUSK_TRY(learn_points_init(&points, k, d, err));
    DUSK_TRY(find_middle(groups, middle, matrix, gen, err));
    DUSK_TRY(open_hashing(&h, groups, planes, gen, err));
    DUSK_TRY(release_cells(&h, cells, released, matrix, gen, err));
    DUSK_TRY(start_from(groups, &points, make_points(&points, &h, cells, released), err));
done:
    close_hashing(&h);
    learn_points_clear(&points);
    dusk_deallocate(released);
    return status;
}
