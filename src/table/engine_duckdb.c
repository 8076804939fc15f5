/* SPDX-License-Identifier: Apache-2.0 */
/* The fast engine: DuckDB, when its library is found. Parquet files and tables of DuckDB files (attached
 * read-only) are read by DuckDB itself, text files by our own reader (duckdb_text.c): DuckDB's raises
 * errors for rows that it does not like, ours has a reading for every file. t<t> is a view.
 *
 * The lock, before the first query: no access to any file but the declared ones and the engine's own
 * folder for temporary files, no extension, no change of the configuration.
 *
 * What may fail by what a file holds: a Parquet file whose text is not UTF-8 is broken by its own
 * format, and DuckDB refuses it. duckdb_describe finds that out beforehand; a file that is replaced by a
 * broken one without a word to the source (dusk schema FILE refresh) fails in a query. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/csv.h"
#include "table/duckdb_engine.h"
#include "table/rule_sql.h"
#include "table/schema.h"

/* --- running SQL ---------------------------------------------------------------------------- */

dusk_status duckdb_failed(duckdb_engine *e, duckdb_result *result, const char *doing, dusk_error *err)
{
    bool memory = atomic_exchange(&e->out_of_memory, false);
    if (result && e->api->result_error_type(result) == DUCKDB_ERROR_OUT_OF_MEMORY) memory = true;
    return memory ? dusk_fail_memory(err) : dusk_engine_failed(err, "duckdb", doing);
}

dusk_status duckdb_run(duckdb_engine *e, dusk_buffer *sql, const char *doing, dusk_error *err)
{
    char *text = NULL;
    duckdb_result result = { .internal = NULL };
    dusk_status status = dusk_buffer_take(sql, &text, err);
    if (status != DUSK_OK) return status;
    if (e->api->query(e->connection, text, &result) != 0) status = duckdb_failed(e, &result, doing, err);
    e->api->destroy_result(&result);
    dusk_deallocate(text);
    return status;
}

/* --- beginning and end ---------------------------------------------------------------------- */

/* $TMPDIR/dusk-<user>, which is the user's alone, for all engines: DuckDB makes the folders of its temporary files
 * when it needs them, and others could read those. */
static bool is_private(const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return false;
    return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

/* A name that nobody has, in that folder. */
static dusk_status make_folder(duckdb_engine *e, dusk_error *err)
{
    const char *parent = getenv("TMPDIR");
    dusk_buffer name = { .data = NULL };
    char *folder = NULL;
    dusk_buffer_add(&name, "%s/dusk-%lu", parent && *parent == '/' ? parent : "/tmp",
                    (unsigned long)geteuid());
    bool fine = !name.failed && is_private(name.data);
    dusk_buffer_add(&name, "/duckdb-XXXXXX");
    dusk_status status = dusk_buffer_take(&name, &folder, err);
    if (status != DUSK_OK) return status;
    if (!fine || !mkdtemp(folder) || rmdir(folder) != 0) {
        status = dusk_fail(err, DUSK_ERR_IO, "name a folder that can be written to in TMPDIR",
                           "no private folder for temporary files can be made: %.150s", folder);
        dusk_deallocate(folder);
        return status;
    }
    e->folder = folder;
    return DUSK_OK;
}

/* DuckDB removes its files when it is closed; this is for what it leaves. */
static void remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries) (void)closedir(entries);
    (void)rmdir(folder);
}

/* A database in memory with settings that cannot be made later, or should not be made later. */
static dusk_status open_database(duckdb_engine *e, dusk_error *err)
{
    char memory[32], threads[32];
    const char *settings[][2] = {
        { "temp_directory", e->folder },
        { "extension_directory", e->folder },
        { "secret_directory", e->folder },
        { "autoload_known_extensions", "false" },
        { "autoinstall_known_extensions", "false" },
        { "allow_community_extensions", "false" },
        { "allow_unsigned_extensions", "false" },
        { "allow_persistent_secrets", "false" },
        { "memory_limit", memory },
        { "threads", threads },
    };
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE),
         cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* Half of the memory and of the processors: the other half is for what is done with the rows. A streamed
     * answer keeps the thread that waits for it busy, so that more threads than that cost more than they give. */
    uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : (uint64_t)1 << 30;
    snprintf(memory, sizeof memory, "%" PRIu64 "KiB", half / 1024);
    snprintf(threads, sizeof threads, "%ld", cores > 1 ? cores / 2 : 1);
    duckdb_config config = NULL;
    char *message = NULL;
    bool fine = e->api->create_config(&config) == 0;
    for (size_t i = 0; fine && i < sizeof settings / sizeof *settings; i++)
        fine = e->api->set_config(config, settings[i][0], settings[i][1]) == 0;
    fine = fine && e->api->open_ext(NULL, &e->db, config, &message) == 0;
    fine = fine && e->api->connect(e->db, &e->connection) == 0;
    if (message) e->api->free(message);
    e->api->destroy_config(&config);
    return fine ? DUSK_OK : dusk_engine_failed(err, "duckdb", "starting");
}

dusk_status duckdb_begin(duckdb_engine **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_engine *e = NULL;
    dusk_buffer zone = { .data = NULL };
    DUSK_NEW(e, 1);
    e->engine.class = &dusk_engine_duckdb;
    atomic_init(&e->out_of_memory, false);
    DUSK_TRY(duckdb_load(&e->api, err));
    DUSK_TRY(make_folder(e, err));
    DUSK_TRY(open_database(e, err));
    dusk_buffer_add(&zone, "SET GLOBAL TimeZone = 'UTC'");
    DUSK_TRY(duckdb_run(e, &zone, "starting", err));
    *out = e;
    e = NULL;
done:
    if (e) duckdb_end_engine(&e->engine);
    return status;
}

void duckdb_end_engine(dusk_engine *engine)
{
    duckdb_engine *e = (duckdb_engine *)engine;
    if (!e) return;
    if (e->connection) e->api->disconnect(&e->connection);
    if (e->db) e->api->close(&e->db);
    if (e->folder) remove_folder(e->folder);
    for (size_t i = 0; e->source && i < e->sources; i++) {
        duckdb_source *source = &e->source[i];
        for (size_t c = 0; c < source->columns; c++) table_rule_clear(&source->rule[c]);
        dusk_deallocate(source->rule);
        dusk_deallocate(source->in_file);
        dusk_deallocate(source->name);
        dusk_deallocate(source->path);
        dusk_location_clear(&source->location);
    }
    dusk_deallocate(e->source);
    dusk_deallocate(e->folder);
    dusk_deallocate(e);
}

/* --- tables ------------------------------------------------------------------------------------ */

static dusk_status no_column(const dusk_table_schema *t, size_t c, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "correct the declared columns or the source",
                     "%.120s has no column %.100s", t->source, t->column[c].name);
}

static dusk_status add_text(duckdb_engine *e, size_t i, const dusk_table_schema *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_source *source = &e->source[i];
    table_csv *csv = NULL;
    dusk_buffer sql = { .data = NULL };
    DUSK_NEW(source->in_file, t->columns);
    DUSK_NEW(source->name, t->columns);
    DUSK_TRY(table_csv_open(&csv, &source->location, 0, err));
    for (size_t c = 0; c < t->columns; c++) {
        source->in_file[c] = table_csv_find(csv, t->column[c].name);
        memcpy(source->name[c], t->column[c].name, sizeof source->name[c]);
        if (source->in_file[c] != DUSK_NO_LINK) continue;
        status = no_column(t, c, err);
        goto done;
    }
    DUSK_TRY(duckdb_text_register(e, i, err));
    dusk_buffer_add(&sql, "CREATE VIEW t%zu AS FROM dusk_text_%zu()", i, i);
    DUSK_TRY(duckdb_run(e, &sql, "opening a text file", err));
done:
    table_csv_close(csv);
    dusk_buffer_clear(&sql);
    return status;
}

/* The number of the table whose database is attached already, or i itself. */
static size_t attached_by(const duckdb_engine *e, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (e->source[j].location.kind == DUSK_SOURCE_DUCKDB &&
            strcmp(e->source[j].path, e->source[i].path) == 0)
            return j;
    return i;
}

static dusk_status add_view(duckdb_engine *e, size_t i, const dusk_table_schema *t, const char *from,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer sql = { .data = NULL };
    duckdb_found *found = NULL;
    size_t n = 0, *at = NULL;
    DUSK_TRY(duckdb_columns(e, from, &found, &n, err));
    DUSK_NEW(at, t->columns);
    for (size_t c = 0; c < t->columns; c++) {
        while (at[c] < n && !table_same_name(found[at[c]].name, strlen(found[at[c]].name), t->column[c].name))
            at[c]++;
        if (at[c] < n) continue;
        status = no_column(t, c, err);
        goto done;
    }
    DUSK_TRY(duckdb_view(&sql, i, t, &e->source[i], from, found, at, err));
    DUSK_TRY(duckdb_run(e, &sql, "opening a table", err));
done:
    dusk_buffer_clear(&sql);
    dusk_deallocate(found);
    dusk_deallocate(at);
    return status;
}

static dusk_status add_table(duckdb_engine *e, size_t i, const dusk_table_schema *t, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_source *source = &e->source[i];
    dusk_buffer from = { .data = NULL };
    char database[32];
    source->engine = e;
    DUSK_TRY(dusk_location_parse(&source->location, t->source, err));
    DUSK_NEW(source->rule, t->columns);
    for (; source->columns < t->columns; source->columns++)
        DUSK_TRY(table_rule_init(&source->rule[source->columns], &t->column[source->columns], err));
    if (source->location.kind == DUSK_SOURCE_CSV) return add_text(e, i, t, err);
    if (source->location.kind != DUSK_SOURCE_PARQUET && source->location.kind != DUSK_SOURCE_DUCKDB)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "leave the engine to Dusk",
                         "engine duckdb does not read %.150s", t->source);
    DUSK_TRY(duckdb_file(&source->path, source->location.path, err));
    size_t by = attached_by(e, i);
    snprintf(database, sizeof database, "s%zu", by);
    if (source->location.kind == DUSK_SOURCE_DUCKDB && by == i)
        DUSK_TRY(duckdb_attach(e, source->path, database, err));
    DUSK_TRY(duckdb_from(e, &from, source, database,
                         source->location.table ? source->location.table : t->name, err));
    DUSK_TRY(from.failed ? dusk_fail_memory(err) : add_view(e, i, t, from.data, err));
done:
    dusk_buffer_clear(&from);
    return status;
}

/* --- the lock ------------------------------------------------------------------------------------ */

/* Attached databases and the folder for temporary files are allowed by themselves. */
static dusk_status lock(duckdb_engine *e, dusk_error *err)
{
    dusk_buffer sql = { .data = NULL };
    const char *between = "";
    if (DUSK_MUTATE(DUCKDB_UNLOCKED, false, true)) return DUSK_OK;
    dusk_buffer_add(&sql, "SET allowed_paths = [");
    for (size_t i = 0; i < e->sources; i++) {
        if (e->source[i].location.kind != DUSK_SOURCE_PARQUET) continue;
        dusk_buffer_add(&sql, "%s", between);
        table_put_quoted(&sql, e->source[i].path, '\'');
        between = ", ";
    }
    dusk_buffer_add(&sql, "]; SET enable_external_access = false; SET lock_configuration = true");
    dusk_status status = duckdb_run(e, &sql, "locking itself", err);
    dusk_buffer_clear(&sql);
    return status;
}

static dusk_status duckdb_open_engine(dusk_engine **out, const dusk_schema *schema, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    duckdb_engine *e = NULL;
    *out = NULL;
    DUSK_TRY(duckdb_begin(&e, err));
    DUSK_NEW(e->source, schema->tables);
    e->sources = schema->tables;
    DUSK_TRY(duckdb_functions_register(e, err));
    for (size_t i = 0; i < schema->tables; i++) DUSK_TRY(add_table(e, i, &schema->table[i], err));
    DUSK_TRY(lock(e, err));
    *out = &e->engine;
    e = NULL;
done:
    if (e) duckdb_end_engine(&e->engine);
    return status;
}

const dusk_engine_class dusk_engine_duckdb = {
    .name = "duckdb",
    .dialect = DUSK_DIALECT_DUCKDB,
    .open = duckdb_open_engine,
    .close = duckdb_end_engine,
    .describe = duckdb_describe,
    .tables = duckdb_tables,
    .query = duckdb_query,
    .next = duckdb_next,
    .end = duckdb_end,
};
