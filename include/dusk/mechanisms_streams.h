/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_STREAMS_H
#define DUSK_MECHANISMS_STREAMS_H

/* What comes one after the other: queries against a threshold, and sums of a stream.
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

/* ---- Streams of queries --------------------------------------------------------- */

/* Sparse vector: ask about many queries, pay for those above a threshold [Dwork
 * & Roth 2014; corrected as in Lyu, Su & Li 2017, Algorithm 7]. Noise on the grid; a
 * query that is NaN counts as 0. Stops after `hits` answers above. All noise that an
 * answer may need is drawn for every query, so that neither time nor failure tells
 * which were above.
 *
 * With delta = 0 the noise of a query grows with `hits`. With delta > 0 the run is
 * (epsilon + numeric_epsilon, delta)-private, and the noise is what the best
 * accountant asks for, the smaller of two: that one, or noise that grows with the square
 * root of `hits`, for which the threshold gets fresh noise after each hit [Dwork &
 * Roth 2014, Theorem 3.25]. Gaussian noise [Zhu & Wang 2020] has lighter tails and a
 * Renyi curve, but mostly there is more of it: answers below cost nothing with Laplace
 * noise and something with Gaussian noise, which must know how many queries there are at
 * most, and stops there. */
typedef struct dusk_sparse_vector_options {
    size_t size;        /* set by _init */
    double sensitivity; /* of every query */
    double threshold;
    uint32_t hits;          /* c >= 1; 1 is AboveThreshold */
    bool monotonic;         /* all queries move in the same direction between neighbours */
    double epsilon;         /* for threshold and comparisons together */
    double numeric_epsilon; /* > 0: a hit also gives a noisy value (fresh noise); added on top */
    double threshold_share; /* of epsilon for the threshold; 0: the best ratio of Lyu et al. */
    double delta;           /* of the whole run; 0: none */
    dusk_noise_law noise;   /* DUSK_LAPLACE, or DUSK_GAUSSIAN: needs delta and length */
    uint64_t length;        /* at most so many queries; 0: any number */
} dusk_sparse_vector_options;
DUSK_API void dusk_sparse_vector_options_init(dusk_sparse_vector_options *options);

typedef struct dusk_sparse_vector dusk_sparse_vector;
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_new(dusk_sparse_vector **out,
                                                          const dusk_sparse_vector_options *options,
                                                          dusk_generator *gen, dusk_error *err);
DUSK_API void dusk_sparse_vector_free(dusk_sparse_vector *sv);
/* Ask the next query: *above, and with numeric_epsilon > 0 and *above the noisy
 * *value (NaN otherwise; `value` may be NULL without numeric_epsilon).
 * DUSK_ERR_BUDGET once `hits` were given or `length` queries asked: nothing more is
 * answered. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_release(dusk_sparse_vector *sv, bool *above,
                                                              double *value, double query,
                                                              dusk_generator *gen, dusk_error *err);
DUSK_API uint32_t dusk_sparse_vector_hits_left(const dusk_sparse_vector *sv);
/* UINT64_MAX without a length. */
DUSK_API uint64_t dusk_sparse_vector_queries_left(const dusk_sparse_vector *sv);
/* The whole run: svt(eps1, eps2, c), with fresh thresholds svt(eps1, eps2, 1) * c or,
 * where queries are monotonic, exponential(eps1 + 2 eps2) * c; with Gaussian noise
 * svt_gaussian(sigma1, sigma2, n) * c (2 sigma2 where they are monotonic). Plus
 * laplace(...) * c or gaussian(...) * c with numeric answers. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_event(const dusk_sparse_vector *sv, dusk_event *out,
                                                            dusk_error *err);
/* With probability at least `confidence` all of the first `queries` comparisons
 * are right for queries further than *margin from the threshold. */
DUSK_API DUSK_MUST_USE dusk_status dusk_sparse_vector_interval(const dusk_sparse_vector *sv, double *margin,
                                                               uint64_t queries, double confidence,
                                                               dusk_error *err);

/* Threshold monitor: the sparse vector technique where queries are predicates over records
 * and not values [Kaplan, Mansour & Stemmer 2021]. Each answer says whether, after noise, at
 * least `threshold` of the records that are left satisfy a predicate. A record that was
 * counted in `contributions` answers above is removed. There may be any number of
 * queries, and of answers above: what they cost one record depends on `contributions`
 * alone. So many questions about different people are answered for the price of a few
 * about each; questions that are always about the same people run out of records. */
typedef struct dusk_threshold_monitor_options {
    size_t size; /* set by _init */
    double threshold;
    uint32_t contributions;     /* 1: after how many answers above a record is removed */
    dusk_neighbours neighbours; /* of records; no default: must be set */
    double epsilon, delta;      /* of all answers together; no default, delta above 0 */
} dusk_threshold_monitor_options;
DUSK_API void dusk_threshold_monitor_options_init(dusk_threshold_monitor_options *options);

/* Whether a record satisfies a query. It must look at this record and at what is public
 * only, and always come back; it is called for removed records too. */
typedef bool dusk_predicate(const void *record, void *context);

/* One record is one unit's. `records` are `count` of record_size bytes each; they are
 * borrowed as long as the handle lives and must not change. Five bytes are kept for
 * each. How many records there are is private under add-remove. */
typedef struct dusk_threshold_monitor dusk_threshold_monitor;
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_new(dusk_threshold_monitor **out,
                                                              const dusk_threshold_monitor_options *options,
                                                              const void *records, size_t count,
                                                              size_t record_size, dusk_error *err);
DUSK_API void dusk_threshold_monitor_free(dusk_threshold_monitor *monitor);
/* Ask the next query. All records are looked at, so the time tells how many there are and
 * how long the predicate takes; what was removed stays in the handle. */
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_release(dusk_threshold_monitor *monitor,
                                                                  bool *above, dusk_predicate *predicate,
                                                                  void *context, dusk_generator *gen,
                                                                  dusk_error *err);
/* All queries there may be: threshold_monitor(eps, k). */
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_event(const dusk_threshold_monitor *monitor,
                                                                dusk_event *out, dusk_error *err);
/* With probability at least `confidence` all of `queries` comparisons are right where the
 * number of records that are left and satisfy the predicate is *margin or more from the
 * threshold. */
DUSK_API DUSK_MUST_USE dusk_status dusk_threshold_monitor_interval(const dusk_threshold_monitor *monitor,
                                                                   double *margin, uint64_t queries,
                                                                   double confidence, dusk_error *err);

/* ---- Sums of a stream --------------------------------------------------------------- */

/* Running sums of a stream, one answer a step, under continual observation [Dwork,
 * Naor, Pitassi & Rothblum 2010; Chan, Shi & Song 2011]. In every step one number
 * comes in and the noisy sum of all numbers so far (or of the last `window`) goes
 * out. The whole run costs one (epsilon, delta), however many answers there are, and
 * also when whoever feeds the stream has seen the answers. */
typedef enum dusk_stream_method {
    DUSK_STREAM_TREE = 1,        /* binary tree of partial sums: whole answers from whole numbers */
    DUSK_STREAM_HONAKER = 2,     /* the same tree, every node used: the best combination of what is
                                    known so far [Honaker 2015]; about half the variance          */
    DUSK_STREAM_SQUARE_ROOT = 3, /* square root of the matrix of sums [Fichtenberger, Henzinger &
                                    Upadhyay 2023]: the least noise; needs delta; step t costs t
                                    products, and up to 2^22 steps                                */
    DUSK_STREAM_BANDED = 4       /* the same cut off after `bands` diagonals [Kalinin & Lampert 2024]:
                                    `bands` products a step; for units with several items apart    */
} dusk_stream_method;

typedef struct dusk_stream_options {
    size_t size;                /* set by _init */
    dusk_stream_method method;  /* TREE */
    dusk_neighbours neighbours; /* no default: must be set */
    bool whole;                 /* numbers are cut to whole ones, as counts are */
    double lower, upper;        /* the number of a step is clamped into [lower, upper]; NaN: nothing
                                   happened in this step, 0. No default */
    double sensitivity;         /* how far one item moves the number of its step, where the bounds
                                   contain 0; 0: as far as they allow, which needs no trust */
    uint32_t items_per_unit;    /* 1 (event level): how many items one unit has in all, at any steps,
                                   the same or others; the caller sees to it */
    uint64_t length;            /* how many steps at most, up to 2^40; public. 0: not known; trees only,
                                   whose noise then grows with the stream */
    uint64_t window;            /* 0: sums of all steps so far; otherwise of the last `window` */
    bool keep;                  /* HONAKER without a window: keep all nodes, for dusk_stream_smooth */
    uint32_t bands;             /* of BANDED, 1 to 4096; no default */
    uint64_t separation;        /* 0: items of one unit are anywhere; otherwise at least so many steps
                                   apart, the caller sees to it. Worth sqrt(items_per_unit) to BANDED
                                   when it is at least `bands` */
    double epsilon;             /* no default; for the whole run */
    double delta;               /* 0: Laplace noise; in (0, 1): Gaussian */
    const char *unit;           /* "item": whose privacy, for the statement */
} dusk_stream_options;
DUSK_API void dusk_stream_options_init(dusk_stream_options *options);

/* Under add-remove one unit's items are there or their steps lack them; the other
 * steps stay where they are. Under replace-one its items are exchanged for others, at
 * any steps: twice the distance. */
typedef struct dusk_stream dusk_stream;
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_new(dusk_stream **out, const dusk_stream_options *options,
                                                   dusk_error *err);
DUSK_API void dusk_stream_free(dusk_stream *stream);
/* The next step: its number goes in, the noisy sum comes out. Noise is drawn before
 * the number is looked at; time depends on the step only. A failure releases nothing
 * and leaves the step to be tried again. DUSK_ERR_BUDGET after `length` steps. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_release(dusk_stream *stream, double *value, double number,
                                                       dusk_generator *gen, dusk_error *err);
/* How many steps were taken. */
DUSK_API uint64_t dusk_stream_steps(const dusk_stream *stream);
/* The whole run, whether or not it is taken to its end: laplace(b) * levels or
 * discrete_laplace(b, s) * levels for trees without delta; with it tree(sigma, n), n
 * being the largest power of two within length and window; matrix(sigma, norm of a column);
 * laplace(b), gaussian(sigma) or pure(eps) without a length. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_event(const dusk_stream *stream, dusk_event *out,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_state(const dusk_stream *stream, dusk_statement *out,
                                                     dusk_error *err);
/* With probability at least `confidence` the answer of step `step` (from 1) is within
 * *half_width of the exact sum of the clamped numbers (with `whole` cut to whole ones),
 * up to the rounding of the answer itself to a double. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_interval(const dusk_stream *stream, double *half_width,
                                                        uint64_t step, double confidence, dusk_error *err);
/* All sums again, from everything that has been released by now: the sum of steps 1 .. t
 * at sums[t - 1], for dusk_stream_steps of them, by least squares over all nodes; to within
 * 2^-45 of the largest. half_widths may be NULL. Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_stream_smooth(const dusk_stream *stream, double *sums,
                                                      double *half_widths, double confidence,
                                                      dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
