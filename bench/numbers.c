/* SPDX-License-Identifier: Apache-2.0 */
/* Noise for one number that is no case of bench/mechanisms.c: answers in a range, beside one
 * constant-work draw, and calibrations that search. */
#include "bench.h"
#include "dusk/mechanisms.h"
#include "random/noise_additive.h"

enum { DRAWS = 20000, CALIBRATIONS = 20 };

typedef struct job {
    dusk_generator *gen;
    dusk_bounded_laplace bounded;
    dusk_additive draw;
} job;

static void draw_each(void *context)
{
    const job *j = context;
    dusk_error err;
    dusk_int128 k;
    for (size_t i = 0; i < DRAWS; i++) bench_require(dusk_additive_draw(&j->draw, &k, j->gen, &err), &err);
}

static void release_bounded(void *context)
{
    const job *j = context;
    dusk_error err;
    double out;
    for (size_t i = 0; i < DRAWS; i++)
        bench_require(dusk_bounded_laplace_release(&j->bounded, &out, (double)(i % 100), j->gen, &err), &err);
}

static void run_bounded(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = { .gen = gen };
    dusk_error err;
    (void)self;
    bench_require(dusk_bounded_laplace_init(&j.bounded, 0, 100, 1, 1, DUSK_GRID_DEFAULT, &err), &err);
    dusk_additive_init(&j.draw, DUSK_ADDITIVE_LAPLACE, 0x1p40, DUSK_WIDTH_FULL);
    *out = bench_rate(bench_compare(release_bounded, draw_each, &j), DRAWS);
}

static void calibrate_laplace(void *context)
{
    dusk_error err;
    dusk_noise noise;
    (void)context;
    for (int i = 0; i < CALIBRATIONS; i++)
        bench_require(dusk_laplace_init(&noise, 1, 1, 1 + i, DUSK_GRID_DEFAULT, &err), &err);
}

static void calibrate_bounded(void *context)
{
    dusk_error err;
    dusk_bounded_laplace bounded;
    (void)context;
    for (int i = 0; i < CALIBRATIONS; i++)
        bench_require(dusk_bounded_laplace_init(&bounded, 0, 100, 1, 1 + i, DUSK_GRID_DEFAULT, &err), &err);
}

static void calibrate_sinh_normal(void *context)
{
    dusk_error err;
    dusk_noise noise;
    (void)context;
    for (int i = 0; i < CALIBRATIONS; i++)
        bench_require(dusk_sinh_normal_init(&noise, 1, 1 + i, 1e-6, DUSK_GRID_DEFAULT, &err), &err);
}

static void run_calibration(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    bench_work *const *work = self->setup;
    (void)gen;
    *out = bench_cost(bench_compare(*work, calibrate_laplace, NULL), CALIBRATIONS);
}

#define CALIBRATION(title, text, function)                                                                   \
    {                                                                                                        \
        .name = "calibrate/" title, .what = text, .unit = "ns", .floor = "Laplace calibration", .aim = "",   \
        .run = run_calibration, .setup = &(bench_work *const)                                                \
        {                                                                                                    \
            function                                                                                         \
        }                                                                                                    \
    }

const bench_case bench_number_cases[] = {
    { .name = "release/bounded-laplace",
      .what = "one number with an answer in a range, calibrated beforehand",
      .unit = "M releases/s",
      .floor = "one constant-work draw",
      .aim = "",
      .run = run_bounded },
    CALIBRATION("bounded-laplace", "the least scale of a bounded range", calibrate_bounded),
    CALIBRATION("sinh-normal", "bent noise for an epsilon and a delta", calibrate_sinh_normal),
    { .name = NULL },
};
