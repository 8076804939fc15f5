/* SPDX-License-Identifier: Apache-2.0 */
/* Channels about their mean, in units of their deviation, over all rows [Tramèr & Boneh 2021]. Means and deviations are parameters that steps
 * do not learn: they are measured and paid for before the first (moments.h), or come with a model to start from. */
#include "deep/layer.h"

static void shape(deep_layer *layer, deep_words *words)
{
    layer->number[0] = deep_option_number(words, "clip", 1e-6, 1e6, 1);
    layer->parameters = 2 * layer->in.channels; /* means, then 1 / deviations */
}

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    (void)uniform, (void)coins;
    for (size_t c = 0; c < layer->in.channels; c++) {
        parameters[c] = 0;
        parameters[layer->in.channels + c] = 1;
    }
}

DEEP_LANES
static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t places = pass->examples * deep_positions(layer->in), channels = layer->in.channels;
    const deep_real *mean = deep_parameters(pass, l), *scale = mean + channels;
    const deep_real *restrict x = pass->value[l];
    deep_real *restrict y = pass->value[l + 1];
    for (size_t t = 0; t < places; t++)
        for (size_t c = 0; c < channels; c++)
            y[t * channels + c] = (x[t * channels + c] - mean[c]) * scale[c];
}

DEEP_LANES
static void backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t places = pass->examples * deep_positions(layer->in), channels = layer->in.channels;
    const deep_real *scale = deep_parameters(pass, l) + channels;
    const deep_real *restrict dy = pass->slope[l + 1];
    deep_real *restrict dx = pass->slope[l];
    for (size_t t = 0; t < places; t++)
        for (size_t c = 0; c < channels; c++) dx[t * channels + c] = dy[t * channels + c] * scale[c];
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t size = deep_size(layer->in), channels = layer->in.channels;
    const deep_real *mean = deep_parameters(pass, l), *scale = mean + channels;
    const deep_real *x = pass->value[l] + i * size, *dy = pass->slope[l + 1] + i * size;
    memset(out, 0, layer->parameters * sizeof *out);
    for (size_t j = 0; j < size; j += channels)
        for (size_t c = 0; c < channels; c++) {
            out[c] -= dy[j + c] * scale[c];
            out[channels + c] += dy[j + c] * (x[j + c] - mean[c]);
        }
}

const deep_kind deep_standard = {
    .name = "standard",
    .form = "standard [clip C]",
    .help = "channels to mean 0 and deviation 1 over all rows, which is paid for",
    .shape = shape,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
    .moves = true,
    .measured = true,
};
