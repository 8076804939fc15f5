/* SPDX-License-Identifier: Apache-2.0 */
#include "objectives.h"

enum { KINDS = 5 };

static learn_loss loss_of(int kind)
{
    const learn_loss_kind kinds[] = { LEARN_LOGISTIC, LEARN_HUBER_SVM, LEARN_HUBER_SVM, LEARN_HUBER,
                                      LEARN_LOGISTIC };
    const double knees[] = { 1, 0.1, 2, 0.25, 1 };
    return learn_loss_of(kinds[kind], knees[kind]);
}

static size_t outputs_of(int kind) { return kind == 4 ? 5 : 1; }

static objectives_world make(int kind, size_t rows, size_t width, double strength, uint64_t seed)
{
    return objectives_make(rows, width, loss_of(kind), outputs_of(kind), strength, 3, seed);
}

/* At any point, with any number of limbs, the true gradient is within the error of what is computed. */
static void test_gradient(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int round = 0; round < 12; round++) {
            uint64_t seed = 100 + (uint64_t)(kind * 50 + round);
            objectives_world w = make(kind, 40, 4, 0.7, seed);
            const learn_objective *o = objectives_open(&w);
            const size_t cells = 4 * o->outputs, limbs = 1 + (size_t)round % 3;
            double hi[20], lo[20] = { 0 }, size = exp((double)(round % 4) * 2 - 2), square = 0;
            long double truth[20];
            learn_point point;
            learn_certified gradient;
            assert_int_equal(learn_point_init(&point, cells, NULL), DUSK_OK);
            assert_int_equal(learn_certified_init(&gradient, o, NULL), DUSK_OK);
            for (size_t c = 0; c < cells; c++) hi[c] = (objectives_unit(&seed) - 0.5) * size;
            learn_point_set(&point, o, hi, lo, limbs);
            learn_certified_at(&gradient, &point, limbs);
            double length = objectives_length(o, &point, truth),
                   error = learn_certified_error(o, point.exponent, limbs);
            for (size_t c = 0; c < cells; c++) {
                double off = (double)((long double)gradient.value[c] - truth[c]);
                square += off * off;
                assert_true(fabs(learn_point_weight(&point, c) - hi[c]) <= 1e-9 * size);
            }
            assert_true(sqrt(square) <= error);
            assert_true(length <= gradient.length_up &&
                        gradient.length_up <= length * (1 + 1e-5) + 2 * error);
            assert_true(error < (limbs == 1 ? 1e-4 : 1e-11));
            learn_certified_clear(&gradient);
            learn_point_clear(&point);
            objectives_free(&w);
        }
}

static void check_minimum(const learn_objective *o, double gamma)
{
    learn_point point;
    assert_int_equal(learn_minimise(o, &point, gamma, NULL), DUSK_OK);
    assert_true(objectives_length(o, &point, NULL) <= gamma);
    learn_point_clear(&point);
}

/* Many rows, none, fewer than columns; weak and strong; lengths down to what any number of rows allows, and far below. */
static void test_minimum(void **unused)
{
    (void)unused;
    const size_t rows[] = { 0, 1, 3, 60, 400 };
    const double strengths[] = { 1e-3, 1, 1000 };
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t r = 0; r < 5; r++)
            for (size_t s = 0; s < 3; s++) {
                objectives_world w = make(kind, rows[r], 6, strengths[s], 7 + r);
                const learn_objective *o = objectives_open(&w);
                double reachable = learn_certified_reachable(&o->loss, o->outputs, sqrt(6));
                assert_true(reachable > 1e-6 && reachable < 1e-2);
                check_minimum(o, reachable);
                if (rows[r] <= 60) check_minimum(o, 1e-11);
                objectives_free(&w);
            }
}

/* Many rows, of which a sample comes first: it may be a bad one. */
static void test_sample(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind += 2)
        for (int bad = 0; bad < 2; bad++) {
            objectives_world w = make(kind, 33000, 2, 2, 60);
            for (size_t i = 0; bad && i < 33000; i += 16) w.matrix.code[i] = i / 16 % 7 == 0;
            const learn_objective *o = objectives_open(&w);
            check_minimum(o, learn_certified_reachable(&o->loss, o->outputs, sqrt(2)));
            objectives_free(&w);
        }
}

/* Rows that are all alike, or that agree on everything: only the regularisation keeps the weights from growing. */
static void test_degenerate(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int same = 0; same < 2; same++) {
            objectives_world w = make(kind, 50, 5, 1e-2, 3);
            for (size_t i = 0; i < 50; i++) {
                w.matrix.code[i] = same ? 0 : w.x[i * 5] > 0;
                for (size_t c = 0; same && c < 5; c++) w.x[i * 5 + c] = w.x[c];
            }
            check_minimum(objectives_open(&w), 1e-8);
            objectives_free(&w);
        }
}

/* One row many times, labels that contradict each other, next to no regularisation: a corner and then all but a plane, on which the
 * value of J says nothing and a step of the majorant is next to none. */
static void test_corner(void **unused)
{
    (void)unused;
    enum { ROWS = 300, WIDTH = 16 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        objectives_world w =
            objectives_make(ROWS, WIDTH, learn_loss_of(LEARN_HUBER_SVM, 0.05), 1, 0x1p-19, 2e-4, seed);
        double square = 0;
        for (size_t c = 0; c < WIDTH; c++) square += (double)w.x[c] * (double)w.x[c];
        for (size_t i = ROWS; i-- > 0;)
            for (size_t c = 0; c < WIDTH; c++)
                w.x[i * WIDTH + c] = (float)trunc((double)w.x[c] * (LEARN_ONE / sqrt(square) * (1 - 1e-9)));
        w.matrix.bound = LEARN_ONE;
        const learn_objective *o = objectives_open(&w);
        check_minimum(o, learn_certified_reachable(&o->loss, 1, 1));
        objectives_free(&w);
    }
}

/* Terms that no noise is: nothing is released, whatever the rows are. */
static void test_far_term(void **unused)
{
    (void)unused;
    const double far[] = { 0x1.1p38, -0x1p60, INFINITY, NAN };
    for (size_t i = 0; i < 4; i++) {
        objectives_world w = make(0, 3, 3, 1, 9);
        learn_point point;
        w.linear[1] = far[i];
        assert_int_equal(learn_minimise(objectives_open(&w), &point, 1e-3, NULL), DUSK_ERR_INTERNAL);
        objectives_free(&w);
    }
}

/* Without rows the minimiser is -linear / strength, and steps are the nearest. */
static void test_steps(void **unused)
{
    (void)unused;
    objectives_world w = make(0, 0, 3, 1, 9);
    const learn_objective *o = objectives_open(&w);
    learn_point point;
    dusk_int128 steps[3];
    w.linear[0] = -2.75, w.linear[1] = 2.5, w.linear[2] = 1e6;
    assert_int_equal(learn_minimise(o, &point, 1e-9, NULL), DUSK_OK);
    learn_point_steps(&point, steps, 1);
    assert_true(steps[0] == 1 && steps[1] == -1 && steps[2] == -500000); /* 1.375, -1.25 */
    learn_point_steps(&point, steps, -20);
    assert_true(steps[0] == 11 << 18 && steps[1] == -(10 << 18));
    learn_point_steps(&point, steps, 200);
    assert_true(steps[0] == 0 && steps[1] == 0 && steps[2] == 0);
    learn_point_steps(&point, steps, -119);
    assert_true(steps[0] > 0 && steps[2] == -((dusk_int128)1 << 120));
    learn_point_clear(&point);
    objectives_free(&w);
}

static void test_strength(void **unused)
{
    (void)unused;
    uint64_t seed = 1;
    for (int i = 0; i < 200; i++) {
        double asked = exp(20 * (objectives_unit(&seed) - 0.5)), given = learn_strength_up(asked);
        int exponent;
        double digits = ldexp(frexp(given, &exponent), 24);
        assert_true(given >= asked && given <= asked * (1 + 0x1p-22) && digits == floor(digits));
    }
    assert_true(learn_strength_up(3) == 3);
}

/* The other data set's objective with the linear term that has the same minimiser: what the proof of AMP compares. Points
 * are then within twice the gradient over the strength. */
static void test_neighbours(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t round = 0; round < 4; round++) {
            objectives_world w = make(kind, 30, 4, 5, 40 + round);
            const learn_objective *o = objectives_open(&w);
            const double gamma = 1e-6;
            learn_point point[2];
            long double gradient[20], v[20], slopes[16], square = 0;
            const size_t cells = 4 * o->outputs, last = 29;
            assert_int_equal(learn_minimise(o, &point[0], 1e-11, NULL), DUSK_OK);
            for (size_t c = 0; c < cells; c++) v[c] = (long double)learn_point_weight(&point[0], c);
            objectives_slopes(o, v, last, slopes);
            for (size_t c = 0; c < cells; c++) {
                gradient[c] = slopes[c / 4] * (long double)w.x[last * 4 + c % 4] / (long double)LEARN_ONE;
                w.linear[c] = (double)((long double)w.linear[c] + gradient[c]);
            }
            w.matrix.rows.rows = last; /* the row has left */
            assert_int_equal(learn_minimise(o, &point[1], gamma, NULL), DUSK_OK);
            for (size_t c = 0; c < cells; c++) {
                long double off = (long double)learn_point_weight(&point[1], c) - v[c];
                square += off * off;
            }
            assert_true((double)sqrtl(square) <= gamma / o->strength * (1 + 1e-3));
            learn_point_clear(&point[0]);
            learn_point_clear(&point[1]);
            objectives_free(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient), cmocka_unit_test(test_minimum),  cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_corner),   cmocka_unit_test(test_far_term), cmocka_unit_test(test_sample),
        cmocka_unit_test(test_steps),    cmocka_unit_test(test_strength), cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
