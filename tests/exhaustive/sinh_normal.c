/* SPDX-License-Identifier: Apache-2.0 */
/* Sinh-normal noise on every coin tape: what was decided for a number of steps brackets
 * its probability, with little bending and with much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random/noise_sinh_normal.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 40 };

typedef struct subject {
    dusk_sinh_normal_sampler sampler;
    double mass[2 * RANGE + 1], outside;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    if (dusk_sinh_normal_sampler_draw(&s->sampler, &k, gen, NULL) != DUSK_OK) return false;
    if (k < -RANGE || k > RANGE)
        s->outside += dusk_tape_weight(gen);
    else
        s->mass[k + RANGE] += dusk_tape_weight(gen);
    return true;
}

/* P(|Z| >= k - 1/2) */
static double tail(double scale, double bend, double k)
{
    return k <= 0 ? 1 : erfc(bend / scale * sinh((k - 0.5) / bend) / sqrt(2));
}

static void check(double scale, double bend, unsigned width, unsigned depth)
{
    subject s;
    memset(&s, 0, sizeof s);
    dusk_sinh_normal_sampler_init(&s.sampler, scale, bend, width);
    double undecided = dusk_tape_walk(depth, run, &s), total = undecided + s.outside;
    for (int k = -RANGE; k <= RANGE; k++) {
        double a = abs(k), p = (tail(scale, bend, a) - tail(scale, bend, a + 1)) / (k ? 2 : 1);
        double decided = s.mass[k + RANGE];
        total += decided;
        if (!(decided <= p + 1e-12 && p <= decided + undecided + 1e-12))
            fail_msg("scale %g, bend %g: P(%d) = %.9f not in [%.9f, %.9f]", scale, bend, k, p, decided,
                     decided + undecided);
    }
    assert_true(fabs(total - 1) < 1e-9);
    if (undecided > 0.02) fail_msg("scale %g: undecided %g", scale, undecided);
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
