/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of expressions hold the values: random expressions over columns with bounds of all signs, computed in
 * doubles at random points and at the corners. */
#include "support.h"

#include <math.h>

#include "plan_print.h"

enum { COLUMNS = 4, TRIES = 1500, POINTS = 40 };

static const double low[COLUMNS] = { -3, 2, -7.5, 0 }, high[COLUMNS] = { 5, 9, -0.25, 1 };

static double evaluate(const query_expression *e, const double *x)
{
    double v[8];
    if (e->kind == QUERY_COLUMN) return x[e->index];
    if (e->kind == QUERY_CONSTANT) return e->value.real;
    for (size_t i = 0; i < e->arguments; i++) v[i] = evaluate(e->argument[i], x);
    switch (e->function) {
    case QUERY_ADD: return v[0] + v[1];
    case QUERY_SUBTRACT: return v[0] - v[1];
    case QUERY_MULTIPLY: return v[0] * v[1];
    case QUERY_DIVIDE: return v[1] == 0 ? NAN : v[0] / v[1];
    case QUERY_NEGATE: return -v[0];
    case QUERY_ABS: return fabs(v[0]);
    case QUERY_ROUND: return round(v[0]);
    case QUERY_FLOOR: return floor(v[0]);
    case QUERY_CEIL: return ceil(v[0]);
    case QUERY_SQRT: return v[0] < 0 ? NAN : sqrt(v[0]);
    case QUERY_LEAST: return fmin(v[0], v[1]);
    case QUERY_GREATEST: return fmax(v[0], v[1]);
    case QUERY_COALESCE: return isnan(v[0]) ? v[1] : v[0];
    case QUERY_LESS: return isnan(v[0]) || isnan(v[1]) ? NAN : v[0] < v[1];
    case QUERY_CASE: return v[0] == 1 ? v[1] : v[2];
    case QUERY_TO_REAL: return v[0];
    default: fail_msg("function %d", (int)e->function); return 0;
    }
}

static void write(dusk_text *out, uint64_t *seed, int depth)
{
    static const char *const unary[] = { "-", "abs", "round", "floor", "ceil", "sqrt" };
    static const char *const binary[] = { "+", "-", "*", "*", "/" };
    static const char *const choice[] = { "LEAST", "GREATEST", "COALESCE" };
    uint64_t r = splitmix64(seed);
    if (depth == 0 || r % 8 == 0) {
        if (r >> 8 & 1)
            dusk_text_add(out, "c%d", (int)(r >> 16 & 3));
        else
            dusk_text_add(out, "%d.5", (int)(r >> 16 & 15) - 8);
        return;
    }
    if (r % 8 == 1) {
        dusk_text_add(out, "%s(", unary[(r >> 16) % 6]);
    } else if (r % 8 == 2) {
        dusk_text_add(out, "%s(", choice[(r >> 16) % 3]);
        write(out, seed, depth - 1);
        dusk_text_add(out, ", ");
    } else if (r % 8 == 3) {
        dusk_text_add(out, "(CASE WHEN c0 < c1 - 4 THEN ");
        write(out, seed, depth - 1);
        dusk_text_add(out, " ELSE ");
        write(out, seed, depth - 1);
        dusk_text_add(out, " END");
    } else {
        dusk_text_add(out, "(");
        write(out, seed, depth - 1);
        dusk_text_add(out, " %s ", binary[(r >> 16) % 5]);
    }
    if (r % 8 != 3) write(out, seed, depth - 1);
    dusk_text_add(out, ")");
}

/* The expression over the columns of the table: below the top project there is the scan alone. */
static void check_bounds(const query_plan *plan, uint64_t *seed, const char *sql)
{
    const query_relation *scan = plan->input->input;
    const query_expression *e = plan->input->expression[1 + plan->measure[0].value];
    for (int p = 0; p < POINTS; p++) {
        double x[COLUMNS + 1];
        for (size_t i = 0; i < scan->columns; i++) {
            uint64_t r = splitmix64(seed);
            size_t c = scan->from[i] - 1;
            double part = (double)(r >> 11) * 0x1p-53;
            x[i] = c >= COLUMNS ? 0
                   : r % 4 == 0 ? low[c]
                   : r % 4 == 1 ? high[c]
                                : low[c] + part * (high[c] - low[c]);
        }
        double value = evaluate(e, x);
        if (value < plan->measure[0].lower || value > plan->measure[0].upper)
            fail_msg("%s: %g is outside %g:%g", sql, value, plan->measure[0].lower, plan->measure[0].upper);
    }
}

static void bounds_hold_values(void **state)
{
    static const char *const facts[] = {
        "t source t.csv",         "t.u type integer", "- unit t.u",      "t.c0 type real",
        "t.c0 bounds -3:5",       "t.c1 type real",   "t.c1 bounds 2:9", "t.c2 type real",
        "t.c2 bounds -7.5:-0.25", "t.c3 type real",   "t.c3 bounds 0:1",
    };
    dusk_schema *schema = schema_of(facts, sizeof facts / sizeof facts[0]);
    uint64_t seed = 20;
    int planned = 0;
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        char sql[8000];
        dusk_text out;
        query_plan *plan = NULL;
        dusk_error err = { .message = "" };
        dusk_text_init(&out, sql, sizeof sql);
        dusk_text_add(&out, "SELECT SUM(");
        write(&out, &seed, 4);
        dusk_text_add(&out, ") FROM t");
        dusk_status status = query_plan_new(&plan, schema, sql, &err);
        if (status != DUSK_OK && !strstr(err.message, "needs bounds")) fail_msg("%s: %s", sql, err.message);
        if (!plan) continue; /* a divisor that may be 0, a root of what may be negative */
        planned++;
        check_bounds(plan, &seed, sql);
        query_plan_free(plan);
    }
    assert_true(planned > TRIES / 2);
    dusk_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bounds_hold_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
