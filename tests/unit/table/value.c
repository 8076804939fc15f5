/* SPDX-License-Identifier: Apache-2.0 */
/* Values out of text, and the calendar. */
#include "table/value.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "support.h"
#include "table/calendar.h"

static void whole_numbers(void **state)
{
    int64_t x = 0;
    (void)state;
#define IS(text, value) assert_true(table_read_integer(&x, text, strlen(text)) && x == (value))
#define NOT(text) assert_false(table_read_integer(&x, text, strlen(text)))
    IS("0", 0);
    IS("-0", 0);
    IS(" +007\t", 7);
    IS("9223372036854775807", INT64_MAX);
    IS("-9223372036854775808", INT64_MIN);
    IS("00000000000000000000000000012", 12);
    NOT("9223372036854775808");
    NOT("-9223372036854775809");
    NOT("99999999999999999999999");
    NOT("");
    NOT(" ");
    NOT("-");
    NOT("+-1");
    NOT("1 2");
    NOT("1.0");
    NOT("1e3");
    NOT("0x10");
    NOT("1\n");
    assert_false(table_read_integer(&x, "1\0", 2));
#undef IS
#undef NOT
}

static void reals(void **state)
{
    double x = 0;
    (void)state;
#define IS(text, value) assert_true(table_read_real(&x, text, strlen(text)) && x == (value))
#define NOT(text) assert_false(table_read_real(&x, text, strlen(text)))
    IS("0.1", 0.1);
    IS(" -.5 ", -0.5);
    IS("5.", 5);
    IS("+1e3", 1000);
    IS("1E-400", 0);
    IS("1e400", INFINITY);
    IS("inf", INFINITY);
    IS("-Infinity", -INFINITY);
    IS("179769313486231580793728971405301e276", 0x1.fffffffffffffp1023);
    IS("4.9406564584124654e-324", 0x1p-1074);
    NOT("nan");
    NOT("NaN");
    NOT("-nan");
    NOT("0x1p3");
    NOT("1,5");
    NOT("1.2.3");
    NOT("e5");
    NOT("");
    NOT("1e");
    NOT("--1");
    NOT("infinit");
#undef IS
#undef NOT
}

static void truths(void **state)
{
    bool x;
    (void)state;
    assert_true(table_read_boolean(&x, "TRUE", 4) && x);
    assert_true(table_read_boolean(&x, " t", 2) && x);
    assert_true(table_read_boolean(&x, "No", 2) && !x);
    assert_true(table_read_boolean(&x, "0", 1) && !x);
    assert_true(table_read_boolean(&x, "off", 3) && !x);
    assert_false(table_read_boolean(&x, "2", 1));
    assert_false(table_read_boolean(&x, "", 0));
    assert_false(table_read_boolean(&x, "truely", 6));
}

static void whole_of_reals(void **state)
{
    int64_t n;
    (void)state;
    assert_true(table_whole(&n, 2.5) && n == 3);
    assert_true(table_whole(&n, -2.5) && n == -3);
    assert_true(table_whole(&n, 0.49999999999999994) && n == 0);
    assert_true(table_whole(&n, -0x1p63) && n == INT64_MIN);
    assert_false(table_whole(&n, 0x1p63));
    assert_false(table_whole(&n, NAN));
    assert_false(table_whole(&n, INFINITY));
}

/* Every day of ten thousand years, there and back, in the order of the calendar. */
static void days_are_counted(void **state)
{
    table_time t, next;
    (void)state;
    assert_false(table_from_days(&t, -719163));
    assert_true(table_from_days(&t, -719162));
    assert_true(t.year == 1 && t.month == 1 && t.day == 1);
    for (int64_t day = -719162; day < 2932896; day++) {
        assert_true(table_from_days(&next, day + 1));
        bool month_ends = t.day == table_days_in_month(t.year, t.month),
             year_ends = month_ends && t.month == 12;
        if (table_days(&t) != day || next.day != (month_ends ? 1 : t.day + 1) ||
            next.month != (year_ends ? 1 : t.month + month_ends) || next.year != t.year + year_ends)
            fail_msg("day %lld", (long long)day);
        t = next;
    }
    assert_true(t.year == 9999 && t.month == 12 && t.day == 31);
    assert_false(table_from_days(&t, 2932897));
    assert_int_equal(table_days_in_month(1900, 2), 28);
    assert_int_equal(table_days_in_month(2000, 2), 29);
    assert_int_equal(table_days_in_month(2024, 2), 29);
    assert_true(table_from_days(&t, 11016) && t.year == 2000 && t.month == 2 && t.day == 29);
}

static void times_are_strict(void **state)
{
    static const struct {
        const char *text, *date, *timestamp;
    } good[] = {
        { "1998-12-01", "1998-12-01", "1998-12-01 00:00:00" },
        { " 1998-12-01\t", "1998-12-01", "1998-12-01 00:00:00" },
        { "2024-02-29T23:59:59Z", "2024-02-29", "2024-02-29 23:59:59" },
        { "0001-01-01 00:00:00.5", "0001-01-01", "0001-01-01 00:00:00" },
        { "9999-12-31 12:34", "9999-12-31", "9999-12-31 12:34:00" },
    };
    static const char *const bad[] = { "",
                                       "1998-12",
                                       "1998-13-01",
                                       "1998-00-01",
                                       "1998-02-29",
                                       "1900-02-29",
                                       "1998-12-32",
                                       "1998-12-00",
                                       "0000-01-01",
                                       "98-12-01",
                                       "1998/12/01",
                                       "1998-1-1",
                                       "10000-01-01",
                                       "-998-12-01",
                                       "1998-12-01 24:00:00",
                                       "1998-12-01 12:60:00",
                                       "1998-12-01 12:00:60",
                                       "1998-12-01x",
                                       "1998-12-01 12:00:00.",
                                       "1998-12-01 ." };
    char out[TABLE_VALUE_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(table_canonical(out, DUSK_TYPE_DATE, good[i].text, strlen(good[i].text)));
        assert_string_equal(out, good[i].date);
        assert_true(table_canonical(out, DUSK_TYPE_TIMESTAMP, good[i].text, strlen(good[i].text)));
        assert_string_equal(out, good[i].timestamp);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (table_canonical(out, DUSK_TYPE_DATE, bad[i], strlen(bad[i]))) fail_msg("%s is a day", bad[i]);
}

static void canonical_forms(void **state)
{
    char out[TABLE_VALUE_MAX];
    (void)state;
    assert_true(table_canonical(out, DUSK_TYPE_REAL, "2.50", 4));
    assert_string_equal(out, "2.5");
    assert_true(table_canonical(out, DUSK_TYPE_REAL, "-0", 2));
    assert_string_equal(out, "0");
    assert_true(table_canonical(out, DUSK_TYPE_REAL, "1e5", 3));
    assert_string_equal(out, "100000");
    assert_true(table_canonical(out, DUSK_TYPE_BOOLEAN, "y", 1));
    assert_string_equal(out, "true");
    assert_false(table_canonical(out, DUSK_TYPE_TEXT, "y", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),    cmocka_unit_test(reals),
        cmocka_unit_test(truths),           cmocka_unit_test(whole_of_reals),
        cmocka_unit_test(days_are_counted), cmocka_unit_test(times_are_strict),
        cmocka_unit_test(canonical_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
