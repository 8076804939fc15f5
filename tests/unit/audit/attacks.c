/* SPDX-License-Identifier: Apache-2.0 */
/* LiRA and canaries. */
#include <math.h>

#include "dusk/audit_scores.h"
#include "support.h"

enum { EXAMPLES = 200, MODELS = 16, DIMENSION = 37 };

static uint64_t seed = 5;

static double uniform(void) { return ((double)(splitmix64(&seed) >> 11) + 0.5) * 0x1p-53; }
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()); }

/* --- LiRA ---------------------------------------------------------------------------------- */

typedef struct shadows {
    double target[EXAMPLES], confidence[EXAMPLES * MODELS], score[EXAMPLES];
    bool member[EXAMPLES], in[EXAMPLES * MODELS];
} shadows;

/* Every example has its own difficulty, which a global threshold mistakes for membership. */
static void train(shadows *s)
{
    for (size_t e = 0; e < EXAMPLES; e++) {
        double hardness = 5 * normal();
        s->member[e] = uniform() < 0.5;
        s->target[e] = hardness + (s->member[e] ? 2 : 0) + normal();
        for (size_t k = 0; k < MODELS; k++) {
            s->in[e * MODELS + k] = uniform() < 0.5;
            s->confidence[e * MODELS + k] = hardness + (s->in[e * MODELS + k] ? 2 : 0) + normal();
        }
    }
}

static double area(const double *score, const bool *member)
{
    dusk_attack_figures figures;
    dusk_scores *scores;
    assert_int_equal(dusk_scores_new(&scores, score, member, EXAMPLES, NULL), DUSK_OK);
    assert_int_equal(dusk_scores_figures(&figures, scores, NULL), DUSK_OK);
    dusk_scores_free(scores);
    return figures.area;
}

static void lira_beats_a_threshold(void **state)
{
    static shadows s;
    dusk_lira_options options;
    size_t unscored;
    (void)state;
    train(&s);
    double plain = area(s.target, s.member);
    for (int kind = 0; kind < 5; kind++) {
        dusk_lira_options_init(&options);
        options.offline = kind & 1;
        options.global_variance = kind & 2;
        options.relative = kind == 4;
        assert_int_equal(
            dusk_lira(s.score, &unscored, s.target, s.confidence, s.in, EXAMPLES, MODELS, &options, NULL),
            DUSK_OK);
        assert_true(unscored <= 2);
        assert_true(area(s.score, s.member) > plain + 0.1);
        assert_true(area(s.score, s.member) > (options.relative ? 0.7 : 0.8));
    }
}

/* One example by hand: in {1, 3}, out {-1, 1}, both with variance 2. */
static void lira_is_a_likelihood_ratio(void **state)
{
    const double target = 2, confidence[] = { 1, -1, 3, 1 };
    const bool in[] = { true, false, true, false };
    dusk_lira_options options;
    double score;
    (void)state;
    dusk_lira_options_init(&options);
    assert_int_equal(dusk_lira(&score, NULL, &target, confidence, in, 1, 4, &options, NULL), DUSK_OK);
    assert_true(fabs(score - 1) < 1e-12); /* (2 - 0)^2 / 4 - 0 */
    options.offline = true;
    assert_int_equal(dusk_lira(&score, NULL, &target, confidence, in, 1, 4, &options, NULL), DUSK_OK);
    assert_true(fabs(score - M_SQRT2) < 1e-12);
    options.relative = true; /* p = 1/(1 + e^-2) over the mean of 1/(1 + e) and 1/(1 + 1/e), which is 1/2 */
    assert_int_equal(dusk_lira(&score, NULL, &target, confidence, in, 1, 4, &options, NULL), DUSK_OK);
    assert_true(fabs(score - log(2 / (1 + exp(-2)))) < 1e-12);
}

static void lira_takes_what_there_is(void **state)
{
    const double target[] = { 1, NAN }, confidence[] = { 1, NAN, INFINITY, 0, 1, 2 };
    const bool in[] = { true, true, false, true, false, false };
    dusk_lira_options options;
    double score[2];
    size_t unscored;
    (void)state;
    dusk_lira_options_init(&options);
    assert_int_equal(dusk_lira(score, &unscored, target, confidence, in, 2, 3, &options, NULL), DUSK_OK);
    assert_int_equal(unscored, 2);
    assert_true(score[0] == -INFINITY && score[1] == -INFINITY);
    assert_int_equal(dusk_lira(score, &unscored, target, confidence, in, 0, 0, &options, NULL), DUSK_OK);
    assert_int_equal(unscored, 0);
    options.size = 0;
    assert_int_equal(dusk_lira(score, NULL, target, confidence, in, 2, 3, &options, NULL), DUSK_ERR_ARGUMENT);
    assert_true(dusk_logit_confidence(0.5) == 0);
    assert_true(dusk_logit_confidence(1) > 27 && isfinite(dusk_logit_confidence(1)));
    assert_true(fabs(dusk_logit_confidence(0) + dusk_logit_confidence(1)) < 1e-3);
}

/* --- canaries --------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void directions_have_their_norm(void **state)
{
    static double a[10000], b[10000];
    (void)state;
    dusk_canary_direction(a, 10000, 3, 1, 0);
    dusk_canary_direction(b, 10000, 3, 1, 1);
    assert_true(fabs(sqrt(dot(a, a, 10000)) - 3) < 1e-11);
    assert_true(fabs(dot(a, b, 10000)) < 9 * 6 / sqrt(10000));
    dusk_canary_direction(b, 10000, 3, 1, 0);
    assert_memory_equal(a, b, sizeof a);
    dusk_canary_direction(a, 1, 2, 1, 7);
    assert_true(fabs(a[0]) == 2);
}

static void coordinates_are_at_right_angles(void **state)
{
    double canary[DIMENSION], seen[DIMENSION] = { 0 };
    (void)state;
    for (uint64_t i = 0; i < DIMENSION; i++) {
        assert_int_equal(dusk_canary_coordinate(canary, DIMENSION, 2, 9, i, NULL), DUSK_OK);
        for (size_t k = 0; k < DIMENSION; k++) seen[k] += canary[k];
        assert_true(dot(canary, canary, DIMENSION) == 4);
    }
    for (size_t k = 0; k < DIMENSION; k++) assert_true(seen[k] == 2);
    assert_int_equal(dusk_canary_coordinate(canary, DIMENSION, 2, 9, DIMENSION, NULL), DUSK_ERR_ARGUMENT);
}

static void labels_are_other_labels(void **state)
{
    unsigned count[10] = { 0 }, in = 0;
    double input[DIMENSION];
    (void)state;
    for (uint64_t i = 0; i < 9000; i++) {
        uint64_t label = dusk_canary_label(3, 10, 4, i);
        assert_true(label < 10 && label != 3);
        count[label]++;
        in += dusk_canary_member(4, i);
    }
    for (int k = 0; k < 10; k++)
        if (k != 3) assert_in_range(count[k], 850, 1150);
    assert_in_range(in, 4250, 4750);
    assert_int_equal(dusk_canary_label(0, 1, 4, 0), 0);
    dusk_canary_input(input, DIMENSION, -1, 2, 4, 0);
    for (size_t k = 0; k < DIMENSION; k++) assert_true(input[k] > -1 && input[k] < 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lira_beats_a_threshold),          cmocka_unit_test(lira_is_a_likelihood_ratio),
        cmocka_unit_test(lira_takes_what_there_is),        cmocka_unit_test(directions_have_their_norm),
        cmocka_unit_test(coordinates_are_at_right_angles), cmocka_unit_test(labels_are_other_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
