/* SPDX-License-Identifier: Apache-2.0 */
/* What linear classifiers say of rows. */
#include "learn/classifier.h"

#include "learn/descent.h"
#include "learn/loss.h"

static size_t categories(const dusk_model *model) { return model->fields->field[model->label].values; }

size_t learn_classifier_outputs(const dusk_model *model) { return categories(model); }

dusk_status learn_classifier_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                     dusk_error *err)
{
    const size_t k = categories(model);
    size_t vectors, d;
    (void)dusk_model_array(model, "weights", &vectors, &d);
    dusk_status status = learn_descent_scores(model, frame, out, err);
    for (size_t i = frame->rows; status == DUSK_OK && i-- > 0;) {
        if (vectors > 1) {
            learn_softmax(out + i * k, out + i * k, k);
            continue;
        }
        const double p = learn_sigmoid(out[i]); /* from the last row on, since scores lie where others will */
        out[2 * i + 1] = p;
        out[2 * i] = 1 - p;
    }
    return status;
}

bool learn_classifier_complete(const dusk_model *model)
{
    if (model->label == DUSK_NO_LINK || model->fields->field[model->label].kind != DUSK_FIELD_CATEGORY)
        return false;
    return learn_descent_complete(model, categories(model)) ||
           (categories(model) == 2 && learn_descent_complete(model, 1));
}
