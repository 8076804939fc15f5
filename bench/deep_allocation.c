/* SPDX-License-Identifier: Apache-2.0 */
/* How a training's budget is shared out to its steps: the digits that get their class, of those that were held out, by steps that are all alike, by noise that is found on the way, and by steps that
 * are looked at before they are taken (DP-AGD); at a learning rate that is good, and at some that are not. Constants of descent were chosen on these data (docs/deep.md): figures flatter. */
#include <stddef.h>

#include "learn.h"

#define CASE(name_, allocation_, rate_, epsilon_)                                                            \
    {                                                                                                        \
        .name = "deep/allocation/mnist/" name_, .unit = "accuracy", .what = allocation_ ", " rate_,          \
        .floor = "the same at epsilon 10^6", .run = bench_learn_run, .aim = "",                              \
        .setup = &(const bench_learn)                                                                        \
        {                                                                                                    \
            .learner = "net", .data = "mnist", .metric = BENCH_ACCURACY, .epsilon = epsilon_, .delta = 1e-5, \
            .trainings = 3,                                                                                  \
            .settings =                                                                                      \
                "net=dense\t32;tanh;output lot=2048 epochs=20 range=unit momentum=0 " allocation_ " " rate_  \
        }                                                                                                    \
    }

const bench_case bench_allocation_cases[] = {
    CASE("even/good", "allocation=even", "learning_rate=2", 1),
    CASE("adaptive/good", "allocation=adaptive", "learning_rate=2", 1),
    CASE("descent/good", "allocation=descent", "learning_rate=2", 1),
    CASE("even/short", "allocation=even", "learning_rate=0.1", 1),
    CASE("descent/short", "allocation=descent", "learning_rate=0.1", 1),
    CASE("even/long", "allocation=even", "learning_rate=20", 1),
    CASE("descent/long", "allocation=descent", "learning_rate=20", 1),
    CASE("even/found", "allocation=even", "learning_rate=0", 1),
    CASE("descent/found", "allocation=descent", "learning_rate=0", 1),
    { .name = NULL },
};
