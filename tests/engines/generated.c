/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of generated SQL and of whole queries, which take SQLite when they are run alone, with DuckDB where its
 * library is found and with PostgreSQL on a cluster of its own. Skipped when neither is there. */
#include <limits.h>

#include "postgres_cluster.h"
#include "table/duckdb_api.h"

static const char *const programs[] = { "unit.query.functions", "unit.query.expressions", "unit.query.emit" };

/* These take one engine at a time. */
static const char *const whole[] = { "unit.query.attacks", "unit.query.noise_off", "replay.query_union",
                                     "replay.query_runs" };

/* The programs lie beside this one. */
static bool passes(const char *program)
{
    char path[PATH_MAX + 100];
    int status;
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    while (length > 0 && path[length - 1] != '/') length--;
    if (length <= 0) return false;
    snprintf(path + length, sizeof path - (size_t)length, "test.%s", program);
    printf("== %s\n", program);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int whole_queries(const char *engine)
{
    int failed = 0;
    if (setenv("DUSK_TEST_ENGINE", engine, 1) != 0) return 1;
    printf("== %s\n", engine);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) failed += !passes(whole[i]);
    return failed;
}

static int tests(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) failed += !passes(programs[i]);
    if (getenv("DUSK_TEST_DUCKDB")) failed += whole_queries("duckdb");
    if (getenv("DUSK_TEST_POSTGRES")) failed += whole_queries("postgres");
    return failed;
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
