/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_ADVANCED_H
#define DUSK_ACCOUNTING_ADVANCED_H

/* The sums that advanced composition reads, all rounded up. */

#include <stdint.h>

typedef struct dusk_advanced {
    double total;  /* of epsilon               */
    double mean;   /* of epsilon tanh(epsilon/2) */
    double square; /* of epsilon^2             */
    double lost;   /* of -ln(1 - delta)        */
} dusk_advanced;

/* `times` runs of something (epsilon, delta)-private, in both directions. */
void dusk_advanced_add(dusk_advanced *sum, double epsilon, double delta, uint64_t times);
/* An epsilon for which all of it together is (epsilon, delta)-private; +inf when
 * delta in [0, 1) is less than the parts need. */
double dusk_advanced_bound_up(const dusk_advanced *sum, double delta);

#endif
