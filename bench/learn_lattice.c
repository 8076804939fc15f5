/* SPDX-License-Identifier: Apache-2.0 */
/* Learners that look at the objective on a lattice of weights, on public data sets of few columns. Their defaults were fixed on bank-4,
 * compas-3 and california-4. */
#include "learn.h"

#define CASE(learner, set, words, settings, metric, delta, e)                                                \
    {                                                                                                        \
        "learn/" learner "/" set "/" words "/" #e,                                                           \
            metric == BENCH_MSE ? "mean squared error, the label's range being 2"                            \
                                : "accuracy on held-out rows",                                               \
            metric == BENCH_MSE ? "mse" : "accuracy", "the same at epsilon 10^6", "", bench_learn_run,       \
            &(const bench_learn)                                                                             \
        {                                                                                                    \
            learner, settings, set, metric, e, delta, 10                                                     \
        }                                                                                                    \
    }
#define THREE(learner, set, words, settings, metric, delta)                                                  \
    CASE(learner, set, words, settings, metric, delta, 0.1),                                                 \
        CASE(learner, set, words, settings, metric, delta, 0.5),                                             \
        CASE(learner, set, words, settings, metric, delta, 1)

const bench_case bench_learn_lattice_cases[] = {
    THREE("bernstein_logistic", "adult-4", "lattice", "", BENCH_ACCURACY, -1),
    THREE("bernstein_logistic", "adult-4", "pure", "", BENCH_ACCURACY, 0),
    THREE("bernstein_logistic", "bank-4", "lattice", "", BENCH_ACCURACY, -1),
    THREE("bernstein_logistic", "compas-3", "lattice", "", BENCH_ACCURACY, -1),
    THREE("bernstein_huber", "airfoil", "lattice", "", BENCH_MSE, -1),
    THREE("bernstein_huber", "airfoil", "pure", "", BENCH_MSE, 0),
    THREE("bernstein_huber", "california-4", "lattice", "", BENCH_MSE, -1),
    THREE("net_logistic", "adult-4", "net", "", BENCH_ACCURACY, 0),
    THREE("net_logistic", "bank-4", "net", "", BENCH_ACCURACY, 0),
    THREE("net_logistic", "compas-3", "net", "", BENCH_ACCURACY, 0),
    THREE("net_huber", "california-4", "net", "", BENCH_MSE, 0),
    THREE("oracle_ramp", "adult-4", "ramp", "", BENCH_ACCURACY, 0),
    THREE("oracle_ramp", "adult-4", "errors", "loss=errors", BENCH_ACCURACY, 0),
    THREE("oracle_ramp", "bank-4", "ramp", "", BENCH_ACCURACY, 0),
    THREE("oracle_ramp", "bank-4", "errors", "loss=errors", BENCH_ACCURACY, 0),
    THREE("oracle_ramp", "compas-3", "ramp", "", BENCH_ACCURACY, 0),
    THREE("oracle_ramp", "compas-3", "errors", "loss=errors", BENCH_ACCURACY, 0),
    THREE("logistic", "adult-4", "beside", "", BENCH_ACCURACY, -1),
    THREE("logistic", "bank-4", "beside", "", BENCH_ACCURACY, -1),
    THREE("logistic", "compas-3", "beside", "", BENCH_ACCURACY, -1),
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
