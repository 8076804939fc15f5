/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, in the shapes of training a network: beside cblas_sgemm of the same shape, which may give a row other bits in
 * another place. Of 16-bit numbers beside the same in floats. */
#include <cblas.h>
#include <stdlib.h>

#include "bench.h"
#include "tensor/gemm.h"
#include "tensor/lanes.h"

enum { MULTIPLICATIONS = 20000000 }; /* of a repetition, at least */

/* a (m x k) is kept by columns if turned, b (k x n) as well. */
typedef struct shape {
    size_t m, n, k;
    bool turned_a, turned_b, whole;
} shape;

typedef struct job {
    const shape *shape;
    float *a, *b, *c;
    int16_t *whole_a, *whole_b;
    int32_t *whole_c;
    size_t times;
    tensor_gemm_work work;
} job;

static void multiply(void *context)
{
    job *j = context;
    const shape s = *j->shape;
    const tensor_view a = { j->a, s.turned_a ? 1 : s.k, s.turned_a ? s.m : 1 },
                      b = { j->b, s.turned_b ? 1 : s.n, s.turned_b ? s.k : 1 };
    for (size_t i = 0; i < j->times; i++)
        tensor_gemm(tensor_lanes_level(), j->c, s.n, a, b, s.m, s.n, s.k, false, &j->work);
}

static void multiply_whole(void *context)
{
    job *j = context;
    const shape s = *j->shape;
    const tensor_view16 a = { j->whole_a, s.turned_a ? 1 : s.k, s.turned_a ? s.m : 1 },
                        b = { j->whole_b, s.turned_b ? 1 : s.n, s.turned_b ? s.k : 1 };
    for (size_t i = 0; i < j->times; i++)
        tensor_gemm16(tensor_lanes_level(), j->whole_c, s.n, a, b, s.m, s.n, s.k, &j->work);
}

static void multiply_by_blas(void *context)
{
    const job *j = context;
    const shape s = *j->shape;
    const int m = (int)s.m, n = (int)s.n, k = (int)s.k;
    for (size_t i = 0; i < j->times; i++)
        cblas_sgemm(CblasRowMajor, s.turned_a ? CblasTrans : CblasNoTrans,
                    s.turned_b ? CblasTrans : CblasNoTrans, m, n, k, 1, j->a, s.turned_a ? m : k, j->b,
                    s.turned_b ? k : n, 0, j->c, n);
}

static float *floats(size_t n, dusk_generator *gen)
{
    double *uniform = bench_uniform(n, -1, 1, gen);
    float *out = bench_allocate(n, sizeof *out);
    for (size_t i = 0; i < n; i++) out[i] = (float)uniform[i];
    free(uniform);
    return out;
}

static int16_t *whole(const float *x, size_t n)
{
    int16_t *out = bench_allocate(n, sizeof *out);
    for (size_t i = 0; i < n; i++) out[i] = (int16_t)(2048 * x[i]);
    return out;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const shape *s = self->setup;
    const size_t one = s->m * s->n * s->k;
    job j = { .shape = s, .times = 1 + MULTIPLICATIONS / one };
    dusk_error err;
    bench_require(tensor_gemm_open(&j.work, &err), &err);
    j.a = floats(s->m * s->k, gen);
    j.b = floats(s->k * s->n, gen);
    j.c = floats(s->m * s->n, gen);
    j.whole_a = whole(j.a, s->m * s->k);
    j.whole_b = whole(j.b, s->k * s->n);
    j.whole_c = bench_allocate(s->m * s->n, sizeof *j.whole_c);
    const bench_times times =
        bench_compare(s->whole ? multiply_whole : multiply, s->whole ? multiply : multiply_by_blas, &j);
    *out = bench_rate(times, 2e-3 * (double)one * (double)j.times);
    tensor_gemm_close(&j.work);
    free(j.a);
    free(j.b);
    free(j.c);
    free(j.whole_a);
    free(j.whole_b);
    free(j.whole_c);
}

#define BLAS "cblas_sgemm"
#define FLOATS "tensor_gemm, floats"
#define SHAPE(title, text, floor_, aim_, ...)                                                                \
    {                                                                                                        \
        .name = "tensor/" title, .what = text, .unit = "Gop/s", .floor = floor_, .aim = aim_, .run = run,    \
        .setup = &(const shape)                                                                              \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

const bench_case bench_tensor_cases[] = {
    SHAPE("gemm/forward/2048", "x W^T, 2048 x 784 times 784 x 256", BLAS, ">= 90", .m = 2048, .n = 256,
          .k = 784, .turned_b = true),
    SHAPE("gemm/back/2048", "d W, 2048 x 256 times 256 x 784", BLAS, ">= 90", .m = 2048, .n = 784, .k = 256),
    SHAPE("gemm/weights/2048", "d^T x, 256 x 2048 times 2048 x 784", BLAS, ">= 90", .m = 256, .n = 784,
          .k = 2048, .turned_a = true),
    SHAPE("gemm/forward/256", "x W^T, 256 x 784 times 784 x 256", BLAS, ">= 50", .m = 256, .n = 256, .k = 784,
          .turned_b = true),
    SHAPE("gemm/classes", "x W, 2048 x 256 times 256 x 10", BLAS, "", .m = 2048, .n = 10, .k = 256),
    SHAPE("gemm/patches/169x16", "one example's patches: 169 x 64 times 64 x 16", BLAS, "", .m = 169, .n = 16,
          .k = 64),
    SHAPE("gemm/patches/49x64", "one example's patches: 49 x 144 times 144 x 64", BLAS, "", .m = 49, .n = 64,
          .k = 144),
    SHAPE("gemm/patches/weights", "one example's weights: 16 x 169 times 169 x 64", BLAS, "", .m = 16,
          .n = 64, .k = 169, .turned_a = true),
    SHAPE("gemm16/sum/256x784", "sum of outer products of 512 examples: 256 x 512 times 512 x 784", FLOATS,
          "ratio >= 1.5", .m = 256, .n = 784, .k = 512, .turned_a = true, .whole = true),
    SHAPE("gemm16/sum/64x256", "sum of outer products of 512 examples: 64 x 512 times 512 x 256", FLOATS,
          "ratio >= 1.5", .m = 64, .n = 256, .k = 512, .turned_a = true, .whole = true),
    SHAPE("gemm16/gram/49", "gram matrix of 49 positions of width 64", FLOATS, "", .m = 49, .n = 49, .k = 64,
          .turned_b = true, .whole = true),
    { .name = NULL },
};
