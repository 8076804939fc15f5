/* SPDX-License-Identifier: Apache-2.0 */
/* Exactly rounded quantiles of a uniform number: leading digits through the
 * table, refinement when they do not decide. See rounded.h and the proof. */
#include "random/rounded.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

#define SLACK 1.001         /* covers the rounding of the margins themselves */
#define PLAIN_DIGITS 58     /* digits of m that the kernel looks at in plain double, */
#define WIDE_DIGITS 111     /* digits of m that the wide kernel looks at */
#define NARROW_SCALE 0x1p32 /* beyond, plain double would be undecided too often: one draw in 2^13 already */
#define PLAIN_SCALE 0x1p18  /* the same for single draws of all octaves, */
#define MEDIUM_SCALE 0x1p42 /* and for the medium form */
#define TEST_EXPONENT 2

extern const dusk_quantile_kernel dusk_quantile_kernel_baseline;
#ifdef __x86_64__
extern const dusk_quantile_kernel dusk_quantile_kernel_v3, dusk_quantile_kernel_v4;
#endif

const dusk_quantile_kernel *dusk_quantile_kernel_best(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return &dusk_quantile_kernel_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return &dusk_quantile_kernel_v3;
#endif
    return &dusk_quantile_kernel_baseline;
}

/* How far scale Q(v) may be from what `few` computes from `digits` digits of m
 * (the first of the unknown ones set, so that v is off by at most half of its
 * interval): rounded.proof.md, step 4. */
static double few_margin(const dusk_rounding *few, unsigned digits)
{
    const dusk_quantile_table *t = few->table;
    bool plain = few->precision == DUSK_PLAIN;
    unsigned looks = plain ? PLAIN_DIGITS : WIDE_DIGITS;
    double unknown = digits < looks ? ldexp(t->slope, -(int)digits - 1) : ldexp(t->slope, -(int)looks);
    double table = plain ? t->plain_error : few->precision == DUSK_MEDIUM ? t->medium_error : t->wide_error;
    double x = table + t->wide_max * (plain ? 3 * 0x1p-53 : 0x1p-97) + unknown;
    return (x * few->scale_hi + 0x1p-51) * DUSK_MUTATE(FEW_MARGIN_TOO_SMALL, SLACK, 0.25);
}

static dusk_precision precision_for(double scale)
{
    return scale <= PLAIN_SCALE ? DUSK_PLAIN : scale <= MEDIUM_SCALE ? DUSK_MEDIUM : DUSK_WIDE;
}

static double narrow_margin(const dusk_rounding *narrow)
{
    const dusk_quantile_table *t = narrow->table;
    double x =
        t->narrow_error + t->narrow_max * 3 * 0x1p-53 + ldexp(t->slope, -(int)narrow->mantissa_bits - 1);
    return (x * narrow->scale_hi + 0x1p-52) * DUSK_MUTATE(NARROW_MARGIN_TOO_SMALL, SLACK, 0.25);
}

DUSK_PROVEN(dusk_rounded_init)
void dusk_rounded_init(dusk_rounded *out, dusk_tail tail, double scale_hi, double scale_lo, double offset,
                       unsigned width)
{
    bool full = width == DUSK_WIDTH_FULL;
    dusk_rounding r = { .table = &dusk_quantile_tables[tail], .scale_hi = scale_hi, .scale_lo = scale_lo };
    r.shift = offset - 0.5;
    *out = (dusk_rounded){
        .kernel = dusk_quantile_kernel_best(), .tail = tail, .width = width, .narrow = r, .wide = r
    };
    out->narrow.exponent_bits = full ? 15 : TEST_EXPONENT;
    out->narrow.mantissa_bits = full ? 48 : width;
    out->narrow.margin = narrow_margin(&out->narrow);
    out->wide.exponent_bits = full ? DUSK_TABLE_OCTAVES : TEST_EXPONENT;
    out->wide.mantissa_bits = full ? 128 : width;
    out->wide.precision = DUSK_WIDE;
    out->wide.margin = few_margin(&out->wide, out->wide.mantissa_bits);
    out->few = out->wide;
    out->few.precision = precision_for(scale_hi);
    out->few.margin = few_margin(&out->few, out->few.mantissa_bits);
    out->narrow_suffices = scale_hi <= NARROW_SCALE;
}

void dusk_rounded_enclose(const dusk_rounded *r, const dusk_lazy *v, dusk_interval *out)
{
    dusk_interval scale, t;
    dusk_interval_init(&scale, mpfr_get_prec(out->lo));
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_interval_set(&scale, r->wide.scale_hi);
    dusk_interval_set(&t, r->wide.scale_lo);
    dusk_interval_add(&scale, &scale, &t);
    dusk_lazy_enclose(v, &t);
    dusk_tail_quantile(r->tail, &t, &t);
    dusk_interval_mul(out, &t, &scale);
    dusk_interval_clear(&scale);
    dusk_interval_clear(&t);
}

typedef struct unrounded { /* scale Q(v) + offset as a certified real */
    const dusk_rounded *r;
    dusk_lazy *v;
    dusk_generator *gen;
    bool again; /* the digits known already did not decide */
} unrounded;

static dusk_status enclose_unrounded(void *real, dusk_interval *out, dusk_error *err)
{
    unrounded *u = real;
    dusk_status status = u->again ? dusk_lazy_refine(u->v, u->gen, err) : DUSK_OK;
    if (status != DUSK_OK) return status;
    u->again = true;
    dusk_interval offset;
    dusk_interval_init(&offset, 64);
    dusk_interval_set(&offset, u->r->wide.shift + 0.5);
    dusk_rounded_enclose(u->r, u->v, out);
    dusk_interval_add(out, out, &offset);
    dusk_interval_clear(&offset);
    return DUSK_OK;
}

static dusk_int128 whole(const dusk_rounded *r, const dusk_rounded_value *value)
{
    if (r->wide.scale_hi <= 0x1p55)
        return (int64_t)value->whole_hi + (int64_t)value->whole_lo; /* below 2^60 */
    return (dusk_int128)value->whole_hi + (dusk_int128)value->whole_lo;
}

/* The digits known of v for the wide kernel, the first unknown one set. */
static dusk_digits leading_digits(const dusk_lazy *v)
{
    dusk_digits d = { (uint32_t)v->zeros, v->first, v->count > 64 ? v->more[0] : 0 };
    if (v->count < 64)
        d.hi |= (uint64_t)1 << (63 - v->count);
    else if (v->count < 128)
        d.lo |= (uint64_t)1 << (127 - v->count);
    return d;
}

/* Decide by the wide kernel on all digits that it can look at. */
static dusk_status look_again(const dusk_rounded *r, dusk_int128 *out, bool *decided, dusk_lazy *v,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *decided = false;
    while (!v->leading || (r->width == DUSK_WIDTH_FULL && v->count < WIDE_DIGITS))
        DUSK_TRY(dusk_lazy_refine(v, gen, err));
    if (v->zeros >= DUSK_TABLE_OCTAVES) return DUSK_OK;
    dusk_rounding wide = r->wide;
    dusk_digits digits = leading_digits(v);
    wide.margin = few_margin(&wide, v->count);
    dusk_rounded_value value;
    r->kernel->few(&wide, &value, &digits, 1);
    *out = whole(r, &value);
    *decided = !value.undecided;
done:
    return status;
}

DUSK_PROVEN(dusk_rounded_resolve)
dusk_status dusk_rounded_resolve(const dusk_rounded *r, dusk_int128 *magnitude, dusk_lazy *v,
                                 dusk_generator *gen, dusk_error *err)
{
    unrounded u = { r, v, gen, false };
    bool decided;
    dusk_status status = look_again(r, magnitude, &decided, v, gen, err);
    if (status != DUSK_OK || decided) return status;
    return dusk_real_floor(magnitude, enclose_unrounded, &u, err);
}

/* The number of leading zeros that x exponent coins tell of, and whether they
 * have the leading one. */
static void exponent_digits(dusk_lazy *v, uint64_t word, unsigned x, unsigned width)
{
    uint64_t field = word << 1 >> (64 - x);
    dusk_lazy_init(v, width);
    v->leading = field != 0;
    v->zeros = field ? (unsigned)__builtin_clzll(field) - (64 - x) : x;
}

/* Digits of the wide form. Behind exponent coins that are all zeros the
 * mantissa coins are simply the next digits of v. */
static dusk_status wide_digits(const dusk_rounded *r, dusk_lazy *v, uint64_t word, uint64_t hi, uint64_t lo,
                               dusk_error *err)
{
    unsigned bits = r->wide.mantissa_bits;
    exponent_digits(v, word, r->wide.exponent_bits, r->width);
    dusk_status status = dusk_lazy_append(v, hi, bits < 64 ? bits : 64, err);
    return status == DUSK_OK && bits > 64 ? dusk_lazy_append(v, lo, bits - 64, err) : status;
}

dusk_status dusk_rounded_digits(const dusk_rounded *r, dusk_rounded_draw *draw, dusk_error *err)
{
    return wide_digits(r, &draw->v, draw->word[0], draw->word[1], draw->word[2], err);
}

/* Sign, exponent and mantissa coins of one draw, and a word more where the law
 * wants it: words, or the few coins of a test. */
static dusk_status draw_words(const dusk_rounded *r, uint64_t word[4], dusk_generator *gen, dusk_error *err)
{
    dusk_status status;
    if (r->width == DUSK_WIDTH_FULL) return dusk_generator_words(gen, word, r->extra ? 4 : 3, 64, err);
    word[2] = 0;
    DUSK_TRY(dusk_generator_words(gen, word, 1, 1 + r->wide.exponent_bits, err));
    DUSK_TRY(dusk_generator_words(gen, word + 1, 1, r->width, err));
    if (r->extra) DUSK_TRY(dusk_generator_words(gen, word + 3, 1, r->width, err));
done:
    return status;
}

/* What the exponent coins say, for the kernel: their leading one, or any place
 * when there is none. */
static dusk_digits kernel_digits(const dusk_rounded *r, const uint64_t word[4])
{
    uint64_t field = word[0] << 1 >> (64 - r->wide.exponent_bits);
    dusk_digits digits = { .hi = word[1], .lo = word[2] };
    if (r->width < 64) digits.hi |= (uint64_t)1 << (63 - r->width);
    digits.zeros = (uint32_t)__builtin_clzll(field | 1) - (64 - r->wide.exponent_bits);
    return digits;
}

/* Take over the kernel's value, or find it from the digits. */
static dusk_status finish(const dusk_rounded *r, dusk_rounded_draw *draw, const dusk_rounded_value *value,
                          dusk_generator *gen, dusk_error *err)
{
    uint64_t field = draw->word[0] << 1 >> (64 - r->wide.exponent_bits);
    draw->negative = DUSK_MUTATE(SIGN_STUCK, draw->word[0] >> 63, 0);
    draw->magnitude = whole(r, value);
    draw->rest = value->rest;
    draw->resolved = field == 0 || value->undecided;
    if (!draw->resolved) return DUSK_OK;
    dusk_status status = dusk_rounded_digits(r, draw, err);
    return status == DUSK_OK ? dusk_rounded_resolve(r, &draw->magnitude, &draw->v, gen, err) : status;
}

DUSK_PROVEN(dusk_rounded_few)
dusk_status dusk_rounded_few(const dusk_rounded *r, dusk_rounded_draw *out, size_t n, dusk_generator *gen,
                             dusk_error *err)
{
    dusk_digits digits[DUSK_FEW] = { { 0 } };
    dusk_rounded_value value[DUSK_FEW];
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < n; i++) out[i].resolved = false;
    for (size_t i = 0; i < n; i++) {
        DUSK_TRY(draw_words(r, out[i].word, gen, err));
        digits[i] = kernel_digits(r, out[i].word);
    }
    r->kernel->few(&r->few, value, digits, n);
    for (size_t i = 0; i < n; i++) DUSK_TRY(finish(r, out + i, value + i, gen, err));
done:
    for (size_t i = 0; status != DUSK_OK && i < n; i++)
        if (out[i].resolved) dusk_lazy_clear(&out[i].v);
    return status;
}

dusk_status dusk_rounded_block_digits(const dusk_rounded *r, const dusk_rounded_block *block, size_t i,
                                      dusk_lazy *v, dusk_error *err)
{
    uint64_t word = block->word[i];
    unsigned x = r->narrow.exponent_bits;
    if (!r->narrow_suffices) return wide_digits(r, v, word, block->hi[i], block->lo[i], err);
    exponent_digits(v, word, x, r->width);
    return dusk_lazy_append(v, word << (1 + x), r->narrow.mantissa_bits, err);
}

/* The kernels work in eights; what they make of the stale coins behind the
 * m-th is not used. */
static void drop_stale(dusk_rounded_block *block, size_t m)
{
    size_t kept = 0;
    for (size_t i = 0; i < block->undecided_count; i++)
        if (block->undecided[i] < m) block->undecided[kept++] = block->undecided[i];
    block->undecided_count = kept;
}

/* The draws of a block go to `value`, which has room for m rounded up to a multiple of eight. */
static dusk_status draw_block(const dusk_rounded *r, dusk_rounded_block *block, int64_t *value, size_t m,
                              bool with_sign, dusk_generator *gen, dusk_error *err)
{
    const dusk_quantile_kernel *kernel = r->kernel;
    dusk_rounding rounding = r->narrow_suffices ? r->narrow : r->wide;
    unsigned x = rounding.exponent_bits, bits = rounding.mantissa_bits;
    size_t eights = (m + 7) / 8 * 8;
    dusk_status status;
    rounding.with_sign = with_sign;
    if (r->narrow_suffices) {
        DUSK_TRY(dusk_generator_words(gen, block->word, m, 1 + x + bits, err));
        block->undecided_count = kernel->narrow(&rounding, value, block->undecided, block->word, eights);
    } else {
        DUSK_TRY(dusk_generator_words(gen, block->word, m, 1 + x, err));
        DUSK_TRY(dusk_generator_words(gen, block->hi, m, bits < 64 ? bits : 64, err));
        if (bits > 64) DUSK_TRY(dusk_generator_words(gen, block->lo, m, bits - 64, err));
        for (size_t i = 0; bits < 64 && i < m; i++) block->hi[i] |= (uint64_t)1 << (63 - bits);
        block->undecided_count =
            kernel->wide(&rounding, value, block->undecided, block->word, block->hi, block->lo, eights);
    }
    drop_stale(block, m);
done:
    return status;
}

dusk_status dusk_rounded_block_draw(const dusk_rounded *r, dusk_rounded_block *block, size_t m,
                                    bool with_sign, dusk_generator *gen, dusk_error *err)
{
    return draw_block(r, block, block->value, m, with_sign, gen, err);
}

/* Settle draw i of a block that the kernels left undecided. */
static dusk_status settle(const dusk_rounded *r, const dusk_rounded_block *block, int64_t *value, size_t i,
                          bool with_sign, dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 most = (dusk_int128)1 << 62;
    dusk_int128 magnitude;
    dusk_lazy v;
    dusk_status status;
    DUSK_TRY(dusk_rounded_block_digits(r, block, i, &v, err));
    DUSK_TRY(dusk_rounded_resolve(r, &magnitude, &v, gen, err));
    if (magnitude > most) magnitude = most;
    value[i] = (int64_t)(with_sign && block->word[i] >> 63 ? -magnitude : magnitude);
done:
    dusk_lazy_clear(&v);
    return status;
}

/* What a fill of n left in a block. */
static void wipe_block(const dusk_rounded *r, dusk_rounded_block *block, size_t n)
{
    if (!r->narrow_suffices || n % 8)
        dusk_wipe(block, sizeof *block);
    else
        dusk_wipe(block->word, (n < DUSK_BLOCK ? n : DUSK_BLOCK) * sizeof *block->word);
}

DUSK_PROVEN(dusk_rounded_fill)
dusk_status dusk_rounded_fill(const dusk_rounded *r, int64_t *out, size_t n, bool with_sign,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_rounded_block block;
    if (!r->narrow_suffices || n % 8) memset(&block, 0, sizeof block); /* else every coin is drawn */
    for (size_t at = 0; at < n; at += DUSK_BLOCK) {
        size_t m = n - at < DUSK_BLOCK ? n - at : DUSK_BLOCK;
        int64_t *value = m % 8 ? block.value : out + at; /* the kernels write eights */
        DUSK_TRY(draw_block(r, &block, value, m, with_sign, gen, err));
        for (size_t i = 0; i < block.undecided_count; i++)
            DUSK_TRY(settle(r, &block, value, block.undecided[i], with_sign, gen, err));
        if (m % 8) memcpy(out + at, value, m * sizeof *out);
    }
done:
    wipe_block(r, &block, n);
    return status;
}
