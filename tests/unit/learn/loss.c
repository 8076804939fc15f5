/* SPDX-License-Identifier: Apache-2.0 */
/* Losses: slopes are derivatives of values and curvatures of slopes, within the bounds that are said of them, convex, and the
 * same for a row wherever it is; softmax against its definition; extreme scores stay numbers. */
#include "learn/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support.h"

enum { KINDS = LEARN_LOG_COSH + 1, N = 203 };

static void slopes_are_derivatives(void **state)
{
    const double knees[] = { 0.1, 0.5, 2 }, e = 1e-5;
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int h = 0; h < 3; h++) {
            learn_loss loss = learn_loss_of((learn_loss_kind)k, knees[h]);
            double last = -INFINITY;
            for (double x = -6; x < 6; x += 0.0137) {
                double slope = learn_loss_slope(&loss, x), curve = learn_loss_curvature(&loss, x);
                double rise = (learn_loss_value(&loss, x + e) - learn_loss_value(&loss, x - e)) / (2 * e);
                double bend = (learn_loss_slope(&loss, x + e) - learn_loss_slope(&loss, x - e)) / (2 * e);
                assert_true(fabs(rise - slope) < 1e-4);
                assert_true(fabs(bend - curve) < 1e-4 || loss.kind == LEARN_HUBER ||
                            loss.kind == LEARN_HUBER_SVM || loss.kind == LEARN_SMOOTH_HINGE);
                assert_true(bend <= loss.smoothness * (1 + 1e-6) && curve <= loss.smoothness && curve >= 0);
                assert_true(fabs(slope) <= loss.lipschitz && slope >= last - 1e-12);
                assert_true(learn_loss_value(&loss, x) >= 0);
                last = slope;
            }
        }
}

static void extremes_are_numbers(void **state)
{
    const double at[] = { 0, -0.0, 1e-300, 40, -40, 745, -745, 1e18, -1e18, 0x1p60, -0x1p60 };
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        learn_loss loss = learn_loss_of((learn_loss_kind)k, 0.5);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            assert_true(isfinite(learn_loss_slope(&loss, at[i])) && isfinite(learn_loss_value(&loss, at[i])));
            assert_true(fabs(learn_loss_slope(&loss, at[i])) <= loss.lipschitz);
        }
    }
    for (double x = -36; x < 36; x += 0.01) assert_true(fabs(learn_sigmoid(x) * (1 + exp(-x)) - 1) < 1e-13);
}

/* Wherever a row is in an array, and in place. */
static void place_is_of_no_account(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        learn_loss loss = learn_loss_of((learn_loss_kind)k, 0.7);
        double at[N], out[N], shifted[N];
        for (int i = 0; i < N; i++) at[i] = (i - 100) * 0.0713;
        learn_loss_slopes(&loss, out, at, N);
        for (size_t first = 0; first < 70; first++) {
            memcpy(shifted, at, sizeof at);
            learn_loss_slopes(&loss, shifted + first, shifted + first, N - first);
            assert_memory_equal(shifted + first, out + first, (N - first) * sizeof *out);
        }
        for (int i = 0; i < N; i++) assert_true(fabs(out[i] - learn_loss_slope(&loss, at[i])) < 1e-15);
    }
}

static void softmax_is_its_definition(void **state)
{
    const double scores[4] = { 0.3, -1, 2, 0.5 }, wild[4] = { 1e18, -1e18, 0, 5 };
    double p[4], q[4], sum = 0;
    (void)state;
    for (int j = 0; j < 4; j++) sum += exp(scores[j]);
    learn_softmax(p, scores, 4);
    learn_softmax_slopes(q, scores, 4, 2);
    for (int j = 0; j < 4; j++) {
        assert_true(fabs(p[j] - exp(scores[j]) / sum) < 1e-14);
        assert_true(fabs(q[j] - (p[j] - (j == 2))) < 1e-15);
    }
    assert_true(fabs(learn_softmax_value(scores, 4, 2) - (log(sum) - 2)) < 1e-14);
    for (size_t c = 0; c < 4; c++) {
        double square = 0;
        learn_softmax_slopes(q, wild, 4, c);
        for (int j = 0; j < 4; j++) square += q[j] * q[j];
        assert_true(square <= LEARN_SOFTMAX_LIPSCHITZ * LEARN_SOFTMAX_LIPSCHITZ);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(extremes_are_numbers),
        cmocka_unit_test(place_is_of_no_account),
        cmocka_unit_test(softmax_is_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
