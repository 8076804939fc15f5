/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_TEXTS_H
#define DUSK_LOCAL_TEXTS_H

/* What randomisers for texts on no list have in common: a tally is several Hadamard sketches one behind the other, and behind all of them how many reports each has. */

#include "dusk/local_strings.h"
#include "local/tally.h"

typedef struct local_text {
    uint32_t length;
    uint8_t byte[DUSK_STRING_MOST];
} local_text;

/* The first `most` bytes of n. */
local_text local_text_of(const uint8_t *bytes, size_t n, uint32_t most);

#define LOCAL_CANDIDATES_MOST ((size_t)1 << 22)

/* Places of one sketch, and the counters of so many. */
static inline uint64_t local_sketch_cells(const dusk_client_task *task)
{
    return (uint64_t)task->rows * task->width;
}
static inline uint64_t local_sketches_cells(const dusk_client_task *task, uint32_t sketches)
{
    return sketches * (local_sketch_cells(task) + 1);
}
/* Sizes, length and step of a survey of texts; p for an epsilon. */
DUSK_MUST_USE dusk_status local_texts_plan(dusk_survey *survey, const dusk_survey_options *options,
                                           uint32_t step, double epsilon, dusk_error *err);
/* One of so many sketches as a tally of its own, which borrows the counters; its signs are kept with p. */
dusk_tally local_sketch_view(const dusk_client_task *task, const int64_t *cell, uint32_t sketches,
                             uint32_t which, uint64_t p);
/* A report of a sketch, where it begins; false: no device makes it. */
bool local_sketch_take(const dusk_client_task *task, int64_t *cell, uint32_t sketches, uint32_t which,
                       const uint8_t *report);
bool local_sketch_is_fine(const dusk_client_task *task, const uint8_t *report);

/* A candidate on its way. */
typedef struct local_candidate {
    local_text text;
    bool ended;              /* it is a whole text */
    double count, deviation; /* in the sketch that was asked last */
    double sum, squares;     /* ended: of all sketches that tell it from others; squares of deviations */
    uint64_t people;         /* reports of these */
} local_candidate;

/* Estimates of all candidates from a sketch, by regression; values[i] is what devices report of candidate i. */
DUSK_MUST_USE dusk_status local_candidates_ask(const dusk_tally *sketch, local_candidate *candidates,
                                               const uint64_t *values, size_t n, dusk_error *err);
/* Of n candidates those with the largest sum by its deviation come first, `keep` at most; returns how many. */
size_t local_candidates_best(local_candidate *candidates, size_t n, size_t keep);
/* Those that stand out among `looked_at` texts, the most frequent first, with counts of `reports` people. */
DUSK_MUST_USE dusk_status local_candidates_found(const local_candidate *candidates, size_t n,
                                                 size_t looked_at, uint64_t reports, double rate,
                                                 dusk_string_found *out, size_t most, size_t *found,
                                                 dusk_error *err);
/* A number of reports `people` of all `reports`, as a number of all. */
void local_scale_up(double sum, double squares, uint64_t people, uint64_t reports, double *count,
                    double *deviation);

/* texts.c: dusk_tally_counts by texts, packed into 64 bits. */
dusk_status local_packed_counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports,
                                double *counts, double *deviations, const uint64_t *values, size_t n,
                                dusk_error *err);

#endif
