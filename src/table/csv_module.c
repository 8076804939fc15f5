/* SPDX-License-Identifier: Apache-2.0 */
/* Text files as virtual tables of SQLite: table t of the engine is t<t>, with columns c0, c1, ... of
 * their declared types. There is one way to read it, from the first record to the last. */
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "table/csv.h"
#include "table/schema.h"
#include "table/sqlite_engine.h"
#include "table/value.h"

typedef struct csv_table {
    sqlite3_vtab base;
    const sqlite_table *table;
} csv_table;

typedef struct csv_cursor {
    sqlite3_vtab_cursor base;
    table_csv *csv;
    sqlite3_int64 row;
    bool found;
} csv_cursor;

static int code_of(dusk_status status)
{
    return status == DUSK_OK ? SQLITE_OK : status == DUSK_ERR_MEMORY ? SQLITE_NOMEM : SQLITE_IOERR;
}

/* --- tables -------------------------------------------------------------------------------- */

static int declare(sqlite3 *db, const sqlite_table *table)
{
    static const char *const types[] = {
        [DUSK_TYPE_INTEGER] = "INTEGER", [DUSK_TYPE_REAL] = "REAL", [DUSK_TYPE_TEXT] = "TEXT",
        [DUSK_TYPE_BOOLEAN] = "INTEGER", [DUSK_TYPE_DATE] = "TEXT", [DUSK_TYPE_TIMESTAMP] = "TEXT",
    };
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendall(sql, "CREATE TABLE t(");
    for (size_t c = 0; c < table->columns; c++)
        sqlite3_str_appendf(sql, "%sc%llu %s", c ? ", " : "", (unsigned long long)c,
                            types[table->rule[c].type]);
    if (table->columns == 0) sqlite3_str_appendall(sql, "empty");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code;
}

static int csv_connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **out,
                       char **message)
{
    sqlite_engine *engine = data;
    int64_t t;
    (void)message;
    if (argc != 4 || !table_read_integer(&t, argv[3], strlen(argv[3]))) return SQLITE_ERROR;
    if (t < 0 || (uint64_t)t >= engine->tables || !engine->table[t].in_file) return SQLITE_ERROR;
    int code = declare(db, &engine->table[t]);
    if (code == SQLITE_OK) code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    if (code != SQLITE_OK) return code;
    csv_table *table = dusk_allocate(1, sizeof *table);
    if (!table) return SQLITE_NOMEM;
    table->table = &engine->table[t];
    *out = &table->base;
    return SQLITE_OK;
}

/* Not the same function as csv_connect: otherwise the module itself would be a table. */
static int csv_create(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **out,
                      char **message)
{
    return csv_connect(db, data, argc, argv, out, message);
}

static int csv_disconnect(sqlite3_vtab *table)
{
    dusk_deallocate(table);
    return SQLITE_OK;
}

/* idxNum: how many columns of the file are needed. SQLite has one bit for all columns from 63 on. */
static int csv_plan(sqlite3_vtab *base, sqlite3_index_info *plan)
{
    const sqlite_table *table = ((csv_table *)base)->table;
    size_t need = 0;
    for (size_t c = 0; c < table->columns; c++)
        if (plan->colUsed >> (c < 63 ? c : 63) & 1 && table->in_file[c] >= need) need = table->in_file[c] + 1;
    plan->idxNum = (int)need;
    /* A guess: lines of 64 bytes. Never few: SQLite would join without an index then. */
    plan->estimatedRows = (sqlite3_int64)(table->bytes / 64) + 10000;
    plan->estimatedCost = 10.0 * (double)plan->estimatedRows;
    return SQLITE_OK;
}

/* --- cursors ----------------------------------------------------------------------------------- */

/* Whether the file still has its columns where they were. Another may lie at its place by now, and
 * to take one column for the unit that is another would protect nobody. */
static bool has_columns(const table_csv *csv, const sqlite_table *table)
{
    for (size_t c = 0; c < table->columns; c++) {
        size_t at = table->in_file[c];
        const char *name = at < table_csv_columns(csv) ? table_csv_name(csv, at) : "";
        if (!table_same_name(name, strlen(name), table->name[c])) return false;
    }
    return true;
}

static int csv_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    const sqlite_table *table = ((csv_table *)base)->table;
    csv_cursor *cursor = dusk_allocate(1, sizeof *cursor);
    if (!cursor) return SQLITE_NOMEM;
    int code = code_of(table_csv_open(&cursor->csv, &table->location, 0, NULL));
    if (code == SQLITE_OK && DUSK_MUTATE(CSV_COLUMNS_ASSUMED, !has_columns(cursor->csv, table), false))
        code = SQLITE_IOERR;
    if (code == SQLITE_OK) {
        *out = &cursor->base;
        return SQLITE_OK;
    }
    table_csv_close(cursor->csv);
    dusk_deallocate(cursor);
    return code;
}

static int csv_close(sqlite3_vtab_cursor *base)
{
    table_csv_close(((csv_cursor *)base)->csv);
    dusk_deallocate(base);
    return SQLITE_OK;
}

static int csv_next(sqlite3_vtab_cursor *base)
{
    csv_cursor *cursor = (csv_cursor *)base;
    cursor->row++;
    return code_of(table_csv_next(cursor->csv, &cursor->found, NULL));
}

static int csv_filter(sqlite3_vtab_cursor *base, int need, const char *text, int argc, sqlite3_value **argv)
{
    csv_cursor *cursor = (csv_cursor *)base;
    (void)text, (void)argc, (void)argv;
    int code = code_of(table_csv_rewind(cursor->csv, NULL));
    if (code != SQLITE_OK) return code;
    table_csv_need(cursor->csv, (size_t)need);
    cursor->row = 0;
    return csv_next(base);
}

static int csv_eof(sqlite3_vtab_cursor *base) { return !((csv_cursor *)base)->found; }

static int csv_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((csv_cursor *)base)->row;
    return SQLITE_OK;
}

static int csv_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    csv_cursor *cursor = (csv_cursor *)base;
    const sqlite_table *table = ((csv_table *)base->pVtab)->table;
    table_value value = { .null = true };
    const char *text;
    size_t length;
    if ((size_t)column >= table->columns) return SQLITE_OK;
    const table_rule *rule = &table->rule[column];
    if (table_csv_field(cursor->csv, table->in_file[column], &text, &length))
        table_cast_text(&value, rule->type, text, length);
    table_rule_apply(rule, &value);
    sqlite_result(context, rule->type, &value);
    return SQLITE_OK;
}

static const sqlite3_module csv_module = {
    .iVersion = 1,
    .xCreate = csv_create,
    .xConnect = csv_connect,
    .xBestIndex = csv_plan,
    .xDisconnect = csv_disconnect,
    .xDestroy = csv_disconnect,
    .xOpen = csv_open,
    .xClose = csv_close,
    .xFilter = csv_filter,
    .xNext = csv_next,
    .xEof = csv_eof,
    .xColumn = csv_column,
    .xRowid = csv_rowid,
};

dusk_status sqlite_csv_register(sqlite_engine *engine, dusk_error *err)
{
    int code = sqlite3_create_module_v2(engine->db, "dusk_csv", &csv_module, engine, NULL);
    return code == SQLITE_OK ? DUSK_OK : sqlite_failed(code, "starting", err);
}
