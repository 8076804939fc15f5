/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL by libpq. All queries of an engine run in one transaction that is READ ONLY and REPEATABLE READ:
 * they see one state of the database and cannot change it; it is never committed. t<t> is a common table expression before every
 * query, not a view: nothing is created on the server, so that a right to read is all that is needed, also on a
 * standby.
 *
 * The lock: besides the transaction, statements are sent one at a time by the extended protocol, which takes
 * a single one; names are looked up in pg_catalog only; tables with row security that would hide rows are an
 * error. What the user of the connection may read is for the server to say: give Dusk a user that may read
 * the declared tables and nothing else. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "table/postgres_engine.h"
#include "table/schema.h"

dusk_status postgres_failed(const postgres_engine *e, const char *doing, dusk_error *err)
{
    if (PQstatus(e->connection) != CONNECTION_OK)
        return dusk_fail(err, DUSK_ERR_IO, "see that the server runs, and try again",
                         "the connection to %.150s was lost while %s", e->shown, doing);
    return dusk_engine_failed(err, "postgres", doing);
}

dusk_status postgres_run(postgres_engine *e, PGresult **out, const char *sql, const char *parameter,
                         const char *doing, dusk_error *err)
{
    PGresult *result = PQexecParams(e->connection, sql, parameter ? 1 : 0, NULL, &parameter, NULL, NULL, 0);
    ExecStatusType code = PQresultStatus(result);
    bool fine = code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK;
    if (fine && out)
        *out = result;
    else
        PQclear(result);
    return fine ? DUSK_OK : postgres_failed(e, doing, err);
}

/* --- connections ------------------------------------------------------------------------------------------ */

/* "database clinic on db.example.org": nothing of the user or the password, wherever the URI has them. */
static dusk_status show(char **out, const char *uri, dusk_error *err)
{
    dusk_buffer text = { .data = NULL };
    const char *host = "this machine", *name = "of that user";
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(uri, &message);
    PQfreemem(message);
    if (!options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "write postgres://user@host/database#table",
                         "the URI of the PostgreSQL database cannot be read");
    for (PQconninfoOption *o = options; o->keyword; o++) {
        if (!o->val || !*o->val) continue;
        if (strcmp(o->keyword, "host") == 0) host = o->val;
        if (strcmp(o->keyword, "dbname") == 0) name = o->val;
    }
    dusk_buffer_add(&text, "database %s on %s", name, host);
    PQconninfoFree(options);
    return dusk_buffer_take(&text, out, err);
}

/* Notices of the server are nobody's. */
static void ignore(void *context, const PGresult *result) { (void)context, (void)result; }

static dusk_status connect(postgres_engine *e, const char *uri, dusk_error *err)
{
    const char *names[] = { "dbname", "client_encoding", "fallback_application_name", NULL };
    const char *values[] = { uri, "UTF8", "dusk", NULL };
    e->connection = PQconnectdbParams(names, values, 1);
    if (!e->connection) return dusk_fail_memory(err);
    if (PQstatus(e->connection) != CONNECTION_OK)
        return dusk_fail(
            err, DUSK_ERR_IO,
            "see that the server runs and that the user may connect; psql with the same URI says more",
            "%.150s cannot be reached", e->shown);
    (void)PQsetNoticeReceiver(e->connection, ignore, NULL);
    const char *encoding = PQparameterStatus(e->connection, "server_encoding");
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "only databases whose encoding is UTF8 are read",
                         "%.150s has another encoding than UTF8", e->shown);
    return DUSK_OK;
}

/* By a socket of the file system there is no address. */
static bool is_remote(const PGconn *connection)
{
    const char *address = PQhostaddr(connection);
    return address && *address && strncmp(address, "127.", 4) != 0 && strcmp(address, "::1") != 0;
}

static dusk_status begin_transaction(postgres_engine *e, dusk_error *err)
{
    static const char *const statements[] = {
        "SET search_path = ''",
        "SET standard_conforming_strings = on",
        "SET DateStyle = 'ISO, YMD'",
        "SET TimeZone = 'UTC'",
        "SET extra_float_digits = 3",
        "SET bytea_output = 'hex'",
        "SET row_security = off",
        "SET client_min_messages = error",
        "SET statement_timeout = 0",
        "SET idle_in_transaction_session_timeout = 0",
        "SET default_transaction_read_only = on",
    };
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        DUSK_TRY(postgres_run(e, NULL, statements[i], NULL, "starting", err));
    DUSK_TRY(postgres_run(e, NULL,
                          DUSK_MUTATE(POSTGRES_SEES_WRITES, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                                      "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"),
                          NULL, "starting", err));
done:
    return status;
}

dusk_status postgres_begin(postgres_engine **out, const dusk_location *location, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    postgres_engine *e = NULL;
    DUSK_NEW(e, 1);
    e->engine.class = &dusk_engine_postgres;
    DUSK_TRY(show(&e->shown, location->path, err));
    DUSK_TRY(connect(e, location->path, err));
    e->engine.remote = is_remote(e->connection);
    DUSK_TRY(begin_transaction(e, err));
    *out = e;
    e = NULL;
done:
    if (e) postgres_close(&e->engine);
    return status;
}

void postgres_close(dusk_engine *engine)
{
    postgres_engine *e = (postgres_engine *)engine;
    if (!e) return;
    PQfinish(e->connection);
    dusk_deallocate(e->shown);
    dusk_deallocate(e->tables);
    dusk_deallocate(e);
}

/* --- tables ---------------------------------------------------------------------------------------------- */

static dusk_status match(const postgres_engine *e, const dusk_table_schema *t, const postgres_found *found,
                         size_t n, size_t *at, dusk_error *err)
{
    for (size_t c = 0; c < t->columns; c++) {
        while (at[c] < n && !table_same_name(found[at[c]].name, strlen(found[at[c]].name), t->column[c].name))
            at[c]++;
        if (at[c] == n)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "correct the declared columns or the source",
                             "table %.100s of %.100s has no column %.100s", t->name, e->shown,
                             t->column[c].name);
    }
    return DUSK_OK;
}

static dusk_status add_table(postgres_engine *e, dusk_buffer *with, size_t i, const dusk_table_schema *t,
                             const char *name, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *table = NULL;
    dusk_buffer all = { .data = NULL };
    postgres_found *found = NULL;
    table_rule *rules = NULL;
    size_t n = 0, *at = NULL, made = 0;
    DUSK_TRY(postgres_table(e, &table, name, err));
    dusk_buffer_add(&all, "SELECT * FROM %s", table);
    DUSK_TRY(all.failed ? dusk_fail_memory(err)
                        : postgres_columns(e, all.data, &found, &n, "reading the catalogue", err));
    DUSK_NEW(at, t->columns);
    DUSK_TRY(match(e, t, found, n, at, err));
    DUSK_NEW(rules, t->columns);
    for (; made < t->columns; made++) DUSK_TRY(table_rule_init(&rules[made], &t->column[made], err));
    dusk_buffer_add(with, "%st%zu AS NOT MATERIALIZED (", i ? ", " : "WITH ", i);
    postgres_view(with, t, rules, table, found, at);
    dusk_buffer_add(with, ")");
done:
    for (size_t c = 0; c < made; c++) table_rule_clear(&rules[c]);
    dusk_deallocate(rules);
    dusk_deallocate(at);
    dusk_deallocate(found);
    dusk_deallocate(table);
    dusk_buffer_clear(&all);
    return status;
}

/* All tables are in one database, of which `out` is the location. */
static dusk_status one_database(dusk_location *out, const dusk_schema *schema, dusk_error *err)
{
    for (size_t i = 0; i < schema->tables; i++) {
        dusk_location here = { .path = NULL };
        dusk_status status = dusk_location_parse(&here, schema->table[i].source, err);
        if (status != DUSK_OK) return status;
        bool fine = here.kind == DUSK_SOURCE_POSTGRES && (!out->path || strcmp(out->path, here.path) == 0);
        if (out->path)
            dusk_location_clear(&here);
        else
            *out = here;
        if (!fine)
            return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "keep all tables in one database, under one URI",
                             "engine postgres reads tables of one database, and %.100s is elsewhere",
                             schema->table[i].name);
    }
    return DUSK_OK;
}

static dusk_status add_tables(postgres_engine *e, const dusk_schema *schema, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer with = { .data = NULL };
    for (size_t i = 0; i < schema->tables; i++) {
        dusk_location here = { .path = NULL };
        DUSK_TRY(dusk_location_parse(&here, schema->table[i].source, err));
        status =
            add_table(e, &with, i, &schema->table[i], here.table ? here.table : schema->table[i].name, err);
        dusk_location_clear(&here);
        if (status != DUSK_OK) goto done;
    }
    DUSK_TRY(dusk_buffer_take(&with, &e->tables, err));
done:
    dusk_buffer_clear(&with);
    return status;
}

static dusk_status postgres_open(dusk_engine **out, const dusk_schema *schema, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_location location = { .path = NULL };
    postgres_engine *e = NULL;
    *out = NULL;
    DUSK_TRY(one_database(&location, schema, err));
    if (!location.path) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "declare a table by its source", "there is no table");
        goto done;
    }
    DUSK_TRY(postgres_begin(&e, &location, err));
    DUSK_TRY(add_tables(e, schema, err));
    *out = &e->engine;
    e = NULL;
done:
    if (e) postgres_close(&e->engine);
    dusk_location_clear(&location);
    return status;
}

const dusk_engine_class dusk_engine_postgres = {
    .name = "postgres",
    .dialect = DUSK_DIALECT_POSTGRES,
    .open = postgres_open,
    .close = postgres_close,
    .describe = postgres_describe,
    .tables = postgres_tables,
    .query = postgres_query,
    .next = postgres_next,
    .end = postgres_end,
};
