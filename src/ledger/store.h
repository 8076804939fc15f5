/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEDGER_STORE_H
#define DUSK_LEDGER_STORE_H

/* The SQLite file below a ledger: opening, transactions, statements, and what its errors
 * mean. Nothing here knows what an entry is. */

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "accounting/filter.h"
#include "base/error.h"
#include "dusk/ledger.h"

#define LEDGER_NAME_MAX 63           /* bytes of an analyst's name              */
#define LEDGER_SUBJECT_MAX 1023      /* bytes of a subject, and of a property   */
#define LEDGER_TEXT_MAX (1 << 24)    /* bytes of a value, purpose, fingerprint  */
#define LEDGER_ANSWER_MAX (1u << 29) /* bytes of an answer; SQLite ends at 10^9 */
#define LEDGER_PATIENCE_MS 20000     /* how long to wait for other processes    */
#define LEDGER_LOG_PAGES 256         /* of the log before it is put into the file */
#define LEDGER_FILTERS 8             /* analysts whose filters are kept         */
#define LEDGER_HASH 32

/* Every statement of the room; the texts are in store.c. */
typedef enum ledger_sql {
    LEDGER_ENTRY_LAST,
    LEDGER_ENTRY_ONE,
    LEDGER_ENTRY_WALK,
    LEDGER_ENTRY_SPENT,
    LEDGER_ANALYSTS,
    LEDGER_ENTRY_ADD,
    LEDGER_FACT_PUT,
    LEDGER_FACT_ONE,
    LEDGER_FACT_ALL,
    LEDGER_FACT_COUNT,
    LEDGER_BALANCE_ONE,
    LEDGER_BALANCE_ALL,
    LEDGER_BALANCE_PUT,
    LEDGER_ANSWER_PUT,
    LEDGER_ANSWER_ONE,
    LEDGER_ANSWER_FIND,
    LEDGER_ANSWER_COUNT,
    LEDGER_RECALL_PUT,
    LEDGER_RECALL_ONE,
    LEDGER_RECALL_COUNT,
    LEDGER_STATEMENTS
} ledger_sql;

/* A filter for a limit, with the prices that it has found so far. Its sums are those of the
 * last row that was read into it, and no longer true when the transaction is over. */
typedef struct ledger_filter {
    char analyst[LEDGER_NAME_MAX + 1]; /* "": the whole file */
    dusk_budget limit;
    dusk_filter *filter; /* NULL: not made yet */
} ledger_filter;

struct dusk_ledger {
    sqlite3 *db;
    char *path; /* for messages */
    char *real; /* without links: its log is beside it under that name */
    dev_t device;
    ino_t inode;
    bool inside; /* a transaction is open: a visitor must not call back */
    sqlite3_stmt *statement[LEDGER_STATEMENTS];
    dusk_ledger_options made_with;
    ledger_filter total, own[LEDGER_FILTERS];
    size_t next_own;
    /* The last event whose epsilon was found for history, and that. */
    bool cost_known;
    dusk_event cost_event;
    dusk_budget cost;
};

/* ---- Opening -------------------------------------------------------------------------------- */

/* Make an empty file that only its owner may use; DUSK_ERR_ARGUMENT when something is there. */
DUSK_MUST_USE dusk_status ledger_store_make(const char *path, dusk_error *err);
/* The file must be there. Sets what makes a commit durable. */
DUSK_MUST_USE dusk_status ledger_store_open(dusk_ledger *ledger, const char *path, dusk_error *err);
/* Keep changes in a write-ahead log, where the file system can have one: one sync a commit. */
DUSK_MUST_USE dusk_status ledger_store_use_log(dusk_ledger *ledger, dusk_error *err);
void ledger_store_close(dusk_ledger *ledger);
/* The name of a file is on disk when its folder is. */
DUSK_MUST_USE dusk_status ledger_store_sync_folder(const char *path, dusk_error *err);
/* How long to wait for other processes; for tests. */
void ledger_store_patience(dusk_ledger *ledger, int milliseconds);

/* ---- Transactions ---------------------------------------------------------------------------- */

typedef dusk_status ledger_work(dusk_ledger *ledger, void *context, dusk_error *err);
/* Do the work in one transaction: all of it, on disk when this returns DUSK_OK, or nothing of
 * it. `work` must have no effect outside of the file but on its context. */
DUSK_MUST_USE dusk_status ledger_write(dusk_ledger *ledger, ledger_work *work, void *context,
                                       dusk_error *err);
/* The same on one state of the file, changing nothing. */
DUSK_MUST_USE dusk_status ledger_read(dusk_ledger *ledger, ledger_work *work, void *context, dusk_error *err);

/* ---- Statements -------------------------------------------------------------------------------- */

/* A statement that is being run. Values are bound one after the other; what goes wrong is kept
 * and said by the next step. Texts must live until the end. */
typedef struct ledger_cursor {
    dusk_ledger *ledger;
    sqlite3_stmt *statement;
    int rc, bound;
    bool extra; /* compiled for this run: the one that is kept was in use */
} ledger_cursor;

void ledger_cursor_open(ledger_cursor *cursor, dusk_ledger *ledger, ledger_sql which);
void ledger_bind_whole(ledger_cursor *cursor, uint64_t x); /* below 2^63 */
void ledger_bind_time(ledger_cursor *cursor, int64_t x);
void ledger_bind_real(ledger_cursor *cursor, double x);
void ledger_bind_text(ledger_cursor *cursor, const char *text); /* NULL: null */
void ledger_bind_bytes(ledger_cursor *cursor, const void *bytes, size_t n);
/* *row: there is a row to read. */
DUSK_MUST_USE dusk_status ledger_cursor_step(ledger_cursor *cursor, bool *row, dusk_error *err);
/* Run a statement that has no rows, and end it. */
DUSK_MUST_USE dusk_status ledger_cursor_run(ledger_cursor *cursor, dusk_error *err);
void ledger_cursor_close(ledger_cursor *cursor);

/* Columns of the present row; false when the column has another type, or is a text with a zero
 * byte: no ledger has those. Texts live until the next step. */
DUSK_MUST_USE bool ledger_column_whole(const ledger_cursor *cursor, int column, uint64_t *out);
DUSK_MUST_USE bool ledger_column_time(const ledger_cursor *cursor, int column, int64_t *out);
DUSK_MUST_USE bool ledger_column_real(const ledger_cursor *cursor, int column, double *out);
DUSK_MUST_USE bool ledger_column_text(const ledger_cursor *cursor, int column, const char **out);
/* The same, and null is NULL. */
DUSK_MUST_USE bool ledger_column_text_or_null(const ledger_cursor *cursor, int column, const char **out);
DUSK_MUST_USE bool ledger_column_hash(const ledger_cursor *cursor, int column, uint8_t out[LEDGER_HASH]);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* What SQLite's answer `rc` means, naming the file. */
dusk_status ledger_fail(const dusk_ledger *ledger, int rc, dusk_error *err);
/* DUSK_ERR_CORRUPT: "the ledger PATH is damaged: " and what. */
dusk_status ledger_fail_corrupt(const dusk_ledger *ledger, dusk_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The path as messages show it: the end of a long one. */
const char *ledger_shown(const char *path);

#endif
