/* SPDX-License-Identifier: Apache-2.0 */
/* Whole queries with noise left out and bounds so wide that nothing is cut mean what they mean to SQLite: the
 * analyst's text is run by it, word for word, on the same tables. Counts are equal, sums as near as the
 * grid and the rounding of doubles allow, quantiles are those of the rows. What a plain
 * answer leaves empty (a mean of nothing) Dusk fills, and groups of public keys that no row has are there. */
#include "plain_sql.h"
#include "query/release.h"
#include "query_generator.h"
#include "random/generator.h"
#include "random/tape.h"

enum { QUERIES = 330 };

/* The keys of a row as text. */
typedef char key_text[200];

static void dusk_key(key_text out, const dusk_result *result, size_t row, unsigned keys)
{
    out[0] = '\0';
    for (unsigned k = 0; k < keys; k++) {
        const dusk_cell *c = dusk_result_cell(result, row, k);
        if (c->null)
            put_at(out, sizeof(key_text), "|-");
        else if (c->text)
            put_at(out, sizeof(key_text), "|'%s'", c->text);
        else
            put_at(out, sizeof(key_text), "|%.17g", c->number);
    }
}

static void plain_key(key_text out, sqlite3_stmt *row, unsigned keys)
{
    out[0] = '\0';
    for (unsigned k = 0; k < keys; k++) {
        int at = (int)k, type = sqlite3_column_type(row, at);
        if (type == SQLITE_NULL)
            put_at(out, sizeof(key_text), "|-");
        else if (type == SQLITE_TEXT)
            put_at(out, sizeof(key_text), "|'%s'", (const char *)sqlite3_column_text(row, at));
        else
            put_at(out, sizeof(key_text), "|%.17g", sqlite3_column_double(row, at));
    }
}

/* Squares of rows are on a grid too, and a root of a small difference is not as small. */
static bool near(double a, double b, char kind)
{
    if (kind == 'C') return a == b;
    return fabs(a - b) <= (kind == 'D' || kind == 'V' ? 1e-3 : 1e-5) * (1 + fabs(b));
}

static size_t compared, filled;

static void compare_row(const generated_query *q, const dusk_result *result, size_t at, sqlite3_stmt *row)
{
    for (size_t c = q->keys; c < dusk_result_columns(result); c++) {
        const dusk_cell *cell = dusk_result_cell(result, at, c);
        char kind = q->kind[c - q->keys];
        double wanted = row ? sqlite3_column_double(row, (int)c) : 0;
        bool empty = !row || sqlite3_column_type(row, (int)c) == SQLITE_NULL;
        compared += !empty;
        filled += empty;
        if (empty && kind != 'C') continue;
        if (cell->null || !near(cell->number, wanted, kind))
            fail_msg("%s\ncolumn %zu: %.17g is not %.17g", q->text, c, cell->null ? NAN : cell->number,
                     wanted);
    }
}

static void compare(const generated_query *q, const dusk_result *result, sqlite3 *db)
{
    sqlite3_stmt *row;
    size_t rows = dusk_result_rows(result);
    bool *seen = calloc(rows + 1, sizeof *seen);
    if (sqlite3_prepare_v2(db, q->text, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s\n%s", q->text, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_column_count(row), dusk_result_columns(result));
    while (sqlite3_step(row) == SQLITE_ROW) {
        key_text wanted, key = "";
        size_t at = 0;
        plain_key(wanted, row, q->keys);
        for (; at < rows; at++) {
            dusk_key(key, result, at, q->keys);
            if (!seen[at] && strcmp(key, wanted) == 0) break;
        }
        if (at == rows) fail_msg("%s\nno group %s", q->text, wanted);
        seen[at] = true;
        compare_row(q, result, at, row);
    }
    for (size_t at = 0; at < rows; at++)
        if (!seen[at]) compare_row(q, result, at, NULL);
    sqlite3_finalize(row);
    free(seen);
}

static dusk_query_options wide(void)
{
    dusk_query_options o;
    dusk_query_options_init(&o);
    o.epsilon = 100;
    o.delta = 1e-6;
    o.groups_per_unit = 200;
    o.rows_per_group = 20000;
    o.threads = 1;
    return o;
}

static void answers_without_noise_are_plain_answers(void **state)
{
    static world w;
    world_source at;
    dusk_generator *gen;
    dusk_query_options o = wide();
    unsigned ran = 0;
    (void)state;
    world_make(&w, &(world_options){ .seed = 8, .customers = 14, .orders = 40, .items = 60, .clean = true });
    world_open(&at, &w);
    sqlite3 *db = plain_open(&w);
    OK(dusk_generator_new_seeded(&gen, 1, &err));
    query_release_without_noise(true);
    generator g = { .random = 5, .plain = true };
    for (int i = 0; i < QUERIES; i++) {
        generated_query q;
        dusk_query *query;
        dusk_result *result;
        generate_query(&g, &q);
        if (dusk_query_prepare(&query, at.source, q.text, &o, NULL) != DUSK_OK) continue;
        OK(dusk_query_run(query, &result, NULL, gen, &err));
        compare(&q, result, db);
        dusk_result_free(result);
        dusk_query_free(query);
        ran++;
    }
    query_release_without_noise(false);
    assert_true(ran > QUERIES * 8 / 10 && compared > 5 * filled / 2);
    dusk_generator_free(gen);
    sqlite3_close(db);
    world_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_without_noise_are_plain_answers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
