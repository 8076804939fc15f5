/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of every number by itself. Tempered sigmoids are scale * sigmoid(inverse * x) - offset [Papernot et al. 2021], tanh being one
 * of them. */
#include "deep/layer.h"

static void shape(deep_layer *layer, deep_words *words)
{
    (void)layer;
    (void)words;
}

static size_t count(const deep_pass *pass, size_t l)
{
    return pass->examples * deep_size(pass->net->layer[l].out);
}

/* name_forward: y = f(x); name_backward: dx = dy f'(x), by x and y. */
#define EVERY(name, value_of, slope_of)                                                                      \
    DEEP_LANES                                                                                               \
    static void name##_forward(deep_pass *pass, size_t l)                                                    \
    {                                                                                                        \
        const deep_layer *layer = &pass->net->layer[l];                                                      \
        const deep_real *restrict from = pass->value[l];                                                     \
        deep_real *restrict to = pass->value[l + 1];                                                         \
        (void)layer;                                                                                         \
        for (size_t i = 0, n = count(pass, l); i < n; i++) {                                                 \
            const deep_real x = from[i];                                                                     \
            to[i] = (value_of);                                                                              \
        }                                                                                                    \
    }                                                                                                        \
    DEEP_LANES                                                                                               \
    static void name##_backward(deep_pass *pass, size_t l)                                                   \
    {                                                                                                        \
        const deep_layer *layer = &pass->net->layer[l];                                                      \
        const deep_real *restrict from = pass->value[l], *restrict to = pass->value[l + 1];                  \
        const deep_real *restrict above = pass->slope[l + 1];                                                \
        deep_real *restrict below = pass->slope[l];                                                          \
        (void)layer;                                                                                         \
        for (size_t i = 0, n = count(pass, l); i < n; i++) {                                                 \
            const deep_real x = from[i], y = to[i];                                                          \
            (void)x, (void)y;                                                                                \
            below[i] = above[i] * (slope_of);                                                                \
        }                                                                                                    \
    }

DEEP_INLINE deep_real gelu_gate(deep_real x) { return deep_sigmoid((deep_real)1.702 * x); }

EVERY(relu, x > 0 ? x : 0, x > 0 ? (deep_real)1 : (deep_real)0)
EVERY(tanh, deep_tanh(x), (1 - y) * (1 + y))
EVERY(sigmoid, deep_sigmoid(x), y *(1 - y))
EVERY(elu, x > 0 ? x : deep_exp(x) - 1, x > 0 ? (deep_real)1 : y + 1)
EVERY(gelu, x *gelu_gate(x), gelu_gate(x) * (1 + (deep_real)1.702 * x * (1 - gelu_gate(x))))

/* number: scale, inverse temperature; the offset is in size[0] as thousandths. */
#define SCALE ((deep_real)layer->number[0])
#define INVERSE ((deep_real)layer->number[1])
#define OFFSET ((deep_real)((double)layer->size[0] / 1000))
EVERY(tempered, SCALE *deep_sigmoid(INVERSE *x) - OFFSET, INVERSE *(y + OFFSET) * (1 - (y + OFFSET) / SCALE))

static void tempered_shape(deep_layer *layer, deep_words *words)
{
    layer->number[0] = deep_option_number(words, "scale", 0.01, 100, 1.58);
    layer->number[1] = deep_option_number(words, "inverse", 0.01, 100, 3);
    layer->size[0] = (size_t)rint(1000 * deep_option_number(words, "offset", 0, 100, 0.71));
}

#define KIND(symbol, word, f, shape_of, form_of, help_of)                                                    \
    const deep_kind symbol = { .name = word,                                                                 \
                               .form = form_of,                                                              \
                               .help = help_of,                                                              \
                               .shape = shape_of,                                                            \
                               .forward = f##_forward,                                                       \
                               .backward = f##_backward }

KIND(deep_relu, "relu", relu, shape, "relu", "x, or 0 where x is negative");
KIND(deep_tanh_kind, "tanh", tanh, shape, "tanh", "the hyperbolic tangent");
KIND(deep_sigmoid_kind, "sigmoid", sigmoid, shape, "sigmoid", "1 / (1 + exp(-x))");
KIND(deep_elu, "elu", elu, shape, "elu", "x, or exp(x) - 1 where x is negative");
KIND(deep_gelu, "gelu", gelu, shape, "gelu", "x times the sigmoid of 1.702 x");
KIND(deep_tempered, "tempered", tempered, tempered_shape, "tempered [scale S] [inverse T] [offset O]",
     "S / (1 + exp(-T x)) - O, by default 1.58, 3 and 0.71");
