/* SPDX-License-Identifier: Apache-2.0 */
/* Frames by engines: DuckDB's files give the rows of the text they were made of, and the rows of a query are those that SQLite gives, bit by
 * bit and in the same order, since units choose by their own coins. With DuckDB where its library is found and with PostgreSQL on a
 * cluster of its own. */
#include <math.h>

#include "base/buffer.h"
#include "postgres_cluster.h"
#include "query_world.h"
#include "seeded.h"
#include "table/duckdb_api.h"
#include "table_files.h"

static void same_frames(dusk_frame *a, dusk_frame *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->fields->count, b->fields->count);
    for (size_t c = 0; c < a->fields->count; c++) {
        const dusk_frame_column *x = &a->column[c], *y = &b->column[c];
        if (x->number) assert_memory_equal(x->number, y->number, a->rows * sizeof *x->number);
        if (x->code) assert_memory_equal(x->code, y->code, a->rows * sizeof *x->code);
    }
    dusk_frame_free(a);
    dusk_frame_free(b);
}

/* --- files ----------------------------------------------------------------------------------- */

static dusk_frame *read_as(const dusk_fields *fields, const char *source)
{
    dusk_frame *frame;
    OK(dusk_frame_read(&frame, fields, source, NULL, &err));
    return frame;
}

static void run_duckdb(const char *sql)
{
    const duckdb_api *api;
    duckdb_database db = NULL;
    duckdb_connection connection = NULL;
    duckdb_result result = { .internal = NULL };
    OK(duckdb_load(&api, &err));
    assert_int_equal(api->open_ext(NULL, &db, NULL, NULL), 0);
    assert_int_equal(api->connect(db, &connection), 0);
    if (api->query(connection, sql, &result) != 0) fail_msg("%.300s: %s", sql, api->result_error(&result));
    api->destroy_result(&result);
    api->disconnect(&connection);
    api->close(&db);
}

static void parquet_and_duckdb(void **state)
{
    dusk_fields *fields;
    dusk_buffer sql = { .data = NULL };
    const char *text = files_text("rows.csv", "id,x,kind\n1,2.5,a\n2,,b\n3,-7,\n4,1e3,c\n5,0.1,a\n");
    const char *parquet = files_path("rows.parquet"), *file = files_path("rows.duckdb");
    char source[200];
    (void)state;
    if (!getenv("DUSK_TEST_DUCKDB")) skip();
    OK(dusk_fields_parse(&fields, "kind category a,b\nx numeric 0:10\n", &err));
    dusk_buffer_add(&sql,
                    "COPY (FROM read_csv('%s')) TO '%s'; ATTACH '%s' AS f; CREATE TABLE f.t AS FROM '%s'",
                    text, parquet, file, parquet);
    run_duckdb(sql.data);
    same_frames(read_as(fields, text), read_as(fields, parquet));
    snprintf(source, sizeof source, "%s#t", file);
    same_frames(read_as(fields, text), read_as(fields, source));
    dusk_buffer_clear(&sql);
    dusk_fields_free(fields);
}

/* --- queries ------------------------------------------------------------------------------------ */

static dusk_frame *frame_of(const world *w, const char *sql, const char *engine)
{
    world_source s;
    dusk_query_options o;
    dusk_generator *gen = seeded(6);
    dusk_frame *frame;
    assert_int_equal(setenv("DUSK_TEST_ENGINE", engine, 1), 0);
    world_open(&s, w);
    dusk_query_options_init(&o);
    o.rows_per_unit = 2;
    OK(dusk_query_frame(s.source, &frame, sql, &o, gen, &err));
    world_close(&s);
    dusk_generator_free(gen);
    return frame;
}

static void engines_agree(void **state)
{
    static const char *const selects[] = {
        "SELECT age, region, vip FROM customer WHERE age > 20 OR vip",
        "SELECT o.amount, o.status, c.age, o.amount / 3 + c.age AS mix FROM orders o JOIN customer c ON "
        "o.customer = c.id",
        "SELECT i.quantity, i.price, i.quantity * i.price AS paid FROM item i JOIN product p ON i.product = "
        "p.id",
    };
    static const world_options usual = { .seed = 9, .customers = 15, .orders = 50, .items = 80 };
    static world w;
    (void)state;
    world_make(&w, &usual);
    for (size_t q = 0; q < sizeof selects / sizeof *selects; q++) {
        if (getenv("DUSK_TEST_DUCKDB"))
            same_frames(frame_of(&w, selects[q], "sqlite"), frame_of(&w, selects[q], "duckdb"));
        if (getenv("DUSK_TEST_POSTGRES"))
            same_frames(frame_of(&w, selects[q], "sqlite"), frame_of(&w, selects[q], "postgres"));
    }
}

static int tests(void)
{
    const struct CMUnitTest list[] = { cmocka_unit_test(parquet_and_duckdb),
                                       cmocka_unit_test(engines_agree) };
    return cmocka_run_group_tests_name("frames", list, files_begin, files_end);
}

static int tests_with_postgres(void)
{
    if (setenv("DUSK_TEST_POSTGRES", cluster_uri("owner"), 1) != 0) return 1;
    return tests();
}

int main(void)
{
    bool duckdb = duckdb_is_usable();
    if (duckdb && setenv("DUSK_TEST_DUCKDB", "yes", 1) != 0) return 1;
    if (cluster_find()) return cluster_run(tests_with_postgres);
    if (duckdb) return tests();
    puts("skipped: neither DuckDB's library (tools/setup --duckdb) nor PostgreSQL's server (postgresql) is "
         "there");
    return 77;
}
