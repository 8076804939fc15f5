/* SPDX-License-Identifier: Apache-2.0 */
/* One text for all tiles: what differs is the vector and its operations, and how many rows there are. Rows are read by
 * broadcasts from wherever they are, so that they need not be copied; every third row has a pointer, the two behind it are at
 * distances that addresses can express. Upper halves of registers are cleared at the end, which gcc forgets below -O2, so that
 * all that followed would be slow. [Goto & van de Geijn 2008; Van Zee & van de Geijn 2015] Proof: gemm.proof.md. */
#include "tensor/gemm_tiles.h"

#include <stdint.h>
#include <string.h>

#include "base/platform.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* --- the text of a tile -------------------------------------------------------------------------- */

#define EACH_1(X, of) X(of, 0, 0, 0)
#define EACH_2(X, of) EACH_1(X, of) X(of, 1, 0, 1)
#define EACH_3(X, of) EACH_2(X, of) X(of, 2, 0, 2)
#define EACH_4(X, of) EACH_3(X, of) X(of, 3, 1, 0)
#define EACH_5(X, of) EACH_4(X, of) X(of, 4, 1, 1)
#define EACH_6(X, of) EACH_5(X, of) X(of, 5, 1, 2)
#define EACH_7(X, of) EACH_6(X, of) X(of, 6, 2, 0)
#define EACH_8(X, of) EACH_7(X, of) X(of, 7, 2, 1)
#define EACH_9(X, of) EACH_8(X, of) X(of, 8, 2, 2)
#define EACH_10(X, of) EACH_9(X, of) X(of, 9, 3, 0)
#define EACH_11(X, of) EACH_10(X, of) X(of, 10, 3, 1)
#define EACH_12(X, of) EACH_11(X, of) X(of, 11, 3, 2)
#define EACH_13(X, of) EACH_12(X, of) X(of, 12, 4, 0)
#define EACH_14(X, of) EACH_13(X, of) X(of, 13, 4, 1)

#define BEGIN_ONE(of, i, third, rest)                                                                        \
    of##_vector s##i = start ? of##_zero() : of##_load(to + i * stride, low);
#define BEGIN_TWO(of, i, third, rest)                                                                        \
    BEGIN_ONE(of, i, third, rest)                                                                            \
    of##_vector t##i = start ? of##_zero() : of##_load(to + i * stride + of##_LANES, high);
#define STEP_ONE(of, i, third, rest) s##i = of##_step(s##i, of##_spread(at[third] + rest * row), u);
#define STEP_TWO(of, i, third, rest)                                                                         \
    {                                                                                                        \
        const of##_vector x = of##_spread(at[third] + rest * row);                                           \
        s##i = of##_step(s##i, x, u);                                                                        \
        t##i = of##_step(t##i, x, v);                                                                        \
    }
#define END_ONE(of, i, third, rest) of##_store(to + i * stride, low, s##i);
#define END_TWO(of, i, third, rest)                                                                          \
    END_ONE(of, i, third, rest) of##_store(to + i * stride + of##_LANES, high, t##i);

#define THIRDS                                                                                               \
    {                                                                                                        \
        a, a + 3 * row, a + 6 * row, a + 9 * row, a + 12 * row                                               \
    }
#define ALONG                                                                                                \
    b += step;                                                                                               \
    at[0] += column, at[1] += column, at[2] += column, at[3] += column, at[4] += column;

/* Checks of every address of every tile take clang minutes to compile; gcc makes those of memory. */
#if defined(__clang__)
#define TILE_TEXT __attribute__((no_sanitize("undefined", "address")))
#else
#define TILE_TEXT __attribute__((no_sanitize("undefined")))
#endif
#define TILE(of, r)                                                                                          \
    TILE_TEXT of##_TARGET static void of##_one_##r(void *c, size_t stride, const char *a, size_t row,        \
                                                   size_t column, const char *b, size_t step, size_t k,      \
                                                   size_t width, bool start)                                 \
    {                                                                                                        \
        const of##_some low = of##_first(width);                                                             \
        of##_cell *to = c;                                                                                   \
        const char *at[5] = THIRDS;                                                                          \
        (void)width, (void)low;                                                                              \
        EACH_##r(BEGIN_ONE, of);                                                                             \
        for (size_t p = 0; p < k; p++) {                                                                     \
            const of##_vector u = of##_load(b, low);                                                         \
            EACH_##r(STEP_ONE, of);                                                                          \
            ALONG                                                                                            \
        }                                                                                                    \
        EACH_##r(END_ONE, of);                                                                               \
        of##_leave();                                                                                        \
    }                                                                                                        \
    TILE_TEXT of##_TARGET static void of##_two_##r(void *c, size_t stride, const char *a, size_t row,        \
                                                   size_t column, const char *b, size_t step, size_t k,      \
                                                   size_t width, bool start)                                 \
    {                                                                                                        \
        const of##_some low = of##_first(of##_LANES), high = of##_first(width - of##_LANES);                 \
        of##_cell *to = c;                                                                                   \
        const char *at[5] = THIRDS;                                                                          \
        (void)width, (void)low, (void)high;                                                                  \
        EACH_##r(BEGIN_TWO, of);                                                                             \
        for (size_t p = 0; p < k; p++) {                                                                     \
            const of##_vector u = of##_load(b, low), v = of##_load(b + 4 * of##_LANES, high);                \
            EACH_##r(STEP_TWO, of);                                                                          \
            ALONG                                                                                            \
        }                                                                                                    \
        EACH_##r(END_TWO, of);                                                                               \
        of##_leave();                                                                                        \
    }

#define TILES_4(of) TILE(of, 1) TILE(of, 2) TILE(of, 3) TILE(of, 4)
#define TILES_6(of) TILES_4(of) TILE(of, 5) TILE(of, 6)
#define TILES_14(of)                                                                                         \
    TILES_6(of)                                                                                              \
    TILE(of, 7) TILE(of, 8) TILE(of, 9) TILE(of, 10) TILE(of, 11) TILE(of, 12) TILE(of, 13) TILE(of, 14)

#define LIST_4(of, n) of##_##n##_1, of##_##n##_2, of##_##n##_3, of##_##n##_4
#define LIST_6(of, n) LIST_4(of, n), of##_##n##_5, of##_##n##_6
#define LIST_14(of, n)                                                                                       \
    LIST_6(of, n), of##_##n##_7, of##_##n##_8, of##_##n##_9, of##_##n##_10, of##_##n##_11, of##_##n##_12,    \
        of##_##n##_13, of##_##n##_14

#define TILES(of, r, whole_)                                                                                 \
    TILES_##r(of) static tensor_tile *const of##_one[] = { LIST_##r(of, one) };                              \
    static tensor_tile *const of##_two[] = { LIST_##r(of, two) };                                            \
    static const tensor_tiles of##_tiles = {                                                                 \
        .rows = r, .lanes = of##_LANES, .whole = whole_, .one = of##_one, .two = of##_two                    \
    };

#define TILE_INLINE static inline __attribute__((always_inline))
typedef int everything; /* of a vector, where parts cannot be loaded */

/* --- level 0: four lanes of any machine ---------------------------------------------------------- */

typedef float plain_vector __attribute__((vector_size(16), aligned(4), may_alias));
typedef float plain_cell;
typedef everything plain_some;
enum { plain_LANES = 4, plain_pair_LANES = 4 };
#define plain_TARGET
#define plain_leave() ((void)0)
#define plain_zero() ((plain_vector){ 0 })
#define plain_first(width) 0
#define plain_load(from, some) (*(const plain_vector *)(from))
#define plain_store(into, some, x) (*(plain_vector *)(into) = (x))
#define plain_step(sum, x, y) ((sum) + (x) * (y))
TILE_INLINE plain_vector plain_spread(const char *from)
{
    float x;
    memcpy(&x, from, sizeof x);
    return (plain_vector){ x, x, x, x };
}
TILES(plain, 4, true)

/* Two products of 16 bits; their sum and the total are modulo 2^32. */
typedef uint32_t plain_pair_vector __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t signed_lanes __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t plain_pair_cell;
typedef everything plain_pair_some;
#define plain_pair_TARGET
#define plain_pair_leave() ((void)0)
#define plain_pair_zero() ((plain_pair_vector){ 0 })
#define plain_pair_first(width) 0
#define plain_pair_load(from, some) (*(const plain_pair_vector *)(from))
#define plain_pair_store(into, some, x) (*(plain_pair_vector *)(into) = (x))
#define UPPER(x) ((signed_lanes)(x) >> 16)
#define LOWER(x) ((signed_lanes)((x) << 16) >> 16)
#define plain_pair_step(sum, x, y)                                                                           \
    ((sum) + (plain_pair_vector)(UPPER(x) * UPPER(y)) + (plain_pair_vector)(LOWER(x) * LOWER(y)))
TILE_INLINE plain_pair_vector plain_pair_spread(const char *from)
{
    uint32_t x;
    memcpy(&x, from, sizeof x);
    return (plain_pair_vector){ x, x, x, x };
}
TILES(plain_pair, 4, true)

#if defined(__x86_64__)
/* --- level 1: AVX2 and fused multiply-add -------------------------------------------------------- */

TILE_INLINE int cell_at(const char *from)
{
    int x;
    memcpy(&x, from, sizeof x);
    return x;
}

#define FOR_AVX2 __attribute__((target("avx2,fma")))
typedef __m256 avx2_vector;
typedef float avx2_cell;
typedef everything avx2_some;
enum { avx2_LANES = 8, avx2_pair_LANES = 8, avx512_LANES = 16, madd512_LANES = 16, vnni512_LANES = 16 };
#define avx2_TARGET FOR_AVX2
#define avx2_leave() _mm256_zeroupper()
#define avx2_zero() _mm256_setzero_ps()
#define avx2_first(width) 0
#define avx2_load(from, some) _mm256_loadu_ps((const float *)(const void *)(from))
#define avx2_store(into, some, x) _mm256_storeu_ps(into, x)
#define avx2_spread(from) _mm256_castsi256_ps(_mm256_set1_epi32(cell_at(from)))
#define avx2_step(sum, x, y) _mm256_fmadd_ps(x, y, sum)
TILES(avx2, 6, true)

typedef __m256i avx2_pair_vector;
typedef int32_t avx2_pair_cell;
typedef everything avx2_pair_some;
#define avx2_pair_TARGET FOR_AVX2
#define avx2_pair_leave() _mm256_zeroupper()
#define avx2_pair_zero() _mm256_setzero_si256()
#define avx2_pair_first(width) 0
#define avx2_pair_load(from, some) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define avx2_pair_store(into, some, x) _mm256_storeu_si256((__m256i *)(void *)(into), x)
#define avx2_pair_spread(from) _mm256_set1_epi32(cell_at(from))
#define avx2_pair_step(sum, x, y) _mm256_add_epi32(sum, _mm256_madd_epi16(x, y))
TILES(avx2_pair, 6, true)

/* --- level 2: AVX-512, with VNNI where there is ----------------------------------------------------- */

#define FIRST_512(width) ((__mmask16)((width) >= 16 ? 0xffff : (1u << (width)) - 1))
typedef __m512 avx512_vector;
typedef float avx512_cell;
typedef __mmask16 avx512_some;
#define avx512_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))
#define avx512_leave() _mm256_zeroupper()
#define avx512_zero() _mm512_setzero_ps()
#define avx512_first(width) FIRST_512(width)
#define avx512_load(from, some) _mm512_maskz_loadu_ps(some, from)
#define avx512_store(into, some, x) _mm512_mask_storeu_ps(into, some, x)
#define avx512_spread(from) _mm512_castsi512_ps(_mm512_set1_epi32(cell_at(from)))
#define avx512_step(sum, x, y) _mm512_fmadd_ps(x, y, sum)
TILES(avx512, 14, false)

typedef __m512i madd512_vector;
typedef int32_t madd512_cell;
typedef __mmask16 madd512_some;
#define madd512_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define madd512_leave() _mm256_zeroupper()
#define madd512_zero() _mm512_setzero_si512()
#define madd512_first(width) FIRST_512(width)
#define madd512_load(from, some) _mm512_maskz_loadu_epi32(some, from)
#define madd512_store(into, some, x) _mm512_mask_storeu_epi32(into, some, x)
#define madd512_spread(from) _mm512_set1_epi32(cell_at(from))
#define madd512_step(sum, x, y) _mm512_add_epi32(sum, _mm512_madd_epi16(x, y))
TILES(madd512, 14, false)

typedef __m512i vnni512_vector;
typedef int32_t vnni512_cell;
typedef __mmask16 vnni512_some;
#define vnni512_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx2,fma")))
#define vnni512_leave() _mm256_zeroupper()
#define vnni512_zero() _mm512_setzero_si512()
#define vnni512_first(width) FIRST_512(width)
#define vnni512_load(from, some) _mm512_maskz_loadu_epi32(some, from)
#define vnni512_store(into, some, x) _mm512_mask_storeu_epi32(into, some, x)
#define vnni512_spread(from) _mm512_set1_epi32(cell_at(from))
/* _mm512_dpwssd_epi32, for which gcc 12 finds no registers. */
vnni512_TARGET TILE_INLINE __m512i vnni512_step(__m512i sum, __m512i x, __m512i y)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum;
}
TILES(vnni512, 14, false)
#endif

/* --- which ---------------------------------------------------------------------------------------- */

const tensor_tiles *tensor_tiles_of_floats(int level)
{
#if defined(__x86_64__)
    if (level == 2) return &avx512_tiles;
    if (level == 1) return &avx2_tiles;
#endif
    (void)level;
    return &plain_tiles;
}

bool tensor_tiles_have_dots(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

const tensor_tiles *tensor_tiles_of_pairs(int level, bool dots)
{
#if defined(__x86_64__)
    if (level == 2 && dots) return &vnni512_tiles;
    if (level == 2 && __builtin_cpu_supports("avx512bw")) return &madd512_tiles;
    if (level >= 1) return &avx2_pair_tiles;
#endif
    (void)level, (void)dots;
    return &plain_pair_tiles;
}
