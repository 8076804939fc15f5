/* SPDX-License-Identifier: Apache-2.0 */
/* One sweep over the m of a window. With the line at K - y, 0 < y <= 1, K whole,
 * the expected excess given M = m is F + y S:
 *     S = P(A >= K),  F = E (A - K)+.
 * From m to m - 1 the line falls by at most one, so K stays or falls by one,
 * and with beta = P(Bin(m-1, 1/2) = K-1), S0 = S - beta/2 = P(Bin(m-1, 1/2) >= K):
 *     K stays:  S <- S0,          F <- F - S0/2,  beta <- 2 beta (m-K)/(m-1)
 *     K falls:  S <- S + beta/2,  F <- F + S0/2,  beta <- 2 beta (K-1)/(m-1)
 * and from m to m + 1 the other way round. Stable is the direction in which F
 * grows. All three carry the weight P(M = m) as a factor, so that nothing
 * overflows, and an error bound each. What lies outside of the window is bounded
 * by an exponential moment. */
#include "accounting/excess_sum.h"

#include <math.h>
#include <stdbool.h>

#include "base/mutant.h"
#include "numeric/rounding.h"

#define PRECISION 160
#define EXPONENT 45.0 /* of what the window leaves out, or more */

typedef struct window {
    uint64_t low, high;
    bool upwards;    /* the stable direction */
    double log_tail; /* ln of an upper bound of what is outside */
} window;

/* ln cosh x, x >= 0 */
static double log_cosh(double x)
{
    double s = sinh(x / 2);
    return x < 1 ? log1p(2 * s * s) : x - M_LN2 + log1p(exp(-2 * x));
}

/* The moment E e^(lambda (A - step M - offset)) = e^-(lambda offset) (1 + rho (q - 1))^trials
 * with q = E e^(lambda (Bernoulli(1/2) - step)). */
typedef struct tilt {
    double trials, rho, slant, offset; /* slant = step - 1/2 */
} tilt;

static double log_q(const tilt *t, double lambda) { return log_cosh(lambda / 2) - lambda * t->slant; }

static double tilted_rho(const tilt *t, double lambda)
{
    double q = exp(log_q(t, lambda));
    return t->rho * q / (1 - t->rho + t->rho * q);
}

/* The slope of the logarithm of the moment; it increases with lambda. */
static double slope(const tilt *t, double lambda)
{
    return t->trials * tilted_rho(t, lambda) * (tanh(lambda / 2) / 2 - t->slant) - t->offset;
}

/* About the lambda with the smallest moment; any one gives a bound. */
static double best_lambda(const tilt *t)
{
    double low = 1e-12, high = 64;
    for (int i = 0; i < 50; i++) {
        double middle = sqrt(low * high);
        if (slope(t, middle) > 0)
            high = middle;
        else
            low = middle;
    }
    double least = 1 / sqrt(t->trials * t->rho + 1);
    return low > least ? low : least;
}

/* t with P(|Bin(n, rho) - n rho| >= t) <= 2 e^-exponent, by Bernstein's inequality. */
static double deviation(double variance, double exponent)
{
    double third = exponent / 3;
    return third + sqrt(third * third + 2 * exponent * variance) + 1;
}

/* About the least x with P(Bin(n, rho) >= x) <= e^-exponent by Chernoff's bound
 * e^-(x ln(x/mean) - x + mean), in [mean, most]: Bernstein's is far off at small means. */
static double upper_end(double mean, double most, double exponent)
{
    double low = mean, high = most;
    for (int i = 0; i < 60 && high - low > 0.25; i++) {
        double x = (low + high) / 2;
        if (x * log(x / mean) - x + mean >= exponent + 0.1)
            high = x;
        else
            low = x;
    }
    return high;
}

DUSK_PROVEN(find_window)
static window find_window(const dusk_excess_sum *sum)
{
    tilt t = { .trials = (double)sum->trials,
               .rho = 1 / (1 + sum->odds),
               .slant = ldexp((double)((dusk_int128)sum->step - ((dusk_int128)1 << 63)), -64),
               .offset = ldexp((double)sum->offset, -64) };
    double lambda = best_lambda(&t), rho = tilted_rho(&t, lambda);
    /* When M is 0 mostly, the moment is far above the sum. */
    double exponent = EXPONENT + 2 * fmax(0, -log(t.trials * t.rho));
    double mean = t.trials * rho, reach = deviation(mean * (1 - rho), exponent);
    reach = DUSK_MUTATE(SHUFFLE_WINDOW_NARROW, reach, reach / 8);
    window w = { .low = 1, .high = sum->trials };
    if (mean - reach > 1) w.low = (uint64_t)(mean - reach);
    double end = upper_end(mean, mean + reach, exponent);
    if (end < t.trials) w.high = (uint64_t)end + 1;
    /* ln F is about -2 (slant m + offset)^2/m, which grows up to m = offset/slant. */
    w.upwards = t.slant * ((double)w.low + (double)w.high) / 2 < t.offset;
    double product = t.trials * log1p(t.rho * expm1(log_q(&t, lambda)));
    /* (y)+ <= e^(lambda y - 1)/lambda. The last terms are for rounding. */
    w.log_tail = product - lambda * t.offset - 1 - log(lambda) + M_LN2 - exponent + 1 +
                 1e-12 * (fabs(product) + lambda * t.offset);
    if (w.low == 1 && w.high == sum->trials) w.log_tail = -INFINITY; /* nothing is outside */
    return w;
}

/* The state of the sweep at m, each value with a bound of its error. */
typedef struct sweep {
    uint64_t m, k;
    double beta, s, f;
    double relative_beta, error_s, error_f;
} sweep;

static uint64_t line_whole(dusk_uint128 line) { return (uint64_t)(line >> 64) + 1; }

/* K minus the line, in (0, 1]: never less, by 2^-61 more at most, and rounded once. */
static double line_part(dusk_uint128 line)
{
    uint64_t gap = 0 - (uint64_t)line;
    return gap ? (double)(int64_t)((gap >> 2) + 1) * 0x1p-62 : 1;
}

/* S and F from their series, in units of P(A = K); needs m/2 <= K <= m. */
DUSK_PROVEN(start)
static void start(sweep *w, uint64_t m, uint64_t k)
{
    double up = (double)(m - k), down = (double)(k + 1), term = 1, s = 0, f = 0, i = 0;
    double tail_s = 0, tail_f = 0;
    for (; term > 0; i++, up--, down++) {
        s += term;
        f += term * i;
        double ratio = up / down;
        term *= ratio;
        tail_s = term / (1 - ratio);
        tail_f = (term * (i + 1) + tail_s * ratio) / (1 - ratio);
        if (tail_f <= 0x1p-60 * f && tail_s <= 0x1p-60 * s) break;
    }
    *w = (sweep){ .m = m, .k = k, .s = s, .f = f, .relative_beta = 8 * DUSK_UNIT };
    w->beta = 2 * (double)k / (double)m;
    w->error_s = 4 * DUSK_UNIT * (i + 2) * s + 2 * tail_s;
    w->error_f = 4 * DUSK_UNIT * (i + 2) * f + 2 * tail_f;
}

/* From m to m - 1 >= 1; `falls` says whether K does. */
DUSK_PROVEN(advance)
static void advance(sweep *w, bool falls, double trials, double odds)
{
    double m = (double)w->m, k = (double)w->k, half = w->beta / 2;
    double ratio = m * odds / (trials - m + 1); /* P(M = m-1) / P(M = m) */
    double s0 = w->s - half;
    double error_s = w->error_s + half * w->relative_beta;
    double f = falls ? w->f + s0 / 2 : w->f - s0 / 2;
    double s = falls ? w->s + half : s0;
    w->error_f = (w->error_f + error_s / 2 + 8 * DUSK_UNIT * (fabs(f) + fabs(s0))) * ratio;
    w->error_s = (error_s + 8 * DUSK_UNIT * (fabs(s) + half)) * ratio;
    w->f = f * ratio;
    w->s = s * ratio;
    w->beta *= 2 * (falls ? k - 1 : m - k) / (m - 1) * ratio;
    w->relative_beta += 10 * DUSK_UNIT;
    w->m--;
    w->k -= falls;
    if (w->k == w->m) w->f = w->error_f = 0; /* nothing is above the whole */
}

/* From m to m + 1 <= trials; `rises` says whether K does. */
DUSK_PROVEN(climb)
static void climb(sweep *w, bool rises, double trials, double odds)
{
    double m = (double)w->m, k = (double)w->k;
    double ratio = (trials - m) / ((m + 1) * odds); /* P(M = m+1) / P(M = m) */
    /* P(Bin(m, 1/2) = K), or = K-1. */
    double beta = w->beta * m / (2 * (rises ? k : m - k + 1)), half = beta / 2;
    w->relative_beta += 10 * DUSK_UNIT;
    double f = rises ? w->f - (w->s - beta) / 2 : w->f + w->s / 2;
    double s = rises ? w->s - half : w->s + half;
    double error_s = w->error_s + half * w->relative_beta;
    w->error_f = (w->error_f + error_s + 8 * DUSK_UNIT * (fabs(f) + fabs(w->s) + beta)) * ratio;
    w->error_s = (error_s + 8 * DUSK_UNIT * (fabs(s) + half)) * ratio;
    w->f = f * ratio;
    w->s = s * ratio;
    w->beta = beta * ratio;
    w->m++;
    w->k += rises;
    if (w->k == w->m) w->f = w->error_f = 0;
}

/* The end of the window that the sweep starts from: going up, the first m that has
 * counts above the line, or the top. */
static uint64_t first_of(const dusk_excess_sum *sum, window range)
{
    uint64_t m = range.upwards ? range.low : range.high;
    if (range.upwards)
        while (m < range.high && line_whole(sum->step * m + sum->offset) > m) m++;
    return m;
}

/* The sum over the window, in units of P(M = first) P(A = K). */
DUSK_PROVEN(sweep_window)
static double sweep_window(const dusk_excess_sum *sum, window range, uint64_t first)
{
    const double trials = (double)sum->trials;
    const uint64_t last = range.upwards ? range.high : range.low;
    dusk_uint128 line = sum->step * first + sum->offset;
    sweep w;
    double total = 0, error = 0, steps = 0;
    start(&w, first, line_whole(line));
    for (;; steps++) {
        double y = line_part(line), term = w.f + y * w.s;
        total += term;
        error += w.error_f + y * w.error_s + 4 * DUSK_UNIT * (fabs(w.f) + y * fabs(w.s));
        if (w.m == last) break;
        line = range.upwards ? line + sum->step : line - sum->step;
        uint64_t k = line_whole(line);
        if (range.upwards) {
            climb(&w, k > w.k, trials, sum->odds);
        } else {
            if (k > w.m - 1) break; /* no count is above the line any more */
            advance(&w, k < w.k, trials, sum->odds);
        }
    }
    error = DUSK_MUTATE(SHUFFLE_ROUNDING_IGNORED,
                        1.001 * error + 4 * DUSK_UNIT * (steps + 2) * (total + error), 0);
    return (total + error) * (1 + 8 * DUSK_UNIT);
}

/* ln x!; a short product is quicker than MPFR's series. */
static void log_factorial(mpfr_t out, uint64_t x)
{
    if (x <= 512) {
        mpfr_fac_ui(out, x, MPFR_RNDN);
        mpfr_log(out, out, MPFR_RNDN);
    } else {
        mpfr_set_ui(out, x, MPFR_RNDN);
        mpfr_add_ui(out, out, 1, MPFR_RNDN);
        mpfr_lngamma(out, out, MPFR_RNDN);
    }
}

DUSK_PROVEN(dusk_log_choose)
void dusk_log_choose(mpfr_t out, uint64_t count, uint64_t part, uint64_t other)
{
    const uint64_t rest[] = { part, other, count - part - other };
    mpfr_t term;
    mpfr_init2(term, PRECISION);
    log_factorial(out, count);
    for (int i = 0; i < 3; i++) {
        log_factorial(term, rest[i]);
        mpfr_sub(out, out, term, MPFR_RNDN);
    }
    mpfr_clear(term);
}

/* ln(P(M = m) P(Bin(m, 1/2) = k)) */
static void log_unit(mpfr_t out, const dusk_excess_sum *sum, uint64_t m, uint64_t k)
{
    mpfr_t term;
    mpfr_init2(term, PRECISION);
    dusk_log_choose(out, sum->trials, k, m - k);
    mpfr_const_log2(term, MPFR_RNDN);
    mpfr_sub(term, sum->log_rho, term, MPFR_RNDN);
    mpfr_mul_ui(term, term, m, MPFR_RNDN);
    mpfr_add(out, out, term, MPFR_RNDN);
    mpfr_mul_ui(term, sum->log_rest, sum->trials - m, MPFR_RNDN);
    mpfr_add(out, out, term, MPFR_RNDN);
    mpfr_clear(term);
}

DUSK_PROVEN(dusk_excess_sum_up)
void dusk_excess_sum_up(mpfr_t out, const dusk_excess_sum *sum)
{
    window range = find_window(sum);
    uint64_t first = first_of(sum, range), k = line_whole(sum->step * first + sum->offset);
    mpfr_t unit;
    mpfr_init2(unit, PRECISION);
    mpfr_set_d(out, range.log_tail, MPFR_RNDU);
    mpfr_exp(out, out, MPFR_RNDU);
    if (k <= first) {
        log_unit(unit, sum, first, k);
        mpfr_add_d(unit, unit, 0x1p-80, MPFR_RNDU); /* for its own rounding */
        mpfr_exp(unit, unit, MPFR_RNDU);
        mpfr_mul_d(unit, unit, sweep_window(sum, range, first), MPFR_RNDU);
        mpfr_add(out, out, unit, MPFR_RNDU);
    }
    mpfr_clear(unit);
}
