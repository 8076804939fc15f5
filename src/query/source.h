/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_SOURCE_H
#define DUSK_QUERY_SOURCE_H

/* The inside of dusk_source and dusk_query. */

#include "dusk/query.h"
#include "query/plan.h"
#include "query/release.h"

struct dusk_source {
    char *path;
    dusk_ledger *ledger;
    dusk_schema *schema;
    char *engine_name;   /* declared, or NULL: the best that serves the sources */
    dusk_engine *engine; /* opened at the first run */
};

struct dusk_query {
    dusk_source *source; /* borrowed */
    char *sql;
    dusk_query_options options; /* its texts are copies */
    char *analyst, *engine, *folder;
    query_plan *plan;
    query_terms *terms;
};

/* The fact ("", "engine"), which is the source's own and not the schema's. */
#define QUERY_ENGINE_PROPERTY "engine"

/* Copy of a text, or NULL of NULL. */
DUSK_MUST_USE dusk_status query_copy_text(char **out, const char *text, dusk_error *err);

/* Refuses a URI that holds a password. */
DUSK_MUST_USE dusk_status query_check_uri(const char *uri, dusk_error *err);

/* A source with its path from the root; to be freed with dusk_deallocate. */
DUSK_MUST_USE dusk_status query_absolute(char **out, const char *uri, dusk_error *err);

/* The engine, opened and locked; kept by the source until another one is wanted. */
DUSK_MUST_USE dusk_status query_source_engine(dusk_source *source, dusk_engine **out, const char *wanted,
                                              dusk_error *err);

/* All combinations of public keys in a fixed order, as cells of `types` (one a key): the product of
 * the domains, or what the engine says of public tables. To be freed with query_groups_clear. */
typedef struct query_groups {
    query_value *value; /* keys values a group; not NULL, which would say that keys are private */
    size_t groups;
    query_arena *texts;
} query_groups;
DUSK_MUST_USE dusk_status query_groups_of(query_groups *out, const query_plan *plan, dusk_engine *engine,
                                          dusk_error *err);
void query_groups_clear(query_groups *groups);

/* That dusk_query_options_init has made them. */
DUSK_MUST_USE dusk_status query_check_options(const dusk_query_options *options, dusk_error *err);

/* Run generated SQL and hand its rows to the bounding. */
DUSK_MUST_USE dusk_status query_read_rows(bounding *b, dusk_engine *engine, const char *sql,
                                          const dusk_cell_type *types, size_t columns, dusk_error *err);

/* What a run cost, and where the limits stand now. */
DUSK_MUST_USE dusk_status query_receipt(dusk_receipt *receipt, dusk_source *source, const char *analyst,
                                        dusk_budget cost, bool cached, dusk_error *err);

/* What names a request but for its epsilon: 64 hexadecimal digits and '\0'. */
#define QUERY_FINGERPRINT_SIZE 65
DUSK_MUST_USE dusk_status query_fingerprint(char out[QUERY_FINGERPRINT_SIZE], const dusk_query *query,
                                            dusk_error *err);

#endif
