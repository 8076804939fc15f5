/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that makes queries safe, on whole queries: f(D) is the disjoint union over units of f(D_u,
 * public tables), row by row. Generated queries become plans and SQL; the SQL runs on a world and on
 * each unit's part of it, and the rows are the same. */
#include "base/memory.h"
#include "query/source.h"
#include "query_generator.h"

enum { QUERIES = 260, ROWS_MOST = 60000, ROW_TEXT = 64 };

/* The rows of an answer, each as a hash and the beginning of its text. */
typedef struct answer {
    size_t rows;
    struct answer_row {
        uint64_t hash;
        char text[ROW_TEXT];
    } row[ROWS_MOST];
} answer;

static void take_row(struct answer_row *row, const dusk_chunk *chunk, size_t i)
{
    char text[1000];
    size_t n = 0;
    row->hash = 14695981039346656037u;
    for (size_t c = 0; c < chunk->columns; c++) {
        const dusk_cells *cells = &chunk->column[c];
        if (cells->null && cells->null[i])
            n += (size_t)snprintf(text + n, sizeof text - n, "|-");
        else if (cells->type == DUSK_CELL_INTEGER)
            n += (size_t)snprintf(text + n, sizeof text - n, "|%lld", (long long)cells->integers[i]);
        else if (cells->type == DUSK_CELL_REAL)
            n += (size_t)snprintf(text + n, sizeof text - n, "|%.17g", cells->reals[i]);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "|'%.*s'", (int)cells->lengths[i],
                                  cells->texts[i]);
        assert_true(n < sizeof text);
    }
    for (size_t k = 0; k < n; k++) row->hash = (row->hash ^ (unsigned char)text[k]) * 1099511628211u;
    snprintf(row->text, sizeof row->text, "%.*s", ROW_TEXT - 1, text);
}

static int compare_rows(const void *a, const void *b)
{
    const struct answer_row *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* More rows of the source to the answer. */
static void ask(answer *out, dusk_source *source, const char *sql, const dusk_cell_type *types,
                size_t columns)
{
    dusk_engine *engine;
    dusk_cursor *cursor;
    dusk_chunk chunk;
    OK(query_source_engine(source, &engine, NULL, &err));
    if (engine->class->query(engine, &cursor, sql, types, columns, NULL) != DUSK_OK)
        fail_msg("%s\ncannot be run", sql);
    do {
        OK(engine->class->next(cursor, &chunk, &err));
        assert_true(out->rows + chunk.rows <= ROWS_MOST);
        for (size_t i = 0; i < chunk.rows; i++) take_row(&out->row[out->rows++], &chunk, i);
    } while (chunk.rows);
    engine->class->end(cursor);
}

static answer whole, parts;

static void compare(const char *text, const query_plan *plan, world_source *all, world_source *unit,
                    size_t units)
{
    dusk_cell_type *types = calloc(plan->input->columns, sizeof *types);
    char *sql;
    dusk_engine *engine;
    OK(query_source_engine(all->source, &engine, NULL, &err));
    OK(query_emit(&sql, types, plan, plan->input, engine->class->dialect, &err));
    whole.rows = parts.rows = 0;
    ask(&whole, all->source, sql, types, plan->input->columns);
    for (size_t u = 0; u < units; u++) ask(&parts, unit[u].source, sql, types, plan->input->columns);
    qsort(whole.row, whole.rows, sizeof *whole.row, compare_rows);
    qsort(parts.row, parts.rows, sizeof *parts.row, compare_rows);
    for (size_t i = 0; i < whole.rows || i < parts.rows; i++) {
        const struct answer_row *a = &whole.row[i], *b = &parts.row[i];
        if (i < whole.rows && i < parts.rows && a->hash == b->hash) continue;
        fail_msg("%s\n%s\nrow %zu of %zu and %zu: %s is not %s", text, sql, i, whole.rows, parts.rows,
                 i < whole.rows ? a->text : "none", i < parts.rows ? b->text : "none");
    }
    free(types);
    dusk_deallocate(sql);
}

static void queries_are_unions_over_units(void **state)
{
    static world all, part;
    static world_source at, unit_at[WORLD_UNITS];
    static char unit[WORLD_UNITS][WORLD_CELL];
    size_t accepted = 0, found = 0;
    (void)state;
    world_make(&all, &(world_options){ .seed = 5, .customers = 7, .orders = 24, .items = 44 });
    world_open(&at, &all);
    size_t units = world_units(unit, &all);
    for (size_t u = 0; u < units; u++) {
        world_part(&part, &all, unit[u], false);
        world_open(&unit_at[u], &part);
    }
    generator g = { .random = 11 };
    for (int i = 0; i < QUERIES; i++) {
        generated_query q;
        query_plan *plan;
        dusk_error err = { .message = "" };
        generate_query(&g, &q);
        dusk_status status = query_plan_new(&plan, dusk_source_schema(at.source), q.text, &err);
        if (status != DUSK_OK && status != DUSK_ERR_UNSUPPORTED && status != DUSK_ERR_PARSE)
            fail_msg("%s\n%s", q.text, err.message);
        if (status != DUSK_OK) continue;
        accepted++;
        compare(q.text, plan, &at, unit_at, units);
        found += whole.rows > 0;
        query_plan_free(plan);
    }
    assert_true(accepted > QUERIES * 8 / 10 && found > QUERIES * 6 / 10);
    for (size_t u = 0; u < units; u++) world_close(&unit_at[u]);
    world_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(queries_are_unions_over_units) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
