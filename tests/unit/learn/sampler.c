/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers: what cannot be priced is refused; samples cost what was asked for beside what was taken before, with less noise than all rows would
 * need, and for relation and unit as they are; rows come with their chances, and of an epoch each once. */
#include "learn/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "seeded.h"

static learn_sampler sampler_of(learn_sampling way, double rate, uint64_t rows)
{
    learn_sampler s;
    assert_int_equal(learn_sampler_init(&s, way, rate, rows, way ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE, NULL),
                     DUSK_OK);
    return s;
}

static void prices_are_kept(void **state)
{
    (void)state;
    for (int k = 1; k < 32; k += 5) {
        learn_budget b;
        learn_noise noise, whole;
        dusk_statement statement;
        const double epsilon = k & 1 ? 0.1 : 2, rate = k & 2 ? 0.01 : 0.3;
        const learn_sampler s = sampler_of(LEARN_POISSON, rate, 0);
        const dusk_neighbours relation = k & 8 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        assert_int_equal(learn_budget_init(&b, relation, epsilon, 1e-7, k & 16 ? 2 : 1, NULL), DUSK_OK);
        if (k & 4) assert_int_equal(learn_budget_noise(&b, &noise, 3, 7, 0, 0.1, 1, NULL), DUSK_OK);
        learn_budget full = b;
        assert_int_equal(learn_budget_noise(&full, &whole, 2, 100, -3, full.left, 1000, NULL), DUSK_OK);
        assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &s, 1000, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon <= epsilon && statement.epsilon > (k & 24 ? 0.5 : 0.99) * epsilon);
        assert_true(b.left == 0);
        if (!(k & 24)) assert_true(noise.deviation < whole.deviation * (rate < 0.1 ? 0.2 : 0.7));
        assert_true(noise.deviation > 0.4 * 100 / 8); /* of which a step of 2^-3 is the unit */
    }
}

/* Bounds do not fall evenly as noise grows: where what was found costs a little too much in the end, there is a little more noise, and the plan is one. It was refused once. */
static void prices_that_are_missed_by_a_little_are_met(void **state)
{
    (void)state;
    static const struct {
        double epsilon, delta, rate;
        uint64_t times;
    } plans[] = {
        { 0.5, 1e-6, 32e-6, 31250 },
    };
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        const learn_sampler s = sampler_of(LEARN_POISSON, plans[k].rate, 0);
        learn_budget b;
        learn_noise noise;
        dusk_statement statement;
        assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, plans[k].epsilon, plans[k].delta, 1, NULL),
                         DUSK_OK);
        assert_int_equal(learn_budget_sampled(&b, &noise, 500, 0x1p22, -22, b.left, &s, plans[k].times, NULL),
                         DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon > 0.99 * plans[k].epsilon);
    }
}

/* The chance of a row is a multiple of 2^-64, and what is priced is that chance. */
static void the_chance_is_the_rate(void **state)
{
    (void)state;
    static const double rates[] = { 0.3, 0.1, 1e-3, 1e-4, 3e-7, 1e-12, 1e-18, 0x1p-64, 0x1.fffffffffffffp-1 };
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        const learn_sampler s = sampler_of(LEARN_POISSON, rates[k], 0);
        const double whole = ldexp(s.rate, 64);
        learn_budget b;
        dusk_event release, sampled;
        char text[200];
        assert_true(s.rate <= rates[k] && rates[k] - s.rate < 0x1p-64);
        assert_true(whole == floor(whole) && (uint64_t)whole == dusk_keyed_rate_down(s.rate));
        assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, 1, 1e-6, 1, NULL), DUSK_OK);
        assert_int_equal(dusk_event_gaussian(&release, 2, NULL), DUSK_OK);
        assert_int_equal(learn_sampler_event(&sampled, &b, &s, &release, NULL), DUSK_OK);
        assert_int_equal(dusk_event_format(&sampled, text, sizeof text, NULL), DUSK_OK);
        assert_memory_equal(text, "poisson(", 8);
        assert_true(strtod(text + 8, NULL) == s.rate);
    }
    learn_sampler s;
    assert_int_equal(learn_sampler_init(&s, LEARN_POISSON, 0x1p-65, 0, DUSK_ADD_REMOVE, NULL),
                     DUSK_ERR_ARGUMENT);
}

/* Beside samples noise is relative to a unit that comes or goes: what was taken before for replacements is written with twice its noise, and counts once. */
static void what_was_taken_before_is_priced_once(void **state)
{
    (void)state;
    const learn_sampler s = sampler_of(LEARN_POISSON, 0.05, 0);
    for (uint32_t rows = 1; rows <= 2; rows++) {
        learn_budget b;
        learn_noise before, noise;
        dusk_statement statement;
        char text[300];
        assert_int_equal(learn_budget_init(&b, DUSK_REPLACE_ONE, 1, 1e-6, rows, NULL), DUSK_OK);
        assert_int_equal(learn_budget_noise(&b, &before, 3, 8, 0, 0.5, 1, NULL), DUSK_OK);
        assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &s, 100, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_true(statement.epsilon <= 1 && statement.epsilon > 0.99);
        assert_int_equal(dusk_event_format(&statement.event, text, sizeof text, NULL), DUSK_OK);
        assert_non_null(
            strstr(text, rows == 2 ? "group(2, poisson(0.05, gaussian(" : "poisson(0.05, gaussian("));
        assert_memory_equal(text, "gaussian(", strlen("gaussian("));
        double sigma = strtod(text + strlen("gaussian("), NULL);
        assert_true(fabs(sigma / (before.gauss.scale / (8 * rows)) - 1) < 1e-9);
    }
}

/* A place is in one release an epoch: as if there were one release of all rows in each. */
static void shuffled_ones_are_priced_by_epochs(void **state)
{
    (void)state;
    const learn_sampler s = sampler_of(LEARN_SHUFFLED, 0.1, 95);
    learn_budget b, same;
    learn_noise noise, whole;
    dusk_statement statement;
    assert_true(s.lot == 10 && s.places == 95);
    assert_int_equal(learn_budget_init(&b, DUSK_REPLACE_ONE, 1, 1e-6, 1, NULL), DUSK_OK);
    same = b;
    assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &s, 21, NULL), DUSK_OK);
    assert_int_equal(learn_budget_noise(&same, &whole, 2, 100, -3, same.left, 3, NULL), DUSK_OK);
    assert_true(noise.deviation == whole.deviation);
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
    assert_true(statement.epsilon <= 1 && statement.epsilon > 0.99);
}

/* Coins are by 32 bits of the step, and choices of fewer than 2^31 places. */
static void more_than_coins_can_tell_apart_is_refused(void **state)
{
    (void)state;
    const learn_sampler poisson = sampler_of(LEARN_POISSON, 1e-9, 0);
    learn_sampler s;
    learn_budget b;
    learn_noise noise;
    dusk_error err = { .message = "" };
    assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, 1, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &poisson, (uint64_t)1 << 32, &err),
                     DUSK_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "4294967296 samples are too many"));
    assert_true(b.left == 1);
    for (learn_sampling way = LEARN_FIXED; way <= LEARN_SHUFFLED; way++) {
        assert_int_equal(learn_sampler_init(&s, way, 0.1, 0x7fffffff, DUSK_REPLACE_ONE, &err), DUSK_OK);
        assert_int_equal(learn_sampler_init(&s, way, 0.1, 0x80000000, DUSK_REPLACE_ONE, &err),
                         DUSK_ERR_ARGUMENT);
    }
}

static void fixed_ones_are_priced_without_replacement(void **state)
{
    (void)state;
    const learn_sampler s = sampler_of(LEARN_FIXED, 0.01, 10000);
    learn_budget b;
    learn_noise noise;
    dusk_statement statement;
    char text[200];
    assert_int_equal(learn_budget_init(&b, DUSK_REPLACE_ONE, 2, 1e-6, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &s, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
    assert_int_equal(dusk_event_format(&statement.event, text, sizeof text, NULL), DUSK_OK);
    assert_non_null(strstr(text, "without_replacement(100, 10000, gaussian("));
    assert_true(statement.epsilon <= 2);
}

static void drawn_ones_are_priced_with_replacement(void **state)
{
    (void)state;
    double epsilon[2];
    for (int drawn = 0; drawn < 2; drawn++) {
        const learn_sampler s = sampler_of(drawn ? LEARN_DRAWN : LEARN_FIXED, 0.01, 10000);
        learn_budget b;
        learn_noise noise;
        dusk_statement statement;
        char text[200];
        assert_int_equal(learn_budget_by_noise(&b, DUSK_REPLACE_ONE, 2, 1e-6, 1, NULL), DUSK_OK);
        /* finding the noise would price this twenty times, which takes long */
        assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &s, 50, NULL), DUSK_OK);
        assert_int_equal(learn_budget_state(&b, &statement, "row", NULL), DUSK_OK);
        assert_int_equal(dusk_event_format(&statement.event, text, sizeof text, NULL), DUSK_OK);
        assert_non_null(
            strstr(text, drawn ? "with_replacement(100, 10000, gaussian(" : "without_replacement("));
        epsilon[drawn] = statement.epsilon;
    }
    assert_true(epsilon[1] > epsilon[0] && epsilon[1] < INFINITY);
    const learn_sampler s = sampler_of(LEARN_DRAWN, 0.01, 10000);
    learn_budget b;
    learn_noise noise;
    assert_int_equal(learn_budget_init(&b, DUSK_REPLACE_ONE, 2, 1e-6, 2, NULL), DUSK_OK);
    assert_int_equal(learn_budget_sampled(&b, &noise, 2, 100, -3, b.left, &s, 50, NULL), DUSK_ERR_ARGUMENT);
}

static void others_are_refused(void **state)
{
    learn_budget b;
    learn_noise noise;
    learn_sampler s = sampler_of(LEARN_POISSON, 0.1, 0);
    (void)state;
    assert_int_equal(learn_budget_init(&b, DUSK_ADD_REMOVE, 1, 0, 1, NULL), DUSK_OK);
    assert_int_equal(learn_budget_sampled(&b, &noise, 2, 1, 0, 1, &s, 5, NULL), DUSK_ERR_ARGUMENT);
    for (int way = LEARN_FIXED; way <= LEARN_DRAWN; way++) {
        if (way == LEARN_ALLOCATED) continue; /* it is for add/remove */
        assert_int_equal(learn_sampler_init(&s, (learn_sampling)way, 0.1, 100, DUSK_ADD_REMOVE, NULL),
                         DUSK_ERR_ARGUMENT);
        assert_int_equal(learn_sampler_init(&s, (learn_sampling)way, 0.1, 0, DUSK_REPLACE_ONE, NULL),
                         DUSK_ERR_ARGUMENT);
        assert_int_equal(
            learn_sampler_init(&s, (learn_sampling)way, 0.1, (uint64_t)1 << 31, DUSK_REPLACE_ONE, NULL),
            DUSK_ERR_ARGUMENT);
    }
}

/* --- samples ------------------------------------------------------------------------------------------------- */

enum { ROWS = 90, PLACES = 100, STEPS = 2000 };

/* How often each row is in, and the first two together. Within 5 deviations, which chance leaves once in a million. */
static void check_counts(const learn_sampler *sampler, double chance, double both)
{
    dusk_generator *gen = seeded(3);
    learn_draw draw;
    size_t count, in[ROWS] = { 0 }, together = 0, all = 0;
    assert_int_equal(learn_draw_open(&draw, sampler, ROWS, gen, NULL), DUSK_OK);
    for (uint64_t step = 0; step < STEPS; step++) {
        bool first = false, second = false;
        assert_int_equal(learn_draw_take(&draw, step, &count, NULL), DUSK_OK);
        all += count;
        for (size_t i = 0; i < count; i++) {
            assert_true(draw.row[i] < ROWS);
            in[draw.row[i]]++;
            first |= draw.row[i] == 0;
            second |= draw.row[i] == 1;
        }
        together += first && second;
    }
    for (size_t i = 0; i < ROWS; i++)
        assert_true(fabs((double)in[i] - chance * STEPS) < 5.5 * sqrt(chance * (1 - chance) * STEPS) + 1);
    assert_true(fabs((double)together - both * STEPS) < 5.5 * sqrt(both * STEPS) + 1);
    assert_true(fabs((double)all - ROWS * chance * STEPS) < 5.5 * sqrt(ROWS * chance * STEPS));
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

static void rows_come_with_their_chances(void **state)
{
    (void)state;
    const learn_sampler poisson = sampler_of(LEARN_POISSON, 0.1, 0),
                        fixed = sampler_of(LEARN_FIXED, 0.1, PLACES);
    const learn_sampler shuffled = sampler_of(LEARN_SHUFFLED, 0.1, PLACES);
    check_counts(&poisson, 0.1, 0.01);
    check_counts(&fixed, 0.1, 0.1 * 9 / 99);
    check_counts(&shuffled, 0.1, 0.1 * 9 / 99);
}

/* Rows that come by coins of their own: how many come varies as it should, not more and not less, and over all pairs of rows what they have in common is that of
 * chance. Each bound is passed by chance once in 10^8 (5.8 deviations), there are four. */
static void check_independence(const learn_sampler *sampler, size_t rows, uint64_t times, uint64_t seed)
{
    static double product[ROWS][ROWS];
    const double q = sampler->rate, spread = q * (1 - q), t = (double)times;
    /* the fourth moment of what a row is off by, in squares of its variance; the same of a pair, and of the sum over all */
    const double one = (pow(1 - q, 3) + pow(q, 3)) / spread, pair = one * one;
    const double size = 3 + (one - 3) / (double)rows, pairs = (double)(rows * (rows - 1)) / 2;
    double sizes = 0, common = 0;
    dusk_generator *gen = seeded(seed);
    learn_draw draw;
    size_t count;
    memset(product, 0, sizeof product);
    assert_int_equal(learn_draw_open(&draw, sampler, rows, gen, NULL), DUSK_OK);
    for (uint64_t step = 0; step < times; step++) {
        bool in[ROWS] = { false };
        assert_int_equal(learn_draw_take(&draw, step, &count, NULL), DUSK_OK);
        for (size_t i = 0; i < count; i++) in[draw.row[i]] = true;
        sizes += pow((double)count - q * (double)rows, 2) / (spread * (double)rows * t);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < i; j++) product[i][j] += ((double)in[i] - q) * ((double)in[j] - q);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < i; j++) common += pow(product[i][j] / spread, 2) / t;
    if (!(fabs(sizes - 1) < 5.8 * sqrt((size - 1) / t)))
        fail_msg("sizes of samples vary %g times as much as they should", sizes);
    if (!(fabs(common - pairs) < 5.8 * sqrt(pairs * (2 + (pair - 3) / t))))
        fail_msg("pairs: chi-square %g of %g", common, pairs);
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

static void poisson_samples_are_of_independent_rows(void **state)
{
    (void)state;
    const learn_sampler often = sampler_of(LEARN_POISSON, 0.1, 0), rare = sampler_of(LEARN_POISSON, 0.02, 0);
    check_independence(&often, 40, 20000, 31);
    check_independence(&rare, 50, 40000, 32); /* from row to row */
}

/* Of each sample every draw is one of all places, whatever the others are: counts, how often a row comes twice, and pairs of draws. */
static void draws_are_independent(void **state)
{
    (void)state;
    enum { FEW = 5, DRAWS = 4, MANY = 40000 };
    const learn_sampler s = sampler_of(LEARN_DRAWN, 0.8, FEW); /* the last place has no row */
    dusk_generator *gen = seeded(5);
    learn_draw draw;
    size_t count, times[DRAWS + 1] = { 0 }, size[DRAWS + 1] = { 0 };
    assert_int_equal(s.lot, DRAWS);
    assert_int_equal(learn_sampler_most(&s, FEW - 1), DRAWS);
    assert_int_equal(learn_sampler_most(&s, 1), DRAWS); /* more than there are rows */
    assert_int_equal(learn_draw_open(&draw, &s, FEW - 1, gen, NULL), DUSK_OK);
    for (uint64_t step = 0; step < MANY; step++) {
        size_t first = 0;
        assert_int_equal(learn_draw_take(&draw, step, &count, NULL), DUSK_OK);
        for (size_t i = 0; i < count; i++) {
            assert_true(draw.row[i] < FEW - 1);
            first += draw.row[i] == 0;
        }
        times[first]++;
        size[count]++;
    }
    double chance = pow(0.8, DRAWS), full = pow(0.2, DRAWS);
    for (size_t k = 0; k <= DRAWS; k++) { /* binomial, both; within 5.5 deviations */
        assert_true(fabs((double)times[k] - MANY * chance) < 5.5 * sqrt(MANY * chance) + 1);
        assert_true(fabs((double)size[k] - MANY * full) < 5.5 * sqrt(MANY * full) + 1);
        chance *= (double)(DRAWS - k) / (double)(k + 1) / 4;
        full *= (double)(DRAWS - k) / (double)(k + 1) * 4;
    }
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

static void each_comes_once_an_epoch(void **state)
{
    (void)state;
    const learn_sampler s = sampler_of(LEARN_SHUFFLED, 0.3, PLACES - 1);
    dusk_generator *gen = seeded(4);
    learn_draw draw;
    size_t count, in[ROWS] = { 0 };
    assert_int_equal(learn_draw_open(&draw, &s, ROWS, gen, NULL), DUSK_OK);
    for (uint64_t step = 0; step < 12; step++) {
        assert_int_equal(learn_draw_take(&draw, step, &count, NULL), DUSK_OK);
        for (size_t i = 0; i < count; i++) in[draw.row[i]]++;
        if (step % 4 == 3)
            for (size_t i = 0; i < ROWS; i++) assert_int_equal(in[i], step / 4 + 1);
    }
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

/* And in the same steps of every epoch, where that is wanted. */
static void once_shuffled_is_the_same_ever_after(void **state)
{
    (void)state;
    learn_sampler s = sampler_of(LEARN_SHUFFLED, 0.3, PLACES - 1);
    s.once = true;
    dusk_generator *gen = seeded(4);
    learn_draw draw;
    size_t count, at[ROWS] = { 0 };
    assert_int_equal(learn_draw_open(&draw, &s, ROWS, gen, NULL), DUSK_OK);
    assert_int_equal(learn_sampler_epoch(&s), 4);
    for (uint64_t step = 0; step < 12; step++) {
        assert_int_equal(learn_draw_take(&draw, step, &count, NULL), DUSK_OK);
        for (size_t i = 0; i < count; i++) {
            if (step < 4) at[draw.row[i]] = step;
            assert_int_equal(at[draw.row[i]], step % 4);
        }
    }
    learn_draw_close(&draw);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_kept),
        cmocka_unit_test(prices_that_are_missed_by_a_little_are_met),
        cmocka_unit_test(the_chance_is_the_rate),
        cmocka_unit_test(what_was_taken_before_is_priced_once),
        cmocka_unit_test(shuffled_ones_are_priced_by_epochs),
        cmocka_unit_test(fixed_ones_are_priced_without_replacement),
        cmocka_unit_test(drawn_ones_are_priced_with_replacement),
        cmocka_unit_test(draws_are_independent),
        cmocka_unit_test(more_than_coins_can_tell_apart_is_refused),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(rows_come_with_their_chances),
        cmocka_unit_test(poisson_samples_are_of_independent_rows),
        cmocka_unit_test(each_comes_once_an_epoch),
        cmocka_unit_test(once_shuffled_is_the_same_ever_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
