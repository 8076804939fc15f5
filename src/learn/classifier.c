/* SPDX-License-Identifier: Apache-2.0 */
/* What linear classifiers say of rows. */
#include "learn/classifier.h"

#include <cblas.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/loss.h"

static size_t categories(const dusk_model *model) { return model->fields->field[model->label].values; }

size_t learn_classifier_outputs(const dusk_model *model) { return categories(model); }

static void to_probabilities(double *out, double *scores, size_t rows, size_t k)
{
    for (size_t i = 0; i < rows; i++) {
        if (k > 1) {
            learn_softmax(out + i * k, scores + i * k, k);
            continue;
        }
        out[2 * i + 1] = learn_sigmoid(scores[i]);
        out[2 * i] = 1 - out[2 * i + 1];
    }
}

dusk_status learn_classifier_predict(const dusk_model *model, const dusk_frame *frame, double *out,
                                     dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t k, d;
    const double *weights = dusk_model_array(model, "weights", &k, &d);
    learn_matrix matrix = { .bound = 0 };
    tensor_block block = { 0 };
    double *scores = NULL;

    DUSK_TRY(learn_matrix_make_all(&matrix, &model->features, frame, err));
    DUSK_TRY(tensor_block_open(&block, &matrix.rows, err));
    DUSK_NEW(scores, block.room * k);
    while (tensor_block_next(&block)) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)block.rows, (int)k, (int)d, 1 / LEARN_ONE,
                    block.x, (int)d, weights, (int)d, 0, scores, (int)k);
        to_probabilities(out + block.first * categories(model), scores, block.rows, k);
    }
done:
    dusk_deallocate(scores);
    tensor_block_close(&block);
    learn_matrix_clear(&matrix);
    return status;
}

bool learn_classifier_complete(const dusk_model *model)
{
    size_t k, d;
    const double *weights = dusk_model_array(model, "weights", &k, &d);
    if (!weights || d != model->features.width || model->label == DUSK_NO_LINK) return false;
    if (model->fields->field[model->label].kind != DUSK_FIELD_CATEGORY) return false;
    if (k != categories(model) && !(k == 1 && categories(model) == 2)) return false;
    for (size_t i = 0; i < k * d; i++)
        if (!isfinite(weights[i])) return false;
    return true;
}
