/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_QUERY_H
#define DUSK_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"
#include "dusk/frame.h"
#include "dusk/ledger.h"
#include "dusk/mechanisms_summaries.h"
#include "dusk/random.h"
#include "dusk/table.h"

/* Private SQL on a database, with a budget that is kept. A source is one file, usually named
 * *.dusk: where the data is, whose privacy is at stake, what is public about it, limits, and
 * everything that was ever spent; it holds no private row.
 *
 *     dusk_source_open      the file; data is not touched
 *     dusk_query_prepare    SQL -> plan -> price; data is not touched, nothing is spent
 *     dusk_query_run        charge, on disk; read, bound, add up, draw; store; answer
 *
 * Whether a query is refused depends on its text, the options, the declared facts and what was
 * spent, never on rows. After the charge only memory, disk, network and entropy can fail, and then
 * the charge stays. Asking again what was answered is free.
 *
 * Rows of a PostgreSQL server on another machine are bounded and added up there, so that totals of groups
 * travel and rows do not, unless different values are counted or quantiles asked for. It takes the server more
 * time than sending the rows, and room for sorting them.
 *
 * The SQL is a part of PostgreSQL's (docs/sql.md). Names are compared without regard to case. */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources ----------------------------------------------------------------------------- */

typedef struct dusk_source dusk_source;

/* What a new source is made with. */
typedef struct dusk_source_options {
    size_t size;                /* set by _init                                     */
    const char *const *sources; /* URIs (dusk/table.h); a table's name is its file's stem, or NAME=URI */
    size_t sources_count;
    const char *unit;   /* "table.column"                                   */
    const char *engine; /* NULL: the best that serves the sources           */
    dusk_ledger_options ledger;
} dusk_source_options;
DUSK_API void dusk_source_options_init(dusk_source_options *options);

/* Make the file. Names and types of columns are taken from the catalogue of the database or, for text
 * files, names from the header line (types: text until declared): metadata, which is declared public
 * with it. No row is read, but that text of Parquet files is seen to
 * be UTF-8. */
DUSK_API DUSK_MUST_USE dusk_status dusk_source_create(const char *path, const dusk_source_options *options,
                                                      dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_source_open(dusk_source **out, const char *path, dusk_error *err);
DUSK_API void dusk_source_close(dusk_source *source);
/* Borrowed; changed by dusk_source_declare only. */
DUSK_API const dusk_schema *dusk_source_schema(const dusk_source *source);
DUSK_API dusk_ledger *dusk_source_ledger(dusk_source *source);
/* Check a fact against the schema and keep it in the file. The unit stays what it was made with: all that was
 * spent was spent for it. */
DUSK_API DUSK_MUST_USE dusk_status dusk_source_declare(dusk_source *source, const char *subject,
                                                       const char *property, const char *value,
                                                       dusk_error *err);

/* ---- Queries ------------------------------------------------------------------------------- */

typedef enum dusk_query_noise {
    DUSK_QUERY_LAPLACE = 1, /* exact epsilon; delta for private keys only   */
    DUSK_QUERY_GAUSSIAN = 2 /* needs delta                                  */
} dusk_query_noise;

typedef struct dusk_query_options {
    size_t size;              /* set by _init                                              */
    double epsilon;           /* no default                                                */
    double delta;             /* 0                                                         */
    dusk_query_noise noise;   /* DUSK_QUERY_LAPLACE                                        */
    uint32_t groups_per_unit; /* 0: as declared, else 1                                   */
    uint32_t rows_per_group;  /* 0: as declared (rows_per_unit of the table), else 1       */
    uint32_t rows_per_unit;   /* 0: as declared, else no limit beyond groups times rows    */
    double confidence;        /* 0.95: of the interval of each cell                        */
    const char *analyst;      /* "owner"                                                   */
    const char *engine;       /* NULL: the best that serves the sources                    */
    size_t memory;            /* 0: 1 GiB                                                  */
    const char *folder;       /* for temporary files, must be there; NULL: TMPDIR, or /tmp */
    unsigned threads;         /* 0: as many as there are processors                        */
} dusk_query_options;
DUSK_API void dusk_query_options_init(dusk_query_options *options);

typedef struct dusk_query dusk_query;
/* Parse, plan and price. DUSK_ERR_PARSE, DUSK_ERR_UNSUPPORTED, DUSK_ERR_ARGUMENT: the message names the place, the hint
 * says what to write instead. The source must outlive the query, and nothing
 * may be declared in the meantime. */
DUSK_API DUSK_MUST_USE dusk_status dusk_query_prepare(dusk_query **out, dusk_source *source, const char *sql,
                                                      const dusk_query_options *options, dusk_error *err);
DUSK_API void dusk_query_free(dusk_query *query);
/* Plan, unit path, sensitivities, noise, expected error and cost in words; to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_query_explain(const dusk_query *query, char **text, dusk_error *err);
DUSK_API const dusk_event *dusk_query_event(const dusk_query *query);

/* One cell of an answer. Counts and sums are unbiased, so that a count of few rows may be negative (but that a count of
 * units which decided that its private key is shown is rather too large near the threshold); intervals are cut to what
 * is possible. Each holds by itself with the confidence asked for, not all together. That of a quantile is its
 * bounds: noise is in rank there. Of an expression over several cells it is what holds when theirs do. */
typedef struct dusk_cell {
    dusk_type type;
    bool null;
    bool exact;       /* a key, or made of keys alone: no noise, no interval   */
    double number;    /* numbers and booleans                                  */
    int64_t integer;  /* an exact integer, also where no double holds it; else 0 */
    const char *text; /* text, dates, timestamps; NULL for numbers             */
    double low,
        high; /* numbers: with the confidence asked for the exact answer of the bounded data is between */
} dusk_cell;

typedef struct dusk_result dusk_result;
DUSK_API size_t dusk_result_rows(const dusk_result *result);
DUSK_API size_t dusk_result_columns(const dusk_result *result);
DUSK_API const char *dusk_result_name(const dusk_result *result, size_t column);
DUSK_API const dusk_cell *dusk_result_cell(const dusk_result *result, size_t row, size_t column);
DUSK_API void dusk_result_free(dusk_result *result);
/* A text form that reads back as the same result; to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_result_write(const dusk_result *result, char **text, size_t *length,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_result_read(dusk_result **out, const char *text, size_t length,
                                                    dusk_error *err);

/* What a run cost. */
typedef struct dusk_receipt {
    dusk_budget cost;    /* of the query, also when it was repeated            */
    bool charged;        /* something was charged to the total now             */
    bool cached;         /* the stored answer                                  */
    bool shared;         /* of another: charged to this analyst's own limit, not to the total */
    dusk_spending total; /* afterwards                                         */
    dusk_spending analyst;
} dusk_receipt;

DUSK_API DUSK_MUST_USE dusk_status dusk_query_run(dusk_query *query, dusk_result **out, dusk_receipt *receipt,
                                                  dusk_generator *gen, dusk_error *err);

/* Bounds of a numeric column about which nothing is known, found in the data and paid for with
 * options->epsilon (delta and noise are not used; rows_per_group is how many rows of a unit are looked
 * at). They are not declared: dusk_source_declare does that. */
DUSK_API DUSK_MUST_USE dusk_status dusk_source_propose(dusk_source *source, dusk_bounds *out,
                                                       dusk_receipt *receipt, const char *column,
                                                       const dusk_query_options *options, dusk_generator *gen,
                                                       dusk_error *err);

/* ---- Rows to learn from ---------------------------------------------------------------------- */

/* The rows of SELECT as a frame for dusk/learn.h: columns or expressions of tables, with WHERE, joins and what else may stand in
 * a subquery (docs/sql.md); no ORDER BY or LIMIT. Columns with a domain are categories, booleans too, other numbers need
 * bounds: declared ones, or those that follow from them. What has neither is refused. The unit is the source's; of
 * each unit rows_per_unit rows stay at most, chosen by its own coins: that of the options, else as declared, else 1.
 *
 * The frame itself is private: nothing is released or charged here. dusk_training_run_charged charges what is learned
 * from it to dusk_source_ledger(source).
 *
 * `epsilon`, `delta`, `noise`, `groups_per_unit` and `rows_per_group` of the options do not count, and all rows are kept in memory.
 * After the SQL is understood and the sources are open only memory, disk, network and entropy can fail. */
DUSK_API DUSK_MUST_USE dusk_status dusk_query_frame(dusk_source *source, dusk_frame **out, const char *sql,
                                                    const dusk_query_options *options, dusk_generator *gen,
                                                    dusk_error *err);
/* What dusk_query_frame does before it reads a row: the SQL is understood, the engine is there, the sources are open. What
 * fails here would fail there, and is better found out before a charge. */
DUSK_API DUSK_MUST_USE dusk_status dusk_query_frame_ready(dusk_source *source, const char *sql,
                                                          const dusk_query_options *options, dusk_error *err);
/* The fields of that frame, by declared facts alone: a training can be prepared and priced before rows are read. */
DUSK_API DUSK_MUST_USE dusk_status dusk_query_fields(dusk_source *source, dusk_fields **out, const char *sql,
                                                     const dusk_query_options *options, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
