/* SPDX-License-Identifier: Apache-2.0 */
/* Biased coins: a uniform number v with lazily drawn digits comes down heads
 * when v < p. Its leading digits decide against an approximation of p with a
 * margin that covers the approximation; otherwise digits are drawn and p is
 * enclosed until the comparison is certain. See noise_coin.h, coin.proof.md. */
#include "random/noise_coin.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "random/exp_kernel.h"
#include "random/rounded.h"
#include "random/sampling.h"

dusk_status dusk_coin_ratio(dusk_generator *gen, bool *out, uint64_t a, uint64_t b, unsigned width,
                            dusk_error *err)
{
    uint64_t k;
    dusk_status status = dusk_uniform_below_width(gen, &k, b, width, err);
    if (status == DUSK_OK) *out = k < a;
    return status;
}

typedef struct comparison { /* p - v as a certified real */
    dusk_enclose *p;
    void *real;
    dusk_lazy *v;
    dusk_generator *gen;
    bool again; /* the digits known already did not decide */
} comparison;

static dusk_status enclose_difference(void *real, dusk_interval *out, dusk_error *err)
{
    comparison *c = real;
    dusk_interval v;
    dusk_status status = DUSK_OK;
    dusk_interval_init(&v, mpfr_get_prec(out->lo));
    if (c->again) DUSK_TRY(dusk_lazy_refine(c->v, c->gen, err));
    c->again = true;
    DUSK_TRY(c->p(c->real, out, err));
    dusk_lazy_enclose(c->v, &v);
    dusk_interval_sub(out, out, &v);
done:
    dusk_interval_clear(&v);
    return status;
}

/* Heads when v < p, for v whose first `bits` digits are those of `word`. */
static dusk_status compare(dusk_generator *gen, bool *out, uint64_t word, unsigned bits, unsigned width,
                           dusk_enclose *p, void *real, dusk_error *err)
{
    dusk_lazy v;
    comparison c = { p, real, &v, gen, false };
    int sign;
    dusk_status status;
    dusk_lazy_init(&v, width);
    DUSK_TRY(dusk_lazy_append(&v, word, DUSK_MUTATE(COIN_FORGETS_A_DIGIT, bits, bits - 1), err));
    DUSK_TRY(dusk_real_sign(&sign, enclose_difference, &c, err));
    *out = sign > 0;
done:
    dusk_lazy_clear(&v);
    return status;
}

DUSK_PROVEN(dusk_coin_real)
dusk_status dusk_coin_real(dusk_generator *gen, bool *out, double guess, dusk_enclose *p, void *real,
                           unsigned width, dusk_error *err)
{
    const double margin = DUSK_MUTATE(COIN_GUESS_TRUSTED, 0x1p-36, 0); /* the guess is off by at most 2^-40 */
    uint64_t word;
    dusk_status status = dusk_generator_words(gen, &word, 1, width, err);
    if (status != DUSK_OK) return status;
    /* v is within `half` of the centre, up to 2^-53 from the conversion of 63 of the digits; one comparison for
     * both sides, and a conversion without a branch, so that time does not tell how the coin came down */
    double half = ldexp(0.5, -(int)width), centre = (double)(int64_t)(word >> 1) * 0x1p-63 + half;
    if (fabs(centre - guess) > margin + half) {
        *out = centre < guess;
        return DUSK_OK;
    }
    return compare(gen, out, word, width, width, p, real, err);
}

typedef struct exponential { /* exp(-(top - score) numerator / denominator) */
    double top, score, numerator, denominator;
} exponential;

static dusk_status enclose_exponential(void *real, dusk_interval *out, dusk_error *err)
{
    const exponential *e = real;
    dusk_interval t;
    (void)err;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_interval_set(out, e->top);
    dusk_interval_set(&t, e->score);
    dusk_interval_sub(out, &t, out); /* -(top - score) */
    dusk_interval_set(&t, e->numerator);
    dusk_interval_mul(out, out, &t);
    dusk_interval_set(&t, e->denominator);
    dusk_interval_div(out, out, &t);
    dusk_interval_exp(out, out);
    dusk_interval_clear(&t);
    return DUSK_OK;
}

static dusk_status enclose_exponential_ratio(void *real, dusk_interval *out, dusk_error *err)
{
    const uint64_t *ratio = real;
    dusk_interval t;
    (void)err;
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    dusk_interval_set_int(out, -(dusk_int128)ratio[0]);
    dusk_interval_set_int(&t, (dusk_int128)ratio[1]);
    dusk_interval_div(out, out, &t);
    dusk_interval_exp(out, out);
    dusk_interval_clear(&t);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_coin_exp)
dusk_status dusk_coin_exp(dusk_generator *gen, bool *out, uint64_t a, uint64_t b, unsigned width,
                          dusk_error *err)
{
    uint64_t ratio[2] = { a, b };
    /* a/b is off by 2^-51 relative, so the guess by x e^-x 2^-51 + 2^-49 < 2^-40 */
    double guess = dusk_exp_kernel((double)a / (double)b);
    if (a == 0) {
        *out = true;
        return DUSK_OK;
    }
    return dusk_coin_real(gen, out, guess, enclose_exponential_ratio, ratio, width, err);
}

#define LEAD DUSK_COIN_LEAD
#define COINS 1024 /* coins a turn */

/* The leading digits of m coins, in the top bits; `width` digits each in tests. */
static dusk_status draw_leads(dusk_generator *gen, uint32_t *lead, size_t m, unsigned width, dusk_error *err)
{
    uint64_t words[COINS];
    bool full = width == DUSK_WIDTH_FULL;
    size_t n = full ? (m + 1) / 2 : m;
    dusk_status status = dusk_generator_words(gen, words, n, width, err);
    if (status == DUSK_OK && full) memcpy(lead, words, m * sizeof *lead);
    for (size_t i = 0; status == DUSK_OK && !full && i < m; i++) lead[i] = (uint32_t)(words[i] >> 32);
    dusk_wipe(words, n * sizeof *words);
    return status;
}

/* Settle the coins that their leads left undecided. */
static dusk_status settle(dusk_generator *gen, uint8_t *coin, const uint32_t *lead, size_t m,
                          const exponential *bias, const double *score, unsigned width, dusk_error *err)
{
    for (size_t i = 0; i < m; i++) {
        exponential e = *bias;
        bool up = true; /* the gap 0 has bias exp(0) = 1, which digits of v cannot reach */
        if (!(coin[i] & 2)) continue;
        e.score = score[i];
        if (e.top > e.score) {
            dusk_status status = compare(gen, &up, (uint64_t)lead[i] << 32, width < LEAD ? width : LEAD,
                                         width, enclose_exponential, &e, err);
            if (status != DUSK_OK) return status;
        }
        coin[i] = up;
    }
    return DUSK_OK;
}

/* Bit j of the result is the lowest bit of byte j. */
static uint64_t pack(const uint8_t *coin)
{
    uint64_t eight;
    memcpy(&eight, coin, sizeof eight);
    return (eight & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

DUSK_PROVEN(dusk_coin_gaps)
dusk_status dusk_coin_gaps(dusk_generator *gen, uint64_t *heads, double top, const double *score, size_t n,
                           double numerator, double denominator, unsigned width, dusk_error *err)
{
    const exponential bias = { .top = top, .numerator = numerator, .denominator = denominator };
    const dusk_quantile_kernel *kernel = dusk_quantile_kernel_best();
    uint32_t lead[COINS];
    uint8_t coin[COINS + 8] = { 0 };
    dusk_status status = DUSK_OK;
    memset(heads, 0, (n + 63) / 64 * sizeof *heads);
    for (size_t at = 0; at < n; at += COINS) {
        size_t m = n - at < COINS ? n - at : COINS;
        uint8_t undecided = 0;
        DUSK_TRY(draw_leads(gen, lead, m, width, err));
        kernel->flip(coin, lead, width < LEAD ? width : LEAD, top, score + at, m, numerator / denominator);
        for (size_t i = 0; i < m; i++) undecided |= coin[i];
        if (undecided & 2) DUSK_TRY(settle(gen, coin, lead, m, &bias, score + at, width, err));
        memset(coin + m, 0, 8);
        for (size_t i = 0; i < m; i += 8) heads[(at + i) / 64] |= pack(coin + i) << (at + i) % 64;
    }
done:
    dusk_wipe(lead, sizeof lead);
    return status;
}
