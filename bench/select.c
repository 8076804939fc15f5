/* SPDX-License-Identifier: Apache-2.0 */
/* Choice among 10^6 candidates beside one pass over their scores. */
#include <stdlib.h>

#include "bench.h"
#include "dusk/mechanisms.h"

enum { CANDIDATES = 1000000, TOP = 10 };

typedef enum shape {
    SPREAD, /* uniform on [0, 10 / rate]                        */
    PEAK    /* all equal but one, which is 30 / rate above them */
} shape;

typedef struct setup {
    dusk_selection_method method;
    shape shape;
    size_t k; /* how many are chosen */
} setup;

typedef struct job {
    dusk_selection selection;
    dusk_generator *gen;
    double *scores;
    size_t k;
} job;

static void choose(void *context)
{
    job *j = context;
    dusk_error err;
    size_t chosen[TOP];
    if (j->k == 1)
        bench_require(dusk_selection_release(&j->selection, chosen, j->scores, CANDIDATES, j->gen, &err),
                      &err);
    else
        bench_require(
            dusk_selection_release_top(&j->selection, chosen, j->k, j->scores, CANDIDATES, j->gen, &err),
            &err);
    bench_keep((double)chosen[0]);
}

static void find_largest(void *context)
{
    const job *j = context;
    double largest = j->scores[0];
    for (size_t i = 1; i < CANDIDATES; i++) largest = j->scores[i] > largest ? j->scores[i] : largest;
    bench_keep(largest);
}

static void run_choice(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    const double epsilon = 1, sensitivity = 1, rate = epsilon / (2 * sensitivity);
    dusk_error err;
    job j = { .gen = gen, .k = s->k };
    bench_require(dusk_selection_init(&j.selection, s->method, sensitivity, false, epsilon, &err), &err);
    j.scores = bench_uniform(CANDIDATES, 0, s->shape == SPREAD ? 10 / rate : 0, gen);
    if (s->shape == PEAK) j.scores[CANDIDATES / 3] = 30 / rate;
    *out = bench_cost(bench_compare(choose, find_largest, &j), CANDIDATES);
    free(j.scores);
}

#define CHOICE(title, text, aim_, METHOD, shape_, k_)                                                        \
    {                                                                                                        \
        .name = "select/" title, .what = text, .unit = "ns/score", .floor = "one pass: the largest score",   \
        .aim = aim_, .run = run_choice, .setup = &(const setup)                                              \
        {                                                                                                    \
            .method = DUSK_SELECT_##METHOD, .shape = shape_, .k = k_                                         \
        }                                                                                                    \
    }

const bench_case bench_select_cases[] = {
    CHOICE("permute-and-flip/1e6", "1e6 scores uniform on [0, 10/rate]", "ratio <= 10", PERMUTE_AND_FLIP,
           SPREAD, 1),
    CHOICE("permute-and-flip/1e6/peak", "1e6 equal scores but one, 30/rate above", "ratio <= 10",
           PERMUTE_AND_FLIP, PEAK, 1),
    CHOICE("exponential/1e6", "1e6 scores uniform on [0, 10/rate]", "", EXPONENTIAL, SPREAD, 1),
    CHOICE("exponential/1e6/peak", "1e6 equal scores but one, 30/rate above", "", EXPONENTIAL, PEAK, 1),
    CHOICE("noisy-max-gumbel/1e6", "1e6 scores uniform on [0, 10/rate]", "", NOISY_MAX_GUMBEL, SPREAD, 1),
    CHOICE("noisy-max-laplace/1e6", "1e6 scores uniform on [0, 10/rate]", "", NOISY_MAX_LAPLACE, SPREAD, 1),
    CHOICE("noisy-max-exponential/1e6", "1e6 scores uniform on [0, 10/rate]", "", NOISY_MAX_EXPONENTIAL,
           SPREAD, 1),
    CHOICE("top-k", "the 10 best of 1e6 scores uniform on [0, 10/rate]", "", EXPONENTIAL, SPREAD, TOP),
    { .name = NULL },
};
