/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse vector on every coin tape, on a grid of whole numbers: the masses of
 * the decided tapes bracket the law of Lyu, Su & Li 2017, Algorithm 7, summed
 * over the noise of the threshold. Runs of several queries need small scales to
 * be affordable, where a bound of e^epsilon says little; so neighbours are
 * compared on tapes for one query, and in the exact law for more of them. */
#include <math.h>
#include <string.h>

#include "mechanisms/sparse_vector.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 3, ANSWERS = 1 << MOST, CODES = ANSWERS + 9 };

/* One run; outcomes are numbered by outcome_code. */
typedef struct law {
    dusk_sparse_vector_options options;
    dusk_sparse_plan plan;
    double query[MOST];
    size_t queries;
    double mass[CODES], undecided;
} law;

/* Bit i: the i-th answer was above; then the first value, if one was asked for. */
static size_t outcome_code(unsigned above, double value)
{
    if (isnan(value)) return above;
    int cut = (int)fmax(-4, fmin(4, value)) + 4;
    return ANSWERS + (size_t)cut;
}

static bool run(dusk_generator *gen, void *context)
{
    law *l = context;
    dusk_sparse_vector *sv;
    dusk_status status = dusk_sparse_vector_start(&sv, &l->options, &l->plan, 2, gen, NULL);
    unsigned answers = 0;
    double value = NAN;
    for (size_t i = 0; status == DUSK_OK && i < l->queries && dusk_sparse_vector_hits_left(sv) > 0; i++) {
        bool above = false;
        status = dusk_sparse_vector_release(sv, &above, &value, l->query[i], gen, NULL);
        answers |= (unsigned)above << i;
    }
    dusk_sparse_vector_free(sv);
    if (status != DUSK_OK) return false;
    l->mass[outcome_code(answers, value)] += dusk_tape_weight(gen);
    return true;
}

/* Two coins at a time. With two noises 2 percent of the tapes stay undecided
 * after 18 coins, with three noises 6 percent after 20. */
static void walk(law *l, unsigned depth, double enough)
{
    memset(l->mass, 0, sizeof l->mass);
    assert_int_equal(dusk_sparse_plan_make(&l->plan, &l->options, 0, NULL), DUSK_OK);
    l->undecided = dusk_tape_walk(depth, run, l);
    assert_true(l->undecided < enough);
}

/* --- the exact law ----------------------------------------------------------- */

/* P(K >= k) and P(K = k) for K = round(Z), Z ~ Laplace(b). */
static double at_least(int k, double b)
{
    return k >= 1 ? exp(-(k - 0.5) / b) / 2 : 1 - exp(-(0.5 - k) / b) / 2;
}
static double exactly(int k, double b) { return at_least(k, b) - at_least(k + 1, b); }

typedef struct scales {
    double threshold, query, answer;
} scales;

/* D = 1 step; eps1 and eps2 are half of epsilon each. */
static scales scales_of(const dusk_sparse_vector_options *o)
{
    double half = o->epsilon / 2, c = o->hits;
    return (scales){ 1 / half, (o->monotonic ? 1 : 2) * c / half,
                     o->numeric_epsilon > 0 ? c / o->numeric_epsilon : 0 };
}

/* P(these answers) given the noise of the threshold, for whole queries and a
 * threshold of 0. What comes after the last hit is not asked. */
static double chance(const law *l, unsigned answers, int rho, double b)
{
    double p = 1;
    uint32_t left = l->options.hits;
    for (size_t i = 0; i < l->queries; i++) {
        bool above = answers >> i & 1;
        if (left == 0 && above) return 0;
        if (left == 0) break;
        double q = at_least(rho - (int)l->query[i], b);
        p *= above ? q : 1 - q;
        left -= above;
    }
    return p;
}

static double exact(const law *l, unsigned answers)
{
    scales s = scales_of(&l->options);
    double p = 0;
    for (int rho = -100; rho <= 100; rho++) p += exactly(rho, s.threshold) * chance(l, answers, rho, s.query);
    return p;
}

static law law_of(size_t queries, uint32_t hits, bool monotonic, double epsilon)
{
    law l = { .queries = queries };
    dusk_sparse_vector_options_init(&l.options);
    l.options.sensitivity = 1;
    l.options.hits = hits;
    l.options.monotonic = monotonic;
    l.options.epsilon = epsilon;
    l.options.threshold_share = 0.5;
    return l;
}

static void assert_bracket(const law *l, size_t code, double p)
{
    assert_true(l->mass[code] <= p + 1e-9);
    assert_true(p <= l->mass[code] + l->undecided + 1e-9);
}

static void check_law(uint32_t hits, bool monotonic, double epsilon, double first, double second)
{
    law l = law_of(2, hits, monotonic, epsilon);
    l.query[0] = first;
    l.query[1] = second;
    walk(&l, 20, 0.06);
    for (unsigned answers = 0; answers < 4; answers++) assert_bracket(&l, answers, exact(&l, answers));
}

static void the_law_is_that_of_algorithm_7(void **state)
{
    (void)state;
    check_law(1, false, 8, 0, 0);
    check_law(1, true, 4, 1, -1);
    check_law(2, false, 16, 0, 1);
}

/* The value of a hit has noise of its own: given the hit it is independent of
 * how the hit came about. */
static void numeric_answers_have_fresh_noise(void **state)
{
    (void)state;
    law l = law_of(1, 1, false, 8);
    l.query[0] = 1;
    l.options.numeric_epsilon = 3;
    scales s = scales_of(&l.options);
    walk(&l, 20, 0.06);
    double hit = exact(&l, 1);
    assert_bracket(&l, 0, exact(&l, 0));
    for (int value = -3; value <= 3; value++)
        assert_bracket(&l, outcome_code(1, value), hit * exactly(value - 1, s.answer));
    assert_bracket(&l, outcome_code(1, 4), hit * at_least(3, s.answer));
}

/* --- neighbours ------------------------------------------------------------------ */

static void one_query_of_neighbours_on_every_tape(void **state)
{
    (void)state;
    law laws[3];
    for (int q = 0; q < 3; q++) {
        laws[q] = law_of(1, 1, false, 2);
        laws[q].query[0] = q - 1;
        walk(&laws[q], 18, 0.02);
    }
    for (int q = 0; q < 2; q++)
        for (size_t i = 0; i < 2; i++) {
            const law *a = &laws[q], *b = &laws[q + 1];
            assert_true(a->mass[i] <= exp(2) * (b->mass[i] + b->undecided));
            assert_true(b->mass[i] <= exp(2) * (a->mass[i] + a->undecided));
        }
}

enum { LEVELS = 5, TABLES = LEVELS * LEVELS * LEVELS };

/* Every query moves by at most 1; all in one direction if monotonic. */
static bool are_neighbours(int a, int b, bool monotonic)
{
    bool up = false, down = false;
    for (int i = 0; i < MOST; i++, a /= LEVELS, b /= LEVELS) {
        int move = b % LEVELS - a % LEVELS;
        if (move < -1 || move > 1) return false;
        up |= move > 0;
        down |= move < 0;
    }
    return !(monotonic && up && down);
}

static void check_neighbours(uint32_t hits, bool monotonic, double epsilon)
{
    static double p[TABLES][ANSWERS];
    for (int t = 0; t < TABLES; t++) {
        law l = law_of(MOST, hits, monotonic, epsilon);
        for (int i = 0, rest = t; i < MOST; i++, rest /= LEVELS) l.query[i] = rest % LEVELS - LEVELS / 2;
        for (unsigned answers = 0; answers < ANSWERS; answers++) p[t][answers] = exact(&l, answers);
    }
    for (int a = 0; a < TABLES; a++)
        for (int b = 0; b < TABLES; b++)
            for (size_t i = 0; i < ANSWERS && are_neighbours(a, b, monotonic); i++)
                assert_true(p[a][i] <= exp(epsilon) * p[b][i] * (1 + 1e-9));
}

static void three_queries_of_neighbours_in_the_exact_law(void **state)
{
    (void)state;
    check_neighbours(1, false, 1);
    check_neighbours(2, false, 1);
    check_neighbours(2, true, 1);
    check_neighbours(3, false, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_is_that_of_algorithm_7),
        cmocka_unit_test(numeric_answers_have_fresh_noise),
        cmocka_unit_test(one_query_of_neighbours_on_every_tape),
        cmocka_unit_test(three_queries_of_neighbours_in_the_exact_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
