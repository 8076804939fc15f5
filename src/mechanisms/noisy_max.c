/* SPDX-License-Identifier: Apache-2.0 */
/* The largest of noisy values, exactly [Gumbel noise: Yellott 1977, and the k
 * largest: Durfee & Rogers 2019, Lemma 4.2; Laplace: Dwork & Roth 2014, section
 * 3.3]. Every candidate gets the leading digits of a uniform number. Doubles
 * with a stated error sort out who can still be among the k largest; the few
 * that are too close to call get further digits and wide arithmetic until they
 * are apart (numeric/real.h). Proof: noisy_max.proof.md.
 *
 * The doubles use log and log1p of the C library, of which only a relative
 * error below 2^-40 is assumed: tests/enclosure/noisy_max.c. What the rate
 * means for privacy is said in selection.c, not here. */
#include "mechanisms/noisy_max.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/real.h"
#include "numeric/rounding.h"
#include "random/lazy.h"

/* --- enclosures in double ------------------------------------------------ */

/* -ln(1 - v) for v = numerator 2^-64 in (0, 1), to within 2^-39 relative. Above
 * one half from the complement, whose digits are exact. */
static double hazard(uint64_t numerator)
{
    if (numerator >> 63) return -log((double)(0 - numerator) * 0x1p-64);
    return -log1p((double)numerator * -0x1p-64);
}

/* x, widened by what x = -log(...) may be wrong by: 2^-39 of the argument,
 * 2^-40 of the result. */
static double below(double x) { return x - 0x1p-38 * (1 + fabs(x)); }
static double above(double x) { return x + DUSK_MUTATE(NOISY_MAX_TRUSTS_LOG, 0x1p-38, 0) * (1 + fabs(x)); }

/* The uniform lies in [first, first + step] 2^-64, and its noise falls from
 * infinity at 0 to the lower end of its range at 1. `last` wraps to 0 there. */
static dusk_noisy_key gumbel(uint64_t first, uint64_t step)
{
    uint64_t last = first + step;
    return (dusk_noisy_key){
        .lo = last ? below(-log(hazard(last))) : -INFINITY,
        .hi = first ? above(-log(hazard(first))) : INFINITY,
    };
}

static dusk_noisy_key exponential(uint64_t first, uint64_t step)
{
    uint64_t last = first + step;
    return (dusk_noisy_key){
        .lo = last ? below(-log((double)last * 0x1p-64)) : 0,
        .hi = first ? above(-log((double)first * 0x1p-64)) : INFINITY,
    };
}

/* A Laplace number is a sign, the first coin, and an exponential one. */
DUSK_PROVEN(dusk_noisy_noise)
dusk_noisy_key dusk_noisy_noise(dusk_noisy_law law, uint64_t word, unsigned width)
{
    uint64_t step = (uint64_t)1 << (64 - width);
    if (law == DUSK_NOISY_GUMBEL) return gumbel(word, step);
    dusk_noisy_key size = exponential(word << 1, step << 1);
    return word >> 63 ? (dusk_noisy_key){ -size.hi, -size.lo } : size;
}

/* What a choice knows before it compares. */
typedef struct field {
    const dusk_noisy_scores *in;
    size_t best; /* a candidate of the highest score, and the score */
    double top;
    double rate;           /* to nearest */
    bool plain;            /* far from overflow and underflow */
    const uint64_t *words; /* the leading coins of every candidate */
} field;

static uint64_t weight_of(const dusk_noisy_scores *in, size_t i) { return in->weights ? in->weights[i] : 1; }

static void set_rate(field *f)
{
    f->rate = f->in->numerator / f->in->denominator;
    f->plain = f->rate > 0x1p-900 && f->rate < 0x1p900;
}

/* rate (top - score) where plain doubles could overflow or lose all digits. */
static dusk_noisy_key loss_wide(const field *f, double score)
{
    double rate_lo = dusk_div_down(f->in->numerator, f->in->denominator);
    double rate_hi = dusk_div_up(f->in->numerator, f->in->denominator);
    if (score == f->top) return (dusk_noisy_key){ 0, 0 };
    return (dusk_noisy_key){
        .lo = dusk_mul_down(dusk_sub_down(f->top, score), rate_lo),
        .hi = dusk_mul_up(dusk_sub_up(f->top, score), rate_hi),
    };
}

/* rate (top - score) >= 0: three roundings of 2^-53 each, or an underflow. */
static inline dusk_noisy_key loss(const field *f, double score)
{
    double x = (f->top - score) * f->rate, error = x * 0x1p-50 + 0x1p-900;
    if (!f->plain || !(x < 0x1p900)) return loss_wide(f, score);
    return (dusk_noisy_key){ x - error, x + error };
}

static dusk_noisy_key log_weight(uint64_t weight)
{
    double x = log((double)weight);
    return weight == 1 ? (dusk_noisy_key){ 0, 0 } : (dusk_noisy_key){ below(x), above(x) };
}

/* The sums lose at most 2^-51 of their largest term. All infinities of one sum
 * have the same sign. */
static dusk_noisy_key value_with(const field *f, size_t i, uint64_t word)
{
    const dusk_noisy_scores *in = f->in;
    dusk_noisy_key noise = dusk_noisy_noise(in->law, word, in->width);
    dusk_noisy_key less = loss(f, dusk_noisy_score(in->scores[i]));
    dusk_noisy_key more = log_weight(weight_of(in, i));
    double slack_lo = 0x1p-50 * (fabs(noise.lo) + fabs(less.hi) + fabs(more.lo));
    double slack_hi = 0x1p-50 * (fabs(noise.hi) + fabs(less.lo) + fabs(more.hi));
    return (dusk_noisy_key){
        .lo = noise.lo - less.hi + more.lo - slack_lo,
        .hi = noise.hi - less.lo + more.hi + slack_hi,
    };
}

DUSK_PROVEN(dusk_noisy_value)
dusk_noisy_key dusk_noisy_value(const dusk_noisy_scores *in, size_t i, double top, uint64_t word)
{
    field f = { .in = in, .top = top };
    set_rate(&f);
    return value_with(&f, i, word);
}

static dusk_noisy_key value_of(const field *f, size_t i) { return value_with(f, i, f->words[i]); }

/* An upper bound of value_of for the price of a comparison: both laws have
 * noise below -ln v, and v >= 2^-(zeros + 1). */
static inline double ceiling_of(const field *f, size_t i)
{
    const dusk_noisy_scores *in = f->in;
    const double ln2_up = 0.6932;
    unsigned sign = in->law == DUSK_NOISY_LAPLACE;
    uint64_t digits = f->words[i] << sign;
    bool negative = sign & f->words[i] >> 63;
    if (digits == 0) return INFINITY;
    int halvings = negative ? 0 : 1 + __builtin_clzll(digits);
    if (in->weights) halvings += 64 - __builtin_clzll(in->weights[i]);
    return ln2_up * halvings - loss(f, dusk_noisy_score(in->scores[i])).lo * (1 - 0x1p-50) + 0x1p-20;
}

/* --- who can be among the k largest -------------------------------------- */

/* Replace the smallest of a heap by something larger. */
static void heap_replace(double *heap, size_t k, double x)
{
    size_t i = 0;
    for (size_t child = 1; child < k; child = 2 * i + 1) {
        if (child + 1 < k && heap[child + 1] < heap[child]) child++;
        if (!(heap[child] < x)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = x;
}

static void raise_bar(const field *f, double *floors, size_t k, size_t i)
{
    double lo = value_of(f, i).lo;
    if (lo > floors[0]) heap_replace(floors, k, lo);
}

/* Look closely at all that may reach the bar: `close` gets their numbers, and
 * how many they are is returned. floors[0] becomes the bar: k candidates have
 * values of at least this. */
static size_t find_bar(const field *f, double *floors, size_t k, size_t *close)
{
    size_t count = 0;
    for (size_t i = 0; i < k; i++) floors[i] = -INFINITY;
    raise_bar(f, floors, k, f->best);
    close[count++] = f->best;
    for (size_t i = 0; i < f->in->n; i++) {
        if (weight_of(f->in, i) == 0 || i == f->best || ceiling_of(f, i) < floors[0]) continue;
        raise_bar(f, floors, k, i);
        close[count++] = i;
    }
    return count;
}

/* A candidate that reaches the bar. */
typedef struct contender {
    size_t index;
    dusk_noisy_key value;
    dusk_lazy *digits; /* NULL until it was too close to call */
} contender;

/* Those of the close candidates that reach the bar after all. */
static size_t collect(const field *f, contender *out, const size_t *close, size_t count, double bar)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (ceiling_of(f, close[i]) < bar) continue;
        dusk_noisy_key value = value_of(f, close[i]);
        if (value.hi >= bar) out[kept++] = (contender){ .index = close[i], .value = value };
    }
    return kept;
}

/* --- exact comparison ------------------------------------------------------ */

/* value(a) - value(b) as a certified real. */
typedef struct duel {
    const field *f;
    contender *a, *b;
    double wide_a, wide_b; /* how wide the noises were enclosed last */
    bool asked;
    dusk_generator *gen;
} duel;

/* The digits that the word began, from now on. */
static dusk_status give_digits(const field *f, contender *c, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    unsigned sign = f->in->law == DUSK_NOISY_LAPLACE;
    uint64_t word = f->words[c->index];

    if (c->digits) return DUSK_OK;
    DUSK_NEW(c->digits, 1);
    dusk_lazy_init(c->digits, f->in->width);
    DUSK_TRY(dusk_lazy_append(c->digits, DUSK_MUTATE(NOISY_MAX_FORGETS_DIGITS, word << sign, ~word),
                              f->in->width - sign, err));
done:
    return status;
}

/* The noise of a contender; returns how wide its enclosure is. */
static double enclose_noise(const field *f, const contender *c, dusk_interval *out)
{
    bool laplace = f->in->law == DUSK_NOISY_LAPLACE;
    dusk_lazy_enclose(c->digits, out);
    dusk_tail_quantile(laplace ? DUSK_TAIL_EXPONENTIAL : DUSK_TAIL_GUMBEL, out, out);
    if (laplace && f->words[c->index] >> 63) dusk_interval_neg(out, out);
    return dusk_interval_width(out);
}

/* out += rate (score_a - score_b) + ln(weight_a) - ln(weight_b). */
static void add_known(dusk_interval *out, const duel *d)
{
    const dusk_noisy_scores *in = d->f->in;
    dusk_interval x, y;
    dusk_interval_init(&x, mpfr_get_prec(out->lo));
    dusk_interval_init(&y, mpfr_get_prec(out->lo));
    dusk_interval_set(&x, dusk_noisy_score(in->scores[d->a->index]));
    dusk_interval_set(&y, dusk_noisy_score(in->scores[d->b->index]));
    dusk_interval_sub(&x, &x, &y);
    dusk_interval_set(&y, in->numerator);
    dusk_interval_mul(&x, &x, &y);
    dusk_interval_set(&y, in->denominator);
    dusk_interval_div(&x, &x, &y);
    dusk_interval_add(out, out, &x);
    if (in->weights) {
        dusk_interval_set_int(&x, in->weights[d->a->index]);
        dusk_interval_set_int(&y, in->weights[d->b->index]);
        dusk_interval_div(&x, &x, &y);
        dusk_interval_log(&x, &x);
        dusk_interval_add(out, out, &x);
    }
    dusk_interval_clear(&x);
    dusk_interval_clear(&y);
}

/* Each time but the first, toss further coins for the one that is known less. */
static dusk_status enclose_duel(void *real, dusk_interval *out, dusk_error *err)
{
    duel *d = real;
    dusk_status status = DUSK_OK;
    dusk_interval noise;

    dusk_interval_init(&noise, mpfr_get_prec(out->lo));
    if (d->asked) {
        contender *wider = d->wide_a >= d->wide_b ? d->a : d->b;
        DUSK_TRY(dusk_lazy_refine(wider->digits, d->gen, err));
    }
    d->asked = true;
    d->wide_a = enclose_noise(d->f, d->a, out);
    d->wide_b = enclose_noise(d->f, d->b, &noise);
    dusk_interval_sub(out, out, &noise);
    add_known(out, d);
done:
    dusk_interval_clear(&noise);
    return status;
}

/* *out: is the value of a above that of b? */
static dusk_status is_above(bool *out, const field *f, contender *a, contender *b, dusk_generator *gen,
                            dusk_error *err)
{
    duel d = { .f = f, .a = a, .b = b, .gen = gen };
    dusk_status status = DUSK_OK;
    int sign = 1;

    if (a->value.lo > b->value.hi || b->value.lo > a->value.hi) {
        *out = a->value.lo > b->value.hi;
        return DUSK_OK;
    }
    DUSK_TRY(give_digits(f, a, err));
    DUSK_TRY(give_digits(f, b, err));
    DUSK_TRY(DUSK_MUTATE(NOISY_MAX_TAKES_FIRST, dusk_real_sign(&sign, enclose_duel, &d, err), DUSK_OK));
    *out = sign > 0;
done:
    return status;
}

/* Merge the descending runs [from, middle) and [middle, to) of `in` into `out`. */
static dusk_status merge_runs(contender **out, contender **in, size_t from, size_t middle, size_t to,
                              const field *f, dusk_generator *gen, dusk_error *err)
{
    size_t a = from, b = middle;
    for (size_t i = from; i < to; i++) {
        bool take_a = b == to;
        if (a < middle && b < to) {
            dusk_status status = is_above(&take_a, f, in[a], in[b], gen, err);
            if (status != DUSK_OK) return status;
        }
        out[i] = in[take_a ? a++ : b++];
    }
    return DUSK_OK;
}

/* Sort the contenders, largest first; `spare` holds as many. The sorted order
 * is left in *order, which is one of the two. */
static dusk_status sort_contenders(contender ***order, contender **spare, size_t count, const field *f,
                                   dusk_generator *gen, dusk_error *err)
{
    contender **from = *order, **to = spare;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t i = 0; i < count; i += 2 * run) {
            size_t middle = i + run < count ? i + run : count,
                   end = i + 2 * run < count ? i + 2 * run : count;
            dusk_status status = merge_runs(to, from, i, middle, end, f, gen, err);
            if (status != DUSK_OK) return status;
        }
        contender **swap = from;
        from = to;
        to = swap;
    }
    *order = from;
    return DUSK_OK;
}

/* --- the choice ----------------------------------------------------------------- */

/* The reference for all losses; false when fewer than k have a weight. */
static bool find_top(field *f, size_t k)
{
    size_t possible = 0;
    for (size_t i = 0; i < f->in->n; i++) {
        double score = dusk_noisy_score(f->in->scores[i]);
        if (weight_of(f->in, i) == 0) continue;
        if (possible++ == 0 || score > f->top) {
            f->top = score;
            f->best = i;
        }
    }
    return possible >= k;
}

/* Sort those that reach the bar and give the first k. */
static dusk_status choose(size_t *indices, size_t k, const field *f, contender *pool, size_t count,
                          dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    contender **order = NULL, **first;

    DUSK_NEW(order, 2 * count);
    for (size_t i = 0; i < count; i++) order[i] = &pool[i];
    first = order;
    DUSK_TRY(sort_contenders(&first, order + count, count, f, gen, err));
    for (size_t i = 0; i < k; i++) indices[i] = first[i]->index;
done:
    dusk_deallocate(order);
    return status;
}

DUSK_PROVEN(dusk_noisy_max)
dusk_status dusk_noisy_max(size_t *indices, size_t k, const dusk_noisy_scores *in, dusk_generator *gen,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t *words = NULL;
    double *floors = NULL;
    contender *pool = NULL;
    size_t *close = NULL, count = 0;
    field f = { .in = in };

    if (k == 0 || !find_top(&f, k))
        return dusk_fail(err, DUSK_ERR_INTERNAL, "", "there are fewer candidates than choices");
    set_rate(&f);
    DUSK_NEW(words, in->n);
    DUSK_NEW(floors, k);
    DUSK_NEW(close, in->n); /* pages that are not used cost nothing */
    DUSK_TRY(dusk_generator_words(gen, words, in->n, in->width, err));
    f.words = words;
    count = find_bar(&f, floors, k, close);
    DUSK_NEW(pool, count);
    count = collect(&f, pool, close, count, floors[0]);
    DUSK_TRY(choose(indices, k, &f, pool, count, gen, err));
done:
    for (size_t i = 0; pool && i < count; i++) {
        if (pool[i].digits) dusk_lazy_clear(pool[i].digits);
        dusk_deallocate(pool[i].digits);
    }
    dusk_deallocate(pool);
    dusk_deallocate(close);
    dusk_deallocate(floors);
    if (words) dusk_wipe(words, in->n * sizeof *words);
    dusk_deallocate(words);
    return status;
}
