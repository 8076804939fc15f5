/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps of many vectors. */
#include "deep/affine.h"

void deep_affine_start(deep_real *weights, size_t rows, size_t columns, double (*uniform)(void *coins),
                       void *coins)
{
    const double width = sqrt(6 / (double)(rows + columns));
    for (size_t r = 0; r < rows; r++, weights += columns + 1) {
        for (size_t c = 0; c < columns; c++) weights[c] = (deep_real)(width * uniform(coins));
        weights[columns] = 0;
    }
}

void deep_affine_forward(deep_pass *pass, const deep_affine *map, const deep_real *x, deep_real *y, size_t n)
{
    const size_t step = map->columns + 1;
    for (size_t t = 0; t < n; t++)
        for (size_t r = 0; r < map->rows; r++) y[t * map->rows + r] = map->weights[r * step + map->columns];
    deep_gemm(pass->level, y, map->rows, (deep_view){ x, map->columns, 1 },
              (deep_view){ map->weights, 1, step }, n, map->rows, map->columns, true, &pass->gemm);
}

void deep_affine_backward(deep_pass *pass, const deep_affine *map, const deep_real *dy, deep_real *dx,
                          size_t n)
{
    deep_gemm(pass->level, dx, map->columns, (deep_view){ dy, map->rows, 1 },
              (deep_view){ map->weights, map->columns + 1, 1 }, n, map->columns, map->rows, false,
              &pass->gemm);
}

enum { LANES = 16 };

DEEP_LANES
static void add_lines(deep_real *restrict sum, const deep_real *restrict x, size_t step, size_t lines)
{
    for (size_t t = 0; t < lines; t++)
        for (size_t r = 0; r < LANES; r++) sum[r] += x[t * step + r];
}

void deep_affine_constants(const deep_real *left, size_t left_step, size_t positions, size_t rows,
                           deep_real *out, size_t step, bool add)
{
    for (size_t first = 0; first < rows; first += LANES) {
        const size_t n = rows - first < LANES ? rows - first : LANES;
        deep_real sum[LANES] = { 0 };
        for (size_t r = 0; add && r < n; r++) sum[r] = out[(first + r) * step];
        if (n == LANES)
            add_lines(sum, left + first, left_step, positions);
        else
            for (size_t t = 0; t < positions; t++)
                for (size_t r = 0; r < n; r++) sum[r] += left[t * left_step + first + r];
        for (size_t r = 0; r < n; r++) out[(first + r) * step] = sum[r];
    }
}

void deep_affine_gradient(deep_pass *pass, const deep_factors *f, deep_real *out)
{
    const size_t step = f->columns + (f->constant ? 1 : 0);
    deep_gemm(pass->level, out, step, (deep_view){ f->left, 1, f->left_step },
              (deep_view){ f->right, f->right_step, 1 }, f->rows, f->columns, f->positions, false,
              &pass->gemm);
    if (f->constant)
        deep_affine_constants(f->left, f->left_step, f->positions, f->rows, out + f->columns, step, false);
}
