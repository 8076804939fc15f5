/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_BENCH_LEARN_H
#define DUSK_BENCH_LEARN_H

/* Utility of learners on public data sets: mean and spread over trainings, scored on the rows that were held out. The floor is
 * the same learner with the same settings at epsilon 10^6, which is as good as without privacy. */

#include "bench.h"
#include "dusk/learn.h"

typedef enum bench_metric {
    BENCH_ACCURACY = 1,
    BENCH_AUC,
    BENCH_MSE, /* in the unit of the label's half range, [lower, upper] being [-1, 1] */
    BENCH_INERTIA,
    BENCH_EXPLAINED,
    BENCH_LOG_LIKELIHOOD
} bench_metric;

/* What a case is about: bench_case.setup. */
typedef struct bench_learn {
    const char *learner, *settings; /* "name=value name=value", or "" */
    const char *data;               /* a name of bench/learn_data.h; the case's name must contain it */
    bench_metric metric;
    double epsilon;
    double delta; /* below 0: 1 / N^2, N being the rows, which are declared */
    int trainings;
} bench_learn;
/* bench_case.run for them. */
void bench_learn_run(const bench_case *self, bench_result *out, dusk_generator *gen);

#endif
