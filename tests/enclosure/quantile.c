/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles against MPFR: the certified ones enclose the truth and are tight;
 * what the kernels compute is within the margin of it, for digits of all
 * octaves and for digits that lead right beside a boundary; all kernels give
 * the same bits; margins keep their promise; and the exponential of the coins
 * keeps its error bound. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "random/exp_kernel.h"
#include "random/rounded.h"
#include "support.h"

#define PRECISION 300

extern const dusk_quantile_kernel dusk_quantile_kernel_baseline;
#ifdef __x86_64__
extern const dusk_quantile_kernel dusk_quantile_kernel_v3, dusk_quantile_kernel_v4;
#endif

static const dusk_quantile_kernel *kernels[3];
static size_t kernel_count;

static void find_kernels(void)
{
    kernels[kernel_count++] = &dusk_quantile_kernel_baseline;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        kernels[kernel_count++] = &dusk_quantile_kernel_v3;
    if (dusk_quantile_kernel_best() == &dusk_quantile_kernel_v4)
        kernels[kernel_count++] = &dusk_quantile_kernel_v4;
#endif
}

static uint64_t seed = 2024;

static uint64_t next(void) { return splitmix64(&seed); }

static double uniform(void) { return (double)(next() >> 11) * 0x1p-53; }

/* --- certified quantiles -------------------------------------------------------- */

/* P(X > x), at the precision of `out`. */
static void tail_of(mpfr_t out, dusk_tail tail, const mpfr_t x)
{
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(out));
    mpfr_neg(t, x, MPFR_RNDN);
    if (tail == DUSK_TAIL_HALF_NORMAL) {
        mpfr_sqrt_ui(t, 2, MPFR_RNDN);
        mpfr_div(t, x, t, MPFR_RNDN);
        mpfr_erfc(out, t, MPFR_RNDN);
    } else {
        mpfr_exp(out, t, MPFR_RNDN);
    }
    if (tail == DUSK_TAIL_GUMBEL) { /* 1 - exp(-exp(-x)) */
        mpfr_neg(t, out, MPFR_RNDN);
        mpfr_expm1(t, t, MPFR_RNDN);
        mpfr_neg(out, t, MPFR_RNDN);
    }
    mpfr_clear(t);
}

/* The tail decreases, so x <= Q(v) iff tail(x) >= v; both ends at 400 bits. */
static void check_enclosure(dusk_tail tail, const dusk_interval *v, mpfr_prec_t precision)
{
    dusk_interval x;
    mpfr_t t, wide;
    dusk_interval_init(&x, precision);
    mpfr_inits2(400, t, wide, (mpfr_ptr)0);
    dusk_tail_quantile(tail, &x, v);
    tail_of(t, tail, x.lo);
    assert_true(mpfr_greaterequal_p(t, v->hi));
    if (mpfr_zero_p(v->lo)) {
        assert_true(mpfr_inf_p(x.hi));
    } else {
        tail_of(t, tail, x.hi);
        assert_true(mpfr_lessequal_p(t, v->lo));
    }
    if (mpfr_equal_p(v->lo, v->hi)) { /* a point: all but a few bits are right, below 1 after the dot */
        mpfr_exp_t size = mpfr_get_exp(x.hi) > 0 ? mpfr_get_exp(x.hi) : 0;
        mpfr_sub(wide, x.hi, x.lo, MPFR_RNDU);
        assert_true(mpfr_zero_p(wide) || mpfr_get_exp(wide) <= size - precision + 8);
    }
    mpfr_clears(t, wide, (mpfr_ptr)0);
    dusk_interval_clear(&x);
}

/* v around (1 + uniform) 2^exponent, known to `digits` digits; 0: a point. */
static void check_around(dusk_tail tail, long exponent, long digits, mpfr_prec_t precision)
{
    dusk_interval v;
    dusk_interval_init(&v, 200);
    mpfr_set_d(v.lo, 1 + uniform(), MPFR_RNDN);
    mpfr_mul_2si(v.lo, v.lo, exponent, MPFR_RNDN);
    mpfr_set(v.hi, v.lo, MPFR_RNDN);
    if (digits) {
        mpfr_mul_2si(v.hi, v.lo, -digits, MPFR_RNDN);
        mpfr_add(v.hi, v.hi, v.lo, MPFR_RNDN);
    }
    if (mpfr_cmp_ui(v.hi, 1) < 0 || tail != DUSK_TAIL_GUMBEL) {
        if (mpfr_cmp_ui(v.hi, 1) > 0) mpfr_set_ui(v.hi, 1, MPFR_RNDN);
        check_enclosure(tail, &v, precision);
    }
    dusk_interval_clear(&v);
}

static void test_certified(void **state)
{
    static const long exponent[] = { -1, -1, -1, -2, -3, -5, -10, -20, -41, -64, -200, -970, -3000 };
    static const long digits[] = { 0, 3, 20, 30, 36, 60, 120 };
    (void)state;
    for (dusk_tail tail = DUSK_TAIL_EXPONENTIAL; tail <= DUSK_TAIL_GUMBEL; tail++)
        for (size_t i = 0; i < sizeof exponent / sizeof *exponent; i++)
            for (size_t j = 0; j < sizeof digits / sizeof *digits; j++) {
                check_around(tail, exponent[i], digits[j], 96);
                check_around(tail, exponent[i], digits[j], 53 + (mpfr_prec_t)(next() % 200));
            }
}

/* v close to 1 and ends at 0 and 1. */
static void test_certified_ends(void **state)
{
    dusk_interval v;
    (void)state;
    dusk_interval_init(&v, 200);
    for (dusk_tail tail = DUSK_TAIL_EXPONENTIAL; tail <= DUSK_TAIL_GUMBEL; tail++)
        for (int k = 1; k <= 150; k += 7) {
            mpfr_set_ui_2exp(v.lo, 1, -k, MPFR_RNDN);
            mpfr_ui_sub(v.hi, 1, v.lo, MPFR_RNDN);
            check_enclosure(tail, &v, 120);
            mpfr_set(v.lo, v.hi, MPFR_RNDN);
            check_enclosure(tail, &v, 120);
            mpfr_set_zero(v.lo, 1);
            check_enclosure(tail, &v, 120);
            if (tail != DUSK_TAIL_GUMBEL) mpfr_set_ui(v.hi, 1, MPFR_RNDN);
            check_enclosure(tail, &v, 120);
        }
    dusk_interval_clear(&v);
}

/* --- digits ------------------------------------------------------------------------ */

/* v = 2^-(zeros + 1) (1 + m), exactly. */
static void value_of(mpfr_t v, const dusk_digits *d)
{
    mpfr_t t;
    mpfr_init2(t, PRECISION);
    mpfr_set_ui_2exp(v, d->hi, -64, MPFR_RNDN);
    mpfr_set_ui_2exp(t, d->lo, -128, MPFR_RNDN);
    mpfr_add(v, v, t, MPFR_RNDN);
    mpfr_add_ui(v, v, 1, MPFR_RNDN);
    mpfr_div_2ui(v, v, d->zeros + 1, MPFR_RNDN);
    mpfr_clear(t);
}

/* Q(v), off by less than 2^-285. */
static void quantile_of(mpfr_t q, dusk_tail tail, const dusk_digits *d)
{
    dusk_interval v;
    dusk_interval_init(&v, PRECISION);
    value_of(v.lo, d);
    mpfr_set(v.hi, v.lo, MPFR_RNDN);
    dusk_tail_quantile(tail, &v, &v);
    mpfr_set(q, v.lo, MPFR_RNDN);
    dusk_interval_clear(&v);
}

/* The first 128 digits of v, 2^-40 <= v < 1. */
static dusk_digits digits_of(const mpfr_t v)
{
    dusk_digits d = { .zeros = (uint32_t)-mpfr_get_exp(v) };
    mpfr_t m;
    mpz_t z, high;
    mpfr_init2(m, PRECISION);
    mpz_inits(z, high, NULL);
    mpfr_mul_2ui(m, v, d.zeros + 1, MPFR_RNDN);
    mpfr_sub_ui(m, m, 1, MPFR_RNDN);
    mpfr_mul_2ui(m, m, 128, MPFR_RNDN);
    mpfr_get_z(z, m, MPFR_RNDD);
    mpz_fdiv_q_2exp(high, z, 64);
    d.hi = mpz_get_ui(high);
    d.lo = mpz_get_ui(z);
    mpz_clears(z, high, NULL);
    mpfr_clear(m);
    return d;
}

/* Random ones, and the ends of the segments of the table. */
static dusk_digits some_digits(uint32_t zeros, unsigned turn)
{
    uint64_t segment = next() % 32 << 59;
    if (turn == 0) return (dusk_digits){ zeros, segment, 0 };
    if (turn == 1) return (dusk_digits){ zeros, segment | UINT64_MAX >> 5, UINT64_MAX };
    if (turn == 2) return (dusk_digits){ zeros, UINT64_MAX, UINT64_MAX };
    return (dusk_digits){ zeros, next(), next() };
}

/* --- one value ----------------------------------------------------------------------- */

/* scale Q + offset */
static void unrounded(mpfr_t out, const dusk_rounding *r, const mpfr_t q)
{
    mpfr_t t;
    mpfr_init2(t, PRECISION);
    mpfr_mul_d(t, q, r->scale_lo, MPFR_RNDN);
    mpfr_mul_d(out, q, r->scale_hi, MPFR_RNDN);
    mpfr_add(out, out, t, MPFR_RNDN);
    mpfr_add_d(out, out, r->shift + 0.5, MPFR_RNDN);
    mpfr_clear(t);
}

static dusk_rounded_value one(const dusk_quantile_kernel *kernel, const dusk_rounding *r,
                              const dusk_digits *d)
{
    dusk_rounded_value value;
    kernel->few(r, &value, d, 1);
    return value;
}

static bool same(const dusk_rounded_value *a, const dusk_rounded_value *b)
{
    return memcmp(&a->whole_hi, &b->whole_hi, sizeof(double)) == 0 &&
           memcmp(&a->whole_lo, &b->whole_lo, sizeof(double)) == 0 &&
           memcmp(&a->rest, &b->rest, sizeof(double)) == 0 && a->undecided == b->undecided;
}

/* The computed value is within the margin; when it is decided its floor is
 * right; when it is not, the truth is within two margins of a boundary. */
static void check_one(const dusk_rounding *r, const dusk_digits *d, const mpfr_t q)
{
    dusk_rounded_value value = one(kernels[0], r, d);
    mpfr_t truth, whole, t;
    for (size_t i = 1; i < kernel_count; i++) {
        dusk_rounded_value other = one(kernels[i], r, d);
        assert_true(same(&value, &other));
    }
    mpfr_inits2(PRECISION, truth, whole, t, (mpfr_ptr)0);
    unrounded(truth, r, q);
    mpfr_set_d(whole, value.whole_hi, MPFR_RNDN);
    mpfr_add_d(whole, whole, value.whole_lo, MPFR_RNDN);
    mpfr_add_d(t, whole, value.rest, MPFR_RNDN);
    mpfr_add_d(t, t, 0.5, MPFR_RNDN);
    mpfr_sub(t, t, truth, MPFR_RNDN);
    /* beside 0 the value is set to the margin, whose sum with the shift is rounded */
    if (!(fabs(mpfr_get_d(t, MPFR_RNDN)) <= r->margin + (value.whole_hi == 0 ? 0x1p-54 : 0)))
        fail_msg("scale %a: off by %g, margin %g", r->scale_hi, mpfr_get_d(t, MPFR_RNDN), r->margin);
    mpfr_floor(t, truth);
    if (!value.undecided) assert_true(mpfr_equal_p(t, whole));
    mpfr_sub(t, truth, t, MPFR_RNDN);
    double beyond = mpfr_get_d(t, MPFR_RNDN);
    if (value.undecided) assert_true(fmin(beyond, 1 - beyond) <= 2 * r->margin);
    mpfr_clears(truth, whole, t, (mpfr_ptr)0);
}

typedef struct scale {
    double hi, lo;
} scale;

/* 2 s^2 for s = 0.7 has more digits than a double */
static const scale scales[] = { { 0x1p-40, 0 },  { 0x1p-10, 0 }, { 0.98, 0x1.1p-56 }, { 1, 0 },
                                { 3.7, 0 },      { 0x1p18, 0 },  { 0x1.3p23, 0 },     { 0x1p32, 0 },
                                { 0x1.8p40, 0 }, { 0x1p54, 0 },  { 0x1p60, 0 } };
enum { SCALES = sizeof scales / sizeof *scales };

static void test_one(void **state)
{
    mpfr_t q;
    (void)state;
    mpfr_init2(q, PRECISION);
    for (dusk_tail tail = DUSK_TAIL_EXPONENTIAL; tail <= DUSK_TAIL_HALF_NORMAL; tail++)
        for (uint32_t zeros = 0; zeros < DUSK_TABLE_OCTAVES; zeros++)
            for (unsigned turn = 0; turn < 24; turn++) {
                dusk_digits d = some_digits(zeros, turn);
                quantile_of(q, tail, &d);
                for (size_t i = 0; i < 2 * (size_t)SCALES; i++) {
                    const scale *s = &scales[i / 2];
                    dusk_rounded r;
                    dusk_rounded_init(&r, tail, s->hi, s->lo, i % 2 ? 0.5 : 0, DUSK_WIDTH_FULL);
                    check_one(&r.wide, &d, q);
                    check_one(&r.few, &d, q);
                }
            }
    mpfr_clear(q);
}

/* --- beside a boundary ---------------------------------------------------------------- */

/* Digits of the v for which scale Q(v) + offset = `value`; false when there is
 * none in the octaves of the table. */
static bool digits_for(dusk_digits *d, dusk_tail tail, const dusk_rounding *r, const mpfr_t value)
{
    mpfr_t x, v;
    mpfr_inits2(PRECISION, x, v, (mpfr_ptr)0);
    mpfr_sub_d(x, value, r->shift + 0.5, MPFR_RNDN);
    mpfr_div_d(x, x, r->scale_hi, MPFR_RNDN);
    tail_of(v, tail, x);
    bool inside = mpfr_cmp_ui(v, 1) < 0 && mpfr_cmp_ui_2exp(v, 1, -DUSK_TABLE_OCTAVES) >= 0;
    if (inside) *d = digits_of(v);
    mpfr_clears(x, v, (mpfr_ptr)0);
    return inside;
}

/* A random boundary of the sampler, and `quarters` quarters of its margin beyond. */
static void boundary(mpfr_t value, dusk_tail tail, const dusk_rounding *r, int quarters)
{
    double most = tail == DUSK_TAIL_EXPONENTIAL ? 27.7 : 7.1;
    mpfr_t t;
    mpfr_init2(t, 16);
    mpfr_set_d(value, uniform() * most * r->scale_hi, MPFR_RNDN);
    mpfr_rint_ceil(value, value, MPFR_RNDN);
    mpfr_set_d(t, r->margin, MPFR_RNDN);
    mpfr_mul_si(t, t, quarters, MPFR_RNDN);
    mpfr_div_2ui(t, t, 2, MPFR_RNDN);
    mpfr_add(value, value, t, MPFR_RNDN);
    mpfr_clear(t);
}

static void test_one_at_boundaries(void **state)
{
    mpfr_t q, value;
    dusk_digits d;
    (void)state;
    mpfr_inits2(PRECISION, q, value, (mpfr_ptr)0);
    for (dusk_tail tail = DUSK_TAIL_EXPONENTIAL; tail <= DUSK_TAIL_HALF_NORMAL; tail++)
        for (size_t i = 0; i < 2 * (size_t)SCALES; i++)
            for (int turn = 0; turn < 60; turn++) {
                dusk_rounded r;
                if (scales[i / 2].hi < 1) continue;
                dusk_rounded_init(&r, tail, scales[i / 2].hi, 0, i % 2 ? 0.5 : 0, DUSK_WIDTH_FULL);
                const dusk_rounding *form = turn / 15 % 2 ? &r.few : &r.wide;
                boundary(value, tail, form, turn % 15 - 7);
                if (!digits_for(&d, tail, form, value)) continue;
                quantile_of(q, tail, &d);
                check_one(form, &d, q);
            }
    mpfr_clears(q, value, (mpfr_ptr)0);
}

/* --- bulk -------------------------------------------------------------------------------- */

enum { LENGTH = 512 };

typedef struct bulk {
    uint64_t word[LENGTH], hi[LENGTH], lo[LENGTH];
    int64_t out[LENGTH];
    uint32_t undecided[LENGTH];
    size_t count;
} bulk;

static bool is_undecided(const bulk *b, size_t i)
{
    for (size_t k = 0; k < b->count; k++)
        if (b->undecided[k] == i) return true;
    return false;
}

/* Sign, an exponent field with this many zeros, any bits behind it. */
static uint64_t exponent_word(uint32_t zeros, unsigned exponent_bits)
{
    uint64_t sign = next() & (uint64_t)1 << 63;
    if (zeros >= exponent_bits) return sign | next() >> (1 + exponent_bits);
    return sign | (uint64_t)1 << (62 - zeros) | next() >> (2 + zeros);
}

static void run_wide(bulk *b, const dusk_rounding *r, const dusk_quantile_kernel *kernel)
{
    memset(b->out, 0, sizeof b->out);
    b->count = kernel->wide(r, b->out, b->undecided, b->word, b->hi, b->lo, LENGTH);
}

/* The vector form gives what the single one gives, with the sign; all kernels the same. */
static void check_wide(bulk *b, const dusk_rounding *r)
{
    for (size_t k = 0; k < kernel_count; k++) {
        run_wide(b, r, kernels[k]);
        for (size_t i = 0; i < LENGTH; i++) {
            uint64_t field = b->word[i] << 1 >> (64 - r->exponent_bits);
            if (!field) {
                assert_true(is_undecided(b, i));
                continue;
            }
            dusk_digits d = { (uint32_t)__builtin_clzll(b->word[i] << 1), b->hi[i], b->lo[i] };
            dusk_rounded_value value = one(kernels[0], r, &d);
            assert_int_equal(is_undecided(b, i), value.undecided);
            int64_t whole = (int64_t)value.whole_hi + (int64_t)value.whole_lo;
            if (!value.undecided)
                assert_int_equal(b->out[i], b->word[i] >> 63 && r->with_sign ? -whole : whole);
        }
    }
}

static void test_wide(void **state)
{
    static bulk b;
    (void)state;
    for (size_t k = 0; k < 8 * (size_t)SCALES; k++) {
        dusk_tail tail = k & 1 ? DUSK_TAIL_EXPONENTIAL : DUSK_TAIL_HALF_NORMAL;
        const scale *s = &scales[k / 8];
        dusk_rounded r;
        if (s->hi > 0x1p55) continue;
        dusk_rounded_init(&r, tail, s->hi, s->lo, k & 2 ? 0.5 : 0, DUSK_WIDTH_FULL);
        r.wide.with_sign = k & 4 ? 1 : 0;
        if (k & 4) r.wide.margin = 0.01; /* so that some are not decided */
        for (size_t i = 0; i < LENGTH; i++) {
            b.word[i] = exponent_word((uint32_t)i % (DUSK_TABLE_OCTAVES + 1), DUSK_TABLE_OCTAVES);
            b.hi[i] = next();
            b.lo[i] = next();
        }
        check_wide(&b, &r.wide);
    }
}

/* Digits of a narrow word, the unknown ones all `fill`. */
static dusk_digits narrow_digits(const dusk_rounding *r, uint64_t word, uint64_t fill)
{
    uint64_t m = word << (1 + r->exponent_bits), unknown = UINT64_MAX >> r->mantissa_bits;
    return (dusk_digits){ (uint32_t)__builtin_clzll(word << 1), (m & ~unknown) | (fill & unknown), fill };
}

static int64_t true_floor(dusk_tail tail, const dusk_rounding *r, const dusk_digits *d)
{
    mpfr_t q, t;
    mpfr_inits2(PRECISION, q, t, (mpfr_ptr)0);
    quantile_of(q, tail, d);
    unrounded(t, r, q);
    int64_t k = mpfr_get_si(t, MPFR_RNDD);
    mpfr_clears(q, t, (mpfr_ptr)0);
    return k;
}

static void run_narrow(bulk *b, const dusk_rounding *r)
{
    static bulk other;
    b->count = kernels[0]->narrow(r, b->out, b->undecided, b->word, LENGTH);
    for (size_t k = 1; k < kernel_count; k++) {
        other.count = kernels[k]->narrow(r, other.out, other.undecided, b->word, LENGTH);
        assert_int_equal(other.count, b->count);
        assert_memory_equal(other.undecided, b->undecided, b->count * sizeof *b->undecided);
        for (size_t i = 0; i < LENGTH; i++)
            if (!is_undecided(b, i)) assert_int_equal(other.out[i], b->out[i]);
    }
}

/* Every v that begins with the digits of a decided word has the floor given. */
static void check_narrow(const bulk *b, dusk_tail tail, const dusk_rounding *r)
{
    for (size_t i = 0; i < LENGTH; i++) {
        if (b->word[i] << 1 >> (64 - r->exponent_bits) == 0) assert_true(is_undecided(b, i));
        if (is_undecided(b, i)) continue;
        int64_t k = b->word[i] >> 63 && r->with_sign ? -b->out[i] : b->out[i];
        dusk_digits least = narrow_digits(r, b->word[i], UINT64_MAX), most = narrow_digits(r, b->word[i], 0);
        assert_int_equal(k, true_floor(tail, r, &least));
        assert_int_equal(k, true_floor(tail, r, &most));
    }
}

/* Half of the words lie beside a boundary. */
static void fill_words(bulk *b, dusk_tail tail, const dusk_rounding *r)
{
    mpfr_t value;
    dusk_digits d;
    mpfr_init2(value, PRECISION);
    for (size_t i = 0; i < LENGTH; i++) {
        b->word[i] = exponent_word((uint32_t)i % (r->exponent_bits + 1), r->exponent_bits);
        boundary(value, tail, r, (int)i / 2 % 15 - 7);
        if (i % 2 && r->scale_hi >= 1 && digits_for(&d, tail, r, value) && d.zeros < r->exponent_bits) {
            uint64_t field = (uint64_t)1 << (62 - d.zeros); /* below the leading one any bits will do */
            b->word[i] = (b->word[i] & (uint64_t)1 << 63) | field | d.hi >> (1 + r->exponent_bits);
        }
    }
    mpfr_clear(value);
}

static void test_narrow(void **state)
{
    static bulk b;
    (void)state;
    for (size_t i = 0; i < SCALES && scales[i].hi <= 0x1p32; i++) {
        dusk_tail tail = i % 2 ? DUSK_TAIL_EXPONENTIAL : DUSK_TAIL_HALF_NORMAL;
        for (unsigned form = 0; form < 2; form++, tail = 1 - tail) {
            dusk_rounded r;
            dusk_rounded_init(&r, tail, scales[i].hi, 0, form ? 0.5 : 0, DUSK_WIDTH_FULL);
            r.narrow.with_sign = i % 3 != 0;
            fill_words(&b, tail, &r.narrow);
            run_narrow(&b, &r.narrow);
            check_narrow(&b, tail, &r.narrow);
        }
    }
}

/* With the scale 2^52 the integers are the quantile itself as it was computed:
 * within narrow_error of the truth at the digits the kernel looks at. */
static void test_narrow_error(void **state)
{
    static bulk b;
    mpfr_t q;
    (void)state;
    mpfr_init2(q, PRECISION);
    for (dusk_tail tail = DUSK_TAIL_EXPONENTIAL; tail <= DUSK_TAIL_HALF_NORMAL; tail++)
        for (int turn = 0; turn < 3; turn++) {
            const dusk_rounding r = { .table = &dusk_quantile_tables[tail],
                                      .scale_hi = 0x1p52,
                                      .exponent_bits = 15,
                                      .mantissa_bits = 48 };
            for (size_t i = 0; i < LENGTH; i++) b.word[i] = exponent_word((uint32_t)i % 15, 15);
            run_narrow(&b, &r);
            for (size_t i = 0; i < LENGTH; i++) {
                dusk_digits d = narrow_digits(&r, b.word[i], 0);
                d.hi |= (uint64_t)1 << 15; /* the first unknown digit is taken for a one */
                quantile_of(q, tail, &d);
                mpfr_sub_d(q, q, (double)b.out[i] * 0x1p-52, MPFR_RNDN);
                double error = fabs(mpfr_get_d(q, MPFR_RNDN));
                assert_true(error <= r.table->narrow_error + 0x1p-53);
            }
        }
    mpfr_clear(q);
}

/* --- margins and the exponential ------------------------------------------------------------ */

/* One draw in 2^25 at most is not decided, in bulk one in 2^13: two margins a step. */
static void test_margins(void **state)
{
    (void)state;
    for (dusk_tail tail = DUSK_TAIL_EXPONENTIAL; tail <= DUSK_TAIL_HALF_NORMAL; tail++)
        for (int k = 0; k <= 60; k++) {
            dusk_rounded r;
            dusk_rounded_init(&r, tail, ldexp(1, k), 0, 0.5, DUSK_WIDTH_FULL);
            assert_true(r.wide.margin > 0 && 2 * r.wide.margin <= 0x1p-25);
            assert_true(r.few.margin >= r.wide.margin && 2 * r.few.margin <= 0x1p-25);
            assert_int_equal(r.narrow_suffices, k <= 32);
            if (k <= 20) assert_true(r.narrow.margin > 0 && 2 * r.narrow.margin <= 0x1p-25);
            if (r.narrow_suffices) assert_true(r.narrow.margin > 0 && 2 * r.narrow.margin <= 0x1p-13);
        }
}

/* The scalar form and the vector forms, which fuse steps, keep the same bound. */
static void check_exp(double x)
{
    double got[4] = { dusk_exp_kernel(x) };
    mpfr_t truth, t;
    mpfr_inits2(120, truth, t, (mpfr_ptr)0);
    mpfr_set_d(truth, -x, MPFR_RNDN);
    mpfr_exp(truth, truth, MPFR_RNDN);
    double bound = mpfr_get_d(truth, MPFR_RNDD) * DUSK_EXP_ERROR + 0x1p-1000;
    for (size_t i = 0; i <= kernel_count; i++) {
        if (i > 0) got[i] = kernels[i - 1]->exp_two(1, x).second;
        mpfr_sub_d(t, truth, got[i], MPFR_RNDN);
        if (!(fabs(mpfr_get_d(t, MPFR_RNDN)) <= bound))
            fail_msg("exp(-%a) = %a is off by %g", x, got[i], mpfr_get_d(t, MPFR_RNDN));
        if (i > 1) assert_memory_equal(&got[i], &got[1], sizeof *got);
    }
    mpfr_clears(truth, t, (mpfr_ptr)0);
}

static void test_exp(void **state)
{
    static const double extreme[] = { 0,          0x1p-1074, 0x1p-1022,  0x1p-53, 1,    0x1.fffffffffffffp-1,
                                      699.999999, 700,       700.000001, 745,     1000, 1e10,
                                      1e308,      INFINITY };
    (void)state;
    for (size_t i = 0; i < sizeof extreme / sizeof *extreme; i++) check_exp(extreme[i]);
    for (int i = 0; i < 40000; i++) check_exp(uniform() * 710);
    for (int i = 0; i < 30000; i++) check_exp(ldexp(uniform(), -(int)(next() % 60)));
    for (int i = 0; i < 30000; i++) { /* where the multiple of ln 2 changes */
        double x = ((double)(next() % 1010) + 0.5) * 0x1.62e42fefa39efp-1;
        check_exp(x * (1 + ((double)(next() % 9) - 4) * 0x1p-52));
    }
}

/* Coins: all kernels answer alike, for any number of them. */
static void test_flip(void **state)
{
    static double score[1000];
    static uint32_t lead[1000];
    static uint8_t heads[2][1000];
    (void)state;
    for (size_t n = 0; n < 1000; n += 1 + n / 4) {
        double top = 3 * uniform();
        unsigned digits = 1 + (unsigned)(next() % 32);
        for (size_t i = 0; i < n; i++) {
            score[i] = top - ldexp(uniform(), (int)(next() % 40) - 30);
            lead[i] = (uint32_t)(next() >> 32 >> (32 - digits) << (32 - digits));
        }
        kernels[0]->flip(heads[0], lead, digits, top, score, n, 0.7);
        for (size_t k = 1; k < kernel_count; k++) {
            kernels[k]->flip(heads[1], lead, digits, top, score, n, 0.7);
            assert_memory_equal(heads[0], heads[1], n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certified),    cmocka_unit_test(test_certified_ends),
        cmocka_unit_test(test_one),          cmocka_unit_test(test_one_at_boundaries),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_narrow_error), cmocka_unit_test(test_margins),
        cmocka_unit_test(test_exp),          cmocka_unit_test(test_flip)
    };
    find_kernels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
