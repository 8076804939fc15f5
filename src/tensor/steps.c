/* SPDX-License-Identifier: Apache-2.0 */
/* In plain lanes, without a branch, compiled for machines with AVX-512, with AVX2, and for those without. */
#include "tensor/steps.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

FOR_AVX512 static void rows_avx512(double *out, size_t stride, double *squares, const double *const *x,
                                   size_t n, const tensor_scale *s)
{
    rows(out, stride, squares, x, n, s);
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
