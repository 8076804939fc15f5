/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped release of K-norm noise on every coin tape, with few digits a uniform.
 * A tape that decides stands for a box of uniform numbers: the plain formula, at points
 * of the box, must give the same answer. What was decided for an answer is at most its
 * exact probability, and that is at most what can still become of it. And the cells of
 * the grid, integrated for neighbours off the grid, are told apart no better than the
 * event says. */
#include <math.h>
#include <string.h>

#include "dusk/dusk.h"
#include "mechanisms/knorm.h"
#include "random/noise_ball.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 8, SIDE = 2 * RANGE + 1, POINTS = 3 };

static uint64_t seed = 3;

static double uniform(void) { return ((double)(splitmix64(&seed) >> 11) + 0.5) * 0x1p-53; }

/* --- the plain formula ------------------------------------------------------------- */

/* Noise of scale 1 from the uniforms in the order of dusk_ball_places. */
static void formula(double *y, dusk_ball_norm norm, size_t d, const double *v)
{
    double radius = 0, sum = 0;
    if (norm == DUSK_BALL_L1 || d == 1) {
        for (size_t i = 0; i < d; i++) y[i] = v[i] < 0.5 ? -log(2 * v[i]) : log(2 * v[i] - 1);
        return;
    }
    for (size_t j = 0; j < d + (norm == DUSK_BALL_LINF); j++) radius -= log(*v++);
    if (norm == DUSK_BALL_LINF) {
        for (size_t i = 0; i < d; i++) y[i] = radius * (2 * v[i] - 1);
        return;
    }
    size_t pairs = (d + 1) / 2, lengths = d == 2 ? 0 : pairs;
    for (size_t i = 0; i < d; i++) {
        double angle = 2 * M_PI * v[lengths + i / 2], normal = i % 2 ? sin(angle) : cos(angle);
        if (d > 2) normal *= sqrt(-2 * log(v[i / 2]));
        y[i] = normal;
        sum += normal * normal;
    }
    for (size_t i = 0; i < d; i++) y[i] *= radius / sqrt(sum);
}

/* --- tapes --------------------------------------------------------------------------- */

typedef struct subject {
    dusk_ball_norm norm;
    size_t d;
    double scale, value[3];
    unsigned width, depth;
    double undecided; /* at most */
} subject;

typedef struct law {
    const subject *of;
    double mass[SIDE * SIDE];
} law;

/* Points of the box of digits that decided, close ones to a boundary left out. */
static void check_box(const subject *of, const dusk_ball *ball, const dusk_int128 *answer)
{
    for (int point = 0; point < POINTS; point++) {
        double v[16], y[3];
        for (size_t j = 0; j < ball->at.count; j++) {
            double digits = 0, place = 1;
            for (unsigned l = 0; l < ball->layers; l++) {
                place = ldexp(place, -(int)of->width);
                digits += place * (double)(ball->coins[l * ball->at.count + j] >> (64 - of->width));
            }
            v[j] = digits + place * uniform();
        }
        formula(y, of->norm, of->d, v);
        for (size_t i = 0; i < of->d; i++) {
            double t = of->value[i] + of->scale * y[i] + 0.5;
            if (fabs(t - rint(t)) < 1e-9) continue;
            if (floor(t) != (double)answer[i])
                fail_msg("norm %d, %zu dimensions: %g is not %g", (int)of->norm, of->d, floor(t),
                         (double)answer[i]);
        }
    }
}

static bool run(dusk_generator *gen, void *context)
{
    law *l = context;
    const subject *of = l->of;
    dusk_int128 answer[3] = { 0 };
    dusk_ball ball;
    size_t at = 0;
    bool done = true;
    assert_int_equal(dusk_ball_init(&ball, of->norm, of->d, of->width, NULL), DUSK_OK);
    done = dusk_ball_draw(&ball, gen, NULL) == DUSK_OK;
    for (size_t i = 0; i < of->d && done; i++)
        done = dusk_ball_round(&ball, &answer[i], i, of->scale, of->value[i], 0, gen, NULL) == DUSK_OK;
    if (done) {
        check_box(of, &ball, answer);
        for (size_t i = 0; i < of->d && i < 2; i++)
            at = at * SIDE + (size_t)(fmin(fmax((double)answer[i], -RANGE), RANGE) + RANGE);
        l->mass[at] += dusk_tape_weight(gen);
    }
    dusk_ball_clear(&ball);
    return done;
}

/* --- exact cells ---------------------------------------------------------------------- */

static double laplace_cdf(double x) { return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2; }

static double density(dusk_ball_norm norm, double x, double y)
{
    if (norm == DUSK_BALL_L2) return exp(-hypot(x, y)) / (2 * M_PI);
    return exp(-fmax(fabs(x), fabs(y))) / 8;
}

/* The probability that value + noise rounds to (k, m), in two dimensions by midpoints. */
static double cell(dusk_ball_norm norm, double scale, const double *value, double k, double m)
{
    enum { FINE = 60 };
    double x = (k - 0.5 - value[0]) / scale, y = (m - 0.5 - value[1]) / scale, h = 1 / scale, sum = 0;
    if (norm == DUSK_BALL_L1)
        return (laplace_cdf(x + h) - laplace_cdf(x)) * (laplace_cdf(y + h) - laplace_cdf(y));
    for (int i = 0; i < FINE; i++)
        for (int j = 0; j < FINE; j++)
            sum += density(norm, x + h * (i + 0.5) / FINE, y + h * (j + 0.5) / FINE);
    return sum * h * h / (FINE * FINE);
}

static void check_law(const subject *of)
{
    static law l;
    memset(&l, 0, sizeof l);
    l.of = of;
    double undecided = dusk_tape_walk(of->depth, run, &l);
    if (undecided > of->undecided)
        fail_msg("norm %d, %zu dimensions: undecided %g", (int)of->norm, of->d, undecided);
    for (int k = -RANGE + 1; k < RANGE && of->d <= 2; k++)
        for (int m = -RANGE + 1; m < RANGE; m++) {
            double x = (k - 0.5 - of->value[0]) / of->scale, exact, decided;
            if (of->d == 1) {
                if (m) continue;
                exact = laplace_cdf(x + 1 / of->scale) - laplace_cdf(x);
                decided = l.mass[k + RANGE];
            } else {
                exact = cell(of->norm, of->scale, of->value, k, m);
                decided = l.mass[(k + RANGE) * SIDE + (m + RANGE)];
            }
            if (decided > exact + 2e-4 || exact > decided + undecided + 2e-4)
                fail_msg("norm %d, (%d, %d): decided %g of %g", (int)of->norm, k, m, decided, exact);
        }
}

static void laws_on_tapes(void **state)
{
    static const subject subjects[] = {
        { DUSK_BALL_L1, 1, 1.5, { 0.3 }, 4, 16, 0.01 },
        { DUSK_BALL_LINF, 1, 0.6, { -0.5 }, 5, 15, 0.01 },
        { DUSK_BALL_L1, 2, 0.7, { 0.1, -2.25 }, 4, 16, 0.3 },
        { DUSK_BALL_L2, 2, 0.4, { 0.2, 0.1 }, 5, 15, 0.75 },
        { DUSK_BALL_LINF, 2, 0.2, { -0.1, 0.05 }, 3, 15, 0.75 },
        { DUSK_BALL_L2, 3, 0.05, { 0, 0.1, 0.3 }, 2, 14, 0.9 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) check_law(&subjects[i]);
}

/* --- neighbours ------------------------------------------------------------------------ */

static double norm_of(dusk_norm norm, double x, double y)
{
    if (norm == DUSK_NORM_L1) return fabs(x) + fabs(y);
    return norm == DUSK_NORM_L2 ? hypot(x, y) : fmax(fabs(x), fabs(y));
}

/* delta of two laws at e: at most what the event says. */
static void check_curve(const double *p, const double *q, const dusk_knorm *knorm, double e)
{
    dusk_event event;
    dusk_composition *c;
    dusk_account account;
    double delta = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) delta += fmax(0, p[i] - exp(e) * q[i]);
    assert_int_equal(dusk_knorm_event(knorm, &event, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(c, &event, 1, NULL), DUSK_OK);
    assert_int_equal(dusk_account_delta(&account, c, e, DUSK_BEST, NULL), DUSK_OK);
    dusk_composition_free(c);
    if (delta > account.bound.upper + 1e-3)
        fail_msg("norm %d: delta %g at epsilon %g, the event says %g", (int)knorm->norm, delta, e,
                 account.bound.upper);
}

static void neighbours_keep_the_event(void **state)
{
    static const double move[][2] = { { 1, 0 }, { 0.6, 0.8 }, { -0.3, 1 }, { 0.7, -0.7 } };
    static double p[SIDE * SIDE], q[SIDE * SIDE];
    const double epsilon = 1.25;
    (void)state;
    for (dusk_norm norm = DUSK_NORM_L1; norm <= DUSK_NORM_LINF; norm++)
        for (size_t way = 0; way < 4; way++) {
            dusk_knorm knorm;
            double size = norm_of(norm, move[way][0], move[way][1]);
            double x[2] = { 0.3, -0.2 }, y[2] = { 0.3 + move[way][0], -0.2 + move[way][1] };
            assert_int_equal(dusk_knorm_init(&knorm, norm, 2, size, epsilon, 0, NULL), DUSK_OK);
            for (int k = -RANGE; k <= RANGE; k++)
                for (int m = -RANGE; m <= RANGE; m++) {
                    size_t at = (size_t)((k + RANGE) * SIDE + m + RANGE);
                    p[at] = cell((dusk_ball_norm)norm, knorm.scale, x, k, m);
                    q[at] = cell((dusk_ball_norm)norm, knorm.scale, y, k, m);
                }
            for (double e = 0; e <= epsilon; e += epsilon / 5) {
                check_curve(p, q, &knorm, e);
                check_curve(q, p, &knorm, e);
            }
            for (size_t at = 0; at < SIDE * SIDE; at++)
                assert_true(p[at] <= exp(epsilon) * q[at] * 1.001 && q[at] <= exp(epsilon) * p[at] * 1.001);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(laws_on_tapes),
                                        cmocka_unit_test(neighbours_keep_the_event) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
