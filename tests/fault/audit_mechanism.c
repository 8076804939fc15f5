/* SPDX-License-Identifier: Apache-2.0 */
/* Audits without memory at the n-th request, and with a sampler that fails: the status says
 * so, the report is untouched, nothing leaks (the sanitizer build looks). */
#include "audit_samplers.h"
#include "failing_memory.h"

static const double zeros[3] = { 0 }, ones[3] = { 1 };
static const dusk_input_pair pair = { { zeros, ones }, "one differs" };

static dusk_audit_options few_draws(void)
{
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = 1;
    options.draws = 600;
    options.search = DUSK_ONE_MOVES;
    options.seed = 1;
    return options;
}

static void no_memory(void **state)
{
    (void)state;
    dusk_audit_options options = few_draws();
    for (long n = 1;; n += n < 60 ? 1 : 37) {
        toy t = { audit_coins_seeded(1), 1, 3, 3 };
        dusk_sampler sampler = toy_sampler(&t, draw_sparse3);
        dusk_audit_report report = { .draws = 77 };
        dusk_error err;
        dusk_memory_fail_at(n);
        dusk_status status = dusk_audit_run(&report, &sampler, &pair, 1, &options, &err);
        if (went_through(status, &err, n, 100000)) break;
        assert_int_equal(report.draws, 77);
    }
}

/* A curve needs memory of its own, for each of its points. */
static void no_memory_for_curves(void **state)
{
    (void)state;
    static const double deltas[] = { 0, 0.1, 0.2 };
    dusk_audit_options options = few_draws();
    for (long n = 1;; n += n < 60 ? 1 : 37) {
        toy t = { audit_coins_seeded(1), 1, 3, 3 };
        dusk_sampler sampler = toy_sampler(&t, draw_sparse3);
        double shown[3] = { 77, 77, 77 }, sure[3] = { 77, 77, 77 };
        dusk_error err;
        dusk_memory_fail_at(n);
        dusk_status status = dusk_audit_curve(shown, sure, deltas, 3, &sampler, &pair, &options, &err);
        if (went_through(status, &err, n, 100000)) break;
        for (int i = 0; i < 3; i++) assert_true(shown[i] == 77 && sure[i] == 77);
    }
}

static dusk_status draw_nothing(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    (void)out, (void)input;
    uint64_t *left = context;
    if (n > *left) return dusk_fail(err, DUSK_ERR_IO, "", "the sampler ended");
    *left -= n;
    for (size_t i = 0; i < n; i++) out[i] = (double)(i % 7) + *input;
    return DUSK_OK;
}

static void sampler_fails(void **state)
{
    (void)state;
    dusk_audit_options options = few_draws();
    for (uint64_t draws = 0; draws < 4000; draws += 321) {
        uint64_t left = draws;
        dusk_sampler sampler = { &left, 1, 1, draw_nothing, NULL };
        dusk_audit_report report = { .draws = 77 };
        dusk_error err;
        assert_int_equal(dusk_audit_run(&report, &sampler, &pair, 1, &options, &err), DUSK_ERR_IO);
        assert_string_equal(err.message, "the sampler ended");
        assert_int_equal(report.draws, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_memory), cmocka_unit_test(no_memory_for_curves),
                                        cmocka_unit_test(sampler_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
