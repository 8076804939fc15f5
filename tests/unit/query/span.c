/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of doubles: random expressions over nasty numbers, evaluated as PostgreSQL would, with operands
 * trimmed where it is said that they must be. No step overflows or underflows, and every value is
 * within its span. */
#include <float.h>
#include <math.h>

#include "query/emit.h"
#include "query_nodes.h"

enum { COLUMNS = 4 };

static double nasty(uint64_t *seed)
{
    static const double some[] = { 0,       -0.0,   1,       -1,    0.1,    1e308,   -1e308,
                                   DBL_MAX, 5e-324, -5e-324, 1e100, 1e-100, 0.999999 };
    if (splitmix64(seed) % 2) return some[splitmix64(seed) % (sizeof some / sizeof *some)];
    double x = from_bits(splitmix64(seed));
    return isfinite(x) ? x : 1;
}

static query_expression *random_number(maker *m, uint64_t *seed, unsigned depth)
{
    static const query_function binary[] = { QUERY_ADD, QUERY_SUBTRACT, QUERY_MULTIPLY, QUERY_DIVIDE };
    static const query_function unary[] = { QUERY_NEGATE, QUERY_ABS, QUERY_FLOOR, QUERY_CEIL, QUERY_SQRT };
    uint64_t kind = depth == 0 ? splitmix64(seed) % 3 : splitmix64(seed) % 10;
    if (kind == 0) return column(m, DUSK_TYPE_INTEGER, splitmix64(seed) % COLUMNS);
    if (kind == 1) return column(m, DUSK_TYPE_REAL, splitmix64(seed) % COLUMNS);
    if (kind == 2) return real(m, nasty(seed));
    query_expression *a = random_number(m, seed, depth - 1);
    if (kind == 3) {
        query_function f = unary[splitmix64(seed) % 5];
        return call(m, f, f == QUERY_SQRT ? DUSK_TYPE_REAL : a->type, 1, a);
    }
    query_expression *b = random_number(m, seed, depth - 1);
    query_function f = binary[splitmix64(seed) % 4];
    bool both = a->type == DUSK_TYPE_INTEGER && b->type == DUSK_TYPE_INTEGER && f != QUERY_DIVIDE;
    return call(m, f, both ? DUSK_TYPE_INTEGER : DUSK_TYPE_REAL, 2, a, b);
}

typedef struct row {
    double real[COLUMNS];
    int64_t whole[COLUMNS];
} row;

static double trimmed(double x) { return fabs(x) >= 1e100 ? NAN : fabs(x) < 1e-100 ? 0 : x; }

/* NaN stands for NULL. */
static double evaluate(const emitter *em, const query_expression *e, const row *r)
{
    double x;
    if (e->kind == QUERY_CONSTANT) return e->value.real;
    if (e->kind == QUERY_COLUMN)
        return e->type == DUSK_TYPE_REAL ? r->real[e->index] : (double)r->whole[e->index];
    double a = evaluate(em, e->argument[0], r), b = e->arguments > 1 ? evaluate(em, e->argument[1], r) : 1;
    if (emit_must_trim(em, e)) a = trimmed(a), b = trimmed(b);
    if (isnan(a) || isnan(b)) return NAN;
    bool zero = false;
    switch (e->function) {
    case QUERY_ADD: x = a + b, zero = true; break;
    case QUERY_SUBTRACT: x = a - b, zero = true; break;
    case QUERY_MULTIPLY: x = a * b, zero = a == 0 || b == 0; break;
    case QUERY_DIVIDE: x = b == 0 ? NAN : a / b, zero = a == 0; break;
    case QUERY_NEGATE: x = -a, zero = a == 0; break;
    case QUERY_ABS: x = fabs(a), zero = a == 0; break;
    case QUERY_FLOOR: x = floor(a), zero = true; break;
    case QUERY_CEIL: x = ceil(a), zero = true; break;
    default: x = a < 0 ? NAN : sqrt(a), zero = a == 0;
    }
    if (isnan(x)) return x;
    emit_span span = emit_span_of(em, e);
    if (isinf(x) || (x == 0 && !zero)) fail_msg("function %d of %g and %g leaves doubles", e->function, a, b);
    if (x != 0 && (fabs(x) < span.low * (1 - 1e-9) || fabs(x) > span.high * (1 + 1e-9)))
        fail_msg("%g is outside its span, %g to %g", x, span.low, span.high);
    return x;
}

static void no_step_leaves_the_doubles(void **state)
{
    uint64_t seed = 17;
    emitter em = { .dialect = &emit_postgres };
    (void)state;
    for (int i = 0; i < 4000; i++) {
        maker m = { 0 };
        query_expression *e = random_number(&m, &seed, 5);
        for (int k = 0; k < 20; k++) {
            row r;
            for (size_t c = 0; c < COLUMNS; c++) {
                r.real[c] = nasty(&seed);
                r.whole[c] =
                    splitmix64(&seed) % 3 ? (int64_t)splitmix64(&seed) : (int64_t)(splitmix64(&seed) % 3) - 1;
            }
            (void)evaluate(&em, e, &r);
        }
        maker_free(&m);
    }
}

/* What everybody writes needs no guard beyond those of its columns. */
static void usual_products_are_trimmed_at_their_columns_only(void **state)
{
    emitter em = { .dialect = &emit_postgres };
    maker m = { 0 };
    (void)state;
    query_expression *price = column(&m, DUSK_TYPE_REAL, 0), *discount = column(&m, DUSK_TYPE_REAL, 1);
    query_expression *rest = call(&m, QUERY_SUBTRACT, DUSK_TYPE_REAL, 2, whole(&m, 1), discount);
    query_expression *tax =
        call(&m, QUERY_ADD, DUSK_TYPE_REAL, 2, whole(&m, 1), column(&m, DUSK_TYPE_REAL, 2));
    query_expression *net = call(&m, QUERY_MULTIPLY, DUSK_TYPE_REAL, 2, price, rest);
    query_expression *gross = call(&m, QUERY_MULTIPLY, DUSK_TYPE_REAL, 2, net, tax);
    assert_true(emit_must_trim(&em, rest) && emit_must_trim(&em, net));
    assert_true(emit_span_of(&em, net).high <= 2e200 && emit_span_of(&em, net).low >= 1e-120);
    assert_false(emit_must_trim(&em, gross));
    query_expression *counts = call(&m, QUERY_MULTIPLY, DUSK_TYPE_INTEGER, 2,
                                    column(&m, DUSK_TYPE_INTEGER, 0), column(&m, DUSK_TYPE_INTEGER, 1));
    assert_false(emit_must_trim(&em, counts));
    maker_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_leaves_the_doubles),
        cmocka_unit_test(usual_products_are_trimmed_at_their_columns_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
