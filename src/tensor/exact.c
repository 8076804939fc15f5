/* SPDX-License-Identifier: Apache-2.0 */
/* Whole numbers through BLAS: exact because nothing passes 2^53. Proof: exact.proof.md. */
#include "tensor/exact.h"

#include <cblas.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "tensor/lanes.h"
#include "tensor/tiles.h"

/* --- blocks --------------------------------------------------------------------------------------- */

/* About 256 kB of doubles, so that a block stays in the cache for all that is done with it; of wide rows more, since every
 * block goes once through a gram, which is larger. */
static size_t block_room(size_t width)
{
    size_t room = 1024;
    while (room > 16 && room * width > (room > 128 ? 32768 : 1 << 18)) room /= 2;
    return room;
}

dusk_status tensor_block_open(tensor_block *out, const tensor_rows *source, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { .source = source, .room = block_room(source->width) };
    *out = (tensor_block){ 0 };
    DUSK_NEW(block.x, block.room * source->width);
    *out = block;
done:
    return status;
}

bool tensor_block_advance(tensor_block *block)
{
    const tensor_rows *source = block->source;
    size_t first = block->first + block->rows, rows = source->rows - first;
    if (first >= source->rows) {
        block->first = block->rows = 0;
        return false;
    }
    if (rows > block->room) rows = block->room;
    block->first = first;
    block->rows = rows;
    block->changed = false;
    return true;
}

bool tensor_block_next(tensor_block *block)
{
    const size_t width = block->source->width;
    if (!tensor_block_advance(block)) return false;
    tensor_tiles_widen(tensor_lanes_level(), block->x, block->source->x + block->first * width,
                       block->rows * width);
    return true;
}

void tensor_block_close(tensor_block *block)
{
    if (block->x) dusk_wipe(block->x, block->room * block->source->width * sizeof *block->x);
    dusk_deallocate(block->x);
    *block = (tensor_block){ 0 };
}

static const float *block_floats(const tensor_block *block)
{
    return block->source->x + block->first * block->source->width;
}

DUSK_PROVEN(tensor_block_multiply)
void tensor_block_multiply(const tensor_block *block, double *out, const double *vectors, size_t k)
{
    const int rows = (int)block->rows, width = (int)block->source->width, level = tensor_lanes_level();
    if (k == 1 && !block->changed)
        tensor_lanes_multiply(level, out, block_floats(block), block->rows, block->source->width, vectors);
    else if (!tensor_tiles_multiply(level, out, block->x, block->rows, block->source->width, vectors, k))
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, (int)k, width, 1, block->x, width, vectors,
                    width, 0, out, (int)k);
}

DUSK_PROVEN(tensor_block_distances)
void tensor_block_distances(const tensor_block *block, double *out, const double *centres,
                            const int32_t *which)
{
    tensor_tiles_distances(tensor_lanes_level(), out, block->x, block->rows, block->source->width, centres,
                           which);
}

/* --- sums ----------------------------------------------------------------------------------------- */

dusk_status tensor_sum_init(tensor_sum *out, size_t cells, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_sum sum = { .cells = cells };
    *out = (tensor_sum){ 0 };
    DUSK_NEW(sum.part, cells);
    DUSK_NEW(sum.total, cells);
    *out = sum;
    sum = (tensor_sum){ 0 };
done:
    tensor_sum_clear(&sum);
    return status;
}

void tensor_sum_reset(tensor_sum *sum)
{
    memset(sum->part, 0, sum->cells * sizeof *sum->part);
    memset(sum->total, 0, sum->cells * sizeof *sum->total);
    sum->pending = 0;
    sum->triangle = 0;
}

void tensor_sum_clear(tensor_sum *sum)
{
    if (sum->part) dusk_wipe(sum->part, sum->cells * sizeof *sum->part);
    if (sum->total) dusk_wipe(sum->total, sum->cells * sizeof *sum->total);
    dusk_deallocate(sum->part);
    dusk_deallocate(sum->total);
    *sum = (tensor_sum){ 0 };
}

/* Copy the upper triangle of a gram below, where it has not been done; both are the same but for what grams have added. */
static void mirror(tensor_sum *sum)
{
    const size_t width = sum->triangle;
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < i; j++) sum->part[i * width + j] = sum->part[j * width + i];
    sum->triangle = 0;
}

DUSK_PROVEN(settle)
static void settle(tensor_sum *sum)
{
    mirror(sum);
    for (size_t i = 0; i < sum->cells; i++) {
        sum->total[i] += (int64_t)sum->part[i];
        sum->part[i] = 0;
    }
    sum->pending = 0;
}

/* Room for `growth` more in every cell. */
DUSK_PROVEN(make_room)
static void make_room(tensor_sum *sum, double growth)
{
    if (sum->pending + growth >= DUSK_MUTATE(TENSOR_SUM_NEVER_SETTLES, TENSOR_DOUBLE_MOST, 0x1p200))
        settle(sum);
    sum->pending += growth;
}

const dusk_int128 *tensor_sum_totals(tensor_sum *sum)
{
    settle(sum);
    return sum->total;
}

DUSK_PROVEN(tensor_sum_combine)
void tensor_sum_combine(tensor_sum *sum, const tensor_block *block, const double *coefficients, size_t k,
                        double most)
{
    const int rows = (int)block->rows, width = (int)block->source->width;
    mirror(sum);
    make_room(sum, most * (double)block->rows);
    if (k == 1 && !block->changed)
        tensor_lanes_combine(tensor_lanes_level(), sum->part, block_floats(block), block->rows,
                             block->source->width, coefficients);
    else
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)k, width, rows, 1, coefficients, (int)k,
                    block->x, width, 1, sum->part, width);
}

DUSK_PROVEN(tensor_sum_gram)
void tensor_sum_gram(tensor_sum *sum, const tensor_block *block, double most)
{
    const int rows = (int)block->rows, width = (int)block->source->width;
    make_room(sum, most * (double)block->rows);
    if (!tensor_tiles_gram(tensor_lanes_level(), sum->part, block->x, block->rows, block->source->width))
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, width, rows, 1, block->x, width, 1, sum->part,
                    width);
    sum->triangle = block->source->width;
}

DUSK_PROVEN(tensor_sum_weighted_gram)
void tensor_sum_weighted_gram(tensor_sum *sum, const tensor_block *block, const double *coefficients,
                              double *scratch, double most)
{
    const size_t width = block->source->width;
    mirror(sum);
    make_room(sum, most * (double)block->rows);
    for (size_t i = 0; i < block->rows; i++)
        for (size_t c = 0; c < width; c++) scratch[i * width + c] = coefficients[i] * block->x[i * width + c];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)width, (int)width, (int)block->rows, 1,
                block->x, (int)width, scratch, (int)width, 1, sum->part, (int)width);
}

DUSK_PROVEN(tensor_sum_add)
void tensor_sum_add(tensor_sum *sum, size_t cell, const double *values, size_t n, double most)
{
    mirror(sum);
    make_room(sum, most);
    for (size_t i = 0; i < n; i++) sum->part[cell + i] += values[i];
}

DUSK_PROVEN(tensor_sum_scatter)
void tensor_sum_scatter(tensor_sum *sum, size_t first, size_t stride, const double *x, size_t rows,
                        size_t width, const int32_t *which, double most)
{
    mirror(sum);
    make_room(sum, most * (double)rows);
    tensor_tiles_scatter(tensor_lanes_level(), sum->part + first, stride, x, rows, width, which);
}
