/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for a column about which nothing is known, read off the data and paid for: the rows of
 * each unit are bounded as in a query, and dusk_bounds_release finds where values lie. The plan is
 * that of SUM(column), made with bounds so wide that nothing is clamped. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "query/source.h"
#include "table/rule_sql.h"

/* Values from 2^-20 to 2^60 are told apart, and their negatives. */
#define RESOLUTION 0x1p-20
#define LARGEST 0x1p60

/* The source as if the column had bounds. */
static dusk_status widen(void *context, const dusk_fact *fact, dusk_error *err)
{
    if (fact->subject[0] == '\0' && strcmp(fact->property, QUERY_ENGINE_PROPERTY) == 0) return DUSK_OK;
    return dusk_schema_declare(context, fact->subject, fact->property, fact->value, err);
}

static dusk_status plan_sum(query_plan **out, dusk_schema *schema, const char *column, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_buffer sql = { 0 };
    char table[DUSK_NAME_MAX + 1];
    const char *dot = strchr(column, '.');
    if (!dot || dot - column > DUSK_NAME_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example visits.age",
                         "a column is written TABLE.COLUMN");
    DUSK_TRY(dusk_schema_declare(schema, column, "bounds", "-1e300:1e300", err));
    snprintf(table, sizeof table, "%.*s", (int)(dot - column), column);
    dusk_buffer_add(&sql, "SELECT SUM(");
    table_put_quoted(&sql, dot + 1, '"');
    dusk_buffer_add(&sql, ") FROM ");
    table_put_quoted(&sql, table, '"');
    DUSK_TRY(sql.failed ? dusk_fail_memory(err) : query_plan_new(out, schema, sql.data, err));
done:
    dusk_buffer_clear(&sql);
    return status;
}

static uint32_t rows_of(const query_plan *plan, const dusk_query_options *options)
{
    if (options->rows_per_group > 0) return options->rows_per_group;
    return plan->rows_per_unit > 0 ? plan->rows_per_unit : 1;
}

/* What the engine is asked for, and room for its rows: ready before the charge. */
typedef struct preparation {
    dusk_engine *engine;
    char *sql;
    dusk_cell_type types[2]; /* the unit, the column */
    bounding *rows;
} preparation;

static dusk_status prepare(preparation *ready, dusk_source *source, const query_plan *plan,
                           const dusk_query_options *options, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bounding_total all = { .kind = BOUNDING_COLLECT, .lower = -DBL_MAX, .upper = DBL_MAX };
    bounding_options how = { .value_types = ready->types + 1,
                             .values = 1,
                             .total = &all,
                             .totals = 1,
                             .groups_per_unit = 1,
                             .rows_per_group = rows_of(plan, options),
                             .groups_count = 1,
                             .memory = options->memory,
                             .folder = options->folder,
                             .threads = options->threads };
    DUSK_TRY(query_source_engine(source, &ready->engine, options->engine, err));
    DUSK_TRY(query_emit(&ready->sql, ready->types, plan, plan->input, ready->engine->class->dialect, err));
    how.unit_type = ready->types[0];
    DUSK_TRY(bounding_new(&ready->rows, &how, gen, err));
done:
    return status;
}

static dusk_status charge(dusk_source *source, uint64_t *id, const char *column,
                          const dusk_query_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;
    char purpose[3 * DUSK_NAME_MAX];
    dusk_charge one = { .analyst = options->analyst,
                        .event = &event,
                        .purpose = purpose,
                        .epsilon = options->epsilon,
                        .version = source->schema->version };
    snprintf(purpose, sizeof purpose, "bounds of %s", column);
    DUSK_TRY(dusk_event_pure(&event, options->epsilon, err));
    DUSK_TRY(dusk_ledger_reserve(source->ledger, id, &one, err));
done:
    return status;
}

dusk_status dusk_source_propose(dusk_source *source, dusk_bounds *out, dusk_receipt *receipt,
                                const char *column, const dusk_query_options *options, dusk_generator *gen,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_schema *schema = NULL;
    query_plan *plan = NULL;
    preparation ready = { 0 };
    bounded *rows = NULL;
    dusk_ledger_options made;
    dusk_aggregate how;
    dusk_bounds found;
    uint64_t id;
    char text[200];
    DUSK_TRY(query_check_options(options, err));
    dusk_ledger_made_with(source->ledger, &made);
    dusk_aggregate_init(&how);
    how.neighbours = made.neighbours;
    how.epsilon = options->epsilon;
    how.confidence = options->confidence;
    DUSK_TRY(dusk_schema_new(&schema, err));
    DUSK_TRY(dusk_ledger_facts(source->ledger, widen, schema, err));
    DUSK_TRY(plan_sum(&plan, schema, column, err));
    how.rows_per_unit = rows_of(plan, options);
    DUSK_TRY(
        dusk_bounds_release(&found, &how, RESOLUTION, LARGEST, NULL, 0, gen, err)); /* refuses what it must */
    DUSK_TRY(prepare(&ready, source, plan, options, gen, err));
    DUSK_TRY(charge(source, &id, column, options, err));
    DUSK_TRY(query_read_rows(ready.rows, ready.engine, ready.sql, ready.types, 2, err));
    DUSK_TRY(bounding_finish(ready.rows, &rows, err));
    DUSK_TRY(dusk_bounds_release(&found, &how, RESOLUTION, LARGEST, rows->collected[0],
                                 rows->collected_count[0], gen, err));
    dusk_format(text, sizeof text, "%.17g:%.17g", found.lower, found.upper);
    DUSK_TRY(dusk_ledger_commit(source->ledger, id, text, strlen(text), err));
    if (receipt)
        DUSK_TRY(query_receipt(receipt, source, options->analyst, (dusk_budget){ options->epsilon, 0 }, false,
                               err));
    *out = found;
done:
    bounded_free(rows);
    bounding_free(ready.rows);
    dusk_deallocate(ready.sql);
    query_plan_free(plan);
    dusk_schema_free(schema);
    return status;
}
