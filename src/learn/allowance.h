/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_ALLOWANCE_H
#define DUSK_LEARN_ALLOWANCE_H

/* A promise of which steps take what they need, each by looking at what earlier ones have released: how much noise there will be is not known beforehand, what all
 * of it may cost is. All rows: gdp(most). Samples: rdp(order: most), a Renyi divergence of one order that is fixed beforehand, the best one for steps that are all alike. A
 * filter watches over it, and refuses what does not fit [Feldman & Zrnic 2021; Smith & Thakurta 2022]. Proof: allowance.proof.md. */

#include "learn/sampler.h"

typedef struct learn_allowance {
    bool all;           /* rows, and not samples of them */
    double order, most; /* of all rows: mu */
    dusk_neighbours neighbours;
    double factor; /* of the budget */
    learn_sampler sampler;
    uint32_t dimension;
    double steps;
    int grid;
    double even; /* the multiplier with which `times` releases take all of it */
} learn_allowance;

/* How much noise a multiplier is, over what a row adds. */
static inline double learn_allowance_deviation(const learn_allowance *allowance, double multiplier)
{
    return allowance->all ? multiplier * allowance->factor : multiplier;
}

/* All that is left of a budget with a delta, for releases of `dimension` totals over samples, or all rows, to which a row adds at most `steps` in length; about `times` of
 * them. For poisson and fixed samples. */
DUSK_MUST_USE dusk_status learn_budget_allow(learn_budget *budget, learn_allowance *out, uint32_t dimension,
                                             double steps, int grid, const learn_sampler *sampler,
                                             uint64_t times, dusk_error *err);
/* The promise, as an event. */
DUSK_MUST_USE dusk_status learn_allowance_event(const learn_allowance *allowance, dusk_event *out,
                                                dusk_error *err);
/* The filter of which releases are taken; dusk_filter_free. Nothing of it is taken. */
DUSK_MUST_USE dusk_status learn_allowance_open(const learn_allowance *allowance, dusk_filter **out,
                                               dusk_error *err);
/* Noise of a multiplier of what a row adds, times the factor of the budget with all rows; for `times` releases, whose event is taken of the filter. DUSK_ERR_BUDGET where they do not fit: nothing was taken. Releases of other totals, of another dimension, length or grid, may be taken of the same filter, by a copy of
 * the allowance that has these. */
DUSK_MUST_USE dusk_status learn_allowance_take(const learn_allowance *allowance, dusk_filter *filter,
                                               learn_noise *out, double multiplier, uint64_t times,
                                               dusk_error *err);
/* The least multiplier, about, with which times[k] releases of factor[k] times it, for all k, fit into what is left of the filter; from 2^-10 to 2^20. A choice: what is
 * taken is what learn_allowance_take prices. */
DUSK_MUST_USE dusk_status learn_allowance_fit(const learn_allowance *allowance, dusk_filter *filter,
                                              double *out, const double *factor, const uint64_t *times,
                                              size_t count, dusk_error *err);

#endif
