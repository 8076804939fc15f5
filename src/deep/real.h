/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_REAL_H
#define DUSK_DEEP_REAL_H

/* Numbers of a pass are floats, and what sums count in are short whole numbers. Tests compile layers and sums once more with DEEP_DOUBLE, to hold them
 * to reference.c to the last digits: what is right there is right here, but for rounding.
 *
 * And functions of one number in plain arithmetic: in a loop a compiler puts them into lanes, and what they give of a number is the same
 * bits in a lane as in the remainder, which a call of the mathematics library would not promise. Total: NaN gives NaN or an end of the
 * range, infinities an end. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/gemm.h"

/* Loops over numbers, compiled for the lanes that a machine may have; the same bits on each, since nothing is fused or reordered. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define DEEP_LANES                                                                                           \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"),                             \
                   optimize("O3", "no-trapping-math")))
#else
#define DEEP_LANES
#endif

/* Into such loops functions come only when they must. */
#define DEEP_INLINE static inline __attribute__((always_inline))

#ifdef DEEP_DOUBLE
typedef double deep_real;
typedef struct deep_view {
    const double *at;
    size_t row, column;
} deep_view;
/* As tensor_gemm. */
static inline void deep_gemm(int level, double *c, size_t stride, deep_view a, deep_view b, size_t m,
                             size_t n, size_t k, bool add, tensor_gemm_work *work)
{
    (void)level, (void)work;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = add ? c[i * stride + j] : 0;
            for (size_t t = 0; t < k; t++)
                sum += a.at[i * a.row + t * a.column] * b.at[t * b.row + j * b.column];
            c[i * stride + j] = sum;
        }
}
DEEP_INLINE double deep_exp(double x) { return exp(x); }
#define DEEP_ULP 0x1p-52
/* Whole numbers, but so large that no rounding is seen: see sums.h. */
typedef double deep_short, deep_count;
typedef deep_view deep_view16;
/* As tensor_gemm16. */
static inline void deep_gemm16(int level, double *c, size_t stride, deep_view16 a, deep_view16 b, size_t m,
                               size_t n, size_t k, tensor_gemm_work *work)
{
    deep_gemm(level, c, stride, a, b, m, n, k, true, work);
}
#else
typedef float deep_real;
typedef tensor_view deep_view;
#define deep_gemm tensor_gemm
#define DEEP_ULP 0x1p-23 /* the distance of 1 from the next number */
typedef int16_t deep_short; /* factors of gradients in steps, and sums of their products */
typedef int32_t deep_count;
typedef tensor_view16 deep_view16;
#define deep_gemm16 tensor_gemm16

/* exp, to about 2 units of the last place; 0 below -87, exp(88) above 88; NaN as if it were -87. */
DEEP_INLINE float deep_exp(float x)
{
    x = x > -87.0f ? x : -87.0f;
    x = x < 88.0f ? x : 88.0f;
    float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f; /* the nearest whole number */
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1;
    int32_t bits = ((int32_t)n + 127) * (1 << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
#endif

DEEP_INLINE deep_real deep_sigmoid(deep_real x) { return 1 / (1 + deep_exp(-x)); }
DEEP_INLINE deep_real deep_tanh(deep_real x) { return 2 / (1 + deep_exp(-2 * x)) - 1; }

#endif
