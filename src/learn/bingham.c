/* SPDX-License-Identifier: Apache-2.0 */
/* Directions by the Bingham distribution. */
#include "learn/bingham.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learn/normals.h"
#include "learn/spectrum.h"

/* The b with sum of 1 / (b + 2 a_i) = 1, for which the envelope is tightest; some a_i is 0. */
static double find_b(const double *a, size_t d)
{
    double low = 0, high = (double)d;
    for (int turn = 0; turn < 100; turn++) {
        double b = (low + high) / 2, sum = 0;
        for (size_t i = 0; i < d; i++) sum += 1 / (b + 2 * a[i]);
        if (sum > 1)
            low = b;
        else
            high = b;
    }
    return high;
}

/* x of length 1 with density proportional to exp(-sum of a_i x_i^2), a_i >= 0. */
static dusk_status draw_in_axes(double *x, const double *a, size_t d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double q = (double)d, b = find_b(a, d), log_most = -(q - b) / 2 + q / 2 * log(q / b);
    double coin;
    for (bool accepted = false; !accepted;) {
        double square = 0, exponent = 0, spread = 0;
        DUSK_TRY(learn_normals(x, d, gen, err));
        DUSK_TRY(learn_uniform(&coin, gen, err));
        for (size_t i = 0; i < d; i++) {
            x[i] /= sqrt(1 + 2 * a[i] / b);
            square += x[i] * x[i];
        }
        for (size_t i = 0; i < d; i++) {
            x[i] /= sqrt(square);
            exponent += a[i] * x[i] * x[i];
            spread += (1 + 2 * a[i] / b) * x[i] * x[i];
        }
        accepted = log(coin) <= -exponent + q / 2 * log(spread) - log_most;
    }
done:
    return status;
}

dusk_status learn_bingham_draw(double *out, double *matrix, size_t d, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *values = NULL, *vectors = NULL, *x = NULL;
    DUSK_NEW(values, d);
    DUSK_NEW(vectors, d * d);
    DUSK_NEW(x, d);
    DUSK_TRY(learn_eigenvectors(matrix, d, d, values, vectors, err));
    const double largest = values[0];
    for (size_t i = 0; i < d; i++) values[i] = fmax(largest - values[i], 0);
    DUSK_TRY(draw_in_axes(x, values, d, gen, err));
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)d, (int)d, 1, vectors, (int)d, x, 1, 0, out, 1);
done:
    if (vectors) dusk_wipe(vectors, d * d * sizeof *vectors);
    if (values) dusk_wipe(values, d * sizeof *values);
    dusk_deallocate(values);
    dusk_deallocate(vectors);
    dusk_deallocate(x);
    return status;
}
