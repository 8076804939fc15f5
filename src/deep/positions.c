/* SPDX-License-Identifier: Apache-2.0 */
/* Where a number stands, added to it: numbers of each place and channel that are learned, or sines and cosines of the place [Vaswani et al. 2017], which
 * are public. Attention does not see order otherwise. */
#include "deep/layer.h"

enum { SINES };

static void shape(deep_layer *layer, deep_words *words)
{
    layer->size[SINES] = deep_flag(words, "sines");
    layer->parameters = layer->size[SINES] ? 0 : deep_size(layer->in);
}

static size_t scratch(const deep_layer *layer) { return layer->size[SINES] ? deep_size(layer->in) : 0; }

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    for (size_t j = 0; j < layer->parameters; j++) parameters[j] = (deep_real)(0.1 * uniform(coins));
}

/* Channels 2k and 2k + 1 of place t: the sine and the cosine of t / 10000^(2k / channels). */
static void sines(const deep_layer *layer, deep_real *out)
{
    const size_t channels = layer->in.channels;
    for (size_t t = 0; t < deep_positions(layer->in); t++)
        for (size_t c = 0; c < channels; c++) {
            const double angle = (double)t * exp(-log(10000) * (double)(c - c % 2) / (double)channels);
            *out++ = (deep_real)(c % 2 ? cos(angle) : sin(angle));
        }
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t n = deep_size(layer->in);
    const deep_real *place = layer->size[SINES] ? pass->scratch : deep_parameters(pass, l);
    if (layer->size[SINES]) sines(layer, pass->scratch);
    for (size_t i = 0; i < pass->examples; i++)
        for (size_t j = 0; j < n; j++) pass->value[l + 1][i * n + j] = pass->value[l][i * n + j] + place[j];
}

static void backward(deep_pass *pass, size_t l)
{
    const size_t n = deep_size(pass->net->layer[l].in);
    memcpy(pass->slope[l], pass->slope[l + 1], pass->examples * n * sizeof(deep_real));
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const size_t n = deep_size(pass->net->layer[l].in);
    memcpy(out, pass->slope[l + 1] + i * n, n * sizeof *out);
}

const deep_kind deep_positions_kind = {
    .name = "positions",
    .form = "positions [sines]",
    .help = "numbers of every place are added, learned ones, or sines and cosines",
    .shape = shape,
    .scratch = scratch,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
};
