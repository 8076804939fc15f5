/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on released numbers and on their intervals, the latter rounded outward. A function that does not
 * fall on its interval is taken at both ends; a product and a quotient at the four corners of the box. */
#include <math.h>

#include "base/mutant.h"
#include "numeric/rounding.h"
#include "query/evaluate.h"

typedef struct span {
    double low, high;
} span;

static const span unknown = { -INFINITY, INFINITY };

static span span_of(const dusk_cell *cell) { return (span){ cell->low, cell->high }; }

/* 0 times anything is 0, also where the interval has no end. */
static double times_down(double a, double b) { return a == 0 || b == 0 ? 0 : dusk_mul_down(a, b); }

static double times_up(double a, double b) { return a == 0 || b == 0 ? 0 : dusk_mul_up(a, b); }

static span multiply(span a, span b)
{
    return (span){ fmin(fmin(times_down(a.low, b.low), times_down(a.low, b.high)),
                        fmin(times_down(a.high, b.low), times_down(a.high, b.high))),
                   fmax(fmax(times_up(a.low, b.low), times_up(a.low, b.high)),
                        fmax(times_up(a.high, b.low), times_up(a.high, b.high))) };
}

/* The corners; an end that has none leaves it open. */
static span divide(span a, span b)
{
    if (DUSK_MUTATE(EVALUATE_DIVIDES_ACROSS_ZERO, !(b.low > 0 || b.high < 0), b.low == 0 || b.high == 0))
        return unknown;
    if (!isfinite(a.low) || !isfinite(a.high)) {
        if (isinf(b.low) || isinf(b.high)) return unknown;
    }
    return (span){ fmin(fmin(dusk_div_down(a.low, b.low), dusk_div_down(a.low, b.high)),
                        fmin(dusk_div_down(a.high, b.low), dusk_div_down(a.high, b.high))),
                   fmax(fmax(dusk_div_up(a.low, b.low), dusk_div_up(a.low, b.high)),
                        fmax(dusk_div_up(a.high, b.low), dusk_div_up(a.high, b.high))) };
}

static span absolute(span a)
{
    double far = fmax(-a.low, a.high);
    return (span){ a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, far };
}

/* --- functions of one number ------------------------------------------------------------------- */

/* Halves away from 0; where no half is left at that place, the number itself. */
static double round_digits(double x, double digits)
{
    double factor = pow(10, fabs(digits)); /* exact: 15 digits at most */
    if (digits < 0) return round(x / factor) * factor;
    return fabs(x) >= 0x1p52 / factor ? x : round(x * factor) / factor;
}

static double sign_of(double x) { return (x > 0) - (x < 0); }

/* f and a second argument that is exact. */
static double of_one(query_function function, double x, double digits)
{
    switch (function) {
    case QUERY_SIGN: return sign_of(x);
    case QUERY_FLOOR: return floor(x);
    case QUERY_CEIL: return ceil(x);
    default: return round_digits(x, digits);
    }
}

/* --- functions of all ---------------------------------------------------------------------------- */

static double value_of(query_function function, const dusk_cell *a, const dusk_cell *b)
{
    double x = a->number, y = b->number;
    switch (function) {
    case QUERY_ADD: return x + y;
    case QUERY_SUBTRACT: return x - y;
    case QUERY_MULTIPLY: return x * y;
    case QUERY_DIVIDE: return y == 0 ? NAN : x / y;
    case QUERY_MODULO: return y == 0 ? NAN : fmod(x, y);
    case QUERY_NEGATE: return -x;
    case QUERY_ABS: return fabs(x);
    case QUERY_SQRT: return x < 0 ? NAN : sqrt(x);
    case QUERY_LN: return x <= 0 ? NAN : log(x);
    case QUERY_EXP: return exp(x);
    case QUERY_POWER: return pow(x, y);
    default: return of_one(function, x, y);
    }
}

static span interval_of(query_function function, const dusk_cell *a, const dusk_cell *b)
{
    span x = span_of(a), y = span_of(b);
    switch (function) {
    case QUERY_ADD: return (span){ dusk_add_down(x.low, y.low), dusk_add_up(x.high, y.high) };
    case QUERY_SUBTRACT: return (span){ dusk_sub_down(x.low, y.high), dusk_sub_up(x.high, y.low) };
    case QUERY_MULTIPLY: return multiply(x, y);
    case QUERY_DIVIDE: return divide(x, y);
    case QUERY_NEGATE: return (span){ -x.high, -x.low };
    case QUERY_ABS: return absolute(x);
    case QUERY_SQRT: return x.low < 0 ? unknown : (span){ dusk_sqrt_down(x.low), dusk_sqrt_up(x.high) };
    case QUERY_LN: return x.low <= 0 ? unknown : (span){ dusk_log_down(x.low), dusk_log_up(x.high) };
    case QUERY_EXP: return (span){ dusk_exp_down(x.low), dusk_exp_up(x.high) };
    case QUERY_SIGN:
    case QUERY_FLOOR:
    case QUERY_CEIL: return (span){ of_one(function, x.low, 0), of_one(function, x.high, 0) };
    case QUERY_ROUND:
        return b->exact ? (span){ of_one(function, x.low, b->number), of_one(function, x.high, b->number) }
                        : unknown;
    default: return unknown;
    }
}

static void set_interval(dusk_cell *out, span interval)
{
    if (out->null || out->exact) return;
    out->low = isnan(interval.low) ? -INFINITY : interval.low;
    out->high = isnan(interval.high) ? INFINITY : interval.high;
}

/* Of the arguments that are not NULL. */
static void extreme(dusk_cell *out, const query_call *call)
{
    bool least = call->function == QUERY_LEAST, certain = true;
    const dusk_cell *best = NULL;
    span interval = { 0 };
    for (size_t i = 0; i < call->arguments; i++) {
        const dusk_cell *x = &call->argument[i];
        if (x->null) {
            certain &= x->exact;
            continue;
        }
        int order = best ? query_compare_cells(x, best) : 0;
        span s = span_of(x);
        if (!best)
            interval = s;
        else
            interval = least ? (span){ fmin(interval.low, s.low), fmin(interval.high, s.high) }
                             : (span){ fmax(interval.low, s.low), fmax(interval.high, s.high) };
        if (!best || (least ? order < 0 : order > 0)) best = x;
    }
    if (!best) {
        query_set_null(out);
    } else if (best->text) {
        out->text = best->text;
    } else {
        query_set_number(out, best->number);
        out->integer = best->integer;
        set_interval(out, certain ? interval : unknown);
    }
}

void query_evaluate_number(dusk_cell *out, const query_call *call)
{
    static const dusk_cell zero = { .type = DUSK_TYPE_INTEGER, .exact = true };
    if (call->function == QUERY_LEAST || call->function == QUERY_GREATEST) {
        extreme(out, call);
        return;
    }
    const dusk_cell *a = &call->argument[0], *b = call->arguments > 1 ? &call->argument[1] : &zero;
    query_set_number(out, value_of(call->function, a, b));
    set_interval(out, interval_of(call->function, a, b));
}
