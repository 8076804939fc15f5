/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson samples of rows by number. Where the rate is small, from one row that is in to the next: how many are out between two is geometric, so that a
 * sample costs as many draws as it has rows, however many there are [Devroye 1986, X.2]. A gap is floor(E / L), E = -ln v with v uniform on (0, 1) and
 * L = -ln(1 - rate / 2^64): in doubles with a bound of their error, and where that does not decide by certified reals and further digits of v.
 * Otherwise row by row. Proof: keyed_sample.proof.md. */
#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "numeric/rounding.h"
#include "random/keyed.h"
#include "random/lazy.h"

enum { BATCH = 64, ROWS = 2048, NUMBER_BITS = 40 };
#define RARE ((uint64_t)1 << 59) /* rates below 1/32 are from row to row */
#define LOOKED_AT 52             /* digits of v */
#define ROUNDINGS (32 * DUSK_UNIT)

/* --- the gap before a row ------------------------------------------------------------------------------------------ */

typedef struct gap {
    dusk_keyed_coins *coins;
    uint32_t stream;
    uint64_t rate, number, turn; /* `turn` words of it were taken */
    dusk_lazy v;
} gap;

static uint64_t unit_of(uint64_t number, uint64_t turn) { return number | turn << NUMBER_BITS; }

static dusk_status enclose_gap(void *real, dusk_interval *out, dusk_error *err)
{
    gap *g = real;
    const uint64_t unit = unit_of(g->number, g->turn++);
    uint64_t word;
    dusk_interval length;
    dusk_status status = dusk_keyed_words(g->coins, g->stream, &unit, &word, 1, err);
    if (status == DUSK_OK) status = dusk_lazy_append(&g->v, word, 64, err);
    if (status != DUSK_OK) return status;
    dusk_interval_init(&length, mpfr_get_prec(out->lo));
    dusk_interval_set_int(&length, ((dusk_int128)1 << 64) - (dusk_int128)g->rate);
    dusk_interval_scale(&length, &length, -64);
    dusk_interval_log(&length, &length);
    dusk_lazy_enclose(&g->v, out);
    dusk_interval_log(out, out);
    dusk_interval_div(out, out, &length);
    dusk_interval_clear(&length);
    return DUSK_OK;
}

/* By as many digits as it takes, the first 64 among them. */
DUSK_PROVEN(settle_gap)
static dusk_status settle_gap(gap *g, dusk_int128 *out, dusk_error *err)
{
    g->turn = 0;
    dusk_lazy_init(&g->v, 64);
    dusk_status status = dusk_real_floor(out, enclose_gap, g, err);
    dusk_lazy_clear(&g->v);
    return status;
}

/* By the first digits: the gap, or false where they do not decide; what is beyond `most` is `most`. */
DUSK_PROVEN(decide_gap)
static bool decide_gap(uint64_t word, double length, double most, double *out)
{
    const double digits = (double)(word >> (64 - LOOKED_AT));
    const double x = -log(ldexp(digits + 0.5, -LOOKED_AT)) / length;
    const double margin = DUSK_MUTATE(KEYED_GAP_WITHOUT_MARGIN, x * ROUNDINGS + 0.75 / (digits * length), 0);
    const double low = floor(x - margin);
    *out = fmin(low, most);
    return low == floor(x + margin) || low >= most;
}

/* --- samples --------------------------------------------------------------------------------------------------------- */

/* From row to row. */
DUSK_PROVEN(sample_rare)
static dusk_status sample_rare(dusk_keyed_coins *coins, uint32_t stream, size_t *row, size_t n, uint64_t rate,
                               size_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double length = -log1p(-ldexp((double)rate, -64));
    gap g = { .coins = coins, .stream = stream, .rate = rate };
    uint64_t unit[BATCH], word[BATCH];
    size_t next = 0, found = 0;
    for (uint64_t first = 0; next < n; first += BATCH) {
        for (uint64_t i = 0; i < BATCH; i++) unit[i] = unit_of(first + i, 0);
        DUSK_TRY(dusk_keyed_words(coins, stream, unit, word, BATCH, err));
        for (uint64_t i = 0; i < BATCH && next < n; i++) {
            const double left = (double)(n - next);
            double out;
            dusk_int128 settled;
            if (!decide_gap(word[i], length, left, &out)) {
                g.number = first + i;
                DUSK_TRY(settle_gap(&g, &settled, err));
                out = settled < (dusk_int128)left ? (double)settled : left;
            }
            next += (size_t)out + DUSK_MUTATE(KEYED_GAP_OF_ONE_MORE, 0, 1);
            if (next < n) row[found++] = next;
            next++;
        }
    }
    *count = found;
done:
    dusk_wipe(word, sizeof word);
    return status;
}

/* Row by row. */
DUSK_PROVEN(sample_often)
static dusk_status sample_often(dusk_keyed_coins *coins, uint32_t stream, size_t *row, size_t n,
                                uint64_t rate, size_t *count, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bool in[ROWS] = { false };
    size_t found = 0;
    for (size_t first = 0; first < n; first += ROWS) {
        const size_t m = n - first < ROWS ? n - first : ROWS;
        DUSK_TRY(dusk_keyed_include_rows(coins, stream, first, in, m, rate, err));
        for (size_t i = 0; i < m; i++) {
            row[found] = first + i; /* and counted if it is in */
            found += in[i];
        }
    }
    *count = found;
done:
    dusk_wipe(in, sizeof in);
    return status;
}

DUSK_PROVEN(dusk_keyed_sample)
dusk_status dusk_keyed_sample(dusk_keyed_coins *coins, uint32_t stream, size_t *row, size_t n, uint64_t rate,
                              size_t *count, dusk_error *err)
{
    *count = 0;
    if (rate == 0) return DUSK_OK;
    return rate < RARE ? sample_rare(coins, stream, row, n, rate, count, err)
                       : sample_often(coins, stream, row, n, rate, count, err);
}
