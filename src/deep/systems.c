/* SPDX-License-Identifier: Apache-2.0 */
/* Systems in lanes; see systems.h. A = U^T U, right sides being further columns of U, then back from the last row. Numbers come in tiles of 4 x 4 lines, a
 * line being one number of eight systems; a tile takes what PANEL rows above it have, while it is in registers. No tile is partial, nothing is fused, and
 * every number is one chain in the order of rows: Golub & Van Loan, Matrix Computations, 4.2. Proof: systems.proof.md. */
#include "deep/systems.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "deep/real.h"

enum { LANES = DEEP_SYSTEMS, TILE = DEEP_SYSTEMS_TILE, PANEL = 32 };

/* One number of all systems. */
typedef double line __attribute__((vector_size(LANES * sizeof(double)), may_alias));

static size_t whole_tiles(size_t n) { return (n + TILE - 1) / TILE * TILE; }

/* Rows of a tile begin with its column on the diagonal. Lines before row i, the first of its tile. */
DEEP_INLINE size_t lines_before(const deep_systems *s, size_t i) { return i * s->width - i * (i - TILE) / 2; }

/* From row i, the first of its tile; the next row is width - i lines further. */
DEEP_INLINE line *line_at(const deep_systems *s, size_t i, size_t j)
{
    return (line *)(void *)s->cell + lines_before(s, i) + (j - i);
}

dusk_status deep_systems_open(deep_systems *out, size_t most, size_t sides, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    line *room = NULL;
    *out = (deep_systems){ .size = whole_tiles(most) };
    out->width = out->size + whole_tiles(sides);
    out->lines = lines_before(out, out->size) + 1;
    DUSK_NEW(room, out->lines);
    out->room = room;
    out->cell =
        (double *)(void *)((char *)room + (sizeof(line) - (uintptr_t)room % sizeof(line)) % sizeof(line));
done:
    return status;
}

void deep_systems_close(deep_systems *s)
{
    if (s->room) dusk_wipe(s->room, s->lines * sizeof(line));
    dusk_deallocate(s->room);
    *s = (deep_systems){ 0 };
}

void deep_systems_begin(deep_systems *s, const size_t *own, size_t sides)
{
    size_t most = 0;
    for (size_t l = 0; l < LANES; l++) {
        s->own[l] = own[l];
        if (own[l] > most) most = own[l];
    }
    s->size = whole_tiles(most);
    s->width = s->size + whole_tiles(sides);
    for (size_t i = 0; i < s->size; i += TILE)
        for (size_t r = 0; r < TILE; r++)
            memset(line_at(s, i, s->size) + r * (s->width - i), 0, (s->width - s->size) * sizeof(line));
}

double *deep_systems_side(const deep_systems *s, size_t i, size_t side)
{
    const size_t top = i / TILE * TILE;
    return (double *)(void *)(line_at(s, top, s->size + side) + (i - top) * (s->width - top));
}

/* Numbers of eight rows become lines. */
DEEP_LANES
static void interleave(double *to, const float *from, size_t step, size_t n)
{
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < LANES; l++) to[j * LANES + l] = (double)from[l * step + j];
}

DUSK_PROVEN(deep_systems_put)
void deep_systems_put(deep_systems *s, size_t first, size_t count, const float *from, size_t stride,
                      double ridge)
{
    for (size_t i = first; i < first + count; i++) {
        const size_t top = i / TILE * TILE;
        double *to = (double *)(void *)(line_at(s, top, top) + (i - top) * (s->width - top));
        interleave(to, from + (i - first) * stride + (top - first), count * stride, s->size - top);
        for (size_t l = 0; l < LANES; l++) to[(i - top) * LANES + l] += ridge;
    }
}

/* The tile at (i, j) less the products of rows first, ..., last - 1 above it, in this order. */
DEEP_INLINE void take_off(const deep_systems *s, size_t i, size_t j, size_t first, size_t last)
{
    line *at = line_at(s, i, j), sum[TILE][TILE];
    const size_t next = s->width - i;
    for (size_t r = 0; r < TILE; r++)
        for (size_t c = 0; c < TILE; c++) sum[r][c] = at[r * next + c];
    for (size_t top = first; top < last; top += TILE) {
        const line *left = line_at(s, top, i), *right = line_at(s, top, j);
        for (size_t p = 0; p < TILE; p++, left += s->width - top, right += s->width - top)
            for (size_t r = 0; r < TILE; r++)
                for (size_t c = 0; c < TILE; c++) sum[r][c] -= left[r] * right[c];
    }
    for (size_t r = 0; r < TILE; r++)
        for (size_t c = 0; c < TILE; c++) at[r * next + c] = sum[r][c];
}

/* A tile on the diagonal, from which all above it was taken off, becomes rows of U. */
DEEP_INLINE void finish_diagonal(const deep_systems *s, size_t i, double least)
{
    line *row = line_at(s, i, i);
    const size_t next = s->width - i;
    for (size_t r = 0; r < TILE; r++, row += next) {
        double *pivot = (double *)(void *)(row + r);
        for (size_t l = 0; l < LANES; l++) {
            const double guarded = pivot[DUSK_MUTATE(SYSTEMS_GUARD_OF_A_NEIGHBOUR, l, l ^ 1)];
            pivot[l] = sqrt(guarded > least ? pivot[l] : least);
        }
        for (size_t c = r + 1; c < TILE; c++) row[c] /= row[r];
        for (size_t q = r + 1; q < TILE; q++)
            for (size_t c = q; c < TILE; c++) row[(q - r) * next + c] -= row[q] * row[c];
    }
}

/* The columns beside it. */
DEEP_INLINE void finish_rows(const deep_systems *s, size_t i)
{
    const size_t next = s->width - i;
    const line *u = line_at(s, i, i);
    line *at = line_at(s, i, i + TILE);
    for (size_t j = i + TILE; j < s->width; j++, at++)
        for (size_t r = 0; r < TILE; r++) {
            line x = at[r * next];
            for (size_t p = 0; p < r; p++) x -= u[p * next + r] * at[p * next];
            at[r * next] = x / u[r * next + r];
        }
}

DUSK_PROVEN(factorise)
DEEP_LANES
static void factorise(const deep_systems *s, double least)
{
    for (size_t panel = 0; panel < s->size; panel += PANEL) {
        const size_t end = s->size - panel < PANEL ? s->size : panel + PANEL;
        for (size_t i = panel; i < end; i += TILE) {
            for (size_t j = i; j < s->width; j += TILE) take_off(s, i, j, panel, i);
            finish_diagonal(s, i, least);
            finish_rows(s, i);
        }
        for (size_t i = end; i < s->size; i += TILE)
            for (size_t j = i; j < s->width; j += TILE) take_off(s, i, j, panel, end);
    }
}

/* Beyond its own numbers a system becomes one, with solutions that are zero: anything may have been there. */
DUSK_PROVEN(clear_beyond)
static void clear_beyond(const deep_systems *s, size_t l)
{
    for (size_t i = 0; i < s->size; i++) {
        const size_t top = i / TILE * TILE, from = i < s->own[l] ? s->own[l] : i;
        double *row = (double *)(void *)(line_at(s, top, top) + (i - top) * (s->width - top)) + l;
        for (size_t j = from; j < s->size; j++) row[(j - top) * LANES] = i == j;
        for (size_t j = s->size; j < s->width && i >= s->own[l]; j++) row[(j - top) * LANES] = 0;
    }
}

/* Four rows of four right sides: what later rows have is taken off, from the last on. */
DEEP_INLINE void take_back(const deep_systems *s, size_t i, size_t side)
{
    const size_t next = s->width - i;
    const line *u = line_at(s, i, i);
    line *at = line_at(s, i, side), sum[TILE][TILE];
    for (size_t r = 0; r < TILE; r++)
        for (size_t c = 0; c < TILE; c++) sum[r][c] = at[r * next + c];
    for (size_t top = s->size; top > i + TILE;) {
        top -= TILE;
        const line *known = line_at(s, top, side) + TILE * (s->width - top);
        for (size_t p = TILE; p-- > 0;) {
            known -= s->width - top;
            for (size_t r = 0; r < TILE; r++)
                for (size_t c = 0; c < TILE; c++) sum[r][c] -= u[r * next + (top - i) + p] * known[c];
        }
    }
    for (size_t r = TILE; r-- > 0;)
        for (size_t c = 0; c < TILE; c++) {
            for (size_t p = TILE; p-- > r + 1;) sum[r][c] -= u[r * next + p] * sum[p][c];
            sum[r][c] /= u[r * next + r];
            at[r * next + c] = sum[r][c];
        }
}

DUSK_PROVEN(substitute)
DEEP_LANES
static void substitute(const deep_systems *s)
{
    for (size_t i = s->size; i > 0;) {
        i -= TILE;
        for (size_t side = s->size; side < s->width; side += TILE) take_back(s, i, side);
    }
}

DUSK_PROVEN(deep_systems_solve)
void deep_systems_solve(deep_systems *s, double least)
{
    factorise(s, least);
    for (size_t l = DUSK_MUTATE(SYSTEMS_PADDING_COUNTS, 0, LANES); l < LANES; l++) clear_beyond(s, l);
    substitute(s);
}
