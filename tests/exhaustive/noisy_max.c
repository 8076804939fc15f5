/* SPDX-License-Identifier: Apache-2.0 */
/* The exponential mechanism, its k best and the Laplace noisy maximum on every
 * coin tape: the masses of the decided tapes bracket the exact law, and between
 * all neighbouring pairs of small scores no probability grows by more
 * than e^epsilon. */
#include <math.h>
#include <string.h>

#include "mechanisms/noisy_max.h"
#include "mechanisms/selection.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 16 };

/* What is chosen: by `selection`, or from `in` when the method is 0. */
typedef struct law {
    dusk_selection selection;
    dusk_noisy_scores in;
    size_t k;
    double mass[MOST], undecided;
} law;

/* The choice as a number with digits in base n, the best one highest. */
static bool choose(dusk_generator *gen, void *context)
{
    law *l = context;
    size_t indices[4], code = 0;
    const dusk_noisy_scores *in = &l->in;
    dusk_status status = l->selection.method ? dusk_selection_choose(&l->selection, indices, l->k, in->scores,
                                                                     in->n, in->width, gen, NULL)
                                             : dusk_noisy_max(indices, l->k, in, gen, NULL);
    if (status != DUSK_OK) return false;
    for (size_t i = 0; i < l->k; i++) code = code * in->n + indices[i];
    assert_true(code < MOST);
    l->mass[code] += dusk_tape_weight(gen);
    return true;
}

/* Deeper until less than `enough` of the tapes are too short. */
static void walk(law *l, double enough)
{
    unsigned depth = (unsigned)l->in.n * l->in.width;
    do {
        memset(l->mass, 0, sizeof l->mass);
        l->undecided = dusk_tape_walk(depth, choose, l);
        depth += l->in.width;
    } while (l->undecided >= enough);
}

static void assert_bracket(const law *l, size_t code, double p)
{
    assert_true(l->mass[code] <= p + 1e-9);
    assert_true(p <= l->mass[code] + l->undecided + 1e-9);
}

/* The k best by Gumbel noise: choose, remove, choose again. */
static double peeled(const double *value, size_t n, const size_t *order, size_t k)
{
    double p = 1, out = 0, total = 0;
    for (size_t i = 0; i < n; i++) total += exp(value[i]);
    for (size_t i = 0; i < k; i++) {
        p *= exp(value[order[i]]) / (total - out);
        out += exp(value[order[i]]);
    }
    return p;
}

/* P(candidate `me` has the largest value) with Laplace noise of scale 1, by
 * Simpson's rule over its noise: values are multiples of 1/64, so that all
 * kinks lie between panels. */
static double laplace_wins(const double *value, size_t n, size_t me)
{
    double sum = 0;
    for (int i = -40 * 128; i <= 40 * 128; i++) {
        double x = i * 0x1p-7, density = exp(-fabs(x)) / 2;
        for (size_t j = 0; j < n; j++) {
            double y = x + value[me] - value[j];
            if (j != me) density *= y < 0 ? exp(y) / 2 : 1 - exp(-y) / 2;
        }
        sum += (i % 2 ? 4 : 2) * density;
    }
    return sum * 0x1p-7 / 3;
}

/* P(a > b) for two values `gap` apart: the difference of two Laplace numbers
 * exceeds y with probability (2 + y) e^-y / 4. */
static double laplace_pair(double gap)
{
    double beyond = (2 + fabs(gap)) * exp(-fabs(gap)) / 4;
    return gap > 0 ? 1 - beyond : beyond;
}

static void check_pair(dusk_noisy_law noise, const double *scores, double denominator, unsigned width)
{
    law l = { .in = { scores, NULL, 2, 1, denominator, noise, width }, .k = 1 };
    double gap = (scores[0] - scores[1]) / denominator, p = 1 / (1 + exp(-gap));
    if (noise == DUSK_NOISY_LAPLACE) p = laplace_pair(gap);
    walk(&l, 0.01);
    assert_bracket(&l, 0, p);
    assert_bracket(&l, 1, 1 - p);
}

static void pairs_have_their_law_at_every_width(void **state)
{
    (void)state;
    const unsigned widths[] = { 4, 9, 10 };
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        check_pair(DUSK_NOISY_GUMBEL, (double[]){ 0, 1 }, 3, widths[w]);
        check_pair(DUSK_NOISY_LAPLACE, (double[]){ 1, 0 }, 2, widths[w]);
    }
}

/* Near the largest double, far from 0 but close together, and an inexact rate. */
static void pairs_have_their_law_at_every_size(void **state)
{
    (void)state;
    check_pair(DUSK_NOISY_GUMBEL, (double[]){ 0, 0 }, 1, 9);
    check_pair(DUSK_NOISY_GUMBEL, (double[]){ 0x1p60, 0x1p60 + 256 }, 512, 4);
    check_pair(DUSK_NOISY_GUMBEL, (double[]){ 0x1p1000, 0x1p1001 }, 0x1p1000, 4);
    check_pair(DUSK_NOISY_GUMBEL, (double[]){ 0x1p-1070, 0x1p-1071 }, 0x1p-1072, 4);
    check_pair(DUSK_NOISY_LAPLACE, (double[]){ 0x1p-1070, 0x1p-1071 }, 0x1p-1071, 4);
    check_pair(DUSK_NOISY_LAPLACE, (double[]){ 0.25, 3 }, 0.7, 4);
}

/* Three candidates have three pairs that can be close: what stays undecided at
 * an affordable depth is 3 to 11 percent. */
static void weights_count_as_so_many_candidates(void **state)
{
    (void)state;
    const double scores[] = { 0, 1, 2 };
    const uint64_t weights[] = { 5, 0, 1 };
    law l = { .in = { scores, weights, 3, 1, 2, DUSK_NOISY_GUMBEL, 3 }, .k = 1 };
    walk(&l, 0.04);
    double p = 5 / (5 + exp(1));
    assert_bracket(&l, 0, p);
    assert_true(l.mass[1] == 0);
    assert_bracket(&l, 2, 1 - p);
}

static void the_two_best_are_chosen_one_after_the_other(void **state)
{
    (void)state;
    const double scores[] = { 1, 0, 2.5 };
    dusk_selection selection;
    assert_int_equal(dusk_selection_init(&selection, DUSK_SELECT_EXPONENTIAL, 1, false, 1.5, NULL), DUSK_OK);
    law l = { .selection = selection, .in = { .scores = scores, .n = 3, .width = 3 }, .k = 2 };
    double value[3];
    for (size_t i = 0; i < 3; i++) value[i] = scores[i] * 1.5 / 2;
    walk(&l, 0.12);
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) {
            size_t order[2] = { a, b };
            if (a != b) assert_bracket(&l, 3 * a + b, peeled(value, 3, order, 2));
        }
}

static void the_best_of_three_by_laplace_noise(void **state)
{
    (void)state;
    const double scores[] = { 0.5, 1, -1 };
    law l = { .in = { scores, NULL, 3, 1, 1, DUSK_NOISY_LAPLACE, 4 }, .k = 1 };
    walk(&l, 0.08);
    for (size_t i = 0; i < 3; i++) assert_bracket(&l, i, laplace_wins(scores, 3, i));
}

/* --- neighbours ----------------------------------------------------------- */

enum { LEVELS = 3, TABLES = LEVELS * LEVELS };

static void fill_table(double *scores, int table)
{
    for (int i = 0; i < 2; i++, table /= LEVELS) scores[i] = table % LEVELS;
}

/* Every score moves by at most 1; all in one direction if monotonic. */
static bool are_neighbours(int a, int b, bool monotonic)
{
    bool up = false, down = false;
    for (int i = 0; i < 2; i++, a /= LEVELS, b /= LEVELS) {
        int move = b % LEVELS - a % LEVELS;
        if (move < -1 || move > 1) return false;
        up |= move > 0;
        down |= move < 0;
    }
    return !(monotonic && up && down);
}

static void check_neighbours(dusk_selection_method method, bool monotonic, double epsilon)
{
    static law laws[TABLES];
    double scores[TABLES][2];
    for (int t = 0; t < TABLES; t++) {
        law *l = &laws[t];
        fill_table(scores[t], t);
        *l = (law){ .in = { .scores = scores[t], .n = 2, .width = 8 }, .k = 1 };
        assert_int_equal(dusk_selection_init(&l->selection, method, 1, monotonic, epsilon, NULL), DUSK_OK);
        walk(l, 0.012);
    }
    for (int a = 0; a < TABLES; a++)
        for (int b = 0; b < TABLES; b++)
            for (size_t i = 0; i < 2 && are_neighbours(a, b, monotonic); i++)
                assert_true(laws[a].mass[i] <= exp(epsilon) * (laws[b].mass[i] + laws[b].undecided));
}

static void no_neighbour_is_more_than_e_epsilon_likelier(void **state)
{
    (void)state;
    check_neighbours(DUSK_SELECT_EXPONENTIAL, false, 1);
    check_neighbours(DUSK_SELECT_NOISY_MAX_GUMBEL, true, 1);
    check_neighbours(DUSK_SELECT_NOISY_MAX_LAPLACE, false, 1);
    check_neighbours(DUSK_SELECT_NOISY_MAX_LAPLACE, true, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_their_law_at_every_width),
        cmocka_unit_test(pairs_have_their_law_at_every_size),
        cmocka_unit_test(weights_count_as_so_many_candidates),
        cmocka_unit_test(the_two_best_are_chosen_one_after_the_other),
        cmocka_unit_test(the_best_of_three_by_laplace_noise),
        cmocka_unit_test(no_neighbour_is_more_than_e_epsilon_likelier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
