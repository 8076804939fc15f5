/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions of the SQLite engine: each has a value or NULL for whatever it is given, and none
 * raises an error (A11, A13). */
#include <math.h>

#include "table_asks.h"

static dusk_schema *schema;
static dusk_engine *engine;

static int begin(void **state)
{
    static const char *const columns[][2] = { { "v", "text" } };
    if (files_begin(state) != 0) return -1;
    schema = schema_of(files_text("v.csv", "v\n0.1\n0.2\n1e308\n1e308\n-1e308\nabc\ninf\n-1e308\n\n0.3\n"),
                       columns, 1);
    engine = open_engine(schema);
    return 0;
}

static int end(void **state)
{
    engine->class->close(engine);
    dusk_schema_free(schema);
    return files_end(state);
}

/* One expression; its answer as the type of the letter. */
static void check(const char *expression, char type, const char *wanted)
{
    char sql[400], types[2] = { type, '\0' };
    snprintf(sql, sizeof sql, "SELECT %s", expression);
    const char *answer = ask(engine, types, sql);
    if (strcmp(answer, wanted) != 0) fail_msg("%s is %s, not %s", expression, answer, wanted);
}

static void casts(void **state)
{
    (void)state;
    check("dusk_to_integer(2.5)", 'i', "3");
    check("dusk_to_integer(-2.5)", 'i', "-3");
    check("dusk_to_integer(' 12 ')", 'i', "12");
    check("dusk_to_integer('12.0')", 'i', "-");
    check("dusk_to_integer(9.3e18)", 'i', "-");
    check("dusk_to_integer('abc')", 'i', "-");
    check("dusk_to_integer(NULL)", 'i', "-");
    check("dusk_to_real('1e400')", 'r', "inf");
    check("dusk_to_real('nan')", 'r', "-");
    check("dusk_to_real(x'ff')", 'r', "-");
    check("dusk_to_text(0.1)", 't', "[0.1]");
    check("dusk_to_text(1e21)", 't', "[1e+21]");
    check("dusk_to_text(9223372036854775807)", 't', "[9223372036854775807]");
    check("dusk_to_text(x'61ff00')", 't', "[a\xEF\xBF\xBD\xEF\xBF\xBD]");
    check("dusk_to_boolean('Yes')", 'i', "1");
    check("dusk_to_boolean(0.0)", 'i', "0");
    check("dusk_to_boolean(7)", 'i', "1");
    check("dusk_to_boolean('7')", 'i', "-");
    check("dusk_to_date('2024-02-29 12:00:00')", 't', "[2024-02-29]");
    check("dusk_to_date('2023-02-29')", 't', "-");
    check("dusk_to_date(20240229)", 't', "-");
    check("dusk_to_timestamp('2024-02-29')", 't', "[2024-02-29 00:00:00]");
    check("dusk_field(0, 0, 5)", 't', "[5]");
    check("dusk_field(0, 1, 5)", 't', "-");
    check("dusk_field(-1, 0, 5)", 't', "-");
    check("dusk_field('x', 'y', 5)", 't', "[5]"); /* words are 0 */
}

static void numbers(void **state)
{
    (void)state;
    check("dusk_divide(1, 4)", 'r', "0.25");
    check("dusk_divide(1, 0)", 'r', "-");
    check("dusk_divide(0, 0.0)", 'r', "-");
    check("dusk_divide(1e308, 1e-308)", 'r', "-");
    check("dusk_divide('6', ' 3')", 'r', "2");
    check("dusk_modulo(-7, 3)", 'i', "-1");
    check("dusk_modulo(7, 0)", 'i', "-");
    check("dusk_modulo(-9223372036854775807 - 1, -1)", 'i', "0");
    check("dusk_modulo(1e300, 3)", 'i', "-");
    check("dusk_power(2, 10)", 'r', "1024");
    check("dusk_power(-1, 0.5)", 'r', "-");
    check("dusk_power(0, -1)", 'r', "-");
    check("dusk_power(10, 400)", 'r', "-");
    check("dusk_ln(1)", 'r', "0");
    check("dusk_ln(0)", 'r', "-");
    check("dusk_ln(-1)", 'r', "-");
    check("dusk_exp(1000)", 'r', "-");
    check("dusk_exp(-1000)", 'r', "0");
    check("dusk_sqrt(-1)", 'r', "-");
    check("dusk_sqrt(2.25)", 'r', "1.5");
    check("dusk_floor(-1.5)", 'r', "-2");
    check("dusk_ceil(-1.5)", 'r', "-1");
    check("dusk_finite(9e999)", 'r', "-");
    check("dusk_finite(-0.0)", 'r', "0");
    check("dusk_round(2.5, 0)", 'r', "3");
    check("dusk_round(-2.5, 0)", 'r', "-3");
    check("dusk_round(1.25, 1)", 'r', "1.3");
    check("dusk_round(1250, -2)", 'r', "1300");
    check("dusk_round(-1249.9, -2)", 'r', "-1200");
    check("dusk_round(4503599627370497.5, 1)", 'r', "4503599627370498");
    check("dusk_round(1e300, 15)", 'r', "1e+300");
    check("dusk_round(1.5, 16)", 'r', "-");
    check("dusk_round('x', 0)", 'r', "-");
}

/* A5, A6: the exact sum, rounded once; no overflow is an error, and nothing not finite comes in. */
static void sums(void **state)
{
    (void)state;
    assert_string_equal(ask(engine, "r", "SELECT dusk_sum(c0) FROM t0"), "0.6");
    assert_string_equal(ask(engine, "rr", "SELECT dusk_sum(c0), dusk_avg(c0) FROM t0 WHERE c0 = 'abc'"),
                        "- -");
    assert_string_equal(
        ask(engine, "rr", "SELECT dusk_sum(c0), dusk_avg(c0) FROM t0 WHERE c0 < '0.3' AND c0 > '0'"),
        "0.30000000000000004 0.15000000000000002");
    assert_string_equal(ask(engine, "r", "SELECT dusk_sum(9223372036854775807) FROM t0"),
                        "9.223372036854776e+19");
    assert_string_equal(ask(engine, "r", "SELECT dusk_sum(1e308) FROM t0"), "-");
}

static void texts(void **state)
{
    (void)state;
    check("dusk_lower('ÄBCZ[')", 't', "[Äbcz[]");
    check("dusk_upper('äbcz{')", 't', "[äBCZ{]");
    check("dusk_upper(NULL)", 't', "-");
    check("dusk_like('abc', 'a%')", 'i', "1");
    check("dusk_like('abc', 'A%')", 'i', "0");
    check("dusk_like('abc', 'a_c')", 'i', "1");
    check("dusk_like('a\xC3\xA4"
          "c', 'a_c')",
          'i', "1");
    check("dusk_like('abc', '_')", 'i', "0");
    check("dusk_like('', '%')", 'i', "1");
    check("dusk_like('', '')", 'i', "1");
    check("dusk_like('', '_')", 'i', "0");
    check("dusk_like('50%', '50\\%')", 'i', "1");
    check("dusk_like('500', '50\\%')", 'i', "0");
    check("dusk_like('a\\', 'a\\')", 'i', "1");
    check("dusk_like('special packages requests', '%special%requests%')", 'i', "1");
    check("dusk_like('aXbXc', '%X%X%X%')", 'i', "0");
    check("dusk_like('mississippi', 'm%iss%ip%i')", 'i', "1");
    check("dusk_like(NULL, '%')", 'i', "-");
    check("dusk_like('x', NULL)", 'i', "-");
    /* Many stars are no reason to take for ever. */
    check("dusk_like(replace(dusk_to_text(1e15), '0', 'aaaaaaaaaaaaaaaaaaaa'), '%a%a%a%a%a%a%a%a%a%a%b')",
          'i', "0");
}

static void times(void **state)
{
    (void)state;
    check("dusk_extract('year', '1998-12-01')", 'i', "1998");
    check("dusk_extract('Quarter', '1998-12-01')", 'i', "4");
    check("dusk_extract('week', '2021-01-03')", 'i', "53");
    check("dusk_extract('week', '2021-01-04')", 'i', "1");
    check("dusk_extract('week', '2024-12-30')", 'i', "1");
    check("dusk_extract('week', '9999-12-31')", 'i', "52");
    check("dusk_extract('week', '0001-01-01')", 'i', "1");
    check("dusk_extract('dow', '2024-03-03')", 'i', "0");
    check("dusk_extract('dow', '0001-01-01')", 'i', "1");
    check("dusk_extract('hour', '1998-12-01 13:14:15')", 'i', "13");
    check("dusk_extract('second', '1998-12-01')", 'i', "0");
    check("dusk_extract('century', '1998-12-01')", 'i', "-");
    check("dusk_extract(NULL, '1998-12-01')", 'i', "-");
    check("dusk_extract('year', 'soon')", 'i', "-");
    check("dusk_trunc('month', '1998-12-31')", 't', "[1998-12-01]");
    check("dusk_trunc('quarter', '1998-11-30 10:11:12')", 't', "[1998-10-01 00:00:00]");
    check("dusk_trunc('week', '2024-03-03')", 't', "[2024-02-26]");
    check("dusk_trunc('week', '0001-01-01')", 't', "[0001-01-01]");
    check("dusk_trunc('hour', '1998-11-30 10:11:12')", 't', "[1998-11-30 10:00:00]");
    check("dusk_trunc('second', '1998-11-30T10:11:12.5')", 't', "[1998-11-30 10:11:12]");
    check("dusk_trunc('dow', '1998-11-30')", 't', "-");
    check("dusk_add('2024-01-31', 1, 0)", 't', "[2024-02-29]");
    check("dusk_add('2023-01-31', 1, 1)", 't', "[2023-03-01]");
    check("dusk_add('1998-12-01', 0, -90)", 't', "[1998-09-02]");
    check("dusk_add('1998-12-01 10:00:00', -12, 0)", 't', "[1997-12-01 10:00:00]");
    check("dusk_add('9999-12-31', 0, 1)", 't', "-");
    check("dusk_add('0001-01-01', -1, 0)", 't', "-");
    check("dusk_add('2000-01-01', 9223372036854775807, 1)", 't', "-");
    check("dusk_add('x', 1, 1)", 't', "-");
    check("dusk_days('2024-03-01', '2024-02-28')", 'i', "2");
    check("dusk_days('0001-01-01', '9999-12-31')", 'i', "-3652058");
    check("dusk_days('2024-03-01 00:00:01', '2024-02-29 23:59:59')", 'i', "1");
    check("dusk_days('x', '2024-02-28')", 'i', "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts), cmocka_unit_test(numbers), cmocka_unit_test(sums),
        cmocka_unit_test(texts), cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
