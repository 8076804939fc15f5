/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of small mechanisms whose true epsilon is known: the bound is below it and close,
 * the verdict is right, and what may not be asked is refused. */
#include <string.h>

#include "audit/score.h"
#include "audit_samplers.h"
#include "dusk/audit.h"
#include "support.h"

static const double zero[10] = { 0 };
static const double one[10] = { 1 };
static const dusk_input_pair bit = { { zero, one }, "one differs" };

static toy toy_of(uint64_t seed, double scale, size_t inputs, size_t outputs)
{
    return (toy){ audit_coins_seeded(seed), scale, inputs, outputs };
}

static dusk_audit_report audited_with(toy *t, toy_draw *draw, double claimed, uint64_t draws)
{
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = claimed;
    options.draws = draws;
    options.seed = 7;
    dusk_sampler sampler = toy_sampler(t, draw);
    dusk_audit_report report;
    assert_int_equal(dusk_audit_run(&report, &sampler, &bit, 1, &options, NULL), DUSK_OK);
    return report;
}

static dusk_audit_report audited(toy *t, toy_draw *draw, double claimed)
{
    return audited_with(t, draw, claimed, 0);
}

static void laplace(void **state)
{
    (void)state;
    toy t = toy_of(1, 1 / 0.7, 1, 1);
    dusk_audit_report r = audited(&t, draw_laplace, 0.7);
    assert_true(r.epsilon > 0.95 * 0.7 && r.epsilon < 0.7);
    assert_int_equal(r.verdict, DUSK_PASS);
    r = audited(&t, draw_laplace, 0.5);
    assert_true(r.epsilon > 0.95 * 0.7 && r.epsilon < 0.7);
    assert_int_equal(r.verdict, DUSK_VIOLATION);
}

static void response(void **state)
{
    (void)state;
    toy t = toy_of(2, 1 / (1 + exp(-0.7)), 1, 1);
    dusk_audit_report r = audited(&t, draw_response, 0.7);
    assert_true(r.epsilon > 0.95 * 0.7 && r.epsilon < 0.7);
    assert_int_equal(r.verdict, DUSK_PASS);
    assert_int_equal(audited(&t, draw_response, 0.6).verdict, DUSK_VIOLATION);
}

static dusk_status draw_constant(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    (void)context, (void)input, (void)err;
    for (size_t i = 0; i < n; i++) out[i] = 3;
    return DUSK_OK;
}

static dusk_status draw_last_bit(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    (void)context, (void)err;
    for (size_t i = 0; i < n; i++) out[i] = 1 + 0x1p-52 * input[0];
    return DUSK_OK;
}

/* Nothing to count, and nothing to hide; where the last bit tells all, at least no pass. */
static void constant(void **state)
{
    (void)state;
    toy t = toy_of(3, 1, 1, 1);
    dusk_audit_report r = audited(&t, draw_constant, 0.7);
    assert_true(r.epsilon == 0 && r.detectable > 0.7 && r.detectable < 0.9);
    assert_int_equal(r.verdict, DUSK_PASS);
    assert_int_equal(audited(&t, draw_last_bit, 0.7).verdict, DUSK_INCONCLUSIVE);
}

/* Whether a point of the curve, or of the curve of the complements, shows that epsilon is above
 * `epsilon`, at an error that all points of it may share. */
static bool leaves(const dusk_audit_roc *roc, double epsilon)
{
    for (size_t i = 0; i < roc->count; i++) {
        uint64_t p = (uint64_t)llround(roc->p[i] * (double)roc->draws),
                 q = (uint64_t)llround(roc->q[i] * (double)roc->draws), n = roc->draws;
        if (dusk_epsilon_down(p, n, q, n, 0, 1e-9) > epsilon) return true;
        if (dusk_epsilon_down(n - q, n, n - p, n, 0, 1e-9) > epsilon) return true;
    }
    return false;
}

static void assert_curve(const dusk_audit_roc *roc)
{
    size_t n = roc->count;
    assert_true(n >= 3 && n <= DUSK_AUDIT_ROC_MAX && roc->draws > 0);
    assert_true(roc->p[0] == 0 && roc->q[0] == 0 && roc->p[n - 1] == 1 && roc->q[n - 1] == 1);
    for (size_t i = 1; i < n; i++) assert_true(roc->p[i] >= roc->p[i - 1] && roc->q[i] >= roc->q[i - 1]);
}

/* The curve of a right mechanism stays in what its claim allows, that of a wrong one leaves it, on the
 * side of P; and the deciding set lies on it. */
static void reached(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        toy t = toy_of(seed, 1 / 0.7, 1, 1);
        dusk_audit_report right = audited_with(&t, draw_laplace, 0.7, 100000),
                          wrong = audited_with(&t, draw_laplace, 0.5, 100000);
        assert_curve(&right.roc);
        assert_curve(&wrong.roc);
        assert_false(leaves(&right.roc, 0.7));
        assert_true(leaves(&wrong.roc, 0.5));
        double p = (double)wrong.hits[0] / (double)wrong.trials[0], nearest = 1;
        for (size_t i = 0; i < wrong.roc.count; i++) nearest = fmin(nearest, fabs(wrong.roc.p[i] - p));
        assert_true(nearest < 6 * sqrt(p / (double)wrong.roc.draws));
    }
    toy t = toy_of(5, 1 / (1 + exp(-0.7)), 1, 1);
    dusk_audit_report r = audited_with(&t, draw_response, 0.6, 100000);
    assert_curve(&r.roc);
    assert_int_equal(r.roc.count, 3);
    assert_true(leaves(&r.roc, 0.6) && !leaves(&r.roc, 0.7));
    assert_int_equal(audited_with(&t, draw_constant, 0.7, 100000).roc.count, 0);
}

/* Shows its input while the first two steps look, and nothing from then on. */
typedef struct turncoat {
    toy noise;
    uint64_t drawn, until;
} turncoat;

static dusk_status draw_turncoat(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    turncoat *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++)
        out[i] = (t->drawn++ < t->until ? input[0] : 0) + toy_laplace(&t->noise.coins);
    return DUSK_OK;
}

/* Only draws of the last step enter the bound. */
static void fresh_draws(void **state)
{
    (void)state;
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = 0.1;
    options.draws = 20000;
    turncoat t = { .until = UINT64_MAX };
    dusk_sampler sampler = { &t, 1, 1, draw_turncoat, NULL };
    dusk_audit_report r;
    t.noise = toy_of(9, 1, 1, 1);
    assert_int_equal(dusk_audit_run(&r, &sampler, &bit, 1, &options, NULL), DUSK_OK);
    assert_int_equal(r.verdict, DUSK_VIOLATION);
    t = (turncoat){ toy_of(10, 1, 1, 1), 0, r.draws - r.trials[0] - r.trials[1] };
    assert_int_equal(dusk_audit_run(&r, &sampler, &bit, 1, &options, NULL), DUSK_OK);
    assert_int_equal(t.drawn - t.until, r.trials[0] + r.trials[1]);
    assert_true(r.verdict != DUSK_VIOLATION && r.epsilon < 0.1);
}

static void refused(void **state)
{
    (void)state;
    toy t = toy_of(1, 1, 1, 1);
    dusk_sampler sampler = toy_sampler(&t, draw_laplace), none = { 0 };
    dusk_audit_report report, before;
    memset(&report, 7, sizeof report);
    before = report;
    static const double bad[] = { NAN, -1, INFINITY };
    for (int field = 0; field < 4; field++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            dusk_audit_options o;
            dusk_audit_options_init(&o);
            *(double *[]){ &o.epsilon, &o.delta, &o.confidence, &o.alarm }[field] = bad[i];
            assert_int_equal(dusk_audit_run(&report, &sampler, &bit, 1, &o, NULL), DUSK_ERR_ARGUMENT);
        }
    dusk_audit_options o;
    dusk_audit_options_init(&o);
    assert_int_equal(dusk_audit_run(&report, &none, &bit, 1, &o, NULL), DUSK_ERR_ARGUMENT);
    assert_int_equal(dusk_audit_run(&report, &sampler, &bit, 0, &o, NULL), DUSK_ERR_ARGUMENT);
    o.size = 0;
    assert_int_equal(dusk_audit_run(&report, &sampler, &bit, 1, &o, NULL), DUSK_ERR_ARGUMENT);
    assert_memory_equal(&report, &before, sizeof report);
}

/* Values that are infinite, or so far apart that their difference is, have thresholds between
 * them. */
static void far_apart(void **state)
{
    (void)state;
    const double sorted[] = { -INFINITY, -INFINITY, -1e308, 1e308, 1e308, INFINITY, INFINITY };
    double t[400];
    assert_int_equal(audit_thresholds(t, 384, sorted, 7), 3);
    assert_true(t[0] < -1e308 && t[1] > -1e308 && t[1] < 1e308 && t[2] > 1e308 && t[2] < INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace),     cmocka_unit_test(response), cmocka_unit_test(constant),
        cmocka_unit_test(fresh_draws), cmocka_unit_test(refused),  cmocka_unit_test(far_apart),
        cmocka_unit_test(reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
