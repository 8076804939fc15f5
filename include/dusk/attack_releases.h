/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ATTACK_RELEASES_H
#define DUSK_ATTACK_RELEASES_H

/* Attacks on released numbers.
 *
 *   differencing    two answers about groups that differ in one person
 *   averaging       the same question asked again and again
 *   reconstruction  counts of many groups give a whole column back [Dinur & Nissim 2003]
 *   membership      means of many attributes tell who is in a study [Homer et al. 2008]
 *
 * What these are and are not for: dusk/attack.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a promise leaves to an attacker --------------------------------------------- */

/* No attack on `released` tells more often than this, on average, whether a unit's data is
 * one thing or its neighbour, when it is the one with probability `prior`, in [0, 1],
 * whatever the attacker knows about everybody else. Rounded up; 1/2 + advantage/2 for a
 * prior of 1/2. */
DUSK_API DUSK_MUST_USE dusk_status dusk_right_guesses_up(double *out, const dusk_composition *released,
                                                         double prior, dusk_error *err);

/* Guesses that were counted, each about fresh draws: their share, and bounds of what it is in
 * the long run [Clopper & Pearson 1934], which hold together at the confidence asked for. */
typedef struct dusk_guesses {
    uint64_t right, trials;
    double share, low, high;
} dusk_guesses;
/* right <= trials; 0 < confidence < 1. */
DUSK_API DUSK_MUST_USE dusk_status dusk_guesses_count(dusk_guesses *out, uint64_t right, uint64_t trials,
                                                      double confidence, dusk_error *err);

/* A random order of 0, ..., n - 1 from `seed`: who is to be a member and who an outsider of a
 * study that is made up, which answers are to be wrong. Never for a release: whoever knows
 * the seed knows the order. */
DUSK_API void dusk_attack_order(size_t *order, size_t n, uint64_t seed);

/* ---- Differencing ------------------------------------------------------------------------ */

/* Whether the one person is counted, by the answer about a group with that person and the
 * one about the same group without. A person who is counted adds `amount`, positive or
 * negative: the guess is "yes" where the difference is nearer to amount than to 0, the
 * likeliest thing for all noise whose density falls on both sides. Answers without noise
 * give the fact itself. NaN is "no". */
DUSK_API bool dusk_differencing_guess(double with, double without, double amount);

/* Play it `trials` times: each time `answer` draws both answers afresh, answers[0] about the
 * group with the person, who is counted iff `there` says so, which is a fair coin of the
 * attack's own (from `seed`). */
typedef dusk_status dusk_answer_twice(void *context, double answers[2], bool there, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_differencing_play(dusk_guesses *out, dusk_answer_twice *answer,
                                                          void *context, double amount, uint64_t trials,
                                                          double confidence, uint64_t seed, dusk_error *err);

/* ---- Averaging ---------------------------------------------------------------------------- */

/* What n answers to one question tell together. Between two of the answers, chosen by their
 * rank alone, the truth lies at the confidence asked for, if each answer is the truth plus
 * fresh noise whose median is 0, of whatever law (noise that Dusk adds has it; bounded Laplace
 * noise near an end of its range, and quotients such as means, do not). Where there are too few answers for that, and where all n > 1 are the same
 * (no noise at all, or an answer that was kept and given again), the interval is infinite:
 * repeating has told nothing. */
typedef struct dusk_average {
    size_t answers, distinct;
    double mean, median;
    double low, high;
    bool pinned;  /* exactly one multiple of `step` lies in the interval: */
    double value; /* this one; otherwise the one next to the median        */
} dusk_average;
/* `step`: the truth is known to be a multiple of it, 1 for counts; 0: it may be anything,
 * and is never pinned. Answers must be finite, n >= 1. */
DUSK_API DUSK_MUST_USE dusk_status dusk_average_answers(dusk_average *out, const double *answers, size_t n,
                                                        double step, double confidence, dusk_error *err);

/* ---- Reconstruction ------------------------------------------------------------------------- */

/* Groups of people about whom something was counted: one bit for each question and person. */
typedef struct dusk_groups dusk_groups;
/* `questions` empty groups; at most 2^32 bits in all. */
DUSK_API DUSK_MUST_USE dusk_status dusk_groups_new(dusk_groups **out, size_t people, size_t questions,
                                                   dusk_error *err);
/* The same with each person in each group by a fair coin, from `seed`. */
DUSK_API DUSK_MUST_USE dusk_status dusk_groups_random(dusk_groups **out, size_t people, size_t questions,
                                                      uint64_t seed, dusk_error *err);
DUSK_API void dusk_groups_free(dusk_groups *groups);
/* Put a person into the group of a question; both count from 0 and must exist. */
DUSK_API void dusk_groups_put(dusk_groups *groups, size_t question, size_t person);
DUSK_API bool dusk_groups_has(const dusk_groups *groups, size_t question, size_t person);
DUSK_API size_t dusk_groups_people(const dusk_groups *groups);
DUSK_API size_t dusk_groups_questions(const dusk_groups *groups);
/* The exact answers: for each group the sum of its people's values. */
DUSK_API void dusk_groups_answer(const dusk_groups *groups, double *answers, const double *values);

/* How a column is sought whose counts are nearest to the answers, every value between 0 and 1.
 *   squares   least sum of squared errors: the best for noise without outliers
 *   absolute  least sum of absolute errors, a linear program: survives a share of answers that
 *             are arbitrarily wrong [Dwork, McSherry & Talwar 2007] */
typedef enum dusk_decoder { DUSK_LEAST_SQUARES = 1, DUSK_LEAST_ABSOLUTE = 2 } dusk_decoder;
/* "squares", "absolute". */
DUSK_API const char *dusk_decoder_name(dusk_decoder decoder);

typedef struct dusk_reconstruction_options {
    size_t size; /* set by _init */
    dusk_decoder decoder;
    double tolerance;   /* 0.005: of the misfit, relative to it and to what the fit explains,
                           or to 1/1000 a question if that is more                    */
    double prior;       /* 0: nothing is known; otherwise the share of people who are known to have
                           it: with squares, guesses then lean to it as far as the noise, which
                           is estimated, makes the answers uncertain                       */
    uint64_t work_most; /* 20000: products with the matrix of groups before it is given up  */
} dusk_reconstruction_options;
DUSK_API void dusk_reconstruction_options_init(dusk_reconstruction_options *options);

/* What was found, with its certificate: no column between 0 and 1 has a smaller misfit than
 * `least` (a value of the dual problem, up to the rounding of doubles). */
typedef struct dusk_reconstruction {
    double misfit; /* half the sum of squares (with a prior, and of what it adds), or the sum of
                      absolute errors */
    double least;
    bool solved;   /* misfit - least is within the tolerance */
    uint64_t work; /* products with the matrix of groups     */
} dusk_reconstruction;

/* Write for each person a number in [0, 1]; above 1/2 means "yes". Answers must be finite
 * (what was not answered is left out of the groups). Answers with errors well below
 * sqrt(people) give nearly the whole column back; see dusk_reconstruction_expected. */
DUSK_API DUSK_MUST_USE dusk_status dusk_reconstruct(dusk_reconstruction *out, double *values,
                                                    const dusk_groups *groups, const double *answers,
                                                    const dusk_reconstruction_options *options,
                                                    dusk_error *err);
/* How many of n people are guessed right: values above 1/2 against truth above 1/2. */
DUSK_API size_t dusk_reconstruction_right(const double *values, const double *truth, size_t n);
/* The share of people that theory expects least squares to give back from random groups and
 * independent errors of this deviation, before it is told that values lie in [0, 1]: the
 * normal probability of sqrt(questions - people) / (4 deviation). NaN for questions not
 * above people. A figure for orientation, no bound. */
DUSK_API double dusk_reconstruction_expected(size_t people, size_t questions, double deviation);

/* ---- Membership in released means ------------------------------------------------------------- */

/* A person with attributes x scores (x - p) . w, where p are the means of the population and w is
 * made of them and of the released means q of the study:
 *   inner       q - p [Dwork et al. 2015]
 *   likelihood  ln(q/p) - ln((1 - q)/(1 - p)), q and p kept between 0.001 and 0.999: the
 *               likelihood ratio of independent attributes [Sankararaman et al. 2009]
 *   whitened    (S + ridge)^-1 (q - p), S the covariance of the attributes in the population:
 *               that of attributes that hang together, near enough to normal ones */
typedef enum dusk_membership_score {
    DUSK_INNER_PRODUCT = 1,
    DUSK_LIKELIHOOD_RATIO = 2,
    DUSK_WHITENED = 3
} dusk_membership_score;

/* Make p and w, `attributes` numbers each, from the means of the study and `count` >= 1 people of
 * the population, row by row `attributes` numbers each. */
DUSK_API DUSK_MUST_USE dusk_status dusk_membership_weights(double *weights, double *population,
                                                           dusk_membership_score score, const double *means,
                                                           const double *people, size_t count,
                                                           size_t attributes, dusk_error *err);
/* The scores of `count` people, rows as before. Higher: rather a member. */
DUSK_API void dusk_membership_scores(double *scores, const double *people, size_t count,
                                     const double *weights, const double *population, size_t attributes);
/* How unusual a score is among n outsiders: (1 + number of outsiders whose score is not below it) /
 * (n + 1). For somebody who is not in the study, and no different from the outsiders in any
 * way that means and population depend on, it is at most a with a probability of at most
 * a, whatever n: calling those members whose value is at most a has a rate of false positives
 * of at most a. NaN scores are the lowest. */
DUSK_API double dusk_membership_p_value(double score, const double *outsiders, size_t n);

#ifdef __cplusplus
}
#endif
#endif
