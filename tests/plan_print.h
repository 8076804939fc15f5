/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PLAN_PRINT_H
#define TESTS_PLAN_PRINT_H

/* A plan as one line, for comparison in tests: relations as kind(input; ...), columns as #i, the
 * unit's column as @i. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/plan.h"

static const char *const print_functions[] = {
    [QUERY_ADD] = "+",
    [QUERY_SUBTRACT] = "-",
    [QUERY_MULTIPLY] = "*",
    [QUERY_DIVIDE] = "/",
    [QUERY_MODULO] = "%",
    [QUERY_NEGATE] = "neg",
    [QUERY_ABS] = "abs",
    [QUERY_SIGN] = "sign",
    [QUERY_ROUND] = "round",
    [QUERY_FLOOR] = "floor",
    [QUERY_CEIL] = "ceil",
    [QUERY_SQRT] = "sqrt",
    [QUERY_LN] = "ln",
    [QUERY_EXP] = "exp",
    [QUERY_POWER] = "power",
    [QUERY_LEAST] = "least",
    [QUERY_GREATEST] = "greatest",
    [QUERY_EQUAL] = "=",
    [QUERY_UNEQUAL] = "<>",
    [QUERY_LESS] = "<",
    [QUERY_LESS_EQUAL] = "<=",
    [QUERY_GREATER] = ">",
    [QUERY_GREATER_EQUAL] = ">=",
    [QUERY_IN] = "in",
    [QUERY_LIKE] = "like",
    [QUERY_IS_NULL] = "isnull",
    [QUERY_AND] = "and",
    [QUERY_OR] = "or",
    [QUERY_NOT] = "not",
    [QUERY_CASE] = "case",
    [QUERY_COALESCE] = "coalesce",
    [QUERY_NULLIF] = "nullif",
    [QUERY_LOWER] = "lower",
    [QUERY_UPPER] = "upper",
    [QUERY_LENGTH] = "length",
    [QUERY_TRIM] = "trim",
    [QUERY_CONCAT] = "concat",
    [QUERY_SUBSTRING] = "substring",
    [QUERY_EXTRACT] = "extract",
    [QUERY_DATE_TRUNC] = "trunc",
    [QUERY_DATE_ADD] = "dateadd",
    [QUERY_DATE_DIFF] = "datediff",
    [QUERY_TO_INTEGER] = "int",
    [QUERY_TO_REAL] = "real",
    [QUERY_TO_TEXT] = "text",
    [QUERY_TO_BOOLEAN] = "bool",
    [QUERY_TO_DATE] = "date",
    [QUERY_TO_TIMESTAMP] = "timestamp",
};

static void print_expression(dusk_text *out, const query_expression *e)
{
    if (!e) {
        dusk_text_add(out, "*");
    } else if (e->kind == QUERY_COLUMN) {
        dusk_text_add(out, "#%zu", e->index);
    } else if (e->kind == QUERY_CONSTANT) {
        if (e->value.null)
            dusk_text_add(out, "null");
        else if (e->type == DUSK_TYPE_INTEGER)
            dusk_text_add(out, "%lld", (long long)e->value.integer);
        else if (e->type == DUSK_TYPE_BOOLEAN)
            dusk_text_add(out, e->value.integer ? "true" : "false");
        else if (e->type == DUSK_TYPE_REAL)
            dusk_text_add(out, "%g", e->value.real);
        else
            dusk_text_add(out, "'%s'", e->value.text);
    } else {
        dusk_text_add(out, "%s(", print_functions[e->function]);
        for (size_t i = 0; i < e->arguments; i++) {
            if (i) dusk_text_add(out, ",");
            print_expression(out, e->argument[i]);
        }
        dusk_text_add(out, ")");
    }
}

static void print_expressions(dusk_text *out, query_expression *const *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i) dusk_text_add(out, ",");
        print_expression(out, e[i]);
    }
}

static void print_relation(dusk_text *out, const query_relation *r, const dusk_schema *schema)
{
    static const char *const joins[] = {
        [QUERY_INNER] = "join", [QUERY_LEFT] = "left", [QUERY_SEMI] = "semi", [QUERY_ANTI] = "anti"
    };
    static const char *const inners[] = { "", "count", "distinct", "sum", "avg", "min", "max" };
    switch (r->kind) {
    case QUERY_SCAN: dusk_text_add(out, "%s", schema->table[r->table].name); break;
    case QUERY_FILTER:
        dusk_text_add(out, "filter(");
        print_relation(out, r->input, schema);
        dusk_text_add(out, "; ");
        print_expression(out, r->condition);
        dusk_text_add(out, ")");
        break;
    case QUERY_PROJECT:
        dusk_text_add(out, "project(");
        print_relation(out, r->input, schema);
        dusk_text_add(out, "; ");
        print_expressions(out, r->expression, r->columns);
        dusk_text_add(out, ")");
        break;
    case QUERY_JOIN:
    case QUERY_UNION:
        dusk_text_add(out, "%s(", r->kind == QUERY_UNION ? "union" : joins[r->join]);
        print_relation(out, r->input, schema);
        dusk_text_add(out, ", ");
        print_relation(out, r->other, schema);
        if (r->kind == QUERY_JOIN) {
            dusk_text_add(out, "; ");
            print_expression(out, r->condition);
        }
        dusk_text_add(out, ")");
        break;
    case QUERY_DISTINCT:
        dusk_text_add(out, "distinct(");
        print_relation(out, r->input, schema);
        dusk_text_add(out, ")");
        break;
    case QUERY_GROUP:
        dusk_text_add(out, "group(");
        print_relation(out, r->input, schema);
        dusk_text_add(out, "; ");
        print_expressions(out, r->expression, r->keys);
        for (size_t i = 0; i < r->columns - r->keys; i++) {
            dusk_text_add(out, "; %s ", inners[r->inner[i]]);
            print_expression(out, r->expression[r->keys + i]);
        }
        dusk_text_add(out, ")");
        break;
    }
    if (r->unit != QUERY_NONE) dusk_text_add(out, "@%zu", r->unit);
}

static void print_measures(dusk_text *out, const query_plan *plan)
{
    static const char *const kinds[] = { "",    "rows",    "values", "units",   "distinct", "sum", "mean",
                                         "var", "var_pop", "dev",    "dev_pop", "quantile", "min", "max" };
    for (size_t i = 0; i < plan->measures; i++) {
        const query_measure *m = &plan->measure[i];
        dusk_text_add(out, " | %s", kinds[m->kind]);
        if (m->value != QUERY_NONE) dusk_text_add(out, " %zu", m->value);
        if (m->kind == QUERY_QUANTILE) dusk_text_add(out, " at %g", m->fraction);
        if (m->kind >= QUERY_SUM) dusk_text_add(out, " in %g:%g", m->lower, m->upper);
        if (m->kind >= QUERY_SUM && m->whole) dusk_text_add(out, " whole");
    }
}

/* Input, measures, outputs, having, order, limit, then what is known of keys and units. */
static inline void print_plan(char *text, size_t size, const query_plan *plan)
{
    dusk_text out;
    dusk_text_init(&out, text, size);
    print_relation(&out, plan->input, plan->schema);
    print_measures(&out, plan);
    dusk_text_add(&out, " =>");
    for (size_t i = 0; i < plan->outputs; i++) {
        dusk_text_add(&out, " %s:", plan->output[i].name);
        print_expression(&out, plan->output[i].expression);
    }
    if (plan->having) {
        dusk_text_add(&out, " having ");
        print_expression(&out, plan->having);
    }
    for (size_t i = 0; i < plan->orders; i++) {
        dusk_text_add(&out, " order ");
        print_expression(&out, plan->order[i].expression);
        if (plan->order[i].descending) dusk_text_add(&out, " desc");
        if (plan->order[i].nulls_first) dusk_text_add(&out, " nulls first");
    }
    if (plan->limit != UINT64_MAX) dusk_text_add(&out, " limit %llu", (unsigned long long)plan->limit);
    if (plan->offset) dusk_text_add(&out, " offset %llu", (unsigned long long)plan->offset);
    if (plan->keys) dusk_text_add(&out, plan->public_keys ? " public" : " private");
    if (plan->keys && plan->public_keys && !plan->domain)
        for (size_t k = 0; k < plan->keys; k++) {
            const query_facts *f = &plan->input->column[1 + k].facts;
            dusk_text_add(&out, " %zu%s", f->values, f->nullable ? "+null" : "");
        }
    if (plan->domain) {
        dusk_text_add(&out, " domain ");
        print_relation(&out, plan->domain, plan->schema);
    }
    if (plan->one_row_per_unit) dusk_text_add(&out, " one row");
    if (plan->rows_per_unit) dusk_text_add(&out, " rows %u", plan->rows_per_unit);
}

/* People who visit places: one private table whose unit is its own column, and one public table. */
static const char *const visits_facts[] = {
    "visits source visits.csv", "visits.user_id type integer", "visits.city type text",
    "visits.sex type text",     "visits.sex domain F,M",       "visits.age type integer",
    "visits.age bounds 0:120",  "visits.spent type real",      "visits.spent bounds -50:500",
    "visits.day type date",     "visits.at type timestamp",    "visits.open type boolean",
    "visits.note type text",    "visits.raw type real",        "visits.grade type integer",
    "visits.grade bounds 1:5",  "visits.grade nullable no",    "visits rows_per_unit 20",
    "- unit visits.user_id",    "place source place.csv",      "place public yes",
    "place.city type text",     "place.city unique yes",       "place.country type text",
    "place.size type integer",
};

/* A schema from lines "subject property value". */
static dusk_schema *schema_of(const char *const *facts, size_t n)
{
    dusk_schema *schema = NULL;
    dusk_error err = { .message = "" };
    if (dusk_schema_new(&schema, &err) != DUSK_OK) fail_msg("%s", err.message);
    for (size_t i = 0; i < n; i++) {
        char subject[200], property[50], value[200];
        if (sscanf(facts[i], "%199s %49s %199[^\n]", subject, property, value) != 3) fail_msg("%s", facts[i]);
        if (dusk_schema_declare(schema, strcmp(subject, "-") == 0 ? "" : subject, property, value, &err) !=
            DUSK_OK)
            fail_msg("%s: %s", facts[i], err.message);
    }
    return schema;
}

static inline dusk_schema *visits_schema(void)
{
    return schema_of(visits_facts, sizeof visits_facts / sizeof visits_facts[0]);
}

#endif
