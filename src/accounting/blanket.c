/* SPDX-License-Identifier: Apache-2.0 */
/* The privacy blanket as sums of excess_sum.c. With p = e^eps0 and
 *     M of n units sending one of the first two messages, A of them the first,
 *     C the third,  scale = A_0 (p - 1),  kappa = (1 + tanh(eps/2)/tanh(eps0/2))/2,
 *     tau = lambda tanh(eps/2)/scale:
 *     delta = scale (1 + e^eps)/n E (A - kappa M - tau C)+.
 * Without a third message that is one sum. With it, N = M + C is fixed first:
 * given N the excess over N falls in N, so that N may be put down to the start of
 * its block; few blocks are enough, and small n has one for each N. */
#include "accounting/blanket.h"

#include <math.h>

#include "base/mutant.h"
#include "numeric/rounding.h"

#define PRECISION 160
#define EXPONENT 45.0

/* The odds against one of the first two messages, in the blanket or (without a
 * third) at all, decide rho = 1/(1 + odds). */
static void set_odds(dusk_blanket *b, const mpfr_t odds)
{
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    b->odds = mpfr_get_d(odds, MPFR_RNDN);
    mpfr_log1p(b->log_rho, odds, MPFR_RNDN);
    mpfr_neg(b->log_rho, b->log_rho, MPFR_RNDN);
    mpfr_log(x, odds, MPFR_RNDN);
    mpfr_add(b->log_other, x, b->log_rho, MPFR_RNDN);
    mpfr_clear(x);
}

/* Clones: each of the two has probability 1/(2p), and A_0 = 2p/(p+1). */
static void set_clones(dusk_blanket *b, const mpfr_t p, const mpfr_t p_minus_1)
{
    set_odds(b, p_minus_1);
    mpfr_mul_ui(b->scale, p, 2, MPFR_RNDN);
    mpfr_div(b->scale, b->scale, b->coth, MPFR_RNDN);
}

/* Stronger clones: 1/(p+1) each, A_0 = 1. */
static void set_stronger_clones(dusk_blanket *b, const mpfr_t p_minus_1)
{
    mpfr_t odds;
    mpfr_init2(odds, PRECISION);
    mpfr_div_ui(odds, p_minus_1, DUSK_MUTATE(SHUFFLE_CLONES_DOUBLED, 2, 4), MPFR_RNDN);
    set_odds(b, odds);
    mpfr_set(b->scale, p_minus_1, MPFR_RNDN);
    mpfr_clear(odds);
}

/* Randomized response: 1/(p+k-1) for every answer; lambda = 1. */
static void set_response(dusk_blanket *b, const mpfr_t p_minus_1, uint64_t answers)
{
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_set_ui(x, answers - 2, MPFR_RNDN);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    set_odds(b, x);
    mpfr_set(b->scale, p_minus_1, MPFR_RNDN);
    mpfr_ui_div(b->tau, DUSK_MUTATE(SHUFFLE_THIRD_TOO_HEAVY, 1, 2), p_minus_1, MPFR_RNDN);
    mpfr_div_ui(b->against, p_minus_1, answers, MPFR_RNDN);
    mpfr_add_ui(x, b->against, 1, MPFR_RNDN);
    mpfr_ui_div(b->weight, 1, x, MPFR_RNDN);
    mpfr_clear(x);
}

/* Total variation v: alpha = v/(p-1) each, the third (1 - alpha (p+1))/p, lambda = p. */
static void set_variation(dusk_blanket *b, const mpfr_t p, const mpfr_t p_minus_1, double variation)
{
    mpfr_t alpha, x, y;
    mpfr_inits2(PRECISION, alpha, x, y, (mpfr_ptr)0);
    mpfr_d_div(alpha, variation, p_minus_1, MPFR_RNDN);
    mpfr_add_ui(x, p, 1, MPFR_RNDN);
    mpfr_mul(x, x, alpha, MPFR_RNDN);
    mpfr_ui_sub(x, 1, x, MPFR_RNDN);
    mpfr_div(x, x, p, MPFR_RNDN); /* the third */
    mpfr_mul_ui(y, alpha, 2, MPFR_RNDN);
    mpfr_add(b->weight, x, y, MPFR_RNDN);
    mpfr_div(x, x, y, MPFR_RNDN);
    set_odds(b, x);
    mpfr_set(b->scale, p_minus_1, MPFR_RNDN);
    mpfr_div(b->tau, p, p_minus_1, MPFR_RNDN);
    mpfr_ui_sub(x, 1, alpha, MPFR_RNDN); /* 1 - weight = (p-1)(1-alpha)/p */
    mpfr_mul(x, x, p_minus_1, MPFR_RNDN);
    mpfr_div(x, x, p, MPFR_RNDN);
    mpfr_div(b->against, x, b->weight, MPFR_RNDN);
    mpfr_clears(alpha, x, y, (mpfr_ptr)0);
}

DUSK_PROVEN(dusk_blanket_init)
void dusk_blanket_init(dusk_blanket *b, dusk_blanket_kind kind, uint64_t n, double local_epsilon,
                       double variation, uint64_t answers)
{
    mpfr_t p, p_minus_1;
    *b = (dusk_blanket){ .n = n < DUSK_EXCESS_TRIALS_MAX ? n : DUSK_EXCESS_TRIALS_MAX };
    mpfr_inits2(PRECISION, p, p_minus_1, b->scale, b->tau, b->coth, b->log_rho, b->log_other, b->weight,
                b->against, (mpfr_ptr)0);
    mpfr_set_d(p, local_epsilon, MPFR_RNDN);
    mpfr_div_2ui(b->coth, p, 1, MPFR_RNDN);
    mpfr_coth(b->coth, b->coth, MPFR_RNDN);
    mpfr_expm1(p_minus_1, p, MPFR_RNDN);
    mpfr_add_ui(p, p_minus_1, 1, MPFR_RNDN);
    mpfr_set_zero(b->tau, 1);
    b->third = kind == DUSK_BLANKET_VARIATION || kind == DUSK_BLANKET_RESPONSE;
    switch (kind) {
    case DUSK_BLANKET_CLONES: set_clones(b, p, p_minus_1); break;
    case DUSK_BLANKET_STRONGER_CLONES: set_stronger_clones(b, p_minus_1); break;
    case DUSK_BLANKET_VARIATION: set_variation(b, p, p_minus_1, variation); break;
    case DUSK_BLANKET_RESPONSE: set_response(b, p_minus_1, answers); break;
    }
    mpfr_clears(p, p_minus_1, (mpfr_ptr)0);
}

void dusk_blanket_clear(dusk_blanket *b)
{
    mpfr_clears(b->scale, b->tau, b->coth, b->log_rho, b->log_other, b->weight, b->against, (mpfr_ptr)0);
}

double dusk_blanket_deviation(const dusk_blanket *b)
{
    /* n rho of the units send one of the first two, each a coin of deviation 1/2. */
    double rho = 1 / (1 + b->odds) * (b->third ? mpfr_get_d(b->weight, MPFR_RNDN) : 1);
    return mpfr_get_d(b->scale, MPFR_RNDN) * sqrt(rho / (double)b->n);
}

/* floor(x 2^64) - 1, or 0: below the real number whose rounding x is. */
static dusk_uint128 fixed_down(const mpfr_t x)
{
    mpfr_t y;
    mpfr_init2(y, PRECISION);
    mpfr_mul_2ui(y, x, 64, MPFR_RNDD);
    mpfr_sub_ui(y, y, 1, MPFR_RNDD);
    dusk_uint128 result = 0;
    /* At most 2^64: step and tau are at most 1. */
    if (mpfr_cmp_d(y, 0x1p64) >= 0)
        result = (dusk_uint128)1 << 64;
    else if (mpfr_sgn(y) > 0)
        result = mpfr_get_ui(y, MPFR_RNDD);
    mpfr_clear(y);
    return result;
}

/* The line A - kappa M - tau (N - M) = A - step M - offset, put a little lower. */
typedef struct line {
    dusk_uint128 step, tau;
} line;

DUSK_PROVEN(find_line)
static line find_line(const dusk_blanket *b, double epsilon)
{
    mpfr_t t, x;
    mpfr_inits2(PRECISION, t, x, (mpfr_ptr)0);
    mpfr_set_d(t, epsilon / 2, MPFR_RNDN); /* exact, or below 2^-1022, where 0 is below it */
    mpfr_tanh(t, t, MPFR_RNDN);
    mpfr_mul(x, t, b->coth, MPFR_RNDN);
    mpfr_add_ui(x, x, 1, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN); /* kappa */
    mpfr_mul(t, t, b->tau, MPFR_RNDN);
    mpfr_sub(x, x, t, MPFR_RNDN);
    line result = { .step = fixed_down(x), .tau = b->third ? fixed_down(t) : 0 };
    mpfr_clears(t, x, (mpfr_ptr)0);
    return result;
}

/* E (A - kappa M - tau C)+ among `trials` units. */
static void excess_up(mpfr_t out, const dusk_blanket *b, line l, uint64_t trials)
{
    dusk_excess_sum sum = { .trials = trials,
                            .step = l.step,
                            .offset = l.tau * trials,
                            .odds = b->odds,
                            .log_rho = b->log_rho,
                            .log_rest = b->log_other };
    dusk_excess_sum_up(out, &sum);
}

/* P(N - 1 = x), N - 1 ~ Bin(n - 1, weight). */
DUSK_PROVEN(mass_up)
static double mass_up(const dusk_blanket *b, uint64_t x)
{
    mpfr_t mass, term;
    mpfr_inits2(PRECISION, mass, term, (mpfr_ptr)0);
    dusk_log_choose(mass, b->n - 1, x, 0);
    mpfr_log(term, b->weight, MPFR_RNDN);
    mpfr_mul_ui(term, term, x, MPFR_RNDN);
    mpfr_add(mass, mass, term, MPFR_RNDN);
    mpfr_mul(term, b->weight, b->against, MPFR_RNDN); /* 1 - weight */
    mpfr_log(term, term, MPFR_RNDN);
    mpfr_mul_ui(term, term, b->n - 1 - x, MPFR_RNDN);
    mpfr_add(mass, mass, term, MPFR_RNDN);
    mpfr_add_d(mass, mass, 0x1p-80, MPFR_RNDU); /* for its own rounding */
    mpfr_exp(mass, mass, MPFR_RNDU);
    double result = mpfr_get_d(mass, MPFR_RNDU);
    mpfr_clears(mass, term, (mpfr_ptr)0);
    return result;
}

/* The masses of N - 1 = block[0] - 1 .. high, added up in the blocks. */
DUSK_PROVEN(fill_blocks)
static void fill_blocks(dusk_blanket *b, uint64_t high)
{
    const double others = (double)(b->n - 1), odds = mpfr_get_d(b->against, MPFR_RNDN);
    const uint64_t middle = (uint64_t)(others / (1 + odds));
    const double top = mass_up(b, middle);
    unsigned i = 0, home;
    for (unsigned j = 0; j < b->blocks; j++) b->mass[j] = 0;
    while (i + 1 < b->blocks && b->block[i + 1] <= middle + 1) i++;
    home = i;
    double mass = top;
    for (uint64_t x = middle; x <= high; x++) {
        if (i + 1 < b->blocks && b->block[i + 1] <= x + 1) i++;
        b->mass[i] += mass;
        mass *= (others - (double)x) / (((double)x + 1) * odds);
    }
    i = home;
    mass = top;
    for (uint64_t x = middle; x >= b->block[0]; x--) {
        if (b->block[i] > x) i--;
        mass *= (double)x * odds / (others - (double)x + 1);
        b->mass[i] += mass;
    }
    /* Five roundings a step at most; what underflows is below 1e-300 in a block. */
    double rounding = 16 * DUSK_UNIT * ((double)(high - b->block[0]) + 64);
    for (unsigned j = 0; j < b->blocks; j++) b->mass[j] = b->mass[j] * (1 + rounding) + 1e-300;
}

/* `count` more blocks, about equal ones, from where the last ends to before `end`. */
static void add_blocks(dusk_blanket *b, uint64_t from, uint64_t end, unsigned count)
{
    uint64_t width = (end - from + count - 1) / count;
    for (uint64_t x = from; x < end; x += width) b->block[b->blocks++] = x + 1;
}

/* What is below the first block has mass at most `below`, what is above the last
 * belongs to it. Most blocks are where most of the sum is. */
DUSK_PROVEN(make_blocks)
static void make_blocks(dusk_blanket *b, double about)
{
    double others = (double)(b->n - 1), against = mpfr_get_d(b->against, MPFR_RNDN);
    double mean = others / (1 + against), variance = mean * against / (1 + against);
    double size = fmin(700, fmax(0, -log(about))), exponent = EXPONENT + size, third = exponent / 3;
    /* Bernstein's inequality: P(|N - 1 - mean| >= reach) <= 2 e^-exponent. */
    double reach = third + sqrt(third * third + 2 * exponent * variance) + 1;
    uint64_t low = mean - reach > 0 ? (uint64_t)(mean - reach) : 0;
    uint64_t high = mean + reach < others ? (uint64_t)(mean + reach) + 1 : b->n - 1;
    b->blocks = 0;
    if (high - low < DUSK_BLANKET_BLOCKS_MAX) {
        add_blocks(b, low, high + 1, DUSK_BLANKET_BLOCKS_MAX);
    } else {
        /* Given N the excess is e^(-size N/mean), about. A block of width w costs
         * w/(4 mean) in epsilon, in relation; 1e-5 is little. */
        double center = fmax(mean - variance * size / mean, (double)low), inner = 4.5 * sqrt(variance);
        double wanted = fmin(48, fmax(6, 2 * inner / (4e-5 * mean)));
        uint64_t left = center - inner > (double)low + 1 ? (uint64_t)(center - inner) : low + 1;
        uint64_t right = center + inner < (double)high ? (uint64_t)(center + inner) + 1 : high;
        add_blocks(b, low, left, 2);
        add_blocks(b, left, right, (unsigned)wanted);
        add_blocks(b, right, high + 1, 1);
    }
    fill_blocks(b, high);
    b->below = low ? exp(1 - exponent) : 0;
    b->mass[b->blocks - 1] += exp(1 - EXPONENT);
}

/* weight Sum of P(N) E(excess | N) / N */
DUSK_PROVEN(blocks_up)
static void blocks_up(mpfr_t out, dusk_blanket *b, line l, double about)
{
    if (b->blocks == 0 || !(b->guess == about)) make_blocks(b, about);
    b->guess = about;
    mpfr_t term;
    mpfr_init2(term, PRECISION);
    mpfr_set_d(out, b->below, MPFR_RNDU); /* the excess of N is at most N */
    for (unsigned i = 0; i < b->blocks; i++) {
        uint64_t units = DUSK_MUTATE(SHUFFLE_BLOCKS_ROUND_UP, b->block[i], b->block[i] + 2);
        excess_up(term, b, l, units);
        mpfr_mul_d(term, term, b->mass[i], MPFR_RNDU);
        mpfr_div_ui(term, term, units, MPFR_RNDU);
        mpfr_add(out, out, term, MPFR_RNDU);
    }
    mpfr_mul(out, out, b->weight, MPFR_RNDU);
    mpfr_clear(term);
}

DUSK_PROVEN(dusk_blanket_delta_up)
void dusk_blanket_delta_up(mpfr_t out, dusk_blanket *b, double epsilon, double about)
{
    line l = find_line(b, epsilon);
    mpfr_t factor;
    mpfr_init2(factor, PRECISION);
    if (b->third) {
        blocks_up(out, b, l, about);
    } else {
        excess_up(out, b, l, b->n);
        mpfr_div_ui(out, out, b->n, MPFR_RNDU);
    }
    mpfr_set_d(factor, epsilon, MPFR_RNDU);
    mpfr_exp(factor, factor, MPFR_RNDU);
    mpfr_add_ui(factor, factor, 1, MPFR_RNDU);
    mpfr_mul(factor, factor, b->scale, MPFR_RNDU);
    mpfr_mul(out, out, factor, MPFR_RNDU);
    mpfr_set_d(factor, 1 + 0x1p-50, MPFR_RNDU); /* for the constants, good to 2^-150 */
    mpfr_mul(out, out, factor, MPFR_RNDU);
    mpfr_clear(factor);
}
