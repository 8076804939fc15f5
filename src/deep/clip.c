/* SPDX-License-Identifier: Apache-2.0 */
/* Votes on the clip; see clip.h. */
#include "deep/clip.h"

#include <math.h>

#include "base/mutant.h"
#include "base/platform.h"
#include "deep/sums.h"

_Static_assert((uint64_t)DEEP_VOTED_STEPS *(uint64_t)DEEP_VOTED_STEPS >=
                   (uint64_t)DEEP_STEPS * (uint64_t)DEEP_STEPS +
                       (uint64_t)DEEP_CLIP_VOTE * (uint64_t)DEEP_CLIP_VOTE,
               "a gradient with its vote is no longer than that");

/* For and against, so that a vote is DEEP_CLIP_VOTE long whatever it is: counting one side only would take twice the noise. */
DUSK_PROVEN(deep_clip_votes)
int64_t deep_clip_votes(uint64_t within, uint64_t examples)
{
    const int64_t balance = (int64_t)within - (int64_t)(examples - within);
    return balance * (int64_t)(DEEP_CLIP_VOTE * DUSK_MUTATE(DEEP_VOTE_TOO_LONG, 1, 16));
}

double deep_next_clip(double clip, double votes, double lot, double quantile, double rate)
{
    double part = 0.5 + 0.5 * votes * (DEEP_STEPS / DEEP_CLIP_VOTE) / lot;
    part = part > 0 ? part : 0;
    part = part < 1 ? part : 1;
    const double next = clip * exp(rate * (quantile - part));
    return fmin(fmax(next, 1e-9), 1e9);
}
