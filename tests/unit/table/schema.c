/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: facts that are accepted, refused and taken back; links that lead to the unit, and those
 * that must not. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "dusk/table.h"
#include "support.h"

static dusk_error err;

static int make(void **state)
{
    dusk_schema *schema;
    if (dusk_schema_new(&schema, &err) != DUSK_OK) return -1;
    *state = schema;
    return 0;
}

static int end(void **state)
{
    dusk_schema_free(*state);
    return 0;
}

static void declare(dusk_schema *s, const char *subject, const char *property, const char *value)
{
    if (dusk_schema_declare(s, subject, property, value, &err) != DUSK_OK)
        fail_msg("%s %s=%s: %s", subject, property, value ? value : "(none)", err.message);
}

/* Refused with a hint that says `hint` somewhere. */
static void refuse(dusk_schema *s, const char *subject, const char *property, const char *value,
                   const char *hint)
{
    err = (dusk_error){ .status = DUSK_OK };
    if (dusk_schema_declare(s, subject, property, value, &err) != DUSK_ERR_ARGUMENT)
        fail_msg("%s %s=%s is accepted", subject, property, value ? value : "(none)");
    assert_int_equal(err.status, DUSK_ERR_ARGUMENT);
    assert_true(strlen(err.message) > 0);
    if (!strstr(err.hint, hint)) fail_msg("%s: the hint is: %s", err.message, err.hint);
}

static void shop(dusk_schema *s)
{
    declare(s, "customer", "source", "customer.csv");
    declare(s, "customer.id", "type", "integer");
    declare(s, "customer.city", "type", "text");
    declare(s, "orders", "source", "orders.csv");
    declare(s, "orders.id", "type", "integer");
    declare(s, "orders.customer_id", "type", "integer");
    declare(s, "orders.total", "type", "real");
    declare(s, "item", "source", "item.tbl");
    declare(s, "item.order_id", "type", "integer");
    declare(s, "nation", "source", "nation.csv?delimiter=;");
    declare(s, "nation.name", "type", "text");
    declare(s, "nation", "public", "yes");
    declare(s, "", "unit", "customer.id");
}

static void facts_are_kept(void **state)
{
    dusk_schema *s = *state;
    shop(s);
    assert_int_equal(s->tables, 4);
    size_t t = dusk_schema_table(s, "ORDERS");
    assert_int_equal(t, 1);
    assert_int_equal(dusk_schema_table(s, "order"), DUSK_NO_LINK);
    assert_int_equal(dusk_schema_column(&s->table[t], "Total"), 2);
    assert_int_equal(dusk_schema_column(&s->table[t], "tot"), DUSK_NO_LINK);
    declare(s, "Orders.TOTAL", "bounds", "-10:500.5");
    declare(s, "orders", "rows_per_unit", "20");
    declare(s, "orders", "groups_per_unit", "3");
    declare(s, "orders.total", "nullable", "no");
    declare(s, "customer.id", "unique", "yes");
    declare(s, "customer.city", "public", "yes");
    declare(s, "", "version", "7");
    const dusk_column *total = &s->table[1].column[2];
    assert_true(total->lower == -10 && total->upper == 500.5 && !total->nullable);
    assert_string_equal(total->name, "total");
    assert_int_equal(s->table[1].rows_per_unit, 20);
    assert_int_equal(s->table[1].groups_per_unit, 3);
    assert_true(s->table[0].column[0].unique && s->table[0].column[1].is_public);
    assert_true(s->table[3].is_public);
    assert_int_equal(s->version, 7);
    assert_int_equal(s->unit_table, 0);
    assert_int_equal(s->unit_column, 0);
    declare(s, "orders", "source", "orders2.csv");
    assert_string_equal(s->table[1].source, "orders2.csv");
    assert_int_equal(s->table[1].columns, 3);
}

static void facts_are_taken_back(void **state)
{
    dusk_schema *s = *state;
    shop(s);
    declare(s, "orders.total", "bounds", "0:5");
    declare(s, "orders.total", "nullable", "no");
    refuse(s, "orders.total", "type", NULL, "other facts");
    declare(s, "orders.total", "bounds", NULL);
    assert_true(isnan(s->table[1].column[2].lower) && isnan(s->table[1].column[2].upper));
    declare(s, "orders.total", "nullable", NULL);
    assert_true(s->table[1].column[2].nullable);
    declare(s, "orders.total", "type", NULL);
    assert_int_equal(s->table[1].columns, 2);
    declare(s, "orders.total", "type", NULL); /* nothing is there: nothing happens */
    refuse(s, "customer.id", "type", NULL, "another unit");
    refuse(s, "orders", "source", NULL, "columns");
    declare(s, "orders.id", "type", NULL);
    declare(s, "orders.customer_id", "type", NULL);
    declare(s, "orders", "source", NULL);
    assert_int_equal(s->tables, 3);
    assert_string_equal(s->table[1].name, "item");
    declare(s, "", "unit", NULL);
    assert_int_equal(s->unit_table, DUSK_NO_LINK);
    declare(s, "customer.id", "type", NULL);
}

static void refusals_say_what_may_be_written(void **state)
{
    dusk_schema *s = *state;
    char name[200];
    shop(s);
    refuse(s, "orders.total", "bounds", "5", "bounds=0:500");
    refuse(s, "orders.total", "bounds", "5:5", "bounds=0:500");
    refuse(s, "orders.total", "bounds", "0:inf", "bounds=0:500");
    refuse(s, "orders.total", "bounds", "nan:1", "bounds=0:500");
    refuse(s, "orders.total", "bounds", "0:1:2", "bounds=0:500");
    refuse(s, "customer.city", "bounds", "0:5", "type=integer");
    refuse(s, "customer.city", "nullable", "maybe", "nullable=no");
    assert_true(s->table[0].column[1].nullable);
    refuse(s, "customer.id", "domain", "1,two", "domain=a,b,c");
    refuse(s, "customer.id", "domain", "1,2,01", "once");
    refuse(s, "customer.city", "domain", "a\\b", "\\\\");
    refuse(s, "customer.city", "domain", "a,\xff", "domain=a,b,c");
    refuse(s, "customer.city", "type", "varchar", "integer, real");
    refuse(s, "customer.city", "colour", "red", "domain");
    refuse(s, "customer", "bounds", "0:1", "rows_per_unit");
    refuse(s, "", "type", "text", "unit");
    refuse(s, "", "unit", "customer", "unit=customer.id");
    refuse(s, "", "unit", "nation.name", "public");
    refuse(s, "customer", "public", "yes", "unit");
    refuse(s, "", "version", "0", "version=2");
    declare(s, "", "version", "3");
    refuse(s, "", "version", "2", "raise");
    refuse(s, "orders", "rows_per_unit", "0", "rows_per_unit=10");
    refuse(s, "nobody.x", "type", "text", "source");
    refuse(s, "nobody", "public", "yes", "source");
    refuse(s, "orders.nothing", "bounds", "0:1", "type");
    refuse(s, "orders.", "type", "text", "column");
    refuse(s, "new", "source", "strange.xlsx", "*.csv");
    refuse(s, "orders.customer_id", "link", "customer.", "link=customer");
    refuse(s, "bad\nname", "source", "a.csv", "plain name");
    memset(name, 'x', sizeof name);
    name[128] = '\0';
    refuse(s, name, "source", "a.csv", "plain name");
    name[127] = '\0';
    declare(s, name, "source", "a.csv");
}

static void domains_are_written_as_their_type(void **state)
{
    dusk_schema *s = *state;
    shop(s);
    declare(s, "customer.city", "domain", "Oslo,a\\,b,back\\\\slash,");
    const dusk_column *city = &s->table[0].column[1];
    assert_int_equal(city->values, 4);
    assert_string_equal(city->domain[1], "a,b");
    assert_string_equal(city->domain[2], "back\\slash");
    assert_string_equal(city->domain[3], "");
    declare(s, "customer.city", "domain", "007,+8, 9");
    assert_string_equal(city->domain[0], "007");
    declare(s, "customer.city", "type", "integer");
    assert_string_equal(city->domain[0], "7");
    assert_string_equal(city->domain[1], "8");
    assert_string_equal(city->domain[2], "9");
    refuse(s, "customer.city", "type", "boolean", "domain=a,b,c");
    refuse(s, "customer.city", "type", "date", "domain=a,b,c");
    declare(s, "customer.city", "domain", NULL);
    assert_null(city->domain);
    declare(s, "customer.city", "type", "boolean");
    declare(s, "customer.city", "domain", "No,YES");
    assert_string_equal(city->domain[0], "false");
    assert_string_equal(city->domain[1], "true");
    declare(s, "customer.city", "domain", NULL);
    declare(s, "customer.city", "type", "timestamp");
    declare(s, "customer.city", "domain", "2020-02-29T01:02:03.9,2021-01-01");
    assert_string_equal(city->domain[0], "2020-02-29 01:02:03");
    assert_string_equal(city->domain[1], "2021-01-01 00:00:00");
    declare(s, "customer.city", "type", "date");
    assert_string_equal(city->domain[0], "2020-02-29");
}

static void check_path(dusk_schema *s, const char *table, const char *wanted)
{
    dusk_path path;
    char text[400];
    dusk_text writer;
    dusk_text_init(&writer, text, sizeof text);
    if (dusk_schema_path(s, &path, dusk_schema_table(s, table), &err) != DUSK_OK) fail_msg("%s", err.message);
    for (size_t i = 0; i < path.steps; i++) {
        const dusk_table_schema *t = &s->table[path.step[i].table];
        dusk_text_add(&writer, "%s%s.%s", i ? " " : "", t->name, t->column[path.step[i].column].name);
    }
    assert_string_equal(text, wanted);
}

static void no_path(dusk_schema *s, const char *table, const char *message)
{
    dusk_path path;
    if (dusk_schema_path(s, &path, dusk_schema_table(s, table), &err) != DUSK_ERR_ARGUMENT)
        fail_msg("%s has a path", table);
    if (!strstr(err.message, message)) fail_msg("it says: %s", err.message);
}

static void paths_follow_links(void **state)
{
    dusk_schema *s = *state;
    shop(s);
    check_path(s, "customer", "customer.id");
    no_path(s, "orders", "no chain");
    no_path(s, "nation", "public");
    no_path(s, "nobody", "no table");
    /* The unit's column is the target of a link, even without being unique. */
    declare(s, "orders.customer_id", "link", "customer");
    check_path(s, "orders", "orders.customer_id customer.id");
    /* The target comes later. */
    declare(s, "item.order_id", "link", "orders");
    no_path(s, "item", "leads nowhere");
    declare(s, "orders.id", "unique", "yes");
    check_path(s, "item", "item.order_id orders.customer_id customer.id");
    declare(s, "", "unit", NULL);
    no_path(s, "item", "unit is not declared");
    declare(s, "", "unit", "customer.city");
    no_path(s, "orders", "leads nowhere");
    declare(s, "customer.id", "unique", "yes");
    check_path(s, "item", "item.order_id orders.customer_id customer.city");
}

/* A link to a column that is no key would give a row to several units. */
static void links_need_a_key_of_the_same_type(void **state)
{
    dusk_schema *s = *state;
    shop(s);
    declare(s, "orders.city", "type", "text");
    declare(s, "orders.city", "link", "customer.city");
    assert_int_equal(s->table[1].column[3].link_table, DUSK_NO_LINK);
    no_path(s, "orders", "leads nowhere");
    declare(s, "customer.city", "unique", "yes");
    check_path(s, "orders", "orders.city customer.id");
    declare(s, "orders.city", "type", "integer");
    no_path(s, "orders", "leads nowhere");
}

static void two_ways_are_named(void **state)
{
    dusk_schema *s = *state;
    shop(s);
    declare(s, "orders.customer_id", "link", "customer");
    declare(s, "orders.gift_for", "type", "integer");
    declare(s, "orders.gift_for", "link", "customer");
    no_path(s, "orders", "two ways");
    assert_non_null(strstr(err.message, "orders.customer_id -> customer.id"));
    assert_non_null(strstr(err.message, "orders.gift_for -> customer.id"));
    /* A shorter way counts alone; ambiguity further on is seen. */
    declare(s, "orders.id", "unique", "yes");
    declare(s, "item.order_id", "link", "orders");
    no_path(s, "item", "two ways");
    declare(s, "item.buyer", "type", "integer");
    declare(s, "item.buyer", "link", "customer");
    check_path(s, "item", "item.buyer customer.id");
    declare(s, "orders.gift_for", "link", NULL);
    check_path(s, "orders", "orders.customer_id customer.id");
}

static void chains_end(void **state)
{
    dusk_schema *s = *state;
    char table[16], column[24], target[24];
    for (int i = 0; i < 10; i++) {
        snprintf(table, sizeof table, "t%d", i);
        declare(s, table, "source", "t.csv");
        snprintf(column, sizeof column, "t%d.id", i);
        declare(s, column, "type", "integer");
        declare(s, column, "unique", "yes");
        snprintf(column, sizeof column, "t%d.up", i);
        declare(s, column, "type", "integer");
        snprintf(target, sizeof target, "t%d", i ? i - 1 : 9); /* a circle */
        declare(s, column, "link", target);
    }
    declare(s, "", "unit", "t0.id");
    check_path(s, "t7", "t7.up t6.up t5.up t4.up t3.up t2.up t1.up t0.id");
    no_path(s, "t8", "no chain");
    /* Links through a public table lead nowhere. */
    declare(s, "t3", "public", "yes");
    no_path(s, "t4", "no chain");
    check_path(s, "t2", "t2.up t1.up t0.id");
}

/* Facts in the order of first declaration, with the last values, make the same schema. */
static void later_facts_may_come_first(void **state)
{
    dusk_schema *s = *state;
    declare(s, "", "unit", "late.id");
    declare(s, "a", "source", "a.csv");
    declare(s, "a.x", "type", "integer");
    declare(s, "a.x", "link", "late");
    assert_int_equal(s->unit_table, DUSK_NO_LINK);
    no_path(s, "a", "unit is not declared");
    declare(s, "late", "source", "clinic.db#late");
    declare(s, "late.id", "type", "integer");
    check_path(s, "a", "a.x late.id");
}

static void types_have_names(void **state)
{
    (void)state;
    for (dusk_type type = DUSK_TYPE_INTEGER; type <= DUSK_TYPE_TIMESTAMP; type++)
        assert_int_equal(dusk_type_named(dusk_type_name(type)), type);
    assert_int_equal(dusk_type_named("Integer"), DUSK_TYPE_INTEGER);
    assert_int_equal(dusk_type_named("int"), 0);
    assert_int_equal(dusk_type_named(""), 0);
    assert_string_equal(dusk_type_name((dusk_type)0), "unknown");
    assert_string_equal(dusk_type_name((dusk_type)99), "unknown");
    dusk_schema_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(facts_are_kept, make, end),
        cmocka_unit_test_setup_teardown(facts_are_taken_back, make, end),
        cmocka_unit_test_setup_teardown(refusals_say_what_may_be_written, make, end),
        cmocka_unit_test_setup_teardown(domains_are_written_as_their_type, make, end),
        cmocka_unit_test_setup_teardown(paths_follow_links, make, end),
        cmocka_unit_test_setup_teardown(links_need_a_key_of_the_same_type, make, end),
        cmocka_unit_test_setup_teardown(two_ways_are_named, make, end),
        cmocka_unit_test_setup_teardown(chains_end, make, end),
        cmocka_unit_test_setup_teardown(later_facts_may_come_first, make, end),
        cmocka_unit_test(types_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
