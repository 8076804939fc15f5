/* SPDX-License-Identifier: Apache-2.0 */
/* Losses as places in a table. Proof: risk.proof.md. */
#include "learn/risk.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"

#define FINE 0x1p8 /* places of the table from 0 to 1 */
#define RANGE 32.0 /* margins and residuals end there */
#define PLACES ((size_t)(2 * RANGE * FINE) + 1)

DUSK_PROVEN(learn_risk_init)
dusk_status learn_risk_init(learn_risk *out, const learn_loss *loss, double most, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    out->most = fmin(fmax(floor(most), 1), 0x1p20);
    DUSK_NEW(out->loss, PLACES);
    for (size_t i = 0; i < PLACES; i++) {
        double value = rint(learn_loss_value(loss, (double)i / FINE - RANGE) * LEARN_RISK_ONE);
        double end = DUSK_MUTATE(RISK_HAS_NO_END, out->most, 0x1p20);
        out->loss[i] = (int32_t)(value >= 0 ? fmin(value, end) : 0);
    }
done:
    return status;
}

void learn_risk_clear(learn_risk *risk)
{
    dusk_deallocate(risk->loss);
    *risk = (learn_risk){ .loss = NULL };
}

/* Of whole numbers, hence the same wherever the row is. */
DUSK_PROVEN(learn_risk_of)
int32_t learn_risk_of(const learn_risk *risk, const learn_matrix *matrix, size_t row, double product)
{
    double at = ldexp(product, -(LEARN_RISK_BITS + LEARN_BITS));
    if (matrix->code)
        at = matrix->code[row] == 1 ? at : -at;
    else
        at -= (double)matrix->target[row] / LEARN_ONE;
    return risk->loss[(size_t)rint((fmin(fmax(at, -RANGE), RANGE) + RANGE) * FINE)];
}
