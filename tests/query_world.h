/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUERY_WORLD_H
#define TESTS_QUERY_WORLD_H

/* A small world for whole queries: customers (the units), their orders, the items of orders, and a
 * public table of products; as text files in a folder (or tables of PostgreSQL, where DUSK_TEST_ENGINE and
 * DUSK_TEST_POSTGRES say so), opened as a source by the public calls. Rows
 * are random with a fixed seed and as bad as rows are: NULLs everywhere, links that lead nowhere,
 * numbers out of bounds, NaN, infinities, text where numbers should be, keys that are there twice. */

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "dusk/query.h"
#include "ledgers.h"
#include "support.h"

enum { WORLD_CUSTOMER, WORLD_ORDERS, WORLD_ITEM, WORLD_PRODUCT, WORLD_TABLES };
enum { WORLD_ROWS = 160, WORLD_COLUMNS = 5, WORLD_CELL = 24 };

typedef struct world_table {
    char cell[WORLD_ROWS][WORLD_COLUMNS][WORLD_CELL]; /* as in the file; "": NULL */
    size_t rows;
} world_table;

typedef struct world {
    world_table table[WORLD_TABLES];
} world;

typedef struct world_options {
    uint64_t seed;
    unsigned customers, orders, items;
    bool
        clean; /* no bad value, nothing out of bounds, no key twice; NULLs and links that lead nowhere stay */
} world_options;

static const struct {
    const char *name, *header;
    size_t columns;
} world_names[WORLD_TABLES] = { { "customer", "id,age,region,vip", 4 },
                                { "orders", "id,customer,amount,status,day", 5 },
                                { "item", "order_id,product,quantity,price", 4 },
                                { "product", "id,kind", 2 } };

static const dusk_fact world_facts[] = {
    { "customer.id", "type", "integer" },
    { "customer.id", "unique", "yes" },
    { "customer.age", "type", "integer" },
    { "customer.age", "bounds", "0:100" },
    { "customer.region", "domain", "north,south,east" },
    { "customer.vip", "type", "boolean" },
    { "orders.id", "type", "integer" },
    { "orders.id", "unique", "yes" },
    { "orders.customer", "type", "integer" },
    { "orders.customer", "link", "customer" },
    { "orders.amount", "type", "real" },
    { "orders.amount", "bounds", "0:500" },
    { "orders.status", "domain", "new,paid,gone" },
    { "orders.day", "type", "date" },
    { "item.order_id", "type", "integer" },
    { "item.order_id", "link", "orders.id" },
    { "item.product", "type", "integer" },
    { "item.quantity", "type", "integer" },
    { "item.quantity", "bounds", "0:20" },
    { "item.price", "type", "real" },
    { "item.price", "bounds", "0:100" },
    { "product", "public", "yes" },
    { "product.id", "type", "integer" },
    { "product.id", "unique", "yes" },
};

/* --- rows ---------------------------------------------------------------------------------- */

static inline uint64_t world_below(uint64_t *random, uint64_t n) { return splitmix64(random) % n; }

static inline bool world_chance(uint64_t *random, unsigned in) { return world_below(random, in) == 0; }

static inline const char *world_choice(uint64_t *random, const char *const *list, size_t n)
{
    return list[world_below(random, n)];
}

#define WORLD_CHOICE(random, list) world_choice(random, list, sizeof(list) / sizeof *(list))

/* A number below `below`, a NULL now and then, something odd more seldom. */
static inline void world_number(char *cell, uint64_t *random, const world_options *o, unsigned below,
                                bool whole)
{
    static const char *const odd[] = { "abc", "-5",  "250",  "1e3", "99999999999999999999",
                                       "nan", "inf", "-inf", "7.5", "-1e308" };
    double x = (double)world_below(random, below * 4) / 4;
    if (world_chance(random, 12))
        snprintf(cell, WORLD_CELL, "%s", "");
    else if (!o->clean && world_chance(random, 12))
        snprintf(cell, WORLD_CELL, "%s", WORLD_CHOICE(random, odd));
    else if (whole)
        snprintf(cell, WORLD_CELL, "%.0f", x - 0.25 * (double)((int)(4 * x) % 4));
    else
        snprintf(cell, WORLD_CELL, "%.2f", x);
}

static inline void world_word(char *cell, uint64_t *random, const world_options *o, const char *const *list,
                              size_t n)
{
    const char *text = world_chance(random, 12) ? "" : world_choice(random, list, n);
    if (!o->clean && world_chance(random, 15)) text = "not a value";
    snprintf(cell, WORLD_CELL, "%s", text);
}

#define WORLD_WORD(cell, random, o, list) world_word(cell, random, o, list, sizeof(list) / sizeof *(list))

/* A key: the row's own, or now and then none, a bad one, or one that is there already. */
static inline void world_key(char *cell, uint64_t *random, const world_options *o, size_t own)
{
    if (world_chance(random, 25))
        snprintf(cell, WORLD_CELL, "%s", "");
    else if (!o->clean && world_chance(random, 25))
        snprintf(cell, WORLD_CELL, "%s", "x");
    else if (!o->clean && world_chance(random, 8))
        snprintf(cell, WORLD_CELL, "%zu", 1 + world_below(random, own));
    else
        snprintf(cell, WORLD_CELL, "%zu", own);
}

/* A link: to one of `n`, the first more often than the others, or to nothing. */
static inline void world_link(char *cell, uint64_t *random, size_t n)
{
    size_t to = world_chance(random, 4) ? 1 : 1 + world_below(random, n);
    if (world_chance(random, 20))
        snprintf(cell, WORLD_CELL, "%s", "");
    else
        snprintf(cell, WORLD_CELL, "%zu", world_chance(random, 20) ? to + 1000 : to);
}

static const char *const world_regions[] = { "north", "south", "east" };
static const char *const world_states[] = { "new", "paid", "gone" };
static const char *const world_truths[] = { "true", "false" };
static const char *const world_days[] = { "2024-01-31", "2024-02-29", "2024-06-01", "2025-12-31",
                                          "1999-12-31" };

static inline void world_make(world *w, const world_options *o)
{
    uint64_t r = o->seed * 1000003 + 17;
    const unsigned rows[] = { o->customers, o->orders, o->items, 5 };
    static const char *const kinds[] = { "food", "tool", "food", "", "toy" };
    memset(w, 0, sizeof *w);
    for (size_t t = 0; t < WORLD_TABLES; t++) {
        assert_true(rows[t] <= WORLD_ROWS);
        w->table[t].rows = rows[t];
        for (size_t i = 0; i < rows[t]; i++) {
            char(*cell)[WORLD_CELL] = w->table[t].cell[i];
            if (t == WORLD_CUSTOMER) {
                world_key(cell[0], &r, o, i + 1);
                world_number(cell[1], &r, o, 100, true);
                WORLD_WORD(cell[2], &r, o, world_regions);
                WORLD_WORD(cell[3], &r, o, world_truths);
            } else if (t == WORLD_ORDERS) {
                world_key(cell[0], &r, o, i + 1);
                world_link(cell[1], &r, o->customers);
                world_number(cell[2], &r, o, 500, false);
                WORLD_WORD(cell[3], &r, o, world_states);
                WORLD_WORD(cell[4], &r, o, world_days);
            } else if (t == WORLD_ITEM) {
                world_link(cell[0], &r, o->orders);
                world_link(cell[1], &r, 5);
                world_number(cell[2], &r, o, 20, true);
                world_number(cell[3], &r, o, 100, false);
            } else {
                snprintf(cell[0], WORLD_CELL, "%zu", i + 1);
                snprintf(cell[1], WORLD_CELL, "%s", kinds[i]);
            }
        }
    }
}

/* --- units ------------------------------------------------------------------------------------ */

/* Is the row one of the unit's (`others`: of somebody else's)? A row of items may be both, where an order's
 * key is there twice. */
static inline bool world_belongs(const world *w, size_t table, size_t row, const char *unit, bool others)
{
    const world_table *orders = &w->table[WORLD_ORDERS];
    char const(*cell)[WORLD_CELL] = w->table[table].cell[row];
    if (table == WORLD_PRODUCT) return true;
    if (table != WORLD_ITEM) return (strcmp(cell[table == WORLD_ORDERS], unit) == 0) != others;
    for (size_t i = 0; i < orders->rows; i++)
        if (cell[0][0] && strcmp(orders->cell[i][0], cell[0]) == 0 &&
            (strcmp(orders->cell[i][1], unit) == 0) != others)
            return true;
    return false;
}

/* The rows of one unit, or all others. */
static inline void world_part(world *out, const world *w, const char *unit, bool others)
{
    memset(out, 0, sizeof *out);
    for (size_t t = 0; t < WORLD_TABLES; t++)
        for (size_t i = 0; i < w->table[t].rows; i++)
            if (world_belongs(w, t, i, unit, others))
                memcpy(out->table[t].cell[out->table[t].rows++], w->table[t].cell[i],
                       sizeof w->table[t].cell[i]);
}

enum { WORLD_UNITS = 64 };

/* All that customers or orders name as a unit. */
static inline size_t world_units(char unit[WORLD_UNITS][WORLD_CELL], const world *w)
{
    size_t units = 0;
    for (size_t t = WORLD_CUSTOMER; t <= WORLD_ORDERS; t++)
        for (size_t i = 0; i < w->table[t].rows; i++) {
            const char *name = w->table[t].cell[i][t == WORLD_ORDERS];
            bool known = name[0] == '\0' || name[0] == 'x';
            for (size_t u = 0; u < units; u++) known = known || strcmp(unit[u], name) == 0;
            if (known) continue;
            assert_true(units < WORLD_UNITS);
            snprintf(unit[units++], WORLD_CELL, "%s", name);
        }
    return units;
}

/* --- files -------------------------------------------------------------------------------------- */

typedef struct world_source {
    folder at;
    dusk_source *source;
} world_source;

/* The engine that tests ask for: DUSK_TEST_ENGINE, or SQLite. */
static inline const char *world_engine(void)
{
    const char *wanted = getenv("DUSK_TEST_ENGINE");
    return wanted && *wanted ? wanted : "sqlite";
}

/* Rows into a table of the PostgreSQL database that DUSK_TEST_POSTGRES names: all text, as in a file. */
static inline void world_copy(const char *uri, const char *table, const char *header, const char *rows)
{
    char sql[400] = "";
    PGconn *to = PQconnectdb(uri);
    int n = snprintf(sql, sizeof sql, "CREATE TABLE %s (", table);
    for (const char *from = header; *from;) {
        size_t length = strcspn(from, ",");
        n += snprintf(sql + n, sizeof sql - (size_t)n, "%.*s text%c", (int)length, from,
                      from[length] ? ',' : ')');
        from += length + (from[length] != '\0');
    }
    PGresult *made = PQexec(to, sql);
    if (PQresultStatus(made) != PGRES_COMMAND_OK) fail_msg("%s: %s", sql, PQerrorMessage(to));
    PQclear(made);
    snprintf(sql, sizeof sql, "COPY %s FROM STDIN (FORMAT csv)", table);
    PQclear(PQexec(to, sql));
    assert_int_equal(PQputCopyData(to, rows, (int)strlen(rows)), 1);
    assert_int_equal(PQputCopyEnd(to, NULL), 1);
    made = PQgetResult(to);
    if (PQresultStatus(made) != PGRES_COMMAND_OK) fail_msg("%s: %s", table, PQerrorMessage(to));
    PQclear(made);
    PQfinish(to);
}

/* A table of these rows (text, a line each) for the engine that is asked for: its source. */
enum { WORLD_URI = 400 };
static inline void world_put(char source[WORLD_URI], const folder *at, const char *name, const char *header,
                             const char *rows)
{
    static unsigned made;
    const char *uri = getenv("DUSK_TEST_POSTGRES");
    if (strcmp(world_engine(), "postgres") == 0) {
        char table[60];
        assert_non_null(uri);
        snprintf(table, sizeof table, "w%ld_%u_%.20s", (long)getpid(), made++, name);
        world_copy(uri, table, header, rows);
        snprintf(source, WORLD_URI, "%s=%s#%s", name, uri, table);
        return;
    }
    snprintf(source, WORLD_URI, "%s/%s.csv", at->path, name);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "%s\n%s", header, rows) > 0);
    assert_int_equal(fclose(file), 0);
}

static inline void world_open(world_source *s, const world *w)
{
    static char rows[WORLD_ROWS * WORLD_COLUMNS * WORLD_CELL];
    char path[WORLD_TABLES][WORLD_URI];
    const char *uri[WORLD_TABLES];
    dusk_source_options o;
    *s = (world_source){ .at = folder_make() };
    for (size_t t = 0; t < WORLD_TABLES; t++) {
        size_t n = 0, columns = world_names[t].columns;
        for (size_t i = 0; i < w->table[t].rows * columns; i++)
            n += (size_t)snprintf(rows + n, sizeof rows - n, "%s%c",
                                  w->table[t].cell[i / columns][i % columns],
                                  i % columns + 1 < columns ? ',' : '\n');
        rows[n] = '\0';
        world_put(path[t], &s->at, world_names[t].name, world_names[t].header, rows);
        uri[t] = path[t];
    }
    dusk_source_options_init(&o);
    o.sources = uri;
    o.sources_count = WORLD_TABLES;
    o.unit = "customer.id";
    o.engine = world_engine();
    o.ledger.neighbours = DUSK_ADD_REMOVE;
    o.ledger.budget = (dusk_budget){ 1e6, 0.5 };
    OK(dusk_source_create(s->at.file, &o, &err));
    OK(dusk_source_open(&s->source, s->at.file, &err));
    for (size_t i = 0; i < sizeof world_facts / sizeof *world_facts; i++)
        OK(dusk_source_declare(s->source, world_facts[i].subject, world_facts[i].property,
                               world_facts[i].value, &err));
}

static inline void world_close(world_source *s)
{
    dusk_source_close(s->source);
    folder_remove(&s->at);
}

#endif
