/* SPDX-License-Identifier: Apache-2.0 */
/* Declared columns over what a Parquet or DuckDB file has: every column is cast to its declared type by the
 * rules of cast.h, then its domain and its replacement of NULL apply. Casts are total. Texts are equal where
 * their bytes are, whatever collation a column was made with: ann and ANN are two units. */
#include <string.h>

#include "base/memory.h"
#include "table/duckdb_engine.h"
#include "table/rule_sql.h"

/* What a type of DuckDB is to us. */
typedef enum kind { WHOLE, LARGE, FIXED, NUMBER, TRUTH, DAY, MOMENT, OTHER } kind;

static kind kind_of(duckdb_type_id type)
{
    switch (type) {
    case DUCKDB_BOOLEAN: return TRUTH;
    case DUCKDB_TINYINT:
    case DUCKDB_SMALLINT:
    case DUCKDB_INTEGER:
    case DUCKDB_BIGINT:
    case DUCKDB_UTINYINT:
    case DUCKDB_USMALLINT:
    case DUCKDB_UINTEGER: return WHOLE;
    case DUCKDB_UBIGINT:
    case DUCKDB_HUGEINT:
    case DUCKDB_UHUGEINT: return LARGE;
    case DUCKDB_DECIMAL: return FIXED;
    case DUCKDB_FLOAT:
    case DUCKDB_DOUBLE: return NUMBER;
    case DUCKDB_DATE: return DAY;
    case DUCKDB_TIMESTAMP:
    case DUCKDB_TIMESTAMP_S:
    case DUCKDB_TIMESTAMP_MS:
    case DUCKDB_TIMESTAMP_NS:
    case DUCKDB_TIMESTAMP_TZ: return MOMENT;
    case DUCKDB_VARCHAR: return OTHER;
    }
    return OTHER;
}

#define NOT_NAN(x) "(CASE WHEN isnan(" x ") THEN NULL ELSE CAST(" x " AS DOUBLE) END)"
#define IN_YEARS(made)                                                                                       \
    "CASE WHEN TRY_CAST($ AS TIMESTAMP) BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND "                        \
    "TIMESTAMP '9999-12-31 23:59:59.999999' THEN " made " END"
#define NONE(type) "CAST(NULL AS " type ")"

/* The value of a type that a column of a kind is; $ is the column. Where a cast cannot fail it is no TRY_CAST:
 * DuckDB then knows from a file's own statistics that nothing is NULL, and leaves out what replaces NULL. */
static const char *const casts[][DUSK_TYPE_TIMESTAMP + 1] = {
    [WHOLE] = { [DUSK_TYPE_INTEGER] = "CAST($ AS BIGINT)",
                [DUSK_TYPE_REAL] = "CAST($ AS DOUBLE)",
                [DUSK_TYPE_TEXT] = "CAST($ AS VARCHAR)",
                [DUSK_TYPE_BOOLEAN] = "($ <> 0)",
                [DUSK_TYPE_DATE] = NONE("DATE"),
                [DUSK_TYPE_TIMESTAMP] = NONE("TIMESTAMP") },
    [LARGE] = { [DUSK_TYPE_INTEGER] = "TRY_CAST($ AS BIGINT)",
                [DUSK_TYPE_REAL] = "CAST($ AS DOUBLE)",
                [DUSK_TYPE_TEXT] = "CAST($ AS VARCHAR)",
                [DUSK_TYPE_BOOLEAN] = "($ <> 0)",
                [DUSK_TYPE_DATE] = NONE("DATE"),
                [DUSK_TYPE_TIMESTAMP] = NONE("TIMESTAMP") },
    [FIXED] = { [DUSK_TYPE_INTEGER] = "TRY_CAST(round($) AS BIGINT)",
                [DUSK_TYPE_REAL] = "CAST($ AS DOUBLE)", /* neither NaN nor -0 */
                [DUSK_TYPE_TEXT] = "dusk_number_text(CAST($ AS DOUBLE))",
                [DUSK_TYPE_BOOLEAN] = "(CAST($ AS DOUBLE) <> 0)",
                [DUSK_TYPE_DATE] = NONE("DATE"),
                [DUSK_TYPE_TIMESTAMP] = NONE("TIMESTAMP") },
    [NUMBER] = { [DUSK_TYPE_INTEGER] = "TRY_CAST(round($) AS BIGINT)",
                 [DUSK_TYPE_REAL] = NOT_NAN("$") " + 0e0", /* -0 is 0 */
                 [DUSK_TYPE_TEXT] = "dusk_number_text(CAST($ AS DOUBLE) + 0e0)",
                 [DUSK_TYPE_BOOLEAN] = "(" NOT_NAN("$") " <> 0)",
                 [DUSK_TYPE_DATE] = NONE("DATE"),
                 [DUSK_TYPE_TIMESTAMP] = NONE("TIMESTAMP") },
    [TRUTH] = { [DUSK_TYPE_INTEGER] = "CAST($ AS BIGINT)",
                [DUSK_TYPE_REAL] = "CAST($ AS DOUBLE)",
                [DUSK_TYPE_TEXT] = "CAST($ AS VARCHAR)",
                [DUSK_TYPE_BOOLEAN] = "$",
                [DUSK_TYPE_DATE] = NONE("DATE"),
                [DUSK_TYPE_TIMESTAMP] = NONE("TIMESTAMP") },
    [DAY] = { [DUSK_TYPE_INTEGER] = NONE("BIGINT"),
              [DUSK_TYPE_REAL] = NONE("DOUBLE"),
              [DUSK_TYPE_TEXT] = "CAST($ AS VARCHAR)",
              [DUSK_TYPE_BOOLEAN] = NONE("BOOLEAN"),
              [DUSK_TYPE_DATE] = "CASE WHEN $ BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN $ END",
              [DUSK_TYPE_TIMESTAMP] = IN_YEARS("CAST($ AS TIMESTAMP)") },
    [MOMENT] = { [DUSK_TYPE_INTEGER] = NONE("BIGINT"),
                 [DUSK_TYPE_REAL] = NONE("DOUBLE"),
                 [DUSK_TYPE_TEXT] = "CAST($ AS VARCHAR)",
                 [DUSK_TYPE_BOOLEAN] = NONE("BOOLEAN"),
                 [DUSK_TYPE_DATE] = IN_YEARS("TRY_CAST(TRY_CAST($ AS TIMESTAMP) AS DATE)"),
                 [DUSK_TYPE_TIMESTAMP] = IN_YEARS("date_trunc('second', TRY_CAST($ AS TIMESTAMP))") },
    [OTHER] = { [DUSK_TYPE_INTEGER] = "dusk_to_integer(CAST($ AS VARCHAR))",
                [DUSK_TYPE_REAL] = "dusk_to_real(CAST($ AS VARCHAR))",
                [DUSK_TYPE_TEXT] = "(CASE WHEN strlen(CAST($ AS VARCHAR)) > 262144 THEN "
                                   "dusk_cut(CAST($ AS VARCHAR)) ELSE CAST($ AS VARCHAR) END) COLLATE C",
                [DUSK_TYPE_BOOLEAN] = "dusk_to_boolean(CAST($ AS VARCHAR))",
                [DUSK_TYPE_DATE] = "dusk_to_date(CAST($ AS VARCHAR))",
                [DUSK_TYPE_TIMESTAMP] = "dusk_to_timestamp(CAST($ AS VARCHAR))" },
};

_Static_assert(TABLE_TEXT_MAX == 262144, "as it is written above");

/* IN is a chain of OR or a join in DuckDB, at some 40 ns a row; a function of a column that has its texts
 * numbered, as in Parquet, is called once for each different one. */
enum { LIST_MAX = 64 };

static const char *const type_names[] = {
    [DUSK_TYPE_INTEGER] = "BIGINT",  [DUSK_TYPE_REAL] = "DOUBLE", [DUSK_TYPE_TEXT] = "VARCHAR",
    [DUSK_TYPE_BOOLEAN] = "BOOLEAN", [DUSK_TYPE_DATE] = "DATE",   [DUSK_TYPE_TIMESTAMP] = "TIMESTAMP"
};

static void put_cast(dusk_buffer *out, const char *made, const char *column)
{
    for (; *made; made++)
        if (*made == '$')
            table_put_quoted(out, column, '"');
        else
            dusk_buffer_bytes(out, made, 1);
}

/* A text that is too long to be in the domain need not be cut. */
static const char *cast_of(const dusk_column *column, duckdb_type_id type)
{
    bool in_domain = type == DUCKDB_VARCHAR && column->type == DUSK_TYPE_TEXT && column->values > 0;
    for (size_t i = 0; i < column->values && in_domain; i++)
        in_domain = strlen(column->domain[i]) < TABLE_TEXT_MAX / 2;
    return in_domain ? "$ COLLATE C" : casts[kind_of(type)][column->type];
}

dusk_status duckdb_view(dusk_buffer *out, size_t i, const dusk_table_schema *t, const duckdb_source *source,
                        const char *from, const duckdb_found *found, const size_t *at, dusk_error *err)
{
    dusk_buffer_add(out, "CREATE VIEW t%zu AS SELECT ", i);
    for (size_t c = 0; c < t->columns; c++) {
        if (c) dusk_buffer_add(out, ", ");
        table_put_rules(out, c, &t->column[c], &source->rule[c], type_names, LIST_MAX);
        dusk_buffer_add(out, " AS c%zu", c);
    }
    dusk_buffer_add(out, "%s FROM (SELECT ", t->columns ? "" : "NULL AS nothing");
    for (size_t c = 0; c < t->columns; c++) {
        const duckdb_found *column = &found[at[c]];
        if (c) dusk_buffer_add(out, ", ");
        put_cast(out, cast_of(&t->column[c], column->type), column->name);
        dusk_buffer_add(out, " AS a%zu", c);
    }
    dusk_buffer_add(out, "%s FROM %s)", t->columns ? "" : "NULL", from);
    return out->failed ? dusk_fail_memory(err) : DUSK_OK;
}
