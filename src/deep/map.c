/* SPDX-License-Identifier: Apache-2.0 */
/* Public maps of rows; see map.h. Directions are found by subspace iteration with fixed first values [Halko, Martinsson & Tropp 2011]. */
#include "deep/map.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deep/threads.h"
#include "tensor/lanes.h"

enum { SLICE = 64, TURNS = 3, BASIS_ROWS = 4096 };
#define SMALL 1e-3 /* deviations below this part of the largest count as that */

/* --- layers ------------------------------------------------------------------------------------------------------- */

typedef struct through {
    const deep_net *layers;
    const deep_map *map; /* NULL: the layers alone */
    const deep_rows *rows;
    float *out;
    deep_pass pass[DEEP_THREADS_MOST];
    float *room[DEEP_THREADS_MOST];
    size_t threads;
} through;

static void pass_slices(void *context, size_t number)
{
    through *t = context;
    deep_pass *pass = &t->pass[number];
    const size_t width = t->rows->width, size = deep_size(t->layers->out);
    for (size_t first = number * SLICE; first < t->rows->rows; first += t->threads * SLICE) {
        pass->examples = t->rows->rows - first < SLICE ? t->rows->rows - first : SLICE;
        for (size_t i = 0; i < pass->examples; i++)
            deep_rows_take(t->rows, first + i, pass->value[0] + i * width);
        deep_forward(pass);
        const float *x = pass->value[t->layers->layers];
        if (t->map)
            deep_map_vectors(t->map, x, pass->examples, t->out + first * t->map->width, t->room[number],
                             &pass->gemm);
        else
            memcpy(t->out + first * size, x, pass->examples * size * sizeof *x);
    }
}

static dusk_status run_through(through *t, size_t threads, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t size = SLICE * deep_size(t->layers->out);
    while (t->threads < threads && t->threads < DEEP_THREADS_MOST) {
        DUSK_NEW(t->room[t->threads], size);
        DUSK_TRY(deep_pass_open(&t->pass[t->threads++], t->layers, SLICE, err));
    }
    deep_work(pass_slices, t, t->threads);
done:
    for (size_t k = 0; k < DEEP_THREADS_MOST; k++) {
        deep_pass_close(&t->pass[k]);
        if (t->room[k]) dusk_wipe(t->room[k], size * sizeof *t->room[k]);
        dusk_deallocate(t->room[k]);
    }
    return status;
}

dusk_status deep_rows_through(const deep_net *layers, const deep_rows *rows, float *out, size_t threads,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    through *t = NULL;
    DUSK_NEW(t, 1);
    t->layers = layers;
    t->rows = rows;
    t->out = out;
    status = run_through(t, threads, err);
done:
    dusk_deallocate(t);
    return status;
}

/* --- the map -------------------------------------------------------------------------------------------------------- */

void deep_map_clear(deep_map *map)
{
    dusk_deallocate(map->centre);
    dusk_deallocate(map->each);
    dusk_deallocate(map->basis);
    *map = (deep_map){ .from = 0 };
}

DEEP_LANES
static void scale(float *restrict to, const float *restrict from, const float *restrict centre,
                  const float *restrict each, size_t n)
{
    for (size_t j = 0; j < n; j++) to[j] = (from[j] - centre[j]) * each[j];
}

void deep_map_vectors(const deep_map *map, const float *x, size_t count, float *out, float *room,
                      tensor_gemm_work *work)
{
    const size_t p = map->from, w = map->width;
    float *to = map->basis ? room : out;
    for (size_t i = 0; i < count; i++) scale(to + i * p, x + i * p, map->centre, map->each, p);
    if (!map->basis) return;
    const tensor_view a = { room, p, 1 }, b = { map->basis, 1, p };
    tensor_gemm(tensor_lanes_level(), out, w, a, b, count, w, p, false, work);
}

dusk_status deep_map_rows(const deep_map *map, const deep_rows *rows, float *out, size_t threads,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    through *t = NULL;
    DUSK_NEW(t, 1);
    t->layers = map->layers;
    t->map = map;
    t->rows = rows;
    t->out = out;
    status = run_through(t, threads, err);
done:
    dusk_deallocate(t);
    return status;
}

/* Means and deviations; numbers that hardly differ are not blown up. */
static void set_scales(deep_map *map, const float *open, size_t count)
{
    double largest = 0;
    for (size_t j = 0; j < map->from; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < count; i++) {
            const double x = (double)open[i * map->from + j];
            sum += x;
            squares += x * x;
        }
        const double n = count > 0 ? (double)count : 1, variance = squares / n - sum / n * (sum / n);
        map->centre[j] = (float)(sum / n);
        map->each[j] = (float)sqrt(fmax(variance, 0));
        largest = fmax(largest, (double)map->each[j]);
    }
    for (size_t j = 0; j < map->from; j++)
        map->each[j] = largest > 0 ? (float)(1 / sqrt(fmax((double)map->each[j], largest * SMALL) * largest))
                                   : 1.0f; /* public rows are all the same */
}

/* Make `rows` vectors of n numbers orthonormal, one after the other; what nothing is left of becomes 0. */
static void make_orthonormal(float *z, size_t rows, size_t n, float *dot, tensor_gemm_work *work)
{
    for (size_t i = 0; i < rows; i++) {
        float *at = z + i * n;
        double square = 0;
        for (size_t j = 0; j < n; j++) square += (double)at[j] * (double)at[j];
        const double each = square > 1e-20 ? 1 / sqrt(square) : 0;
        for (size_t j = 0; j < n; j++) at[j] = (float)((double)at[j] * each);
        const tensor_view a = { at + n, n, 1 }, b = { at, 1, 1 };
        tensor_gemm(tensor_lanes_level(), dot, 1, a, b, rows - i - 1, 1, n, false, work);
        for (size_t r = i + 1; r < rows; r++)
            for (size_t j = 0; j < n; j++) z[r * n + j] -= dot[r - i - 1] * at[j];
    }
}

/* Fixed signs to begin with. */
static void set_signs(float *z, size_t n)
{
    uint64_t x = 1;
    for (size_t j = 0; j < n; j++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        z[j] = x >> 63 ? 1.0f : -1.0f;
    }
}

static dusk_status find_basis(deep_map *map, const float *open, size_t count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t p = map->from, w = map->width;
    const size_t n = count < BASIS_ROWS ? count : BASIS_ROWS;
    const int level = tensor_lanes_level();
    float *x = NULL, *y = NULL, *dot = NULL;
    tensor_gemm_work work = { .room = NULL };
    DUSK_NEW(x, n * p + 1);
    DUSK_NEW(y, n * w + 1);
    DUSK_NEW(dot, w);
    DUSK_NEW(map->basis, w * p);
    DUSK_TRY(tensor_gemm_open(&work, err));
    for (size_t i = 0; i < n; i++) scale(x + i * p, open + (i * count / n) * p, map->centre, map->each, p);
    set_signs(map->basis, w * p);
    for (int turn = 0; turn < TURNS; turn++) {
        const tensor_view rows = { x, p, 1 }, basis = { map->basis, 1, p }, turned = { y, 1, w };
        tensor_gemm(level, y, w, rows, basis, n, w, p, false, &work);
        tensor_gemm(level, map->basis, p, turned, rows, w, p, n, false, &work);
        make_orthonormal(map->basis, w, p, dot, &work);
    }
done:
    tensor_gemm_close(&work);
    dusk_deallocate(x);
    dusk_deallocate(y);
    dusk_deallocate(dot);
    return status;
}

dusk_status deep_map_make(deep_map *out, const deep_net *front, const float *open, size_t count, size_t width,
                          dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_map map = { .layers = front };
    *out = (deep_map){ .from = 0 };
    map.from = map.width = deep_size(front->out);
    DUSK_NEW(map.centre, map.from);
    DUSK_NEW(map.each, map.from);
    set_scales(&map, open, count);
    if (width < map.from) {
        map.width = width;
        DUSK_TRY(find_basis(&map, open, count, err));
    }
    *out = map;
    map = (deep_map){ .from = 0 };
done:
    deep_map_clear(&map);
    return status;
}
