/* SPDX-License-Identifier: Apache-2.0 */
/* Ticks of an axis; see plot.h. A linear axis has steps of 1, 2 or 5 times a
 * power of ten. A logarithmic one has powers of ten, every k-th when they are
 * many, and 2 and 5 between them when they are few. */
#include <float.h>
#include <math.h>

#include "cli/plot.h"

#define WANTED 7

static void add(dusk_ticks *out, double at, bool labelled)
{
    if (out->n == DUSK_PLOT_TICKS_MAX || !isfinite(at)) return;
    if (at < out->low * (1 - 1e-12) - DBL_MIN || at > out->high * (1 + 1e-12)) return;
    out->at[out->n] = at;
    out->labelled[out->n++] = labelled;
}

/* The least of 1, 2, 5 times a power of ten that is no less than x > 0. */
static double round_step(double x, int *decimals)
{
    double power = pow(10, floor(log10(x))), step = 10 * power;
    if (x <= 5 * power) step = 5 * power;
    if (x <= 2 * power) step = 2 * power;
    if (x <= power) step = power;
    int exponent = (int)floor(log10(step) + 1e-9);
    *decimals = exponent < 0 ? -exponent : 0;
    return step;
}

static void make_linear(dusk_ticks *out)
{
    double span = out->high - out->low;
    if (!(span > 0)) {
        out->high = out->low + (out->low > 0 ? out->low : 1);
        span = out->high - out->low;
    }
    double step = round_step(span / WANTED, &out->decimals);
    double first = floor(out->low / step + 1e-9), last = ceil(out->high / step - 1e-9);
    out->low = first * step;
    out->high = fmin(last * step, DBL_MAX);
    for (double i = first; i <= last && out->n < DUSK_PLOT_TICKS_MAX; i++) add(out, i * step, true);
}

/* The largest m * 10^k at most x (the least at least x with `up`), m in 1, 2, 5. */
static double round_125(double x, bool up)
{
    static const double m[] = { 1, 2, 5, 10 };
    double power = pow(10, floor(log10(x)));
    for (int i = 0; i < 4; i++) {
        double here = m[up ? i : 3 - i] * power;
        if (up ? here >= x * (1 - 1e-9) : here <= x * (1 + 1e-9)) return here;
    }
    return x;
}

static void make_logarithmic(dusk_ticks *out)
{
    double decades = log10(out->high) - log10(out->low);
    bool few = decades < 3;
    if (!(decades > 0.3)) {
        out->low /= 2;
        out->high *= 2;
    }
    out->low = few ? round_125(out->low, false) : pow(10, floor(log10(out->low) + 1e-9));
    out->high = few ? round_125(out->high, true) : pow(10, ceil(log10(out->high) - 1e-9));
    int from = (int)floor(log10(out->low) + 1e-9), to = (int)ceil(log10(out->high) - 1e-9);
    int every = (to - from + WANTED) / (WANTED + 1);
    if (every < 1) every = 1;
    for (int k = from; k <= to; k++) {
        bool labelled = ((k % every) + every) % every == 0;
        if (labelled) add(out, pow(10, k), true);
        if (!few) continue;
        for (int i = 2; i < 10; i++) add(out, i * pow(10, k), i == 2 || i == 5);
    }
}

void dusk_ticks_make(dusk_ticks *out, const dusk_plot_axis *axis)
{
    *out = (dusk_ticks){ .low = axis->low, .high = axis->high, .logarithmic = axis->logarithmic };
    if (axis->logarithmic)
        make_logarithmic(out);
    else
        make_linear(out);
}

double dusk_ticks_place(const dusk_ticks *ticks, double x)
{
    if (!ticks->logarithmic) return (x - ticks->low) / (ticks->high - ticks->low);
    return (log10(x) - log10(ticks->low)) / (log10(ticks->high) - log10(ticks->low));
}
