/* SPDX-License-Identifier: Apache-2.0 */
/* Noise of a norm: whole vectors and lists of places, beside the same law in plain
 * floating point, as it is drawn by those who do not round exactly: logarithm, sine and
 * cosine of the C library, sixty-four coins a uniform number. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "dusk/mechanisms.h"
#include "random/generator.h"

enum { COORDINATES = 1 << 16, PLACES = 1 << 15 };

typedef struct job {
    dusk_generator *gen;
    dusk_knorm knorm;
    dusk_planar_laplace planar;
    size_t n;
    double *in, *out;
    uint64_t *coins;
} job;

static double uniform(uint64_t word) { return ((double)(word >> 12) + 0.5) * 0x1p-52; }

static void take(job *j, size_t n)
{
    dusk_error err;
    bench_require(dusk_generator_words(j->gen, j->coins, n, 64, &err), &err);
}

static void release_vector(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_knorm_release(&j->knorm, j->out, j->in, j->gen, &err), &err);
}

static void float_l1(void *context)
{
    job *j = context;
    take(j, j->n);
    for (size_t i = 0; i < j->n; i++) {
        double e = -log(uniform(j->coins[i] << 1));
        j->out[i] = j->in[i] + j->knorm.scale * (j->coins[i] >> 63 ? -e : e);
    }
}

static double float_radius(const uint64_t *coins, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum -= log(uniform(coins[i]));
    return sum;
}

static void float_l2(void *context)
{
    job *j = context;
    double square = 0;
    take(j, 2 * j->n);
    const uint64_t *coins = j->coins + j->n;
    for (size_t i = 0; i + 1 < j->n; i += 2) {
        double length = -2 * log(uniform(coins[i])), angle = 2 * M_PI * uniform(coins[i + 1]);
        j->out[i] = sqrt(length) * cos(angle);
        j->out[i + 1] = sqrt(length) * sin(angle);
        square += length;
    }
    double factor = j->knorm.scale * float_radius(j->coins, j->n) / sqrt(square);
    for (size_t i = 0; i < j->n; i++) j->out[i] = j->in[i] + factor * j->out[i];
}

static void float_linf(void *context)
{
    job *j = context;
    take(j, 2 * j->n + 1);
    double factor = j->knorm.scale * float_radius(j->coins, j->n + 1);
    const uint64_t *coins = j->coins + j->n + 1;
    for (size_t i = 0; i < j->n; i++) j->out[i] = j->in[i] + factor * (2 * uniform(coins[i]) - 1);
}

static void release_places(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(dusk_planar_laplace_release(&j->planar, j->out, j->in, j->n, j->gen, &err), &err);
}

static void float_places(void *context)
{
    job *j = context;
    take(j, 3 * j->n);
    for (size_t i = 0; i < j->n; i++) {
        double radius = j->planar.scale[0] * float_radius(j->coins + 3 * i, 2);
        double angle = 2 * M_PI * uniform(j->coins[3 * i + 2]);
        j->out[2 * i] = j->in[2 * i] + radius * cos(angle);
        j->out[2 * i + 1] = j->in[2 * i + 1] + radius * sin(angle);
    }
}

static job start(size_t n, size_t numbers, dusk_generator *gen)
{
    return (job){ .gen = gen,
                  .n = n,
                  .in = bench_uniform(numbers, -1000, 1000, gen),
                  .out = bench_allocate(numbers, sizeof(double)),
                  .coins = bench_allocate(2 * numbers + 1, sizeof(uint64_t)) };
}

static void stop(job *j)
{
    free(j->in);
    free(j->out);
    free(j->coins);
}

static void run_vector(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    static bench_work *const floors[] = {
        [DUSK_NORM_L1] = float_l1, [DUSK_NORM_L2] = float_l2, [DUSK_NORM_LINF] = float_linf
    };
    const dusk_norm norm = *(const dusk_norm *)self->setup;
    dusk_error err;
    job j = start(COORDINATES, COORDINATES, gen);
    bench_require(dusk_knorm_init(&j.knorm, norm, COORDINATES, 1, 1, DUSK_GRID_DEFAULT, &err), &err);
    *out = bench_cost(bench_compare(release_vector, floors[norm], &j), COORDINATES);
    stop(&j);
}

static void run_places(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    dusk_error err;
    job j = start(PLACES, 2 * PLACES, gen);
    (void)self;
    bench_require(dusk_planar_laplace_init(&j.planar, 0.01, 200, DUSK_GRID_DEFAULT, &err), &err);
    *out = bench_cost(bench_compare(release_places, float_places, &j), PLACES);
    stop(&j);
}

static const dusk_norm l1 = DUSK_NORM_L1, l2 = DUSK_NORM_L2, linf = DUSK_NORM_LINF;

#define VECTOR(which)                                                                                        \
    {                                                                                                        \
        "k-norm/" #which "/2^16", "a vector of 2^16 numbers with exactly rounded " #which " noise",          \
            "ns a coordinate", "the same law in floating point", "ratio <= 10", run_vector, &which           \
    }

const bench_case bench_space_cases[] = {
    VECTOR(l1),
    VECTOR(l2),
    VECTOR(linf),
    { "planar-laplace/2^15", "2^15 places with exactly rounded planar Laplace noise", "ns a place",
      "the same law in floating point", "ratio <= 10", run_places, NULL },
    { 0 },
};
