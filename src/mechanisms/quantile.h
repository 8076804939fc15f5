/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_QUANTILE_H
#define DUSK_MECHANISMS_QUANTILE_H

#include "dusk/mechanisms.h"

/* Check a request for quantiles and say what dusk_quantiles_release with it will state: without rows. */
DUSK_MUST_USE dusk_status dusk_quantiles_state(dusk_statement *out, const dusk_aggregate *how,
                                               const double *q, size_t m, dusk_error *err);

#endif
