/* SPDX-License-Identifier: Apache-2.0 */
/* Names of verdicts. */
#include "dusk/audit_mechanisms.h"

const char *dusk_verdict_name(dusk_verdict verdict)
{
    switch (verdict) {
    case DUSK_PASS: return "pass";
    case DUSK_VIOLATION: return "violation";
    case DUSK_INCONCLUSIVE: return "inconclusive";
    }
    return "unknown";
}
