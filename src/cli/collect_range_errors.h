/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_COLLECT_RANGE_ERRORS_H
#define DUSK_CLI_COLLECT_RANGE_ERRORS_H

/* How far off ranges are: collect_range_errors.c. */

#include "cli/collect.h"

/* --for */
enum { COLLECT_FOR_VALUES = 0, COLLECT_FOR_RANGES = 1 };

/* The variance that a report brings to a range, the mean over ranges from anywhere to anywhere with people spread evenly; NAN where it is not known. */
double collect_range_variance(const dusk_survey *survey);

/* Sums over surveys of the same people. */
typedef struct collect_range_errors {
    double *truth; /* people of each range; NULL: nobody looks */
    double users, theory, squares, fourths;
    uint64_t covered, surveys;
} collect_range_errors;

dusk_status collect_range_errors_begin(collect_range_errors *e, const dusk_survey *survey,
                                       const uint64_t *people, uint64_t users, dusk_error *err);
dusk_status collect_range_errors_look(collect_range_errors *e, const dusk_tally *tally, dusk_error *err);
void collect_range_errors_say(const collect_range_errors *e, dusk_json *json);
void collect_range_errors_free(collect_range_errors *e);

#endif
