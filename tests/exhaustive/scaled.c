/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a private scale on every coin tape: the masses of the decided tapes
 * bracket the law of floor((value + scale Z) / g + 1/2). */
#include <math.h>
#include <stdbool.h>

#include "exhaustive/law.h"
#include "ideal_laws.h"
#include "random/noise_scaled.h"
#include "seeded.h"

typedef struct subject {
    dusk_scaled what;
    unsigned width;
    law_table law;
} subject;

static bool run(dusk_generator *gen, void *context)
{
    subject *s = context;
    dusk_int128 k;
    if (dusk_scaled_draw(&s->what, &k, s->width, gen, NULL) != DUSK_OK) return false;
    law_add(&s->law, k, dusk_tape_weight(gen));
    return true;
}

/* P(Z <= z) */
static double cdf(const dusk_scaled *what, double z)
{
    if (what->law == DUSK_SCALED_GAUSSIAN) return dusk_normal_cdf(z);
    return what->law == DUSK_SCALED_LAPLACE ? laplace_cdf(z) : student_t_cdf(what->degrees, z);
}

static double exact(const void *of, int64_t k)
{
    const dusk_scaled *what = of;
    double scale = what->scale / what->divisor, x = (double)k;
    double low = (ldexp(x - 0.5, what->grid) - what->value) / scale;
    double high = (ldexp(x + 0.5, what->grid) - what->value) / scale;
    return cdf(what, high) - cdf(what, low);
}

static void check(dusk_scaled what, unsigned width, unsigned depth, double undecided_max)
{
    subject s = { .what = what, .width = width };
    char name[80];
    (void)snprintf(name, sizeof name, "law %d degrees %u", (int)what.law, what.degrees);
    law_brackets(&s.law, dusk_tape_walk(depth, run, &s), undecided_max, exact, &what, name);
}

static void the_law_is_that_of_the_ideal_noise(void **state)
{
    (void)state;
    for (unsigned degrees = 1; degrees <= 4; degrees++) {
        check((dusk_scaled){ DUSK_SCALED_STUDENT_T, degrees, 0, 1, 1, 0 }, 3, 11, 0.1);
        check((dusk_scaled){ DUSK_SCALED_STUDENT_T, degrees, 0.3, 3, 7, -1 }, 2, 11, 0.1);
    }
    check((dusk_scaled){ DUSK_SCALED_LAPLACE, 1, 0.3, 2, 3, 0 }, 3, 11, 0.1);
    check((dusk_scaled){ DUSK_SCALED_GAUSSIAN, 1, -1.7, 2, 3, 0 }, 3, 11, 0.1);
}

/* On the boundary between two steps a tiny scale leaves the decision to the sign. */
static void boundaries_are_decided(void **state)
{
    (void)state;
    subject s = { .what = { DUSK_SCALED_STUDENT_T, 2, 0.5, 0x1p-200, 1, 0 }, .width = 3 };
    double undecided = dusk_tape_walk(10, run, &s);
    assert_true(undecided < 0.05);
    assert_true(fabs(s.law.mass[LAW_RANGE] - 0.5) < 0.05 && fabs(s.law.mass[LAW_RANGE + 1] - 0.5) < 0.05);
}

/* Scales and values of all sizes come to an end at production width. */
static void extremes_come_to_an_end(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(3);
    dusk_int128 k;
    const double sizes[] = { 0x1p-1000, 1e-300, 1, 1e300, 0x1p1000 };
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int law = 1; law <= 3; law++) {
                dusk_scaled what = { (dusk_scaled_law)law, 3, sizes[i], sizes[j], 0.1, 0 };
                assert_int_equal(dusk_scaled_draw(&what, &k, 64, gen, NULL), DUSK_OK);
                const dusk_int128 most = (dusk_int128)1 << 126;
                assert_true(k >= -most && k <= most);
            }
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_is_that_of_the_ideal_noise),
        cmocka_unit_test(boundaries_are_decided),
        cmocka_unit_test(extremes_come_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
