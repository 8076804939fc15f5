/* SPDX-License-Identifier: Apache-2.0 */
/* Linear regression by noisy gradient descent with losses that far residuals do not rule: Huber, pseudo-Huber, log-cosh; and the
 * squared loss, which clipping makes robust, too. The knee is in units of half the label's range. For plain least squares the
 * learner `linear`, which needs no descent, is better. */
#include "learn/descent.h"
#include "learn/regression.h"

static dusk_status plan(learn_job *job, dusk_error *err)
{
    const learn_loss_kind kinds[] = { LEARN_HUBER, LEARN_PSEUDO_HUBER, LEARN_LOG_COSH, LEARN_SQUARED };
    learn_loss loss = learn_loss_of(kinds[learn_choice(job, "loss")], learn_setting(job, "knee"));
    return learn_descent_plan(job, &loss, 0, err);
}

static const dusk_setting settings[] = {
    { "loss", "huber", "huber|pseudo_huber|log_cosh|squared", 0, 0, false, "of a residual" },
    { "knee", "0.2", NULL, 0.001, 10, false, "from where on it grows no faster than a line" },
    LEARN_DESCENT_SETTINGS("0.9"),
    LEARN_FEATURE_SETTINGS_BY("standard", "0.05"),
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner learn_huber_regression = {
    .shown = { "huber_regression", DUSK_TASK_NUMBER, DUSK_NUMERICS_EXACT,
               "robust linear regression by clipped noisy gradient descent", "Bassily, Smith & Thakurta 2014",
               settings },
    .plan = plan,
    .fit = learn_descent_fit,
    .outputs = learn_linear_outputs,
    .predict = learn_linear_predict,
    .complete = learn_linear_complete,
};
