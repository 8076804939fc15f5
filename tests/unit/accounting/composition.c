/* SPDX-License-Identifier: Apache-2.0 */
/* Compositions: what is added to them, by events and by text, and how they are
 * walked. */
#include "accounting/composition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static dusk_composition *empty(void)
{
    dusk_composition *c;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    return c;
}

/* The trees as one text, by walking them. */
static const char *text_of(const dusk_composition *c)
{
    static char buffer[16384];
    dusk_text text;
    dusk_text_init(&text, buffer, sizeof buffer);
    for (const dusk_event_node *tree = dusk_composition_first(c); tree;
         tree = dusk_composition_next(c, tree)) {
        if (text.length) dusk_text_add(&text, " + ");
        dusk_event_write(&text, tree, tree->span);
    }
    return buffer;
}

static void assert_reads_as(const char *text, const char *normal)
{
    dusk_composition *c = empty();
    dusk_error err = { .message = "" };
    if (dusk_composition_parse(c, text, &err) != DUSK_OK) fail_msg("%s: %s", text, err.message);
    assert_string_equal(text_of(c), normal);
    dusk_composition_free(c);
}

static void assert_fails_with(const char *text, const char *variable, double value, int column,
                              const char *word, const char *hint)
{
    dusk_composition *c = empty();
    dusk_error err = { .message = "" };
    char place[32];
    snprintf(place, sizeof place, "column %d:", column);
    assert_int_equal(dusk_composition_parse(c, "pure(1)", NULL), DUSK_OK);
    dusk_status status = variable ? dusk_composition_parse_with(c, text, variable, value, &err)
                                  : dusk_composition_parse(c, text, &err);
    assert_int_equal(status, DUSK_ERR_PARSE);
    assert_int_equal(err.status, DUSK_ERR_PARSE);
    if (!strstr(err.message, place) || !strstr(err.message, word) || !strstr(err.hint, hint))
        fail_msg("%.60s: expected %s %s (%s), got %s (%s)", text, place, word, hint, err.message, err.hint);
    assert_string_equal(text_of(c), "pure(1)");
    dusk_composition_free(c);
}

static void assert_fails(const char *text, int column, const char *word)
{
    assert_fails_with(text, NULL, 0, column, word, "");
}

static void made_and_freed(void **state)
{
    dusk_composition *c = NULL;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_composition_new(&c, (dusk_neighbours)0, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "neighbours"));
    assert_null(c);
    assert_int_equal(dusk_composition_new(&c, DUSK_REPLACE_ONE, &err), DUSK_OK);
    assert_int_equal(c->neighbours, DUSK_REPLACE_ONE);
    assert_null(dusk_composition_first(c));
    dusk_composition_free(c);
    dusk_composition_free(NULL);
}

static void events_add_up(void **state)
{
    dusk_composition *c = empty();
    dusk_event a, b, never;
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_event_parse(&a, "poisson(0.5, gaussian(1) + laplace(2)) + pure(1)", NULL), DUSK_OK);
    assert_int_equal(dusk_event_parse(&b, "pure(1) * 3 + poisson(0.5, gaussian(1)) * 2", NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &a, 0, NULL), DUSK_OK);
    assert_string_equal(text_of(c), "");
    assert_int_equal(dusk_composition_add(c, &a, 10, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &b, 2, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &a, 1, NULL), DUSK_OK);
    const char *all =
        "poisson(0.5, gaussian(1) + laplace(2)) * 11 + pure(1) * 17 + poisson(0.5, gaussian(1)) * 4";
    assert_string_equal(text_of(c), all);
    memset(&never, 0, sizeof never);
    assert_int_equal(dusk_composition_add(c, &never, 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_composition_add(c, &a, DUSK_EVENT_TIMES_MAX, &err), DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "2^62"));
    assert_int_equal(dusk_composition_add(c, &b, DUSK_EVENT_TIMES_MAX, &err), DUSK_ERR_ARGUMENT);
    assert_string_equal(text_of(c), all);
    dusk_composition_free(c);
}

static void text_adds_up(void **state)
{
    (void)state;
    assert_reads_as("gaussian(1) * 0", "");
    assert_reads_as("gaussian(1) * 0 * 5 + pure(1)", "pure(1)");
    assert_reads_as("(gaussian(1) + pure(2)) * 0", "");
    assert_reads_as("poisson(0.1, gaussian(1) * 0) * 5 + pure(1)", "pure(1)");
    assert_reads_as("parallel(pure(1) * 0, pure(2))", "parallel(pure(2))");
    assert_reads_as("parallel(pure(1) * 0, group(2, pure(2) * 0))", "");
    assert_reads_as("poisson(0.01, gaussian(1)) * 1e4", "poisson(0.01, gaussian(1)) * 10000");
    assert_reads_as("pure(1) + (pure(2) + pure(1) * 2) * 3 + pure(2)", "pure(1) * 7 + pure(2) * 4");
    assert_reads_as("(poisson(0.5, (pure(1) + pure(2)) * 2 + pure(1)) + pure(3)) * 2",
                    "poisson(0.5, pure(1) * 3 + pure(2) * 2) * 2 + pure(3) * 2");
    assert_fails("gaussian(1) +", 14, "an event is expected");
    assert_fails("gaussian(1) + gaussian(-1)", 15, "sigma");
    assert_fails("pure(2) * 4611686018427387904 + pure(2)", 1, "2^62");
    assert_fails("gaussian(1) * gaussian(2)", 15, "a whole number is expected");
}

static void names_for_numbers(void **state)
{
    static const char text[] = "poisson(q, gaussian(x) + discrete_laplace(2, x)) * x + pure(x)";
    dusk_composition *c = empty();
    dusk_error err;
    (void)state;
    assert_fails_with(text, "x", 2.5, 9, "there is no number called q", "--solve");
    assert_fails("gaussian(sigma)", 10, "there is no number called sigma");
    assert_fails_with("gaussian(sigma1)", "sigma", 1, 10, "there is no number called sigma1", "--solve");
    assert_fails_with("gaussian(1)", "sigma", 1, 1, "not in the text", "gaussian(sigma)");
    assert_fails_with("gaussian(sigma)", "sigma", -1, 1, "sigma must be", "");
    assert_fails_with("gaussian(1) * n", "n", -1, 15, "whole number", "2^62");
    assert_fails_with("gaussian(1) * n", "n", 1e19, 15, "whole number", "2^62");
    assert_int_equal(
        dusk_composition_parse_with(c, "poisson(0.5, gaussian(x) + discrete_laplace(2, x)) * x + pure(x)",
                                    "x", 2.5, &err),
        DUSK_OK);
    assert_string_equal(text_of(c), "poisson(0.5, gaussian(2.5) + discrete_laplace(2, 2)) * 2 + pure(2.5)");
    assert_int_equal(dusk_composition_parse_with(c, "gaussian(1) * steps", "steps", 0.99, &err), DUSK_OK);
    assert_int_equal(dusk_composition_parse_with(c, "pure(1)", "3", 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_composition_parse_with(c, "pure(1)", "", 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_composition_parse_with(c, "pure(x)", "x", NAN, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_composition_parse_with(c, "pure(x)", "x", INFINITY, &err), DUSK_ERR_ARGUMENT);
    assert_string_equal(text_of(c), "poisson(0.5, gaussian(2.5) + discrete_laplace(2, 2)) * 2 + pure(2.5)");
    dusk_composition_free(c);
}

static size_t trees_of(const dusk_composition *c)
{
    size_t n = 0;
    for (const dusk_event_node *tree = dusk_composition_first(c); tree; tree = dusk_composition_next(c, tree))
        n++;
    return n;
}

/* 10^5 different terms, and each once more: the time is near linear, or this
 * test would not end. */
static void a_hundred_thousand_terms(void **state)
{
    const size_t n = 100000;
    dusk_composition *c = empty();
    char *text = malloc(n * 48);
    dusk_text at;
    dusk_event event;
    (void)state;
    assert_non_null(text);
    dusk_text_init(&at, text, n * 48);
    for (size_t i = 0; i < n; i++)
        dusk_text_add(&at, "%spoisson(0.01, gaussian(%zu))", i ? " + " : "", 1 + i * 7919 % n);
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    assert_int_equal(trees_of(c), n);
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    assert_int_equal(trees_of(c), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(dusk_event_gaussian(&event, (double)(1 + i % 50000), NULL), DUSK_OK);
        assert_int_equal(dusk_composition_add(c, &event, 1, NULL), DUSK_OK);
    }
    assert_int_equal(trees_of(c), n + 50000);
    for (const dusk_event_node *tree = dusk_composition_first(c); tree; tree = dusk_composition_next(c, tree))
        assert_int_equal(tree->times, 2);
    free(text);
    dusk_composition_free(c);
}

/* Long lists inside of deep nests, and long tables. */
static void long_and_deep(void **state)
{
    const int terms = 2000, deep = DUSK_EVENT_DEPTH_MAX / 2;
    dusk_composition *c = empty();
    size_t room = (size_t)(terms * deep) * 32;
    char *text = malloc(room);
    dusk_text at;
    (void)state;
    assert_non_null(text);
    dusk_text_init(&at, text, room);
    for (int i = 0; i < deep; i++) {
        for (int j = 0; j < terms; j++) dusk_text_add(&at, "pure(%d)+", j % 1000);
        dusk_text_add(&at, "(group(%d, ", i + 1);
    }
    dusk_text_add(&at, "rdp(2: 1");
    for (int j = 0; j < terms; j++) dusk_text_add(&at, ", %d: 1", j + 3);
    dusk_text_add(&at, ")");
    for (int i = 0; i < deep; i++) dusk_text_add(&at, "))*2*1*1");
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    assert_int_equal(trees_of(c), 1001);
    const dusk_event_node *tree = dusk_composition_first(c);
    assert_true(tree->times == 2);
    for (int i = 0; i < 1000; i++) tree = dusk_composition_next(c, tree);
    assert_true(tree->kind == DUSK_EVENT_GROUP && tree->times == 2);
    assert_int_equal(tree->span, 1001 * (deep - 1) + 1 + terms + 2);
    dusk_composition_free(c);
    free(text);
}

static void walking_below(void **state)
{
    dusk_composition *c = empty();
    (void)state;
    assert_int_equal(
        dusk_composition_parse(c, "parallel(pure(1) + pure(2), rdp(2: 0.5, 3: 1)) + pure(3)", NULL), DUSK_OK);
    const dusk_event_node *top = dusk_composition_first(c), *a, *b, *leaf;
    assert_int_equal(top->kind, DUSK_EVENT_PARALLEL);
    assert_non_null(a = dusk_event_first_below(top));
    assert_int_equal(a->kind, DUSK_EVENT_BRANCH);
    assert_non_null(leaf = dusk_event_first_below(a));
    assert_true(leaf->kind == DUSK_EVENT_PURE && leaf->real[0] == 1);
    assert_null(dusk_event_first_below(leaf));
    assert_non_null(leaf = dusk_event_next_below(a, leaf));
    assert_true(leaf->real[0] == 2);
    assert_null(dusk_event_next_below(a, leaf));
    assert_non_null(b = dusk_event_next_below(top, a));
    assert_null(dusk_event_next_below(top, b));
    assert_non_null(leaf = dusk_event_first_below(dusk_event_first_below(b)));
    assert_true(leaf->kind == DUSK_EVENT_POINT && leaf->real[0] == 2 && leaf->real[1] == 0.5);
    assert_non_null(top = dusk_composition_next(c, top));
    assert_true(top->kind == DUSK_EVENT_PURE && top->real[0] == 3);
    assert_null(dusk_composition_next(c, top));
    dusk_composition_free(c);
}

static void unsupported(void **state)
{
    dusk_composition *c = empty();
    dusk_error err;
    (void)state;
    assert_int_equal(dusk_composition_parse(c, "select_best(1, 0.5, pure(1)) * 2", NULL), DUSK_OK);
    assert_int_equal(dusk_fail_unsupported(&err, "contour", dusk_composition_first(c)), DUSK_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "the contour accountant cannot price select_best(1, 0.5, pure(1)) * 2");
    dusk_composition_free(c);
    c = empty();
    assert_int_equal(
        dusk_composition_parse(c,
                               "group(2, pure(1) + pure(2) + pure(3) + pure(4) + pure(5) + pure(6) "
                               "+ pure(7) + pure(8) + pure(9))",
                               NULL),
        DUSK_OK);
    assert_int_equal(dusk_fail_unsupported(&err, "rdp", dusk_composition_first(c)), DUSK_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "the rdp accountant cannot price group(2, pure(1) + pure(2) + pure(3) + "
                                     "pure(4) + pure(5) + pure(6) + pure(7) + p...");
    dusk_composition_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_and_freed),
        cmocka_unit_test(events_add_up),
        cmocka_unit_test(text_adds_up),
        cmocka_unit_test(names_for_numbers),
        cmocka_unit_test(walking_below),
        cmocka_unit_test(unsupported),
        cmocka_unit_test(a_hundred_thousand_terms),
        cmocka_unit_test(long_and_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
