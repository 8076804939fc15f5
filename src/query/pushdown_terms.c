/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a statement of pushdown.h, and what each would add to each total. No expression raises an error,
 * whatever the data: see put_middle, put_step. Proof: pushdown.proof.md. */
#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "numeric/fixed_sum.h"
#include "query/pushdown_sql.h"
#include "table/cast.h"
#include "table/rule_sql.h"

void pushdown_enclose(pushdown_statement *s, dusk_buffer *before, const char *after)
{
    dusk_buffer_bytes(before, s->text.data ? s->text.data : "", s->text.length);
    dusk_buffer_add(before, "%s", after);
    before->failed |= s->text.failed;
    dusk_buffer_clear(&s->text);
    s->text = *before;
    *before = (dusk_buffer){ 0 };
}

bool pushdown_has_term(const bounding_total *total)
{
    return total->kind == BOUNDING_VALUES || total->kind == BOUNDING_SUM || total->kind == BOUNDING_SQUARES;
}

void pushdown_put_groups(dusk_buffer *out, const pushdown_statement *s, const char *before)
{
    for (size_t g = 0; g < s->groups; g++) dusk_buffer_add(out, "%sg%zu", g ? ", " : before, g);
}

/* --- rows ------------------------------------------------------------------------------------------ */

/* A column as cells are handed over elsewhere: NaN is NULL, -0 is 0, texts are cut and compared by bytes. */
static void put_cell(dusk_buffer *out, dusk_cell_type type, size_t column)
{
    _Static_assert(TABLE_TEXT_MAX == 262144, "as it is written below");
    switch (type) {
    case DUSK_CELL_INTEGER: dusk_buffer_add(out, "a%zu", column); break;
    case DUSK_CELL_REAL: dusk_buffer_add(out, "NULLIF(a%zu, 'NaN'::float8) + 0", column); break;
    case DUSK_CELL_TEXT:
        dusk_buffer_add(out,
                        "CASE WHEN octet_length(a%zu) > 262144 THEN left(a%zu, 65536) ELSE a%zu END "
                        "COLLATE \"C\"",
                        column, column, column);
        break;
    }
}

/* u, k0, ..., v0, ... OFFSET 0 keeps the server from computing an analyst's expression once for each mention. */
static void put_relation(pushdown_statement *s, const char *sql)
{
    const bounding_options *o = s->options;
    dusk_buffer before = { 0 }, after = { 0 };
    dusk_buffer_add(&s->text, "%s", sql);
    dusk_buffer_add(&before, "SELECT ");
    put_cell(&before, o->unit_type, 0);
    dusk_buffer_add(&before, " AS u");
    for (size_t k = 0; k < o->keys; k++) {
        dusk_buffer_add(&before, ", ");
        put_cell(&before, o->key_types[k], 1 + k);
        dusk_buffer_add(&before, " AS k%zu", k);
    }
    for (size_t v = 0; v < o->values; v++) {
        size_t column = 1 + o->keys + v;
        dusk_buffer_add(&before, ", ");
        if (o->value_types[v] == DUSK_CELL_TEXT) /* it is counted and no more */
            dusk_buffer_add(&before, "a%zu", column);
        else
            put_cell(&before, o->value_types[v], column);
        dusk_buffer_add(&before, " AS v%zu", v);
    }
    dusk_buffer_add(&before, " FROM (");
    dusk_buffer_add(&after, ") AS q(a0");
    for (size_t i = 1; i < 1 + o->keys + o->values; i++) dusk_buffer_add(&after, ", a%zu", i);
    dusk_buffer_add(&after, ") OFFSET 0");
    before.failed |= after.failed;
    pushdown_enclose(s, &before, after.data ? after.data : "");
    dusk_buffer_clear(&after);
}

/* A real as PostgreSQL reads it back. */
static void put_number(dusk_buffer *out, double x)
{
    if (isinf(x))
        dusk_buffer_add(out, x < 0 ? "-Infinity" : "Infinity");
    else
        dusk_buffer_number(out, x);
}

static void put_real(dusk_buffer *out, double x)
{
    dusk_buffer_add(out, "'");
    put_number(out, x);
    dusk_buffer_add(out, "'::float8");
}

static bool is_null(const query_value *value, dusk_cell_type type)
{
    return value->null || (type == DUSK_CELL_REAL && isnan(value->real));
}

static void put_element(dusk_buffer *out, const query_value *value, dusk_cell_type type)
{
    if (type == DUSK_CELL_INTEGER) {
        dusk_buffer_add(out, "%lld", is_null(value, type) ? 0 : (long long)value->integer);
    } else if (type == DUSK_CELL_REAL) {
        put_number(out, is_null(value, type) ? 0 : value->real);
    } else {
        dusk_buffer_add(out, "\"");
        for (size_t i = 0; !value->null && i < value->length; i++) {
            if (value->text[i] == '"' || value->text[i] == '\\') dusk_buffer_add(out, "\\");
            dusk_buffer_bytes(out, value->text + i, 1);
        }
        dusk_buffer_add(out, "\"");
    }
}

/* Key k of all public groups as an array, those that are NULL as some other value; and which are NULL.
 * Gives whether any is. */
static bool put_keys(dusk_buffer *out, const pushdown_statement *s, size_t k)
{
    static const char *const types[] = {
        [DUSK_CELL_INTEGER] = "bigint", [DUSK_CELL_REAL] = "float8", [DUSK_CELL_TEXT] = "text"
    };
    const bounding_options *o = s->options;
    dusk_buffer list = { 0 };
    bool any = false;
    dusk_buffer_add(&list, "{");
    for (size_t g = 0; g < o->groups_count; g++) {
        if (g) dusk_buffer_add(&list, ",");
        put_element(&list, &o->groups[g * o->keys + k], o->key_types[k]);
        any |= is_null(&o->groups[g * o->keys + k], o->key_types[k]);
    }
    dusk_buffer_add(&list, "}");
    table_put_quoted(out, list.data ? list.data : "", '\'');
    dusk_buffer_add(out, "::%s[]", types[o->key_types[k]]);
    out->failed |= list.failed;
    dusk_buffer_clear(&list);
    if (!any) return false;
    dusk_buffer_add(out, ", '{");
    for (size_t g = 0; g < o->groups_count; g++)
        dusk_buffer_add(out, "%s%s", g ? "," : "",
                        is_null(&o->groups[g * o->keys + k], o->key_types[k]) ? "t" : "f");
    dusk_buffer_add(out, "}'::boolean[]");
    return true;
}

/* JOIN the public groups, each of which is there once, by equalities, so that the server can hash; g is the
 * number of a group. */
DUSK_PROVEN(put_public)
static void put_public(dusk_buffer *out, const pushdown_statement *s)
{
    static const char *const other[] = {
        [DUSK_CELL_INTEGER] = "0", [DUSK_CELL_REAL] = "0", [DUSK_CELL_TEXT] = "''"
    };
    const bounding_options *o = s->options;
    dusk_buffer names = { 0 }, condition = { 0 };
    dusk_buffer_add(out, DUSK_MUTATE(PUSHDOWN_FILTER_LAST, " JOIN unnest(", " LEFT JOIN unnest("));
    for (size_t k = 0; k < o->keys; k++) {
        if (k) dusk_buffer_add(out, ", ");
        bool null = put_keys(out, s, k);
        dusk_buffer_add(&names, "p%zu, ", k);
        if (null) dusk_buffer_add(&names, "n%zu, ", k);
        if (k) dusk_buffer_add(&condition, " AND ");
        if (null)
            dusk_buffer_add(&condition, "COALESCE(k%zu, %s) = p%zu AND (k%zu IS NULL) = n%zu", k,
                            other[o->key_types[k]], k, k, k);
        else
            dusk_buffer_add(&condition, "k%zu = p%zu", k, k);
    }
    dusk_buffer_add(out, ") WITH ORDINALITY AS p(%sg0) ON %s", names.data ? names.data : "",
                    condition.data ? condition.data : "");
    out->failed |= names.failed || condition.failed;
    dusk_buffer_clear(&names);
    dusk_buffer_clear(&condition);
}

/* --- terms -------------------------------------------------------------------------------------------- */

/* The largest number whose square is 0: PostgreSQL raises an error where a product of others is. */
#define SQUARE_IS_ZERO 0x1.6a09e667f3bccp-538

/* clamp(v) - centre, which query_pushdown_fits has found to be finite; of a square, that minus half. */
static void put_difference(dusk_buffer *out, const bounding_total *total)
{
    dusk_buffer_add(out, "(LEAST(GREATEST(v%zu::float8, ", total->value);
    put_real(out, total->lower);
    dusk_buffer_add(out, "), ");
    put_real(out, total->upper);
    dusk_buffer_add(out, ") - ");
    put_real(out, total->centre);
    dusk_buffer_add(out, ")");
}

/* The term before it is put on the grid, clamped to its reach; NULL where there is no value. */
DUSK_PROVEN(put_middle)
static void put_middle(dusk_buffer *out, const bounding_total *total)
{
    dusk_buffer_add(out, "CASE WHEN v%zu IS NOT NULL THEN LEAST(GREATEST(", total->value);
    if (total->kind == BOUNDING_SQUARES) {
        dusk_buffer_add(out, "CASE WHEN abs(");
        put_difference(out, total);
        dusk_buffer_add(out, ") <= ");
        put_real(out, DUSK_MUTATE(PUSHDOWN_SQUARE_UNGUARDED, SQUARE_IS_ZERO, -1));
        dusk_buffer_add(out, " THEN '0'::float8 ELSE ");
        put_difference(out, total);
        dusk_buffer_add(out, " * ");
        put_difference(out, total);
        dusk_buffer_add(out, " END - ");
        put_real(out, total->half_square);
    } else {
        put_difference(out, total);
    }
    dusk_buffer_add(out, ", ");
    put_real(out, -total->reach);
    dusk_buffer_add(out, "), ");
    put_real(out, total->reach);
    dusk_buffer_add(out, ") END");
}

/* On the grid, toward zero: what is less than a step is 0, and the products of what is more are exact. */
DUSK_PROVEN(put_step)
static void put_step(dusk_buffer *out, const bounding_total *total, size_t t)
{
    dusk_fixed_clamp reach = { -total->reach, total->reach, total->grid };
    dusk_fixed_map map = dusk_fixed_prepare(&reach);
    dusk_buffer_add(out, "CASE WHEN abs(y%zu) < ", t);
    put_real(out, ldexp(1, total->grid));
    dusk_buffer_add(out, " THEN 0 ELSE %s(y%zu * ", DUSK_MUTATE(PUSHDOWN_ROUNDS, "trunc", ""), t);
    put_real(out, map.scale[0]);
    dusk_buffer_add(out, " * ");
    put_real(out, map.scale[1]);
    dusk_buffer_add(out, ")::bigint END");
}

/* u, g0, ..., y0, ... and then u, g0, ..., s0, ... */
static void put_all_terms(pushdown_statement *s)
{
    const bounding_options *o = s->options;
    dusk_buffer before = { 0 }, after = { 0 };
    dusk_buffer_add(&before, "SELECT u");
    if (s->public_groups) pushdown_put_groups(&before, s, ", ");
    for (size_t k = 0; !s->public_groups && k < o->keys; k++)
        dusk_buffer_add(&before, ", k%zu AS g%zu", k, k);
    for (size_t t = 0; t < o->totals; t++) {
        if (!pushdown_has_term(&o->total[t])) continue;
        dusk_buffer_add(&before, ", ");
        if (o->total[t].kind == BOUNDING_VALUES)
            dusk_buffer_add(&before, "CASE WHEN v%zu IS NOT NULL THEN 1::bigint END", o->total[t].value);
        else
            put_middle(&before, &o->total[t]);
        dusk_buffer_add(&before, " AS y%zu", t);
    }
    dusk_buffer_add(&before, " FROM (");
    dusk_buffer_add(&after, ") AS q");
    if (s->public_groups) put_public(&after, s);
    dusk_buffer_add(&after, " WHERE u IS NOT NULL OFFSET 0");
    before.failed |= after.failed;
    pushdown_enclose(s, &before, after.data ? after.data : "");
    dusk_buffer_clear(&after);

    dusk_buffer_add(&before, "SELECT u");
    pushdown_put_groups(&before, s, ", ");
    for (size_t t = 0; t < o->totals; t++) {
        if (!pushdown_has_term(&o->total[t])) continue;
        dusk_buffer_add(&before, ", ");
        if (o->total[t].kind == BOUNDING_VALUES)
            dusk_buffer_add(&before, "y%zu", t);
        else
            put_step(&before, &o->total[t], t);
        dusk_buffer_add(&before, " AS s%zu", t);
    }
    dusk_buffer_add(&before, " FROM (");
    pushdown_enclose(s, &before, ") AS q");
}

void pushdown_put_terms(pushdown_statement *s, const char *sql)
{
    put_relation(s, sql);
    put_all_terms(s);
}
