/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SCORES_ROOM_H
#define DUSK_AUDIT_SCORES_ROOM_H

/* Scores as the files of this room pass them on. */

#include "audit/coins.h"
#include "dusk/audit_scores.h"

typedef struct audit_row {
    double score;
    uint64_t key; /* random: decides between equal scores, and which half a row is in */
    bool member;
} audit_row;

struct dusk_scores {
    size_t n, members;
    audit_row *rows; /* as given */
};

/* Rows in the order of falling scores, equal ones in random order; `before[k]` of the first k are members. */
typedef struct audit_ranking {
    audit_row *rows;
    uint64_t *before; /* n + 1 numbers */
    size_t n;
} audit_ranking;
/* Which rows: all, or those of one random half. */
typedef enum audit_part { AUDIT_ALL = 0, AUDIT_FIRST_HALF = 1, AUDIT_SECOND_HALF = 2 } audit_part;
DUSK_MUST_USE dusk_status audit_rank(audit_ranking *out, const dusk_scores *scores, audit_part part,
                                     uint64_t seed, dusk_error *err);
void audit_ranking_free(audit_ranking *ranking);
/* How many rows have at least this score. */
size_t audit_rank_of(const audit_ranking *ranking, double threshold);

/* What an audit asks of its methods: see score_one_run.c and score_threshold.c. */
typedef struct audit_levels {
    double alone;  /* chance of error of a bound by itself            */
    double shared; /* of a bound together with the others that decide */
    double sure;   /* of the verdict, shared as well                  */
} audit_levels;

/* Add the bounds of one run, or of counts at a threshold, to the report; `report->epsilon`, `->epsilon_sure` and
 * `->detectable` are raised to what those that decide show. */
dusk_status audit_score_one_run(dusk_score_report *report, const dusk_scores *scores,
                                const dusk_score_options *options, const audit_levels *levels,
                                dusk_error *err);
dusk_status audit_score_threshold(dusk_score_report *report, const dusk_scores *scores,
                                  const dusk_score_options *options, const audit_levels *levels,
                                  dusk_error *err);

#endif
