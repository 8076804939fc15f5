/* SPDX-License-Identifier: Apache-2.0 */
/* The best of a random number of runs on every coin tape, against the law that
 * follows from the generating function f of the number: P(best <= s) = f(P(run <=
 * s)). From the same law, between neighbours whose single run is randomized
 * response or worse, the divergence is recomputed and held against the event. */
#include <math.h>
#include <string.h>

#include "mechanisms/candidates.h"
#include "random/generator.h"
#include "random/noise_runs.h"
#include "random/tape.h"
#include "support.h"

enum { SCORES = 3 };

static dusk_runs runs_of(const dusk_candidates *c)
{
    bool poisson = c->law == DUSK_RUNS_ARE_POISSON;
    return (dusk_runs){ .kind = poisson ? DUSK_RUNS_POISSON : DUSK_RUNS_NEGATIVE_BINOMIAL,
                        .eta = c->eta,
                        .gamma = c->gamma,
                        .mu = c->mean };
}

/* law[0]: no run; law[1 + s]: the best run has score s. */
static void best_law(double *law, const dusk_candidates *c, const double *run)
{
    dusk_runs runs = runs_of(c);
    double below = law[0] = dusk_runs_power_up(&runs, 0), up_to = 0;
    for (int s = 0; s < SCORES; s++) {
        up_to = fmin(up_to + run[s], 1);
        double next = dusk_runs_power_up(&runs, up_to);
        law[1 + s] = next - below;
        below = next;
    }
}

/* --- the shipped code -------------------------------------------------------------- */

typedef struct subject {
    dusk_candidates candidates;
    double mass[SCORES + 1];
} subject;

/* Two coins: score 0, 0, 1 or 2. The output is the score again. */
static dusk_status run(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    uint64_t word;
    (void)context;
    dusk_status status = dusk_generator_words(gen, &word, 1, 2, err);
    if (status != DUSK_OK) return status;
    unsigned k = (unsigned)(word >> 62);
    *score = k > 1 ? k - 1 : 0;
    memcpy(output, score, sizeof *score);
    return DUSK_OK;
}

static bool release(dusk_generator *gen, void *context)
{
    subject *s = context;
    bool any;
    double score, output;
    if (dusk_candidates_release_width(&s->candidates, &any, &score, &output, sizeof output, run, NULL, 3, gen,
                                      NULL) != DUSK_OK)
        return false;
    if (any)
        assert_true(score == output && score >= 0 && score < SCORES);
    else
        assert_true(isnan(score) && output == 0);
    s->mass[any ? 1 + (int)score : 0] += dusk_tape_weight(gen);
    return true;
}

static void check_tapes(dusk_candidates candidates, unsigned depth, double most)
{
    const double single[SCORES] = { 0.5, 0.25, 0.25 };
    subject s = { .candidates = candidates };
    double law[SCORES + 1], undecided = dusk_tape_walk(depth, release, &s);
    best_law(law, &candidates, single);
    if (undecided > most) fail_msg("undecided %g", undecided);
    for (int i = 0; i <= SCORES; i++)
        assert_true(s.mass[i] <= law[i] + 1e-9 && law[i] <= s.mass[i] + undecided + 1e-9);
}

static void the_best_has_its_law(void **state)
{
    (void)state;
    dusk_candidates c;
    assert_int_equal(dusk_candidates_init(&c, 1, 0.6, NULL), DUSK_OK);
    check_tapes(c, 14, 0.15);
    assert_int_equal(dusk_candidates_poisson_init(&c, 0.6, NULL), DUSK_OK);
    check_tapes(c, 14, 0.15);
}

/* Runs that are thrown away do not change the law. */
static void padding_changes_nothing(void **state)
{
    (void)state;
    dusk_candidates c;
    assert_int_equal(dusk_candidates_init(&c, 1, 0.8, NULL), DUSK_OK);
    c.padding = 3;
    check_tapes(c, 14, 0.15);
}

/* --- the event ------------------------------------------------------------------------ */

static double price(const dusk_candidates *c, double epsilon, double delta)
{
    dusk_event one, event;
    dusk_composition *composition;
    dusk_account account;
    assert_int_equal(dusk_event_pure(&one, epsilon, NULL), DUSK_OK);
    assert_int_equal(dusk_candidates_event(c, &event, &one, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_new(&composition, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(composition, &event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_account_epsilon(&account, composition, delta, DUSK_BEST, NULL), DUSK_OK);
    dusk_composition_free(composition);
    return account.bound.upper;
}

static double divergence(const double *p, const double *q, double epsilon)
{
    double sum = 0;
    for (int i = 0; i <= SCORES; i++) sum += fmax(p[i] - exp(epsilon) * q[i], 0);
    return sum;
}

/* Every pair of laws whose probabilities are `small` or e^eps times that, and the rest. */
static double worst(const dusk_candidates *c, double epsilon, double at)
{
    double most = 0;
    const double up = exp(epsilon);
    for (double rare = 1e-3; rare < 0.3; rare *= 4)
        for (int where = 0; where < SCORES; where++)
            for (int other = 0; other < SCORES; other++) {
                double p[SCORES], q[SCORES], a[SCORES + 1], b[SCORES + 1];
                if (other == where) continue;
                for (int i = 0; i < SCORES; i++)
                    p[i] = q[i] = i == where || i == other ? 0 : 1 - rare * (1 + up);
                p[where] = q[other] = rare * up;
                p[other] = q[where] = rare;
                if (!(rare * (1 + up) < 1)) continue;
                best_law(a, c, p);
                best_law(b, c, q);
                most = fmax(most, fmax(divergence(a, b, at), divergence(b, a, at)));
            }
    return most;
}

static void check_event(const dusk_candidates *c, double epsilon, double delta)
{
    double paid = price(c, epsilon, delta), spent = worst(c, epsilon, paid);
    if (spent > delta + 1e-12)
        fail_msg("eta %g mean %g: %g above %g at epsilon %g", c->eta, c->mean, spent, delta, paid);
}

static void the_event_covers_all_neighbours(void **state)
{
    (void)state;
    const double etas[] = { -0.5, 0, 1, 2 };
    dusk_candidates c;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(dusk_candidates_init(&c, etas[i], 0.05, NULL), DUSK_OK);
        check_event(&c, 0.5, 0);
        check_event(&c, 0.5, 1e-3);
    }
    assert_int_equal(dusk_candidates_poisson_init(&c, 10, NULL), DUSK_OK);
    check_event(&c, 0.3, 1e-3);
    check_event(&c, 0.3, 1e-6);
}

/* The theorem is needed: one run's own epsilon does not cover the best, nor half as
 * much again. */
static void the_best_costs_more_than_one_run(void **state)
{
    (void)state;
    dusk_candidates c;
    assert_int_equal(dusk_candidates_init(&c, 1, 1e-3, NULL), DUSK_OK);
    assert_true(worst(&c, 0.5, 0.5) > 0.05);
    assert_true(worst(&c, 0.5, 1.5 * 0.5) > 0);
    assert_true(fabs(price(&c, 0.5, 0) - 1.5) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_has_its_law),
        cmocka_unit_test(padding_changes_nothing),
        cmocka_unit_test(the_event_covers_all_neighbours),
        cmocka_unit_test(the_best_costs_more_than_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
