/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_WHOLE_H
#define DUSK_DEEP_WHOLE_H

/* Gradients of examples that are made whole before they are clipped, where something is done to them first:
 *     smooth      the mean over several passes, each with parameters that are moved at random, the same for all examples: descent on a loss
 *                 that is smoothed [DPlis: Wang et al. 2021]
 *     bias_noise  symmetric noise is added to each, so that what clipping takes away is not always on one side [Chen, Wu & Hong 2020]
 * Neither is noise for privacy: moved parameters are drawn without rows, and the noise of an example is made of coins of its own. What an example adds is
 * clipped after all of it, to the same length as ever, and is a function of this example, its coins, and public numbers. It costs memory for a
 * few gradients, and the time to make them. Proof: training.proof.md, and sums.proof.md as for any direct layer. */

#include "deep/layer.h"
#include "learn/learner.h"

#define DEEP_WHOLE_MOST ((size_t)1 << 24) /* parameters */

typedef struct deep_whole {
    deep_real
        *gradient;  /* of each example of a pass, by all parameters of the net; NULL: they are not made */
    deep_real *one; /* of one example and layer */
    size_t parameters, most, room;
} deep_whole;

struct deep_plan;
/* For plans: what is asked for, DUSK_ERR_ARGUMENT where it cannot be had, and words. */
DUSK_MUST_USE dusk_status deep_whole_plan(learn_job *job, struct deep_plan *p, dusk_error *err);

/* Whether it was asked for, and is at work. */
bool deep_is_whole(const struct deep_plan *p);
/* How many examples at a time: at least 1, at most `most`. */
size_t deep_whole_room(const deep_net *net, size_t most);
DUSK_MUST_USE dusk_status deep_whole_open(deep_whole *out, const deep_net *net, size_t room, dusk_error *err);
/* Wipe and free; fine on a zeroed one. */
void deep_whole_close(deep_whole *whole);
/* Of `examples` examples: all zero. */
void deep_whole_reset(deep_whole *whole, size_t examples);
/* Add `share` times the gradients of a pass that went forward and back. */
void deep_whole_add(deep_whole *whole, deep_pass *pass, deep_real share);
/* Add noise to the gradients of a pass, by 64 coins of each example: about `length` long each. */
void deep_whole_shake(deep_whole *whole, const deep_pass *pass, double length);

/* `copies` copies of n parameters, each number moved by a normal one of deviation `radius`. */
DUSK_MUST_USE dusk_status deep_whole_move(float *out, const float *parameters, size_t n, size_t copies,
                                          double radius, dusk_generator *gen, dusk_error *err);

#endif
