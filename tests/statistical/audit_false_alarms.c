/* SPDX-License-Identifier: Apache-2.0 */
/* False alarms of whole audits, pair and set chosen anew each time. A thousand runs where
 * nothing leaks (continuous, discrete and vector outputs): a bound above 0 in no more than
 * its error, 5 %. A thousand runs of mechanisms exactly at their claim: the bound above the
 * truth in no more than 5 %, a violation (at an alarm of 1e-3 here) in no more than 0.1 %.
 * Each limit is the binomial's at 1e-6, seeds are fixed. A quarter of the runs unless DUSK_DEEP is set, as in
 * make soak. */
#include <stdio.h>
#include <stdlib.h>

#include "audit_samplers.h"
#include "support.h"

enum { LENGTH = 3 };
static const double zeros[LENGTH] = { 0 }, ones[LENGTH] = { 1 };

typedef struct subject {
    const char *name;
    toy_draw *draw;
    size_t length;
    double scale;
    bool same; /* both inputs are zeros: true epsilon 0, else 1 */
    double delta;
    dusk_density_use density;
    unsigned runs;
} subject;

/* The least count that Bin(n, p) exceeds with probability below 1e-6. */
static unsigned limit(unsigned n, double p)
{
    double term = pow(1 - p, n), below = term;
    unsigned k = 0;
    for (; below < 1 - 1e-6; k++) below += term *= p / (1 - p) * (n - k) / (k + 1);
    return k;
}

static void check(const subject *s, uint64_t seed)
{
    toy t = { audit_coins_seeded(seed), s->scale, s->length, s->length };
    const dusk_input_pair pair = { { zeros, s->same ? zeros : ones }, "" }, pairs[2] = { pair, pair };
    dusk_sampler sampler = toy_sampler(&t, s->draw);
    if (s->density) sampler.log_density = density_laplace;
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = s->same ? 0 : 1;
    options.delta = s->delta;
    options.alarm = 1e-3;
    options.draws = 4000;
    options.density = s->density;
    unsigned above = 0, accused = 0, runs = getenv("DUSK_DEEP") ? s->runs : s->runs / 4;
    for (unsigned i = 0; i < runs; i++) {
        dusk_audit_report r;
        options.seed = seed + i;
        assert_int_equal(dusk_audit_run(&r, &sampler, pairs, 2, &options, NULL), DUSK_OK);
        above += r.epsilon > options.epsilon;
        accused += r.verdict == DUSK_VIOLATION;
    }
    print_message("%-28s above the truth %.1f %%, accused %.2f %%\n", s->name, 100.0 * above / runs,
                  100.0 * accused / runs);
    if (above > limit(runs, 0.05)) fail_msg("%s: %u bounds above the truth", s->name, above);
    if (accused > limit(runs, 1e-3)) fail_msg("%s: accused %u times", s->name, accused);
}

static void nothing_leaks(void **state)
{
    (void)state;
    static const subject subjects[] = {
        { "laplace, same", draw_laplace, 1, 1, true, 0, 0, 1000 },
        { "response, same", draw_response, 1, 0.6, true, 0, 0, 1000 },
        { "three numbers, same", draw_laplace, LENGTH, 1, true, 0, 0, 300 },
        { "three bits, same, delta", draw_response, LENGTH, 0.6, true, 0.01, 0, 300 },
    };
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) check(&subjects[i], 1000 * i + 1);
}

static void at_the_claim(void **state)
{
    (void)state;
    const double kept = 1 / (1 + exp(-1));
    const subject subjects[] = {
        { "laplace at its claim", draw_laplace, 1, 1, false, 0, 0, 1000 },
        { "response at its claim", draw_response, 1, kept, false, 0, 0, 1000 },
        { "laplace, ratio as score", draw_laplace, 1, 1, false, 0, DUSK_DENSITY_SCORE, 1000 },
        { "laplace, density trusted", draw_laplace, 1, 1, false, 0, DUSK_DENSITY_TRUSTED, 1000 },
    };
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) check(&subjects[i], 77000 * i + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_leaks), cmocka_unit_test(at_the_claim) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
