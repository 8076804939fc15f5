/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_KMEANS_START_H
#define DUSK_LEARN_KMEANS_START_H

/* Where k-means begins: a summary of the rows that is paid for once, as points with weights, and centres of those. Proof:
 * kmeans_start.proof.md. */

#include "learn/groups.h"
#include "learn/points.h"

/* Counts of the cells of a coarse grid over the box, and of finer cells where those have rows; for few columns. `rows`: about how
 * many there are. */
DUSK_MUST_USE dusk_status learn_start_grid(learn_groups *groups, const learn_noise *coarse,
                                           const learn_noise *fine, double rows, const learn_matrix *matrix,
                                           dusk_generator *gen, dusk_error *err);
/* Cells by which side of random planes rows are on [after Chang, Ghazi, Kumar & Manurangsi 2021]: planes through the mean of all
 * rows, and in every cell planes through its own mean. Three releases: the mean, coarse cells, fine cells. */
typedef struct learn_hash_noise {
    learn_group_noise middle, coarse, fine;
} learn_hash_noise;
DUSK_MUST_USE dusk_status learn_start_hash(learn_groups *groups, const learn_hash_noise *noise, double rows,
                                           const learn_features *features, const dusk_fields *fields,
                                           const learn_matrix *matrix, dusk_generator *gen, dusk_error *err);
/* Centres chosen one after the other from public candidates. */
DUSK_MUST_USE dusk_status learn_plan_choice(learn_job *job, dusk_selection *out, size_t k, double share,
                                            dusk_error *err);
DUSK_MUST_USE dusk_status learn_start_choice(learn_groups *groups, const dusk_selection *choice,
                                             const learn_features *features, const dusk_fields *fields,
                                             const learn_matrix *matrix, dusk_generator *gen,
                                             dusk_error *err);

/* Centres of blocks of rows, each clustered by itself, counted on a grid. */
typedef struct learn_block_noise {
    size_t blocks;
    learn_noise coarse, fine;
} learn_block_noise;
DUSK_MUST_USE dusk_status learn_plan_blocks(learn_job *job, learn_block_noise *out, size_t k, double share,
                                            dusk_error *err);
DUSK_MUST_USE dusk_status learn_start_blocks(learn_groups *groups, const learn_block_noise *noise,
                                             const learn_matrix *matrix, dusk_generator *gen,
                                             dusk_error *err);

/* Heaps of rows that explain one sketch of all of them (sketch.h). */
typedef struct learn_sketch_noise {
    size_t waves;
    learn_noise noise;
} learn_sketch_noise;
DUSK_MUST_USE dusk_status learn_plan_sketch(learn_job *job, learn_sketch_noise *out, size_t k, double share,
                                            dusk_error *err);
DUSK_MUST_USE dusk_status learn_start_sketch(learn_groups *groups, const learn_sketch_noise *noise,
                                             const learn_matrix *matrix, dusk_generator *gen,
                                             dusk_error *err);

/* Any of them, for learners that begin so. */
enum {
    LEARN_START_AUTO,
    LEARN_START_GRID,
    LEARN_START_HASH,
    LEARN_START_SPREAD,
    LEARN_START_CHOICE,
    LEARN_START_BLOCKS,
    LEARN_START_SKETCH
};
typedef struct learn_start {
    int method;
    learn_noise rows, coarse, fine; /* grid */
    learn_hash_noise hash;
    dusk_selection choice;
    learn_block_noise blocks;
    learn_sketch_noise sketch;
} learn_start;
/* What "auto" means: a grid for few columns. */
int learn_start_method(const learn_job *job, int asked);
/* Take `share` of what is left of the budget; start->method is set. share 1: nothing is released afterwards. */
DUSK_MUST_USE dusk_status learn_plan_start(learn_job *job, learn_start *start, size_t k, double share,
                                           dusk_error *err);
DUSK_MUST_USE dusk_status learn_fit_start(const learn_job *job, const learn_start *start,
                                          learn_groups *groups, const learn_matrix *matrix,
                                          dusk_generator *gen, dusk_error *err);

/* Centres, spreads and radii from points. `inner`: the mean square of what points stand for about them. */
DUSK_MUST_USE dusk_status learn_start_from(learn_groups *groups, const learn_points *points, double inner,
                                           dusk_error *err);
/* Centres without looking: public, spread over the box. */
void learn_start_spread(learn_groups *groups);

/* How many cells a side, and how many planes; by public numbers. */
size_t learn_grid_side(size_t width, double rows, double deviation);
size_t learn_hash_planes(size_t width, double rows, double deviation);

#endif
