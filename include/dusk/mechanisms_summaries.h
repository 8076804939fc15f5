/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_SUMMARIES_H
#define DUSK_MECHANISMS_SUMMARIES_H

/* Summaries of rows within declared bounds, and noise that follows the data.
 * What all mechanisms have in common: dusk/mechanisms.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/mechanisms_numbers.h"
#include "dusk/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Aggregates on bounded data ---------------------------------------------------- */

/* How an aggregate is to be made; set what has no default. */
typedef struct dusk_aggregate {
    size_t size;                /* set by _init */
    dusk_neighbours neighbours; /* no default: must be set */
    double lower, upper;        /* rows are clamped into [lower, upper]; no default where needed */
    uint32_t rows_per_unit;     /* 1: how many rows one unit may hold; the caller sees to it */
    double epsilon;             /* no default */
    double delta;               /* 0: Laplace noise; in (0, 1): Gaussian */
    double confidence;          /* 0.95: of the intervals */
    const char *unit;           /* "row": whose privacy, for the statement */
} dusk_aggregate;
DUSK_API void dusk_aggregate_init(dusk_aggregate *how);

/* An answer with its interval and its statement. `low` and `high` enclose the
 * exact (non-private) result of the bounded data with the confidence asked for
 * (sums: of up to 2^32 rows). */
typedef struct dusk_answer {
    double value;
    double low, high;
    double confidence;
    dusk_statement statement;
} dusk_answer;

/* How many rows. Under add/remove the noise is for rows_per_unit rows; under
 * replace-one the number of units is public, the number of rows is not. */
DUSK_API DUSK_MUST_USE dusk_status dusk_count_release(dusk_answer *out, const dusk_aggregate *how,
                                                      uint64_t rows, dusk_generator *gen, dusk_error *err);
/* Sum, mean and (population) variance of clamped rows; NaN counts as the point
 * of [lower, upper] nearest 0. Exact sums on the grid, whatever n. Mean and
 * variance of no rows are those of one row in the middle: no error. Under
 * replace-one with rows_per_unit = 1 the number of rows is public. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sum_release(dusk_answer *out, const dusk_aggregate *how,
                                                    const double *rows, size_t n, dusk_generator *gen,
                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_mean_release(dusk_answer *out, const dusk_aggregate *how,
                                                     const double *rows, size_t n, dusk_generator *gen,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_variance_release(dusk_answer *out, const dusk_aggregate *how,
                                                         const double *rows, size_t n, dusk_generator *gen,
                                                         dusk_error *err);

/* Histogram over public bins [edges[i], edges[i+1]), the last one closed; bins
 * >= 1 counts, edges has bins + 1 increasing values. Rows outside, and NaN, are
 * in no bin. Empty bins are released like all others. *half_width holds for
 * every bin at once. */
DUSK_API DUSK_MUST_USE dusk_status dusk_histogram_release(double *counts, double *half_width,
                                                          dusk_statement *statement,
                                                          const dusk_aggregate *how, const double *edges,
                                                          size_t bins, const double *rows, size_t n,
                                                          dusk_generator *gen, dusk_error *err);
/* The same for counts per public key that are already there. */
DUSK_API DUSK_MUST_USE dusk_status dusk_counts_release(double *counts, double *half_width,
                                                       dusk_statement *statement, const dusk_aggregate *how,
                                                       const uint64_t *exact, size_t n, dusk_generator *gen,
                                                       dusk_error *err);

/* Quantiles q[0..m-1], strictly increasing in (0, 1), of clamped rows, on the
 * grid `(upper - lower) / 2^29` or finer, by the exponential mechanism on ranks
 * [Smith 2011]; several by recursive halving [Kaplan, Schnapp & Stemmer 2022].
 * delta must be 0. With probability `confidence` every q[i] n is within *rank_error
 * of the ranks of values[i], which go from the number of rows below it to the
 * number of rows not above it, rows taken to the grid (up to 2^32 rows; a worst
 * case, and +inf where epsilon is too small for one). */
DUSK_API DUSK_MUST_USE dusk_status dusk_quantiles_release(double *values, double *rank_error,
                                                          dusk_statement *statement,
                                                          const dusk_aggregate *how, const double *q,
                                                          size_t m, const double *rows, size_t n,
                                                          dusk_generator *gen, dusk_error *err);

/* Bounds for rows about which nothing is known, found in the data and paid for. */
typedef struct dusk_bounds {
    double lower, upper; /* powers of two, their negatives, or 0; lower < upper */
    bool found;          /* false: no rows stood out, and the bounds are the smallest there are */
    double outside;      /* at most so many rows lie outside */
    double confidence;   /* of `outside`, and of that a row is in the first and in the last bin taken */
    dusk_statement statement;
} dusk_bounds;

/* Rows are counted in bins between powers of two, from `resolution` to `largest` and the
 * same below 0; discrete Laplace noise decides where they begin and end. What is smaller
 * than the resolution counts as 0, and so does NaN; what is larger than `largest` is in
 * the last bin. Both are public, and rounded outward to powers of two: there are 2
 * log2(largest / resolution) + 1 bins, and more than some ln(bins / (1 - confidence)) /
 * epsilon rows are needed to be seen. lower and upper of `how` are not used; delta must be
 * 0. Use the bounds with further releases, which cost extra. */
DUSK_API DUSK_MUST_USE dusk_status dusk_bounds_release(dusk_bounds *out, const dusk_aggregate *how,
                                                       double resolution, double largest, const double *rows,
                                                       size_t n, dusk_generator *gen, dusk_error *err);

/* The mode: which of n values most rows have, *index from 0. With delta 0 the values
 * are public, those that no row has included, and one is chosen by permute-and-flip.
 * With delta above 0 they come from the data, as in dusk_limit_domain (add/remove
 * only), and *index is DUSK_NO_MODE when none stands out. counts[i]: rows of value i.
 * With probability `confidence` its count is at most *shortfall below the largest.
 * Time and coins depend on the counts. */
#define DUSK_NO_MODE SIZE_MAX
DUSK_API DUSK_MUST_USE dusk_status dusk_mode_release(size_t *index, double *shortfall,
                                                     dusk_statement *statement, const dusk_aggregate *how,
                                                     const uint64_t *counts, size_t n, dusk_generator *gen,
                                                     dusk_error *err);

/* Which keys may be shown. A key's count is its number of distinct *units*; a
 * unit may touch at most `keys_per_unit` keys (the caller sees to it). */
typedef enum dusk_key_method {
    DUSK_KEYS_TRUNCATED_GEOMETRIC = 1, /* optimal [Desfontaines, Voss, Gipson & Mandayam 2022] */
    DUSK_KEYS_LAPLACE = 2,             /* count + Laplace noise >= threshold */
    DUSK_KEYS_GAUSSIAN = 3             /* count + Gaussian noise >= threshold, half of delta each */
} dusk_key_method;

typedef struct dusk_key_selection {
    dusk_key_method method;
    uint32_t keys_per_unit;
    double epsilon, delta;
    dusk_noise noise;  /* of the two threshold methods */
    int64_t threshold; /* smallest noisy count that is shown */
} dusk_key_selection;

/* Add/remove neighbours. */
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_init(dusk_key_selection *out, dusk_key_method method,
                                                           uint32_t keys_per_unit, double epsilon,
                                                           double delta, dusk_error *err);
/* keep[i] says whether key i, held by units[i] >= 1 units, may be shown; keys
 * with no unit are never kept. With a threshold method counts[i] (may be NULL)
 * is the noisy count of a kept key, NaN otherwise. */
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_release(const dusk_key_selection *selection, bool *keep,
                                                              double *counts, const uint64_t *units, size_t n,
                                                              dusk_generator *gen, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_event(const dusk_key_selection *selection,
                                                            dusk_event *out, dusk_error *err);
/* The probability, to within 1e-12, that a key of `units` units is kept. */
DUSK_API DUSK_MUST_USE dusk_status dusk_key_selection_probability(const dusk_key_selection *selection,
                                                                  double *probability, uint64_t units,
                                                                  dusk_error *err);

/* ---- Noise that follows the data ------------------------------------------------------ */

/* Smooth sensitivity [Nissim, Raskhodnikova & Smith 2007; Bun & Steinke 2019]: the
 * noise is S(x)/r Z, where S(x) bounds how far the value moves between x and any
 * neighbour, and no neighbour's S is more than e^beta times as large. S is private;
 * nothing of it but the noise leaves the mechanism. Z is one of: */
typedef enum dusk_smooth_law {
    DUSK_SMOOTH_CAUCHY = 1,    /* density ~ 1/(1 + z^2): epsilon alone; no mean             */
    DUSK_SMOOTH_STUDENT_T = 2, /* ~ (1 + z^2/d)^(-(d+1)/2): epsilon alone, lighter tails    */
    DUSK_SMOOTH_LAPLACE = 3,   /* needs delta                                               */
    DUSK_SMOOTH_GAUSSIAN = 4   /* needs delta                                               */
} dusk_smooth_law;

/* A calibrated mechanism. A value; made by dusk_smooth_init. */
typedef struct dusk_smooth {
    dusk_smooth_law law;
    uint32_t degrees; /* of Student's t: 1..100; for other laws 1       */
    int grid;         /* answers are multiples of 2^grid                */
    double beta;      /* S must be beta-smooth                          */
    double ratio;     /* the noise is S / ratio Z                       */
    double least;     /* S below this counts as this: 2^-20 steps       */
    dusk_budget promise;
} dusk_smooth;

/* (epsilon, delta)-DP, delta 0 for Cauchy and Student's t; epsilon at most 500. `beta`:
 * the smoothness that you can give, or 0 for the choice with the least noise where
 * the data lie evenly. The grid has no default: it must not depend on the data. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_init(dusk_smooth *out, dusk_smooth_law law, uint32_t degrees,
                                                    double beta, double epsilon, double delta, int grid,
                                                    dusk_error *err);
/* A beta-smooth bound from the local sensitivity at distance k, local[k], k = 0..n-1:
 * the largest exp(-beta k) local[k], with its rounding paid for. local[0] must bound
 * how far the value moves to any neighbour, local[k] of x must not be above
 * local[k+1] of any neighbour, and beyond n - 1 local stays what it is at n - 1. NaN
 * counts as 2^100 steps, which is also the most. */
DUSK_API double dusk_smooth_sensitivity(const dusk_smooth *smooth, const double *local, size_t n);
/* Release round((value + sensitivity / ratio Z) / 2^grid) 2^grid, decided exactly. The
 * caller sees to it that `sensitivity` is S(x) as above; with a relative error of up to
 * eta it must be computed for the smoothness beta - ln(1 + eta), since rounding it up
 * alone breaks smoothness. NaN counts as 0 (a sensitivity: as 2^100 steps), values end
 * at 2^99 steps. The time depends on the data a little. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_release(const dusk_smooth *smooth, double *out, double value,
                                                       double sensitivity, dusk_generator *gen,
                                                       dusk_error *err);
/* pure(epsilon) or approx(epsilon, delta). */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_event(const dusk_smooth *smooth, dusk_event *out,
                                                     dusk_error *err);
/* With probability at least `confidence` the answer is within *multiple S(x), and a
 * step, of the value; S(x) itself stays private. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_interval(const dusk_smooth *smooth, double *multiple,
                                                        double confidence, dusk_error *err);

/* How a smooth quantile is to be made. */
typedef struct dusk_smooth_options {
    size_t size;             /* set by _init */
    dusk_smooth_law law;     /* DUSK_SMOOTH_CAUCHY */
    uint32_t degrees;        /* 2; of Student's t */
    double beta;             /* 0: the usual choice */
    double interval_epsilon; /* > 0: pay so much more for an interval; 0: it is the bounds */
} dusk_smooth_options;
DUSK_API void dusk_smooth_options_init(dusk_smooth_options *options);

/* The quantile q, in (0, 1), of clamped rows by smooth sensitivity: the row of rank
 * ceil(q n), q rounded to 2^-32; of no rows the lower bound. how->delta is that of the
 * noise. NaN counts as the point of [lower, upper] nearest 0; the answer is clamped into
 * the bounds. Time depends on the rows, memory on their number. */
DUSK_API DUSK_MUST_USE dusk_status dusk_smooth_quantile_release(dusk_answer *out, const dusk_aggregate *how,
                                                                const dusk_smooth_options *options, double q,
                                                                const double *rows, size_t n,
                                                                dusk_generator *gen, dusk_error *err);

/* Propose-test-release [Dwork & Lei 2009; Vadhan 2017, section 3.2]: propose a bound on
 * the sensitivity, test privately that the data are far from any table where it does not
 * hold, and release with noise for that bound, or refuse. That it was refused is a public
 * answer. A value; made by dusk_propose_init. */
typedef struct dusk_propose {
    double bound;      /* the sensitivity that is proposed                     */
    int64_t threshold; /* released when distance + noise reaches this; >= 1    */
    double failure;    /* >= the probability that distance 0 passes            */
    dusk_noise test;   /* discrete Laplace, on the distance                    */
    dusk_noise noise;  /* Laplace or Gaussian, for `bound`                     */
    dusk_budget promise;
} dusk_propose;

/* (epsilon, delta)-DP, delta in (0, 1). `test_share` of epsilon, in (0, 1), goes to the
 * test; 0 means half. With Laplace noise all of delta is the test's; with Gaussian noise
 * half of it. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_init(dusk_propose *out, dusk_noise_law law, double bound,
                                                     double test_share, double epsilon, double delta,
                                                     dusk_error *err);
/* Test, and release `value` if the test passes; *out is NaN where *released is false.
 * `distance`: how many units must change until some neighbour is further than `bound`
 * from the value: 0 when one is now, and between neighbours it differs by at most 1.
 * The caller sees to both. All noise is drawn before the test. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_release(const dusk_propose *propose, bool *released,
                                                        double *out, double value, uint64_t distance,
                                                        dusk_generator *gen, dusk_error *err);
/* discrete_laplace(...) + the noise's event + approx(0, failure). */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_event(const dusk_propose *propose, dusk_event *out,
                                                      dusk_error *err);
/* A number that is released is within *half_width of the value, and data at a distance
 * of *enough or more are released, each with probability at least `confidence`. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_interval(const dusk_propose *propose, double *half_width,
                                                         uint64_t *enough, double confidence,
                                                         dusk_error *err);
/* The quantile q as in dusk_smooth_quantile_release, by propose-test-release. Where it is
 * refused out->value is NaN and the interval is the bounds. Time depends on the rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_propose_quantile_release(dusk_answer *out, bool *released,
                                                                 const dusk_aggregate *how,
                                                                 dusk_noise_law law, double bound, double q,
                                                                 const double *rows, size_t n,
                                                                 dusk_generator *gen, dusk_error *err);

/* Sample-and-aggregate [Nissim, Raskhodnikova & Smith 2007; Mohan et al. 2012]: any
 * function of rows, computed on each of a number of blocks that share no unit; what it
 * gives for the blocks is clamped into bounds and aggregated privately. Nothing need be
 * known of the function: one unit changes the value of one block, to anything. */
typedef enum dusk_blocks_aggregate {
    DUSK_BLOCKS_MEAN = 1,         /* Laplace noise, with a delta Gaussian                     */
    DUSK_BLOCKS_MEDIAN = 2,       /* by the exponential mechanism on ranks; delta 0           */
    DUSK_BLOCKS_SMOOTH_MEDIAN = 3 /* smooth sensitivity: Cauchy, with a delta Laplace noise   */
} dusk_blocks_aggregate;

/* The value of a block that holds the rows rows[0..n-1], numbered from 0 among all rows; n
 * may be 0. It may depend on what these rows hold and on their order, but not on their
 * numbers, which shift when a row elsewhere comes or goes. NaN counts as the middle of the
 * bounds. Whatever else it does, and how long it takes, may be seen by whoever watches. */
typedef double dusk_block_function(const size_t *rows, size_t n, void *context);

/* The value of `function` on blocks of `rows` rows, aggregated. Each unit goes to one of
 * `blocks` >= 1 blocks (at most 2^24) by coins of its own. units[i] names the unit of row
 * i, and then a unit may hold any number of rows; with NULL each row goes for itself, and
 * a unit of how->rows_per_unit rows changes so many blocks: which of the two it is must not
 * depend on the data, not even where there are no rows. The interval holds for the
 * aggregate of the blocks' values (a median by the exponential mechanism or by smooth
 * sensitivity: the bounds), which is not the function of all rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sample_and_aggregate_release(
    dusk_answer *out, const dusk_aggregate *how, dusk_blocks_aggregate aggregate, uint32_t blocks,
    size_t rows, const uint64_t *units, dusk_block_function *function, void *context, dusk_generator *gen,
    dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
