/* SPDX-License-Identifier: Apache-2.0 */
/* Casts and the rules of columns, by themselves and through the engine: a field means the same in a
 * text file as in a database, whatever it holds. */
#include "table/cast.h"

#include <math.h>

#include "table_asks.h"

/* --- rules by themselves ---------------------------------------------------------------------- */

static dusk_schema *one_column(const char *type, const char *domain, const char *nullable)
{
    static const char *const none[][2] = { { "", "" } };
    dusk_schema *s = schema_of("x.csv", none, 0);
    declare(s, "t.c", "type", type);
    if (domain) declare(s, "t.c", "domain", domain);
    if (nullable) declare(s, "t.c", "nullable", nullable);
    return s;
}

static void casts_between_types(void **state)
{
    table_value v;
    (void)state;
    table_cast_integer(&v, DUSK_TYPE_TEXT, INT64_MIN);
    assert_true(!v.null && v.length == 20 && memcmp(v.text, "-9223372036854775808", 20) == 0);
    table_cast_integer(&v, DUSK_TYPE_BOOLEAN, -3);
    assert_true(!v.null && v.integer == 1);
    table_cast_integer(&v, DUSK_TYPE_DATE, 3);
    assert_true(v.null);
    table_cast_real(&v, DUSK_TYPE_INTEGER, 1e19);
    assert_true(v.null);
    table_cast_real(&v, DUSK_TYPE_INTEGER, NAN);
    assert_true(v.null);
    table_cast_real(&v, DUSK_TYPE_REAL, NAN);
    assert_true(v.null);
    table_cast_real(&v, DUSK_TYPE_TEXT, INFINITY);
    assert_true(!v.null && v.length == 3 && memcmp(v.text, "inf", 3) == 0);
    table_cast_real(&v, DUSK_TYPE_TIMESTAMP, 0);
    assert_true(v.null);
    table_cast_text(&v, DUSK_TYPE_TEXT, "", 0);
    assert_true(!v.null && v.length == 0);
}

/* A domain of a thousand values lets those in, and nothing else. */
static void large_domains(void **state)
{
    char domain[8000];
    dusk_text text;
    table_rule rule;
    table_value v;
    (void)state;
    dusk_text_init(&text, domain, sizeof domain);
    for (int i = 0; i < 1000; i++) dusk_text_add(&text, i ? ",%d" : "%d", 7 * i - 3000);
    for (int as_text = 0; as_text < 2; as_text++) {
        dusk_schema *s = one_column(as_text ? "text" : "integer", domain, NULL);
        assert_int_equal(table_rule_init(&rule, &s->table[0].column[0], &err), DUSK_OK);
        dusk_schema_free(s); /* the rule stands on its own */
        for (int i = -4000; i < 5000; i++) {
            char digits[16];
            int n = snprintf(digits, sizeof digits, "%d", i);
            table_cast_text(&v, rule.type, digits, (size_t)n);
            table_rule_apply(&rule, &v);
            assert_int_equal(v.null, i < -3000 || i > 3993 || (i + 3000) % 7 != 0);
        }
        table_rule_clear(&rule);
    }
}

static void domains_of_numbers_and_times(void **state)
{
    static const struct {
        const char *type, *domain, *in, *out;
    } cases[] = {
        { "real", "0,2.5,1e300", "-0", "2.4" },
        { "real", "0,2.5,1e300", "25e-1", "inf" },
        { "boolean", "true", "YES", "f" },
        { "date", "2020-02-29", "2020-02-29T10:00", "2020-02-28" },
        { "timestamp", "2020-02-29", "2020-02-29 00:00:00.9", "2020-02-29 00:00:01" },
        { "text", "a,", "", "b" },
        { "integer", "-9223372036854775808", " -9223372036854775808", "0" },
    };
    table_rule rule;
    table_value v;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dusk_schema *s = one_column(cases[i].type, cases[i].domain, NULL);
        assert_int_equal(table_rule_init(&rule, &s->table[0].column[0], &err), DUSK_OK);
        table_cast_text(&v, rule.type, cases[i].in, strlen(cases[i].in));
        table_rule_apply(&rule, &v);
        if (v.null) fail_msg("%s is not in %s", cases[i].in, cases[i].domain);
        table_cast_text(&v, rule.type, cases[i].out, strlen(cases[i].out));
        table_rule_apply(&rule, &v);
        if (!v.null) fail_msg("%s is in %s", cases[i].out, cases[i].domain);
        table_rule_clear(&rule);
        dusk_schema_free(s);
    }
}

static void what_a_null_counts_as(void **state)
{
    static const struct {
        const char *bounds;
        double wanted;
    } cases[] = { { NULL, 0 }, { "-5:10", 0 }, { "2:7", 2 }, { "-9:-4", -4 }, { "0:1", 0 } };
    table_rule rule;
    table_value v;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int whole = 0; whole < 2; whole++) {
            dusk_schema *s = one_column(whole ? "integer" : "real", NULL, "no");
            if (cases[i].bounds) declare(s, "t.c", "bounds", cases[i].bounds);
            assert_int_equal(table_rule_init(&rule, &s->table[0].column[0], &err), DUSK_OK);
            v = (table_value){ .null = true };
            table_rule_apply(&rule, &v);
            assert_true(!v.null && (whole ? (double)v.integer : v.real) == cases[i].wanted);
            table_rule_clear(&rule);
            dusk_schema_free(s);
        }
}

/* --- text files and databases -------------------------------------------------------------------- */

static const char *const nasty[] = {
    "",
    "0",
    "-0",
    "1",
    "+1",
    "01",
    "1.0",
    "1.5",
    "-2.5",
    "1e3",
    "1e400",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "true",
    "F",
    "yes",
    "null",
    "NULL",
    "\"",
    "\"\"",
    ",",
    "a,b",
    "a\nb",
    "a\r\nb",
    "\\",
    "'",
    "x",
    "\xC3\xA4",
    "\xC3",
    "\xFF",
    "2020-02-29",
    "2021-02-29",
    "2020-02-29 10:00",
    "2020-02-29T10:00:00Z",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "0x10",
    "1,5",
    "1 2",
    "--",
    "-",
    "+",
    ".",
    "1e",
    "\xEF\xBB\xBF",
};
enum { NASTY = sizeof nasty / sizeof *nasty };

static void put_quoted(dusk_text *out, const char *text, char quote)
{
    dusk_text_add(out, "%c", quote);
    for (; *text; text++) dusk_text_add(out, *text == quote ? "%c%c" : "%c", *text, quote);
    dusk_text_add(out, "%c", quote);
}

static void make_both(const char **file, char source[200])
{
    static char text[4096], sql[8192];
    dusk_text csv, script;
    dusk_text_init(&csv, text, sizeof text);
    dusk_text_init(&script, sql, sizeof sql);
    dusk_text_add(&csv, "c\n");
    dusk_text_add(&script, "CREATE TABLE v(c TEXT);");
    for (size_t i = 0; i < NASTY; i++) {
        put_quoted(&csv, nasty[i], '"');
        dusk_text_add(&csv, "\n");
        dusk_text_add(&script, "INSERT INTO v VALUES (");
        put_quoted(&script, nasty[i], '\'');
        dusk_text_add(&script, ");");
    }
    dusk_text_add(&csv, "\n"); /* NULL */
    dusk_text_add(&script, "INSERT INTO v VALUES (NULL);");
    assert_true(!csv.overflow && !script.overflow);
    *file = files_write("nasty.csv", text, csv.length);
    database(files_path("nasty.db"), sql);
    snprintf(source, 200, "%s#v", files_path("nasty.db"));
}

static void text_and_databases_agree(void **state)
{
    static const struct {
        const char *type, *cells, *domain;
    } cases[] = { { "integer", "i", "1,3" },     { "real", "r", "1,1000,2.5" },
                  { "text", "t", "x,1,\"" },     { "boolean", "i", "true" },
                  { "date", "t", "2020-02-29" }, { "timestamp", "t", "2020-02-29 10:00:00" } };
    const char *file;
    char source[200], first[8192];
    (void)state;
    make_both(&file, source);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int how = 0; how < 4; how++) {
            dusk_schema *s =
                one_column(cases[i].type, how & 1 ? cases[i].domain : NULL, how & 2 ? "no" : "yes");
            declare(s, "t", "source", file);
            dusk_engine *e = open_engine(s);
            snprintf(first, sizeof first, "%s", ask(e, cases[i].cells, "SELECT c0 FROM t0"));
            e->class->close(e);
            declare(s, "t", "source", source);
            e = open_engine(s);
            assert_string_equal(ask(e, cases[i].cells, "SELECT c0 FROM t0"), first);
            assert_true((how & 2) == 0 || !strstr(first, "- ") || cases[i].cells[0] == 't');
            e->class->close(e);
            dusk_schema_free(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_between_types),          cmocka_unit_test(large_domains),
        cmocka_unit_test(domains_of_numbers_and_times), cmocka_unit_test(what_a_null_counts_as),
        cmocka_unit_test(text_and_databases_agree),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
