/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_TABLE_H
#define DUSK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/base.h"

/* What is public about private tables: their names and columns, types, bounds, domains, whose
 * privacy is at stake (the unit), and how tables are linked. A schema is made of declared facts
 * and of nothing else: no fact is read off the rows.
 *
 * A fact is (subject, property, value). Subjects are "" (the whole source), "table" or
 * "table.column"; names are as in the data, compared without regard to ASCII case.
 *
 *   ""            unit           table.column: whose privacy
 *   ""            version        a whole number, raised when the data changed
 *   table         source         where its rows are: a URI (below)
 *   table         public         yes: its rows are public and cost nothing
 *   table         rows_per_unit  whole number >= 1: how many rows a unit has in it at most; declared, not
 *                                checked against data: bounding sees to it (a default for queries)
 *   table         groups_per_unit  the same for groups
 *   table.column  type           integer real text boolean date timestamp
 *   table.column  bounds         LOW:HIGH, numbers, LOW < HIGH; values outside are clamped
 *   table.column  domain         a,b,c: the values that are public keys ("," in a value is written "\,",
 *                                "\" is "\\"); others are NULL. Kept as the type writes them: 7 for 007,
 *                                true for yes, 2.5 for 2.50
 *   table.column  nullable       yes (the default) or no: a NULL then counts as the first value of the
 *                                domain; without one as the number within the bounds that is nearest 0,
 *                                as "", false or 1970-01-01
 *   table.column  public         yes: in a private table, the column holds nothing private (a key
 *                                whose set of values is public must also have a domain)
 *   table.column  unique         yes: no two rows have the same value (a key that links point to)
 *   table.column  link           table or table.column: the column names a row of that table by its
 *                                unique column (of a table without one: by the unit); with it the unit
 *                                is found
 * The unit and a link may name what is declared later; until then they lead nowhere. What has other
 * facts (a column with bounds, a table with columns) cannot be taken back before them. A table's
 * name has no dot in it.
 * Sources:
 *   visits.csv, also .tsv .txt .data .tbl    text with a header line, also compressed by gzip: visits.csv.gz;
 *     the options, with & between them:
 *       ?delimiter=;   what divides fields, "tab" too; otherwise a comma, of .tsv a tab, of .tbl a |
 *       ?header=a,b,c  the names of the columns, where the file has no header line
 *     Blanks (spaces, tabs) around a field do not count, quoted or not: " Female" is Female. An empty field
 *     is NULL, "" is the empty text
 *   clinic.db, clinic.sqlite                 SQLite
 *   visits.parquet, clinic.duckdb            by DuckDB, when its library is found. Text of a Parquet file must
 *     be UTF-8, or DuckDB fails: it is looked at when the source is made, and when its version is raised
 *   postgres://user@host/database            PostgreSQL
 * A URI of a database is followed by #table for one of its tables, or for a view: whoever names one sees to it that
 * each of its rows is made of rows of one unit, the unit that it names, and that no row makes it fail. */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dusk_type {
    DUSK_TYPE_INTEGER = 1, /* 64 bits                              */
    DUSK_TYPE_REAL = 2,    /* a double                             */
    DUSK_TYPE_TEXT = 3,    /* UTF-8                                */
    DUSK_TYPE_BOOLEAN = 4,
    DUSK_TYPE_DATE = 5,     /* 1998-12-01                           */
    DUSK_TYPE_TIMESTAMP = 6 /* 1998-12-01 12:34:56, without a zone  */
} dusk_type;
/* "integer", ...; the type of a name, or 0. */
DUSK_API const char *dusk_type_name(dusk_type type);
DUSK_API dusk_type dusk_type_named(const char *name);

#define DUSK_NAME_MAX 127 /* bytes of a table's or a column's name */

typedef struct dusk_column {
    char name[DUSK_NAME_MAX + 1];
    dusk_type type;
    bool nullable;       /* true */
    bool is_public;      /* false */
    bool unique;         /* false */
    double lower, upper; /* NaN: not declared */
    char **domain;       /* `values` texts, or NULL: not declared */
    size_t values;
    char *link;                     /* as declared, or NULL */
    size_t link_table, link_column; /* DUSK_NO_LINK: none, or its target is not there (yet) */
} dusk_column;
#define DUSK_NO_LINK SIZE_MAX

typedef struct dusk_table_schema {
    char name[DUSK_NAME_MAX + 1];
    char *source;
    bool is_public;
    uint32_t rows_per_unit, groups_per_unit; /* 0: not declared */
    dusk_column *column;
    size_t columns;
} dusk_table_schema;

/* All tables of a source. Made and changed by the functions below; its fields are for reading. */
typedef struct dusk_schema {
    dusk_table_schema *table;
    size_t tables;
    char *unit;                     /* as declared, or NULL */
    size_t unit_table, unit_column; /* DUSK_NO_LINK: not declared, or not there (yet) */
    uint64_t version;               /* 1 */
} dusk_schema;

DUSK_API DUSK_MUST_USE dusk_status dusk_schema_new(dusk_schema **out, dusk_error *err);
DUSK_API void dusk_schema_free(dusk_schema *schema);
/* Apply a fact, or refuse it with a sentence that says what may be written; value NULL takes it
 * back. A table comes into being by its source, a column by its type. */
DUSK_API DUSK_MUST_USE dusk_status dusk_schema_declare(dusk_schema *schema, const char *subject,
                                                       const char *property, const char *value,
                                                       dusk_error *err);
/* DUSK_NO_LINK when there is none of that name. */
DUSK_API size_t dusk_schema_table(const dusk_schema *schema, const char *name);
DUSK_API size_t dusk_schema_column(const dusk_table_schema *table, const char *name);
/* How the unit of table `table` is found: path[0] is a column of it; where that column is not the
 * unit itself, it links to the table of path[1], and so on. *steps columns, at most DUSK_PATH_MAX.
 * The shortest chain counts. DUSK_ERR_ARGUMENT when no chain of links leads to the unit, or when
 * two of that length do, or for a public table. */
#define DUSK_PATH_MAX 8
typedef struct dusk_path {
    size_t steps;
    struct {
        size_t table, column;
    } step[DUSK_PATH_MAX];
} dusk_path;
DUSK_API DUSK_MUST_USE dusk_status dusk_schema_path(const dusk_schema *schema, dusk_path *out, size_t table,
                                                    dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
