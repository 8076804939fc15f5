/* SPDX-License-Identifier: Apache-2.0 */
/* How large and how small the doubles of an expression can be, reckoned from its shape alone: whole
 * numbers have 64 bits, constants are known, columns of reals can be anything. Zero is always
 * possible; a span is about the other values. See emit.h for what it is for. */
#include <math.h>

#include "base/mutant.h"
#include "query/emit.h"

static const emit_span whole = { 1, 0x1p63 };
static const emit_span anything = { 0, INFINITY };

bool emit_is_number(const query_expression *e)
{
    if (e->kind != QUERY_CALL) return false;
    switch (e->function) {
    case QUERY_ADD:
    case QUERY_SUBTRACT:
    case QUERY_MULTIPLY:
    case QUERY_DIVIDE:
    case QUERY_NEGATE:
    case QUERY_ABS:
    case QUERY_SIGN:
    case QUERY_ROUND:
    case QUERY_FLOOR:
    case QUERY_CEIL:
    case QUERY_SQRT:
    case QUERY_LN:
    case QUERY_EXP:
    case QUERY_POWER: return true;
    case QUERY_TO_REAL: return true;
    default: return false;
    }
}

static emit_span trim(emit_span s)
{
    if (s.low < EMIT_TRIM_LOW) s.low = EMIT_TRIM_LOW;
    if (s.high > EMIT_TRIM_HIGH) s.high = EMIT_TRIM_HIGH;
    return s;
}

static bool fits(emit_span s) { return s.low >= EMIT_SPAN_LOW && s.high <= EMIT_SPAN_HIGH; }

static emit_span join(emit_span a, emit_span b)
{
    return (emit_span){ fmin(a.low, b.low), fmax(a.high, b.high) };
}

static bool is_constant(const query_expression *e)
{
    return e->kind == QUERY_CONSTANT && !e->value.null && e->value.real != 0;
}

static emit_span of_constant(const query_expression *e)
{
    double x = e->type == DUSK_TYPE_INTEGER ? (double)e->value.integer : e->value.real;
    if (e->value.null || x == 0) return (emit_span){ 1, 1 };
    return (emit_span){ fabs(x), fabs(x) };
}

/* Sums are multiples of the last digit of the smaller operand. A constant operand makes it coarser:
 * either the other one is below half of it, or both have digits no finer than 2^-55 of it. */
static emit_span of_sum(const query_expression *e, emit_span a, emit_span b)
{
    double low = fmin(a.low, b.low) * 0x1p-53;
    if (is_constant(e->argument[0])) low = fmax(low, a.low * 0x1p-55);
    if (is_constant(e->argument[1])) low = fmax(low, b.low * 0x1p-55);
    return (emit_span){ low, a.high + b.high };
}

static emit_span of_binary(const query_expression *e, emit_span a, emit_span b)
{
    emit_span s;
    switch (e->function) {
    case QUERY_MULTIPLY: s = (emit_span){ a.low * b.low, a.high * b.high }; break;
    case QUERY_DIVIDE: s = (emit_span){ a.low / b.high, b.low > 0 ? a.high / b.low : INFINITY }; break;
    default: s = of_sum(e, a, b);
    }
    if (e->type == DUSK_TYPE_INTEGER && s.low < 1) s.low = 1;
    return s;
}

static emit_span operand(const emitter *em, const query_expression *e, size_t i)
{
    return emit_span_of(em, e->argument[i]);
}

static bool must_trim(const emitter *em, const query_expression *e, emit_span a, emit_span b)
{
    if (!em->dialect->trimmed) return false;
    switch (e->function) {
    case QUERY_ADD:
    case QUERY_SUBTRACT:
        return DUSK_MUTATE(EMIT_SUM_UNGUARDED, of_binary(e, a, b).high > EMIT_SPAN_HIGH, false);
    case QUERY_MULTIPLY:
    case QUERY_DIVIDE: return DUSK_MUTATE(EMIT_PRODUCT_UNGUARDED, !fits(of_binary(e, a, b)), false);
    default: return !fits(a) || !fits(b);
    }
}

bool emit_must_trim(const emitter *em, const query_expression *e)
{
    return must_trim(em, e, operand(em, e, 0), e->arguments > 1 ? operand(em, e, 1) : whole);
}

static emit_span of_call(const emitter *em, const query_expression *e)
{
    emit_span a = operand(em, e, 0), b = e->arguments > 1 ? operand(em, e, 1) : whole;
    if (must_trim(em, e, a, b)) a = trim(a), b = trim(b);
    switch (e->function) {
    case QUERY_ADD:
    case QUERY_SUBTRACT:
    case QUERY_MULTIPLY:
    case QUERY_DIVIDE: return of_binary(e, a, b);
    case QUERY_NEGATE:
    case QUERY_ABS: return a;
    case QUERY_SIGN: return (emit_span){ 1, 1 };
    case QUERY_ROUND: return (emit_span){ e->arguments > 1 ? 1e-16 : 1, 2 * a.high + 1e16 };
    case QUERY_FLOOR:
    case QUERY_CEIL: return (emit_span){ 1, a.high + 1 };
    case QUERY_SQRT: return (emit_span){ sqrt(a.low), sqrt(a.high) };
    case QUERY_LN: return (emit_span){ 1e-17, isinf(a.high) ? INFINITY : 800 };
    default: /* EXP, POWER */ return em->dialect->trimmed ? (emit_span){ 1e-301, 1e301 } : anything;
    }
}

emit_span emit_span_of(const emitter *em, const query_expression *e)
{
    emit_span s;
    if (e->kind == QUERY_CONSTANT) return of_constant(e);
    if (e->kind == QUERY_COLUMN) return e->type == DUSK_TYPE_REAL ? anything : whole;
    switch (e->function) {
    case QUERY_LEAST:
    case QUERY_GREATEST:
    case QUERY_COALESCE:
    case QUERY_NULLIF:
        s = operand(em, e, 0);
        for (size_t i = 1; i < e->arguments; i++) s = join(s, operand(em, e, i));
        return s;
    case QUERY_CASE:
        s = (emit_span){ 1, 1 };
        for (size_t i = 0; i < e->arguments; i++)
            if (i % 2 == 1 || i + 1 == e->arguments) s = join(s, operand(em, e, i));
        return s;
    case QUERY_TO_REAL:
        if (e->argument[0]->type == DUSK_TYPE_TEXT)
            return em->dialect->trimmed ? (emit_span){ 1e-200, 1e200 } : anything;
        return operand(em, e, 0);
    default: return emit_is_number(e) ? of_call(em, e) : whole;
    }
}
