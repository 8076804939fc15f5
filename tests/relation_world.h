/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RELATION_WORLD_H
#define TESTS_RELATION_WORLD_H

/* Customers, their orders and items, and public cities, in a real engine; and the rule of plan.h as a check: what
 * a relation gives of all rows is the union of what it gives of each unit's rows alone. */

#include "base/memory.h"
#include "query_engines.h"
#include "query_nodes.h"

typedef struct world {
    maker m;
    dusk_schema *schema;
    query_plan plan;
    real_engine engine;
} world;

enum { CUSTOMER, ORDERS, ITEMS, CITIES };

static inline void declare(dusk_schema *schema, const char *subject, const char *property, const char *value)
{
    dusk_error err = { .message = "" };
    if (dusk_schema_declare(schema, subject, property, value, &err) != DUSK_OK) fail_msg("%s", err.message);
}

static inline dusk_schema *make_schema(void)
{
    static const char *const facts[][3] = {
        { "customer", "source", "a.csv" },
        { "customer.id", "type", "integer" },
        { "customer.city", "type", "text" },
        { "customer.id", "unique", "yes" },
        { "orders", "source", "b.csv" },
        { "orders.id", "type", "integer" },
        { "orders.customer", "type", "integer" },
        { "orders.amount", "type", "integer" },
        { "orders.id", "unique", "yes" },
        { "orders.customer", "link", "customer.id" },
        { "items", "source", "c.csv" },
        { "items.order", "type", "integer" },
        { "items.part", "type", "integer" },
        { "items.order", "link", "orders.id" },
        { "cities", "source", "d.csv" },
        { "cities.city", "type", "text" },
        { "cities.region", "type", "text" },
        { "cities", "public", "yes" },
        { "", "unit", "customer.id" },
    };
    dusk_schema *schema;
    assert_int_equal(dusk_schema_new(&schema, NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        declare(schema, facts[i][0], facts[i][1], facts[i][2]);
    return schema;
}

/* t0 .. t3 are what of the base tables belongs to the unit in `one`, or all when that is empty. */
static inline void fill(real_engine *db, uint64_t seed)
{
    char text[200];
    static const char *const setup[] = {
        "CREATE TABLE b0(c0 BIGINT, c1 TEXT)",
        "CREATE TABLE b1(c0 BIGINT, c1 BIGINT, c2 BIGINT)",
        "CREATE TABLE b2(c0 BIGINT, c1 BIGINT)",
        "CREATE TABLE t3(c0 TEXT, c1 TEXT)",
        "CREATE TABLE one(u BIGINT)",
        "CREATE VIEW t0 AS SELECT * FROM b0 WHERE NOT EXISTS (SELECT 1 FROM one) OR c0 IN (SELECT u FROM "
        "one)",
        "CREATE VIEW t1 AS SELECT * FROM b1 WHERE NOT EXISTS (SELECT 1 FROM one) OR c1 IN (SELECT u FROM "
        "one)",
        "CREATE VIEW t2 AS SELECT * FROM b2 WHERE NOT EXISTS (SELECT 1 FROM one) OR c0 IN "
        "(SELECT c0 FROM b1 WHERE c1 IN (SELECT u FROM one))",
        "INSERT INTO t3 VALUES ('a', 'north'), ('a', 'south'), ('b', 'north'), (NULL, 'east')",
    };
    for (size_t i = 0; i < sizeof setup / sizeof *setup; i++) must(db, setup[i]);
    for (int i = 0; i < 8; i++) {
        const char *city = (const char *[]){ "'a'", "'b'", "'c'", "NULL" }[splitmix64(&seed) % 4];
        snprintf(text, sizeof text, "INSERT INTO b0 VALUES (%s, %s)",
                 i == 7 ? "NULL" : (const char *[]){ "0", "1", "2", "3", "4", "5", "6" }[i], city);
        must(db, text);
    }
    for (int i = 0; i < 20; i++) {
        unsigned unit = (unsigned)(splitmix64(&seed) % 8);
        char who[16];
        snprintf(who, sizeof who, "%u", unit);
        snprintf(text, sizeof text, "INSERT INTO b1 VALUES (%d, %s, %u)", i, unit == 7 ? "NULL" : who,
                 (unsigned)(splitmix64(&seed) % 5));
        must(db, text);
        for (uint64_t k = splitmix64(&seed) % 4; k > 0; k--) {
            snprintf(text, sizeof text, "INSERT INTO b2 VALUES (%s, %u)",
                     i == 3 ? "NULL" : (snprintf(who, sizeof who, "%d", i), who),
                     (unsigned)(splitmix64(&seed) % 3));
            must(db, text);
        }
    }
}

typedef bool opener(real_engine *);

static inline world open_world(void **state, uint64_t seed)
{
    world w = { .schema = NULL };
    opener *const *open = *state;
    if (!(*open)(&w.engine)) skip();
    w.schema = make_schema();
    w.plan.schema = w.schema;
    fill(&w.engine, seed);
    return w;
}

static inline void close_world(world *w)
{
    maker_free(&w->m);
    dusk_schema_free(w->schema);
    close_engine(&w->engine);
}

/* --- rows as sorted texts --- */

typedef struct rows {
    char **row;
    size_t used, room;
} rows;

static inline int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void sort_rows(rows *r)
{
    if (r->used) qsort(r->row, r->used, sizeof *r->row, by_text);
}

static inline void rows_free(rows *r)
{
    for (size_t i = 0; i < r->used; i++) free(r->row[i]);
    free(r->row);
    *r = (rows){ 0 };
}

static inline void add_rows(world *w, rows *out, const char *sql, const dusk_cell_type *types, size_t columns)
{
    answer got;
    const char *wrong = w->engine.run(&w->engine, sql, types, columns, &got);
    if (wrong) fail_msg("%s: %s: %s", w->engine.name, wrong, sql);
    for (size_t r = 0; r < got.rows; r++) {
        char line[400] = "";
        size_t length = 0;
        for (size_t i = 0; i < columns; i++) {
            const ref_value *v = &got.cell[r * columns + i];
            char cell[100] = "-";
            if (!v->null && types[i] == DUSK_CELL_INTEGER)
                snprintf(cell, sizeof cell, "%lld", (long long)v->integer);
            if (!v->null && types[i] == DUSK_CELL_REAL) snprintf(cell, sizeof cell, "%.12g", v->real);
            if (!v->null && types[i] == DUSK_CELL_TEXT) snprintf(cell, sizeof cell, "%.90s", v->text);
            length += (size_t)snprintf(line + length, sizeof line - length, "%s|", cell);
            assert_true(length < sizeof line);
        }
        if (out->used == out->room)
            out->row = realloc(out->row, (out->room = out->room ? 2 * out->room : 64) * sizeof *out->row);
        out->row[out->used++] = strdup(line);
    }
    answer_free(&got);
}

static inline char *emit(world *w, const query_relation *r, dusk_cell_type *types)
{
    dusk_error err = { .message = "" };
    char *sql = NULL;
    if (query_emit(&sql, types, &w->plan, r, w->engine.dialect, &err) != DUSK_OK) fail_msg("%s", err.message);
    return sql;
}

static inline rows of_relation(world *w, const query_relation *r)
{
    rows out = { 0 };
    dusk_cell_type types[32];
    char *sql = emit(w, r, types);
    add_rows(w, &out, sql, types, r->columns);
    sort_rows(&out);
    dusk_deallocate(sql);
    return out;
}

static inline void same_rows(const rows *a, const rows *b, const char *what)
{
    if (a->used != b->used) fail_msg("%s: %zu rows, not %zu", what, a->used, b->used);
    for (size_t i = 0; i < a->used; i++)
        if (strcmp(a->row[i], b->row[i]) != 0) fail_msg("%s: %s, not %s", what, a->row[i], b->row[i]);
}

/* Of all rows: the union of what it gives of each unit's. */
static inline void check_rule(world *w, const query_relation *r, const char *what)
{
    rows all, parts = { 0 };
    dusk_cell_type types[32];
    char text[80], *sql = emit(w, r, types);
    must(&w->engine, "DELETE FROM one");
    all = of_relation(w, r);
    for (int unit = 0; unit < 8; unit++) {
        must(&w->engine, "DELETE FROM one");
        snprintf(text, sizeof text, "INSERT INTO one VALUES (%d)", unit);
        must(&w->engine, text);
        add_rows(w, &parts, sql, types, r->columns);
    }
    must(&w->engine, "DELETE FROM one");
    sort_rows(&parts);
    same_rows(&all, &parts, what);
    rows_free(&all);
    rows_free(&parts);
    dusk_deallocate(sql);
}

/* And it is what this SQL says. */
static inline void check_means(world *w, const query_relation *r, const char *sql, const char *what)
{
    dusk_cell_type types[32];
    rows expected = { 0 }, got = of_relation(w, r);
    dusk_deallocate(emit(w, r, types));
    add_rows(w, &expected, sql, types, r->columns);
    sort_rows(&expected);
    same_rows(&got, &expected, what);
    rows_free(&expected);
    rows_free(&got);
    if (r->unit != QUERY_NONE) check_rule(w, r, what);
}

#define INT(i) column(&w.m, DUSK_TYPE_INTEGER, (i))
#define TEXT(i) column(&w.m, DUSK_TYPE_TEXT, (i))
#define EQUAL(a, b) call(&w.m, QUERY_EQUAL, DUSK_TYPE_BOOLEAN, 2, (a), (b))
#define LESS(a, b) call(&w.m, QUERY_LESS, DUSK_TYPE_BOOLEAN, 2, (a), (b))

#endif
