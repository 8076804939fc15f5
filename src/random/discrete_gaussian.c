/* SPDX-License-Identifier: Apache-2.0 */
/* The discrete Gaussian, exactly, by rejection from one of two proposals.
 *
 * scale >= 1: round an ideal Gaussian, K = round(scale Z), x = scale Z - K, and
 * accept with probability
 *     A(K, x) = exp((x^2 - 1/4) / (2 scale^2)) / cosh(K x / scale^2)   in (0, 1].
 * Integrating over x in [-1/2, 1/2] leaves exp(-K^2 / (2 scale^2)) exactly,
 * because e^-y / cosh y = 1 - tanh y and tanh is odd. For large scales A is so
 * close to 1 that one look at the leading digits of the acceptance uniform
 * decides almost always, without computing it.
 *
 * scale < 1: with r = exp(-1 / (2 scale^2)), a geometric k ~ r^k and a second
 * one G: accept when G >= k (k - 1), which has probability r^(k (k - 1)).
 *
 * Trials repeat until one is accepted; their number is independent of the
 * outcome. See discrete_gaussian.proof.md. */
#include "random/discrete_gaussian.h"

#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "random/exp_kernel.h"

#define BULK_SCALE 0x1p10 /* below, so many trials need a look that drawing one by one is faster */

/* An upper bound of 1 - A over all draws of the table, where |K x| / s^2 is at most
 * y: the whole expression for small scales, 1/(8 s^2) + y^2 / 2 for large ones. */
static double look_bound(const dusk_additive *a)
{
    double s2 = a->scale * a->scale, y = (a->draw.few.table->wide_max * a->scale + 1) / (2 * s2);
    double least = 2 * dusk_exp_kernel(0.125 / s2 + y) / (1 + dusk_exp_kernel(2 * y));
    return a->scale < 8 ? fmin(1, 1 - least + 0x1p-40) : (0.125 / s2 + y * y / 2) * (1 + 0x1p-40);
}

void dusk_discrete_gaussian_sampler_init(dusk_additive *out, double scale, unsigned width)
{
    *out = (dusk_additive){ .law = DUSK_ADDITIVE_DISCRETE_GAUSSIAN, .scale = scale };
    if (scale < 1) {
        /* 2 scale^2 exactly, as the sum of two doubles */
        double twice = 2 * scale, square = twice * scale;
        dusk_rounded_init(&out->draw, DUSK_TAIL_EXPONENTIAL, square, fma(twice, scale, -square), 0, width);
    } else {
        dusk_rounded_init(&out->draw, DUSK_TAIL_HALF_NORMAL, scale, 0, 0.5, width);
        out->draw.extra = true;
        out->look_below = look_bound(out);
        out->look_margin = 0x1p-40 + out->draw.few.margin * (16 / scale + 4 / scale / scale);
        out->inverse_square = 1 / (scale * scale);
        out->word_width = ldexp(1, -(int)width) + 0x1p-52; /* and what the conversion loses */
    }
}

typedef struct acceptance { /* v2 - (1 - A(K, x)): positive to accept */
    const dusk_additive *a;
    dusk_int128 k;
    dusk_lazy *v, *v2;
    dusk_generator *gen;
    bool again;             /* the digits known already did not decide: */
    double wide_a, wide_v2; /* draw more of the one that is known less */
} acceptance;

/* out = exp((x^2 - 1/4) / (2 s^2)) / cosh(k x / s^2) for x enclosed in `x`. */
static void enclose_a(dusk_interval *out, const dusk_interval *x, dusk_int128 k, double scale)
{
    dusk_interval s2, y, e, t;
    mpfr_prec_t precision = mpfr_get_prec(out->lo);
    dusk_interval_init(&s2, precision);
    dusk_interval_init(&y, precision);
    dusk_interval_init(&e, precision);
    dusk_interval_init(&t, precision);
    dusk_interval_set(&s2, scale);
    dusk_interval_mul(&s2, &s2, &s2);
    dusk_interval_mul(&e, x, x);
    dusk_interval_set(&t, 0.25);
    dusk_interval_sub(&e, &e, &t);
    dusk_interval_scale(&e, &e, -1);
    dusk_interval_div(&e, &e, &s2);
    dusk_interval_exp(&e, &e); /* the numerator */
    dusk_interval_set_int(&t, k);
    dusk_interval_mul(&y, x, &t);
    dusk_interval_div(&y, &y, &s2);
    dusk_interval_neg(&t, &y);
    dusk_interval_exp(&y, &y);
    dusk_interval_exp(&t, &t);
    dusk_interval_add(&y, &y, &t);
    dusk_interval_scale(&y, &y, -1); /* cosh */
    dusk_interval_div(out, &e, &y);
    dusk_interval_clear(&s2);
    dusk_interval_clear(&y);
    dusk_interval_clear(&e);
    dusk_interval_clear(&t);
}

static dusk_status enclose_acceptance(void *real, dusk_interval *out, dusk_error *err)
{
    acceptance *c = real;
    dusk_interval x, t;
    dusk_status status = DUSK_OK;
    dusk_interval_init(&x, mpfr_get_prec(out->lo));
    dusk_interval_init(&t, mpfr_get_prec(out->lo));
    if (c->again) DUSK_TRY(dusk_lazy_refine(c->wide_a >= c->wide_v2 ? c->v : c->v2, c->gen, err));
    c->again = true;
    dusk_rounded_enclose(&c->a->draw, c->v, &x);
    dusk_interval_set_int(&t, c->k);
    dusk_interval_sub(&x, &x, &t);
    enclose_a(out, &x, c->k, c->a->scale);
    dusk_lazy_enclose(c->v2, &t);
    c->wide_a = dusk_interval_width(out);
    c->wide_v2 = dusk_interval_width(&t);
    dusk_interval_add(out, out, &t);
    dusk_interval_set(&t, 1);
    dusk_interval_sub(out, out, &t);
done:
    dusk_interval_clear(&x);
    dusk_interval_clear(&t);
    return status;
}

/* Accept or reject from all the digits there are, drawing more until certain. */
static dusk_status accept_certified(const dusk_additive *a, bool *accepted, dusk_int128 k, dusk_lazy *v,
                                    uint64_t word, dusk_generator *gen, dusk_error *err)
{
    dusk_lazy v2;
    acceptance c = { .a = a, .k = k, .v = v, .v2 = &v2, .gen = gen };
    int sign;
    dusk_status status;
    dusk_lazy_init(&v2, a->draw.width);
    DUSK_TRY(dusk_lazy_append(&v2, word, a->draw.width, err));
    DUSK_TRY(dusk_real_sign(&sign, enclose_acceptance, &c, err));
    *accepted = sign > 0;
done:
    dusk_lazy_clear(&v2);
    return status;
}

/* (1 + e^-2y) (v2 - (1 - A(k, x))) in double for v2 = 1 - u, k of the table:
 * its sign says whether to accept. A = 2 exp(-t - y) / (1 + e^-2y) with t = (1/4 -
 * x^2) / (2 scale^2) and y = |k x| / scale^2. Off by less than 2^-40 plus what an
 * error of x makes of it, twice |dA/dx| <= (|x| + |k|) / scale^2. */
static double acceptance_score(const dusk_additive *a, double k, double x, double u)
{
    double y = fabs(k * x * a->inverse_square);
    dusk_two e = a->draw.kernel->exp_two((0.125 - x * x / 2) * a->inverse_square + y, 2 * y);
    return DUSK_MUTATE(DISCRETE_GAUSSIAN_ALWAYS_ACCEPTS, 2 * e.first - u * (1 + e.second), 1.0);
}

/* The magnitude as a double; below 2^62 whenever the scale is small enough. */
static double magnitude(const dusk_additive *a, dusk_int128 k)
{
    return a->scale <= 0x1p55 ? (double)(int64_t)k : (double)k;
}

/* Decide one trial of the rounded proposal. */
static dusk_status accept(const dusk_additive *a, bool *accepted, dusk_rounded_draw *draw, uint64_t word,
                          dusk_generator *gen, dusk_error *err)
{
    double low = (double)(int64_t)(word >> 1) * 0x1p-63; /* signed: converts without a branch on a coin */
    dusk_status status = DUSK_OK;
    if (!draw->resolved) {
        *accepted = true;
        if (low >= a->look_below) return DUSK_OK;
        /* v2 lies in [low, low + width]: the score at its lower end, and how much more it may be */
        double score = acceptance_score(a, magnitude(a, draw->magnitude), draw->rest, 1 - low);
        *accepted = score > 0;
        if (score > a->look_margin || score + 2 * a->word_width < -a->look_margin) return DUSK_OK;
        status = dusk_rounded_digits(&a->draw, draw, err);
        draw->resolved = true; /* v is to be cleared */
    }
    return status == DUSK_OK ? accept_certified(a, accepted, draw->magnitude, &draw->v, word, gen, err)
                             : status;
}

/* One trial with scale >= 1; the extra word of the draw is the acceptance uniform. */
static dusk_status try_rounded(const dusk_additive *a, bool *accepted, dusk_int128 *out, dusk_generator *gen,
                               dusk_error *err)
{
    dusk_rounded_draw draw; /* not cleared: it is large, and made anew below */
    dusk_status status = dusk_rounded_few(&a->draw, &draw, 1, gen, err);
    if (status != DUSK_OK) return status;
    status = accept(a, accepted, &draw, draw.word[3], gen, err);
    if (status == DUSK_OK) *out = draw.negative ? -draw.magnitude : draw.magnitude;
    if (draw.resolved) dusk_lazy_clear(&draw.v);
    return status;
}

/* One trial with scale < 1. */
static dusk_status try_geometric(const dusk_additive *a, bool *accepted, dusk_int128 *out,
                                 dusk_generator *gen, dusk_error *err)
{
    dusk_rounded_draw draw[2];
    dusk_status status = dusk_rounded_few(&a->draw, draw, 2, gen, err);
    if (status != DUSK_OK) return status;
    /* beyond 2^62 the square would overflow; G >= 2^124 needs a uniform below exp(-2^123) */
    dusk_int128 k = draw[0].magnitude, g = draw[1].magnitude;
    bool small = k < (dusk_int128)1 << 62;
    dusk_int128 m = small ? k : 0, need = DUSK_MUTATE(DISCRETE_GAUSSIAN_WRONG_POWER, m * (m - 1), m * m);
    *accepted = small && g >= need && !(k == 0 && draw[0].negative);
    *out = draw[0].negative ? -k : k;
    for (int i = 0; i < 2; i++)
        if (draw[i].resolved) dusk_lazy_clear(&draw[i].v);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_discrete_gaussian_sampler_try)
dusk_status dusk_discrete_gaussian_sampler_try(const dusk_additive *a, bool *accepted, dusk_int128 *out,
                                               dusk_generator *gen, dusk_error *err)
{
    return a->scale < 1 ? try_geometric(a, accepted, out, gen, err) : try_rounded(a, accepted, out, gen, err);
}

dusk_status dusk_discrete_gaussian_sampler_draw(const dusk_additive *a, dusk_int128 *out, dusk_generator *gen,
                                                dusk_error *err)
{
    dusk_int128 k = 0;
    bool accepted = false;
    while (!accepted) {
        dusk_status status = dusk_discrete_gaussian_sampler_try(a, &accepted, &k, gen, err);
        if (status != DUSK_OK) return status;
    }
    *out = k;
    return DUSK_OK;
}

static dusk_status draw_64(const dusk_additive *a, int64_t *out, dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 most = (dusk_int128)1 << 62;
    dusk_int128 k;
    dusk_status status = dusk_discrete_gaussian_sampler_draw(a, &k, gen, err);
    if (status == DUSK_OK) *out = (int64_t)(k > most ? most : k < -most ? -most : k);
    return status;
}

/* Draw i of a block needs a look: its value may not be decided, or its
 * acceptance is not. Rejected ones are replaced by a fresh draw. */
static dusk_status settle(const dusk_additive *a, dusk_rounded_block *block, size_t i, uint64_t word,
                          dusk_generator *gen, dusk_error *err)
{
    const dusk_int128 most = (dusk_int128)1 << 62;
    dusk_int128 k;
    dusk_lazy v;
    bool accepted;
    dusk_status status;
    DUSK_TRY(dusk_rounded_block_digits(&a->draw, block, i, &v, err));
    DUSK_TRY(dusk_rounded_resolve(&a->draw, &k, &v, gen, err));
    DUSK_TRY(accept_certified(a, &accepted, k, &v, word, gen, err));
    k = k > most ? most : k;
    block->value[i] = (int64_t)(block->word[i] >> 63 ? -k : k);
    if (!accepted) DUSK_TRY(draw_64(a, &block->value[i], gen, err));
done:
    dusk_lazy_clear(&v);
    return status;
}

static dusk_status fill_block(const dusk_additive *a, dusk_rounded_block *block, uint64_t *words, size_t m,
                              dusk_generator *gen, dusk_error *err)
{
    bool done_already[DUSK_BLOCK] = { false };
    dusk_status status;
    DUSK_TRY(dusk_rounded_block_draw(&a->draw, block, m, true, gen, err));
    DUSK_TRY(dusk_generator_words(gen, words, m, a->draw.width, err));
    for (size_t i = 0; i < block->undecided_count; i++) {
        DUSK_TRY(settle(a, block, block->undecided[i], words[block->undecided[i]], gen, err));
        done_already[block->undecided[i]] = true;
    }
    for (size_t i = 0; i < m; i++)
        if ((double)(int64_t)(words[i] >> 1) * 0x1p-63 < a->look_below && !done_already[i])
            DUSK_TRY(settle(a, block, i, words[i], gen, err));
done:
    return status;
}

DUSK_PROVEN(dusk_discrete_gaussian_sampler_fill)
dusk_status dusk_discrete_gaussian_sampler_fill(const dusk_additive *a, int64_t *out, size_t n,
                                                dusk_generator *gen, dusk_error *err)
{
    dusk_rounded_block block = { .undecided_count = 0 };
    uint64_t words[DUSK_BLOCK] = { 0 };
    dusk_status status = DUSK_OK;
    if (a->scale < BULK_SCALE) {
        for (size_t i = 0; i < n; i++) DUSK_TRY(draw_64(a, out + i, gen, err));
        return DUSK_OK;
    }
    for (size_t at = 0; at < n; at += DUSK_BLOCK) {
        size_t m = n - at < DUSK_BLOCK ? n - at : DUSK_BLOCK;
        DUSK_TRY(fill_block(a, &block, words, m, gen, err));
        for (size_t i = 0; i < m; i++) out[at + i] = block.value[i];
    }
done:
    dusk_wipe(&block, sizeof block);
    dusk_wipe(words, sizeof words);
    return status;
}
