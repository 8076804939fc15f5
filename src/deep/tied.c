/* SPDX-License-Identifier: Apache-2.0 */
/* A layer with the matrix of another one, turned around, and constants of its own: words by the vectors that stand for them [Press & Wolf 2017], an
 * autoencoder's way back. What both learn of an example is added up before its length is taken: the length of a sum is not that of its parts. */
#include "deep/affine.h"

extern const deep_kind deep_dense;
extern const deep_kind deep_embedding;

enum { EACH, ROW, COLUMN, IN };

/* Number (o, k) of the map is at o * size[ROW] + k * size[COLUMN] of the other layer's parameters. */
static void shape(deep_layer *layer, deep_words *words)
{
    const size_t number = deep_take(words, "the layer", 1, 1 << 20);
    const bool each = deep_flag(words, "each");
    const deep_layer *other = NULL;
    for (size_t l = 0; l < words->net->layers; l++)
        if (words->net->layer[l].place == number) layer->partner = l, other = &words->net->layer[l];
    if (!other || (other->kind != &deep_dense && other->kind != &deep_embedding)) {
        deep_refuse(words, "layer %zu is no dense layer and no embedding before it", number);
        return;
    }
    const size_t rows =
        other->kind == &deep_dense ? other->out.channels : other->parameters / other->out.channels;
    const size_t step = other->parameters / rows, in = each ? layer->in.channels : deep_size(layer->in);
    const size_t out = other->kind == &deep_dense ? step - 1 : rows;
    layer->size[EACH] = each ? deep_positions(layer->in) : 1;
    layer->size[ROW] = other->kind == &deep_dense ? 1 : step;
    layer->size[COLUMN] = other->kind == &deep_dense ? step : 1;
    layer->size[IN] = other->kind == &deep_dense ? rows : step;
    if (in != layer->size[IN])
        deep_refuse(words, "layer %zu turned around takes %zu numbers, not %zu", number, layer->size[IN], in);
    if (each)
        layer->out.channels = out;
    else
        layer->out = (deep_shape){ 1, 1, out };
    layer->parameters = out;
}

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    (void)uniform, (void)coins;
    memset(parameters, 0, layer->parameters * sizeof *parameters);
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t n = pass->examples * layer->size[EACH], out = layer->out.channels;
    const deep_real *matrix = deep_parameters(pass, layer->partner), *constant = deep_parameters(pass, l);
    for (size_t t = 0; t < n; t++) memcpy(pass->value[l + 1] + t * out, constant, out * sizeof *constant);
    deep_gemm(pass->level, pass->value[l + 1], out, (deep_view){ pass->value[l], layer->size[IN], 1 },
              (deep_view){ matrix, layer->size[COLUMN], layer->size[ROW] }, n, out, layer->size[IN], true,
              &pass->gemm);
}

static void backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t n = pass->examples * layer->size[EACH], out = layer->out.channels;
    deep_gemm(pass->level, pass->slope[l], layer->size[IN], (deep_view){ pass->slope[l + 1], out, 1 },
              (deep_view){ deep_parameters(pass, layer->partner), layer->size[ROW], layer->size[COLUMN] }, n,
              layer->size[IN], out, false, &pass->gemm);
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t n = layer->out.channels;
    deep_affine_constants(pass->slope[l + 1] + i * deep_size(layer->out), n, layer->size[EACH], n, out, 1,
                          false);
}

static void share(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t n = layer->out.channels, in = layer->size[IN], positions = layer->size[EACH];
    const deep_real *slope = pass->slope[l + 1] + i * deep_size(layer->out);
    const deep_real *value = pass->value[l] + i * deep_size(layer->in);
    if (layer->size[COLUMN] == 1) /* an embedding */
        deep_gemm(pass->level, out, layer->size[ROW], (deep_view){ slope, 1, n }, (deep_view){ value, in, 1 },
                  n, in, positions, true, &pass->gemm);
    else
        deep_gemm(pass->level, out, layer->size[COLUMN], (deep_view){ value, 1, in },
                  (deep_view){ slope, n, 1 }, in, n, positions, true, &pass->gemm);
}

const deep_kind deep_tied = {
    .name = "tied",
    .form = "tied L [each]",
    .help = "the matrix of layer L turned around, and constants; each: of every place by itself",
    .shape = shape,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
    .share = share,
    .moves = true,
};
