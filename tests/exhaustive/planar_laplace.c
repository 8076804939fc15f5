/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped release of a place on every coin tape, five digits a uniform: what was
 * decided for an answer is at most exp(epsilon x) times what can still become of it for a
 * place x away, for places off the grid and several distances. */
#include <math.h>
#include <string.h>

#include "mechanisms/planar_laplace.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 10, SIDE = 2 * RANGE + 1, WIDTH = 5, DEPTH = 15 };

typedef struct answers {
    const dusk_planar_laplace *planar;
    double place[2], mass[SIDE * SIDE], undecided;
} answers;

static bool release(dusk_generator *gen, void *context)
{
    answers *a = context;
    double out[2];
    size_t at = 0;
    if (dusk_planar_laplace_release_width(a->planar, out, a->place, 1, WIDTH, gen, NULL) != DUSK_OK)
        return false;
    for (size_t i = 0; i < 2; i++) {
        double steps = ldexp(out[i], -a->planar->grid);
        assert_true(steps == rint(steps));
        at = at * SIDE + (size_t)(fmin(fmax(steps, -RANGE), RANGE) + RANGE);
    }
    a->mass[at] += dusk_tape_weight(gen);
    return true;
}

static void enumerate(answers *a, const dusk_planar_laplace *planar, double x, double y)
{
    memset(a, 0, sizeof *a);
    a->planar = planar;
    a->place[0] = x;
    a->place[1] = y;
    a->undecided = dusk_tape_walk(DEPTH, release, a);
    if (a->undecided > 0.75) fail_msg("undecided: %g", a->undecided);
}

/* How much each of two places gives more to some answer than the other may have. */
static void check_pair(const answers *a, const answers *b)
{
    double far = hypot((a->place[0] - b->place[0]) * a->planar->unit[0],
                       (a->place[1] - b->place[1]) * a->planar->unit[1]);
    double factor = exp(a->planar->epsilon * far), set = 0, other = b->undecided;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        assert_true(a->mass[i] <= factor * (b->mass[i] + b->undecided) + 1e-12);
        if (a->mass[i] <= factor * b->mass[i]) continue;
        set += a->mass[i];
        other += b->mass[i];
    }
    if (set > factor * other + 1e-12)
        fail_msg("(%g, %g) and (%g, %g) are told apart", a->place[0], a->place[1], b->place[0], b->place[1]);
}

static void places_are_hidden(void **state)
{
    static const double place[][2] = { { 0.2, -0.3 }, { 0.45, -0.3 }, { -0.5, 0.5 } };
    static answers all[3];
    dusk_planar_laplace planar;
    (void)state;
    assert_int_equal(dusk_planar_laplace_init(&planar, 2.5, 1, 0, NULL), DUSK_OK);
    for (size_t i = 0; i < 3; i++) enumerate(&all[i], &planar, place[i][0], place[i][1]);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) check_pair(&all[i], &all[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(places_are_hidden) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
