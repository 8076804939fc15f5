/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on releases of Dusk: intervals cover as often as they say, p-values keep their rate,
 * and no attack beats what the accountant allows; releases without noise, or that spend without
 * counting, fall. Fixed seeds, alpha 1e-6. */
#include <math.h>
#include <stdlib.h>

#include "dusk/dusk.h"
#include "seeded.h"

#define ALPHA 1e-6

static int open_generator(void **state) { return open_seeded(state, 271828); }

static double release_count(double exact, double epsilon, dusk_event *event, dusk_generator *gen)
{
    dusk_aggregate how;
    dusk_answer answer;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = epsilon;
    assert_int_equal(dusk_count_release(&answer, &how, (uint64_t)exact, gen, NULL), DUSK_OK);
    *event = answer.statement.event;
    return answer.value;
}

static double bound_of(const dusk_event *event, uint64_t times, double prior)
{
    dusk_composition *all;
    double bound;
    assert_int_equal(dusk_composition_new(&all, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_add(all, event, times, NULL), DUSK_OK);
    assert_int_equal(dusk_right_guesses_up(&bound, all, prior, NULL), DUSK_OK);
    dusk_composition_free(all);
    return bound;
}

/* --- differencing ---------------------------------------------------------------------------- */

typedef struct game {
    dusk_generator *gen;
    double epsilon; /* of each answer */
    dusk_event event;
} game;

static dusk_status answer_twice(void *context, double answers[2], bool there, dusk_error *err)
{
    (void)err;
    game *g = context;
    answers[0] = release_count(there ? 1001 : 1000, g->epsilon, &g->event, g->gen);
    answers[1] = release_count(1000, g->epsilon, &g->event, g->gen);
    return DUSK_OK;
}

static void guesses_stay_below_the_bound(void **state)
{
    static const double epsilons[] = { 0.1, 0.5, 1, 2 };
    for (size_t i = 0; i < 4; i++) {
        game g = { .gen = *state, .epsilon = epsilons[i] };
        dusk_guesses got;
        assert_int_equal(dusk_differencing_play(&got, answer_twice, &g, 1, 20000, 1 - 2 * ALPHA, i, NULL),
                         DUSK_OK);
        double bound = bound_of(&g.event, 2, 0.5);
        assert_true(got.low <= bound);
        assert_true(got.high > 0.5); /* and guesses are no worse than a coin */
        if (epsilons[i] >= 1) assert_true(got.low > 0.55 && got.share < bound);
    }
}

/* Noise for a hundredth of the sensitivity: the guesses beat the bound of what was claimed. */
static void noise_that_is_too_small_is_seen(void **state)
{
    game g = { .gen = *state, .epsilon = 3 };
    dusk_guesses got;
    dusk_event claimed;
    assert_int_equal(dusk_event_pure(&claimed, 0.5, NULL), DUSK_OK);
    assert_int_equal(dusk_differencing_play(&got, answer_twice, &g, 1, 2000, 1 - 2 * ALPHA, 1, NULL),
                     DUSK_OK);
    assert_true(got.low > bound_of(&claimed, 2, 0.5));
}

/* --- averaging --------------------------------------------------------------------------------- */

/* Of 2000 intervals at 90 % few enough miss: the binomial limit at alpha of 0.1 is 267. */
static void intervals_cover(void **state)
{
    enum { RUNS = 2000, ANSWERS = 25 };
    static const double epsilons[] = { 0.05, 1, 4 };
    for (size_t e = 0; e < 3; e++) {
        int missed = 0, wrong = 0;
        for (int r = 0; r < RUNS; r++) {
            double answers[ANSWERS];
            dusk_event event;
            dusk_average got;
            for (int i = 0; i < ANSWERS; i++) answers[i] = release_count(1000, epsilons[e], &event, *state);
            assert_int_equal(dusk_average_answers(&got, answers, ANSWERS, 1, 0.9, NULL), DUSK_OK);
            missed += !(got.low <= 1000 && 1000 <= got.high) && got.distinct > 1;
            wrong += got.pinned && got.value != 1000;
        }
        assert_true(missed <= 267 && wrong <= missed);
        if (e == 0) assert_true(missed >= 20); /* nor are they wider than they must be: at 25 answers 4.3 % */
    }
}

static void overspending_falls_and_a_budget_holds(void **state)
{
    enum { ANSWERS = 1000 };
    double each[ANSWERS], split[ANSWERS];
    dusk_event event;
    dusk_average got;
    for (int i = 0; i < ANSWERS; i++) {
        each[i] = release_count(1000, 1, &event, *state);
        split[i] = release_count(1000, 1.0 / ANSWERS, &event, *state);
    }
    assert_int_equal(dusk_average_answers(&got, each, ANSWERS, 1, 0.999, NULL), DUSK_OK);
    assert_true(got.pinned && got.value == 1000);
    assert_int_equal(dusk_average_answers(&got, split, ANSWERS, 1, 0.999, NULL), DUSK_OK);
    assert_true(!got.pinned && got.high - got.low > 50);
}

/* --- reconstruction ------------------------------------------------------------------------------ */

enum { PEOPLE = 32, QUESTIONS = 64 };

/* Guess person 0 of a column of fair coins from counts of random groups, `runs` times with fresh
 * columns, groups and noise: how often right. */
static uint64_t guess_one(double each, uint64_t runs, dusk_event *event, dusk_generator *gen)
{
    dusk_reconstruction_options options;
    dusk_reconstruction found;
    uint64_t right = 0, coins = 5;
    dusk_reconstruction_options_init(&options);
    for (uint64_t r = 0; r < runs; r++) {
        dusk_groups *groups;
        double truth[PEOPLE], values[PEOPLE], answers[QUESTIONS];
        uint64_t word = splitmix64(&coins);
        for (size_t p = 0; p < PEOPLE; p++) truth[p] = (double)(word >> p & 1);
        assert_int_equal(dusk_groups_random(&groups, PEOPLE, QUESTIONS, r, NULL), DUSK_OK);
        dusk_groups_answer(groups, answers, truth);
        for (size_t q = 0; q < QUESTIONS; q++) answers[q] = release_count(answers[q], each, event, gen);
        assert_int_equal(dusk_reconstruct(&found, values, groups, answers, &options, NULL), DUSK_OK);
        right += dusk_reconstruction_right(values, truth, 1);
        dusk_groups_free(groups);
    }
    return right;
}

static void reconstruction_stays_below_the_bound(void **state)
{
    enum { RUNS = 3000 };
    static const double budgets[] = { 1, 8, 40 };
    for (size_t i = 0; i < 3; i++) {
        dusk_event event;
        dusk_guesses got;
        uint64_t right = guess_one(budgets[i] / QUESTIONS, RUNS, &event, *state);
        assert_int_equal(dusk_guesses_count(&got, right, RUNS, 1 - 2 * ALPHA, NULL), DUSK_OK);
        assert_true(got.low <= bound_of(&event, QUESTIONS, 0.5));
        if (i == 0) assert_true(got.high < 0.6); /* one budget for all: near a coin */
        if (i == 2) assert_true(got.low > 0.6);
    }
}

/* With epsilon 2 for each of the answers all is told. */
static void overspent_counts_give_the_column_back(void **state)
{
    dusk_event event;
    assert_true(guess_one(2, 300, &event, *state) > 280);
}

/* --- membership ------------------------------------------------------------------------------------ */

enum { MEMBERS = 40, ATTRIBUTES = 400, REFERENCE = 60, OUTSIDERS = 99 };

typedef struct crowd {
    double chance[ATTRIBUTES];
    double members[MEMBERS * ATTRIBUTES], reference[REFERENCE * ATTRIBUTES],
        outsiders[OUTSIDERS * ATTRIBUTES];
    double means[ATTRIBUTES], weights[ATTRIBUTES], population[ATTRIBUTES], scores[OUTSIDERS];
    uint64_t coins;
} crowd;

static double coin(crowd *c) { return (double)(splitmix64(&c->coins) >> 11) * 0x1p-53; }

static void fill(crowd *c, double *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < ATTRIBUTES; j++) rows[i * ATTRIBUTES + j] = coin(c) < c->chance[j];
}

/* A study whose means have Gaussian noise for (epsilon, delta), none for an epsilon of 0. */
static void open_study(crowd *c, double epsilon, dusk_event *event, dusk_generator *gen)
{
    dusk_noise noise;
    double sums[ATTRIBUTES] = { 0 };
    for (size_t j = 0; j < ATTRIBUTES; j++) c->chance[j] = 0.1 + 0.8 * coin(c);
    fill(c, c->members, MEMBERS);
    fill(c, c->reference, REFERENCE);
    fill(c, c->outsiders, OUTSIDERS);
    for (size_t i = 0; i < MEMBERS * ATTRIBUTES; i++) sums[i % ATTRIBUTES] += c->members[i];
    memcpy(c->means, sums, sizeof sums);
    if (epsilon > 0) {
        assert_int_equal(dusk_gaussian_init(&noise, ATTRIBUTES, 20, epsilon, 1e-5, DUSK_GRID_DEFAULT, NULL),
                         DUSK_OK);
        assert_int_equal(dusk_noise_release_vector(&noise, c->means, sums, gen, NULL), DUSK_OK);
        assert_int_equal(dusk_noise_event(&noise, event, NULL), DUSK_OK);
    }
    for (size_t j = 0; j < ATTRIBUTES; j++) c->means[j] /= MEMBERS;
}

/* Of one member and one stranger a study: how often called a member at 5 %. */
static void call_members(crowd *c, dusk_membership_score score, uint64_t runs, double epsilon,
                         uint64_t *found, uint64_t *wrong, dusk_event *event, dusk_generator *gen)
{
    double stranger[ATTRIBUTES], s[2];
    *found = *wrong = 0;
    for (uint64_t r = 0; r < runs; r++) {
        open_study(c, epsilon, event, gen);
        fill(c, stranger, 1);
        assert_int_equal(dusk_membership_weights(c->weights, c->population, score, c->means, c->reference,
                                                 REFERENCE, ATTRIBUTES, NULL),
                         DUSK_OK);
        dusk_membership_scores(c->scores, c->outsiders, OUTSIDERS, c->weights, c->population, ATTRIBUTES);
        dusk_membership_scores(&s[0], c->members, 1, c->weights, c->population, ATTRIBUTES);
        dusk_membership_scores(&s[1], stranger, 1, c->weights, c->population, ATTRIBUTES);
        *found += dusk_membership_p_value(s[0], c->scores, OUTSIDERS) <= 0.05;
        *wrong += dusk_membership_p_value(s[1], c->scores, OUTSIDERS) <= 0.05;
    }
}

/* Exact means of ten times as many attributes as members: three in four are found, and strangers are
 * accused no more often than was said (20 of 400 expected; the binomial limit at alpha is 44). */
static void exact_means_tell_members(void **state)
{
    enum { RUNS = 400 };
    crowd *c = calloc(1, sizeof *c);
    uint64_t found, wrong;
    dusk_event event;
    for (int score = DUSK_INNER_PRODUCT; score <= DUSK_WHITENED; score++) {
        c->coins = (uint64_t)score;
        call_members(c, (dusk_membership_score)score, RUNS, 0, &found, &wrong, &event, *state);
        assert_true(found > 240);
        assert_true(wrong <= 44);
    }
    free(c);
}

/* Under a budget members are found no more often than the trade-off curve allows. */
static void noisy_means_do_not(void **state)
{
    enum { RUNS = 600 };
    crowd *c = calloc(1, sizeof *c);
    static const double epsilons[] = { 1, 3 };
    for (size_t i = 0; i < 2; i++) {
        uint64_t found, wrong;
        dusk_event event;
        dusk_composition *all;
        dusk_account price;
        call_members(c, DUSK_INNER_PRODUCT, RUNS, epsilons[i], &found, &wrong, &event, *state);
        assert_int_equal(dusk_composition_new(&all, DUSK_ADD_REMOVE, NULL), DUSK_OK);
        assert_int_equal(dusk_composition_add(all, &event, 1, NULL), DUSK_OK);
        assert_int_equal(dusk_account_tradeoff(&price, all, 0.05, DUSK_BEST, NULL), DUSK_OK);
        assert_true(dusk_clopper_pearson_down(found, RUNS, ALPHA) <= 1 - price.bound.lower);
        dusk_composition_free(all);
    }
    /* spent without counting: nearly as good as no noise */
    uint64_t found, wrong;
    dusk_event event;
    call_members(c, DUSK_INNER_PRODUCT, 200, 200, &found, &wrong, &event, *state);
    assert_true(found > 130);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_stay_below_the_bound),
        cmocka_unit_test(noise_that_is_too_small_is_seen),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(overspending_falls_and_a_budget_holds),
        cmocka_unit_test(reconstruction_stays_below_the_bound),
        cmocka_unit_test(overspent_counts_give_the_column_back),
        cmocka_unit_test(exact_means_tell_members),
        cmocka_unit_test(noisy_means_do_not),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
