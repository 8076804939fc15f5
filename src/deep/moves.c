/* SPDX-License-Identifier: Apache-2.0 */
/* Moved pictures; see moves.h. */
#include "deep/moves.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "tensor/lanes.h"

enum { SLICE = 64 };

/* --- pictures ----------------------------------------------------------------------------------------------------------- */

/* Where a place of the moved picture comes from, both seen from the middle: { y from y, y from x, x from y, x from x }; and how far it is moved down and to the
 * right, in sides. */
static const double moves[DEEP_MOVES][6] = {
    { 0.978, 0.208, -0.208, 0.978, 0, 0 }, /* 12 degrees */
    { 0.978, -0.208, 0.208, 0.978, 0, 0 },
    { 1, 0, 0.2, 1, 0, 0 },
    { 1, 0, -0.2, 1, 0, 0 },
    { 0.9, 0, 0, 0.9, 0, 0 },
    { 1.1, 0, 0, 1.1, 0, 0 },
    { 1, 0, 0, 1, 1 / 28.0, 0 },
    { 1, 0, 0, 1, 0, 1 / 28.0 },
};

/* A place from 0 to most: the place before it, and how far it is beyond that. */
static size_t before(double at, size_t most, double *beyond)
{
    const double held = fmin(fmax(at, 0), (double)most);
    const size_t place = (size_t)fmin(floor(held), (double)(most > 0 ? most - 1 : 0));
    *beyond = held - (double)place;
    return place;
}

static void move_picture(float *to, const deep_real *from, deep_shape s, const double *how)
{
    const double middle_y = ((double)s.height - 1) / 2, middle_x = ((double)s.width - 1) / 2;
    const double from_y = middle_y - how[4] * (double)s.height, from_x = middle_x - how[5] * (double)s.width;
    const size_t down = s.width * s.channels, right = s.channels;
    for (size_t y = 0; y < s.height; y++)
        for (size_t x = 0; x < s.width; x++) {
            const double v = (double)y - middle_y, u = (double)x - middle_x;
            double below, beside;
            const size_t top = before(how[0] * v + how[1] * u + from_y, s.height - 1, &below),
                         left = before(how[2] * v + how[3] * u + from_x, s.width - 1, &beside);
            const deep_real *at = from + top * down + left * right;
            for (size_t c = 0; c < s.channels; c++) {
                const double upper = (1 - beside) * (double)at[c] + beside * (double)at[c + right],
                             lower =
                                 (1 - beside) * (double)at[c + down] + beside * (double)at[c + down + right];
                to[(y * s.width + x) * s.channels + c] = (float)((1 - below) * upper + below * lower);
            }
        }
}

dusk_status deep_rows_move(deep_rows *out, const deep_rows *rows, deep_shape picture, size_t move,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_real *from = NULL;
    float *to = NULL;
    *out = (deep_rows){ .rows = 0 };
    DUSK_NEW(from, rows->width);
    DUSK_NEW(to, rows->rows * rows->width + 1);
    for (size_t i = 0; i < rows->rows; i++) {
        deep_rows_take(rows, i, from);
        move_picture(to + i * rows->width, from, picture, moves[move]);
    }
    *out = (deep_rows){ .rows = rows->rows, .width = rows->width, .raw = to };
    to = NULL;
done:
    dusk_deallocate(from);
    dusk_deallocate(to);
    return status;
}

/* --- what moves change -------------------------------------------------------------------------------------------------- */

/* square = I + what copies differ by, by the mean of it in a direction; false where they do not differ. */
static dusk_status differences(double *square, bool *any, const float *x, size_t count, size_t copies,
                               size_t w, tensor_gemm_work *work, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    float *by = NULL, *product = NULL;
    double mean = 0;
    DUSK_NEW(by, SLICE * w);
    DUSK_NEW(product, w * w);
    for (size_t first = 0, n; first < count * copies; first += n) {
        n = count * copies - first < SLICE ? count * copies - first : SLICE;
        for (size_t i = 0; i < n; i++) {
            const float *row = x + (first + i) % count * w, *copy = x + (count + first + i) * w;
            for (size_t j = 0; j < w; j++) by[i * w + j] = copy[j] - row[j];
        }
        const tensor_view a = { by, 1, w }, b = { by, w, 1 };
        tensor_gemm(tensor_lanes_level(), product, w, a, b, w, w, n, false, work);
        for (size_t i = 0; i < w * w; i++) square[i] += (double)product[i];
    }
    for (size_t j = 0; j < w; j++) mean += square[j * w + j] / (double)w;
    *any = mean > 0 && isfinite(mean);
    for (size_t i = 0; *any && i < w * w; i++) square[i] = square[i] / mean + (i % (w + 1) == 0);
done:
    dusk_deallocate(by);
    dusk_deallocate(product);
    return status;
}

/* out = left right^T, a slice of `left` at a time; out may be left. */
static void multiply(float *out, const float *left, size_t rows, size_t n, const float *right, size_t w,
                     float *room, tensor_gemm_work *work)
{
    for (size_t first = 0, m; first < rows; first += m) {
        m = rows - first < SLICE ? rows - first : SLICE;
        const tensor_view a = { left + first * n, n, 1 }, b = { right, 1, n };
        tensor_gemm(tensor_lanes_level(), room, w, a, b, m, w, n, false, work);
        memcpy(out + first * w, room, m * w * sizeof *out);
    }
}

/* root^T-1 of the map's directions, which are those of the numbers themselves where there is no basis. */
static dusk_status turn_basis(deep_map *map, const float *inverse, tensor_gemm_work *work, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t w = map->width, p = map->from;
    float *basis = NULL;
    DUSK_NEW(basis, w * p);
    if (map->basis) {
        const tensor_view a = { inverse, w, 1 }, b = { map->basis, p, 1 };
        tensor_gemm(tensor_lanes_level(), basis, p, a, b, w, p, w, false, work);
    } else
        memcpy(basis, inverse, w * p * sizeof *basis);
    dusk_deallocate(map->basis);
    map->basis = basis;
done:
    return status;
}

/* With the differences D = L L^T, vectors become L^-1 of what they were: squared distances are (x - y)^T D^-1 (x - y). */
dusk_status deep_map_shorten(deep_map *map, float *x, size_t count, size_t copies, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t w = map->width;
    double *square = NULL;
    float *inverse = NULL, *room = NULL;
    bool any;
    tensor_gemm_work work = { .room = NULL };
    DUSK_NEW(square, w * w);
    DUSK_NEW(inverse, w * w);
    DUSK_NEW(room, SLICE * w);
    DUSK_TRY(tensor_gemm_open(&work, err));
    DUSK_TRY(differences(square, &any, x, count, copies, w, &work, err));
    if (!any || LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)w, square, (int)w) != 0 ||
        LAPACKE_dtrtri(LAPACK_ROW_MAJOR, 'L', 'N', (int)w, square, (int)w) != 0)
        goto done;
    for (size_t i = 0; i < w; i++)
        for (size_t j = 0; j <= i; j++) inverse[i * w + j] = (float)square[i * w + j];
    DUSK_TRY(turn_basis(map, inverse, &work, err));
    multiply(x, x, DUSK_MUTATE(PATE_COPIES_STAY_LONG, (1 + copies) * count, count), w, inverse, w, room,
             &work);
done:
    tensor_gemm_close(&work);
    dusk_deallocate(square);
    dusk_deallocate(inverse);
    dusk_deallocate(room);
    return status;
}
