/* SPDX-License-Identifier: Apache-2.0 */
/* The functional mechanism, whose defaults were fixed on bank, compas and german, and choices from a net, whose defaults were not tuned, on
 * public data sets. */
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

const bench_case bench_learn_functional_cases[] = {
    THREE("functional", "adult", "polynomial", "", BENCH_ACCURACY, -1),
    THREE("functional", "adult", "pure", "", BENCH_ACCURACY, 0),
    THREE("functional", "bank", "polynomial", "", BENCH_ACCURACY, -1),
    THREE("functional", "compas", "polynomial", "", BENCH_ACCURACY, -1),
    THREE("functional", "german", "polynomial", "", BENCH_ACCURACY, -1),
    THREE("net_logistic", "compas", "net", "", BENCH_ACCURACY, -1),
    THREE("net_logistic", "compas", "pure", "", BENCH_ACCURACY, 0),
    THREE("net_huber", "airfoil", "net", "", BENCH_MSE, -1),
    THREE("net_huber", "airfoil", "pure", "", BENCH_MSE, 0),
    THREE("net_huber", "california", "net", "", BENCH_MSE, -1),
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
