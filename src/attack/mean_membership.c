/* SPDX-License-Identifier: Apache-2.0 */
/* Membership in released means. A member of a study pulls each of its means a little: over many
 * attributes the pull adds up [Homer et al. 2008; Sankararaman et al. 2009; Dwork, Smith,
 * Steinke, Ullman & Vadhan 2015]. Scores are compared with those of outsiders, so that the
 * rate of false positives rests on no model of the attributes. */
#include <math.h>

#include "base/error.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/attack_releases.h"
#include "numeric/rounding.h"

#define MEAN_LEAST 0.001

static double kept(double mean) { return fmax(MEAN_LEAST, fmin(1 - MEAN_LEAST, mean)); }

static double inner_product(const double *x, const double *q, const double *p, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (x[j] - p[j]) * (q[j] - p[j]);
    return sum;
}

/* ln(q/p) and ln((1-q)/(1-p)) are made anew for each person: d logarithms are little beside
 * reading the person. */
static double likelihood_ratio(const double *x, const double *q, const double *p, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) {
        double study = kept(q[j]), everybody = kept(p[j]);
        sum += x[j] * log(study / everybody) + (1 - x[j]) * log((1 - study) / (1 - everybody));
    }
    return sum;
}

dusk_status dusk_membership_scores(double *scores, dusk_membership_score score, const double *people,
                                   size_t count, const double *means, const double *population,
                                   size_t attributes, dusk_error *err)
{
    if (attributes < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give at least one", "there are no attributes");
    if (score != DUSK_INNER_PRODUCT && score != DUSK_LIKELIHOOD_RATIO)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "DUSK_INNER_PRODUCT or DUSK_LIKELIHOOD_RATIO",
                         "there is no such score");
    for (size_t j = 0; j < attributes; j++)
        if (!isfinite(means[j]) || !isfinite(population[j]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave attributes out that have no mean",
                             "the mean of attribute %zu is not a finite number", j + 1);
    for (size_t i = 0; i < count; i++)
        scores[i] = (score == DUSK_INNER_PRODUCT ? inner_product : likelihood_ratio)(
            people + i * attributes, means, population, attributes);
    return DUSK_OK;
}

DUSK_PROVEN(dusk_membership_p_value)
double dusk_membership_p_value(double score, const double *outsiders, size_t n)
{
    size_t as_high = DUSK_MUTATE(ATTACK_P_VALUE_WITHOUT_ITSELF, 1, 0);
    for (size_t i = 0; i < n; i++) as_high += isnan(score) || outsiders[i] >= score;
    return dusk_div_up((double)as_high, (double)n + 1);
}
