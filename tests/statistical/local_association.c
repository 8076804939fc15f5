/* SPDX-License-Identifier: Apache-2.0 */
/* The joint shares of two variables from pairs of reports: near the truth, and as near as their deviations say. */
#include <math.h>

#include "dusk/local_strings.h"
#include "local_survey.h"

enum { RUNS = 12, PEOPLE = 12000 };

/* In parts of 24: three texts on a list and others, by three categories; far from independent. */
static const int truth[4][3] = { { 4, 1, 1 }, { 1, 5, 1 }, { 1, 1, 3 }, { 3, 2, 1 } };

static dusk_survey side(dusk_randomiser mechanism, double epsilon)
{
    dusk_survey survey;
    dusk_survey_options options;
    dusk_error err;
    dusk_survey_options_init(&options);
    options.mechanism = mechanism;
    options.epsilon = epsilon;
    options.domain = mechanism == DUSK_GRR || mechanism == DUSK_OUE ? 3 : 0;
    options.rows = mechanism == DUSK_RAPPOR || mechanism == DUSK_CMS ? 16 : mechanism == DUSK_HCMS ? 64 : 0;
    options.width = options.rows ? 64 : 0;
    if (dusk_survey_init(&survey, &options, &err) != DUSK_OK) fail_msg("%s", err.message);
    return survey;
}

/* Values of people: others have all texts of their own. */
static void report_pairs(const dusk_survey *a, const dusk_survey *b, uint8_t *reports_a, uint8_t *reports_b,
                         uint64_t seed)
{
    dusk_generator *gen;
    dusk_generator_entropy context;
    size_t p = 0;
    assert_int_equal(dusk_generator_new_seeded(&gen, seed, NULL), DUSK_OK);
    dusk_entropy entropy = dusk_entropy_of(&context, gen);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            for (int k = 0; k < truth[i][j] * (PEOPLE / 24); k++, p++) {
                const uint64_t text = i < 3 ? 100 + i : 1000 + p;
                assert_int_equal(
                    dusk_client_report(&a->task, reports_a + p * dusk_report_size(&a->task), text, &entropy),
                    0);
                assert_int_equal(
                    dusk_client_report(&b->task, reports_b + p * dusk_report_size(&b->task), j, &entropy), 0);
            }
    assert_int_equal(p, PEOPLE);
    dusk_generator_free(gen);
}

static void check(dusk_randomiser first, double epsilon, dusk_randomiser second, double other)
{
    const uint64_t candidates[] = { 100, 101, 102 };
    const dusk_survey a = side(first, epsilon), b = side(second, other);
    uint8_t *reports_a = malloc(PEOPLE * dusk_report_size(&a.task));
    uint8_t *reports_b = malloc(PEOPLE * dusk_report_size(&b.task));
    const dusk_association_side left = { &a, reports_a, candidates, 3 }, right = { &b, reports_b, NULL, 0 };
    double joint[12], deviation[12], squares = 0;
    size_t outside = 0;
    assert_true(reports_a && reports_b);
    assert_true(dusk_association_categories(&left) == 4 && dusk_association_categories(&right) == 3);
    for (uint64_t run = 0; run < RUNS; run++) {
        uint64_t dropped;
        dusk_error err;
        double sum = 0;
        report_pairs(&a, &b, reports_a, reports_b, 50 + run);
        if (dusk_reports_association(&left, &right, PEOPLE, NULL, joint, deviation, &dropped, &err) !=
            DUSK_OK)
            fail_msg("%s", err.message);
        assert_int_equal(dropped, 0);
        for (size_t k = 0; k < 12; k++) {
            const double z = (joint[k] - truth[k / 3][k % 3] / 24.0) / deviation[k];
            sum += joint[k];
            squares += z * z;
            outside += fabs(z) > 1.96;
            if (!(deviation[k] < 0.06 && fabs(z) < 7))
                fail_msg("%s: share %g is off by %g deviations of %g", dusk_randomiser_name(a.task.mechanism),
                         joint[k], z, deviation[k]);
        }
        assert_true(fabs(sum - 1) < 1e-9);
    }
    /* 144 squares of normal numbers, which are not independent: of 12 in a run 11 are, and less where they are correlated, which widens the spread; 1e-6 of 12 x 4 of them */
    const double mean = squares / (12.0 * RUNS);
    if (!(mean > 0.35 && mean < 2.1 && outside <= 12 * RUNS / 5))
        fail_msg("%s and %s: squares of %g deviations on average, %zu of %d outside",
                 dusk_randomiser_name(a.task.mechanism), dusk_randomiser_name(b.task.mechanism), mean,
                 outside, 12 * RUNS);
    free(reports_a);
    free(reports_b);
}

static void pairs(void **state)
{
    (void)state;
    check(DUSK_RAPPOR, 6, DUSK_GRR, 2);
    check(DUSK_CMS, 5, DUSK_OUE, 3);
    check(DUSK_HCMS, 4, DUSK_GRR, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
