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

/* ln r(x) of a pair, r(x) - 1, and a bound on the error of the logarithm. */
typedef struct dusk_mixture_ratio {
    double log, excess, error;
    double slope; /* about d ln r / dx */
} dusk_mixture_ratio;
dusk_mixture_ratio dusk_mixture_ratio_at(const dusk_pair *pair, double x);
/* The two logarithms of the pair at x. */
void dusk_mixture_ratios(dusk_mixture_ratio *a, dusk_mixture_ratio *b, const dusk_pair *pair, double x);

typedef struct dusk_mixture_grid {
    size_t count, room;      /* count is a multiple of 8: nodes of mass 0 fill it */
    double *loss, *mass;     /* of the tilted law; masses add up to 1 */
    double *error, *blur;    /* of the loss; of the mass, relative */
    double *scratch;         /* 4 room, for the sweep */
    double c, step;          /* Re s; between nodes */
    double left, right;      /* nodes from x = -left to right */
    double log_moment;       /* ln M(c) when reach is 0, */
    double log_moment_error; /* and how far off it may be */
    double mean, variance;   /* of L under the tilted law, about */
    double constant, linear; /* phi(t) of a sweep is right to constant + t linear, t <= reach */
} dusk_mixture_grid;

/* The grid at c >= 0, for ln M(c) when reach is 0, and else for sweeps of 0 < t <=
 * reach; its truncation error, relative to M(c), is at most `tolerance`. Uses the
 * memory of a grid that was made before (all zero: none). DUSK_ERR_UNSUPPORTED
 * when it needs too many nodes. */
DUSK_MUST_USE dusk_status dusk_mixture_grid_init(dusk_mixture_grid *grid, const dusk_pair *pair, double c,
                                                 double reach, double tolerance, dusk_error *err);
/* About how many nodes such a grid has between x = -left and right. */
double dusk_mixture_nodes(const dusk_pair *pair, double c, double reach, double tolerance, double range);
void dusk_mixture_grid_free(dusk_mixture_grid *grid);
/* re[j - 1] + i im[j - 1] = phi(j step) - 1 for j = 1 .. count. */
void dusk_mixture_sweep(const dusk_mixture_grid *grid, double step, size_t count, double *re, double *im);

/* ln M(c) and its first two derivatives, about: three or four digits. false when
 * out of reach. */
bool dusk_mixture_sketch(double out[3], const dusk_pair *pair, double c);

/* How fast phi falls: uniform laws that are part of the tilted law. */
#define DUSK_DECAY_LAYERS 40
typedef struct dusk_decay {
    size_t layers;
    double share[DUSK_DECAY_LAYERS], width[DUSK_DECAY_LAYERS];
} dusk_decay;
/* From the pair and ln M(c) as in `grid`. */
DUSK_MUST_USE dusk_status dusk_decay_init(dusk_decay *decay, const dusk_pair *pair,
                                          const dusk_mixture_grid *grid, dusk_error *err);
/* An upper bound of ln |phi(t')| for every t' >= t. */
double dusk_decay_log_up(const dusk_decay *decay, double t);

#endif
