/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over released cells: values by hand, three-valued logic in full, and intervals against
 * points of the box. */
#include "query/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "query_plans.h"

static uint64_t seed = 12;
static uint64_t below(uint64_t n) { return splitmix64(&seed) % n; }

/* --- making expressions ---------------------------------------------------------------------------- */

static query_arena *arena;

static query_expression *node(query_kind kind, dusk_type type)
{
    query_expression *e = query_arena_take(arena, 1, sizeof *e);
    assert_non_null(e);
    *e = (query_expression){ .kind = kind, .type = type, .position = -1 };
    return e;
}

static query_expression *number(double x)
{
    query_expression *e = node(QUERY_CONSTANT, DUSK_TYPE_REAL);
    e->value.real = x;
    return e;
}

static query_expression *text(const char *x)
{
    query_expression *e = node(QUERY_CONSTANT, DUSK_TYPE_TEXT);
    e->value.text = x;
    e->value.length = strlen(x);
    return e;
}

static query_expression *moment(const char *x)
{
    query_expression *e = text(x);
    e->type = strlen(x) > 10 ? DUSK_TYPE_TIMESTAMP : DUSK_TYPE_DATE;
    return e;
}

/* 0 and 1, 2 is NULL. */
static query_expression *truth(int x)
{
    query_expression *e = node(QUERY_CONSTANT, DUSK_TYPE_BOOLEAN);
    e->value.null = x == 2;
    e->value.integer = x == 1;
    return e;
}

static query_expression *null(dusk_type type)
{
    query_expression *e = node(QUERY_CONSTANT, type);
    e->value.null = true;
    return e;
}

static query_expression *column(size_t i)
{
    query_expression *e = node(QUERY_COLUMN, DUSK_TYPE_REAL);
    e->index = i;
    return e;
}

static query_expression *call_n(query_function f, dusk_type type, query_expression **arguments, size_t n)
{
    query_expression *e = node(QUERY_CALL, type);
    e->function = f;
    e->argument = query_arena_take(arena, n, sizeof *e->argument);
    memcpy(e->argument, arguments, n * sizeof *arguments);
    e->arguments = n;
    return e;
}
#define CALL(f, type, ...)                                                                                   \
    call_n(f, type, (query_expression *[]){ __VA_ARGS__ },                                                   \
           sizeof((query_expression *[]){ __VA_ARGS__ }) / sizeof(query_expression *))

static dusk_cell value_of(const query_expression *e, const dusk_cell *cells)
{
    dusk_cell out;
    assert_int_equal(query_evaluate(&out, e, cells, arena, NULL), DUSK_OK);
    assert_int_equal(out.type, e->type);
    return out;
}

static void is_number(const query_expression *e, double wanted)
{
    dusk_cell c = value_of(e, NULL);
    if (isnan(wanted) ? !c.null : c.null || c.number != wanted)
        fail_msg("function %d is %s %.17g, not %.17g", (int)e->function, c.null ? "NULL" : "", c.number,
                 wanted);
    assert_true(c.exact && (c.null || (c.low == c.number && c.high == c.number)));
}

static void is_text(const query_expression *e, const char *wanted)
{
    dusk_cell c = value_of(e, NULL);
    assert_true(c.null == !wanted);
    if (wanted) assert_string_equal(c.text, wanted);
}

#define REAL DUSK_TYPE_REAL
#define WHOLE DUSK_TYPE_INTEGER
#define TRUTH DUSK_TYPE_BOOLEAN
#define TEXT DUSK_TYPE_TEXT

/* --- values -------------------------------------------------------------------------------------------- */

static void numbers(void **state)
{
    (void)state;
    is_number(CALL(QUERY_ADD, REAL, number(2), number(0.5)), 2.5);
    is_number(CALL(QUERY_SUBTRACT, REAL, number(2), number(0.5)), 1.5);
    is_number(CALL(QUERY_MULTIPLY, REAL, number(-1e300), number(1e300)), NAN); /* NULL */
    is_number(CALL(QUERY_DIVIDE, REAL, number(1), number(4)), 0.25);
    is_number(CALL(QUERY_DIVIDE, REAL, number(1), number(0)), NAN);
    is_number(CALL(QUERY_MODULO, WHOLE, number(-7), number(3)), -1);
    is_number(CALL(QUERY_MODULO, WHOLE, number(7), number(0)), NAN);
    is_number(CALL(QUERY_NEGATE, REAL, number(7)), -7);
    is_number(CALL(QUERY_ABS, REAL, number(-7)), 7);
    is_number(CALL(QUERY_SIGN, REAL, number(-7)), -1);
    is_number(CALL(QUERY_ROUND, REAL, number(2.5)), 3);
    is_number(CALL(QUERY_ROUND, REAL, number(-2.5)), -3);
    is_number(CALL(QUERY_ROUND, REAL, number(1234.5678), number(2)), 1234.57);
    is_number(CALL(QUERY_ROUND, REAL, number(1250), number(-2)), 1300);
    is_number(CALL(QUERY_ROUND, REAL, number(0x1p60 + 1), number(15)), 0x1p60 + 1);
    is_number(CALL(QUERY_FLOOR, REAL, number(-2.5)), -3);
    is_number(CALL(QUERY_CEIL, REAL, number(-2.5)), -2);
    is_number(CALL(QUERY_SQRT, REAL, number(9)), 3);
    is_number(CALL(QUERY_SQRT, REAL, number(-9)), NAN);
    is_number(CALL(QUERY_LN, REAL, number(1)), 0);
    is_number(CALL(QUERY_LN, REAL, number(0)), NAN);
    is_number(CALL(QUERY_EXP, REAL, number(1000)), NAN);
    is_number(CALL(QUERY_POWER, REAL, number(2), number(10)), 1024);
    is_number(CALL(QUERY_POWER, REAL, number(-2), number(0.5)), NAN);
    is_number(CALL(QUERY_LEAST, REAL, number(3), null(REAL), number(2)), 2);
    is_number(CALL(QUERY_GREATEST, REAL, number(3), null(REAL), number(2)), 3);
    is_number(CALL(QUERY_GREATEST, REAL, null(REAL)), NAN);
    is_number(CALL(QUERY_ADD, REAL, number(2), null(REAL)), NAN);
}

static void choices(void **state)
{
    (void)state;
    is_number(CALL(QUERY_CASE, REAL, truth(2), number(1), truth(1), number(2), number(3)), 2);
    is_number(CALL(QUERY_CASE, REAL, truth(0), number(1), number(3)), 3);
    is_number(CALL(QUERY_CASE, REAL, truth(0), number(1)), NAN);
    is_number(CALL(QUERY_COALESCE, REAL, null(REAL), number(4), number(5)), 4);
    is_number(CALL(QUERY_COALESCE, REAL, null(REAL)), NAN);
    is_number(CALL(QUERY_NULLIF, REAL, number(4), number(4)), NAN);
    is_number(CALL(QUERY_NULLIF, REAL, number(4), null(REAL)), 4);
    is_number(CALL(QUERY_IN, TRUTH, number(4), number(3), number(4), null(REAL)), 1);
    is_number(CALL(QUERY_IN, TRUTH, number(4), number(3), null(REAL)), NAN);
    is_number(CALL(QUERY_IN, TRUTH, number(4), number(3)), 0);
    is_number(CALL(QUERY_IN, TRUTH, null(REAL), number(3)), NAN);
    is_number(CALL(QUERY_IS_NULL, TRUTH, null(TEXT)), 1);
    is_number(CALL(QUERY_IS_NULL, TRUTH, text("")), 0);
}

/* Kleene's tables: false, true, unknown are 0, 1, 2. */
static void three_values(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        is_number(CALL(QUERY_NOT, TRUTH, truth(a)), a == 2 ? NAN : !a);
        for (int b = 0; b < 3; b++) {
            double both = a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? NAN : 1;
            double either = a == 1 || b == 1 ? 1 : a == 2 || b == 2 ? NAN : 0;
            is_number(CALL(QUERY_AND, TRUTH, truth(a), truth(b)), both);
            is_number(CALL(QUERY_OR, TRUTH, truth(a), truth(b)), either);
        }
    }
}

static void comparisons(void **state)
{
    static const bool wanted[6][3] = { { 0, 1, 0 }, { 1, 0, 1 }, { 1, 0, 0 },
                                       { 1, 1, 0 }, { 0, 0, 1 }, { 0, 1, 1 } };
    (void)state;
    for (int f = 0; f < 6; f++)
        for (int side = -1; side <= 1; side++) {
            query_function function = (query_function)(QUERY_EQUAL + f);
            const char *const words[] = { "apple", "pear", "pearl" };
            is_number(CALL(function, TRUTH, number(side), number(0)), wanted[f][side + 1]);
            is_number(CALL(function, TRUTH, text(words[side + 1]), text("pear")), wanted[f][side + 1]);
            is_number(CALL(function, TRUTH, null(REAL), number(0)), NAN);
        }
}

static void words(void **state)
{
    static const struct {
        const char *text, *pattern;
        bool like;
    } likes[] = { { "abc", "abc", 1 },
                  { "abc", "a%", 1 },
                  { "abc", "%c", 1 },
                  { "abc", "_b_", 1 },
                  { "abc", "a", 0 },
                  { "", "%", 1 },
                  { "", "_", 0 },
                  { "abc", "%%", 1 },
                  { "100%", "100\\%", 1 },
                  { "1000", "100\\%", 0 },
                  { "a_c", "a\\_c", 1 },
                  { "abc", "a\\_c", 0 },
                  { "mississippi", "%iss%ip%", 1 },
                  { "mississippi", "%iss%x%", 0 },
                  { "\xC3\xA9t\xC3\xA9", "_t_", 1 },
                  { "Abc", "abc", 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof likes / sizeof *likes; i++)
        is_number(CALL(QUERY_LIKE, TRUTH, text(likes[i].text), text(likes[i].pattern)), likes[i].like);
    is_text(CALL(QUERY_LOWER, TEXT, text("AbC \xC3\x89")), "abc \xC3\x89");
    is_text(CALL(QUERY_UPPER, TEXT, text("aBc")), "ABC");
    is_number(CALL(QUERY_LENGTH, WHOLE, text("\xC3\xA9t\xC3\xA9")), 3);
    is_text(CALL(QUERY_TRIM, TEXT, text("  a b ")), "a b");
    is_text(CALL(QUERY_TRIM, TEXT, text("   ")), "");
    is_text(CALL(QUERY_CONCAT, TEXT, text("a"), text(""), text("b")), "ab");
    is_text(CALL(QUERY_CONCAT, TEXT, text("a"), null(TEXT)), NULL);
    is_text(CALL(QUERY_SUBSTRING, TEXT, text("\xC3\xA9t\xC3\xA9s"), number(2), number(2)), "t\xC3\xA9");
    is_text(CALL(QUERY_SUBSTRING, TEXT, text("abc"), number(9), number(2)), "");
    is_text(CALL(QUERY_SUBSTRING, TEXT, text("abc"), number(2), number(1e18)), "bc");
}

static void dates(void **state)
{
    static const char *const units[] = { "year", "quarter", "month",  "week", "day",
                                         "hour", "minute",  "second", "dow" };
    static const double parts[] = { 2024, 4, 12, 1, 30, 23, 5, 9, 1 };
    static const char *const starts[] = { "2024-01-01 00:00:00", "2024-10-01 00:00:00", "2024-12-01 00:00:00",
                                          "2024-12-30 00:00:00", "2024-12-30 00:00:00", "2024-12-30 23:00:00",
                                          "2024-12-30 23:05:00", "2024-12-30 23:05:09" };
    const dusk_type stamp = DUSK_TYPE_TIMESTAMP, date = DUSK_TYPE_DATE;
    (void)state;
    for (int i = 0; i < 9; i++) {
        query_expression *x = moment("2024-12-30 23:05:09");
        is_number(CALL(QUERY_EXTRACT, WHOLE, text(units[i]), x), parts[i]);
        if (i < 8) is_text(CALL(QUERY_DATE_TRUNC, stamp, text(units[i]), x), starts[i]);
    }
    is_text(CALL(QUERY_DATE_TRUNC, date, text("week"), moment("2023-01-01")), "2022-12-26");
    is_text(CALL(QUERY_DATE_ADD, date, moment("2024-01-31"), number(1), number(0)), "2024-02-29");
    is_text(CALL(QUERY_DATE_ADD, date, moment("2024-01-31"), number(-2), number(1)), "2023-12-01");
    is_text(CALL(QUERY_DATE_ADD, date, moment("9999-12-31"), number(0), number(1)), NULL);
    is_text(CALL(QUERY_DATE_ADD, date, moment("0001-01-01"), number(-1), number(0)), NULL);
    is_text(CALL(QUERY_DATE_ADD, date, moment("2024-01-31"), number(1e300), number(0)), NULL);
    is_number(CALL(QUERY_DATE_DIFF, WHOLE, moment("2024-03-01"), moment("2024-02-28")), 2);
    is_number(CALL(QUERY_DATE_DIFF, WHOLE, moment("2024-02-30"), moment("2024-02-28")), NAN);
    is_number(CALL(QUERY_EXTRACT, WHOLE, text("century"), moment("2024-03-01")), NAN);
}

static void casts(void **state)
{
    const dusk_type stamp = DUSK_TYPE_TIMESTAMP, date = DUSK_TYPE_DATE;
    (void)state;
    is_number(CALL(QUERY_TO_INTEGER, WHOLE, number(2.5)), 3);
    is_number(CALL(QUERY_TO_INTEGER, WHOLE, number(1e19)), NAN);
    is_number(CALL(QUERY_TO_INTEGER, WHOLE, text(" 12 ")), 12);
    is_number(CALL(QUERY_TO_INTEGER, WHOLE, text("twelve")), NAN);
    is_number(CALL(QUERY_TO_REAL, REAL, text("1.25e2")), 125);
    is_number(CALL(QUERY_TO_BOOLEAN, TRUTH, text("Yes")), 1);
    is_number(CALL(QUERY_TO_BOOLEAN, TRUTH, text("maybe")), NAN);
    is_number(CALL(QUERY_TO_BOOLEAN, TRUTH, number(0)), 0);
    is_text(CALL(QUERY_TO_TEXT, TEXT, number(0.1)), "0.1");
    is_text(CALL(QUERY_TO_TEXT, TEXT, truth(1)), "true");
    is_text(CALL(QUERY_TO_TEXT, TEXT, moment("2024-02-28")), "2024-02-28");
    is_text(CALL(QUERY_TO_DATE, date, text("2024-02-28 12:00:00")), "2024-02-28");
    is_text(CALL(QUERY_TO_DATE, date, text("2024-02-30")), NULL);
    is_text(CALL(QUERY_TO_TIMESTAMP, stamp, moment("2024-02-28")), "2024-02-28 00:00:00");
}

/* --- intervals ------------------------------------------------------------------------------------------- */

enum { COLUMNS = 3 };

static query_expression *random_expression(int depth)
{
    static const query_function twos[] = { QUERY_ADD,    QUERY_SUBTRACT, QUERY_MULTIPLY, QUERY_DIVIDE,
                                           QUERY_LEAST,  QUERY_GREATEST, QUERY_COALESCE, QUERY_POWER,
                                           QUERY_MODULO, QUERY_NULLIF };
    static const query_function ones[] = { QUERY_NEGATE, QUERY_ABS,        QUERY_ROUND,  QUERY_FLOOR,
                                           QUERY_CEIL,   QUERY_SIGN,       QUERY_SQRT,   QUERY_EXP,
                                           QUERY_LN,     QUERY_TO_INTEGER, QUERY_TO_REAL };
    if (depth == 0 || below(5) == 0)
        return below(3) ? column(below(COLUMNS)) : number((double)below(9) / 2 - 2);
    query_expression *a = random_expression(depth - 1), *b = random_expression(depth - 1);
    switch (below(5)) {
    case 0: {
        query_function f = ones[below(11)];
        return CALL(f, f == QUERY_TO_INTEGER ? WHOLE : REAL, a);
    }
    case 1: return CALL(QUERY_ROUND, REAL, a, number((double)below(5) - 2));
    case 2: return CALL(QUERY_CASE, REAL, CALL(QUERY_LESS, TRUTH, below(2) ? number(1) : a, number(0)), a, b);
    default: return CALL(twos[below(10)], REAL, a, b);
    }
}

static void intervals_hold_for_every_point_of_the_box(void **state)
{
    unsigned known = 0, checked = 0;
    (void)state;
    for (int round = 0; round < 4000; round++) {
        query_expression *e = random_expression(1 + (int)below(4));
        dusk_cell box[COLUMNS], point[COLUMNS];
        for (int i = 0; i < COLUMNS; i++) {
            double low = (double)below(2000) / 97 - 10, high = low + (double)below(500) / 61;
            box[i] = (dusk_cell){ .type = REAL, .number = low / 2 + high / 2, .low = low, .high = high };
            if (below(10) == 0) box[i].high = INFINITY;
        }
        dusk_cell whole = value_of(e, box);
        if (!whole.null && isfinite(whole.low)) known++;
        for (int at = 0; at < 12 && !whole.null; at++) {
            for (int i = 0; i < COLUMNS; i++) {
                double top = isfinite(box[i].high) ? box[i].high : box[i].low + 1e6;
                double x = at == 0   ? box[i].low
                           : at == 1 ? top
                                     : box[i].low + (top - box[i].low) * (double)below(101) / 100;
                x = fmin(fmax(x, box[i].low), top);
                point[i] = (dusk_cell){ .type = REAL, .exact = true, .number = x, .low = x, .high = x };
            }
            dusk_cell one = value_of(e, point);
            if (one.null) continue;
            checked++;
            /* to nearest on the one hand, outward on the other: a little apart in the last place */
            double slack = 1e-9 * (1 + fabs(one.number));
            if (!(whole.low <= one.number + slack && one.number - slack <= whole.high))
                fail_msg("function %d: %.17g is not in [%.17g, %.17g]", (int)e->function, one.number,
                         whole.low, whole.high);
        }
    }
    assert_true(known > 1000 && checked > 10000);
}

/* A noisy condition leaves nothing certain; an exact one does. */
static void choices_are_as_certain_as_their_conditions(void **state)
{
    const dusk_cell noisy = { .type = REAL, .number = 5, .low = 4, .high = 6 };
    query_expression *by_noise =
        CALL(QUERY_CASE, REAL, CALL(QUERY_LESS, TRUTH, column(0), number(9)), number(1), number(2));
    query_expression *exact = CALL(QUERY_CASE, REAL, truth(1), column(0), number(2));
    (void)state;
    dusk_cell a = value_of(by_noise, &noisy), b = value_of(exact, &noisy);
    assert_true(a.number == 1 && !a.exact && a.low == -INFINITY && a.high == INFINITY);
    assert_true(b.number == 5 && !b.exact && b.low == 4 && b.high == 6);
}

static int open_arena(void **state)
{
    (void)state;
    return query_arena_new(&arena, NULL) != DUSK_OK;
}

static int close_arena(void **state)
{
    (void)state;
    query_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(choices),
        cmocka_unit_test(three_values),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(words),
        cmocka_unit_test(dates),
        cmocka_unit_test(casts),
        cmocka_unit_test(intervals_hold_for_every_point_of_the_box),
        cmocka_unit_test(choices_are_as_certain_as_their_conditions),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
