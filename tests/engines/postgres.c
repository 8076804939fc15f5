/* SPDX-License-Identifier: Apache-2.0 */
/* The PostgreSQL engine on a cluster of its own: the same rows as SQLite gives from text, one state of the database,
 * nothing but reading, and failures in words that hold nothing of a row, of the server, or of a password. */
#include "base/memory.h"
#include "engine_rows.h"
#include "postgres_cluster.h"

/* --- as the owner ------------------------------------------------------------------------------------------ */

static void owner_do(const char *sql)
{
    PGconn *connection = PQconnectdb(cluster_uri("owner"));
    PGresult *result = PQexec(connection, sql);
    ExecStatusType code = PQresultStatus(result);
    if (code != PGRES_COMMAND_OK && code != PGRES_TUPLES_OK)
        fail_msg("%.200s: %s", sql, PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

static const char *source_of(const char *table)
{
    static char source[300];
    snprintf(source, sizeof source, "%s#%s", cluster_uri("reader"), table);
    return source;
}

static int begin(void **state)
{
    owner_do(
        "SET client_min_messages = error; CREATE ROLE reader LOGIN; CREATE ROLE other LOGIN PASSWORD "
        "'hidden'; ALTER "
        "DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader; REVOKE TEMP ON DATABASE postgres FROM PUBLIC");
    return files_begin(state);
}

static int fresh(void **state)
{
    (void)state;
    /* What a test that failed has left open would hold its locks. */
    owner_do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('reader', 'other')");
    owner_do("SET client_min_messages = error; DROP SCHEMA IF EXISTS public, clinic CASCADE; CREATE SCHEMA "
             "public; GRANT "
             "USAGE ON SCHEMA public TO reader, other");
    return 0;
}

/* --- the same rows ------------------------------------------------------------------------------------------ */

static void columns_of_text(void **state)
{
    char *sql = rows_sql("v", "text");
    (void)state;
    owner_do(sql);
    assert_reads_rows("a PostgreSQL table of text", source_of("V"), NULL);
    dusk_deallocate(sql);
}

static void columns_of_types(void **state)
{
    static const char *const types[][ROW_COLUMNS] = {
        { "bigint", "float8", "text", "boolean", "date", "timestamp", "varchar(20)", "int", "float8" },
        { "numeric", "numeric", "varchar", "int", "timestamp", "timestamptz", "text", "smallint", "numeric" },
        { "numeric(30, 2)", "float8", "text", "boolean", "timestamptz", "timestamp(0)", "text", "float4",
          "float8" },
    };
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        char *sql = rows_typed_sql(types[k], "boolean"), name[20];
        dusk_buffer all = { .data = NULL };
        dusk_buffer_add(&all, "SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; %s", sql);
        owner_do(all.data);
        snprintf(name, sizeof name, "types %zu", k);
        assert_reads_rows(name, source_of("v"), "postgres");
        (void)fresh(NULL);
        dusk_buffer_clear(&all);
        dusk_deallocate(sql);
    }
}

static char *rows_of(const char *table, const char *const (*columns)[2], size_t n, const char *types,
                     const char *sql)
{
    dusk_schema *s = schema_of(source_of(table), columns, n);
    dusk_engine *e = open_by(s, NULL);
    char *rows = sorted_rows(e, types, sql);
    e->class->close(e);
    dusk_schema_free(s);
    return rows;
}

static void out_of_range(void **state)
{
    static const char *const columns[][2] = { { "i", "integer" }, { "r", "real" }, { "s", "text" },
                                              { "b", "boolean" }, { "d", "date" }, { "m", "timestamp" } };
    static const char *const others[][2] = {
        { "d", "integer" }, { "m", "real" }, { "i", "date" }, { "f", "integer" }, { "a", "text" }
    };
    (void)state;
    owner_do(
        "CREATE TYPE colour AS ENUM ('red'); CREATE TABLE v(i numeric, r numeric, s colour, b float8, d "
        "date, m "
        "timestamptz, f float8, a int[]); INSERT INTO v VALUES "
        "(9223372036854775807.5, 'NaN', 'red', 'NaN', 'infinity', 'infinity', 0.49999999999999994, '{1,2}'), "
        "(-9223372036854775808.4, '1e400', NULL, 0.5, '4713-01-01 BC', '4713-01-01 BC', -2.5, NULL), "
        "('NaN', '-1e-400', 'red', '-0', '10000-01-01', '10000-01-01 00:00:00+00', 9223372036854775807, "
        "'{}'), "
        "('Infinity', '-Infinity', 'red', 0, '1969-07-20', '1969-07-20 23:17:40.999999+03', 'NaN', "
        "'{NULL}'), "
        "(2.5, repeat('9', 131000)::numeric, 'red', 'inf', '-infinity', '-infinity', '-inf', '{0}')");
    char *rows = rows_of("v", columns, 6, "irtitt", "SELECT c0, c1, c2, c3, c4, c5 FROM t0");
    assert_string_equal(rows,
                        "5 rows\n-9223372036854775808|inf|-|1|-|-|\n-|-inf|[red]|0|[1969-07-20]|[1969-07-20 "
                        "20:17:40]|\n-|-|[red]|-|-|-|\n-|0|[red]|0|-|-|\n3|inf|[red]|1|-|-|\n");
    dusk_deallocate(rows);
    rows = rows_of("v", others, 5, "irtit", "SELECT c0, c1, c2, c3, c4 FROM t0");
    assert_string_equal(rows, "5 rows\n-|-|-|-3|-|\n-|-|-|-|[{0}]|\n-|-|-|-|[{NULL}]|\n-|-|-|-|[{}]|\n"
                              "-|-|-|0|[{1,2}]|\n");
    dusk_deallocate(rows);
}

/* Fields that PostgreSQL would raise an error for, and long ones. */
static void text_that_raises(void **state)
{
    static const char *const columns[][2] = { { "x", "real" }, { "s", "text" } };
    (void)state;
    owner_do(
        "CREATE TABLE v(x text, s text); INSERT INTO v VALUES ('1e99999999999', repeat('x', 300000)), "
        "('-1e+99999999999', 'a'), ('1e-99999999999', 'b'), ('0e99999999999', 'c'), ('0.00e-99999', 'd'), "
        "(repeat('9', 400) || 'e-390', 'e'), (repeat('9', 801), 'f'), ('1.797693134862315807e308', 'g'), "
        "('1.797693134862315808e308', 'h'), ('2.4703282292062328e-324', 'i'), ('2.4703282292062327e-324', "
        "'j'), "
        "('e5', 'k'), ('.', 'l'), ('.5e1', 'm'), ('5.', 'n'), ('1e', 'o')");
    char *rows = rows_of("v", columns, 2, "tri", "SELECT substr(c1, 1, 1), c0, length(c1) FROM t0");
    assert_string_equal(
        rows, "16 rows\n[a]|-inf|1|\n[b]|0|1|\n[c]|0|1|\n[d]|0|1|\n[e]|10000000000|1|\n[f]|-|1|\n"
              "[g]|1.7976931348623157e+308|1|\n[h]|inf|1|\n[i]|5e-324|1|\n[j]|0|1|\n[k]|-|1|\n[l]|-|1|\n"
              "[m]|5|1|\n[n]|5|1|\n[o]|-|1|\n[x]|inf|65536|\n");
    dusk_deallocate(rows);
}

/* --- catalogues -------------------------------------------------------------------------------------------- */

static void catalogues(void **state)
{
    char **names = NULL;
    dusk_found_column *columns = NULL;
    size_t n = 0;
    (void)state;
    owner_do("CREATE TABLE v(i int, f numeric, s text, b boolean, d date, m timestamptz, u uuid); CREATE "
             "VIEW w AS SELECT "
             "i FROM v; CREATE SCHEMA clinic; GRANT USAGE ON SCHEMA clinic TO reader; CREATE TABLE "
             "clinic.\"V q\"(x "
             "float8); CREATE TABLE secret(x int); REVOKE ALL ON secret FROM reader");
    assert_int_equal(dusk_engine_postgres.tables(cluster_uri("reader"), &names, &err), DUSK_OK);
    assert_string_equal(names[0], "clinic.V q");
    assert_string_equal(names[1], "v");
    assert_null(names[2]);
    dusk_deallocate(names);
    static const dusk_type wanted[] = { DUSK_TYPE_INTEGER, DUSK_TYPE_REAL, DUSK_TYPE_TEXT,
                                        DUSK_TYPE_BOOLEAN, DUSK_TYPE_DATE, DUSK_TYPE_TIMESTAMP,
                                        DUSK_TYPE_TEXT };
    assert_int_equal(dusk_engine_postgres.describe(source_of("V"), &columns, &n, &err), DUSK_OK);
    assert_int_equal(n, 7);
    for (size_t c = 0; c < n; c++) {
        assert_int_equal(columns[c].name[0], "ifsbdmu"[c]);
        assert_int_equal(columns[c].type, wanted[c]);
    }
    dusk_deallocate(columns);
    assert_int_equal(dusk_engine_postgres.describe(source_of("clinic.v q"), &columns, &n, &err), DUSK_OK);
    assert_int_equal(n, 1);
    dusk_deallocate(columns);
    assert_int_equal(dusk_engine_postgres.describe(source_of("secret"), &columns, &n, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_engine_postgres.describe(source_of("x'; DROP TABLE v; --"), &columns, &n, &err),
                     DUSK_ERR_ARGUMENT);
}

/* --- reading, and nothing else (A14) ------------------------------------------------------------------------ */

static const char *const integer_i[][2] = { { "i", "integer" } };

static void nothing_but_reading(void **state)
{
    static const char *const refused[] = {
        "DELETE FROM public.v",
        "WITH gone AS (DELETE FROM public.v RETURNING i) SELECT i FROM gone",
        "INSERT INTO public.v VALUES (1) RETURNING i",
        "SELECT 1; DELETE FROM public.v",
        "SELECT 1) AS q) TO STDOUT; DELETE FROM public.v; COPY (SELECT 1 FROM (SELECT 1",
        "CREATE TABLE public.x AS SELECT 1",
        "SELECT set_config('transaction_read_only', 'off', false)::bigint",
        "SELECT nextval('public.n')",
        "SELECT i FROM v",
        "SELECT i FROM public.secret",
        "SELECT length(pg_read_file('postgresql.conf'))",
        "COPY public.v TO '/tmp/dusk-escaped'",
        "SELECT i FROM public.hidden",
    };
    (void)state;
    owner_do("CREATE TABLE v(i int); INSERT INTO v VALUES (4); CREATE SEQUENCE n; GRANT ALL ON v TO reader; "
             "GRANT ALL ON "
             "SEQUENCE n TO reader; CREATE TABLE secret(i int); REVOKE ALL ON secret FROM reader; CREATE "
             "TABLE hidden(i "
             "int); INSERT INTO hidden VALUES (1); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY");
    dusk_schema *s = schema_of(source_of("v"), integer_i, 1);
    dusk_engine *e = open_by(s, NULL);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *rows = sorted_rows(e, "i", refused[i]);
        if (rows) fail_msg("%s was not refused", refused[i]);
        assert_int_equal(err.status, DUSK_ERR_IO);
        assert_null(strstr(err.message, "ERROR"));
        rows = sorted_rows(e, "i", "SELECT c0 FROM t0"); /* the transaction lives on */
        assert_string_equal(rows, "1 rows\n4|\n");
        dusk_deallocate(rows);
    }
    e->class->close(e);
    dusk_schema_free(s);
}

/* What others write meanwhile is not seen. */
static void one_state(void **state)
{
    (void)state;
    owner_do("CREATE TABLE v(i int); INSERT INTO v VALUES (4)");
    dusk_schema *s = schema_of(source_of("v"), integer_i, 1);
    dusk_engine *e = open_by(s, NULL);
    for (int i = 0; i < 3; i++) {
        char *rows = sorted_rows(e, "i", "SELECT c0 FROM t0");
        assert_string_equal(rows, "1 rows\n4|\n");
        dusk_deallocate(rows);
        owner_do("INSERT INTO v VALUES (5)");
    }
    e->class->close(e);
    e = open_by(s, NULL);
    char *rows = sorted_rows(e, "i", "SELECT count(*) FROM t0");
    assert_string_equal(rows, "1 rows\n4|\n");
    dusk_deallocate(rows);
    e->class->close(e);
    dusk_schema_free(s);
}

/* --- failures ------------------------------------------------------------------------------------------------ */

static void words_of_failures(void **state)
{
    dusk_engine *e = NULL;
    char source[300];
    (void)state;
    snprintf(source, sizeof source, "postgres://other:hidden@nohost.invalid/clinic#v");
    dusk_schema *s = schema_of(source, integer_i, 1);
    assert_int_equal(dusk_engine_postgres.open(&e, s, &err), DUSK_ERR_IO);
    assert_string_equal(err.message, "database clinic on nohost.invalid cannot be reached");
    assert_null(strstr(err.hint, "hidden"));
    dusk_schema_free(s);
    snprintf(source, sizeof source, "postgres://:hidden@x:notaport/?password=hidden&nooption=1#v");
    s = schema_of(source, integer_i, 1);
    assert_int_equal(dusk_engine_postgres.open(&e, s, &err), DUSK_ERR_ARGUMENT);
    assert_null(strstr(err.message, "hidden"));
    dusk_schema_free(s);
    owner_do("CREATE TABLE v(j int); INSERT INTO v VALUES (4321)");
    snprintf(source, sizeof source, "postgres://other:hidden@/postgres?host=%s#v", cluster_folder);
    owner_do("GRANT SELECT ON v TO other");
    s = schema_of(source, integer_i, 1);
    assert_int_equal(dusk_engine_postgres.open(&e, s, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "has no column i"));
    assert_null(strstr(err.message, "hidden"));
    assert_null(e);
    dusk_schema_free(s);
    s = schema_of(source_of("v"), (const char *const[][2]){ { "j", "integer" } }, 1);
    e = open_by(s, NULL);
    assert_null(
        sorted_rows(e, "i", "SELECT ('x' || c0)::bigint FROM t0")); /* generated SQL is total; this is not */
    assert_null(strstr(err.message, "4321"));
    e->class->close(e);
    declare(s, "u", "source", "postgres:///elsewhere#u");
    assert_int_equal(dusk_engine_postgres.open(&e, s, &err), DUSK_ERR_UNSUPPORTED);
    dusk_schema_free(s);
}

/* A cursor that is ended before its end; two at once are refused. */
static void cursors(void **state)
{
    static const dusk_cell_type integer = DUSK_CELL_INTEGER;
    dusk_cursor *a = NULL, *b = NULL;
    dusk_chunk chunk;
    (void)state;
    owner_do("CREATE TABLE v AS SELECT g AS i FROM generate_series(1, 300000) g");
    dusk_schema *s = schema_of(source_of("v"), integer_i, 1);
    dusk_engine *e = open_by(s, NULL);
    assert_int_equal(e->class->query(e, &a, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_OK);
    assert_int_equal(e->class->next(a, &chunk, &err), DUSK_OK);
    assert_true(chunk.rows > 0);
    assert_int_equal(e->class->query(e, &b, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_ERR_BUSY);
    e->class->end(a);
    assert_int_equal(e->class->query(e, &b, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_OK);
    int64_t rows = 0, sum = 0;
    for (;;) {
        assert_int_equal(e->class->next(b, &chunk, &err), DUSK_OK);
        if (chunk.rows == 0) break;
        for (size_t i = 0; i < chunk.rows; i++) sum += chunk.column[0].integers[i];
        rows += (int64_t)chunk.rows;
    }
    assert_int_equal(rows, 300000);
    assert_int_equal(sum, 300000LL * 300001 / 2);
    assert_int_equal(e->class->next(b, &chunk, &err), DUSK_OK);
    assert_int_equal(chunk.rows, 0);
    e->class->end(b);
    assert_int_equal(e->class->query(e, &b, "SELECT c0, c0 FROM t0", &integer, 1, &err), DUSK_ERR_IO);
    e->class->close(e);
    dusk_schema_free(s);
}

static void memory_ends(void **state)
{
    (void)state;
    owner_do("CREATE TABLE v(i int, s text); INSERT INTO v SELECT g, repeat('x', 3000) FROM "
             "generate_series(1, 100) g");
    static const char *const columns[][2] = { { "i", "integer" }, { "s", "text" } };
    static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
    dusk_schema *s = schema_of(source_of("v"), columns, 2);
    declare(s, "t.i", "domain", "1,2,3");
    for (long n = 1;; n++) {
        dusk_engine *e = NULL;
        dusk_cursor *cursor = NULL;
        dusk_chunk chunk = { .rows = 1 };
        dusk_memory_fail_at(n);
        dusk_status status = dusk_engine_postgres.open(&e, s, &err);
        if (status == DUSK_OK) status = e->class->query(e, &cursor, "SELECT c0, c1 FROM t0", types, 2, &err);
        while (status == DUSK_OK && chunk.rows) status = e->class->next(cursor, &chunk, &err);
        bool done = went_through(status, &err, n, 1000);
        if (e) e->class->end(cursor), e->class->close(e);
        if (done) break;
    }
    dusk_schema_free(s);
}

/* The server goes away in the middle of an answer: a sentence, and it stays so. Last, since it is not there afterwards. */
static void server_dies(void **state)
{
    static const dusk_cell_type integer = DUSK_CELL_INTEGER;
    (void)state;
    owner_do("CREATE TABLE v AS SELECT g AS i FROM generate_series(1, 3000000) g");
    for (int how = 0; how < 2; how++) {
        dusk_cursor *cursor = NULL;
        dusk_chunk chunk;
        dusk_status status = DUSK_OK;
        dusk_schema *s = schema_of(source_of("v"), integer_i, 1);
        dusk_engine *e = open_by(s, NULL);
        assert_int_equal(e->class->query(e, &cursor, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_OK);
        assert_int_equal(e->class->next(cursor, &chunk, &err), DUSK_OK);
        if (how == 0)
            owner_do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
        else
            assert_int_equal(kill(cluster_server, SIGQUIT), 0);
        while (status == DUSK_OK && chunk.rows) status = e->class->next(cursor, &chunk, &err);
        assert_int_equal(status, DUSK_ERR_IO);
        assert_non_null(strstr(err.message, "was lost while reading rows"));
        assert_int_equal(e->class->next(cursor, &chunk, &err), DUSK_ERR_IO);
        e->class->end(cursor);
        assert_int_equal(e->class->query(e, &cursor, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_ERR_IO);
        assert_null(cursor);
        e->class->close(e);
        dusk_schema_free(s);
    }
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test_setup(columns_of_text, fresh), cmocka_unit_test_setup(columns_of_types, fresh),
        cmocka_unit_test_setup(out_of_range, fresh),    cmocka_unit_test_setup(text_that_raises, fresh),
        cmocka_unit_test_setup(catalogues, fresh),      cmocka_unit_test_setup(nothing_but_reading, fresh),
        cmocka_unit_test_setup(one_state, fresh),       cmocka_unit_test_setup(words_of_failures, fresh),
        cmocka_unit_test_setup(cursors, fresh),         cmocka_unit_test_setup(memory_ends, fresh),
        cmocka_unit_test_setup(server_dies, fresh),
    };
    return cmocka_run_group_tests(list, begin, files_end);
}

int main(void) { return cluster_run(tests); }
