/* SPDX-License-Identifier: Apache-2.0 */
/* The optimal composition of n equal mechanisms [Kairouz, Oh & Viswanath 2017,
 * "The composition theorem for differential privacy", Theorem 3.3], for any pair
 * of laws with two finite losses a < b of masses m0, m1: i times b and n - i
 * times a is a loss of n a + i (b - a), so that with k the least i above eps
 *     delta(eps) = (f + d)^n - f^n + S(m0, m1) - e^eps S(m0 e^-a, m1 e^-b),
 *     S(u, v) = sum over i >= k of C(n, i) v^i u^(n-i),   f = m0 + m1,
 * d being the mass of the infinite loss. For (eps0, d)-privacy -a = b = eps0. */
#include <float.h>
#include <math.h>

#include "accounting/binomial_tail.h"
#include "accounting/bound.h"
#include "accounting/loss_list.h"
#include "accounting/optimal.h"
#include "base/memory.h"
#include "base/mutant.h"

#define LOSS_MAX 0x1p28 /* |a|, |b|: no overflow of e^(b - a) in MPFR */
#define PRECISION_MAX 2048
#define NEAR 0.3 /* deviations from the mean within which fractions are slow */
#define WINDOW_LEAST 100000
#define WINDOW_MAX 0x1p22
#define GOOD 54    /* bits wanted in delta */
#define EXACT 2400 /* bits for n times a double, and sums of that with doubles */

/* One law: the worse one, or the one that is not worse than the truth. */
typedef struct law {
    double low, high; /* a < b */
    double mass0, mass1, infinite;
    bool symmetric; /* -a = b, and the masses are (1 - infinite) / (1 + e^-+b) exactly */
} law;

typedef struct binomial_curve {
    uint64_t n;
    law upper, lower;
    bool same, tight;
    dusk_bound top;
} binomial_curve;

static law law_of(const dusk_pair *pair, bool up)
{
    const dusk_bound *l = pair->loss, *m = pair->mass;
    law made = { .symmetric = dusk_pair_is_symmetric(pair),
                 .infinite = up ? pair->infinite.upper : pair->infinite.lower };
    made.low = up && !made.symmetric ? l[0].upper : l[0].lower;
    made.high = up ? l[1].upper : l[1].lower;
    made.mass0 = up ? m[0].upper : m[0].lower;
    made.mass1 = up ? m[1].upper : m[1].lower;
    if (made.symmetric) made.low = -made.high;
    return made;
}

static bool law_is_good(const law *l)
{
    return l->low < l->high && fabs(l->low) <= LOSS_MAX && l->high <= LOSS_MAX && l->infinite < 1 &&
           (l->symmetric || (l->mass0 > 0 && l->mass1 > 0));
}

bool dusk_binomial_curve_fits(const dusk_pair *pair)
{
    if (pair->kind != DUSK_PAIR_ATOMS || pair->atoms != 2 || pair->times < 1) return false;
    law worse = law_of(pair, true);
    return law_is_good(&worse);
}

/* P's weights: the masses of one time. */
static void weigh(dusk_binomial_weights *w, const law *l)
{
    mpfr_set_zero(w->shift, 1);
    if (l->symmetric) {
        mpfr_set_d(w->log1, -l->high, MPFR_RNDN);
        mpfr_exp(w->log1, w->log1, MPFR_RNDN);
        mpfr_log1p(w->log1, w->log1, MPFR_RNDN);
        mpfr_set_d(w->total, -l->infinite, MPFR_RNDN);
        mpfr_log1p(w->total, w->total, MPFR_RNDN);
        mpfr_sub(w->log1, w->total, w->log1, MPFR_RNDN);
        mpfr_sub_d(w->log0, w->log1, l->high, MPFR_RNDN);
    } else {
        mpfr_set_d(w->log0, l->mass0, MPFR_RNDN);
        mpfr_add_d(w->total, w->log0, l->mass1, MPFR_RNDN);
        mpfr_set_d(w->log1, l->mass1, MPFR_RNDN);
        mpfr_log(w->log0, w->log0, MPFR_RNDN);
        mpfr_log(w->log1, w->log1, MPFR_RNDN);
        mpfr_log(w->total, w->total, MPFR_RNDN);
    }
}

/* From P's weights to Q's, times e^eps. */
static void weigh_other(dusk_binomial_weights *w, const law *l, double epsilon)
{
    mpfr_sub_d(w->log0, w->log0, l->low, MPFR_RNDN);
    mpfr_sub_d(w->log1, w->log1, l->high, MPFR_RNDN);
    mpfr_sub(w->total, w->log0, w->log1, MPFR_RNDN);
    mpfr_exp(w->total, w->total, MPFR_RNDN);
    mpfr_log1p(w->total, w->total, MPFR_RNDN);
    mpfr_add(w->total, w->total, w->log1, MPFR_RNDN);
    mpfr_set_d(w->shift, epsilon, MPFR_RNDN);
}

/* The least i with n a + i (b - a) > eps; at most n, because something of the
 * losses is above eps. Differences are exact, and a quotient of two whole multiples
 * of 2^-1074 that is not whole is 2^-1104 away from being so. */
static uint64_t first_above(const law *l, uint64_t n, double epsilon)
{
    mpfr_t position, step;
    mpfr_inits2(EXACT, position, step, (mpfr_ptr)0);
    mpfr_set_d(position, l->low, MPFR_RNDN);
    mpfr_mul_ui(position, position, n, MPFR_RNDN);
    mpfr_d_sub(position, epsilon, position, MPFR_RNDN);
    mpfr_set_d(step, l->high, MPFR_RNDN);
    mpfr_sub_d(step, step, l->low, MPFR_RNDN);
    mpfr_div(position, position, step, MPFR_RNDD);
    mpfr_floor(position, position);
    uint64_t k = 0;
    if (mpfr_sgn(position) >= 0)
        k = mpfr_cmp_ui(position, n - 1) >= 0 ? n : mpfr_get_ui(position, MPFR_RNDD) + 1;
    mpfr_clears(position, step, (mpfr_ptr)0);
    return DUSK_MUTATE(OPTIMAL_TERM_DROPPED, k, k < n ? k + 1 : k);
}

/* (f + d)^n - f^n = f^n ((1 + d/f)^n - 1), by the logarithm of f. */
static void add_infinite(dusk_interval *sum, const law *l, uint64_t n, const mpfr_t log_f)
{
    mpfr_prec_t precision = mpfr_get_prec(sum->lo);
    dusk_interval part;
    mpfr_t work;
    if (!(l->infinite > 0)) return;
    dusk_interval_init(&part, precision);
    mpfr_init2(work, precision);
    if (l->symmetric) { /* f + d = 1 */
        mpfr_mul_ui(work, log_f, DUSK_MUTATE(OPTIMAL_DELTAS_ONCE, n, 1), MPFR_RNDN);
        mpfr_expm1(work, work, MPFR_RNDN);
        mpfr_neg(work, work, MPFR_RNDN);
    } else {
        mpfr_neg(work, log_f, MPFR_RNDN);
        mpfr_exp(work, work, MPFR_RNDN);
        mpfr_mul_d(work, work, l->infinite, MPFR_RNDN);
        mpfr_log1p(work, work, MPFR_RNDN);
        mpfr_mul_ui(work, work, n, MPFR_RNDN);
        mpfr_expm1(work, work, MPFR_RNDN);
        mpfr_mul_ui(part.lo, log_f, n, MPFR_RNDN);
        mpfr_exp(part.lo, part.lo, MPFR_RNDN);
        mpfr_mul(work, work, part.lo, MPFR_RNDN);
    }
    /* errors: n times that of a logarithm, far below 2^-100; one time is exact */
    mpfr_mul_d(part.lo, work, 1 - 0x1p-53, MPFR_RNDD);
    mpfr_mul_d(part.hi, work, 1 + 0x1p-52, MPFR_RNDU);
    if (n == 1) dusk_interval_set(&part, l->infinite);
    dusk_interval_add(sum, sum, &part);
    dusk_interval_clear(&part);
    mpfr_clear(work);
}

/* Where terms that are summed one by one end: k when the continued fractions do
 * well at k, else past the mean that is near it. */
static uint64_t window_end(const law *l, uint64_t n, uint64_t k)
{
    double runs = (double)n, p = l->symmetric ? 1 / (1 + exp(-l->high)) : l->mass1 / (l->mass0 + l->mass1);
    double q = 1 / (1 + (1 - p) / p * exp(l->high - l->low)); /* under Q */
    double mean = runs * p, deviation = sqrt(mean * (1 - p)), low = runs * q,
           low_deviation = sqrt(low * (1 - q));
    bool near = fabs((double)k - mean) < NEAR * deviation,
         near_low = fabs((double)k - low) < NEAR * low_deviation;
    if (n < WINDOW_LEAST || !(deviation > 10 && low_deviation > 10) || !(near || near_low)) return k;
    double end = low + 1.5 * NEAR * low_deviation + 2;
    if (near || end > mean - 1.5 * NEAR * deviation) end = mean + 1.5 * NEAR * deviation + 2;
    if (!(end > (double)k && end < runs && end - (double)k < WINDOW_MAX)) return k;
    return k + (uint64_t)(end - (double)k);
}

/* The terms k <= i < end; the slope is added to. */
static void sum_window(dusk_interval *out, double *slope, const law *l, uint64_t n, double epsilon,
                       uint64_t k, uint64_t end)
{
    dusk_binomial_weights weights;
    mpfr_t gap, step;
    dusk_binomial_weights_init(&weights, DUSK_BINOMIAL_BITS);
    mpfr_inits2(DUSK_BINOMIAL_BITS, gap, step, (mpfr_ptr)0);
    mpfr_set_d(step, l->high, MPFR_RNDN);
    mpfr_sub_d(step, step, l->low, MPFR_RNDN);
    mpfr_set_d(gap, l->low, MPFR_RNDN); /* n a + k (b - a) - eps */
    mpfr_mul_ui(gap, gap, n, MPFR_RNDN);
    mpfr_sub_d(gap, gap, epsilon, MPFR_RNDN);
    mpfr_set(weights.total, step, MPFR_RNDN);
    mpfr_mul_ui(weights.total, weights.total, k, MPFR_RNDN);
    mpfr_add(gap, gap, weights.total, MPFR_RNDN);
    if (mpfr_sgn(gap) < 0) mpfr_set_zero(gap, 1);
    weigh(&weights, l);
    *slope += dusk_binomial_window(out, n, k, end, &weights, gap, step);
    mpfr_clears(gap, step, (mpfr_ptr)0);
    dusk_binomial_weights_clear(&weights);
}

/* delta(eps) of one law at one precision, without terms before `from` and the infinite
 * loss, which is in `infinite`; `other` is e^eps Q(L > eps). False when more precision
 * does not help. */
DUSK_PROVEN(enclose)
static bool enclose(dusk_interval *delta, dusk_interval *other, dusk_interval *infinite, const law *l,
                    uint64_t n, double epsilon, uint64_t from)
{
    mpfr_prec_t precision = mpfr_get_prec(delta->lo);
    int bits = (int)(precision - DUSK_BINOMIAL_BITS + 80);
    dusk_binomial_weights weights;
    dusk_binomial_weights_init(&weights, precision);
    uint64_t k = first_above(l, n, epsilon);
    if (from > k) k = from;
    weigh(&weights, l);
    bool reached = dusk_binomial_tail(delta, n, k, &weights, bits);
    mpfr_set_zero(infinite->lo, 1);
    mpfr_set_zero(infinite->hi, 1);
    add_infinite(infinite, l, n, weights.total);
    weigh_other(&weights, l, epsilon);
    reached = dusk_binomial_tail(other, n, k, &weights, bits) && reached;
    dusk_interval_sub(delta, delta, other);
    dusk_binomial_weights_clear(&weights);
    return reached;
}

static bool is_narrow(const dusk_interval *x, const dusk_interval *beside)
{
    mpfr_t width, size;
    mpfr_inits2(64, width, size, (mpfr_ptr)0);
    mpfr_sub(width, x->hi, x->lo, MPFR_RNDU);
    mpfr_add(size, x->hi, beside->hi, MPFR_RNDU);
    bool narrow =
        mpfr_zero_p(width) || (mpfr_sgn(x->hi) > 0 && mpfr_get_exp(width) < mpfr_get_exp(size) - GOOD);
    mpfr_clears(width, size, (mpfr_ptr)0);
    return narrow;
}

/* Bounds of the finite part and of all, for one law. */
static dusk_curve_look look_at(const law *l, uint64_t n, double epsilon)
{
    dusk_curve_look result = { .slope = 0 };
    double infinite_up = 1;
    uint64_t k = first_above(l, n, epsilon), end = window_end(l, n, k);
    dusk_interval window;
    dusk_interval_init(&window, DUSK_BINOMIAL_BITS);
    dusk_interval_set(&window, 0);
    if (end > k) sum_window(&window, &result.slope, l, n, epsilon, k, end);
    for (mpfr_prec_t precision = DUSK_BINOMIAL_BITS;; precision *= 2) {
        dusk_interval delta, other, infinite;
        dusk_interval_init(&delta, precision);
        dusk_interval_init(&other, precision);
        dusk_interval_init(&infinite, precision);
        bool reached = enclose(&delta, &other, &infinite, l, n, epsilon, end > k ? end : 0);
        bool done = !reached || is_narrow(&delta, &infinite) || precision >= PRECISION_MAX;
        if (done) {
            if (mpfr_sgn(delta.lo) < 0) mpfr_set_zero(delta.lo, 1);
            dusk_interval_add(&delta, &delta, &window);
            dusk_interval_add(&delta, &delta, &infinite);
            infinite_up = mpfr_get_d(infinite.hi, MPFR_RNDU);
            result.delta = (dusk_bound){ mpfr_get_d(delta.lo, MPFR_RNDD), mpfr_get_d(delta.hi, MPFR_RNDU) };
            result.slope += mpfr_get_d(other.hi, MPFR_RNDN);
        }
        dusk_interval_clear(&delta);
        dusk_interval_clear(&other);
        dusk_interval_clear(&infinite);
        if (done) break;
    }
    dusk_interval_clear(&window);
    /* not more than n times the total variation of one, tanh(b/2) <= b/2 */
    if (l->symmetric) {
        double variation = dusk_mul_up(dusk_bound_of_whole(n).upper, l->high / 2 + DBL_TRUE_MIN);
        double sum = dusk_add_up(variation, infinite_up);
        if (sum < result.delta.upper) result.delta.upper = sum;
    }
    /* also for what underflows; what overflowed, and is not a number then, says nothing */
    if (result.delta.upper < DBL_TRUE_MIN) result.delta.upper = DBL_TRUE_MIN;
    result.delta = dusk_bound_clamp(result.delta);
    if (result.delta.lower > result.delta.upper) result.delta.lower = 0;
    return result;
}

DUSK_PROVEN(binomial_look)
static dusk_curve_look binomial_look(const void *curve, double epsilon)
{
    const binomial_curve *c = curve;
    dusk_curve_look found = look_at(&c->upper, c->n, epsilon);
    if (!c->tight) found.delta.lower = 0;
    if (c->tight && !c->same)
        found.delta.lower = epsilon < c->top.lower ? look_at(&c->lower, c->n, epsilon).delta.lower : 0;
    return found;
}

/* P(L = inf) of all n, one law. */
static dusk_bound infinite_of(const law *l, uint64_t n)
{
    dusk_binomial_weights weights;
    dusk_interval sum;
    dusk_binomial_weights_init(&weights, DUSK_BINOMIAL_BITS);
    dusk_interval_init(&sum, DUSK_BINOMIAL_BITS);
    dusk_interval_set(&sum, 0);
    weigh(&weights, l);
    add_infinite(&sum, l, n, weights.total);
    dusk_bound infinite = { mpfr_get_d(sum.lo, MPFR_RNDD), mpfr_get_d(sum.hi, MPFR_RNDU) };
    dusk_interval_clear(&sum);
    dusk_binomial_weights_clear(&weights);
    return dusk_bound_clamp(infinite);
}

static bool laws_are_same(const law *a, const law *b)
{
    return a->symmetric && b->symmetric && a->high == b->high && a->infinite == b->infinite;
}

dusk_status dusk_binomial_curve(dusk_loss_curve *out, const dusk_pair *pair, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    binomial_curve *c;
    DUSK_NEW(c, 1);
    c->n = pair->times;
    c->upper = law_of(pair, true);
    c->lower = law_of(pair, false);
    c->same = laws_are_same(&c->upper, &c->lower);
    c->tight = pair->tight && law_is_good(&c->lower);
    dusk_bound n = dusk_bound_of_whole(c->n);
    c->top.upper = c->upper.high > 0 ? dusk_mul_up(n.upper, c->upper.high) : 0;
    c->top.lower = c->tight && c->lower.high > 0 ? dusk_mul_down(n.lower, c->lower.high) : 0;
    *out = (dusk_loss_curve){ .look = binomial_look, .free = dusk_deallocate, .curve = c, .tight = c->tight };
    out->top = c->top;
    /* of the finite losses, about */
    double p = c->upper.mass1 / (c->upper.mass0 + c->upper.mass1), width = c->upper.high - c->upper.low;
    out->mean = n.upper * (c->upper.low + p * width);
    out->deviation = sqrt(n.upper * p * (1 - p)) * width;
    out->infinite = infinite_of(&c->upper, c->n);
    if (!c->tight)
        out->infinite.lower = 0;
    else if (!c->same)
        out->infinite.lower = infinite_of(&c->lower, c->n).lower;
done:
    return status;
}
