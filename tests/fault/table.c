/* SPDX-License-Identifier: Apache-2.0 */
/* Tables when memory ends: the n-th allocation of every step fails, for every n. What was there is
 * as it was, nothing leaks, and the sentence is the same whatever the data. */
#include "failing_memory.h"
#include "table/csv.h"
#include "table_asks.h"

enum { MOST = 2000 };

static const char *const facts[][3] = {
    { "t", "source", "x.csv?header=a,b" },
    { "t.a", "type", "integer" },
    { "t.b", "type", "text" },
    { "", "unit", "t.a" },
    { "t.b", "domain", "p,q,r\\,s" },
    { "t.b", "link", "t.a" },
    { "t.b", "domain", "1,2,3" },
    { "t.b", "type", "integer" },
    { "t", "source", "y.db#z" },
};

static void facts_and_memory(void **state)
{
    dusk_schema *s = NULL;
    dusk_path path;
    (void)state;
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_schema_new(&s, &err), &err, n, MOST)) break;
        assert_null(s);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        for (long n = 1;; n++) {
            dusk_memory_fail_at(n);
            if (went_through(dusk_schema_declare(s, facts[i][0], facts[i][1], facts[i][2], &err), &err, n,
                             MOST))
                break;
        }
    assert_int_equal(s->tables, 1);
    assert_int_equal(s->table[0].columns, 2);
    assert_int_equal(s->table[0].column[1].values, 3);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_schema_path(s, &path, 0, &err), &err, n, MOST)) break;
    }
    dusk_schema_free(s);
}

static void text_and_memory(void **state)
{
    const char *file = files_text("m.csv", "a,b,c,d,e,f,g,h,i,j\n\"x\"\"y\",\xff\xff\xff\xff\n1,2\n");
    dusk_location location = { .path = NULL };
    table_csv *csv = NULL;
    (void)state;
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_location_parse(&location, file, &err), &err, n, MOST)) break;
    }
    for (long n = 1;; n++) { /* pieces of one byte: the buffer grows again and again */
        dusk_memory_fail_at(n);
        if (went_through(table_csv_open(&csv, &location, 1, &err), &err, n, MOST)) break;
        assert_null(csv);
    }
    const char *text = NULL;
    size_t length = 0;
    bool found = false;
    for (long n = 1;; n++) { /* a record that failed is read again */
        dusk_memory_fail_at(n);
        if (went_through(table_csv_next(csv, &found, &err), &err, n, MOST)) break;
    }
    assert_true(found && table_csv_field(csv, 1, &text, &length));
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(table_csv_clean(csv, &text, &length, &err), &err, n, MOST)) break;
    }
    assert_int_equal(length, 12);
    table_csv_close(csv);
    dusk_location_clear(&location);
}

/* Open, ask, and read all rows. */
static dusk_status read_all(const dusk_schema *s, size_t *rows)
{
    static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_TEXT, DUSK_CELL_REAL };
    dusk_engine *engine = NULL;
    dusk_cursor *cursor = NULL;
    dusk_chunk chunk = { .rows = 1 };
    *rows = 0;
    dusk_status status = dusk_engine_sqlite.open(&engine, s, &err);
    if (status == DUSK_OK)
        status = engine->class->query(
            engine, &cursor, "SELECT t0.c0, t0.c1, t1.c1 FROM t0 JOIN t1 ON t0.c0 = t1.c0", types, 3, &err);
    while (status == DUSK_OK && chunk.rows) {
        status = engine->class->next(cursor, &chunk, &err);
        if (status == DUSK_OK) *rows += chunk.rows;
    }
    if (cursor) engine->class->end(cursor);
    if (engine) engine->class->close(engine);
    return status;
}

static void engine_and_memory(void **state)
{
    static const char *const columns[][2] = { { "a", "integer" }, { "s", "text" } };
    dusk_schema *s = schema_of(files_text("e.csv", "a,s\n1,x\n2,y\n3,\n"), columns, 2);
    char source[160];
    size_t rows = 0;
    (void)state;
    declare(s, "t.s", "domain", "x,z");
    declare(s, "t.s", "nullable", "no");
    database(files_path("e.db"), "CREATE TABLE u(a, v); INSERT INTO u VALUES (1, 2.5), (3, 'x'), (3, NULL);");
    snprintf(source, sizeof source, "%s#u", files_path("e.db"));
    declare(s, "u", "source", source);
    declare(s, "u.a", "type", "integer");
    declare(s, "u.v", "type", "real");
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(read_all(s, &rows), &err, n, MOST)) break;
    }
    assert_int_equal(rows, 3);
    dusk_schema_free(s);
}

static void catalogues_and_memory(void **state)
{
    dusk_found_column *columns = NULL;
    char **names = NULL, source[160];
    size_t n_columns;
    (void)state;
    database(files_path("c.db"), "CREATE TABLE u(a, b, c, d, e, f, g, h, i, j);");
    snprintf(source, sizeof source, "%s#u", files_path("c.db"));
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_engine_sqlite.describe(source, &columns, &n_columns, &err), &err, n, MOST))
            break;
    }
    assert_int_equal(n_columns, 10);
    dusk_deallocate(columns);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(dusk_engine_sqlite.tables(source, &names, &err), &err, n, MOST)) break;
    }
    assert_string_equal(names[0], "u");
    dusk_deallocate(names);
    for (long n = 1;; n++) {
        dusk_memory_fail_at(n);
        if (went_through(
                dusk_engine_sqlite.describe(files_text("c.csv", "a,b\n"), &columns, &n_columns, &err), &err,
                n, MOST))
            break;
    }
    dusk_deallocate(columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_and_memory),
        cmocka_unit_test(text_and_memory),
        cmocka_unit_test(engine_and_memory),
        cmocka_unit_test(catalogues_and_memory),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
