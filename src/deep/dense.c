/* SPDX-License-Identifier: Apache-2.0 */
/* The affine map. A matrix of N rows, each the weights of one output and its constant; of the whole example, or of every position by
 * itself (`each`). */
#include "deep/affine.h"

static void shape(deep_layer *layer, deep_words *words)
{
    const size_t n = deep_take(words, "how many outputs", 1, DEEP_VALUES_MOST);
    const bool each = deep_flag(words, "each");
    layer->number[0] = deep_flag(words, "zero");
    const size_t columns = each ? layer->in.channels : deep_size(layer->in);
    if (each)
        layer->out.channels = n;
    else
        layer->out = (deep_shape){ 1, 1, n };
    layer->size[0] = each ? deep_positions(layer->in) : 1;
    layer->parameters = n * (columns + 1);
}

static deep_affine map_of(const deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    return (deep_affine){ deep_parameters(pass, l), layer->out.channels,
                          deep_size(layer->in) / layer->size[0] };
}

static void start(const deep_layer *layer, deep_real *parameters, double (*uniform)(void *coins), void *coins)
{
    if (layer->number[0] != 0) {
        memset(parameters, 0, layer->parameters * sizeof *parameters);
        return;
    }
    deep_affine_start(parameters, layer->out.channels, deep_size(layer->in) / layer->size[0], uniform, coins);
}

static void forward(deep_pass *pass, size_t l)
{
    const deep_affine map = map_of(pass, l);
    deep_affine_forward(pass, &map, pass->value[l], pass->value[l + 1],
                        pass->examples * pass->net->layer[l].size[0]);
}

static void backward(deep_pass *pass, size_t l)
{
    const deep_affine map = map_of(pass, l);
    deep_affine_backward(pass, &map, pass->slope[l + 1], pass->slope[l],
                         pass->examples * pass->net->layer[l].size[0]);
}

static size_t matrices(const deep_layer *layer, deep_matrix *out)
{
    *out = (deep_matrix){ layer->out.channels, deep_size(layer->in) / layer->size[0], true, 0 };
    return 1;
}

static size_t factors(const deep_pass *pass, size_t l, size_t i, deep_factors *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_affine map = map_of(pass, l);
    *out = (deep_factors){ .positions = layer->size[0], .rows = map.rows, .columns = map.columns };
    out->left = pass->slope[l + 1] + i * deep_size(layer->out);
    out->right = pass->value[l] + i * deep_size(layer->in);
    out->left_step = map.rows;
    out->right_step = map.columns;
    out->constant = true;
    return 1;
}

static void gradient(deep_pass *pass, size_t l, size_t i, deep_real *out)
{
    deep_factors f;
    (void)factors(pass, l, i, &f);
    deep_affine_gradient(pass, &f, out);
}

const deep_kind deep_dense = {
    .name = "dense",
    .form = "dense N [each] [zero]",
    .help = "N sums of weights times all numbers, and a constant; each: of every place by itself; zero: "
            "all 0 at first",
    .shape = shape,
    .start = start,
    .forward = forward,
    .backward = backward,
    .gradient = gradient,
    .factors = factors,
    .matrices = matrices,
};
