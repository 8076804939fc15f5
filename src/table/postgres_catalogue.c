/* SPDX-License-Identifier: Apache-2.0 */
/* What a PostgreSQL database has: tables that the user may read, and their columns. No row is read: columns are
 * asked of a statement that is prepared and never run. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "table/name_list.h"
#include "table/postgres_engine.h"

/* Tables, views and the like: how a person writes them (visits, or other.visits outside of schema public), and
 * how SQL does. */
#define KNOWN                                                                                                \
    "(SELECT CASE WHEN n.nspname = 'public' THEN c.relname::text ELSE n.nspname || '.' || c.relname END AS " \
    "shown, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS written, c.relkind FROM pg_class c "  \
    "JOIN "                                                                                                  \
    "pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname "   \
    "!~ "                                                                                                    \
    "'^pg_' AND n.nspname <> 'information_schema' AND has_any_column_privilege(c.oid, 'SELECT')) AS known"

dusk_status postgres_table(postgres_engine *e, char **out, const char *table, dusk_error *err)
{
    PGresult *result = NULL;
    dusk_buffer name = { .data = NULL };
    dusk_status status =
        postgres_run(e, &result,
                     "SELECT written FROM " KNOWN " WHERE lower(shown COLLATE \"C\") = lower($1::text "
                     "COLLATE \"C\") ORDER BY shown = $1 DESC, shown LIMIT 1",
                     table, "reading the catalogue", err);
    if (status != DUSK_OK) return status;
    if (PQntuples(result) == 1) {
        dusk_buffer_add(&name, "%s", PQgetvalue(result, 0, 0));
        status = dusk_buffer_take(&name, out, err);
    } else {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT,
                           "write the table behind #, as in postgres://user@host/clinic#visits",
                           "%.120s has no table %.100s that this user may read", e->shown, table);
    }
    PQclear(result);
    return status;
}

static dusk_status copy_columns(const PGresult *result, postgres_found **out, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    postgres_found *found = NULL;
    size_t columns = (size_t)PQnfields(result);
    DUSK_NEW(found, columns);
    for (size_t c = 0; c < columns; c++) {
        const char *name = PQfname(result, (int)c);
        if (strlen(name) > DUSK_NAME_MAX) {
            status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give it a shorter name in a view",
                               "the name of column %zu has more than %d bytes", c + 1, DUSK_NAME_MAX);
            goto done;
        }
        memcpy(found[c].name, name, strlen(name));
        found[c].type = PQftype(result, (int)c);
    }
    *out = found;
    *n = columns;
    found = NULL;
done:
    dusk_deallocate(found);
    return status;
}

dusk_status postgres_columns(postgres_engine *e, const char *sql, postgres_found **out, size_t *n,
                             const char *doing, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    PGresult *prepared = PQprepare(e->connection, "", sql, 0, NULL), *described = NULL;
    if (PQresultStatus(prepared) == PGRES_COMMAND_OK) described = PQdescribePrepared(e->connection, "");
    if (PQresultStatus(described) == PGRES_COMMAND_OK)
        status = copy_columns(described, out, n, err);
    else
        status = postgres_failed(e, doing, err);
    PQclear(prepared);
    PQclear(described);
    return status;
}

/* --- the functions of dusk_engine_class ------------------------------------------------------------------- */

static dusk_status open_source(postgres_engine **out, dusk_location *location, const char *source,
                               dusk_error *err)
{
    dusk_status status = dusk_location_parse(location, source, err);
    if (status != DUSK_OK) return status;
    if (location->kind != DUSK_SOURCE_POSTGRES)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "leave the engine to Dusk",
                         "engine postgres reads postgres://user@host/database only");
    return postgres_begin(out, location, err);
}

dusk_status postgres_describe(const char *source, dusk_found_column **columns, size_t *n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    postgres_engine *e = NULL;
    dusk_location location = { .path = NULL };
    dusk_found_column *list = NULL;
    postgres_found *found = NULL;
    dusk_buffer sql = { .data = NULL };
    char *table = NULL;
    size_t count = 0;
    DUSK_TRY(open_source(&e, &location, source, err));
    DUSK_TRY(postgres_table(e, &table, location.table ? location.table : "", err));
    dusk_buffer_add(&sql, "SELECT * FROM %s", table);
    DUSK_TRY(sql.failed ? dusk_fail_memory(err)
                        : postgres_columns(e, sql.data, &found, &count, "reading the catalogue", err));
    DUSK_NEW(list, count);
    for (size_t c = 0; c < count; c++) {
        memcpy(list[c].name, found[c].name, sizeof list[c].name);
        list[c].type = postgres_type_of(found[c].type);
    }
    *columns = list;
    *n = count;
done:
    if (e) postgres_close(&e->engine);
    dusk_location_clear(&location);
    dusk_buffer_clear(&sql);
    dusk_deallocate(found);
    dusk_deallocate(table);
    return status;
}

dusk_status postgres_tables(const char *source, char ***names, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    postgres_engine *e = NULL;
    dusk_location location = { .path = NULL };
    dusk_buffer all = { .data = NULL };
    PGresult *result = NULL;
    DUSK_TRY(open_source(&e, &location, source, err));
    DUSK_TRY(postgres_run(e, &result,
                          "SELECT shown FROM " KNOWN
                          " WHERE relkind NOT IN ('v', 'm') ORDER BY lower(shown COLLATE \"C\")",
                          NULL, "reading the catalogue", err));
    for (int i = 0; i < PQntuples(result); i++)
        dusk_buffer_bytes(&all, PQgetvalue(result, i, 0), (size_t)PQgetlength(result, i, 0) + 1);
    DUSK_TRY(all.failed ? dusk_fail_memory(err)
                        : table_name_list(names, all.data, all.length, (size_t)PQntuples(result), err));
done:
    PQclear(result);
    if (e) postgres_close(&e->engine);
    dusk_location_clear(&location);
    dusk_buffer_clear(&all);
    return status;
}
