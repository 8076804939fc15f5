/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_REFERENCE_H
#define TESTS_QUERY_REFERENCE_H

/* What expressions mean, in plain C: the reference for the SQL that is made of them. Numbers are evaluated as
 * doubles; a whole number that results from arithmetic is only cut to 64 bits where it is used as one. */

#include <math.h>

#include "query/plan.h"
#include "support.h"
#include "table/calendar.h"
#include "table/value.h"

typedef struct ref_value {
    bool null;
    int64_t integer;
    double real;
    char text[400];
} ref_value;

typedef struct ref {
    const ref_value *row; /* of the columns */
    bool extreme;         /* a number beyond 1e100, or below 1e-100 and not 0, went into arithmetic */
} ref;

static inline ref_value reference(ref *r, const query_expression *e);

static inline bool ref_is_number(const query_expression *e)
{
    return e->kind == QUERY_CALL && e->function <= QUERY_POWER && e->function != QUERY_MODULO;
}
static inline bool ref_is_choice(const query_expression *e)
{
    return e->kind == QUERY_CALL &&
           (e->function == QUERY_CASE || e->function == QUERY_COALESCE || e->function == QUERY_NULLIF ||
            e->function == QUERY_LEAST || e->function == QUERY_GREATEST);
}

static inline double ref_number(ref *r, const query_expression *e);

/* NaN is NULL. */
static inline double ref_operand(ref *r, const query_expression *e)
{
    double x = ref_number(r, e);
    if (x != 0 && !isnan(x) && (fabs(x) >= 1e100 || fabs(x) < 1e-100)) r->extreme = true;
    return x;
}

static inline double ref_round(double x, int64_t digits)
{
    double factor = pow(10, (double)(digits < 0 ? -digits : digits));
    if (digits < 0) return round(x / factor) * factor;
    return fabs(x) >= 0x1p52 / factor ? x : round(x * factor) / factor;
}

static inline double ref_arithmetic(ref *r, const query_expression *e)
{
    double a = ref_operand(r, e->argument[0]);
    double b = e->arguments > 1 && e->function != QUERY_ROUND ? ref_operand(r, e->argument[1]) : 0, x = NAN;
    if (isnan(a) || isnan(b)) return NAN;
    switch (e->function) {
    case QUERY_ADD: x = a + b; break;
    case QUERY_SUBTRACT: x = a - b; break;
    case QUERY_MULTIPLY: x = a * b; break;
    case QUERY_DIVIDE: x = b == 0 ? NAN : a / b; break;
    case QUERY_NEGATE: x = -a; break;
    case QUERY_ABS: x = fabs(a); break;
    case QUERY_SIGN: x = (a > 0) - (a < 0); break;
    case QUERY_ROUND: x = ref_round(a, e->arguments > 1 ? e->argument[1]->value.integer : 0); break;
    case QUERY_FLOOR: x = floor(a); break;
    case QUERY_CEIL: x = ceil(a); break;
    case QUERY_SQRT: x = a < 0 ? NAN : sqrt(a); break;
    case QUERY_LN: x = a <= 0 ? NAN : log(a); break;
    case QUERY_EXP: x = exp(a); break;
    default: x = pow(a, b);
    }
    if (x != 0 && (fabs(x) >= 1e299 || fabs(x) < 1e-299)) r->extreme = true;
    return isfinite(x) ? x : NAN;
}

static inline double ref_number(ref *r, const query_expression *e)
{
    if (e->kind == QUERY_CALL && e->function == QUERY_TO_REAL && e->argument[0]->type <= DUSK_TYPE_REAL)
        return ref_number(r, e->argument[0]);
    if (ref_is_choice(e)) {
        double best = NAN;
        if (e->function == QUERY_CASE) {
            for (size_t i = 0; i + 1 < e->arguments; i += 2) {
                ref_value c = reference(r, e->argument[i]);
                if (!c.null && c.integer) return ref_number(r, e->argument[i + 1]);
            }
            return e->arguments % 2 ? ref_number(r, e->argument[e->arguments - 1]) : NAN;
        }
        if (e->function == QUERY_NULLIF) {
            double a = ref_number(r, e->argument[0]);
            return a == ref_number(r, e->argument[1]) ? NAN : a;
        }
        for (size_t i = 0; i < e->arguments; i++) {
            double x = ref_number(r, e->argument[i]);
            if (isnan(x)) continue;
            if (isnan(best) || (e->function == QUERY_LEAST && x < best) ||
                (e->function == QUERY_GREATEST && x > best))
                best = x;
        }
        return best;
    }
    if (ref_is_number(e)) return ref_arithmetic(r, e);
    ref_value v = reference(r, e);
    return v.null ? NAN : e->type == DUSK_TYPE_INTEGER ? (double)v.integer : v.real;
}

static inline ref_value ref_null(void) { return (ref_value){ .null = true }; }
static inline ref_value ref_text(const char *text)
{
    ref_value v = { 0 };
    snprintf(v.text, sizeof v.text, "%s", text);
    return v;
}
static inline ref_value ref_truth(int x) { return x < 0 ? ref_null() : (ref_value){ .integer = x }; }
static inline ref_value ref_whole(int64_t x) { return (ref_value){ .integer = x }; }

static inline int ref_compare(dusk_type type, const ref_value *a, const ref_value *b)
{
    if (type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_BOOLEAN)
        return (a->integer > b->integer) - (a->integer < b->integer);
    if (type == DUSK_TYPE_REAL) return (a->real > b->real) - (a->real < b->real);
    int c = strcmp(a->text, b->text);
    return (c > 0) - (c < 0);
}

static inline ref_value ref_comparison(ref *r, const query_expression *e)
{
    ref_value a = reference(r, e->argument[0]), b = reference(r, e->argument[1]);
    if (a.null || b.null) return ref_null();
    int c = ref_compare(e->argument[0]->type, &a, &b);
    switch (e->function) {
    case QUERY_EQUAL: return ref_truth(c == 0);
    case QUERY_UNEQUAL: return ref_truth(c != 0);
    case QUERY_LESS: return ref_truth(c < 0);
    case QUERY_LESS_EQUAL: return ref_truth(c <= 0);
    case QUERY_GREATER: return ref_truth(c > 0);
    default: return ref_truth(c >= 0);
    }
}

/* And, or, in: three values. */
static inline ref_value ref_logic(ref *r, const query_expression *e)
{
    bool unknown = false, stop = e->function != QUERY_AND;
    ref_value x = e->function == QUERY_IN ? reference(r, e->argument[0]) : ref_null();
    if (e->function == QUERY_IN && x.null) return ref_null();
    for (size_t i = e->function == QUERY_IN; i < e->arguments; i++) {
        ref_value v = reference(r, e->argument[i]);
        if (v.null)
            unknown = true;
        else if (e->function == QUERY_IN ? ref_compare(e->argument[0]->type, &x, &v) == 0
                                         : (v.integer != 0) == stop)
            return ref_truth(stop);
    }
    return unknown ? ref_null() : ref_truth(!stop);
}

static inline size_t ref_step(const char *s) /* bytes of a character */
{
    size_t n = 1;
    while (((unsigned char)s[n] & 0xc0) == 0x80) n++;
    return n;
}

static inline bool ref_like(const char *s, const char *p)
{
    if (!*p) return !*s;
    if (*p == '%') return ref_like(s, p + 1) || (*s && ref_like(s + ref_step(s), p));
    if (!*s) return false;
    if (*p == '_') return ref_like(s + ref_step(s), p + 1);
    if (*p == '\\' && p[1]) p++;
    return *s == *p && ref_like(s + 1, p + 1);
}

static inline ref_value ref_words(ref *r, const query_expression *e)
{
    ref_value a = reference(r, e->argument[0]), out = { 0 };
    size_t n = 0;
    if (a.null) return a;
    switch (e->function) {
    case QUERY_LIKE: return ref_truth(ref_like(a.text, e->argument[1]->value.text));
    case QUERY_LOWER:
    case QUERY_UPPER:
        for (char *s = a.text; *s; s++)
            if (e->function == QUERY_LOWER ? *s >= 'A' && *s <= 'Z' : *s >= 'a' && *s <= 'z') *s ^= 0x20;
        return a;
    case QUERY_LENGTH:
        for (const char *s = a.text; *s; s += ref_step(s)) n++;
        return ref_whole((int64_t)n);
    case QUERY_TRIM: {
        const char *from = a.text + strspn(a.text, " ");
        size_t length = strlen(from);
        while (length && from[length - 1] == ' ') length--;
        snprintf(out.text, sizeof out.text, "%.*s", (int)length, from);
        return out;
    }
    case QUERY_SUBSTRING: {
        const char *from = a.text, *to;
        for (int64_t i = 1; i < e->argument[1]->value.integer && *from; i++) from += ref_step(from);
        to = from;
        for (int64_t i = 0; i < e->argument[2]->value.integer && *to; i++) to += ref_step(to);
        snprintf(out.text, sizeof out.text, "%.*s", (int)(to - from), from);
        return out;
    }
    default: /* CONCAT */
        for (size_t i = 1; i < e->arguments; i++) {
            ref_value b = reference(r, e->argument[i]);
            if (b.null) return b;
            size_t length = strlen(a.text);
            snprintf(a.text + length, sizeof a.text - length, "%.150s", b.text);
        }
        return a;
    }
}

/* --- times --- */

static inline ref_value ref_moment(dusk_type type, const table_time *t)
{
    ref_value v = { 0 };
    if (type == DUSK_TYPE_DATE)
        table_write_date(v.text, t);
    else
        table_write_timestamp(v.text, t);
    return v;
}

static inline ref_value ref_part(const char *unit, const table_time *t)
{
    int64_t days = table_days(t), dow = ((days + 4) % 7 + 7) % 7;
    if (strcmp(unit, "year") == 0) return ref_whole(t->year);
    if (strcmp(unit, "quarter") == 0) return ref_whole((t->month + 2) / 3);
    if (strcmp(unit, "month") == 0) return ref_whole(t->month);
    if (strcmp(unit, "day") == 0) return ref_whole(t->day);
    if (strcmp(unit, "hour") == 0) return ref_whole(t->hour);
    if (strcmp(unit, "minute") == 0) return ref_whole(t->minute);
    if (strcmp(unit, "second") == 0) return ref_whole(t->second);
    if (strcmp(unit, "dow") == 0) return ref_whole(dow);
    /* ISO: the week of a day is that of its Thursday; counted by walking from the year's first day. */
    int64_t thursday = days - (dow + 6) % 7 + 3;
    table_time of = { 0 };
    assert_true(table_from_days(&of, thursday));
    return ref_whole((thursday - table_days(&(table_time){ .year = of.year, .month = 1, .day = 1 })) / 7 + 1);
}

static inline bool ref_truncate(const char *unit, table_time *t)
{
    int64_t days = table_days(t);
    if (strcmp(unit, "second") == 0) return true;
    t->second = 0;
    if (strcmp(unit, "minute") == 0) return true;
    t->minute = 0;
    if (strcmp(unit, "hour") == 0) return true;
    t->hour = 0;
    if (strcmp(unit, "day") == 0) return true;
    if (strcmp(unit, "week") == 0) return table_from_days(t, days - ((days + 3) % 7 + 7) % 7);
    t->day = 1;
    if (strcmp(unit, "month") == 0) return true;
    t->month = strcmp(unit, "quarter") == 0 ? (t->month - 1) / 3 * 3 + 1 : 1;
    return true;
}

static inline bool ref_shift(table_time *t, int64_t months, int64_t days)
{
    if (llabs(months) > 200000 || llabs(days) > 5000000) return false;
    int64_t month = 12 * (int64_t)t->year + t->month - 1 + months;
    if (month < 12 || month >= 120000) return false;
    t->year = (int)(month / 12);
    t->month = (int)(month % 12) + 1;
    int longest = table_days_in_month(t->year, t->month);
    if (t->day > longest) t->day = longest;
    table_time moved = { 0 };
    if (!table_from_days(&moved, table_days(t) + days)) return false;
    t->year = moved.year, t->month = moved.month, t->day = moved.day;
    return true;
}

static inline ref_value ref_time(ref *r, const query_expression *e)
{
    bool by_unit = e->function == QUERY_EXTRACT || e->function == QUERY_DATE_TRUNC;
    const query_expression *x = e->argument[by_unit];
    const char *unit = by_unit ? e->argument[0]->value.text : "";
    ref_value a = reference(r, x);
    table_time t, other;
    if (a.null) return a;
    assert_true(table_read_time(&t, a.text, strlen(a.text)));
    if (e->function == QUERY_EXTRACT) return ref_part(unit, &t);
    if (e->function == QUERY_DATE_TRUNC) return ref_truncate(unit, &t) ? ref_moment(x->type, &t) : ref_null();
    if (e->function == QUERY_DATE_ADD)
        return ref_shift(&t, e->argument[1]->value.integer, e->argument[2]->value.integer)
                   ? ref_moment(x->type, &t)
                   : ref_null();
    ref_value b = reference(r, e->argument[1]);
    if (b.null) return b;
    assert_true(table_read_time(&other, b.text, strlen(b.text)));
    return ref_whole(table_days(&t) - table_days(&other));
}

/* --- casts --- */

static inline ref_value ref_of_text(const char *text, dusk_type to)
{
    ref_value v = { 0 };
    table_time t;
    bool truth, fine = false;
    size_t length = strlen(text);
    switch (to) {
    case DUSK_TYPE_INTEGER: fine = table_read_integer(&v.integer, text, length); break;
    case DUSK_TYPE_REAL: fine = table_read_real(&v.real, text, length) && isfinite(v.real); break;
    case DUSK_TYPE_BOOLEAN:
        fine = table_read_boolean(&truth, text, length);
        v.integer = fine && truth;
        break;
    default:
        fine = table_read_time(&t, text, length);
        if (fine) v = ref_moment(to, &t);
    }
    v.null = !fine;
    return v;
}

static inline ref_value ref_cast(ref *r, const query_expression *e)
{
    const query_expression *x = e->argument[0];
    ref_value v = reference(r, x), out = { 0 };
    dusk_type from = x->type, to = e->type;
    if (v.null || from == to) return v;
    if (from == DUSK_TYPE_TEXT) return ref_of_text(v.text, to);
    if (to == DUSK_TYPE_BOOLEAN) return ref_truth(from == DUSK_TYPE_REAL ? v.real != 0 : v.integer != 0);
    if (to == DUSK_TYPE_REAL) return (ref_value){ .real = (double)v.integer };
    if (to == DUSK_TYPE_INTEGER && from == DUSK_TYPE_REAL) {
        out.null = !table_whole(&out.integer, v.real);
        return out;
    }
    if (to == DUSK_TYPE_INTEGER) return v;
    if (to == DUSK_TYPE_DATE || to == DUSK_TYPE_TIMESTAMP) return ref_of_text(v.text, to);
    if (from == DUSK_TYPE_INTEGER) snprintf(v.text, sizeof v.text, "%lld", (long long)v.integer);
    if (from == DUSK_TYPE_BOOLEAN) return ref_text(v.integer ? "true" : "false");
    return v;
}

static inline ref_value ref_choice(ref *r, const query_expression *e)
{
    ref_value best = ref_null();
    if (e->function == QUERY_CASE) {
        for (size_t i = 0; i + 1 < e->arguments; i += 2) {
            ref_value c = reference(r, e->argument[i]);
            if (!c.null && c.integer) return reference(r, e->argument[i + 1]);
        }
        return e->arguments % 2 ? reference(r, e->argument[e->arguments - 1]) : ref_null();
    }
    if (e->function == QUERY_NULLIF) {
        ref_value a = reference(r, e->argument[0]), b = reference(r, e->argument[1]);
        return !a.null && !b.null && ref_compare(e->type, &a, &b) == 0 ? ref_null() : a;
    }
    for (size_t i = 0; i < e->arguments; i++) {
        ref_value v = reference(r, e->argument[i]);
        if (v.null) continue;
        int c = best.null ? 0 : ref_compare(e->type, &v, &best);
        if (best.null || (e->function == QUERY_LEAST && c < 0) || (e->function == QUERY_GREATEST && c > 0))
            best = v;
    }
    return best;
}

static inline ref_value reference(ref *r, const query_expression *e)
{
    ref_value v = { 0 };
    if (e->kind == QUERY_COLUMN) return r->row[e->index];
    if (e->kind == QUERY_CONSTANT) {
        v = (ref_value){ .null = e->value.null, .integer = e->value.integer, .real = e->value.real };
        if (e->value.text) snprintf(v.text, sizeof v.text, "%s", e->value.text);
        return v;
    }
    if (ref_is_choice(e) && e->type != DUSK_TYPE_REAL) return ref_choice(r, e);
    bool widened = e->function == QUERY_TO_REAL && e->argument[0]->type <= DUSK_TYPE_REAL;
    if (ref_is_number(e) || ref_is_choice(e) || widened) {
        v.real = ref_number(r, e);
        v.null = isnan(v.real) || (e->type == DUSK_TYPE_INTEGER && !table_whole(&v.integer, v.real));
        return v;
    }
    if (e->function == QUERY_MODULO) {
        ref_value a = reference(r, e->argument[0]), b = reference(r, e->argument[1]);
        if (a.null || b.null || b.integer == 0) return ref_null();
        return ref_whole(b.integer == -1 ? 0 : a.integer % b.integer);
    }
    if (e->function <= QUERY_GREATER_EQUAL) return ref_comparison(r, e);
    if (e->function == QUERY_IN || e->function == QUERY_AND || e->function == QUERY_OR)
        return ref_logic(r, e);
    if (e->function == QUERY_IS_NULL) return ref_truth(reference(r, e->argument[0]).null);
    if (e->function == QUERY_NOT) {
        v = reference(r, e->argument[0]);
        return v.null ? v : ref_truth(!v.integer);
    }
    if (e->function == QUERY_LIKE || (e->function >= QUERY_LOWER && e->function <= QUERY_SUBSTRING))
        return ref_words(r, e);
    if (e->function >= QUERY_EXTRACT && e->function <= QUERY_DATE_DIFF) return ref_time(r, e);
    return ref_cast(r, e);
}

#endif
