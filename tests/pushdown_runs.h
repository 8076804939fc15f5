/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PUSHDOWN_RUNS_H
#define TESTS_PUSHDOWN_RUNS_H

/* Bounding of the same SQL on the server and here, by one engine on the cluster of the test. */

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "bounding_tables.h"
#include "postgres_cluster.h"
#include "query/pushdown.h"
#include "query/source.h"

static dusk_error err;
static dusk_engine *engine;

static inline bool owner_does(const char *uri, const char *sql)
{
    PGconn *owner = PQconnectdb(uri);
    PGresult *result = PQexec(owner, sql);
    bool fine = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    PQfinish(owner);
    return fine;
}

static char pushdown_uri[200];

/* The database's own table, as t0, by an engine with other settings of the server: "" or "&options=...". */
static inline dusk_engine *open_table(const char *table, const char *const (*columns)[2], size_t n,
                                      const char *settings)
{
    dusk_schema *schema = NULL;
    dusk_engine *out = NULL;
    char source[600], subject[64];
    snprintf(source, sizeof source, "%s%s#%s", pushdown_uri, settings, table);
    bool fine = dusk_schema_new(&schema, &err) == DUSK_OK &&
                dusk_schema_declare(schema, "t", "source", source, &err) == DUSK_OK;
    for (size_t i = 0; i < n && fine; i++) {
        snprintf(subject, sizeof subject, "t.%s", columns[i][0]);
        fine = dusk_schema_declare(schema, subject, "type", columns[i][1], &err) == DUSK_OK;
    }
    if (!fine || dusk_engine_postgres.open(&out, schema, &err) != DUSK_OK) out = NULL;
    dusk_schema_free(schema);
    return out;
}

/* Texts of the database sort as people have them, where the server can do that: none of it may matter. */
static inline int pushdown_begin(void **state)
{
    static const char *const columns[][2] = { { "i", "integer" } };
    bool sorts = owner_does(cluster_uri("owner"),
                            "CREATE DATABASE people TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de'");
    (void)state;
    snprintf(pushdown_uri, sizeof pushdown_uri, "postgres:///%s?host=%s&user=owner",
             sorts ? "people" : "postgres", cluster_folder);
    if (owner_does(pushdown_uri, "CREATE TABLE t(i int)")) engine = open_table("t", columns, 1, "");
    return engine == NULL;
}

static inline int pushdown_end(void **state)
{
    (void)state;
    engine->class->close(engine);
    return 0;
}

/* --- rows as SQL ------------------------------------------------------------------------------------- */

static inline void put_cell(dusk_buffer *out, const cell *c, dusk_cell_type type)
{
    static const char *const names[] = {
        [DUSK_CELL_INTEGER] = "bigint", [DUSK_CELL_REAL] = "float8", [DUSK_CELL_TEXT] = "text"
    };
    if (c->null)
        dusk_buffer_add(out, "NULL");
    else if (type == DUSK_CELL_INTEGER)
        dusk_buffer_add(out, "'%lld'", (long long)c->integer);
    else if (type == DUSK_CELL_REAL)
        dusk_buffer_add(out, isnan(c->real) ? "'NaN'" : "'%.17g'", c->real);
    else {
        dusk_buffer_add(out, "'");
        for (const char *at = c->text; *at; at++) dusk_buffer_add(out, *at == '\'' ? "''" : "%c", *at);
        dusk_buffer_add(out, "'");
    }
    dusk_buffer_add(out, "::%s", names[type]);
}

/* A row without a unit comes first: it is in no answer. */
static inline char *sql_of(const bounding_options *o, const row *rows, size_t n)
{
    dusk_buffer out = { 0 };
    char *sql;
    dusk_buffer_add(&out, "VALUES ");
    for (size_t i = 0; i <= n; i++) {
        row none = { NOTHING, { NOTHING, NOTHING }, { NOTHING, NOTHING } };
        const row *r = i ? &rows[i - 1] : &none;
        dusk_buffer_add(&out, i ? ", (" : "(");
        put_cell(&out, &r->unit, o->unit_type);
        for (size_t k = 0; k < o->keys; k++) {
            dusk_buffer_add(&out, ", ");
            put_cell(&out, &r->key[k], o->key_types[k]);
        }
        for (size_t v = 0; v < o->values; v++) {
            dusk_buffer_add(&out, ", ");
            put_cell(&out, &r->value[v], o->value_types[v]);
        }
        dusk_buffer_add(&out, ")");
    }
    assert_int_equal(dusk_buffer_take(&out, &sql, &err), DUSK_OK);
    return sql;
}

static inline dusk_status try_pushdown(bounded **out, const bounding_options *o, const char *sql,
                                       dusk_generator *gen)
{
    query_pushdown *p;
    *out = NULL;
    dusk_status status = query_pushdown_new(&p, o, sql, gen, &err);
    if (status == DUSK_OK) status = query_pushdown_finish(p, out, engine, &err);
    query_pushdown_free(p);
    return status;
}

static inline bounded *pushed(const bounding_options *o, const char *sql, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    bounded *out;
    assert_true(query_pushdown_fits(o, DUSK_DIALECT_POSTGRES));
    if (try_pushdown(&out, o, sql, gen) != DUSK_OK) {
        unsigned char secret[PUSHDOWN_SECRET] = { 0 };
        char *whole;
        assert_int_equal(query_pushdown_sql(&whole, o, "SELECT", secret, &err), DUSK_OK);
        fail_msg("%s\n%s", err.message, whole);
    }
    dusk_generator_free(gen);
    return out;
}

static inline bounded *streamed(const bounding_options *o, const char *sql, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_cell_type types[ROW_CELLS] = { o->unit_type };
    bounding *b;
    bounded *out;
    for (size_t k = 0; k < o->keys; k++) types[1 + k] = o->key_types[k];
    for (size_t v = 0; v < o->values; v++) types[1 + o->keys + v] = o->value_types[v];
    assert_int_equal(bounding_new(&b, o, gen, &err), DUSK_OK);
    assert_int_equal(query_read_rows(b, engine, sql, types, 1 + o->keys + o->values, &err), DUSK_OK);
    assert_int_equal(bounding_finish(b, &out, &err), DUSK_OK);
    bounding_free(b);
    dusk_generator_free(gen);
    return out;
}

static inline void assert_same(const bounded *a, const bounded *b, const bounding_options *o)
{
    assert_int_equal(a->groups, b->groups);
    for (size_t g = 0; g < a->groups; g++) {
        size_t other = find_group(b, o, a->key + g * o->keys);
        assert_true(other != SIZE_MAX && (!o->groups || other == g));
        assert_int_equal(a->units[g], b->units[other]);
        for (size_t t = 0; t < o->totals; t++) {
            if (a->sum[t * a->groups + g] == b->sum[t * b->groups + other]) continue;
            fail_msg("total %zu of kind %d: %.17g and %.17g", t, (int)o->total[t].kind,
                     (double)a->sum[t * a->groups + g], (double)b->sum[t * b->groups + other]);
        }
    }
}

#endif
