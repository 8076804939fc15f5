/* SPDX-License-Identifier: Apache-2.0 */
/* Curves on one pair: epsilon at several deltas of Laplace noise and Renyi divergences, each
 * below its truth and close; and the bounds hold all together, in as many runs as they
 * promise. */
#include "audit_samplers.h"
#include "support.h"

static const double zero = 0, one = 1;
static const dusk_input_pair bit = { { &zero, &one }, "0 and 1" }, same = { { &zero, &zero }, "same" };

static dusk_audit_options options_of(double claimed, double confidence, uint64_t draws)
{
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = claimed;
    options.confidence = confidence;
    options.draws = draws;
    options.seed = 3;
    return options;
}

static void deltas_of_laplace(void **state)
{
    (void)state;
    toy t = { audit_coins_seeded(5), 1, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_laplace);
    dusk_audit_options options = options_of(1, 0.95, 300000);
    static const double deltas[] = { 0, 0.01, 0.1, 0.3, 0.5 };
    double have[5];
    assert_int_equal(dusk_audit_curve(have, NULL, deltas, 5, &sampler, &bit, &options, NULL), DUSK_OK);
    for (int i = 0; i < 5; i++) { /* delta(e) = 1 - exp((e - 1)/2) */
        double truth = fmax(0, 1 + 2 * log1p(-deltas[i]));
        if (!(have[i] <= truth && have[i] >= 0.93 * truth - 0.01))
            fail_msg("delta %g: %.4f of %.4f", deltas[i], have[i], truth);
    }
}

static void orders_of_response(void **state)
{
    (void)state;
    toy t = { audit_coins_seeded(6), 0.7, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_response);
    dusk_audit_options options = options_of(1, 0.95, 300000);
    static const double orders[] = { 1.1, 2, 8, 64 };
    double have[4];
    assert_int_equal(dusk_audit_renyi(have, NULL, orders, 4, &sampler, &bit, &options, NULL), DUSK_OK);
    for (int i = 0; i < 4; i++) {
        double a = orders[i],
               truth = log(pow(0.7, a) * pow(0.3, 1 - a) + pow(0.3, a) * pow(0.7, 1 - a)) / (a - 1);
        if (!(have[i] <= truth && have[i] >= 0.93 * truth))
            fail_msg("order %g: %.4f of %.4f", a, have[i], truth);
    }
}

/* Many points at a confidence of one half, the same law on both sides: a share of the error for
 * each makes wrong bounds rare, all of it for each about one run in six. */
static void together(void **state)
{
    (void)state;
    enum { POINTS = 24, RUNS = 100 };
    toy t = { audit_coins_seeded(7), 0.5, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_response);
    dusk_audit_options options = options_of(1, 0.5, 512);
    double deltas[POINTS], have[POINTS];
    for (int i = 0; i < POINTS; i++) deltas[i] = 1e-5 * i;
    unsigned wrong = 0;
    for (int run = 0; run < RUNS; run++) {
        assert_int_equal(dusk_audit_curve(have, NULL, deltas, POINTS, &sampler, &same, &options, NULL),
                         DUSK_OK);
        bool any = false;
        for (int i = 0; i < POINTS; i++) any |= have[i] > 0;
        wrong += any;
    }
    assert_true(wrong < 6);
}

/* An alarm that 1 - alarm would forget: sets that always happen on one side and never on the other
 * have known counts, and the bounds at both levels are those of the counts, each at its share. */
static void sure_of_alarm(void **state)
{
    (void)state;
    enum { DRAWS = 1000, POINTS = 4 };          /* powers of two share an error without rounding */
    toy t = { audit_coins_seeded(9), 2, 1, 1 }; /* it always tells */
    dusk_sampler sampler = toy_sampler(&t, draw_response);
    dusk_audit_options options = options_of(1, 0.75, DRAWS);
    options.alarm = 1e-30;
    static const double deltas[POINTS] = { 0, 0.01, 0.1, 0.5 }, orders[POINTS] = { 1.1, 2, 8, 64 };
    double have[POINTS], sure[POINTS];
    assert_int_equal(dusk_audit_curve(have, sure, deltas, POINTS, &sampler, &bit, &options, NULL), DUSK_OK);
    for (int i = 0; i < POINTS; i++) {
        assert_true(have[i] == dusk_epsilon_down(DRAWS, DRAWS, 0, DRAWS, deltas[i], 0.25 / POINTS));
        assert_true(sure[i] == dusk_epsilon_down(DRAWS, DRAWS, 0, DRAWS, deltas[i], 1e-30 / POINTS));
        assert_true(sure[i] > 0 && sure[i] < have[i]);
    }
    assert_int_equal(dusk_audit_renyi(have, sure, orders, POINTS, &sampler, &bit, &options, NULL), DUSK_OK);
    for (int i = 0; i < POINTS; i++) {
        assert_true(have[i] == dusk_renyi_down(DRAWS, DRAWS, 0, DRAWS, orders[i], 0.25 / POINTS));
        assert_true(sure[i] == dusk_renyi_down(DRAWS, DRAWS, 0, DRAWS, orders[i], 1e-30 / POINTS));
        assert_true(sure[i] > 0 && sure[i] < have[i]);
    }
}

static void refused(void **state)
{
    (void)state;
    toy t = { audit_coins_seeded(8), 1, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_laplace);
    dusk_audit_options options = options_of(1, 0.95, 1000);
    static const double bad[] = { NAN, -1, INFINITY, 1 };
    double out = 7;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(dusk_audit_curve(&out, NULL, &bad[i], 1, &sampler, &bit, &options, NULL),
                         DUSK_ERR_ARGUMENT);
        assert_int_equal(dusk_audit_renyi(&out, NULL, &bad[i], 1, &sampler, &bit, &options, NULL),
                         DUSK_ERR_ARGUMENT);
    }
    assert_true(out == 7);
    assert_int_equal(dusk_audit_curve(NULL, NULL, NULL, 0, &sampler, &bit, &options, NULL), DUSK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deltas_of_laplace), cmocka_unit_test(orders_of_response),
        cmocka_unit_test(together),          cmocka_unit_test(sure_of_alarm),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
