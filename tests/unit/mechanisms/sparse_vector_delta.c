/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector with delta: which form is taken, what its event says, that fresh
 * thresholds are fresh, that a length is kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dusk/mechanisms.h"
#include "mechanisms/sparse_vector.h"
#include "seeded.h"
#include "sparse_vectors.h"

static dusk_sparse_vector_options usual(uint32_t hits) { return sparse_request(hits, 1e-6); }

static dusk_sparse_vector_options gaussian(uint32_t hits)
{
    dusk_sparse_vector_options options = usual(hits);
    options.noise = DUSK_GAUSSIAN;
    options.length = 1000;
    return options;
}

static int open_generator(void **state) { return open_seeded(state, 27182); }

static void ask(dusk_sparse_vector *sv, double query, bool expected, void **state)
{
    bool above;
    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, query, *state, NULL), DUSK_OK);
    assert_int_equal(above, expected);
}

/* --- refusals --------------------------------------------------------------------- */

static void bad_options_are_refused_before_any_coin(void **state)
{
    (void)state;
    const double bad[] = { -1e-9, 1, 2, NAN, INFINITY };
    dusk_sparse_vector_options o;
    for (size_t i = 0; i < 5; i++) {
        o = usual(3);
        o.delta = bad[i];
        refused(&o);
    }
    o = gaussian(1);
    o.delta = 0;
    refused(&o);
    o = gaussian(1);
    o.length = 0;
    refused(&o);
    o = gaussian(1);
    o.threshold_share = 0.5;
    refused(&o);
    o = usual(1);
    o.noise = DUSK_DISCRETE_LAPLACE;
    refused(&o);
    o = usual(1);
    o.noise = 0;
    refused(&o);
}

/* --- the promise and the event ------------------------------------------------------ */

static double epsilon_of(const dusk_sparse_vector *sv, double delta)
{
    dusk_statement statement;
    dusk_event event;
    assert_int_equal(dusk_sparse_vector_event(sv, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_statement_init(&statement, &event, delta, DUSK_REPLACE_ONE, "row", NULL), DUSK_OK);
    return statement.epsilon;
}

static void kept(const dusk_sparse_vector_options *o, double least, void **state)
{
    dusk_sparse_vector *sv = start(o, state);
    double promised = o->epsilon + o->numeric_epsilon, given = epsilon_of(sv, o->delta);
    assert_true(given <= promised && given >= promised * least);
    dusk_sparse_vector_free(sv);
}

static void the_promise_is_kept_with_little_to_spare(void **state)
{
    const uint32_t hits[] = { 1, 100, 5000 };
    for (size_t i = 0; i < 3; i++) {
        dusk_sparse_vector_options o = usual(hits[i]);
        kept(&o, 1 - 1e-6, state);
        o = gaussian(hits[i]);
        kept(&o, 1 - 1e-6, state);
    }
    dusk_sparse_vector_options o = usual(20);
    o.monotonic = true;
    kept(&o, 1 - 1e-6, state);
    o = usual(10);
    o.numeric_epsilon = 0.5;
    kept(&o, 1 - 1e-6, state);
    o = gaussian(10);
    o.numeric_epsilon = 0.5;
    kept(&o, 1 - 1e-4, state);
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

/* For a few hits one threshold for all has less noise, for many a fresh one each. */
static void the_smaller_noise_is_taken(void **state)
{
    char text[8192];
    dusk_sparse_vector_options o = usual(10);
    event_text(text, sizeof text, &o, state);
    assert_true(!strncmp(text, "svt(", 4) && ends_with(text, ", 10)"));
    o = usual(1000);
    event_text(text, sizeof text, &o, state);
    assert_true(!strncmp(text, "svt(", 4) && ends_with(text, ", 1) * 1000"));
    o.monotonic = true;
    event_text(text, sizeof text, &o, state);
    assert_true(!strncmp(text, "exponential(", 12) && ends_with(text, ") * 1000"));
    o = gaussian(2);
    event_text(text, sizeof text, &o, state);
    assert_true(!strncmp(text, "svt_gaussian(", 13) && ends_with(text, ", 1000) * 2"));
    o = gaussian(1000);
    event_text(text, sizeof text, &o, state);
    assert_true(!strncmp(text, "approx(", 7) && ends_with(text, ") * 1000"));
}

/* What the event says is what is drawn. */
static void events_name_the_scales(void **state)
{
    char text[8192];
    double first, second;
    dusk_sparse_plan plan;
    for (int monotonic = 0; monotonic < 2; monotonic++) {
        dusk_sparse_vector_options o = gaussian(1);
        o.monotonic = monotonic;
        event_text(text, sizeof text, &o, state);
        assert_int_equal(sscanf(text, "svt_gaussian(%lf, %lf, 1000)", &first, &second), 2);
        assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
        assert_true(plan.threshold_scale >= first * plan.sensitivity * (1 - 1e-15));
        assert_true(plan.query_scale * (monotonic ? 2 : 1) >= second * plan.sensitivity * (1 - 1e-15));
        o = usual(1000);
        o.monotonic = monotonic;
        event_text(text, sizeof text, &o, state);
        assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
        double eps1 = plan.sensitivity / plan.threshold_scale, eps2 = plan.sensitivity / plan.query_scale;
        if (monotonic) {
            assert_int_equal(sscanf(text, "exponential(%lf)", &first), 1);
            assert_true(eps1 + 2 * eps2 <= first * (1 + 1e-15));
        } else {
            assert_int_equal(sscanf(text, "svt(%lf, %lf, 1)", &first, &second), 2);
            assert_true(eps1 <= first * (1 + 1e-15) && 2 * eps2 <= second * (1 + 1e-15));
        }
    }
}

/* Margins: sqrt(c) for fresh thresholds, and below the textbook's sqrt(32 c ln(1/delta))
 * [Dwork & Roth 2014, Theorem 3.25]. */
static void noise_grows_with_the_square_root_of_the_hits(void **state)
{
    (void)state;
    dusk_sparse_plan a, b;
    dusk_sparse_vector_options o = usual(1000);
    assert_int_equal(dusk_sparse_plan_make(&a, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    o = usual(4000);
    assert_int_equal(dusk_sparse_plan_make(&b, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_true(b.query / a.query > 1.98 && b.query / a.query < 2.02);
    double book = sqrt(32 * 4000 * log(1e6));
    assert_true(b.threshold < book / 1.9 && b.query < 2 * book / 3);
}

/* --- the run -------------------------------------------------------------------------- */

/* A query at the threshold is above with probability 1/2; after a hit the second one is
 * independent of the first, as it would not be with the old threshold: (E G)^2 = 1/4
 * instead of E G^2. */
static void thresholds_are_fresh_after_a_hit(void **state)
{
    enum { RUNS = 40000 };
    dusk_sparse_vector_options o = usual(1000);
    dusk_sparse_vector *sv = start(&o, state);
    int pairs = 0, both = 0;
    for (int i = 0; i < RUNS && dusk_sparse_vector_hits_left(sv) > 2; i++) {
        bool first, second;
        assert_int_equal(dusk_sparse_vector_release(sv, &first, NULL, 1e9, *state, NULL), DUSK_OK);
        assert_true(first);
        assert_int_equal(dusk_sparse_vector_release(sv, &first, NULL, 100, *state, NULL), DUSK_OK);
        if (!first) continue;
        assert_int_equal(dusk_sparse_vector_release(sv, &second, NULL, 100, *state, NULL), DUSK_OK);
        pairs++;
        both += second;
        if (dusk_sparse_vector_hits_left(sv) > 10) continue;
        dusk_sparse_vector_free(sv);
        sv = start(&o, state);
    }
    dusk_sparse_vector_free(sv);
    assert_true(pairs > 10000);
    assert_true(fabs((double)both / pairs - 0.5) < 5 * 0.5 / sqrt(pairs));
}

static void the_length_is_kept(void **state)
{
    dusk_sparse_vector_options o = gaussian(2);
    bool above = true;
    o.length = 5;
    dusk_sparse_vector *sv = start(&o, state);
    for (uint64_t left = 5; left > 0; left--) {
        assert_int_equal(dusk_sparse_vector_queries_left(sv), left);
        ask(sv, -1e9, false, state);
    }
    assert_int_equal(dusk_sparse_vector_queries_left(sv), 0);
    assert_int_equal(dusk_sparse_vector_hits_left(sv), 2);
    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, 1e9, *state, NULL), DUSK_ERR_BUDGET);
    assert_true(above);
    dusk_sparse_vector_free(sv);
    o = usual(2);
    sv = start(&o, state);
    assert_true(dusk_sparse_vector_queries_left(sv) == UINT64_MAX);
    for (int i = 0; i < 100; i++) ask(sv, -1e9, false, state);
    assert_true(dusk_sparse_vector_queries_left(sv) == UINT64_MAX);
    dusk_sparse_vector_free(sv);
}

/* Not enough coins for the threshold that a hit would need: nothing is told. */
static void failures_do_not_depend_on_the_query(void **state)
{
    uint64_t bits[8] = { 0 };
    dusk_sparse_vector_options o = usual(1000);
    dusk_sparse_vector *sv = start(&o, state);
    dusk_generator *tape;
    bool above = true;
    assert_int_equal(dusk_generator_new_tape(&tape, bits, 256, NULL), DUSK_OK);
    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, -1e9, tape, NULL), DUSK_ERR_ENTROPY);
    assert_true(above && dusk_sparse_vector_hits_left(sv) == 1000);
    dusk_generator_free(tape);
    dusk_sparse_vector_free(sv);
}

/* Answers of Gaussian noise have the deviation that the event says. */
static void numeric_answers_have_their_noise(void **state)
{
    enum { HITS = 400 };
    dusk_sparse_vector_options o = usual(HITS);
    dusk_sparse_plan plan;
    o.numeric_epsilon = 4;
    assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(plan.answer_law, DUSK_ADDITIVE_GAUSSIAN);
    dusk_sparse_vector *sv = start(&o, state);
    double sum = 0, squares = 0;
    for (int i = 0; i < HITS; i++) {
        bool above;
        double value;
        assert_int_equal(dusk_sparse_vector_release(sv, &above, &value, 1e6, *state, NULL), DUSK_OK);
        assert_true(above);
        sum += (value - 1e6) / plan.answer;
        squares += (value - 1e6) / plan.answer * (value - 1e6) / plan.answer;
    }
    assert_true(fabs(sum / HITS) < 0.25 && squares / HITS > 0.7 && squares / HITS < 1.4);
    dusk_sparse_vector_free(sv);
}

/* At the margin, wrong comparisons are as rare as promised and not much rarer. */
static void margins_hold_and_are_not_much_too_wide(void **state)
{
    enum { RUNS = 2000 };
    const dusk_sparse_vector_options forms[] = { gaussian(1), usual(1) };
    for (size_t form = 0; form < 2; form++)
        for (uint64_t queries = 1; queries <= 10; queries += 9) {
            dusk_sparse_plan plan;
            double margin = 0;
            int wrong = 0;
            for (int run = 0; run < RUNS; run++) {
                dusk_sparse_vector_options o = forms[form];
                dusk_sparse_vector *sv;
                bool above = false, mistaken = false;
                if (run == 0)
                    assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
                assert_int_equal(dusk_sparse_vector_start(&sv, &o, &plan, DUSK_WIDTH_FULL, *state, NULL),
                                 DUSK_OK);
                if (margin == 0)
                    assert_int_equal(dusk_sparse_vector_interval(sv, &margin, queries, 0.8, NULL), DUSK_OK);
                for (uint64_t i = 0; i < queries && dusk_sparse_vector_hits_left(sv) > 0; i++) {
                    double query = 100 - 1.0001 * margin;
                    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, query, *state, NULL),
                                     DUSK_OK);
                    mistaken |= above;
                }
                wrong += mistaken;
                dusk_sparse_vector_free(sv);
            }
            assert_true(wrong < 0.2 * RUNS + 100);
            assert_true(wrong > (queries == 1 ? 0.1 : 0.005) * RUNS);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused_before_any_coin),
        cmocka_unit_test(the_promise_is_kept_with_little_to_spare),
        cmocka_unit_test(the_smaller_noise_is_taken),
        cmocka_unit_test(events_name_the_scales),
        cmocka_unit_test(noise_grows_with_the_square_root_of_the_hits),
        cmocka_unit_test(thresholds_are_fresh_after_a_hit),
        cmocka_unit_test(the_length_is_kept),
        cmocka_unit_test(failures_do_not_depend_on_the_query),
        cmocka_unit_test(numeric_answers_have_their_noise),
        cmocka_unit_test(margins_hold_and_are_not_much_too_wide),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
