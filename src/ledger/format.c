/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a ledger. A file must have exactly the tables of its format, word for word:
 * no trigger, view or column that somebody else put there is ever looked at. */
#include "ledger/format.h"

#include <stdio.h>
#include <string.h>

#include "ledger/chain.h"

enum { TABLES = 6 };

#define ANSWER                                                                                               \
    "CREATE TABLE answer (charge INTEGER PRIMARY KEY, entry INTEGER NOT NULL, fingerprint TEXT, "            \
    "asked REAL NOT NULL, version INTEGER NOT NULL, text BLOB NOT NULL) STRICT"
#define ANSWER_REQUEST "CREATE INDEX answer_request ON answer (fingerprint, version)"
#define BALANCE                                                                                              \
    "CREATE TABLE balance (analyst TEXT PRIMARY KEY NOT NULL, epsilon REAL NOT NULL, "                       \
    "delta REAL NOT NULL, charges INTEGER NOT NULL, state TEXT NOT NULL, entry INTEGER NOT NULL, "           \
    "digest BLOB NOT NULL) STRICT, WITHOUT ROWID"
#define ENTRY                                                                                                \
    "CREATE TABLE entry (number INTEGER PRIMARY KEY, format INTEGER NOT NULL, kind INTEGER NOT NULL, "       \
    "time INTEGER NOT NULL, subject TEXT NOT NULL, value TEXT, purpose TEXT NOT NULL, "                      \
    "charge INTEGER NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL, at REAL NOT NULL, "                \
    "fingerprint TEXT, asked REAL NOT NULL, version INTEGER NOT NULL, price TEXT NOT NULL, "                 \
    "hash BLOB NOT NULL) STRICT"
#define FACT                                                                                                 \
    "CREATE TABLE fact (place INTEGER PRIMARY KEY, subject TEXT NOT NULL, property TEXT NOT NULL, "          \
    "entry INTEGER NOT NULL, UNIQUE (subject, property)) STRICT"
#define RECALL                                                                                               \
    "CREATE TABLE recall (charge INTEGER NOT NULL, analyst TEXT NOT NULL, entry INTEGER NOT NULL, "          \
    "PRIMARY KEY (charge, analyst)) STRICT, WITHOUT ROWID"

/* Format 1 knew no version of the data and no epsilon that was asked for: an answer was given
 * again to the same request only. */
#define ANSWER_1                                                                                             \
    "CREATE TABLE answer (charge INTEGER PRIMARY KEY, entry INTEGER NOT NULL, fingerprint TEXT, "            \
    "text BLOB NOT NULL) STRICT"
#define ANSWER_REQUEST_1 "CREATE INDEX answer_request ON answer (fingerprint)"
#define ENTRY_1                                                                                              \
    "CREATE TABLE entry (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, time INTEGER NOT NULL, "         \
    "subject TEXT NOT NULL, value TEXT, purpose TEXT NOT NULL, charge INTEGER NOT NULL, "                    \
    "epsilon REAL NOT NULL, delta REAL NOT NULL, at REAL NOT NULL, fingerprint TEXT, "                       \
    "price TEXT NOT NULL, hash BLOB NOT NULL) STRICT"

/* What a format has in sqlite_schema, by name; and how it becomes the next one. */
typedef struct format {
    const char *tables[TABLES];
    const char *steps[10];
} format;

static const format formats[LEDGER_FORMAT + 1] = {
    [1] = { .tables = { ANSWER_1, ANSWER_REQUEST_1, BALANCE, ENTRY_1, FACT, RECALL },
            /* The new columns are 0, and entries say that they were hashed without them. */
            .steps = { "DROP INDEX answer_request", "ALTER TABLE entry RENAME TO old_entry",
                       "ALTER TABLE answer RENAME TO old_answer", ENTRY, ANSWER, ANSWER_REQUEST,
                       "INSERT INTO entry SELECT number, 1, kind, time, subject, value, purpose, charge, "
                       "epsilon, delta, at, fingerprint, 0.0, 0, price, hash FROM old_entry",
                       "INSERT INTO answer SELECT charge, entry, fingerprint, 0.0, 0, text FROM old_answer",
                       "DROP TABLE old_entry", "DROP TABLE old_answer" } },
    [2] = { .tables = { ANSWER, ANSWER_REQUEST, BALANCE, ENTRY, FACT, RECALL } },
};

static dusk_status execute(dusk_ledger *ledger, const char *sql, dusk_error *err)
{
    int rc = sqlite3_exec(ledger->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? DUSK_OK : ledger_fail(ledger, rc, err);
}

/* A number of the file's header. */
static dusk_status header(dusk_ledger *ledger, const char *pragma, int64_t *out, dusk_error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(ledger->db, pragma, -1, &statement, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) *out = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? DUSK_OK : ledger_fail(ledger, rc, err);
}

static dusk_status set_header(dusk_ledger *ledger, dusk_error *err)
{
    char sql[96];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", LEDGER_APPLICATION,
             LEDGER_FORMAT);
    return execute(ledger, sql, err);
}

dusk_status ledger_format_make(dusk_ledger *ledger, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < TABLES && status == DUSK_OK; i++)
        status = execute(ledger, formats[LEDGER_FORMAT].tables[i], err);
    return status == DUSK_OK ? set_header(ledger, err) : status;
}

/* Tables that SQLite makes by itself for keys have no text. */
static dusk_status check_tables(dusk_ledger *ledger, const format *is, dusk_error *err)
{
    sqlite3_stmt *statement = NULL;
    size_t n = 0;
    bool same = true;
    int rc = sqlite3_prepare_v2(ledger->db,
                                "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_autoindex\\_%' "
                                "ESCAPE '\\' ORDER BY name",
                                -1, &statement, NULL);
    if (rc == SQLITE_OK)
        while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(statement, 0);
            same = same && n < TABLES && text && strcmp(text, is->tables[n]) == 0;
            n++;
        }
    (void)sqlite3_finalize(statement);
    if (rc != SQLITE_DONE) return ledger_fail(ledger, rc, err);
    if (same && n == TABLES) return DUSK_OK;
    return ledger_fail_corrupt(ledger, err, "it has tables that no ledger has");
}

static dusk_status read_format(dusk_ledger *ledger, int64_t *out, dusk_error *err)
{
    int64_t application = 0;
    dusk_status status = header(ledger, "PRAGMA application_id", &application, err);
    if (status != DUSK_OK) return status;
    if (application != LEDGER_APPLICATION)
        return dusk_fail(err, DUSK_ERR_IO, "name a file that `dusk init` made", "%s is not a ledger",
                         ledger_shown(ledger->path));
    status = header(ledger, "PRAGMA user_version", out, err);
    if (status != DUSK_OK) return status;
    if (*out > LEDGER_FORMAT)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "use a newer version of Dusk",
                         "the ledger %s has format %d; this version knows formats up to %d",
                         ledger_shown(ledger->path), (int)*out, LEDGER_FORMAT);
    return *out >= 1 ? DUSK_OK : ledger_fail_corrupt(ledger, err, "it has no format");
}

typedef struct state {
    int64_t format;
} state;

static dusk_status look(dusk_ledger *ledger, void *context, dusk_error *err)
{
    state *s = context;
    dusk_status status = read_format(ledger, &s->format, err);
    return status == DUSK_OK ? check_tables(ledger, &formats[s->format], err) : status;
}

/* Another process may have done it meanwhile. */
static dusk_status migrate(dusk_ledger *ledger, void *context, dusk_error *err)
{
    dusk_status status = look(ledger, context, err);
    for (int64_t from = ((state *)context)->format; status == DUSK_OK && from < LEDGER_FORMAT; from++)
        for (size_t i = 0; i < sizeof formats->steps / sizeof *formats->steps && status == DUSK_OK; i++)
            if (formats[from].steps[i]) status = execute(ledger, formats[from].steps[i], err);
    if (status == DUSK_OK) status = set_header(ledger, err);
    return status == DUSK_OK ? check_tables(ledger, &formats[LEDGER_FORMAT], err) : status;
}

dusk_status ledger_format_check(dusk_ledger *ledger, dusk_error *err)
{
    state s = { 0 };
    dusk_status status = ledger_read(ledger, look, &s, err);
    if (status != DUSK_OK || s.format == LEDGER_FORMAT) return status;
    return ledger_write(ledger, migrate, &s, err);
}
