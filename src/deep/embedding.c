/* SPDX-License-Identifier: Apache-2.0 */
/* A vector for every token. Numbers that come in are those of tokens, from 0 to V - 1; what is none of them counts as token 0. The gradient of an
 * example is zero but in the rows of its tokens: it is given row by row, each once, so that no more is kept of it than the example is
 * long. All rows get noise all the same. */
#include "base/mutant.h"
#include "deep/layer.h"

enum { TOKENS, PAD /* 0: none; otherwise one more than the token that is nothing */ };

static void shape(deep_layer *layer, deep_words *words)
{
    const size_t tokens = deep_take(words, "how many tokens", 1, DEEP_VALUES_MOST);
    const size_t width = deep_take(words, "how many channels", 1, 1 << 16);
    const size_t none = (size_t)1 << 30, pad = deep_option(words, "pad", 0, tokens - 1, none);
    if (deep_positions(layer->in) == 1) layer->out = (deep_shape){ deep_size(layer->in), 1, width };
    if (deep_positions(layer->in) > 1 && layer->in.channels > 1)
        deep_refuse(words, "a place has one token, not %zu numbers", layer->in.channels);
    layer->out.channels = width;
    layer->size[TOKENS] = tokens;
    layer->size[PAD] = pad == none ? 0 : pad + 1;
    layer->parameters = tokens * width;
}

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    for (size_t j = 0; j < layer->parameters; j++) parameters[j] = (deep_real)uniform(coins);
}

static uint32_t token_of(const deep_layer *layer, deep_real x)
{
    const deep_real nearest = x + (deep_real)0.5;
    return nearest >= 0 && nearest < (deep_real)layer->size[TOKENS] ? (uint32_t)nearest : 0;
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t width = layer->out.channels, n = pass->examples * deep_size(layer->in);
    const deep_real *matrix = deep_parameters(pass, l);
    for (size_t t = 0; t < n; t++) {
        const uint32_t token = token_of(layer, pass->value[l][t]);
        deep_real *to = pass->value[l + 1] + t * width;
        if (token + 1 == layer->size[PAD])
            memset(to, 0, width * sizeof *to);
        else
            memcpy(to, matrix + token * width, width * sizeof *to);
    }
}

/* Nothing is learned below: tokens have no slope. */
static void backward(deep_pass *pass, size_t l)
{
    memset(pass->slope[l], 0, pass->examples * deep_size(pass->net->layer[l].in) * sizeof(deep_real));
}

static size_t rows(const deep_pass *pass, size_t l, size_t i, uint32_t *row, deep_real *numbers)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t width = layer->out.channels, positions = deep_size(layer->in);
    const deep_real *x = pass->value[l] + i * positions;
    const deep_real *slope = pass->slope[l + 1] + i * positions * width;
    size_t count = 0;
    for (size_t t = 0; t < positions; t++, slope += width) {
        const uint32_t token = token_of(layer, x[t]);
        size_t k = 0;
        if (token + 1 == layer->size[PAD]) continue;
        while (k < count && DUSK_MUTATE(DEEP_TOKENS_APART, row[k] != token, true)) k++;
        deep_real *to = numbers + k * width;
        if (k == count) {
            row[count++] = token;
            memcpy(to, slope, width * sizeof *to);
        } else {
            for (size_t c = 0; c < width; c++) to[c] += slope[c];
        }
    }
    return count;
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t width = layer->out.channels, positions = deep_size(layer->in);
    const deep_real *x = pass->value[l] + i * positions;
    const deep_real *slope = pass->slope[l + 1] + i * positions * width;
    memset(out, 0, layer->parameters * sizeof *out);
    for (size_t t = 0; t < positions; t++, slope += width) {
        const uint32_t token = token_of(layer, x[t]);
        deep_real *to = out + token * width;
        for (size_t c = 0; token + 1 != layer->size[PAD] && c < width; c++) to[c] += slope[c];
    }
}

const deep_kind deep_embedding = {
    .name = "embedding",
    .form = "embedding V D [pad P]",
    .help = "D numbers for each of V tokens, 0 to V - 1; token P is nothing",
    .shape = shape,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
    .rows = rows,
    .tokens = true,
};
