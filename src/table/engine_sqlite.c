/* SPDX-License-Identifier: Apache-2.0 */
/* The engine that is always there. SQLite files are attached read-only, and t<t> is a view over one
 * of their tables; text files are virtual tables (csv_module.c). A transaction is open as long as the
 * engine is, so that all queries see one state of a database that others write to.
 *
 * The lock: an authorizer that knows reading and a list of functions, and nothing else; connections
 * are defensive, do not trust what a file's schema says, and take no text in double quotes for a string.
 *
 * SQLite keeps what it sorts and materialises in its own temporary files when it is large. They are
 * unlinked as soon as they are made, in the folder that SQLITE_TMPDIR or TMPDIR names. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/csv.h"
#include "table/schema.h"
#include "table/sqlite_engine.h"

/* --- connections ------------------------------------------------------------------------- */

dusk_status sqlite_failed(int code, const char *doing, dusk_error *err)
{
    switch (code & 0xFF) {
    case SQLITE_NOMEM: return dusk_fail_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return dusk_fail(err, DUSK_ERR_BUSY, "try again when the other program is done",
                         "the database is locked by another program (engine sqlite, while %s)", doing);
    default: return dusk_engine_failed(err, "sqlite", doing);
    }
}

dusk_status sqlite_run(sqlite3 *db, const char *sql, const char *doing, dusk_error *err)
{
    int code = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    return code == SQLITE_OK ? DUSK_OK : sqlite_failed(code, doing, err);
}

dusk_status sqlite_connect(sqlite3 **out, dusk_error *err)
{
    static const struct {
        int option, value;
    } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_DQS_DML, 0 },        { SQLITE_DBCONFIG_DQS_DDL, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
    };
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(":memory:", &db, flags, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof settings / sizeof *settings; i++)
        code = sqlite3_db_config(db, settings[i].option, settings[i].value, NULL);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, 5000);
    if (code == SQLITE_OK) {
        *out = db;
        return DUSK_OK;
    }
    (void)sqlite3_close_v2(db);
    return sqlite_failed(code, "starting", err);
}

/* "file:...?mode=ro", with all that is special in a URI escaped. */
static char *read_only_uri(const char *path)
{
    while (path[0] == '/' && path[1] == '/') path++; /* two of them would begin a host's name */
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "file:");
    for (; *path; path++)
        if (strchr("%?#", *path))
            sqlite3_str_appendf(text, "%%%02x", (unsigned)(unsigned char)*path);
        else
            sqlite3_str_append(text, path, 1);
    sqlite3_str_appendall(text, "?mode=ro");
    return sqlite3_str_finish(text);
}

/* Files are opened at the first look. In a transaction it fixes the state that is seen. */
static dusk_status look_at(sqlite3 *db, const char *name, const char *doing, dusk_error *err)
{
    char *look = sqlite3_mprintf("SELECT count(*) FROM \"%w\".sqlite_schema", name);
    dusk_status status = sqlite_run(db, look, doing, err);
    sqlite3_free(look);
    return status;
}

dusk_status sqlite_attach(sqlite3 *db, const char *path, const char *name, dusk_error *err)
{
    char doing[200];
    char *uri = read_only_uri(path);
    char *sql = uri ? sqlite3_mprintf("ATTACH %Q AS \"%w\"", uri, name) : NULL;
    snprintf(doing, sizeof doing, "opening %.180s", path);
    dusk_status status = sqlite_run(db, sql, doing, err);
    if (status == DUSK_ERR_IO && strstr(sqlite3_errmsg(db), "text encoding"))
        status = dusk_fail(err, DUSK_ERR_UNSUPPORTED, "convert it: sqlite3 old.db .dump | sqlite3 new.db",
                           "%.150s holds text as UTF-16; engine sqlite reads UTF-8", path);
    if (status == DUSK_OK) status = look_at(db, name, doing, err);
    sqlite3_free(uri);
    sqlite3_free(sql);
    return status;
}

/* --- the lock ------------------------------------------------------------------------------- */

static bool is_known_function(const char *name)
{
    static const char *const known[] = {
        "abs",    "avg",         "coalesce",   "count", "ifnull", "iif",        "instr", "length",
        "lower",  "ltrim",       "max",        "min",   "nullif", "replace",    "rtrim", "sign",
        "substr", "substring",   "sum",        "total", "trim",   "typeof",     "upper", "unicode",
        "char",   "round",       "floor",      "ceil",  "like",   "row_number", "rank",  "dense_rank",
        "ntile",  "first_value", "last_value", "lag",   "lead",
    };
    if (strncmp(name, "dusk_", 5) == 0) return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (table_same_name(name, strlen(name), known[i])) return true;
    return false;
}

/* Reading of tables, and functions of the list. Catalogues, and whatever else SQLite can do, are not
 * for generated SQL. */
static int authorize(void *context, int action, const char *first, const char *second, const char *database,
                     const char *within)
{
    (void)context, (void)database, (void)within;
    if (DUSK_MUTATE(SQLITE_UNLOCKED, false, true)) return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT: return SQLITE_OK;
    case SQLITE_READ: return first && sqlite3_strnicmp(first, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION: return second && is_known_function(second) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

static dusk_status lock(sqlite_engine *e, dusk_error *err)
{
    dusk_status status = sqlite_run(e->db, "PRAGMA query_only = 1", "locking itself", err);
    if (status != DUSK_OK) return status;
    int code = sqlite3_set_authorizer(e->db, authorize, NULL);
    return code == SQLITE_OK ? DUSK_OK : sqlite_failed(code, "locking itself", err);
}

/* --- tables ------------------------------------------------------------------------------------ */

static dusk_status no_column(const dusk_table_schema *t, size_t c, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "correct the declared columns or the source",
                     "%.120s has no column %.100s", t->source, t->column[c].name);
}

/* Where each declared column is in the file. */
static dusk_status match_text(sqlite_table *to, const dusk_table_schema *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    table_csv *csv = NULL;
    DUSK_NEW(to->in_file, t->columns);
    DUSK_NEW(to->name, t->columns);
    DUSK_TRY(table_csv_open(&csv, &to->location, 0, err));
    to->bytes = table_csv_size(csv);
    for (size_t c = 0; c < t->columns; c++) {
        to->in_file[c] = table_csv_find(csv, t->column[c].name);
        memcpy(to->name[c], t->column[c].name, sizeof to->name[c]);
        if (to->in_file[c] != DUSK_NO_LINK) continue;
        status = no_column(t, c, err);
        goto done;
    }
done:
    table_csv_close(csv);
    return status;
}

static dusk_status add_text(sqlite_engine *e, size_t i, const dusk_table_schema *t, dusk_error *err)
{
    char sql[120];
    dusk_status status = match_text(&e->table[i], t, err);
    if (status != DUSK_OK) return status;
    snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE temp.t%zu USING dusk_csv(%zu)", i, i);
    return sqlite_run(e->db, sql, "reading a text file", err);
}

/* The number of the table whose database is attached already, or i itself. */
static size_t attached_by(const sqlite_engine *e, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (e->table[j].location.kind == DUSK_SOURCE_SQLITE &&
            strcmp(e->table[j].location.path, e->table[i].location.path) == 0)
            return j;
    return i;
}

static char *view_of(size_t i, const char *database, const char *name, const dusk_table_schema *t,
                     const dusk_found_column *found, const size_t *at)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "CREATE TEMP VIEW t%llu AS SELECT ", (unsigned long long)i);
    for (size_t c = 0; c < t->columns; c++)
        sqlite3_str_appendf(sql, "%sdusk_field(%llu, %llu, \"%w\") AS c%llu", c ? ", " : "",
                            (unsigned long long)i, (unsigned long long)c, found[at[c]].name,
                            (unsigned long long)c);
    if (t->columns == 0) sqlite3_str_appendall(sql, "NULL AS empty");
    sqlite3_str_appendf(sql, " FROM \"%w\".\"%w\"", database, name);
    return sqlite3_str_finish(sql);
}

/* A view over a table of an attached database, by the names that its catalogue has. */
static dusk_status add_view(sqlite_engine *e, size_t i, const dusk_table_schema *t, const char *database,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_found_column *found = NULL;
    size_t n = 0, *at = NULL;
    char *sql = NULL;
    const char *name = e->table[i].location.table ? e->table[i].location.table : t->name;
    DUSK_TRY(sqlite_columns(e->db, database, &e->table[i].location, name, &found, &n, err));
    DUSK_NEW(at, t->columns);
    for (size_t c = 0; c < t->columns; c++) {
        for (at[c] = 0;
             at[c] < n && !table_same_name(found[at[c]].name, strlen(found[at[c]].name), t->column[c].name);)
            at[c]++;
        if (at[c] < n) continue;
        status = no_column(t, c, err);
        goto done;
    }
    sql = view_of(i, database, name, t, found, at);
    DUSK_TRY(sqlite_run(e->db, sql, "opening a table", err));
done:
    sqlite3_free(sql);
    dusk_deallocate(at);
    dusk_deallocate(found);
    return status;
}

/* SQLite has limits of its own. They are said in words before it meets them. */
static dusk_status check_limits(const sqlite_engine *e, size_t i, const dusk_table_schema *t, dusk_error *err)
{
    int files = 0, most = sqlite3_limit(e->db, SQLITE_LIMIT_ATTACHED, -1);
    int columns = sqlite3_limit(e->db, SQLITE_LIMIT_COLUMN, -1);
    for (size_t j = 0; j <= i; j++)
        files += e->table[j].location.kind == DUSK_SOURCE_SQLITE && attached_by(e, j) == j;
    if (files > most)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "put several tables into one file",
                         "engine sqlite opens at most %d database files", most);
    if (t->columns > (size_t)columns)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "declare only the columns that are asked for",
                         "engine sqlite reads at most %d columns of a table, and %s has more", columns,
                         t->name);
    return DUSK_OK;
}

static dusk_status add_table(sqlite_engine *e, size_t i, const dusk_table_schema *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sqlite_table *to = &e->table[i];
    char database[32];
    DUSK_TRY(dusk_location_parse(&to->location, t->source, err));
    DUSK_TRY(check_limits(e, i, t, err));
    DUSK_NEW(to->rule, t->columns);
    for (; to->columns < t->columns; to->columns++)
        DUSK_TRY(table_rule_init(&to->rule[to->columns], &t->column[to->columns], err));
    if (to->location.kind == DUSK_SOURCE_CSV) return add_text(e, i, t, err);
    if (to->location.kind != DUSK_SOURCE_SQLITE)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "leave the engine to Dusk",
                         "engine sqlite does not read %.150s", t->source);
    size_t by = attached_by(e, i);
    snprintf(database, sizeof database, "s%zu", by);
    if (by == i) DUSK_TRY(sqlite_attach(e->db, to->location.path, database, err));
    DUSK_TRY(add_view(e, i, t, database, err));
done:
    return status;
}

/* One state of all databases for as long as the engine is open. */
static dusk_status fix_state(sqlite_engine *e, dusk_error *err)
{
    char database[32];
    dusk_status status =
        sqlite_run(e->db, DUSK_MUTATE(SQLITE_NO_SNAPSHOT, "BEGIN", "SELECT 1"), "starting", err);
    for (size_t i = 0; status == DUSK_OK && i < e->tables; i++) {
        if (e->table[i].location.kind != DUSK_SOURCE_SQLITE || attached_by(e, i) != i) continue;
        snprintf(database, sizeof database, "s%zu", i);
        status = look_at(e->db, database, "opening a database", err);
    }
    return status;
}

/* --- opening and closing -------------------------------------------------------------------------- */

static void sqlite_close(dusk_engine *engine)
{
    sqlite_engine *e = (sqlite_engine *)engine;
    if (!e) return;
    (void)sqlite3_close_v2(e->db);
    for (size_t i = 0; e->table && i < e->tables; i++) {
        for (size_t c = 0; c < e->table[i].columns; c++) table_rule_clear(&e->table[i].rule[c]);
        dusk_deallocate(e->table[i].rule);
        dusk_deallocate(e->table[i].in_file);
        dusk_deallocate(e->table[i].name);
        dusk_location_clear(&e->table[i].location);
    }
    dusk_deallocate(e->table);
    dusk_deallocate(e);
}

static dusk_status sqlite_open(dusk_engine **out, const dusk_schema *schema, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    sqlite_engine *e = NULL;
    *out = NULL;
    DUSK_NEW(e, 1);
    e->engine.class = &dusk_engine_sqlite;
    DUSK_NEW(e->table, schema->tables);
    e->tables = schema->tables;
    DUSK_TRY(sqlite_connect(&e->db, err));
    DUSK_TRY(sqlite_functions_register(e, err));
    DUSK_TRY(sqlite_csv_register(e, err));
    for (size_t i = 0; i < schema->tables; i++) DUSK_TRY(add_table(e, i, &schema->table[i], err));
    DUSK_TRY(fix_state(e, err));
    DUSK_TRY(lock(e, err));
    *out = &e->engine;
    e = NULL;
done:
    if (e) sqlite_close(&e->engine);
    return status;
}

const dusk_engine_class dusk_engine_sqlite = {
    .name = "sqlite",
    .dialect = DUSK_DIALECT_SQLITE,
    .open = sqlite_open,
    .close = sqlite_close,
    .describe = sqlite_describe,
    .tables = sqlite_tables,
    .query = sqlite_query,
    .next = sqlite_next,
    .end = sqlite_end,
};
