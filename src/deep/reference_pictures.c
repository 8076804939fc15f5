/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and pools, by definition: output (y, x) sees input (y * stride - above + k * dilation, the same for x), and what is
 * outside of the picture is zero for a convolution and not there for a pool. */
#include "deep/reference.h"
#include "deep/window.h"

/* Number c of input place (row k, column j) of the window at (y, x); false: outside. */
static bool seen(const deep_window *w, size_t y, size_t x, size_t k, size_t j, size_t c, size_t *at)
{
    const long down = (long)(y * w->stride + k * w->dilation) - (long)w->above;
    const long across = (long)(x * w->stride + j * w->dilation) - (long)w->before;
    if (down < 0 || down >= (long)w->height || across < 0 || across >= (long)w->width) return false;
    *at = ((size_t)down * w->width + (size_t)across) * w->channels + c;
    return true;
}

#define EVERY(i, n) for (size_t i = 0; i < (n); i++)

/* --- convolutions: y[o] = b[o] + sum of W[o][k][j][c] times what the window sees, c going through the channels of o's group - */

/* Both ways at once: forward gives y; backward what dy means. */
static void conv(deep_reference *r, size_t l, bool back)
{
    const deep_layer *layer = &r->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const size_t n = layer->out.channels, groups = layer->size[6], channels = w.channels / groups;
    const size_t step = layer->parameters / n;
    size_t at;
    EVERY(y, w.out_height) EVERY(x, w.out_width) EVERY(o, n)
    {
        const size_t out = (y * w.out_width + x) * n + o, first = o / (n / groups) * channels;
        const double *weight = r->parameters + layer->first + o * step;
        double *gradient = r->gradient + layer->first + o * step;
        const double slope = r->slope[l + 1][out];
        double sum = weight[step - 1];
        EVERY(k, w.rows) EVERY(j, w.columns) EVERY(c, channels)
        {
            const size_t which = (k * w.columns + j) * channels + c;
            if (!seen(&w, y, x, k, j, first + c, &at)) continue;
            sum += weight[which] * r->value[l][at];
            if (back) gradient[which] += slope * r->value[l][at];
            if (back) r->slope[l][at] += slope * weight[which];
        }
        if (back)
            gradient[step - 1] += slope;
        else
            r->value[l + 1][out] = sum;
    }
}

static void conv_forward(deep_reference *r, size_t l) { conv(r, l, false); }
static void conv_backward(deep_reference *r, size_t l) { conv(r, l, true); }

/* --- pools --------------------------------------------------------------------------------------------------------------- */

/* Where the largest number is, the first of equal ones. */
static size_t largest_at(const deep_reference *r, size_t l, const deep_window *w, size_t y, size_t x,
                         size_t c)
{
    size_t best = 0, at;
    bool any = false;
    EVERY(k, w->rows) EVERY(j, w->columns)
    {
        if (!seen(w, y, x, k, j, c, &at)) continue;
        if (!any || r->value[l][at] > r->value[l][best]) best = at;
        any = true;
    }
    return best;
}

static void maxpool(deep_reference *r, size_t l, bool back)
{
    const deep_window w = deep_window_of(&r->net->layer[l]);
    EVERY(y, w.out_height) EVERY(x, w.out_width) EVERY(c, w.channels)
    {
        const size_t at = largest_at(r, l, &w, y, x, c), out = (y * w.out_width + x) * w.channels + c;
        if (back)
            r->slope[l][at] += r->slope[l + 1][out];
        else
            r->value[l + 1][out] = r->value[l][at];
    }
}

static void maxpool_forward(deep_reference *r, size_t l) { maxpool(r, l, false); }
static void maxpool_backward(deep_reference *r, size_t l) { maxpool(r, l, true); }

static void avgpool(deep_reference *r, size_t l, bool back)
{
    const deep_window w = deep_window_of(&r->net->layer[l]);
    size_t at;
    EVERY(y, w.out_height) EVERY(x, w.out_width) EVERY(c, w.channels)
    {
        const size_t out = (y * w.out_width + x) * w.channels + c;
        double sum = 0, count = 0;
        EVERY(k, w.rows) EVERY(j, w.columns) if (seen(&w, y, x, k, j, c, &at))
        {
            sum += r->value[l][at];
            count++;
        }
        if (!back) r->value[l + 1][out] = sum / count;
        EVERY(k, w.rows)
        EVERY(j, w.columns)
        if (back && seen(&w, y, x, k, j, c, &at)) r->slope[l][at] += r->slope[l + 1][out] / count;
    }
}

static void avgpool_forward(deep_reference *r, size_t l) { avgpool(r, l, false); }
static void avgpool_backward(deep_reference *r, size_t l) { avgpool(r, l, true); }

const deep_reference_kind deep_reference_pictures[] = {
    { "conv", conv_forward, conv_backward },
    { "conv1d", conv_forward, conv_backward },
    { "maxpool", maxpool_forward, maxpool_backward },
    { "avgpool", avgpool_forward, avgpool_backward },
    { NULL, NULL, NULL },
};
