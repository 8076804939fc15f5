/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: arithmetic, comparison, BETWEEN, IN, LIKE, and dates with intervals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "query/bind.h"
#include "table/calendar.h"
#include "table/value.h"

static int location(const json_t *body) { return (int)json_integer_value(json_object_get(body, "location")); }

static const struct {
    const char *name;
    query_function function;
    bool comparison;
} operators[] = {
    { "+", QUERY_ADD, false },           { "-", QUERY_SUBTRACT, false },   { "*", QUERY_MULTIPLY, false },
    { "/", QUERY_DIVIDE, false },        { "%", QUERY_MODULO, false },     { "^", QUERY_POWER, false },
    { "||", QUERY_CONCAT, false },       { "=", QUERY_EQUAL, true },       { "<>", QUERY_UNEQUAL, true },
    { "<", QUERY_LESS, true },           { "<=", QUERY_LESS_EQUAL, true }, { ">", QUERY_GREATER, true },
    { ">=", QUERY_GREATER_EQUAL, true },
};

static query_expression *compare(binder *b, query_function function, query_expression *x, query_expression *y,
                                 int position)
{
    query_expression *both[2] = { x, y };
    if (!bind_unify(b, both, 2, "the comparison", position)) return NULL;
    if (both[0]->type == DUSK_TYPE_BOOLEAN && function != QUERY_EQUAL && function != QUERY_UNEQUAL)
        return query_refuse(&b->in, position, "compare booleans with = and <>", "booleans have no order");
    return bind_make_call(b, function, DUSK_TYPE_BOOLEAN, position, 2, both);
}

/* A constant date with months and days added; NULL: there is no such day in the calendar. */
static query_expression *shifted(binder *b, const query_expression *x, int64_t months, int64_t days)
{
    char text[TABLE_TIMESTAMP_LENGTH + 1];
    table_time time, day;
    if (!table_read_time(&time, x->value.text, x->value.length)) return NULL;
    int64_t month = (int64_t)time.year * 12 + time.month - 1 + months;
    if (month < 12 || month / 12 > 9999) return NULL;
    time.year = (int)(month / 12);
    time.month = (int)(month % 12) + 1;
    int last = table_days_in_month(time.year, time.month);
    if (time.day > last) time.day = last;
    if (!table_from_days(&day, table_days(&time) + days)) return NULL;
    time.year = day.year, time.month = day.month, time.day = day.day;
    if (x->type == DUSK_TYPE_DATE)
        table_write_date(text, &time);
    else
        table_write_timestamp(text, &time);
    return bind_make_value(b, x->type, text);
}

static query_expression *add_to_moment(binder *b, query_expression *x, int64_t months, int64_t days,
                                       int position)
{
    query_expression *constant =
        x->kind == QUERY_CONSTANT && !x->value.null ? shifted(b, x, months, days) : NULL;
    if (constant || b->in.status != DUSK_OK) return constant;
    query_expression *all[3] = { x, bind_make_integer(b, months, -1), bind_make_integer(b, days, -1) };
    return bind_make_call(b, QUERY_DATE_ADD, x->type, position, 3, all);
}

/* Sums and products of constants are those of decimals with 15 digits: 0.06 + 0.01 is 0.07. */
static query_expression *fold(binder *b, query_function function, const query_expression *x,
                              const query_expression *y)
{
    char text[40];
    double a = x->value.real, c = y->value.real, value;
    if (function != QUERY_ADD && function != QUERY_SUBTRACT && function != QUERY_MULTIPLY) return NULL;
    if (x->kind != QUERY_CONSTANT || y->kind != QUERY_CONSTANT || x->value.null || y->value.null) return NULL;
    value = function == QUERY_ADD ? a + c : function == QUERY_SUBTRACT ? a - c : a * c;
    if (!isfinite(value) || (x->type == DUSK_TYPE_INTEGER && !(fabs(value) < 1e15))) return NULL;
    if (x->type == DUSK_TYPE_INTEGER) return bind_make_integer(b, (int64_t)value, x->position);
    (void)dusk_format(text, sizeof text, "%.15g", value);
    query_expression *e = bind_make_value(b, DUSK_TYPE_REAL, text);
    if (e) e->position = x->position;
    return e;
}

/* A date and months and days. */
static query_expression *add_interval(binder *b, const bind_scope *scope, const json_t *moment,
                                      const json_t *interval, bool minus, int position)
{
    int64_t months, days;
    query_expression *x = bind_expression(b, scope, moment);
    if (x && x->kind == QUERY_CONSTANT && x->type == DUSK_TYPE_TEXT) x = bind_as(b, x, DUSK_TYPE_DATE);
    if (!x || !bind_interval(b, interval, &months, &days)) return NULL;
    if (!bind_is_moment(x->type))
        return query_refuse(&b->in, position, "cast it to a date", "an interval is added to a %s",
                            bind_type_name(x->type));
    return add_to_moment(b, x, minus ? -months : months, minus ? -days : days, position);
}

/* Date minus date, date plus a constant of days; NULL without a refusal: neither. */
static query_expression *with_dates(binder *b, query_function function, query_expression *x,
                                    query_expression *y, int position)
{
    if (function == QUERY_SUBTRACT && bind_is_moment(x->type) && bind_is_moment(y->type)) {
        query_expression *both[2] = { x, y };
        if (!bind_unify(b, both, 2, "the difference", position)) return NULL;
        return bind_make_call(b, QUERY_DATE_DIFF, DUSK_TYPE_INTEGER, position, 2, both);
    }
    if (x->type == DUSK_TYPE_DATE && y->kind == QUERY_CONSTANT && y->type == DUSK_TYPE_INTEGER &&
        !y->value.null && (function == QUERY_ADD || function == QUERY_SUBTRACT) &&
        y->value.integer > -1000000 && y->value.integer < 1000000) {
        int64_t days = function == QUERY_ADD ? y->value.integer : -y->value.integer;
        return add_to_moment(b, x, 0, days, position);
    }
    return NULL;
}

static query_expression *calculate(binder *b, query_function function, query_expression *x,
                                   query_expression *y, int position)
{
    query_expression *both[2] = { x, y };
    if (function == QUERY_CONCAT) {
        for (size_t i = 0; i < 2; i++)
            if (both[i]->type != DUSK_TYPE_TEXT &&
                !(both[i] = bind_make_1(b, QUERY_TO_TEXT, DUSK_TYPE_TEXT, both[i])))
                return NULL;
        return bind_make_call(b, function, DUSK_TYPE_TEXT, position, 2, both);
    }
    if (bind_is_moment(x->type) || bind_is_moment(y->type)) {
        query_expression *made = with_dates(b, function, x, y, position);
        if (made || b->in.status != DUSK_OK) return made;
    }
    if (!bind_unify(b, both, 2, "the operation", position)) return NULL;
    if (both[0]->kind == QUERY_CONSTANT && both[0]->value.null && both[1]->kind == QUERY_CONSTANT &&
        both[1]->value.null)
        both[0] = both[1] = bind_make_null(b, DUSK_TYPE_INTEGER, position);
    if (!both[0]) return NULL;
    if (!bind_is_number(both[0]->type))
        return query_refuse(&b->in, position, "convert with CAST", "a %s cannot be calculated with",
                            bind_type_name(both[0]->type));
    if (function == QUERY_MODULO && both[0]->type != DUSK_TYPE_INTEGER)
        return query_refuse(&b->in, position, "cast both sides to integer", "%% is for whole numbers");
    query_expression *folded = fold(b, function, both[0], both[1]);
    if (folded || b->in.status != DUSK_OK) return folded;
    bool real = function == QUERY_DIVIDE || function == QUERY_POWER || both[0]->type == DUSK_TYPE_REAL;
    return bind_make_call(b, function, real ? DUSK_TYPE_REAL : DUSK_TYPE_INTEGER, position, 2, both);
}

static query_expression *bind_plain(binder *b, const bind_scope *scope, const json_t *body, const char *name)
{
    const json_t *left = json_object_get(body, "lexpr"), *right = json_object_get(body, "rexpr");
    int position = location(body);
    bool minus = strcmp(name, "-") == 0, plus = strcmp(name, "+") == 0;
    if (left && bind_is_interval(right) && (plus || minus))
        return add_interval(b, scope, left, right, minus, position);
    if (left && bind_is_interval(left) && plus) return add_interval(b, scope, right, left, false, position);
    query_expression *x = left ? bind_expression(b, scope, left) : NULL;
    if (left && !x) return NULL;
    query_expression *y = bind_expression(b, scope, right);
    if (!y) return NULL;
    if (!left && (plus || minus)) {
        if (!bind_is_number(y->type))
            return query_refuse(&b->in, position, "", "a sign stands before a %s", bind_type_name(y->type));
        return plus ? y : bind_make_1(b, QUERY_NEGATE, y->type, y);
    }
    for (size_t i = 0; left && i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(operators[i].name, name) != 0) continue;
        return operators[i].comparison ? compare(b, operators[i].function, x, y, position)
                                       : calculate(b, operators[i].function, x, y, position);
    }
    return query_refuse(&b->in, position, "see docs/sql.md for the operators",
                        "this operator is not supported");
}

/* --- IN, BETWEEN, LIKE ---------------------------------------------------------------------- */

static query_expression *negate(binder *b, bool yes, query_expression *e)
{
    return yes ? bind_make_1(b, QUERY_NOT, DUSK_TYPE_BOOLEAN, e) : e;
}

static query_expression *any_equal(binder *b, query_expression **e, size_t n, int position)
{
    query_expression **each = query_take(&b->in, n, sizeof *each);
    for (size_t i = 1; each && i < n; i++)
        if (!(each[i - 1] = compare(b, QUERY_EQUAL, e[0], e[i], position))) return NULL;
    if (!each || n == 2) return each ? each[0] : NULL;
    return bind_make_call(b, QUERY_OR, DUSK_TYPE_BOOLEAN, position, n - 1, each);
}

static query_expression *bind_in(binder *b, const bind_scope *scope, const json_t *body, const char *name)
{
    const json_t *list;
    int position = location(body);
    bool constants = true;
    if (!query_node_is(json_object_get(body, "rexpr"), "List", &list))
        return query_refuse(&b->in, position, "write IN (1, 2, 3)", "this form of IN is not supported");
    const json_t *items = json_object_get(list, "items");
    size_t n = json_array_size(items) + 1;
    if (n < 2 || n > 4 * QUERY_LIST_MAX)
        return query_refuse(&b->in, position, "use a public table and IN (SELECT ...)",
                            "the list after IN is too long");
    query_expression **e = query_take(&b->in, n, sizeof *e);
    if (!e || !(e[0] = bind_expression(b, scope, json_object_get(body, "lexpr")))) return NULL;
    for (size_t i = 1; i < n; i++) {
        if (!(e[i] = bind_expression(b, scope, json_array_get(items, i - 1)))) return NULL;
        if (e[i]->kind == QUERY_CONSTANT && e[i]->value.null)
            return query_refuse(&b->in, e[i]->position, "write OR x IS NULL",
                                "NULL stands in a list after IN");
        constants = constants && e[i]->kind == QUERY_CONSTANT;
    }
    if (!bind_unify(b, e, n, "IN", position)) return NULL;
    for (size_t i = 1; i < n; i++) constants = constants && e[i]->kind == QUERY_CONSTANT;
    query_expression *made = constants ? bind_make_call(b, QUERY_IN, DUSK_TYPE_BOOLEAN, position, n, e)
                                       : any_equal(b, e, n, position);
    return negate(b, strcmp(name, "<>") == 0, made);
}

static query_expression *bind_between(binder *b, const bind_scope *scope, const json_t *body, bool no)
{
    const json_t *list;
    int position = location(body);
    if (!query_node_is(json_object_get(body, "rexpr"), "List", &list))
        return query_refuse(&b->in, position, "", "this form of BETWEEN is not supported");
    const json_t *items = json_object_get(list, "items");
    query_expression *x = bind_expression(b, scope, json_object_get(body, "lexpr"));
    query_expression *low = x ? bind_expression(b, scope, json_array_get(items, 0)) : NULL;
    query_expression *high = low ? bind_expression(b, scope, json_array_get(items, 1)) : NULL;
    if (!high) return NULL;
    low = compare(b, QUERY_GREATER_EQUAL, x, low, position);
    high = low ? compare(b, QUERY_LESS_EQUAL, x, high, position) : NULL;
    return high ? negate(b, no, bind_and(b, low, high)) : NULL;
}

static query_expression *bind_like(binder *b, const bind_scope *scope, const json_t *body, const char *name,
                                   bool fold)
{
    int position = location(body);
    query_expression *x = bind_expression(b, scope, json_object_get(body, "lexpr"));
    const json_t *constant;
    if (!x) return NULL;
    if (!query_node_is(json_object_get(body, "rexpr"), "A_Const", &constant))
        return query_refuse(&b->in, position, "write LIKE 'abc%'; \\ escapes",
                            "the pattern of LIKE must be a constant");
    query_expression *pattern = bind_constant(b, constant);
    if (!pattern) return NULL;
    if (x->type != DUSK_TYPE_TEXT || pattern->type != DUSK_TYPE_TEXT || pattern->value.null)
        return query_refuse(&b->in, position, "cast to text first", "LIKE compares text with a pattern");
    size_t slashes = 0;
    while (slashes < pattern->value.length &&
           pattern->value.text[pattern->value.length - 1 - slashes] == '\\')
        slashes++;
    if (slashes % 2 == 1)
        return query_refuse(&b->in, pattern->position, "write \\\\ for one \\",
                            "the pattern ends in the middle of an escape");
    if (fold) {
        char *text = query_keep(&b->in, pattern->value.text, pattern->value.length);
        if (!text || !(x = bind_make_1(b, QUERY_LOWER, DUSK_TYPE_TEXT, x))) return NULL;
        for (char *c = text; *c; c++)
            if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
        pattern->value.text = text;
    }
    return negate(b, name[0] == '!', bind_make_2(b, QUERY_LIKE, DUSK_TYPE_BOOLEAN, x, pattern));
}

static query_expression *bind_nullif(binder *b, const bind_scope *scope, const json_t *body)
{
    query_expression *both[2];
    if (!(both[0] = bind_expression(b, scope, json_object_get(body, "lexpr")))) return NULL;
    if (!(both[1] = bind_expression(b, scope, json_object_get(body, "rexpr")))) return NULL;
    if (!bind_unify(b, both, 2, "NULLIF", location(body))) return NULL;
    return bind_make_call(b, QUERY_NULLIF, both[0]->type, location(body), 2, both);
}

query_expression *bind_operator(binder *b, const bind_scope *scope, const json_t *body)
{
    const char *kind = query_string(body, "kind");
    const json_t *names = json_object_get(body, "name");
    const char *name = json_array_size(names) == 1 ? query_name(json_array_get(names, 0)) : NULL;
    if (!query_only(&b->in, body, "kind name lexpr rexpr location", "an operator")) return NULL;
    if (!name) return query_refuse(&b->in, location(body), "", "this operator is not supported");
    if (strcmp(kind, "AEXPR_OP") == 0) return bind_plain(b, scope, body, name);
    if (strcmp(kind, "AEXPR_IN") == 0) return bind_in(b, scope, body, name);
    if (strcmp(kind, "AEXPR_BETWEEN") == 0) return bind_between(b, scope, body, false);
    if (strcmp(kind, "AEXPR_NOT_BETWEEN") == 0) return bind_between(b, scope, body, true);
    if (strcmp(kind, "AEXPR_LIKE") == 0) return bind_like(b, scope, body, name, false);
    if (strcmp(kind, "AEXPR_ILIKE") == 0) return bind_like(b, scope, body, name, true);
    if (strcmp(kind, "AEXPR_NULLIF") == 0) return bind_nullif(b, scope, body);
    return query_refuse(&b->in, location(body), "see docs/sql.md for the operators",
                        "this operator is not supported");
}
