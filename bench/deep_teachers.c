/* SPDX-License-Identifier: Apache-2.0 */
/* Teachers alone: 60,000 rows of 256 numbers, as MNIST has them for PATE, are learned from by 250 teachers, by fewer and by more, who then vote on 227 questions. The
 * floor is the products that one after the other needs, by BLAS: of each teacher's rows with each other and with the questions. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "deep/teachers.h"

enum { ROWS = 60000, WIDTH = 256, CLASSES = 10, QUESTIONS = 227 };

typedef struct job {
    deep_teaching how;
    deep_vectors rows;
    float *x, *question, *product;
    int32_t *code, *votes;
    uint32_t *teacher;
} job;

static void learn_and_vote(void *context)
{
    job *j = context;
    dusk_error err;
    bench_require(deep_teachers_vote(&j->how, &j->rows, j->teacher, j->question, QUESTIONS, j->votes, &err),
                  &err);
}

static void multiply(void *context)
{
    job *j = context;
    const size_t n = ROWS / j->how.teachers;
    for (size_t first = 0; first + n <= ROWS; first += n) {
        const float *x = j->x + first * WIDTH;
        cblas_ssyrk(CblasRowMajor, CblasUpper, CblasNoTrans, (int)n, WIDTH, 1, x, WIDTH, 0, j->product,
                    (int)n);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, QUESTIONS, (int)n, WIDTH, 1, j->question, WIDTH,
                    x, WIDTH, 0, j->product, (int)n);
    }
}

/* Vectors about the centre of their class. */
static float *vectors(const int32_t *code, size_t n, const double *centre, dusk_generator *gen)
{
    double *noise = bench_uniform(n * WIDTH, -1.7, 1.7, gen);
    float *out = bench_allocate(n * WIDTH, sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < WIDTH; k++)
            out[i * WIDTH + k] = (float)(noise[i * WIDTH + k] + centre[(size_t)code[i] * WIDTH + k]);
    free(noise);
    return out;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const size_t teachers = *(const size_t *)self->setup, n = ROWS / teachers;
    dusk_error err;
    double *centre = bench_uniform(CLASSES * WIDTH, -0.6, 0.6, gen);
    job j = { .how = { .teachers = teachers,
                       .classes = CLASSES,
                       .rows_most = ROWS,
                       .width = sqrt(WIDTH),
                       .ridge = 0.1,
                       .threads = 1 } };
    j.code = bench_allocate(ROWS, sizeof *j.code);
    for (size_t i = 0; i < ROWS; i++) j.code[i] = (int32_t)(i % CLASSES);
    j.x = vectors(j.code, ROWS, centre, gen);
    j.question = vectors(j.code, QUESTIONS, centre, gen);
    j.product = bench_allocate(n * (n > QUESTIONS ? n : QUESTIONS), sizeof *j.product);
    j.votes = bench_allocate(QUESTIONS * CLASSES, sizeof *j.votes);
    j.teacher = bench_allocate(ROWS, sizeof *j.teacher);
    bench_require(deep_deal(j.teacher, ROWS, teachers, gen, &err), &err);
    j.rows = (deep_vectors){ j.x, j.code, ROWS, WIDTH };
    const bench_times times = bench_compare(learn_and_vote, multiply, &j);
    *out = (bench_result){ .value = 1e3 * times.work, .floor_value = 1e3 * times.floor };
    free(centre);
    free(j.code);
    free(j.x);
    free(j.question);
    free(j.product);
    free(j.votes);
    free(j.teacher);
}

#define CASE(teachers_, aim_)                                                                                \
    {                                                                                                        \
        .name = "deep/teachers/" #teachers_,                                                                 \
        .what = #teachers_ " teachers learn from 60,000 rows and vote on 227", .unit = "ms",                 \
        .floor = "the products, by BLAS", .aim = aim_, .run = run, .setup = &(const size_t)                  \
        {                                                                                                    \
            teachers_                                                                                        \
        }                                                                                                    \
    }

const bench_case bench_teachers_cases[] = {
    CASE(60, ""),
    CASE(250, "ratio <= 2"),
    CASE(2000, ""),
    { .name = NULL },
};
