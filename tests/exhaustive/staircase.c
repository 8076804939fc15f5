/* SPDX-License-Identifier: Apache-2.0 */
/* Staircase noise on every coin tape: what was decided for a number of steps must
 * bracket the integral of the density [Geng & Viswanath 2014] over the numbers
 * that round to it. The shipped release on neighbours: exhaustive/noise_release.c. */
#include <math.h>

#include "exhaustive/law.h"
#include "random/noise_staircase.h"

typedef struct subject {
    dusk_staircase_sampler sampler;
    double epsilon;
    unsigned wide, inner;
    law_table law;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    if (dusk_staircase_sampler_draw(&s->sampler, &k, gen, NULL) != DUSK_OK) return false;
    law_add(&s->law, k, dusk_tape_weight(gen));
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

static double exact(const void *of, int64_t k)
{
    const subject *s = of;
    double a = fabs((double)k), gamma = s->inner / 2.0 / s->wide;
    if (k == 0) return 2 * integral(0.5, s->epsilon, s->wide, gamma);
    return integral(a + 0.5, s->epsilon, s->wide, gamma) - integral(a - 0.5, s->epsilon, s->wide, gamma);
}

static void check(double epsilon, unsigned wide, unsigned inner, unsigned width, unsigned depth, double most)
{
    subject s = { .epsilon = epsilon, .wide = wide, .inner = inner };
    char what[80];
    dusk_staircase_sampler_init(&s.sampler, 1 / epsilon, wide, inner, width);
    (void)snprintf(what, sizeof what, "epsilon %g, D %u, inner %u", epsilon, wide, inner);
    law_brackets(&s.law, dusk_tape_walk(depth, run, &s), most, exact, &s, what);
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
