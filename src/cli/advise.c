/* SPDX-License-Identifier: Apache-2.0 */
/* dusk schema FILE advise TABLE[.COLUMN]: how many rows of a table nine of ten persons have at most,
 * or how many different values of a column (groups). It is a query like any other, and is paid for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/ask.h"

/* Bounds beyond this are not advised: noise grows with them. */
#define ADVISE_MOST 100
#define FORM "dusk schema FILE advise visits --epsilon 0.1, or advise visits.ward for groups"

static void put_quoted(dusk_text *sql, const char *name)
{
    dusk_text_add(sql, "\"");
    for (; *name; name++) dusk_text_add(sql, "%s%c", *name == '"' ? "\"" : "", *name);
    dusk_text_add(sql, "\"");
}

static void put_name(dusk_text *sql, const dusk_schema *schema, size_t table, size_t column)
{
    put_quoted(sql, schema->table[table].name);
    if (column == DUSK_NO_LINK) return;
    dusk_text_add(sql, ".");
    put_quoted(sql, schema->table[table].column[column].name);
}

/* The table, joined along the links to where its unit is. */
static void put_from(dusk_text *sql, const dusk_schema *schema, const dusk_path *path)
{
    put_name(sql, schema, path->step[0].table, DUSK_NO_LINK);
    for (size_t i = 1; i < path->steps; i++) {
        const dusk_column *link = &schema->table[path->step[i - 1].table].column[path->step[i - 1].column];
        dusk_text_add(sql, " JOIN ");
        put_name(sql, schema, path->step[i].table, DUSK_NO_LINK);
        dusk_text_add(sql, " ON ");
        put_name(sql, schema, path->step[i - 1].table, path->step[i - 1].column);
        dusk_text_add(sql, " = ");
        put_name(sql, schema, link->link_table, link->link_column);
    }
}

static dusk_status write_query(char *text, size_t size, const dusk_schema *schema, size_t table,
                               size_t column, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_path path;
    dusk_text sql;
    DUSK_TRY(dusk_schema_path(schema, &path, table, err));
    dusk_text_init(&sql, text, size);
    dusk_text_add(&sql,
                  "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY n) AS n FROM (SELECT LEAST(COUNT(");
    if (column == DUSK_NO_LINK) {
        dusk_text_add(&sql, "*");
    } else {
        dusk_text_add(&sql, "DISTINCT ");
        put_name(&sql, schema, table, column);
    }
    dusk_text_add(&sql, "), %d) AS n FROM ", ADVISE_MOST);
    put_from(&sql, schema, &path);
    dusk_text_add(&sql, " GROUP BY ");
    put_name(&sql, schema, path.step[path.steps - 1].table, path.step[path.steps - 1].column);
    dusk_text_add(&sql, ") per_unit");
    if (sql.overflow)
        status = dusk_fail(err, DUSK_ERR_UNSUPPORTED, "give the bound yourself: --rows N",
                           "the names of these tables are too long");
done:
    return status;
}

static dusk_status find(const dusk_schema *schema, const char *subject, size_t *table, size_t *column,
                        dusk_error *err)
{
    char name[DUSK_NAME_MAX + 1];
    const char *dot = strchr(subject, '.');
    size_t length = dot ? (size_t)(dot - subject) : strlen(subject);
    snprintf(name, sizeof name, "%.*s", (int)length, subject);
    *table = dusk_schema_table(schema, name);
    *column = DUSK_NO_LINK;
    if (*table == DUSK_NO_LINK) return dusk_fail(err, DUSK_ERR_ARGUMENT, FORM, "there is no table %s", name);
    if (!dot) return DUSK_OK;
    *column = dusk_schema_column(&schema->table[*table], dot + 1);
    if (*column != DUSK_NO_LINK) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, FORM, "table %s has no column %.100s", name, dot + 1);
}

dusk_status ask_advise(dusk_source *source, const char *file, const char *subject,
                       const dusk_query_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_schema *schema = dusk_source_schema(source);
    dusk_generator *gen = NULL;
    dusk_query *query = NULL;
    dusk_result *result = NULL;
    dusk_receipt receipt;
    char sql[8192], path[ASK_WORD_SIZE], name[ASK_WORD_SIZE];
    size_t table, column;
    const char *property;
    double n;
    DUSK_TRY(find(schema, subject, &table, &column, err));
    property = column == DUSK_NO_LINK ? "rows_per_unit" : "groups_per_unit";
    DUSK_TRY(write_query(sql, sizeof sql, schema, table, column, err));
    DUSK_TRY(dusk_generator_new(&gen, err));
    DUSK_TRY(dusk_query_prepare(&query, source, sql, options, err));
    DUSK_TRY(dusk_query_run(query, &result, &receipt, gen, err));
    n = fmin(fmax(ceil(dusk_result_cell(result, 0, 0)->number), 1), ADVISE_MOST);
    printf("%s=%.0f\n", property, n);
    DUSK_TRY(dusk_output_flush(err));
    ask_print_receipt(&receipt, options);
    ask_word(path, file);
    ask_word(name, schema->table[table].name);
    dusk_output_note("next", "about nine of ten have no more: dusk schema %s set %s %s=%.0f", path, name,
                     property, n);
done:
    dusk_result_free(result);
    dusk_query_free(query);
    dusk_generator_free(gen);
    return status;
}
