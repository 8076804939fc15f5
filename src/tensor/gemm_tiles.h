/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TENSOR_GEMM_TILES_H
#define DUSK_TENSOR_GEMM_TILES_H

/* The inside of gemm.h: a tile of c that stays in registers while all of k goes by. All is of cells of 32 bits: floats, whole
 * numbers of 32 bits in c, and pairs of whole numbers of 16 bits, neighbours in k, in a and b. */

#include <stdbool.h>
#include <stddef.h>

/* c[i][j] (rows `stride` cells apart) = what is there, or zero at the start; then for p = 0, 1, ..., k - 1 in this order
 * c[i][j] = step(c[i][j], a[i][p], b[p][j]): for floats a fused multiply-add (at level 0 a product and a sum, both rounded), for
 * pairs the exact sum modulo 2^32. Cell (i, p) of a is `row` * i + `column` * p bytes from a, cell (p, j) of b `step` * p bytes
 * and j cells from b. j < width. The number of rows is in the tile. */
typedef void tensor_tile(void *c, size_t stride, const char *a, size_t row, size_t column, const char *b,
                         size_t step, size_t k, size_t width, bool start);

enum { TENSOR_TILE_ROWS = 14, TENSOR_TILE_WIDTH = 32 }; /* the most of all levels */

typedef struct tensor_tiles {
    size_t rows;                          /* at most */
    size_t lanes;                         /* of a vector: widths are at most that, or twice that */
    bool whole;                           /* widths are exactly that */
    tensor_tile *const *one, *const *two; /* tile of r rows and one or two vectors: [r - 1] */
} tensor_tiles;

/* Levels as in lanes.h. */
const tensor_tiles *tensor_tiles_of_floats(int level);
const tensor_tiles *tensor_tiles_of_pairs(int level, bool dots);
/* Whether the machine has an instruction for the step of pairs, at level 2: `dots`. */
bool tensor_tiles_have_dots(void);

#endif
