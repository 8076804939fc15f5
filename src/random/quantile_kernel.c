/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels declared in quantile_kernel.h, on vectors of eight doubles that
 * the compiler maps to what the instruction set has; compiled once for each
 * with DUSK_KERNEL naming it. The arithmetic, and the bound on its error, is
 * that of rounded.proof.md. No branch depends on a draw, except where the coins
 * did not decide. */
#include "random/quantile_kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#include "base/platform.h"
#include "random/exp_kernel.h"

#define LANES 8
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

typedef double vector __attribute__((vector_size(64)));
typedef uint64_t words8 __attribute__((vector_size(64)));
typedef int64_t signed8 __attribute__((vector_size(64)));

#if defined(__AVX512F__)
static inline vector vector_fma(vector a, vector b, vector c)
{
    return (vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
static inline vector vector_rint(vector a) { return (vector)_mm512_roundscale_pd((__m512d)a, 8); }
#elif defined(__FMA__)
typedef union halves {
    vector whole;
    __m256d half[2];
} halves;
static inline vector vector_fma(vector a, vector b, vector c)
{
    halves x = { a }, y = { b }, z = { c };
    for (int i = 0; i < 2; i++) x.half[i] = _mm256_fmadd_pd(x.half[i], y.half[i], z.half[i]);
    return x.whole;
}
static inline vector vector_rint(vector a)
{
    halves x = { a };
    for (int i = 0; i < 2; i++) x.half[i] = _mm256_round_pd(x.half[i], 8);
    return x.whole;
}
#else
static inline vector vector_fma(vector a, vector b, vector c)
{
    for (int l = 0; l < LANES; l++) a[l] = __builtin_fma(a[l], b[l], c[l]);
    return a;
}
static inline vector vector_rint(vector a)
{
    for (int l = 0; l < LANES; l++) a[l] = __builtin_rint(a[l]);
    return a;
}
#endif

static inline vector choose(signed8 condition, vector yes, vector no)
{
    return (vector)((condition & (signed8)yes) | (~condition & (signed8)no));
}

#define T double
#define FMA __builtin_fma
#define RINT __builtin_rint
#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#define NAME(x) one_##x
#include "random/double_double.h"
#define T vector
#define FMA vector_fma
#define RINT vector_rint
#define SELECT(condition, yes, no) choose((condition), (yes), (no))
#define NAME(x) many_##x
#include "random/double_double.h"
#include "random/narrow_kernel.h"

static inline vector splat(double x) { return (vector){ x, x, x, x, x, x, x, x }; }

static inline vector absolute(vector x) { return (vector)((words8)x & 0x7fffffffffffffffu); }

/* Leading zeros of fields of `bits` bits (at most 52), none of them zero: 2^52
 * + field is a double, subtracting 2^52 is exact, and the exponent tells. */
static inline words8 leading_zeros(words8 field, unsigned bits)
{
    vector x = (vector)(field | 0x4330000000000000u) - 0x1p52;
    return 1022 + bits - ((words8)x >> 52);
}

/* column[n][l] = table[row[l] + n] for n < 8: eight loads and a transposition. */
static inline void load_columns(vector *column, const double *table, words8 row)
{
    vector r[8], s[8], t[8];
    for (int l = 0; l < LANES; l++) memcpy(&r[l], table + row[l], sizeof r[l]);
    for (int i = 0; i < 8; i += 2) {
        s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            t[i + k] = __builtin_shufflevector(s[i + k], s[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            t[i + k + 2] = __builtin_shufflevector(s[i + k], s[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        column[k] = __builtin_shufflevector(t[k], t[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        column[k + 4] = __builtin_shufflevector(t[k], t[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

static inline words8 table_row(const dusk_quantile_table *table, words8 m, words8 zeros)
{
    return (m >> 59) * table->segment_rows + zeros * table->octave_rows;
}

/* Write the eight results with their signs; flag those that are not decided. */
static inline size_t finish(const dusk_rounding *r, int64_t *out, uint32_t *undecided, size_t count,
                            size_t at, signed8 whole, vector rest, words8 signs, words8 missing)
{
    signed8 sign = -(signed8)(signs >> 63) & -(int64_t)(r->with_sign != 0);
    signed8 flags = (signed8)missing | (absolute(rest) > 0.5 - r->margin);
    whole = (whole ^ sign) - sign;
    memcpy(out + at, &whole, sizeof whole);
    int64_t any = 0;
    for (int l = 0; l < LANES; l++) any |= flags[l];
    if (any) /* one in millions: the coins did not decide */
        for (size_t l = 0; l < LANES; l++)
            if (flags[l]) undecided[count++] = (uint32_t)(at + l);
    return count;
}

/* rho of a mantissa as a pair of 53-bit halves: the digits after the segment's
 * five, less one half. Exact for 111 digits of m; what is cut off is covered by
 * the margin. */
static inline one_pair one_rho(uint64_t hi, uint64_t lo)
{
    uint64_t first = (hi << 5 | lo >> 59) ^ 0x8000000000000000u;
    int64_t top = (int64_t)first >> 11, rest = (int64_t)((first & 0x7ff) << 42 | lo << 5 >> 22);
    return (one_pair){ (double)top * 0x1p-53, (double)rest * 0x1p-106 };
}

static inline many_pair many_rho(words8 hi, words8 lo)
{
    words8 first = (hi << 5 | lo >> 59) ^ 0x8000000000000000u;
    signed8 top = (signed8)first >> 11, rest = (signed8)((first & 0x7ff) << 42 | lo << 5 >> 22);
    return (many_pair){ __builtin_convertvector(top, vector) * 0x1p-53,
                        __builtin_convertvector(rest, vector) * 0x1p-106 };
}

/* The row of an octave, `lines` * 8 doubles, from the rows of all octaves of a
 * segment, every one of which is read. */
static inline void select_row(double *row, int lines, const double *rows, size_t octaves, uint64_t octave)
{
    words8 chosen[2] = { { 0 } }, here = { 0 }, sought = here + octave;
    for (size_t o = 0; o < octaves; o++, here += 1) {
        words8 mask = (words8)(here == sought);
        for (int l = 0; l < lines; l++) {
            words8 line;
            memcpy(&line, rows + (o * (size_t)lines + (size_t)l) * LANES, sizeof line);
            chosen[l] |= line & mask;
        }
    }
    memcpy(row, chosen, (size_t)lines * sizeof *chosen);
}

/* The same for `table`, where a law with one octave of coefficients has nothing to hide. */
static inline const double *find_row(double *room, const dusk_quantile_table *table, const double *rows,
                                     int lines, const dusk_digits *d)
{
    const double *first = rows + (d->hi >> 59) * table->segment_rows * (size_t)lines * LANES;
    if (table->octave_rows == 0) return first;
    select_row(room, lines, first, DUSK_TABLE_OCTAVES, d->zeros);
    return room;
}

static inline dusk_rounded_value finish_pairs(const dusk_rounding *r, one_pair x)
{
    dusk_rounded_value v;
    one_round(&v.whole_hi, &v.whole_lo, &v.rest, x, (one_pair){ r->scale_hi, r->scale_lo }, r->shift,
              r->margin);
    v.undecided = __builtin_fabs(v.rest) > 0.5 - r->margin;
    return v;
}

static inline dusk_rounded_value round_medium(const dusk_rounding *r, const dusk_digits *d)
{
    const dusk_quantile_table *t = r->table;
    double room[DUSK_TABLE_ROW];
    const double *a = find_row(room, t, t->medium, 2, d);
    return finish_pairs(r, one_polynomial(a, one_rho(d->hi, d->lo), DUSK_TABLE_MEDIUM,
                                          DUSK_TABLE_MEDIUM_PAIRED, d->zeros + 1, t->step_hi, t->step_lo));
}

static inline dusk_rounded_value round_wide(const dusk_rounding *r, const dusk_digits *d)
{
    const dusk_quantile_table *t = r->table;
    double room[DUSK_TABLE_ROW], a[2 * DUSK_TABLE_ROW];
    memcpy(a, find_row(room, t, t->medium, 2, d), sizeof room);
    memcpy(a + DUSK_TABLE_ROW, find_row(room, t, t->rest, 2, d), sizeof room);
    return finish_pairs(r, one_polynomial(a, one_rho(d->hi, d->lo), DUSK_TABLE_WIDE, DUSK_TABLE_WIDE_PAIRED,
                                          d->zeros + 1, t->step_hi, t->step_lo));
}

/* In plain double; rho keeps 53 digits behind the segment's five. */
static inline dusk_rounded_value round_plain(const dusk_rounding *r, const dusk_digits *d)
{
    const dusk_quantile_table *table = r->table;
    double room[DUSK_TABLE_NARROW], rho = one_rho(d->hi, d->lo).hi, k = d->zeros + 1;
    const double *a = find_row(room, table, table->narrow, 1, d);
    double p = a[DUSK_TABLE_NARROW - 1];
    for (int n = DUSK_TABLE_NARROW - 2; n >= 0; n--) p = __builtin_fma(p, rho, a[n]);
    double t = __builtin_fma(k, table->step_hi, __builtin_fma(k, table->step_lo, p)) * r->scale_hi;
    t = (t < r->margin ? r->margin : t) + r->shift;
    double whole = __builtin_rint(t), rest = t - whole;
    return (dusk_rounded_value){ whole, 0, rest, __builtin_fabs(rest) > 0.5 - r->margin };
}

static void few(const dusk_rounding *r, dusk_rounded_value *out, const dusk_digits *digits, size_t n)
{
    switch (r->precision) {
    case DUSK_PLAIN:
        for (size_t i = 0; i < n; i++) out[i] = round_plain(r, digits + i);
        break;
    case DUSK_MEDIUM:
        for (size_t i = 0; i < n; i++) out[i] = round_medium(r, digits + i);
        break;
    case DUSK_WIDE:
        for (size_t i = 0; i < n; i++) out[i] = round_wide(r, digits + i);
        break;
    }
}

static size_t wide(const dusk_rounding *r, int64_t *out, uint32_t *undecided, const uint64_t *exponent,
                   const uint64_t *mantissa_hi, const uint64_t *mantissa_lo, size_t n)
{
    const dusk_quantile_table *table = r->table;
    const unsigned x = r->exponent_bits;
    const many_pair scale = { splat(r->scale_hi), splat(r->scale_lo) };
    size_t count = 0;
    for (size_t i = 0; i + LANES <= n; i += LANES) {
        words8 w, hi, lo;
        vector a[2 * DUSK_TABLE_ROW], whole_hi, whole_lo, rest;
        memcpy(&w, exponent + i, sizeof w);
        memcpy(&hi, mantissa_hi + i, sizeof hi);
        memcpy(&lo, mantissa_lo + i, sizeof lo);
        words8 field = w << 1 >> (64 - x), missing = (words8)(field == 0);
        words8 zeros = leading_zeros(field | (missing & 1), x);
        words8 row = table_row(table, hi, zeros) * DUSK_TABLE_ROW;
        for (int k = 0; k < DUSK_TABLE_ROW; k += LANES) {
            load_columns(a + k, table->medium + k, row);
            load_columns(a + DUSK_TABLE_ROW + k, table->rest + k, row);
        }
        many_pair q = many_polynomial(a, many_rho(hi, lo), DUSK_TABLE_WIDE, DUSK_TABLE_WIDE_PAIRED,
                                      __builtin_convertvector((signed8)zeros + 1, vector), table->step_hi,
                                      table->step_lo);
        many_round(&whole_hi, &whole_lo, &rest, q, scale, splat(r->shift), splat(r->margin));
        signed8 whole =
            __builtin_convertvector(whole_hi, signed8) + __builtin_convertvector(whole_lo, signed8);
        count = finish(r, out, undecided, count, i, whole, rest, w, missing);
    }
    return count;
}

/* dusk_exp_kernel on vectors, with fused steps, even and odd powers apart: no
 * more roundings of no larger numbers. */
static inline vector exp_many(vector x)
{
    vector cut = choose(x < DUSK_EXP_CUT, x, splat(DUSK_EXP_CUT));
    vector shifted = cut * DUSK_EXP_LOG2E + DUSK_EXP_MAGIC, n = shifted - DUSK_EXP_MAGIC;
    vector r = (n * DUSK_EXP_LN2_HI - cut) + n * DUSK_EXP_LN2_LO, square = r * r;
    vector odd = splat(dusk_exp_coefficient[0]), even = splat(dusk_exp_coefficient[1]);
    for (int i = 2; i < DUSK_EXP_TERMS; i += 2) {
        odd = vector_fma(odd, square, splat(dusk_exp_coefficient[i]));
        even = vector_fma(even, square, splat(dusk_exp_coefficient[i + 1]));
    }
    return vector_fma(odd, r, even) * (vector)((1023 - ((words8)shifted & 0xfffff)) << 52);
}

static dusk_two exp_two(double x, double y)
{
    vector e = exp_many((vector){ x, y });
    return (dusk_two){ e[0], e[1] };
}

typedef uint32_t leads8 __attribute__((vector_size(32)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));

/* Eight coins. The approximation p of 2^32 exp(-rate gap) is off by less than
 * `error` (coin.proof.md), which leaves one coin in 2^31 undecided; a gap that
 * overflows, or a rate near the ends of the range of doubles (`extreme`), is
 * never decided here. */
static inline void flip_eight(uint8_t *heads, const uint32_t *lead, double unknown, double top,
                              const double *score, double rate, int64_t extreme)
{
    const double error = 0x1p-15;
    vector s;
    leads8 l;
    memcpy(&s, score, sizeof s);
    memcpy(&l, lead, sizeof l);
    vector gap = top - s, p = exp_many(gap * rate) * 0x1p32, low = __builtin_convertvector(l, vector);
    signed8 wild = ~(gap <= DBL_MAX) | extreme;
    signed8 below = low + (unknown + error) < p, above = low - error >= p;
    signed8 coin = (below & ~wild & 1) | ((wild | ~(below | above)) & 2);
    bytes8 bytes = __builtin_convertvector(coin, bytes8);
    memcpy(heads, &bytes, sizeof bytes);
}

static void flip(uint8_t *heads, const uint32_t *lead, unsigned digits, double top, const double *score,
                 size_t n, double rate)
{
    const double unknown = (double)((uint64_t)1 << (DUSK_COIN_LEAD - digits));
    const int64_t extreme = -(int64_t) !(rate > 0x1p-900 && rate < 0x1p900);
    size_t i = 0, rest = n % LANES;
    for (; i + LANES <= n; i += LANES)
        flip_eight(heads + i, lead + i, unknown, top, score + i, rate, extreme);
    if (rest) {
        double last_score[LANES] = { 0 };
        uint32_t last_lead[LANES] = { 0 };
        uint8_t last[LANES];
        memcpy(last_score, score + i, rest * sizeof *score);
        memcpy(last_lead, lead + i, rest * sizeof *lead);
        flip_eight(last, last_lead, unknown, top, last_score, rate, extreme);
        memcpy(heads + i, last, rest);
    }
}

const dusk_quantile_kernel JOIN(dusk_quantile_kernel_, DUSK_KERNEL) = {
    .narrow = narrow, .wide = wide, .few = few, .exp_two = exp_two, .flip = flip
};
