/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of the SQLite engine: nothing but reading declared tables is possible (A14), whatever SQL
 * says and whatever a file's own schema says. */
#include "table_asks.h"

/* A14: nothing but reading the declared tables. */
static void only_reading_is_possible(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" } };
    static const char *const bad[] = {
        "ATTACH '/tmp/x.db' AS x",
        "PRAGMA query_only = 0",
        "SELECT * FROM pragma_database_list",
        "SELECT name FROM sqlite_schema",
        "SELECT name FROM temp.sqlite_schema",
        "SELECT name FROM s0.sqlite_schema",
        "SELECT load_extension('x')",
        "SELECT randomblob(8) FROM t0",
        "SELECT random() FROM t0",
        "SELECT zeroblob(1000000000) FROM t0",
        "SELECT printf('%1000000d', 1) FROM t0",
        "SELECT sqlite_version()",
        "INSERT INTO s0.v VALUES (2)",
        "DELETE FROM s0.v",
        "CREATE TABLE main.x(a)",
        "CREATE TEMP TABLE x(a)",
        "DROP VIEW temp.t0",
        "VACUUM",
        "COMMIT",
        "BEGIN",
        "SAVEPOINT x",
        "CREATE VIRTUAL TABLE temp.x USING dusk_csv(0)",
        "SELECT * FROM dusk_csv",
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r",
        "SELECT nothing FROM t0",
        "SELECT \"nothing\" FROM t0",
        "EXPLAIN SELECT 1",
        "SELECT 1; DELETE FROM s0.v",
        "not even SQL",
        "",
    };
    const char *path = files_path("lock.db");
    char source[160];
    (void)state;
    database(path, "CREATE TABLE v(a); INSERT INTO v VALUES (1);");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, columns, 1);
    dusk_engine *e = open_engine(s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (strcmp(bad[i], "SELECT 1; DELETE FROM s0.v") == 0) {
            assert_string_equal(ask(e, "i", bad[i]), "1"); /* what follows the first statement is not run */
            continue;
        }
        if (strcmp(ask(e, "i", bad[i]), "refused") != 0) fail_msg("%s is not refused", bad[i]);
        assert_int_equal(err.status, DUSK_ERR_IO);
        assert_string_equal(err.message, "engine sqlite failed while preparing a query");
    }
    assert_string_equal(ask(e, "i", "SELECT count(*) FROM t0"), "1");
    e->class->close(e);
    dusk_schema_free(s);
}

/* A hostile database: its views may not reach our functions' sources or anything outside. */
static void a_files_schema_is_not_trusted(void **state)
{
    static const char *const columns[][2] = { { "a", "text" } };
    const char *path = files_path("evil.db");
    char source[160];
    (void)state;
    database(path, "CREATE VIEW v AS SELECT load_extension('/tmp/evil.so') AS a;"
                   "CREATE VIEW w AS SELECT sqlite_version() AS a;");
    for (const char *view = "v"; view; view = *view == 'v' ? "w" : NULL) {
        snprintf(source, sizeof source, "%s#%s", path, view);
        dusk_schema *s = schema_of(source, columns, 1);
        dusk_engine *e = NULL;
        if (dusk_engine_sqlite.open(&e, s, &err) == DUSK_OK) {
            const char *answer = ask(e, "t", "SELECT c0 FROM t0");
            if (strcmp(answer, "refused") != 0 && strcmp(answer, "failed") != 0) fail_msg("%s", answer);
            e->class->close(e);
        }
        dusk_schema_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_reading_is_possible),
        cmocka_unit_test(a_files_schema_is_not_trusted),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
