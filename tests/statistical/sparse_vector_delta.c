/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector with fresh thresholds and with Gaussian noise, and the threshold monitor, at
 * production width: chi-square tests of all answers to a few queries against the law
 * with ideal noise, alpha 1e-6, fixed seed. */
#include <math.h>

#include "mechanisms/sparse_vector.h"
#include "mechanisms/threshold_monitor.h"
#include "numeric/special.h"
#include "random/tape.h"
#include "support.h"

enum { QUERIES = 4, OUTCOMES = 1 << QUERIES, RUNS = 300000 };

static int open_generator(void **state)
{
    return dusk_generator_new_seeded((dusk_generator **)state, 57721, NULL) != DUSK_OK;
}

static int close_generator(void **state)
{
    dusk_generator_free(*state);
    return 0;
}

static void assert_law(const uint64_t *seen, const double *p)
{
    double chi2 = 0;
    int used = -1;
    for (size_t i = 0; i < OUTCOMES; i++) {
        double want = RUNS * p[i], have = (double)seen[i];
        if (want < 10) continue;
        chi2 += (have - want) * (have - want) / want;
        used++;
    }
    assert_true(dusk_gamma_q(used / 2.0, chi2 / 2) > 1e-6);
}

/* P(Z >= x) and the density, of scale b. */
static double tail(bool gaussian, double x, double b)
{
    if (gaussian) return erfc(x / b / sqrt(2)) / 2;
    return x > 0 ? exp(-x / b) / 2 : 1 - exp(x / b) / 2;
}
static double density(bool gaussian, double x, double b)
{
    return gaussian ? exp(-x * x / (2 * b * b)) / (b * sqrt(2 * 3.14159265358979323846))
                    : exp(-fabs(x) / b) / (2 * b);
}

/* P(queries from..to-1 are below, and to is above or, where to is QUERIES, none is), for one
 * threshold, by Simpson's rule. */
static double instance(const dusk_sparse_plan *plan, const double *query, int from, int to)
{
    bool gaussian = plan->law == DUSK_ADDITIVE_GAUSSIAN;
    double sum = 0, step = plan->threshold / 128;
    for (int k = -25 * 128; k <= 25 * 128; k++) {
        double rho = k * step, p = density(gaussian, rho, plan->threshold);
        for (int i = from; i < to; i++) p *= 1 - tail(gaussian, rho - query[i], plan->query);
        if (to < QUERIES) p *= tail(gaussian, rho - query[to], plan->query);
        sum += (k % 2 ? 4 : 2) * p;
    }
    return sum * step / 3;
}

/* Each hit ends an instance. */
static double exact(const dusk_sparse_plan *plan, const double *query, unsigned answers)
{
    double p = 1;
    int from = 0;
    for (int i = 0; i < QUERIES; i++)
        if (answers >> i & 1) {
            p *= instance(plan, query, from, i);
            from = i + 1;
        }
    return from < QUERIES ? p * instance(plan, query, from, QUERIES) : p;
}

/* Queries are so many scales above the threshold. */
static void check(dusk_noise_law noise, const double *apart, void **state)
{
    dusk_sparse_vector_options o;
    dusk_sparse_plan plan;
    uint64_t seen[OUTCOMES] = { 0 };
    double p[OUTCOMES], query[QUERIES];
    dusk_sparse_vector_options_init(&o);
    o.sensitivity = 1;
    o.hits = 1000;
    o.epsilon = 1;
    o.delta = 1e-6;
    o.noise = noise;
    o.length = noise == DUSK_GAUSSIAN ? 1000 : 0;
    assert_int_equal(dusk_sparse_plan_make(&plan, &o, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    assert_int_equal(plan.instance_hits, 1);
    for (int i = 0; i < QUERIES; i++) query[i] = apart[i] * plan.query;
    for (unsigned i = 0; i < OUTCOMES; i++) p[i] = exact(&plan, query, i);
    for (int run = 0; run < RUNS; run++) {
        dusk_sparse_vector *sv;
        unsigned answers = 0;
        assert_int_equal(dusk_sparse_vector_start(&sv, &o, &plan, DUSK_WIDTH_FULL, *state, NULL), DUSK_OK);
        for (int i = 0; i < QUERIES; i++) {
            bool above;
            assert_int_equal(dusk_sparse_vector_release(sv, &above, NULL, query[i], *state, NULL), DUSK_OK);
            answers |= (unsigned)above << i;
        }
        dusk_sparse_vector_free(sv);
        seen[answers]++;
    }
    assert_law(seen, p);
}

static void answers_with_fresh_thresholds_have_their_law(void **state)
{
    check(DUSK_LAPLACE, (double[]){ 0, 0, 0, 0 }, state);
    check(DUSK_LAPLACE, (double[]){ -1, 2, -0.5, 0.5 }, state);
    check(DUSK_GAUSSIAN, (double[]){ 0, 0, 0, 0 }, state);
    check(DUSK_GAUSSIAN, (double[]){ -1, 1.5, -0.5, 0.5 }, state);
}

/* --- the monitor --------------------------------------------------------------------- */

static bool holds(const void *record, void *query)
{
    return (*(const unsigned *)record & *(const unsigned *)query) != 0;
}

static double at_least(double scale, double j)
{
    double q = exp(-1 / scale);
    return j >= 1 ? pow(q, j) / (1 + q) : 1 - pow(q, 1 - j) / (1 + q);
}

/* P(answers) with the counts of the records that are left, k = 1. */
static double exact_monitor(const dusk_monitor_plan *plan, const unsigned *record, size_t n,
                            const unsigned *query, unsigned answers)
{
    unsigned removed = 0;
    double p = 1;
    for (int i = 0; i < QUERIES; i++) {
        unsigned counted = 0, count = 0;
        for (size_t r = 0; r < n; r++)
            if (!(removed >> r & 1) && record[r] & query[i]) {
                counted |= 1U << r;
                count++;
            }
        double above = at_least(plan->scale, (double)plan->least - count);
        if (answers >> i & 1) removed |= counted;
        p *= answers >> i & 1 ? above : 1 - above;
    }
    return p;
}

static void monitors_have_their_law(void **state)
{
    const unsigned record[] = { 1, 1, 3, 2, 3, 1, 2, 1 }, query[QUERIES] = { 1, 2, 1, 3 };
    dusk_threshold_monitor_options o;
    dusk_monitor_plan plan = { .scale = 2.5, .least = 3 };
    uint64_t seen[OUTCOMES] = { 0 };
    double p[OUTCOMES];
    dusk_threshold_monitor_options_init(&o);
    for (unsigned i = 0; i < OUTCOMES; i++) p[i] = exact_monitor(&plan, record, 8, query, i);
    for (int run = 0; run < RUNS; run++) {
        dusk_threshold_monitor *m;
        unsigned answers = 0;
        assert_int_equal(
            dusk_threshold_monitor_start(&m, &o, &plan, record, 8, sizeof *record, DUSK_WIDTH_FULL, NULL),
            DUSK_OK);
        for (int i = 0; i < QUERIES; i++) {
            unsigned asked = query[i];
            bool above;
            assert_int_equal(dusk_threshold_monitor_release(m, &above, holds, &asked, *state, NULL), DUSK_OK);
            answers |= (unsigned)above << i;
        }
        dusk_threshold_monitor_free(m);
        seen[answers]++;
    }
    assert_law(seen, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_with_fresh_thresholds_have_their_law),
        cmocka_unit_test(monitors_have_their_law),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
