/* SPDX-License-Identifier: Apache-2.0 */
/* The narrow form of quantile_kernel.h: one word a draw, plain double, in as many
 * lanes as the instruction set has. Included by quantile_kernel.c alone, once for each
 * instruction set. What the compilers make of the general vectors there costs more than
 * the arithmetic (places of rows taken out lane by lane, a row transposed by three
 * shuffles a column), so the lanes are written by hand; every operation is an IEEE one
 * or on whole numbers, and all sets give the same bits. No include guard: it is code. */

#define LANES_INLINE static inline __attribute__((always_inline))

enum { GROUP = 64 };
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512CD__)
enum { WIDTH = 8 };
typedef double reals __attribute__((vector_size(64)));
typedef uint64_t words __attribute__((vector_size(64)));

static inline reals reals_of(words digits) { return (reals)digits; }
static inline reals reals_fma(reals a, reals b, reals c)
{
    return (reals)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
static inline reals reals_rint(reals a) { return (reals)_mm512_roundscale_pd((__m512d)a, 8); }
static inline reals reals_larger(reals a, reals b) { return (reals)_mm512_max_pd((__m512d)a, (__m512d)b); }
static inline words reals_whole(reals a, words sign)
{
    return (words)_mm512_cvttpd_epi64((__m512d)((words)a | sign));
}
static inline words words_zeros(words a, unsigned x)
{
    return (words)_mm512_lzcnt_epi64((__m512i)(a << 1 | (uint64_t)1 << (64 - x)));
}
static inline words words_product(words a, uint64_t b)
{
    return (words)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((int64_t)b));
}
static inline unsigned words_without(words a, uint64_t digits)
{
    return _mm512_testn_epi64_mask((__m512i)a, _mm512_set1_epi64((int64_t)digits));
}
static inline unsigned reals_beyond(reals a, double limit)
{
    return _mm512_cmp_pd_mask(_mm512_abs_pd((__m512d)a), _mm512_set1_pd(limit), _CMP_GT_OQ);
}

/* The first four numbers of rows i and j side by side. */
static inline __m512d two_rows(const double *i, const double *j)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(i)), _mm256_loadu_pd(j), 1);
}

/* column[n][l] = table[at[l] + n] for n < 8. */
static inline void reals_columns(reals *column, const double *table, const uint64_t *at)
{
    for (int n = 0; n < 8; n += 4, table += 4) {
        __m512d a = two_rows(table + at[0], table + at[2]), b = two_rows(table + at[1], table + at[3]);
        __m512d c = two_rows(table + at[4], table + at[6]), d = two_rows(table + at[5], table + at[7]);
        __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
        column[n] = (reals)_mm512_shuffle_f64x2(ab, cd, 0x88);
        column[n + 2] = (reals)_mm512_shuffle_f64x2(ab, cd, 0xdd);
        ab = _mm512_unpackhi_pd(a, b);
        cd = _mm512_unpackhi_pd(c, d);
        column[n + 1] = (reals)_mm512_shuffle_f64x2(ab, cd, 0x88);
        column[n + 3] = (reals)_mm512_shuffle_f64x2(ab, cd, 0xdd);
    }
}

#elif defined(__AVX2__) && defined(__FMA__)
enum { WIDTH = 4 };
typedef double reals __attribute__((vector_size(32)));
typedef uint64_t words __attribute__((vector_size(32)));

static inline reals reals_of(words digits) { return (reals)digits; }
static inline reals reals_fma(reals a, reals b, reals c)
{
    return (reals)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
static inline reals reals_rint(reals a) { return (reals)_mm256_round_pd((__m256d)a, 8); }
static inline reals reals_larger(reals a, reals b) { return (reals)_mm256_max_pd((__m256d)a, (__m256d)b); }
/* The upper and the lower 32 digits by themselves, each below 2^52, where the digits of the sum with 2^52
 * are those of the number. */
static inline words reals_whole(reals a, words sign)
{
    const reals high = (reals)_mm256_floor_pd((__m256d)(a * 0x1p-32)), low = a - high * 0x1p32;
    const words whole = (words)(high + 0x1p52) << 32 | ((words)(low + 0x1p52) & 0xffffffffu);
    const words all = 0 - (sign >> 63);
    return (whole ^ all) - all;
}
/* The field is below 2^52: 2^52 + field is a double, subtracting 2^52 is exact, and the exponent tells. */
static inline words words_zeros(words a, unsigned x)
{
    const reals field = (reals)((a << 1 >> (64 - x)) | 0x4330000000000001u) - 0x1p52;
    return 1022 + x - ((words)field >> 52);
}
static inline words words_product(words a, uint64_t b)
{
    return (words)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((int64_t)b));
}
static inline unsigned words_without(words a, uint64_t digits)
{
    return (unsigned)_mm256_movemask_pd(
        (__m256d)_mm256_cmpeq_epi64((__m256i)(a & digits), _mm256_setzero_si256()));
}
static inline unsigned reals_beyond(reals a, double limit)
{
    __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a);
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(limit), _CMP_GT_OQ));
}

/* The first two numbers of rows i and j side by side. */
static inline __m256d two_rows(const double *i, const double *j)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(i)), _mm_loadu_pd(j), 1);
}

/* column[n][l] = table[at[l] + n] for n < 8. */
static inline void reals_columns(reals *column, const double *table, const uint64_t *at)
{
    for (int n = 0; n < 8; n += 2, table += 2) {
        __m256d a = two_rows(table + at[0], table + at[2]), b = two_rows(table + at[1], table + at[3]);
        column[n] = (reals)_mm256_unpacklo_pd(a, b);
        column[n + 1] = (reals)_mm256_unpackhi_pd(a, b);
    }
}

#else
enum { WIDTH = 1 };
typedef double reals;
typedef uint64_t words;

static inline reals reals_of(words digits)
{
    reals x;
    memcpy(&x, &digits, sizeof x);
    return x;
}
static inline reals reals_fma(reals a, reals b, reals c) { return __builtin_fma(a, b, c); }
static inline reals reals_rint(reals a) { return __builtin_rint(a); }
static inline reals reals_larger(reals a, reals b) { return a > b ? a : b; }
static inline words reals_whole(reals a, words sign) { return sign ? 0 - (words)a : (words)a; }
static inline words words_zeros(words a, unsigned x)
{
    return (words)__builtin_clzll(a << 1 | (uint64_t)1 << (64 - x));
}
static inline words words_product(words a, uint64_t b) { return a * b; }
static inline unsigned words_without(words a, uint64_t digits) { return (a & digits) == 0; }
static inline unsigned reals_beyond(reals a, double limit) { return __builtin_fabs(a) > limit; }
static inline void reals_columns(reals *column, const double *table, const uint64_t *at)
{
    memcpy(column, table + *at, 8 * sizeof *column);
}
#endif

/* What one draw needs of a rounding, in lanes. */
typedef struct narrow_constants {
    const double *rows;
    uint64_t segment, octave;     /* how far rows of the next one are away; 0: octaves differ by a step */
    uint64_t middle, field, sign; /* digits of a word */
    reals step_hi, step_lo, scale, shift; /* shift: what rounding down takes off */
    reals least;
    double sure;
} narrow_constants;

LANES_INLINE narrow_constants narrow_prepare(const dusk_rounding *r, unsigned x)
{
    const dusk_quantile_table *t = r->table;
    const reals zero = { 0 };
    return (narrow_constants){
        .rows = t->narrow,
        .segment = t->segment_rows * DUSK_TABLE_NARROW,
        .octave = t->octave_rows * DUSK_TABLE_NARROW,
        .middle = (uint64_t)1 << (63 - r->mantissa_bits),
        .field = (((uint64_t)1 << x) - 1) << (63 - x),
        .sign = (uint64_t)(r->with_sign != 0) << 63,
        .step_hi = zero + t->step_hi,
        .step_lo = zero + t->step_lo,
        .scale = zero + r->scale_hi,
        .shift = zero + r->shift,
        .least = zero + (r->margin + r->shift),
        .sure = 0.5 - r->margin,
    };
}

/* Where the rows of the table are that n draws need. They go through memory, since loads take their places from
 * other registers than the lanes. */
LANES_INLINE void narrow_places(uint64_t *at, const narrow_constants *c, unsigned x, const uint64_t *coins,
                                size_t n)
{
    for (size_t i = 0; i < n; i += WIDTH) {
        words w;
        memcpy(&w, coins + i, sizeof w);
        const words segment = (w << (1 + x) | c->middle) >> 59;
        const words row = words_product(segment, c->segment) + words_product(words_zeros(w, x), c->octave);
        memcpy(at + i, &row, sizeof row);
    }
}

/* WIDTH draws; the lanes that are not decided. */
LANES_INLINE unsigned narrow_draw(const narrow_constants *c, unsigned x, int64_t *out, const uint64_t *at,
                                  const uint64_t *coins)
{
    words w;
    reals a[DUSK_TABLE_NARROW];
    memcpy(&w, coins, sizeof w);
    reals_columns(a, c->rows, at);
    const words m = w << (1 + x) | c->middle;
    const reals rho = reals_of((m >> 7 & 0x000fffffffffffffu) | 0x3ff0000000000000u) - 1.5;
    reals p = a[DUSK_TABLE_NARROW - 1];
    for (int k = DUSK_TABLE_NARROW - 2; k >= 0; k--) p = reals_fma(p, rho, a[k]);
    if (c->octave == 0) {
        const reals k = reals_of((words_zeros(w, x) + 1) | 0x4330000000000000u) - 0x1p52;
        p = reals_fma(k, c->step_hi, reals_fma(k, c->step_lo, p));
    }
    const reals t = reals_larger(reals_fma(p, c->scale, c->shift), c->least), whole = reals_rint(t);
    const words value = reals_whole(whole, w & c->sign);
    memcpy(out, &value, sizeof value);
    return words_without(w, c->field) | reals_beyond(t - whole, c->sure);
}

LANES_INLINE size_t narrow_by(const dusk_rounding *r, unsigned x, int64_t *out, uint32_t *undecided,
                              const uint64_t *coins, size_t n)
{
    const narrow_constants c = narrow_prepare(r, x);
    uint64_t at[GROUP];
    size_t count = 0;
    for (size_t first = 0; first < n; first += GROUP) {
        const size_t m = n - first < GROUP ? n - first : GROUP;
        narrow_places(at, &c, x, coins + first, m);
        for (size_t i = 0; i < m; i += WIDTH) {
            unsigned unsure = narrow_draw(&c, x, out + first + i, at + i, coins + first + i);
            for (; unsure; unsure &= unsure - 1)
                undecided[count++] = (uint32_t)(first + i) + (uint32_t)__builtin_ctz(unsure);
        }
    }
    return count;
}

static size_t narrow(const dusk_rounding *r, int64_t *out, uint32_t *undecided, const uint64_t *coins,
                     size_t n)
{
    const unsigned usual = 15; /* a shift by a constant is one instruction less */
    if (r->exponent_bits == usual) return narrow_by(r, usual, out, undecided, coins, n);
    return narrow_by(r, r->exponent_bits, out, undecided, coins, n);
}
