/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_LOSS_H
#define DUSK_DEEP_LOSS_H

/* What a network is trained for: the loss of an example, and its derivative by the outputs. */

#include "deep/layer.h"

typedef enum deep_loss {
    DEEP_SOFTMAX, /* one of so many classes: cross entropy of softmax */
    DEEP_SQUARED, /* numbers: half the squared error */
    DEEP_INPUT,   /* the input itself: half the squared error a number (autoencoders) */
    DEEP_MARKS,   /* several times yes or no: cross entropy of sigmoids, of those that are known */
    DEEP_ANSWER,  /* a class of which an answer is known: cross entropy of the answer [Patrini et al. 2017] */
} deep_loss;

/* What is wanted of the examples of a pass. */
typedef struct deep_wanted {
    const int32_t *code; /* SOFTMAX: the class */
    const deep_real *
        number; /* `outputs` an example. SQUARED: what they are to be; ANSWER: how likely the answer is for each class */
    const int8_t *mark; /* MARKS: `outputs` an example, 1 or 0; -1: nobody knows */
} deep_wanted;

/* The last slope of all examples. */
void deep_loss_slopes(deep_loss loss, deep_pass *pass, const deep_wanted *wanted);
/* The loss of example i: for those who may see it, or clip it. */
double deep_loss_of(deep_loss loss, const deep_pass *pass, const deep_wanted *wanted, size_t i);
/* Softmax of k numbers; from and to may be the same. */
void deep_softmax(const deep_real *from, deep_real *to, size_t k);

#endif
