/* SPDX-License-Identifier: Apache-2.0 */
/* A new source: names and types of columns come from the catalogues of its databases, or from
 * the header lines of its text files, and become declared facts. No row is read. The file is
 * written when everything has been checked, and taken away again if it cannot be finished. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "query/source.h"

/* Facts that will be written, in order; checked by a schema as they come. */
typedef struct draft {
    dusk_schema *schema;
    query_arena *texts;
    dusk_fact *fact;
    size_t facts, room;
} draft;

static char *keep(draft *d, const char *text) { return query_arena_text(d->texts, text, strlen(text)); }

static dusk_status add_fact(draft *d, const char *subject, const char *property, const char *value,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fact fact = { keep(d, subject), keep(d, property), keep(d, value) };
    if (!fact.subject || !fact.property || !fact.value) return dusk_fail_memory(err);
    DUSK_TRY(dusk_schema_declare(d->schema, subject, property, value, err));
    DUSK_GROW(d->fact, d->room, d->facts);
    d->fact[d->facts++] = fact;
done:
    return status;
}

/* A path is kept from the root, so that the file can be used from any folder. */
dusk_status query_absolute(char **out, const char *uri, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char here[4096];
    size_t size;
    if (uri[0] == '/' || strstr(uri, "://")) return query_copy_text(out, uri, err);
    *out = NULL;
    if (!getcwd(here, sizeof here))
        return dusk_fail(err, DUSK_ERR_IO, "give the path of the data from the root",
                         "the current folder has no name");
    size = strlen(here) + strlen(uri) + 2;
    DUSK_NEW(*out, size);
    snprintf(*out, size, "%s/%s", here, uri);
done:
    return status;
}

/* The name of a table: what stands before '=', the name of the table in its database, or the
 * file's stem. */
static void stem_of(char *name, size_t size, const char *path)
{
    const char *from = strrchr(path, '/');
    from = from ? from + 1 : path;
    snprintf(name, size, "%.*s", (int)strcspn(from, "."), from);
}

static bool is_named(const char *source, const char **uri)
{
    size_t name = strspn(source, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    *uri = source;
    if (name == 0 || source[name] != '=') return false;
    *uri = source + name + 1;
    return true;
}

/* A dot in the name that the database has, as between a schema and a table, is an underscore here. */
static dusk_status add_table(draft *d, const char *found_name, const char *uri,
                             const dusk_engine_class *engine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_found_column *found = NULL;
    size_t n;
    char name[DUSK_NAME_MAX + 1], subject[2 * DUSK_NAME_MAX + 2];
    snprintf(name, sizeof name, "%s", found_name);
    for (char *dot = name; (dot = strchr(dot, '.'));) *dot = '_';
    if (strlen(found_name) > DUSK_NAME_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a shorter name: --source NAME=URI",
                         "the name of a table has at most %d bytes", DUSK_NAME_MAX);
    if (dusk_schema_table(d->schema, name) != DUSK_NO_LINK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give them names: --source NAME=URI",
                         "two sources have a table named %s", name);
    DUSK_TRY(engine->describe(uri, &found, &n, err));
    DUSK_TRY(add_fact(d, name, "source", uri, err));
    for (size_t i = 0; i < n; i++) {
        snprintf(subject, sizeof subject, "%s.%s", name, found[i].name);
        DUSK_TRY(add_fact(d, subject, "type", dusk_type_name(found[i].type), err));
    }
done:
    dusk_deallocate(found);
    return status;
}

/* A database without #table: all its tables. */
static dusk_status add_database(draft *d, const char *uri, const dusk_engine_class *engine, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char **names = NULL, *one = NULL;
    size_t size;
    DUSK_TRY(engine->tables(uri, &names, err));
    for (char **name = names; *name; name++) {
        size = strlen(uri) + strlen(*name) + 2;
        DUSK_NEW(one, size);
        snprintf(one, size, "%s#%s", uri, *name);
        DUSK_TRY(add_table(d, *name, one, engine, err));
        dusk_deallocate(one);
        one = NULL;
    }
done:
    dusk_deallocate(one);
    dusk_deallocate(names);
    return status;
}

static dusk_status add_source(draft *d, const char *source, const char *engine_name, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_engine_class *engine;
    dusk_location location = { 0 };
    const char *relative;
    char *uri = NULL, name[4096];
    bool named = is_named(source, &relative);
    DUSK_TRY(query_absolute(&uri, relative, err));
    DUSK_TRY(dusk_location_parse(&location, uri, err));
    DUSK_TRY(query_check_uri(uri, err));
    DUSK_TRY(dusk_engine_for_source(&engine, uri, engine_name, err));
    if (!location.table && (location.kind == DUSK_SOURCE_SQLITE || location.kind == DUSK_SOURCE_DUCKDB ||
                            location.kind == DUSK_SOURCE_POSTGRES)) {
        if (named)
            status = dusk_fail(err, DUSK_ERR_ARGUMENT, "name one table of it: --source NAME=URI#TABLE",
                               "a whole database cannot be given one name");
        else
            status = add_database(d, uri, engine, err);
    } else {
        if (named)
            snprintf(name, sizeof name, "%.*s", (int)(relative - source - 1), source);
        else if (location.table)
            snprintf(name, sizeof name, "%s", location.table);
        else
            stem_of(name, sizeof name, location.path);
        status = add_table(d, name, uri, engine, err);
    }
done:
    dusk_location_clear(&location);
    dusk_deallocate(uri);
    return status;
}

static dusk_status write_file(const char *path, const dusk_source_options *options, const draft *d,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger *ledger = NULL;
    DUSK_TRY(dusk_ledger_create(path, &options->ledger, err));
    status = dusk_ledger_open(&ledger, path, err);
    if (status == DUSK_OK) status = dusk_ledger_declare_all(ledger, d->fact, d->facts, err);
    dusk_ledger_close(ledger);
    if (status != DUSK_OK) unlink(path); /* ours: _create refuses a path that exists */
done:
    return status;
}

void dusk_source_options_init(dusk_source_options *options)
{
    *options = (dusk_source_options){ .size = sizeof *options };
    dusk_ledger_options_init(&options->ledger);
}

dusk_status dusk_source_create(const char *path, const dusk_source_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_engine_class *engine;
    draft d = { 0 };
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_source_options_init first",
                         "the options of a source were not initialised");
    if (options->sources_count == 0 || !options->unit)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --source visits.csv --unit visits.visitor",
                         "a source needs data and a unit: whose privacy is at stake");
    DUSK_TRY(dusk_schema_new(&d.schema, err));
    DUSK_TRY(query_arena_new(&d.texts, err));
    for (size_t i = 0; i < options->sources_count; i++)
        DUSK_TRY(add_source(&d, options->sources[i], options->engine, err));
    DUSK_TRY(add_fact(&d, "", "unit", options->unit, err));
    if (d.schema->unit_column == DUSK_NO_LINK) {
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "--unit is written TABLE.COLUMN, such as visits.patient",
                           "there is no column %.200s", options->unit);
        goto done;
    }
    DUSK_TRY(dusk_engine_choose(&engine, d.schema, options->engine, err));
    if (options->engine) { /* the source's own fact: the schema does not know it */
        DUSK_GROW(d.fact, d.room, d.facts);
        d.fact[d.facts++] = (dusk_fact){ "", QUERY_ENGINE_PROPERTY, options->engine };
    }
    DUSK_TRY(write_file(path, options, &d, err));
done:
    dusk_deallocate(d.fact);
    query_arena_free(d.texts);
    dusk_schema_free(d.schema);
    return status;
}
