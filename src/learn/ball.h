/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_BALL_H
#define DUSK_LEARN_BALL_H

/* Rows about a released centre, scaled into a ball. Directions of a cloud of rows show in its shape about its middle; the declared
 * bounds of rows, which noise must cover, are often far wider than the cloud. So a learner may pay a little for the mean and
 * for the median of the distances to it, and let rows that are farther away count as if they were at that distance. Where
 * the ball is, is public then; a row becomes a vector of whole numbers of at most LEARN_BALL steps, exactly, by itself.
 * Proof: ball.proof.md. */

#include "learn/learner.h"

#define LEARN_BALL_BITS 18
#define LEARN_BALL 0x1p18  /* steps of the ball's radius */
#define LEARN_BALL_BINS 41 /* of distances */

typedef struct learn_ball_plan {
    bool centred, measured; /* pays for the mean, for the median distance */
    learn_noise mean; /* of the sum of rows, and of `weight` steps a row where their number is not declared */
    learn_noise distances; /* of a histogram */
    double weight;         /* 0: declared */
} learn_ball_plan;

/* Where the ball is. */
typedef struct learn_ball {
    size_t width;
    double *centre; /* whole steps */
    double radius;  /* in steps; becomes LEARN_BALL */
    double count;   /* how many rows, as far as it is known; at least 1 */
} learn_ball;

/* `centre_share` 0: about 0. `distance_share` 0: as large as the bound of rows wants it. */
DUSK_MUST_USE dusk_status learn_plan_ball(learn_job *job, learn_ball_plan *out, double centre_share,
                                          double distance_share, dusk_error *err);
DUSK_MUST_USE dusk_status learn_fit_ball(const learn_job *job, const learn_ball_plan *plan, learn_ball *out,
                                         const learn_matrix *matrix, dusk_generator *gen, dusk_error *err);
void learn_ball_clear(learn_ball *ball);
/* The rows of a block (after tensor_block_advance or _next), into its x. */
void learn_ball_map(const learn_ball *ball, tensor_block *block);

#endif
