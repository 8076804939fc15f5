/* SPDX-License-Identifier: Apache-2.0 */
/* Directions by the Bingham distribution. */
#include "learn/bingham.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learn/spectrum.h"
#include "random/generator.h"

/* Above 0, at most 1. */
static double part_of(uint64_t word) { return ((double)(word >> 11) + 1) * 0x1p-53; }

/* n standard normal numbers, two for two words [Box & Muller 1958]. */
static dusk_status draw_normals(double *out, uint64_t *words, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t even = n + n % 2;
    DUSK_TRY(dusk_generator_words(gen, words, even, 64, err));
    for (size_t i = 0; i < even; i += 2) {
        double radius = sqrt(-2 * log(part_of(words[i]))), angle = 2 * M_PI * part_of(words[i + 1]);
        out[i] = radius * cos(angle);
        if (i + 1 < n) out[i + 1] = radius * sin(angle);
    }
done:
    return status;
}

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
    uint64_t *words = NULL, coin;
    DUSK_NEW(words, d + 1);
    for (bool accepted = false; !accepted;) {
        double square = 0, exponent = 0, spread = 0;
        DUSK_TRY(draw_normals(x, words, d, gen, err));
        DUSK_TRY(dusk_generator_words(gen, &coin, 1, 64, err));
        for (size_t i = 0; i < d; i++) {
            x[i] /= sqrt(1 + 2 * a[i] / b);
            square += x[i] * x[i];
        }
        for (size_t i = 0; i < d; i++) {
            x[i] /= sqrt(square);
            exponent += a[i] * x[i] * x[i];
            spread += (1 + 2 * a[i] / b) * x[i] * x[i];
        }
        accepted = log(part_of(coin)) <= -exponent + q / 2 * log(spread) - log_most;
    }
done:
    if (words) dusk_wipe(words, (d + 1) * sizeof *words);
    dusk_deallocate(words);
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
