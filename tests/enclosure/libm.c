/* SPDX-License-Identifier: Apache-2.0 */
/* What the accountants' error bounds allow the C library: 4 ulp for every function of
 * double they use, 8 for those of long double. Each is compared with MPFR on 40 000
 * arguments over all sizes that occur; a library that is worse fails here, not in a
 * promise. */
#include <float.h>
#include <math.h>

#include <mpfr.h>

#include "support.h"

#define COUNT 40000
#define BITS 160

typedef int reference(mpfr_t, const mpfr_t, mpfr_rnd_t);

/* Arguments: signed, |x| = 2^e with e uniform between two exponents. */
static double argument(uint64_t *state, double low, double high, int negative)
{
    uint64_t a = splitmix64(state), b = splitmix64(state);
    double x = exp2(low + (high - low) * (double)(a >> 11) * 0x1p-53);
    return negative && (b & 1) ? -x : x;
}

/* |got - want| in ulps of want, a number of `digits` binary digits. */
static double ulps(long double got, const mpfr_t want, int digits)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_set_ld(d, got, MPFR_RNDN);
    mpfr_sub(d, d, want, MPFR_RNDN);
    mpfr_mul_2si(d, d, digits - mpfr_get_exp(want), MPFR_RNDN);
    double out = fabs(mpfr_get_d(d, MPFR_RNDA));
    mpfr_clear(d);
    return out;
}

typedef struct subject {
    const char *name;
    double (*f)(double);
    long double (*wide)(long double); /* or this */
    reference *truth;
    double low, high; /* exponents of arguments */
    int negative;
} subject;

static const subject subjects[] = {
    { "exp", exp, NULL, mpfr_exp, -60, 9.4, 1 },         { "expm1", expm1, NULL, mpfr_expm1, -60, 9.4, 1 },
    { "exp2", exp2, NULL, mpfr_exp2, -30, 9.9, 1 },      { "log", log, NULL, mpfr_log, -1000, 1000, 0 },
    { "log1p", log1p, NULL, mpfr_log1p, -60, 900, 0 },   { "sin", sin, NULL, mpfr_sin, -60, 30, 1 },
    { "cos", cos, NULL, mpfr_cos, -30, 30, 1 },          { "atan", atan, NULL, mpfr_atan, -60, 60, 1 },
    { "sinh", sinh, NULL, mpfr_sinh, -60, 9.4, 1 },      { "cosh", cosh, NULL, mpfr_cosh, -30, 9.4, 1 },
    { "asinh", asinh, NULL, mpfr_asinh, -60, 900, 1 },   { "expl", NULL, expl, mpfr_exp, -60, 13, 1 },
    { "expm1l", NULL, expm1l, mpfr_expm1, -60, 13, 1 },  { "logl", NULL, logl, mpfr_log, -1000, 1000, 0 },
    { "log1pl", NULL, log1pl, mpfr_log1p, -60, 900, 0 }, { "sinl", NULL, sinl, mpfr_sin, -60, 20, 1 },
    { "cosl", NULL, cosl, mpfr_cos, -30, 20, 1 },
};

static void functions_of_one_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const subject *s = &subjects[i];
        uint64_t seed = 2016 + i;
        double worst = 0, allowed = s->f ? 4 : 8;
        mpfr_t x, y;
        mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
        for (int n = 0; n < (s->f ? COUNT : COUNT / 4); n++) {
            double at = argument(&seed, s->low, s->high, s->negative);
            if (s->truth == mpfr_log1p && n % 2) at = -fmin(0.999, fabs(at) * 0x1p-1);
            mpfr_set_d(x, at, MPFR_RNDN);
            s->truth(y, x, MPFR_RNDN);
            double size = fabs(mpfr_get_d(y, MPFR_RNDN));
            if (!(size >= DBL_MIN && size <= DBL_MAX)) continue;
            worst = fmax(worst, ulps(s->f ? s->f(at) : s->wide(at), y, s->f ? DBL_MANT_DIG : LDBL_MANT_DIG));
        }
        mpfr_clears(x, y, (mpfr_ptr)0);
        if (!(worst <= allowed)) fail_msg("%s is off by %g ulp, %g are allowed", s->name, worst, allowed);
    }
}

static void functions_of_two_numbers(void **state)
{
    (void)state;
    uint64_t seed = 2020;
    mpfr_t x, y, z;
    mpfr_inits2(BITS, x, y, z, (mpfr_ptr)0);
    for (int n = 0; n < COUNT; n++) {
        double a = argument(&seed, -60, 4, 1), b = argument(&seed, -60, 4, 1);
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_set_d(y, b, MPFR_RNDN);
        mpfr_atan2(z, x, y, MPFR_RNDN);
        double off = ulps(atan2(a, b), z, DBL_MANT_DIG);
        mpfr_hypot(z, x, y, MPFR_RNDN);
        off = fmax(off, ulps(hypot(a, b), z, DBL_MANT_DIG));
        if (!(off <= 4)) fail_msg("atan2 or hypot of %a and %a is off by %g ulp", a, b, off);
        double base = argument(&seed, -3, 0, 0), power = argument(&seed, -3, 7, 0);
        mpfr_set_d(x, base, MPFR_RNDN);
        mpfr_set_d(y, power, MPFR_RNDN);
        mpfr_pow(z, x, y, MPFR_RNDN);
        if (!(ulps(pow(base, power), z, DBL_MANT_DIG) <= 4)) fail_msg("pow(%a, %a) is off", base, power);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_number),
        cmocka_unit_test(functions_of_two_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
