/* SPDX-License-Identifier: Apache-2.0 */
/* Membership in released means. A member of a study pulls each of its means a little: over many
 * attributes the pull adds up [Homer et al. 2008; Sankararaman et al. 2009; Dwork, Smith,
 * Steinke, Ullman & Vadhan 2015]. Scores are compared with those of outsiders, so that the
 * rate of false positives rests on no model of the attributes. */
#include <math.h>
#include <string.h>

#include "attack/dot.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "dusk/attack_releases.h"
#include "numeric/rounding.h"

#define MEAN_LEAST 0.001
#define RIDGE 0.2 /* of the mean variance: samples of a population are small; tried on the data of the docs */
#define WHITE_ENOUGH 1e-4
enum { WHITE_STEPS = 200 };

static double kept(double mean) { return fmax(MEAN_LEAST, fmin(1 - MEAN_LEAST, mean)); }

/* ---- Weights -------------------------------------------------------------------------------- */

/* People of the population, and room for conjugate gradients. */
typedef struct sample {
    const double *people, *mean;
    size_t count, attributes;
    double ridge;
    double *residual, *along, *product;
} sample;

/* The mean variance of an attribute. */
static double mean_variance(const sample *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < s->attributes; j++) {
            double off = s->people[i * s->attributes + j] - s->mean[j];
            sum += off * off;
        }
    return sum / ((double)s->count * (double)s->attributes);
}

/* product = (S + ridge) along. */
static void multiply_covariance(sample *s)
{
    size_t d = s->attributes;
    double centre = attack_dot(s->mean, s->along, d);
    for (size_t j = 0; j < d; j++) s->product[j] = s->ridge * s->along[j];
    for (size_t i = 0; i < s->count; i++) {
        const double *row = s->people + i * d;
        double part = (attack_dot(row, s->along, d) - centre) / (double)s->count;
        for (size_t j = 0; j < d; j++) s->product[j] += part * (row[j] - s->mean[j]);
    }
}

/* weights = (S + ridge)^-1 weights, near enough for a score. */
static void whiten(sample *s, double *weights)
{
    size_t d = s->attributes;
    for (size_t j = 0; j < d; j++) {
        s->residual[j] = s->along[j] = weights[j];
        weights[j] = 0;
    }
    double size = attack_dot(s->residual, s->residual, d), goal = WHITE_ENOUGH * WHITE_ENOUGH * size;
    for (int k = 0; k < WHITE_STEPS && size > goal; k++) {
        multiply_covariance(s);
        double length = size / attack_dot(s->along, s->product, d);
        for (size_t j = 0; j < d; j++) {
            weights[j] += length * s->along[j];
            s->residual[j] -= length * s->product[j];
        }
        double next = attack_dot(s->residual, s->residual, d);
        for (size_t j = 0; j < d; j++) s->along[j] = s->residual[j] + next / size * s->along[j];
        size = next;
    }
}

static dusk_status whitened_weights(double *weights, const double *population, const double *people,
                                    size_t count, size_t attributes, dusk_error *err)
{
    sample s = { .people = people, .mean = population, .count = count, .attributes = attributes };
    dusk_status status = DUSK_OK;
    s.ridge = RIDGE * mean_variance(&s);
    if (!(s.ridge > 0)) return DUSK_OK; /* all alike: nothing to whiten with */
    DUSK_NEW(s.residual, attributes);
    DUSK_NEW(s.along, attributes);
    DUSK_NEW(s.product, attributes);
    whiten(&s, weights);
done:
    dusk_deallocate(s.residual);
    dusk_deallocate(s.along);
    dusk_deallocate(s.product);
    return status;
}

static dusk_status check(dusk_membership_score score, const double *means, const double *people, size_t count,
                         size_t attributes, dusk_error *err)
{
    if (attributes < 1 || count < 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give at least one", "there are no %s",
                         attributes ? "people to compare with" : "attributes");
    if (score < DUSK_INNER_PRODUCT || score > DUSK_WHITENED)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "DUSK_INNER_PRODUCT, DUSK_LIKELIHOOD_RATIO or DUSK_WHITENED",
                         "there is no such score");
    for (size_t j = 0; j < attributes; j++)
        if (!(fabs(means[j]) <= 0x1p100))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave attributes out that have no mean",
                             "the mean of attribute %zu is not a number of at most 2^100", j + 1);
    for (size_t i = 0; i < count * attributes; i++)
        if (!(fabs(people[i]) <= 0x1p100))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave people out of whom something is not known",
                             "attribute %zu of person %zu is not a number of at most 2^100",
                             i % attributes + 1, i / attributes + 1);
    return DUSK_OK;
}

dusk_status dusk_membership_weights(double *weights, double *population, dusk_membership_score score,
                                    const double *means, const double *people, size_t count,
                                    size_t attributes, dusk_error *err)
{
    double *p = NULL, *w = NULL;
    dusk_status status = DUSK_OK;
    DUSK_TRY(check(score, means, people, count, attributes, err));
    DUSK_NEW(p, attributes);
    DUSK_NEW(w, attributes);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < attributes; j++) p[j] += people[i * attributes + j] / (double)count;
    for (size_t j = 0; j < attributes; j++) {
        double study = kept(means[j]), everybody = kept(p[j]);
        w[j] = score == DUSK_LIKELIHOOD_RATIO ? log(study / everybody) - log((1 - study) / (1 - everybody))
                                              : means[j] - p[j];
    }
    if (score == DUSK_WHITENED) DUSK_TRY(whitened_weights(w, p, people, count, attributes, err));
    memcpy(weights, w, attributes * sizeof *w);
    memcpy(population, p, attributes * sizeof *p);
done:
    dusk_deallocate(p);
    dusk_deallocate(w);
    return status;
}

/* ---- Scores ----------------------------------------------------------------------------------- */

void dusk_membership_scores(double *scores, const double *people, size_t count, const double *weights,
                            const double *population, size_t attributes)
{
    double centre = attack_dot(population, weights, attributes);
    for (size_t i = 0; i < count; i++)
        scores[i] = attack_dot(people + i * attributes, weights, attributes) - centre;
}

DUSK_PROVEN(dusk_membership_p_value)
double dusk_membership_p_value(double score, const double *outsiders, size_t n)
{
    size_t as_high = DUSK_MUTATE(ATTACK_P_VALUE_WITHOUT_ITSELF, 1, 0);
    for (size_t i = 0; i < n; i++) as_high += isnan(score) || outsiders[i] >= score;
    return dusk_div_up((double)as_high, (double)n + 1);
}
