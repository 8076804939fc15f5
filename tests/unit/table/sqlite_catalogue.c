/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogues: tables and columns of a database, names of a text file; no row is read. */
#include "base/memory.h"
#include "table_asks.h"

static void describe(void **state)
{
    dusk_found_column *columns = NULL;
    size_t n = 0;
    char source[160], **names;
    const char *path = files_path("cat.db");
    (void)state;
    database(path,
             "CREATE TABLE b(id INTEGER PRIMARY KEY, x DOUBLE PRECISION, s VARCHAR(9), t TIMESTAMP, d DATE, "
             "f BOOLEAN, m NUMERIC(9, 2), u, g INTEGER AS (id + 1)); CREATE VIEW a AS SELECT id FROM b;");
    snprintf(source, sizeof source, "%s#b", path);
    assert_int_equal(dusk_engine_sqlite.describe(source, &columns, &n, &err), DUSK_OK);
    assert_int_equal(n, 9);
    const dusk_type wanted[] = { DUSK_TYPE_INTEGER,   DUSK_TYPE_REAL, DUSK_TYPE_TEXT,
                                 DUSK_TYPE_TIMESTAMP, DUSK_TYPE_DATE, DUSK_TYPE_BOOLEAN,
                                 DUSK_TYPE_REAL,      DUSK_TYPE_TEXT, DUSK_TYPE_INTEGER };
    for (size_t i = 0; i < n; i++) assert_int_equal(columns[i].type, wanted[i]);
    assert_string_equal(columns[2].name, "s");
    dusk_deallocate(columns);
    assert_int_equal(dusk_engine_sqlite.tables(path, &names, &err), DUSK_OK);
    assert_string_equal(names[0], "b");
    assert_null(names[1]);
    dusk_deallocate(names);
    assert_int_equal(dusk_engine_sqlite.describe(files_text("h.csv", "Name,age\nx,1\n"), &columns, &n, &err),
                     DUSK_OK);
    assert_int_equal(n, 2);
    assert_string_equal(columns[0].name, "Name");
    assert_int_equal(columns[1].type, DUSK_TYPE_TEXT);
    dusk_deallocate(columns);
    assert_int_equal(dusk_engine_sqlite.describe(path, &columns, &n, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_engine_sqlite.tables(files_path("h.csv"), &names, &err), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(dusk_engine_sqlite.describe("x.parquet", &columns, &n, &err), DUSK_ERR_UNSUPPORTED);
}

/* A connection has one encoding: a file with another is refused in words. */
static void utf16(void **state)
{
    char **names;
    const char *path = files_path("wide.db");
    (void)state;
    database(path, "PRAGMA encoding = 'UTF-16le'; CREATE TABLE v(a); INSERT INTO v VALUES ('x');");
    assert_int_equal(dusk_engine_sqlite.tables(path, &names, &err), DUSK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "UTF-16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(describe), cmocka_unit_test(utf16) };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
