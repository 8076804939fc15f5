/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that are a composition: Gaussian noise keeps the claim of its own scale and breaks
 * that of a larger one, also where no epsilon at the claim's delta would show it. */
#include "audit/mechanism.h"
#include "audit_samplers.h"
#include "numeric/special.h"
#include "support.h"

static const double zero = 0, one = 1;
static const dusk_input_pair bit = { { &zero, &one }, "0 and 1" };

static dusk_status draw_gaussian(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    toy *t = context;
    (void)err;
    for (size_t i = 0; i < n; i++)
        out[i] = input[0] + t->scale * sqrt(-2 * log(audit_uniform(&t->coins))) *
                                cos(2 * M_PI * audit_uniform(&t->coins));
    return DUSK_OK;
}

static dusk_composition *claim_of(const char *text)
{
    dusk_composition *c;
    assert_int_equal(dusk_composition_new(&c, DUSK_ADD_REMOVE, NULL), DUSK_OK);
    assert_int_equal(dusk_composition_parse(c, text, NULL), DUSK_OK);
    return c;
}

static dusk_verdict verdict_of(double sigma, const char *text, double delta)
{
    toy t = { audit_coins_seeded(11), sigma, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_gaussian);
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    dusk_composition *claim = claim_of(text);
    options.event = claim;
    options.delta = delta;
    options.draws = 200000;
    options.seed = 1;
    dusk_audit_report r;
    assert_int_equal(dusk_audit_run(&r, &sampler, &bit, 1, &options, NULL), DUSK_OK);
    dusk_composition_free(claim);
    return r.verdict;
}

static void gaussians(void **state)
{
    (void)state;
    assert_int_not_equal(verdict_of(1, "gaussian(1)", 1e-5), DUSK_VIOLATION);
    assert_int_equal(verdict_of(1, "gaussian(1.25)", 1e-5), DUSK_VIOLATION);
    assert_int_not_equal(verdict_of(2, "gaussian(2)", 0.01), DUSK_VIOLATION);
}

/* f of one Gaussian is Phi(Phi^-1(1 - alpha) - 1): tests beside the curve, on either side. */
static void corners(void **state)
{
    (void)state;
    dusk_composition *claim = claim_of("gaussian(1)");
    for (double alpha = 1e-4; alpha < 0.9; alpha *= 2.3) {
        double beta = dusk_normal_cdf(dusk_normal_upper_quantile(alpha) - 1);
        bool refuted = true;
        audit_corner kept = { 1 - beta * 1.001, alpha }, broken = { 1 - beta * 0.999, alpha };
        assert_int_equal(audit_claim_refuted(&refuted, claim, kept, NULL), DUSK_OK);
        assert_false(refuted);
        assert_int_equal(audit_claim_refuted(&refuted, claim, broken, NULL), DUSK_OK);
        assert_true(refuted);
    }
    dusk_composition_free(claim);
}

static void no_epsilon(void **state)
{
    (void)state;
    toy t = { audit_coins_seeded(11), 1, 1, 1 };
    dusk_sampler sampler = toy_sampler(&t, draw_gaussian);
    dusk_audit_options options;
    dusk_audit_report r;
    dusk_audit_options_init(&options);
    dusk_composition *claim = claim_of("gaussian(1)");
    options.event = claim; /* at delta 0 */
    assert_int_equal(dusk_audit_run(&r, &sampler, &bit, 1, &options, NULL), DUSK_ERR_ARGUMENT);
    dusk_composition_free(claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussians),
        cmocka_unit_test(corners),
        cmocka_unit_test(no_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
