/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_LATTICE_H
#define DUSK_ACCOUNTING_LATTICE_H

/* The lattice accountant from the inside.
 *   lattice_curve.c  the privacy curve of a pair with a density, bounded both ways
 *   lattice_law.c    a pair as two laws on a lattice, one worse and one better
 *   lattice_plan.c   tilt and window: nothing here is certified or needs to be
 *   lattice_sum.c    the law of the sum by Fourier transform, with its errors
 *   lattice_delta.c  delta at epsilon of that sum
 *   lattice.c        the accountant: chooses steps, asks, inverts
 * Losses are in natural units; an index counts steps. */

#include "accounting/bound.h"
#include "accounting/pair.h"
#include "numeric/real.h"

/* --- curve --------------------------------------------------------------- */

/* One side of a pair that is not ATOMS: its parameters rounded to make it worse
 * (`up`) or better. With X the observation, turned so that L increases with it. */
typedef struct dusk_lattice_curve {
    dusk_pair_kind kind;
    bool folded, mixed_p, mixed_q; /* which of P and Q is the mixture (MIXTURE, LAPLACE) */
    double mu, scale;              /* scale: sigma, or b of Laplace */
    size_t shifts;
    double weight[32];  /* weight[0] included */
    double least, most; /* LAPLACE: where L is not constant */
} dusk_lattice_curve;

void dusk_lattice_curve_make(dusk_lattice_curve *out, const dusk_pair *pair, bool up);
/* Upper bound of delta at any epsilon within the bound. */
double dusk_lattice_curve_delta_up(const dusk_lattice_curve *curve, dusk_bound epsilon);
/* A test: lower bound of P(A), upper bound of Q(A) for one set A that is close to
 * L > epsilon, which for Laplace is the set of the largest loss from `epsilon`
 * close below it to it. */
void dusk_lattice_curve_test(double *p_down, double *q_up, const dusk_lattice_curve *curve, double epsilon);
/* What may be left out, of all that is run: P's mass of large losses, and of small
 * ones when weighed by exp(tilt loss). */
typedef struct dusk_lattice_cut {
    double above, below, tilt;
} dusk_lattice_cut;
/* Losses (about) that leave out no more for one run. */
void dusk_lattice_curve_range(double *least, double *most, const dusk_lattice_curve *curve,
                              dusk_lattice_cut cut);

/* Where a lattice should have a point: an atom, or the loss of all that lies
 * beyond `test` taken together, where losses crowd below a largest or above a
 * least one; then the test of the cell next to it (above or below) is there. */
typedef struct dusk_lattice_edge {
    double point, test; /* INFINITY: none */
    bool above;
} dusk_lattice_edge;
dusk_lattice_edge dusk_lattice_curve_edge(const dusk_lattice_curve *curve, double most, double step);

/* --- laws ---------------------------------------------------------------- */

/* upper[k] is the mass at origin.upper + k step.upper of a law whose curve is at
 * least that of the pair; lower[k] that at origin.lower + k step.lower of one
 * (perhaps with less than mass 1) whose curve is at most it; k < count. */
typedef struct dusk_lattice_law {
    uint64_t times;
    size_t count;
    double *upper, *lower;
    dusk_bound origin, infinite;
} dusk_lattice_law;

typedef struct dusk_lattice {
    dusk_bound step;
    size_t count;
    dusk_lattice_law *law; /* owned */
} dusk_lattice;

void dusk_lattice_free(dusk_lattice *lattice);
/* The common lattice of ATOMS, if they have one that needs no rounding: *found. */
DUSK_MUST_USE dusk_status dusk_lattice_of_atoms(dusk_lattice *out, bool *found, const dusk_pairs *pairs,
                                                dusk_error *err);
/* Any pairs, at about the step given. */
DUSK_MUST_USE dusk_status dusk_lattice_make(dusk_lattice *out, const dusk_pairs *pairs, double step,
                                            dusk_lattice_cut cut, dusk_error *err);
/* Sum over pairs of the lengths of their losses; INFINITY when one is too long.
 * *effort: that with each length times what one point costs, about. */
double dusk_lattice_length(double *effort, const dusk_pairs *pairs, dusk_lattice_cut cut);

/* --- plan ---------------------------------------------------------------- */

typedef struct dusk_lattice_question {
    bool of_delta; /* delta at epsilon, else epsilon at delta */
    double at;
} dusk_lattice_question;

typedef struct dusk_lattice_plan {
    double tilt;         /* c of exp(c loss), for 1 unit of loss */
    double bottom, top;  /* sums of losses that matter; infinite: all */
    double width;        /* from bottom to top */
    double below, above; /* more tilt that shows that nothing is beyond */
    double log_delta;    /* about */
} dusk_lattice_plan;

/* `hint`: a plan for nearly the same laws, or NULL. */
DUSK_MUST_USE dusk_status dusk_lattice_plan_make(dusk_lattice_plan *out, const dusk_lattice *lattice,
                                                 dusk_lattice_question question,
                                                 const dusk_lattice_plan *hint, dusk_error *err);

/* --- sum ----------------------------------------------------------------- */

/* The sum of all losses, `tilted`: with K = first + k the mass at origin + K step
 * is w_k exp(shift - theta K), w_k within `error` of what is stored, plus what
 * was wrapped around: at most `outside` in all, of which the part at and beyond
 * first + size is at most `beyond`. */
typedef struct dusk_lattice_sum {
    size_t size;
    double *upper, *lower; /* owned */
    double first, last;    /* indices are whole; none is above `last` */
    double theta, error, beyond, outside;
    double all;   /* the sum of all w of the worse laws, at most */
    mpfr_t shift; /* owned, exact */
    dusk_bound origin, step, infinite;
} dusk_lattice_sum;

#define DUSK_LATTICE_LOG_MAX 21 /* points of a transform */

DUSK_MUST_USE dusk_status dusk_lattice_sum_make(dusk_lattice_sum *out, const dusk_lattice *lattice,
                                                const dusk_lattice_plan *plan, dusk_error *err);
void dusk_lattice_sum_free(dusk_lattice_sum *sum);

/* delta of the composition at epsilon. */
double dusk_lattice_sum_delta_up(const dusk_lattice_sum *sum, double epsilon);
double dusk_lattice_sum_delta_down(const dusk_lattice_sum *sum, double epsilon);

#endif
