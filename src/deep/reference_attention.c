/* SPDX-License-Identifier: Apache-2.0 */
/* Attention and the numbers of places, by definition. */
#include <math.h>

#include "deep/reference.h"

#define EVERY(i, n) for (size_t i = 0; i < (n); i++)

/* --- attention ------------------------------------------------------------------------------------------------------------- */

typedef struct heads {
    size_t places, channels, heads, width;
    bool causal;
    const double *w,
        *x;         /* rows of channels + 1: 3 channels of them for Q, K, V, then those of what comes out */
    double *qkv[3]; /* [which][t * channels + c] */
    double *mixed;
    double *dqkv[3], *dm; /* their slopes */
    double *weight;       /* of the head at hand: [t * places + u] */
} heads;

static double map(const heads *a, const double *x, size_t row)
{
    const double *w = a->w + row * (a->channels + 1);
    double sum = w[a->channels];
    EVERY(c, a->channels) sum += w[c] * x[c];
    return sum;
}

static void heads_open(heads *a, deep_reference *r, size_t l)
{
    const deep_layer *layer = &r->net->layer[l];
    a->places = deep_positions(layer->in);
    a->channels = layer->in.channels;
    a->heads = layer->size[0];
    a->width = a->channels / a->heads;
    a->causal = layer->size[1];
    a->w = r->parameters + layer->first;
    a->x = r->value[l];
    const size_t n = a->places * a->channels;
    EVERY(j, 8 * n + a->places * a->places) r->work[j] = 0;
    EVERY(k, 3) a->qkv[k] = r->work + k * n;
    EVERY(k, 3) a->dqkv[k] = r->work + (3 + k) * n;
    a->mixed = r->work + 6 * n;
    a->dm = r->work + 7 * n;
    a->weight = r->work + 8 * n;
    EVERY(k, 3)
    EVERY(t, a->places)
    EVERY(c, a->channels)
    a->qkv[k][t * a->channels + c] = map(a, a->x + t * a->channels, k * a->channels + c);
}

/* The weights of head h, and what it mixes. */
static void look(heads *a, size_t h)
{
    const size_t n = a->places, c = a->channels;
    EVERY(t, n)
    {
        double sum = 0, most = -INFINITY;
        EVERY(u, n)
        {
            double product = 0;
            EVERY(k, a->width)
            product += a->qkv[0][t * c + h * a->width + k] * a->qkv[1][u * c + h * a->width + k];
            a->weight[t * n + u] = a->causal && u > t ? -INFINITY : product / sqrt((double)a->width);
            most = fmax(most, a->weight[t * n + u]);
        }
        EVERY(u, n)
        {
            a->weight[t * n + u] =
                exp(a->weight[t * n + u] - most); /* the same shares, and none is too large */
            sum += a->weight[t * n + u];
        }
        EVERY(u, n) a->weight[t * n + u] /= sum;
        EVERY(k, a->width)
        {
            const size_t at = h * a->width + k;
            a->mixed[t * c + at] = 0;
            EVERY(u, n) a->mixed[t * c + at] += a->weight[t * n + u] * a->qkv[2][u * c + at];
        }
    }
}

static void attention_forward(deep_reference *r, size_t l)
{
    heads a;
    heads_open(&a, r, l);
    EVERY(h, a.heads) look(&a, h);
    EVERY(t, a.places)
    EVERY(c, a.channels)
    r->value[l + 1][t * a.channels + c] = map(&a, a.mixed + t * a.channels, 3 * a.channels + c);
}

/* What slope d of map means: for the parameters, and for x. */
static void map_back(const heads *a, double *gradient, const double *x, double *dx, size_t row, double d)
{
    const size_t first = row * (a->channels + 1);
    EVERY(c, a->channels)
    {
        gradient[first + c] += d * x[c];
        dx[c] += d * a->w[first + c];
    }
    gradient[first + a->channels] += d;
}

/* Slopes of what head h mixes, to slopes of Q, K, V: d weight[t][u] / d score[t][v] = weight[t][u] ((u == v) - weight[t][v]). */
static void look_back(heads *a, size_t h)
{
    const size_t n = a->places, c = a->channels;
    EVERY(t, n) EVERY(u, n) EVERY(k, a->width)
    {
        const size_t at = h * a->width + k;
        a->dqkv[2][u * c + at] += a->weight[t * n + u] * a->dm[t * c + at];
        EVERY(v, n)
        {
            const double dw = a->dm[t * c + at] * a->qkv[2][u * c + at];
            const double ds =
                dw * a->weight[t * n + u] * ((u == v) - a->weight[t * n + v]) / sqrt((double)a->width);
            EVERY(j, a->width)
            {
                const size_t q = t * c + h * a->width + j, key = v * c + h * a->width + j;
                a->dqkv[0][q] += ds * a->qkv[1][key];
                a->dqkv[1][key] += ds * a->qkv[0][q];
            }
        }
    }
}

static void attention_backward(deep_reference *r, size_t l)
{
    heads a;
    heads_open(&a, r, l);
    const size_t n = a.places, c = a.channels;
    double *gradient = r->gradient + r->net->layer[l].first;
    EVERY(h, a.heads) look(&a, h);
    EVERY(t, n)
    EVERY(k, c) map_back(&a, gradient, a.mixed + t * c, a.dm + t * c, 3 * c + k, r->slope[l + 1][t * c + k]);
    EVERY(h, a.heads)
    {
        look(&a, h);
        look_back(&a, h);
    }
    EVERY(k, 3)
    EVERY(t, n)
    EVERY(j, c) map_back(&a, gradient, a.x + t * c, r->slope[l] + t * c, k * c + j, a.dqkv[k][t * c + j]);
}

/* --- positions ---------------------------------------------------------------------------------------------------------------- */

static void positions_forward(deep_reference *r, size_t l)
{
    const deep_layer *layer = &r->net->layer[l];
    EVERY(j, deep_size(layer->in))
    {
        const size_t t = j / layer->in.channels, c = j % layer->in.channels;
        const double angle = (double)t / pow(10000, (double)(c / 2 * 2) / (double)layer->in.channels);
        const double place = layer->parameters > 0 ? r->parameters[layer->first + j]
                             : c % 2 == 0          ? sin(angle)
                                                   : cos(angle);
        r->value[l + 1][j] = r->value[l][j] + place;
    }
}

static void positions_backward(deep_reference *r, size_t l)
{
    const deep_layer *layer = &r->net->layer[l];
    EVERY(j, deep_size(layer->in))
    {
        r->slope[l][j] += r->slope[l + 1][j];
        if (layer->parameters > 0) r->gradient[layer->first + j] += r->slope[l + 1][j];
    }
}

const deep_reference_kind deep_reference_attention[] = {
    { "attention", attention_forward, attention_backward },
    { "positions", positions_forward, positions_backward },
    { NULL, NULL, NULL },
};
