/* SPDX-License-Identifier: Apache-2.0 */
/* Certified reals: every interval operation contains what it should, on boxes of
 * all signs and at mixed precision; sign and floor of numbers that are given by
 * enclosures that shrink; saturation; and a number on a boundary is refused. */
#include <math.h>
#include <stdbool.h>

#include "numeric/real.h"
#include "support.h"

static uint64_t seed = 42;

static uint64_t next(void) { return splitmix64(&seed); }

static double uniform(void) { return (double)(next() >> 11) * 0x1p-53; }

/* --- operations --------------------------------------------------------------- */

typedef void binary(dusk_interval *out, const dusk_interval *a, const dusk_interval *b);
typedef int exact_binary(mpfr_t out, const mpfr_t a, const mpfr_t b, mpfr_rnd_t round);

/* Signs of a box: -1 below zero, 0 around it, 1 above. */
static void random_box(dusk_interval *x, int sign)
{
    double size = ldexp(1 + uniform(), (int)(next() % 40) - 20), other = size * (1 + uniform());
    if (sign == 0) size = -size * uniform();
    mpfr_set_d(x->lo, sign < 0 ? -other : size, MPFR_RNDD);
    mpfr_set_d(x->hi, sign < 0 ? -size : other, MPFR_RNDU);
    if (next() % 8 == 0) mpfr_set(x->hi, x->lo, MPFR_RNDN); /* a point */
    if (next() % 8 == 0 && sign == 0) mpfr_set_zero(next() % 2 ? x->lo : x->hi, 1);
    if (mpfr_greater_p(x->lo, x->hi)) mpfr_swap(x->lo, x->hi);
}

/* A point of the box: an end, or between. */
static void random_point(mpfr_t out, const dusk_interval *x)
{
    mpfr_sub(out, x->hi, x->lo, MPFR_RNDN);
    unsigned which = next() % 4;
    mpfr_mul_d(out, out, which == 0 ? 0 : which == 1 ? 1 : uniform(), MPFR_RNDN);
    mpfr_add(out, out, x->lo, MPFR_RNDN);
}

static void assert_contains(const dusk_interval *x, const mpfr_t truth)
{
    assert_true(mpfr_lessequal_p(x->lo, truth));
    assert_true(mpfr_greaterequal_p(x->hi, truth));
}

static void check_binary(binary *f, exact_binary *g, bool divides)
{
    for (int turn = 0; turn < 4000; turn++) {
        dusk_interval a, b, out;
        mpfr_t p, q, truth;
        dusk_interval_init(&a, 53 + (mpfr_prec_t)(next() % 40));
        dusk_interval_init(&b, 53 + (mpfr_prec_t)(next() % 40));
        dusk_interval_init(&out, 10 + (mpfr_prec_t)(next() % 90));
        mpfr_inits2(400, p, q, truth, (mpfr_ptr)0);
        random_box(&a, turn % 3 - 1);
        random_box(&b, divides ? turn / 3 % 2 * 2 - 1 : turn / 3 % 3 - 1);
        f(&out, &a, &b);
        for (int i = 0; i < 8; i++) {
            random_point(p, &a);
            random_point(q, &b);
            g(truth, p, q, MPFR_RNDN);
            /* rounded to 400 bits, which cannot cross an end of 100 bits */
            assert_contains(&out, truth);
        }
        mpfr_clears(p, q, truth, (mpfr_ptr)0);
        dusk_interval_clear(&a);
        dusk_interval_clear(&b);
        dusk_interval_clear(&out);
    }
}

static void test_binary(void **state)
{
    (void)state;
    check_binary(dusk_interval_add, mpfr_add, false);
    check_binary(dusk_interval_sub, mpfr_sub, false);
    check_binary(dusk_interval_mul, mpfr_mul, false);
    check_binary(dusk_interval_div, mpfr_div, true);
}

/* `out` may be an argument, and the ends of exact products are attained. */
static void test_in_place(void **state)
{
    static binary *const f[] = { dusk_interval_add, dusk_interval_sub, dusk_interval_mul, dusk_interval_div };
    (void)state;
    for (int turn = 0; turn < 400; turn++) {
        dusk_interval a, b, out;
        dusk_interval_init(&a, 60);
        dusk_interval_init(&b, 60);
        dusk_interval_init(&out, 60);
        random_box(&a, turn % 3 - 1);
        random_box(&b, turn / 3 % 2 * 2 - 1);
        f[turn % 4](&out, &a, &b);
        dusk_interval *place = turn / 4 % 2 ? &a : &b;
        f[turn % 4](place, &a, &b);
        assert_true(mpfr_equal_p(out.lo, place->lo) && mpfr_equal_p(out.hi, place->hi));
        dusk_interval_clear(&a);
        dusk_interval_clear(&b);
        dusk_interval_clear(&out);
    }
}

static void set_box(dusk_interval *x, double lo, double hi)
{
    mpfr_set_d(x->lo, lo, MPFR_RNDD);
    mpfr_set_d(x->hi, hi, MPFR_RNDU);
}

static void assert_box(const dusk_interval *x, double lo, double hi)
{
    assert_true(mpfr_cmp_d(x->lo, lo) == 0 && mpfr_cmp_d(x->hi, hi) == 0);
}

/* Exact where arithmetic is: no wider than need be. */
static void test_tight(void **state)
{
    dusk_interval a, b, out;
    (void)state;
    dusk_interval_init(&a, 60);
    dusk_interval_init(&b, 60);
    dusk_interval_init(&out, 60);
    set_box(&a, -2, 3);
    set_box(&b, -5, 7);
    dusk_interval_mul(&out, &a, &b);
    assert_box(&out, -15, 21);
    dusk_interval_sub(&out, &a, &b);
    assert_box(&out, -9, 8);
    set_box(&b, -4, -2);
    dusk_interval_div(&out, &a, &b);
    assert_box(&out, -1.5, 1);
    dusk_interval_neg(&out, &a);
    assert_box(&out, -3, 2);
    dusk_interval_neg(&a, &a);
    assert_box(&a, -3, 2);
    dusk_interval_scale(&out, &a, -3);
    assert_box(&out, -0.375, 0.25);
    dusk_interval_set(&out, 0.1);
    assert_box(&out, 0.1, 0.1);
    dusk_interval_clear(&a);
    dusk_interval_clear(&b);
    dusk_interval_clear(&out);
}

typedef void unary(dusk_interval *out, const dusk_interval *a);
typedef int exact_unary(mpfr_t out, const mpfr_t a, mpfr_rnd_t round);

static void check_unary(unary *f, exact_unary *g, int least_sign)
{
    for (int turn = 0; turn < 1000; turn++) {
        dusk_interval a, out;
        mpfr_t p, truth;
        dusk_interval_init(&a, 53);
        dusk_interval_init(&out, 10 + (mpfr_prec_t)(next() % 90));
        mpfr_inits2(400, p, truth, (mpfr_ptr)0);
        do random_box(&a, least_sign > 0 ? 1 : turn % 3 - 1);
        while (mpfr_cmpabs_ui(a.hi, 1000) > 0);
        f(&out, &a);
        for (int i = 0; i < 4; i++) {
            random_point(p, &a);
            g(truth, p, MPFR_RNDN);
            assert_contains(&out, truth);
        }
        f(&a, &a);
        mpfr_clears(p, truth, (mpfr_ptr)0);
        dusk_interval_clear(&a);
        dusk_interval_clear(&out);
    }
}

static void test_unary(void **state)
{
    (void)state;
    check_unary(dusk_interval_exp, mpfr_exp, -1);
    check_unary(dusk_interval_expm1, mpfr_expm1, -1);
    check_unary(dusk_interval_log, mpfr_log, 1);
    check_unary(dusk_interval_neg, mpfr_neg, -1);
}

static dusk_status enclose_int(void *real, dusk_interval *out, dusk_error *err)
{
    (void)err;
    dusk_interval_set_int(out, *(const dusk_int128 *)real);
    return DUSK_OK;
}

/* Ends of 128 bits hold every integer, and a point is its own floor; fewer bits
 * enclose numbers that do not fit, outward on both sides. */
static void test_set(void **state)
{
    const dusk_int128 one = 1;
    dusk_int128 k[] = { 0,
                        1,
                        -1,
                        INT64_MIN,
                        (dusk_int128)UINT64_MAX,
                        -(one << 64),
                        (one << 126) - 1,
                        -((one << 126) - 1),
                        (one << 100) + 12345,
                        -(one << 100) - 12345 };
    dusk_interval exact, rough;
    dusk_int128 back;
    (void)state;
    dusk_interval_init(&exact, 128);
    dusk_interval_init(&rough, 20);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        assert_int_equal(dusk_real_floor(&back, enclose_int, &k[i], NULL), DUSK_OK);
        assert_true(back == k[i]);
        dusk_interval_set_int(&exact, k[i]);
        assert_true(mpfr_equal_p(exact.lo, exact.hi));
        dusk_interval_set_int(&rough, k[i]);
        assert_contains(&rough, exact.lo);
    }
    mpfr_set_d(exact.lo, 0.1, MPFR_RNDN);
    dusk_interval_set(&rough, 0.1);
    assert_contains(&rough, exact.lo);
    assert_true(mpfr_less_p(rough.lo, rough.hi));
    dusk_interval_clear(&exact);
    dusk_interval_clear(&rough);
}

/* --- questions ------------------------------------------------------------------ */

/* The number `whole` + centre with an enclosure of half-width 2^-(rate asked),
 * which is centred elsewhere every time. */
typedef struct shrinking {
    dusk_int128 whole;
    double centre;
    int rate, asked;
} shrinking;

static dusk_status enclose_shrinking(void *real, dusk_interval *out, dusk_error *err)
{
    shrinking *x = real;
    mpfr_t t, width;
    (void)err;
    x->asked++;
    mpfr_inits2(16000, t, width, (mpfr_ptr)0);
    dusk_interval_set_int(out, x->whole);
    mpfr_set_ui_2exp(width, 1, 10 - (mpfr_exp_t)x->rate * x->asked, MPFR_RNDN);
    mpfr_mul_d(t, width, uniform(), MPFR_RNDN);
    mpfr_d_sub(t, x->centre, t, MPFR_RNDN);
    mpfr_add(out->lo, out->lo, t, MPFR_RNDD);
    mpfr_add(t, t, width, MPFR_RNDN);
    mpfr_add(out->hi, out->hi, t, MPFR_RNDU);
    mpfr_clears(t, width, (mpfr_ptr)0);
    return DUSK_OK;
}

static void test_sign(void **state)
{
    static const double x[] = { 1, -1, 0.3, -0.3, 1e-10, -1e-10, 0x1p-900, -0x1p-900, 1e300, -1e300 };
    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        for (int rate = 16; rate <= 60; rate += 11) {
            shrinking real = { .centre = x[i], .rate = rate };
            int sign = 0;
            assert_int_equal(dusk_real_sign(&sign, enclose_shrinking, &real, NULL), DUSK_OK);
            assert_int_equal(sign, x[i] < 0 ? -1 : 1);
        }
}

static void check_floor(dusk_int128 whole, double centre)
{
    for (int rate = 16; rate <= 60; rate += 11) {
        shrinking real = { .whole = whole, .centre = centre, .rate = rate };
        dusk_int128 k = 0;
        assert_int_equal(dusk_real_floor(&k, enclose_shrinking, &real, NULL), DUSK_OK);
        assert_true(k == whole + (dusk_int128)floor(centre));
    }
}

static void test_floor(void **state)
{
    const dusk_int128 one = 1, whole[] = {
        0, 1, -1, one << 53, -(one << 53), one << 64, -(one << 64), (one << 126) - 2, -(one << 126) + 2
    };
    static const double centre[] = { 0.5, 0.999, 1e-9, -1e-9, 0x1p-600, -0x1p-600, 1 - 0x1p-53 };
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        for (size_t j = 0; j < sizeof centre / sizeof *centre; j++) check_floor(whole[i], centre[j]);
}

/* Beyond +-2^126 the answer is the limit, for infinite ends too. */
static dusk_status enclose_far(void *real, dusk_interval *out, dusk_error *err)
{
    const double *x = real;
    (void)err;
    set_box(out, fmin(x[0], x[1]), fmax(x[0], x[1]));
    return DUSK_OK;
}

static void test_floor_saturates(void **state)
{
    static double above[][2] = { { 0x1p126, 0x1p126 }, { 0x1p126, 1e300 }, { 1e39, INFINITY } };
    const dusk_int128 most = (dusk_int128)1 << 126;
    dusk_int128 k;
    (void)state;
    for (size_t i = 0; i < sizeof above / sizeof *above; i++) {
        assert_int_equal(dusk_real_floor(&k, enclose_far, above[i], NULL), DUSK_OK);
        assert_true(k == most);
        double below[2] = { -above[i][0], -above[i][1] };
        assert_int_equal(dusk_real_floor(&k, enclose_far, below, NULL), DUSK_OK);
        assert_true(k == -most);
    }
    double unknown[2] = { 0.5, INFINITY }; /* stays as it is: cannot be decided */
    assert_int_equal(dusk_real_floor(&k, enclose_far, unknown, NULL), DUSK_ERR_INTERNAL);
}

/* A number on a boundary is never decided, whatever the digits. */
static void test_boundary(void **state)
{
    shrinking zero = { .centre = 0, .rate = 50 }, seven = { .whole = 7, .centre = 0, .rate = 50 };
    dusk_error err = { 0 };
    dusk_int128 k;
    int sign;
    (void)state;
    assert_int_equal(dusk_real_sign(&sign, enclose_shrinking, &zero, &err), DUSK_ERR_INTERNAL);
    assert_int_equal(zero.asked, DUSK_REAL_STEPS);
    assert_int_equal(dusk_real_floor(&k, enclose_shrinking, &seven, &err), DUSK_ERR_INTERNAL);
    assert_int_equal(seven.asked, DUSK_REAL_STEPS);
}

/* The precision grows, and a failure of the enclosure is handed on at once. */
typedef struct failing {
    mpfr_prec_t last;
    int asked;
} failing;

static dusk_status enclose_failing(void *real, dusk_interval *out, dusk_error *err)
{
    failing *x = real;
    (void)err;
    assert_true(mpfr_get_prec(out->lo) == x->last + DUSK_REAL_PRECISION);
    assert_true(mpfr_get_prec(out->hi) == mpfr_get_prec(out->lo));
    x->last = mpfr_get_prec(out->lo);
    set_box(out, -1, 1);
    return ++x->asked == 5 ? DUSK_ERR_ENTROPY : DUSK_OK;
}

static void test_failure(void **state)
{
    failing first = { 0 }, second = { 0 };
    dusk_int128 k;
    int sign;
    (void)state;
    assert_int_equal(dusk_real_sign(&sign, enclose_failing, &first, NULL), DUSK_ERR_ENTROPY);
    assert_int_equal(dusk_real_floor(&k, enclose_failing, &second, NULL), DUSK_ERR_ENTROPY);
    assert_int_equal(first.asked, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),   cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_tight),    cmocka_unit_test(test_unary),
        cmocka_unit_test(test_set),      cmocka_unit_test(test_sign),
        cmocka_unit_test(test_floor),    cmocka_unit_test(test_floor_saturates),
        cmocka_unit_test(test_boundary), cmocka_unit_test(test_failure)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
