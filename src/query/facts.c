/* SPDX-License-Identifier: Apache-2.0 */
/* What is known about the values of an expression from declarations and the query's own text: bounds by
 * interval arithmetic with outward rounding, whether it can be NULL, and the values it can have.
 * Values are clamped to these bounds later, and groups are those of the domain whatever the rows hold:
 * a fact that rows do not obey costs accuracy, not privacy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/mutant.h"
#include "base/text.h"
#include "numeric/rounding.h"
#include "query/bind.h"
#include "table/calendar.h"

static query_facts unknown(bool nullable)
{
    return (query_facts){ .lower = NAN, .upper = NAN, .nullable = nullable };
}

static bool bounded(const query_facts *f) { return isfinite(f->lower) && isfinite(f->upper); }
static bool is_null(const query_expression *e) { return e->kind == QUERY_CONSTANT && e->value.null; }

/* Infinite bounds say nothing. */
static void settle(query_facts *f)
{
    if (!isfinite(f->lower)) f->lower = NAN;
    if (!isfinite(f->upper)) f->upper = NAN;
}

/* A constant as a number; of dates and timestamps the day since 1970, for facts alone. */
static double number_of(const query_expression *e)
{
    table_time time;
    if (bind_is_number(e->type)) return e->value.real;
    if (!bind_is_moment(e->type) || !table_read_time(&time, e->value.text, e->value.length)) return NAN;
    return (double)table_days(&time);
}

/* --- domains ------------------------------------------------------------------------------ */

static const char *const booleans[] = { "false", "true" };

static bool one_value(binder *b, query_facts *f, const query_expression *e)
{
    char number[40];
    dusk_text text;
    const char **domain = query_take(&b->in, 1, sizeof *domain);
    if (!domain) return false;
    dusk_text_init(&text, number, sizeof number);
    switch (e->type) {
    case DUSK_TYPE_BOOLEAN: domain[0] = booleans[e->value.integer != 0]; break;
    case DUSK_TYPE_INTEGER:
        dusk_text_add(&text, "%lld", (long long)e->value.integer);
        domain[0] = query_keep(&b->in, number, text.length);
        break;
    case DUSK_TYPE_REAL:
        dusk_text_number(&text, e->value.real + 0.0); /* -0.0 and 0.0 are one key */
        domain[0] = query_keep(&b->in, number, text.length);
        break;
    default: domain[0] = e->value.text; break;
    }
    f->domain = domain;
    f->values = 1;
    return domain[0] != NULL;
}

static bool holds(const char *const *domain, size_t n, const char *value)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(domain[i], value) == 0) return true;
    return false;
}

/* The values of both; unknown when one is, or when there are too many. */
static bool join_domains(binder *b, query_facts *f, const query_facts *g)
{
    if (!f->domain || !g->domain || f->values + g->values > QUERY_DOMAIN_MAX) {
        f->domain = NULL;
        f->values = 0;
        return true;
    }
    const char **all = query_take(&b->in, f->values + g->values, sizeof *all);
    if (!all) return false;
    size_t n = f->values;
    memcpy(all, f->domain, n * sizeof *all);
    for (size_t i = 0; i < g->values; i++)
        if (!holds(f->domain, f->values, g->domain[i])) all[n++] = g->domain[i];
    f->domain = all;
    f->values = n;
    return true;
}

bool bind_domain(binder *b, query_facts *f, dusk_type type)
{
    if (f->domain) return true;
    if (type == DUSK_TYPE_BOOLEAN) {
        f->domain = booleans;
        f->values = 2;
        return true;
    }
    if (type != DUSK_TYPE_INTEGER || !bounded(f) || fabs(f->lower) > 1e15 || fabs(f->upper) > 1e15)
        return true;
    double first = ceil(f->lower), last = floor(f->upper);
    if (!(last >= first) || last - first >= QUERY_DOMAIN_MAX) return true;
    size_t n = (size_t)(last - first) + 1;
    const char **all = query_take(&b->in, n, sizeof *all);
    for (size_t i = 0; all && i < n; i++) {
        char number[32];
        int length = dusk_format(number, sizeof number, "%.0f", first + (double)i + 0.0);
        if (!(all[i] = query_keep(&b->in, number, (size_t)length))) return false;
    }
    f->domain = all;
    f->values = n;
    return all != NULL;
}

/* --- arithmetic ---------------------------------------------------------------------------- */

static void widen(query_facts *f, double low, double high)
{
    if (isnan(f->lower) || low < f->lower) f->lower = low;
    if (isnan(f->upper) || high > f->upper) f->upper = high;
}

static query_facts product(const query_facts *x, const query_facts *y)
{
    query_facts f = unknown(x->nullable || y->nullable);
    if (!bounded(x) || !bounded(y)) {
        if (x->lower >= 0 && y->lower >= 0) f.lower = 0;
        return f;
    }
    const double a[2] = { x->lower, x->upper }, c[2] = { y->lower, y->upper };
    for (int i = 0; i < 2; i++)
        for (int j = DUSK_MUTATE(PRODUCT_FORGETS_SIGNS, 0, i);
             j < DUSK_MUTATE(PRODUCT_FORGETS_SIGNS, 2, i + 1); j++)
            widen(&f, dusk_mul_down(a[i], c[j]), dusk_mul_up(a[i], c[j]));
    return f;
}

static bool has_zero(const query_facts *y) { return !bounded(y) || (y->lower <= 0 && y->upper >= 0); }

static query_facts quotient(const query_facts *x, const query_facts *y)
{
    query_facts f = unknown(x->nullable || y->nullable || has_zero(y));
    if (!bounded(x) || has_zero(y)) return f;
    const double a[2] = { x->lower, x->upper }, c[2] = { y->lower, y->upper };
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) widen(&f, dusk_div_down(a[i], c[j]), dusk_div_up(a[i], c[j]));
    return f;
}

static query_facts remainder_of(const query_facts *x, const query_facts *y)
{
    query_facts f = unknown(x->nullable || y->nullable || has_zero(y));
    if (!bounded(y)) return f;
    double most = fmax(fabs(y->lower), fabs(y->upper));
    f.upper = most;
    f.lower = x->lower >= 0 ? 0 : -most;
    return f;
}

static query_facts sum(const query_facts *x, const query_facts *y, bool minus)
{
    query_facts f = unknown(x->nullable || y->nullable);
    f.lower = minus ? dusk_sub_down(x->lower, y->upper) : dusk_add_down(x->lower, y->lower);
    f.upper = minus ? dusk_sub_up(x->upper, y->lower) : dusk_add_up(x->upper, y->upper);
    return f;
}

static query_facts absolute(const query_facts *x)
{
    query_facts f = unknown(x->nullable);
    f.lower = x->lower > 0 ? x->lower : x->upper < 0 ? -x->upper : 0;
    if (bounded(x)) f.upper = fmax(fabs(x->lower), fabs(x->upper));
    return f;
}

static query_facts rounded(const query_facts *x, const query_expression *e)
{
    query_facts f = unknown(x->nullable);
    if (e->arguments == 1) {
        f.lower = round(x->lower);
        f.upper = round(x->upper);
    } else { /* at most one step of the last digit further */
        double step = pow(10, -(double)e->argument[1]->value.integer) * (1 + 1e-9);
        f.lower = dusk_sub_down(x->lower, step);
        f.upper = dusk_add_up(x->upper, step);
    }
    return f;
}

static query_facts root(const query_facts *x)
{
    query_facts f = unknown(x->nullable || !(x->lower >= 0));
    f.lower = x->lower > 0 ? dusk_sqrt_down(x->lower) : 0;
    if (x->upper >= 0) f.upper = dusk_sqrt_up(x->upper);
    return f;
}

/* LEAST and GREATEST skip NULL: only an argument that is never NULL bounds from its side. */
static query_facts extreme(const query_facts *x, size_t n, bool least)
{
    query_facts f = unknown(true);
    bool low_known = true, high_known = true;
    double low = least ? INFINITY : -INFINITY, high = low;
    for (size_t i = 0; i < n; i++) {
        double l = least ? x[i].lower : -x[i].upper, h = least ? x[i].upper : -x[i].lower;
        f.nullable = f.nullable && x[i].nullable;
        low_known = low_known && !isnan(l);
        high_known = high_known && !isnan(h);
        if (i == 0) low = l, high = h;
        if (l < low) low = l;
        if (h > high) high = h;
    }
    if (!low_known) low = NAN;
    if (!high_known) high = NAN;
    for (size_t i = 0; i < n; i++) {
        double h = least ? x[i].upper : -x[i].lower;
        if (!x[i].nullable && !isnan(h) && !(h >= high)) high = h;
    }
    f.lower = least ? low : -high;
    f.upper = least ? high : -low;
    return f;
}

bool bind_either(binder *b, query_facts *f, const query_facts *x)
{
    f->nullable = f->nullable || x->nullable;
    f->lower = isnan(f->lower) || isnan(x->lower) ? NAN : fmin(f->lower, x->lower);
    f->upper = isnan(f->upper) || isnan(x->upper) ? NAN : fmax(f->upper, x->upper);
    return join_domains(b, f, x);
}

/* One of several, as CASE and COALESCE choose; constants NULL add NULL alone. */
static bool either(binder *b, query_facts *f, bool *first, const query_facts *x, const query_expression *e)
{
    if (is_null(e)) {
        f->nullable = true;
        return true;
    }
    if (*first) {
        bool nullable = f->nullable || x->nullable;
        *first = false;
        *f = *x;
        f->nullable = nullable;
        return true;
    }
    return bind_either(b, f, x);
}

static bool chosen(binder *b, query_facts *f, const query_facts *x, const query_expression *e)
{
    bool first = true, coalesce = e->function == QUERY_COALESCE;
    *f = unknown(false);
    for (size_t i = coalesce ? 0 : 1; i < e->arguments; i += coalesce || i + 2 >= e->arguments ? 1 : 2) {
        if (!either(b, f, &first, &x[i], e->argument[i])) return false;
        if (coalesce && !x[i].nullable) {
            f->nullable = false;
            return true;
        }
    }
    if (first) f->nullable = true;
    return true;
}

static query_facts extracted(const query_expression *e, const query_facts *x)
{
    static const struct {
        const char *unit;
        int low, high;
    } units[] = { { "quarter", 1, 4 }, { "month", 1, 12 },  { "week", 1, 53 },   { "day", 1, 31 },
                  { "hour", 0, 23 },   { "minute", 0, 59 }, { "second", 0, 59 }, { "dow", 0, 6 } };
    query_facts f = unknown(x[1].nullable);
    table_time first, last;
    if (strcmp(e->argument[0]->value.text, "year") == 0 && bounded(&x[1]) &&
        table_from_days(&first, (int64_t)x[1].lower) && table_from_days(&last, (int64_t)x[1].upper)) {
        f.lower = first.year;
        f.upper = last.year;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(e->argument[0]->value.text, units[i].unit) == 0) {
            f.lower = units[i].low;
            f.upper = units[i].high;
        }
    return f;
}

static query_facts to_integer(const query_facts *x, dusk_type from)
{
    query_facts f = unknown(true);
    if (from == DUSK_TYPE_BOOLEAN) {
        f.lower = 0;
        f.upper = 1;
        f.nullable = x->nullable;
    } else if (from != DUSK_TYPE_TEXT) {
        f.lower = round(x->lower);
        f.upper = round(x->upper);
        f.nullable = x->nullable || !bounded(x);
    }
    return f;
}

/* --- all of them ----------------------------------------------------------------------------- */

static bool any_nullable(const query_facts *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i].nullable) return true;
    return false;
}

static bool facts_of_call(binder *b, query_facts *f, const query_expression *e, const query_facts *x)
{
    *f = unknown(true);
    switch (e->function) {
    case QUERY_ADD: *f = sum(&x[0], &x[1], false); break;
    case QUERY_SUBTRACT: *f = sum(&x[0], &x[1], true); break;
    case QUERY_MULTIPLY: *f = product(&x[0], &x[1]); break;
    case QUERY_DIVIDE: *f = quotient(&x[0], &x[1]); break;
    case QUERY_MODULO: *f = remainder_of(&x[0], &x[1]); break;
    case QUERY_NEGATE:
        *f = (query_facts){ .lower = -x->upper, .upper = -x->lower, .nullable = x->nullable };
        break;
    case QUERY_ABS: *f = absolute(x); break;
    case QUERY_SIGN: *f = (query_facts){ .lower = -1, .upper = 1, .nullable = x->nullable }; break;
    case QUERY_ROUND: *f = rounded(x, e); break;
    case QUERY_FLOOR:
        *f = (query_facts){ .lower = floor(x->lower), .upper = floor(x->upper), .nullable = x->nullable };
        break;
    case QUERY_CEIL:
        *f = (query_facts){ .lower = ceil(x->lower), .upper = ceil(x->upper), .nullable = x->nullable };
        break;
    case QUERY_SQRT: *f = root(x); break;
    case QUERY_LEAST: *f = extreme(x, e->arguments, true); break;
    case QUERY_GREATEST: *f = extreme(x, e->arguments, false); break;
    case QUERY_IS_NULL: f->nullable = false; break;
    case QUERY_CASE:
    case QUERY_COALESCE: return chosen(b, f, x, e);
    case QUERY_NULLIF:
        *f = x[0];
        f->nullable = true;
        break;
    case QUERY_LENGTH: *f = (query_facts){ .lower = 0, .upper = NAN, .nullable = x->nullable }; break;
    case QUERY_EXTRACT: *f = extracted(e, x); break;
    case QUERY_TO_REAL:
        if (e->argument[0]->type == DUSK_TYPE_INTEGER)
            *f = (query_facts){ .lower = x->lower, .upper = x->upper, .nullable = x->nullable };
        break;
    case QUERY_TO_INTEGER: *f = to_integer(x, e->argument[0]->type); break;
    case QUERY_LOWER:
    case QUERY_UPPER:
    case QUERY_TRIM:
    case QUERY_CONCAT:
    case QUERY_SUBSTRING:
    case QUERY_DATE_TRUNC:
    case QUERY_EQUAL:
    case QUERY_UNEQUAL:
    case QUERY_LESS:
    case QUERY_LESS_EQUAL:
    case QUERY_GREATER:
    case QUERY_GREATER_EQUAL:
    case QUERY_IN:
    case QUERY_LIKE:
    case QUERY_AND:
    case QUERY_OR:
    case QUERY_NOT: f->nullable = any_nullable(x, e->arguments); break;
    default: break; /* a logarithm, a power, a cast of text: NULL where there is no value */
    }
    settle(f);
    /* Sums and products that are not bounded may be beyond doubles, and then NULL. */
    if (bind_is_number(e->type) && e->function <= QUERY_MULTIPLY && !bounded(f)) f->nullable = true;
    return true;
}

bool bind_facts(binder *b, query_facts *out, const query_expression *e, const query_column *column,
                size_t columns)
{
    if (e->kind == QUERY_COLUMN) {
        *out = e->index < columns ? column[e->index].facts : unknown(true);
        return true;
    }
    if (e->kind == QUERY_CONSTANT) {
        *out = unknown(e->value.null);
        if (e->value.null) return true;
        out->lower = out->upper = number_of(e);
        return one_value(b, out, e);
    }
    query_facts *x = query_take(&b->in, e->arguments, sizeof *x);
    if (!x) return false;
    for (size_t i = 0; i < e->arguments; i++)
        if (!bind_facts(b, &x[i], e->argument[i], column, columns)) return false;
    return facts_of_call(b, out, e, x);
}

/* --- what a condition adds --------------------------------------------------------------------- */

/* The column of `column op constant`, seen from the column's side; NULL: it is not of that form. */
static const query_expression *sides(const query_expression *e, const query_expression **constant,
                                     query_function *function)
{
    if (e->kind != QUERY_CALL || e->arguments < 2 || e->function < QUERY_EQUAL || e->function > QUERY_IN)
        return NULL;
    const query_expression *x = e->argument[0], *y = e->argument[1];
    *function = e->function;
    if (x->kind == QUERY_CONSTANT && e->function != QUERY_IN) {
        const query_expression *t = x;
        x = y, y = t;
        if (e->function == QUERY_LESS) *function = QUERY_GREATER;
        if (e->function == QUERY_LESS_EQUAL) *function = QUERY_GREATER_EQUAL;
        if (e->function == QUERY_GREATER) *function = QUERY_LESS;
        if (e->function == QUERY_GREATER_EQUAL) *function = QUERY_LESS_EQUAL;
    }
    if (x->kind == QUERY_CALL && x->function == QUERY_TO_REAL) x = x->argument[0];
    *constant = y;
    return x->kind == QUERY_COLUMN && y->kind == QUERY_CONSTANT && !y->value.null ? x : NULL;
}

/* Whole numbers and days above c are above c + 1 or equal to it. */
static double strict(query_function function, dusk_type type, double c)
{
    if ((type != DUSK_TYPE_INTEGER && type != DUSK_TYPE_DATE) || !(fabs(c) < 1e15)) return c;
    if (function == QUERY_GREATER || function == QUERY_GREATER_EQUAL)
        return function == QUERY_GREATER ? floor(c) + 1 : ceil(c);
    if (function == QUERY_LESS || function == QUERY_LESS_EQUAL)
        return function == QUERY_LESS ? ceil(c) - 1 : floor(c);
    return c;
}

static void narrow_bounds(query_facts *f, query_function function, double c)
{
    double low =
        function == QUERY_GREATER || function == QUERY_GREATER_EQUAL || function == QUERY_EQUAL ? c : NAN;
    double high = function == QUERY_LESS || function == QUERY_LESS_EQUAL || function == QUERY_EQUAL ? c : NAN;
    if (!isnan(f->lower) && !(low > f->lower)) low = f->lower;
    if (!isnan(f->upper) && !(high < f->upper)) high = f->upper;
    if (low > high) return; /* nothing is left of the declared bounds: they stay */
    f->lower = low;
    f->upper = high;
}

/* x = 'a', x IN ('a', 'b'): the domain is what both know. Numbers are left to their bounds. */
static bool narrow_domain(binder *b, query_facts *f, const query_expression *e, dusk_type type)
{
    if (type == DUSK_TYPE_REAL || (type == DUSK_TYPE_INTEGER && e->argument[1]->type != type)) return true;
    size_t first = e->argument[0]->kind == QUERY_CONSTANT ? 0 : 1;
    size_t n = e->function == QUERY_IN ? e->arguments - 1 : 1, kept = 0;
    const char **domain = query_take(&b->in, n, sizeof *domain);
    for (size_t i = 0; domain && i < n; i++) {
        query_facts one;
        if (!one_value(b, &one, e->argument[first + i])) return false;
        if (holds(domain, kept, one.domain[0]) || (f->domain && !holds(f->domain, f->values, one.domain[0])))
            continue;
        domain[kept++] = one.domain[0];
    }
    if (!domain) return false;
    if (kept == 0) return true;
    f->domain = domain;
    f->values = kept;
    return true;
}

static bool narrow_one(binder *b, query_column *column, size_t columns, const query_expression *e)
{
    const query_expression *constant, *x = sides(e, &constant, &(query_function){ 0 });
    query_function function = e->kind == QUERY_CALL ? e->function : 0;
    if (function == QUERY_NOT && e->argument[0]->kind == QUERY_CALL &&
        e->argument[0]->function == QUERY_IS_NULL) {
        const query_expression *of = e->argument[0]->argument[0];
        if (of->kind == QUERY_COLUMN && of->index < columns) column[of->index].facts.nullable = false;
        return true;
    }
    if (function >= QUERY_EQUAL && function <= QUERY_LIKE) /* a comparison with NULL is not true */
        for (size_t i = 0; i < e->arguments; i++) {
            const query_expression *of = e->argument[i];
            if (of->kind == QUERY_CALL && of->function == QUERY_TO_REAL) of = of->argument[0];
            if (of->kind == QUERY_COLUMN && of->index < columns) column[of->index].facts.nullable = false;
        }
    if (!x || x->index >= columns) return true;
    (void)sides(e, &constant, &function);
    query_facts *f = &column[x->index].facts;
    if ((bind_is_number(x->type) || bind_is_moment(x->type)) && function != QUERY_IN &&
        function != QUERY_UNEQUAL)
        narrow_bounds(f, function, strict(function, x->type, number_of(constant)));
    if (function == QUERY_EQUAL || function == QUERY_IN) return narrow_domain(b, f, e, x->type);
    return true;
}

bool bind_narrow(binder *b, query_column *column, size_t columns, const query_expression *condition)
{
    for (size_t i = 0; i < bind_conjuncts(condition); i++)
        if (!narrow_one(b, column, columns, bind_conjunct((query_expression *)(uintptr_t)condition, i)))
            return false;
    return true;
}
