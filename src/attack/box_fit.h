/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ATTACK_BOX_FIT_H
#define DUSK_ATTACK_BOX_FIT_H

/* The column in [0, 1]^people whose counts are nearest to the answers, and how near any other
 * could be. Both decoders are one problem,
 *     minimise sum_j phi(e_j),  e = A x - b,  0 <= x <= 1,
 * with phi(e) = e^2/2 (least_squares.c), or e^2/(2 g) for |e| <= g and |e| - g/2 beyond, which
 * goes to |e| as the bend g goes to 0 (least_absolute.c). With squares, leash/2 sum_i (x_i - centre)^2
 * may be added: what was known of everybody before. */

#include "attack/groups.h"

typedef struct attack_fit {
    const dusk_groups *groups;
    const double *answers;
    size_t people, questions;
    double leash, centre; /* 0: nothing was known                                              */
    double bend;          /* g; +inf: squares                    */
    double *x;            /* people                              */
    double *slope, *step, *residual, *along, *product; /* people                              */
    double *error, *pull, *weight, *moved;             /* questions                           */
    bool *free;                                        /* people: not held at an end          */
    double misfit;                                     /* sum of phi at x                     */
    double gap;                                        /* no x has a smaller one than misfit - gap */
    uint64_t work, work_most;
} attack_fit;

/* Everybody at 1/2; the caller frees, also after a failure. */
DUSK_MUST_USE dusk_status attack_fit_new(attack_fit *fit, const dusk_groups *groups, const double *answers,
                                         uint64_t work_most, dusk_error *err);
void attack_fit_free(attack_fit *fit);

/* Make errors, pulls (phi'), slopes (A^T phi'), misfit and gap those of x and the bend. */
void attack_fit_look(attack_fit *fit);
/* Improve x until the gap is at most `enough`, no step helps, or the work is done. */
void attack_fit_improve(attack_fit *fit, double enough);

/* The two decoders. `least` and `solved` as in dusk_reconstruction; `prior` as in its options. */
void attack_least_squares(attack_fit *fit, dusk_reconstruction *out, double tolerance, double prior);
void attack_least_absolute(attack_fit *fit, dusk_reconstruction *out, double tolerance);

/* What the gap may be: `tolerance` of the misfit and of what the fit has taken off `start`, the
 * misfit of 1/2 for everybody (noise that no column explains is no measure of what is known about
 * people), or of 1/1000 a question if that is more. */
double attack_fit_enough(const attack_fit *fit, double misfit, double start, double tolerance);

#endif
