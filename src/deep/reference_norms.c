/* SPDX-License-Identifier: Apache-2.0 */
/* Norms, dropout and flattening, by definition. */
#include <math.h>

#include "deep/reference.h"

/* --- norms: y = gain[c] (x - mean) / sqrt(variance + 1e-5) + offset[c] -------------------------------------------------- */

/* Is number j in the same set as number k? */
typedef bool together_of(const deep_layer *layer, size_t j, size_t k);

static bool same_position(const deep_layer *layer, size_t j, size_t k)
{
    return j / layer->in.channels == k / layer->in.channels;
}

static bool same_group(const deep_layer *layer, size_t j, size_t k)
{
    const size_t wide = layer->in.channels / layer->size[0];
    return j % layer->in.channels / wide == k % layer->in.channels / wide;
}

#define EVERY(k) for (size_t k = 0; k < size; k++)
#define FRIENDS(k) EVERY(k) if (together(layer, j, k))

static void norm(deep_reference *r, size_t l, together_of *together, bool back)
{
    const deep_layer *layer = &r->net->layer[l];
    const size_t size = deep_size(layer->in), channels = layer->in.channels;
    const double *gain = r->parameters + layer->first, *offset = gain + channels, *x = r->value[l];
    const bool fixed = layer->parameters == 0;
    EVERY(j)
    {
        double n = 0, mean = 0, variance = 0, plain = 0, along = 0;
        FRIENDS(k) n++, mean += x[k];
        mean /= n;
        FRIENDS(k) variance += (x[k] - mean) * (x[k] - mean) / n;
        const double deviation = sqrt(variance + 1e-5), z = (x[j] - mean) / deviation;
        if (!back) {
            r->value[l + 1][j] = fixed ? z : gain[j % channels] * z + offset[j % channels];
            continue;
        }
        /* dz_k / dx_j = ((k == j) - 1/n - z_k z_j / n) / deviation */
        FRIENDS(k)
        {
            const double dz = r->slope[l + 1][k] * (fixed ? 1 : gain[k % channels]);
            plain += dz / n;
            along += dz * (x[k] - mean) / deviation / n;
        }
        r->slope[l][j] +=
            (r->slope[l + 1][j] * (fixed ? 1 : gain[j % channels]) - plain - z * along) / deviation;
        if (fixed) continue;
        r->gradient[layer->first + j % channels] += r->slope[l + 1][j] * z;
        r->gradient[layer->first + channels + j % channels] += r->slope[l + 1][j];
    }
}

static void layer_forward(deep_reference *r, size_t l) { norm(r, l, same_position, false); }
static void layer_backward(deep_reference *r, size_t l) { norm(r, l, same_position, true); }
static void group_forward(deep_reference *r, size_t l) { norm(r, l, same_group, false); }
static void group_backward(deep_reference *r, size_t l) { norm(r, l, same_group, true); }

/* --- standard: y = (x - mean[c]) scale[c] ----------------------------------------------------------------------------------- */

static void standard_forward(deep_reference *r, size_t l)
{
    const size_t size = deep_size(r->net->layer[l].in), channels = r->net->layer[l].in.channels;
    const double *mean = r->parameters + r->net->layer[l].first, *scale = mean + channels;
    EVERY(j) r->value[l + 1][j] = (r->value[l][j] - mean[j % channels]) * scale[j % channels];
}

static void standard_backward(deep_reference *r, size_t l)
{
    const size_t size = deep_size(r->net->layer[l].in), channels = r->net->layer[l].in.channels;
    const double *mean = r->parameters + r->net->layer[l].first, *scale = mean + channels;
    double *gradient = r->gradient + r->net->layer[l].first;
    EVERY(j)
    {
        r->slope[l][j] += r->slope[l + 1][j] * scale[j % channels];
        gradient[j % channels] -= r->slope[l + 1][j] * scale[j % channels];
        gradient[channels + j % channels] += r->slope[l + 1][j] * (r->value[l][j] - mean[j % channels]);
    }
}

/* --- dropout: 0 or x / (1 - P) ------------------------------------------------------------------------------------------ */

/* What number j is multiplied by: its coins are the word after number l 2^32 + j of the sequence splitmix64 that begins with the example's
 * coins, less its lower half. */
static double keeps(const deep_reference *r, size_t l, size_t j)
{
    const double part = floor(r->net->layer[l].number[0] * 0x1p32 + 0.5);
    if (!r->training) return 1;
    uint64_t state = r->coin;
    for (size_t step = 0; step <= l; step++) state += 0x9e3779b97f4a7c15u * (step > 0 ? 0x100000000u : 0);
    for (size_t step = 0; step <= j; step++) state += 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    state ^= state >> 31;
    return floor((double)(state >> 32)) < part ? 0 : 1 / (1 - part * 0x1p-32);
}

static void dropout_forward(deep_reference *r, size_t l)
{
    const size_t size = deep_size(r->net->layer[l].in);
    EVERY(j) r->value[l + 1][j] = r->value[l][j] * keeps(r, l, j);
}

static void dropout_backward(deep_reference *r, size_t l)
{
    const size_t size = deep_size(r->net->layer[l].in);
    EVERY(j) r->slope[l][j] += r->slope[l + 1][j] * keeps(r, l, j);
}

/* --- flatten ------------------------------------------------------------------------------------------------------------ */

static void flatten_forward(deep_reference *r, size_t l)
{
    const size_t size = deep_size(r->net->layer[l].in);
    EVERY(j) r->value[l + 1][j] = r->value[l][j];
}

static void flatten_backward(deep_reference *r, size_t l)
{
    const size_t size = deep_size(r->net->layer[l].in);
    EVERY(j) r->slope[l][j] += r->slope[l + 1][j];
}

const deep_reference_kind deep_reference_norms[] = {
    { "layernorm", layer_forward, layer_backward },      { "groupnorm", group_forward, group_backward },
    { "standard", standard_forward, standard_backward }, { "dropout", dropout_forward, dropout_backward },
    { "flatten", flatten_forward, flatten_backward },    { NULL, NULL, NULL },
};
