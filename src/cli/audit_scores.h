/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_AUDIT_SCORES_H
#define DUSK_CLI_AUDIT_SCORES_H

/* dusk audit scores: what its files share. Scores are the attacker's own numbers, not
 * private rows: messages name lines. */

#include "cli/audit.h"

/* A table of scores, one line a score. */
typedef struct audit_score_table {
    double *score;
    bool *member;
    size_t n;
    size_t unscored; /* LiRA: examples that too few models know */
} audit_score_table;

/* Read `path` ("-": standard input): columns score and member, or with `lira` example,
 * model, member and score. `columns` are other names for them, in this order, or NULL. With `runs` a column called
 * run, where there is one, must be different in every line. */
typedef struct audit_score_request {
    const char *path, *columns;
    bool runs, lira;
    dusk_lira_options lira_options;
} audit_score_request;
dusk_status audit_score_read(audit_score_table *out, const audit_score_request *request, dusk_error *err);
void audit_score_table_free(audit_score_table *scores);

/* The attack's ROC curve, on logarithmic axes, and what the claim leaves room for. */
dusk_status audit_score_plot(const char *path, const char *name, const dusk_scores *scores, double epsilon,
                             double delta, dusk_error *err);

#endif
