/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_RELEASE_TABLE_H
#define DUSK_CLI_RELEASE_TABLE_H

/* What the mechanisms of dusk release for whole tables share: the schema, the sets of
 * columns that are asked about, the request, the rows, and cells for people. */

#include "cli/coding.h"
#include "cli/release.h"

typedef struct release_table {
    dusk_coding schema;
    uint32_t sizes[64];
    dusk_marginal *marginals; /* of --marginals; NULL when not given */
    size_t marginal_count, room;
    dusk_aggregate how;
    dusk_table table; /* no rows until they are read */
    uint32_t *codes;
} release_table;

/* Read the schema and the options: everything public, nothing of the data. */
dusk_status release_table_prepare(const release_job *job, release_table *t, dusk_error *err);
/* Read the rows. */
dusk_status release_table_read(const release_job *job, release_table *t, dusk_error *err);
void release_table_free(release_table *t);

/* Print the cells of all marginals (counts NULL: none, a dry run): a line a cell, or
 * "marginals" in the JSON object that is open. */
void release_table_print(release_job *job, const release_table *t, const double *counts, bool json);

#define RELEASE_TABLE_INPUT                                                                                  \
    "what does not fit the schema counts as its nearest number, its else or its last word"

#endif
