/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_COLLECT_SIMULATION_H
#define DUSK_CLI_COLLECT_SIMULATION_H

/* dusk collect simulate: made-up people (collect_simulate.c), and liars among them (collect_liars.c). */

#include "cli/collect_range_errors.h"

typedef struct simulation {
    const collect_settings *settings;
    dusk_survey survey;
    bool counts, finds;
    collect_values data;   /* names of values */
    collect_search search; /* which texts were found */
    uint64_t users, runs, least,
        most;         /* people of one survey; surveys so far, and how many there must and may be */
    size_t values;    /* categories, or numbers that people have */
    uint64_t *asked;  /* what devices are given for each */
    uint64_t *people; /* how many have it */
    uint64_t *person; /* several attributes: the value of each, and values are cells; else NULL */
    double *truth;    /* numbers only, from -1 to 1 */
    double *estimate, *deviation;
    dusk_generator *gen;
    dusk_generator_entropy context;
    dusk_entropy entropy;
    uint8_t *batch;
    size_t batch_most;
    double encode, add, estimating; /* CPU seconds */
    double squares, fourths;        /* sums of normalised squared errors, and of their squares */
    uint64_t errors, covered;
    collect_range_errors ranges;
    uint64_t liars; /* who report besides; collect_liars.c */
    bool attacked;
} simulation;

/* What one report adds to the variance of an estimate, over all values. */
double collect_theory(const simulation *s);
/* The reports of all honest people, one behind the other. */
dusk_status collect_honest_reports(simulation *s, uint8_t *reports, dusk_error *err);

/* The options of an attack, before anything is done; and the runs, and what is said. */
dusk_status collect_check_attack(const collect_job *job, dusk_error *err);
dusk_status collect_simulate_liars(const collect_job *job, simulation *s, dusk_error *err);

#endif
