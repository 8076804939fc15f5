/* SPDX-License-Identifier: Apache-2.0 */
/* An open source: the ledger of its file, and the schema that the ledger's facts make. A change
 * is checked by the schema before it is kept by the ledger; where the ledger cannot keep it, the
 * schema is read again, so that both always say the same. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "query/source.h"

dusk_status query_copy_text(char **out, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    *out = NULL;
    if (!text) return DUSK_OK;
    DUSK_NEW(*out, strlen(text) + 1);
    memcpy(*out, text, strlen(text) + 1);
done:
    return status;
}

/* --- facts ---------------------------------------------------------------------------- */

static bool is_engine(const dusk_fact *fact)
{
    return fact->subject[0] == '\0' && strcmp(fact->property, QUERY_ENGINE_PROPERTY) == 0;
}

/* What is read from the file, before it takes the place of what was there. */
typedef struct reading {
    dusk_schema *schema;
    char *engine_name;
} reading;

static dusk_status read_fact(void *context, const dusk_fact *fact, dusk_error *err)
{
    reading *r = context;
    if (!is_engine(fact))
        return dusk_schema_declare(r->schema, fact->subject, fact->property, fact->value, err);
    dusk_deallocate(r->engine_name);
    return query_copy_text(&r->engine_name, fact->value, err);
}

static dusk_status read_facts(dusk_source *source, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    reading r = { 0 };
    DUSK_TRY(dusk_schema_new(&r.schema, err));
    DUSK_TRY(dusk_ledger_facts(source->ledger, read_fact, &r, err));
    dusk_schema_free(source->schema);
    dusk_deallocate(source->engine_name);
    source->schema = r.schema;
    source->engine_name = r.engine_name;
    r = (reading){ 0 };
done:
    dusk_schema_free(r.schema);
    dusk_deallocate(r.engine_name);
    return status;
}

/* --- the handle ------------------------------------------------------------------------ */

dusk_status dusk_source_open(dusk_source **out, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_source *source = NULL;
    *out = NULL;
    DUSK_NEW(source, 1);
    DUSK_TRY(query_copy_text(&source->path, path, err));
    DUSK_TRY(dusk_ledger_open(&source->ledger, path, err));
    DUSK_TRY(read_facts(source, err));
    *out = source;
    source = NULL;
done:
    dusk_source_close(source);
    return status;
}

static void close_engine(dusk_source *source)
{
    if (source->engine) source->engine->class->close(source->engine);
    source->engine = NULL;
}

void dusk_source_close(dusk_source *source)
{
    if (!source) return;
    close_engine(source);
    dusk_schema_free(source->schema);
    dusk_ledger_close(source->ledger);
    dusk_deallocate(source->engine_name);
    dusk_deallocate(source->path);
    dusk_deallocate(source);
}

const dusk_schema *dusk_source_schema(const dusk_source *source) { return source->schema; }

dusk_ledger *dusk_source_ledger(dusk_source *source) { return source->ledger; }

/* The file is read by whoever may look at a budget, and its entries are never taken out again. */
dusk_status query_check_uri(const char *uri, dusk_error *err)
{
    const char *host = strstr(uri, "://"), *at, *colon;
    if (!host) return DUSK_OK;
    at = strchr(host + 3, '@');
    colon = strchr(host + 3, ':');
    if (!(at && colon && colon < at) && !strstr(uri, "password=")) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it out, and put it into ~/.pgpass or PGPASSWORD",
                     "a source does not keep passwords");
}

/* What a source consists of was fixed when it was made: facts are about tables and columns that
 * are there. */
static dusk_status check_subject(const dusk_schema *schema, const char *subject, dusk_error *err)
{
    char table[DUSK_NAME_MAX + 1];
    const char *dot = strchr(subject, '.');
    size_t length = dot ? (size_t)(dot - subject) : strlen(subject), t;
    if (length == 0) return DUSK_OK;
    snprintf(table, sizeof table, "%.*s", (int)length, subject);
    t = dusk_schema_table(schema, table);
    if (t == DUSK_NO_LINK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk schema FILE shows the tables", "there is no table %s",
                         table);
    if (dot && dusk_schema_column(&schema->table[t], dot + 1) == DUSK_NO_LINK)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk schema FILE shows the columns",
                         "table %s has no column %.100s", table, dot + 1);
    return DUSK_OK;
}

/* Everything that was spent was spent for this unit: for another one it would be another sum. */
static bool is_unit(const dusk_fact *fact)
{
    return fact->subject[0] == '\0' && strcmp(fact->property, "unit") == 0;
}

/* The data changed: files whose form engines rely on are looked at again, before a query does. */
static dusk_status check_files(const dusk_source *source, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t t = 0; t < source->schema->tables && status == DUSK_OK; t++) {
        const dusk_engine_class *class;
        dusk_location location = { 0 };
        dusk_found_column *found = NULL;
        size_t n;
        status = dusk_location_parse(&location, source->schema->table[t].source, err);
        if (status == DUSK_OK && location.kind == DUSK_SOURCE_PARQUET) {
            status = dusk_engine_for_source(&class, source->schema->table[t].source, NULL, err);
            if (status == DUSK_OK) status = class->describe(source->schema->table[t].source, &found, &n, err);
        }
        dusk_deallocate(found);
        dusk_location_clear(&location);
    }
    return status;
}

static dusk_status check_fact(dusk_source *source, const dusk_fact *fact, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_engine_class *chosen;
    if (DUSK_MUTATE(SOURCE_UNIT_CHANGES, is_unit(fact), false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make another source: dusk init",
                         "the unit of a source cannot be changed: all that was spent was for this one");
    DUSK_TRY(check_subject(source->schema, fact->subject, err));
    if (fact->value && !strcmp(fact->property, "link"))
        DUSK_TRY(check_subject(source->schema, fact->value, err));
    if (fact->subject[0] == '\0' && !strcmp(fact->property, "version")) DUSK_TRY(check_files(source, err));
    if (fact->value && !strcmp(fact->property, "source")) DUSK_TRY(query_check_uri(fact->value, err));
    if (!is_engine(fact))
        return dusk_schema_declare(source->schema, fact->subject, fact->property, fact->value, err);
    DUSK_TRY(dusk_engine_choose(&chosen, source->schema, fact->value, err));
done:
    return status;
}

dusk_status dusk_source_declare(dusk_source *source, const char *subject, const char *property,
                                const char *value, dusk_error *err)
{
    dusk_fact fact = { subject, property, value };
    char *absolute = NULL;
    dusk_status status, again;
    DUSK_TRY(read_facts(source, err)); /* another process may have declared something */
    if (value && !strcmp(property, "source")) {
        DUSK_TRY(query_absolute(&absolute, value, err));
        fact.value = absolute;
    }
    DUSK_TRY(check_fact(source, &fact, err));
    DUSK_TRY(dusk_ledger_declare(source->ledger, subject, property, fact.value, err));
    close_engine(source); /* its views were made from the facts of before */
done:
    dusk_deallocate(absolute);
    again = read_facts(source, status == DUSK_OK ? err : NULL);
    return status != DUSK_OK ? status : again;
}

dusk_status query_source_engine(dusk_source *source, dusk_engine **out, const char *wanted, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_engine_class *class;
    if (!wanted) wanted = source->engine_name;
    DUSK_TRY(dusk_engine_choose(&class, source->schema, wanted, err));
    if (source->engine && source->engine->class != class) close_engine(source);
    if (!source->engine) DUSK_TRY(class->open(&source->engine, source->schema, err));
    *out = source->engine;
done:
    return status;
}
