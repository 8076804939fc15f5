/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds that believe a density: never above the truth of Laplace and Gaussian pairs, close
 * to it, and sound for counts that come from exact probabilities; a density that is a little
 * off by rounding accuses nobody. */
#include "audit/trusted_density.h"
#include "audit_samplers.h"
#include "numeric/special.h"
#include "support.h"

static const double zero = 0, one = 1;
static const dusk_input_pair bit = { { &zero, &one }, "0 and 1" };

static dusk_audit_report audited(dusk_sampler sampler, double claimed, double delta)
{
    dusk_audit_options options;
    dusk_audit_report report;
    dusk_audit_options_init(&options);
    options.epsilon = claimed;
    options.delta = delta;
    options.density = DUSK_DENSITY_TRUSTED;
    assert_int_equal(dusk_audit_run(&report, &sampler, &bit, 1, &options, NULL), DUSK_OK);
    assert_int_equal(report.density, DUSK_DENSITY_TRUSTED);
    return report;
}

/* Exactly at its claim: the ratio rounds to above it now and then, the verdict never does. */
static void at_the_claim(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        double claimed = 0.1 * (double)seed + 0.3;
        toy t = { audit_coins_seeded(seed), 1 / claimed, 1, 1 };
        dusk_sampler sampler = toy_sampler(&t, draw_laplace);
        sampler.log_density = density_laplace;
        dusk_audit_report r = audited(sampler, claimed, 0);
        assert_int_equal(r.verdict, DUSK_PASS);
        assert_true(r.epsilon > 0.999 * claimed && r.epsilon < claimed);
        assert_int_equal(audited(sampler, claimed * 0.999, 0).verdict, DUSK_VIOLATION);
    }
}

/* delta(e) of Laplace noise of scale 1 and distance d. */
static double laplace_delta(double e, double d) { return e < d ? -expm1((e - d) / 2) : 0; }

/* Counts at their expectations, many trials: the ladder's delta is below the truth, and near. */
static void exact_counts(void **state)
{
    (void)state;
    for (double d = 0.25; d < 4; d *= 2) {
        audit_ladder ladder = { .count = AUDIT_RUNGS, .trials = UINT64_C(1) << 36 };
        for (size_t k = 0; k < AUDIT_RUNGS; k++) {
            /* P(L > t) for P at 0, Q at d: L = d below 0, -d above d, d - 2x between */
            double t = d * (2 * (double)(k + 1) / (AUDIT_RUNGS + 1) - 1), x = (d - t) / 2;
            ladder.place[k] = ladder.cut[k] = t;
            ladder.hits[k] = (uint64_t)floor((double)ladder.trials * (1 - exp(-x) / 2));
        }
        for (double e = 0; e < 1.2 * d; e += d / 16) {
            double have = audit_ladder_delta(&ladder, e, 1e-6), truth = laplace_delta(e, d);
            assert_true(have >= 0 && have <= truth + 1e-9);
            if (e < d / 2) assert_true(have > 0.9 * truth);
        }
        double top = d * (2 * (double)AUDIT_RUNGS / (AUDIT_RUNGS + 1) - 1);
        assert_true(fabs(audit_ladder_epsilon(&ladder, 0, 1e-6) - top) < 1e-9);
        assert_true(audit_ladder_epsilon(&ladder, 1, 1e-6) == 0);
        assert_true(audit_ladder_epsilon(&ladder, NAN, 1e-6) == 0);
    }
}

static dusk_status no_density(void *context, double *out, const double *outputs, size_t n,
                              const double *input, dusk_error *err)
{
    (void)context, (void)outputs, (void)input, (void)err;
    for (size_t i = 0; i < n; i++) out[i] = NAN;
    return DUSK_OK;
}

/* No pass where a fault could not have been seen: no ratios, or hardly any draws. */
static void no_evidence(void **state)
{
    (void)state;
    toy t = { audit_coins_seeded(5), 1, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_laplace);
    sampler.log_density = no_density;
    dusk_audit_report r = audited(sampler, 0.5, 0);
    assert_true(r.verdict == DUSK_INCONCLUSIVE && r.epsilon == 0 && isinf(r.detectable));
    sampler.log_density = density_laplace;
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = 2;
    options.draws = 20;
    options.density = DUSK_DENSITY_TRUSTED;
    assert_int_equal(dusk_audit_run(&r, &sampler, &bit, 1, &options, NULL), DUSK_OK);
    assert_int_equal(r.verdict, DUSK_INCONCLUSIVE);
    /* twenty numbers: ratios near epsilon are rare, and what hid above the claim is said */
    toy many = { audit_coins_seeded(6), 25, 1, 20 };
    static const double zeros[20] = { 0 },
                        ones[20] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const dusk_input_pair all = { { zeros, ones }, "all" };
    sampler = toy_sampler(&many, draw_laplace);
    sampler.log_density = density_laplace;
    options.epsilon = 0.7;
    options.draws = 100000;
    assert_int_equal(dusk_audit_run(&r, &sampler, &all, 1, &options, NULL), DUSK_OK);
    assert_true(r.epsilon < 0.7 && r.detectable > 0.73);
    options.density = (dusk_density_use)3;
    assert_int_equal(dusk_audit_run(&r, &sampler, &bit, 1, &options, NULL), DUSK_ERR_ARGUMENT);
}

static void nothing_counted(void **state)
{
    (void)state;
    audit_ladder ladder = { .count = 2, .place = { 1, 2 }, .cut = { 1, 2 }, .trials = 1000 };
    assert_true(audit_ladder_epsilon(&ladder, 0, 0.05) == 0);
    ladder.hits[0] = ladder.hits[1] = 1;
    assert_true(fabs(audit_ladder_epsilon(&ladder, 0, 0.05) - 2) < 1e-9);
    audit_ladder empty = { 0 };
    assert_true(audit_ladder_epsilon(&empty, 0, 0.05) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_claim),
        cmocka_unit_test(exact_counts),
        cmocka_unit_test(no_evidence),
        cmocka_unit_test(nothing_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
