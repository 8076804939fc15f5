/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions over released cells against the reference that the engines are held to, so that an
 * expression means the same above the release and below it. Whole numbers are below 2^53 here: cells are doubles. */
#include "query/release.h"

#include "query_nodes.h"
#include "query_reference.h"

enum { ROWS = 24, COLUMNS = 12 }; /* two columns of each type */

static uint64_t seed = 99;
static uint64_t below(uint64_t n) { return splitmix64(&seed) % n; }

static dusk_type type_of(size_t column) { return (dusk_type)(1 + column % 6); }

static void fill(ref_value *row, dusk_cell *cells, size_t column)
{
    static const double reals[] = { 0,     -0.0,   1,    -1,   0.5,  -0.5, 2.5,  -2.5,
                                    2.675, 1234.5, 1e15, 1e-5, 3.25, 710,  -746, 1e300 };
    static const int wholes[] = { 0, 1, -1, 2, -2, 7, -7, 10, 1000000007, 123456 };
    static const char *const texts[] = { "",
                                         "abc",
                                         "ABC \xC3\xA4\xC3\x96",
                                         " 12 ",
                                         "12",
                                         "-7",
                                         "12.7",
                                         "1e3",
                                         "true",
                                         " Yes",
                                         "2020-02-29",
                                         "2021-02-29",
                                         "2020-01-01 12:34:56",
                                         "a_b",
                                         "100%",
                                         "  x  " };
    static const char *const dates[] = { "0001-01-01", "1900-02-28", "1970-01-01",
                                         "2000-02-29", "2020-01-31", "9999-12-31" };
    static const char *const stamps[] = { "1969-12-31 23:59:59", "2000-02-29 12:34:56", "9999-12-31 23:59:59",
                                          "2024-12-30 06:07:08" };
    dusk_type type = type_of(column);
    ref_value *v = &row[column];
    *v = (ref_value){ .null = below(6) == 0 };
    if (type == DUSK_TYPE_INTEGER) v->integer = wholes[below(10)];
    if (type == DUSK_TYPE_BOOLEAN) v->integer = (int64_t)below(2);
    if (type == DUSK_TYPE_REAL) v->real = reals[below(16)];
    const char *text = type == DUSK_TYPE_TEXT   ? texts[below(16)]
                       : type == DUSK_TYPE_DATE ? dates[below(6)]
                                                : stamps[below(4)];
    bool is_text = type == DUSK_TYPE_TEXT || type == DUSK_TYPE_DATE || type == DUSK_TYPE_TIMESTAMP;
    if (is_text) snprintf(v->text, sizeof v->text, "%s", text);
    double number = type == DUSK_TYPE_REAL ? v->real : (double)v->integer;
    cells[column] = (dusk_cell){
        .type = type, .null = v->null, .exact = true, .number = number, .low = number, .high = number
    };
    if (is_text && !v->null) cells[column].text = v->text;
}

/* --- expressions ---------------------------------------------------------------------------------------- */

#define CALL(f, type, ...)                                                                                   \
    call(m, f, type, sizeof((query_expression *[]){ __VA_ARGS__ }) / sizeof(void *), __VA_ARGS__)

static query_expression *random_of(maker *m, dusk_type type, unsigned depth);

static query_expression *random_number(maker *m, dusk_type type, unsigned depth)
{
    static const query_function twos[] = { QUERY_ADD, QUERY_SUBTRACT, QUERY_MULTIPLY, QUERY_LEAST,
                                           QUERY_GREATEST };
    static const query_function ones[] = { QUERY_NEGATE, QUERY_ABS, QUERY_SIGN, QUERY_FLOOR, QUERY_CEIL };
    static const query_function roots[] = { QUERY_SQRT, QUERY_LN, QUERY_EXP };
    query_expression *x = random_of(m, type, depth - 1);
    if (type == DUSK_TYPE_REAL) {
        switch (below(6)) {
        case 0: return CALL(roots[below(3)], type, x);
        case 1: return CALL(QUERY_DIVIDE, type, x, random_of(m, type, depth - 1));
        case 2: return CALL(QUERY_POWER, type, x, random_of(m, type, depth - 1));
        case 3: return CALL(QUERY_ROUND, type, x, whole(m, (int64_t)below(7) - 3));
        case 4:
            return CALL(QUERY_TO_REAL, type,
                        random_of(m, below(2) ? DUSK_TYPE_INTEGER : DUSK_TYPE_TEXT, depth - 1));
        default: break;
        }
    } else {
        switch (below(6)) {
        case 0: return CALL(QUERY_LENGTH, type, random_of(m, DUSK_TYPE_TEXT, depth - 1));
        case 1:
            return CALL(QUERY_DATE_DIFF, type, random_of(m, DUSK_TYPE_DATE, depth - 1),
                        random_of(m, DUSK_TYPE_DATE, depth - 1));
        case 2: {
            static const char *const units[] = { "year", "quarter", "month",  "week", "day",
                                                 "hour", "minute",  "second", "dow" };
            return CALL(QUERY_EXTRACT, type, words(m, DUSK_TYPE_TEXT, units[below(9)]),
                        random_of(m, DUSK_TYPE_TIMESTAMP, depth - 1));
        }
        case 3:
            return CALL(QUERY_TO_INTEGER, type,
                        random_of(m, below(2) ? DUSK_TYPE_BOOLEAN : DUSK_TYPE_TEXT, depth - 1));
        case 4: return CALL(QUERY_MODULO, type, x, random_of(m, type, depth - 1));
        default: break;
        }
    }
    return below(3) ? CALL(twos[below(5)], type, x, random_of(m, type, depth - 1))
                    : CALL(ones[below(5)], type, x);
}

static query_expression *random_truth(maker *m, unsigned depth)
{
    static const char *const patterns[] = { "%", "_b%", "a\\_b", "%0%", "100\\%", "A__ %" };
    dusk_type any = type_of(below(COLUMNS)), type = DUSK_TYPE_BOOLEAN;
    query_expression *x = random_of(m, any, depth - 1), *a = random_of(m, type, depth - 1);
    switch (below(7)) {
    case 0: return CALL(QUERY_IS_NULL, type, x);
    case 1: return CALL(QUERY_NOT, type, a);
    case 2: return CALL(below(2) ? QUERY_AND : QUERY_OR, type, a, random_of(m, type, depth - 1));
    case 3:
        return CALL(QUERY_LIKE, type, random_of(m, DUSK_TYPE_TEXT, depth - 1),
                    words(m, DUSK_TYPE_TEXT, patterns[below(6)]));
    case 4:
        return CALL(QUERY_IN, type, random_of(m, DUSK_TYPE_INTEGER, depth - 1), whole(m, 1), whole(m, 7),
                    nothing(m, DUSK_TYPE_INTEGER));
    case 5:
        return CALL(QUERY_TO_BOOLEAN, type,
                    random_of(m, below(2) ? DUSK_TYPE_TEXT : DUSK_TYPE_INTEGER, depth - 1));
    default: return CALL((query_function)(QUERY_EQUAL + below(6)), type, x, random_of(m, any, depth - 1));
    }
}

static query_expression *random_text(maker *m, unsigned depth)
{
    dusk_type type = DUSK_TYPE_TEXT;
    query_expression *x = random_of(m, type, depth - 1);
    switch (below(6)) {
    case 0: return CALL(QUERY_LOWER, type, x);
    case 1: return CALL(QUERY_UPPER, type, x);
    case 2: return CALL(QUERY_TRIM, type, x);
    case 3: return CALL(QUERY_CONCAT, type, x, random_of(m, type, depth - 1));
    case 4:
        return CALL(QUERY_SUBSTRING, type, x, whole(m, 1 + (int64_t)below(4)), whole(m, (int64_t)below(4)));
    default:
        return CALL(QUERY_TO_TEXT, type,
                    random_of(m, below(2) ? DUSK_TYPE_INTEGER : DUSK_TYPE_BOOLEAN, depth - 1));
    }
}

static query_expression *random_time(maker *m, dusk_type type, unsigned depth)
{
    static const char *const units[] = {
        "year", "quarter", "month", "week", "day", "hour", "minute", "second"
    };
    query_expression *x = random_of(m, type, depth - 1);
    switch (below(3)) {
    case 0: return CALL(QUERY_DATE_TRUNC, type, words(m, DUSK_TYPE_TEXT, units[below(8)]), x);
    case 1:
        return CALL(QUERY_DATE_ADD, type, x, whole(m, (int64_t)below(100) - 50),
                    whole(m, (int64_t)below(100) - 50));
    default:
        if (type == DUSK_TYPE_DATE)
            return CALL(QUERY_TO_DATE, type,
                        random_of(m, below(2) ? DUSK_TYPE_TIMESTAMP : DUSK_TYPE_TEXT, depth - 1));
        return CALL(QUERY_TO_TIMESTAMP, type,
                    random_of(m, below(2) ? DUSK_TYPE_DATE : DUSK_TYPE_TEXT, depth - 1));
    }
}

static query_expression *random_of(maker *m, dusk_type type, unsigned depth)
{
    if (depth == 0) return column(m, type, type - 1u + 6 * below(2));
    switch (below(8)) {
    case 0:
        return CALL(QUERY_CASE, type, random_of(m, DUSK_TYPE_BOOLEAN, depth - 1),
                    random_of(m, type, depth - 1), random_of(m, type, depth - 1));
    case 1: return CALL(QUERY_COALESCE, type, random_of(m, type, depth - 1), random_of(m, type, depth - 1));
    case 2: return CALL(QUERY_NULLIF, type, random_of(m, type, depth - 1), random_of(m, type, depth - 1));
    default: break;
    }
    if (type == DUSK_TYPE_INTEGER || type == DUSK_TYPE_REAL) return random_number(m, type, depth);
    if (type == DUSK_TYPE_BOOLEAN) return random_truth(m, depth);
    return type == DUSK_TYPE_TEXT ? random_text(m, depth) : random_time(m, type, depth);
}

/* --- the comparison ---------------------------------------------------------------------------------------- */

static bool same(dusk_type type, const dusk_cell *a, const ref_value *b)
{
    if (a->null || b->null) return a->null == b->null;
    if (a->text) return strcmp(a->text, b->text) == 0;
    double wanted = type == DUSK_TYPE_REAL ? b->real : (double)b->integer;
    return a->number == wanted || fabs(a->number - wanted) <= 1e-13 * fabs(wanted);
}

static void expressions_mean_the_same_above_the_release(void **state)
{
    unsigned compared = 0;
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        maker m = { 0 };
        query_arena *arena;
        dusk_type type = type_of(below(COLUMNS));
        query_expression *e = random_of(&m, type, 1 + i % 4);
        assert_int_equal(query_arena_new(&arena, NULL), DUSK_OK);
        for (size_t r = 0; r < ROWS; r++) {
            ref_value row[COLUMNS];
            dusk_cell cells[COLUMNS], got;
            for (size_t c = 0; c < COLUMNS; c++) fill(row, cells, c);
            ref how = { .row = row };
            ref_value wanted = reference(&how, e);
            assert_int_equal(query_evaluate(&got, e, cells, arena, NULL), DUSK_OK);
            if (how.extreme) continue; /* products of whole numbers that 64 bits do not hold, and the like */
            compared++;
            if (!same(type, &got, &wanted))
                fail_msg("%u: function %d is %s%.17g %s, not %s%.17g %lld %s", i, (int)e->function,
                         got.null ? "NULL " : "", got.number, got.text ? got.text : "",
                         wanted.null ? "NULL " : "", wanted.real, (long long)wanted.integer, wanted.text);
        }
        query_arena_free(arena);
        maker_free(&m);
    }
    assert_true(compared > 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(expressions_mean_the_same_above_the_release) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
