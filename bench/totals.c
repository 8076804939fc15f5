/* SPDX-License-Identifier: Apache-2.0 */
/* The totals of steps of private training, released in pieces: 203530 of them, as in a net of 784, 256, 10 units, with
 * Gaussian noise of 2^22 steps. The floor are the same draws in bulk, a piece at a time, which nobody looks at. */
#include "mechanisms/totals.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "mechanisms/noise.h"
#include "random/noise_additive.h"

enum { TOTALS = 203530, PIECE = 4096, STEPS = 16 };

typedef struct job {
    dusk_generator *gen;
    dusk_noise noise;
    dusk_additive law;
    dusk_ahead ahead;
    int64_t *totals, *drawn;
    double *doubles;
    float *floats;
} job;

static size_t piece_at(size_t at) { return TOTALS - at < PIECE ? TOTALS - at : PIECE; }

static void draw(void *context)
{
    job *j = context;
    dusk_error err;
    for (int step = 0; step < STEPS; step++)
        for (size_t at = 0; at < TOTALS; at += PIECE)
            bench_require(dusk_additive_fill(&j->law, j->drawn, piece_at(at), j->gen, &err), &err);
}

static void release(job *j, dusk_ahead *ahead, bool floats)
{
    dusk_error err;
    dusk_totals now;
    bench_require(dusk_totals_begin(&now, &j->noise, ahead, j->gen, &err), &err);
    for (size_t at = 0; at < TOTALS; at += PIECE)
        bench_require(
            floats ? dusk_totals_release_floats(&now, j->floats, j->totals + at, piece_at(at), j->gen, &err)
                   : dusk_totals_release(&now, j->doubles, j->totals + at, piece_at(at), j->gen, &err),
            &err);
}

static void pieces(void *context)
{
    for (int step = 0; step < STEPS; step++) release(context, NULL, false);
}

static void floats(void *context)
{
    for (int step = 0; step < STEPS; step++) release(context, NULL, true);
}

static void ahead(void *context)
{
    job *j = context;
    dusk_error err;
    for (int step = 0; step < STEPS; step++) {
        bench_require(dusk_ahead_draw(&j->ahead, &j->noise, j->gen, &err), &err);
        release(j, &j->ahead, false);
    }
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    dusk_error err;
    job j = { .gen = gen };
    bench_require(dusk_gaussian_multiplier_init(&j.noise, TOTALS, 1, 1, -22, &err), &err);
    bench_require(dusk_noise_for_total(&j.noise, &err), &err);
    dusk_additive_init(&j.law, DUSK_ADDITIVE_GAUSSIAN, dusk_noise_scale_in_steps(&j.noise), DUSK_WIDTH_FULL);
    j.totals = bench_allocate(TOTALS, sizeof *j.totals);
    j.drawn = bench_allocate(PIECE, sizeof *j.drawn);
    j.doubles = bench_allocate(PIECE, sizeof *j.doubles);
    j.floats = bench_allocate(PIECE, sizeof *j.floats);
    *out = bench_rate(bench_compare(*(bench_work *const *)self->setup, draw, &j), (double)STEPS * TOTALS);
    dusk_ahead_clear(&j.ahead);
    free(j.totals);
    free(j.drawn);
    free(j.doubles);
    free(j.floats);
}

#define CASE(title, text, work, wish)                                                                        \
    {                                                                                                        \
        .name = "release/totals" title, .what = text, .unit = "M values/s", .floor = "the draws in bulk",    \
        .aim = wish, .run = run, .setup = &(bench_work *const)                                               \
        {                                                                                                    \
            work                                                                                             \
        }                                                                                                    \
    }

const bench_case bench_total_cases[] = {
    CASE("", "203530 exact totals in pieces of 4096", pieces, "ratio >= 0.77"),
    CASE("/floats", "203530 exact totals in pieces of 4096, answers in floats", floats, "ratio >= 0.77"),
    CASE("/ahead", "203530 exact totals in pieces of 4096, noise drawn before", ahead, ""),
    { .name = NULL },
};
