/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers left out at random while training, the others made larger for it [Srivastava et al. 2014]. Coins are those of the example at this
 * step, so that an example's gradient does not hang on who else is in the pass. And a layer that does nothing but change the shape. */
#include "deep/layer.h"

static void shape(deep_layer *layer, deep_words *words)
{
    const double p = deep_take_number(words, "the part that is left out", 0, 0.99);
    layer->number[0] = p;
    layer->size[0] = (size_t)rint(p * 0x1p32); /* of 2^32 */
}

/* Number j of layer l stays where these 32 bits of the example's coins are at least size[0] [splitmix64: Steele et al. 2014]. */
static inline uint64_t coins_of(uint64_t coin, uint64_t l, uint64_t j)
{
    uint64_t z = coin + 0x9e3779b97f4a7c15u * ((l << 32) + j + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) >> 32;
}

DEEP_LANES
static void drop(const deep_real *restrict from, deep_real *restrict to, size_t n, uint64_t coin, uint64_t l,
                 uint64_t limit, deep_real scale)
{
    for (size_t j = 0; j < n; j++) to[j] = coins_of(coin, l, j) >= limit ? from[j] * scale : 0;
}

static void go(const deep_pass *pass, size_t l, const deep_real *from, deep_real *to)
{
    const deep_layer *layer = &pass->net->layer[l];
    const size_t n = deep_size(layer->in);
    const deep_real scale = (deep_real)(1 / (1 - (double)layer->size[0] * 0x1p-32));
    if (!pass->training || !pass->coin) {
        memcpy(to, from, pass->examples * n * sizeof *to);
        return;
    }
    for (size_t i = 0; i < pass->examples; i++)
        drop(from + i * n, to + i * n, n, pass->coin[i], l, layer->size[0], scale);
}

static void forward(deep_pass *pass, size_t l) { go(pass, l, pass->value[l], pass->value[l + 1]); }
static void backward(deep_pass *pass, size_t l) { go(pass, l, pass->slope[l + 1], pass->slope[l]); }

const deep_kind deep_dropout = {
    .name = "dropout",
    .form = "dropout P",
    .help = "a part P of the numbers is left out at random while training",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .coins = true,
};

static void shape_flat(deep_layer *layer, deep_words *words)
{
    (void)words;
    layer->out = (deep_shape){ 1, 1, deep_size(layer->in) };
}

static void copy(const deep_pass *pass, size_t l, const deep_real *from, deep_real *to)
{
    memcpy(to, from, pass->examples * deep_size(pass->net->layer[l].in) * sizeof *to);
}

static void flat_forward(deep_pass *pass, size_t l) { copy(pass, l, pass->value[l], pass->value[l + 1]); }
static void flat_backward(deep_pass *pass, size_t l) { copy(pass, l, pass->slope[l + 1], pass->slope[l]); }

const deep_kind deep_flatten = {
    .name = "flatten",
    .form = "flatten",
    .help = "all numbers as the channels of one place",
    .shape = shape_flat,
    .forward = flat_forward,
    .backward = flat_backward,
};
