/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_CLIP_H
#define DUSK_DEEP_CLIP_H

/* A clip that follows a quantile of the lengths of gradients [Andrew et al. 2021]. Beside its gradient every example has a vote: that it was
 * within the clip, or was held down. Votes are one more coordinate of the totals of a step, released with the same noise as all others, so
 * that the two are one vector of one sensitivity: gradients get the noise that the paper's split of a multiplier z into z_delta and sigma_b
 * gives, here with z_delta = z DEEP_VOTED_STEPS / DEEP_STEPS and 2 sigma_b = z DEEP_VOTED_STEPS / DEEP_CLIP_VOTE, whatever z is: z^-2 is the sum
 * of the squares of their inverses. Proof: clip.proof.md. */

#include <stdint.h>

#define DEEP_CLIP_VOTE 0x1p19      /* steps: an eighth of a gradient, which makes noise larger by 0.8 % */
#define DEEP_VOTED_STEPS 4226945.0 /* the length of a gradient with its vote, at most; a whole number */

/* Votes of `examples`, of which so many were within, in steps. */
int64_t deep_clip_votes(uint64_t within, uint64_t examples);
/* The clip of the next step, by released votes, in units of DEEP_STEPS: towards that of which a part `quantile` of gradients is within. */
double deep_next_clip(double clip, double votes, double lot, double quantile, double rate);

#endif
