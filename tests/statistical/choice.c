/* SPDX-License-Identifier: Apache-2.0 */
/* Top keys, numbers of runs and bounds at their production width: chi-square tests
 * against the exact laws, alpha 1e-6, fixed seed. For bounds the exact laws of
 * neighbours are compared, too. */
#include <math.h>

#include "dusk/mechanisms.h"
#include "law.h"
#include "random/noise_runs.h"
#include "seeded.h"

static int open_generator(void **state) { return open_seeded(state, 141421); }

/* The law is whole, and what was seen is of it. */
static void assert_whole_law(const uint64_t *seen, const double *p, size_t cells, double runs)
{
    double total = 0;
    for (size_t i = 0; i < cells; i++) total += p[i];
    assert_true(fabs(total - 1) < 1e-6);
    assert_law(seen, p, cells, runs);
}

/* --- top keys ------------------------------------------------------------------------- */

enum { KEYS = 7, LIMIT = 4, PAIRS = (KEYS + 1) * (KEYS + 1) };

/* The law of two choices from the places and the threshold; key KEYS is "nothing". */
static void add_choices(double *law, const int *place, const uint64_t *counts, double h, double t, double p)
{
    double weight[LIMIT + 1], total = 0;
    for (int i = 0; i < LIMIT; i++) weight[i] = exp(0.7 * ((double)counts[place[i]] - h));
    weight[LIMIT] = exp(0.7 * t);
    for (int i = 0; i <= LIMIT; i++) total += weight[i];
    law[KEYS * (KEYS + 1) + KEYS] += p * weight[LIMIT] / total;
    for (int i = 0; i < LIMIT; i++)
        for (int j = 0; j <= LIMIT; j++) {
            int second = j == LIMIT ? KEYS : place[j];
            if (j != i)
                law[place[i] * (KEYS + 1) + second] +=
                    p * weight[i] / total * weight[j] / (total - weight[i]);
        }
}

static void top_keys_have_their_law(void **state)
{
    enum { RUNS = 200000 };
    const uint64_t counts[KEYS] = { 5, 9, 2, 7, 5, 7, 5 }; /* 9 7 7 and one of the 5; the next is 5 */
    double law[PAIRS] = { 0 };
    uint64_t seen[PAIRS] = { 0 };
    dusk_limit_domain domain;
    assert_int_equal(dusk_limit_domain_init(&domain, 2, LIMIT, 1, 1, 0.7, 0.2, NULL), DUSK_OK);
    for (int tie = 0; tie < KEYS; tie++) {
        int place[LIMIT] = { 1, 3, 5, tie };
        if (counts[tie] == 5) add_choices(law, place, counts, 5, domain.threshold, 1.0 / 3);
    }
    for (int i = 0; i < RUNS; i++) {
        size_t chosen[2], shown;
        assert_int_equal(dusk_limit_domain_release(&domain, chosen, &shown, counts, KEYS, *state, NULL),
                         DUSK_OK);
        seen[(shown > 0 ? chosen[0] : KEYS) * (KEYS + 1) + (shown > 1 ? chosen[1] : KEYS)]++;
    }
    assert_whole_law(seen, law, PAIRS, RUNS);
}

/* --- numbers of runs ---------------------------------------------------------------------- */

static void numbers_of_runs_have_their_law(void **state)
{
    enum { RUNS = 20000, CELLS = 300 };
    const dusk_runs all[] = {
        { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 0.5, .gamma = 0.1 },
        { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 1, .gamma = 0.2 },
        { .kind = DUSK_RUNS_NEGATIVE_BINOMIAL, .eta = 0, .gamma = 0.1 },
        { .kind = DUSK_RUNS_POISSON, .mu = 6 },
    };
    for (size_t a = 0; a < 4; a++) {
        const dusk_runs *r = &all[a];
        bool poisson = r->kind == DUSK_RUNS_POISSON;
        double law[CELLS] = { 0 };
        uint64_t seen[CELLS] = { 0 }, k;
        law[0] = poisson ? exp(-r->mu) : 0;
        law[1] = poisson ? r->mu * law[0]
                         : (1 - r->gamma) *
                               (r->eta == 0 ? 1 / -log(r->gamma) : r->eta / (pow(r->gamma, -r->eta) - 1));
        for (int i = 1; i + 1 < CELLS; i++)
            law[i + 1] = law[i] * (poisson ? r->mu : (1 - r->gamma) * (i + r->eta)) / (i + 1);
        for (int i = 0; i < RUNS; i++) {
            assert_int_equal(dusk_runs_draw(r, &k, 64, *state, NULL), DUSK_OK);
            if (k < CELLS) seen[k]++;
        }
        assert_whole_law(seen, law, CELLS, RUNS);
    }
}

/* --- bounds ------------------------------------------------------------------------------- */

/* P(K >= j) for discrete Laplace noise of scale 1. */
static double reaches(int j)
{
    double q = exp(-1);
    return j > 0 ? pow(q, j) / (1 + q) : 1 - pow(q, 1 - j) / (1 + q);
}

/* Three bins, [-2, -1), 0 and [1, 2): outcome 3 first + last, and 9 for none. */
static void bounds_law(double *law, const int *rows, int threshold)
{
    double pass[3];
    for (int i = 0; i < 3; i++) pass[i] = reaches(threshold - rows[i]);
    for (int i = 0; i < 10; i++) law[i] = 0;
    for (int set = 0; set < 8; set++) {
        double p = 1;
        int first = 3, last = 0;
        for (int i = 0; i < 3; i++) {
            bool in = set >> i & 1;
            p *= in ? pass[i] : 1 - pass[i];
            if (in && first == 3) first = i;
            if (in) last = i;
        }
        law[set ? 3 * first + last : 9] += p;
    }
}

static int outcome(const dusk_bounds *b)
{
    if (!b->found) return 9;
    if (b->lower == -1 && b->upper == 1) return 4; /* 0 only */
    int first = b->lower == -2 ? 0 : b->lower == 0 ? 1 : 2;
    int last = b->upper == -1 ? 0 : b->upper == 0 ? 1 : 2;
    return 3 * first + last;
}

/* The least threshold that three noises stay below with probability 1 - 0.2 / 2. */
static int find_threshold(void)
{
    int t = 0;
    while (pow(1 - 2 * reaches(t + 1), 3) < 0.9) t++;
    return t + 1;
}

static void bounds_have_their_law(void **state)
{
    enum { RUNS = 100000 };
    const int tables[][3] = { { 0, 0, 0 }, { 3, 0, 5 }, { 1, 4, 2 } };
    const double value[3] = { -1.5, 0, 1 };
    int threshold = find_threshold();
    dusk_aggregate how;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = 1;
    how.confidence = 0.8;
    for (size_t t = 0; t < 3; t++) {
        double law[10], rows[16];
        uint64_t seen[10] = { 0 };
        size_t n = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < tables[t][i]; j++) rows[n++] = value[i];
        bounds_law(law, tables[t], threshold);
        for (int i = 0; i < RUNS; i++) {
            dusk_bounds b;
            assert_int_equal(dusk_bounds_release(&b, &how, 1, 2, rows, n, *state, NULL), DUSK_OK);
            seen[outcome(&b)]++;
        }
        assert_whole_law(seen, law, 10, RUNS);
    }
}

/* One row more in any bin moves no probability by more than e. */
static void bounds_of_neighbours_are_alike(void **state)
{
    (void)state;
    int threshold = find_threshold();
    for (int table = 0; table < 216; table++)
        for (int bin = 0; bin < 3; bin++) {
            int less[3] = { table % 6, table / 6 % 6, table / 36 }, more[3];
            double p[10], q[10];
            for (int i = 0; i < 3; i++) more[i] = less[i] + (i == bin);
            bounds_law(p, less, threshold);
            bounds_law(q, more, threshold);
            for (int i = 0; i < 10; i++)
                assert_true(p[i] <= exp(1) * q[i] * (1 + 1e-12) && q[i] <= exp(1) * p[i] * (1 + 1e-12));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_keys_have_their_law),
        cmocka_unit_test(numbers_of_runs_have_their_law),
        cmocka_unit_test(bounds_have_their_law),
        cmocka_unit_test(bounds_of_neighbours_are_alike),
    };
    return cmocka_run_group_tests(tests, open_generator, close_generator);
}
