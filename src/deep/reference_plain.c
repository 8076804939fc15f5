/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps, functions of every number by itself, and residual blocks, by definition. */
#include <math.h>
#include <string.h>

#include "deep/layer.h"
#include "deep/reference.h"

/* --- dense: y = W x + b of every position, or of all numbers as one --------------------------------------------------- */

/* W[j][c] and, as the last of its row, b[j]. */
static size_t columns_of(const deep_layer *layer) { return layer->parameters / layer->out.channels - 1; }

static void dense_forward(deep_reference *r, size_t l)
{
    const deep_layer *layer = &r->net->layer[l];
    const size_t columns = columns_of(layer), rows = layer->out.channels;
    const double *w = r->parameters + layer->first;
    for (size_t t = 0; t < deep_positions(layer->out); t++)
        for (size_t j = 0; j < rows; j++) {
            double y = w[j * (columns + 1) + columns];
            for (size_t c = 0; c < columns; c++) y += w[j * (columns + 1) + c] * r->value[l][t * columns + c];
            r->value[l + 1][t * rows + j] = y;
        }
}

static void dense_backward(deep_reference *r, size_t l)
{
    const deep_layer *layer = &r->net->layer[l];
    const size_t columns = columns_of(layer), rows = layer->out.channels;
    const double *w = r->parameters + layer->first;
    double *gradient = r->gradient + layer->first;
    for (size_t t = 0; t < deep_positions(layer->out); t++)
        for (size_t j = 0; j < rows; j++) {
            const double d = r->slope[l + 1][t * rows + j];
            for (size_t c = 0; c < columns; c++) {
                r->slope[l][t * columns + c] += w[j * (columns + 1) + c] * d;
                gradient[j * (columns + 1) + c] += d * r->value[l][t * columns + c];
            }
            gradient[j * (columns + 1) + columns] += d;
        }
}

/* --- tied: y[o] = b[o] + sum over k of M(o, k) x[k], M being W turned around, or the rows of an embedding as they are ----- */

static void tied(deep_reference *r, size_t l, bool back)
{
    const deep_layer *layer = &r->net->layer[l], *other = &r->net->layer[layer->partner];
    const bool is_dense = !strcmp(other->kind->name, "dense");
    const size_t n = layer->out.channels, wide = other->out.channels;
    for (size_t t = 0; t < deep_positions(layer->out); t++)
        for (size_t o = 0; o < n; o++) {
            double y = r->parameters[layer->first + o];
            for (size_t k = 0; k < wide; k++) {
                const size_t at = other->first + (is_dense ? k * (n + 1) + o : o * wide + k);
                const double slope = r->slope[l + 1][t * n + o];
                y += r->parameters[at] * r->value[l][t * wide + k];
                if (back) r->gradient[at] += slope * r->value[l][t * wide + k];
                if (back) r->slope[l][t * wide + k] += slope * r->parameters[at];
            }
            if (back) r->gradient[layer->first + o] += r->slope[l + 1][t * n + o];
            if (!back) r->value[l + 1][t * n + o] = y;
        }
}

static void tied_forward(deep_reference *r, size_t l) { tied(r, l, false); }
static void tied_backward(deep_reference *r, size_t l) { tied(r, l, true); }

/* --- functions of a number --------------------------------------------------------------------------------------------- */

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* f(x), and f'(x) by the rules of calculus. */
#define FUNCTION(name, value_of, slope_of)                                                                   \
    static void name##_forward(deep_reference *r, size_t l)                                                  \
    {                                                                                                        \
        const deep_layer *layer = &r->net->layer[l];                                                         \
        (void)layer;                                                                                         \
        for (size_t i = 0; i < deep_size(layer->in); i++) {                                                  \
            const double x = r->value[l][i];                                                                 \
            r->value[l + 1][i] = (value_of);                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_backward(deep_reference *r, size_t l)                                                 \
    {                                                                                                        \
        const deep_layer *layer = &r->net->layer[l];                                                         \
        for (size_t i = 0; i < deep_size(layer->in); i++) {                                                  \
            const double x = r->value[l][i];                                                                 \
            r->slope[l][i] += r->slope[l + 1][i] * (slope_of);                                               \
        }                                                                                                    \
    }

FUNCTION(relu, fmax(x, 0), x > 0 ? 1.0 : 0.0)
FUNCTION(tanh, tanh(x), 1 / (cosh(x) * cosh(x)))
FUNCTION(sigmoid, sigmoid(x), sigmoid(x) * sigmoid(-x))
FUNCTION(elu, x > 0 ? x : expm1(x), x > 0 ? 1.0 : exp(x))
FUNCTION(gelu, x *sigmoid(1.702 * x),
         sigmoid(1.702 * x) + 1.702 * x * sigmoid(1.702 * x) * sigmoid(-1.702 * x))
FUNCTION(tempered, layer->number[0] * sigmoid(layer->number[1] * x) - (double)layer->size[0] / 1000,
         layer->number[0] * layer->number[1] * sigmoid(layer->number[1] * x) * sigmoid(-layer->number[1] * x))

/* --- residual; ...; add ------------------------------------------------------------------------------------------------- */

static void copy_forward(deep_reference *r, size_t l)
{
    for (size_t i = 0; i < deep_size(r->net->layer[l].in); i++) r->value[l + 1][i] = r->value[l][i];
}

static void copy_backward(deep_reference *r, size_t l)
{
    for (size_t i = 0; i < deep_size(r->net->layer[l].in); i++) r->slope[l][i] += r->slope[l + 1][i];
}

static void add_forward(deep_reference *r, size_t l)
{
    const double *before = r->value[r->net->layer[l].partner];
    for (size_t i = 0; i < deep_size(r->net->layer[l].in); i++)
        r->value[l + 1][i] = r->value[l][i] + before[i];
}

static void add_backward(deep_reference *r, size_t l)
{
    double *before = r->slope[r->net->layer[l].partner];
    for (size_t i = 0; i < deep_size(r->net->layer[l].in); i++) {
        r->slope[l][i] += r->slope[l + 1][i];
        before[i] += r->slope[l + 1][i];
    }
}

const deep_reference_kind deep_reference_plain[] = {
    { "dense", dense_forward, dense_backward },
    { "tied", tied_forward, tied_backward },
    { "relu", relu_forward, relu_backward },
    { "tanh", tanh_forward, tanh_backward },
    { "sigmoid", sigmoid_forward, sigmoid_backward },
    { "elu", elu_forward, elu_backward },
    { "gelu", gelu_forward, gelu_backward },
    { "tempered", tempered_forward, tempered_backward },
    { "residual", copy_forward, copy_backward },
    { "add", add_forward, add_backward },
    { NULL, NULL, NULL },
};
