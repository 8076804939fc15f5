/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine serves which sources, and the sentences when none does. */
#include "table/engine.h"
#include "support.h"

static dusk_error err;

static dusk_status choose(const char **name, const char *wanted, const char *a, const char *b)
{
    const dusk_engine_class *class = NULL;
    dusk_schema *s;
    err = (dusk_error){ .status = DUSK_OK };
    assert_int_equal(dusk_schema_new(&s, &err), DUSK_OK);
    assert_int_equal(dusk_schema_declare(s, "a", "source", a, &err), DUSK_OK);
    if (b) assert_int_equal(dusk_schema_declare(s, "b", "source", b, &err), DUSK_OK);
    dusk_status status = dusk_engine_choose(&class, s, wanted, &err);
    dusk_schema_free(s);
    assert_int_equal(class != NULL, status == DUSK_OK);
    assert_true(status == DUSK_OK || (err.message[0] && err.hint[0]));
    *name = class ? class->name : "";
    return status;
}

static void the_first_that_reads_all(void **state)
{
    const char *name;
    (void)state;
    assert_int_equal(choose(&name, NULL, "a.db#t", NULL), DUSK_OK);
    assert_string_equal(name, "sqlite");
    assert_int_equal(choose(&name, NULL, "a.db#t", "b.csv"), DUSK_OK);
    assert_string_equal(name, "sqlite");
    assert_int_equal(choose(&name, "sqlite", "a.csv", "b.tbl"), DUSK_OK);
    assert_string_equal(name, "sqlite");
    assert_int_equal(choose(&name, NULL, "a.csv", NULL), DUSK_OK); /* by whom depends on the machine */
}

static void sentences(void **state)
{
    const char *name;
    (void)state;
    assert_int_equal(choose(&name, "oracle", "a.csv", NULL), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "oracle"));
    assert_int_equal(choose(&name, "sqlite", "a.parquet", NULL), DUSK_ERR_UNSUPPORTED);
    assert_int_equal(choose(&name, NULL, "postgres://h/d#t", "a.db#t"), DUSK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "PostgreSQL"));
    const dusk_engine_class *class;
    assert_int_equal(dusk_engine_for_source(&class, "a.db", NULL, &err), DUSK_OK);
    assert_string_equal(class->name, "sqlite");
    assert_int_equal(dusk_engine_for_source(&class, "a.xyz", NULL, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_engine_failed(&err, "sqlite", "reading rows"), DUSK_ERR_IO);
    assert_string_equal(err.message, "engine sqlite failed while reading rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_first_that_reads_all),
                                        cmocka_unit_test(sentences) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
