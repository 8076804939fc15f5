/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse linear models and Bayesian logistic regression: utility on public data sets. Defaults were fixed on bank, compas and german. */
#include "bench.h"
#include "learn.h"

/* clang-format off */
#define CASE(learner, data, method, epsilon, n)                                                              \
    { "learn/" learner "/" data "/" method "/" #epsilon, "area under the ROC curve, method=" method, "AUC",  \
      "epsilon 10^6", "", bench_learn_run,                                                                   \
      &(const bench_learn){ learner, "method=" method, data, BENCH_AUC, epsilon, -1, n } }
#define CASES(learner, data, method, n)                                                                      \
    CASE(learner, data, method, 0.1, n), CASE(learner, data, method, 0.5, n), CASE(learner, data, method, 1, n)

const bench_case bench_learn_sparse_cases[] = {
    CASES("sparse_logistic", "adult", "mirror", 10),
    CASES("sparse_logistic", "adult", "frank_wolfe", 10),
    CASES("sparse_logistic", "adult", "threshold", 10),
    CASES("sparse_logistic", "compas", "mirror", 10),
    CASES("bayes_logistic", "adult", "langevin", 10),
    CASES("bayes_logistic", "adult", "metropolis", 5),
    CASES("bayes_logistic", "compas", "langevin", 10),
    { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
/* clang-format on */
