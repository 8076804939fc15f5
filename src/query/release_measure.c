/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy numbers of a group as what the analyst asked for, with an interval each: with the confidence asked
 * for, cell by cell, the exact answer of the bounded rows lies in it (several cells together: less often).
 * It is cut to what is possible. Values of counts and sums are not: they stay unbiased, and a count of
 * few rows may be negative. Of no rows the mean is the middle of the bounds and the variance 0.
 *
 * A quantile is off in rank, and how far that is in value only the rows would tell: its interval is
 * the bounds. */
#include <math.h>

#include "base/mutant.h"
#include "numeric/rounding.h"
#include "query/release_draw.h"

typedef struct measured {
    double value;
    dusk_range range;
} measured;

/* What a measure reads: its noisy numbers. */
typedef struct numbers {
    const query_terms *terms;
    const query_source_of *of;
    double count, sum, squares;
} numbers;

static double number_of(const query_terms *terms, const query_released *released, size_t primitive, size_t i)
{
    (void)terms;
    return primitive == QUERY_NONE ? 0 : released->number[primitive][i];
}

static int grid_of(const numbers *in, size_t primitive) { return in->terms->primitive[primitive].noise.grid; }

/* A count that is shown because it reached the threshold T says little when it is near it: for a true count
 * n <= T, noise beyond T - n has forgotten n, and P(count - T > w) <= exp(-w / scale) whatever n is. So the low
 * end is the usual one above T + w, and 1 at most below, w being for half the risk: given that the key is
 * shown, it is above n with probability exp(-w / scale) at most, for n > T too. The high end only gains by
 * the condition. */
static dusk_range count_range(const numbers *in)
{
    const query_terms *terms = in->terms;
    dusk_range range = dusk_range_about(in->count, in->of->width_of_count, 0);
    if (DUSK_MUTATE(MEASURE_FORGETS_THRESHOLD, in->of->count == terms->counted, false) &&
        in->count <= (double)terms->selection.threshold + in->of->width_of_count)
        range.low = fmin(range.low, 1);
    return range;
}

static dusk_range sum_range(const numbers *in)
{
    return dusk_range_about(in->sum, in->of->width_of_sum, grid_of(in, in->of->sum));
}

static measured count_of(const numbers *in)
{
    return (measured){ in->count, dusk_range_clamp(count_range(in), 0, INFINITY) };
}

/* What a sum of rows can be, by the signs of its bounds. */
static dusk_range possible(const dusk_centre *c, dusk_range range)
{
    return dusk_range_clamp(range, c->lower >= 0 ? 0 : -INFINITY, c->upper <= 0 ? 0 : INFINITY);
}

static dusk_range wider(dusk_range range, double by)
{
    return (dusk_range){ dusk_sub_down(range.low, by), dusk_add_up(range.high, by) };
}

static measured plain_sum_of(const numbers *in)
{
    const query_primitive *p = &in->terms->primitive[in->of->sum];
    dusk_range range = sum_range(in);
    if (p->rounds) range = wider(range, ldexp(QUERY_ROWS_MOST * (1 + 0x1p-52), p->noise.grid));
    return (measured){ in->sum, possible(&in->of->centre, range) };
}

/* middle n + T: n is whole and not negative; each row of T lost a step and a rounding. */
static measured derived_sum_of(const numbers *in, bool whole)
{
    const dusk_centre *c = &in->of->centre;
    dusk_range n = dusk_range_clamp(count_range(in), 0, INFINITY), total = sum_range(in);
    double lost = (ldexp(1, grid_of(in, in->of->sum)) + c->reach * 0x1p-52) * QUERY_ROWS_MOST * (1 + 0x1p-50);
    dusk_range centres = { dusk_mul_down(c->middle, c->middle < 0 ? n.high : n.low),
                           dusk_mul_up(c->middle, c->middle < 0 ? n.low : n.high) };
    dusk_range range = { dusk_add_down(centres.low, total.low), dusk_add_up(centres.high, total.high) };
    double value = c->middle * in->count + in->sum;
    range = possible(c, wider(range, lost));
    if (whole) { /* so is the sum of the rows */
        value = rint(value);
        range = (dusk_range){ ceil(range.low), floor(range.high) };
    }
    return (measured){ value, range };
}

static measured mean_of(const numbers *in)
{
    const dusk_centre *c = &in->of->centre;
    double value = c->middle + in->sum / fmax(in->count, 1);
    return (measured){ fmin(fmax(value, c->lower), c->upper),
                       dusk_mean_range(c, sum_range(in), count_range(in), grid_of(in, in->of->sum)) };
}

static measured population_of(const numbers *in)
{
    const int grids[2] = { grid_of(in, in->of->sum), grid_of(in, in->of->squares) };
    const double noisy[3] = { in->sum, in->squares, in->count };
    const dusk_range ranges[3] = { sum_range(in),
                                   dusk_range_about(in->squares, in->of->width_of_squares, grids[1]),
                                   count_range(in) };
    return (measured){ dusk_variance_value(&in->of->centre, noisy),
                       dusk_variance_range(&in->of->centre, ranges, grids) };
}

/* n / (n - 1) times the population's, which falls as n grows, from 2 at n = 2. */
static measured sample_of(const numbers *in)
{
    measured m = population_of(in);
    dusk_range n = dusk_range_clamp(count_range(in), 2, INFINITY);
    double count = fmax(in->count, 2);
    m.value *= count / (count - 1);
    if (isfinite(n.high)) m.range.low = dusk_mul_down(m.range.low, dusk_div_down(n.high, n.high - 1));
    m.range.high = dusk_mul_up(m.range.high, dusk_div_up(n.low, n.low - 1));
    return m;
}

static measured root_of(measured m)
{
    return (measured){ sqrt(m.value), { dusk_sqrt_down(m.range.low), dusk_sqrt_up(m.range.high) } };
}

static measured rank_of(const numbers *in, const query_released *released, size_t i, bool whole)
{
    const query_source_of *of = in->of;
    const query_primitive *p = &in->terms->primitive[of->collected];
    double value = released->number[of->collected][i * p->fractions + of->fraction];
    return (measured){ whole ? rint(value) : value, { p->total.lower, p->total.upper } };
}

static measured measure_of(const numbers *in, const query_measure *measure, const query_released *released,
                           size_t i)
{
    switch (measure->kind) {
    case QUERY_SUM: return in->of->derived ? derived_sum_of(in, measure->whole) : plain_sum_of(in);
    case QUERY_MEAN: return mean_of(in);
    case QUERY_VARIANCE: return sample_of(in);
    case QUERY_VARIANCE_POPULATION: return population_of(in);
    case QUERY_DEVIATION: return root_of(sample_of(in));
    case QUERY_DEVIATION_POPULATION: return root_of(population_of(in));
    case QUERY_QUANTILE: return rank_of(in, released, i, false);
    case QUERY_MINIMUM:
    case QUERY_MAXIMUM: return rank_of(in, released, i, measure->whole);
    default: return count_of(in);
    }
}

static dusk_type type_of(const query_measure *measure)
{
    switch (measure->kind) {
    case QUERY_COUNT_ROWS:
    case QUERY_COUNT_VALUES:
    case QUERY_COUNT_UNITS:
    case QUERY_COUNT_DISTINCT: return DUSK_TYPE_INTEGER;
    case QUERY_SUM:
    case QUERY_MINIMUM:
    case QUERY_MAXIMUM: return measure->whole ? DUSK_TYPE_INTEGER : DUSK_TYPE_REAL;
    default: return DUSK_TYPE_REAL;
    }
}

void query_measure_cell(dusk_cell *out, const query_terms *terms, const query_released *released,
                        size_t measure, size_t group)
{
    const query_source_of *of = &terms->measure[measure];
    const query_measure *wanted = &terms->plan->measure[measure];
    numbers in = { .terms = terms,
                   .of = of,
                   .count = number_of(terms, released, of->count, group),
                   .sum = number_of(terms, released, of->sum, group),
                   .squares = number_of(terms, released, of->squares, group) };
    measured m = measure_of(&in, wanted, released, group);
    *out =
        (dusk_cell){ .type = type_of(wanted), .number = m.value, .low = m.range.low, .high = m.range.high };
}
