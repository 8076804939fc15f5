/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, intervals, casts, and how two types become one. Dates are checked against the calendar here,
 * so that engines only see those that exist. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mutant.h"
#include "query/bind.h"
#include "table/calendar.h"
#include "table/value.h"

const char *bind_type_name(dusk_type type)
{
    switch (type) {
    case DUSK_TYPE_INTEGER: return "whole number";
    case DUSK_TYPE_REAL: return "number";
    case DUSK_TYPE_TEXT: return "text";
    case DUSK_TYPE_BOOLEAN: return "boolean";
    case DUSK_TYPE_DATE: return "date";
    default: return "timestamp";
    }
}

static query_expression *make_constant(binder *b, dusk_type type, int position)
{
    query_expression *e = query_take(&b->in, 1, sizeof *e);
    if (e) *e = (query_expression){ .kind = QUERY_CONSTANT, .type = type, .position = position };
    return e;
}

query_expression *bind_make_integer(binder *b, int64_t value, int position)
{
    query_expression *e = make_constant(b, DUSK_TYPE_INTEGER, position);
    if (!e) return NULL;
    e->value.integer = value;
    e->value.real = (double)value;
    return e;
}

query_expression *bind_make_boolean(binder *b, bool value, int position)
{
    query_expression *e = bind_make_integer(b, value, position);
    if (e) e->type = DUSK_TYPE_BOOLEAN;
    return e;
}

query_expression *bind_make_null(binder *b, dusk_type type, int position)
{
    query_expression *e = make_constant(b, type, position);
    if (e) e->value.null = true;
    return e;
}

static query_expression *make_text_of(binder *b, dusk_type type, const char *text, int position)
{
    query_expression *e = make_constant(b, type, position);
    if (!e) return NULL;
    e->value.length = strlen(text);
    e->value.text = query_keep(&b->in, text, e->value.length);
    return e->value.text ? e : NULL;
}

query_expression *bind_make_text(binder *b, const char *text, int position)
{
    return make_text_of(b, DUSK_TYPE_TEXT, text, position);
}

query_expression *bind_make_value(binder *b, dusk_type type, const char *text)
{
    int64_t whole = 0;
    double real = 0;
    bool yes = false;
    size_t length = strlen(text);
    query_expression *e;
    switch (type) {
    case DUSK_TYPE_INTEGER:
        return table_read_integer(&whole, text, length) ? bind_make_integer(b, whole, -1)
                                                        : bind_make_null(b, type, -1);
    case DUSK_TYPE_BOOLEAN:
        return table_read_boolean(&yes, text, length) ? bind_make_boolean(b, yes, -1)
                                                      : bind_make_null(b, type, -1);
    case DUSK_TYPE_REAL:
        if (!table_read_real(&real, text, length)) return bind_make_null(b, type, -1);
        if ((e = make_constant(b, type, -1))) e->value.real = real;
        return e;
    default: return make_text_of(b, type, text, -1);
    }
}

/* A number as the parser leaves it: digits, a point, an exponent, a sign. */
static query_expression *make_number(binder *b, const char *text, int position)
{
    int64_t whole;
    double real;
    if (table_read_integer(&whole, text, strlen(text))) return bind_make_integer(b, whole, position);
    if (!table_read_real(&real, text, strlen(text)) || !isfinite(real))
        return query_refuse(&b->in, position, "numbers go to about 1e308", "this number is too large");
    query_expression *e = make_constant(b, DUSK_TYPE_REAL, position);
    if (e) e->value.real = real;
    return e;
}

/* The parser's JSON leaves out whole numbers that are not above 0; a sign that was folded into
 * a number is then found in the text. */
static query_expression *small_integer(binder *b, int position)
{
    const char *at = b->in.sql;
    if (position < 0 || (size_t)position >= strlen(at) || at[position] != '-')
        return bind_make_integer(b, 0, position);
    at += position;
    at += strspn(at, "-( \t\n\r\f\v");
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > 18)
        return query_refuse(&b->in, position, "write -1 without anything between",
                            "the sign is far from its number");
    return bind_make_integer(b, -strtoll(at, NULL, 10), position);
}

query_expression *bind_constant(binder *b, const json_t *body)
{
    int position = (int)json_integer_value(json_object_get(body, "location"));
    const json_t *value;
    if (!query_only(&b->in, body, "ival fval sval boolval isnull location", "a constant")) return NULL;
    if (query_flag(body, "isnull")) return bind_make_null(b, DUSK_TYPE_TEXT, position);
    if ((value = json_object_get(body, "ival"))) {
        json_int_t whole = json_integer_value(json_object_get(value, "ival"));
        return DUSK_MUTATE(NEGATIVE_IS_ZERO, whole > 0, true) ? bind_make_integer(b, whole, position)
                                                              : small_integer(b, position);
    }
    if ((value = json_object_get(body, "fval"))) return make_number(b, query_string(value, "fval"), position);
    if ((value = json_object_get(body, "sval")))
        return bind_make_text(b, query_string(value, "sval"), position);
    if ((value = json_object_get(body, "boolval")))
        return bind_make_boolean(b, query_flag(value, "boolval"), position);
    return query_refuse(&b->in, position, "write a number, 'text', a date or TRUE",
                        "this constant is not supported");
}

/* --- dates ------------------------------------------------------------------------------- */

/* Text in ISO form as a constant date or timestamp. */
static query_expression *make_moment(binder *b, const query_expression *text, dusk_type type)
{
    char moment[TABLE_TIMESTAMP_LENGTH + 1];
    table_time time;
    bool good = table_read_time(&time, text->value.text, text->value.length);
    if (!good || (type == DUSK_TYPE_DATE && text->value.length != TABLE_DATE_LENGTH))
        return query_refuse(&b->in, text->position, "write 1998-12-01, or 1998-12-01 12:34:56",
                            "this is no %s", bind_type_name(type));
    if (type == DUSK_TYPE_DATE)
        table_write_date(moment, &time);
    else
        table_write_timestamp(moment, &time);
    return make_text_of(b, type, moment, text->position);
}

/* --- intervals --------------------------------------------------------------------------- */

static bool type_is(const json_t *type, const char *name)
{
    const json_t *names = json_object_get(type, "names");
    size_t n = json_array_size(names);
    const char *last = n ? query_name(json_array_get(names, n - 1)) : NULL;
    const char *first = n ? query_name(json_array_get(names, 0)) : NULL;
    if (!last || !first || n > 2 || (n == 2 && strcmp(first, "pg_catalog") != 0)) return false;
    return strcmp(last, name) == 0;
}

bool bind_is_interval(const json_t *node)
{
    const json_t *body;
    return query_node_is(node, "TypeCast", &body) && type_is(json_object_get(body, "typeName"), "interval");
}

static bool add_interval(int64_t n, const char *unit, size_t length, int64_t *months, int64_t *days)
{
    static const struct {
        const char *name;
        int months, days;
    } units[] = { { "year", 12, 0 }, { "month", 1, 0 }, { "mon", 1, 0 }, { "week", 0, 7 }, { "day", 0, 1 } };
    if (length > 1 && (unit[length - 1] == 's' || unit[length - 1] == 'S')) length--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        char word[8] = { 0 };
        if (strlen(units[i].name) != length) continue;
        memcpy(word, unit, length);
        if (!query_same_name(word, units[i].name)) continue;
        *months += n * units[i].months;
        *days += n * units[i].days;
        return true;
    }
    return false;
}

/* '3 months 2 days', or '3' with the unit behind it. */
static bool read_interval(const char *text, const char *unit, int64_t *months, int64_t *days)
{
    bool any = false;
    for (const char *at = text;; any = true) {
        at += strspn(at, " ");
        if (*at == '\0') return any;
        bool minus = *at == '-';
        if (*at == '-' || *at == '+') at++;
        size_t digits = strspn(at, "0123456789");
        if (digits == 0 || digits > 6) return false;
        int64_t n = strtoll(at, NULL, 10);
        at += digits;
        at += strspn(at, " ");
        size_t letters = strcspn(at, " +-0123456789");
        if (letters == 0 && (unit == NULL || *at != '\0' || any)) return false;
        if (letters > 0 && unit != NULL) return false;
        const char *word = letters ? at : unit;
        if (!add_interval(minus ? -n : n, word, strlen(letters ? "" : unit) + letters, months, days))
            return false;
        at += letters;
    }
}

bool bind_interval(binder *b, const json_t *node, int64_t *months, int64_t *days)
{
    static const char hint[] = "write INTERVAL '3' MONTH, INTERVAL '90 days' and the like";
    const json_t *cast, *constant, *mask = NULL;
    (void)query_node(node, &cast);
    const json_t *type = json_object_get(cast, "typeName"), *list = json_object_get(type, "typmods");
    int position = query_place(node);
    const char *unit = NULL, *text = NULL;
    *months = *days = 0;
    if (query_node_is(json_object_get(cast, "arg"), "A_Const", &constant))
        text = json_string_value(json_object_get(json_object_get(constant, "sval"), "sval"));
    if (json_array_size(list) == 1 && query_node_is(json_array_get(list, 0), "A_Const", &mask)) {
        json_int_t bit = json_integer_value(json_object_get(json_object_get(mask, "ival"), "ival"));
        unit = bit == 2 ? "month" : bit == 4 ? "year" : bit == 8 ? "day" : "";
    }
    if (text && (!list || unit) && read_interval(text, unit, months, days)) return true;
    query_refuse(&b->in, position, hint, "this interval is not whole years, months, weeks or days");
    return false;
}

/* --- casts ------------------------------------------------------------------------------- */

static dusk_type named_type(const json_t *type)
{
    static const struct {
        const char *name;
        dusk_type type;
    } types[] = {
        { "int2", DUSK_TYPE_INTEGER },    { "int4", DUSK_TYPE_INTEGER },
        { "int8", DUSK_TYPE_INTEGER },    { "float4", DUSK_TYPE_REAL },
        { "float8", DUSK_TYPE_REAL },     { "numeric", DUSK_TYPE_REAL },
        { "real", DUSK_TYPE_REAL },       { "text", DUSK_TYPE_TEXT },
        { "varchar", DUSK_TYPE_TEXT },    { "bool", DUSK_TYPE_BOOLEAN },
        { "date", DUSK_TYPE_DATE },       { "timestamp", DUSK_TYPE_TIMESTAMP },
        { "boolean", DUSK_TYPE_BOOLEAN }, { "integer", DUSK_TYPE_INTEGER },
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (type_is(type, types[i].name)) return types[i].type;
    return 0;
}

static query_function cast_to(dusk_type from, dusk_type to)
{
    switch (to) {
    case DUSK_TYPE_INTEGER: return bind_is_moment(from) ? 0 : QUERY_TO_INTEGER;
    case DUSK_TYPE_REAL: return bind_is_moment(from) || from == DUSK_TYPE_BOOLEAN ? 0 : QUERY_TO_REAL;
    case DUSK_TYPE_TEXT: return QUERY_TO_TEXT;
    case DUSK_TYPE_BOOLEAN: return from == DUSK_TYPE_INTEGER || from == DUSK_TYPE_TEXT ? QUERY_TO_BOOLEAN : 0;
    case DUSK_TYPE_DATE: return from == DUSK_TYPE_TEXT || from == DUSK_TYPE_TIMESTAMP ? QUERY_TO_DATE : 0;
    default: return from == DUSK_TYPE_TEXT || from == DUSK_TYPE_DATE ? QUERY_TO_TIMESTAMP : 0;
    }
}

query_expression *bind_cast(binder *b, const bind_scope *scope, const json_t *body)
{
    const json_t *type = json_object_get(body, "typeName");
    int position = query_place(type);
    if (!query_only(&b->in, body, "arg typeName location", "a cast") ||
        !query_only(&b->in, type, "names typemod location", "a type"))
        return NULL;
    dusk_type to = named_type(type);
    if (!to)
        return query_refuse(&b->in, position,
                            "the types are integer, real, text, boolean, date and timestamp",
                            "this type is not supported");
    query_expression *e = bind_expression(b, scope, json_object_get(body, "arg"));
    if (!e || e->type == to) return e;
    if (e->kind == QUERY_CONSTANT && e->value.null) return bind_make_null(b, to, e->position);
    if (e->kind == QUERY_CONSTANT && e->type == DUSK_TYPE_TEXT && bind_is_moment(to))
        return make_moment(b, e, to);
    query_function function = cast_to(e->type, to);
    if (!function)
        return query_refuse(&b->in, position, "cast to text first, or compare instead", "a %s is no %s",
                            bind_type_name(e->type), bind_type_name(to));
    return bind_make_1(b, function, to, e);
}

query_expression *bind_as(binder *b, query_expression *e, dusk_type type)
{
    if (!e || e->type == type) return e;
    if (e->kind == QUERY_CONSTANT && e->value.null) return bind_make_null(b, type, e->position);
    if (e->type == DUSK_TYPE_INTEGER && type == DUSK_TYPE_REAL) {
        if (e->kind != QUERY_CONSTANT) return bind_make_1(b, QUERY_TO_REAL, type, e);
        query_expression *real = make_constant(b, type, e->position);
        if (real) real->value.real = (double)e->value.integer;
        return real;
    }
    if (e->kind == QUERY_CONSTANT && e->type == DUSK_TYPE_TEXT && bind_is_moment(type))
        return make_moment(b, e, type);
    if (e->type == DUSK_TYPE_DATE && type == DUSK_TYPE_TIMESTAMP)
        return bind_make_1(b, QUERY_TO_TIMESTAMP, type, e);
    return query_refuse(&b->in, e->position, "convert one of them with CAST",
                        "a %s stands where a %s is needed", bind_type_name(e->type), bind_type_name(type));
}

/* Which of two types both can be; 0: none. */
static dusk_type common(const query_expression *e, dusk_type type)
{
    if (e->type == type || (e->kind == QUERY_CONSTANT && e->value.null)) return type;
    if (bind_is_number(e->type) && bind_is_number(type)) return DUSK_TYPE_REAL;
    if (bind_is_moment(e->type) && bind_is_moment(type)) return DUSK_TYPE_TIMESTAMP;
    if (e->kind == QUERY_CONSTANT && e->type == DUSK_TYPE_TEXT && bind_is_moment(type)) return type;
    return 0;
}

static bool is_null(const query_expression *e) { return e->kind == QUERY_CONSTANT && e->value.null; }
static bool is_text_constant(const query_expression *e)
{
    return e->kind == QUERY_CONSTANT && e->type == DUSK_TYPE_TEXT;
}

bool bind_unify(binder *b, query_expression **e, size_t n, const char *what, int position)
{
    dusk_type type = 0, next;
    for (size_t i = 0; i < n; i++)
        if (!e[i]) return false;
    for (int constants = 0; constants < 2; constants++) /* text constants follow what is not one */
        for (size_t i = 0; i < n; i++) {
            if (is_null(e[i]) || is_text_constant(e[i]) != (constants == 1)) continue;
            next = type == 0 ? e[i]->type : common(e[i], type);
            if (!next) {
                query_refuse(&b->in, e[i]->position >= 0 ? e[i]->position : position,
                             "convert one of them with CAST", "%s has a %s and a %s", what,
                             bind_type_name(type), bind_type_name(e[i]->type));
                return false;
            }
            type = next;
        }
    if (type == 0) type = DUSK_TYPE_TEXT;
    for (size_t i = 0; i < n; i++)
        if (!(e[i] = bind_as(b, e[i], type))) return false;
    return true;
}
