/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding on a server of PostgreSQL beside streaming its rows to here: rows of a unit, one of 1000 keys and a
 * double, 20 rows a unit, ten groups a unit and one row a group. CPU time is that of this program and of
 * all processes of the server, which is started for it; bytes are those of the COPY messages. DUSK_BENCH_ROWS
 * is the number of rows, 500 thousand unless told. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "bench.h"
#include "postgres_cluster.h"
#include "query/pushdown.h"
#include "query/source.h"

enum { KEYS = 1000, ROWS_OF_UNIT = 20, TURNS = 3 };

static const dusk_cell_type types[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER, DUSK_CELL_REAL };
static const bounding_total total = {
    .kind = BOUNDING_SUM, .upper = 500, .reach = 500, .grid = -10, .unit_low = NAN, .unit_high = NAN
};
static const char relation[] = "SELECT c0, c1, c2 FROM t0";

typedef struct job {
    dusk_engine *engine;
    bounding_options options;
    query_value groups[KEYS];
    size_t rows;
    dusk_generator *gen;
} job;

static size_t rows_wanted(void)
{
    const char *text = getenv("DUSK_BENCH_ROWS");
    size_t rows = text ? (size_t)strtod(text, NULL) : 0;
    return rows >= KEYS ? rows : 500000;
}

/* --- the server ------------------------------------------------------------------------------------------ */

static bool make_table(size_t rows)
{
    char sql[600];
    PGconn *owner = PQconnectdb(cluster_uri("owner"));
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE t AS SELECT (hashint8(i) & 2147483647) %% %zu AS u, (hashint8(i + 1000000007) & "
        "2147483647) %% %d AS g, ((hashint8(i + 2000000011) & 2147483647) %% 50000) / 100.0::float8 AS v "
        "FROM generate_series(1::bigint, %zu) AS i",
        rows / ROWS_OF_UNIT, KEYS, rows);
    PGresult *made = PQexec(owner, sql), *looked = PQexec(owner, "VACUUM ANALYZE t");
    bool fine = PQresultStatus(made) == PGRES_COMMAND_OK && PQresultStatus(looked) == PGRES_COMMAND_OK;
    PQclear(made);
    PQclear(looked);
    PQfinish(owner);
    return fine;
}

static void open_engine(job *j)
{
    static const char *const facts[][3] = { { "t.u", "type", "integer" },
                                            { "t.g", "type", "integer" },
                                            { "t.v", "type", "real" } };
    char source[300];
    dusk_schema *schema;
    dusk_error err;
    snprintf(source, sizeof source, "%s#t", cluster_uri("owner"));
    bench_require(dusk_schema_new(&schema, &err), &err);
    bench_require(dusk_schema_declare(schema, "t", "source", source, &err), &err);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        bench_require(dusk_schema_declare(schema, facts[i][0], facts[i][1], facts[i][2], &err), &err);
    bench_require(dusk_engine_postgres.open(&j->engine, schema, &err), &err);
    dusk_schema_free(schema);
}

/* CPU seconds of one process if it is the server or a child of its; those that have ended are the server's. */
static double seconds_of(const char *pid)
{
    char path[300], line[1024] = "";
    unsigned long own[4] = { 0 };
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *at = strrchr(line, ')');
    bool fine = at && sscanf(at + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &parent,
                             &own[0], &own[1], &own[2], &own[3]) == 5;
    if (!fine || (parent != cluster_server && strtol(pid, NULL, 10) != cluster_server)) return 0;
    return (double)(own[0] + own[1] + own[2] + own[3]) / (double)sysconf(_SC_CLK_TCK);
}

static double server_seconds(void)
{
    double seconds = 0;
    DIR *all = opendir("/proc");
    if (!all) return 0;
    for (const struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') seconds += seconds_of(entry->d_name);
    closedir(all);
    return seconds;
}

/* --- the two ways ----------------------------------------------------------------------------------------- */

static void push(const job *j)
{
    dusk_error err;
    query_pushdown *p;
    bounded *groups;
    bench_require(query_pushdown_new(&p, &j->options, relation, j->gen, &err), &err);
    bench_require(query_pushdown_finish(p, &groups, j->engine, &err), &err);
    query_pushdown_free(p);
    bench_keep((double)groups->sum[0]);
    bounded_free(groups);
}

static void stream(const job *j)
{
    dusk_error err;
    bounding *b;
    bounded *groups;
    bench_require(bounding_new(&b, &j->options, j->gen, &err), &err);
    bench_require(query_read_rows(b, j->engine, relation, types, 3, &err), &err);
    bench_require(bounding_finish(b, &groups, &err), &err);
    bounding_free(b);
    bench_keep((double)groups->sum[0]);
    bounded_free(groups);
}

/* Bytes of an answer as COPY sends it: a message a row, a length before each field. */
static double bytes_of(const job *j, const char *sql, const dusk_cell_type *columns, size_t n)
{
    dusk_error err;
    dusk_cursor *cursor;
    dusk_chunk chunk;
    double bytes = 0;
    bench_require(j->engine->class->query(j->engine, &cursor, sql, columns, n, &err), &err);
    for (;;) {
        bench_require(j->engine->class->next(cursor, &chunk, &err), &err);
        if (chunk.rows == 0) break;
        for (size_t i = 0; i < chunk.rows; i++) {
            bytes += 5 + 2;
            for (size_t c = 0; c < n; c++)
                bytes += 4 + (columns[c] == DUSK_CELL_TEXT ? chunk.column[c].lengths[i] : 8);
        }
    }
    j->engine->class->end(cursor);
    return bytes;
}

static void measure_bytes(const job *j, bench_result *out)
{
    static const dusk_cell_type totals[] = { DUSK_CELL_INTEGER, DUSK_CELL_INTEGER, DUSK_CELL_TEXT };
    static const unsigned char secret[PUSHDOWN_SECRET] = { 1 };
    dusk_error err;
    char *sql;
    bench_require(query_pushdown_sql(&sql, &j->options, relation, secret, &err), &err);
    out->value = ((double)strlen(sql) + bytes_of(j, sql, totals, 3)) / 1e6;
    out->floor_value = bytes_of(j, relation, types, 3) / 1e6;
    dusk_deallocate(sql);
}

static void measure_time(const job *j, bench_result *out)
{
    double seconds[2][TURNS];
    for (int turn = -1; turn < TURNS; turn++)
        for (int how = 0; how < 2; how++) {
            double before = server_seconds() + bench_cpu_seconds();
            (how ? stream : push)(j);
            if (turn >= 0) seconds[how][turn] = server_seconds() + bench_cpu_seconds() - before;
        }
    out->value = (double)j->rows / 1e6 / bench_median(seconds[0], TURNS);
    out->floor_value = (double)j->rows / 1e6 / bench_median(seconds[1], TURNS);
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = { .rows = rows_wanted(), .gen = gen };
    const bool *bytes = self->setup;
    *out = (bench_result){ NAN, NAN };
    if (!cluster_find()) {
        fprintf(stderr, "%s: skipped: PostgreSQL's server is not installed (package postgresql)\n",
                self->name);
        return;
    }
    j.options = (bounding_options){ .unit_type = DUSK_CELL_INTEGER,
                                    .key_types = types + 1,
                                    .keys = 1,
                                    .value_types = types + 2,
                                    .values = 1,
                                    .total = &total,
                                    .totals = 1,
                                    .groups_per_unit = 10,
                                    .rows_per_group = 1,
                                    .groups = j.groups,
                                    .groups_count = KEYS };
    for (int g = 0; g < KEYS; g++) j.groups[g] = (query_value){ .integer = g };
    if (!cluster_begin() || !make_table(j.rows)) {
        fprintf(stderr, "%s: skipped: a PostgreSQL cluster cannot be started\n", self->name);
    } else {
        open_engine(&j);
        (*bytes ? measure_bytes : measure_time)(&j, out);
        j.engine->class->close(j.engine);
    }
    cluster_end();
}

static const bool by_bytes = true, by_time = false;

const bench_case bench_pushdown_cases[] = {
    { "pushdown/rows", "a bounded sum by 1000 keys, on the server", "M rows/s", "streaming the rows", "", run,
      &by_time },
    { "pushdown/wire", "what travels for it", "MB", "streaming the rows", "ratio <= 0.1", run, &by_bytes },
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
