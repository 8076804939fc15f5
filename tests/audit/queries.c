/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of whole queries: SQL, engine, bounding, noise. Two sources differ by one unit, or in one; each is
 * read once, and bounded and released anew for every draw. Claimed is what was asked for, and none is accused;
 * with DUSK_SUBJECT and DUSK_EPSILON one is audited alone, and tests/audit_mutants.txt names the planted
 * bugs with which it is (query.NAME). */
#include <math.h>
#include <unistd.h>

#include "inner_audit.h"
#include "ledgers.h"
#include "query/source.h"

/* The unit that makes the difference is number 1, as wild as it can be; in `exchanged` it is there too. */
#define HEADER "unit,place,word,x,n\n"
#define OTHERS "2,a,u,3,1\n3,b,u,5,2\n4,b,u,1.5,3\n"
#define WILD "1,a,p,1e9,9\n1,a,q,1e9,9\n1,a,r,1e9,9\n1,b,p,1e9,8\n1,b,s,1e9,9\n1,b,t,1e9,9\n1,b,u,1e9,9\n"
#define TAME "1,c,v,-1e9,-9\n1,c,w,-1e9,-9\n1,c,y,-1e9,-8\n1,,v,-1e9,-9\n1,,w,-1e9,-9\n1,,z,-1e9,-9\n"

typedef struct asked {
    const char *sql, *row[2]; /* rows of the two worlds */
    dusk_neighbours neighbours;
    dusk_query_noise noise;
    double delta;
    uint32_t groups, rows, rows_per_unit;
} asked;

/* One side: a source, its query, and the rows that the engine gives. */
typedef struct side {
    folder at;
    dusk_source *source;
    dusk_query *query;
    dusk_engine *engine;
    dusk_cell_type *types;
    query_groups groups;
    dusk_cursor *cursor;
    dusk_chunk chunk;
} side;
static side sides[2];

/* --- sources ---------------------------------------------------------------------------------------- */

static void write_rows(const side *s, const char *rows, char *uri, size_t size)
{
    snprintf(uri, size, "%.63s/t.csv", s->at.path);
    FILE *file = fopen(uri, "w");
    assert_non_null(file);
    fprintf(file, "%s%s%s", HEADER, OTHERS, rows);
    assert_int_equal(fclose(file), 0);
}

static void open_source(side *s, const asked *a, int world)
{
    static const dusk_fact facts[] = {
        { "t.unit", "type", "integer" }, { "t.place", "domain", "a,b,c" }, { "t.x", "type", "real" },
        { "t.x", "bounds", "-6.3:6.3" }, { "t.n", "type", "integer" },     { "t.n", "bounds", "-4:4" },
    };
    char uri[200];
    const char *uris[1] = { uri };
    dusk_source_options o;
    *s = (side){ .at = folder_make() };
    write_rows(s, a->row[world], uri, sizeof uri);
    dusk_source_options_init(&o);
    o.sources = uris;
    o.sources_count = 1;
    o.unit = "t.unit";
    o.engine = "sqlite";
    o.ledger.neighbours = a->neighbours;
    o.ledger.budget = (dusk_budget){ 1e6, 0.5 };
    OK(dusk_source_create(s->at.file, &o, &err));
    OK(dusk_source_open(&s->source, s->at.file, &err));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        OK(dusk_source_declare(s->source, facts[i].subject, facts[i].property, facts[i].value, &err));
}

static void read_rows(side *s)
{
    const query_plan *plan = s->query->plan;
    char *sql;
    OK(query_source_engine(s->source, &s->engine, NULL, &err));
    if (plan->public_keys) OK(query_groups_of(&s->groups, plan, s->engine, &err));
    s->types = calloc(plan->input->columns, sizeof *s->types);
    OK(query_emit(&sql, s->types, plan, plan->input, s->engine->class->dialect, &err));
    OK(s->engine->class->query(s->engine, &s->cursor, sql, s->types, plan->input->columns, &err));
    OK(s->engine->class->next(s->cursor, &s->chunk, &err));
    assert_true(s->chunk.rows >= 3);
    dusk_ledger_free_text(sql);
}

static void close_side(side *s)
{
    if (!s->source) return;
    s->engine->class->end(s->cursor);
    query_groups_clear(&s->groups);
    free(s->types);
    dusk_query_free(s->query);
    dusk_source_close(s->source);
    folder_remove(&s->at);
    s->source = NULL;
}

static claim begin(const asked *a, double epsilon)
{
    for (int world = 0; world < 2; world++) {
        side *s = &sides[world];
        dusk_query_options o;
        close_side(s);
        open_source(s, a, world);
        dusk_query_options_init(&o);
        o.epsilon = epsilon;
        o.delta = a->delta;
        o.noise = a->noise;
        o.groups_per_unit = a->groups;
        o.rows_per_group = a->rows;
        o.rows_per_unit = a->rows_per_unit;
        OK(dusk_query_prepare(&s->query, s->source, a->sql, &o, &err));
        read_rows(s);
    }
    return (claim){ epsilon, a->delta };
}

/* --- a draw ------------------------------------------------------------------------------------------- */

static const char *memory_folder; /* NULL: there is none */

static dusk_result *release(const side *s)
{
    const query_plan *plan = s->query->plan;
    bounding_options how;
    bounding *b;
    bounded *groups;
    dusk_result *result;
    query_terms_bounding(s->query->terms, &how);
    how.unit_type = s->types[0];
    how.key_types = s->types + 1;
    how.value_types = s->types + 1 + plan->keys;
    how.groups = plan->public_keys ? s->groups.value : NULL;
    how.groups_count = s->groups.groups;
    how.memory = 1 << 16; /* little: most of the time goes into making room */
    how.threads = 1;
    how.folder = memory_folder; /* a file is made for every draw */
    must(bounding_new(&b, &how, coins, NULL));
    must(bounding_add(b, &s->chunk, NULL));
    must(bounding_finish(b, &groups, NULL));
    must(query_release(&result, plan, s->query->terms, groups, coins, NULL));
    bounding_free(b);
    bounded_free(groups);
    return result;
}

/* The last column of the first rows, or all columns of a single one. */
static void draw_numbers(double *out, int world, size_t n)
{
    dusk_result *r = release(&sides[world]);
    size_t columns = dusk_result_columns(r);
    for (size_t i = 0; i < n; i++)
        out[i] = (dusk_result_rows(r) == 1 ? dusk_result_cell(r, 0, i) : dusk_result_cell(r, i, columns - 1))
                     ->number;
    dusk_result_free(r);
}

static void draw_one(double *out, int world) { draw_numbers(out, world, 1); }
static void draw_two(double *out, int world) { draw_numbers(out, world, 2); }
static void draw_four(double *out, int world) { draw_numbers(out, world, 4); }

/* How many keys are shown that only unit 1 has. */
static void draw_keys(double *out, int world)
{
    dusk_result *r = release(&sides[world]);
    out[0] = 0;
    for (size_t i = 0; i < dusk_result_rows(r); i++) {
        const dusk_cell *key = dusk_result_cell(r, i, 0);
        out[0] += strchr("pqrst", key->text[0]) != NULL;
    }
    dusk_result_free(r);
}

/* The number beside the key that all have, or one that it never is. */
static void draw_shared(double *out, int world)
{
    dusk_result *r = release(&sides[world]);
    out[0] = -1e6;
    for (size_t i = 0; i < dusk_result_rows(r); i++)
        if (dusk_result_cell(r, i, 0)->text[0] == 'u') out[0] = dusk_result_cell(r, i, 1)->number;
    dusk_result_free(r);
}

/* --- subjects ------------------------------------------------------------------------------------------- */

#define SUBJECT(name, ...)                                                                                   \
    static claim begin_##name(double epsilon)                                                                \
    {                                                                                                        \
        static const asked a = { __VA_ARGS__ };                                                              \
        return begin(&a, epsilon);                                                                           \
    }

SUBJECT(rows, "SELECT COUNT(*) FROM t", { "", WILD }, DUSK_ADD_REMOVE, DUSK_QUERY_LAPLACE, 0, 1, 3, 0)
SUBJECT(groups, "SELECT place, COUNT(*) FROM t GROUP BY place", { "", WILD }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0, 2, 2, 0)
SUBJECT(unit_rows, "SELECT place, COUNT(*) FROM t GROUP BY place", { "", WILD }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0, 2, 3, 4)
SUBJECT(absent, "SELECT place, COUNT(*) FROM t GROUP BY place", { "", TAME }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0, 1, 1, 0)
SUBJECT(sum, "SELECT SUM(x) FROM t", { "", WILD }, DUSK_ADD_REMOVE, DUSK_QUERY_LAPLACE, 0, 1, 2, 0)
SUBJECT(whole, "SELECT SUM(n) FROM t", { WILD, TAME }, DUSK_REPLACE_ONE, DUSK_QUERY_LAPLACE, 0, 1, 2, 0)
SUBJECT(mean, "SELECT AVG(x), COUNT(x) FROM t", { "", WILD }, DUSK_ADD_REMOVE, DUSK_QUERY_LAPLACE, 0, 1, 2, 0)
SUBJECT(joint, "SELECT COUNT(*), SUM(n) FROM t", { "", WILD }, DUSK_ADD_REMOVE, DUSK_QUERY_GAUSSIAN, 0.05, 1,
        2, 0)
SUBJECT(distinct, "SELECT COUNT(DISTINCT word) FROM t", { "", WILD }, DUSK_ADD_REMOVE, DUSK_QUERY_LAPLACE, 0,
        1, 3, 0)
SUBJECT(medians, "SELECT place, MEDIAN(x) FROM t GROUP BY place", { "", WILD }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0, 2, 2, 0)
SUBJECT(medians_exchanged, "SELECT MEDIAN(x) FROM t", { WILD, TAME }, DUSK_REPLACE_ONE, DUSK_QUERY_LAPLACE, 0,
        1, 2, 0)
SUBJECT(keys, "SELECT word, SUM(n) FROM t GROUP BY word", { "", WILD }, DUSK_ADD_REMOVE, DUSK_QUERY_LAPLACE,
        0.2, 4, 1, 0)
SUBJECT(counted_keys, "SELECT word, COUNT(*) FROM t GROUP BY word", { "", WILD }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0.2, 4, 1, 0)
SUBJECT(exchanged_keys, "SELECT word, COUNT(*) FROM t GROUP BY word", { WILD, TAME }, DUSK_REPLACE_ONE,
        DUSK_QUERY_LAPLACE, 0.2, 4, 1, 0)

SUBJECT(shared_sum, "SELECT word, SUM(n) FROM t GROUP BY word", { "", "1,a,u,1e9,9\n" }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0.01, 1, 1, 0)
SUBJECT(shared_count, "SELECT word, COUNT(*) FROM t GROUP BY word", { "", "1,a,u,1e9,9\n" }, DUSK_ADD_REMOVE,
        DUSK_QUERY_LAPLACE, 0.01, 1, 1, 0)

static const subject subjects[] = {
    { "rows", "a unit of many rows", 1, 1, 20000, begin_rows, draw_one, NULL },
    { "groups", "a unit in two groups", 1, 2, 20000, begin_groups, draw_two, NULL },
    { "unit-rows", "a unit of many rows in two groups", 1, 2, 20000, begin_unit_rows, draw_two, NULL },
    { "absent", "a unit in groups of nobody else", 1, 4, 20000, begin_absent, draw_four, NULL },
    { "sum", "a unit of large values", 1, 1, 20000, begin_sum, draw_one, NULL },
    { "whole", "a unit changes all its values", 1, 1, 20000, begin_whole, draw_one, NULL },
    { "mean", "a unit of large values", 1, 2, 20000, begin_mean, draw_two, NULL },
    { "joint", "a unit of large values", 1, 2, 20000, begin_joint, draw_two, NULL },
    { "distinct", "a unit of many words", 1, 1, 20000, begin_distinct, draw_one, NULL },
    { "medians", "a unit of large values in two groups", 2, 2, 20000, begin_medians, draw_two, NULL },
    { "medians.exchanged", "a unit changes all its values", 2, 1, 20000, begin_medians_exchanged, draw_one,
      NULL },
    { "keys", "a unit with keys that nobody else has", 1, 1, 4000, begin_keys, draw_keys, NULL },
    { "keys.counted", "a unit with keys that nobody else has", 1, 1, 20000, begin_counted_keys, draw_keys,
      NULL },
    { "keys.exchanged", "a unit changes all its keys", 1, 1, 20000, begin_exchanged_keys, draw_keys, NULL },
    { "keys.shared-sum", "a unit with a key that others have", 3, 1, 20000, begin_shared_sum, draw_shared,
      NULL },
    { "keys.shared-count", "a unit with a key that others have", 2, 1, 20000, begin_shared_count, draw_shared,
      NULL },
};

static void no_query_is_accused(void **state)
{
    (void)state;
    if (access("/dev/shm", W_OK | X_OK) == 0) memory_folder = "/dev/shm";
    none_is_accused(subjects, sizeof subjects / sizeof *subjects);
    for (int world = 0; world < 2; world++) close_side(&sides[world]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_query_is_accused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
