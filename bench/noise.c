/* SPDX-License-Identifier: Apache-2.0 */
/* Additive noise: draws one at a time with constant work, vectors in bulk, and
 * the correlation of a draw's time with its size. The floor of speed is the
 * generator: nothing can be faster than the coins a draw takes. The floor of
 * the correlation is chance: the time of three plain words beside each draw. */
#include <math.h>
#include <stdlib.h>

#include "base/ticks.h"
#include "bench.h"
#include "random/noise_additive.h"

enum { DRAWS = 1 << 18, BULK = 10000000, TIMED = 200000, SAMPLES = 5 };

typedef struct setup {
    dusk_additive_law law;
    double scale; /* grid steps */
    double bytes; /* coins of a draw: exact, or of the first trial */
} setup;

typedef struct job {
    dusk_additive additive;
    dusk_generator *gen;
    double bytes;    /* of all draws of a repetition */
    int64_t *values; /* bulk */
    uint64_t sink;
} job;

static job start(const setup *s, dusk_generator *gen, double draws)
{
    job j = { .gen = gen, .bytes = s->bytes * draws };
    dusk_additive_init(&j.additive, s->law, s->scale, DUSK_WIDTH_FULL);
    return j;
}

static void take_coins(void *context)
{
    const job *j = context;
    bench_take_bytes(j->gen, j->bytes);
}

/* --- one at a time ------------------------------------------------------------ */

static void draw_singly(void *context)
{
    job *j = context;
    dusk_error err;
    for (size_t i = 0; i < DRAWS; i++) {
        dusk_int128 k;
        bench_require(dusk_additive_draw(&j->additive, &k, j->gen, &err), &err);
        j->sink ^= (uint64_t)k;
    }
}

static void run_constant(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(self->setup, gen, DRAWS);
    *out = bench_rate(bench_compare(draw_singly, take_coins, &j), DRAWS);
    bench_keep((double)j.sink);
}

/* --- in bulk ------------------------------------------------------------------- */

static void draw_bulk(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_additive_fill(&j->additive, j->values, BULK, j->gen, &err), &err);
}

static void run_bulk(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(self->setup, gen, BULK);
    j.values = bench_allocate(BULK, sizeof *j.values);
    *out = bench_rate(bench_compare(draw_bulk, take_coins, &j), BULK);
    free(j.values);
}

/* --- time and value -------------------------------------------------------------- */

typedef struct timed {
    double *size, *draw, *words, *sorted; /* |noise|, ticks of the draw, ticks of three words */
} timed;

static timed timed_new(void)
{
    return (timed){ bench_allocate(TIMED, sizeof(double)), bench_allocate(TIMED, sizeof(double)),
                    bench_allocate(TIMED, sizeof(double)), bench_allocate(TIMED, sizeof(double)) };
}

static void timed_free(timed *t)
{
    free(t->size);
    free(t->draw);
    free(t->words);
    free(t->sorted);
}

static void take_sample(timed *t, const job *j)
{
    dusk_error err;
    uint64_t word[3];
    for (size_t i = 0; i < TIMED; i++) {
        dusk_int128 k;
        uint64_t start_draw = dusk_ticks();
        dusk_status drawn = dusk_additive_draw(&j->additive, &k, j->gen, &err);
        uint64_t start_words = dusk_ticks();
        dusk_status taken = dusk_generator_words(j->gen, word, 3, 64, &err);
        uint64_t end = dusk_ticks();
        bench_require(drawn, &err);
        bench_require(taken, &err);
        t->size[i] = fabs((double)k);
        t->draw[i] = (double)(start_words - start_draw);
        t->words[i] = (double)(end - start_words);
    }
}

/* Pearson's correlation of x and y where y is below its 95 % quantile: beyond
 * it are interrupts and refills. */
static double correlation(const double *x, const double *y, double *sorted)
{
    for (size_t i = 0; i < TIMED; i++) sorted[i] = y[i];
    bench_median(sorted, TIMED);
    double limit = sorted[TIMED / 20 * 19], n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < TIMED; i++) {
        if (y[i] > limit) continue;
        double dx = x[i] - mx, dy = y[i] - my; /* Welford 1962 */
        n++;
        mx += dx / n;
        my += dy / n;
        xx += dx * (x[i] - mx);
        yy += dy * (y[i] - my);
        xy += dx * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static void run_correlation(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    job j = start(self->setup, gen, 1);
    timed t = timed_new();
    double draw[SAMPLES], words[SAMPLES];
    for (size_t s = 0; s < SAMPLES; s++) {
        take_sample(&t, &j);
        draw[s] = correlation(t.size, t.draw, t.sorted);
        words[s] = correlation(t.size, t.words, t.sorted);
    }
    *out = (bench_result){ fabs(bench_median(draw, SAMPLES)), fabs(bench_median(words, SAMPLES)) };
    timed_free(&t);
}

/* --- the table --------------------------------------------------------------------- */

#define NOISE(name_, what_, unit_, floor_, aim_, run_, law_, scale_, bytes_)                                 \
    {                                                                                                        \
        .name = name_, .what = what_, .unit = unit_, .floor = floor_, .aim = aim_, .run = run_,              \
        .setup = &(const setup)                                                                              \
        {                                                                                                    \
            .law = DUSK_ADDITIVE_##law_, .scale = scale_, .bytes = bytes_                                    \
        }                                                                                                    \
    }
#define CONSTANT(title, LAW, exponent, bytes, aim)                                                           \
    NOISE(title "/constant/2^" #exponent, "one draw at a time, constant work, scale 2^" #exponent " steps",  \
          "M draws/s", "generator bytes", aim, run_constant, LAW, 0x1p##exponent, bytes)
#define CONSTANTS(title, LAW, bytes)                                                                         \
    CONSTANT(title, LAW, 0, bytes, ">= 10"), CONSTANT(title, LAW, 10, bytes, ">= 10"),                       \
        CONSTANT(title, LAW, 20, bytes, ">= 10"), CONSTANT(title, LAW, 30, bytes, ">= 10"),                  \
        CONSTANT(title, LAW, 40, bytes, ">= 10"), CONSTANT(title, LAW, 60, bytes, NULL)
#define BULK_FILL(title, LAW, exponent, bytes, aim)                                                          \
    NOISE(title "/bulk/2^" #exponent, "a vector of 1e7 draws, scale 2^" #exponent " steps", "M draws/s",     \
          "generator bytes", aim, run_bulk, LAW, 0x1p##exponent, bytes)
#define CORRELATION(title, LAW, exponent)                                                                    \
    NOISE(title "/timing-correlation/2^" #exponent,                                                          \
          "abs(correlation) of abs(noise) with the time of a draw, scale 2^" #exponent " steps", "abs(r)",   \
          "three words", "< 0.01", run_correlation, LAW, 0x1p##exponent, 0)
#define CORRELATIONS(title, LAW)                                                                             \
    CORRELATION(title, LAW, 0), CORRELATION(title, LAW, 20), CORRELATION(title, LAW, 40)

const bench_case bench_noise_cases[] = {
    CONSTANTS("laplace/rounded", LAPLACE, 24),
    CONSTANTS("laplace/discrete", DISCRETE_LAPLACE, 48),
    CONSTANTS("gaussian/rounded", GAUSSIAN, 24),
    CONSTANTS("gaussian/discrete", DISCRETE_GAUSSIAN, 32),
    CORRELATIONS("laplace", LAPLACE),
    CORRELATIONS("laplace/discrete", DISCRETE_LAPLACE),
    CORRELATIONS("gaussian", GAUSSIAN),
    CORRELATIONS("gaussian/discrete", DISCRETE_GAUSSIAN),
    BULK_FILL("laplace", LAPLACE, 20, 8, ""),
    BULK_FILL("laplace/discrete", DISCRETE_LAPLACE, 20, 16, ""),
    BULK_FILL("gaussian", GAUSSIAN, 20, 8, ">= 100"),
    BULK_FILL("gaussian/discrete", DISCRETE_GAUSSIAN, 20, 16, ""),
    BULK_FILL("gaussian", GAUSSIAN, 22, 8, ">= 200"),
    BULK_FILL("gaussian", GAUSSIAN, 40, 24, ""),
    { .name = NULL },
};
