/* SPDX-License-Identifier: Apache-2.0 */
/* Systems in lanes; see cholesky.h. A = U^T U, right sides being further columns of U, then back from the last row. Numbers come in tiles of 4 x 4 lines, a
 * line being one number of eight systems; a tile takes what PANEL rows above it have, while it is in registers. No tile is partial, nothing is fused, and
 * every number is one chain in the order of rows: Golub & Van Loan, Matrix Computations, 4.2. Proof: cholesky.proof.md. */
#include "deep/cholesky.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "deep/real.h"

enum { LANES = DEEP_CHOLESKY_LANES, TILE = DEEP_CHOLESKY_TILE, PANEL = 32 };

/* One number of all systems. */
typedef double line __attribute__((vector_size(LANES * sizeof(double)), may_alias));

static size_t whole_tiles(size_t n) { return (n + TILE - 1) / TILE * TILE; }

/* Lines before row i, the first of its panel. A panel has columns from its own on, tile by tile; a tile is 16 lines by rows, after which come the next four rows of
 * its columns. */
DEEP_INLINE size_t lines_before(const deep_cholesky *s, size_t i)
{
    return i * s->width - i * (i - PANEL) / 2;
}

/* The tile of rows i to i + 3 and columns j to j + 3. */
DEEP_INLINE line *tile_at(const deep_cholesky *s, size_t i, size_t j)
{
    const size_t top = i - i % PANEL;
    return (line *)(void *)s->cell + lines_before(s, top) + (j - top) * PANEL + (i - top) * TILE;
}

dusk_status deep_cholesky_open(deep_cholesky *out, int level, size_t most, size_t sides, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    line *room = NULL;
    *out = (deep_cholesky){ .level = level, .size = whole_tiles(most) };
    out->width = out->size + whole_tiles(sides);
    out->lines = lines_before(out, (out->size + PANEL - 1) / PANEL * PANEL) + 1;
    DUSK_NEW(room, out->lines);
    out->room = room;
    out->cell =
        (double *)(void *)((char *)room + (sizeof(line) - (uintptr_t)room % sizeof(line)) % sizeof(line));
done:
    return status;
}

void deep_cholesky_close(deep_cholesky *s)
{
    if (s->room) dusk_wipe(s->room, s->lines * sizeof(line));
    dusk_deallocate(s->room);
    *s = (deep_cholesky){ 0 };
}

void deep_cholesky_begin(deep_cholesky *s, const size_t *own, size_t sides)
{
    size_t most = 0;
    for (size_t l = 0; l < LANES; l++) {
        s->own[l] = own[l];
        if (own[l] > most) most = own[l];
    }
    s->size = whole_tiles(most);
    s->width = s->size + whole_tiles(sides);
    for (size_t i = 0; i < s->size; i += TILE)
        for (size_t j = s->size; j < s->width; j += TILE)
            memset(tile_at(s, i, j), 0, TILE * TILE * sizeof(line));
}

/* The number in row i and column j of the first system; those of others follow. */
static double *number_at(const deep_cholesky *s, size_t i, size_t j)
{
    return (double *)(void *)(tile_at(s, i - i % TILE, j - j % TILE) + i % TILE * TILE + j % TILE);
}

double *deep_cholesky_side(const deep_cholesky *s, size_t i, size_t side)
{
    return number_at(s, i, s->size + side);
}

/* Numbers of a row of a tile, of eight systems that are `step` apart, become lines. */
DEEP_INLINE void interleave(line *to, const float *from, size_t step)
{
    double *lanes = (double *)(void *)to;
    for (size_t c = 0; c < TILE; c++)
        for (size_t l = 0; l < LANES; l++) lanes[c * LANES + l] = (double)from[l * step + c];
}

DUSK_PROVEN(put)
DEEP_LANES
static void put(const deep_cholesky *s, size_t first, size_t count, const float *from, size_t stride,
                double ridge)
{
    for (size_t i = first; i < first + count; i += TILE) {
        for (size_t j = i; j < s->size; j += TILE)
            for (size_t r = 0; r < TILE; r++)
                interleave(tile_at(s, i, j) + r * TILE, from + (i + r - first) * stride + (j - first),
                           count * stride);
        for (size_t r = 0; r < TILE; r++) tile_at(s, i, i)[r * TILE + r] += ridge;
    }
}

void deep_cholesky_put(deep_cholesky *s, size_t first, size_t count, const float *from, size_t stride,
                       double ridge)
{
    put(s, first, count, from, stride, ridge);
}

/* Sixteen lines of a tile less `n` products, which are taken off in order: of lines `across` apart, the first of which moves by `along`, and of a row of lines, which
 * moves by `down`. In parts of lines, as long as vectors are, so that all sixteen stay in registers. */
#define TAKE(name, bytes)                                                                                    \
    typedef double name##_part __attribute__((vector_size(bytes), may_alias));                               \
    DEEP_INLINE void name(line *tile, const line *left, ptrdiff_t across, ptrdiff_t along,                   \
                          const line *right, ptrdiff_t down, size_t n)                                       \
    {                                                                                                        \
        enum { PARTS = sizeof(line) / (bytes) };                                                             \
        for (size_t h = 0; h < PARTS; h++) {                                                                 \
            name##_part sum[TILE][TILE], *at = (name##_part *)tile + h;                                      \
            const name##_part *a = (const name##_part *)left + h, *b = (const name##_part *)right + h;       \
            for (size_t r = 0; r < TILE; r++)                                                                \
                for (size_t c = 0; c < TILE; c++) sum[r][c] = at[(r * TILE + c) * PARTS];                    \
            for (size_t p = 0; p < n; p++, a += along * PARTS, b += down * PARTS)                            \
                for (ptrdiff_t r = 0; r < TILE; r++)                                                         \
                    for (ptrdiff_t c = 0; c < TILE; c++) sum[r][c] -= a[r * across * PARTS] * b[c * PARTS];  \
            for (size_t r = 0; r < TILE; r++)                                                                \
                for (size_t c = 0; c < TILE; c++) at[(r * TILE + c) * PARTS] = sum[r][c];                    \
        }                                                                                                    \
    }
TAKE(take_wide, 64)
TAKE(take_narrow, 32)

/* The tile at (i, j) less the products of rows first, ..., last - 1 of one panel. */
DEEP_INLINE void take_off(const deep_cholesky *s, size_t i, size_t j, size_t first, size_t last)
{
    line *at = tile_at(s, i, j);
    const line *left = tile_at(s, first, i), *right = tile_at(s, first, j);
    if (s->level == 2)
        take_wide(at, left, 1, TILE, right, TILE, last - first);
    else
        take_narrow(at, left, 1, TILE, right, TILE, last - first);
}

/* The right sides at (i, side) less what solutions of rows j + 3, ..., j come to, in this order. */
DEEP_INLINE void take_back(const deep_cholesky *s, size_t i, size_t j, size_t side)
{
    line *at = tile_at(s, i, side);
    const line *u = tile_at(s, i, j) + TILE - 1, *known = tile_at(s, j, side) + (TILE - 1) * TILE;
    if (s->level == 2)
        take_wide(at, u, TILE, -1, known, -TILE, TILE);
    else
        take_narrow(at, u, TILE, -1, known, -TILE, TILE);
}

/* A tile on the diagonal, from which all above it was taken off, becomes rows of U. */
DEEP_INLINE void finish_diagonal(const deep_cholesky *s, size_t i, double least)
{
    line *row = tile_at(s, i, i);
    for (size_t r = 0; r < TILE; r++, row += TILE) {
        double *pivot = (double *)(void *)(row + r);
        for (size_t l = 0; l < LANES; l++) {
            const double guarded = pivot[DUSK_MUTATE(CHOLESKY_GUARD_OF_A_NEIGHBOUR, l, l ^ 1)];
            pivot[l] = sqrt(guarded > least ? pivot[l] : least);
        }
        for (size_t c = r + 1; c < TILE; c++) row[c] /= row[r];
        for (size_t q = r + 1; q < TILE; q++)
            for (size_t c = q; c < TILE; c++) row[(q - r) * TILE + c] -= row[q] * row[c];
    }
}

/* One beside it. */
DEEP_INLINE void finish(const deep_cholesky *s, size_t i, size_t j)
{
    const line *u = tile_at(s, i, i);
    line *at = tile_at(s, i, j);
    for (size_t r = 0; r < TILE; r++)
        for (size_t c = 0; c < TILE; c++) {
            line x = at[r * TILE + c];
            for (size_t p = 0; p < r; p++) x -= u[p * TILE + r] * at[p * TILE + c];
            at[r * TILE + c] = x / u[r * TILE + r];
        }
}

DUSK_PROVEN(factorise)
DEEP_LANES
static void factorise(const deep_cholesky *s, double least)
{
    for (size_t panel = 0; panel < s->size; panel += PANEL) {
        const size_t end = s->size - panel < PANEL ? s->size : panel + PANEL;
        for (size_t i = panel; i < end; i += TILE) {
            take_off(s, i, i, panel, i);
            finish_diagonal(s, i, least);
            for (size_t j = i + TILE; j < s->width; j += TILE) {
                take_off(s, i, j, panel, i);
                finish(s, i, j);
            }
        }
        for (size_t i = end; i < s->size; i += TILE)
            for (size_t j = i; j < s->width; j += TILE) take_off(s, i, j, panel, end);
    }
}

/* Beyond its own numbers a system becomes one, with solutions that are zero: anything may have been there. */
DUSK_PROVEN(clear_beyond)
static void clear_beyond(const deep_cholesky *s, size_t l)
{
    const size_t own = s->own[l];
    for (size_t i = 0; i < s->size; i++) {
        for (size_t j = i < own ? own : i; j < s->size; j++) number_at(s, i, j)[l] = i == j;
        for (size_t j = s->size; j < s->width && i >= own; j++) number_at(s, i, j)[l] = 0;
    }
}

/* Four rows of four right sides, from which later rows were taken off, become solutions. */
DEEP_INLINE void finish_back(const deep_cholesky *s, size_t i, size_t side)
{
    const line *u = tile_at(s, i, i);
    line *at = tile_at(s, i, side);
    for (size_t r = TILE; r-- > 0;)
        for (size_t c = 0; c < TILE; c++) {
            line x = at[r * TILE + c];
            for (size_t p = TILE; p-- > r + 1;) x -= u[r * TILE + p] * at[p * TILE + c];
            at[r * TILE + c] = x / u[r * TILE + r];
        }
}

DUSK_PROVEN(substitute)
DEEP_LANES
static void substitute(const deep_cholesky *s)
{
    for (size_t i = s->size; i > 0;) {
        i -= TILE;
        for (size_t side = s->size; side < s->width; side += TILE) {
            for (size_t j = s->size; j > i + TILE;) {
                j -= TILE;
                take_back(s, i, j, side);
            }
            finish_back(s, i, side);
        }
    }
}

DUSK_PROVEN(deep_cholesky_solve)
void deep_cholesky_solve(deep_cholesky *s, double least)
{
    factorise(s, least);
    for (size_t l = DUSK_MUTATE(CHOLESKY_PADDING_COUNTS, 0, LANES); l < LANES; l++) clear_beyond(s, l);
    substitute(s);
}
