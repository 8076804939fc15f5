/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of the room, each compiled once for a handle, and their values. */
#include <math.h>
#include <string.h>

#include "ledger/store.h"

/* An entry e with the hash of the one before it, p. */
#define ENTRY                                                                                                \
    "SELECT e.number, e.format, e.kind, e.time, e.subject, e.value, e.purpose, e.charge, e.epsilon, "        \
    "e.delta, e.at, e.fingerprint, e.asked, e.version, e.price, e.hash, p.hash"
#define BEFORE " LEFT JOIN entry p ON p.number = e.number - 1 "
#define BALANCE                                                                                              \
    "SELECT b.analyst, b.epsilon, b.delta, b.charges, b.state, b.entry, b.digest, e.hash FROM balance b "    \
    "LEFT JOIN entry e ON e.number = b.entry "

static const char *const texts[LEDGER_STATEMENTS] = {
    [LEDGER_ENTRY_LAST] = ENTRY " FROM entry e" BEFORE "ORDER BY e.number DESC LIMIT 1",
    [LEDGER_ENTRY_ONE] = ENTRY " FROM entry e" BEFORE "WHERE e.number = ?",
    [LEDGER_ENTRY_WALK] = ENTRY " FROM entry e" BEFORE "WHERE e.number >= ? ORDER BY e.number",
    /* What was charged to an analyst (kinds CHARGED, RECALLED), or to the file. */
    [LEDGER_ENTRY_SPENT] = ENTRY " FROM entry e" BEFORE "WHERE e.kind = 4 AND (?1 = '' OR e.subject = ?1) "
                                 "OR e.kind = 6 AND e.subject = ?1 ORDER BY e.number",
    [LEDGER_ANALYSTS] = "SELECT DISTINCT subject FROM entry WHERE kind IN (3, 4, 6) AND subject <> '' "
                        "ORDER BY subject",
    [LEDGER_ENTRY_ADD] = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    /* A fact keeps its place when it is declared anew. */
    [LEDGER_FACT_PUT] = "INSERT INTO fact (place, subject, property, entry) VALUES (?1, ?2, ?3, ?1) "
                        "ON CONFLICT (subject, property) DO UPDATE SET entry = excluded.entry",
    [LEDGER_FACT_ONE] = "SELECT place, entry FROM fact WHERE subject = ? AND property = ?",
    [LEDGER_FACT_ALL] = ENTRY ", f.subject, f.property, f.place FROM fact f "
                              "LEFT JOIN entry e ON e.number = f.entry" BEFORE "ORDER BY f.place",
    [LEDGER_FACT_COUNT] = "SELECT count(*) FROM fact",
    [LEDGER_BALANCE_ONE] = BALANCE "WHERE b.analyst = ?",
    [LEDGER_BALANCE_ALL] = BALANCE "ORDER BY b.analyst",
    [LEDGER_BALANCE_PUT] = "INSERT OR REPLACE INTO balance VALUES (?, ?, ?, ?, ?, ?, ?)",
    [LEDGER_ANSWER_PUT] = "INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?)",
    [LEDGER_ANSWER_ONE] = "SELECT entry, fingerprint, asked, version, text FROM answer WHERE charge = ?",
    /* What the analyst has paid for, the best first; then what costs least. One with a limit of his own
     * pays for others' answers, and is given none that costs more than he asks for. */
    [LEDGER_ANSWER_FIND] =
        "SELECT a.charge, c.subject = ?4 OR EXISTS "
        "(SELECT 1 FROM recall r WHERE r.charge = a.charge AND r.analyst = ?4) AS paid "
        "FROM answer a LEFT JOIN entry c ON c.number = a.charge "
        "WHERE a.fingerprint = ?1 AND a.version = ?2 AND a.asked >= ?3 AND (paid OR a.asked = ?3 OR "
        "NOT EXISTS (SELECT 1 FROM balance b WHERE b.analyst = ?4)) "
        "ORDER BY paid DESC, CASE paid WHEN 1 THEN -a.asked ELSE a.asked END, a.charge LIMIT 1",
    [LEDGER_ANSWER_COUNT] = "SELECT count(*) FROM answer",
    [LEDGER_RECALL_PUT] = "INSERT INTO recall VALUES (?, ?, ?)",
    [LEDGER_RECALL_ONE] = "SELECT entry FROM recall WHERE charge = ? AND analyst = ?",
    [LEDGER_RECALL_COUNT] = "SELECT count(*) FROM recall",
};

void ledger_cursor_open(ledger_cursor *cursor, dusk_ledger *ledger, ledger_sql which)
{
    sqlite3_stmt **kept = &ledger->statement[which], *extra = NULL;
    *cursor = (ledger_cursor){ .ledger = ledger, .rc = SQLITE_OK };
    cursor->extra = *kept && sqlite3_stmt_busy(*kept);
    sqlite3_stmt **made = cursor->extra ? &extra : kept;
    if (!*made)
        cursor->rc = sqlite3_prepare_v3(ledger->db, texts[which], -1,
                                        cursor->extra ? 0 : SQLITE_PREPARE_PERSISTENT, made, NULL);
    cursor->statement = *made;
}

void ledger_cursor_close(ledger_cursor *cursor)
{
    if (!cursor->statement) return;
    if (cursor->extra) {
        (void)sqlite3_finalize(cursor->statement);
    } else {
        (void)sqlite3_reset(cursor->statement); /* says again what the last step said */
        (void)sqlite3_clear_bindings(cursor->statement);
    }
    cursor->statement = NULL;
}

static bool may_bind(ledger_cursor *cursor)
{
    cursor->bound++;
    return cursor->rc == SQLITE_OK;
}

void ledger_bind_whole(ledger_cursor *cursor, uint64_t x) { ledger_bind_time(cursor, (int64_t)x); }

void ledger_bind_time(ledger_cursor *cursor, int64_t x)
{
    if (may_bind(cursor)) cursor->rc = sqlite3_bind_int64(cursor->statement, cursor->bound, x);
}

void ledger_bind_real(ledger_cursor *cursor, double x)
{
    if (may_bind(cursor)) cursor->rc = sqlite3_bind_double(cursor->statement, cursor->bound, x);
}

void ledger_bind_text(ledger_cursor *cursor, const char *text)
{
    if (may_bind(cursor))
        cursor->rc = sqlite3_bind_text64(cursor->statement, cursor->bound, text, text ? strlen(text) : 0,
                                         SQLITE_STATIC, SQLITE_UTF8);
}

void ledger_bind_bytes(ledger_cursor *cursor, const void *bytes, size_t n)
{
    if (may_bind(cursor))
        cursor->rc = sqlite3_bind_blob64(cursor->statement, cursor->bound, n ? bytes : "", n, SQLITE_STATIC);
}

dusk_status ledger_cursor_step(ledger_cursor *cursor, bool *row, dusk_error *err)
{
    *row = false;
    if (cursor->rc == SQLITE_OK) {
        int rc = sqlite3_step(cursor->statement);
        *row = rc == SQLITE_ROW;
        if (rc == SQLITE_ROW || rc == SQLITE_DONE) return DUSK_OK;
        cursor->rc = rc;
    }
    /* A constraint that does not hold, a column that is not there: no ledger is like that. */
    if ((cursor->rc & 0xff) == SQLITE_CONSTRAINT || (cursor->rc & 0xff) == SQLITE_ERROR ||
        (cursor->rc & 0xff) == SQLITE_MISMATCH)
        return ledger_fail_corrupt(cursor->ledger, err, "its tables do not fit together");
    return ledger_fail(cursor->ledger, cursor->rc, err);
}

dusk_status ledger_cursor_run(ledger_cursor *cursor, dusk_error *err)
{
    bool row;
    dusk_status status = ledger_cursor_step(cursor, &row, err);
    ledger_cursor_close(cursor);
    return status;
}

static bool is(const ledger_cursor *cursor, int column, int type)
{
    return sqlite3_column_type(cursor->statement, column) == type;
}

bool ledger_column_time(const ledger_cursor *cursor, int column, int64_t *out)
{
    if (!is(cursor, column, SQLITE_INTEGER)) return false;
    *out = sqlite3_column_int64(cursor->statement, column);
    return true;
}

bool ledger_column_whole(const ledger_cursor *cursor, int column, uint64_t *out)
{
    int64_t x;
    if (!ledger_column_time(cursor, column, &x) || x < 0) return false;
    *out = (uint64_t)x;
    return true;
}

bool ledger_column_real(const ledger_cursor *cursor, int column, double *out)
{
    if (!is(cursor, column, SQLITE_FLOAT)) return false;
    *out = sqlite3_column_double(cursor->statement, column);
    return !isnan(*out);
}

bool ledger_column_text(const ledger_cursor *cursor, int column, const char **out)
{
    if (!is(cursor, column, SQLITE_TEXT)) return false;
    const char *text = (const char *)sqlite3_column_text(cursor->statement, column);
    *out = text;
    return text && strlen(text) == (size_t)sqlite3_column_bytes(cursor->statement, column);
}

bool ledger_column_text_or_null(const ledger_cursor *cursor, int column, const char **out)
{
    *out = NULL;
    return is(cursor, column, SQLITE_NULL) || ledger_column_text(cursor, column, out);
}

bool ledger_column_hash(const ledger_cursor *cursor, int column, uint8_t out[LEDGER_HASH])
{
    if (!is(cursor, column, SQLITE_BLOB) || sqlite3_column_bytes(cursor->statement, column) != LEDGER_HASH)
        return false;
    const void *bytes = sqlite3_column_blob(cursor->statement, column);
    if (!bytes) return false;
    memcpy(out, bytes, LEDGER_HASH);
    return true;
}
