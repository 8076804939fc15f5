/* SPDX-License-Identifier: Apache-2.0 */
/* Streams as shipped: what is refused, numbers of every kind, events, intervals. The answers
 * from the definition: stream_answers.c. The distance between neighbours: tests/exhaustive/stream.c. */
#include "mechanisms/stream.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "random/noise_additive.h"
#include "seeded.h"
#include "streams.h"

static dusk_stream *start(const dusk_stream_options *o)
{
    dusk_stream *s;
    dusk_error err;
    if (dusk_stream_new(&s, o, &err) != DUSK_OK) fail_msg("%s", err.message);
    return s;
}

/* --- what is refused -------------------------------------------------------------- */

static void refused(const dusk_stream_options *o)
{
    dusk_stream *s = (dusk_stream *)&s;
    dusk_error err;
    assert_int_equal(dusk_stream_new(&s, o, &err), DUSK_ERR_ARGUMENT);
    assert_null(s);
    assert_true(strlen(err.message) > 10);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY };
    for (size_t i = 0; i < 4; i++) {
        dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
        o.epsilon = bad[i];
        refused(&o);
        o = stream_of_ones(DUSK_STREAM_TREE, 8, bad[i]);
        if (bad[i] != 0) refused(&o);
        o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
        o.sensitivity = bad[i];
        if (bad[i] != 0) refused(&o);
        o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
        o.upper = bad[i];
        refused(&o);
    }
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_SQUARE_ROOT, 0, 1e-6);
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_TREE, 0, 0);
    o.window = 3;
    refused(&o);
    o.window = 0;
    o.length = DUSK_STREAM_LENGTH_MAX + 1;
    refused(&o);
    o = stream_of_ones((dusk_stream_method)77, 8, 0);
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
    o.neighbours = (dusk_neighbours)0;
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
    o.items_per_unit = 0;
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
    o.size = 0;
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_SQUARE_ROOT, 8, 0);
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_SQUARE_ROOT, DUSK_MATRIX_LENGTH_MAX + 1, 1e-6);
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_BANDED, 8, 1e-6);
    o.bands = 0;
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_SQUARE_ROOT, 8, 1e-6);
    o.upper = 1e30;
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
    o.upper = 1e30;
    refused(&o);
    o = stream_of_ones(DUSK_STREAM_TREE, 8, 0);
    o.epsilon = 1e-30;
    refused(&o);
}

static void it_stops_after_the_declared_length(void **state)
{
    (void)state;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 5, 0);
    dusk_stream *s = start(&o);
    dusk_generator *gen = seeded(1);
    double value = 77;
    for (uint64_t t = 1; t <= 5; t++) {
        assert_int_equal(dusk_stream_release(s, &value, 1, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_steps(s), t);
    }
    value = 77;
    assert_int_equal(dusk_stream_release(s, &value, 1, gen, NULL), DUSK_ERR_BUDGET);
    assert_true(value == 77);
    dusk_stream_free(s);
    dusk_stream_free(NULL);
    dusk_generator_free(gen);
}

static void failures_release_nothing_and_leave_the_step(void **state)
{
    (void)state;
    uint64_t bits[64] = { 0 };
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_HONAKER, 5, 0);
    dusk_stream *s;
    dusk_generator *tape;
    double value = 77;
    assert_int_equal(dusk_generator_new_tape(&tape, bits, 64, NULL), DUSK_OK);
    for (int method = DUSK_STREAM_TREE; method <= DUSK_STREAM_BANDED; method++)
        for (long at = 1; at < 5; at++) {
            dusk_stream_options each = stream_of_ones((dusk_stream_method)method, 9, 1e-6);
            dusk_memory_fail_at(at);
            assert_int_equal(dusk_stream_new(&s, &each, NULL), DUSK_ERR_MEMORY);
            assert_null(s);
        }
    dusk_memory_fail_at(0);
    s = start(&o);
    assert_int_equal(dusk_stream_release(s, &value, 1, tape, NULL), DUSK_ERR_ENTROPY);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_stream_release(s, &value, 1, tape, NULL), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    assert_true(value == 77 && dusk_stream_steps(s) == 0);
    dusk_stream_free(s);
    dusk_generator_free(tape);
}

/* --- the run -------------------------------------------------------------------------- */

/* Batches change nothing but the order of coins; small ones make the same sums. */
static void long_streams_stay_near_the_truth(void **state)
{
    (void)state;
    const dusk_stream_method methods[] = { DUSK_STREAM_TREE, DUSK_STREAM_HONAKER, DUSK_STREAM_SQUARE_ROOT,
                                           DUSK_STREAM_BANDED };
    for (int i = 0; i < 4; i++) {
        dusk_stream_options o = stream_of_ones(methods[i], 3000, 1e-6);
        dusk_stream *s = start(&o);
        dusk_generator *gen = seeded(5);
        double exact = 0, value, half;
        for (uint64_t t = 1; t <= 3000; t++) {
            double number = (double)(t % 1000);
            exact += number;
            assert_int_equal(dusk_stream_release(s, &value, number, gen, NULL), DUSK_OK);
            assert_int_equal(dusk_stream_interval(s, &half, t, 1 - 1e-10, NULL), DUSK_OK);
            assert_true(fabs(value - exact) <= half);
            if (i == 0) assert_true(value == floor(value));
        }
        dusk_stream_free(s);
        dusk_generator_free(gen);
    }
}

static void numbers_of_every_kind_are_taken(void **state)
{
    (void)state;
    const double odd[] = { NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -0.0, 0.75, 2.5 };
    const double counted[] = { 0, 3, 0, 3, 0, 0, 0, 0, 2 }, summed[] = { 0, 3, -2, 3, -2, 0, 0, 0.75, 2.5 };
    for (int whole = 0; whole < 2; whole++) {
        dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 9, 0);
        dusk_generator *gen = seeded(3);
        double exact = 0, value;
        o.whole = whole;
        o.lower = whole ? 0 : -2;
        o.upper = 3;
        o.epsilon = 1e9; /* as good as no noise */
        o.sensitivity = 0;
        dusk_stream *s = start(&o);
        for (int i = 0; i < 9; i++) {
            exact += whole ? counted[i] : summed[i];
            assert_int_equal(dusk_stream_release(s, &value, odd[i], gen, NULL), DUSK_OK);
            assert_true(fabs(value - exact) < 1e-6);
        }
        dusk_stream_free(s);
        dusk_generator_free(gen);
    }
}

/* The name of the unit is the stream's own. */
static void names_are_copied(void **state)
{
    (void)state;
    char unit[200] = "rider";
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 9, 0);
    dusk_statement statement;
    o.unit = unit;
    dusk_stream *s = start(&o);
    memset(unit, 'x', sizeof unit - 1);
    assert_int_equal(dusk_stream_state(s, &statement, NULL), DUSK_OK);
    assert_string_equal(statement.unit, "rider");
    dusk_stream_free(s);
    refused(&o);
    o.unit = NULL;
    s = start(&o);
    assert_int_equal(dusk_stream_state(s, &statement, NULL), DUSK_OK);
    dusk_stream_free(s);
}

/* A bound that does not contain 0: a step without an item still counts as 0. */
static void nothing_is_zero_outside_the_bounds(void **state)
{
    (void)state;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 2, 0);
    dusk_generator *gen = seeded(3);
    double value;
    o.whole = false;
    o.lower = 10;
    o.upper = 20;
    o.sensitivity = 0;
    o.epsilon = 1e9;
    dusk_stream *s = start(&o);
    assert_true(s->distance >= ldexp(20, -s->clamp.grid));
    assert_int_equal(dusk_stream_release(s, &value, NAN, gen, NULL), DUSK_OK);
    assert_true(fabs(value) < 1e-6);
    assert_int_equal(dusk_stream_release(s, &value, 3, gen, NULL), DUSK_OK);
    assert_true(fabs(value - 10) < 1e-6);
    dusk_stream_free(s);
    dusk_generator_free(gen);
}

/* Whole numbers move by 1 or not at all, however little an item is said to move them. */
static void whole_numbers_move_by_whole_steps(void **state)
{
    (void)state;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_HONAKER, 10, 0);
    o.sensitivity = 1e-4;
    o.upper = 1;
    dusk_stream *s = start(&o);
    assert_true(s->noise.scale >= 4 && s->noise.scale < 4 * (1 + 1e-12));
    dusk_stream_free(s);
}

/* --- event and statement ------------------------------------------------------------------ */

/* Scales may be a little above the round number, so that what an accountant says is not. */
static void event_is(const dusk_stream_options *o, const char *form, double scale, int second, int levels)
{
    dusk_stream *s = start(o);
    dusk_event event;
    char text[4096];
    double b = 0;
    int more = 1, times = 1;
    assert_int_equal(dusk_stream_event(s, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    if (second == 1)
        assert_int_equal(sscanf(text, form, &b, &times), 2);
    else
        assert_int_equal(sscanf(text, form, &b, &more, &times), 3);
    if (!(b >= scale && b < scale * (1 + 1e-12) && more == second && times == levels)) fail_msg("%s", text);
    dusk_stream_free(s);
}

static void events_name_noise_and_levels(void **state)
{
    (void)state;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 1000, 0);
    event_is(&o, "discrete_laplace(%lf) * %d", 10, 1, 10);
    o.length = 1024;
    event_is(&o, "discrete_laplace(%lf) * %d", 11, 1, 11);
    o.window = 16;
    event_is(&o, "discrete_laplace(%lf) * %d", 5, 1, 5);
    o.items_per_unit = 3;
    event_is(&o, "discrete_laplace(%lf, %d) * %d", 15, 3, 5);
    o.neighbours = DUSK_REPLACE_ONE;
    event_is(&o, "discrete_laplace(%lf, %d) * %d", 30, 6, 5);
    o = stream_of_ones(DUSK_STREAM_HONAKER, 8, 0);
    o.whole = false;
    event_is(&o, "laplace(%lf) * %d", 4, 1, 4);
}

/* One level's worth, whatever the epochs. */
static void events_of_streams_without_end(void **state)
{
    (void)state;
    const struct {
        dusk_stream_method method;
        double delta;
        const char *form;
    } cases[] = { { DUSK_STREAM_TREE, 0, "pure(" },
                  { DUSK_STREAM_HONAKER, 0, "laplace(" },
                  { DUSK_STREAM_TREE, 1e-6, "gaussian(" } };
    for (int i = 0; i < 3; i++) {
        dusk_stream_options o = stream_of_ones(cases[i].method, 0, cases[i].delta);
        dusk_stream *s = start(&o);
        dusk_generator *gen = seeded(5);
        dusk_statement statement;
        char text[2][4096];
        double value, half;
        for (int later = 0; later < 2; later++) {
            assert_int_equal(dusk_stream_state(s, &statement, NULL), DUSK_OK);
            assert_true(statement.epsilon <= 1 && statement.epsilon > 1 - 1e-9);
            assert_int_equal(dusk_event_format(&statement.event, text[later], 4096, NULL), DUSK_OK);
            for (int t = 0; t < 40; t++)
                assert_int_equal(dusk_stream_release(s, &value, 1, gen, NULL), DUSK_OK);
        }
        assert_string_equal(text[0], text[1]);
        assert_true(strncmp(text[0], cases[i].form, strlen(cases[i].form)) == 0);
        assert_int_equal(dusk_stream_interval(s, &half, DUSK_STREAM_LENGTH_MAX - 1, 0.95, NULL), DUSK_OK);
        assert_int_equal(dusk_stream_interval(s, &half, DUSK_STREAM_LENGTH_MAX, 0.95, NULL),
                         DUSK_ERR_ARGUMENT);
        dusk_stream_free(s);
        dusk_generator_free(gen);
    }
}

static void matrices_name_noise_and_norm(void **state)
{
    (void)state;
    double sigma[2], norm[2];
    for (int apart = 0; apart < 2; apart++) {
        dusk_stream_options o = stream_of_ones(DUSK_STREAM_BANDED, 1000, 1e-6);
        dusk_event event;
        char text[4096];
        o.items_per_unit = 9;
        o.separation = apart ? 8 : 7;
        dusk_stream *s = start(&o);
        assert_int_equal(dusk_stream_event(s, &event, NULL), DUSK_OK);
        assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
        assert_int_equal(sscanf(text, "matrix(%lf, %lf)", &sigma[apart], &norm[apart]), 2);
        sigma[apart] = s->noise.scale;
        dusk_stream_free(s);
    }
    assert_true(norm[0] == norm[1] && norm[0] > 1.27 && norm[0] < 1.33);
    assert_true(fabs(sigma[0] / sigma[1] - 3) < 1e-9); /* nine items at once, or sqrt(9) */
}

static void gaussian_trees_say_so(void **state)
{
    (void)state;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 1000, 1e-6);
    dusk_stream *s = start(&o);
    dusk_event event;
    char text[4096];
    int n = 0;
    assert_int_equal(dusk_stream_event(s, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_int_equal(sscanf(text, "tree(%*f, %d)", &n), 1);
    assert_int_equal(n, 512); /* no node is longer, and one item is in ten */
    dusk_stream_free(s);
}

static void statements_keep_the_promise_with_little_to_spare(void **state)
{
    (void)state;
    const double epsilons[] = { 1e-3, 0.1, 1.0 / 3, 7 }, deltas[] = { 0, 1e-9, 1e-3 };
    for (int e = 0; e < 4; e++)
        for (int d = 0; d < 3; d++)
            for (uint64_t length = 1; length < 3000; length = 7 * length + 1)
                for (int whole = 0; whole < 2; whole++) {
                    dusk_stream_method method = d == 0            ? DUSK_STREAM_TREE
                                                : length % 2 == 0 ? DUSK_STREAM_SQUARE_ROOT
                                                                  : DUSK_STREAM_HONAKER;
                    dusk_stream_options o = stream_of_ones(method, length, deltas[d]);
                    dusk_statement statement;
                    o.epsilon = epsilons[e];
                    o.whole = whole;
                    o.items_per_unit = 1 + (uint32_t)length % 5;
                    dusk_stream *s = start(&o);
                    assert_int_equal(dusk_stream_state(s, &statement, NULL), DUSK_OK);
                    assert_true(statement.epsilon <= epsilons[e]);
                    assert_true(statement.epsilon > epsilons[e] * (1 - 1e-8));
                    assert_true(strstr(statement.assumed, "a unit") != NULL);
                    dusk_stream_free(s);
                }
}

/* --- intervals ---------------------------------------------------------------------------- */

static void honaker_has_about_half_the_variance(void **state)
{
    (void)state;
    double tree, honaker;
    dusk_stream_options o = stream_of_ones(DUSK_STREAM_TREE, 1 << 20, 1e-6);
    o.whole = false; /* no half steps on top */
    dusk_stream *s = start(&o);
    assert_int_equal(dusk_stream_interval(s, &tree, (1 << 20) - 1, 0.95, NULL), DUSK_OK);
    assert_int_equal(dusk_stream_interval(s, &tree, 0, 0.95, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_stream_interval(s, &tree, (1 << 20) + 1, 0.95, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_stream_interval(s, &tree, 1, 1, NULL), DUSK_ERR_ARGUMENT);
    dusk_stream_free(s);
    o.method = DUSK_STREAM_HONAKER;
    s = start(&o);
    assert_int_equal(dusk_stream_interval(s, &honaker, (1 << 20) - 1, 0.95, NULL), DUSK_OK);
    dusk_stream_free(s);
    /* sum of 2^h / (2^(h+1) - 1) for h < 20, over 20 */
    assert_true(fabs(honaker * honaker / (tree * tree) - 0.5402) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(it_stops_after_the_declared_length),
        cmocka_unit_test(failures_release_nothing_and_leave_the_step),
        cmocka_unit_test(long_streams_stay_near_the_truth),
        cmocka_unit_test(numbers_of_every_kind_are_taken),
        cmocka_unit_test(names_are_copied),
        cmocka_unit_test(nothing_is_zero_outside_the_bounds),
        cmocka_unit_test(whole_numbers_move_by_whole_steps),
        cmocka_unit_test(events_name_noise_and_levels),
        cmocka_unit_test(events_of_streams_without_end),
        cmocka_unit_test(matrices_name_noise_and_norm),
        cmocka_unit_test(gaussian_trees_say_so),
        cmocka_unit_test(statements_keep_the_promise_with_little_to_spare),
        cmocka_unit_test(honaker_has_about_half_the_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
