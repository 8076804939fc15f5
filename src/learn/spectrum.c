/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of released matrices, by LAPACK; models of components. */
#include "learn/spectrum.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* --- eigenvalues ------------------------------------------------------------------------------------------- */

static void make_identity(double *values, double *vectors, size_t k, size_t d)
{
    memset(values, 0, k * sizeof *values);
    memset(vectors, 0, k * d * sizeof *vectors);
    for (size_t c = 0; c < k; c++) vectors[c * d + c] = 1;
}

static void swap_rows(double *a, double *b, size_t d)
{
    for (size_t j = 0; j < d; j++) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

static void turn_positive(double *vector, size_t d)
{
    size_t largest = cblas_idamax((int)d, vector, 1);
    if (vector[largest] < 0) cblas_dscal((int)d, -1, vector, 1);
}

/* Ascending values into descending ones. */
static void reverse(double *values, double *vectors, size_t k, size_t d)
{
    for (size_t c = 0; c < k / 2; c++) {
        swap_rows(&values[c], &values[k - 1 - c], 1);
        swap_rows(vectors + c * d, vectors + (k - 1 - c) * d, d);
    }
}

dusk_status learn_eigenvectors(double *matrix, size_t d, size_t k, double *values, double *vectors,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *all = NULL;
    lapack_int found = 0, *support = NULL;

    DUSK_NEW(all, d);
    DUSK_NEW(support, 2 * d);
    lapack_int info = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', k < d ? 'I' : 'A', 'U', (lapack_int)d, matrix,
                                     (lapack_int)d, 0, 0, (lapack_int)(d - k + 1), (lapack_int)d, 0, &found,
                                     all, vectors, (lapack_int)d, support);
    if (info == LAPACK_WORK_MEMORY_ERROR) {
        status = dusk_fail_memory(err);
        goto done;
    }
    if (info != 0 || found != (lapack_int)k) {
        make_identity(values, vectors, k, d);
        goto done;
    }
    memcpy(values, all, k * sizeof *values);
    reverse(values, vectors, k, d);
    for (size_t c = 0; c < k; c++) turn_positive(vectors + c * d, d);
done:
    dusk_deallocate(all);
    dusk_deallocate(support);
    return status;
}

double learn_value_without_noise(double value, double noise, size_t d)
{
    double edge = 2 * noise * sqrt((double)d);
    return value > edge ? (value + sqrt(value * value - edge * edge)) / 2 : 0;
}

bool learn_all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* --- models of components --------------------------------------------------------------------------------------- */

static dusk_status put_centre(dusk_model *model, const learn_ball *ball, const double *shift, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *centre = NULL;
    DUSK_NEW(centre, ball->width);
    for (size_t j = 0; j < ball->width; j++)
        centre[j] = (ball->centre[j] + (shift ? shift[j] * ball->radius : 0)) / LEARN_ONE;
    DUSK_TRY(learn_model_put(model, "centre", 1, ball->width, centre, err));
done:
    dusk_deallocate(centre);
    return status;
}

dusk_status learn_put_components(dusk_model *model, const learn_ball *ball, const double *shift,
                                 const double *components, size_t k, const double *values, double total,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double unit = ball->radius / LEARN_ONE;
    double *variance = NULL, *explained = NULL, sum = 0;

    DUSK_NEW(variance, k);
    DUSK_NEW(explained, k);
    for (size_t c = 0; c < k; c++) sum += fmax(values[c], 0);
    for (size_t c = 0; c < k; c++) {
        variance[c] = fmax(values[c], 0) * unit * unit;
        explained[c] = sum > 0 ? fmax(values[c], 0) / fmax(total, sum) : 0;
    }
    DUSK_TRY(learn_model_put(model, "components", k, ball->width, components, err));
    DUSK_TRY(put_centre(model, ball, shift, err));
    DUSK_TRY(learn_model_put(model, "variance", 1, k, variance, err));
    DUSK_TRY(learn_model_put(model, "explained", 1, k, explained, err));
done:
    dusk_deallocate(variance);
    dusk_deallocate(explained);
    return status;
}

size_t learn_components_outputs(const dusk_model *model)
{
    size_t rows = 0, columns;
    (void)dusk_model_array(model, "components", &rows, &columns);
    return rows;
}

dusk_status learn_components_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                     dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k = 0, d = 0, one;
    const double *parts = dusk_model_array(model, "components", &k, &d);
    const double *centre = dusk_model_array(model, "centre", &one, &d);
    learn_matrix matrix = { .bound = 0 };
    tensor_block block = { 0 };
    double *offset = NULL;

    DUSK_NEW(offset, k);
    for (size_t c = 0; c < k; c++) offset[c] = cblas_ddot((int)d, centre, 1, parts + c * d, 1);
    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    DUSK_TRY(tensor_block_open(&block, &matrix.rows, err));
    while (tensor_block_next(&block)) {
        double *to = out + block.first * k;
        tensor_block_multiply(&block, to, parts, k); /* of real numbers: rounded, which is fine here */
        for (size_t i = 0; i < block.rows; i++)
            for (size_t c = 0; c < k; c++) to[i * k + c] = to[i * k + c] / LEARN_ONE - offset[c];
    }
done:
    tensor_block_close(&block);
    learn_matrix_clear(&matrix);
    dusk_deallocate(offset);
    return status;
}

bool learn_components_complete(const dusk_model *model)
{
    size_t k, d, one, width;
    const double *parts = dusk_model_array(model, "components", &k, &d);
    const double *centre = dusk_model_array(model, "centre", &one, &width);
    return parts && centre && one == 1 && width == d && d == model->features.width && k >= 1 && k <= d &&
           learn_all_finite(parts, k * d) && learn_all_finite(centre, d);
}
