/* SPDX-License-Identifier: Apache-2.0 */
/* Which tile is made when, and which pieces are copied first: a piece of b that stays in the second cache while all rows of a
 * go by. Floats of a are read where they are, a few rows of which stay in the first cache. None of this matters to the numbers: every element of c goes
 * through all of k in order, one step at a time, and other elements do not touch it. Proof: gemm.proof.md. */
#include "tensor/gemm.h"

#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "tensor/gemm_pack.h"
#include "tensor/gemm_tiles.h"

enum {
    CELL = sizeof(uint32_t),
    DEPTH = 256,      /* cells of k in a piece */
    BREADTH = 1024,   /* columns of b in a piece */
    LINE = 64 / CELL, /* cells of a line of the cache */
    HEIGHT = 16,      /* rows of a copied piece of a, at least those of a tile */
    ROOM = DEPTH * (BREADTH + HEIGHT) + LINE,
};

size_t tensor_gemm_bytes(void) { return ROOM * sizeof(uint32_t); }

dusk_status tensor_gemm_open(tensor_gemm_work *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t *room;
    *out = (tensor_gemm_work){ 0 };
    DUSK_NEW(room, ROOM);
    out->room = room;
done:
    return status;
}

void tensor_gemm_close(tensor_gemm_work *work)
{
    if (work->room) dusk_wipe(work->room, work->used * CELL);
    dusk_deallocate(work->room);
    *work = (tensor_gemm_work){ 0 };
}

typedef void packer(int level, uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t k);

typedef struct product {
    const tensor_tiles *tiles;
    packer *pack;
    int level;
    size_t numbers; /* of a cell: 1 float, or 2 of 16 bits */
    uint32_t *c;    /* or floats */
    size_t stride;
    tensor_lines a, b; /* rows and columns */
    bool copy_a, copy_b;
    size_t m, n, k; /* k: of numbers */
    uint32_t *left, *right;
} product;

/* A piece of k: cells of it, and how many numbers these are. */
typedef struct piece {
    size_t from, numbers, cells;
    bool start, copy_a;
} piece;

/* A tile of fewer columns than its vectors have, where parts of vectors cannot be loaded: by way of a whole one. */
DUSK_PROVEN(make_edge)
static void make_edge(const product *x, tensor_tile *tile, size_t rows, size_t width, uint32_t *c,
                      const char *a, size_t row, size_t column, const char *b, size_t step, const piece *in)
{
    uint32_t whole[TENSOR_TILE_ROWS * TENSOR_TILE_WIDTH] = { 0 };
    for (size_t i = 0; i < rows && !in->start; i++)
        memcpy(whole + i * TENSOR_TILE_WIDTH, c + i * x->stride, width * CELL);
    tile(whole, TENSOR_TILE_WIDTH, a, row, column, b, step, in->cells, 2 * x->tiles->lanes, in->start);
    for (size_t i = 0; i < rows; i++) memcpy(c + i * x->stride, whole + i * TENSOR_TILE_WIDTH, width * CELL);
}

/* Rows of c from `first` on, columns from `left` to `right`. */
DUSK_PROVEN(make_rows)
static void make_rows(const product *x, size_t first, size_t rows, size_t left, size_t right, const piece *in)
{
    const tensor_tiles *tiles = x->tiles;
    const char *a = x->a.at + first * x->a.across + in->from * x->a.along;
    size_t row = x->a.across, column = x->a.along * x->numbers, most = 2 * tiles->lanes;
    if (in->copy_a) {
        x->pack(x->level, x->left, HEIGHT, (tensor_lines){ a, row, x->a.along }, rows, in->numbers);
        a = (const char *)x->left;
        row = CELL;
        column = HEIGHT * CELL;
    }
    for (size_t j = left; j < right; j += most) {
        const size_t width = right - j < most ? right - j : most;
        uint32_t *c = x->c + first * x->stride + j;
        const char *b = x->copy_b ? (const char *)(x->right + (j - left) * in->cells)
                                  : x->b.at + j * x->b.across + in->from * x->b.along;
        const size_t step = x->copy_b ? most * CELL : x->b.along;
        if (tiles->whole && width < most)
            make_edge(x, tiles->two[rows - 1], rows, width, c, a, row, column, b, step, in);
        else
            (width <= tiles->lanes ? tiles->one : tiles->two)[rows - 1](c, x->stride, a, row, column, b, step,
                                                                        in->cells, width, in->start);
    }
}

/* Rows are dealt to tiles evenly. */
DUSK_PROVEN(make_piece)
static void make_piece(const product *x, size_t left, size_t right, const piece *in)
{
    const size_t most = 2 * x->tiles->lanes;
    for (size_t j = left; x->copy_b && j < right; j += most) {
        const size_t width = right - j < most ? right - j : most;
        const tensor_lines from = { x->b.at + j * x->b.across + in->from * x->b.along, x->b.across,
                                    x->b.along };
        x->pack(x->level, x->right + (j - left) * in->cells, most, from, width, in->numbers);
    }
    size_t tiles = (x->m + x->tiles->rows - 1) / x->tiles->rows, first = 0;
    for (; tiles > 0; tiles--) {
        const size_t rows = (x->m - first + tiles - 1) / tiles;
        make_rows(x, first, rows, left, right, in);
        first += rows;
    }
}

/* Where a is read in place, the last of an odd number of numbers has no neighbour, and is a piece of its own, copied. */
DUSK_PROVEN(next_piece)
static piece next_piece(const product *x, size_t from, bool add)
{
    const size_t most = DEPTH * x->numbers;
    piece in = { .from = from, .numbers = x->k - from < most ? x->k - from : most };
    if (!x->copy_a && in.numbers > 1) in.numbers -= in.numbers % x->numbers;
    in.cells = (in.numbers + DUSK_MUTATE(GEMM_ODD_NUMBER_LOST, x->numbers - 1, 0)) / x->numbers;
    in.copy_a = x->copy_a || in.numbers < x->numbers;
    in.start = DUSK_MUTATE(GEMM_PIECES_FORGOTTEN, from == 0, true) && !add;
    return in;
}

DUSK_PROVEN(make)
static void make(product *x, bool add, tensor_gemm_work *work)
{
    const size_t beyond = (uintptr_t)work->room / CELL % LINE, most = 2 * x->tiles->lanes;
    const size_t columns = x->n < BREADTH ? (x->n + most - 1) / most * most : BREADTH;
    const size_t cells = x->k < DEPTH * x->numbers ? (x->k + x->numbers - 1) / x->numbers : DEPTH;
    const size_t used = LINE + DEPTH * HEIGHT + columns * cells;
    x->left = (uint32_t *)work->room + (beyond ? LINE - beyond : 0);
    x->right = x->left + DEPTH * HEIGHT;
    if (used > work->used) work->used = used;
    for (size_t i = 0; i < x->m && !add && x->k == 0; i++) memset(x->c + i * x->stride, 0, x->n * CELL);
    for (size_t left = 0; left < x->n; left += BREADTH)
        for (size_t from = 0; from < x->k;) {
            const size_t right = x->n - left < BREADTH ? x->n : left + BREADTH;
            const piece in = next_piece(x, from, add);
            make_piece(x, left, right, &in);
            from += in.numbers;
        }
}

DUSK_PROVEN(tensor_gemm)
void tensor_gemm(int level, float *c, size_t stride, tensor_view a, tensor_view b, size_t m, size_t n,
                 size_t k, bool add, tensor_gemm_work *work)
{
    const tensor_tiles *tiles =
        tensor_tiles_of_floats(DUSK_MUTATE(GEMM_FEW_ROWS_APART, level, m < 4 ? 0 : level));
    product x = { .tiles = tiles,
                  .pack = tensor_pack_floats,
                  .level = level,
                  .numbers = 1,
                  .c = (uint32_t *)(void *)c,
                  .stride = stride,
                  .a = { (const char *)a.at, a.row * CELL, a.column * CELL },
                  .b = { (const char *)b.at, b.column * CELL, b.row * CELL },
                  .m = m,
                  .n = n,
                  .k = k };
    x.copy_b = b.column != 1 || tiles->whole || (m > 8 * TENSOR_TILE_ROWS && n > 2 * TENSOR_TILE_WIDTH);
    make(&x, add, work);
}

DUSK_PROVEN(tensor_gemm16)
void tensor_gemm16(int level, int32_t *c, size_t stride, tensor_view16 a, tensor_view16 b, size_t m, size_t n,
                   size_t k, tensor_gemm_work *work)
{
    product x = { .tiles = tensor_tiles_of_pairs(level, tensor_tiles_have_dots()),
                  .pack = tensor_pack_pairs,
                  .level = level,
                  .numbers = 2,
                  .c = (uint32_t *)(void *)c,
                  .stride = stride,
                  .a = { (const char *)a.at, a.row * sizeof *a.at, a.column * sizeof *a.at },
                  .b = { (const char *)b.at, b.column * sizeof *b.at, b.row * sizeof *b.at },
                  .m = m,
                  .n = n,
                  .k = k };
    x.copy_a = a.column != 1;
    x.copy_b = true;
    make(&x, true, work);
}
