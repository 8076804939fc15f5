/* SPDX-License-Identifier: Apache-2.0 */
#include "mechanisms/request.h"

#include <math.h>

dusk_status dusk_request_epsilon(double epsilon, dusk_error *err)
{
    if (epsilon > 0 && isfinite(epsilon)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "common choices lie between 0.1 and 10",
                     "epsilon must be finite and above 0");
}

dusk_status dusk_request_sensitivity(double sensitivity, dusk_error *err)
{
    if (sensitivity > 0 && isfinite(sensitivity)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "say by how much one unit can change the value",
                     "sensitivity must be finite and above 0");
}

dusk_status dusk_request_confidence(double confidence, dusk_error *err)
{
    if (confidence > 0 && confidence < 1) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a probability such as 0.95",
                     "confidence must be above 0 and below 1");
}
