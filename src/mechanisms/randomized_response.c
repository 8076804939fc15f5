/* SPDX-License-Identifier: Apache-2.0 */
/* Randomized response over k answers [Warner 1965; k-ary: Kairouz, Bonawitz &
 * Ramage 2016, section 3.2] and its two-coin form for yes and no [Dwork & Roth
 * 2014, section 3.2]. The biases are real numbers (or doubles, which are
 * fractions) and the coins have exactly them. Every answer takes the same
 * draws, whether it is kept or not, so that time does not tell which it was.
 * Proof: randomized_response.proof.md.
 *
 * The estimate is for honest reports; it does not look for forged ones. */
#include "mechanisms/randomized_response.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/request.h"
#include "numeric/real.h"
#include "numeric/rounding.h"
#include "random/noise_coin.h"
#include "random/record.h"
#include "random/sampling.h"

/* --- parameters ------------------------------------------------------------ */

/* ln of the largest ratio of probabilities that an answer can have: of yes, 1 +
 * first / ((1 - first) second); of no, the same with 1 - second. */
static double two_coin_epsilon_up(double first, double second)
{
    double rarer = DUSK_MUTATE(TWO_COIN_LOOKS_AT_YES_ONLY, fmin(second, dusk_sub_down(1, second)), second);
    double lie = dusk_mul_down(dusk_sub_down(1, first), rarer);
    return dusk_log1p_up(dusk_div_up(first, lie));
}

static dusk_status check_coins(const dusk_randomized_response *rr, dusk_error *err)
{
    if (!(rr->first > 0 && rr->first < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0.5 is the classical choice",
                         "the first coin's probability must lie between 0 and 1");
    if (!(rr->second > 0 && rr->second < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "0.5 is the classical choice",
                         "the second coin's probability must lie between 0 and 1");
    if (rr->answers != 2) return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the two-coin form has two answers");
    if (!(two_coin_epsilon_up(rr->first, rr->second) < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take probabilities further from 0 and 1",
                         "the two coins give no finite epsilon");
    return DUSK_OK;
}

static dusk_status check_response(const dusk_randomized_response *rr, dusk_error *err)
{
    if (rr->two_coin) return check_coins(rr, err);
    if (rr->answers < 2) return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "there must be at least two answers");
    if (!(rr->epsilon > 0 && rr->epsilon < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "common values lie between 0.1 and 5",
                         "epsilon must be positive and finite");
    return DUSK_OK;
}

dusk_status dusk_randomized_response_init(dusk_randomized_response *out, uint32_t answers, double epsilon,
                                          dusk_error *err)
{
    dusk_randomized_response rr = { .answers = answers, .epsilon = epsilon };
    dusk_status status = check_response(&rr, err);
    if (status == DUSK_OK) *out = rr;
    return status;
}

dusk_status dusk_two_coin_init(dusk_randomized_response *out, double first, double second, dusk_error *err)
{
    dusk_randomized_response rr = { .answers = 2, .first = first, .second = second, .two_coin = true };
    dusk_status status = check_response(&rr, err);
    if (status != DUSK_OK) return status;
    rr.epsilon = two_coin_epsilon_up(first, second);
    *out = rr;
    return DUSK_OK;
}

/* The coins decide, whatever the field says. */
DUSK_PROVEN(dusk_randomized_response_event)
dusk_status dusk_randomized_response_event(const dusk_randomized_response *rr, dusk_event *out,
                                           dusk_error *err)
{
    dusk_status status = check_response(rr, err);
    if (status != DUSK_OK) return status;
    double epsilon = rr->two_coin ? two_coin_epsilon_up(rr->first, rr->second) : rr->epsilon;
    return dusk_event_randomized_response(out, epsilon, rr->answers, err);
}

/* --- release ----------------------------------------------------------------- */

/* The probability of another answer, (k - 1) t / (1 + (k - 1) t) with t = e^-eps. */
static dusk_status enclose_lie(void *real, dusk_interval *out, dusk_error *err)
{
    const dusk_randomized_response *rr = real;
    dusk_interval odds, one;
    (void)err;
    dusk_interval_init(&odds, mpfr_get_prec(out->lo));
    dusk_interval_init(&one, mpfr_get_prec(out->lo));
    dusk_interval_set(&odds, -rr->epsilon);
    dusk_interval_exp(&odds, &odds);
    dusk_interval_set_int(&one, rr->answers - 1);
    dusk_interval_mul(&odds, &odds, &one);
    dusk_interval_set(&one, 1);
    dusk_interval_add(&one, &one, &odds);
    dusk_interval_div(out, &odds, &one);
    dusk_interval_clear(&odds);
    dusk_interval_clear(&one);
    return DUSK_OK;
}

static dusk_status enclose_double(void *real, dusk_interval *out, dusk_error *err)
{
    (void)err;
    dusk_interval_set(out, *(double *)real);
    return DUSK_OK;
}

/* The other answers are numbered without the truth. */
static dusk_status respond(const dusk_randomized_response *rr, double guess, uint32_t *answer, unsigned width,
                           dusk_generator *gen, dusk_error *err)
{
    dusk_randomized_response real = *rr;
    dusk_status status = DUSK_OK;
    bool lie;
    uint64_t other;

    DUSK_TRY(dusk_coin_real(gen, &lie, guess, enclose_lie, &real, width, err));
    DUSK_TRY(dusk_uniform_below_width(gen, &other, rr->answers - 1, width, err));
    other += DUSK_MUTATE(RESPONSE_LIES_WITH_THE_TRUTH, other >= *answer, 0);
    *answer = lie ? (uint32_t)other : *answer;
done:
    return status;
}

static dusk_status respond_two_coin(const dusk_randomized_response *rr, uint32_t *answer, unsigned width,
                                    dusk_generator *gen, dusk_error *err)
{
    double first = rr->first, second = rr->second;
    dusk_status status = DUSK_OK;
    bool truth, yes;

    DUSK_TRY(dusk_coin_real(gen, &truth, first, enclose_double, &first, width, err));
    DUSK_TRY(dusk_coin_real(gen, &yes, second, enclose_double, &second, width, err));
    *answer = truth ? *answer : yes;
done:
    return status;
}

#ifdef DUSK_TESTING
/* One person may answer anything; the others answer what they do. */
static dusk_record_at record_responses(const dusk_randomized_response *rr, size_t n, dusk_generator *gen)
{
    dusk_record_header header = {
        .what = "randomized_response",
        .norm = DUSK_RECORD_L0,
        .sensitivity = 1,
        .epsilon = rr->epsilon,
        .parameter = { { "answers", rr->answers },
                       { "first", rr->first },
                       { "second", rr->second },
                       { "people", (double)n } },
    };
    return dusk_record_begin(gen, &header);
}

static void record_response(dusk_record_at at, size_t i, uint32_t answer, uint32_t *noisy)
{
    dusk_int128 output = *noisy;
    dusk_record_whole(at, i, answer, &output);
    *noisy = (uint32_t)output;
}
#endif

DUSK_PROVEN(dusk_randomized_response_draw)
dusk_status dusk_randomized_response_draw(const dusk_randomized_response *rr, uint32_t *out,
                                          const uint32_t *answers, size_t n, unsigned width,
                                          dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint32_t *noisy = NULL;
    double odds, guess;

    DUSK_TRY(check_response(rr, err));
    odds = (rr->answers - 1) * dusk_exp_down(-rr->epsilon);
    guess = odds / (1 + odds);
    DUSK_NEW(noisy, n);
    DUSK_RECORD(const dusk_record_at at = record_responses(rr, n, gen);)
    for (size_t i = 0; i < n; i++) {
        const uint32_t truth = answers[i] < rr->answers ? answers[i] : rr->answers - 1;
        noisy[i] = DUSK_MUTATE(REPLAY_RESPONSES_MIXED, truth, (truth + answers[0]) % rr->answers);
        DUSK_RECORD(const uint32_t input = noisy[i];)
        DUSK_TRY(rr->two_coin ? respond_two_coin(rr, &noisy[i], width, gen, err)
                              : respond(rr, guess, &noisy[i], width, gen, err));
        DUSK_RECORD(record_response(at, i, input, &noisy[i]);)
    }
    for (size_t i = 0; i < n; i++) out[i] = noisy[i];
done:
    dusk_deallocate(noisy);
    return status;
}

dusk_status dusk_randomized_response_release(const dusk_randomized_response *rr, uint32_t *out,
                                             const uint32_t *answers, size_t n, dusk_generator *gen,
                                             dusk_error *err)
{
    return dusk_randomized_response_draw(rr, out, answers, n, 64, gen, err);
}

/* --- estimates ----------------------------------------------------------------- */

/* A number between two doubles. */
typedef struct range {
    double lo, hi;
} range;

/* An answer is given with probability base by those who do not hold it, and
 * base + slope by those who do. */
typedef struct response_line {
    range base, slope;
} response_line;

/* base = t / (1 + (k - 1) t), slope = (1 - t) / (1 + (k - 1) t), t = e^-eps. */
static response_line line_of_response(const dusk_randomized_response *rr)
{
    double others = rr->answers - 1;
    range t = { dusk_exp_down(-rr->epsilon), dusk_exp_up(-rr->epsilon) };
    range total = { dusk_add_down(1, dusk_mul_down(others, t.lo)),
                    dusk_add_up(1, dusk_mul_up(others, t.hi)) };
    return (response_line){
        .base = { dusk_div_down(t.lo, total.hi), dusk_div_up(t.hi, total.lo) },
        .slope = { dusk_div_down(-dusk_expm1_up(-rr->epsilon), total.hi),
                   dusk_div_up(-dusk_expm1_down(-rr->epsilon), total.lo) },
    };
}

static response_line line_of_coins(const dusk_randomized_response *rr, uint32_t answer)
{
    range lie = { dusk_sub_down(1, rr->first), dusk_sub_up(1, rr->first) };
    range says = { rr->second, rr->second };
    if (answer == 0) says = (range){ dusk_sub_down(1, rr->second), dusk_sub_up(1, rr->second) };
    return (response_line){
        .base = { dusk_mul_down(lie.lo, says.lo), dusk_mul_up(lie.hi, says.hi) },
        .slope = { rr->first, rr->first },
    };
}

/* p (1 - p), from above. */
static double variance_up(double lo, double hi) { return fmin(0.25, dusk_mul_up(hi, dusk_sub_up(1, lo))); }

/* How far a count of n independent yes-or-no answers, each with a variance of
 * at most `variance`, is from its mean but with probability beta: the better of
 * Hoeffding 1963, Theorem 1, and Bernstein (Boucheron, Lugosi & Massart 2013,
 * Corollary 2.11). Which one is better is known beforehand. */
static double deviation_up(double n, double variance, double beta)
{
    double l = dusk_log_up(dusk_div_up(2, beta)), third = dusk_div_up(l, 3);
    double hoeffding = dusk_sqrt_up(dusk_mul_up(n, l / 2));
    double spread = dusk_mul_up(2 * l, dusk_mul_up(n, variance));
    double bernstein = dusk_add_up(third, dusk_sqrt_up(dusk_add_up(dusk_mul_up(third, third), spread)));
    return fmin(hoeffding, bernstein);
}

/* (count - n base) / slope. */
static range invert(const response_line *line, double count, double n)
{
    double low = dusk_sub_down(count, dusk_mul_up(n, line->base.hi));
    double high = dusk_sub_up(count, dusk_mul_down(n, line->base.lo));
    low = dusk_div_down(low, low < 0 ? line->slope.lo : line->slope.hi);
    high = dusk_div_up(high, high < 0 ? line->slope.hi : line->slope.lo);
    return (range){ low, high };
}

static void estimate_one(double *estimate, double *half_width, const response_line *line, double count,
                         double n, double beta)
{
    range hold = { dusk_add_down(line->base.lo, line->slope.lo), dusk_add_up(line->base.hi, line->slope.hi) };
    double variance = fmax(variance_up(line->base.lo, line->base.hi), variance_up(hold.lo, hold.hi));
    double deviation = dusk_div_up(deviation_up(n, variance, beta), line->slope.lo);
    range exact = invert(line, count, n);
    bool huge = !(exact.lo > -0x1p1000 && exact.hi < 0x1p1000); /* a slope that is all but 0 */
    double middle = huge ? 0 : exact.lo + (exact.hi - exact.lo) / 2;
    double rounding = fmax(dusk_sub_up(exact.hi, middle), dusk_sub_up(middle, exact.lo));
    *estimate = middle;
    *half_width = huge ? INFINITY : dusk_add_up(deviation, rounding);
}

static dusk_status add_counts(double *n, const uint64_t *counts, uint32_t k, dusk_error *err)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k; i++) {
        if (counts[i] > ((uint64_t)1 << 53) - sum)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "the counts must add up to at most 2^53");
        sum += counts[i];
    }
    *n = (double)sum;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_randomized_response_estimate)
dusk_status dusk_randomized_response_estimate(const dusk_randomized_response *rr, double *estimates,
                                              double *half_widths, const uint64_t *counts, double confidence,
                                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double n = 0, beta;
    response_line line;

    DUSK_TRY(check_response(rr, err));
    DUSK_TRY(dusk_request_confidence(confidence, err));
    DUSK_TRY(add_counts(&n, counts, rr->answers, err));
    beta = dusk_sub_down(1, confidence);
    line = line_of_response(rr);
    for (uint32_t i = 0; i < rr->answers; i++) {
        if (rr->two_coin) line = line_of_coins(rr, i);
        estimate_one(&estimates[i], &half_widths[i], &line, (double)counts[i], n, beta);
    }
done:
    return status;
}
