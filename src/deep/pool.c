/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: the largest number, or the mean, of what a window shows of each channel. What lies outside of the picture does not count. Of
 * equal largest numbers the first is taken, row by row. */
#include <string.h>

#include "deep/window.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* puts loops into lanes */
#endif

static void shape(deep_layer *layer, deep_words *words)
{
    if (deep_flag(words, "all")) { /* one window that is the picture */
        layer->size[0] = layer->in.width == 1 ? 1 : layer->in.height;
        layer->size[1] = layer->in.width == 1 ? layer->in.height : layer->in.width;
        layer->size[2] = layer->size[3] = 1;
        layer->out.height = layer->out.width = 1;
        return;
    }
    const size_t side = deep_take(words, "the window", 1, 1 << 12);
    deep_window_shape(layer, words, side, side, deep_take_or(words, "the stride", 1, 1 << 12, side));
}

static void largest_shape(deep_layer *layer, deep_words *words)
{
    shape(layer, words);
    layer->kept = deep_size(layer->out); /* which of the window it was */
}

/* A window in a picture: places (k, j) of it that are within. */
typedef struct view {
    deep_reach down, across;
} view;

static view view_of(const deep_window *w, size_t y, size_t x)
{
    return (view){ deep_window_reach(y, w->stride, w->above, w->dilation, w->rows, w->height),
                   deep_window_reach(x, w->stride, w->before, w->dilation, w->columns, w->width) };
}

/* The channels of place (k, j). */
static size_t place_of(const deep_window *w, const view *v, size_t k, size_t j)
{
    const size_t y = (size_t)(v->down.start + (ptrdiff_t)(k * w->dilation));
    const size_t x = (size_t)(v->across.start + (ptrdiff_t)(j * w->dilation));
    return (y * w->width + x) * w->channels;
}

/* --- the largest -------------------------------------------------------------------------------------------------------- */

static void take_larger(deep_real *restrict most, deep_real *restrict which, const deep_real *restrict from,
                        deep_real number, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        const bool larger = from[c] > most[c];
        most[c] = larger ? from[c] : most[c];
        which[c] = larger ? number : which[c];
    }
}

static void give_back(deep_real *restrict to, const deep_real *restrict slope,
                      const deep_real *restrict which, deep_real number, size_t n)
{
    for (size_t c = 0; c < n; c++) to[c] += which[c] == number ? slope[c] : 0;
}

static void largest_forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    deep_real *to = pass->value[l + 1], *which = pass->kept[l];
    const deep_real *from = pass->value[l];
    for (size_t i = 0; i < pass->examples; i++, from += deep_size(layer->in))
        for (size_t p = 0; p < w.out_height * w.out_width; p++, to += w.channels, which += w.channels) {
            const view v = view_of(&w, p / w.out_width, p % w.out_width);
            const deep_real first = (deep_real)(v.down.from * w.columns + v.across.from);
            memcpy(to, from + place_of(&w, &v, v.down.from, v.across.from), w.channels * sizeof *to);
            for (size_t c = 0; c < w.channels; c++) which[c] = first;
            for (size_t k = v.down.from; k < v.down.to; k++)
                for (size_t j = v.across.from; j < v.across.to; j++)
                    take_larger(to, which, from + place_of(&w, &v, k, j), (deep_real)(k * w.columns + j),
                                w.channels);
        }
}

static void largest_backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const deep_real *slope = pass->slope[l + 1], *which = pass->kept[l];
    deep_real *to = pass->slope[l];
    memset(to, 0, pass->examples * deep_size(layer->in) * sizeof *to);
    for (size_t i = 0; i < pass->examples; i++, to += deep_size(layer->in))
        for (size_t p = 0; p < w.out_height * w.out_width; p++, slope += w.channels, which += w.channels) {
            const view v = view_of(&w, p / w.out_width, p % w.out_width);
            for (size_t k = v.down.from; k < v.down.to; k++)
                for (size_t j = v.across.from; j < v.across.to; j++)
                    give_back(to + place_of(&w, &v, k, j), slope, which, (deep_real)(k * w.columns + j),
                              w.channels);
        }
}

/* --- the mean ------------------------------------------------------------------------------------------------------------ */

static deep_real share_of(const view *v)
{
    return 1 / (deep_real)((v->down.to - v->down.from) * (v->across.to - v->across.from));
}

static void add_share(deep_real *restrict to, const deep_real *restrict from, deep_real share, size_t n)
{
    for (size_t c = 0; c < n; c++) to[c] += share * from[c];
}

static void mean_forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    deep_real *to = pass->value[l + 1];
    const deep_real *from = pass->value[l];
    for (size_t i = 0; i < pass->examples; i++, from += deep_size(layer->in))
        for (size_t p = 0; p < w.out_height * w.out_width; p++, to += w.channels) {
            const view v = view_of(&w, p / w.out_width, p % w.out_width);
            memset(to, 0, w.channels * sizeof *to);
            for (size_t k = v.down.from; k < v.down.to; k++)
                for (size_t j = v.across.from; j < v.across.to; j++)
                    add_share(to, from + place_of(&w, &v, k, j), share_of(&v), w.channels);
        }
}

static void mean_backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const deep_real *slope = pass->slope[l + 1];
    deep_real *to = pass->slope[l];
    memset(to, 0, pass->examples * deep_size(layer->in) * sizeof *to);
    for (size_t i = 0; i < pass->examples; i++, to += deep_size(layer->in))
        for (size_t p = 0; p < w.out_height * w.out_width; p++, slope += w.channels) {
            const view v = view_of(&w, p / w.out_width, p % w.out_width);
            for (size_t k = v.down.from; k < v.down.to; k++)
                for (size_t j = v.across.from; j < v.across.to; j++)
                    add_share(to + place_of(&w, &v, k, j), slope, share_of(&v), w.channels);
        }
}

const deep_kind deep_maxpool = { .name = "maxpool",
                                 .form = "maxpool K [S] [pad P | same], or maxpool all",
                                 .help = "the largest number of each channel in windows of K x K, S apart",
                                 .shape = largest_shape,
                                 .forward = largest_forward,
                                 .backward = largest_backward };
const deep_kind deep_avgpool = { .name = "avgpool",
                                 .form = "avgpool K [S] [pad P | same], or avgpool all",
                                 .help = "the mean of each channel in windows of K x K, S apart",
                                 .shape = shape,
                                 .forward = mean_forward,
                                 .backward = mean_backward };
