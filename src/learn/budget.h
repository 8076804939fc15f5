/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_BUDGET_H
#define DUSK_LEARN_BUDGET_H

/* How a learner shares its promise among releases, before a row is looked at. Every release is given a share; shares add
 * to 1 at most. With a delta they are shares of mu^2, mu-Gaussian privacy being what (epsilon, delta) allows: Gaussian noise
 * composes by adding mu^2 without loss, and what is pure has a mu, too [Dong, Roth & Su 2022]. Without a delta they are
 * shares of epsilon, and sums get K-norm noise. What was given is collected as one event, made of the noise as it
 * will be drawn, and priced once more in the end (learn_budget_state). Proof: budget.proof.md. */

#include <stdbool.h>

#include "base/platform.h"
#include "dusk/accounting.h"
#include "dusk/mechanisms.h"

/* A model in versions, each with less noise than the one before (ladder.c). A version draws fresh noise, for what its mu^2 has more than that of the
 * version before, and what it releases is averaged with what is known: as good as one release at all of mu. Every release is
 * one more, with noise of its own and an event of its own. */
enum { LEARN_VERSIONS_NOISES = 8 };
typedef struct learn_versions {
    double before, now;                   /* mu of the version before, or 0, and of the one that is planned */
    uint32_t noises;                      /* of the plan so far */
    double *known[LEARN_VERSIONS_NOISES]; /* what each noise has released, averaged; NULL: nothing yet */
} learn_versions;
void learn_versions_clear(learn_versions *versions);

typedef struct learn_budget {
    dusk_neighbours neighbours;
    double epsilon, delta;
    double
        factor; /* how many contributions of a row one change of the data moves at most: rows a unit, twice that
                      under replace-one. A whole number */
    double mu;   /* 0 without delta */
    double left; /* share */
    double
        multiplier; /* 0; else the noise is given: the promise is what it costs, and only learn_budget_sampled can be taken, once */
    double spent, pure; /* with delta: mu^2 that was given, and epsilon by learn_budget_counts */
    bool any;
    dusk_event event;         /* of what was given so far */
    double fresh;             /* of mu^2, what is drawn anew: 1, but for versions */
    learn_versions *versions; /* or NULL; borrowed by all noise */
} learn_budget;

DUSK_MUST_USE dusk_status learn_budget_init(learn_budget *out, dusk_neighbours neighbours, double epsilon,
                                            double delta, uint32_t rows_per_unit, dusk_error *err);
/* A budget of which one thing can be taken: samples with noise of `multiplier` times what a row adds (sampler.h). */
DUSK_MUST_USE dusk_status learn_budget_by_noise(learn_budget *out, dusk_neighbours neighbours,
                                                double multiplier, double delta, uint32_t rows_per_unit,
                                                dusk_error *err);
/* Of a budget with delta of which nothing was taken: plan the version of mu `versions->now`. Only noise for one release of sums can be
 * taken from it, DUSK_ERR_UNSUPPORTED otherwise. */
void learn_budget_version(learn_budget *budget, learn_versions *versions);

/* Noise for vectors of exact totals in steps of 2^grid. A value. */
typedef struct learn_noise {
    bool gaussian, laplace; /* or K-norm noise */
    dusk_noise gauss;       /* or discrete Laplace noise */
    dusk_knorm norm;        /* l2, pure */
    uint32_t dimension;
    int grid;
    double
        deviation; /* of one coordinate of a release, in the unit of the data; of versions, once it is averaged */
    double fresh; /* of versions: the weight of what is drawn anew */
    learn_versions *versions;
    uint32_t number; /* among the noises of a plan */
} learn_noise;

/* Noise for `times` releases of `dimension` totals each; what one row adds to all totals of one release has a length of
 * at most `steps` (a whole number, at most 2^50) in l2. */
DUSK_MUST_USE dusk_status learn_budget_noise(learn_budget *budget, learn_noise *out, uint32_t dimension,
                                             double steps, int grid, double share, uint64_t times,
                                             dusk_error *err);
/* The same for cells of which a row is in few: `steps` is what it adds in l1. Without delta the noise is discrete Laplace, which is
 * less; with delta as above, where `steps` may be what it adds in l2: better than learn_budget_counts where there are many releases. */
DUSK_MUST_USE dusk_status learn_budget_cells(learn_budget *budget, learn_noise *out, uint32_t dimension,
                                             double steps, int grid, double share, uint64_t times,
                                             dusk_error *err);
/* Release once. out[i] = (totals[i] + noise) 2^grid. Without delta totals end at +-2^53 steps. Of versions: averaged with those
 * before. */
DUSK_MUST_USE dusk_status learn_noise_release(const learn_noise *noise, double *out,
                                              const dusk_int128 *totals, dusk_generator *gen,
                                              dusk_error *err);

/* Discrete Laplace noise for counts: what one row adds to all totals of a release adds up to at most `steps` (a whole
 * number, at most 2^50) in absolute value, however many totals there are. For cells of which a row is in one this is far less
 * noise than Gaussian noise, so it is pure with a delta, too: `share` is then a part of epsilon, and what is left (budget->left of
 * it) is a promise of the rest of epsilon with the delta. share 1: all of it. */
DUSK_MUST_USE dusk_status learn_budget_counts(learn_budget *budget, learn_noise *out, double steps,
                                              double share, dusk_error *err);
/* Release `n` such totals once; n is public, or was released. */
DUSK_MUST_USE dusk_status learn_counts_release(const learn_noise *noise, double *out,
                                               const dusk_int128 *totals, size_t n, dusk_generator *gen,
                                               dusk_error *err);

/* An epsilon for each of `times` pure releases, for what one change of the data does: the learner multiplies
 * sensitivities by `factor` itself. `choice`: they are exponential mechanisms (bounded range), which is
 * cheaper. */
DUSK_MUST_USE dusk_status learn_budget_pure(learn_budget *budget, double *epsilon, bool choice, double share,
                                            uint64_t times, dusk_error *err);
/* All that is left, for `times` releases that are *epsilon-DP. Where nothing else is paid for, a few pure releases are cheapest as that, with a
 * delta, too. */
DUSK_MUST_USE dusk_status learn_budget_whole(learn_budget *budget, double *epsilon, uint64_t times,
                                             dusk_error *err);
/* All that is left, for `times` releases that are *epsilon-DP: the largest such epsilon that an accountant allows beside what was given, and what is set aside for Gaussian noise (a share that is neither left nor given). No less than
 * by learn_budget_pure, and far more where releases are few. */
DUSK_MUST_USE dusk_status learn_budget_pure_most(learn_budget *budget, double *epsilon, uint64_t times,
                                                 dusk_error *err);
/* With a delta: how many releases that are epsilon-DP there can be so, from 1 to `most`. */
uint64_t learn_budget_pure_times(const learn_budget *budget, double epsilon, uint64_t most);
/* All that is left, for `times` choices: exponential mechanisms (bounded range), as above. Shares of a Gaussian budget are made for
 * Gaussian noise and say too little of choices: what they leave of epsilon is divided among them. */
DUSK_MUST_USE dusk_status learn_budget_choices(learn_budget *budget, double *epsilon, uint64_t times,
                                               dusk_error *err);
/* A part that the learner prices itself: the event is added as it is; `share` is what it may be taken for. */
DUSK_MUST_USE dusk_status learn_budget_event(learn_budget *budget, const dusk_event *event, double share,
                                             uint64_t times, dusk_error *err);

/* The statement of all that was given. DUSK_ERR_INTERNAL when it costs more than was asked for. */
DUSK_MUST_USE dusk_status learn_budget_state(const learn_budget *budget, dusk_statement *out,
                                             const char *unit, dusk_error *err);

/* All that is left, for one release that is (*epsilon, delta)-DP: the largest such epsilon of a few tries; 0 and nothing taken, when
 * there is none. `delta` is below that of the budget where something was given before. */
DUSK_MUST_USE dusk_status learn_budget_rest(learn_budget *budget, double *epsilon, double delta,
                                            dusk_error *err);

#endif
