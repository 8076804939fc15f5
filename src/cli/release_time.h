/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_RELEASE_TIME_H
#define DUSK_CLI_RELEASE_TIME_H

/* The answers of a stream, kept for a drawing. */

#include "cli/release.h"

typedef struct release_step {
    double value, half_width;
} release_step;

typedef struct release_record {
    release_step *answer;
    size_t n, room;
} release_record;

dusk_status release_record_add(release_record *record, double value, double half_width, dusk_error *err);
void release_record_free(release_record *record);
/* Draw it into the file of --plot; nothing when there is no answer. */
dusk_status release_record_plot(const release_job *job, const release_record *record, dusk_error *err);

#endif
