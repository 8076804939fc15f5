/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_OPTIMISER_H
#define DUSK_DEEP_OPTIMISER_H

/* From released gradients to parameters: post-processing, whatever it does. Gradients come in pieces of the parameters, each once a step, so
 * that noise need not be stored. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum deep_method {
    DEEP_SGD,
    DEEP_ADAM,
    DEEP_ADAMW,
    DEEP_ADAGRAD,
    DEEP_ADAM_UNBIASED, /* adam, with noise_variance */
    DEEP_ADAMW_UNBIASED
} deep_method;

/* Does it take off second moments what is known of the noise? */
static inline bool deep_takes_noise_off(deep_method method)
{
    return method == DEEP_ADAM_UNBIASED || method == DEEP_ADAMW_UNBIASED;
}

typedef struct deep_optimiser {
    deep_method method;
    double rate;         /* of learning, of this step */
    double momentum;     /* of sgd; of adam the first decay */
    double second;       /* of adam: the second decay */
    double weight_decay; /* pulls parameters to 0 */
    double
        noise_variance; /* of a coordinate of the gradient, by noise: adam takes it off [Tang & Lecuyer 2023]; 0: it does not */
    uint64_t steps; /* so far */
    size_t parameters;
    float *first_moment, *second_moment; /* NULL where the method has none */
} deep_optimiser;

/* The fields up to noise_variance are to be set after. */
DUSK_MUST_USE dusk_status deep_optimiser_open(deep_optimiser *out, deep_method method, double momentum,
                                              size_t parameters, dusk_error *err);
/* Fine on a zeroed one. */
void deep_optimiser_close(deep_optimiser *optimiser);
/* A step begins. */
void deep_optimiser_begin(deep_optimiser *optimiser);
/* Parameters from `first` on, `n` of them, go down their gradients, which are in units of `unit`. */
void deep_optimiser_move(deep_optimiser *optimiser, float *parameters, const float *gradient, double unit,
                         size_t first, size_t n);

#endif
