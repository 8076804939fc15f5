/* SPDX-License-Identifier: Apache-2.0 */
/* Propose-test-release on all tables of a small universe and all their neighbours: the
 * distance moves by at most 1 and is 0 where the bound fails, and the exact law (the
 * discrete tail of the test, Laplace noise in closed form) keeps epsilon and delta. */
#include <math.h>

#include "mechanisms/propose_test_release.h"
#include "small_tables.h"
#include "support.h"

static uint64_t distance_of(size_t i, uint64_t target, unsigned m, double bound)
{
    dusk_ordered x = small_ordered(&small_tables[i]);
    return dusk_propose_distance(&x, dusk_rank_of(target, small_tables[i].n), m, bound);
}

/* P(distance + K >= T) */
static double passes(const dusk_propose *p, uint64_t distance)
{
    double q = exp(-1 / p->test.scale), t = (double)p->threshold - fmin((double)distance, 1e6);
    return t >= 1 ? pow(q, t) / (1 + q) : 1 - pow(q, 1 - t) / (1 + q);
}

/* The integral of (a l(y) - b l(y - shift))_+ for Laplace densities l of scale s: what the
 * answer adds to the divergence. The loss is straight between 0 and shift and constant
 * beyond, so the positive part begins at one place. */
static double excess(double a, double b, double shift, double s)
{
    double start = shift / 2 + s / 2 * log(b / a); /* a l(y) > b l(y - shift) for y below -start .. */
    bool ahead = a * exp(shift / s) > b;           /* left of 0 */
    if (!ahead) return 0;
    if (a * exp(-shift / s) >= b) return a - b;
    double edge = shift - start; /* in [0, shift]: loss falls there from +shift/s to -shift/s */
    double p = 1 - exp(-edge / s) / 2, q = exp((edge - shift) / s) / 2;
    return a * p - b * q;
}

static double divergence(const dusk_propose *p, uint64_t d, uint64_t e, double shift)
{
    double grow = exp(p->promise.epsilon), a = passes(p, d), b = passes(p, e);
    return fmax(0, (1 - a) - grow * (1 - b)) + excess(a, grow * b, fabs(shift), p->noise.scale);
}

static void check(double q, bool replace, unsigned m, double bound, double epsilon, double delta)
{
    dusk_propose propose;
    uint64_t target = dusk_rank_target(q);
    unsigned stable = 0, unstable = 0;
    assert_int_equal(dusk_propose_init(&propose, DUSK_LAPLACE, bound, 0, epsilon, delta, NULL), DUSK_OK);
    for (size_t i = 0; i < SMALL_TABLES; i++)
        for (size_t j = 0; j < SMALL_TABLES; j++) {
            if (small_distance(&small_tables[i], &small_tables[j], replace, m) != 1) continue;
            uint64_t d = distance_of(i, target, m, bound), e = distance_of(j, target, m, bound);
            double shift =
                small_statistic(&small_tables[i], target) - small_statistic(&small_tables[j], target);
            assert_true(d <= e + 1 && e <= d + 1);
            if (d > 0 || e > 0) assert_true(fabs(shift) <= bound);
            double worst = divergence(&propose, d, e, shift);
            if (!(worst <= delta * (1 + 1e-9)))
                fail_msg("q %g: distances %lu and %lu, shift %g: delta is %g, not %g", q, (unsigned long)d,
                         (unsigned long)e, shift, worst, delta);
            stable += d > 0;
            unstable += fabs(shift) > bound;
        }
    assert_true(bound >= 8 || (stable > 0 && unstable > 0)); /* both cases were seen */
}

static void all_neighbours_are_within_the_promise(void **state)
{
    (void)state;
    const double bounds[] = { 0.5, 1, 3 }, epsilons[] = { 0.3, 1, 4 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            check(0.5, true, 1, bounds[i], epsilons[j], 0.01);
            check(0.5, false, 1, bounds[i], epsilons[j], 0.01);
            check(0.8, false, 1, bounds[i], epsilons[j], 1e-6);
            check(0.3, true, 2, bounds[i], epsilons[j], 0.001);
            check(0.3, false, 2, bounds[i], epsilons[j], 0.2);
        }
}

/* The threshold is the least that keeps delta. */
static void the_threshold_is_tight(void **state)
{
    (void)state;
    for (double delta = 0.4; delta > 1e-12; delta /= 3)
        for (double epsilon = 0.01; epsilon < 20; epsilon *= 2.3) {
            dusk_propose p;
            assert_int_equal(dusk_propose_init(&p, DUSK_LAPLACE, 1, 0.3, epsilon, delta, NULL), DUSK_OK);
            double share = 1 / p.test.scale, q = exp(-share);
            assert_true(p.failure <= delta && p.failure >= passes(&p, 0) * (1 - 1e-12));
            assert_true(p.threshold == 1 || pow(q, (double)p.threshold - 1) / (1 + q) > delta * (1 - 1e-9));
        }
}

/* The bound is never proposed to be beyond what the bounds allow: then nothing is tested. */
static void a_bound_that_always_holds_always_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SMALL_TABLES; i++)
        assert_true(distance_of(i, dusk_rank_target(0.5), 1, 8) >= 1u << 30);
    check(0.5, false, 1, 8, 1, 0.01);
}

int main(void)
{
    small_tables_list();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_neighbours_are_within_the_promise),
        cmocka_unit_test(the_threshold_is_tight),
        cmocka_unit_test(a_bound_that_always_holds_always_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
