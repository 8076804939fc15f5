/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions for people: infix where SQL has it, names of columns as the analyst has them. It is no
 * SQL that anything runs. */
#include <inttypes.h>

#include "query/describe.h"

/* NULL: written between its operands, or by itself. */
static const char *const names_of[] = {
    [QUERY_MODULO] = "mod",
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
    [QUERY_COALESCE] = "coalesce",
    [QUERY_NULLIF] = "nullif",
    [QUERY_LOWER] = "lower",
    [QUERY_UPPER] = "upper",
    [QUERY_LENGTH] = "length",
    [QUERY_TRIM] = "trim",
    [QUERY_SUBSTRING] = "substring",
    [QUERY_EXTRACT] = "extract",
    [QUERY_DATE_TRUNC] = "date_trunc",
    [QUERY_DATE_ADD] = "date_add",
    [QUERY_DATE_DIFF] = "date_diff",
    [QUERY_TO_INTEGER] = "integer",
    [QUERY_TO_REAL] = "real",
    [QUERY_TO_TEXT] = "text",
    [QUERY_TO_BOOLEAN] = "boolean",
    [QUERY_TO_DATE] = "date",
    [QUERY_TO_TIMESTAMP] = "timestamp",
};

static const char *infix(query_function f)
{
    switch (f) {
    case QUERY_ADD: return " + ";
    case QUERY_SUBTRACT: return " - ";
    case QUERY_MULTIPLY: return " * ";
    case QUERY_DIVIDE: return " / ";
    case QUERY_EQUAL: return " = ";
    case QUERY_UNEQUAL: return " <> ";
    case QUERY_LESS: return " < ";
    case QUERY_LESS_EQUAL: return " <= ";
    case QUERY_GREATER: return " > ";
    case QUERY_GREATER_EQUAL: return " >= ";
    case QUERY_LIKE: return " like ";
    case QUERY_AND: return " and ";
    case QUERY_OR: return " or ";
    case QUERY_CONCAT: return " || ";
    default: return NULL;
    }
}

static void put_constant(dusk_buffer *out, const query_expression *e)
{
    const query_value *v = &e->value;
    if (v->null)
        dusk_buffer_add(out, "NULL");
    else if (e->type == DUSK_TYPE_INTEGER)
        dusk_buffer_add(out, "%" PRId64, v->integer);
    else if (e->type == DUSK_TYPE_BOOLEAN)
        dusk_buffer_add(out, "%s", v->integer ? "true" : "false");
    else if (e->type == DUSK_TYPE_REAL)
        dusk_buffer_number(out, v->real);
    else {
        dusk_buffer_add(out, "'");
        dusk_buffer_bytes(out, v->text, v->length);
        dusk_buffer_add(out, "'");
    }
}

static void put_between(dusk_buffer *out, const query_expression *e, size_t from, const char *between,
                        const describe_names *names)
{
    for (size_t i = from; i < e->arguments; i++) {
        if (i > from) dusk_buffer_add(out, "%s", between);
        describe_expression(out, e->argument[i], names);
    }
}

static void put_case(dusk_buffer *out, const query_expression *e, const describe_names *names)
{
    dusk_buffer_add(out, "case");
    for (size_t i = 0; i + 1 < e->arguments; i += 2) {
        dusk_buffer_add(out, " when ");
        describe_expression(out, e->argument[i], names);
        dusk_buffer_add(out, " then ");
        describe_expression(out, e->argument[i + 1], names);
    }
    if (e->arguments % 2 == 1) {
        dusk_buffer_add(out, " else ");
        describe_expression(out, e->argument[e->arguments - 1], names);
    }
    dusk_buffer_add(out, " end");
}

static void put_call(dusk_buffer *out, const query_expression *e, const describe_names *names)
{
    const char *between = infix(e->function);
    if (between) {
        dusk_buffer_add(out, "(");
        put_between(out, e, 0, between, names);
        dusk_buffer_add(out, ")");
        return;
    }
    switch (e->function) {
    case QUERY_CASE: put_case(out, e, names); break;
    case QUERY_IN:
        describe_expression(out, e->argument[0], names);
        dusk_buffer_add(out, " in (");
        put_between(out, e, 1, ", ", names);
        dusk_buffer_add(out, ")");
        break;
    case QUERY_IS_NULL:
        describe_expression(out, e->argument[0], names);
        dusk_buffer_add(out, " is null");
        break;
    case QUERY_NOT:
    case QUERY_NEGATE:
        dusk_buffer_add(out, e->function == QUERY_NOT ? "not " : "-");
        describe_expression(out, e->argument[0], names);
        break;
    default:
        dusk_buffer_add(out, "%s(", names_of[e->function] ? names_of[e->function] : "?");
        put_between(out, e, 0, ", ", names);
        dusk_buffer_add(out, ")");
    }
}

void describe_expression(dusk_buffer *out, const query_expression *e, const describe_names *names)
{
    if (e->kind == QUERY_CONSTANT)
        put_constant(out, e);
    else if (e->kind == QUERY_COLUMN)
        names->put(out, names->from, e->index);
    else
        put_call(out, e, names);
}
