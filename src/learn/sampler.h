/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SAMPLER_H
#define DUSK_LEARN_SAMPLER_H

/* Which rows a step looks at, and what that costs: a sampler carries its event, so that samples cannot be priced as something they are not.
 *
 *     poisson   every row is in each sample with the same chance, by coins of its own, whoever else is in
 *     fixed     exactly `lot` of `places` places, each set of them being as likely as any other
 *     shuffled  all places in a random order, `lot` at a time, and in a new order when they have all been taken: every place
 *               is taken once an epoch, which is priced as that: one release an epoch, without amplification
 *     allocated every row is in one step of an epoch, by coins of its own, any step as likely as any other: priced by allocation.c
 *     drawn     `lot` draws, each of one of `places` places, any as likely as any other: with replacement, so that a row may come several times
 *
 * fixed, shuffled and drawn are for replace-one, where the number of rows is public and declared: `places`. A place that has no row
 * adds nothing, and rows beyond are never taken. Nobody learns who is in a sample, nor, of poisson, how many. Proof: sampler.proof.md. */

#include "learn/budget.h"
#include "random/keyed.h"

typedef enum learn_sampling {
    LEARN_POISSON,
    LEARN_FIXED,
    LEARN_SHUFFLED,
    LEARN_ALLOCATED,
    LEARN_DRAWN
} learn_sampling;

typedef struct learn_sampler {
    learn_sampling way;
    double rate; /* of poisson: the chance, a multiple of 2^-64; of allocated 1 / bins; else lot / places */
    uint64_t places, lot; /* of fixed, shuffled and drawn */
    uint64_t bins;        /* of allocated: steps of an epoch */
    bool once;            /* shuffled: in the order of the first epoch ever after, while one draw is open */
} learn_sampler;

/* poisson: rate > 0, rounded down to a multiple of 2^-64, with DUSK_ERR_ARGUMENT when nothing is left; from 1 on all rows. The others: lot = rate * rows, rounded, at least 1; DUSK_ERR_ARGUMENT without a declared
 * number of rows, or under add/remove; allocated: bins = 1 / rate, rounded; DUSK_ERR_ARGUMENT under replace-one. */
DUSK_MUST_USE dusk_status learn_sampler_init(learn_sampler *out, learn_sampling way, double rate,
                                             uint64_t rows, dusk_neighbours neighbours, dusk_error *err);

/* Steps in which every place, or row, is taken once, of shuffled and allocated. */
uint64_t learn_sampler_epoch(const learn_sampler *sampler);

/* Noise for `times` releases over samples, as learn_budget_noise; samples take all that is left of the budget. Refused without
 * delta. Of a unit of several rows each has coins of its own, which is priced as so many units (group). sampler NULL, or a rate of 1: all rows, by `share`. */
DUSK_MUST_USE dusk_status learn_budget_sampled(learn_budget *budget, learn_noise *out, uint32_t dimension,
                                               double steps, int grid, double share,
                                               const learn_sampler *sampler, uint64_t times, dusk_error *err);

/* The event of one release over a sample: for those who price samples themselves. Not shuffled. */
DUSK_MUST_USE dusk_status learn_sampler_event(dusk_event *out, const learn_budget *budget,
                                              const learn_sampler *sampler, const dusk_event *release,
                                              dusk_error *err);
/* Put samples into the budget, beside what was given before: the noise of that is relative to a replacement, both sides of it, and that of samples, and
 * of all that stands beside them, to a unit that comes or goes. They take all that is left. */
DUSK_MUST_USE dusk_status learn_sampler_join(learn_budget *budget, const dusk_event *sampled, uint64_t times,
                                             dusk_error *err);

/* As learn_budget_sampled, with noise that falls: so many stages one after the other, the noise of stage k being factor[k] times that of a first one that is found, and
 * times[k] releases of it. Not for shuffled rows, of which nobody knows in which stages of an epoch one is. */
enum { LEARN_STAGES_MOST = 16 };
DUSK_MUST_USE dusk_status learn_budget_stages(learn_budget *budget, learn_noise *out, size_t stages,
                                              const double *factor, const uint64_t *times, uint32_t dimension,
                                              double steps, int grid, const learn_sampler *sampler,
                                              dusk_error *err);

/* stages.c: what all that was given costs, and `event` with it, which goes into *trial; and the next multiplier to try, between one that is too small and one that is enough (0: not
 * known yet), what either costs, and what is wanted. */
DUSK_MUST_USE dusk_status learn_stages_price(double *epsilon, learn_budget *trial, const dusk_event *event,
                                             dusk_error *err);
double learn_stages_next(double low, double low_epsilon, double high, double high_epsilon, double wanted);

/* allocation.c: learn_budget_sampled of allocated rows; and the event of `times` of `all` releases over them, each of the event `release`, where delta is that of the budget. */
DUSK_MUST_USE dusk_status learn_budget_allocated(learn_budget *budget, learn_noise *out, uint32_t dimension,
                                                 double steps, int grid, const learn_sampler *sampler,
                                                 uint64_t times, dusk_error *err);
DUSK_MUST_USE dusk_status learn_allocation_event(dusk_event *out, const learn_sampler *sampler, double delta,
                                                 const dusk_event *release, uint64_t times, uint64_t all,
                                                 dusk_error *err);

/* Samples of `rows` rows, one after the other. */
typedef struct learn_draw {
    learn_sampler sampler;
    size_t rows;
    dusk_keyed_coins *coins;
    size_t *order;  /* of places: fixed and shuffled */
    uint64_t *bin;  /* of each row: allocated; of each draw, its place: drawn */
    size_t *row;    /* who is in */
    uint64_t epoch; /* that `order` or `bin` is of */
    bool ordered;
} learn_draw;
DUSK_MUST_USE dusk_status learn_draw_open(learn_draw *out, const learn_sampler *sampler, size_t rows,
                                          dusk_generator *gen, dusk_error *err);
/* The most rows that a sample of `rows` rows may have, counting each as often as it comes. */
size_t learn_sampler_most(const learn_sampler *sampler, size_t rows);
/* Wipe and free; fine on a zeroed one. */
void learn_draw_close(learn_draw *draw);
/* The rows of sample number `step`, from 0 on, in draw->row: *count of them, of drawn ones maybe the same several times. */
DUSK_MUST_USE dusk_status learn_draw_take(learn_draw *draw, uint64_t step, size_t *count, dusk_error *err);

#endif
