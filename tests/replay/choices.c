/* SPDX-License-Identifier: Apache-2.0 */
/* Choices, keys and responses, call by call. What is chosen is taken over from the first side, so
 * that the second one may differ in nothing else; keys that only one side has may be shown with
 * probability delta and no more. */
#include <float.h>
#include <math.h>

#include "dusk/mechanisms.h"
#include "replay.h"
#include "requests.h"

enum { ROUNDS = 150, N = 40 };

static uint64_t seed = 61;

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(splitmix64(&seed) >> 11) * 0x1p-53);
}

/* Scores on both sides, each moved by s at most; all the same way if need be. */
static void make_scores(double score[2][N], double s, bool monotonic)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -DBL_MAX, DBL_MAX };
    bool up = splitmix64(&seed) % 2;
    for (size_t i = 0; i < N; i++) {
        double move = splitmix64(&seed) % 3 ? s : uniform(0, s);
        bool plus = monotonic ? up : splitmix64(&seed) % 2;
        /* multiples of 2^-20, so that sums are exact */
        score[0][i] = rint(uniform(-20, 20) * 0x1p20) * 0x1p-20;
        score[1][i] = score[0][i] + (plus ? 1 : -1) * floor(move * 0x1p20) * 0x1p-20;
        if (splitmix64(&seed) % 8 == 0) score[0][i] = score[1][i] = odd[splitmix64(&seed) % 5];
    }
}

static void selections(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 3 * ROUNDS; round++) {
        double score[2][N], s = 1.25;
        bool monotonic = round % 2;
        size_t k = 1, index[2][4];
        dusk_selection selection;
        dusk_selection_method method = (dusk_selection_method)(1 + round % 5);
        make_scores(score, s, monotonic);
        assert_int_equal(dusk_selection_init(&selection, method, s, monotonic, 0.7, NULL), DUSK_OK);
        if (method == DUSK_SELECT_EXPONENTIAL || method == DUSK_SELECT_NOISY_MAX_GUMBEL) k = 1 + round % 4;
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(
                k == 1 ? dusk_selection_release(&selection, index[side], score[side], N, r.gen[side], NULL)
                       : dusk_selection_release_top(&selection, index[side], k, score[side], N, r.gen[side],
                                                    NULL),
                DUSK_OK);
        for (size_t i = 0; i < k; i++) assert_int_equal(index[0][i], index[1][i]);
        replay_close(&r, (replay_declared){ .epsilon = 0.7 * (double)k, .coins_vary = true });
    }
}

static void candidates(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        double score[2][N], best[2];
        size_t index[2];
        bool any[2];
        dusk_noise noise;
        dusk_candidates c;
        make_scores(score, 1, false);
        assert_int_equal(dusk_laplace_init(&noise, 1, 1, 0.5, -20, NULL), DUSK_OK);
        assert_int_equal(round % 2 ? dusk_candidates_poisson_init(&c, 5, NULL)
                                   : dusk_candidates_init(&c, 1, 0.2, NULL),
                         DUSK_OK);
        c.padding = round % 3 ? 0 : 10;
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_candidates_release_scores(&c, &any[side], &index[side], &best[side], &noise,
                                                            score[side], N, r.gen[side], NULL),
                             DUSK_OK);
        assert_int_equal(any[0], any[1]);
        replay_same(&best[0], &best[1], 1);
        assert_true(!any[0] || index[0] == index[1]);
        /* the price of the best run is not the sum of all */
        replay_close(&r, (replay_declared){ .silent = r.record[0]->n == 0 });
    }
}

/* A mechanism of one's own as the run: a noisy sum, and the same again as its output. */
typedef struct sum_of {
    dusk_noise noise;
    double exact;
} sum_of;

static dusk_status noisy_sum(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    const sum_of *sum = context;
    dusk_status status = dusk_noise_release(&sum->noise, score, sum->exact, gen, err);
    memcpy(output, score, sizeof *score);
    return status;
}

static void runs_of_a_mechanism(void **state)
{
    sum_of sum;
    (void)state;
    assert_int_equal(dusk_gaussian_init(&sum.noise, 1, 1, 0.5, 1e-6, DUSK_GRID_DEFAULT, NULL), DUSK_OK);
    for (uint64_t round = 0; round < 50; round++) {
        double score[2], output[2];
        dusk_candidates c;
        bool any[2];
        assert_int_equal(dusk_candidates_init(&c, 1, 0.2, NULL), DUSK_OK);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++) {
            sum.exact = side ? 10 : 10.5 + (double)(round % 6) / 10;
            assert_int_equal(dusk_candidates_release(&c, &any[side], &score[side], &output[side],
                                                     sizeof *output, noisy_sum, &sum, r.gen[side], NULL),
                             DUSK_OK);
        }
        assert_true(any[0] && any[1]);
        replay_same(score, score + 1, 1);
        replay_same(output, output + 1, 1);
        replay_close(&r, (replay_declared){ .epsilon = 0 });
    }
}

static void responses(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint32_t answer[2][N], out[2][N];
        dusk_randomized_response rr;
        assert_int_equal(round % 2 ? dusk_two_coin_init(&rr, 0.5, 0.25, NULL)
                                   : dusk_randomized_response_init(&rr, 5, 0.9, NULL),
                         DUSK_OK);
        for (size_t i = 0; i < N; i++) answer[0][i] = answer[1][i] = (uint32_t)(splitmix64(&seed) % 7);
        answer[1][round % N] = (uint32_t)splitmix64(&seed);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(
                dusk_randomized_response_release(&rr, out[side], answer[side], N, r.gen[side], NULL),
                DUSK_OK);
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        replay_close(&r, (replay_declared){ .epsilon = rr.epsilon });
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

/* Counts of distinct units by key; one unit more or less, which has `keys` keys, some of them
 * nobody else's. */
static void make_units(uint64_t units[2][N], size_t keys)
{
    for (size_t i = 0; i < N; i++) units[0][i] = units[1][i] = i % 3 ? splitmix64(&seed) % 60 : 0;
    int more = (int)(splitmix64(&seed) % 2);
    size_t first = splitmix64(&seed) % N;
    for (size_t i = 0; i < keys; i++) units[more][(first + 3 * i) % N]++;
}

static void keys_of_many_units(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 3 * ROUNDS; round++) {
        uint64_t units[2][N];
        bool keep[2][N];
        double counts[2][N];
        uint32_t keys = 1 + (uint32_t)(round / 3 % 4);
        dusk_key_selection selection;
        assert_int_equal(
            dusk_key_selection_init(&selection, (dusk_key_method)(1 + round % 3), keys, 2, 1e-4, NULL),
            DUSK_OK);
        make_units(units, keys);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_key_selection_release(&selection, keep[side], counts[side], units[side], N,
                                                        r.gen[side], NULL),
                             DUSK_OK);
        for (size_t i = 0; i < N; i++) {
            if ((units[0][i] == 0) != (units[1][i] == 0)) continue; /* the event of probability delta */
            assert_int_equal(keep[0][i], keep[1][i]);
            replay_same(&counts[0][i], &counts[1][i], 1);
        }
        bool tossed =
            selection.method == DUSK_KEYS_TRUNCATED_GEOMETRIC; /* no coin for keys that are not there */
        replay_close(&r, (replay_declared){ .epsilon = 2, .delta = 1e-4, .coins_vary = tossed });
    }
}

/* Counts that differ, so that no lot decides who is in the list; the moved unit makes ties. */
static void make_counts(uint64_t counts[2][N], size_t keys, uint64_t each)
{
    int more = (int)(splitmix64(&seed) % 2);
    size_t first = splitmix64(&seed) % N;
    for (size_t i = 0; i < N; i++) {
        size_t at = i * 7 % N; /* all of them, in another order */
        counts[0][at] = counts[1][at] = 20 + 10 * i + splitmix64(&seed) % (10 - each);
    }
    bool alone = splitmix64(&seed) % 2; /* nobody else has these keys */
    for (size_t i = 0; i < keys; i++) {
        size_t at = (first + 3 * i) % N;
        if (alone) counts[0][at] = counts[1][at] = 0;
        counts[more][at] += each;
    }
}

static void keys_of_the_largest_counts(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 3 * ROUNDS; round++) {
        uint64_t counts[2][N];
        size_t index[2][5], shown[2], limit = 10 + round % 40;
        uint32_t keys = 1 + (uint32_t)(round % 4), each = 1 + (uint32_t)(round / 4 % 3);
        dusk_limit_domain domain;
        assert_int_equal(dusk_limit_domain_init(&domain, 5, limit, keys, each, 0.8, 1e-5, NULL), DUSK_OK);
        make_counts(counts, keys, each);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_limit_domain_release(&domain, index[side], &shown[side], counts[side], N,
                                                       r.gen[side], NULL),
                             DUSK_OK);
        assert_int_equal(shown[0], shown[1]);
        for (size_t i = 0; i < shown[0]; i++) assert_int_equal(index[0][i], index[1][i]);
        replay_close(&r, (replay_declared){ .epsilon = 5 * 0.8, .delta = domain.delta, .coins_vary = true });
    }
}

/* The mode among values that come from the data. */
static void modes_of_data(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_aggregate how = request_of(DUSK_ADD_REMOVE, 0.9, 1e-6);
        uint64_t counts[2][N];
        size_t index[2];
        double shortfall[2];
        dusk_statement statement;
        how.rows_per_unit = 1 + (uint32_t)(round % 3);
        if (round % 2)
            make_counts(counts, 1, how.rows_per_unit);
        else
            make_counts(counts, how.rows_per_unit, 1);
        replay r = replay_open(round);
        for (int side = 0; side < 2; side++)
            assert_int_equal(dusk_mode_release(&index[side], &shortfall[side], &statement, &how, counts[side],
                                               N, r.gen[side], NULL),
                             DUSK_OK);
        assert_int_equal(index[0], index[1]);
        replay_same(&shortfall[0], &shortfall[1], 1);
        replay_close(&r, (replay_declared){ .epsilon = 0.9, .delta = 1e-6, .coins_vary = true });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections),          cmocka_unit_test(candidates),
        cmocka_unit_test(runs_of_a_mechanism), cmocka_unit_test(responses),
        cmocka_unit_test(keys_of_many_units),  cmocka_unit_test(keys_of_the_largest_counts),
        cmocka_unit_test(modes_of_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
