/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace noise within a window. Drawing until a number falls inside would
 * take the longer the nearer the value is to an end of its range, and so tell it.
 * Instead a coin chooses the side, and a geometric number is wrapped around the
 * side: memoryless as it is, its remainder has the law of the part that fits. See
 * noise_window.h, window.proof.md. */
#include "random/noise_window.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/mutant.h"
#include "random/exp_kernel.h"
#include "random/noise_coin.h"

void dusk_window_sampler_init(dusk_window_sampler *out, double scale, unsigned width)
{
    *out = (dusk_window_sampler){ .scale = scale, .width = width };
    dusk_rounded_init(&out->geometric, DUSK_TAIL_EXPONENTIAL, scale, 0, 0, width);
}

/* The sides: k >= 0 weighs 1 - q^(above + 1) and k < 0 weighs q (1 - q^below), q = exp(-1/scale). */
typedef struct sides {
    double scale;
    dusk_uint128 below, above;
} sides;

/* As a double, for n <= 2^102, by two conversions of 64-bit numbers: that of 128 bits takes a time that
 * depends on the number. */
static double as_double(dusk_uint128 n)
{
    const uint64_t low = ((uint64_t)1 << 52) - 1;
    return (double)(int64_t)(n >> 52) * 0x1p52 + (double)(int64_t)((uint64_t)n & low);
}

/* 1 - exp(-x), x >= 0, good to 2^-45 of itself with the same work for all x, which expm1 does not have:
 * the series up to 1/3, the kernel beyond; both are computed. */
DUSK_PROVEN(weight)
static double weight(double x)
{
    double small = x < 1.0 / 3 ? x : 1.0 / 3, series = 1.0 / 13;
    for (int n = 12; n >= 1; n--) series = (1 - small * series) / n;
    double near = small * series, far = 1 - dusk_exp_kernel(x);
    uint64_t a, b, mask = -(uint64_t)(x < 1.0 / 3);
    memcpy(&a, &near, sizeof a);
    memcpy(&b, &far, sizeof b);
    a = (a & mask) | (b & ~mask);
    memcpy(&near, &a, sizeof near);
    return near;
}

static double guess_right(const sides *s)
{
    double right = weight((as_double(s->above) + 1) / s->scale);
    double left = weight(as_double(s->below) / s->scale) * dusk_exp_kernel(1 / s->scale);
    return right / (right + left);
}

/* 1 - exp(-n / scale) */
static void enclose_weight(dusk_interval *out, dusk_uint128 n, double scale)
{
    dusk_interval t;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_interval_set_int(out, -(dusk_int128)n);
    dusk_interval_set(&t, scale);
    dusk_interval_div(out, out, &t);
    dusk_interval_expm1(out, out);
    dusk_interval_neg(out, out);
    dusk_interval_clear(&t);
}

static dusk_status enclose_right(void *real, dusk_interval *out, dusk_error *err)
{
    const sides *s = real;
    dusk_interval left, t;
    (void)err;
    dusk_interval_init(&left, mpfr_get_prec(out->lo));
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_interval_set(&left, -1);
    dusk_interval_set(&t, s->scale);
    dusk_interval_div(&left, &left, &t);
    dusk_interval_exp(&left, &left);
    enclose_weight(&t, s->below, s->scale);
    dusk_interval_mul(&left, &left, &t);
    enclose_weight(out, s->above + 1, s->scale);
    dusk_interval_add(&t, out, &left);
    dusk_interval_div(out, out, &t);
    dusk_interval_clear(&left);
    dusk_interval_clear(&t);
    return DUSK_OK;
}

/* x mod n, 0 <= x <= 2^126, 1 <= n <= 2^101, digit by digit: the same work for all. */
DUSK_PROVEN(remainder_of)
static dusk_uint128 remainder_of(dusk_uint128 x, dusk_uint128 n)
{
    dusk_uint128 rest = 0;
    for (int i = 126; i >= 0; i--) {
        rest = rest << 1 | (x >> i & 1);
        rest -= n & -(dusk_uint128)(rest >= n);
    }
    return rest;
}

DUSK_PROVEN(dusk_window_sampler_draw)
dusk_status dusk_window_sampler_draw(const dusk_window_sampler *s, dusk_int128 *out, dusk_uint128 below,
                                     dusk_uint128 above, dusk_generator *gen, dusk_error *err)
{
    sides both = { s->scale, below, above };
    dusk_rounded_draw draw = { .resolved = false };
    bool right;
    dusk_status status;

    DUSK_TRY(dusk_rounded_few(&s->geometric, &draw, 1, gen, err));
    DUSK_TRY(dusk_coin_real(gen, &right, guess_right(&both), enclose_right, &both, s->width, err));
    right = DUSK_MUTATE(WINDOW_SIDES_EVEN, right, below == 0 || draw.negative);
    if (draw.magnitude >> 126) /* 2^66 scales away: it would take as many coins that fall the same way */
        DUSK_TRY(dusk_fail(err, DUSK_ERR_INTERNAL, "", "a draw was too large"));
    dusk_uint128 mask = -(dusk_uint128)right, n = ((above + 1) & mask) | (below & ~mask);
    dusk_int128 k = (dusk_int128)remainder_of((dusk_uint128)draw.magnitude, n);
    *out = k ^ (dusk_int128)~mask; /* k, or -1 - k */
done:
    if (draw.resolved) dusk_lazy_clear(&draw.v);
    return status;
}
