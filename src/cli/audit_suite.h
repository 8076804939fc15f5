/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_AUDIT_SUITE_H
#define DUSK_CLI_AUDIT_SUITE_H

/* What dusk audit suite found, for its lines and its plots. */

#include "cli/audit.h"

typedef struct suite_line {
    size_t subject; /* as in dusk_suite_at */
    dusk_suite_result result;
    double cpu_s;
} suite_line;

typedef struct suite_run {
    const audit_job *job;
    suite_line *list;
    size_t count;
    int width; /* of the longest name */
} suite_run;

/* --plot FILE.svg: claimed, measured and exact epsilon of each subject; and beside it
 * FILE-roc.svg: the ROC curves of what an attacker reaches. */
dusk_status suite_plot(const suite_run *run, dusk_error *err);
dusk_status suite_plot_roc(const suite_run *run, const char *path, dusk_error *err);

#endif
