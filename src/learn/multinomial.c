/* SPDX-License-Identifier: Apache-2.0 */
/* Multinomial logistic regression by noisy gradient descent: one vector of weights for each class that is declared, whether it
 * occurs or not. */
#include "learn/classifier.h"
#include "learn/descent.h"

static dusk_status plan(learn_job *job, dusk_error *err)
{
    learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1); /* of no account beside classes */
    return learn_descent_plan(job, &loss, job->label_field->values, err);
}

static const dusk_setting settings[] = {
    LEARN_DESCENT_SETTINGS("0.5"),
    LEARN_FEATURE_SETTINGS_BY("standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_multinomial = {
    .shown = { "multinomial", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "multinomial logistic regression by clipped noisy gradient descent",
               "Bassily, Smith & Thakurta 2014", settings },
    .plan = plan,
    .fit = learn_descent_fit,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};
