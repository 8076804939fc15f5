/* SPDX-License-Identifier: Apache-2.0 */
/* The normal text of a plan: all that decides what is asked, and nothing that does not (names inside the
 * query, positions, facts). Texts stand behind their length and numbers are exact, so that equal
 * texts mean equal plans. What an analyst wrote in another order (a AND b, b AND a) stays another plan. */
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/mutant.h"
#include "query/plan.h"

static void put_text(dusk_buffer *out, const char *text, size_t length)
{
    dusk_buffer_add(out, "%zu:", length);
    dusk_buffer_bytes(out, text, length);
}

static void put_constant(dusk_buffer *out, const query_expression *e)
{
    const query_value *v = &e->value;
    if (v->null)
        dusk_buffer_add(out, "null");
    else if (e->type == DUSK_TYPE_INTEGER || e->type == DUSK_TYPE_BOOLEAN)
        dusk_buffer_add(out, "%" PRId64, v->integer);
    else if (e->type == DUSK_TYPE_REAL)
        dusk_buffer_add(out, "%a", v->real);
    else
        put_text(out, v->text, v->length);
}

/* Types, functions and kinds by number: each behind a letter of its own. */
static void put_expression(dusk_buffer *out, const query_expression *e)
{
    if (!e) {
        dusk_buffer_add(out, "-");
        return;
    }
    dusk_buffer_add(out, "%d", e->type);
    if (e->kind == QUERY_CONSTANT) {
        dusk_buffer_add(out, "=");
        put_constant(out, e);
    } else if (e->kind == QUERY_COLUMN) {
        dusk_buffer_add(out, "#%zu", e->index);
    } else {
        dusk_buffer_add(out, "f%d", e->function);
        for (size_t i = 0; i < e->arguments; i++) {
            dusk_buffer_add(out, i ? " " : "(");
            put_expression(out, e->argument[i]);
        }
        dusk_buffer_add(out, ")");
    }
}

static void put_list(dusk_buffer *out, query_expression *const *e, size_t n)
{
    dusk_buffer_add(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) dusk_buffer_add(out, " ");
        put_expression(out, e[i]);
    }
    dusk_buffer_add(out, "]");
}

/* A count that may be none. */
static void put_count(dusk_buffer *out, const char *letter, size_t n)
{
    if (n == QUERY_NONE)
        dusk_buffer_add(out, " %s-", letter);
    else
        dusk_buffer_add(out, " %s%zu", letter, n);
}

static void put_relation(dusk_buffer *out, const query_relation *r);

static void put_scan(dusk_buffer *out, const query_relation *r)
{
    dusk_buffer_add(out, "scan t%zu", r->table);
    for (size_t i = 0; i < r->columns; i++) put_count(out, "c", r->from[i]);
    if (r->unit == QUERY_NONE) return;
    for (size_t i = 0; i < r->path.steps; i++)
        dusk_buffer_add(out, " p%zu.%zu", r->path.step[i].table, r->path.step[i].column);
}

static void put_node(dusk_buffer *out, const query_relation *r)
{
    switch (r->kind) {
    case QUERY_SCAN: put_scan(out, r); break;
    case QUERY_FILTER: dusk_buffer_add(out, "filter "); break;
    case QUERY_PROJECT:
        dusk_buffer_add(out, "project ");
        put_list(out, r->expression, r->columns);
        break;
    case QUERY_JOIN: dusk_buffer_add(out, "join%d ", DUSK_MUTATE(NORMAL_JOINS_ALIKE, r->join, 0)); break;
    case QUERY_UNION: dusk_buffer_add(out, "union"); break;
    case QUERY_DISTINCT: dusk_buffer_add(out, "distinct"); break;
    case QUERY_GROUP:
        dusk_buffer_add(out, "group k%zu ", r->keys);
        put_list(out, r->expression, r->columns);
        for (size_t i = r->keys; i < r->columns; i++) dusk_buffer_add(out, " a%d", r->inner[i - r->keys]);
        break;
    }
    if (r->kind == QUERY_FILTER || r->kind == QUERY_JOIN) put_expression(out, r->condition);
}

static void put_relation(dusk_buffer *out, const query_relation *r)
{
    if (!r) {
        dusk_buffer_add(out, "-");
        return;
    }
    dusk_buffer_add(out, "(");
    put_node(out, r);
    put_count(out, "u", r->unit);
    if (r->kind != QUERY_SCAN) {
        dusk_buffer_add(out, " ");
        put_relation(out, r->input);
    }
    if (r->kind == QUERY_JOIN || r->kind == QUERY_UNION) {
        dusk_buffer_add(out, " ");
        put_relation(out, r->other);
    }
    dusk_buffer_add(out, ")");
}

static void put_measures(dusk_buffer *out, const query_plan *plan)
{
    for (size_t i = 0; i < plan->measures; i++) {
        const query_measure *m = &plan->measure[i];
        dusk_buffer_add(out, "\nmeasure %d", m->kind);
        put_count(out, "v", m->value);
        dusk_buffer_add(out, " %a %a %a %d", DUSK_MUTATE(NORMAL_FRACTIONS_ALIKE, m->fraction, 0.0), m->lower,
                        m->upper, m->whole);
    }
}

static void put_results(dusk_buffer *out, const query_plan *plan)
{
    for (size_t i = 0; i < plan->outputs; i++) {
        dusk_buffer_add(out, "\noutput ");
        put_text(out, plan->output[i].name, strlen(plan->output[i].name));
        dusk_buffer_add(out, " ");
        put_expression(out, plan->output[i].expression);
    }
    dusk_buffer_add(out, "\nhaving ");
    put_expression(out, plan->having);
    for (size_t i = 0; i < plan->orders; i++) {
        dusk_buffer_add(out, "\norder %d %d ", plan->order[i].descending, plan->order[i].nulls_first);
        put_expression(out, plan->order[i].expression);
    }
    dusk_buffer_add(out, "\nlimit %" PRIu64 " %" PRIu64, plan->limit, plan->offset);
}

dusk_status query_plan_normal(const query_plan *plan, char **out, dusk_error *err)
{
    dusk_buffer text = { 0 };
    dusk_buffer_add(&text,
                    "plan 1 keys %zu values %zu public %d one %d rows %" PRIu32 " groups %" PRIu32 "\n",
                    plan->keys, plan->values, plan->public_keys, plan->one_row_per_unit, plan->rows_per_unit,
                    plan->groups_per_unit);
    put_relation(&text, plan->input);
    dusk_buffer_add(&text, "\ndomain ");
    put_relation(&text, plan->domain);
    put_measures(&text, plan);
    put_results(&text, plan);
    return dusk_buffer_take(&text, out, err);
}
