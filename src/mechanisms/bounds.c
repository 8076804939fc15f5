/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for a column, found in the data and paid for [as in Wilson et al. 2020,
 * section 5.1.1, "approx bounds"]: rows are counted in bins between powers of two,
 * negative ones too; every count gets discrete Laplace noise, and the bounds reach
 * from the first to the last bin whose noisy count passes a threshold that, with the
 * confidence asked for, no empty bin passes. Which bins there are is public. Proof:
 * bounds.proof.md.
 *
 * Above-threshold from the outside in needs several times as many rows at the ends
 * before it stops (docs/examples/choice.md), since it pays for two searches and two
 * noises each where one histogram serves both ends. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/bounds.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

typedef struct bounds_plan {
    int lowest, highest; /* magnitudes from 2^lowest to 2^highest have bins */
    size_t side, bins;   /* bins of one sign; all: the middle one is that of 0 */
    dusk_noise noise;
    double width;     /* all |noise| <= width, with probability 1 - beta / 2 */
    double threshold; /* width + 1: what an empty bin does not reach then */
    dusk_statement statement;
} bounds_plan;

/* --- what is public ------------------------------------------------------------------- */

static dusk_status place_bins(bounds_plan *plan, double resolution, double largest, dusk_error *err)
{
    if (!(resolution > 0 && isfinite(largest) && largest > resolution))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example resolution 1e-9 and largest 1e18",
                         "resolution must be above 0, largest above it and finite");
    plan->lowest = ilogb(resolution);
    plan->highest = ilogb(largest) + (ldexp(1, ilogb(largest)) < largest);
    plan->side = (size_t)(plan->highest - plan->lowest);
    plan->bins = 2 * plan->side + 1;
    return DUSK_OK;
}

static dusk_status make_plan(bounds_plan *plan, const dusk_aggregate *how, double resolution, double largest,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    double m = how->rows_per_unit;
    bool two_sided = DUSK_MUTATE(BOUNDS_ONE_SIDED, how->neighbours == DUSK_REPLACE_ONE, false);

    DUSK_TRY(dusk_aggregate_check(how, false, err));
    if (how->delta != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave delta at 0: the noise is discrete Laplace noise",
                         "delta must be 0");
    DUSK_TRY(place_bins(plan, resolution, largest, err));
    DUSK_TRY(dusk_aggregate_count_noise(&plan->noise, how, 1, (uint32_t)plan->bins, two_sided ? 2 * m : m, m,
                                        err));
    DUSK_TRY(dusk_aggregate_interval(&plan->width, how, 2, &plan->noise, err));
    plan->width = floor(plan->width); /* counts are whole; nothing was rounded */
    plan->threshold = DUSK_MUTATE(BOUNDS_LOW_THRESHOLD, plan->width + 1, plan->width / 2);
    DUSK_TRY(dusk_noise_event(&plan->noise, &event, err));
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, false, &event, err));
done:
    return status;
}

/* The bin of a row, from the most negative one: NaN and what is smaller than the
 * resolution is 0, what is larger than the largest is in the last bin. */
DUSK_PROVEN(bin_of)
static size_t bin_of(const bounds_plan *plan, double row)
{
    double size = fabs(row);
    if (!(size >= ldexp(1, plan->lowest))) return plan->side;
    int e = size < ldexp(1, plan->highest - 1) ? ilogb(size) : plan->highest - 1;
    size_t from_zero = (size_t)(e - plan->lowest) + 1;
    return row > 0 ? plan->side + from_zero : plan->side - from_zero;
}

/* 2^exponent, or the largest double. */
static double power(int exponent) { return exponent < DBL_MAX_EXP ? ldexp(1, exponent) : DBL_MAX; }

/* The ends of a bin. */
static double end_of(const bounds_plan *plan, size_t bin, bool upper)
{
    if (bin == plan->side) return 0;
    if (bin > plan->side) return power(plan->lowest + (int)(bin - plan->side) - !upper);
    return -power(plan->lowest + (int)(plan->side - bin) - upper);
}

/* --- what follows from the noisy counts ------------------------------------------------- */

/* Chernoff: ln E[exp(x K)] = -ln(1 - (sinh(x/2) / sinh(1/(2b)))^2) for discrete Laplace
 * noise K of scale b; any x in (0, 1/b) gives a bound, and the best of some is taken. 1e-9
 * covers the rounding. */
DUSK_PROVEN(dusk_bounds_sum_tail_up)
double dusk_bounds_sum_tail_up(double scale, size_t count, double log_ways)
{
    double half = 0.5 / scale, least = INFINITY;
    if (count == 0) return 0;
    for (int i = 1; i < 64 && half < 300; i++) {
        double x = i / 64.0 / scale, ratio = sinh(x / 2) / sinh(half);
        double cumulant = -log1p(-ratio * ratio * (1 + 1e-9));
        least = fmin(least, ((double)count * cumulant + log_ways) / x);
    }
    return least * (1 + 1e-9);
}

/* At most how many rows are in the bins [from, to), two ways: bin by bin, and by the
 * sum of their noise; log_ways counts all the sets of bins this is asked about. */
static double rows_up(const bounds_plan *plan, const double *noisy, size_t from, size_t to, double log_ways)
{
    double each = 0, sum = 0;
    for (size_t i = from; i < to; i++) {
        each += fmax(noisy[i] + plan->width, 0);
        sum += noisy[i];
    }
    return fmax(floor(fmin(each, sum + dusk_bounds_sum_tail_up(plan->noise.scale, to - from, log_ways))), 0);
}

DUSK_PROVEN(read_bounds)
static void read_bounds(dusk_bounds *out, const bounds_plan *plan, const double *noisy, double confidence)
{
    size_t first = 0, last = plan->bins;
    double beta = dusk_sub_down(1, confidence) / 2;
    double log_ways = dusk_log_up(dusk_div_up(2 * (double)plan->bins, beta));
    while (first < plan->bins && !(noisy[first] >= plan->threshold)) first++;
    while (last > first && !(noisy[last - 1] >= plan->threshold)) last--;
    out->found = first < plan->bins;
    out->lower = out->found ? end_of(plan, first, false) : 0;
    out->upper = out->found ? end_of(plan, last - 1, true) : 0;
    if (out->lower == out->upper) { /* 0: nothing was found, or nothing but it */
        out->lower = -power(plan->lowest);
        out->upper = power(plan->lowest);
        first = plan->side;
        last = plan->side + 1;
    }
    out->outside =
        rows_up(plan, noisy, 0, first, log_ways) + rows_up(plan, noisy, last, plan->bins, log_ways);
}

/* --- release ------------------------------------------------------------------------------- */

DUSK_PROVEN(dusk_bounds_release)
dusk_status dusk_bounds_release(dusk_bounds *out, const dusk_aggregate *how, double resolution,
                                double largest, const double *rows, size_t n, dusk_generator *gen,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    bounds_plan plan;
    dusk_pool pool = { 0 };
    uint64_t *counts = NULL;
    double *noisy = NULL;

    DUSK_TRY(make_plan(&plan, how, resolution, largest, err));
    DUSK_NEW(counts, plan.bins);
    DUSK_NEW(noisy, plan.bins);
    DUSK_TRY(dusk_pool_draw(&pool, &plan.noise, plan.bins, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) counts[bin_of(&plan, rows[i])]++;
    for (size_t i = 0; i < plan.bins; i++) noisy[i] = (double)dusk_pool_add(&pool, i, counts[i]);
    read_bounds(out, &plan, noisy, how->confidence);
    out->confidence = how->confidence;
    out->statement = plan.statement;
done:
    if (counts) dusk_wipe(counts, plan.bins * sizeof *counts);
    dusk_deallocate(counts);
    dusk_deallocate(noisy);
    dusk_pool_clear(&pool);
    return status;
}
