/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: one text, one JSON form, and what they refuse to carry. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dusk/accounting.h"
#include "support.h"

static dusk_statement statement_of(const char *event_text, double delta, dusk_neighbours neighbours,
                                   const char *unit)
{
    dusk_event event;
    dusk_statement statement;
    assert_int_equal(dusk_event_parse(&event, event_text, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &event, delta, neighbours, unit, NULL), DUSK_OK);
    return statement;
}

static void one_line(void **state)
{
    char text[8192];
    dusk_statement s = statement_of("laplace(1)", 0, DUSK_ADD_REMOVE, "person");
    (void)state;
    assert_int_equal(dusk_statement_format(&s, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "epsilon 1 at delta 0 (basic), add-remove one person; event laplace(1); "
                              "numerics exact; dusk " DUSK_VERSION);
    assert_int_equal(dusk_statement_assume(&s, "sensitivity 1 declared", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_assume(&s, "rows are people", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_format(&s, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "epsilon 1 at delta 0 (basic), add-remove one person; event laplace(1); "
                              "numerics exact; assumed: sensitivity 1 declared; rows are people; "
                              "dusk " DUSK_VERSION);
    s = statement_of("pure(0.5)", 1e-6, DUSK_REPLACE_ONE, NULL);
    s.numerics = DUSK_NUMERICS_CERTIFIED;
    s.numerics_delta = 1e-20;
    assert_int_equal(dusk_statement_format(&s, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "epsilon 0.5 at delta 1e-06 (basic), replace-one unit; event pure(0.5); "
                              "numerics certified but for probability 1e-20; dusk " DUSK_VERSION);
}

static void json(void **state)
{
    char text[8192];
    dusk_statement s = statement_of("gaussian(1) + pure(2) * 3", 0, DUSK_ADD_REMOVE, "a \"person\"");
    (void)state;
    assert_true(isinf(s.epsilon));
    assert_int_equal(dusk_statement_json(&s, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "{\"event\":\"gaussian(1) + pure(2) * 3\",\"numerics\":\"exact\","
                              "\"numerics_delta\":0,\"epsilon\":null,\"delta\":0,"
                              "\"accountant\":\"basic\",\"neighbours\":\"add-remove\","
                              "\"unit\":\"a \\\"person\\\"\",\"assumed\":[],"
                              "\"version\":\"" DUSK_VERSION "\"}");
    s = statement_of("pure(2)", 1e-6, DUSK_REPLACE_ONE, "row");
    s.numerics = DUSK_NUMERICS_IDEALISED;
    assert_int_equal(dusk_statement_assume(&s, "first", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_assume(&s, "second; third", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_json(&s, text, sizeof text, NULL), DUSK_OK);
    assert_non_null(strstr(text, "\"numerics\":\"idealised\""));
    assert_non_null(strstr(text, "\"epsilon\":2,\"delta\":1e-06"));
    assert_non_null(strstr(text, "\"neighbours\":\"replace-one\",\"unit\":\"row\""));
    assert_non_null(strstr(text, "\"assumed\":[\"first\",\"second\",\"third\"]"));
}

static void refused(void **state)
{
    dusk_event event;
    dusk_statement s, untouched;
    dusk_error err;
    char sixty_four[65];
    (void)state;
    memset(sixty_four, 'x', 64);
    sixty_four[64] = '\0';
    memset(&s, 0x5a, sizeof s);
    untouched = s;
    assert_int_equal(dusk_event_pure(&event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 1, DUSK_ADD_REMOVE, "row", &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "delta"));
    assert_int_equal(dusk_statement_init(&s, &event, 0, (dusk_neighbours)0, "row", &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "neighbours"));
    const char *units[] = { "", "two\nlines", "\x7f", sixty_four };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_ADD_REMOVE, units[i], &err),
                         DUSK_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "unit"));
    }
    assert_memory_equal(&s, &untouched, sizeof s);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_ADD_REMOVE, sixty_four + 1, &err), DUSK_OK);
}

/* Noise is relative to the statement's relation; a sample is about the relation itself. */
static void priced_for_its_relation(void **state)
{
    (void)state;
    const double sampled = log1p(0.5 * expm1(1));
    dusk_event event;
    dusk_statement s;
    assert_int_equal(dusk_event_parse(&event, "laplace(1)", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_REPLACE_ONE, "row", NULL), DUSK_OK);
    assert_true(s.epsilon == 1);
    assert_int_equal(dusk_event_poisson(&event, 0.5, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    assert_true(s.epsilon >= sampled && s.epsilon < sampled * (1 + 1e-6));
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_REPLACE_ONE, "row", NULL), DUSK_OK);
    assert_true(s.epsilon > sampled * 1.2);
    /* a place is replaced; noise beside it then moves twice as far */
    assert_int_equal(dusk_event_parse(&event, "metric(0.5, 2) + laplace(1)", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_REPLACE_ONE, "place", NULL), DUSK_OK);
    assert_true(s.epsilon >= 3 && s.epsilon < 3 * (1 + 1e-6));
    /* a unit that is replaced may leave one part and come into another */
    assert_int_equal(dusk_event_parse(&event, "parallel(laplace(1), laplace(1))", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    assert_true(s.epsilon < 1 + 1e-6);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_REPLACE_ONE, "row", NULL), DUSK_OK);
    assert_true(s.epsilon >= 2);
    assert_int_equal(dusk_event_parse(&event, "pure(0.1) * 100", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 1e-6, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    assert_true(s.epsilon < 6);
}

static void shown_digits_are_a_bound(void **state)
{
    static const struct {
        double epsilon;
        const char *shown;
    } cases[] = { { 1, "epsilon 1 at" },
                  { 0.99999838, "epsilon 0.999999 at" },
                  { 0.99999949, "epsilon 1 at" },
                  { 0.9999991, "epsilon 1 at" },
                  { 2.0000000000000004, "epsilon 2.00001 at" },
                  { 1.2345671, "epsilon 1.23457 at" },
                  { 123456.1, "epsilon 123457 at" },
                  { 1.000001e-7, "epsilon 1.00001e-07 at" },
                  { 0, "epsilon 0 at" },
                  { INFINITY, "epsilon inf" } };
    dusk_event event;
    dusk_statement s;
    char text[16384];
    (void)state;
    assert_int_equal(dusk_event_parse(&event, "pure(1)", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&s, &event, 0, DUSK_ADD_REMOVE, "row", NULL), DUSK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.epsilon = cases[i].epsilon;
        assert_int_equal(dusk_statement_format(&s, text, sizeof text, NULL), DUSK_OK);
        if (strncmp(text, cases[i].shown, strlen(cases[i].shown)))
            fail_msg("%s: %.60s", cases[i].shown, text);
    }
}

static void facts_fill_up(void **state)
{
    dusk_statement s = statement_of("pure(1)", 0, DUSK_ADD_REMOVE, NULL);
    dusk_error err;
    char fact[256], text[8192];
    (void)state;
    memset(fact, '"', 255);
    fact[255] = '\0';
    assert_int_equal(dusk_statement_assume(&s, "a", NULL), DUSK_OK);
    assert_int_equal(dusk_statement_assume(&s, fact, &err), DUSK_ERR_ARGUMENT); /* 1 + 2 + 255 */
    assert_int_equal(dusk_statement_assume(&s, "", &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_statement_assume(&s, "a\tb", &err), DUSK_ERR_ARGUMENT);
    assert_string_equal(s.assumed, "a");
    assert_int_equal(dusk_statement_assume(&s, fact + 3, &err), DUSK_OK);
    assert_int_equal(dusk_statement_assume(&s, "b", &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(strlen(s.assumed), 255);
    assert_int_equal(dusk_statement_json(&s, text, sizeof text, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_format(&s, text, 100, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_statement_json(&s, text, 100, &err), DUSK_ERR_ARGUMENT);
    memset(s.assumed, 'x', sizeof s.assumed);
    assert_int_equal(dusk_statement_format(&s, text, sizeof text, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_statement_assume(&s, "y", &err), DUSK_ERR_ARGUMENT);
}

/* The longest event and the longest words still fit 16384 bytes. */
static void longest(void **state)
{
    dusk_event sum, next;
    char text[16384], quotes[256];
    (void)state;
    assert_int_equal(dusk_event_svt(&sum, 1.2345678901234567e-300, 1, 1, NULL), DUSK_OK);
    for (uint64_t i = 2; i < DUSK_EVENT_NODES_MAX; i++) {
        assert_int_equal(
            dusk_event_svt(&next, 1.2345678901234567e-300, 1.2345678901234567e-200, UINT64_MAX - i, NULL),
            DUSK_OK);
        if (dusk_event_add(&sum, &sum, &next, NULL) != DUSK_OK) break;
    }
    memset(quotes, '"', 255);
    quotes[255] = '\0';
    dusk_statement s;
    assert_int_equal(dusk_statement_init(&s, &sum, 0, DUSK_REPLACE_ONE, quotes + 192, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_assume(&s, quotes, NULL), DUSK_OK);
    s.numerics = DUSK_NUMERICS_CERTIFIED;
    assert_int_equal(dusk_statement_format(&s, text, sizeof text, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_json(&s, text, sizeof text, NULL), DUSK_OK);
    assert_true(strlen(text) > 8400);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(dusk_neighbours_name(DUSK_ADD_REMOVE), "add-remove");
    assert_string_equal(dusk_neighbours_name(DUSK_REPLACE_ONE), "replace-one");
    assert_string_equal(dusk_neighbours_name((dusk_neighbours)9), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line),
        cmocka_unit_test(json),
        cmocka_unit_test(refused),
        cmocka_unit_test(priced_for_its_relation),
        cmocka_unit_test(shown_digits_are_a_bound),
        cmocka_unit_test(facts_fill_up),
        cmocka_unit_test(longest),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
