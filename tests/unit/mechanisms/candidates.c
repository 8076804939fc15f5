/* SPDX-License-Identifier: Apache-2.0 */
/* The best of a random number of runs as shipped: what is refused, scores of every
 * kind, runs that fail, padding, and what is promised about the result. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dusk/mechanisms.h"
#include "random/sampling.h"
#include "seeded.h"
#include "support.h"

static int open_generator(void **state) { return open_seeded(state, 2718); }

static dusk_candidates geometric(double gamma)
{
    dusk_candidates c;
    assert_int_equal(dusk_candidates_init(&c, 1, gamma, NULL), DUSK_OK);
    return c;
}

/* A run that gives the next of a list of scores; the output is the place. */
typedef struct list {
    const double *scores;
    uint64_t n, made, fail_at;
} list;

static dusk_status next(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    list *l = context;
    (void)gen;
    if (l->made == l->fail_at) return dusk_fail_memory(err);
    *score = l->scores[l->made % l->n];
    memcpy(output, &l->made, sizeof l->made);
    l->made++;
    return DUSK_OK;
}

/* A uniform score on 0..999. */
static dusk_status uniform(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    uint64_t k = 0;
    (void)context;
    (void)output;
    dusk_status status = dusk_uniform_below(gen, &k, 1000, err);
    *score = (double)k;
    return status;
}

static void bad_parameters_are_refused(void **state)
{
    dusk_candidates c, bad;
    const double etas[] = { -1, NAN, INFINITY }, gammas[] = { 0, 1, -0.5, NAN, 1e-30 };
    const double means[] = { 0, -1, NAN, INFINITY, 1e9 };
    bool any = false;
    double score = 77;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(dusk_candidates_init(&c, etas[i], 0.5, NULL), DUSK_ERR_ARGUMENT);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(dusk_candidates_init(&c, 1, gammas[i], NULL), DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_candidates_poisson_init(&c, means[i], NULL), DUSK_ERR_ARGUMENT);
    }
    assert_int_equal(dusk_candidates_init(&c, 1, 1e-9, NULL), DUSK_ERR_ARGUMENT); /* a billion runs */
    bad = (dusk_candidates){ .mean = 1 };
    assert_int_equal(dusk_candidates_release(&bad, &any, &score, NULL, 0, uniform, NULL, *state, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_true(score == 77);
}

static void means_are_those_of_the_law(void **state)
{
    (void)state;
    dusk_candidates c = geometric(0.125);
    uint64_t most;
    assert_true(fabs(c.mean - 8) < 1e-12);
    assert_int_equal(dusk_candidates_init(&c, 0, 0.1, NULL), DUSK_OK);
    assert_true(fabs(c.mean - 0.9 / (0.1 * log(10))) < 1e-12);
    c = geometric(0.5); /* P(K > k) = 2^-k */
    assert_int_equal(dusk_candidates_runs(&c, &most, 1 - 0x1p-10, NULL), DUSK_OK);
    assert_true(most == 10 || most == 11);
    assert_int_equal(dusk_candidates_runs(&c, &most, 1, NULL), DUSK_ERR_ARGUMENT);
}

/* The first of the largest, NaN last; padding runs are made and not looked at. */
static void the_largest_score_is_kept(void **state)
{
    const double scores[] = { NAN, -INFINITY, 3, 3, 1 };
    dusk_candidates c = geometric(0.05);
    bool many = false;
    for (int i = 0; i < 200; i++) {
        list l = { .scores = scores, .n = 5, .fail_at = UINT64_MAX };
        bool any;
        double score;
        uint64_t place;
        assert_int_equal(
            dusk_candidates_release(&c, &any, &score, &place, sizeof place, next, &l, *state, NULL), DUSK_OK);
        assert_true(any && place < l.made);
        if (l.made > 2) assert_true(score == 3 && place == 2);
        if (l.made == 2) assert_true(score == -INFINITY && place == 1);
        if (l.made == 1) assert_true(isnan(score) && place == 0);
        many |= l.made > 20;
    }
    assert_true(many);
}

static void padding_makes_more_runs(void **state)
{
    const double rising[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    dusk_candidates c = geometric(0.9);
    bool any;
    double score;
    uint64_t place;
    c.padding = 10;
    for (int i = 0; i < 100; i++) {
        list l = { .scores = rising, .n = 10, .fail_at = UINT64_MAX };
        assert_int_equal(
            dusk_candidates_release(&c, &any, &score, &place, sizeof place, next, &l, *state, NULL), DUSK_OK);
        assert_true(l.made == 10 && score < 10);
    }
}

static void no_run_gives_nothing(void **state)
{
    dusk_candidates c;
    int none = 0;
    assert_int_equal(dusk_candidates_poisson_init(&c, 1, NULL), DUSK_OK);
    for (int i = 0; i < 300; i++) {
        bool any;
        double score;
        assert_int_equal(dusk_candidates_release(&c, &any, &score, NULL, 0, uniform, NULL, *state, NULL),
                         DUSK_OK);
        assert_true(any == !isnan(score));
        none += !any;
    }
    assert_true(none > 60 && none < 165); /* 300 / e = 110 */
}

static void a_run_that_fails_releases_nothing(void **state)
{
    const double scores[] = { 1, 2 };
    dusk_candidates c = geometric(0.5);
    bool any = false;
    double score = 77;
    uint64_t place = 77;
    c.padding = 5;
    for (uint64_t at = 0; at < 5; at++) {
        list l = { .scores = scores, .n = 2, .fail_at = at };
        assert_int_equal(
            dusk_candidates_release(&c, &any, &score, &place, sizeof place, next, &l, *state, NULL),
            DUSK_ERR_MEMORY);
    }
    for (long nth = 1; nth <= 2; nth++) {
        list l = { .scores = scores, .n = 2, .fail_at = UINT64_MAX };
        dusk_memory_fail_at(nth);
        assert_int_equal(
            dusk_candidates_release(&c, &any, &score, &place, sizeof place, next, &l, *state, NULL),
            DUSK_ERR_MEMORY);
        dusk_memory_fail_at(0);
        assert_true(l.made == 0);
    }
    assert_true(!any && score == 77 && place == 77);
}

/* f(1 - q) <= beta, and not with a smaller q; a Poisson number that may be 0 says nothing. */
static void the_fraction_holds(void **state)
{
    enum { RUNS = 2000 };
    dusk_candidates c = geometric(0.02), rare;
    double fraction, nothing;
    int outside = 0;
    assert_int_equal(dusk_candidates_interval(&c, &fraction, 0.9, NULL), DUSK_OK);
    assert_true(fabs(0.02 * (1 - fraction) / (1 - 0.98 * (1 - fraction)) - 0.1) < 1e-9);
    for (int i = 0; i < RUNS; i++) {
        bool any;
        double score;
        assert_int_equal(dusk_candidates_release(&c, &any, &score, NULL, 0, uniform, NULL, *state, NULL),
                         DUSK_OK);
        outside += (999 - score) / 1000 > fraction;
    }
    assert_true(outside < RUNS * 0.1 + 4 * sqrt(RUNS * 0.09));
    assert_true(outside > RUNS * 0.1 - 5 * sqrt(RUNS * 0.09));
    assert_int_equal(dusk_candidates_poisson_init(&rare, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_candidates_interval(&rare, &nothing, 0.9, NULL), DUSK_OK);
    assert_true(nothing == 1);
}

/* Far apart: the best. All alike: everybody alike, and the noise is there. */
static void scores_get_noise_and_the_best_wins(void **state)
{
    const double apart[] = { 10, 1e6, -5, NAN }, alike[] = { 7, 7 };
    dusk_candidates c = geometric(0.01);
    dusk_noise noise;
    bool any;
    size_t index;
    double score;
    int best = 0, first = 0, exact = 0;
    assert_int_equal(dusk_laplace_init(&noise, 1, 1, 0.5, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(
            dusk_candidates_release_scores(&c, &any, &index, &score, &noise, apart, 4, *state, NULL),
            DUSK_OK);
        assert_true(any && index < 4);
        best += index == 1 && fabs(score - 1e6) < 100;
        assert_int_equal(
            dusk_candidates_release_scores(&c, &any, &index, &score, &noise, alike, 2, *state, NULL),
            DUSK_OK);
        first += index == 0;
        exact += score == 7;
    }
    assert_true(best > 250 && first > 100 && first < 200 && exact < 3);
    assert_int_equal(dusk_candidates_release_scores(&c, &any, &index, &score, &noise, apart, 0, *state, NULL),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_laplace_init(&noise, 2, 1, 0.5, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(dusk_candidates_release_scores(&c, &any, &index, &score, &noise, apart, 4, *state, NULL),
                     DUSK_ERR_ARGUMENT);
}

static void the_event_names_the_law(void **state)
{
    (void)state;
    dusk_candidates c = geometric(0.25);
    dusk_event run, event;
    char text[128];
    assert_int_equal(dusk_event_parse(&run, "laplace(2)", NULL), DUSK_OK);
    assert_int_equal(dusk_candidates_event(&c, &event, &run, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "select_best(1, 0.25, laplace(2))");
    assert_int_equal(dusk_candidates_poisson_init(&c, 8, NULL), DUSK_OK);
    assert_int_equal(dusk_candidates_event(&c, &event, &run, NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&event, text, sizeof text, NULL), DUSK_OK);
    assert_string_equal(text, "select_poisson(8, laplace(2))");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(means_are_those_of_the_law),
        cmocka_unit_test(the_largest_score_is_kept),
        cmocka_unit_test(padding_makes_more_runs),
        cmocka_unit_test(no_run_gives_nothing),
        cmocka_unit_test(a_run_that_fails_releases_nothing),
        cmocka_unit_test(the_fraction_holds),
        cmocka_unit_test(the_event_names_the_law),
        cmocka_unit_test(scores_get_noise_and_the_best_wins),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
