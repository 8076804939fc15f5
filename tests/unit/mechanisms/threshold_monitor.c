/* SPDX-License-Identifier: Apache-2.0 */
/* Threshold monitor as shipped: what is refused, who is removed and when, the promise and
 * the margin. Its law: tests/exhaustive/threshold_monitor.c. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "mechanisms/threshold_monitor.h"
#include "random/rounded.h"
#include "seeded.h"

enum { RECORDS = 4000 };
static double records[RECORDS];

/* Record i is i. */
static int set_up(void **state)
{
    for (int i = 0; i < RECORDS; i++) records[i] = i;
    return open_seeded(state, 16180);
}

typedef struct range {
    double from, to;
    int calls;
} range;

static bool is_in(const void *record, void *context)
{
    range *r = context;
    double x;
    memcpy(&x, record, sizeof x);
    r->calls++;
    return r->from <= x && x < r->to;
}

static dusk_threshold_monitor_options usual(uint32_t k)
{
    dusk_threshold_monitor_options options;
    dusk_threshold_monitor_options_init(&options);
    options.threshold = 500;
    options.contributions = k;
    options.neighbours = DUSK_ADD_REMOVE;
    options.epsilon = 1;
    options.delta = 1e-6;
    return options;
}

static dusk_threshold_monitor *start(const dusk_threshold_monitor_options *options)
{
    dusk_threshold_monitor *m;
    assert_int_equal(dusk_threshold_monitor_new(&m, options, records, RECORDS, sizeof *records, NULL),
                     DUSK_OK);
    return m;
}

static void ask(dusk_threshold_monitor *m, double from, double to, bool expected, void **state)
{
    range r = { from, to, 0 };
    bool above;
    assert_int_equal(dusk_threshold_monitor_release(m, &above, is_in, &r, *state, NULL), DUSK_OK);
    assert_int_equal(above, expected);
    assert_int_equal(r.calls, RECORDS);
}

/* --- refusals --------------------------------------------------------------------- */

static void refused(dusk_threshold_monitor_options options)
{
    dusk_threshold_monitor *m = (dusk_threshold_monitor *)&options;
    dusk_error err;
    assert_int_equal(dusk_threshold_monitor_new(&m, &options, records, RECORDS, sizeof *records, &err),
                     DUSK_ERR_ARGUMENT);
    assert_null(m);
    assert_true(strlen(err.message) > 10);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY, 1e300 };
    dusk_threshold_monitor_options o;
    for (size_t i = 0; i < 5; i++) {
        o = usual(1);
        o.epsilon = bad[i];
        if (bad[i] != 1e300) refused(o);
        o = usual(1);
        o.delta = bad[i];
        refused(o);
        o = usual(1);
        o.threshold = bad[i];
        if (!(fabs(bad[i]) <= 1)) refused(o);
    }
    o = usual(1);
    o.delta = 1;
    refused(o);
    o = usual(0);
    refused(o);
    o = usual(1);
    o.size = 0;
    refused(o);
    o = usual(1);
    o.neighbours = 0;
    refused(o);
    o = usual(1);
    o.epsilon = 1e-30;
    o.delta = 1e-300;
    refused(o);
}

static void failures_release_nothing(void **state)
{
    dusk_threshold_monitor_options o = usual(1);
    dusk_threshold_monitor *m;
    dusk_generator *tape;
    uint64_t bits = 0;
    range r = { 0, RECORDS, 0 };
    bool above = true;
    for (long n = 1; n <= 3; n++) {
        dusk_monitor_plan plan;
        assert_int_equal(dusk_monitor_plan_make(&plan, &o, NULL), DUSK_OK);
        dusk_memory_fail_at(n);
        assert_int_equal(dusk_threshold_monitor_start(&m, &o, &plan, records, RECORDS, sizeof *records,
                                                      DUSK_WIDTH_FULL, NULL),
                         DUSK_ERR_MEMORY);
        dusk_memory_fail_at(0);
        assert_null(m);
    }
    m = start(&o);
    assert_int_equal(dusk_generator_new_tape(&tape, &bits, 10, NULL), DUSK_OK);
    assert_int_equal(dusk_threshold_monitor_release(m, &above, is_in, &r, tape, NULL), DUSK_ERR_ENTROPY);
    assert_true(above && r.calls == 0);
    ask(m, 0, RECORDS, true, state);
    dusk_generator_free(tape);
    dusk_threshold_monitor_free(m);
    dusk_threshold_monitor_free(NULL);
}

/* --- who is removed ------------------------------------------------------------------ */

static void records_are_removed_after_their_contributions(void **state)
{
    dusk_threshold_monitor_options o = usual(3);
    dusk_threshold_monitor *m = start(&o);
    for (int i = 0; i < 20; i++) ask(m, 0, 100, false, state); /* answers below charge nobody */
    for (int i = 0; i < 3; i++) ask(m, 0, 1000, true, state);
    ask(m, 0, 1000, false, state);
    ask(m, 0, 1100, false, state);
    for (int i = 0; i < 3; i++) ask(m, 900, 2000, true, state); /* the others are all there */
    ask(m, 0, 2000, false, state);
    ask(m, 0, RECORDS, true, state);
    dusk_threshold_monitor_free(m);
}

/* Every record has its own account: many answers above, about different people. */
static void different_records_are_charged_apart(void **state)
{
    dusk_threshold_monitor_options o = usual(1);
    dusk_threshold_monitor *m = start(&o);
    for (int i = 0; i < 4; i++) ask(m, 1000 * i, 1000 * (i + 1), true, state);
    ask(m, 0, RECORDS, false, state);
    dusk_threshold_monitor_free(m);
}

static void no_records_are_fine(void **state)
{
    dusk_threshold_monitor_options o = usual(1);
    dusk_threshold_monitor *m;
    range r = { 0, 1, 0 };
    bool above = true;
    assert_int_equal(dusk_threshold_monitor_new(&m, &o, NULL, 0, 8, NULL), DUSK_OK);
    assert_int_equal(dusk_threshold_monitor_release(m, &above, is_in, &r, *state, NULL), DUSK_OK);
    assert_true(!above && r.calls == 0);
    dusk_threshold_monitor_free(m);
}

/* --- promise and margin ---------------------------------------------------------------- */

static void the_promise_is_kept_with_little_to_spare(void **state)
{
    (void)state;
    const uint32_t k[] = { 1, 10, 1000 };
    for (size_t i = 0; i < 3; i++)
        for (dusk_neighbours n = DUSK_ADD_REMOVE; n <= DUSK_REPLACE_ONE; n++) {
            dusk_threshold_monitor_options o = usual(k[i]);
            dusk_statement statement;
            dusk_event event;
            o.neighbours = n;
            dusk_threshold_monitor *m = start(&o);
            assert_int_equal(dusk_threshold_monitor_event(m, &event, NULL), DUSK_OK);
            assert_int_equal(dusk_statement_init(&statement, &event, o.delta, n, "record", NULL), DUSK_OK);
            assert_true(statement.epsilon <= 1 && statement.epsilon > 1 - 1e-6);
            dusk_threshold_monitor_free(m);
        }
}

/* Noise grows with the square root of the contributions. */
static void noise_grows_with_the_square_root(void **state)
{
    (void)state;
    dusk_monitor_plan a, b;
    dusk_threshold_monitor_options o = usual(400);
    assert_int_equal(dusk_monitor_plan_make(&a, &o, NULL), DUSK_OK);
    o = usual(6400);
    assert_int_equal(dusk_monitor_plan_make(&b, &o, NULL), DUSK_OK);
    assert_true(b.scale / a.scale > 3.5 && b.scale / a.scale < 4.1);
}

static void the_margin_holds(void **state)
{
    enum { RUNS = 4000 };
    dusk_threshold_monitor_options o = usual(1);
    dusk_monitor_plan plan;
    int wrong = 0;
    double margin;
    o.threshold = 99.5;
    assert_int_equal(dusk_monitor_plan_make(&plan, &o, NULL), DUSK_OK);
    for (int i = 0; i < RUNS; i++) {
        dusk_threshold_monitor *m;
        range r = { 0, 0, 0 };
        bool above;
        assert_int_equal(
            dusk_threshold_monitor_start(&m, &o, &plan, records, 200, sizeof *records, DUSK_WIDTH_FULL, NULL),
            DUSK_OK);
        assert_int_equal(dusk_threshold_monitor_interval(m, &margin, 1, 0.8, NULL), DUSK_OK);
        r.to = i % 2 ? ceil(99.5 + margin) : floor(99.5 - margin);
        assert_int_equal(dusk_threshold_monitor_release(m, &above, is_in, &r, *state, NULL), DUSK_OK);
        wrong += above != (i % 2);
        dusk_threshold_monitor_free(m);
    }
    assert_true(wrong < 0.2 * RUNS + 125 && wrong > 0.15 * RUNS);
    dusk_threshold_monitor *m = start(&o);
    assert_int_equal(dusk_threshold_monitor_interval(m, &margin, 0, 0.8, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_threshold_monitor_interval(m, &margin, 1, 1, NULL), DUSK_ERR_ARGUMENT);
    dusk_threshold_monitor_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(failures_release_nothing),
        cmocka_unit_test(records_are_removed_after_their_contributions),
        cmocka_unit_test(different_records_are_charged_apart),
        cmocka_unit_test(no_records_are_fine),
        cmocka_unit_test(the_promise_is_kept_with_little_to_spare),
        cmocka_unit_test(noise_grows_with_the_square_root),
        cmocka_unit_test(the_margin_holds),
    };
    return cmocka_run_group_tests(tests, set_up, close_generator);
}
