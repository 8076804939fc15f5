/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of runs on every coin tape: the masses of the decided tapes bracket the
 * laws of Papernot & Steinke 2022, and what is said about them beforehand (mean,
 * tails, generating function) is what the law adds up to. */
#include <math.h>

#include "random/noise_runs.h"
#include "random/tape.h"
#include "support.h"

enum { RANGE = 400 };

static double law_of(const dusk_runs *runs, int k)
{
    if (runs->kind == DUSK_RUNS_POISSON) return exp(-runs->mu + k * log(runs->mu) - lgamma(k + 1.0));
    if (k == 0) return 0;
    double p = runs->eta == 0 ? 1 / -log(runs->gamma) : runs->eta / (pow(runs->gamma, -runs->eta) - 1);
    p *= 1 - runs->gamma;
    for (int l = 1; l < k; l++) p *= (1 - runs->gamma) * (l + runs->eta) / (l + 1);
    return p;
}

typedef struct subject {
    dusk_runs runs;
    unsigned width;
    double mass[RANGE], outside;
} subject;

static bool draw(dusk_generator *gen, void *context)
{
    subject *s = context;
    uint64_t k;
    if (dusk_runs_draw(&s->runs, &k, s->width, gen, NULL) != DUSK_OK) return false;
    *(k < RANGE ? &s->mass[k] : &s->outside) += dusk_tape_weight(gen);
    return true;
}

static const dusk_runs all[] = {
    { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 1, .gamma = 0.3 },
    { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 1, .gamma = 0.5 },
    { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 0, .gamma = 0.1 },
    { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = -0.5, .gamma = 0.05 },
    { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 2.5, .gamma = 0.4 },
    { .kind = DUSK_RUNS_POISSON, .mu = 0.7 },
    { .kind = DUSK_RUNS_POISSON, .mu = 5 },
};
enum { LAWS = sizeof all / sizeof *all };

static void every_tape_has_its_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAWS; i++) {
        subject s = { .runs = all[i], .width = i % 2 ? 3 : 5 };
        double undecided = dusk_tape_walk(10, draw, &s);
        assert_true(undecided < 0.06);
        for (int k = 0; k < RANGE; k++) {
            double p = law_of(&s.runs, k);
            assert_true(s.mass[k] <= p + 1e-9 && p <= s.mass[k] + undecided + 1e-9);
        }
    }
}

static void means_and_tails_are_those_of_the_law(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAWS; i++) {
        double mean = 0, half = 0, up_to = 0, total = 0;
        const double x = 0.75;
        uint64_t most = dusk_runs_at_most(&all[i], 0.01);
        for (int k = 0; k < RANGE; k++) {
            double p = law_of(&all[i], k);
            total += p;
            mean += k * p;
            half += p * pow(x, k);
            if ((uint64_t)k < most) up_to += p;
        }
        assert_true(fabs(total - 1) < 1e-9);
        assert_true(fabs(dusk_runs_mean_up(&all[i]) - mean) < 1e-6);
        assert_true(fabs(dusk_runs_power_up(&all[i], x) - half) < 1e-9);
        assert_true(up_to < 0.99 && up_to + law_of(&all[i], (int)most) >= 0.99 - 1e-12);
        assert_true(fabs(dusk_runs_power_up(&all[i], 1) - 1) < 1e-15);
        assert_true(fabs(dusk_runs_power_up(&all[i], 0) - law_of(&all[i], 0)) < 1e-15);
    }
}

/* Far out and at large means, where terms begin as small as exp(-10^4). */
static void large_numbers_come_out_whole(void **state)
{
    (void)state;
    dusk_generator *gen;
    dusk_runs poisson = { .kind = DUSK_RUNS_POISSON, .mu = 10000 };
    dusk_runs geometric = { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 1, .gamma = 1e-3 };
    uint64_t k, sum = 0;
    assert_int_equal(dusk_generator_new_seeded(&gen, 99, NULL), DUSK_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dusk_runs_draw(&poisson, &k, 64, gen, NULL), DUSK_OK);
        assert_true(k > 9000 && k < 11000);
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(dusk_runs_draw(&geometric, &k, 64, gen, NULL), DUSK_OK);
        sum += k;
    }
    assert_true(sum > 50000 && sum < 160000);
    assert_true(dusk_runs_at_most(&geometric, 1e-12) > 27000);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tape_has_its_number),
        cmocka_unit_test(means_and_tails_are_those_of_the_law),
        cmocka_unit_test(large_numbers_come_out_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
