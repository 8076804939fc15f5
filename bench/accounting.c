/* SPDX-License-Identifier: Apache-2.0 */
/* Accounting: what a price costs, through the public functions, parsing and all.
 * The floor is 4000 calls of exp, about what the plainest sum for one sampled
 * Gaussian would make. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "dusk/accounting.h"

enum { EXP_CALLS = 4000 };

typedef struct question {
    const char *text;
    const char *variable; /* NULL: epsilon at delta; else solve for epsilon at delta */
    double epsilon, delta;
    dusk_neighbours neighbours;
    size_t repetitions;
    bench_result answer; /* lower, upper of the last one */
} question;

static void call_exp(void *context)
{
    const question *q = context;
    double sum = 0;
    for (size_t r = 0; r < q->repetitions; r++)
        for (int i = 0; i < EXP_CALLS; i++) sum += exp(-0.001 * i);
    bench_keep(sum);
}

static void ask(void *context)
{
    question *q = context;
    dusk_error err;
    for (size_t r = 0; r < q->repetitions; r++) {
        if (q->variable) {
            dusk_budget target = { q->epsilon, q->delta };
            bench_require(dusk_account_solve(&q->answer.value, q->text, q->variable, target, q->neighbours,
                                             DUSK_BEST, &err),
                          &err);
            continue;
        }
        dusk_composition *c;
        dusk_account a;
        bench_require(dusk_composition_new(&c, q->neighbours, &err), &err);
        bench_require(dusk_composition_parse(c, q->text, &err), &err);
        bench_require(dusk_account_epsilon(&a, c, q->delta, DUSK_BEST, &err), &err);
        dusk_composition_free(c);
        q->answer = (bench_result){ a.bound.lower, a.bound.upper };
    }
}

/* Milliseconds of one answer. */
static void run_question(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)gen;
    question q = *(const question *)self->setup;
    bench_times t = bench_compare(ask, call_exp, &q);
    double scale = 1e3 / (double)q.repetitions;
    *out = (bench_result){ t.work * scale, t.floor * scale };
}

/* The relative width of the answer, in units of 1e-9; the floor is a double's precision. */
static void run_width(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)gen;
    question q = *(const question *)self->setup;
    ask(&q);
    *out =
        (bench_result){ (q.answer.floor_value - q.answer.value) / q.answer.floor_value * 1e9, 0x1p-52 * 1e9 };
}

/* n different sampled Gaussians, one step each. */
static void run_different(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    (void)gen;
    size_t n = *(const size_t *)self->setup, used = 0, room = 64 * n;
    char *text = bench_allocate(room, 1);
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "%spoisson(%.6g, gaussian(%.6g))", i ? " + " : "",
                                 0.001 + 1e-5 * (double)i, 0.8 + 0.002 * (double)i);
    question q = { .text = text, .delta = 1e-6, .neighbours = DUSK_ADD_REMOVE, .repetitions = 1 };
    bench_times t = bench_compare(ask, call_exp, &q);
    *out = (bench_result){ t.work * 1e3, t.floor * 1e3 };
    free(text);
}

#define ONE "poisson(0.01, gaussian(1)) * 10000"
#define ASK(name_, what_, aim_, ...)                                                                         \
    {                                                                                                        \
        .name = "account/" name_, .what = what_, .unit = "ms", .floor = "4000 calls of exp", .aim = aim_,    \
        .run = run_question, .setup = &(const question)                                                      \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
const bench_case bench_accounting_cases[] = {
    ASK("epsilon", ONE " at delta 1e-6, both directions", "<= 2", ONE, NULL, 0, 1e-6, DUSK_ADD_REMOVE, 20,
        { 0, 0 }),
    { .name = "account/epsilon/width",
      .what = "relative width of its certificate",
      .unit = "1e-9",
      .floor = "a double",
      .aim = "<= 1",
      .run = run_width,
      .setup = &(const question){ ONE, NULL, 0, 1e-6, DUSK_ADD_REMOVE, 1, { 0, 0 } } },
    ASK("solve", "sigma for (1, 1e-6), same rate and steps", "<= 20",
        "poisson(0.01, gaussian(sigma)) * 10000", "sigma", 1, 1e-6, DUSK_ADD_REMOVE, 2, { 0, 0 }),
    { .name = "account/1000-different",
      .what = "1000 different sampled Gaussians, one step each, at delta 1e-6",
      .unit = "ms",
      .floor = "4000 calls of exp",
      .aim = "<= 1000",
      .run = run_different,
      .setup = &(const size_t){ 1000 } },
    ASK("tiny-delta", ONE " at delta 1e-300", "", ONE, NULL, 0, 1e-300, DUSK_ADD_REMOVE, 10, { 0, 0 }),
    ASK("a-billion-billion-steps", "poisson(0.01, gaussian(100)) * 1e18 at delta 1e-6", "",
        "poisson(0.01, gaussian(100)) * 1000000000000000000", NULL, 0, 1e-6, DUSK_ADD_REMOVE, 10, { 0, 0 }),
    ASK("laplace", "laplace(1) * 30 at delta 1e-6", "", "laplace(1) * 30", NULL, 0, 1e-6, DUSK_ADD_REMOVE, 1,
        { 0, 0 }),
    ASK("optimal", "pure(0.01) * 1e6 at delta 1e-9", "", "pure(0.01) * 1000000", NULL, 0, 1e-9,
        DUSK_ADD_REMOVE, 5, { 0, 0 }),
    ASK("discrete-gaussian", "discrete_gaussian(10) * 100 at delta 1e-6", "", "discrete_gaussian(10) * 100",
        NULL, 0, 1e-6, DUSK_ADD_REMOVE, 1, { 0, 0 }),
    ASK("shuffle", "shuffle(1e6, 1) at delta 1e-6", "<= 50", "shuffle(1000000, 1)", NULL, 0, 1e-6,
        DUSK_REPLACE_ONE, 1, { 0, 0 }),
    { .name = NULL },
};
