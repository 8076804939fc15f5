/* SPDX-License-Identifier: Apache-2.0 */
/* All learners, by name. */
#include <string.h>

#include "base/error.h"
#include "base/mutant.h"
#include "learn/learner.h"

extern const learn_learner deep_autoencoder; /* of the room deep */
extern const learn_learner deep_label_net;
extern const learn_learner deep_net_learner;
extern const learn_learner deep_net_labels;
extern const learn_learner deep_net_numbers;
extern const learn_learner deep_pate;
extern const learn_learner deep_private_knn;
extern const learn_learner learn_aggregate_linear;
extern const learn_learner learn_amp_huber;
extern const learn_learner learn_amp_logistic;
extern const learn_learner learn_amp_multinomial;
extern const learn_learner learn_amp_svm;
extern const learn_learner learn_bayes_linear;
extern const learn_learner learn_bayes_logistic;
extern const learn_learner learn_bernstein_huber;
extern const learn_learner learn_bernstein_logistic;
extern const learn_learner learn_boosting;
extern const learn_learner learn_boosting_numbers;
extern const learn_learner learn_covariance;
extern const learn_learner learn_density;
extern const learn_learner learn_forest;
extern const learn_learner learn_functional;
extern const learn_learner learn_huber_regression;
extern const learn_learner learn_kmeans;
extern const learn_learner learn_lasso;
extern const learn_learner learn_latent_class;
extern const learn_learner learn_linear;
extern const learn_learner learn_logistic;
extern const learn_learner learn_multinomial;
extern const learn_learner learn_naive_bayes;
extern const learn_learner learn_net_huber;
extern const learn_learner learn_net_logistic;
extern const learn_learner learn_normal_mixture;
extern const learn_learner learn_oracle_ramp;
extern const learn_learner learn_pca;
extern const learn_learner learn_pca_sampling;
extern const learn_learner learn_posterior_linear;
extern const learn_learner learn_projection;
extern const learn_learner learn_sparse_linear;
extern const learn_learner learn_sparse_logistic;
extern const learn_learner learn_svm;
extern const learn_learner learn_theil_sen;
extern const learn_learner learn_tree;

/* By task, what to try first coming first; a line each. */
/* clang-format off */
const learn_learner *const learn_learners[] = {
    &learn_logistic,
    &learn_boosting,
    &learn_svm,
    &learn_amp_logistic,
    &learn_amp_svm,
    &learn_sparse_logistic,
    &learn_bayes_logistic,
    &learn_functional,
    &learn_oracle_ramp,
    &learn_bernstein_logistic,
    &learn_net_logistic,
    &learn_multinomial,
    &deep_net_learner,
    &deep_pate,
    &deep_private_knn,
    &deep_label_net,
    &learn_forest,
    &learn_tree,
    &learn_naive_bayes,
    &learn_amp_multinomial,
    &learn_linear,
    &deep_net_numbers,
    &learn_boosting_numbers,
    &learn_lasso,
    &learn_huber_regression,
    &learn_amp_huber,
    &learn_sparse_linear,
    &learn_bayes_linear,
    &learn_bernstein_huber,
    &learn_net_huber,
    &learn_theil_sen,
    &learn_aggregate_linear,
    &learn_posterior_linear,
    &learn_kmeans,
    &learn_latent_class,
    &learn_pca,
    &learn_pca_sampling,
    &learn_projection,
    &deep_autoencoder,
    &learn_covariance,
    &learn_density,
    &learn_normal_mixture,
    &deep_net_labels,
    NULL,
};
/* clang-format on */

const dusk_learner *dusk_learner_at(size_t i)
{
    size_t n = 0;
    while (learn_learners[n]) n++;
    return i < n ? &learn_learners[i]->shown : NULL;
}

dusk_status learn_find(const learn_learner **out, const char *name, dusk_error *err)
{
    for (size_t i = 0; learn_learners[i]; i++)
        if (!strcmp(learn_learners[i]->shown.name, name)) {
            *out = learn_learners[i];
            return DUSK_OK;
        }
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk train -h lists them", "there is no learner called %.60s",
                     name);
}

const dusk_learner *dusk_learner_named(const char *name)
{
    const learn_learner *learner;
    return learn_find(&learner, name, NULL) == DUSK_OK ? &learner->shown : NULL;
}

/* Versions have a score that can be aimed at, and a search one to choose by. */
bool learn_has(const learn_learner *learner, dusk_ability ability)
{
    const dusk_task task = learner->shown.task;
    const bool ideal = learner->shown.numerics == DUSK_NUMERICS_IDEALISED;
    switch (ability) {
    case DUSK_ABILITY_STEPS: return DUSK_MUTATE(LEARNERS_ALL_HAVE_STEPS, learner->spent != NULL, true);
    case DUSK_ABILITY_NOISE: return learner->gradients;
    case DUSK_ABILITY_OPEN_ROWS: return learner->open_rows || learner->may_open_rows;
    case DUSK_ABILITY_LEDGER: return !ideal && !learner->labels_only;
    case DUSK_ABILITY_EXCHANGE: return !learner->add_remove_only;
    case DUSK_ABILITY_VERSIONS: return learner->versions;
    case DUSK_ABILITY_SEARCH:
        return task <= DUSK_TASK_NUMBER && learner->shown.numerics != DUSK_NUMERICS_CERTIFIED &&
               !learner->labels_only;
    case DUSK_ABILITY_VALIDATION: return learner->stability != NULL;
    }
    return false;
}

/* What is not public about it; NULL: it is none of the learners. */
static const learn_learner *whole(const dusk_learner *learner)
{
    for (size_t i = 0; learn_learners[i]; i++)
        if (&learn_learners[i]->shown == learner) return learn_learners[i];
    return NULL;
}

bool dusk_learner_has(const dusk_learner *learner, dusk_ability ability)
{
    const learn_learner *l = whole(learner);
    return l && learn_has(l, ability);
}

bool dusk_learner_needs_open_rows(const dusk_learner *learner)
{
    const learn_learner *l = whole(learner);
    return l && l->open_rows;
}

bool dusk_learner_is_for_labels(const dusk_learner *learner)
{
    const learn_learner *l = whole(learner);
    return l && l->labels_only;
}
