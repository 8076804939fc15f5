/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_RESPONSE_H
#define DUSK_DEEP_RESPONSE_H

/* A label, randomised by what is known of it beforehand [Ghazi, Golowich, Kumar, Manurangsi & Zhang 2021,
 * RRWithPrior]: randomized response among the likeliest classes only, as many as make the answer right
 * most often. A label that is none of them, or no class at all, counts as one of them by chance. What is
 * known must be public, or released, and nothing of this label. Proof: response.proof.md. */

#include "base/error.h"
#include "deep/real.h"
#include "random/generator.h"

typedef struct deep_ranked {
    double share;
    uint32_t class;
} deep_ranked;

typedef struct deep_response {
    size_t classes;
    double epsilon;
    deep_ranked *rank; /* all classes, the likeliest first; of equal ones that which was declared first */
    uint32_t among;    /* the answer is one of so many of them */
    double right;      /* how often the answer is the label, if shares are what they are said to be */
} deep_response;

/* Nothing is known yet: among all classes. */
DUSK_MUST_USE dusk_status deep_response_open(deep_response *out, size_t classes, double epsilon,
                                             dusk_error *err);
/* Fine on a zeroed one. */
void deep_response_close(deep_response *response);
/* Shares of the classes, at least 0, to any scale; where one is not a number, or all are 0, nothing is
 * known. NULL: nothing is known. */
void deep_response_know(deep_response *response, const double *share);

/* The answer, a class, by `width` coins at a time (64; fewer in exhaustive tests). As many coins are taken
 * whatever the label is. */
DUSK_MUST_USE dusk_status deep_response_draw(const deep_response *response, int32_t *answer, int32_t label,
                                             unsigned width, dusk_generator *gen, dusk_error *err);
/* How likely `answer` is for each class that the label may be, to the scale in which it is 1 for the
 * truth. */
void deep_response_likelihood(const deep_response *response, int32_t answer, deep_real *out);

#endif
