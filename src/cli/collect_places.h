/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_COLLECT_PLACES_H
#define DUSK_CLI_COLLECT_PLACES_H

/* dusk collect for places on a grid (planar): the same steps, with other options and another answer. */

#include "cli/collect.h"

bool collect_is_places(const dusk_survey *survey);
/* --grid, --cell, --corner, --within and --epsilon, which is for two places at most --within apart, as options of a survey: its epsilon is for one step. */
dusk_status collect_grid_options(const collect_job *job, dusk_survey_options *options, dusk_error *err);
/* The cell of a line "x y" or "x,y". false: it is none, and counts as the middle of the grid. */
bool collect_place(const dusk_survey *survey, const char *line, uint64_t *cell);
/* What two places at most `within` apart are promised, rounded up. */
double collect_within_epsilon(const dusk_survey *survey);

collect_function collect_plan_places, collect_simulate_places;
/* Estimates: the densest cells, and --plot a map of all; and what options go with it. */
dusk_status collect_check_places(const collect_job *job, dusk_error *err);
dusk_status collect_say_places(const collect_job *job, const dusk_tally *tally, dusk_json *json,
                               dusk_error *err);

/* collect_plan.c */
void collect_print_c(const dusk_survey *survey);
dusk_status collect_write_task(const collect_job *job, const dusk_survey *survey, dusk_error *err);
uint32_t collect_record_bytes(uint32_t report);

#endif
