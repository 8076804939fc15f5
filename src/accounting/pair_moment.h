/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_PAIR_MOMENT_H
#define DUSK_ACCOUNTING_PAIR_MOMENT_H

/* Logarithms of moments of the privacy loss, one function a kind of pair. */

#include "accounting/pair.h"

/* ln E_P[exp(s L); L < inf], s > 0, whatever P(L = inf) is: what is left to bound
 * when the infinite losses are paid for in delta. Fails only for MIXTURE. */
DUSK_MUST_USE dusk_status dusk_pair_finite_moment(dusk_bound *out, const dusk_pair *pair, double s,
                                                  dusk_error *err);

/* laplace_moment.c: the same of a LAPLACE pair. */
dusk_bound dusk_laplace_log_moment(const dusk_pair *pair, double s);
/* folded_moment.c: the same of a folded MIXTURE of one shift; the upper end is +inf where another bound must do. */
dusk_bound dusk_folded_log_moment(const dusk_pair *pair, double s);
/* No loss of a LAPLACE pair is larger, rounded up. */
double dusk_laplace_largest_loss(const dusk_pair *pair);

#endif
