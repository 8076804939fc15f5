/* SPDX-License-Identifier: Apache-2.0 */
/* Staircase noise in whole steps [Geng & Viswanath 2014, section 4]: the stair is
 * geometric, a coin says whether the high or the low part of it, and the place within
 * a part is uniform. Half-step intervals round to one step each, so integers are all
 * that is drawn. See noise_staircase.h, staircase.proof.md. */
#include "random/noise_staircase.h"

#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "random/noise_coin.h"
#include "random/sampling.h"

void dusk_staircase_sampler_init(dusk_staircase_sampler *out, double ratio, dusk_uint128 sensitivity,
                                 dusk_uint128 inner, unsigned width)
{
    double high = (double)inner, fall = exp(DUSK_MUTATE(STAIRCASE_LOW_PART_TOO_LOW, -1, -2) / ratio);
    double low = (double)(2 * sensitivity - inner) * fall;
    *out = (dusk_staircase_sampler){ .ratio = ratio,
                                     .sensitivity = sensitivity,
                                     .inner = inner,
                                     .guess = high / (high + low),
                                     .width = width };
    dusk_rounded_init(&out->stairs, DUSK_TAIL_EXPONENTIAL, ratio, 0, 0, width);
}

/* inner / (inner + (2 D - inner) exp(-1 / ratio)) */
static dusk_status enclose_high(void *real, dusk_interval *out, dusk_error *err)
{
    const dusk_staircase_sampler *s = real;
    dusk_interval high, low, t;
    mpfr_prec_t precision = mpfr_get_prec(out->lo);
    (void)err;
    dusk_interval_init(&high, precision);
    dusk_interval_init(&low, precision);
    dusk_interval_init(&t, precision);
    dusk_interval_set_int(&high, (dusk_int128)s->inner);
    dusk_interval_set_int(&low, (dusk_int128)(2 * s->sensitivity - s->inner));
    dusk_interval_set(&t, -1);
    dusk_interval_set(out, s->ratio);
    dusk_interval_div(&t, &t, out);
    dusk_interval_exp(&t, &t);
    dusk_interval_mul(&low, &low, &t);
    dusk_interval_add(&low, &low, &high);
    dusk_interval_div(out, &high, &low);
    dusk_interval_clear(&high);
    dusk_interval_clear(&low);
    dusk_interval_clear(&t);
    return DUSK_OK;
}

/* stair D + half / 2 rounded up, saturated at 2^126. */
static dusk_int128 magnitude(const dusk_staircase_sampler *s, dusk_int128 stair, dusk_uint128 half)
{
    const dusk_int128 most = (dusk_int128)1 << 126, width = (dusk_int128)s->sensitivity;
    if (stair > most / width) return most;
    dusk_int128 k = stair * width + (dusk_int128)((half + 1) / 2);
    return k < most ? k : most;
}

DUSK_PROVEN(dusk_staircase_sampler_draw)
dusk_status dusk_staircase_sampler_draw(const dusk_staircase_sampler *s, dusk_int128 *out,
                                        dusk_generator *gen, dusk_error *err)
{
    dusk_rounded_draw stair = { .resolved = false };
    dusk_uint128 in_high, in_low;
    bool high;
    dusk_status status;

    DUSK_TRY(dusk_rounded_few(&s->stairs, &stair, 1, gen, err));
    DUSK_TRY(dusk_coin_real(gen, &high, s->guess, enclose_high, (void *)(uintptr_t)s, s->width, err));
    /* both places are drawn, so that time does not tell which part it is */
    DUSK_TRY(dusk_uniform_below128(gen, &in_high, s->inner, err));
    DUSK_TRY(dusk_uniform_below128(gen, &in_low, 2 * s->sensitivity - s->inner, err));
    dusk_uint128 mask = -(dusk_uint128)high, half = (in_high & mask) | ((s->inner + in_low) & ~mask);
    dusk_int128 sign = -(dusk_int128)stair.negative;
    *out = (magnitude(s, stair.magnitude, half) ^ sign) - sign;
done:
    if (stair.resolved) dusk_lazy_clear(&stair.v);
    return status;
}
