/* SPDX-License-Identifier: Apache-2.0 */
/* Sinh-normal noise on every coin tape: what was decided for a number of steps brackets
 * its probability, with little bending and with much. */
#include <math.h>

#include "exhaustive/law.h"
#include "random/noise_sinh_normal.h"

typedef struct subject {
    dusk_sinh_normal_sampler sampler;
    double scale, bend;
    law_table law;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    if (dusk_sinh_normal_sampler_draw(&s->sampler, &k, gen, NULL) != DUSK_OK) return false;
    law_add(&s->law, k, dusk_tape_weight(gen));
    return true;
}

/* P(|Z| >= k - 1/2) */
static double tail(double scale, double bend, double k)
{
    return k <= 0 ? 1 : erfc(bend / scale * sinh((k - 0.5) / bend) / sqrt(2));
}

static double exact(const void *of, int64_t k)
{
    const subject *s = of;
    double a = fabs((double)k);
    return (tail(s->scale, s->bend, a) - tail(s->scale, s->bend, a + 1)) / (k ? 2 : 1);
}

static void check(double scale, double bend, unsigned width, unsigned depth)
{
    subject s = { .scale = scale, .bend = bend };
    char what[80];
    dusk_sinh_normal_sampler_init(&s.sampler, scale, bend, width);
    (void)snprintf(what, sizeof what, "scale %g, bend %g", scale, bend);
    law_brackets(&s.law, dusk_tape_walk(depth, run, &s), 0.02, exact, &s, what);
}

static void steps_have_their_mass(void **state)
{
    (void)state;
    for (unsigned width = 4; width <= 8; width += 4) {
        unsigned depth = 3 + (width < 6 ? 3 : 2) * width;
        check(1, 1, width, depth);
        check(3, 3, width, depth);
        check(2.5, 7, width, depth);
        check(0.5, 100, width, depth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_have_their_mass) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
