/* SPDX-License-Identifier: Apache-2.0 */
/* The audit of mechanisms by counts: how much of the truth its bound shows, what the auditor
 * costs beside the sampler's own draws, and false alarms. */
#include <math.h>

#include "audit/coins.h"
#include "bench.h"
#include "dusk/audit_mechanisms.h"

enum { RUNS = 1000 };

typedef struct noise {
    audit_coins coins;
    double scale;
    uint64_t drawn;
} noise;

static dusk_status draw_laplace(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    noise *l = context;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        double u = audit_uniform(&l->coins) - 0.5;
        out[i] = *input + l->scale * (u < 0 ? log1p(2 * u) : -log1p(-2 * u));
    }
    l->drawn += n;
    return DUSK_OK;
}

static dusk_audit_report audit(noise *l, double second, double claimed, uint64_t draws)
{
    static const double zero = 0;
    const dusk_input_pair pair = { { &zero, &second }, "0 and another" };
    dusk_sampler sampler = { l, 1, 1, draw_laplace, NULL };
    dusk_audit_options options;
    dusk_audit_report report;
    dusk_error err;
    dusk_audit_options_init(&options);
    options.epsilon = claimed;
    options.draws = draws;
    options.seed = 1;
    bench_require(dusk_audit_run(&report, &sampler, &pair, 1, &options, &err), &err);
    return report;
}

/* The bound as a share of the truth, Laplace noise at its claim. */
static void run_share(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    double epsilon = *(const double *)self->setup;
    noise l = { audit_coins_seeded(20261116), 1 / epsilon, 0 };
    (void)gen;
    *out = (bench_result){ audit(&l, 1, epsilon, 0).epsilon / epsilon, 0.97 };
}

static void whole(void *context)
{
    noise *l = context;
    audit(l, 1, 1 / l->scale, 0);
}

static void only_draws(void *context)
{
    noise l = *(noise *)context;
    double out[4096], zero = 0;
    noise counted = l;
    counted.drawn = 0;
    for (uint64_t left = l.drawn ? l.drawn : 1; left > 0;) {
        size_t now = left < 4096 ? (size_t)left : 4096;
        (void)draw_laplace(&counted, out, now, &zero, NULL);
        left -= now;
    }
}

/* CPU seconds of a whole audit, beside its draws alone. */
static void run_time(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    double epsilon = *(const double *)self->setup;
    noise l = { audit_coins_seeded(20261116), 1 / epsilon, 0 };
    (void)gen;
    double start = bench_cpu_seconds();
    whole(&l);
    double middle = bench_cpu_seconds();
    only_draws(&l);
    *out = (bench_result){ middle - start, bench_cpu_seconds() - middle };
}

/* Percent of whole audits of one input against itself that show anything at 95 %. */
static void run_alarms(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    noise l = { audit_coins_seeded(7), 1, 0 };
    unsigned alarms = 0;
    (void)self, (void)gen;
    for (int i = 0; i < RUNS; i++) alarms += audit(&l, 0, 0.7, 8192).epsilon > 0;
    *out = (bench_result){ 100.0 * alarms / RUNS, 5 };
}

static const double large = 0.7, small = 0.1;

const bench_case bench_audit_mechanism_cases[] = {
    { "audit/laplace/share/0.7", "bound over truth, Laplace noise at its claim of 0.7", "of the truth",
      "0.97, a black-box tester's log at 0.1", ">= 0.95", run_share, &large },
    { "audit/laplace/share/0.1", "bound over truth, Laplace noise at its claim of 0.1", "of the truth",
      "0.97, a black-box tester's log", ">= 0.95", run_share, &small },
    { "audit/laplace/time/0.7", "a whole audit of Laplace noise at 0.7", "CPU s", "the same draws alone",
      "<= 1", run_time, &large },
    { "audit/laplace/time/0.1", "a whole audit of Laplace noise at 0.1", "CPU s", "the same draws alone",
      "<= 3", run_time, &small },
    { "audit/false-alarms", "audits of one input against itself that show anything at 95 %", "% of 1000",
      "5 %, what is allowed (peers: 13 to 96 %)", "<= 7", run_alarms, NULL },
    { 0 },
};
