/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine serves which sources. One engine opens all tables of a schema, so that they can be
 * joined; the first of the list below that reads every kind among them, and is usable on this
 * machine, is taken. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "table/duckdb_api.h"
#include "table/engine.h"
#include "table/schema.h"

#define READS(kind) (1u << (kind))

/* In order of preference. */
static const struct {
    const dusk_engine_class *class;
    unsigned kinds;
    bool (*usable)(void); /* NULL: always */
} engines[] = {
    { &dusk_engine_duckdb, READS(DUSK_SOURCE_CSV) | READS(DUSK_SOURCE_PARQUET) | READS(DUSK_SOURCE_DUCKDB),
      duckdb_is_usable },
    { &dusk_engine_postgres, READS(DUSK_SOURCE_POSTGRES), NULL },
    { &dusk_engine_sqlite, READS(DUSK_SOURCE_CSV) | READS(DUSK_SOURCE_SQLITE), NULL },
};
enum { ENGINES = sizeof engines / sizeof *engines };

static const char *kind_name(dusk_source_kind kind)
{
    switch (kind) {
    case DUSK_SOURCE_CSV: return "text";
    case DUSK_SOURCE_SQLITE: return "SQLite";
    case DUSK_SOURCE_PARQUET: return "Parquet";
    case DUSK_SOURCE_DUCKDB: return "DuckDB";
    case DUSK_SOURCE_POSTGRES: return "PostgreSQL";
    }
    return "unknown";
}

static bool is_usable(size_t i) { return !engines[i].usable || engines[i].usable(); }

static dusk_status no_such_engine(const char *wanted, dusk_error *err)
{
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "engines are sqlite, duckdb and postgres",
                     "there is no engine of the name %.40s, or it is not usable here", wanted);
}

/* The sentence for sources that nobody serves: a kind that has no engine, or kinds that have no
 * engine in common. */
static dusk_status nobody_serves(unsigned kinds, dusk_error *err)
{
    char list[80];
    dusk_text text;
    dusk_text_init(&text, list, sizeof list);
    for (dusk_source_kind kind = DUSK_SOURCE_CSV; kind <= DUSK_SOURCE_POSTGRES; kind++) {
        if (!(kinds & READS(kind))) continue;
        bool read = false;
        for (size_t i = 0; i < ENGINES; i++) read |= (engines[i].kinds & READS(kind)) && is_usable(i);
        if (!read)
            return dusk_fail(
                err, DUSK_ERR_UNSUPPORTED,
                "Parquet and DuckDB files need DuckDB's library (tools/setup --duckdb, or name it "
                "in DUSK_DUCKDB)",
                "no engine that is usable here reads %s sources", kind_name(kind));
        dusk_text_add(&text, "%s%s", text.length ? " and " : "", kind_name(kind));
    }
    return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                     "keep all tables in one database, or all in files of one kind",
                     "no engine reads %s sources together", list);
}

static dusk_status choose(const dusk_engine_class **out, unsigned kinds, const char *wanted, dusk_error *err)
{
    bool known = !wanted;
    for (size_t i = 0; i < ENGINES; i++) {
        if (wanted && strcmp(engines[i].class->name, wanted) != 0) continue;
        if (!is_usable(i)) continue;
        known = true;
        if ((engines[i].kinds & kinds) != kinds) continue;
        *out = engines[i].class;
        return DUSK_OK;
    }
    if (!known) return no_such_engine(wanted, err);
    if (wanted)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "leave the engine to Dusk",
                         "engine %s does not read all of the sources", wanted);
    return nobody_serves(kinds, err);
}

static dusk_status kind_of(unsigned *kinds, const char *source, dusk_error *err)
{
    dusk_location location;
    dusk_status status = dusk_location_parse(&location, source, err);
    if (status != DUSK_OK) return status;
    *kinds |= READS(location.kind);
    dusk_location_clear(&location);
    return DUSK_OK;
}

dusk_status dusk_engine_choose(const dusk_engine_class **out, const dusk_schema *schema, const char *wanted,
                               dusk_error *err)
{
    unsigned kinds = 0;
    for (size_t t = 0; t < schema->tables; t++) {
        dusk_status status = kind_of(&kinds, schema->table[t].source, err);
        if (status != DUSK_OK) return status;
    }
    return choose(out, kinds, wanted, err);
}

dusk_status dusk_engine_for_source(const dusk_engine_class **out, const char *source, const char *wanted,
                                   dusk_error *err)
{
    unsigned kinds = 0;
    dusk_status status = kind_of(&kinds, source, err);
    return status == DUSK_OK ? choose(out, kinds, wanted, err) : status;
}

dusk_status dusk_engine_failed(dusk_error *err, const char *engine, const char *doing)
{
    return dusk_fail(err, DUSK_ERR_IO, "see that the source is there, can be read and has its columns",
                     "engine %s failed while %s", engine, doing);
}
