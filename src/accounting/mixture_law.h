/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_MIXTURE_LAW_H
#define DUSK_ACCOUNTING_MIXTURE_LAW_H

/* The two laws of a MIXTURE pair,
 *     P = sum a_i N(c_i, sigma^2),   Q = sum b_k N(d_k, sigma^2),
 * on an axis along which the loss increases (ADD is turned round), with
 * enclosures of what is beyond a point and of densities there. */

#include "accounting/pair_make.h"
#include "numeric/real.h"

#define DUSK_MIXTURE_PARTS 32
#define DUSK_NORMAL_FAR 40 /* P(Z > 40) < 2^-1074 */

typedef struct dusk_mixture_part {
    double centre;
    double guess; /* the weight, nearly */
    dusk_interval weight;
} dusk_mixture_part;

typedef struct dusk_mixture_law {
    mpfr_prec_t precision;
    double sigma, epsilon;
    dusk_interval over; /* 1/sigma */
    size_t ps, qs;
    dusk_mixture_part p[DUSK_MIXTURE_PARTS], q[DUSK_MIXTURE_PARTS];
    double furthest; /* of P's centres */
    double shifted;  /* ln(e^eps - weight[0]) or ln(e^-eps - weight[0]), nearly */
    mpfr_t log_shifted;
} dusk_mixture_law;

/* The laws whose delta at eps is above (stretch = 1 + s) or below (1 - s) that of
 * every pair with weights within a relative s of the given ones; 1: as given. */
void dusk_mixture_law_init(dusk_mixture_law *m, const dusk_pair *pair, double epsilon, double stretch,
                           mpfr_prec_t precision);
void dusk_mixture_law_clear(dusk_mixture_law *m);

/* About where the loss is eps, and the slope of what dusk_mixture_law_improve takes
 * Newton's steps for; false when none was found. Nothing is certified. */
bool dusk_mixture_law_guess(double *s, double *slope, const dusk_mixture_law *m);
void dusk_mixture_law_improve(mpfr_t s, const dusk_mixture_law *m, double slope);

/* P(x > s) - e^eps Q(x > s) */
void dusk_mixture_law_advantage(dusk_interval *out, const dusk_mixture_law *m, const dusk_interval *s);
/* The densities of P and of e^eps Q at s, both times sigma sqrt(2 pi). */
void dusk_mixture_law_densities(dusk_interval *p, dusk_interval *q, const dusk_mixture_law *m,
                                const dusk_interval *s);

#endif
