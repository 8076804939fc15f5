/* SPDX-License-Identifier: Apache-2.0 */
/* Autoencoders: networks that are trained to give back the row that came in. With few numbers in the middle these are a code of the
 * row, which keeps what rows have in common. There is no label: half the squared error a column is the loss, and everything else, noise and
 * price too, is as with `net` (net_learner.c). A prediction is the row as it comes back, in the units of its fields, or the code. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deep/net_learner.h"
#include "deep/spent.h"

size_t deep_code_layer(const deep_net *net, size_t place)
{
    for (size_t l = net->layers; l-- > 0;)
        if (net->layer[l].place == place) return l;
    return DUSK_NO_LINK;
}

static dusk_status read_net(deep_net *out, const dusk_model *model, dusk_error *err)
{
    return deep_net_parse(out, learn_model_value(model, "net"), model->features.width, deep_outputs(model),
                          err);
}

/* After which layer the prediction is: those of a model that is complete. */
static size_t end_of(const dusk_model *model, const deep_net *net)
{
    const size_t code = learn_model_whole(model, "code", 0);
    return code > 0 ? deep_code_layer(net, code) + 1 : net->layers;
}

static size_t width_at(const deep_net *net, size_t end)
{
    return deep_size(end < net->layers ? net->layer[end].in : net->out);
}

/* 0 only where memory is short, or the model is none. */
static size_t outputs(const dusk_model *model)
{
    deep_net net;
    if (read_net(&net, model, NULL) != DUSK_OK) return 0;
    const size_t width = width_at(&net, end_of(model, &net));
    deep_net_clear(&net);
    return width;
}

static bool complete(const dusk_model *model)
{
    deep_net net;
    const size_t code = learn_model_whole(model, "code", 0);
    const char *text = learn_model_value(model, "code"), *range = learn_model_value(model, "range");
    if (!text || !range || !strcmp(range, "raw") || !deep_complete(model)) return false;
    if (read_net(&net, model, NULL) != DUSK_OK) return false;
    const bool there = code == 0 || deep_code_layer(&net, code) != DUSK_NO_LINK;
    deep_net_clear(&net);
    return there;
}

/* A column back to what it is called by: numbers to their units and bounds, categories from 0 to 1 or near. */
static double value_of(const dusk_model *model, size_t j, double x)
{
    const learn_feature *f = &model->features.feature[j];
    if (f->column == DUSK_NO_LINK || f->code >= 0) return x;
    const dusk_field *field = &model->fields->field[f->column];
    const double value = f->factor != 0 ? f->centre + x / f->factor : f->centre;
    return fmin(fmax(value, field->lower), field->upper);
}

static dusk_status predict(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = model->features.width;
    deep_net net = { .layers = 0 };
    DUSK_TRY(read_net(&net, model, err));
    const size_t end = end_of(model, &net);
    DUSK_TRY(deep_run(model, &net, end, frame, out, err));
    for (size_t i = 0; learn_model_whole(model, "code", 0) == 0 && i < frame->rows * d; i++)
        out[i] = value_of(model, i % d, out[i]);
done:
    deep_net_clear(&net);
    return status;
}

static dusk_status rebuild(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_net net = { .layers = 0 };
    DUSK_TRY(read_net(&net, model, err));
    DUSK_TRY(deep_run(model, &net, net.layers, frame, out, err));
done:
    deep_net_clear(&net);
    return status;
}

const learn_learner deep_autoencoder = {
    .shown = { "autoencoder", DUSK_TASK_VECTOR, DUSK_NUMERICS_EXACT,
               "a neural network that gives rows back, with a code of them in its middle",
               "Abadi et al. 2016", deep_net_settings },
    .plan = deep_net_plan,
    .fit = deep_net_fit,
    .forget = deep_net_forget,
    .outputs = outputs,
    .predict = predict,
    .rebuild = rebuild,
    .complete = complete,
    .gradients = true,
    .may_open_rows = true,
    .spent = deep_spent,
};
