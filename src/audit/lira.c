/* SPDX-License-Identifier: Apache-2.0 */
/* LiRA [Carlini et al. 2022, "Membership Inference Attacks From First Principles", algorithm
 * 1 and section VI]: for each example, normal laws of the scaled confidence of models
 * trained with it and without it; the score is where the audited model's confidence falls
 * between the two (online), or beyond the second (offline). And RMIA [Zarifzadeh, Liu & Shokri 2024,
 * "Low-Cost High-Power Membership Inference Attacks"], as far as it orders examples. Scores, not bounds. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/audit_scores.h"

#define LEAST_CONFIDENCE 1e-12
#define LEAST_VARIANCE 1e-30

double dusk_logit_confidence(double p)
{
    if (isnan(p)) return p;
    p = fmin(fmax(p, LEAST_CONFIDENCE), 1 - LEAST_CONFIDENCE);
    return log(p) - log1p(-p);
}

void dusk_lira_options_init(dusk_lira_options *options)
{
    *options = (dusk_lira_options){ .size = sizeof *options };
}

/* One example's models of one kind. */
typedef struct fit {
    double count, mean, squares; /* squares: sum of squared distances from the mean */
    double probability;          /* sum of the probabilities of the true class      */
} fit;

/* A running mean, which loses nothing to cancellation [Welford 1962]. */
static void fit_add(fit *f, double x)
{
    double before = x - f->mean;
    f->count++;
    f->mean += before / f->count;
    f->squares += before * (x - f->mean);
    f->probability += 1 / (1 + exp(-x));
}

static void fit_example(fit fits[2], const double *confidence, const bool *in, size_t models)
{
    fits[0] = fits[1] = (fit){ .count = 0 };
    for (size_t k = 0; k < models; k++)
        if (isfinite(confidence[k]))
            fit_add(&fits[DUSK_MUTATE(LIRA_SWAPS_IN_AND_OUT, in[k], !in[k])], confidence[k]);
}

/* Variances pooled over all examples, for models with and without. */
static void pool(double variance[2], const fit *fits, size_t examples)
{
    for (int side = 0; side < 2; side++) {
        double squares = 0, freedom = 0;
        for (size_t e = 0; e < examples; e++) {
            const fit *f = &fits[2 * e + (size_t)side];
            squares += f->squares;
            if (f->count > 1) freedom += f->count - 1;
        }
        variance[side] = freedom > 0 ? squares / freedom : 0;
    }
}

static double log_normal(double x, double mean, double variance)
{
    return -0.5 * (log(variance) + (x - mean) * (x - mean) / variance);
}

/* ln p - ln of the mean of p over models without the example [Zarifzadeh et al. 2024]. */
static double relative_score(double x, const fit *without)
{
    if (without->count < 1 || isnan(x)) return -INFINITY;
    return -log1p(exp(-x)) - log(without->probability / without->count);
}

static double score_of(double x, const fit fits[2], const double pooled[2], const dusk_lira_options *options)
{
    double variance[2], needed = options->global_variance ? 1 : 2;
    for (int side = 0; side < 2; side++) {
        bool asked = side == 0 || !options->offline;
        if (asked && fits[side].count < needed) return -INFINITY;
        variance[side] =
            options->global_variance ? pooled[side] : fits[side].squares / (fits[side].count - 1);
        variance[side] = fmax(variance[side], LEAST_VARIANCE);
    }
    if (isnan(x)) return -INFINITY;
    if (options->offline) return (x - fits[0].mean) / sqrt(variance[0]);
    return log_normal(x, fits[1].mean, variance[1]) - log_normal(x, fits[0].mean, variance[0]);
}

dusk_status dusk_lira(double *score, size_t *unscored, const double *target, const double *confidence,
                      const bool *in, size_t examples, size_t models, const dusk_lira_options *options,
                      dusk_error *err)
{
    fit *fits = NULL;
    double pooled[2];
    size_t missed = 0;
    dusk_status status = DUSK_OK;
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_lira_options_init first", "size is not set");
    if (models && examples > SIZE_MAX / models)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "", "there are too many examples and models");
    if (examples > SIZE_MAX / 2) return dusk_fail_memory(err);
    DUSK_NEW(fits, 2 * examples);
    for (size_t e = 0; e < examples; e++)
        fit_example(fits + 2 * e, confidence + e * models, in + e * models, models);
    pool(pooled, fits, examples);
    for (size_t e = 0; e < examples; e++) {
        double x = options->relative ? relative_score(target[e], &fits[2 * e])
                                     : score_of(target[e], fits + 2 * e, pooled, options);
        score[e] = isnan(x) ? -INFINITY : x;
        missed += score[e] == -INFINITY;
    }
    if (unscored) *unscored = missed;
done:
    dusk_deallocate(fits);
    return status;
}
