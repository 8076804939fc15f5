/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_CONCENTRATED_H
#define DUSK_ACCOUNTING_CONCENTRATED_H

/* The parameters of concentrated and of Gaussian privacy of an event, all from
 * one walk over its parts; +inf where no theorem gives one. All add up. */

#include "accounting/renyi.h"

typedef struct dusk_concentrated {
    double xi, rho;         /* D_alpha <= xi + rho alpha for every alpha > 1 [Bun & Steinke 2016] */
    double mu, tau_squared; /* the loss has mean mu at most and is tau-subgaussian around its
                               mean [Dwork & Rothblum 2016] */
    double gdp;             /* mu^2 of Gaussian privacy [Dong, Roth & Su 2022] */
} dusk_concentrated;

/* One run of a part, upper bounds. */
dusk_concentrated dusk_concentrated_part(const dusk_renyi_part *part);
/* The whole; *blame is a tree that has not what is wanted, or NULL. */
typedef enum dusk_concentrated_kind { DUSK_WANT_RHO, DUSK_WANT_MU, DUSK_WANT_GDP } dusk_concentrated_kind;
dusk_concentrated dusk_concentrated_sum(const dusk_renyi *renyi, dusk_concentrated_kind want,
                                        const dusk_event_node **blame);
/* Make ready, sum up and let go; DUSK_ERR_UNSUPPORTED when a part has none. */
DUSK_MUST_USE dusk_status dusk_concentrated_of(dusk_concentrated *out, const dusk_composition *composition,
                                               dusk_concentrated_kind want, const char *accountant,
                                               dusk_error *err);

/* epsilon-privacy: rho and the mean are epsilon tanh(epsilon/2); mu of GDP is
 * 2 Phi^-1(e^eps/(1+e^eps)). Rounded up. */
double dusk_pure_rho_up(double epsilon);
double dusk_pure_gdp_up(double epsilon);

#endif
