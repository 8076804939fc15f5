/* SPDX-License-Identifier: Apache-2.0 */
/* Randomized response on every coin tape: the masses of the decided tapes
 * bracket the law, and whatever two people hold, no answer is more than
 * e^epsilon times likelier from the one than from the other. */
#include <math.h>
#include <string.h>

#include "mechanisms/randomized_response.h"
#include "random/tape.h"
#include "support.h"

enum { MOST = 5 };

typedef struct law {
    dusk_randomized_response rr;
    uint32_t truth;
    unsigned width;
    double mass[MOST], undecided;
} law;

static bool respond(dusk_generator *gen, void *context)
{
    law *l = context;
    uint32_t answer = MOST;
    if (dusk_randomized_response_draw(&l->rr, &answer, &l->truth, 1, l->width, gen, NULL) != DUSK_OK)
        return false;
    assert_true(answer < l->rr.answers);
    l->mass[answer] += dusk_tape_weight(gen);
    return true;
}

/* Deeper until less than one percent of the tapes are too short. */
static void walk(law *l)
{
    unsigned depth = 2 * l->width;
    do {
        memset(l->mass, 0, sizeof l->mass);
        l->undecided = dusk_tape_walk(depth, respond, l);
        depth += l->width;
    } while (l->undecided >= 0.01);
}

static double exact(const law *l, uint32_t answer)
{
    const dusk_randomized_response *rr = &l->rr;
    uint32_t truth = l->truth < rr->answers ? l->truth : rr->answers - 1;
    if (rr->two_coin)
        return (truth == answer ? rr->first : 0) +
               (1 - rr->first) * (answer == 1 ? rr->second : 1 - rr->second);
    return (truth == answer ? exp(rr->epsilon) : 1) / (exp(rr->epsilon) + rr->answers - 1);
}

/* The law of everybody, and all pairs of people. */
static void check(const dusk_randomized_response *rr, unsigned width)
{
    static law laws[MOST];
    for (uint32_t truth = 0; truth < rr->answers; truth++) {
        law *l = &laws[truth];
        *l = (law){ .rr = *rr, .truth = truth, .width = width };
        walk(l);
        for (uint32_t i = 0; i < rr->answers; i++) {
            assert_true(l->mass[i] <= exact(l, i) + 1e-12);
            assert_true(exact(l, i) <= l->mass[i] + l->undecided + 1e-12);
        }
    }
    for (uint32_t a = 0; a < rr->answers; a++)
        for (uint32_t b = 0; b < rr->answers; b++)
            for (uint32_t i = 0; i < rr->answers; i++)
                assert_true(laws[a].mass[i] <= exp(rr->epsilon) * (laws[b].mass[i] + laws[b].undecided));
}

static void several_answers_have_their_law(void **state)
{
    (void)state;
    const double epsilons[] = { 0.1, 1, 3 };
    for (size_t e = 0; e < 3; e++)
        for (uint32_t k = 2; k <= MOST; k++) {
            dusk_randomized_response rr;
            assert_int_equal(dusk_randomized_response_init(&rr, k, epsilons[e], NULL), DUSK_OK);
            check(&rr, 4);
            if (k == 3) check(&rr, 7);
        }
}

static void two_coins_have_their_law(void **state)
{
    (void)state;
    const double coins[][2] = { { 0.5, 0.5 }, { 0.3, 0.7 }, { 0.75, 0.125 }, { 0.01, 0.99 } };
    for (size_t c = 0; c < sizeof coins / sizeof *coins; c++) {
        dusk_randomized_response rr;
        assert_int_equal(dusk_two_coin_init(&rr, coins[c][0], coins[c][1], NULL), DUSK_OK);
        for (unsigned width = 4; width <= 7; width++) check(&rr, width);
    }
}

/* epsilon is the largest log-ratio in the exact law, from above and closely. */
static void two_coins_state_their_epsilon(void **state)
{
    (void)state;
    for (int f = 1; f < 20; f++)
        for (int s = 1; s < 20; s++) {
            double largest = 0;
            law no = { .truth = 0 }, yes = { .truth = 1 };
            assert_int_equal(dusk_two_coin_init(&no.rr, f / 20.0, s / 20.0, NULL), DUSK_OK);
            yes.rr = no.rr;
            for (uint32_t i = 0; i < 2; i++)
                largest = fmax(largest, fabs(log(exact(&no, i) / exact(&yes, i))));
            assert_true(no.rr.epsilon >= largest * (1 - 1e-13));
            assert_true(no.rr.epsilon <= largest * (1 + 1e-13));
        }
}

static void answers_that_do_not_exist_count_as_the_last(void **state)
{
    (void)state;
    law l = { .truth = UINT32_MAX, .width = 4 };
    assert_int_equal(dusk_randomized_response_init(&l.rr, 3, 1, NULL), DUSK_OK);
    walk(&l);
    assert_true(l.mass[2] <= exact(&l, 2) && exact(&l, 2) <= l.mass[2] + l.undecided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_answers_have_their_law),
        cmocka_unit_test(two_coins_have_their_law),
        cmocka_unit_test(two_coins_state_their_epsilon),
        cmocka_unit_test(answers_that_do_not_exist_count_as_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
