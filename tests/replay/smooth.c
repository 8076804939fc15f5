/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring tables of hostile rows with the same coins, for mechanisms whose noise
 * follows the data: statements are the same, the number of coins taken is the same, and
 * answers differ as the proofs allow: f + S/r z with one z on both sides. */
#include <math.h>
#include <string.h>

#include "dusk/mechanisms.h"
#include "hostile.h"
#include "mechanisms/smooth_quantile.h"
#include "mechanisms/smooth_sensitivity.h"
#include "random/generator.h"
#include "requests.h"
#include "seeded.h"

#define ROUNDS 30

static uint64_t seed = 23;

static tables neighbours(dusk_neighbours relation) { return hostile_neighbours(&seed, 0x1p-60, relation); }

static dusk_aggregate request(dusk_neighbours relation, double delta)
{
    return request_within(-8, 8, relation, 1, delta);
}

/* What was computed from the rows: the quantile and its smooth sensitivity. */
static void look(const double *rows, size_t n, double beta, double *value, double *sensitivity)
{
    dusk_ordered x;
    assert_int_equal(dusk_ordered_new(&x, rows, n, -8, 8, NULL), DUSK_OK);
    size_t r = dusk_rank_of(dusk_rank_target(0.5), n);
    *value = dusk_ordered_row(&x, (int64_t)r);
    *sensitivity = dusk_ordered_smooth(&x, r, 1, dusk_smooth_inner_beta(beta));
    dusk_ordered_clear(&x);
}

/* One side of a run. */
typedef struct side {
    dusk_answer answer;
    bool released;
    uint64_t after; /* the coins that come next */
    char text[8192];
} side;

typedef dusk_status run(side *s, const dusk_aggregate *how, const double *rows, size_t n,
                        dusk_generator *gen);

static void play(side both[2], run *one, const dusk_aggregate *how, const tables *t, uint64_t round)
{
    for (int i = 0; i < 2; i++) {
        dusk_generator *gen = seeded(round);
        assert_int_equal(one(&both[i], how, t->rows[i], t->n[i], gen), DUSK_OK);
        assert_int_equal(dusk_generator_words(gen, &both[i].after, 1, 64, NULL), DUSK_OK);
        assert_int_equal(
            dusk_statement_json(&both[i].answer.statement, both[i].text, sizeof both[i].text, NULL), DUSK_OK);
        dusk_generator_free(gen);
    }
    assert_string_equal(both[0].text, both[1].text);
}

static dusk_status smooth(side *s, const dusk_aggregate *how, const double *rows, size_t n,
                          dusk_generator *gen)
{
    dusk_smooth_options options;
    dusk_smooth_options_init(&options);
    options.law = how->delta > 0 ? DUSK_SMOOTH_LAPLACE : DUSK_SMOOTH_CAUCHY;
    return dusk_smooth_quantile_release(&s->answer, how, &options, 0.5, rows, n, gen, NULL);
}

static void smooth_medians(void **state)
{
    (void)state;
    for (int with_delta = 0; with_delta < 2; with_delta++)
        for (dusk_neighbours relation = DUSK_ADD_REMOVE; relation <= DUSK_REPLACE_ONE; relation++)
            for (uint64_t round = 0; round < ROUNDS; round++) {
                dusk_aggregate how = request(relation, with_delta ? 1e-3 : 0);
                tables t = neighbours(relation);
                dusk_smooth mechanism;
                side both[2];
                double f[2], s[2];
                assert_int_equal(dusk_smooth_init(&mechanism,
                                                  with_delta ? DUSK_SMOOTH_LAPLACE : DUSK_SMOOTH_CAUCHY, 1, 0,
                                                  1, how.delta, 0, NULL),
                                 DUSK_OK);
                play(both, smooth, &how, &t, round);
                assert_int_equal(both[0].after, both[1].after);
                for (int i = 0; i < 2; i++) look(t.rows[i], t.n[i], mechanism.beta, &f[i], &s[i]);
                assert_true(fabs(f[0] - f[1]) <= fmin(s[0], s[1]));
                assert_true(fabs(log(s[0] / s[1])) <= mechanism.beta);
                /* away from the bounds both answers have the same z */
                double z[2];
                for (int i = 0; i < 2; i++) z[i] = (both[i].answer.value - f[i]) / s[i];
                if (fabs(both[0].answer.value) < 8 && fabs(both[1].answer.value) < 8)
                    assert_true(fabs(z[0] - z[1]) < 1e-6 * (1 + fabs(z[0])));
            }
}

static dusk_status propose(side *s, const dusk_aggregate *how, const double *rows, size_t n,
                           dusk_generator *gen)
{
    return dusk_propose_quantile_release(&s->answer, &s->released, how, DUSK_LAPLACE, 4, 0.5, rows, n, gen,
                                         NULL);
}

static void proposals(void **state)
{
    (void)state;
    unsigned answered = 0;
    for (dusk_neighbours relation = DUSK_ADD_REMOVE; relation <= DUSK_REPLACE_ONE; relation++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            dusk_aggregate how = request(relation, 0.2);
            tables t = neighbours(relation);
            side both[2];
            play(both, propose, &how, &t, round);
            assert_int_equal(both[0].after, both[1].after);
            if (!both[0].released || !both[1].released) continue;
            answered++;
            assert_true(fabs(both[0].answer.value - both[1].answer.value) <= 16);
        }
    assert_true(answered > 5);
}

static double block_mean(const size_t *index, size_t n, void *context)
{
    const double *rows = context;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += rows[index[i]];
    return sum / (double)n;
}

static dusk_status blocks(side *s, const dusk_aggregate *how, const double *rows, size_t n,
                          dusk_generator *gen)
{
    double copy[HOSTILE_ROWS];
    memcpy(copy, rows, n * sizeof *copy);
    return dusk_sample_and_aggregate_release(&s->answer, how, DUSK_BLOCKS_MEAN, 10, n, NULL, block_mean, copy,
                                             gen, NULL);
}

/* One block of ten changes; with exchanged rows the coins are the same to the end. */
static void means_of_blocks(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        dusk_aggregate how = request(DUSK_REPLACE_ONE, 0);
        tables t = neighbours(DUSK_REPLACE_ONE);
        side both[2];
        how.epsilon = 50;
        play(both, blocks, &how, &t, round);
        assert_int_equal(both[0].after, both[1].after);
        assert_true(fabs(both[0].answer.value - both[1].answer.value) <= 1.6 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_medians),
        cmocka_unit_test(proposals),
        cmocka_unit_test(means_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
