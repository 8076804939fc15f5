/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds from the system for audits; see coins.h. */
#define _GNU_SOURCE
#include "audit/coins.h"

#include <sys/random.h>

#include "base/error.h"

dusk_status audit_seed(uint64_t *out, uint64_t given, dusk_error *err)
{
    uint64_t seed = given;
    while (!seed)
        if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
            return dusk_fail(err, DUSK_ERR_ENTROPY, "", "the system has no entropy to give");
    *out = seed;
    return DUSK_OK;
}
