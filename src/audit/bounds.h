/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_BOUNDS_H
#define DUSK_AUDIT_BOUNDS_H

/* What two counts of one set show, and what counts can be expected to show. */

#include <stdint.h>

#include "dusk/audit_mechanisms.h"

/* P(S) >= p and Q(S) <= q, both together with probability at least 1 - error. */
typedef struct audit_corner {
    double p, q;
} audit_corner;

audit_corner audit_corner_of(uint64_t p_hits, uint64_t p_trials, uint64_t q_hits, uint64_t q_trials,
                             double error);
/* Lower bounds of epsilon at delta, of the Renyi divergence of P from Q, of the Gaussian
 * mu, for every pair of laws with that corner. Never negative. */
double audit_corner_epsilon(audit_corner corner, double delta);
double audit_corner_renyi(audit_corner corner, double order);
double audit_corner_mu(audit_corner corner);

/* --- forecasts: not bounds, only for choices ---------------------------------------- */

/* Limits of a probability that gave k hits (a real number) in n trials, z standard
 * deviations away: Clopper and Pearson's to a few percent (Wilson & Hilferty 1931). */
double audit_limit_down(double k, double n, double z);
double audit_limit_up(double k, double n, double z);

/* What is known of a set: its counts on draws that did not make it. */
typedef struct audit_counts {
    double p_hits, q_hits, trials;
} audit_counts;

/* How a set's counts are turned into the bound that it promises in the last step. */
typedef struct audit_forecast {
    double delta;
    double draws;                       /* of the last step, a side                                  */
    double most;                        /* how many may be planned where that shows a good deal more */
    double z;                           /* of the bound there, a side                                */
    double caution;                     /* standard deviations by which the counts may have flattered */
    double order;                       /* above 1: the Renyi divergence of that order is asked for instead */
    const struct audit_tradeoff *claim; /* where it is refuted, by how much; else as above  */
} audit_forecast;

/* A claimed trade-off curve at some places, for choices only. */
enum { AUDIT_TRADEOFF = 48 };
typedef struct audit_tradeoff {
    double alpha[AUDIT_TRADEOFF], beta[AUDIT_TRADEOFF]; /* alpha increasing */
    double z;                                           /* of the alarm, a side */
} audit_tradeoff;

/* The epsilon (or what else is asked for) that the last step is expected to show with a set of these counts: P and Q
 * are first moved by `caution` to the bad side. -INFINITY where it would show nothing. */
double audit_forecast_epsilon(const audit_forecast *forecast, audit_counts counts);

/* Standard deviations for an error of `error` on one side. */
double audit_deviations(double error);

/* The smallest true epsilon that `draws` a side on a set of probability `p` show to be
 * above `claimed` nine times in ten, when accused with error `alarm`; INFINITY if none. */
double audit_detectable(double p, double claimed, double delta, double draws, double alarm);
/* Draws a side that the last step wants with a set of these counts, at most `most`: enough
 * for a bound close to the truth, within a few times what the forecast planned, and to tell
 * whether the claim holds. */
double audit_draws_wanted(audit_counts counts, const audit_forecast *planned, double claimed, double worth,
                          double alarm, double most);
/* What a pass must be able to see: see dusk_audit_report. */
double audit_worth_showing(double claimed, double worth);

#endif
