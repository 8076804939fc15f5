/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_RISK_H
#define DUSK_LEARN_RISK_H

/* The losses of one row at many weights, as whole numbers: what learners on few columns add up that look at the objective itself. A row's
 * loss is a place in a public table, found by the exact product of the row and the weights. So it depends on that row, the weights and
 * public numbers only, and nothing is asked of the loss, neither convexity nor a slope. Proof: risk.proof.md. */

#include "learn/features.h"
#include "learn/loss.h"

#define LEARN_RISK_BITS 20    /* weights are whole numbers of steps of 2^-20; at most 2^27 of them long */
#define LEARN_RISK_ONE 0x1p10 /* steps of a loss of 1 */

typedef struct learn_risk {
    int32_t *loss; /* of margins or residuals from -32 to 32, where they end */
    double most;   /* whole; losses are from 0 to this many steps */
} learn_risk;
/* `most` in steps: it is rounded down, and at least 1, at most 2^20. */
DUSK_MUST_USE dusk_status learn_risk_init(learn_risk *out, const learn_loss *loss, double most,
                                          dusk_error *err);
void learn_risk_clear(learn_risk *risk);
/* The loss of a row of the matrix whose product with the weights is `product`, in steps of both. */
int32_t learn_risk_of(const learn_risk *risk, const learn_matrix *matrix, size_t row, double product);

#endif
