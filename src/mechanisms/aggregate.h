/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_AGGREGATE_H
#define DUSK_MECHANISMS_AGGREGATE_H

/* What the aggregates share: the check of a request, noise for exact sums and
 * for whole numbers, sums of rows about the middle of their bounds, intervals,
 * and the statement. Everything but the sums looks at public parameters only. */

#include "base/platform.h"
#include "dusk/mechanisms.h"

/* `bounded`: lower and upper are used. */
DUSK_MUST_USE dusk_status dusk_aggregate_check(const dusk_aggregate *how, bool bounded, dusk_error *err);

/* Under replace-one every unit has exactly its one row: n is public. */
bool dusk_aggregate_size_is_public(const dusk_aggregate *how);

/* One of `parts` noises that together keep the promise of `how`, for a sum of
 * rows, each at most `largest` in size and rounded toward zero to the grid. It
 * is so fine that 2^32 such roundings are below 2^-19 of the scale (2^-8 where
 * epsilon is near 2^20). */
DUSK_MUST_USE dusk_status dusk_aggregate_sum_noise(dusk_noise *out, const dusk_aggregate *how, unsigned parts,
                                                   double sensitivity, double largest, dusk_error *err);
/* The same for `dimension` whole numbers. Laplace noise (delta 0) is for the l1
 * sensitivity, Gaussian noise for the l2 sensitivity; nothing is rounded. */
DUSK_MUST_USE dusk_status dusk_aggregate_count_noise(dusk_noise *out, const dusk_aggregate *how,
                                                     unsigned parts, uint32_t dimension, double l1, double l2,
                                                     dusk_error *err);

/* The event of releases with all these noises; none: the answer is public. */
DUSK_MUST_USE dusk_status dusk_aggregate_event(dusk_event *out, const dusk_noise *noises, unsigned n,
                                               dusk_error *err);
/* The statement: the event beside what `how` declares. */
DUSK_MUST_USE dusk_status dusk_aggregate_state(dusk_statement *out, const dusk_aggregate *how, bool bounded,
                                               const dusk_event *event, dusk_error *err);

/* Half of a released number's interval, when the intervals of `parts` numbers
 * shall hold together with how->confidence. */
DUSK_MUST_USE dusk_status dusk_aggregate_interval(double *half_width, const dusk_aggregate *how,
                                                  unsigned parts, const dusk_noise *noise, dusk_error *err);

/* Rows about the middle of [lower, upper]. */
typedef struct dusk_centre {
    double lower, upper, middle;
    double reach;       /* |row - middle| <= reach                            */
    double half_square; /* >= reach^2 / 2: (row - middle)^2 - half_square is
                           between -half_square and half_square               */
} dusk_centre;
dusk_centre dusk_centre_of(const dusk_aggregate *how);
/* Sums over rows, each term clamped to +-reach (+-half_square) and rounded
 * toward zero to the grid. NaN counts as the point of [lower, upper] nearest 0. */
dusk_int128 dusk_centre_sum(const dusk_centre *centre, const double *rows, size_t n, int grid);
dusk_int128 dusk_centre_sum_squares(const dusk_centre *centre, const double *rows, size_t n, int grid);

/* Intervals with directed rounding. */
typedef struct dusk_range {
    double low, high;
} dusk_range;
/* value +- half_width, and what a multiple of 2^grid lost in becoming a double. */
dusk_range dusk_range_about(double value, double half_width, int grid);
/* { t / n : t in `total`, n in `count` }, count.low > 0. */
dusk_range dusk_range_ratio(dusk_range total, dusk_range count);
dusk_range dusk_range_square(dusk_range x);
dusk_range dusk_range_clamp(dusk_range x, double low, double high);

/* Where the mean lies, when the sum about the middle, on this grid, lies in `total` and the number of rows in
 * `rows` (mean.c). */
dusk_range dusk_mean_range(const dusk_centre *centre, dusk_range total, dusk_range rows, int grid);
/* The population variance of noisy numbers (the sum about the middle, that of squares about half_square, and
 * the count), and where it lies when they lie in `numbers`; grids of the first two (variance.c). */
double dusk_variance_value(const dusk_centre *centre, const double *noisy);
dusk_range dusk_variance_range(const dusk_centre *centre, const dusk_range numbers[3], const int grids[2]);

#endif
