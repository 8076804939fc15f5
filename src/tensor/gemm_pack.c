/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are neighbours are copied; lines whose own numbers are neighbours are turned, eight by eight where there is AVX2. */
#include "tensor/gemm_pack.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CELL = sizeof(uint32_t), NUMBER = sizeof(int16_t) };

/* --- any strides ---------------------------------------------------------------------------------- */

static void gather_cells(uint32_t *to, size_t step, tensor_lines from, size_t first, size_t lines, size_t k)
{
    for (size_t i = first; i < lines; i++) {
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

/* Eight cells of eight lines, turned. */
FOR_AVX2 static inline void turn(uint32_t *to, size_t step, const char *from, size_t across)
{
#define LINE(i) _mm256_loadu_ps((const float *)(const void *)(from + (i)*across))
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
#define STORE(i, x) _mm256_storeu_ps((float *)(void *)(to + (i)*step), x)
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

/* Lines of neighbouring cells, all of them. */
FOR_AVX2 static void turn_lines(uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t k)
{
    const size_t whole = k / 8 * 8;
    const tensor_lines rest = { from.at + whole * CELL, from.across, CELL };
    size_t i = 0;
    for (; i + 8 <= lines; i += 8)
        for (size_t p = 0; p < whole; p += 8)
            turn(to + p * step + i, step, from.at + i * from.across + p * CELL, from.across);
    gather_cells(to, step, (tensor_lines){ from.at, from.across, CELL }, i, lines, whole);
    gather_cells(to + whole * step, step, rest, 0, lines, k - whole);
}

/* Neighbouring lines: numbers of two rows are interleaved. */
FOR_AVX2 static size_t interleave_lines(uint32_t *to, size_t step, tensor_lines from, size_t lines,
                                        size_t numbers)
{
    const size_t whole = lines / 8 * 8;
    for (size_t p = 0; 2 * p < numbers; p++, to += step) {
        const char *low = from.at + 2 * p * from.along;
        for (size_t i = 0; i < whole; i += 8) {
            const __m128i *at = (const __m128i *)(const void *)(low + i * NUMBER);
            __m256i pairs = _mm256_cvtepu16_epi32(_mm_loadu_si128(at));
            if (2 * p + 1 < numbers) {
                at = (const __m128i *)(const void *)(low + from.along + i * NUMBER);
                pairs =
                    _mm256_or_si256(pairs, _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(at)), 16));
            }
            _mm256_storeu_si256((__m256i *)(void *)(to + i), pairs);
        }
    }
    return whole;
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
    gather_cells(to, step, from, 0, lines, k);
}

void tensor_pack_pairs(int level, uint32_t *to, size_t step, tensor_lines from, size_t lines, size_t numbers)
{
    size_t done = 0, turned = 0;
#if defined(__x86_64__)
    if (level >= 1 && from.across == NUMBER)
        done = interleave_lines(to, step, from, lines, numbers);
    else if (level >= 1 && from.along == NUMBER) {
        turned = numbers / 2;
        turn_lines(to, step, from, lines, turned);
    }
#endif
    (void)level;
    from.at += 2 * turned * from.along;
    gather_pairs(to + turned * step, step, from, done, lines, numbers - 2 * turned);
}
