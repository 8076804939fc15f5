/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of membership against their formulas, and p-values against all orders of a few
 * scores: an outsider's is at most a with a probability of at most a. */
#include <math.h>

#include "dusk/attack_releases.h"
#include "failing_memory.h"

static const double people[8] = { 0, 1, 1, 1, 0, 1, 0, 0 }; /* four, of two attributes: means 1/4 and 3/4 */

static void weights_are_their_formulas(void **state)
{
    (void)state;
    const double q[2] = { 0.75, 1 };
    double w[2], p[2], scores[2];
    assert_int_equal(dusk_membership_weights(w, p, DUSK_INNER_PRODUCT, q, people, 4, 2, NULL), DUSK_OK);
    assert_true(p[0] == 0.25 && p[1] == 0.75);
    assert_true(w[0] == 0.5 && w[1] == 0.25);
    dusk_membership_scores(scores, people + 2, 2, w, p, 2);
    assert_true(fabs(scores[0] - (0.75 * 0.5 + 0.25 * 0.25)) < 1e-15);
    assert_true(fabs(scores[1] - (-0.25 * 0.5 + 0.25 * 0.25)) < 1e-15);
    assert_int_equal(dusk_membership_weights(w, p, DUSK_LIKELIHOOD_RATIO, q, people, 4, 2, NULL), DUSK_OK);
    assert_true(fabs(w[0] - (log(3) - log(1.0 / 3))) < 1e-12);
    assert_true(fabs(w[1] - (log(0.999 / 0.75) - log(0.001 / 0.25))) < 1e-12);
}

/* (S + ridge) w = q - p, S of the four people: variances 3/16, covariance 1/16; ridge a fifth of
 * the mean variance. */
static void whitening_solves_its_system(void **state)
{
    (void)state;
    const double q[2] = { 0.75, 1 }, a = 3 / 16.0 * 1.2, b = 1 / 16.0;
    double w[2], p[2];
    assert_int_equal(dusk_membership_weights(w, p, DUSK_WHITENED, q, people, 4, 2, NULL), DUSK_OK);
    assert_true(fabs(a * w[0] + b * w[1] - 0.5) < 1e-6);
    assert_true(fabs(b * w[0] + a * w[1] - 0.25) < 1e-6);
    const double alike[4] = { 1, 0, 1, 0 };
    assert_int_equal(dusk_membership_weights(w, p, DUSK_WHITENED, q, alike, 2, 2, NULL), DUSK_OK);
    assert_true(w[0] == -0.25 && w[1] == 1);
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
    const double half[2] = { 0.5, 0.5 }, odd[2] = { 0.5, NAN };
    double w[2] = { 77, 77 }, p[2] = { 77, 77 };
    dusk_error err;
    assert_int_equal(dusk_membership_weights(w, p, DUSK_WHITENED, half, people, 4, 0, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_weights(w, p, DUSK_WHITENED, half, people, 0, 2, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_weights(w, p, DUSK_WHITENED, odd, people, 4, 2, &err),
                     DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_weights(w, p, DUSK_WHITENED, half, odd, 1, 2, &err), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_membership_weights(w, p, (dusk_membership_score)7, half, people, 4, 2, &err),
                     DUSK_ERR_ARGUMENT);
    bool through = false;
    for (long n = 1; !through; n++) {
        dusk_memory_fail_at(n);
        through =
            went_through(dusk_membership_weights(w, p, DUSK_WHITENED, half, people, 4, 2, &err), &err, n, 10);
        if (!through) assert_true(w[0] == 77 && p[1] == 77);
    }
    dusk_membership_scores(w, odd, 1, half, half, 2);
    assert_true(isnan(w[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_their_formulas),
        cmocka_unit_test(whitening_solves_its_system),
        cmocka_unit_test(p_values_keep_their_word),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
