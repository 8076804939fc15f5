/* SPDX-License-Identifier: Apache-2.0 */
/* k-means begins by sampling and aggregating [Nissim, Raskhodnikova & Smith 2007]: rows go to blocks by coins of their own, each block is clustered by itself without
 * noise, and what is released is where the centres of all blocks are, on the grid of kmeans_grid.c. A row is in one block, so it moves the k
 * centres of one block at most, whatever it is. Proof: kmeans_blocks.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/kmeans_start.h"
#include "random/keyed.h"

#define ROWS_A_CENTRE 8.0 /* in a block, on average */

/* --- plan ---------------------------------------------------------------------------------------------------- */

static size_t count_blocks(uint64_t rows, size_t k)
{
    double blocks = rows > 0 ? floor((double)rows / (ROWS_A_CENTRE * (double)k)) : 256;
    return (size_t)fmin(fmax(blocks, 8), 65536);
}

DUSK_PROVEN(learn_plan_blocks)
dusk_status learn_plan_blocks(learn_job *job, learn_block_noise *out, size_t k, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double moved = 2 * DUSK_MUTATE(BLOCKS_MOVE_ONE_CENTRE, (double)k, 1);
    share *= job->budget.delta == 0 ? job->budget.left : job->budget.left < 1 ? 0.6 : 1;
    out->blocks = count_blocks(job->rows, k);
    DUSK_TRY(learn_budget_counts(&job->budget, &out->coarse, moved, 0.3 * share, err));
    DUSK_TRY(learn_budget_counts(&job->budget, &out->fine, moved, 0.7 * share, err));
    learn_say(job,
              "where the centres of %zu blocks of rows are, on a grid, with noise of deviation %.4g and %.4g",
              out->blocks, out->coarse.deviation, out->fine.deviation);
done:
    return status;
}

/* --- blocks ---------------------------------------------------------------------------------------------------- */

/* start[b] .. start[b + 1] - 1 of `order` are the rows of block b. */
static void sort_rows(const uint64_t *block, size_t rows, size_t blocks, size_t *order, size_t *start)
{
    for (size_t i = 0; i < rows; i++) start[block[i] + 1]++;
    for (size_t b = 0; b < blocks; b++) start[b + 1] += start[b];
    for (size_t i = 0; i < rows; i++) order[start[block[i]]++] = i;
    for (size_t b = blocks; b > 0; b--) start[b] = start[b - 1];
    start[0] = 0;
}

/* k centres of one block, whole steps in the box, whatever its rows; spread over the box where rows do not say. */
DUSK_PROVEN(cluster_block)
static dusk_status cluster_block(float *out, learn_groups *scratch, double *centres,
                                 const learn_matrix *matrix, const size_t *row, size_t rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = scratch->k, d = scratch->width;
    learn_points points = { .n = 0 };
    learn_start_spread(scratch);
    memcpy(centres, scratch->centre, k * d * sizeof *centres);
    DUSK_TRY(learn_points_init(&points, rows, d, err));
    for (size_t i = 0; i < rows; i++) {
        points.weight[i] = 1;
        for (size_t a = 0; a < d; a++) points.x[i * d + a] = (double)matrix->rows.x[row[i] * d + a];
    }
    DUSK_TRY(learn_points_cluster(&points, centres, k, 1, err));
    for (size_t j = 0; j < k; j++) {
        learn_groups_place(scratch, j, centres + j * d);
        for (size_t a = 0; a < d; a++) out[j * d + a] = (float)scratch->centre[j * d + a];
    }
done:
    if (points.x) dusk_wipe(points.x, rows * d * sizeof *points.x);
    learn_points_clear(&points);
    return status;
}

static dusk_status cluster_blocks(float *out, size_t blocks, learn_groups *groups, const learn_matrix *matrix,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t rows = matrix->rows.rows, each = groups->k * groups->width;
    dusk_keyed_coins *coins = NULL;
    uint64_t *block = NULL;
    size_t *order = NULL, *start = NULL;
    double *centres = NULL;

    DUSK_NEW(block, rows);
    DUSK_NEW(order, rows);
    DUSK_NEW(start, blocks + 1);
    DUSK_NEW(centres, each);
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    DUSK_TRY(dusk_keyed_below(coins, 0, NULL, block, rows, blocks, err));
    sort_rows(block, rows, blocks, order, start);
    for (size_t b = 0; b < blocks; b++)
        DUSK_TRY(cluster_block(out + b * each, groups, centres, matrix, order + start[b],
                               start[b + 1] - start[b], err));
done:
    dusk_keyed_free(coins);
    dusk_deallocate(block);
    dusk_deallocate(order);
    dusk_deallocate(start);
    dusk_deallocate(centres);
    return status;
}

DUSK_PROVEN(learn_start_blocks)
dusk_status learn_start_blocks(learn_groups *groups, const learn_block_noise *noise,
                               const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = noise->blocks * groups->k, cells = n * groups->width;
    learn_matrix centres = { .rows = { .rows = n, .width = groups->width }, .bound = groups->bound };
    float *x = NULL;

    DUSK_NEW(x, cells);
    DUSK_TRY(cluster_blocks(x, noise->blocks, groups, matrix, gen, err));
    centres.rows.x = x;
    DUSK_TRY(learn_start_grid(groups, &noise->coarse, &noise->fine, (double)n, &centres, gen, err));
done:
    if (x) dusk_wipe(x, cells * sizeof *x);
    dusk_deallocate(x);
    return status;
}
