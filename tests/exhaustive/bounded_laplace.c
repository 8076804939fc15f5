/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped bounded-domain Laplace release on every coin tape, for all values of a
 * small range against all their neighbours: what was decided for an answer is
 * within e^epsilon of what can still become of it for the neighbour. */
#include <math.h>
#include <string.h>

#include "mechanisms/bounded_laplace.h"
#include "random/tape.h"
#include "support.h"

enum { POINTS = 4 };

typedef struct answers {
    const dusk_bounded_laplace *mechanism;
    double value, mass[POINTS], undecided;
} answers;

static bool release(dusk_generator *gen, void *context)
{
    answers *a = context;
    double out;
    if (dusk_bounded_laplace_release_width(a->mechanism, &out, a->value, 5, gen, NULL) != DUSK_OK)
        return false;
    assert_true(out == rint(out) && out >= 0 && out < POINTS);
    a->mass[(size_t)out] += dusk_tape_weight(gen);
    return true;
}

static void answers_keep_epsilon(void **state)
{
    const double values[] = { 0, 0.5, 1, 2, 3 };
    enum { VALUES = sizeof values / sizeof *values };
    static answers all[VALUES];
    dusk_bounded_laplace m;
    double tight = 0;
    (void)state;
    assert_int_equal(dusk_bounded_laplace_init(&m, -0.5, 3.25, 1, 1, 0, NULL), DUSK_OK);
    memset(all, 0, sizeof all);
    for (size_t i = 0; i < VALUES; i++) {
        all[i].mechanism = &m;
        all[i].value = values[i];
        all[i].undecided = dusk_tape_walk(18, release, &all[i]);
        assert_true(all[i].undecided < 0.03);
    }
    for (size_t i = 0; i < VALUES; i++)
        for (size_t j = 0; j < VALUES; j++) {
            if (fabs(values[i] - values[j]) > 1) continue;
            for (size_t k = 0; k < POINTS; k++) {
                assert_true(all[i].mass[k] <= exp(1) * (all[j].mass[k] + all[j].undecided) + 1e-12);
                tight = fmax(tight, log((all[i].mass[k] + all[i].undecided) / all[j].mass[k]));
            }
        }
    assert_true(tight > 1); /* and epsilon is reached */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_keep_epsilon) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
