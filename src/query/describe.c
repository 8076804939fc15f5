/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for people: what is released, of which groups, and below it a line a relation, each indented
 * under the one that reads it. Made of the plan and the schema alone. */
#include "query/describe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- names ---------------------------------------------------------------------------------- */

static void put_name(dusk_buffer *out, const query_relation *r, size_t i)
{
    if (r->column[i].name[0])
        dusk_buffer_add(out, "%s", r->column[i].name);
    else if (i == r->unit)
        dusk_buffer_add(out, "unit");
    else
        dusk_buffer_add(out, "#%zu", i + 1);
}

static void name_in(dusk_buffer *out, const void *from, size_t i)
{
    const query_relation *r = from;
    if (i < r->columns) put_name(out, r, i);
}

/* Of both sides of a join; a name that both have says which. */
static void name_in_join(dusk_buffer *out, const void *from, size_t i)
{
    const query_relation *r = from;
    bool right = i >= r->input->columns;
    const query_relation *side = right ? r->other : r->input, *other = right ? r->input : r->other;
    size_t k = right ? i - r->input->columns : i;
    if (k >= side->columns) return;
    for (size_t c = 0; c < other->columns; c++)
        if (strcmp(other->column[c].name, side->column[k].name) == 0) {
            dusk_buffer_add(out, right ? "right." : "left.");
            break;
        }
    put_name(out, side, k);
}

/* A column of the plan's input: by its name, or by what it is. */
static void put_input(dusk_buffer *out, const query_plan *plan, size_t i)
{
    const query_relation *r = plan->input;
    const describe_names names = { name_in, r->input };
    if (r->column[i].name[0] || r->kind != QUERY_PROJECT)
        put_name(out, r, i);
    else
        describe_expression(out, r->expression[i], &names);
}

static void put_step(dusk_buffer *out, const dusk_schema *schema, size_t table, size_t column)
{
    dusk_buffer_add(out, "%s.%s", schema->table[table].name, schema->table[table].column[column].name);
}

/* --- relations --------------------------------------------------------------------------------- */

static const char *inner_name(query_inner inner)
{
    switch (inner) {
    case QUERY_INNER_COUNT: return "count";
    case QUERY_INNER_COUNT_DISTINCT: return "count distinct";
    case QUERY_INNER_SUM: return "sum";
    case QUERY_INNER_AVG: return "mean";
    case QUERY_INNER_MIN: return "least";
    case QUERY_INNER_MAX: return "greatest";
    }
    return "";
}

static void put_scan(dusk_buffer *out, const query_relation *r, const dusk_schema *schema)
{
    dusk_buffer_add(out, "scan %s", schema->table[r->table].name);
    if (r->unit == QUERY_NONE) {
        dusk_buffer_add(out, " (public)");
        return;
    }
    dusk_buffer_add(out, ", unit: ");
    for (size_t i = 0; i < r->path.steps; i++) {
        if (i) dusk_buffer_add(out, " -> ");
        put_step(out, schema, r->path.step[i].table, r->path.step[i].column);
    }
}

static void put_columns(dusk_buffer *out, const query_relation *r)
{
    const describe_names names = { name_in, r->input };
    for (size_t i = 0; i < r->columns; i++) {
        const query_expression *e = r->expression[i];
        dusk_buffer_add(out, i ? ", " : " ");
        describe_expression(out, e, &names);
        bool same = e->kind == QUERY_COLUMN && e->index < r->input->columns &&
                    strcmp(r->input->column[e->index].name, r->column[i].name) == 0;
        if (!same && r->column[i].name[0]) dusk_buffer_add(out, " as %s", r->column[i].name);
    }
}

static void put_group(dusk_buffer *out, const query_relation *r)
{
    const describe_names names = { name_in, r->input };
    for (size_t i = 0; i < r->keys; i++) {
        dusk_buffer_add(out, i ? ", " : " by ");
        describe_expression(out, r->expression[i], &names);
    }
    for (size_t i = r->keys; i < r->columns; i++) {
        dusk_buffer_add(out, "%s%s", i == r->keys ? ": " : ", ", inner_name(r->inner[i - r->keys]));
        dusk_buffer_add(out, r->expression[i] ? " of " : " of rows");
        if (r->expression[i]) describe_expression(out, r->expression[i], &names);
    }
}

static void put_join(dusk_buffer *out, const query_relation *r)
{
    static const char *const kinds[] = {
        [QUERY_INNER] = "inner", [QUERY_LEFT] = "left", [QUERY_SEMI] = "semi", [QUERY_ANTI] = "anti"
    };
    const describe_names names = { name_in_join, r };
    bool both = r->input->unit != QUERY_NONE && r->other->unit != QUERY_NONE;
    dusk_buffer_add(out, "join %s", kinds[r->join]);
    if (both) dusk_buffer_add(out, ", rows of the same unit");
    if (!r->condition) return;
    dusk_buffer_add(out, ", on ");
    describe_expression(out, r->condition, &names);
}

static void put_relation(dusk_buffer *out, const query_relation *r, const dusk_schema *schema, unsigned depth)
{
    const describe_names names = { name_in, r->input };
    dusk_buffer_add(out, "%*s", (int)(2 * depth), "");
    switch (r->kind) {
    case QUERY_SCAN: put_scan(out, r, schema); break;
    case QUERY_FILTER:
        dusk_buffer_add(out, "filter ");
        if (r->condition) describe_expression(out, r->condition, &names);
        break;
    case QUERY_PROJECT:
        dusk_buffer_add(out, "columns");
        put_columns(out, r);
        break;
    case QUERY_JOIN: put_join(out, r); break;
    case QUERY_UNION: dusk_buffer_add(out, "union of all rows"); break;
    case QUERY_GROUP:
        dusk_buffer_add(out, "group");
        put_group(out, r);
        break;
    case QUERY_DISTINCT: dusk_buffer_add(out, "distinct rows"); break;
    }
    dusk_buffer_add(out, "\n");
    if (r->kind == QUERY_SCAN) return;
    put_relation(out, r->input, schema, depth + 1);
    if (r->kind == QUERY_JOIN || r->kind == QUERY_UNION) put_relation(out, r->other, schema, depth + 1);
}

/* --- what is released -------------------------------------------------------------------------------- */

static const char *measure_name(query_measure_kind kind)
{
    switch (kind) {
    case QUERY_COUNT_ROWS: return "count of rows";
    case QUERY_COUNT_VALUES: return "count of ";
    case QUERY_COUNT_UNITS: return "count of units";
    case QUERY_COUNT_DISTINCT: return "count of different ";
    case QUERY_SUM: return "sum of ";
    case QUERY_MEAN: return "mean of ";
    case QUERY_VARIANCE: return "variance of ";
    case QUERY_VARIANCE_POPULATION: return "population variance of ";
    case QUERY_DEVIATION: return "standard deviation of ";
    case QUERY_DEVIATION_POPULATION: return "population standard deviation of ";
    case QUERY_QUANTILE: return "quantile of ";
    case QUERY_MINIMUM: return "minimum, as a low quantile, of ";
    case QUERY_MAXIMUM: return "maximum, as a high quantile, of ";
    }
    return "";
}

static void put_measure(dusk_buffer *out, const query_plan *plan, const query_measure *m)
{
    size_t column = 1 + plan->keys + m->value;
    if (m->kind == QUERY_QUANTILE) {
        dusk_buffer_number(out, m->fraction);
        dusk_buffer_add(out, "-");
    }
    dusk_buffer_add(out, "%s", measure_name(m->kind));
    if (m->kind == QUERY_COUNT_ROWS || m->kind == QUERY_COUNT_UNITS) return;
    if (m->value != QUERY_NONE && column < plan->input->columns) put_input(out, plan, column);
    if (m->kind < QUERY_SUM || !isfinite(m->lower) || !isfinite(m->upper)) return;
    dusk_buffer_add(out, " clamped to ");
    dusk_buffer_number(out, m->lower);
    dusk_buffer_add(out, " .. ");
    dusk_buffer_number(out, m->upper);
}

static void name_released(dusk_buffer *out, const void *from, size_t i)
{
    const query_plan *plan = from;
    if (i < plan->keys)
        put_input(out, plan, 1 + i);
    else if (i - plan->keys < plan->measures)
        put_measure(out, plan, &plan->measure[i - plan->keys]);
}

static void put_keys(dusk_buffer *out, const query_plan *plan)
{
    if (plan->keys == 0) return;
    dusk_buffer_add(out, "keys: ");
    for (size_t i = 0; i < plan->keys; i++) {
        const query_column *key = &plan->input->column[1 + i];
        if (i) dusk_buffer_add(out, ", ");
        put_input(out, plan, 1 + i);
        if (!plan->public_keys)
            dusk_buffer_add(out, " (private)");
        else if (key->facts.domain)
            dusk_buffer_add(out, " (public, %zu values)", key->facts.values + (key->facts.nullable ? 1 : 0));
        else
            dusk_buffer_add(out, " (public)");
    }
    dusk_buffer_add(out, plan->public_keys ? "; absent groups are released too\n"
                                           : "; groups are shown when enough units have them\n");
    if (!plan->domain) return;
    dusk_buffer_add(out, "groups of\n");
    put_relation(out, plan->domain, plan->schema, 1);
}

static void put_after(dusk_buffer *out, const query_plan *plan)
{
    const describe_names names = { name_released, plan };
    if (plan->having) {
        dusk_buffer_add(out, "having ");
        describe_expression(out, plan->having, &names);
        dusk_buffer_add(out, "\n");
    }
    for (size_t i = 0; i < plan->orders; i++) {
        dusk_buffer_add(out, i ? ", " : "order by ");
        describe_expression(out, plan->order[i].expression, &names);
        dusk_buffer_add(out, plan->order[i].descending ? " descending" : "");
    }
    if (plan->orders) dusk_buffer_add(out, "\n");
    if (plan->limit != UINT64_MAX) dusk_buffer_add(out, "limit %" PRIu64 "\n", plan->limit);
    if (plan->offset) dusk_buffer_add(out, "offset %" PRIu64 "\n", plan->offset);
}

dusk_status query_plan_describe(const query_plan *plan, char **out, dusk_error *err)
{
    const describe_names names = { name_released, plan };
    dusk_buffer text = { 0 };
    for (size_t i = 0; i < plan->outputs; i++) {
        dusk_buffer_add(&text, "%s%s = ", i ? "        " : "release ", plan->output[i].name);
        describe_expression(&text, plan->output[i].expression, &names);
        dusk_buffer_add(&text, "\n");
    }
    put_after(&text, plan);
    put_keys(&text, plan);
    dusk_buffer_add(&text, "of\n");
    put_relation(&text, plan->input, plan->schema, 1);
    return dusk_buffer_take(&text, out, err);
}
