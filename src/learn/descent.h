/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_DESCENT_H
#define DUSK_LEARN_DESCENT_H

/* Noisy gradient descent for linear models: the solver of logistic, svm, multinomial and robust regression.
 *
 * The objective is a sum: sum of losses + l2/2 |w|^2 + l1 |w|_1 + group sum over fields of |w of the field|, within |w| <= radius and,
 * where asked for, w >= 0; the weight of the constant is not penalised. A step is
 *     v = momentum v + gradient / n,   w = projection(prox(w - rate v))
 * with one noisy gradient (gradient.h) over all rows; the model is the mean of the last part of the steps. What follows the
 * releases is post-processing, so that nothing here bears on privacy but which rows and how many releases.
 *
 * How the defaults were fixed: docs/learning/gradient.md. */

#include "learn/gradient.h"
#include "learn/newton.h"

typedef struct learn_descent {
    learn_gradient gradient;
    learn_noise count; /* of rows, where it is not declared */
    uint64_t steps;
    double rate, momentum, average; /* rate 0: by rate_of */
    bool sample;                    /* else all rows, every time */
    learn_sampler sampler;
    double l2, l1, group, radius;
    bool positive, adaptive, newton;
    learn_curvature curvature; /* of newton */
    double typical;            /* length of rows */
} learn_descent;

#define LEARN_DESCENT_SETTINGS(momentum)                                                                        \
    { "method",                                                                                                 \
      "full",                                                                                                   \
      "full|sgd|adagrad|newton",                                                                                \
      0,                                                                                                        \
      0,                                                                                                        \
      false,                                                                                                    \
      "gradients over all rows, over samples, with a rate for each weight, or with second derivatives" },       \
        { "sample", "0.05", NULL, 0.000001, 0.99, false, "of sgd: the part of the rows that a sample has" },    \
        { "sampler",                                                                                            \
          "poisson",                                                                                            \
          "poisson|fixed|shuffled",                                                                             \
          0,                                                                                                    \
          0,                                                                                                    \
          false,                                                                                                \
          "of sgd: each row by a coin of its own, so many of --rows, or all of them in a random order" },       \
        { "steps", "0", NULL, 0, 100000, true, "how many; 0: 30, of sgd 200, of newton 5, without delta 10" },  \
        { "clip",                                                                                               \
          "0",                                                                                                  \
          NULL,                                                                                                 \
          0,                                                                                                    \
          LEARN_NORM_MOST,                                                                                      \
          false,                                                                                                \
          "how long the gradient of one row may be; 0: half as long as most rows, or the knee times that" },    \
        { "rate", "0", NULL, 0, 1e6, false, "of learning; 0: by the noise" },                                   \
        { "momentum", momentum, NULL, 0, 0.99, false, "how much of the last step goes into the next" },         \
        { "average", "0.33", NULL, 0, 1, false, "the last part of the steps, of which the model is the mean" }, \
        { "l2", "0", NULL, 0, 1e12, false, "penalty of half the squares of weights, against a sum of losses" }, \
        { "l1", "0", NULL, 0, 1e12, false, "penalty of the sizes of weights" },                                 \
        { "group", "0", NULL, 0, 1e12, false, "penalty of the lengths of the weights of a field" },             \
        { "radius", "0", NULL, 0, LEARN_WEIGHT_MOST, false, "weights are at most so long; 0: no limit" },       \
    {                                                                                                           \
        "sign", "any", "any|positive", 0, 0, false, "of weights, but for that of the constant"                  \
    }

/* For learners: plan makes job->plan, of features, the count and all that is left of the budget for gradients (classes as in
 * gradient.h); fit puts the array "weights", a row for each vector of weights. */
DUSK_MUST_USE dusk_status learn_descent_plan(learn_job *job, const learn_loss *loss, size_t classes,
                                             dusk_error *err);
DUSK_MUST_USE dusk_status learn_descent_fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen,
                                            dusk_error *err);

/* out[i * k + c] = row i of the frame times vector c of the model's array "weights". Added up in the same order for every row, unlike
 * BLAS, which rounds by where a row is: a released score counts on a row's prediction being its own, whatever rows are beside it. */
DUSK_MUST_USE dusk_status learn_descent_scores(const dusk_model *model, const dusk_frame *frame, double *out,
                                               dusk_error *err);
/* Is there an array of `vectors` finite vectors as wide as rows? */
bool learn_descent_complete(const dusk_model *model, size_t vectors);

#endif
