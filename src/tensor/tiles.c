/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a few rows by up to three registers of columns are kept in registers while the long side is gone through, a chunk at a time
 * that stays in the nearest cache. */
#include "tensor/tiles.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* loops over the registers of a tile are unrolled */
#endif

#if defined(__x86_64__)
#include <immintrin.h>

#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))
#define TILES_INLINE FOR_AVX512 static inline __attribute__((always_inline))
enum { LANES = 8, HIGH = 4, BROAD = 3, NEAR = 4096 /* doubles in the nearest cache */, WIDE_MOST = 256 };

/* The registers of `n` columns, the last of which may be in part. */
TILES_INLINE __mmask8 some(size_t n, size_t register_)
{
    const size_t left = n - register_ * LANES;
    return (__mmask8)(left >= LANES ? 0xff : (1u << left) - 1);
}

/* --- gram --------------------------------------------------------------------------------------------------- */

/* High * broad registers of the gram: cells (a, b) for a in [0, high), b in [0, n). `left` and `right` are the rows' numbers there. */
TILES_INLINE void gram_tile(double *cells, size_t width, const double *left, const double *right, size_t rows,
                            size_t n, const int high, const int broad)
{
    const __mmask8 last = some(n, (size_t)broad - 1);
    __m512d sum[HIGH][BROAD];
    for (int a = 0; a < high; a++)
        for (int b = 0; b < broad; b++)
            sum[a][b] = _mm512_maskz_loadu_pd(b + 1 < broad ? 0xff : last,
                                              cells + (size_t)a * width + (size_t)b * LANES);
    for (size_t i = 0; i < rows; i++, left += width, right += width) {
        __m512d at[BROAD];
        for (int b = 0; b < broad; b++)
            at[b] = _mm512_maskz_loadu_pd(b + 1 < broad ? 0xff : last, right + (size_t)b * LANES);
        for (int a = 0; a < high; a++) {
            const __m512d own = _mm512_set1_pd(left[a]);
            for (int b = 0; b < broad; b++) sum[a][b] = _mm512_fmadd_pd(own, at[b], sum[a][b]);
        }
    }
    for (int a = 0; a < high; a++)
        for (int b = 0; b < broad; b++)
            _mm512_mask_storeu_pd(cells + (size_t)a * width + (size_t)b * LANES, b + 1 < broad ? 0xff : last,
                                  sum[a][b]);
}

TILES_INLINE void gram_high(double *cells, size_t width, const double *left, const double *right, size_t rows,
                            size_t n, const int high)
{
    if (n > 2 * LANES)
        gram_tile(cells, width, left, right, rows, n, high, 3);
    else if (n > LANES)
        gram_tile(cells, width, left, right, rows, n, high, 2);
    else
        gram_tile(cells, width, left, right, rows, n, high, 1);
}

FOR_AVX512 static void gram_some(double *cells, const double *x, size_t rows, size_t width)
{
    for (size_t a = 0; a < width; a += HIGH)
        for (size_t b = a / LANES * LANES; b < width; b += BROAD * LANES) {
            const size_t n = width - b < BROAD * LANES ? width - b : BROAD * LANES;
            double *to = cells + a * width + b;
            switch (width - a) {
            case 1: gram_high(to, width, x + a, x + b, rows, n, 1); break;
            case 2: gram_high(to, width, x + a, x + b, rows, n, 2); break;
            case 3: gram_high(to, width, x + a, x + b, rows, n, 3); break;
            default: gram_high(to, width, x + a, x + b, rows, n, HIGH);
            }
        }
}

/* --- products ------------------------------------------------------------------------------------------------- */

enum { DEEP = 128, TALL = 8, MANY_MOST = 64 };

/* Products of `high` rows with up to 8 * broad vectors, whose numbers come a column at a time, 8 * broad together. */
TILES_INLINE void product_tile(double *out, size_t k, const double *x, size_t width, const double *turned,
                               size_t depth, bool more, size_t n, const int high, const int broad)
{
    const __mmask8 last = some(n, (size_t)broad - 1);
    __m512d sum[TALL][BROAD];
    for (int a = 0; a < high; a++)
        for (int b = 0; b < broad; b++)
            sum[a][b] = more ? _mm512_maskz_loadu_pd(b + 1 < broad ? 0xff : last,
                                                     out + (size_t)a * k + (size_t)b * LANES)
                             : _mm512_setzero_pd();
    for (size_t c = 0; c < depth; c++, turned += broad * LANES)
        for (int a = 0; a < high; a++) {
            const __m512d own = _mm512_set1_pd(x[(size_t)a * width + c]);
            for (int b = 0; b < broad; b++)
                sum[a][b] = _mm512_fmadd_pd(own, _mm512_loadu_pd(turned + (size_t)b * LANES), sum[a][b]);
        }
    for (int a = 0; a < high; a++)
        for (int b = 0; b < broad; b++)
            _mm512_mask_storeu_pd(out + (size_t)a * k + (size_t)b * LANES, b + 1 < broad ? 0xff : last,
                                  sum[a][b]);
}

TILES_INLINE void product_rows(double *out, size_t k, const double *x, size_t rows, size_t width,
                               const double *turned, size_t depth, bool more, size_t n, const int tall,
                               const int broad)
{
    size_t i = 0;
    for (; i + (size_t)tall <= rows; i += (size_t)tall)
        product_tile(out + i * k, k, x + i * width, width, turned, depth, more, n, tall, broad);
    for (; i < rows; i++)
        product_tile(out + i * k, k, x + i * width, width, turned, depth, more, n, 1, broad);
}

FOR_AVX512 static void multiply_some(double *out, size_t k, const double *x, size_t rows, size_t width,
                                     const double *vectors, size_t depth, bool more, size_t n)
{
    double turned[DEEP * BROAD * LANES];
    const size_t room = (n + LANES - 1) / LANES * LANES;
    for (size_t c = 0; c < depth; c++)
        for (size_t j = 0; j < room; j++) turned[c * room + j] = j < n ? vectors[j * width + c] : 0;
    if (n > 2 * LANES)
        product_rows(out, k, x, rows, width, turned, depth, more, n, HIGH, 3);
    else if (n > LANES)
        product_rows(out, k, x, rows, width, turned, depth, more, n, HIGH, 2);
    else
        product_rows(out, k, x, rows, width, turned, depth, more, n, TALL, 1);
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

FOR_AVX512 static void widen_avx512(double *out, const float *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) _mm512_storeu_pd(out + i, _mm512_cvtps_pd(_mm256_loadu_ps(x + i)));
    for (; i < n; i++) out[i] = (double)x[i];
}

FOR_AVX512 static void narrow_avx512(float *out, const double *x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) _mm256_storeu_ps(out + i, _mm512_cvtpd_ps(_mm512_loadu_pd(x + i)));
    for (; i < n; i++) out[i] = (float)x[i];
}

FOR_AVX512 static void distances_avx512(double *out, const double *x, size_t rows, size_t width,
                                        const double *centres, const int32_t *which)
{
    const size_t whole = width / LANES * LANES;
    const __mmask8 rest = some(width - whole, 0);
    for (size_t i = 0; i < rows; i++, x += width) {
        const double *from = centres + (which ? (size_t)which[i] * width : 0);
        const __m512d last =
            _mm512_sub_pd(_mm512_maskz_loadu_pd(rest, x + whole), _mm512_maskz_loadu_pd(rest, from + whole));
        __m512d sum = _mm512_mul_pd(last, last);
        for (size_t c = 0; c < whole; c += LANES) {
            const __m512d at = _mm512_sub_pd(_mm512_loadu_pd(x + c), _mm512_loadu_pd(from + c));
            sum = _mm512_fmadd_pd(at, at, sum);
        }
        out[i] = _mm512_reduce_add_pd(sum);
    }
}

FOR_AVX512 static void scatter_avx512(double *cells, size_t stride, const double *x, size_t rows,
                                      size_t width, const int32_t *which)
{
    const size_t whole = width / LANES * LANES;
    const __mmask8 rest = some(width - whole, 0);
    for (size_t i = 0; i < rows; i++, x += width) {
        if (which[i] < 0) continue;
        double *to = cells + (size_t)which[i] * stride;
        for (size_t c = 0; c < whole; c += LANES)
            _mm512_storeu_pd(to + c, _mm512_add_pd(_mm512_loadu_pd(to + c), _mm512_loadu_pd(x + c)));
        _mm512_mask_storeu_pd(
            to + whole, rest,
            _mm512_add_pd(_mm512_maskz_loadu_pd(rest, to + whole), _mm512_maskz_loadu_pd(rest, x + whole)));
    }
}
#endif

/* --- machines ----------------------------------------------------------------------------------------------------- */

bool tensor_tiles_gram(int level, double *cells, const double *x, size_t rows, size_t width)
{
#if defined(__x86_64__)
    if (level < 2 || width > WIDE_MOST) return false;
    const size_t at_once = NEAR / width > 16 ? NEAR / width : 16;
    for (size_t i = 0; i < rows; i += at_once)
        gram_some(cells, x + i * width, rows - i < at_once ? rows - i : at_once, width);
    return true;
#else
    (void)level, (void)cells, (void)x, (void)rows, (void)width;
    return false;
#endif
}

bool tensor_tiles_multiply(int level, double *out, const double *x, size_t rows, size_t width,
                           const double *vectors, size_t k)
{
#if defined(__x86_64__)
    if (level < 2 || width > WIDE_MOST || k > MANY_MOST) return false;
    for (size_t j = 0; j < k; j += BROAD * LANES)
        for (size_t c = 0; c < width; c += DEEP)
            multiply_some(out + j, k, x + c, rows, width, vectors + j * width + c,
                          width - c < DEEP ? width - c : DEEP, c > 0,
                          k - j < BROAD * LANES ? k - j : BROAD * LANES);
    return true;
#else
    (void)level, (void)out, (void)x, (void)rows, (void)width, (void)vectors, (void)k;
    return false;
#endif
}

void tensor_tiles_widen(int level, double *out, const float *x, size_t n)
{
#if defined(__x86_64__)
    if (level == 2) {
        widen_avx512(out, x, n);
        return;
    }
#endif
    (void)level;
    for (size_t i = 0; i < n; i++) out[i] = (double)x[i];
}

void tensor_tiles_narrow(int level, float *out, const double *x, size_t n)
{
#if defined(__x86_64__)
    if (level == 2) {
        narrow_avx512(out, x, n);
        return;
    }
#endif
    (void)level;
    for (size_t i = 0; i < n; i++) out[i] = (float)x[i];
}

void tensor_tiles_distances(int level, double *out, const double *x, size_t rows, size_t width,
                            const double *centres, const int32_t *which)
{
#if defined(__x86_64__)
    if (level == 2) {
        distances_avx512(out, x, rows, width, centres, which);
        return;
    }
#endif
    (void)level;
    for (size_t i = 0; i < rows; i++, x += width) {
        const double *from = centres + (which ? (size_t)which[i] * width : 0);
        double sum[4] = { 0, 0, 0, 0 };
        for (size_t c = 0; c < width; c++) sum[c % 4] += (x[c] - from[c]) * (x[c] - from[c]);
        out[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

void tensor_tiles_scatter(int level, double *cells, size_t stride, const double *x, size_t rows, size_t width,
                          const int32_t *which)
{
#if defined(__x86_64__)
    if (level == 2) {
        scatter_avx512(cells, stride, x, rows, width, which);
        return;
    }
#endif
    (void)level;
    for (size_t i = 0; i < rows; i++, x += width) {
        if (which[i] < 0) continue;
        double *to = cells + (size_t)which[i] * stride;
        for (size_t c = 0; c < width; c++) to[c] += x[c];
    }
}
