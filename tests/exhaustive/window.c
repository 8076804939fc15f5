/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Laplace noise within a window on every coin tape: what was decided for an
 * integer brackets its probability, also where one side is empty, and nothing ever
 * lies outside. */
#include <math.h>
#include <stdlib.h>

#include "exhaustive/law.h"
#include "random/noise_window.h"

typedef struct subject {
    dusk_window_sampler sampler;
    int below, above;
    double scale, all; /* the sum of e^(-|k|/scale) */
    law_table law;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    dusk_status status =
        dusk_window_sampler_draw(&s->sampler, &k, (dusk_uint128)s->below, (dusk_uint128)s->above, gen, NULL);
    if (status != DUSK_OK) return false;
    assert_true(k >= -s->below && k <= s->above);
    law_add(&s->law, k, dusk_tape_weight(gen));
    return true;
}

static double exact(const void *of, int64_t k)
{
    const subject *s = of;
    return k >= -s->below && k <= s->above ? exp(-fabs((double)k) / s->scale) / s->all : 0;
}

static void check(double scale, int below, int above, unsigned width, unsigned depth)
{
    subject s = { .below = below, .above = above, .scale = scale };
    char what[80];
    dusk_window_sampler_init(&s.sampler, scale, width);
    for (int k = -below; k <= above; k++) s.all += exp(-abs(k) / scale);
    (void)snprintf(what, sizeof what, "scale %g, -%d .. %d", scale, below, above);
    law_brackets(&s.law, dusk_tape_walk(depth, run, &s), 0.03, exact, &s, what);
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
