/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite engine on real files: text and databases give the same answers, rules of columns hold,
 * and no error depends on rows. */
#include <sqlite3.h>
#include <stdbool.h>

#include "base/memory.h"
#include "table_asks.h"

/* --- rules of columns -------------------------------------------------------------------------------- */

static const char *const typed[][2] = { { "i", "integer" }, { "r", "real" }, { "s", "text" },
                                        { "b", "boolean" }, { "d", "date" }, { "m", "timestamp" } };

static const char typed_text[] = "i,r,s,b,d,m\n"
                                 "7,2.5,x,true,2020-02-29,2020-02-29 01:02:03\n"
                                 " -7 ,1e3,\"\",NO,2020-02-29T10:00,2020-02-29T01:02:03.9Z\n"
                                 "1.5,nan,,maybe,2021-02-29,2020-02-29 24:00:00\n"
                                 "9223372036854775808,-inf,y,1,20200101,2020-02-28\n"
                                 ",,,,,\n";
static const char typed_answer[] = "7 2.5 [x] 1 [2020-02-29] [2020-02-29 01:02:03]/"
                                   "-7 1000 [] 0 [2020-02-29] [2020-02-29 01:02:03]/"
                                   "- - - - - -/"
                                   "- -inf [y] 1 - [2020-02-28 00:00:00]/"
                                   "- - - - - -";

/* A11, A13: what does not parse is NULL, NaN too; infinite numbers stay. */
static void fields_of_text(void **state)
{
    dusk_schema *s = schema_of(files_text("typed.csv", typed_text), typed, 6);
    dusk_engine *e = open_engine(s);
    (void)state;
    assert_string_equal(ask(e, "irtitt", "SELECT c0, c1, c2, c3, c4, c5 FROM t0"), typed_answer);
    assert_string_equal(ask(e, "i", "SELECT count(*) FROM t0"), "5");
    assert_string_equal(ask(e, "tt", "SELECT typeof(c0), typeof(c1) FROM t0 LIMIT 1"), "[integer] [real]");
    e->class->close(e);
    dusk_schema_free(s);
}

/* The same from a database whose columns hold what they like. */
static void fields_of_a_database(void **state)
{
    const char *path = files_path("typed.db");
    char source[160];
    (void)state;
    database(path, "CREATE TABLE v(i, r, s, b, d, m);"
                   "INSERT INTO v VALUES (7, 2.5, 'x', 'true', '2020-02-29', '2020-02-29 01:02:03'),"
                   "(' -7 ', '1e3', '', 'NO', '2020-02-29T10:00', '2020-02-29T01:02:03.9Z'),"
                   "('1.5', 'nan', NULL, 'maybe', '2021-02-29', '2020-02-29 24:00:00'),"
                   "(9.3e18, -9e999, 'y', 1, 20200101, '2020-02-28'),"
                   "(NULL, NULL, NULL, NULL, NULL, NULL);");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, typed, 6);
    dusk_engine *e = open_engine(s);
    assert_string_equal(ask(e, "irtitt", "SELECT c0, c1, c2, c3, c4, c5 FROM t0"), typed_answer);
    e->class->close(e);
    dusk_schema_free(s);
}

/* Domains and NULLs of columns that have none. */
static void domains_and_nulls(void **state)
{
    static const char *const columns[][2] = { { "k", "text" }, { "n", "integer" }, { "x", "real" },
                                              { "s", "text" }, { "b", "boolean" }, { "d", "date" } };
    static const char rows[] = "k,n,x,s,b,d\nred,1,5,q,t,2020-01-01\nRed,2,,,,\n,x,-9,,?,?\ngreen,03,1,,,\n";
    dusk_schema *s = schema_of(files_text("domain.csv", rows), columns, 6);
    (void)state;
    declare(s, "t.k", "domain", "green,red");
    declare(s, "t.n", "domain", "3,1");
    declare(s, "t.x", "bounds", "2:7");
    dusk_engine *e = open_engine(s);
    assert_string_equal(ask(e, "tirtit", "SELECT c0, c1, c2, c3, c4, c5 FROM t0"),
                        "[red] 1 5 [q] 1 [2020-01-01]/- - - - - -/- - -9 - - -/[green] 3 1 - - -");
    e->class->close(e);
    for (size_t i = 0; i < 6; i++) {
        char subject[16];
        snprintf(subject, sizeof subject, "t.%s", columns[i][0]);
        declare(s, subject, "nullable", "no");
    }
    e = open_engine(s);
    assert_string_equal(ask(e, "tirtit", "SELECT c0, c1, c2, c3, c4, c5 FROM t0"),
                        "[red] 1 5 [q] 1 [2020-01-01]/[green] 3 2 [] 0 [1970-01-01]/"
                        "[green] 3 -9 [] 0 [1970-01-01]/[green] 3 1 [] 0 [1970-01-01]");
    e->class->close(e);
    dusk_schema_free(s);
}

/* Blanks of a text file do not count: a domain is met by what stands between them. */
static void blanks_around_fields(void **state)
{
    static const char *const columns[][2] = { { "sex", "text" }, { "age", "integer" } };
    dusk_schema *s = schema_of(
        files_text("adult.data", "sex, age\nMale, 39\n Female, 50\n\" Male \",\t7\n , \n"), columns, 2);
    declare(s, "t.sex", "domain", "Female,Male");
    dusk_engine *e = open_engine(s);
    (void)state;
    assert_string_equal(ask(e, "ti", "SELECT c0, c1 FROM t0"), "[Male] 39/[Female] 50/[Male] 7/- -");
    e->class->close(e);
    dusk_schema_free(s);
}

/* A12: NULLs are NULLs, in counts and as keys. */
static void nulls_are_counted_as_such(void **state)
{
    static const char *const columns[][2] = { { "u", "integer" }, { "v", "real" } };
    dusk_schema *s = schema_of(files_text("null.csv", "u,v\n1,1\n,2\n,NaN\n2,\n"), columns, 2);
    dusk_engine *e = open_engine(s);
    (void)state;
    assert_string_equal(ask(e, "iii", "SELECT count(*), count(c0), count(c1) FROM t0"), "4 2 2");
    assert_string_equal(ask(e, "ii", "SELECT c0, count(*) FROM t0 GROUP BY c0"), "- 2/1 1/2 1");
    e->class->close(e);
    dusk_schema_free(s);
}

static void bytes_that_are_no_text(void **state)
{
    static const char *const columns[][2] = { { "s", "text" } };
    static const char rows[] = "s\na\xff\nb\0c\n";
    dusk_schema *s = schema_of(files_write("bytes.csv", rows, sizeof rows - 1), columns, 1);
    dusk_engine *e = open_engine(s);
    (void)state;
    assert_string_equal(ask(e, "ti", "SELECT c0, length(c0) FROM t0"), "[a\xEF\xBF\xBD] 2/[b\xEF\xBF\xBD"
                                                                       "c] 3");
    e->class->close(e);
    dusk_schema_free(s);
}

/* A13: SQLite refuses rows beyond its limit, lowered here; texts are cut before. */
static void long_texts_are_cut(void **state)
{
    static const char *const columns[][2] = { { "s", "text" } };
    enum { LENGTH = 3 << 18, LIMIT = 1 << 19 };
    char *rows = malloc(LENGTH + 16);
    assert_non_null(rows);
    memcpy(rows, "s\nxx", 4);
    for (size_t i = 4; i < LENGTH; i += 3) memcpy(rows + i, "\xE2\x82\xAC", 3);
    dusk_schema *s = schema_of(files_write("cut.csv", rows, LENGTH), columns, 1);
    dusk_engine *e = open_engine(s);
    struct {
        dusk_engine engine;
        sqlite3 *db;
    } *inner = (void *)e; /* the first members of the engine's own struct */
    (void)state;
    free(rows);
    (void)sqlite3_limit(inner->db, SQLITE_LIMIT_LENGTH, LIMIT);
    assert_string_equal(ask(e, "it", "SELECT length(c0), substr(c0, length(c0)) FROM t0"),
                        "87382 [\xE2\x82\xAC]");
    e->class->close(e);
    dusk_schema_free(s);
}

/* --- tables together ------------------------------------------------------------------------------------ */

static void text_beside_a_database(void **state)
{
    const char *path = files_path("it's a %23 shop.db");
    char source[160];
    dusk_schema *s;
    (void)state;
    database(path, "CREATE TABLE \"odd \"\"name\"(\"Id \"\"x\" INTEGER, city TEXT);"
                   "INSERT INTO \"odd \"\"name\" VALUES (1, 'Oslo'), (2, 'Bern');"
                   "CREATE TABLE other(a); INSERT INTO other VALUES (5);");
    assert_int_equal(dusk_schema_new(&s, &err), DUSK_OK);
    snprintf(source, sizeof source, "%s#odd \"name", path);
    declare(s, "customer", "source", source);
    declare(s, "customer.ID \"X", "type", "integer");
    declare(s, "customer.CITY", "type", "text");
    declare(s, "orders", "source", files_text("orders.csv", "n,c\n10,1\n20,2\n30,1\n"));
    declare(s, "orders.c", "type", "integer");
    declare(s, "orders.n", "type", "integer");
    snprintf(source, sizeof source, "%s", path);
    declare(s, "other", "source", source); /* without #: the table of the same name */
    declare(s, "other.a", "type", "integer");
    dusk_engine *e = open_engine(s);
    assert_string_equal(
        ask(e, "ti",
            "WITH a AS MATERIALIZED (SELECT c0, c1 FROM t0), b AS MATERIALIZED (SELECT c0, c1 "
            "FROM t1) SELECT a.c1, dusk_sum(b.c1) FROM a JOIN b ON a.c0 = b.c0 GROUP BY a.c1"),
        "[Bern] 20/[Oslo] 40");
    assert_string_equal(ask(e, "i", "SELECT c0 FROM t2"), "5");
    e->class->close(e);
    dusk_schema_free(s);
}

/* A join of virtual tables is linear when they are materialised, as table/engine.h says. */
static void joins_are_indexed(void **state)
{
    static const char *const columns[][2] = { { "k", "integer" } };
    dusk_schema *s = schema_of(files_text("k.csv", "k\n1\n"), columns, 1);
    declare(s, "u", "source", files_path("k.csv"));
    declare(s, "u.k", "type", "integer");
    sqlite3_stmt *row = NULL;
    dusk_engine *e = open_engine(s);
    bool indexed = false;
    struct {
        dusk_engine engine;
        sqlite3 *db;
    } *inner = (void *)e; /* the first members of the engine's own struct */
    (void)state;
    assert_int_equal(sqlite3_set_authorizer(inner->db, NULL, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(inner->db,
                           "EXPLAIN QUERY PLAN WITH a AS MATERIALIZED (SELECT c0 FROM t0), b AS MATERIALIZED "
                           "(SELECT c0 FROM t1) SELECT count(*) FROM a JOIN b ON a.c0 = b.c0",
                           -1, &row, NULL),
        SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW)
        indexed |= strstr((const char *)sqlite3_column_text(row, 3), "AUTOMATIC") != NULL;
    assert_true(indexed);
    (void)sqlite3_finalize(row);
    e->class->close(e);
    dusk_schema_free(s);
}

/* Others may write to the database meanwhile; what is seen stays the same. */
static void one_state_is_seen(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" } };
    const char *path = files_path("live.db");
    char source[160];
    (void)files_path("live.db-wal");
    (void)files_path("live.db-shm");
    (void)state;
    database(path, "PRAGMA journal_mode = WAL; CREATE TABLE v(a); INSERT INTO v VALUES (1);");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, columns, 1);
    dusk_engine *e = open_engine(s);
    database(path, "INSERT INTO v VALUES (2);");
    assert_string_equal(ask(e, "i", "SELECT count(*) FROM t0"), "1");
    e->class->close(e);
    e = open_engine(s);
    assert_string_equal(ask(e, "i", "SELECT count(*) FROM t0"), "2");
    e->class->close(e);
    dusk_schema_free(s);
}

static void many_rows_in_chunks(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" }, { "s", "text" } };
    enum { ROWS = 5000 };
    char *rows = malloc(ROWS * 24), *at = rows;
    assert_non_null(rows);
    at += snprintf(at, 24, "a,s\n");
    for (int i = 0; i < ROWS; i++) at += snprintf(at, 24, i % 7 ? "%d,text %d\n" : "%d,\n", i, i);
    dusk_schema *s = schema_of(files_write("many.csv", rows, (size_t)(at - rows)), columns, 2);
    dusk_engine *e = open_engine(s);
    const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
    dusk_cursor *cursor;
    dusk_chunk chunk;
    int64_t row = 0;
    (void)state;
    free(rows);
    assert_int_equal(e->class->query(e, &cursor, "SELECT c0, c1 FROM t0", types, 2, &err), DUSK_OK);
    while (e->class->next(cursor, &chunk, &err) == DUSK_OK && chunk.rows)
        for (size_t r = 0; r < chunk.rows; r++, row++) {
            char wanted[24];
            int length = snprintf(wanted, sizeof wanted, "text %lld", (long long)row);
            assert_int_equal(chunk.column[0].integers[r], row);
            assert_null(chunk.column[0].null);
            assert_int_equal(chunk.column[1].null[r], row % 7 == 0);
            if (row % 7 == 0) continue;
            assert_int_equal(chunk.column[1].lengths[r], length);
            assert_memory_equal(chunk.column[1].texts[r], wanted, (size_t)length);
        }
    assert_int_equal(row, ROWS);
    assert_int_equal(e->class->next(cursor, &chunk, &err), DUSK_OK); /* it stays at its end */
    assert_int_equal(chunk.rows, 0);
    e->class->end(cursor);
    e->class->close(e);
    dusk_schema_free(s);
}

static void cells_are_converted(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" } };
    dusk_schema *s = schema_of(files_text("one.csv", "a\n1\n"), columns, 1);
    dusk_engine *e = open_engine(s);
    (void)state;
    assert_string_equal(ask(e, "iiiiii", "SELECT 2.5, -2.5, 1e300, '12', 'x', NULL FROM t0"),
                        "3 -3 - 12 - -");
    assert_string_equal(ask(e, "rrrrr", "SELECT 2, '2.5', 'x', 9e999, x'31' FROM t0"), "2 2.5 - inf 1");
    assert_string_equal(ask(e, "ttttt", "SELECT 2, 0.1, 1e300, x'61', NULL FROM t0"),
                        "[2] [0.1] [1e+300] [a] -");
    e->class->close(e);
    dusk_schema_free(s);
}

/* --- what cannot be opened --------------------------------------------------------------------------------- */

static void sources_that_are_not_there(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" } };
    static const struct {
        const char *source, *message;
    } bad[] = {
        { "/nowhere/x.csv", "/nowhere/x.csv cannot be opened" },
        { "/nowhere/x.db#v", "opening /nowhere/x.db" },
        { "@no.csv", "no column a" },
        { "@text.db#v", "opening " },
        { "@some.db#nothing", "no table nothing" },
        { "@some.db#v", "no column a" },
    };
    char source[200];
    (void)state;
    files_text("no.csv", "b\n1\n");
    files_text("text.db", "this is no database, but it is long enough to be looked at as one, isn't it?");
    database(files_path("some.db"), "CREATE TABLE v(b);");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dusk_engine *e = NULL;
        if (bad[i].source[0] == '@')
            snprintf(source, sizeof source, "%s/%s", files_folder, bad[i].source + 1);
        else
            snprintf(source, sizeof source, "%s", bad[i].source);
        dusk_schema *s = schema_of(source, columns, 1);
        assert_int_not_equal(dusk_engine_sqlite.open(&e, s, &err), DUSK_OK);
        assert_null(e);
        if (!strstr(err.message, bad[i].message)) fail_msg("%s", err.message);
        dusk_schema_free(s);
    }
    dusk_engine_sqlite.close(NULL);
    dusk_engine_sqlite.end(NULL);
}

/* A table without declared columns can be counted. */
static void no_columns(void **state)
{
    static const char *const none[][2] = { { "", "" } };
    char source[160];
    (void)state;
    database(files_path("none.db"), "CREATE TABLE v(a); INSERT INTO v VALUES (1), (NULL);");
    snprintf(source, sizeof source, "%s#v", files_path("none.db"));
    for (int text = 0; text < 2; text++) {
        dusk_schema *s = schema_of(text ? files_text("none.csv", "a,b\n1,2\n\n,\n") : source, none, 0);
        dusk_engine *e = open_engine(s);
        assert_string_equal(ask(e, "i", "SELECT count(*) FROM t0"), "2");
        e->class->close(e);
        dusk_schema_free(s);
    }
}

/* SQLite's own limits are said in words. */
static void limits_of_sqlite(void **state)
{
    dusk_schema *s;
    dusk_engine *e;
    char name[32], source[64];
    (void)state;
    assert_int_equal(dusk_schema_new(&s, &err), DUSK_OK);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "t%d", i);
        snprintf(source, sizeof source, "many%d.db", i);
        database(files_path(source), i == 11 ? "SELECT 1" : "CREATE TABLE v(a);");
        snprintf(source, sizeof source, "%s#v", files_path(source));
        declare(s, name, "source", source);
    }
    assert_int_equal(dusk_engine_sqlite.open(&e, s, &err), DUSK_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "engine sqlite opens at most 10 database files");
    dusk_schema_free(s);
    assert_int_equal(dusk_schema_new(&s, &err), DUSK_OK);
    declare(s, "t", "source", files_path("h.csv"));
    for (int i = 0; i < 2001; i++) {
        snprintf(name, sizeof name, "t.c%d", i);
        declare(s, name, "type", "text");
    }
    assert_int_equal(dusk_engine_sqlite.open(&e, s, &err), DUSK_ERR_UNSUPPORTED);
    dusk_schema_free(s);
}

/* A file that goes away after the engine was opened: a sentence without its contents. */
static void a_file_that_goes_away(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" } };
    dusk_schema *s = schema_of(files_text("gone.csv", "a\n1\n"), columns, 1);
    dusk_engine *e = open_engine(s);
    (void)state;
    assert_int_equal(unlink(files_path("gone.csv")), 0);
    assert_string_equal(ask(e, "i", "SELECT c0 FROM t0"), "failed");
    assert_string_equal(err.message, "engine sqlite failed while reading rows");
    /* Another one at its place is read when it has the columns where they were, and only then. */
    (void)files_text("gone.csv", "A,b\n5,6\n");
    assert_string_equal(ask(e, "i", "SELECT c0 FROM t0"), "5");
    (void)files_text("gone.csv", "b,a\n6,5\n");
    assert_string_equal(ask(e, "i", "SELECT c0 FROM t0"), "failed");
    e->class->close(e);
    dusk_schema_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_text),
        cmocka_unit_test(fields_of_a_database),
        cmocka_unit_test(domains_and_nulls),
        cmocka_unit_test(blanks_around_fields),
        cmocka_unit_test(nulls_are_counted_as_such),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(text_beside_a_database),
        cmocka_unit_test(joins_are_indexed),
        cmocka_unit_test(one_state_is_seen),
        cmocka_unit_test(many_rows_in_chunks),
        cmocka_unit_test(cells_are_converted),
        cmocka_unit_test(sources_that_are_not_there),
        cmocka_unit_test(no_columns),
        cmocka_unit_test(limits_of_sqlite),
        cmocka_unit_test(a_file_that_goes_away),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
