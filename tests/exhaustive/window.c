/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace noise within a window on every coin tape: what was decided for an
 * integer brackets its probability, also where one side is empty, and nothing ever
 * lies outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random/noise_window.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 20 };

typedef struct subject {
    dusk_window_sampler sampler;
    int below, above;
    double mass[2 * MOST + 1];
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    dusk_status status =
        dusk_window_sampler_draw(&s->sampler, &k, (dusk_uint128)s->below, (dusk_uint128)s->above, gen, NULL);
    if (status != DUSK_OK) return false;
    assert_true(k >= -s->below && k <= s->above);
    s->mass[k + MOST] += dusk_tape_weight(gen);
    return true;
}

static void check(double scale, int below, int above, unsigned width, unsigned depth)
{
    subject s;
    double all = 0;
    memset(&s, 0, sizeof s);
    s.below = below;
    s.above = above;
    dusk_window_sampler_init(&s.sampler, scale, width);
    double undecided = dusk_tape_walk(depth, run, &s);
    for (int k = -below; k <= above; k++) all += exp(-abs(k) / scale);
    for (int k = -below; k <= above; k++) {
        double p = exp(-abs(k) / scale) / all, decided = s.mass[k + MOST];
        if (!(decided <= p + 1e-12 && p <= decided + undecided + 1e-12))
            fail_msg("scale %g, -%d .. %d: P(%d) = %.9f not in [%.9f, %.9f]", scale, below, above, k, p,
                     decided, decided + undecided);
    }
    if (undecided > 0.03) fail_msg("undecided %g", undecided);
}

static void windows_have_their_law(void **state)
{
    (void)state;
    check(2, 3, 3, 5, 18);
    check(5, 4, 1, 5, 18); /* much wider than the window: wrapped many times */
    check(1.5, 0, 5, 5, 18);
    check(0.8, 3, 0, 5, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(windows_have_their_law) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
