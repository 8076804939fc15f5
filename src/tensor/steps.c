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

STEPS_INLINE void four_steps(double *out, const double *from, const tensor_scale *s, bool ends)
{
    const wide missing = { s->missing, s->missing, s->missing, s->missing }, zero = { 0 };
    wide x;
    memcpy(&x, from, sizeof x);
    const mask finite = x - x == zero;
    choose(&x, &finite, &x, &missing);
    clamp(&x, s->lower, s->upper);
    x = (x - s->centre) * s->factor;
    if (ends) clamp(&x, -s->most, s->most);
    const whole steps = __builtin_convertvector(x * s->one, whole);
    x = __builtin_convertvector(steps, wide);
    memcpy(out, &x, sizeof x);
}

STEPS_INLINE void many_steps(double *out, const double *x, size_t n, const tensor_scale *scale, bool ends)
{
    const tensor_scale here = *scale; /* which nothing that is written can be */
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) four_steps(out + i, x + i, &here, ends);
    if (i < n) {
        double last[LANES] = { 0 };
        memcpy(last, x + i, (n - i) * sizeof *x);
        four_steps(last, last, &here, ends);
        memcpy(out + i, last, (n - i) * sizeof *out);
    }
}

/* Rounding is monotone: where both bounds end up within +-most, everything between them does. */
static bool stays_within(const tensor_scale *s)
{
    double low = (s->lower - s->centre) * s->factor, high = (s->upper - s->centre) * s->factor;
    return low >= -s->most && low <= s->most && high >= -s->most && high <= s->most;
}

STEPS_INLINE void steps(double *out, const double *x, size_t n, const tensor_scale *s)
{
    if (stays_within(s))
        many_steps(out, x, n, s, false);
    else
        many_steps(out, x, n, s, true);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl,avx512dq"))) static void steps_avx512(double *out, const double *x,
                                                                              size_t n, const tensor_scale *s)
{
    steps(out, x, n, s);
}

__attribute__((target("avx2"))) static void steps_avx2(double *out, const double *x, size_t n,
                                                       const tensor_scale *s)
{
    steps(out, x, n, s);
}
#endif

void tensor_steps(int level, double *out, const double *x, size_t n, const tensor_scale *scale)
{
#if defined(__x86_64__)
    if (level > 0) {
        if (level == 2)
            steps_avx512(out, x, n, scale);
        else
            steps_avx2(out, x, n, scale);
        return;
    }
#endif
    (void)level;
    steps(out, x, n, scale);
}

void tensor_interleave(double *out, size_t stride, const double *x, size_t room, size_t n, size_t columns)
{
    size_t c = 0;
    for (; c + 8 <= columns; c += 8) {
        const double *from = x + c * room;
        double *to = out + c;
        for (size_t i = 0; i < n; i++, from++, to += stride) {
            to[0] = from[0], to[1] = from[room], to[2] = from[2 * room], to[3] = from[3 * room];
            to[4] = from[4 * room], to[5] = from[5 * room], to[6] = from[6 * room], to[7] = from[7 * room];
        }
    }
    for (; c < columns; c++)
        for (size_t i = 0; i < n; i++) out[i * stride + c] = x[c * room + i];
}
