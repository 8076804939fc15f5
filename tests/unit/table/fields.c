/* SPDX-License-Identifier: Apache-2.0 */
/* Declared fields: their text form, copies, and fields of a schema. */
#include "table/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dusk/ledger.h"
#include "failing_memory.h"
#include "support.h"

static dusk_fields *parsed(const char *text)
{
    dusk_fields *fields;
    dusk_error err;
    if (dusk_fields_parse(&fields, text, &err) != DUSK_OK) fail_msg("%s", err.message);
    return fields;
}

static void kinds(void **state)
{
    (void)state;
    dusk_fields *f = parsed("# people\n"
                            "age numeric 17:90\n"
                            "  income\tnumeric -0:250000 missing 30000 # a year\r\n"
                            "\"hours, a week\" numeric 0:1e2\n"
                            "sex category Female,Male\n"
                            "job category \"a b\" , c\\,d, \"e#\\\"\", \\\\ ,\"\"\n"
                            "pixel[3] numeric 0:255\n"
                            "\"pixel[2]\" category x\n"
                            "unit person\n"
                            "rows_per_unit 7");
    assert_int_equal(f->count, 9);
    assert_string_equal(f->unit, "person");
    assert_int_equal(f->rows_per_unit, 7);
    assert_true(f->field[0].lower == 17 && f->field[0].upper == 90 && f->field[0].missing == 53.5);
    assert_true(f->field[1].missing == 30000 && !signbit(f->field[1].lower));
    assert_string_equal(f->field[2].name, "hours, a week");
    assert_int_equal(f->field[3].kind, DUSK_FIELD_CATEGORY);
    assert_string_equal(f->field[3].value[1], "Male");
    static const char *const jobs[] = { "a b", "c,d", "e#\"", "\\", "" };
    assert_int_equal(f->field[4].values, 5);
    for (size_t i = 0; i < 5; i++) assert_string_equal(f->field[4].value[i], jobs[i]);
    assert_string_equal(f->field[5].name, "pixel0");
    assert_string_equal(f->field[7].name, "pixel2");
    assert_string_equal(f->field[8].name, "pixel[2]");
    assert_int_equal(dusk_fields_find(f, "PIXEL1"), 6);
    assert_int_equal(dusk_fields_find(f, "pixel"), DUSK_NO_LINK);
    dusk_fields_free(f);
    dusk_fields_free(NULL);
}

/* Fields may be called what lines begin with. */
static void names_of_facts(void **state)
{
    (void)state;
    dusk_fields *f =
        parsed("unit numeric 0:1\nrows_per_unit category a\nnumeric numeric 1:2\nunit numeric\n");
    assert_int_equal(f->count, 3);
    assert_string_equal(f->unit, "numeric");
    dusk_fields_free(f);
    f = parsed("\xEF\xBB\xBF"
               "a numeric 0:1\n");
    assert_string_equal(f->field[0].name, "a");
    dusk_fields_free(f);
    f = parsed("");
    assert_int_equal(f->count, 0);
    assert_string_equal(f->unit, "row");
    assert_int_equal(f->rows_per_unit, 1);
    dusk_fields_free(f);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a",
        "a numeric",
        "a number 0:1",
        "a numeric 0",
        "a numeric 1:1",
        "a numeric 2:1",
        "a numeric 0:inf",
        "a numeric nan:1",
        "a numeric 0:1 missing",
        "a numeric 0:1 missing 2",
        "a numeric 0:1 missing nan",
        "a numeric 0:1 absent 0",
        "a numeric 0:1 missing 0 more",
        "a numeric 0:1,2:3",
        "a category x,",
        "a category ,x",
        "a category x y",
        "a category x,x",
        "a category \"x",
        "a category \\q",
        "a category \\",
        "a category \xff",
        "\xff numeric 0:1",
        "\"\" numeric 0:1",
        "[3] numeric 0:1",
        "a[] numeric 0:1",
        "a[0] numeric 0:1",
        "a[-1] numeric 0:1",
        "a[65537] numeric 0:1",
        "a[99999999999999999999] numeric 0:1",
        "a[40000] numeric 0:1 \nb[40000] numeric 0:1",
        "a,b numeric 0:1",
        "unit",
        "unit \"\"",
        "unit \xff",
        "rows_per_unit 0",
        "rows_per_unit 4294967296",
        "rows_per_unit 1.5",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        dusk_fields *f;
        dusk_error err;
        snprintf(text, sizeof text, "# first\nok category 1\n%s\n", bad[i]);
        if (dusk_fields_parse(&f, text, &err) != DUSK_ERR_PARSE) fail_msg("taken: %s", bad[i]);
        assert_null(f);
        assert_int_equal(err.status, DUSK_ERR_PARSE);
        assert_non_null(strstr(err.message, i == 30 ? "line 4 " : "line 3 "));
        assert_true(*err.hint);
    }
    dusk_fields *f;
    dusk_error err;
    assert_int_equal(dusk_fields_parse(&f, "a numeric 0:1\nA category x\n", &err), DUSK_ERR_PARSE);
    assert_string_equal(err.message, "two fields are called A");
    assert_int_equal(dusk_fields_parse(&f, "a[2] numeric 0:1\na1 category x\n", NULL), DUSK_ERR_PARSE);
    static const char *const twice[] = { "rows_per_unit 3\na numeric 0:1\nrows_per_unit 1\n",
                                         "unit a\na numeric 0:1\nunit b\n" };
    for (size_t i = 0; i < 2; i++) { /* which of the two is meant? the promise depends on it */
        assert_int_equal(dusk_fields_parse(&f, twice[i], &err), DUSK_ERR_PARSE);
        assert_non_null(strstr(err.message, "line 3 "));
    }
    char name[200];
    memset(name, 'n', sizeof name);
    memcpy(name + 128, " numeric 0:1", sizeof " numeric 0:1");
    assert_int_equal(dusk_fields_parse(&f, name, &err), DUSK_ERR_PARSE);
    f = parsed(name + 1);
    dusk_fields_free(f);
}

static void append(char *text, const char *piece) { memcpy(text + strlen(text), piece, strlen(piece) + 1); }

/* A long name of a unit is cut between characters. */
static void long_units(void **state)
{
    char unit[200] = "x";
    dusk_fields *f;
    (void)state;
    assert_int_equal(table_fields_new(&f, NULL), DUSK_OK);
    for (int i = 0; i < 60; i++) append(unit, "\xc3\xa9");
    table_fields_unit(f, unit);
    assert_int_equal(strlen(f->unit), 63);
    table_fields_unit(f, unit + 1);
    assert_int_equal(strlen(f->unit), 62);
    assert_memory_equal(f->unit, unit + 1, 62);
    dusk_fields_free(f);
}

/* A short text does not ask for all memory. */
static void large_texts(void **state)
{
    enum { VALUES = 70 };
    char text[4096] = "k[65536] category ";
    size_t used = strlen(text);
    dusk_fields *f;
    dusk_error err;
    (void)state;
    for (int v = 0; v < VALUES; v++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sv%d", v ? "," : "", v);
    assert_int_equal(dusk_fields_parse(&f, text, &err), DUSK_ERR_PARSE);
    assert_non_null(strstr(err.message, "2^22"));
    memcpy(text, "k[00512]", 8);
    f = parsed(text);
    assert_int_equal(f->count, 512);
    dusk_fields_free(f);
}

static void assert_same(const dusk_fields *a, const dusk_fields *b)
{
    assert_int_equal(a->count, b->count);
    assert_string_equal(a->unit, b->unit);
    assert_int_equal(a->rows_per_unit, b->rows_per_unit);
    for (size_t i = 0; i < a->count; i++) {
        const dusk_field *x = &a->field[i], *y = &b->field[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->kind, y->kind);
        assert_true(x->lower == y->lower && x->upper == y->upper && x->missing == y->missing);
        assert_int_equal(x->values, y->values);
        for (size_t v = 0; v < x->values; v++) assert_string_equal(x->value[v], y->value[v]);
    }
}

/* Texts of all bytes come back through the text form. */
static void round_trip(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static const char *const pieces[] = { "a",  "#",  ",",        "\\", "\"", " ", "\n",
                                          "\r", "\t", "\xc3\xa9", "[",  "9]", "" };
    for (int round = 0; round < 500; round++) {
        dusk_fields *f, *again;
        char text[2][64], *formatted;
        assert_int_equal(table_fields_new(&f, NULL), DUSK_OK);
        for (int t = 0; t < 2; t++) {
            text[t][0] = '\0';
            for (uint64_t n = splitmix64(&seed) % 6; n > 0; n--)
                append(text[t], pieces[splitmix64(&seed) % (sizeof pieces / sizeof *pieces)]);
        }
        const char *const values[] = { text[0], "other" };
        append(text[1], "n");
        double x = from_bits(splitmix64(&seed)), low = isfinite(x) ? x : 0;
        assert_int_equal(table_fields_add_category(f, text[1], values, 2, NULL), DUSK_OK);
        (void)!table_fields_add_number(f, "x", low, nextafter(low, INFINITY), low, NULL);
        snprintf(f->unit, sizeof f->unit, "u%.32s", text[0]);
        assert_int_equal(dusk_fields_format(f, &formatted, NULL), DUSK_OK);
        again = parsed(formatted);
        assert_same(f, again);
        dusk_ledger_free_text(formatted);
        dusk_fields_free(again);
        dusk_fields_free(f);
    }
}

static void copies(void **state)
{
    (void)state;
    static const char *const keep[] = { "B", "d", "b" }, *const none[] = { "b", "e" };
    dusk_fields
        *f = parsed(
            "a numeric 0:1\nb category x,y\nc category z\nd numeric -5:5 missing 1\nunit u\nrows_per_unit 3"),
        *copy;
    dusk_error err;
    assert_int_equal(dusk_fields_copy(&copy, f, NULL, 0, &err), DUSK_OK);
    assert_same(f, copy);
    dusk_fields_free(copy);
    assert_int_equal(dusk_fields_copy(&copy, f, keep, 3, &err), DUSK_OK);
    assert_int_equal(copy->count, 2);
    assert_string_equal(copy->field[0].name, "b");
    assert_string_equal(copy->field[0].value[1], "y");
    assert_true(copy->field[1].missing == 1 && copy->rows_per_unit == 3);
    dusk_fields_free(copy);
    assert_int_equal(dusk_fields_copy(&copy, f, keep, 0, &err), DUSK_OK);
    assert_int_equal(copy->count, 0);
    dusk_fields_free(copy);
    assert_int_equal(dusk_fields_copy(&copy, f, none, 2, &err), DUSK_ERR_ARGUMENT);
    assert_null(copy);
    assert_string_equal(err.message, "there is no field e");
    dusk_fields_free(f);
}

static void of_a_schema(void **state)
{
    (void)state;
    static const char *const facts[][3] = {
        { "people", "source", "people.csv" },  { "people.id", "type", "integer" },
        { "people.age", "type", "integer" },   { "people.age", "bounds", "17:90" },
        { "people.owed", "type", "real" },     { "people.owed", "bounds", "-9:90" },
        { "people.owed", "nullable", "no" },   { "people.note", "type", "text" },
        { "people.sex", "type", "text" },      { "people.sex", "domain", "f,m" },
        { "people.votes", "type", "boolean" }, { "people", "rows_per_unit", "4" },
        { "", "unit", "people.id" },
    };
    dusk_schema *schema;
    dusk_fields *f, *expected;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        assert_int_equal(dusk_schema_declare(schema, facts[i][0], facts[i][1], facts[i][2], NULL), DUSK_OK);
    assert_int_equal(dusk_fields_from_schema(&f, schema, 0, NULL), DUSK_OK);
    expected = parsed("age numeric 17:90\nowed numeric -9:90 missing 0\nsex category f,m\n"
                      "votes category false,true\nunit people.id\nrows_per_unit 4\n");
    assert_same(f, expected);
    dusk_fields_free(f);
    dusk_fields_free(expected);
    assert_int_equal(dusk_fields_from_schema(&f, schema, 1, NULL), DUSK_ERR_ARGUMENT);
    static const struct {
        const char *unique, *rows, *unit;
        uint32_t rows_per_unit;
    } known[] = { { NULL, "4", "people.id", 4 },
                  { "yes", "4", "people.id", 1 },
                  { "yes", NULL, "people.id", 1 },
                  { NULL, NULL, "row", 1 } }; /* who has how many rows is not known: no more is promised */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(dusk_schema_declare(schema, "people.id", "unique", known[i].unique, NULL), DUSK_OK);
        assert_int_equal(dusk_schema_declare(schema, "people", "rows_per_unit", known[i].rows, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_fields_from_schema(&f, schema, 0, NULL), DUSK_OK);
        assert_string_equal(f->unit, known[i].unit);
        assert_int_equal(f->rows_per_unit, known[i].rows_per_unit);
        dusk_fields_free(f);
    }
    assert_int_equal(dusk_schema_declare(schema, "", "unit", NULL, NULL), DUSK_OK);
    assert_int_equal(dusk_schema_declare(schema, "people", "public", "yes", NULL), DUSK_OK);
    assert_int_equal(dusk_fields_from_schema(&f, schema, 0, NULL), DUSK_OK);
    assert_string_equal(f->unit, "row");
    assert_int_equal(f->rows_per_unit, 1);
    dusk_fields_free(f);
    dusk_schema_free(schema);
}

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/dusk-fields-XXXXXX";
    int file = mkstemp(path);
    dusk_fields *f;
    dusk_error err;
    assert_true(file >= 0);
    assert_int_equal(dusk_fields_read(&f, path, &err), DUSK_OK);
    assert_int_equal(f->count, 0);
    dusk_fields_free(f);
    assert_int_equal(write(file, "a numeric 0:1\n", 14), 14);
    assert_int_equal(dusk_fields_read(&f, path, &err), DUSK_OK);
    assert_int_equal(f->count, 1);
    dusk_fields_free(f);
    assert_int_equal(write(file, "b numeric 0:1\0\n", 15), 15);
    assert_int_equal(dusk_fields_read(&f, path, &err), DUSK_ERR_PARSE);
    assert_null(f);
    close(file);
    unlink(path);
    assert_int_equal(dusk_fields_read(&f, path, &err), DUSK_ERR_IO);
    assert_null(f);
    assert_int_equal(dusk_fields_read(&f, "/tmp", &err), DUSK_ERR_IO);
}

static dusk_status everything(dusk_error *err)
{
    dusk_fields *f = NULL, *copy = NULL;
    char *text = NULL;
    dusk_status status;
    DUSK_TRY(dusk_fields_parse(&f, "a numeric 0:1\nb category x,y,z\nc[9] category v\n", err));
    DUSK_TRY(dusk_fields_copy(&copy, f, NULL, 0, err));
    DUSK_TRY(dusk_fields_format(copy, &text, err));
done:
    dusk_ledger_free_text(text);
    dusk_fields_free(f);
    dusk_fields_free(copy);
    return status;
}

static void memory_fails(void **state)
{
    (void)state;
    dusk_error err;
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(everything(&err), &err, n, 200)) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),        cmocka_unit_test(names_of_facts), cmocka_unit_test(refusals),
        cmocka_unit_test(round_trip),   cmocka_unit_test(copies),         cmocka_unit_test(of_a_schema),
        cmocka_unit_test(large_texts),  cmocka_unit_test(long_units),     cmocka_unit_test(files),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
