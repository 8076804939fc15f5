/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_GROUPS_H
#define DUSK_LEARN_GROUPS_H

/* Groups of rows, each with a public centre and radius, and one release that tells of all of them how many rows they
 * have, where their mean is and how far rows are from the centre. A row is in one group. It adds to it (its offset from the
 * centre, pulled in to the radius; 1; the square of the offset), weighted so that the whole has a length that does not depend on
 * the radius: a smaller radius means less noise in the mean. So centres that are known roughly are found exactly, for less.
 * What k-means by Lloyd and by hashing share. Proof: groups.proof.md. */

#include "learn/learner.h"

typedef struct learn_group_noise {
    learn_noise noise; /* for width + 2 totals a group: offsets, rows, squares; dimension width + 2 */
    double weight;     /* of a row, beside LEARN_GROUP_SIZE for an offset of the radius; whole */
} learn_group_noise;

#define LEARN_GROUP_RADIUS 1.5  /* times the spread, in rounds after the first */
#define LEARN_GROUP_SIZE 0x1p22 /* an offset as long as the radius, in the steps of the totals */

#define LEARN_GROUP_SCRATCH(room, width) (4 * (room) + (width))

typedef struct learn_groups {
    size_t k, width;
    double *centre,
        *square; /* k * width whole steps, |centre| <= bound; k, |centre|^2: by learn_groups_place */
    double *scale,
        *reach; /* k; offsets within reach (the radius) times scale are at most SIZE: by learn_groups_reach */
    double *count;      /* k, released; 0 before, and where it is not above the noise */
    double *spread;     /* k: root of the mean square of distances from the centre, in steps; released */
    double *low, *high; /* width: the box that rows are in, whole steps; |low|, |high| <= bound */
    double bound;       /* of rows, steps */
} learn_groups;

/* Take `share` of the budget for `times` releases of groups of job->features. */
DUSK_MUST_USE dusk_status learn_plan_groups(learn_job *job, learn_group_noise *out, double share,
                                            uint64_t times, dusk_error *err);

/* k groups without centres, in the box of the features (which are as they will be). */
DUSK_MUST_USE dusk_status learn_groups_init(learn_groups *out, size_t k, const learn_features *features,
                                            const dusk_fields *fields, dusk_error *err);
void learn_groups_clear(learn_groups *groups);
/* The radius of group j; at least a step, at most all that there is. */
void learn_groups_reach(learn_groups *groups, size_t j, double radius);
/* Set a centre to the nearest that may be one. */
void learn_groups_place(learn_groups *groups, size_t j, const double *at);

/* Which group rows of the block belong to: the nearest centre, the first of those equally near; exact. `margins` has room *
 * k doubles, `which` room. */
void learn_groups_nearest(const learn_groups *groups, const tensor_block *block, double *margins,
                          int32_t *which);
/* The exact sum that learn_groups_release wants; `which` is spoiled: */
DUSK_MUST_USE dusk_status learn_groups_sum(const learn_groups *groups, tensor_sum *out, dusk_error *err);
void learn_groups_add(const learn_groups *groups, tensor_sum *sum, const tensor_block *block, int32_t *which,
                      double *scratch /* LEARN_GROUP_SCRATCH(room, width) */);
/* Release once: out gets k * (width + 2) numbers: offsets of the mean in steps times rows, rows, squares times rows. */
DUSK_MUST_USE dusk_status learn_groups_release(const learn_groups *groups, const learn_group_noise *noise,
                                               tensor_sum *sum, double *out, dusk_generator *gen,
                                               dusk_error *err);
/* Centres, counts, spreads and radii from what was released, which is spoiled; post-processing. */
void learn_groups_move(learn_groups *groups, const learn_group_noise *noise, double *released);

/* All of it: rows to the nearest centre, one release, centres moved. */
DUSK_MUST_USE dusk_status learn_groups_round(learn_groups *groups, const learn_group_noise *noise,
                                             const learn_matrix *matrix, dusk_generator *gen,
                                             dusk_error *err);

#endif
