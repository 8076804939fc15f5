/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_CHOICE_H
#define DUSK_MECHANISMS_CHOICE_H

/* Choosing: the best of candidates, of keys, of runs; and answers that people give for
 * themselves.
 * What all mechanisms have in common: dusk/mechanisms.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/mechanisms_numbers.h"
#include "dusk/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Choice ---------------------------------------------------------------- */

typedef enum dusk_selection_method {
    DUSK_SELECT_EXPONENTIAL = 1,      /* P(i) ~ exp(eps u_i / (2 s)) [McSherry & Talwar 2007]      */
    DUSK_SELECT_PERMUTE_AND_FLIP = 2, /* never worse in expectation [McKenna & Sheldon 2020]       */
    DUSK_SELECT_NOISY_MAX_LAPLACE = 3,
    DUSK_SELECT_NOISY_MAX_GUMBEL = 4,     /* the law of EXPONENTIAL                               */
    DUSK_SELECT_NOISY_MAX_EXPONENTIAL = 5 /* the law of PERMUTE_AND_FLIP [Ding et al. 2021]       */
} dusk_selection_method;

/* Choosing the best of several candidates. A value. */
typedef struct dusk_selection {
    dusk_selection_method method;
    bool monotonic;     /* neighbours move all scores in the same direction: half the noise */
    double sensitivity; /* how far one score may move between neighbours */
    double epsilon;
} dusk_selection;

DUSK_API DUSK_MUST_USE dusk_status dusk_selection_init(dusk_selection *out, dusk_selection_method method,
                                                       double sensitivity, bool monotonic, double epsilon,
                                                       dusk_error *err);
/* Choose one of n >= 1 candidates; *index is 0-based. Any scores: NaN counts as
 * the lowest, infinities as the largest double; the sensitivity is at most 2^1000.
 * The law is exact. Time, memory and how many coins are needed depend on the
 * scores. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_release(const dusk_selection *selection, size_t *index,
                                                          const double *scores, size_t n, dusk_generator *gen,
                                                          dusk_error *err);
/* The k best, best first, in one shot [Durfee & Rogers 2019]: Gumbel noise, each
 * of the k choices costs `epsilon`. EXPONENTIAL or NOISY_MAX_GUMBEL only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_release_top(const dusk_selection *selection,
                                                              size_t *indices, size_t k, const double *scores,
                                                              size_t n, dusk_generator *gen, dusk_error *err);
/* What a choice of the k best (1 for dusk_selection_release) released. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_event(const dusk_selection *selection, size_t k,
                                                        dusk_event *out, dusk_error *err);
/* With probability at least `confidence` the score of the chosen candidate (of
 * each of the k chosen against the true one of its rank) is at most *shortfall
 * below the best of n. */
DUSK_API DUSK_MUST_USE dusk_status dusk_selection_interval(const dusk_selection *selection, double *shortfall,
                                                           size_t k, size_t n, double confidence,
                                                           dusk_error *err);

/* The keys of the largest counts when the keys themselves come from the data, in
 * one shot [Durfee & Rogers 2019]: only the `limit` largest counts and the next
 * one are looked at, Gumbel noise is added to them and to a threshold above the
 * next one, and keys are shown, best first, until the threshold comes. Add/remove
 * neighbours. A value; its fields are for reading. */
typedef struct dusk_limit_domain {
    size_t k;               /* at most so many keys are shown                          */
    size_t limit;           /* so many keys may be chosen from: the k-bar of the paper */
    uint32_t keys_per_unit; /* a unit may touch so many keys; 0: any number            */
    uint32_t count_per_key; /* and raise the count of each by so much: 1 for distinct units */
    double epsilon;         /* of each of the k choices                                */
    double delta;           /* spent by the threshold; not above what was asked for    */
    double threshold;       /* above the limit+1-st largest count                      */
} dusk_limit_domain;

/* k <= limit; more than a few times k costs little noise (ln(limit)/epsilon), and
 * makes the threshold fall to smaller counts. */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_init(dusk_limit_domain *out, size_t k, size_t limit,
                                                          uint32_t keys_per_unit, uint32_t count_per_key,
                                                          double epsilon, double delta, dusk_error *err);
/* indices[0 .. *shown - 1], room for k: which of the n keys are shown, best first;
 * perhaps none. Keys of count 0 are as if they were not there; counts end at 2^52.
 * The order in which the keys are passed does not matter: ties at the end of the
 * list are broken by lot. How many are shown is part of what is released, and
 * paid for as if there were k. Time and coins depend on the counts. */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_release(const dusk_limit_domain *domain, size_t *indices,
                                                             size_t *shown, const uint64_t *counts, size_t n,
                                                             dusk_generator *gen, dusk_error *err);
/* exponential(epsilon) * k + approx(0, delta). */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_event(const dusk_limit_domain *domain, dusk_event *out,
                                                           dusk_error *err);
/* With probability at least `confidence` the count of every key shown is at most
 * *shortfall below the true one of its rank, and, when fewer than k are shown for
 * want of counts, no other key is more than threshold + *shortfall above the
 * limit+1-st largest count. */
DUSK_API DUSK_MUST_USE dusk_status dusk_limit_domain_interval(const dusk_limit_domain *domain,
                                                              double *shortfall, double confidence,
                                                              dusk_error *err);

/* The best of several runs of a private mechanism, such as one training for each
 * choice of its settings: the number of runs is random, and nobody learns it [Liu &
 * Talwar 2019; Papernot & Steinke 2022]. Then the best run costs about three runs
 * instead of all. A value; set `padding` if you like, read the others. */
typedef enum dusk_candidates_law {
    DUSK_RUNS_ARE_NEGATIVE_BINOMIAL = 1, /* truncated to 1 or more; eta 1: geometric, 0: logarithmic */
    DUSK_RUNS_ARE_POISSON = 2            /* perhaps no run at all */
} dusk_candidates_law;

typedef struct dusk_candidates {
    dusk_candidates_law law;
    double eta, gamma;
    double mean;      /* runs on average */
    uint64_t padding; /* 0: at least so many runs are made; those beyond the number that was drawn
                         are thrown away. Somebody with a clock learns the number only when it is
                         larger: see dusk_candidates_runs */
} dusk_candidates;

/* eta > -1 and gamma in [2^-40, 1): larger eta is closer to its mean, and costs more. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_init(dusk_candidates *out, double eta, double gamma,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_poisson_init(dusk_candidates *out, double mean,
                                                                dusk_error *err);

/* One run: draw from `gen`, write a score and `size` bytes of output (zeroed before).
 * Score and output together are what the run releases: all that it does must be
 * covered by the event of one run, and every run must be the same mechanism on the
 * same data, whatever the other runs gave. It may fail for lack of memory or
 * entropy only. */
typedef dusk_status dusk_candidates_run(void *context, double *score, void *output, dusk_generator *gen,
                                        dusk_error *err);

/* Make the runs; *score and output (`size` bytes) are those of the run with the
 * largest score, the first of equal ones; NaN is below all numbers. *any is false,
 * *score NaN and output zero when a Poisson number was 0. How many runs there were is
 * not told and must not be found out: the time tells it, unless there is `padding`,
 * and so does whatever else a run leaves behind. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_release(const dusk_candidates *candidates, bool *any,
                                                           double *score, void *output, size_t size,
                                                           dusk_candidates_run *run, void *context,
                                                           dusk_generator *gen, dusk_error *err);
/* Runs that each take one of n public candidates at random and add `noise` (of
 * dimension 1) to its score: *index and the noisy *score of the best run. One unit
 * moves any one score by at most noise->sensitivity. A run costs dusk_noise_event. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_release_scores(const dusk_candidates *candidates,
                                                                  bool *any, size_t *index, double *score,
                                                                  const dusk_noise *noise,
                                                                  const double *scores, size_t n,
                                                                  dusk_generator *gen, dusk_error *err);
/* select_best(eta, gamma, run) or select_poisson(mean, run), `run` being the event of
 * one run. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_event(const dusk_candidates *candidates, dusk_event *out,
                                                         const dusk_event *run, dusk_error *err);
/* With probability at least `confidence` the result is among the best *fraction of
 * what a single run gives: a single run has a larger score with that probability at
 * most. 1 where nothing can be said. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_interval(const dusk_candidates *candidates,
                                                            double *fraction, double confidence,
                                                            dusk_error *err);
/* With probability at least `confidence` there are at most *most runs: what to set
 * `padding` to. */
DUSK_API DUSK_MUST_USE dusk_status dusk_candidates_runs(const dusk_candidates *candidates, uint64_t *most,
                                                        double confidence, dusk_error *err);

/* ---- Responses --------------------------------------------------------------- */

/* Randomized response over k answers 0..k-1 [Warner 1965; Kairouz, Bonawitz &
 * Ramage 2016]: the truth with a probability that epsilon decides, else one of the
 * others. A value. Its relation is replace-one: each person answers once, whatever
 * the answer. */
typedef struct dusk_randomized_response {
    uint32_t answers;     /* k >= 2 */
    double epsilon;       /* upper bound of what is given */
    double first, second; /* two-coin form: heads of coin 1 tells the truth, coin 2 answers 1; else 0 */
    bool two_coin;
} dusk_randomized_response;

/* Keep the truth with probability e^eps / (e^eps + k - 1), exactly. */
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_init(dusk_randomized_response *out,
                                                                 uint32_t answers, double epsilon,
                                                                 dusk_error *err);
/* Two coins, for yes/no: with probability `first` tell the truth, otherwise say
 * yes with probability `second`; both in (0, 1). epsilon follows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_two_coin_init(dusk_randomized_response *out, double first,
                                                      double second, dusk_error *err);
/* Randomize n answers, each in 0..k-1 (larger ones count as k-1). */
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_release(const dusk_randomized_response *rr,
                                                                    uint32_t *out, const uint32_t *answers,
                                                                    size_t n, dusk_generator *gen,
                                                                    dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_event(const dusk_randomized_response *rr,
                                                                  dusk_event *out, dusk_error *err);
/* Unbiased estimates of how many of the `sum of counts` people truly hold each
 * answer, from the k counts of randomized answers, and half-widths that hold
 * for each with probability at least `confidence`. Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_randomized_response_estimate(const dusk_randomized_response *rr,
                                                                     double *estimates, double *half_widths,
                                                                     const uint64_t *counts,
                                                                     double confidence, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
