/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_VOTES_H
#define DUSK_DEEP_VOTES_H

/* From votes to released answers: the aggregators of PATE. A question has a histogram of votes, one of each teacher at most.
 *
 *     lnmax        the class with the most votes after Laplace noise [Papernot et al. 2017]; the one for promises without delta
 *     gnmax        the same with Gaussian noise
 *     confident    first whether there are enough votes for one class, with noise; only then an answer [Papernot et al. 2018]
 *     interactive  first whether votes go against what the student says already; where they do not, and the student is sure, its own
 *                  answer stands
 *
 * Whether a question is answered is itself released, and paid for, whatever comes of it. Proof: votes.proof.md. */

#include "learn/learner.h"
#include "learn/sampler.h"

#define DEEP_VOTE_GRID (-20)
#define DEEP_VOTE 0x1p20          /* steps of a vote */
#define DEEP_VOTE_MOVES 1482911.0 /* no less than sqrt(2) votes: one vote goes to another class */

typedef enum deep_aggregation { DEEP_GNMAX, DEEP_CONFIDENT, DEEP_INTERACTIVE, DEEP_LNMAX } deep_aggregation;

typedef struct deep_votes {
    deep_aggregation way;
    size_t classes, teachers;     /* or neighbours: how many vote */
    const learn_sampler *sampler; /* NULL: votes are of all rows; else of a fresh sample for each release */
    size_t questions, answers;    /* at most so many; answers <= questions */
    double threshold;             /* votes that are enough */
    double sure;                  /* of the student: the score from which on its answer stands */
    double
        margin; /* answers that lead by less than so many deviations of the noise are dropped, after they were released */
    learn_noise counts; /* of the votes of a question */
    learn_noise screen; /* of the largest of them, where that is asked first */
} deep_votes;

/* For plans: fill in the noise, of all that is left of the budget; `screening` of it is for the first question. The other fields are set. */
DUSK_MUST_USE dusk_status deep_votes_plan(learn_job *job, deep_votes *votes, double screening,
                                          dusk_error *err);
/* What is asked first, before noise: how far votes are above what the student says, of the class where that is most. */
double deep_votes_over(const deep_votes *votes, const int32_t *count, const float *guess);

/* A release that goes on: how many questions were asked, and answers given. */
typedef struct deep_asked {
    size_t questions, answers;
} deep_asked;
/* *answer: a class, or -1. `asking`: the votes of the question for whether to answer, and `count` for the answer, the same where votes are of all rows; `guess`: what the student says of it, a score a class, or NULL. No more than
 * votes->questions calls; those beyond, and those after the last answer, release nothing. */
DUSK_MUST_USE dusk_status deep_votes_answer(const deep_votes *votes, deep_asked *asked, const int32_t *asking,
                                            const int32_t *count, const float *guess, int32_t *answer,
                                            dusk_generator *gen, dusk_error *err);

#endif
