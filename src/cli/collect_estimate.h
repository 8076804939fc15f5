/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_COLLECT_ESTIMATE_H
#define DUSK_CLI_COLLECT_ESTIMATE_H

/* What dusk collect estimate is made of: states (collect_states.c), values (collect_estimate.c), ranges and quantiles of values that have an order (collect_ranges.c), numbers (collect_numbers.c). */

#include "cli/collect.h"

/* All of --state added up, in *tally, to be freed; how many records of each kind there were. */
dusk_status collect_states_read(const collect_job *job, dusk_tally **tally, uint64_t kinds[DUSK_TAKEN_KINDS],
                                dusk_error *err);

/* --- ranges and quantiles -------------------------------------------------------------------------------------------------- */

/* One end of a range by its text; false where it is none. */
typedef bool collect_end(const void *context, const char *text, double *out);
/* A range as asked for. */
typedef struct collect_span {
    char name[256];
    double from, to;
} collect_span;
typedef struct collect_spans {
    collect_span *span;
    size_t count, room;
} collect_spans;

/* Whether --range, --ranges or --quantiles was given. */
bool collect_asks_ranges(const collect_job *job);
/* --range and the lines of --ranges, in this order: A:B. `what` says what an end is, for who gave another one. */
dusk_status collect_spans_read(collect_spans *out, const collect_job *job, collect_end *end,
                               const void *context, const char *what, dusk_error *err);
void collect_spans_free(collect_spans *spans);
/* --quantiles: parts between 0 and 1, commas between them. */
#define COLLECT_PARTS_MOST 64
dusk_status collect_parts_read(double part[COLLECT_PARTS_MOST], size_t *n, const char *text, dusk_error *err);

/* Ranges and quantiles of categories. */
typedef struct collect_ranges {
    collect_spans spans;
    double *count, *deviation;
    bool bounds; /* deviations are no smaller than they are, and may be larger */
    double part[COLLECT_PARTS_MOST];
    dusk_quantile quantile[COLLECT_PARTS_MOST];
    size_t parts;
    double people, reach;
    const collect_values *values; /* names, as far as there are any */
} collect_ranges;
dusk_status collect_ranges_estimate(collect_ranges *out, const collect_job *job, const dusk_tally *tally,
                                    const collect_values *values, dusk_error *err);
void collect_ranges_say(const collect_ranges *ranges, dusk_json *json);
void collect_ranges_free(collect_ranges *ranges);

/* --- numbers ------------------------------------------------------------------------------------------------------------------ */

/* The mean; and where it can be had, the distribution. */
typedef struct collect_numbers {
    const dusk_survey *survey;
    double mean, deviation, reach, people;
    double *fine; /* shares of all places, or NULL: there is no distribution */
    size_t places;
    double *share; /* of bins */
    size_t bins;
    collect_spans spans;
    double part[COLLECT_PARTS_MOST];
    size_t parts;
} collect_numbers;
dusk_status collect_numbers_estimate(collect_numbers *out, const collect_job *job, const dusk_tally *tally,
                                     dusk_error *err);
void collect_numbers_say(const collect_numbers *numbers, dusk_json *json);
/* --plot: the distribution. */
dusk_status collect_numbers_draw(const collect_numbers *numbers, const char *path, dusk_error *err);
void collect_numbers_free(collect_numbers *numbers);

#endif
