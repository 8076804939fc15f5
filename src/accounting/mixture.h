/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_MIXTURE_H
#define DUSK_ACCOUNTING_MIXTURE_H

/* The moment generating function of a MIXTURE pair (pair.h),
 *     M(s) = E_P[exp(s L)] = Int f(x) r_a(x)^(s+1) r_b(x)^(-s) dx,
 * f being the density of N(0, sigma^2), and (r_a, r_b) being
 *     REMOVE (r, 1)    ADD (1, r)    REPLACE (r(x), r(-x)).
 * A grid is the trapezoid rule for it on the line Re s = c: nodes with their
 * losses L and their masses under the tilted law, whose density is that of P
 * times exp(c L) / M(c). On that line M(c + it) = M(c) phi(t), phi being the
 * characteristic function of L under the tilted law. */

#include "accounting/pair.h"
#include "numeric/rounding.h"

#define DUSK_ROOT_2PI 2.5066282746310002
#define DUSK_BLUR 1.0001 /* covers second order terms of error bounds */

/* ln r(x) of a pair, r(x) - 1, and a bound on the error of the logarithm. */
typedef struct dusk_mixture_ratio {
    double log, excess, error;
    double slope; /* about d ln r / dx */
} dusk_mixture_ratio;
dusk_mixture_ratio dusk_mixture_ratio_at(const dusk_pair *pair, double x);
/* The two logarithms of the pair at x. */
void dusk_mixture_ratios(dusk_mixture_ratio *a, dusk_mixture_ratio *b, const dusk_pair *pair, double x);

/* A MIXTURE pair, maybe without its farthest losses: its P is multiplied by w(x) =
 * P(Z > (x - at) / width), Z standard normal. What that takes away, at most `lost`
 * of P's mass, can add no more than it to delta. width = 0: all is there. */
typedef struct dusk_mixture {
    const dusk_pair *pair;
    double at, width, lost;
} dusk_mixture;
dusk_mixture dusk_mixture_whole(const dusk_pair *pair);
/* width = sigma / sharpness, and `lost` about what is asked; the whole when that is out
 * of range. */
dusk_mixture dusk_mixture_tapered(const dusk_pair *pair, double lost, double sharpness);
/* ln w(x), and how far off it may be. */
double dusk_mixture_log_taper(const dusk_mixture *mixture, double x, double *error);

typedef struct dusk_mixture_grid {
    size_t count, room;      /* count is a multiple of 8: nodes of mass 0 fill it */
    double *loss, *mass;     /* of the tilted law; masses add up to 1 */
    double *error, *blur;    /* of the loss; of the mass, relative */
    double *scratch;         /* 4 room, for the sweep */
    double c, step;          /* Re s; between nodes */
    double left, right;      /* nodes from x = -left to right */
    double log_moment;       /* ln M(c) when there is no frame, */
    double log_moment_error; /* and how far off it may be */
    double mean, variance;   /* of L under the tilted law, about */
    double constant, linear; /* phi(t) of a sweep is right to constant + t linear, t <= reach */
} dusk_mixture_grid;

/* Where the nodes of a first grid at c were, and a lower bound of ln M(c): what the
 * grid of a sweep at the same c starts from. */
typedef struct dusk_mixture_frame {
    double left, right, log_moment;
} dusk_mixture_frame;

/* A grid at c >= 0: for ln M(c) when `frame` is NULL, else for sweeps of 0 < t <=
 * reach. What is left out, relative to M(c), is about `tolerance` and in the error
 * bounds. Uses the memory of a grid that was made before (all zero: none).
 * DUSK_ERR_UNSUPPORTED when it needs too many nodes. */
DUSK_MUST_USE dusk_status dusk_mixture_grid_init(dusk_mixture_grid *grid, const dusk_mixture *mixture,
                                                 double c, double reach, double tolerance,
                                                 const dusk_mixture_frame *frame, dusk_error *err);
void dusk_mixture_grid_free(dusk_mixture_grid *grid);
/* re[j - 1] + i im[j - 1] = phi(j step) - 1 for j = 1 .. count. */
void dusk_mixture_sweep(const dusk_mixture_grid *grid, double step, size_t count, double *re, double *im);

/* mixture_step.c: the step of the rule, and its error relative to M(c) (without tails). */
typedef struct dusk_mixture_step {
    double step, error;
    double b;  /* the edge of the strip that says so */
    bool ends; /* only between two ends, at which dusk_mixture_end is to be added */
} dusk_mixture_step;
dusk_mixture_step dusk_mixture_choose_step(const dusk_mixture *mixture, double c, double t, double tolerance);
dusk_mixture_step dusk_mixture_choose_long_step(const dusk_mixture *mixture, double c, double t,
                                                double tolerance, const dusk_mixture_frame *frame);
double dusk_mixture_end(const dusk_mixture *mixture, double c, double t, const dusk_mixture_step *step,
                        double x, double log_moment);

/* ln M(c) and its first two derivatives, about: three or four digits. false when
 * out of reach. */
bool dusk_mixture_sketch(double out[3], const dusk_mixture *mixture, double c);

/* How fast phi falls: uniform laws that are part of the tilted law. */
#define DUSK_DECAY_LAYERS 40
typedef struct dusk_decay {
    size_t layers;
    double share[DUSK_DECAY_LAYERS], width[DUSK_DECAY_LAYERS];
} dusk_decay;
/* From the mixture and ln M(c) as in `grid`, made without a frame. */
DUSK_MUST_USE dusk_status dusk_decay_init(dusk_decay *decay, const dusk_mixture *mixture,
                                          const dusk_mixture_grid *grid, dusk_error *err);
/* An upper bound of ln |phi(t')| for every t' >= t. */
double dusk_decay_log_up(const dusk_decay *decay, double t);

#endif
