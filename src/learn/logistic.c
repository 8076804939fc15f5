/* SPDX-License-Identifier: Apache-2.0 */
/* Linear classifiers of two classes by noisy gradient descent: logistic regression, and support vector machines with a
 * smoothed hinge. The second category of the label is the positive one. */
#include "learn/classifier.h"
#include "learn/descent.h"

static dusk_status plan_logistic(learn_job *job, dusk_error *err)
{
    learn_loss loss = learn_loss_of(LEARN_LOGISTIC, 1);
    return learn_descent_plan(job, &loss, 0, err);
}

static dusk_status plan_svm(learn_job *job, dusk_error *err)
{
    learn_loss loss = learn_loss_of(learn_choice(job, "loss") == 1 ? LEARN_SMOOTH_HINGE : LEARN_HUBER_SVM,
                                    learn_setting(job, "knee"));
    return learn_descent_plan(job, &loss, 0, err);
}

static const dusk_setting logistic_settings[] = {
    LEARN_DESCENT_SETTINGS("0.5"),
    LEARN_FEATURE_SETTINGS_BY("standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

static const dusk_setting svm_settings[] = {
    { "loss", "huber", "huber|smooth_hinge", 0, 0, false, "how the corner of the hinge is rounded" },
    { "knee", "0.5", NULL, 0.01, 10, false, "how wide it is rounded" },
    LEARN_DESCENT_SETTINGS("0.5"),
    LEARN_FEATURE_SETTINGS_BY("standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_logistic = {
    .shown = { "logistic", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "logistic regression by clipped noisy gradient descent", "Bassily, Smith & Thakurta 2014",
               logistic_settings },
    .plan = plan_logistic,
    .fit = learn_descent_fit,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};

const learn_learner learn_svm = {
    .shown = { "svm", DUSK_TASK_BINARY, DUSK_NUMERICS_EXACT,
               "support vector machine with a smoothed hinge by clipped noisy gradient descent",
               "Bassily, Smith & Thakurta 2014", svm_settings },
    .plan = plan_svm,
    .fit = learn_descent_fit,
    .outputs = learn_classifier_outputs,
    .predict = learn_classifier_predict,
    .complete = learn_classifier_complete,
};
