/* SPDX-License-Identifier: Apache-2.0 */
/* Permute-and-flip on every coin tape: the masses of the decided tapes bracket
 * the law of McKenna & Sheldon 2020, Algorithm 1, summed over all sets of
 * heads, and between all neighbouring pairs of small scores no
 * probability grows by more than e^epsilon. */
#include <math.h>
#include <string.h>

#include "mechanisms/selection.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 4 };

typedef struct law {
    dusk_selection selection;
    const double *scores;
    size_t n;
    unsigned width;
    double mass[MOST], undecided;
} law;

static bool choose(dusk_generator *gen, void *context)
{
    law *l = context;
    size_t index = MOST;
    if (dusk_selection_choose(&l->selection, &index, 1, l->scores, l->n, l->width, gen, NULL) != DUSK_OK)
        return false;
    assert_true(index < l->n);
    l->mass[index] += dusk_tape_weight(gen);
    return true;
}

/* Deeper until less than one percent of the tapes are too short. */
static void walk(law *l)
{
    unsigned depth = (unsigned)l->n * l->width;
    do {
        memset(l->mass, 0, sizeof l->mass);
        l->undecided = dusk_tape_walk(depth, choose, l);
        depth += l->width;
    } while (l->undecided >= 0.01);
}

/* P(i) = sum over the sets of heads with i in them of P(set) / size. */
static void exact_law(double *p, const double *scores, size_t n, double rate)
{
    double top = -INFINITY, bias[MOST];
    for (size_t i = 0; i < n; i++) top = fmax(top, scores[i]);
    for (size_t i = 0; i < n; i++) bias[i] = exp(-rate * (top - scores[i]));
    for (size_t i = 0; i < n; i++) p[i] = 0;
    for (unsigned set = 1; set < 1U << n; set++) {
        double chance = 1 / (double)__builtin_popcount(set);
        for (size_t i = 0; i < n; i++) chance *= set >> i & 1 ? bias[i] : 1 - bias[i];
        for (size_t i = 0; i < n; i++) p[i] += set >> i & 1 ? chance : 0;
    }
}

static void check_law(const double *scores, size_t n, unsigned width)
{
    law l = { .scores = scores, .n = n, .width = width };
    double p[MOST];
    assert_int_equal(dusk_selection_init(&l.selection, DUSK_SELECT_PERMUTE_AND_FLIP, 2, false, 3, NULL),
                     DUSK_OK);
    exact_law(p, scores, n, 0.75);
    walk(&l);
    for (size_t i = 0; i < n; i++) {
        assert_true(l.mass[i] <= p[i] + 1e-12);
        assert_true(p[i] <= l.mass[i] + l.undecided + 1e-12);
    }
}

static void the_law_is_that_of_the_paper(void **state)
{
    (void)state;
    const unsigned widths[] = { 4, 5 };
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        check_law((double[]){ 0, 1 }, 2, widths[w]);
        check_law((double[]){ 0.3, -1.1 }, 2, widths[w]);
    }
    check_law((double[]){ 5, 5, 5 }, 3, 4);
    check_law((double[]){ 0x1p60, 0x1p60 - 256, 0x1p60 }, 3, 4);
    check_law((double[]){ -1e300, 0, 0 }, 3, 4);
    check_law((double[]){ 5, 3.5, 4 }, 3, 4);
}

static void one_candidate_is_certain(void **state)
{
    (void)state;
    check_law((double[]){ -7 }, 1, 4);
}

/* --- neighbours ----------------------------------------------------------- */

enum { LEVELS = 5, TABLES = LEVELS * LEVELS };

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
        for (int i = 0, rest = t; i < 2; i++, rest /= LEVELS) scores[t][i] = rest % LEVELS;
        *l = (law){ .scores = scores[t], .n = 2, .width = 4 };
        assert_int_equal(dusk_selection_init(&l->selection, method, 1, monotonic, epsilon, NULL), DUSK_OK);
        walk(l);
    }
    for (int a = 0; a < TABLES; a++)
        for (int b = 0; b < TABLES; b++)
            for (size_t i = 0; i < 2 && are_neighbours(a, b, monotonic); i++)
                assert_true(laws[a].mass[i] <= exp(epsilon) * (laws[b].mass[i] + laws[b].undecided));
}

static void no_neighbour_is_more_than_e_epsilon_likelier(void **state)
{
    (void)state;
    check_neighbours(DUSK_SELECT_PERMUTE_AND_FLIP, false, 1);
    check_neighbours(DUSK_SELECT_NOISY_MAX_EXPONENTIAL, true, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_is_that_of_the_paper),
        cmocka_unit_test(one_candidate_is_certain),
        cmocka_unit_test(no_neighbour_is_more_than_e_epsilon_likelier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
