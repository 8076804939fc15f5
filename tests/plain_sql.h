/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PLAIN_SQL_H
#define TESTS_PLAIN_SQL_H

/* The world of query_world.h as tables of plain SQLite, which runs an analyst's text as it is: what a query
 * means without privacy. Rows that belong to no unit are left out. Aggregates and functions that SQLite
 * does not have are written down here, plainly. */

#include <math.h>
#include <sqlite3.h>

#include "query_world.h"

/* --- functions ------------------------------------------------------------------------------- */

typedef struct plain_values {
    double *value;
    size_t n;
} plain_values;

static void plain_step(sqlite3_context *context, int n, sqlite3_value **argument)
{
    plain_values *v = sqlite3_aggregate_context(context, sizeof *v);
    (void)n;
    if (!v || sqlite3_value_type(argument[0]) == SQLITE_NULL) return;
    double *more = realloc(v->value, (v->n + 1) * sizeof *more);
    if (!more) abort();
    v->value = more;
    v->value[v->n++] = sqlite3_value_double(argument[0]);
}

static int plain_compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The user data says which: variance, stddev or median. */
static void plain_final(sqlite3_context *context)
{
    plain_values *v = sqlite3_aggregate_context(context, 0);
    const char *which = sqlite3_user_data(context);
    long double mean = 0, squares = 0;
    if (!v || v->n == 0) return;
    if (which[0] == 'm') {
        qsort(v->value, v->n, sizeof *v->value, plain_compare);
        sqlite3_result_double(context, (v->value[(v->n - 1) / 2] + v->value[v->n / 2]) / 2);
    } else if (v->n > 1) {
        for (size_t i = 0; i < v->n; i++) mean += v->value[i] / (long double)v->n;
        for (size_t i = 0; i < v->n; i++) squares += (v->value[i] - mean) * (v->value[i] - mean);
        squares /= (long double)(v->n - 1);
        sqlite3_result_double(context, which[0] == 's' ? sqrt((double)squares) : (double)squares);
    }
    free(v->value);
}

/* Of what is not NULL; +1: the greatest, -1: the least. */
static void plain_extreme(sqlite3_context *context, int n, sqlite3_value **argument)
{
    const int *sign = sqlite3_user_data(context);
    sqlite3_value *best = NULL;
    for (int i = 0; i < n; i++) {
        if (sqlite3_value_type(argument[i]) == SQLITE_NULL) continue;
        double more = best ? sqlite3_value_double(argument[i]) - sqlite3_value_double(best) : 0;
        if (!best || more * *sign > 0) best = argument[i];
    }
    if (best) sqlite3_result_value(context, best);
}

/* --- tables ------------------------------------------------------------------------------------ */

static inline void plain_run(sqlite3 *db, const char *sql)
{
    char *said = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &said) != SQLITE_OK) fail_msg("%s: %s", sql, said);
}

/* i integer, r real, t text, b boolean. */
static inline void plain_bind(sqlite3_stmt *row, int at, char type, const char *cell)
{
    if (cell[0] == '\0')
        sqlite3_bind_null(row, at);
    else if (type == 'i')
        sqlite3_bind_int64(row, at, strtoll(cell, NULL, 10));
    else if (type == 'r')
        sqlite3_bind_double(row, at, strtod(cell, NULL));
    else if (type == 'b')
        sqlite3_bind_int(row, at, cell[0] == 't');
    else
        sqlite3_bind_text(row, at, cell, -1, SQLITE_TRANSIENT);
}

static inline sqlite3 *plain_open(const world *w)
{
    static const char *const types[WORLD_TABLES] = { "iitb", "iirtt", "iiir", "it" };
    static const int most = 1, least = -1;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (const char *const *name = (const char *const[]){ "variance", "stddev", "median", NULL }; *name;
         name++)
        sqlite3_create_function(db, *name, 1, SQLITE_UTF8, (void *)(uintptr_t)*name, NULL, plain_step,
                                plain_final);
    sqlite3_create_function(db, "greatest", -1, SQLITE_UTF8, (void *)(uintptr_t)&most, plain_extreme, NULL,
                            NULL);
    sqlite3_create_function(db, "least", -1, SQLITE_UTF8, (void *)(uintptr_t)&least, plain_extreme, NULL,
                            NULL);
    plain_run(db, "PRAGMA case_sensitive_like = 1");
    for (size_t t = 0; t < WORLD_TABLES; t++) {
        char sql[300];
        sqlite3_stmt *row;
        snprintf(sql, sizeof sql, "CREATE TABLE %s (%s)", world_names[t].name, world_names[t].header);
        plain_run(db, sql);
        snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?, ?%s)", world_names[t].name,
                 &", ?, ?, ?"[3 * (5 - world_names[t].columns)]);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
        for (size_t i = 0; i < w->table[t].rows; i++) {
            for (size_t c = 0; c < world_names[t].columns; c++)
                plain_bind(row, (int)c + 1, types[t][c], w->table[t].cell[i][c]);
            assert_int_equal(sqlite3_step(row), SQLITE_DONE);
            sqlite3_reset(row);
        }
        sqlite3_finalize(row);
    }
    plain_run(db, "DELETE FROM customer WHERE id IS NULL; DELETE FROM orders WHERE customer IS NULL;"
                  "DELETE FROM item WHERE NOT EXISTS (SELECT 1 FROM orders WHERE id = order_id)");
    return db;
}

#endif
