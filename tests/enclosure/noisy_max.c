/* SPDX-License-Identifier: Apache-2.0 */
/* The doubles by which the noisy maximum sorts its candidates enclose the truth
 * in wide arithmetic, and closely; and log and log1p of this C library are far
 * better than the relative error of 2^-40 that is assumed of them. */
#include <float.h>
#include <math.h>

#include <mpfr.h>

#include "mechanisms/noisy_max.h"
#include "numeric/real.h"
#include "random/generator.h"
#include "random/tape.h"
#include "support.h"

enum { PRECISION = 300, RANDOM = 8000 };

static int open_generator(void **state)
{
    return dusk_generator_new_seeded((dusk_generator **)state, 161803, NULL) != DUSK_OK;
}

static int close_generator(void **state)
{
    dusk_generator_free(*state);
    return 0;
}

/* A word of `width` coins: often with long runs at its top, or at the ends. */
static uint64_t draw_word(unsigned width, void **state)
{
    uint64_t word[2];
    assert_int_equal(dusk_generator_words(*state, word, 2, 64, NULL), DUSK_OK);
    unsigned kind = word[1] % 4, shift = word[1] / 4 % 64;
    if (kind == 0) word[0] >>= shift;
    if (kind == 1) word[0] = ~(word[0] >> shift);
    if (kind == 2 && shift < 4) word[0] = shift < 2 ? 0 - (uint64_t)shift : (uint64_t)1 << 63;
    return width < 64 ? word[0] & ~(UINT64_MAX >> width) : word[0];
}

/* The noise of all uniforms that begin with the word, in wide arithmetic. */
static void enclose_noise(dusk_interval *out, dusk_noisy_law law, uint64_t word, unsigned width)
{
    unsigned sign = law == DUSK_NOISY_LAPLACE;
    dusk_interval_set_int(out, (dusk_int128)(uint64_t)(word << sign));
    mpfr_set_ui_2exp(out->hi, 1, 64 - (mpfr_exp_t)(width - sign), MPFR_RNDU);
    mpfr_add(out->hi, out->hi, out->lo, MPFR_RNDU);
    dusk_interval_scale(out, out, -64);
    dusk_tail_quantile(sign ? DUSK_TAIL_EXPONENTIAL : DUSK_TAIL_GUMBEL, out, out);
    if (sign && word >> 63) dusk_interval_neg(out, out);
}

static void assert_encloses(dusk_noisy_key key, const dusk_interval *truth)
{
    assert_true(mpfr_cmp_d(truth->lo, key.lo) >= 0);
    assert_true(mpfr_cmp_d(truth->hi, key.hi) <= 0);
}

/* How far the double enclosure goes beyond the true one. */
static void assert_close(dusk_noisy_key key, const dusk_interval *truth)
{
    double lo = mpfr_get_d(truth->lo, MPFR_RNDN), hi = mpfr_get_d(truth->hi, MPFR_RNDN);
    if (isfinite(lo)) assert_true(lo - key.lo <= 0x1p-35 * (1 + fabs(lo)));
    if (isfinite(hi)) assert_true(key.hi - hi <= 0x1p-35 * (1 + fabs(hi)));
}

static void noise_is_enclosed(void **state)
{
    const unsigned widths[] = { 2, 5, 10, 20, 63, 64 };
    dusk_interval truth;
    dusk_interval_init(&truth, PRECISION);
    for (int law = DUSK_NOISY_GUMBEL; law <= DUSK_NOISY_LAPLACE; law++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int i = 0; i < RANDOM; i++) {
                uint64_t word = draw_word(widths[w], state);
                dusk_noisy_key key = dusk_noisy_noise((dusk_noisy_law)law, word, widths[w]);
                enclose_noise(&truth, (dusk_noisy_law)law, word, widths[w]);
                assert_encloses(key, &truth);
                assert_close(key, &truth);
            }
    dusk_interval_clear(&truth);
}

/* out += ln(weight) - rate (top - score). */
static void add_known(dusk_interval *out, const dusk_noisy_scores *in, double top)
{
    dusk_interval x, y;
    dusk_interval_init(&x, 4200); /* holds the difference of any two doubles */
    dusk_interval_init(&y, PRECISION);
    dusk_interval_set(&x, dusk_noisy_score(in->scores[0]));
    dusk_interval_set(&y, top);
    dusk_interval_sub(&x, &x, &y);
    dusk_interval_set(&y, in->numerator);
    dusk_interval_mul(&x, &x, &y);
    dusk_interval_set(&y, in->denominator);
    dusk_interval_div(&x, &x, &y);
    dusk_interval_add(out, out, &x);
    dusk_interval_set_int(&y, in->weights[0]);
    dusk_interval_log(&y, &y);
    dusk_interval_add(out, out, &y);
    dusk_interval_clear(&x);
    dusk_interval_clear(&y);
}

static double pick(const double *from, size_t n, void **state)
{
    uint64_t word;
    assert_int_equal(dusk_generator_words(*state, &word, 1, 64, NULL), DUSK_OK);
    return from[word % n];
}

static void values_are_enclosed_at_every_size(void **state)
{
    const double scores[] = { 0,      1,       -1,       0.1, 1e15 + 0.125, 1e-300,
                              -1e300, DBL_MAX, -DBL_MAX, NAN, DBL_TRUE_MIN };
    const double rates[] = { 1, 3, 0.1, 1e-9, 1e9, 0x1p-1074, 0x1p-1000, 0x1p1000, DBL_MAX, 0.7 };
    const double weights[] = { 1, 1, 2, 3, 1000, 0x1p53 + 2, 0x1.fffffffffffffp63 };
    enum { SCORES = sizeof scores / sizeof *scores, RATES = sizeof rates / sizeof *rates };
    dusk_interval truth;
    dusk_interval_init(&truth, PRECISION);
    for (int i = 0; i < 4 * RANDOM; i++) {
        double score = pick(scores, SCORES, state), other = pick(scores, SCORES, state);
        double top = fmax(dusk_noisy_score(score), dusk_noisy_score(other));
        uint64_t weight = (uint64_t)pick(weights, 7, state), word = draw_word(64, state);
        dusk_noisy_scores in = { &score,
                                 &weight,
                                 1,
                                 pick(rates, RATES, state),
                                 pick(rates, RATES, state),
                                 i % 2 ? DUSK_NOISY_GUMBEL : DUSK_NOISY_LAPLACE,
                                 64 };
        enclose_noise(&truth, in.law, word, 64);
        add_known(&truth, &in, top);
        assert_encloses(dusk_noisy_value(&in, 0, top, word), &truth);
    }
    dusk_interval_clear(&truth);
}

/* Relative error of y against f(x). */
static double relative_error(double y, double x, int (*f)(mpfr_t, const mpfr_t, mpfr_rnd_t))
{
    mpfr_t t;
    mpfr_init2(t, 200);
    mpfr_set_d(t, x, MPFR_RNDN);
    f(t, t, MPFR_RNDN);
    bool zero = mpfr_zero_p(t);
    mpfr_d_div(t, y, t, MPFR_RNDN);
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    double error = zero ? fabs(y) : fabs(mpfr_get_d(t, MPFR_RNDN));
    mpfr_clear(t);
    return error;
}

static int wide_log(mpfr_t y, const mpfr_t x, mpfr_rnd_t round) { return mpfr_log(y, x, round); }
static int wide_log1p(mpfr_t y, const mpfr_t x, mpfr_rnd_t round) { return mpfr_log1p(y, x, round); }

static void the_library_logarithms_are_good_enough(void **state)
{
    for (int i = 0; i < RANDOM; i++) {
        double v = ((double)draw_word(64, state) + 1) * 0x1p-65, hazard = -log1p(-v);
        double near_one = 1 + ldexp(v - 0.25, -(i % 50));
        assert_true(relative_error(log(v), v, wide_log) < 0x1p-40);
        assert_true(relative_error(log(hazard), hazard, wide_log) < 0x1p-40);
        assert_true(relative_error(log(near_one), near_one, wide_log) < 0x1p-40);
        assert_true(relative_error(log1p(-v), -v, wide_log1p) < 0x1p-40);
    }
    for (double n = 1; n < 5000; n++) assert_true(relative_error(log(n), n, wide_log) < 0x1p-40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_enclosed),
        cmocka_unit_test(values_are_enclosed_at_every_size),
        cmocka_unit_test(the_library_logarithms_are_good_enough),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
