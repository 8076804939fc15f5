/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SCORE_H
#define DUSK_AUDIT_SCORE_H

/* Sets of outputs, as level sets of scores. A score is a function of one output to a
 * number, fixed once it is made; each family of sets (half-lines, tables, products, ...)
 * proposes scores from training draws. A set is {score > t} or {score < t}. A score of NaN
 * is in neither, so every score may leave out what it knows nothing about. */

#include <stdbool.h>
#include <stddef.h>

#include "audit/bounds.h"
#include "base/error.h"
#include "base/text.h"

/* n outputs of `length` numbers on each of two inputs. */
typedef struct audit_sample {
    double *out[2];
    size_t n, length;
} audit_sample;

typedef struct audit_score audit_score;
typedef struct audit_score_kind {
    const char *family;
    dusk_status (*evaluate)(const audit_score *score, double *values, const double *outputs, size_t n,
                            dusk_error *err);
    /* The set above or below the threshold, in words. */
    void (*describe)(const audit_score *score, dusk_text *text, bool above, double threshold);
    void (*free)(void *self);
} audit_score_kind;
struct audit_score {
    const audit_score_kind *kind;
    void *self;
    size_t length; /* of an output */
};

/* A list of scores, which owns them. */
typedef struct audit_scores {
    audit_score *list;
    size_t count, room;
} audit_scores;
/* Takes `self`, also when it fails. */
DUSK_MUST_USE dusk_status audit_scores_take(audit_scores *scores, audit_score score, dusk_error *err);
void audit_scores_clear(audit_scores *scores);

/* --- families: each appends what it has to propose ----------------------------------- */

DUSK_MUST_USE dusk_status audit_propose_half_lines(audit_scores *scores, const audit_sample *train,
                                                   dusk_error *err);
DUSK_MUST_USE dusk_status audit_propose_tables(audit_scores *scores, const audit_sample *train,
                                               dusk_error *err);

DUSK_MUST_USE dusk_status audit_propose_products(audit_scores *scores, const audit_sample *train,
                                                 dusk_error *err);
DUSK_MUST_USE dusk_status audit_propose_additive(audit_scores *scores, const audit_sample *train,
                                                 dusk_error *err);
DUSK_MUST_USE dusk_status audit_propose_patterns(audit_scores *scores, const audit_sample *train,
                                                 dusk_error *err);

/* --- thresholds ----------------------------------------------------------------------- */

/* Sort n numbers, none of them NaN; `scratch` has room for n. */
void audit_sort_many(double *values, size_t n, double *scratch);

/* Up to `room` thresholds for scores of which `sorted` has n, none of them NaN: each
 * strictly inside a gap between two values that differ by more than rounding, many of them
 * near both ends. Increasing. */
size_t audit_thresholds(double *out, size_t room, const double *sorted, size_t n);

/* --- the choice ----------------------------------------------------------------------- */

enum { AUDIT_RERUN = 4 };

/* A set, with what is expected of it. */
typedef struct audit_event {
    size_t score; /* in the list                    */
    bool above;   /* {score > t}, else {score < t}  */
    bool swapped; /* P is the law on the second input */
    double threshold;
    audit_counts counts;               /* on the draws that chose it  */
    double forecast;                   /* 0 or less: nothing found; -INFINITY: no set at all */
    bool constant;                     /* no set, as all outputs are the same, to the last bit */
    size_t rival[AUDIT_RERUN], rivals; /* the best scores, its own first */
} audit_event;

/* The set of the largest forecast, of all scores and both directions: thresholds from the
 * training draws, counts from the validating ones. */
DUSK_MUST_USE dusk_status audit_choose(audit_event *best, const audit_scores *scores,
                                       const audit_sample *train, const audit_sample *validate,
                                       const audit_forecast *forecast, dusk_error *err);

/* The choice once more among the best scores, with further draws that are not kept: counted
 * block by block (of at most `block` outputs), n a side in all. */
typedef struct audit_rerun audit_rerun;
DUSK_MUST_USE dusk_status audit_rerun_new(audit_rerun **out, const audit_event *best,
                                          const audit_scores *scores, const audit_sample *train, size_t block,
                                          dusk_error *err);
void audit_rerun_free(audit_rerun *rerun);
DUSK_MUST_USE dusk_status audit_rerun_count(audit_rerun *rerun, int side, const double *outputs, size_t n,
                                            dusk_error *err);
void audit_rerun_choose(audit_event *best, const audit_rerun *rerun, const audit_forecast *forecast,
                        size_t n);
/* The curve of the score of `chosen`, which was chosen from this rerun; its set is on it. */
void audit_rerun_roc(dusk_audit_roc *out, const audit_rerun *rerun, const audit_event *chosen, size_t n);

/* How many of n outputs lie in the set. `values` has room for n numbers. */
DUSK_MUST_USE dusk_status audit_count(uint64_t *hits, const audit_score *score, bool above, double threshold,
                                      const double *outputs, size_t n, double *values, dusk_error *err);

#endif
