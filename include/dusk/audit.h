/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_H
#define DUSK_AUDIT_H

/* Audits: the other side of a promise, what an attacker can show. An accountant says
 * "epsilon is at most"; an audit says "epsilon is at least", from draws, at a stated
 * confidence, whatever the mechanism does inside.
 *
 * In chapters, each usable alone:
 *   audit_mechanisms.h  a sampler on neighbouring inputs: lower bounds of epsilon, verdicts
 *   audit_floats.h      the bits of doubles, and the time of draws
 *   audit_scores.h      a model, from scores of canaries: one run or many, attacks, exposure
 *   audit_suite.h       standard subjects, right and broken, and every mechanism of Dusk
 *
 * What holds everywhere here:
 *   - A printed bound is a lower bound at its confidence: what is chosen (inputs, sets,
 *     thresholds) is chosen on draws that the bound does not see.
 *   - A violation is said only where a right mechanism would be accused with
 *     probability at most `alarm` (1e-6), so that nobody learns to ignore it.
 *   - Silence proves nothing: a pass says how small a fault would have been seen. */

#include "dusk/audit_floats.h"
#include "dusk/audit_mechanisms.h"
#include "dusk/audit_scores.h"
#include "dusk/audit_suite.h"

#endif
