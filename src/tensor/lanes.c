/* SPDX-License-Identifier: Apache-2.0 */
/* Four rows at a time share what is loaded of the vector, or of the cells; floats are widened as they are loaded. In
 * plain lanes, compiled for machines with AVX2 and for those without, and by hand for AVX-512, where compilers widen badly. */
#include "tensor/lanes.h"

#include <math.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = 4, TILE = 4 };
typedef double wide __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef float narrow __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

#define LANES_INLINE static inline __attribute__((always_inline))
#define WIDE(at) __builtin_convertvector(*(const narrow *)(at), wide)

LANES_INLINE double add_lanes(const wide *a) { return ((*a)[0] + (*a)[1]) + ((*a)[2] + (*a)[3]); }

LANES_INLINE void multiply(double *out, const float *x, size_t rows, size_t width, const double *v)
{
    const size_t whole = width / LANES * LANES;
    size_t i = 0;
    for (; i + TILE <= rows; i += TILE, x += TILE * width) {
        wide a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
        for (size_t j = 0; j < whole; j += LANES) {
            const wide at = *(const wide *)(v + j);
            a += WIDE(x + j) * at;
            b += WIDE(x + width + j) * at;
            c += WIDE(x + 2 * width + j) * at;
            d += WIDE(x + 3 * width + j) * at;
        }
        double sum[TILE] = { add_lanes(&a), add_lanes(&b), add_lanes(&c), add_lanes(&d) };
        for (size_t j = whole; j < width; j++)
            for (size_t r = 0; r < TILE; r++) sum[r] += (double)x[r * width + j] * v[j];
        for (size_t r = 0; r < TILE; r++) out[i + r] = sum[r];
    }
    for (; i < rows; i++, x += width) {
        out[i] = 0;
        for (size_t j = 0; j < width; j++) out[i] += (double)x[j] * v[j];
    }
}

LANES_INLINE void combine(double *cells, const float *x, size_t rows, size_t width,
                          const double *coefficients)
{
    const size_t whole = width / LANES * LANES;
    size_t i = 0;
    for (; i + TILE <= rows; i += TILE, x += TILE * width) {
        const double a = coefficients[i], b = coefficients[i + 1], c = coefficients[i + 2],
                     d = coefficients[i + 3];
        for (size_t j = 0; j < whole; j += LANES)
            *(wide *)(cells + j) += (WIDE(x + j) * a + WIDE(x + width + j) * b) +
                                    (WIDE(x + 2 * width + j) * c + WIDE(x + 3 * width + j) * d);
        for (size_t j = whole; j < width; j++)
            cells[j] += ((double)x[j] * a + (double)x[width + j] * b) +
                        ((double)x[2 * width + j] * c + (double)x[3 * width + j] * d);
    }
    for (; i < rows; i++, x += width)
        for (size_t j = 0; j < width; j++) cells[j] += (double)x[j] * coefficients[i];
}

typedef int32_t integers __attribute__((vector_size(LANES * sizeof(int32_t))));

/* x - centre, and the square of its length: a sum of terms that are not negative, in `width` additions at most. */
LANES_INLINE double centre_row(double *out, const float *x, size_t width, const double *centre)
{
    const size_t lanes = width / LANES * LANES;
    wide squares = { 0 };
    double square = 0;
    for (size_t j = 0; j < lanes; j += LANES) {
        const wide away = WIDE(x + j) - *(const wide *)(centre + j);
        *(wide *)(out + j) = away;
        squares += away * away;
    }
    for (size_t j = lanes; j < width; j++) {
        out[j] = (double)x[j] - centre[j];
        square += out[j] * out[j];
    }
    return square + add_lanes(&squares);
}

/* Conversion to whole numbers is toward zero. */
LANES_INLINE void shrink_row(double *x, size_t width, double factor)
{
    const size_t lanes = width / LANES * LANES;
    for (size_t j = 0; j < lanes; j += LANES)
        *(wide *)(x + j) =
            __builtin_convertvector(__builtin_convertvector(*(const wide *)(x + j) * factor, integers), wide);
    for (size_t j = lanes; j < width; j++) x[j] = (double)(int32_t)(x[j] * factor);
}

LANES_INLINE void into_ball(double *out, const float *x, size_t rows, size_t width, const double *centre,
                            double radius, double limit, double ball)
{
    for (size_t i = 0; i < rows; i++, x += width, out += width) {
        double distance = sqrt(centre_row(out, x, width, centre));
        if (!(distance > limit)) distance = radius;
        shrink_row(out, width, ball / distance * (1 - 0x1p-40));
    }
}

#if defined(__x86_64__)
#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))
#define WIDE8(at) _mm512_cvtps_pd(_mm256_loadu_ps(at))
#define WIDE8_SOME(some, at) _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, at))

FOR_AVX512 static void multiply_avx512(double *out, const float *x, size_t rows, size_t width,
                                       const double *v)
{
    const size_t whole = width / 8 * 8;
    const __mmask8 rest = (__mmask8)((1u << (width - whole)) - 1);
    const __m512d last = _mm512_maskz_loadu_pd(rest, v + whole);
    size_t i = 0;
    for (; i + TILE <= rows; i += TILE, x += TILE * width) {
        const float *y = x + width, *z = y + width, *u = z + width;
        __m512d a = _mm512_mul_pd(WIDE8_SOME(rest, x + whole), last);
        __m512d b = _mm512_mul_pd(WIDE8_SOME(rest, y + whole), last);
        __m512d c = _mm512_mul_pd(WIDE8_SOME(rest, z + whole), last);
        __m512d d = _mm512_mul_pd(WIDE8_SOME(rest, u + whole), last);
        for (size_t j = 0; j < whole; j += 8) {
            const __m512d at = _mm512_loadu_pd(v + j);
            a = _mm512_fmadd_pd(WIDE8(x + j), at, a);
            b = _mm512_fmadd_pd(WIDE8(y + j), at, b);
            c = _mm512_fmadd_pd(WIDE8(z + j), at, c);
            d = _mm512_fmadd_pd(WIDE8(u + j), at, d);
        }
        out[i] = _mm512_reduce_add_pd(a), out[i + 1] = _mm512_reduce_add_pd(b);
        out[i + 2] = _mm512_reduce_add_pd(c), out[i + 3] = _mm512_reduce_add_pd(d);
    }
    multiply(out + i, x, rows - i, width, v);
}

FOR_AVX512 static void combine_avx512(double *cells, const float *x, size_t rows, size_t width,
                                      const double *coefficients)
{
    const size_t whole = width / 8 * 8;
    const __mmask8 rest = (__mmask8)((1u << (width - whole)) - 1);
    size_t i = 0;
    for (; i + TILE <= rows; i += TILE, x += TILE * width) {
        const float *y = x + width, *z = y + width, *u = z + width;
        const __m512d a = _mm512_set1_pd(coefficients[i]), b = _mm512_set1_pd(coefficients[i + 1]);
        const __m512d c = _mm512_set1_pd(coefficients[i + 2]), d = _mm512_set1_pd(coefficients[i + 3]);
        for (size_t j = 0; j < whole; j += 8) {
            __m512d cell = _mm512_fmadd_pd(WIDE8(x + j), a, _mm512_loadu_pd(cells + j));
            __m512d more = _mm512_mul_pd(WIDE8(z + j), c);
            cell = _mm512_fmadd_pd(WIDE8(y + j), b, cell);
            more = _mm512_fmadd_pd(WIDE8(u + j), d, more);
            _mm512_storeu_pd(cells + j, _mm512_add_pd(cell, more));
        }
        __m512d cell = _mm512_maskz_loadu_pd(rest, cells + whole);
        cell = _mm512_fmadd_pd(WIDE8_SOME(rest, x + whole), a, cell);
        cell = _mm512_fmadd_pd(WIDE8_SOME(rest, y + whole), b, cell);
        cell = _mm512_fmadd_pd(WIDE8_SOME(rest, z + whole), c, cell);
        cell = _mm512_fmadd_pd(WIDE8_SOME(rest, u + whole), d, cell);
        _mm512_mask_storeu_pd(cells + whole, rest, cell);
    }
    combine(cells, x, rows - i, width, coefficients + i);
}

FOR_AVX512 static void into_ball_avx512(double *out, const float *x, size_t rows, size_t width,
                                        const double *centre, double radius, double limit, double ball)
{
    const size_t whole = width / 8 * 8;
    const __mmask8 rest = (__mmask8)((1u << (width - whole)) - 1);
    const __m512d middle = _mm512_maskz_loadu_pd(rest, centre + whole);
    for (size_t i = 0; i < rows; i++, x += width, out += width) {
        const __m512d last = _mm512_sub_pd(WIDE8_SOME(rest, x + whole), middle);
        __m512d squares = _mm512_mul_pd(last, last);
        for (size_t j = 0; j < whole; j += 8) {
            const __m512d away = _mm512_sub_pd(WIDE8(x + j), _mm512_loadu_pd(centre + j));
            _mm512_storeu_pd(out + j, away);
            squares = _mm512_fmadd_pd(away, away, squares);
        }
        double distance = sqrt(_mm512_reduce_add_pd(squares));
        if (!(distance > limit)) distance = radius;
        const __m512d factor = _mm512_set1_pd(ball / distance * (1 - 0x1p-40));
        for (size_t j = 0; j < whole; j += 8)
            _mm512_storeu_pd(out + j, _mm512_cvtepi32_pd(_mm512_cvttpd_epi32(
                                          _mm512_mul_pd(_mm512_loadu_pd(out + j), factor))));
        _mm512_mask_storeu_pd(out + whole, rest,
                              _mm512_cvtepi32_pd(_mm512_cvttpd_epi32(_mm512_mul_pd(last, factor))));
    }
}

#define FOR_AVX2 __attribute__((target("avx2,fma")))
FOR_AVX2 static void multiply_avx2(double *out, const float *x, size_t rows, size_t width, const double *v)
{
    multiply(out, x, rows, width, v);
}

FOR_AVX2 static void combine_avx2(double *cells, const float *x, size_t rows, size_t width,
                                  const double *coefficients)
{
    combine(cells, x, rows, width, coefficients);
}

FOR_AVX2 static void into_ball_avx2(double *out, const float *x, size_t rows, size_t width,
                                    const double *centre, double radius, double limit, double ball)
{
    into_ball(out, x, rows, width, centre, radius, limit, ball);
}
#endif

int tensor_lanes_level(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
    return 0;
}

void tensor_lanes_multiply(int level, double *out, const float *x, size_t rows, size_t width, const double *v)
{
#if defined(__x86_64__)
    if (level == 2) {
        multiply_avx512(out, x, rows, width, v);
        return;
    }
    if (level == 1) {
        multiply_avx2(out, x, rows, width, v);
        return;
    }
#endif
    (void)level;
    multiply(out, x, rows, width, v);
}

void tensor_lanes_combine(int level, double *cells, const float *x, size_t rows, size_t width,
                          const double *coefficients)
{
#if defined(__x86_64__)
    if (level == 2) {
        combine_avx512(cells, x, rows, width, coefficients);
        return;
    }
    if (level == 1) {
        combine_avx2(cells, x, rows, width, coefficients);
        return;
    }
#endif
    (void)level;
    combine(cells, x, rows, width, coefficients);
}

void tensor_lanes_into_ball(int level, double *out, const float *x, size_t rows, size_t width,
                            const double *centre, double radius, double limit, double ball)
{
#if defined(__x86_64__)
    if (level == 2) {
        into_ball_avx512(out, x, rows, width, centre, radius, limit, ball);
        return;
    }
    if (level == 1) {
        into_ball_avx2(out, x, rows, width, centre, radius, limit, ball);
        return;
    }
#endif
    (void)level;
    into_ball(out, x, rows, width, centre, radius, limit, ball);
}
