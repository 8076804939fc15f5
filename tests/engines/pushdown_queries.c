/* SPDX-License-Identifier: Apache-2.0 */
/* Whole queries over PostgreSQL that are bounded on the server. Generated ones with all noise off and bounds that cut
 * nothing have the same answers as when their rows are streamed; with noise and bounds that cut, those on
 * neighbouring databases have the same answers call by call, as tests/replay/query_runs.c has it of text
 * files. A cluster of its own; skipped where there is none. */
#include "base/buffer.h"
#include "postgres_cluster.h"
#include "query/pushdown.h"
#include "replay_queries.h"

enum { QUERIES = 70 };

static void owner_do(const char *database, const char *sql)
{
    char uri[200];
    snprintf(uri, sizeof uri, "postgres:///%s?host=%s&user=owner", database, cluster_folder);
    PGconn *connection = PQconnectdb(uri);
    PGresult *result = PQexec(connection, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail_msg("%.200s: %s", sql, PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

/* The world as tables of text in a database of its own. */
static void write_database(const char *name, const world *w)
{
    dusk_buffer sql = { 0 };
    char create[60];
    snprintf(create, sizeof create, "CREATE DATABASE %s", name);
    owner_do("postgres", create);
    for (size_t t = 0; t < WORLD_TABLES; t++) {
        const char *header = world_names[t].header;
        dusk_buffer_add(&sql, "CREATE TABLE %s (", world_names[t].name);
        for (; *header; header++) dusk_buffer_add(&sql, *header == ',' ? " text, " : "%c", *header);
        dusk_buffer_add(&sql, " text);");
        for (size_t i = 0; i < w->table[t].rows; i++) {
            dusk_buffer_add(&sql, "INSERT INTO %s VALUES (", world_names[t].name);
            for (size_t c = 0; c < world_names[t].columns; c++)
                dusk_buffer_add(&sql, "%sNULLIF('%s', '')", c ? ", " : "", w->table[t].cell[i][c]);
            dusk_buffer_add(&sql, ");");
        }
    }
    assert_false(sql.failed);
    owner_do(name, sql.data);
    dusk_buffer_clear(&sql);
}

static void open_database(world_source *s, const char *name)
{
    char text[WORLD_TABLES][300];
    const char *uri[WORLD_TABLES];
    dusk_source_options o;
    *s = (world_source){ .at = folder_make() };
    for (size_t t = 0; t < WORLD_TABLES; t++) {
        snprintf(text[t], sizeof text[t], "postgres:///%s?host=%s&user=owner#%s", name, cluster_folder,
                 world_names[t].name);
        uri[t] = text[t];
    }
    dusk_source_options_init(&o);
    o.sources = uri;
    o.sources_count = WORLD_TABLES;
    o.unit = "customer.id";
    o.ledger.neighbours = DUSK_ADD_REMOVE;
    o.ledger.budget = (dusk_budget){ 1e6, 0.5 };
    OK(dusk_source_create(s->at.file, &o, &err));
    OK(dusk_source_open(&s->source, s->at.file, &err));
    for (size_t i = 0; i < sizeof world_facts / sizeof *world_facts; i++)
        OK(dusk_source_declare(s->source, world_facts[i].subject, world_facts[i].property,
                               world_facts[i].value, &err));
}

/* Two sources over one database, since a ledger would repeat its own answer. A declared key is one: where it were
 * there twice, coins would choose. */
static void answers_are_those_of_streaming(void **state)
{
    static world all;
    world_source at[2];
    unsigned ran = 0;
    generator g = { .random = 41 };
    (void)state;
    world_make(&all,
               &(world_options){ .seed = 41, .customers = 24, .orders = 90, .items = 150, .clean = true });
    write_database("same", &all);
    for (int i = 0; i < 2; i++) open_database(&at[i], "same");
    query_release_without_noise(true);
    for (unsigned i = 0; i < 2 * QUERIES; i++) {
        generated_query q;
        side s[2];
        generate_query(&g, &q);
        dusk_query_options o = random_options(&g.random);
        o.groups_per_unit = o.rows_per_group = 1u << 20;
        o.rows_per_unit = i % 2 ? 0 : 1u << 24;
        for (int how = 0; how < 2; how++) {
            dusk_generator *gen;
            OK(dusk_generator_new_seeded(&gen, i, &err));
            query_pushdown_everywhere(how == 1);
            run(&s[how], at[how].source, q.text, &o, gen);
            dusk_generator_free(gen);
        }
        assert_int_equal(s[0].prepared, s[1].prepared);
        if (s[0].prepared == DUSK_OK && strcmp(s[0].answer, s[1].answer) != 0)
            fail_msg("%s\nhas the answers\n%s\n%s", q.text, s[0].answer, s[1].answer);
        ran += s[0].prepared == DUSK_OK;
        for (int how = 0; how < 2; how++) {
            dusk_deallocate(s[how].answer);
            dusk_deallocate(s[how].explained);
        }
    }
    query_release_without_noise(false);
    query_pushdown_everywhere(false);
    assert_true(ran > QUERIES);
    for (int i = 0; i < 2; i++) world_close(&at[i]);
}

static void neighbours_call_by_call(void **state)
{
    static world all, rest;
    world_source at[2];
    unsigned ran = 0;
    generator g = { .random = 42, .totals = true };
    (void)state;
    world_make(&all, &(world_options){ .seed = 42, .customers = 24, .orders = 90, .items = 150 });
    world_part(&rest, &all, "1", true);
    write_database("with_all", &all);
    write_database("without_one", &rest);
    open_database(&at[0], "with_all");
    open_database(&at[1], "without_one");
    query_pushdown_everywhere(true);
    for (unsigned i = 0; i < QUERIES; i++) {
        generated_query q;
        generate_query(&g, &q);
        dusk_query_options o = random_options(&g.random);
        choose_rule(at[0].source, q.text, &o);
        ran += replay_query(at, q.text, &o, 42000 + i);
    }
    query_pushdown_everywhere(false);
    assert_true(ran > QUERIES * 6 / 10);
    for (int i = 0; i < 2; i++) world_close(&at[i]);
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(answers_are_those_of_streaming),
        cmocka_unit_test(neighbours_call_by_call),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}

int main(void) { return cluster_run(tests); }
