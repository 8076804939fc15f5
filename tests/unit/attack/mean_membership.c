/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of membership against their formulas, and p-values against all orders of a few
 * scores: an outsider's is at most a with a probability of at most a. */
#include <math.h>

#include "dusk/attack_releases.h"
#include "support.h"

static void scores_are_their_formulas(void **state)
{
    (void)state;
    const double people[6] = { 1, 0, 1, 0, 0, 1 }, q[3] = { 0.5, 0.25, 1 }, p[3] = { 0.25, 0.5, 0.5 };
    double scores[2];
    assert_int_equal(dusk_membership_scores(scores, DUSK_INNER_PRODUCT, people, 2, q, p, 3, NULL), DUSK_OK);
    assert_true(fabs(scores[0] - (0.75 * 0.25 + 0.5 * 0.25 + 0.5 * 0.5)) < 1e-15);
    assert_true(fabs(scores[1] - (-0.25 * 0.25 + 0.5 * 0.25 + 0.5 * 0.5)) < 1e-15);
    assert_int_equal(dusk_membership_scores(scores, DUSK_LIKELIHOOD_RATIO, people, 2, q, p, 3, NULL),
                     DUSK_OK);
    assert_true(fabs(scores[0] - (log(2) + log(0.75 / 0.5) + log(0.999 / 0.5))) < 1e-12);
    assert_true(fabs(scores[1] - (log(0.5 / 0.75) + log(0.75 / 0.5) + log(0.999 / 0.5))) < 1e-12);
}

/* Put n + 1 scores, with ties, in every place of the target: of the n + 1 choices of who is the
 * target at most a (n + 1) have a value of at most a. */
static void p_values_keep_their_word(void **state)
{
    (void)state;
    static const double lists[][6] = { { 1, 2, 3, 4, 5, 6 },
                                       { 1, 1, 1, 1, 1, 1 },
                                       { 3, 3, 1, 1, 7, 7 },
                                       { 5, 5, 5, 5, 5, 9 },
                                       { -INFINITY, 0, 0, 2, 2, INFINITY } };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (int a = 0; a <= 12; a++) {
            int below = 0;
            for (size_t t = 0; t < 6; t++) {
                double others[5];
                size_t n = 0;
                for (size_t i = 0; i < 6; i++)
                    if (i != t) others[n++] = lists[k][i];
                below += dusk_membership_p_value(lists[k][t], others, 5) <= a / 12.0;
            }
            assert_true(below <= 6 * a / 12.0);
        }
    assert_true(dusk_membership_p_value(1, NULL, 0) == 1);
    assert_true(dusk_membership_p_value(NAN, (const double[]){ 1, NAN }, 2) == 1);
    assert_true(dusk_membership_p_value(1, (const double[]){ NAN, NAN, NAN }, 3) == 0.25);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    const double x[1] = { 1 }, half[1] = { 0.5 }, odd[1] = { NAN };
    double score = 77;
    dusk_error err;
    assert_int_equal(dusk_membership_scores(&score, DUSK_INNER_PRODUCT, x, 1, half, half, 0, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_scores(&score, DUSK_INNER_PRODUCT, x, 1, odd, half, 1, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_scores(&score, DUSK_INNER_PRODUCT, x, 1, half, odd, 1, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_scores(&score, (dusk_membership_score)7, x, 1, half, half, 1, &err),
                     DUSK_ERR_ARGUMENT);
    assert_true(score == 77);
    assert_int_equal(dusk_membership_scores(&score, DUSK_INNER_PRODUCT, odd, 1, half, half, 1, &err),
                     DUSK_OK);
    assert_true(isnan(score));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_their_formulas),
        cmocka_unit_test(p_values_keep_their_word),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
