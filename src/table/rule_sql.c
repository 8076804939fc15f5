/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of columns as SQL; see rule_sql.h. */
#include "table/rule_sql.h"

#include <inttypes.h>

void table_put_quoted(dusk_buffer *out, const char *text, char quote)
{
    dusk_buffer_bytes(out, &quote, 1);
    for (; *text; text++) {
        if (*text == quote) dusk_buffer_bytes(out, &quote, 1);
        dusk_buffer_bytes(out, text, 1);
    }
    dusk_buffer_bytes(out, &quote, 1);
}

static void put_literal(dusk_buffer *out, const char *type, const char *text)
{
    dusk_buffer_add(out, "CAST(");
    table_put_quoted(out, text, '\'');
    dusk_buffer_add(out, " AS %s)", type);
}

/* What a NULL counts as when there is no domain. Texts are "" or a date: nothing to quote. */
static void put_replacement(dusk_buffer *out, const table_rule *rule, const char *type)
{
    const table_value *value = &rule->replacement;
    dusk_buffer_add(out, "CAST('");
    if (rule->type == DUSK_TYPE_INTEGER || rule->type == DUSK_TYPE_BOOLEAN)
        dusk_buffer_add(out, "%" PRId64, value->integer);
    else if (rule->type == DUSK_TYPE_REAL)
        dusk_buffer_number(out, value->real);
    else
        dusk_buffer_add(out, "%.*s", (int)value->length, value->text);
    dusk_buffer_add(out, "' AS %s)", type);
}

/* Whether a<c> is in the domain. */
static void put_condition(dusk_buffer *out, size_t c, const dusk_column *column, const table_rule *rule,
                          const char *type, size_t list_max)
{
    bool list = rule->type == DUSK_TYPE_TEXT && column->values <= list_max;
    if (rule->is_range) {
        dusk_buffer_add(out, "a%zu BETWEEN CAST('%" PRId64 "' AS %s) AND CAST('%" PRId64 "' AS %s)", c,
                        rule->low, type, rule->high, type);
        return;
    }
    if (list)
        dusk_buffer_add(out, "list_contains([");
    else
        dusk_buffer_add(out, "a%zu IN (", c);
    for (size_t i = 0; i < column->values; i++) {
        if (i) dusk_buffer_add(out, ", ");
        put_literal(out, type, column->domain[i]);
    }
    if (list)
        dusk_buffer_add(out, "], a%zu)", c);
    else
        dusk_buffer_add(out, ")");
}

void table_put_rules(dusk_buffer *out, size_t c, const dusk_column *column, const table_rule *rule,
                     const char *const types[DUSK_TYPE_TIMESTAMP + 1], size_t list_max)
{
    const char *type = types[rule->type];
    if (rule->slots) {
        dusk_buffer_add(out, "CASE WHEN ");
        put_condition(out, c, column, rule, type, list_max);
        dusk_buffer_add(out, " THEN a%zu", c);
        if (rule->replaces) {
            dusk_buffer_add(out, " ELSE ");
            put_literal(out, type, column->domain[0]);
        }
        dusk_buffer_add(out, " END");
    } else if (rule->replaces) {
        dusk_buffer_add(out, "COALESCE(a%zu, ", c);
        put_replacement(out, rule, type);
        dusk_buffer_add(out, ")");
    } else {
        dusk_buffer_add(out, "a%zu", c);
    }
}
