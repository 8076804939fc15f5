/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_LATENT_H
#define DUSK_LEARN_LATENT_H

/* Classes that nobody saw: what is known of them after noisy counts. Every class has shares of the values of every column (bins.h), columns
 * being independent within a class. Shares are Dirichlet beforehand and afterwards. Looks at no row. */

#include "learn/bins.h"

typedef struct learn_latent {
    const learn_bins *bins;
    size_t k, cells; /* classes; values of all columns */
    double *common;  /* cells: shares of values among all rows, none of them 0 */
    double *counts;  /* cells * k, as released, averaged over rounds */
    double variance; /* of the noise of one of them */
    double *rows;    /* k: of each class */
    double *alpha;   /* cells * k: of the Dirichlet laws */
    double *noise;   /* columns * k: deviation of a count by noise, that of `common` being part of it */
    double *log_chance, *log_share; /* cells * k, k: expected logarithms */
    double *scratch, *other;        /* the most values of a column */
    double total, start; /* rows, about; deviation of the noise of the counts that `common` is from */
} learn_latent;

DUSK_MUST_USE dusk_status learn_latent_init(learn_latent *out, const learn_bins *bins, size_t k,
                                            dusk_error *err);
void learn_latent_clear(learn_latent *l);
/* From noisy counts of all values: what all classes have in common, and classes that differ from it by public coins, so that rows
 * are told apart at all. `deviation`: of the noise. */
void learn_latent_begin(learn_latent *l, const double *released, double deviation);
/* Noisy counts of all values in all classes, cells * k; the new ones count for `part`, what was there for the rest. */
void learn_latent_move(learn_latent *l, const double *released, double part, double deviation);
/* The deviation of the number of rows of a class, by noise alone. */
double learn_latent_doubt(const learn_latent *l);

/* The derivative of log gamma at x > 0. */
double learn_digamma(double x);

#endif
