/* SPDX-License-Identifier: Apache-2.0 */
/* Sources by their URI. */
#include "support.h"
#include "table/engine.h"

static void check(const char *uri, dusk_source_kind kind, const char *path, const char *table, char delimiter,
                  const char *header)
{
    dusk_location l;
    dusk_error err;
    if (dusk_location_parse(&l, uri, &err) != DUSK_OK) fail_msg("%s: %s", uri, err.message);
    assert_int_equal(l.kind, kind);
    assert_string_equal(l.path, path);
    assert_string_equal(l.table ? l.table : "-", table ? table : "-");
    assert_int_equal(l.delimiter, delimiter);
    assert_string_equal(l.header ? l.header : "-", header ? header : "-");
    dusk_location_clear(&l);
    assert_null(l.path);
    dusk_location_clear(&l);
}

static void kinds_and_parts(void **state)
{
    (void)state;
    check("a/visits.csv", DUSK_SOURCE_CSV, "a/visits.csv", NULL, ',', NULL);
    check("VISITS.CSV?delimiter=;", DUSK_SOURCE_CSV, "VISITS.CSV", NULL, ';', NULL);
    check("a.csv?delimiter=tab&header=a,b,c", DUSK_SOURCE_CSV, "a.csv", NULL, '\t', "a,b,c");
    check("a.txt?header=x&delimiter=|", DUSK_SOURCE_CSV, "a.txt", NULL, '|', "x");
    check("adult.data", DUSK_SOURCE_CSV, "adult.data", NULL, ',', NULL);
    check("a.csv.gz", DUSK_SOURCE_CSV, "a.csv.gz", NULL, ',', NULL);
    check("a.TSV.GZ?header=x", DUSK_SOURCE_CSV, "a.TSV.GZ", NULL, '\t', "x");
    check("a.tsv", DUSK_SOURCE_CSV, "a.tsv", NULL, '\t', NULL);
    check("lineitem.tbl", DUSK_SOURCE_CSV, "lineitem.tbl", NULL, '|', NULL);
    check("a#b.csv", DUSK_SOURCE_CSV, "a#b.csv", NULL, ',', NULL);
    check("what?.csv?delimiter=:", DUSK_SOURCE_CSV, "what?.csv", NULL, ':', NULL);
    check("clinic.db", DUSK_SOURCE_SQLITE, "clinic.db", NULL, 0, NULL);
    check("clinic.db#", DUSK_SOURCE_SQLITE, "clinic.db", NULL, 0, NULL);
    check("c.sqlite#my table#2", DUSK_SOURCE_SQLITE, "c.sqlite", "my table#2", 0, NULL);
    check("c.sqlite3#t", DUSK_SOURCE_SQLITE, "c.sqlite3", "t", 0, NULL);
    check("x.parquet", DUSK_SOURCE_PARQUET, "x.parquet", NULL, 0, NULL);
    check("x.duckdb#t", DUSK_SOURCE_DUCKDB, "x.duckdb", "t", 0, NULL);
    check("postgres://me@host/db?sslmode=require#public.visits", DUSK_SOURCE_POSTGRES,
          "postgres://me@host/db?sslmode=require", "public.visits", 0, NULL);
    check("postgresql:///db", DUSK_SOURCE_POSTGRES, "postgresql:///db", NULL, 0, NULL);
}

static void refusals(void **state)
{
    static const char *const bad[] = { "",
                                       "a",
                                       ".csv",
                                       "a.xlsx",
                                       "a.gz",
                                       ".csv.gz",
                                       "a.db.gz",
                                       "a.parquet.gz",
                                       "mysql://x/y",
                                       "a.csv?",
                                       "a.csv?delimiter=",
                                       "a.csv?delimiter=ab",
                                       "a.csv?delimiter=\"",
                                       "a.csv?delimiter=\n",
                                       "a.csv?header=",
                                       "a.csv?header=a&header=b",
                                       "a.csv?quote='",
                                       "a.csv?delimiter=;&",
                                       "a.parquet#t" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dusk_location l;
        dusk_error err = { .status = DUSK_OK };
        if (dusk_location_parse(&l, bad[i], &err) != DUSK_ERR_ARGUMENT) fail_msg("%s is accepted", bad[i]);
        assert_true(err.message[0] && err.hint[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kinds_and_parts), cmocka_unit_test(refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
