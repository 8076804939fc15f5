/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_CLASSIFIER_H
#define DUSK_LEARN_CLASSIFIER_H

/* Predictions of linear classifiers, whichever way their weights were learned. The array "weights" has a row of the encoded
 * columns' width: one for two categories (the margin of the second), or one for each. Probabilities are the logistic function of the
 * margin, or softmax of the scores; of losses that are not logistic they order rows and do not say how sure. */

#include "learn/model.h"

size_t learn_classifier_outputs(const dusk_model *model);
DUSK_MUST_USE dusk_status learn_classifier_predict(const dusk_model *model, const dusk_frame *frame,
                                                   double *out, dusk_error *err);
bool learn_classifier_complete(const dusk_model *model);

#endif
