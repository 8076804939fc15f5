/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_ONE_RUN_H
#define DUSK_AUDIT_ONE_RUN_H

/* What the bounds of one run share. */

#include <stdbool.h>

#include "dusk/audit_scores.h"

/* No count that fits a machine shows more: r guesses, all right, refute about ln(r). */
#define AUDIT_EPSILON_MAX 64.0

/* What was counted, and what is asked of it. */
typedef struct audit_guessed {
    uint64_t canaries, guesses, correct;
    double delta, error;
} audit_guessed;

/* Whether a parameter is refuted. */
typedef bool audit_refuted(double parameter, const void *context);
/* A parameter in [from, most] that is refuted, to nine digits the largest when all below a
 * refuted one are refuted; `from` when it is not: what is known already, 0 to begin with. */
double audit_largest_refuted(audit_refuted *refuted, const void *context, double from, double most);

/* The bounds of audit_scores.h, begun at what is known from other guesses. */
double audit_one_run_epsilon(const audit_guessed *guessed, double from);
double audit_one_run_fdp_epsilon(const audit_guessed *guessed, double from);
double audit_one_run_mu(const audit_guessed *guessed, double from);

#endif
