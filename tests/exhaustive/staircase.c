/* SPDX-License-Identifier: Apache-2.0 */
/* Staircase noise on every coin tape: what was decided for a number of steps must
 * bracket the integral of the density [Geng & Viswanath 2014] over the numbers
 * that round to it. The shipped release on neighbours: exhaustive/noise_release.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random/noise_staircase.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 60 };

typedef struct subject {
    dusk_staircase_sampler sampler;
    double mass[2 * RANGE + 1], outside;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    if (dusk_staircase_sampler_draw(&s->sampler, &k, gen, NULL) != DUSK_OK) return false;
    if (k < -RANGE || k > RANGE)
        s->outside += dusk_tape_weight(gen);
    else
        s->mass[k + RANGE] += dusk_tape_weight(gen);
    return true;
}

/* The integral of the density from 0 to x >= 0, straight from the definition. */
static double integral(double x, double epsilon, double wide, double gamma)
{
    double b = exp(-epsilon), a = (1 - b) / (2 * wide * (gamma + b * (1 - gamma))), sum = 0;
    for (double stair = 0; stair * wide < x; stair++) {
        double high = fmin(fmax(x - stair * wide, 0), gamma * wide);
        double low = fmin(fmax(x - (stair + gamma) * wide, 0), (1 - gamma) * wide);
        sum += a * exp(-stair * epsilon) * (high + b * low);
    }
    return sum;
}

static void check(double epsilon, unsigned wide, unsigned inner, unsigned width, unsigned depth, double most)
{
    subject s;
    memset(&s, 0, sizeof s);
    dusk_staircase_sampler_init(&s.sampler, 1 / epsilon, wide, inner, width);
    double undecided = dusk_tape_walk(depth, run, &s), total = undecided + s.outside;
    for (int k = -RANGE; k <= RANGE; k++) {
        double a = abs(k), gamma = inner / 2.0 / wide;
        double p = k == 0 ? 2 * integral(0.5, epsilon, wide, gamma)
                          : integral(a + 0.5, epsilon, wide, gamma) - integral(a - 0.5, epsilon, wide, gamma);
        double decided = s.mass[k + RANGE];
        total += decided;
        if (!(decided <= p + 1e-12 && p <= decided + undecided + 1e-12))
            fail_msg("epsilon %g, D %u, inner %u: P(%d) = %.9f not in [%.9f, %.9f]", epsilon, wide, inner, k,
                     p, decided, decided + undecided);
    }
    assert_true(fabs(total - 1) < 1e-9);
    if (undecided > most) fail_msg("D %u, inner %u: undecided %g", wide, inner, undecided);
}

static void steps_have_the_mass_of_the_density(void **state)
{
    (void)state;
    check(1, 1, 1, 4, 20, 0.01); /* the high part is half a step: between grid points */
    check(0.5, 2, 1, 4, 18, 0.1);
    check(0.5, 2, 2, 4, 18, 0.1); /* its end lies on a grid point */
    check(2, 2, 3, 4, 18, 0.1);
    check(1, 3, 4, 3, 19, 0.1);
    check(3, 4, 1, 3, 19, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_have_the_mass_of_the_density) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
