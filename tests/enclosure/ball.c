/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a norm, in double and by enclosures: the kernel functions keep the error
 * bounds of ball.proof.md against MPFR, at digits of all sizes; and what double decides
 * is what the enclosures of the same coins decide, also for values that lead right
 * beside the place where rounding changes. */
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "numeric/rounding.h"
#include "random/ball_kernel.h"
#include "random/noise_ball.h"
#include "random/rounded.h"
#include "random/tape.h"
#include "support.h"

#define BITS 220
#define COUNT 20000

static uint64_t seed = 7;

static uint64_t next(void) { return splitmix64(&seed); }

/* Digits whose number has a size from 2^-63 to 1, from either end. */
static uint64_t digits_of_some_size(void)
{
    uint64_t r = next(), hi = next() >> r % 64;
    if (r >> 32 & 1) hi = ~hi;
    return hi == 0 ? 1 : hi == UINT64_MAX ? hi - 1 : hi;
}

/* (hi, lo, then `more`, 0 or 1) as a number. */
static void set_uniform(mpfr_t out, uint64_t hi, uint64_t lo, int more)
{
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_set_ui_2exp(out, hi, -64, MPFR_RNDN);
    mpfr_set_ui_2exp(t, lo, -128, MPFR_RNDN);
    mpfr_add(out, out, t, MPFR_RNDN);
    mpfr_set_ui_2exp(t, (unsigned long)more, -128, MPFR_RNDN);
    mpfr_add(out, out, t, MPFR_RNDN);
    mpfr_clear(t);
}

/* |got - want| in units of u, beside |want| if `relative`. */
static double error_of(double got, const mpfr_t want, bool relative)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    mpfr_sub_d(d, want, got, MPFR_RNDN);
    if (relative) mpfr_div(d, d, want, MPFR_RNDN);
    double out = fabs(mpfr_get_d(d, MPFR_RNDA)) / DUSK_UNIT;
    mpfr_clear(d);
    return out;
}

static void exponentials_keep_their_bounds(void **state)
{
    double uniform = 0, minus_log = 0, exponential = 0;
    mpfr_t v, t;
    (void)state;
    mpfr_inits2(BITS, v, t, (mpfr_ptr)0);
    for (int i = 0; i < COUNT; i++) {
        uint64_t hi = digits_of_some_size(), lo = next();
        for (int more = 0; more < 2; more++) {
            set_uniform(v, hi, lo, more);
            uniform = fmax(uniform, error_of(dusk_ball_uniform(hi, lo), v, true));
            mpfr_log(t, v, MPFR_RNDN);
            mpfr_neg(t, t, MPFR_RNDN);
            exponential = fmax(exponential, error_of(dusk_ball_exponential(hi, lo), t, true));
        }
        int exponent = -(int)(next() % 1000000);
        double x = ldexp(0.5 + (double)(next() >> 11) * 0x1p-54, -(int)(next() % 900));
        mpfr_set_d(v, x, MPFR_RNDN);
        mpfr_mul_2si(v, v, exponent, MPFR_RNDN);
        mpfr_log(t, v, MPFR_RNDN);
        mpfr_neg(t, t, MPFR_RNDN);
        minus_log = fmax(minus_log, error_of(dusk_ball_minus_log(x, exponent), t, true));
    }
    if (!(uniform <= 2.01 && minus_log <= 9.4 && exponential <= 16))
        fail_msg("errors of %g, %g and %g u", uniform, minus_log, exponential);
    assert_true(exponential > 1 && minus_log > 0.5); /* something was measured */
    mpfr_clears(v, t, (mpfr_ptr)0);
}

static void directions_keep_their_bounds(void **state)
{
    double worst = 0;
    mpfr_t v, t, pi;
    (void)state;
    mpfr_inits2(BITS, v, t, pi, (mpfr_ptr)0);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (int i = 0; i < COUNT; i++) {
        uint64_t hi = next(), near = next() % 8 << 61;
        double c, s;
        if (i % 3 == 0) hi = near + (hi >> 3 >> next() % 61); /* beside an eighth of a turn */
        if (i % 3 == 1) hi = near - (hi >> 3 >> next() % 61);
        dusk_ball_direction(&c, &s, hi);
        for (int more = 0; more < 2; more++) {
            set_uniform(v, hi, more ? UINT64_MAX : 0, more);
            mpfr_mul(v, v, pi, MPFR_RNDN);
            mpfr_mul_ui(v, v, 2, MPFR_RNDN);
            mpfr_cos(t, v, MPFR_RNDN);
            worst = fmax(worst, error_of(c, t, false));
            mpfr_sin(t, v, MPFR_RNDN);
            worst = fmax(worst, error_of(s, t, false));
        }
    }
    if (!(worst <= 5)) fail_msg("an error of %g u", worst);
    assert_true(worst > 0.5);
    mpfr_clears(v, t, pi, (mpfr_ptr)0);
}

/* Both ways for one coordinate. */
static bool same(dusk_ball *ball, size_t i, double scale, double value, dusk_generator *gen)
{
    dusk_int128 quick, sure;
    assert_int_equal(dusk_ball_round(ball, &quick, i, scale, value, 0, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_ball_round_real(ball, &sure, i, scale, value, 0, gen, NULL), DUSK_OK);
    return quick == sure;
}

/* A value for which value + noise is all but half way between whole numbers. */
static double boundary(dusk_ball *ball, size_t i, double scale, dusk_generator *gen)
{
    double low = -1, high = 1;
    dusk_int128 at, here;
    assert_int_equal(dusk_ball_round_real(ball, &at, i, scale, low, 0, gen, NULL), DUSK_OK);
    for (int k = 0; k < 56; k++) {
        double middle = low + (high - low) / 2;
        assert_int_equal(dusk_ball_round_real(ball, &here, i, scale, middle, 0, gen, NULL), DUSK_OK);
        *(here == at ? &low : &high) = middle;
    }
    return high;
}

static void check_rounding(dusk_ball_norm norm, size_t d, double scale, int rounds, dusk_generator *gen)
{
    dusk_ball ball;
    size_t decided = 0, asked = 0;
    assert_int_equal(dusk_ball_init(&ball, norm, d, DUSK_WIDTH_FULL, NULL), DUSK_OK);
    for (int round = 0; round < rounds; round++) {
        assert_int_equal(dusk_ball_draw(&ball, gen, NULL), DUSK_OK);
        assert_false(ball.rough);
        for (size_t i = 0; i < d && i < 6; i++) {
            double value = (double)(int64_t)next() * 0x1p-50;
            assert_true(same(&ball, i, scale, value, gen));
            double edge = boundary(&ball, i, scale, gen), size = fabs(edge) + scale * (double)d;
            for (int away = -8; away <= 8; away++) {
                double x = edge + away * size * DUSK_UNIT;
                if (!same(&ball, i, scale, x, gen))
                    fail_msg("norm %d, %zu dimensions, scale %g, coordinate %zu, %d from the boundary",
                             (int)norm, d, scale, i, away);
            }
        }
    }
    for (; asked < 200; asked++) { /* and most of the time double decides */
        dusk_int128 out;
        assert_int_equal(dusk_ball_draw(&ball, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_ball_round(&ball, &out, asked % d, scale, 0.25, 0, gen, NULL), DUSK_OK);
        decided += ball.level == 0;
    }
    if (scale * (double)d <= 0x1p26) assert_int_equal(decided, asked);
    dusk_ball_clear(&ball);
}

static void double_and_enclosures_agree(void **state)
{
    static const size_t dimension[] = { 1, 2, 3, 4, 5, 16, 33 };
    static const double scale[] = { 0x1p-40, 0.37, 1000, 0x1p24, 0x1p37 };
    dusk_generator *gen;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 11, NULL), DUSK_OK);
    for (dusk_ball_norm norm = DUSK_BALL_L1; norm <= DUSK_BALL_LINF; norm++)
        for (size_t i = 0; i < sizeof dimension / sizeof *dimension; i++)
            for (size_t j = 0; j < sizeof scale / sizeof *scale; j++)
                check_rounding(norm, dimension[i], scale[j], 1, gen);
    dusk_generator_free(gen);
}

/* The radius of a long vector is a product of many factors. */
static void long_vectors_agree(void **state)
{
    dusk_generator *gen;
    dusk_ball ball;
    (void)state;
    assert_int_equal(dusk_generator_new_seeded(&gen, 12, NULL), DUSK_OK);
    for (dusk_ball_norm norm = DUSK_BALL_L2; norm <= DUSK_BALL_LINF; norm++) {
        size_t d = 20001;
        assert_int_equal(dusk_ball_init(&ball, norm, d, DUSK_WIDTH_FULL, NULL), DUSK_OK);
        assert_int_equal(dusk_ball_draw(&ball, gen, NULL), DUSK_OK);
        for (size_t i = 0; i < d; i += 1000) assert_true(same(&ball, i, 0x1p12, (double)i / 3, gen));
        dusk_ball_clear(&ball);
    }
    dusk_generator_free(gen);
}

/* A uniform that begins with 64 zeros, or 64 ones, still has a radius. */
static void extreme_coins(void **state)
{
    uint64_t coins[64];
    dusk_generator *gen;
    dusk_ball ball;
    (void)state;
    for (int ones = 0; ones < 2; ones++) {
        for (size_t i = 0; i < 64; i++) coins[i] = next();
        coins[0] = ones ? UINT64_MAX : 0;
        assert_int_equal(dusk_generator_new_tape(&gen, coins, 64 * 64, NULL), DUSK_OK);
        assert_int_equal(dusk_ball_init(&ball, DUSK_BALL_L2, 3, DUSK_WIDTH_FULL, NULL), DUSK_OK);
        assert_int_equal(dusk_ball_draw(&ball, gen, NULL), DUSK_OK);
        assert_true(ball.rough);
        for (size_t i = 0; i < 3; i++) assert_true(same(&ball, i, 1, 0.3, gen));
        dusk_ball_clear(&ball);
        dusk_generator_free(gen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_keep_their_bounds),
        cmocka_unit_test(directions_keep_their_bounds),
        cmocka_unit_test(double_and_enclosures_agree),
        cmocka_unit_test(long_vectors_agree),
        cmocka_unit_test(extreme_coins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
