/* SPDX-License-Identifier: Apache-2.0 */
/* Losses. The exponential is a polynomial of degree 11 without tables or branches, so that compilers put rows into
 * lanes; every operation is rounded the same way in a lane as alone, hence a row's slope does not depend on its place. Its
 * relative error is below 1e-13; no promise rests on that. */
#include "learn/loss.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* puts loops over rows into lanes */
#endif

/* --- the exponential --------------------------------------------------------------------------------------------- */

#define LANE static inline __attribute__((always_inline))
#define SHIFTER 0x1.8p52 /* added to a small number it leaves the nearest whole number in the low bits */

/* exp(x) for |x| <= 700. */
LANE double exponential(double x)
{
    double shifted = x * 0x1.71547652b82fep+0 + SHIFTER;
    double whole = shifted - SHIFTER;
    double r = x - whole * 0x1.62e42fefa3800p-1 - whole * 0x1.ef35793c76730p-45;
    double r2 = r * r, r4 = r2 * r2;
    double low = (1 + r) + r2 * (1. / 2 + r * (1. / 6));
    double middle = (1. / 24 + r * (1. / 120)) + r2 * (1. / 720 + r * (1. / 5040));
    double high = (1. / 40320 + r * (1. / 362880)) + r2 * (1. / 3628800 + r * (1. / 39916800));
    double value = low + r4 * (middle + r4 * high), power;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52; /* what is above the low bits falls out */
    memcpy(&power, &bits, sizeof power);
    return value * power;
}

LANE double within(double x, double most)
{
    x = x < -most ? -most : x;
    return x > most ? most : x;
}

LANE double sigmoid(double x) { return 1 / (1 + exponential(-within(x, 700))); }

double learn_sigmoid(double x) { return sigmoid(x); }

/* --- losses of one number ------------------------------------------------------------------------------------------ */

learn_loss learn_loss_of(learn_loss_kind kind, double knee)
{
    learn_loss loss = { .kind = kind, .knee = knee, .margin = kind <= LEARN_SMOOTH_HINGE };
    switch (kind) {
    case LEARN_LOGISTIC: loss.lipschitz = 1, loss.smoothness = 0.25; break;
    case LEARN_HUBER_SVM: loss.lipschitz = 1, loss.smoothness = 1 / (2 * knee); break;
    case LEARN_SMOOTH_HINGE: loss.lipschitz = 1, loss.smoothness = 1 / knee; break;
    case LEARN_SQUARED: loss.lipschitz = INFINITY, loss.smoothness = 1; break;
    case LEARN_HUBER:
    case LEARN_PSEUDO_HUBER:
    case LEARN_LOG_COSH: loss.lipschitz = knee, loss.smoothness = 1; break;
    }
    return loss;
}

double learn_loss_value(const learn_loss *loss, double at)
{
    const double h = loss->knee, size = fabs(at);
    switch (loss->kind) {
    case LEARN_LOGISTIC: return fmax(-at, 0) + log1p(exp(-size));
    case LEARN_HUBER_SVM:
        if (at >= 1 + h) return 0;
        return at <= 1 - h ? 1 - at : (1 + h - at) * (1 + h - at) / (4 * h);
    case LEARN_SMOOTH_HINGE:
        if (at >= 1) return 0;
        return at <= 1 - h ? 1 - at - h / 2 : (1 - at) * (1 - at) / (2 * h);
    case LEARN_SQUARED: return at * at / 2;
    case LEARN_HUBER: return size <= h ? at * at / 2 : h * size - h * h / 2;
    case LEARN_PSEUDO_HUBER: return at * at / (1 + sqrt(1 + at / h * (at / h)));
    case LEARN_LOG_COSH: return h * h * (size / h + log1p(exp(-2 * size / h)) - M_LN2);
    }
    return 0;
}

LANE double slope(learn_loss_kind kind, double h, double at)
{
    switch (kind) {
    case LEARN_LOGISTIC: return -sigmoid(-at);
    case LEARN_HUBER_SVM: return -within((1 + h - at) / (2 * h) - 0.5, 0.5) - 0.5;
    case LEARN_SMOOTH_HINGE: return -within((1 - at) / h - 0.5, 0.5) - 0.5;
    case LEARN_SQUARED: return at;
    case LEARN_HUBER: return within(at, h);
    case LEARN_PSEUDO_HUBER: return within(at / sqrt(1 + at / h * (at / h)), h);
    case LEARN_LOG_COSH: return within(h * (2 * sigmoid(2 * at / h) - 1), h);
    }
    return 0;
}

double learn_loss_slope(const learn_loss *loss, double at) { return slope(loss->kind, loss->knee, at); }

double learn_loss_curvature(const learn_loss *loss, double at)
{
    const double h = loss->knee, p = sigmoid(at), q = sigmoid(2 * at / h);
    switch (loss->kind) {
    case LEARN_LOGISTIC: return p * (1 - p);
    case LEARN_HUBER_SVM: return fabs(1 - at) <= h ? loss->smoothness : 0;
    case LEARN_SMOOTH_HINGE: return at >= 1 - h && at <= 1 ? loss->smoothness : 0;
    case LEARN_SQUARED: return 1;
    case LEARN_HUBER: return fabs(at) <= h ? 1 : 0;
    case LEARN_PSEUDO_HUBER: return pow(1 + at / h * (at / h), -1.5);
    case LEARN_LOG_COSH: return 4 * q * (1 - q);
    }
    return 0;
}

enum { AT_ONCE = 64 };

/* One loop a loss, so that the choice is made once; in place, by way of a few numbers that nothing else points to. */
LANE void slopes_of(const learn_loss *loss, double *out, const double *at, size_t n)
{
    const double h = loss->knee;
    double x[AT_ONCE];
#define LOOP(kind)                                                                                           \
    case kind:                                                                                               \
        for (size_t i = 0; i < AT_ONCE; i++) x[i] = slope(kind, h, x[i]);                                    \
        break
    for (size_t first = 0; first < n; first += AT_ONCE) {
        const size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        for (size_t i = count; i < AT_ONCE; i++) x[i] = 0;
        memcpy(x, at + first, count * sizeof *x);
        switch (loss->kind) {
            LOOP(LEARN_LOGISTIC);
            LOOP(LEARN_HUBER_SVM);
            LOOP(LEARN_SMOOTH_HINGE);
            LOOP(LEARN_SQUARED);
            LOOP(LEARN_HUBER);
            LOOP(LEARN_PSEUDO_HUBER);
            LOOP(LEARN_LOG_COSH);
        }
        memcpy(out + first, x, count * sizeof *x);
    }
#undef LOOP
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void slopes_avx2(const learn_loss *loss, double *out, const double *at,
                                                        size_t n)
{
    slopes_of(loss, out, at, n);
}
#endif

void learn_loss_slopes(const learn_loss *loss, double *out, const double *at, size_t n)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        slopes_avx2(loss, out, at, n);
        return;
    }
#endif
    slopes_of(loss, out, at, n);
}

/* --- losses of k scores ----------------------------------------------------------------------------------------------- */

static double largest(const double *scores, size_t k)
{
    double most = scores[0];
    for (size_t j = 1; j < k; j++) most = fmax(most, scores[j]);
    return most;
}

double learn_softmax_value(const double *scores, size_t k, size_t class)
{
    double most = largest(scores, k), sum = 0;
    for (size_t j = 0; j < k; j++) sum += exp(scores[j] - most);
    return log(sum) + most - scores[class];
}

void learn_softmax(double *probabilities, const double *scores, size_t k)
{
    double most = largest(scores, k), sum = 0;
    for (size_t j = 0; j < k; j++) {
        probabilities[j] = exponential(within(scores[j] - most, 700));
        sum += probabilities[j];
    }
    for (size_t j = 0; j < k; j++) probabilities[j] /= sum;
}

void learn_softmax_slopes(double *slopes, const double *scores, size_t k, size_t class)
{
    learn_softmax(slopes, scores, k);
    slopes[class] -= 1;
}
