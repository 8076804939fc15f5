/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of answers, columns of bit maps, and the Hadamard transform; see counting.h. */
#include <string.h>

#include "local/counting.h"

/* --- answers ------------------------------------------------------------------------------------------------------------- */

/* Few cells are hit again and again, and each hit would wait for the one before: four tables take turns. */
static uint64_t bytes_add(int64_t *cell, uint32_t limit, const uint8_t *reports, size_t n)
{
    uint64_t table[4][256] = { { 0 } }, dropped = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t t = 0; t < 4; t++) table[t][reports[i + t]]++;
    for (; i < n; i++) table[0][reports[i]]++;
    for (uint32_t x = 0; x < 256; x++) {
        const uint64_t hits = table[0][x] + table[1][x] + table[2][x] + table[3][x];
        if (x < limit)
            cell[x] += (int64_t)hits;
        else
            dropped += hits;
    }
    return dropped;
}

static uint64_t pairs_add(int64_t *cell, uint32_t limit, const uint8_t *reports, size_t n)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t x = (uint32_t)reports[2 * i] | (uint32_t)reports[2 * i + 1] << 8;
        if (x < limit)
            cell[x]++;
        else
            dropped++;
    }
    return dropped;
}

uint64_t local_histogram_add(int64_t *cell, uint32_t limit, const uint8_t *reports, uint32_t bytes, size_t n)
{
    uint64_t dropped = 0;
    if (bytes == 1) return bytes_add(cell, limit, reports, n);
    if (bytes == 2) return pairs_add(cell, limit, reports, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = client_get(reports + i * bytes, bytes);
        if (x < limit)
            cell[x]++;
        else
            dropped++;
    }
    return dropped;
}

/* --- bit maps -------------------------------------------------------------------------------------------------------------- */

dusk_status local_map_check(const dusk_survey *survey, dusk_error *err)
{
    if ((survey->task.domain + (uint64_t)7) / 8 <= DUSK_REPORT_MOST) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "take olh or hadamard",
                     "reports of a bit a category have %d bytes at most, that is %d categories",
                     DUSK_REPORT_MOST, 8 * DUSK_REPORT_MOST);
}

bool local_row_is_padded(uint32_t bits, const uint8_t *row)
{
    return bits % 8 && row[bits / 8] >> (bits % 8);
}

void local_columns_add_plain(int64_t *cell, uint32_t bits, const uint8_t *rows, size_t stride, size_t n)
{
    for (size_t r = 0; r < n; r++)
        for (uint32_t i = 0; i < bits; i++) cell[i] += rows[r * stride + i / 8] >> (i % 8) & 1;
}

/* 512 columns at a time. A plane holds one binary digit of the 512 counters; an adder takes three planes of one digit and leaves the digit and the carry
 * [Harley & Seal; Mula, Kurz & Lemire 2018], so that 16 rows cost 15 adders and one carry into the higher planes. */
enum { CHUNK = 64, PLANES = 8, GROUP = 16, GROUPS = 15 }; /* 15 groups of 16 rows: below 2^8 */
typedef uint64_t plane __attribute__((vector_size(CHUNK)));

#define ADDER(carry, digit, b, c)                                                                            \
    do {                                                                                                     \
        const plane odd = (digit) ^ (b);                                                                     \
        (carry) = ((digit) & (b)) | (odd & (c));                                                             \
        (digit) = odd ^ (c);                                                                                 \
    } while (0)

static inline __attribute__((always_inline)) void read_group(plane row[GROUP], const uint8_t *rows,
                                                             size_t stride, size_t width, size_t n)
{
    if (n >= GROUP && width == CHUNK) {
        for (size_t r = 0; r < GROUP; r++) memcpy(&row[r], rows + r * stride, CHUNK);
        return;
    }
    memset(row, 0, GROUP * sizeof *row);
    for (size_t r = 0; r < GROUP && r < n; r++) memcpy(&row[r], rows + r * stride, width);
}

static inline __attribute__((always_inline)) void add_group(plane digit[PLANES], const plane row[GROUP])
{
    plane two[8], four[4], eight[2], carry;
    for (size_t i = 0; i < 8; i++) ADDER(two[i], digit[0], row[2 * i], row[2 * i + 1]);
    for (size_t i = 0; i < 4; i++) ADDER(four[i], digit[1], two[2 * i], two[2 * i + 1]);
    for (size_t i = 0; i < 2; i++) ADDER(eight[i], digit[2], four[2 * i], four[2 * i + 1]);
    ADDER(carry, digit[3], eight[0], eight[1]);
    for (size_t i = 4; i < PLANES; i++) {
        const plane both = digit[i] & carry;
        digit[i] ^= carry;
        carry = both;
    }
}

LOCAL_LANES static void add_chunk(int64_t *cell, uint32_t bits, const uint8_t *rows, size_t stride, size_t n)
{
    const size_t width = (bits + 7) / 8;
    for (size_t done = 0; done < n; done += GROUP * GROUPS) {
        plane digit[PLANES] = { { 0 } }, row[GROUP];
        uint64_t count[8 * CHUNK] = { 0 };
        for (size_t at = done; at < n && at < done + GROUP * GROUPS; at += GROUP) {
            read_group(row, rows + at * stride, stride, width, n - at);
            add_group(digit, row);
        }
        for (size_t word = 0; word < 8; word++)
            for (size_t k = 0; k < PLANES; k++) {
                const uint64_t bit = digit[k][word];
                for (size_t i = 0; i < 64; i++) count[64 * word + i] += (bit >> i & 1) << k;
            }
        for (uint32_t i = 0; i < bits; i++) cell[i] += (int64_t)count[i];
    }
}

void local_columns_add(int64_t *cell, uint32_t bits, const uint8_t *rows, size_t stride, size_t n)
{
    if (n < 4) {
        local_columns_add_plain(cell, bits, rows, stride, n);
        return;
    }
    for (uint32_t at = 0; at < bits; at += 8 * CHUNK)
        add_chunk(cell + at, bits - at < 8 * CHUNK ? bits - at : 8 * CHUNK, rows + at / 8, stride, n);
}

/* --- the Hadamard transform ------------------------------------------------------------------------------------------------ */

LOCAL_LANES static void transform(int64_t *x, size_t n)
{
    for (size_t half = 1; half < n; half *= 2)
        for (size_t at = 0; at < n; at += 2 * half)
            for (size_t i = at; i < at + half; i++) {
                const int64_t a = x[i], b = x[i + half];
                x[i] = a + b;
                x[i + half] = a - b;
            }
}

/* Clones are exported unless they are static. */
void local_hadamard(int64_t *x, size_t n) { transform(x, n); }

/* --- estimates -------------------------------------------------------------------------------------------------------------- */

void local_pure_counts(double truth, double other, const int64_t *supports, uint64_t domain, uint64_t reports,
                       double *counts, double *deviations, const uint64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        double *deviation = deviations ? &deviations[i] : NULL;
        if (value < domain)
            local_pure_estimate(truth, other, (double)supports[value], (double)reports, &counts[i],
                                deviation);
        else
            local_no_estimate(&counts[i], deviation);
    }
}
