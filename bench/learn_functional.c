/* SPDX-License-Identifier: Apache-2.0 */
/* The functional mechanism on public data sets. Defaults were fixed on bank, compas and german before adult was run. */
#include "learn.h"

#define CASE(learner, set, words, settings, delta, e)                                                        \
    {                                                                                                        \
        "learn/" learner "/" set "/" words "/" #e, "accuracy on held-out rows", "accuracy",                  \
            "the same at epsilon 10^6", "", bench_learn_run, &(const bench_learn)                            \
        {                                                                                                    \
            learner, settings, set, BENCH_ACCURACY, e, delta, 10                                             \
        }                                                                                                    \
    }
#define THREE(learner, set, words, settings, delta)                                                          \
    CASE(learner, set, words, settings, delta, 0.1), CASE(learner, set, words, settings, delta, 0.5),        \
        CASE(learner, set, words, settings, delta, 1)

const bench_case bench_learn_functional_cases[] = {
    THREE("functional", "adult", "polynomial", "", -1),  THREE("functional", "adult", "pure", "", 0),
    THREE("functional", "bank", "polynomial", "", -1),   THREE("functional", "compas", "polynomial", "", -1),
    THREE("functional", "german", "polynomial", "", -1), { NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};
