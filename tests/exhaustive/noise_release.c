/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped release of additive noise on every coin tape, for values on and
 * off a tiny grid and all neighbours of each: what was decided for an answer
 * must be within e^epsilon (and delta) of what can still become of it for the
 * neighbour. Scale, grid, rounding of the value and noise are all in it. */
#include <math.h>
#include <string.h>

#include "mechanisms/noise.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 24, SIDE = 2 * RANGE + 1 };

/* The mass of every answer, in steps; a vector of two is one of SIDE^2 cells. */
typedef struct answers {
    const dusk_noise *noise;
    double value[2];
    unsigned width;
    double mass[SIDE * SIDE];
    double undecided;
} answers;

static size_t cell(const answers *a, const double *out)
{
    size_t at = 0;
    for (uint32_t i = 0; i < a->noise->dimension; i++) {
        double steps = ldexp(out[i], -a->noise->grid);
        assert_true(steps == rint(steps));
        at = at * SIDE + (size_t)(fmin(fmax(steps, -RANGE), RANGE) + RANGE);
    }
    return at;
}

static bool release(dusk_generator *gen, void *context)
{
    answers *a = context;
    double out[2];
    if (dusk_noise_release_width(a->noise, out, a->value, a->width, gen, NULL) != DUSK_OK) return false;
    a->mass[cell(a, out)] += dusk_tape_weight(gen);
    return true;
}

static void enumerate(answers *a, const dusk_noise *noise, const double *value, unsigned width,
                      unsigned depth)
{
    memset(a, 0, sizeof *a);
    a->noise = noise;
    a->width = width;
    memcpy(a->value, value, noise->dimension * sizeof *value);
    a->undecided = dusk_tape_walk(depth, release, a);
}

/* No answer and no set of answers tells `a` from `b` better than promised. */
static void check_pair(const answers *a, const answers *b)
{
    const dusk_budget promise = a->noise->promise;
    size_t cells = a->noise->dimension == 1 ? SIDE : SIDE * SIDE;
    double factor = exp(promise.epsilon), set = 0, other = b->undecided, beyond = 0;
    for (size_t i = 0; i < cells; i++) {
        beyond = fmax(beyond, a->mass[i] - factor * (b->mass[i] + b->undecided));
        if (a->mass[i] <= factor * b->mass[i]) continue;
        set += a->mass[i]; /* the worst set of answers; what is undecided may all fall on it */
        other += b->mass[i];
    }
    beyond = fmax(beyond, set - factor * other);
    if (beyond > promise.delta + 1e-12)
        fail_msg("law %d: (%g, %g) and (%g, %g) are told apart by %g", (int)a->noise->law, a->value[0],
                 a->value[1], b->value[0], b->value[1], beyond);
}

static double distance(const answers *a, const answers *b)
{
    double l1 = 0, l2 = 0;
    for (uint32_t i = 0; i < a->noise->dimension; i++) {
        l1 += fabs(a->value[i] - b->value[i]);
        l2 += (a->value[i] - b->value[i]) * (a->value[i] - b->value[i]);
    }
    return a->noise->promise.delta > 0 ? sqrt(l2) : l1;
}

/* All values against all their neighbours. */
static void check_values(const dusk_noise *noise, const double (*values)[2], size_t n, unsigned width,
                         unsigned depth, double undecided)
{
    static answers all[16];
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++) {
        enumerate(&all[i], noise, values[i], width, depth);
        if (all[i].undecided > undecided) fail_msg("undecided: %g", all[i].undecided);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (i == j || distance(&all[i], &all[j]) > noise->sensitivity) continue;
            check_pair(&all[i], &all[j]);
            pairs++;
        }
    assert_true(pairs >= n);
}

/* On the grid, off it, and on the ties, where rounding to even would jump two. */
static const double scalars[][2] = { { -1 },   { -0.5 }, { 0 },    { 0.25 }, { 0.5 },
                                     { 0.75 }, { 1 },    { 1.25 }, { 1.5 },  { 2.5 } };
enum { SCALARS = sizeof scalars / sizeof *scalars };

static void laplace_keeps_epsilon(void **state)
{
    dusk_noise noise;
    (void)state;
    for (unsigned width = 4; width <= 8; width += 4)
        for (double epsilon = 0.5; epsilon <= 2; epsilon *= 4) {
            assert_int_equal(dusk_laplace_init(&noise, 1, 1, epsilon, 0, NULL), DUSK_OK);
            check_values(&noise, scalars, SCALARS, width, 3 + (width < 6 ? 3 : 2) * width, 0.01);
        }
}

static void discrete_laplace_keeps_epsilon(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_discrete_laplace_init(&noise, 1, 1, 2, 0, NULL), DUSK_OK);
    check_values(&noise, scalars + 2, 7, 3, 18, 0.02);
}

/* The discrete Gaussian needs many trials for this; its trials are enumerated in
 * exhaustive/discrete.c and its calibration is unit/mechanisms/noise.c. */
static void gaussian_keeps_delta(void **state)
{
    dusk_noise noise;
    (void)state;
    for (unsigned width = 4; width <= 8; width += 4) {
        assert_int_equal(dusk_gaussian_init(&noise, 1, 1, 1, 0.05, 0, NULL), DUSK_OK);
        check_values(&noise, scalars, SCALARS, width, 3 + (width < 6 ? 3 : 2) * width, 0.01);
    }
    assert_int_equal(dusk_gaussian_classical_init(&noise, 1, 1, 0.9, 0.05, 0, NULL), DUSK_OK);
    check_values(&noise, scalars, SCALARS, 8, 19, 0.01);
}

/* Stairs of one step; the high part is half of it. */
static void staircase_keeps_epsilon(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_staircase_init(&noise, 1, 1.5, 0.25, 0, NULL), DUSK_OK);
    check_values(&noise, scalars + 2, 7, 4, 17, 0.05);
}

static const double vectors[][2] = { { 0, 0 }, { 0.4, 0.4 }, { 0.6, 0.6 }, { 0.5, 0.5 } };
enum { VECTORS = sizeof vectors / sizeof *vectors };

/* Rounding both coordinates of a finished sum moves it by more than the sum moved. */
static void vectors_keep_epsilon(void **state)
{
    dusk_noise noise;
    (void)state;
    assert_int_equal(dusk_laplace_init(&noise, 2, 1, 2, 0, NULL), DUSK_OK);
    check_values(&noise, vectors, VECTORS, 4, 18, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_keeps_epsilon), cmocka_unit_test(discrete_laplace_keeps_epsilon),
        cmocka_unit_test(gaussian_keeps_delta),  cmocka_unit_test(staircase_keeps_epsilon),
        cmocka_unit_test(vectors_keep_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
