/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector as shipped: what is refused, when it stops, the event and the
 * margin. Its law: tests/exhaustive and tests/statistical. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "mechanisms/sparse_vector.h"
#include "seeded.h"
#include "sparse_vectors.h"

static dusk_sparse_vector_options usual(void) { return sparse_request(1, 0); }

static int open_generator(void **state) { return open_seeded(state, 31415); }

/* --- what is refused -------------------------------------------------------------- */

static void bad_options_are_refused_before_any_coin(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, NAN, INFINITY }, bad_share[] = { -0.1, 1, 2, NAN };
    for (size_t i = 0; i < 4; i++) {
        dusk_sparse_vector_options o = usual();
        o.epsilon = bad[i];
        refused(&o);
        o = usual();
        o.sensitivity = bad[i];
        refused(&o);
        o = usual();
        o.threshold_share = bad_share[i];
        refused(&o);
        o = usual();
        o.numeric_epsilon = bad[i];
        if (bad[i] != 0) refused(&o);
        o = usual();
        o.threshold = bad[i];
        if (!isfinite(bad[i])) refused(&o);
    }
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    dusk_sparse_vector_options o = usual();
    o.hits = 0;
    refused(&o);
    o = usual();
    o.size = 0;
    refused(&o);
    o = usual();
    o.epsilon = 1e-200;
    refused(&o);
    o = usual();
    o.sensitivity = DBL_MAX;
    refused(&o);
    o = usual();
    o.threshold = 1e300;
    refused(&o);
    o = usual();
    o.threshold_share = 1e-40;
    refused(&o);
}

static void failures_release_nothing(void **state)
{
    uint64_t bits[8] = { 0 };
    dusk_sparse_vector_options o = usual();
    dusk_generator *tape;
    dusk_sparse_vector *sv;
    bool above = true;
    double value = 77;
    assert_int_equal(dusk_generator_new_tape(&tape, bits, 100, NULL), DUSK_OK);
    assert_int_equal(dusk_sparse_vector_new(&sv, &o, tape, NULL), DUSK_ERR_ENTROPY);
    assert_null(sv);
    dusk_memory_fail_at(1);
    assert_int_equal(dusk_sparse_vector_new(&sv, &o, *state, NULL), DUSK_ERR_MEMORY);
    dusk_memory_fail_at(0);
    o.numeric_epsilon = 1;
    sv = start(&o, state);
    dusk_generator_rewind(tape, bits, 256); /* enough for the comparison, not for the answer */
    assert_int_equal(dusk_sparse_vector_release(sv, &above, &value, -1e9, tape, NULL), DUSK_ERR_ENTROPY);
    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, -1e9, *state, NULL), DUSK_ERR_ARGUMENT);
    assert_true(above && value == 77 && dusk_sparse_vector_hits_left(sv) == 1);
    dusk_sparse_vector_free(sv);
    dusk_sparse_vector_free(NULL);
    dusk_generator_free(tape);
}

/* --- the run ------------------------------------------------------------------------- */

static void it_stops_after_the_last_hit(void **state)
{
    dusk_sparse_vector_options o = usual();
    o.hits = 3;
    dusk_sparse_vector *sv = start(&o, state);
    bool above;
    double value = 0;
    for (uint32_t left = 3; left > 0; left--) {
        for (int i = 0; i < 50; i++) {
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, -1000, *state, NULL), DUSK_OK);
            assert_false(above);
        }
        assert_int_equal(dusk_sparse_vector_hits_left(sv), left);
        assert_int_equal(dusk_sparse_vector_release(sv, &above, &value, 1200, *state, NULL), DUSK_OK);
        assert_true(above && isnan(value));
    }
    assert_int_equal(dusk_sparse_vector_hits_left(sv), 0);
    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, -1000, *state, NULL), DUSK_ERR_BUDGET);
    assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, 1000, *state, NULL), DUSK_ERR_BUDGET);
    dusk_sparse_vector_free(sv);
}

static void queries_of_every_kind_are_answered(void **state)
{
    const double low[] = { NAN, -INFINITY, -DBL_MAX, 0, -DBL_TRUE_MIN }, high[] = { INFINITY, DBL_MAX, 1e5 };
    dusk_sparse_vector_options o = usual();
    o.hits = 3;
    o.epsilon = 20;
    dusk_sparse_vector *sv = start(&o, state);
    bool above;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, low[i], *state, NULL), DUSK_OK);
        assert_false(above);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, high[i], *state, NULL), DUSK_OK);
        assert_true(above);
    }
    dusk_sparse_vector_free(sv);
}

static void numeric_answers_are_near_the_query(void **state)
{
    dusk_sparse_vector_options o = usual();
    o.hits = 200;
    o.epsilon = 2000;
    o.numeric_epsilon = 200; /* scale 1 */
    dusk_sparse_vector *sv = start(&o, state);
    double sum = 0, squares = 0;
    for (int i = 0; i < 200; i++) {
        bool above;
        double value;
        assert_int_equal(dusk_sparse_vector_release(sv, &above, &value, 90, *state, NULL), DUSK_OK);
        assert_true(!above && isnan(value));
        assert_int_equal(dusk_sparse_vector_release(sv, &above, &value, 150, *state, NULL), DUSK_OK);
        assert_true(above);
        sum += value - 150;
        squares += (value - 150) * (value - 150);
    }
    assert_true(fabs(sum / 200) < 0.6);                      /* 6 sigma */
    assert_true(squares / 200 > 1.0 && squares / 200 < 4.0); /* variance 2 */
    dusk_sparse_vector_free(sv);
}

static void scales_of_every_size_work(void **state)
{
    const double sizes[] = { 1e-200, 1e-9, 1, 1e9, 1e200 }, epsilons[] = { 1e-15, 1e-3, 1, 1e5 };
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 4; j++) {
            dusk_sparse_vector_options o = usual();
            bool above;
            double margin;
            o.sensitivity = sizes[i];
            o.threshold = 0;
            o.epsilon = epsilons[j];
            dusk_sparse_vector *sv = start(&o, state);
            assert_int_equal(dusk_sparse_vector_interval(sv, &margin, 2, 1 - 1e-9, NULL), DUSK_OK);
            assert_true(margin > 0 && margin < 300 * sizes[i] / epsilons[j]);
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, -1.01 * margin, *state, NULL),
                             DUSK_OK);
            assert_false(above);
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, 1.01 * margin, *state, NULL),
                             DUSK_OK);
            assert_true(above);
            dusk_sparse_vector_free(sv);
        }
}

/* --- event and margin ------------------------------------------------------------------ */

static double epsilon_of(const dusk_sparse_vector *sv)
{
    dusk_event event;
    double epsilon;
    assert_int_equal(dusk_sparse_vector_event(sv, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_event_epsilon_up(&event, &epsilon, 0, NULL), DUSK_OK);
    return epsilon;
}

static void the_event_costs_what_was_asked_for(void **state)
{
    const double epsilons[] = { 0.1, 1.0 / 3, 7 };
    for (size_t i = 0; i < 3; i++)
        for (uint32_t hits = 1; hits < 100; hits = 3 * hits + 1) {
            dusk_sparse_vector_options o = usual();
            o.epsilon = epsilons[i];
            o.hits = hits;
            dusk_sparse_vector *sv = start(&o, state);
            assert_true(epsilon_of(sv) <= epsilons[i] && epsilon_of(sv) > epsilons[i] * (1 - 1e-12));
            dusk_sparse_vector_free(sv);
            o.numeric_epsilon = 0.5;
            sv = start(&o, state);
            assert_true(fabs(epsilon_of(sv) - epsilons[i] - 0.5) < 1e-9);
            dusk_sparse_vector_free(sv);
        }
}

static void the_event_names_the_shares(void **state)
{
    dusk_sparse_vector_options o = usual();
    char text[4096];
    o.hits = 8;
    o.threshold_share = 0.5;
    event_text(text, sizeof text, &o, state);
    assert_string_equal(text, "svt(0.5, 0.5, 8)");
    o.numeric_epsilon = 2;
    event_text(text, sizeof text, &o, state);
    assert_string_equal(text, "svt(0.5, 0.5, 8) + laplace(4) * 8");
}

/* Lyu et al.: 1 : (2c)^(2/3), or 1 : c^(2/3) if monotonic; here both 1 : 4. */
static void the_default_shares_are_the_best_ratio(void **state)
{
    dusk_sparse_vector_options o = usual();
    for (int monotonic = 0; monotonic < 2; monotonic++) {
        char text[4096];
        double threshold, queries;
        o.monotonic = monotonic;
        o.hits = monotonic ? 8 : 4;
        event_text(text, sizeof text, &o, state);
        assert_int_equal(sscanf(text, "svt(%lf, %lf,", &threshold, &queries), 2);
        assert_true(fabs(threshold - 0.2) < 1e-12 && fabs(queries - 0.8) < 1e-12);
    }
}

/* At the margin, wrong comparisons are as rare as promised and not much rarer. */
static void the_margin_holds(void **state)
{
    enum { RUNS = 3000, QUERIES = 10 };
    dusk_sparse_vector_options o = usual();
    double margin = 0;
    int wrong = 0;
    o.hits = QUERIES;
    for (int run = 0; run < RUNS; run++) {
        dusk_sparse_vector *sv = start(&o, state);
        bool mistaken = false;
        assert_int_equal(dusk_sparse_vector_interval(sv, &margin, QUERIES, 0.8, NULL), DUSK_OK);
        for (int i = 0; i < QUERIES && dusk_sparse_vector_hits_left(sv) > 0; i++) {
            bool above;
            double far = (i % 2 ? 1.0001 : -1.0001) * margin;
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, 100 + far, *state, NULL), DUSK_OK);
            mistaken |= above != (i % 2);
        }
        wrong += mistaken;
        dusk_sparse_vector_free(sv);
    }
    assert_true(wrong < 0.2 * RUNS + 120);
    assert_true(wrong > 0.01 * RUNS);
    dusk_sparse_vector *sv = start(&o, state);
    assert_int_equal(dusk_sparse_vector_interval(sv, &margin, 0, 0.8, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_sparse_vector_interval(sv, &margin, 1, 1, NULL), DUSK_ERR_ARGUMENT);
    dusk_sparse_vector_free(sv);
}

/* On a grid of 1 the queries 0.5 and -0.5 are one step apart, as ties to even
 * would not have it for 0.5 and 1.5. Noise at a scale of 2^-30 steps is none. */
static void rounding_to_the_grid_keeps_distances(void **state)
{
    const double query[] = { -1.5, -0.5, 0.5, 1.5, 2.5, 0x1.fffffffffffffp-2, -0x1.0000000000001p-1 };
    const double rounded[] = { -1, 0, 1, 2, 3, 0, -1 };
    for (size_t i = 0; i < sizeof query / sizeof *query; i++)
        for (int threshold = -1; threshold <= 4; threshold++) {
            dusk_sparse_vector_options o = usual();
            dusk_sparse_vector *sv;
            bool above;
            o.threshold = threshold;
            o.epsilon = 0x1p30;
            assert_int_equal(dusk_sparse_vector_new_on(&sv, &o, 0, 64, *state, NULL), DUSK_OK);
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, query[i], *state, NULL), DUSK_OK);
            assert_int_equal(above, rounded[i] >= threshold);
            dusk_sparse_vector_free(sv);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused_before_any_coin),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(failures_release_nothing),
        cmocka_unit_test(it_stops_after_the_last_hit),
        cmocka_unit_test(queries_of_every_kind_are_answered),
        cmocka_unit_test(numeric_answers_are_near_the_query),
        cmocka_unit_test(scales_of_every_size_work),
        cmocka_unit_test(the_event_costs_what_was_asked_for),
        cmocka_unit_test(the_event_names_the_shares),
        cmocka_unit_test(the_default_shares_are_the_best_ratio),
        cmocka_unit_test(the_margin_holds),
        cmocka_unit_test(rounding_to_the_grid_keeps_distances),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
