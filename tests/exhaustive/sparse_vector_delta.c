/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector with delta: Gaussian noise on every coin tape, and the privacy curve of
 * whole runs. Runs of many instances, each of which asks three queries and
 * then one that is far above, are counted out: how often each outcome came is all that
 * matters, so the hockey-stick divergence at epsilon is a finite sum. It must be below
 * delta for all neighbouring triples of queries. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanisms/sparse_vector.h"
#include "random/tape.h"
#include "support.h"

/* --- the exact law ------------------------------------------------------------- */

/* P(K >= k) for K = round(Z). */
static double at_least(dusk_additive_law law, int k, double b)
{
    if (law == DUSK_ADDITIVE_GAUSSIAN) return erfc((k - 0.5) / b / sqrt(2)) / 2;
    return k >= 1 ? exp(-(k - 0.5) / b) / 2 : 1 - exp(-(0.5 - k) / b) / 2;
}

/* P(the first hit is at i), i < n, and P(none) at n; for whole queries, a threshold of 0
 * and D = 1 step. */
static void instance_law(double *p, const dusk_sparse_plan *plan, const int *query, int n)
{
    int reach = (int)(40 * plan->threshold_scale) + 5;
    for (int i = 0; i <= n; i++) p[i] = 0;
    for (int rho = -reach; rho <= reach; rho++) {
        double rest = at_least(plan->law, rho, plan->threshold_scale) -
                      at_least(plan->law, rho + 1, plan->threshold_scale);
        for (int i = 0; i < n; i++) {
            double hit = at_least(plan->law, rho - query[i], plan->query_scale);
            p[i] += rest * hit;
            rest *= 1 - hit;
        }
        p[n] += rest;
    }
}

static dusk_sparse_vector_options options_of(uint32_t hits, bool monotonic, double epsilon, double delta)
{
    dusk_sparse_vector_options options;
    dusk_sparse_vector_options_init(&options);
    options.sensitivity = 1;
    options.hits = hits;
    options.monotonic = monotonic;
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

static dusk_sparse_plan plan_of(const dusk_sparse_vector_options *options)
{
    dusk_sparse_plan plan;
    assert_int_equal(dusk_sparse_plan_make(&plan, options, 0, NULL), DUSK_OK);
    assert_true(plan.sensitivity == 1);
    return plan;
}

/* --- on every tape ------------------------------------------------------------------ */

typedef struct tape_law {
    dusk_sparse_vector_options options;
    dusk_sparse_plan plan;
    int query[2];
    double mass[4], undecided;
} tape_law;

static bool run(dusk_generator *gen, void *context)
{
    tape_law *l = context;
    dusk_sparse_vector *sv;
    dusk_status status = dusk_sparse_vector_start(&sv, &l->options, &l->plan, 2, gen, NULL);
    unsigned answers = 0;
    for (unsigned i = 0; status == DUSK_OK && i < 2 && dusk_sparse_vector_hits_left(sv) > 0; i++) {
        bool above = false;
        status = dusk_sparse_vector_release(sv, &above, NULL, l->query[i], gen, NULL);
        answers |= (unsigned)above << i;
    }
    dusk_sparse_vector_free(sv);
    if (status != DUSK_OK) return false;
    l->mass[answers] += dusk_tape_weight(gen);
    return true;
}

static void assert_bracket(const tape_law *l, unsigned answers, double p)
{
    assert_true(l->mass[answers] <= p + 1e-9);
    assert_true(p <= l->mass[answers] + l->undecided + 1e-9);
}

static void gaussian_noise_on_every_tape(void **state)
{
    (void)state;
    tape_law l = { .options = options_of(1, false, 60, 0.1), .query = { 0, 1 } };
    double p[3];
    l.options.noise = DUSK_GAUSSIAN;
    l.options.length = 2;
    l.plan = plan_of(&l.options);
    l.undecided = dusk_tape_walk(18, run, &l);
    assert_true(l.undecided < 0.15);
    instance_law(p, &l.plan, l.query, 2);
    assert_bracket(&l, 1, p[0]);
    assert_bracket(&l, 2, p[1]);
    assert_bracket(&l, 0, p[2]);
}

/* --- whole runs of neighbours ----------------------------------------------------------- */

enum { ASKED = 3, LEVELS = 3, TABLES = 27, MOST_HITS = 40 };

/* sum of (P - e^eps Q)+ over how often each of four outcomes came in c instances */
static double divergence(const double *p, const double *q, int c, double epsilon)
{
    double sum = 0, log_p[4], log_q[4], f[MOST_HITS + 1];
    for (int i = 0; i < 4; i++) log_p[i] = log(p[i]), log_q[i] = log(q[i]);
    for (int i = 0; i <= c; i++) f[i] = lgamma(i + 1);
    for (int i = 0; i <= c; i++)
        for (int j = 0; i + j <= c; j++)
            for (int k = 0; i + j + k <= c; k++) {
                int l = c - i - j - k;
                double ways = f[c] - f[i] - f[j] - f[k] - f[l];
                double a = i * log_p[0] + j * log_p[1] + k * log_p[2] + l * log_p[3];
                double b = i * log_q[0] + j * log_q[1] + k * log_q[2] + l * log_q[3] + epsilon;
                if (a > b && ways + a > -60) sum += exp(ways + a) - exp(ways + b);
            }
    return sum;
}

static bool are_neighbours(int a, int b, bool monotonic)
{
    bool up = false, down = false;
    for (int i = 0; i < ASKED; i++, a /= LEVELS, b /= LEVELS) {
        int move = b % LEVELS - a % LEVELS;
        if (move < -1 || move > 1) return false;
        up |= move > 0;
        down |= move < 0;
    }
    return !(monotonic && up && down) && (up || down);
}

/* The largest divergence at `epsilon`, over all neighbours among `levels`. */
static double worst(const dusk_sparse_plan *plan, const dusk_sparse_vector_options *o, int lowest,
                    double epsilon)
{
    static double p[TABLES][ASKED + 1];
    double most = 0;
    for (int t = 0; t < TABLES; t++) {
        int query[ASKED];
        for (int i = 0, rest = t; i < ASKED; i++, rest /= LEVELS) query[i] = lowest + rest % LEVELS;
        instance_law(p[t], plan, query, ASKED);
    }
    for (int a = 0; a < TABLES; a++)
        for (int b = 0; b < TABLES; b++)
            if (are_neighbours(a, b, o->monotonic))
                most = fmax(most, divergence(p[a], p[b], (int)o->hits, epsilon));
    return most;
}

/* Within delta at epsilon, and so much below only as `slack` says: at epsilon / slack it
 * is above. */
static void check(const dusk_sparse_vector_options *o, int lowest, double slack)
{
    dusk_sparse_plan plan = plan_of(o);
    assert_int_equal(plan.instance_hits, 1);
    assert_true(worst(&plan, o, lowest, o->epsilon) <= o->delta);
    assert_true(worst(&plan, o, lowest, o->epsilon / slack) > o->delta);
}

static void runs_with_fresh_thresholds_keep_the_promise(void **state)
{
    (void)state;
    dusk_sparse_vector_options o = options_of(40, false, 2, 0.01);
    check(&o, -1, 7);
    o = options_of(40, true, 2, 0.05);
    check(&o, -1, 7);
    check(&o, -20, 12);
}

/* Monotonic queries: the losses of an instance lie in an interval as long as its event, which
 * is exponential(range), says; and in none as short as epsilon of the instance. */
static void losses_lie_in_the_range_of_the_event(void **state)
{
    (void)state;
    enum { LONG = 30 };
    dusk_sparse_vector_options o = options_of(40, true, 2, 0.05);
    dusk_sparse_plan plan = plan_of(&o);
    char text[512];
    double range, longest = 0, p[LONG + 1], q[LONG + 1];
    assert_int_equal(dusk_event_format(&plan.event, text, sizeof text, NULL), DUSK_OK);
    assert_int_equal(sscanf(text, "exponential(%lf) * 40", &range), 1);
    for (int still = 0; still <= LONG; still++) { /* all queries move up but one */
        int query[LONG], moved[LONG];
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < LONG; i++) {
            query[i] = i == still ? -9 : i % 3 - 2;
            moved[i] = query[i] + (i != still);
        }
        instance_law(p, &plan, query, LONG);
        instance_law(q, &plan, moved, LONG);
        for (int i = 0; i <= LONG; i++) {
            low = fmin(low, log(p[i] / q[i]));
            high = fmax(high, log(p[i] / q[i]));
        }
        longest = fmax(longest, high - low);
    }
    assert_true(longest <= range * (1 + 1e-9));
    assert_true(longest > 1 / plan.threshold_scale + 1 / plan.query_scale);
}

static void runs_with_gaussian_noise_keep_the_promise(void **state)
{
    (void)state;
    dusk_sparse_vector_options o = options_of(1, false, 4, 0.001);
    o.noise = DUSK_GAUSSIAN;
    o.length = ASKED + 1;
    check(&o, -1, 4);
    check(&o, -6, 5);
    o.monotonic = true;
    check(&o, -6, 4);
    o.hits = 4;
    o.length = 4 * (ASKED + 1);
    check(&o, -6, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_noise_on_every_tape),
        cmocka_unit_test(runs_with_fresh_thresholds_keep_the_promise),
        cmocka_unit_test(losses_lie_in_the_range_of_the_event),
        cmocka_unit_test(runs_with_gaussian_noise_keep_the_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
