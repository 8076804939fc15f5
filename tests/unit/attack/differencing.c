/* SPDX-License-Identifier: Apache-2.0 */
/* What a promise leaves to somebody who guesses, against the best guess there is, by formula and
 * by enumeration; and the game of differencing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dusk/attack_releases.h"
#include "numeric/special.h"
#include "support.h"

static double bound_of(const char *event, double prior)
{
    dusk_composition *released;
    dusk_error err;
    double out = -1;
    assert_int_equal(dusk_composition_new(&released, DUSK_ADD_REMOVE, &err), DUSK_OK);
    assert_int_equal(dusk_composition_parse(released, event, &err), DUSK_OK);
    assert_int_equal(dusk_right_guesses_up(&out, released, prior, &err), DUSK_OK);
    dusk_composition_free(released);
    return out;
}

static const double priors[] = { 1e-6, 0.03, 0.25, 0.5, 0.6, 0.9, 0.999 };
enum { PRIORS = sizeof priors / sizeof *priors };

/* An epsilon-private mechanism is at worst a coin that tells the truth with odds e^epsilon. */
static void pure_promises(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRIORS; i++) {
        double p = priors[i], best = fmax(fmax(p, 1 - p), exp(1) / (1 + exp(1)));
        double bound = bound_of("pure(1)", p);
        assert_true(bound >= best - 1e-15 && bound <= best + 1e-9);
    }
    assert_true(bound_of("pure(1)", 0) == 1 && bound_of("pure(1)", 1) == 1);
    assert_true(bound_of("pure(1000)", 0.5) == 1);
}

/* The best guess between N(0, 1) and N(mu, 1). */
static void gaussian_promises(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRIORS; i++)
        for (double mu = 0.25; mu < 5; mu *= 2) {
            char event[40];
            double p = priors[i], cut = mu / 2 + log((1 - p) / p) / mu;
            double best = p * dusk_normal_cdf(mu - cut) + (1 - p) * dusk_normal_cdf(cut);
            snprintf(event, sizeof event, "gaussian(%.17g)", 1 / mu);
            double bound = bound_of(event, p);
            assert_true(bound >= best - 1e-14 && bound <= best + 1e-7);
        }
}

/* Two counts with discrete Laplace noise, both moved by one: every pair of answers is guessed by
 * which fact makes it likelier. */
static void two_counts_by_enumeration(void **state)
{
    (void)state;
    enum { FAR = 90 };
    const double b = 2, base = tanh(0.5 / b);
    for (size_t i = 0; i < PRIORS; i++) {
        double p = priors[i], best = 0;
        for (int x = -FAR; x <= FAR; x++)
            for (int y = -FAR; y <= FAR; y++) {
                double absent = base * base * exp(-(abs(x) + abs(y)) / b);
                double there = base * base * exp(-(abs(x - 1) + abs(y - 1)) / b);
                best += fmax(p * there, (1 - p) * absent);
            }
        double bound = bound_of("discrete_laplace(2) * 2", p);
        assert_true(bound >= best - 1e-12 && bound <= best + 1e-6);
    }
}

static void guesses_are_counted(void **state)
{
    (void)state;
    dusk_guesses got = { .right = 7 };
    dusk_error err;
    assert_int_equal(dusk_guesses_count(&got, 80, 100, 0.95, &err), DUSK_OK);
    assert_true(got.right == 80 && got.trials == 100 && got.share == 0.8);
    assert_true(fabs(got.low - 0.70816) < 1e-4 && fabs(got.high - 0.87334) < 1e-4); /* Clopper-Pearson */
    assert_int_equal(dusk_guesses_count(&got, 0, 0, 0.95, &err), DUSK_OK);
    assert_true(isnan(got.share) && got.low == 0 && got.high == 1);
    got.right = 7;
    assert_int_equal(dusk_guesses_count(&got, 3, 2, 0.95, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_guesses_count(&got, 1, 2, NAN, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_guesses_count(&got, 1, 2, 1, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(got.right, 7);
}

/* --- the game ---------------------------------------------------------------------------------- */

static void differences_are_told(void **state)
{
    (void)state;
    assert_true(dusk_differencing_guess(101, 100, 1));
    assert_false(dusk_differencing_guess(100, 100, 1));
    assert_false(dusk_differencing_guess(100.4, 100, 1));
    assert_true(dusk_differencing_guess(100.6, 100, 1));
    assert_false(dusk_differencing_guess(99, 100, 1));
    assert_true(dusk_differencing_guess(93, 100, -10));
    assert_false(dusk_differencing_guess(97, 100, -10));
    assert_false(dusk_differencing_guess(NAN, 100, 1));
    assert_false(dusk_differencing_guess(1, 0, NAN));
}

typedef struct teller {
    double others, lie; /* what is taken off the first answer */
    uint64_t asked, there;
    uint64_t fail_at;
} teller;

static dusk_status tell(void *context, double answers[2], bool there, dusk_error *err)
{
    (void)err;
    teller *t = context;
    t->there += there;
    if (++t->asked == t->fail_at) return DUSK_ERR_IO;
    answers[0] = t->others + (there ? 1 : 0) - t->lie;
    answers[1] = t->others;
    return DUSK_OK;
}

static void exact_answers_tell_everything(void **state)
{
    (void)state;
    teller honest = { .others = 4711 }, wrong = { .others = 5, .lie = 1 };
    dusk_guesses got;
    assert_int_equal(dusk_differencing_play(&got, tell, &honest, 1, 5000, 0.95, 1, NULL), DUSK_OK);
    assert_true(got.right == 5000 && got.share == 1 && got.high == 1 && got.low > 0.999);
    assert_true(honest.asked == 5000 && honest.there > 2300 && honest.there < 2700); /* fair: 8 deviations */
    assert_int_equal(dusk_differencing_play(&got, tell, &wrong, 1, 5000, 0.95, 1, NULL), DUSK_OK);
    assert_true(got.right == 5000 - wrong.there); /* nobody is ever told to be there */
}

static void games_may_fail(void **state)
{
    (void)state;
    teller t = { .fail_at = 3 };
    dusk_guesses got = { .right = 7 };
    assert_int_equal(dusk_differencing_play(&got, tell, &t, 1, 10, 0.95, 1, NULL), DUSK_ERR_IO);
    assert_int_equal(t.asked, 3);
    assert_int_equal(dusk_differencing_play(&got, tell, &t, 0, 10, 0.95, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_differencing_play(&got, tell, &t, NAN, 10, 0.95, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_differencing_play(&got, tell, &t, 1, 10, 0, 1, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(t.asked, 3); /* nothing is asked for a game that is refused */
    assert_int_equal(got.right, 7);
}

static void orders_are_orders(void **state)
{
    (void)state;
    size_t order[100], first[4] = { 0 };
    for (uint64_t seed = 0; seed < 4000; seed++) {
        bool seen[100] = { false };
        size_t n = seed % 100;
        dusk_attack_order(order, n, seed);
        for (size_t i = 0; i < n; i++) {
            assert_true(order[i] < n && !seen[order[i]]);
            seen[order[i]] = true;
        }
        dusk_attack_order(order, 4, seed);
        first[order[0]]++;
    }
    for (size_t i = 0; i < 4; i++) assert_true(first[i] > 800 && first[i] < 1200); /* 1000, 7 deviations */
}

static void bad_priors_are_refused(void **state)
{
    (void)state;
    dusk_composition *released;
    double out = 77;
    static const double bad[] = { NAN, -0.1, 1.1, INFINITY };
    assert_int_equal(dusk_composition_new(&released, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(dusk_right_guesses_up(&out, released, bad[i], NULL), DUSK_ERR_ARGUMENT);
    assert_true(out == 77);
    assert_int_equal(dusk_right_guesses_up(&out, released, 0.3, NULL), DUSK_OK); /* nothing was released */
    assert_true(fabs(out - 0.7) < 1e-12);
    dusk_composition_free(released);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_promises),
        cmocka_unit_test(gaussian_promises),
        cmocka_unit_test(two_counts_by_enumeration),
        cmocka_unit_test(guesses_are_counted),
        cmocka_unit_test(differences_are_told),
        cmocka_unit_test(exact_answers_tell_everything),
        cmocka_unit_test(games_may_fail),
        cmocka_unit_test(orders_are_orders),
        cmocka_unit_test(bad_priors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
