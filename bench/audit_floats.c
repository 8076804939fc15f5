/* SPDX-License-Identifier: Apache-2.0 */
/* Audits of bits and times: what is shown of naive noise beside what the peer shows (DP-Sniper's stored
 * log: 0.252 for a Laplace sampler of doubles at 0.1, after 1817 s of search and 308 s of
 * counting), how fast right noise is audited, and false alarms. CPU seconds are those of a
 * whole audit. */
#include <stdlib.h>

#include "audit/float_noise.h"
#include "bench.h"
#include "dusk/audit_floats.h"
#include "dusk/mechanisms_numbers.h"

enum { RUNS = 1000, AUDITED = 1 << 20 };

typedef struct setup {
    audit_float_method *method;
    double epsilon, delta;
    double peer; /* 0: none */
    int knows;   /* the scale is given */
} setup;

static dusk_audit_options claim(double epsilon, double delta, uint64_t draws)
{
    dusk_audit_options options;
    dusk_audit_options_init(&options);
    options.epsilon = epsilon;
    options.delta = delta;
    options.draws = draws;
    return options;
}

static dusk_audit_report audit(const dusk_sampler *sampler, const double values[2], double scale,
                               const dusk_audit_options *options)
{
    dusk_audit_report report;
    dusk_error err;
    dusk_input_pair pair = { { &values[0], &values[1] }, "" };
    bench_require(dusk_audit_bits(&report, sampler, &pair, scale, options, &err), &err);
    return report;
}

/* Epsilon that is shown of naive noise; sigma = 1/epsilon for Gaussian noise. */
static void run_naive(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static const double values[2] = { 0, 1 };
    const setup *s = self->setup;
    double scale = 1 / s->epsilon;
    dusk_audit_options options = claim(s->epsilon, s->delta, 0);
    audit_float_noise noise;
    (void)gen;
    audit_float_noise_init(&noise, s->method, scale, 20260711);
    dusk_sampler sampler = audit_float_sampler(&noise);
    *out = (bench_result){ audit(&sampler, values, s->knows ? scale : 0, &options).epsilon, s->peer };
}

/* --- right noise ------------------------------------------------------------------------- */

typedef struct release {
    dusk_noise noise;
    dusk_generator *gen;
} release;

static dusk_status draw_release(void *context, double *out, size_t n, const double *input, dusk_error *err)
{
    const release *r = context;
    dusk_status status = DUSK_OK;
    for (size_t i = 0; i < n && status == DUSK_OK; i++)
        status = dusk_noise_release(&r->noise, &out[i], *input, r->gen, err);
    return status;
}

static void audit_release(void *context)
{
    static const double values[2] = { 0, 1 };
    dusk_sampler sampler = {
        .context = context, .input_length = 1, .output_length = 1, .draw = draw_release
    };
    dusk_audit_options options = claim(0.7, 0, AUDITED);
    audit(&sampler, values, 1 / 0.7, &options);
}

static void draw_only(void *context)
{
    double out[1024];
    const double value = 0;
    dusk_error err;
    uint64_t draws = 2 * (AUDITED + dusk_audit_bits_selection(AUDITED));
    for (uint64_t i = 0; i < draws; i += 1024)
        bench_require(draw_release(context, out, 1024, &value, &err), &err);
}

static void run_right(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    release r = { .gen = gen };
    dusk_error err;
    (void)self;
    bench_require(dusk_laplace_init(&r.noise, 1, 1, 0.7, DUSK_GRID_DEFAULT, &err), &err);
    *out = bench_rate(bench_compare(audit_release, draw_only, &r),
                      2 * (double)(AUDITED + dusk_audit_bits_selection(AUDITED)));
}

/* --- false alarms ------------------------------------------------------------------------- */

/* Percent of audits of one value against itself that show anything at 95 %. */
static void run_alarms(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static const double same[2] = { 1, 1 };
    dusk_audit_options options = claim(0, 0, 8192);
    audit_float_noise noise;
    unsigned alarms = 0;
    (void)self, (void)gen;
    audit_float_noise_init(&noise, audit_float_laplace, 1, 20260711);
    dusk_sampler sampler = audit_float_sampler(&noise);
    for (int i = 0; i < RUNS; i++) alarms += audit(&sampler, same, 0, &options).epsilon > 0;
    *out = (bench_result){ 100.0 * alarms / RUNS, 5 };
}

/* The same of times that know nothing of values. */
static void run_timing_alarms(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    enum { N = 4096 };
    dusk_error err;
    unsigned alarms = 0;
    (void)self;
    for (int i = 0; i < RUNS; i++) {
        dusk_timing_report report;
        double *values = bench_uniform(N, -1, 1, gen), *durations = bench_uniform(N, 100, 110, gen);
        bench_require(dusk_audit_timing(&report, values, durations, N, 0.05, &err), &err);
        alarms += report.verdict == DUSK_VIOLATION;
        free(values);
        free(durations);
    }
    *out = (bench_result){ 100.0 * alarms / RUNS, 5 };
}

#define NAIVE(name_, what_, method_, epsilon_, delta_, knows_, peer_, floor_)                                \
    {                                                                                                        \
        .name = "audit/bits/" name_, .what = what_, .unit = "epsilon >=", .floor = floor_, .aim = ">= 10",   \
        .run = run_naive, .setup = &(const setup)                                                            \
        {                                                                                                    \
            method_, epsilon_, delta_, peer_, knows_                                                         \
        }                                                                                                    \
    }

const bench_case bench_audit_float_cases[] = {
    NAIVE("laplace/0.1", "naive double Laplace, claimed 0.1, as a black box", audit_float_laplace, 0.1, 0, 0,
          0.252, "DP-Sniper 35 min"),
    NAIVE("laplace-support/0.1", "the same led back through its formula", audit_float_laplace, 0.1, 0, 1,
          0.252, "DP-Sniper 35 min"),
    NAIVE("laplace/0.7", "naive double Laplace, claimed 0.7, as a black box", audit_float_laplace, 0.7, 0, 0,
          0, "none"),
    NAIVE("polar/0.7", "polar Gaussian of doubles, sigma 1/0.7, as a black box", audit_float_polar, 0.7, 1e-5,
          0, 0, "none"),
    { .name = "audit/bits/dusk-laplace",
      .what = "draws of dusk_laplace audited, all features",
      .unit = "M draws/s",
      .floor = "draws alone",
      .aim = "",
      .run = run_right },
    { .name = "audit/bits/false-alarms",
      .what = "audits of 1000 where there is nothing to find",
      .unit = "% of runs",
      .floor = "as stated",
      .aim = "ratio <= 1",
      .run = run_alarms },
    { .name = "audit/timing/false-alarms",
      .what = "timing tests of 1000 where there is nothing to find",
      .unit = "% of runs",
      .floor = "as stated",
      .aim = "ratio <= 1",
      .run = run_timing_alarms },
    { .name = NULL },
};
