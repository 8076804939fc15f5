/* SPDX-License-Identifier: Apache-2.0 */
/* The DuckDB engine: the same rows from text, Parquet and DuckDB files as SQLite gives from text; nothing but
 * the declared files can be reached; failures are sentences that hold nothing of a row. Skipped where DuckDB's
 * library is not found. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine_rows.h"
#include "table/duckdb_api.h"

/* --- files made by DuckDB itself, unlocked -------------------------------------------------------- */

static void duckdb_do(const char *sql)
{
    const duckdb_api *api;
    duckdb_database db = NULL;
    duckdb_connection connection = NULL;
    duckdb_result result = { .internal = NULL };
    assert_int_equal(duckdb_load(&api, &err), DUSK_OK);
    assert_int_equal(api->open_ext(NULL, &db, NULL, NULL), 0);
    assert_int_equal(api->connect(db, &connection), 0);
    if (api->query(connection, sql, &result) != 0) fail_msg("%.300s: %s", sql, api->result_error(&result));
    api->destroy_result(&result);
    api->disconnect(&connection);
    api->close(&db);
}

static void duckdb_file_of(const char *path, const char *sql)
{
    dusk_buffer all = { .data = NULL };
    dusk_buffer_add(&all, "SET TimeZone = 'UTC'; ATTACH '%s' AS made; USE made; %s", path, sql);
    assert_false(all.failed);
    duckdb_do(all.data);
    dusk_buffer_clear(&all);
}

/* --- the same rows --------------------------------------------------------------------------------- */

/* Temporary files go where the others are, so that what is left of them is seen. */
static int begin(void **state)
{
    return files_begin(state) == 0 && setenv("TMPDIR", files_folder, 1) == 0 ? 0 : -1;
}

static void text_file(void **state)
{
    (void)state;
    assert_reads_rows("text by DuckDB", rows_csv(), "duckdb");
}

static void duckdb_and_parquet_of_text(void **state)
{
    char *sql = rows_sql("v", "VARCHAR"), source[200];
    dusk_buffer copy = { .data = NULL };
    const char *path = files_path("rows.duckdb"), *parquet = files_path("rows.parquet");
    (void)state;
    duckdb_file_of(path, sql);
    snprintf(source, sizeof source, "%s#V", path);
    assert_reads_rows("a DuckDB table of text", source, "duckdb");
    dusk_buffer_add(&copy, "ATTACH '%s' AS made (READ_ONLY); COPY made.v TO '%s'", path, parquet);
    assert_false(copy.failed);
    duckdb_do(copy.data);
    assert_reads_rows("a Parquet file of text", parquet, NULL);
    dusk_buffer_clear(&copy);
    dusk_deallocate(sql);
}

/* What SQLite made of the rows, stored by types of DuckDB's own. */
static void typed_columns(void **state)
{
    static const char *const types[][ROW_COLUMNS] = {
        { "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP", "VARCHAR", "INTEGER", "DOUBLE" },
        { "HUGEINT", "DOUBLE", "VARCHAR", "TINYINT", "TIMESTAMP", "TIMESTAMP_S", "VARCHAR", "UTINYINT",
          "DOUBLE" },
        { "DECIMAL(38, 2)", "DOUBLE", "VARCHAR", "DOUBLE", "TIMESTAMPTZ", "TIMESTAMPTZ",
          "ENUM('red', 'green', 'blue', 'Red', 'redder', '', 'gre\"en', 'red\n')", "DOUBLE", "DOUBLE" },
    };
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        char name[32], source[200], *sql = rows_typed_sql(types[k], "BOOLEAN");
        snprintf(name, sizeof name, "typed%zu.duckdb", k);
        const char *path = files_path(name);
        duckdb_file_of(path, sql);
        snprintf(source, sizeof source, "%s#v", path);
        assert_reads_rows(name, source, "duckdb");
        dusk_deallocate(sql);
    }
}

/* Numbers of the file that have no place in the declared type. */
static void numbers_out_of_range(void **state)
{
    static const char *const columns[][2] = { { "i", "integer" }, { "r", "real" }, { "s", "text" },
                                              { "b", "boolean" }, { "d", "date" }, { "m", "timestamp" } };
    const char *path = files_path("range.duckdb");
    char source[200];
    (void)state;
    duckdb_file_of(
        path,
        "CREATE TABLE v(i HUGEINT, r FLOAT, s DOUBLE, b DOUBLE, d DATE, m TIMESTAMP); INSERT INTO v VALUES "
        "(9223372036854775808, 'nan', 2.5, 'nan', '10000-01-01', '10000-01-01'), "
        "(-9223372036854775808, '-inf', 1e20, 0.5, '5000-01-01 (BC)', '5000-01-01 (BC)'), "
        "(-9223372036854775809, 0.5, 'nan', -0.0, 'infinity', '-infinity'), "
        "(0, 1, 3, 0, '1969-07-20', '1969-07-20 20:17:40.999999')");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, columns, 6);
    dusk_engine *e = open_by(s, NULL);
    char *rows = sorted_rows(e, "irtitt", "SELECT c0, c1, c2, c3, c4, c5 FROM t0");
    assert_string_equal(rows,
                        "4 rows\n-9223372036854775808|-inf|[1e+20]|1|-|-|\n"
                        "-|-|[2.5]|-|-|-|\n-|0.5|-|0|-|-|\n0|1|[3]|0|[1969-07-20]|[1969-07-20 20:17:40]|\n");
    dusk_deallocate(rows);
    e->class->close(e);
    dusk_schema_free(s);
    s = schema_of(
        source,
        (const char *const[][2]){ { "d", "integer" }, { "m", "real" }, { "i", "date" }, { "r", "integer" } },
        4);
    e = open_by(s, NULL);
    rows = sorted_rows(e, "irti", "SELECT c0, c1, c2, c3 FROM t0");
    assert_string_equal(rows, "4 rows\n-|-|-|-|\n-|-|-|-|\n-|-|-|1|\n-|-|-|1|\n");
    dusk_deallocate(rows);
    e->class->close(e);
    dusk_schema_free(s);
}

/* Bytes that are no UTF-8, NUL, and records that are no records, in text. */
static void broken_text(void **state)
{
    static const char *const columns[][2] = { { "a", "text" }, { "b", "integer" } };
    static const char bytes[] = "a,b\n\xFF\xFE,1\nx\0y,2\n\"open,3\n\"\"x\"\n,,,\n\nshort\n\"q\"tail,5,6,"
                                "7\n\xC3,\"6\"\n\"never closed,7";
    const char *path = files_write("broken.csv", bytes, sizeof bytes - 1);
    char *wanted = NULL;
    (void)state;
    for (int i = 0; i < 2; i++) {
        dusk_schema *s = schema_of(path, columns, 2);
        dusk_engine *e = open_by(s, i ? "duckdb" : "sqlite");
        char *rows = sorted_rows(e, "ti", "SELECT c0, c1 FROM t0"),
             *count = sorted_rows(e, "i", "SELECT count(*) FROM t0"),
             *part = sorted_rows(e, "it", "SELECT c1, c0 FROM t0 WHERE c1 > 1");
        assert_non_null(count);
        if (i) assert_same_rows("broken text", rows, wanted);
        assert_non_null(part);
        dusk_deallocate(count);
        dusk_deallocate(part);
        if (i)
            dusk_deallocate(rows), dusk_deallocate(wanted);
        else
            wanted = rows;
        e->class->close(e);
        dusk_schema_free(s);
    }
}

/* Texts are cut where every engine cuts them. */
static void long_text(void **state)
{
    static const char *const columns[][2] = { { "s", "text" } };
    const char *path = files_path("long.duckdb");
    char source[200], *rows = NULL;
    dusk_buffer csv = { .data = NULL };
    (void)state;
    duckdb_file_of(
        path,
        "CREATE TABLE v AS SELECT repeat('x', 262143) || 'ä' || repeat('y', 9) AS s UNION ALL SELECT 'ä'");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_buffer_add(&csv, "s\n");
    for (int i = 0; i < 262143; i++) dusk_buffer_bytes(&csv, "x", 1);
    dusk_buffer_add(&csv, "\xC3\xA4yyyyyyyyy\n\xC3\xA4\n");
    const char *text = files_write("long.csv", csv.data, csv.length);
    for (int i = 0; i < 3; i++) {
        dusk_schema *s = schema_of(i ? text : source, columns, 1);
        dusk_engine *e = open_by(s, i < 2 ? "duckdb" : "sqlite");
        rows = sorted_rows(e, "it", "SELECT length(c0), substr(c0, 262142) FROM t0");
        assert_string_equal(rows, "2 rows\n1|[]|\n262143|[xx]|\n");
        dusk_deallocate(rows);
        e->class->close(e);
        dusk_schema_free(s);
    }
    dusk_buffer_clear(&csv);
}

/* Whatever collation a column was made with: rows of ann and ANN are never put together. */
static void text_is_its_bytes(void **state)
{
    static const char *const columns[][2] = { { "u", "text" } };
    const char *path = files_path("collation.duckdb");
    char source[200];
    (void)state;
    duckdb_file_of(path, "CREATE TABLE v(u VARCHAR COLLATE NOCASE); INSERT INTO v VALUES ('ann'), ('ANN')");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, columns, 1);
    dusk_engine *e = open_by(s, NULL);
    char *rows = sorted_rows(e, "ti", "SELECT c0, COUNT(*) FROM t0 GROUP BY c0");
    assert_string_equal(rows, "2 rows\n[ANN]|1|\n[ann]|1|\n");
    dusk_deallocate(rows);
    rows = sorted_rows(e, "tt", "SELECT a.c0, b.c0 FROM t0 AS a JOIN t0 AS b ON a.c0 = b.c0");
    assert_string_equal(rows, "2 rows\n[ANN]|[ANN]|\n[ann]|[ann]|\n");
    dusk_deallocate(rows);
    e->class->close(e);
    dusk_schema_free(s);
}

/* Domains of every shape: what is not in them is NULL, or the first value where NULL has no place. */
static void domains(void **state)
{
    static const char *const columns[][2] = { { "u", "integer" }, { "v", "integer" }, { "w", "integer" },
                                              { "x", "integer" }, { "s", "text" },    { "l", "text" },
                                              { "d", "real" } };
    const char *path = files_path("domains.parquet");
    dusk_buffer text = { .data = NULL };
    (void)state;
    dusk_buffer_add(
        &text,
        "COPY (SELECT i AS u, i AS v, i AS w, i AS x, CASE WHEN i %% 2 = 0 THEN 'n' || i END AS s, "
        "'m' || i AS l, i / 2 AS d FROM (SELECT CAST(range AS INTEGER) AS i FROM range(2, 8))) TO "
        "'%s'",
        path);
    assert_false(text.failed);
    duckdb_do(text.data);
    dusk_buffer_clear(&text);
    dusk_schema *s = schema_of(path, columns, 7);
    declare(s, "t.u", "domain", "3,4,5,6");
    declare(s, "t.v", "domain", "3,4,6");
    declare(s, "t.w", "domain", "5,4");
    declare(s, "t.x", "domain", "7");
    declare(s, "t.s", "domain", "n9,n2,n6");
    declare(s, "t.s", "nullable", "no");
    for (int i = 6; i < 90; i++) dusk_buffer_add(&text, "%sm%d", i > 6 ? "," : "", i);
    declare(s, "t.l", "domain", text.data);
    declare(s, "t.d", "domain", "1,1.5,3.5");
    dusk_engine *e = open_by(s, NULL);
    char *rows = sorted_rows(e, "iiiittr", "SELECT c0, c1, c2, c3, c4, c5, c6 FROM t0");
    assert_string_equal(rows, "6 rows\n-|-|-|-|[n2]|-|1|\n-|-|-|7|[n9]|[m7]|3.5|\n3|3|-|-|[n9]|-|1.5|\n"
                              "4|4|4|-|[n9]|-|-|\n5|-|5|-|[n9]|-|-|\n6|6|-|-|[n6]|[m6]|-|\n");
    dusk_deallocate(rows);
    dusk_buffer_clear(&text);
    e->class->close(e);
    dusk_schema_free(s);
}

/* --- catalogues -------------------------------------------------------------------------------------- */

static void catalogues(void **state)
{
    const char *path = files_path("catalogue.duckdb"), *parquet = files_path("catalogue.parquet");
    char source[200], **names = NULL;
    dusk_found_column *columns = NULL;
    size_t n = 0;
    dusk_buffer copy = { .data = NULL };
    (void)state;
    duckdb_file_of(
        path,
        "CREATE TABLE v(i INTEGER, h HUGEINT, f DECIMAL(9, 2), s VARCHAR, e ENUM('a'), b BOOLEAN, d DATE, "
        "m TIMESTAMPTZ, l INTEGER[], u UUID); CREATE VIEW w AS SELECT i FROM v; "
        "CREATE SCHEMA other; CREATE TABLE other.\"V\"\"q\"(x DOUBLE)");
    assert_int_equal(dusk_engine_duckdb.tables(path, &names, &err), DUSK_OK);
    assert_string_equal(names[0], "other.V\"q");
    assert_string_equal(names[1], "v");
    assert_null(names[2]);
    dusk_deallocate(names);
    snprintf(source, sizeof source, "%s#V", path);
    static const dusk_type wanted[] = { DUSK_TYPE_INTEGER, DUSK_TYPE_INTEGER,   DUSK_TYPE_REAL,
                                        DUSK_TYPE_TEXT,    DUSK_TYPE_TEXT,      DUSK_TYPE_BOOLEAN,
                                        DUSK_TYPE_DATE,    DUSK_TYPE_TIMESTAMP, DUSK_TYPE_TEXT,
                                        DUSK_TYPE_TEXT };
    for (int k = 0; k < 2; k++) {
        assert_int_equal(dusk_engine_duckdb.describe(k ? parquet : source, &columns, &n, &err), DUSK_OK);
        assert_int_equal(n, 10);
        for (size_t c = 0; c < n; c++) {
            assert_int_equal(columns[c].name[0], "ihfsebdmlu"[c]);
            if (k == 0) assert_int_equal(columns[c].type, wanted[c]);
        }
        dusk_deallocate(columns);
        if (k) break;
        dusk_buffer_add(&copy, "ATTACH '%s' AS made (READ_ONLY); COPY made.v TO '%s'", path, parquet);
        assert_false(copy.failed);
        duckdb_do(copy.data);
    }
    dusk_buffer_clear(&copy);
    snprintf(source, sizeof source, "%s#other.v\"Q", path);
    assert_int_equal(dusk_engine_duckdb.describe(source, &columns, &n, &err), DUSK_OK);
    assert_int_equal(n, 1);
    dusk_deallocate(columns);
    snprintf(source, sizeof source, "%s#nothing", path);
    assert_int_equal(dusk_engine_duckdb.describe(source, &columns, &n, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "has no table nothing"));
    assert_int_equal(dusk_engine_duckdb.describe("/nowhere.parquet", &columns, &n, &err), DUSK_ERR_IO);
    assert_int_equal(dusk_engine_duckdb.describe("s3://bucket/x.parquet", &columns, &n, &err), DUSK_ERR_IO);
    assert_int_equal(dusk_engine_duckdb.tables(parquet, &names, &err), DUSK_ERR_UNSUPPORTED);
}

/* --- the lock (A14) ------------------------------------------------------------------------------------- */

/* Text that is not UTF-8 is found when a file is declared, in lists too, and not by a query. */
static void text_that_is_not_utf8(void **state)
{
    static const char *const rows[] = { "'QQQQ' AS s", "['fine', 'QQQQ'] AS s" };
    dusk_found_column *columns = NULL;
    char sql[400], bytes[1 << 14];
    size_t n;
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const char *path = files_path(k ? "lists.parquet" : "texts.parquet");
        snprintf(sql, sizeof sql,
                 "COPY (SELECT 1 AS i, %s) TO '%s' (FORMAT parquet, COMPRESSION uncompressed)", rows[k],
                 path);
        duckdb_do(sql);
        assert_int_equal(dusk_engine_duckdb.describe(path, &columns, &n, &err), DUSK_OK);
        dusk_deallocate(columns);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        for (size_t i = 0; i + 4 <= size; i++)
            if (!memcmp(bytes + i, "QQQQ", 4)) memcpy(bytes + i, "\xff\xfe\xc3(", 4);
        rewind(file);
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(dusk_engine_duckdb.describe(path, &columns, &n, &err), DUSK_ERR_CORRUPT);
    }
}

static const char *private_folder(void)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/dusk-%lu", files_folder, (unsigned long)geteuid());
    return path;
}

static size_t folders_left(void)
{
    size_t n = 0;
    DIR *folder = opendir(private_folder());
    for (struct dirent *entry; folder && (entry = readdir(folder));) n += entry->d_name[0] != '.';
    if (folder) (void)closedir(folder);
    return n;
}

/* What a query that does not fit into memory spills goes to a folder that only its user can read. */
static void temporary_files(void **state)
{
    struct stat info;
    (void)state;
    dusk_schema *s = rows_schema(rows_csv(), 0);
    dusk_engine *e = open_by(s, "duckdb");
    assert_int_equal(stat(private_folder(), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    e->class->close(e);
    assert_int_equal(folders_left(), 0);
    assert_int_equal(chmod(private_folder(), 0755), 0); /* somebody else may look into it */
    assert_int_equal(dusk_engine_duckdb.open(&e, s, &err), DUSK_ERR_IO);
    assert_non_null(strstr(err.message, "no private folder"));
    assert_int_equal(chmod(private_folder(), 0700), 0);
    dusk_schema_free(s);
}

static int end(void **state)
{
    (void)rmdir(private_folder());
    return files_end(state);
}

static void nothing_but_declared_files(void **state)
{
    static const char *const refused[] = {
        "SELECT count(*) FROM read_csv('/etc/passwd')",
        "SELECT count(*) FROM read_text('/etc/passwd')",
        "SELECT count(*) FROM read_blob('/etc/hostname')",
        "SELECT count(*) FROM glob('/etc/*')",
        "SELECT count(*) FROM '/etc/passwd'",
        "SELECT count(*) FROM read_parquet('%s')",
        "SELECT 1); COPY (SELECT 1) TO '/tmp/dusk-escaped.csv'; SELECT (1",
        "COPY (SELECT 1) TO '/tmp/dusk-escaped.csv'",
        "ATTACH '/tmp/dusk-escaped.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 3",
        "SET lock_configuration = false",
        "SET enable_external_access = true",
        "PRAGMA enable_external_access",
        "INSERT INTO s0.main.v VALUES (1)",
        "DELETE FROM s0.main.v",
        "CREATE TABLE x AS SELECT 1",
        "EXPORT DATABASE '/tmp/dusk-escaped'",
    };
    const char *path = files_path("lock.duckdb"), *other = files_path("other.parquet"),
               *mine = files_path("mine.parquet");
    static const char *const columns[][2] = { { "i", "integer" } };
    char source[200], sql[300];
    dusk_buffer copy = { .data = NULL };
    (void)state;
    duckdb_file_of(path, "CREATE TABLE v(i INTEGER); INSERT INTO v VALUES (4)");
    dusk_buffer_add(&copy, "COPY (SELECT 5 AS i) TO '%s'; COPY (SELECT 6 AS i) TO '%s'", other, mine);
    assert_false(copy.failed);
    duckdb_do(copy.data);
    dusk_buffer_clear(&copy);
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, columns, 1);
    declare(s, "u", "source", mine);
    declare(s, "u.i", "type", "integer");
    dusk_engine *e = open_by(s, NULL);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(sql, sizeof sql, refused[i], other);
        char *rows = sorted_rows(e, "i", sql);
        if (rows) fail_msg("%s was not refused", sql);
        assert_null(strstr(err.message, "passwd"));
        assert_null(strstr(err.message, "Error"));
    }
    assert_int_not_equal(access("/tmp/dusk-escaped.csv", F_OK), 0);
    assert_int_not_equal(access("/tmp/dusk-escaped.duckdb", F_OK), 0);
    char *rows = sorted_rows(e, "ii", "SELECT t0.c0, t1.c0 FROM t0, t1");
    assert_string_equal(rows, "1 rows\n4|6|\n");
    dusk_deallocate(rows);
    e->class->close(e);
    dusk_schema_free(s);
}

/* --- sums, failures, memory ------------------------------------------------------------------------------ */

/* A7: the sum is the exact one, rounded once, whatever the order of rows and threads. */
static void sums_are_exact(void **state)
{
    static const char *const columns[][2] = { { "g", "integer" }, { "x", "real" } };
    const char *path = files_path("sums.duckdb");
    char source[200];
    (void)state;
    duckdb_file_of(
        path, "CREATE TABLE v AS SELECT i % 3 AS g, CASE WHEN i < 3 THEN 9007199254740992e0 ELSE 1e0 END "
              "AS x FROM range(300003) r(i); INSERT INTO v VALUES (3, NULL), (4, 'inf'), (4, 1e308), (4, "
              "1e308), (5, 7), (5, 'nan')");
    snprintf(source, sizeof source, "%s#v", path);
    dusk_schema *s = schema_of(source, columns, 2);
    dusk_engine *e = open_by(s, NULL);
    for (int i = 0; i < 5; i++) {
        char *rows = sorted_rows(e, "irr", "SELECT c0, dusk_sum(c1), dusk_avg(c1) FROM t0 GROUP BY c0");
        assert_string_equal(
            rows, "6 rows\n0|9007199254840992|90071091837.49155|\n1|9007199254840992|90071091837.49155|\n"
                  "2|9007199254840992|90071091837.49155|\n3|-|-|\n4|-|-|\n5|7|7|\n");
        dusk_deallocate(rows);
    }
    e->class->close(e);
    dusk_schema_free(s);
}

/* A file that goes away, is cut, or was never one. */
static void files_that_fail(void **state)
{
    static const char *const columns[][2] = { { "i", "integer" } };
    dusk_engine *e = NULL;
    (void)state;
    const char *junk = files_text("junk.parquet", "PAR1 this is secret and no Parquet PAR1");
    dusk_schema *s = schema_of(junk, columns, 1);
    assert_int_equal(dusk_engine_duckdb.open(&e, s, &err), DUSK_ERR_IO);
    assert_null(e);
    assert_null(strstr(err.message, "secret"));
    dusk_schema_free(s);
    const char *parquet = files_path("cut.parquet");
    dusk_buffer copy = { .data = NULL };
    dusk_buffer_add(
        &copy, "COPY (SELECT hash(i) >> 2 AS i FROM range(2000000) r(i)) TO '%s' (ROW_GROUP_SIZE 100000)",
        parquet);
    assert_false(copy.failed);
    duckdb_do(copy.data);
    dusk_buffer_clear(&copy);
    s = schema_of(parquet, columns, 1);
    e = open_by(s, NULL);
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    static const dusk_cell_type integer = DUSK_CELL_INTEGER;
    assert_int_equal(e->class->query(e, &cursor, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_OK);
    assert_int_equal(e->class->next(cursor, &chunk, &err), DUSK_OK);
    assert_true(chunk.rows > 0);
    struct stat info;
    assert_int_equal(stat(parquet, &info), 0);
    assert_int_equal(truncate(parquet, info.st_size / 8), 0);
    dusk_status status = DUSK_OK;
    while (status == DUSK_OK && chunk.rows) status = e->class->next(cursor, &chunk, &err);
    assert_int_equal(status, DUSK_ERR_IO);
    assert_string_equal(err.message, "engine duckdb failed while reading rows");
    assert_int_equal(e->class->next(cursor, &chunk, &err), DUSK_ERR_IO); /* and stays so */
    e->class->end(cursor);
    e->class->close(e);
    dusk_schema_free(s);
    /* A file that was replaced by one with its columns elsewhere. */
    s = schema_of(files_text("moved.csv", "i,j\n1,2\n"), columns, 1);
    e = open_by(s, "duckdb");
    assert_string_equal(ask(e, "i", "SELECT c0 FROM t0"), "1");
    (void)files_text("moved.csv", "j,i\n1,2\n");
    assert_string_equal(ask(e, "i", "SELECT c0 FROM t0"), "refused");
    e->class->close(e);
    dusk_schema_free(s);
    s = schema_of(files_text("columns.csv", "a,b\n1,2\n"), columns, 1);
    assert_int_equal(dusk_engine_duckdb.open(&e, s, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "has no column i"));
    dusk_schema_free(s);
}

/* A cursor that is ended before its end, and two at once. */
static void cursors(void **state)
{
    static const dusk_cell_type integer = DUSK_CELL_INTEGER;
    dusk_schema *s = rows_schema(rows_csv(), 0);
    dusk_engine *e = open_by(s, "duckdb");
    dusk_cursor *a = NULL, *b = NULL;
    dusk_chunk chunk;
    size_t rows = 0;
    (void)state;
    assert_int_equal(e->class->query(e, &a, "SELECT c0 FROM t0", &integer, 1, &err), DUSK_OK);
    assert_int_equal(e->class->query(e, &b, "SELECT c7 FROM t0", &integer, 1, &err), DUSK_OK);
    assert_int_equal(e->class->next(a, &chunk, &err), DUSK_OK);
    for (;;) {
        assert_int_equal(e->class->next(b, &chunk, &err), DUSK_OK);
        if (chunk.rows == 0) break;
        rows += chunk.rows;
    }
    assert_int_equal(rows, (size_t)ROWS_HOSTILE * ROWS_TIMES);
    assert_int_equal(e->class->next(b, &chunk, &err), DUSK_OK);
    assert_int_equal(chunk.rows, 0);
    e->class->end(a);
    e->class->end(b);
    assert_int_equal(e->class->query(e, &a, "SELECT c0 FROM t0 WHERE", &integer, 1, &err), DUSK_ERR_IO);
    assert_string_equal(err.message, "engine duckdb failed while preparing a query");
    e->class->close(e);
    dusk_schema_free(s);
}

static dusk_status all_of_it(const dusk_schema *s, size_t *rows)
{
    static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
    dusk_status status = DUSK_OK;
    dusk_engine *e = NULL;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk;
    *rows = 0;
    DUSK_TRY(dusk_engine_duckdb.open(&e, s, &err));
    DUSK_TRY(e->class->query(e, &cursor, "SELECT c0, c2 FROM t0", types, 2, &err));
    for (;;) {
        DUSK_TRY(e->class->next(cursor, &chunk, &err));
        if (chunk.rows == 0) break;
        *rows += chunk.rows;
    }
done:
    if (e) e->class->end(cursor), e->class->close(e);
    return status;
}

static void memory_ends(void **state)
{
    size_t rows = 0, before = folders_left();
    (void)state;
    dusk_schema *s = rows_schema(rows_csv(), 1);
    for (long n = 1;; n += n < 30 ? 1 : 7) {
        dusk_memory_fail_at(n);
        dusk_status status = all_of_it(s, &rows);
        if (went_through(status, &err, n, 2000)) break;
    }
    assert_int_equal(rows, (size_t)ROWS_HOSTILE * ROWS_TIMES);
    assert_int_equal(folders_left(), before);
    dusk_schema_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_file),
        cmocka_unit_test(duckdb_and_parquet_of_text),
        cmocka_unit_test(text_that_is_not_utf8),
        cmocka_unit_test(typed_columns),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(broken_text),
        cmocka_unit_test(long_text),
        cmocka_unit_test(text_is_its_bytes),
        cmocka_unit_test(catalogues),
        cmocka_unit_test(nothing_but_declared_files),
        cmocka_unit_test(temporary_files),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(files_that_fail),
        cmocka_unit_test(cursors),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(domains),
    };
    if (!duckdb_is_usable()) {
        puts("skipped: DuckDB's library is not found; tools/setup --duckdb fetches it");
        return 77;
    }
    return cmocka_run_group_tests(tests, begin, end);
}
