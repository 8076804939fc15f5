/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are neighbours are copied; lines whose own numbers are neighbours are turned, eight by eight where there is AVX2. */
#include "tensor/gemm_pack.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CELL = sizeof(uint32_t), NUMBER = sizeof(int16_t), SQUARE = 8 };
#define PACK_INLINE static inline __attribute__((always_inline))

/* --- any strides ---------------------------------------------------------------------------------- */

static void gather_cells(uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t k)
{
    for (size_t i = 0; i < lines; i++) {
        const char *line = from.at + i * from.across;
        for (size_t p = 0; p < k; p++) memcpy(to + p * step + i, line + p * from.along, CELL);
    }
}

static uint32_t pair(const char *lower, const char *upper)
{
    uint16_t low, high = 0;
    memcpy(&low, lower, NUMBER);
    if (upper) memcpy(&high, upper, NUMBER);
    return low | (uint32_t)high << 16;
}

static void gather_pairs(uint32_t *to, size_t step, tensor_lines from, size_t first, size_t lines,
                         size_t numbers)
{
    for (size_t p = 0; 2 * p < numbers; p++) {
        const char *low = from.at + 2 * p * from.along, *high = 2 * p + 1 < numbers ? low + from.along : NULL;
        for (size_t i = first; i < lines; i++)
            to[p * step + i] = pair(low + i * from.across, high ? high + i * from.across : NULL);
    }
}

/* --- eight by eight ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,fma")))

/* Up to eight cells of up to eight lines, turned; whole rows of eight are written. */
FOR_AVX2 PACK_INLINE void turn(uint32_t *to, size_t step, const char *from, size_t across, size_t lines,
                               size_t k)
{
    const __m256i count = _mm256_set1_epi32((int)k),
                  some = _mm256_cmpgt_epi32(count, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
#define LINE(i)                                                                                              \
    ((i) >= lines ? _mm256_setzero_ps()                                                                      \
                  : _mm256_maskload_ps((const float *)(const void *)(from + (i)*across), some))
    const __m256 a = LINE(0), b = LINE(1), c = LINE(2), d = LINE(3), e = LINE(4), f = LINE(5), g = LINE(6),
                 h = LINE(7);
#undef LINE
    const __m256 ab = _mm256_unpacklo_ps(a, b), AB = _mm256_unpackhi_ps(a, b);
    const __m256 cd = _mm256_unpacklo_ps(c, d), CD = _mm256_unpackhi_ps(c, d);
    const __m256 ef = _mm256_unpacklo_ps(e, f), EF = _mm256_unpackhi_ps(e, f);
    const __m256 gh = _mm256_unpacklo_ps(g, h), GH = _mm256_unpackhi_ps(g, h);
    const __m256 u0 = _mm256_shuffle_ps(ab, cd, 0x44), u1 = _mm256_shuffle_ps(ab, cd, 0xee);
    const __m256 u2 = _mm256_shuffle_ps(AB, CD, 0x44), u3 = _mm256_shuffle_ps(AB, CD, 0xee);
    const __m256 v0 = _mm256_shuffle_ps(ef, gh, 0x44), v1 = _mm256_shuffle_ps(ef, gh, 0xee);
    const __m256 v2 = _mm256_shuffle_ps(EF, GH, 0x44), v3 = _mm256_shuffle_ps(EF, GH, 0xee);
#define STORE(i, x)                                                                                          \
    if ((i) < k) _mm256_storeu_ps((float *)(void *)(to + (i)*step), x)
    STORE(0, _mm256_permute2f128_ps(u0, v0, 0x20));
    STORE(1, _mm256_permute2f128_ps(u1, v1, 0x20));
    STORE(2, _mm256_permute2f128_ps(u2, v2, 0x20));
    STORE(3, _mm256_permute2f128_ps(u3, v3, 0x20));
    STORE(4, _mm256_permute2f128_ps(u0, v0, 0x31));
    STORE(5, _mm256_permute2f128_ps(u1, v1, 0x31));
    STORE(6, _mm256_permute2f128_ps(u2, v2, 0x31));
    STORE(7, _mm256_permute2f128_ps(u3, v3, 0x31));
#undef STORE
}

/* Lines of neighbouring cells. */
FOR_AVX2 static void turn_lines(uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t k)
{
    for (size_t i = 0; i < lines; i += SQUARE) {
        const char *at = from.at + i * from.across;
        const size_t some = lines - i < SQUARE ? lines - i : SQUARE;
        size_t p = 0;
        for (; some == SQUARE && p + SQUARE <= k; p += SQUARE)
            turn(to + p * step + i, step, at + p * CELL, from.across, SQUARE, SQUARE);
        for (; p < k; p += SQUARE)
            turn(to + p * step + i, step, at + p * CELL, from.across, some, k - p < SQUARE ? k - p : SQUARE);
    }
    _mm256_zeroupper();
}

/* Neighbouring lines, whole eights of them: the numbers of two rows are interleaved. Returns how many lines. */
FOR_AVX2 static size_t interleave(uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t numbers)
{
    const size_t whole = lines / SQUARE * SQUARE;
#define WIDER(at) _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(at)))
    for (size_t p = 0; 2 * p < numbers; p++, to += step) {
        const char *low = from.at + 2 * p * from.along, *high = low + from.along;
        for (size_t i = 0; i < whole; i += SQUARE) {
            __m256i pairs = WIDER(low + i * NUMBER);
            if (2 * p + 1 < numbers)
                pairs = _mm256_or_si256(pairs, _mm256_slli_epi32(WIDER(high + i * NUMBER), 16));
            _mm256_storeu_si256((__m256i *)(void *)(to + i), pairs);
        }
    }
#undef WIDER
    _mm256_zeroupper();
    return whole;
}

/* The same with AVX-512: thirty-two lines that fill a line of the cache, or up to sixteen, through all of k. */
#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define WIDER(at) _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(at)))
#define WIDER_SOME(at) _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, at))
#define PAIRS(low, high) _mm512_or_si512(low, _mm512_slli_epi32(high, 16))

FOR_AVX512 static void interleave_32(uint32_t *to, size_t step, const char *low, size_t along, size_t numbers)
{
    size_t p = 0;
    for (; p + 2 <= numbers; p += 2, to += step, low += 2 * along) {
        _mm512_storeu_si512(to, PAIRS(WIDER(low), WIDER(low + along)));
        _mm512_storeu_si512(to + 16, PAIRS(WIDER(low + 32), WIDER(low + along + 32)));
    }
    if (p < numbers) {
        _mm512_storeu_si512(to, WIDER(low));
        _mm512_storeu_si512(to + 16, WIDER(low + 32));
    }
    _mm256_zeroupper();
}

FOR_AVX512 static void interleave_16(uint32_t *to, size_t step, const char *low, size_t along, size_t numbers,
                                     size_t lines)
{
    const __mmask16 some = (__mmask16)((1u << lines) - 1);
    size_t p = 0;
    for (; p + 2 <= numbers; p += 2, to += step, low += 2 * along)
        _mm512_mask_storeu_epi32(to, some, PAIRS(WIDER_SOME(low), WIDER_SOME(low + along)));
    if (p < numbers) _mm512_mask_storeu_epi32(to, some, WIDER_SOME(low));
    _mm256_zeroupper();
}

static size_t interleave_512(uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t numbers)
{
    size_t i = 0;
    for (; i + 32 <= lines; i += 32) interleave_32(to + i, step, from.at + i * NUMBER, from.along, numbers);
    for (; i < lines; i += 16)
        interleave_16(to + i, step, from.at + i * NUMBER, from.along, numbers,
                      lines - i < 16 ? lines - i : 16);
    return lines;
}
#endif

/* --- all ------------------------------------------------------------------------------------------ */

void tensor_pack_floats(int level, uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t k)
{
    if (from.across == CELL) {
        for (size_t p = 0; p < k; p++) memcpy(to + p * step, from.at + p * from.along, lines * CELL);
        return;
    }
#if defined(__x86_64__)
    if (level >= 1 && from.along == CELL) {
        turn_lines(to, step, from, lines, k);
        return;
    }
#endif
    (void)level;
    gather_cells(to, step, from, lines, k);
}

void tensor_pack_pairs(int level, uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t numbers)
{
    size_t done = 0, turned = 0;
#if defined(__x86_64__)
    if (level == 2 && from.across == NUMBER && __builtin_cpu_supports("avx512bw"))
        done = interleave_512(to, step, from, lines, numbers);
    else if (level >= 1 && from.across == NUMBER)
        done = interleave(to, step, from, lines, numbers);
    else if (level >= 1 && from.along == NUMBER) {
        turned = numbers / 2;
        turn_lines(to, step, from, lines, turned);
    }
#endif
    (void)level;
    from.at += 2 * turned * from.along;
    gather_pairs(to + turned * step, step, from, done, lines, numbers - 2 * turned);
}
