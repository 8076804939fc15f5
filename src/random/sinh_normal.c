/* SPDX-License-Identifier: Apache-2.0 */
/* Sinh-normal noise, exactly rounded: the half-normal draw of random/rounded.c is known
 * to a certified error, and so is what arsinh makes of it in double arithmetic; where
 * that leaves two possible steps, further digits and MPFR decide. See
 * noise_sinh_normal.h, sinh_normal.proof.md. */
#include "random/noise_sinh_normal.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mutant.h"

#define UNIT 0x1p40          /* |N| is known in multiples of about 2^-65 */
#define LARGEST 10.0         /* |N| of a draw that the leading digits decided */
#define ERROR (32 * 0x1p-53) /* relative, of the double value */

void dusk_sinh_normal_sampler_init(dusk_sinh_normal_sampler *out, double scale, double bend, unsigned width)
{
    double unit = width == DUSK_WIDTH_FULL ? UNIT : 1;
    *out = (dusk_sinh_normal_sampler){ .unit = unit, .scale = scale, .bend = bend };
    dusk_rounded_init(&out->normal, DUSK_TAIL_HALF_NORMAL, unit, 0, 0.5, width);
    out->margin = (scale * LARGEST * ERROR + scale * out->normal.few.margin / unit + 0x1p-50) * 1.001;
    out->margin *= DUSK_MUTATE(SINH_NORMAL_MARGIN_FORGOTTEN, 1, 0);
}

/* ln(1 + y), y = x + x^2/(1 + sqrt(1 + x^2)): 1 + y = 2^k m with m between sqrt(1/2) and sqrt(2), whose
 * logarithm is 2 artanh of f/(2 + f), f = m - 1, where what 1 + y lost in rounding is put back. */
DUSK_PROVEN(dusk_sinh_normal_arsinh)
double dusk_sinh_normal_arsinh(double x)
{
    const int64_t root_half = 0x3fe6a09e667f3bcd; /* the digits of sqrt(1/2) */
    double y = x + x * x / (1 + sqrt(1 + x * x)), u = 1 + y, down, series = 1.0 / 23;
    int64_t digits, k;
    memcpy(&digits, &u, sizeof digits);
    k = (digits - root_half) >> 52;
    digits = (1023 - k) * ((int64_t)1 << 52);
    memcpy(&down, &digits, sizeof down); /* 2^-k */
    double f = (u * down - 1) + (y - (u - 1)) * down, s = f / (2 + f), z = s * s;
    for (int n = 21; n >= 1; n -= 2) series = series * z + 1.0 / n;
    return (double)k * 0x1.62e42fefa39efp-1 + 2 * s * series;
}

/* bend arsinh(scale |N| / bend) + 1/2 as a certified real */
typedef struct bent {
    const dusk_sinh_normal_sampler *s;
    dusk_lazy *v;
    dusk_generator *gen;
    bool again; /* the digits known already did not decide */
} bent;

static dusk_status enclose_bent(void *real, dusk_interval *out, dusk_error *err)
{
    bent *b = real;
    dusk_interval t;
    dusk_status status = b->again ? dusk_lazy_refine(b->v, b->gen, err) : DUSK_OK;
    if (status != DUSK_OK) return status;
    b->again = true;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_lazy_enclose(b->v, &t);
    dusk_tail_quantile(DUSK_TAIL_HALF_NORMAL, out, &t);
    dusk_interval_set(&t, b->s->scale);
    dusk_interval_mul(out, out, &t);
    dusk_interval_set(&t, b->s->bend);
    dusk_interval_div(out, out, &t);
    mpfr_asinh(out->lo, out->lo, MPFR_RNDD);
    mpfr_asinh(out->hi, out->hi, MPFR_RNDU);
    dusk_interval_mul(out, out, &t);
    dusk_interval_set(&t, 0.5);
    dusk_interval_add(out, out, &t);
    dusk_interval_clear(&t);
    return DUSK_OK;
}

/* By the leading digits: whether they decide, and what. */
DUSK_PROVEN(decide)
static bool decide(const dusk_sinh_normal_sampler *s, const dusk_rounded_draw *draw, dusk_int128 *out)
{
    double normal = ((double)draw->magnitude + draw->rest) / s->unit;
    double z = s->bend * dusk_sinh_normal_arsinh(normal * (s->scale / s->bend)) + 0.5, whole = floor(z),
           rest = z - whole;
    *out = (dusk_int128)whole;
    return !draw->resolved && rest > s->margin && rest < 1 - s->margin;
}

DUSK_PROVEN(dusk_sinh_normal_sampler_draw)
dusk_status dusk_sinh_normal_sampler_draw(const dusk_sinh_normal_sampler *s, dusk_int128 *out,
                                          dusk_generator *gen, dusk_error *err)
{
    dusk_rounded_draw draw = { .resolved = false };
    bent real = { .s = s, .v = &draw.v, .gen = gen };
    dusk_int128 magnitude;
    dusk_status status;

    DUSK_TRY(dusk_rounded_few(&s->normal, &draw, 1, gen, err));
    if (!decide(s, &draw, &magnitude)) {
        if (!draw.resolved) {
            draw.resolved = true;
            DUSK_TRY(dusk_rounded_digits(&s->normal, &draw, err));
        }
        DUSK_TRY(dusk_real_floor(&magnitude, enclose_bent, &real, err));
    }
    dusk_int128 sign = -(dusk_int128)draw.negative;
    *out = (magnitude ^ sign) - sign;
done:
    if (draw.resolved) dusk_lazy_clear(&draw.v);
    return status;
}
