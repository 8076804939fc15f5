/* SPDX-License-Identifier: Apache-2.0 */
/* Models that are networks: parameters put into one, and predictions; see net_learner.h. */
#include "deep/net_learner.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "deep/rows.h"
#include "deep/spent.h"
#include "learn/loss.h"

#define PARAMETER_MOST 0x1p100

/* What ran away ends somewhere, so that a model can be read and predicts numbers; parameters are released, and this is made of them alone. */
static double end_of(float x)
{
    return isnan(x) ? 0 : fmin(fmax((double)x, -PARAMETER_MOST), PARAMETER_MOST);
}

dusk_status deep_put_parameters(learn_job *job, const float *parameters, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *values = NULL;
    DUSK_NEW(values, n);
    for (size_t j = 0; j < n; j++) values[j] = end_of(parameters[j]);
    DUSK_TRY(learn_model_put(job->model, "parameters", 1, n, values, err));
done:
    dusk_deallocate(values);
    return status;
}

/* --- predict -------------------------------------------------------------------------------------------------------- */

static double sigmoid(double x) { return 1 / (1 + exp(-fmin(fmax(x, -700), 700))); }

static bool is_numeric(const dusk_model *model)
{
    return model->label != DUSK_NO_LINK && model->fields->field[model->label].kind == DUSK_FIELD_NUMERIC;
}

static bool is_raw(const dusk_model *model)
{
    const char *range = learn_model_value(model, "range");
    return range && !strcmp(range, "raw");
}

size_t deep_outputs(const dusk_model *model)
{
    if (model->labels.count > 0) return model->labels.count;
    if (model->label == DUSK_NO_LINK) return model->features.width;
    return is_numeric(model) ? 1 : model->fields->field[model->label].values;
}

bool deep_complete(const dusk_model *model)
{
    deep_net net;
    size_t rows, columns;
    const char *text = learn_model_value(model, "net");
    const double *values = dusk_model_array(model, "parameters", &rows, &columns);
    if (!text || !values || rows != 1) return false;
    if (deep_net_parse(&net, text, model->features.width, deep_outputs(model), NULL) != DUSK_OK) return false;
    const bool fits = columns == net.parameters;
    deep_net_clear(&net);
    for (size_t j = 0; fits && j < columns; j++)
        if (!(fabs(values[j]) <= PARAMETER_MOST)) return false;
    return fits;
}

dusk_status deep_run(const dusk_model *model, const deep_net *net, size_t end, const dusk_frame *frame,
                     double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = deep_size(end < net->layers ? net->layer[end].in : net->out);
    deep_pass pass = { .net = NULL };
    deep_rows rows = { .rows = 0 };
    float *parameters = NULL;
    size_t one, n;
    const double *values = dusk_model_array(model, "parameters", &one, &n);

    DUSK_NEW(parameters, n);
    for (size_t j = 0; j < n; j++) parameters[j] = (float)values[j];
    DUSK_TRY(is_raw(model) ? deep_rows_make_raw(&rows, &model->features, frame, false, err)
                           : deep_rows_make_all(&rows, &model->features, frame, err));
    DUSK_TRY(deep_pass_open(&pass, net, deep_pass_room(net, 64), err));
    pass.parameters = parameters;
    for (size_t first = 0; first < rows.rows; first += pass.examples) {
        pass.examples = rows.rows - first < pass.room ? rows.rows - first : pass.room;
        for (size_t i = 0; i < pass.examples; i++)
            deep_rows_take(&rows, first + i, pass.value[0] + i * rows.width);
        deep_forward(&pass);
        for (size_t j = 0; j < pass.examples * k; j++) out[first * k + j] = end_of(pass.value[end][j]);
    }
done:
    deep_pass_close(&pass);
    deep_rows_clear(&rows);
    dusk_deallocate(parameters);
    return status;
}

dusk_status deep_predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = deep_outputs(model);
    const dusk_field *label = &model->fields->field[model->label];
    deep_net net = { .layers = 0 };

    DUSK_TRY(deep_net_parse(&net, learn_model_value(model, "net"), model->features.width, k, err));
    DUSK_TRY(deep_run(model, &net, net.layers, frame, out, err));
    for (size_t i = 0; i < frame->rows; i++) {
        double *to = out + i * k;
        if (!is_numeric(model))
            learn_softmax(to, to, k);
        else
            to[0] = learn_target_value(label, fmin(fmax(to[0], -1), 1) * LEARN_ONE);
    }
done:
    deep_net_clear(&net);
    return status;
}

/* Probabilities, each of a label by itself. */
static dusk_status predict_labels(const dusk_model *model, const dusk_frame *frame, double *out,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t k = deep_outputs(model);
    deep_net net = { .layers = 0 };
    DUSK_TRY(deep_net_parse(&net, learn_model_value(model, "net"), model->features.width, k, err));
    DUSK_TRY(deep_run(model, &net, net.layers, frame, out, err));
    for (size_t i = 0; i < frame->rows * k; i++) out[i] = sigmoid(out[i]);
done:
    deep_net_clear(&net);
    return status;
}

const learn_learner deep_net_labels = {
    .shown = { "net_labels", DUSK_TASK_LABELS, DUSK_NUMERICS_EXACT,
               "a neural network for several labels at once, each yes or no (DP-SGD)", "Abadi et al. 2016",
               deep_net_settings },
    .plan = deep_net_plan,
    .fit = deep_net_fit,
    .forget = deep_net_forget,
    .outputs = deep_outputs,
    .predict = predict_labels,
    .complete = deep_complete,
    .gradients = true,
    .spent = deep_spent,
};
