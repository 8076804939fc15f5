/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_LOSS_H
#define DUSK_LEARN_LOSS_H

/* Convex losses of linear models, as functions of one number a row: the margin y <w, x> (y is 1 or -1) of
 * classifiers, the residual <w, x> - y of regressions. The gradient in w is slope * y * x, or slope * x.
 * `lipschitz` bounds |slope| and `smoothness` bounds the second derivative: what sensitivities rest on. They hold
 * for the functions as computed here, too: slopes end at the bound.
 *
 *     logistic       log(1 + exp(-m))                                                   1      1/4
 *     huber_svm      0 from 1 + h on, (1 + h - m)^2 / 4h from 1 - h on, else 1 - m      1      1/(2h)
 *     smooth_hinge   0 from 1 on, (1 - m)^2 / 2h from 1 - h on, else 1 - m - h/2        1      1/h
 *     squared        r^2 / 2                                                            -      1
 *     huber          r^2 / 2 to |r| = h, else h |r| - h^2 / 2                           h      1
 *     pseudo_huber   h^2 (sqrt(1 + (r / h)^2) - 1)                                      h      1
 *     log_cosh       h^2 log cosh(r / h)                                                h      1
 *
 * [Chaudhuri, Monteleoni & Sarwate 2011 (huber_svm); Rennie & Srebro 2005 (smooth_hinge); Huber 1964.] All but the first
 * have one knee h, `knee`. The slope of a row is the same function of its margin wherever the row is in an array.
 *
 * Multinomial logistic loss is a function of k scores a row: log sum exp(s) - s[class]; its slopes are p - e_class, at most
 * sqrt(2) long, and its second derivative has eigenvalues of at most 1/2 and rank k - 1. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum learn_loss_kind {
    LEARN_LOGISTIC,
    LEARN_HUBER_SVM,
    LEARN_SMOOTH_HINGE,
    LEARN_SQUARED,
    LEARN_HUBER,
    LEARN_PSEUDO_HUBER,
    LEARN_LOG_COSH
} learn_loss_kind;

typedef struct learn_loss {
    learn_loss_kind kind;
    double knee;       /* h > 0 */
    bool margin;       /* else of a residual */
    double lipschitz;  /* infinite: of squared, which whoever uses it has to clip */
    double smoothness; /* of the second derivative */
} learn_loss;

/* `knee` is above 0; it is of no account for logistic and squared. */
learn_loss learn_loss_of(learn_loss_kind kind, double knee);
double learn_loss_value(const learn_loss *loss, double at);
double learn_loss_slope(const learn_loss *loss, double at);
/* The second derivative, from 0 to smoothness; where it jumps, the larger one. */
double learn_loss_curvature(const learn_loss *loss, double at);
/* out[i] = learn_loss_slope(loss, at[i]); out may be at. Fast. */
void learn_loss_slopes(const learn_loss *loss, double *out, const double *at, size_t n);

/* Multinomial. `slopes` may be `scores`. */
double learn_softmax_value(const double *scores, size_t k, size_t class);
void learn_softmax(double *probabilities, const double *scores, size_t k);
void learn_softmax_slopes(double *slopes, const double *scores, size_t k, size_t class);
#define LEARN_SOFTMAX_LIPSCHITZ 1.4142135623730952 /* sqrt(2), rounded up */
#define LEARN_SOFTMAX_SMOOTHNESS 0.5

/* 1 / (1 + exp(-x)); never NaN for a number. */
double learn_sigmoid(double x);

#endif
