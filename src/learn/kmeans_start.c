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

#define PLANES_MOST 11.0
#define GRID_WIDTH_MOST 3 /* beyond, planes are better than cells */
#define COARSE_SHARE 0.3
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

dusk_status learn_start_from(learn_groups *groups, const learn_points *points, double inner, dusk_error *err)
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

/* Planes that cut each of `parents` groups through its centre, the same directions in all of them. */
typedef struct cutting {
    const learn_groups *parents;
    size_t planes;
    double *plane, *offset; /* planes * width; parents->k * planes */
    double *margins;        /* room for a block */
} cutting;

/* Two levels at most: cells of the mean of all rows, and cells of those. */
typedef struct hashing {
    cutting cut[2];
    size_t levels;
    learn_groups cells[2];
} hashing;

static void close_hashing(hashing *h, size_t room)
{
    for (size_t l = 0; l < 2; l++) {
        if (h->cut[l].margins) dusk_wipe(h->cut[l].margins, room * h->cut[l].planes * sizeof(double));
        dusk_deallocate(h->cut[l].margins);
        dusk_deallocate(h->cut[l].plane);
        dusk_deallocate(h->cut[l].offset);
        learn_groups_clear(&h->cells[l]);
    }
}

/* Which cell rows of a block are in, by all levels so far. */
static void hash(const hashing *h, const tensor_block *block, int32_t *which)
{
    memset(which, 0, block->rows * sizeof *which);
    for (size_t l = 0; l < h->levels; l++) {
        const cutting *cut = &h->cut[l];
        tensor_block_multiply(block, cut->margins, cut->plane, cut->planes);
        for (size_t i = 0; i < block->rows; i++) {
            const double *offset = cut->offset + (size_t)which[i] * cut->planes;
            for (size_t p = 0; p < cut->planes; p++)
                which[i] = 2 * which[i] + (cut->margins[i * cut->planes + p] >= offset[p]);
        }
    }
}

/* One more level: every group of `parents` is cut by as many planes, and cells have the centre and radius of their parent. */
static dusk_status cut_groups(hashing *h, const learn_groups *parents, size_t planes, size_t room,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = parents->width, k = parents->k << planes, l = h->levels++;
    cutting *cut = &h->cut[l];
    learn_groups *cells = &h->cells[l];
    cut->parents = parents;
    cut->planes = planes;
    *cells = (learn_groups){ .k = k, .width = d, .bound = parents->bound };
    DUSK_NEW(cells->centre, k * d);
    DUSK_NEW(cells->square, k);
    DUSK_NEW(cells->scale, k);
    DUSK_NEW(cells->reach, k);
    DUSK_NEW(cells->count, k);
    DUSK_NEW(cells->spread, k);
    DUSK_NEW(cells->low, d);
    DUSK_NEW(cells->high, d);
    DUSK_NEW(cut->plane, planes * d);
    DUSK_NEW(cut->offset, parents->k * planes);
    DUSK_NEW(cut->margins, room * planes);
    memcpy(cells->low, parents->low, d * sizeof *cells->low);
    memcpy(cells->high, parents->high, d * sizeof *cells->high);
    DUSK_TRY(draw_planes(cut->plane, planes * d, gen, err));
    for (size_t j = 0; j < k; j++) {
        memcpy(cells->centre + j * d, parents->centre + (j >> planes) * d, d * sizeof *cells->centre);
        learn_groups_reach(cells, j, parents->reach[j >> planes]);
    }
    for (size_t j = 0; j < parents->k; j++)
        for (size_t p = 0; p < planes; p++)
            for (size_t i = 0; i < d; i++)
                cut->offset[j * planes + p] += cut->plane[p * d + i] * parents->centre[j * d + i];
done:
    return status;
}

/* Release the cells of the last level, and move them to their means. */
static dusk_status release_cells(hashing *h, const learn_group_noise *noise, tensor_block *block,
                                 dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_groups *cells = &h->cells[h->levels - 1];
    tensor_sum sum = { 0 };
    double *scratch = NULL, *released = NULL;
    int32_t *which = NULL;

    DUSK_NEW(scratch, LEARN_GROUP_SCRATCH(block->room, cells->width));
    DUSK_NEW(released, cells->k * (cells->width + 2));
    DUSK_NEW(which, block->room);
    DUSK_TRY(learn_groups_sum(cells, &sum, err));
    while (tensor_block_next(block)) {
        hash(h, block, which);
        learn_groups_add(cells, &sum, block, which, scratch);
    }
    DUSK_TRY(learn_groups_release(cells, noise, &sum, released, gen, err));
    learn_groups_move(cells, noise, released);
done:
    tensor_sum_clear(&sum);
    if (which) dusk_wipe(which, block->room * sizeof *which);
    if (scratch) dusk_wipe(scratch, LEARN_GROUP_SCRATCH(block->room, cells->width) * sizeof *scratch);
    dusk_deallocate(scratch);
    dusk_deallocate(released);
    dusk_deallocate(which);
    return status;
}

static void add_point(learn_points *points, const learn_groups *from, size_t j, double *square)
{
    const size_t d = points->width;
    memcpy(points->x + points->n * d, from->centre + j * d, d * sizeof *points->x);
    points->weight[points->n++] = from->count[j];
    *square += from->count[j] * from->spread[j] * from->spread[j];
}

/* Cells with more rows than noise alone would show become points at their means; where that is none of a parent's
 * cells, the parent does. Returns the mean square of rows about their points. */
static double make_points(learn_points *points, const hashing *h, const learn_group_noise *noise)
{
    const learn_groups *last = &h->cells[1], *parents = &h->cells[0];
    const size_t planes = h->cut[1].planes;
    double rows = 0, square = 0, doubt = noise->noise.deviation / noise->weight;
    points->n = 0;
    for (size_t j = 0; j < parents->k; j++) {
        size_t before = points->n;
        for (size_t c = j << planes; c < (j + 1) << planes; c++)
            if (last->count[c] > fmax(3 * doubt, 1)) add_point(points, last, c, &square);
        if (points->n == before && parents->count[j] > 1) add_point(points, parents, j, &square);
    }
    for (size_t i = 0; i < points->n; i++) rows += points->weight[i];
    return rows > 0 ? square / rows : 0;
}

/* The mean of all rows, as the only group of `one`. */
static dusk_status find_middle(learn_groups *one, const learn_groups *groups, const learn_group_noise *noise,
                               const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    const size_t d = groups->width;
    double square = 0;
    memcpy(one->low, groups->low, d * sizeof *one->low);
    memcpy(one->high, groups->high, d * sizeof *one->high);
    for (size_t i = 0; i < d; i++) one->centre[i] = groups->low[i] / 2 + groups->high[i] / 2;
    learn_groups_place(one, 0, one->centre);
    for (size_t i = 0; i < d; i++) {
        double far = fmax(one->high[i] - one->centre[i], one->centre[i] - one->low[i]);
        square += far * far;
    }
    learn_groups_reach(one, 0, ceil(sqrt(square)));
    return learn_groups_round(one, noise, matrix, gen, err);
}

DUSK_PROVEN(learn_start_hash)
dusk_status learn_start_hash(learn_groups *groups, const learn_hash_noise *noise, double rows,
                             const learn_features *features, const dusk_fields *fields,
                             const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t planes = learn_hash_planes(groups->width, rows, noise->fine.noise.deviation);
    const size_t first = planes / 2 < 1 ? 1 : planes / 2, second = planes > first ? planes - first : 1;
    hashing h = { .levels = 0 };
    learn_groups one = { .k = 0 };
    learn_points points = { .n = 0 };
    tensor_block block = { 0 };

    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_TRY(learn_points_init(&points, (size_t)1 << (first + second), groups->width, err));
    DUSK_TRY(learn_groups_init(&one, 1, features, fields, err));
    DUSK_TRY(find_middle(&one, groups, &noise->middle, matrix, gen, err));
    DUSK_TRY(cut_groups(&h, &one, first, block.room, gen, err));
    DUSK_TRY(release_cells(&h, &noise->coarse, &block, gen, err));
    DUSK_TRY(cut_groups(&h, &h.cells[0], second, block.room, gen, err));
    DUSK_TRY(release_cells(&h, &noise->fine, &block, gen, err));
    DUSK_TRY(learn_start_from(groups, &points, make_points(&points, &h, &noise->fine), err));
done:
    close_hashing(&h, block.room);
    tensor_block_close(&block);
    learn_groups_clear(&one);
    learn_points_clear(&points);
    return status;
}

/* --- any of them ------------------------------------------------------------------------------------------------------ */

int learn_start_method(const learn_job *job, int asked)
{
    if (asked != LEARN_START_AUTO) return asked;
    return job->features.width <= GRID_WIDTH_MOST ? LEARN_START_GRID : LEARN_START_HASH;
}

/* Counts are pure, so that their share is of epsilon; when Gaussian noise was used before, it cannot be all of that. */
static dusk_status plan_grid(learn_job *job, learn_start *start, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    share *= job->budget.delta == 0 ? job->budget.left : job->budget.left < 1 ? 0.6 : 1;
    if (job->rows == 0) {
        DUSK_TRY(learn_budget_counts(&job->budget, &start->rows, 1, 0.05 * share, err));
        learn_say(job, "the number of rows, with noise of deviation %.4g", start->rows.deviation);
        share *= 0.95;
    }
    DUSK_TRY(learn_budget_counts(&job->budget, &start->coarse, 1, COARSE_SHARE * share, err));
    DUSK_TRY(learn_budget_counts(&job->budget, &start->fine, 1, (1 - COARSE_SHARE) * share, err));
    learn_say(job,
              "counts of the cells of a coarse grid, with noise of deviation %.4g, and of a finer one, %.4g",
              start->coarse.deviation, start->fine.deviation);
done:
    return status;
}

DUSK_PROVEN(learn_plan_start)
dusk_status learn_plan_start(learn_job *job, learn_start *start, size_t k, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (start->method == LEARN_START_GRID) DUSK_TRY(plan_grid(job, start, share, err));
    if (start->method == LEARN_START_BLOCKS) DUSK_TRY(learn_plan_blocks(job, &start->blocks, k, share, err));
    if (start->method == LEARN_START_CHOICE)
        DUSK_TRY(learn_plan_choice(job, &start->choice, k, share * job->budget.left, err));
    if (start->method == LEARN_START_SKETCH)
        DUSK_TRY(learn_plan_sketch(job, &start->sketch, k, share * job->budget.left, err));
    if (start->method == LEARN_START_HASH) {
        DUSK_TRY(learn_plan_count(job, &start->rows, 0.02 * job->budget.left, err));
        share *= job->budget.left;
        DUSK_TRY(learn_plan_groups(job, &start->hash.middle, 0.1 * share, 1, err));
        DUSK_TRY(learn_plan_groups(job, &start->hash.coarse, 0.3 * share, 1, err));
        DUSK_TRY(learn_plan_groups(job, &start->hash.fine, 0.6 * share, 1, err));
        learn_say(job, "mean and spread of all rows, of cells that random planes cut, and of cells of those");
    }
done:
    return status;
}

/* About how many rows there are. */
static dusk_status find_rows(const learn_job *job, const learn_start *start, double *rows,
                             const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 total = (dusk_int128)matrix->rows.rows;
    if (start->method == LEARN_START_HASH || start->rows.dimension == 0)
        return learn_fit_count(job, &start->rows, rows, matrix->rows.rows, gen, err);
    return learn_counts_release(&start->rows, rows, &total, 1, gen, err);
}

DUSK_PROVEN(learn_fit_start)
dusk_status learn_fit_start(const learn_job *job, const learn_start *start, learn_groups *groups,
                            const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double rows = 1;
    if (start->method == LEARN_START_SPREAD) {
        learn_start_spread(groups);
        return DUSK_OK;
    }
    if (start->method == LEARN_START_CHOICE)
        return learn_start_choice(groups, &start->choice, &job->features, job->fields, matrix, gen, err);
    if (start->method == LEARN_START_BLOCKS)
        return learn_start_blocks(groups, &start->blocks, matrix, gen, err);
    if (start->method == LEARN_START_SKETCH)
        return learn_start_sketch(groups, &start->sketch, matrix, gen, err);
    DUSK_TRY(find_rows(job, start, &rows, matrix, gen, err));
    if (start->method == LEARN_START_GRID)
        DUSK_TRY(learn_start_grid(groups, &start->coarse, &start->fine, rows, matrix, gen, err));
    else
        DUSK_TRY(learn_start_hash(groups, &start->hash, rows, &job->features, job->fields, matrix, gen, err));
done:
    return status;
}
