/* SPDX-License-Identifier: Apache-2.0 */
/* The scattering transform by definition: waves as they are in space, wound round the padded picture, and convolutions as sums over all places. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "deep/layer.h"
#include "deep/reference.h"

#define PI 3.14159265358979323846

/* A complex picture of every 2^fine-th place. */
typedef struct image {
    size_t rows, columns;
    double *re, *im;
} image;

static image image_new(const deep_layer *layer, size_t fine)
{
    const size_t rows = layer->size[2] >> fine, columns = layer->size[3] >> fine;
    return (image){ rows, columns, dusk_allocate(rows * columns, sizeof(double)),
                    dusk_allocate(rows * columns, sizeof(double)) };
}

static void image_free(image *x)
{
    dusk_deallocate(x->re);
    dusk_deallocate(x->im);
}

/* exp(i xi . u) - kappa under a bell, at the places of `out`. */
static void make_wave(const deep_layer *layer, image *out, size_t fine, size_t j, size_t t)
{
    const double angle = PI * (double)t / (double)layer->size[1], one = pow(2, (double)fine);
    const double along = 0.8 * pow(2, (double)j), across = along * fmax((double)layer->size[1] / 4, 1);
    const double xi = 3 * PI / 4 / pow(2, (double)j), height = one * one / (2 * PI * along * across);
    const long rows = (long)out->rows, columns = (long)out->columns;
    const long turns = (long)(9 * across / one / (double)(rows < columns ? rows : columns)) + 1;
    double re = 0, im = 0, plain = 0;
    for (int round = 0; round < 2; round++) /* for kappa, then for the wave */
        for (long y = 0; y < rows; y++)
            for (long x = 0; x < columns; x++)
                for (long v = y - turns * rows; v <= y + turns * rows; v += rows)
                    for (long u = x - turns * columns; u <= x + turns * columns; u += columns) {
                        const double a = one * ((double)u * cos(angle) + (double)v * sin(angle)),
                                     b = one * ((double)v * cos(angle) - (double)u * sin(angle));
                        const double bell =
                            height * exp(-(a * a / along / along + b * b / across / across) / 2);
                        if (round == 0) {
                            re += bell * cos(xi * a);
                            im += bell * sin(xi * a);
                            plain += bell;
                            continue;
                        }
                        out->re[y * columns + x] += bell * (cos(xi * a) - re / plain);
                        out->im[y * columns + x] += bell * (sin(xi * a) - im / plain);
                    }
}

/* The modulus of x with a wave, at every 2^(j - fine)-th of its places. */
static void find(const deep_layer *layer, const image *x, size_t fine, size_t j, size_t t, image *out)
{
    image wave = image_new(layer, fine);
    const size_t step = (size_t)1 << (j - fine);
    make_wave(layer, &wave, fine, j, t);
    for (size_t y = 0; y < out->rows; y++)
        for (size_t z = 0; z < out->columns; z++) {
            double re = 0, im = 0;
            for (size_t v = 0; v < x->rows; v++)
                for (size_t u = 0; u < x->columns; u++) {
                    const size_t at = (y * step + x->rows - v) % x->rows * x->columns +
                                      (z * step + x->columns - u) % x->columns;
                    re += x->re[v * x->columns + u] * wave.re[at];
                    im += x->re[v * x->columns + u] * wave.im[at];
                }
            out->re[y * out->columns + z] = sqrt(re * re + im * im);
        }
    image_free(&wave);
}

static double weight(const deep_layer *layer, double at, size_t o, size_t padded, size_t inside)
{
    const double window = pow(2, (double)layer->size[0]), deviation = 0.8 * window / 2;
    const double away =
        (at - ((double)((padded - inside) / 2) + ((double)o + 0.5) * window - 0.5)) / deviation;
    return fabs(away) <= 4 ? exp(-away * away / 2) : 0;
}

/* Averages of every window to channel c. */
static void average(deep_reference *r, size_t l, const image *x, size_t coarse, size_t c)
{
    const deep_layer *layer = &r->net->layer[l];
    const double step = pow(2, (double)coarse);
    for (size_t o = 0; o < layer->out.height; o++)
        for (size_t p = 0; p < layer->out.width; p++) {
            double sum = 0, all = 0;
            for (size_t v = 0; v < x->rows; v++)
                for (size_t u = 0; u < x->columns; u++) {
                    const double w = weight(layer, step * (double)v, o, layer->size[2], layer->in.height) *
                                     weight(layer, step * (double)u, p, layer->size[3], layer->in.width);
                    sum += w * x->re[v * x->columns + u];
                    all += w;
                }
            r->value[l + 1][(o * layer->out.width + p) * layer->out.channels + c] = sum / all;
        }
}

static size_t mirrored(long at, size_t n)
{
    const long last = (long)n - 1;
    while (at < 0 || at > last) at = at < 0 ? -at : 2 * last - at;
    return (size_t)at;
}

static image take_picture(const deep_reference *r, size_t l, size_t c)
{
    const deep_layer *layer = &r->net->layer[l];
    image out = image_new(layer, 0);
    for (size_t y = 0; y < out.rows; y++)
        for (size_t x = 0; x < out.columns; x++) {
            const size_t v = mirrored((long)y - (long)((out.rows - layer->in.height) / 2), layer->in.height);
            const size_t u = mirrored((long)x - (long)((out.columns - layer->in.width) / 2), layer->in.width);
            out.re[y * out.columns + x] = r->value[l][(v * layer->in.width + u) * layer->in.channels + c];
        }
    return out;
}

static void forward(deep_reference *r, size_t l)
{
    const deep_layer *layer = &r->net->layer[l];
    const size_t sizes = layer->size[0], directions = layer->size[1];
    for (size_t c = 0, to = 0; c < layer->in.channels; c++) {
        image picture = take_picture(r, l, c);
        size_t second = to + 1 + sizes * directions;
        average(r, l, &picture, 0, to++);
        for (size_t j = 0; j < sizes; j++)
            for (size_t t = 0; t < directions; t++) {
                image one = image_new(layer, j);
                find(layer, &picture, 0, j, t, &one);
                average(r, l, &one, j, to++);
                for (size_t k = j + 1; k < sizes; k++)
                    for (size_t u = 0; u < directions; u++) {
                        image two = image_new(layer, k);
                        find(layer, &one, j, k, u, &two);
                        average(r, l, &two, k, second++);
                        image_free(&two);
                    }
                image_free(&one);
            }
        to = second;
        image_free(&picture);
    }
}

/* There is no way back: nothing before it is learned. */
static void backward(deep_reference *r, size_t l)
{
    (void)r;
    (void)l;
}

const deep_reference_kind deep_reference_scatter[] = { { "scatter", forward, backward },
                                                       { NULL, NULL, NULL } };
