/* SPDX-License-Identifier: Apache-2.0 */
/* In plain lanes, without a branch, compiled for machines with AVX-512, with AVX2, and for those without; and four columns to rows by
 * hand for AVX-512. Squares of whole numbers are exact, fused or not. */
#include "tensor/steps.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = 4 };
typedef double wide __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(8), may_alias));
typedef int32_t whole __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(4), may_alias));

#define STEPS_INLINE static inline __attribute__((always_inline))

/* a where the mask is set, else b; pointers, since wide vectors by value would need another calling convention. */
STEPS_INLINE void choose(wide *out, const mask *where, const wide *a, const wide *b)
{
    *out = (wide)((*where & (mask)*a) | (~*where & (mask)*b));
}

STEPS_INLINE void clamp(wide *x, double low, double high)
{
    const wide lowest = { low, low, low, low }, highest = { high, high, high, high };
    const mask above = *x > lowest;
    choose(x, &above, x, &lowest);
    const mask below = *x < highest;
    choose(x, &below, x, &highest);
}

STEPS_INLINE void four_steps(wide *x, const tensor_scale *s, bool ends)
{
    const wide missing = { s->missing, s->missing, s->missing, s->missing }, zero = { 0 };
    const mask finite = *x - *x == zero;
    choose(x, &finite, x, &missing);
    clamp(x, s->lower, s->upper);
    *x = (*x - s->centre) * s->factor;
    if (ends) clamp(x, -s->most, s->most);
    const whole steps = __builtin_convertvector(*x * s->one, whole);
    *x = __builtin_convertvector(steps, wide);
}

/* Rounding is monotone: where both bounds end up within +-most, everything between them does. */
static bool stays_within(const tensor_scale *s)
{
    double low = (s->lower - s->centre) * s->factor, high = (s->upper - s->centre) * s->factor;
    return low >= -s->most && low <= s->most && high >= -s->most && high <= s->most;
}

/* --- a column ---------------------------------------------------------------------------------------------- */

STEPS_INLINE void many_steps(double *out, const double *x, size_t n, const tensor_scale *scale, bool ends)
{
    const tensor_scale here = *scale; /* which nothing that is written can be */
    wide at = { 0 };
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        memcpy(&at, x + i, sizeof at);
        four_steps(&at, &here, ends);
        memcpy(out + i, &at, sizeof at);
    }
    if (i < n) {
        memcpy(&at, x + i, (n - i) * sizeof *x);
        four_steps(&at, &here, ends);
        memcpy(out + i, &at, (n - i) * sizeof *out);
    }
}

STEPS_INLINE void steps(double *out, const double *x, size_t n, const tensor_scale *s)
{
    if (stays_within(s))
        many_steps(out, x, n, s, false);
    else
        many_steps(out, x, n, s, true);
}

/* --- four columns to rows -------------------------------------------------------------------------------------- */

STEPS_INLINE void turn(wide *v)
{
    const wide even = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
               odd = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const wide even2 = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
               odd2 = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(even, even2, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(odd, odd2, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(even, even2, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(odd, odd2, 2, 3, 6, 7);
}

/* Up to four rows. */
STEPS_INLINE void rows_of_four(double *out, size_t stride, double *squares, const double *const *x, size_t i,
                               size_t n, const tensor_scale *scale, bool ends)
{
    wide v[LANES] = { { 0 } }, square = { 0 };
    memcpy(&square, squares + i, n * sizeof *squares);
    for (size_t c = 0; c < LANES; c++) {
        memcpy(&v[c], x[c] + i, n * sizeof **x);
        four_steps(&v[c], &scale[c], ends);
        square += v[c] * v[c];
    }
    memcpy(squares + i, &square, n * sizeof *squares);
    turn(v);
    for (size_t k = 0; k < n; k++) memcpy(out + (i + k) * stride, &v[k], sizeof v[k]);
}

STEPS_INLINE void many_rows(double *out, size_t stride, double *squares, const double *const *x, size_t n,
                            const tensor_scale *scale, bool ends)
{
    const tensor_scale here[LANES] = { scale[0], scale[1], scale[2], scale[3] };
    const double *const from[LANES] = { x[0], x[1], x[2], x[3] };
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) rows_of_four(out, stride, squares, from, i, LANES, here, ends);
    if (i < n) rows_of_four(out, stride, squares, from, i, n - i, here, ends);
}

STEPS_INLINE void rows(double *out, size_t stride, double *squares, const double *const *x, size_t n,
                       const tensor_scale *s)
{
    if (stays_within(&s[0]) && stays_within(&s[1]) && stays_within(&s[2]) && stays_within(&s[3]))
        many_rows(out, stride, squares, x, n, s, false);
    else
        many_rows(out, stride, squares, x, n, s, true);
}

/* --- machines ---------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))
#define FOR_AVX2 __attribute__((target("avx2")))
FOR_AVX512 static void steps_avx512(double *out, const double *x, size_t n, const tensor_scale *s)
{
    steps(out, x, n, s);
}

FOR_AVX2 static void steps_avx2(double *out, const double *x, size_t n, const tensor_scale *s)
{
    steps(out, x, n, s);
}

/* Eight at a time: operations and order are those of four_steps. */
FOR_AVX512 static inline __attribute__((always_inline)) __m512d eight_steps(__m512d x, const tensor_scale *s)
{
    const __mmask8 finite = _mm512_cmp_pd_mask(_mm512_sub_pd(x, x), _mm512_setzero_pd(), _CMP_EQ_OQ);
    x = _mm512_mask_blend_pd(finite, _mm512_set1_pd(s->missing), x);
    x = _mm512_max_pd(x, _mm512_set1_pd(s->lower));
    x = _mm512_min_pd(x, _mm512_set1_pd(s->upper));
    x = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(s->centre)), _mm512_set1_pd(s->factor));
    x = _mm512_max_pd(x, _mm512_set1_pd(-s->most));
    x = _mm512_min_pd(x, _mm512_set1_pd(s->most));
    return _mm512_cvtepi32_pd(_mm512_cvttpd_epi32(_mm512_mul_pd(x, _mm512_set1_pd(s->one))));
}

FOR_AVX512 static inline __attribute__((always_inline)) void put_pair(double *out, size_t stride,
                                                                      __m512d rows)
{
    _mm256_storeu_pd(out, _mm512_castpd512_pd256(rows));
    _mm256_storeu_pd(out + 2 * stride, _mm512_extractf64x4_pd(rows, 1));
}

FOR_AVX512 static void rows_avx512(double *out, size_t stride, double *squares, const double *const *x,
                                   size_t n, const tensor_scale *s)
{
    const double *const a = x[0], *const b = x[1], *const c = x[2], *const d = x[3];
    const tensor_scale of[LANES] = { s[0], s[1], s[2], s[3] };
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    size_t i = 0;
    for (; i + 8 <= n; i += 8, out += 8 * stride) {
        const __m512d p = eight_steps(_mm512_loadu_pd(a + i), &of[0]),
                      q = eight_steps(_mm512_loadu_pd(b + i), &of[1]),
                      r = eight_steps(_mm512_loadu_pd(c + i), &of[2]),
                      t = eight_steps(_mm512_loadu_pd(d + i), &of[3]);
        __m512d square = _mm512_fmadd_pd(p, p, _mm512_loadu_pd(squares + i));
        square = _mm512_fmadd_pd(r, r, _mm512_fmadd_pd(q, q, square));
        _mm512_storeu_pd(squares + i, _mm512_fmadd_pd(t, t, square));
        const __m512d even = _mm512_unpacklo_pd(p, q), odd = _mm512_unpackhi_pd(p, q);
        const __m512d even2 = _mm512_unpacklo_pd(r, t), odd2 = _mm512_unpackhi_pd(r, t);
        put_pair(out, stride, _mm512_permutex2var_pd(even, first, even2));
        put_pair(out + stride, stride, _mm512_permutex2var_pd(odd, first, odd2));
        put_pair(out + 4 * stride, stride, _mm512_permutex2var_pd(even, second, even2));
        put_pair(out + 5 * stride, stride, _mm512_permutex2var_pd(odd, second, odd2));
    }
    const double *const rest[LANES] = { a + i, b + i, c + i, d + i };
    rows(out, stride, squares + i, rest, n - i, s);
}

FOR_AVX2 static void rows_avx2(double *out, size_t stride, double *squares, const double *const *x, size_t n,
                               const tensor_scale *s)
{
    rows(out, stride, squares, x, n, s);
}
#endif

void tensor_steps(int level, double *out, const double *x, size_t n, const tensor_scale *scale)
{
#if defined(__x86_64__)
    if (level > 0) {
        (level == 2 ? steps_avx512 : steps_avx2)(out, x, n, scale);
        return;
    }
#endif
    (void)level;
    steps(out, x, n, scale);
}

void tensor_steps_rows(int level, double *out, size_t stride, double *squares, const double *const *x,
                       size_t n, const tensor_scale *scale)
{
#if defined(__x86_64__)
    if (level > 0) {
        (level == 2 ? rows_avx512 : rows_avx2)(out, stride, squares, x, n, scale);
        return;
    }
#endif
    (void)level;
    rows(out, stride, squares, x, n, scale);
}
