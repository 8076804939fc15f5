/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_ESTIMATES_H
#define DUSK_LOCAL_ESTIMATES_H

#include "dusk/local.h"

/* What is made of the estimates of a tally (dusk/local.h): which of them are more than noise, counts that can be counts, distributions of numbers. All of it is
 * post-processing of reports, and costs no privacy. */

#ifdef __cplusplus
extern "C" {
#endif

/* found[i] is set for values that somebody has, by the procedure of Benjamini & Hochberg (1995) on normal tails: of those found a part of `rate` at most is wrong on
 * average, where estimates are about independent. */
DUSK_API DUSK_MUST_USE dusk_status dusk_counts_found(bool *found, const double *counts,
                                                     const double *deviations, size_t n, double rate,
                                                     dusk_error *err);

/* Unbiased estimates may be below 0 and add up to anything. [Wang et al. 2020, "Locally differentially private frequency estimation with consistency"] */
typedef enum dusk_consistency {
    DUSK_NORM_SUB =
        1, /* none below 0, and all together `total`: the nearest such point, by taking the same from each */
    DUSK_BASE_POS = 2, /* none below 0, and that is all: small counts stay unbiased upwards */
    DUSK_BASE_CUT = 3  /* what is not found at a rate of 0.05 is 0, the rest as it is */
} dusk_consistency;
DUSK_API DUSK_MUST_USE dusk_status dusk_counts_consistent(double *counts, const double *deviations, size_t n,
                                                          double total, dusk_consistency way,
                                                          dusk_error *err);

/* --- ranges ------------------------------------------------------------------------------------------------------------- */

/* Categories that have an order, such as ages: from one to another, both included. */
typedef struct dusk_range {
    uint64_t from, to;
} dusk_range;

/* counts[i]: how many of those who reported have a value of ranges[i]: the sum of dusk_tally_counts, unbiased. deviations[i], unless NULL: its standard deviation; of TREE, GRR, SUE, OUE, SS, HADAMARD and DBITFLIP
 * that of the law of reports; of HR and PGR a bound, of the order of it; of others the sum of the deviations of the counts, which is no less than it. For surveys of categories with a domain. TREE is made for it: its deviation grows with the log of the range, those of others with its root. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_ranges(const dusk_tally *tally, double *counts,
                                                     double *deviations, const dusk_range *ranges, size_t n,
                                                     dusk_error *err);
/* Whether they are that, and no bound. */
DUSK_API bool dusk_survey_ranges_known(const dusk_survey *survey);
/* The variance that one report brings to the estimate of a range that a share of all people are in, or the bound; NAN where neither is known or there is no such range. */
DUSK_API double dusk_survey_range_variance(const dusk_survey *survey, dusk_range range, double share);

/* The value that a part q of those who reported have or are below: the least such one. It lies from `low` to `high`, ends included, with the confidence given at least; `value` is the
 * estimate, from counts made increasing by least squares. */
typedef struct dusk_quantile {
    uint64_t low, value, high;
} dusk_quantile;
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_quantiles(const dusk_tally *tally, dusk_quantile *quantiles,
                                                        const double *q, size_t n, double confidence,
                                                        dusk_error *err);

/* --- distributions of numbers ------------------------------------------------------------------------------------------------ */

/* shares[b]: the part of people whose number is in the b-th of `bins` equal parts of the range, or who have category b: the most likely shares by expectation
 * maximisation (the iterative Bayesian update, Agrawal & Srikant 2000), smoothed over neighbours for numbers [EMS, Li et al. 2020], and ended for places where a further round would fit noise. None is below 0, they add up to 1, and they are not unbiased. For
 * SQUAREWAVE and PIECEWISE, of which bins is at most the domain of the task, and for GRR and PLANAR, of which it is the domain; DUSK_ERR_UNSUPPORTED for others. */
DUSK_API DUSK_MUST_USE dusk_status dusk_tally_shares(const dusk_tally *tally, double *shares, size_t bins,
                                                     dusk_error *err);
/* The number below which a part q of people are, by such shares: between two edges by proportion. */
DUSK_API double dusk_shares_quantile(const dusk_survey *survey, const double *shares, size_t bins, double q);

#ifdef __cplusplus
}
#endif
#endif
