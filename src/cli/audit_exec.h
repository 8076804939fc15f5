/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_AUDIT_EXEC_H
#define DUSK_CLI_AUDIT_EXEC_H

/* One run of dusk audit exec: audit_exec.c asks and runs, audit_exec_curve.c measures whole
 * curves, audit_exec_print.c says what was found. */

#include "cli/audit.h"
#include "cli/program_draws.h"

typedef struct exec_audit {
    const audit_job *job;
    dusk_composition *claim;
    dusk_audit_options options;
    /* Inputs: words of the user's, which stand for their places in the list, or standard
     * vectors of numbers. */
    char **words;
    size_t word_count, word_room;
    double *numbers;
    dusk_input_pair *own_pairs;
    dusk_input_pairs *standard;
    const dusk_input_pair *pairs; /* these are audited */
    size_t pair_count;
    program_draws *draws;
    dusk_sampler sampler;
    dusk_audit_report report;
    char varied[2][4096]; /* the inputs of P and Q where the search changed them */
    /* Whole curves: epsilon at deltas, divergences at orders. */
    double *deltas, *claims, *epsilons;
    double *orders, *divergences;
    double *order_claims, *divergences_sure; /* claims are NaN where only the order was given */
    size_t delta_count, order_count;
} exec_audit;

/* The epsilon that is claimed at a delta; infinite when none is. */
dusk_status exec_claim_at(const exec_audit *audit, double delta, double *epsilon, dusk_error *err);

/* --curve, --renyi and --plot: read the options, measure, draw. */
dusk_status exec_curve_plan(exec_audit *audit, dusk_error *err);
dusk_status exec_curve_measure(exec_audit *audit, dusk_error *err);
/* DUSK_ERR_CHECK where a divergence is above what --renyi claims of it, but for a chance of --alarm. */
dusk_status exec_renyi_conclude(const exec_audit *audit, dusk_error *err);
dusk_status exec_curve_plot(const exec_audit *audit, dusk_error *err);
void exec_curve_free(exec_audit *audit);

void exec_print(const exec_audit *audit);

#endif
