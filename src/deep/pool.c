/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: the largest number, or the mean, of what a window shows of each channel. What lies outside of the picture does not count. Of
 * equal largest numbers the first is taken, row by row. */
#include <string.h>

#include "deep/window.h"

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
    if (deep_window_of(layer).dilation > 1) /* a window could see nothing of the picture */
        deep_refuse(words, "it has no option dilation");
}

static void largest_shape(deep_layer *layer, deep_words *words)
{
    shape(layer, words);
    layer->kept = deep_size(layer->out); /* which of the window it was */
}

/* --- rows of windows, one place of all of them at a time --------------------------------------------------------------------- */

/* Place (k, j) of the windows of row y: of windows from..to, whose numbers begin at `at` in the picture and are `step` apart. */
typedef struct row {
    size_t from, to, at, step;
} row;

static row row_of(const deep_window *w, size_t y, size_t k, size_t j)
{
    const size_t down = y * w->stride + k * w->dilation, across = j * w->dilation;
    row r = { .step = w->stride * w->channels };
    if (down < w->above || down - w->above >= w->height) return r; /* outside: none */
    r.from = across < w->before ? (w->before - across + w->stride - 1) / w->stride : 0;
    /* x * stride + across - before < width */
    r.to = w->width + w->before > across ? (w->width + w->before - across - 1) / w->stride + 1 : 0;
    if (r.to > w->out_width) r.to = w->out_width;
    if (r.from > r.to) r.from = r.to;
    r.at = ((down - w->above) * w->width + r.from * w->stride + across - w->before) * w->channels;
    return r;
}

#define EACH_PLACE(w, k, j)                                                                                  \
    for (size_t k = 0; k < (w).rows; k++)                                                                    \
        for (size_t j = 0; j < (w).columns; j++)

/* body(n) of runs of n channels: all windows of the row at once where they lie side by side. */
#define EACH_RUN(r, channels, i, o, n)                                                                       \
    const size_t n = (r).step == (channels) ? ((r).to - (r).from) * (channels) : (channels);                 \
    const size_t runs = (r).step == (channels) ? (n > 0) : (r).to - (r).from;                                \
    size_t i = (r).at, o = (r).from * (channels);                                                            \
    for (size_t run = 0; run < runs; run++, i += (r).step, o += (channels))

/* --- the largest -------------------------------------------------------------------------------------------------------- */

DEEP_LANES
static void begin(deep_real *restrict most, deep_real *restrict which, size_t n)
{
    for (size_t c = 0; c < n; c++) most[c] = -(deep_real)INFINITY;
    for (size_t c = 0; c < n; c++) which[c] = 0;
}

DEEP_LANES
static void take(const row *r, size_t channels, const deep_real *restrict from, deep_real *restrict most,
                 deep_real *restrict which, deep_real number)
{
    EACH_RUN(*r, channels, i, o, n)
    {
        for (size_t c = 0; c < n; c++) {
            const deep_real x = from[i + c], y = most[o + c], z = which[o + c];
            const bool larger = x > y;
            most[o + c] = larger ? x : y;
            which[o + c] = larger ? number : z;
        }
    }
}

DEEP_LANES
static void give(const row *r, size_t channels, deep_real *restrict to, const deep_real *restrict slope,
                 const deep_real *restrict which, deep_real number)
{
    EACH_RUN(*r, channels, i, o, n)
    {
        for (size_t c = 0; c < n; c++) to[i + c] += which[o + c] == number ? slope[o + c] : 0;
    }
}

static void largest_forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const size_t size = w.out_width * w.channels;
    deep_real *to = pass->value[l + 1], *which = pass->kept[l];
    const deep_real *from = pass->value[l];
    for (size_t i = 0; i < pass->examples; i++, from += deep_size(layer->in))
        for (size_t y = 0; y < w.out_height; y++, to += size, which += size) {
            begin(to, which, size);
            EACH_PLACE(w, k, j)
            {
                const row r = row_of(&w, y, k, j);
                take(&r, w.channels, from, to, which, (deep_real)(k * w.columns + j));
            }
        }
}

static void largest_backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const size_t size = w.out_width * w.channels;
    const deep_real *slope = pass->slope[l + 1], *which = pass->kept[l];
    deep_real *to = pass->slope[l];
    memset(to, 0, pass->examples * deep_size(layer->in) * sizeof *to);
    for (size_t i = 0; i < pass->examples; i++, to += deep_size(layer->in))
        for (size_t y = 0; y < w.out_height; y++, slope += size, which += size) EACH_PLACE(w, k, j)
            {
                const row r = row_of(&w, y, k, j);
                give(&r, w.channels, to, slope, which, (deep_real)(k * w.columns + j));
            }
}

/* --- the mean ------------------------------------------------------------------------------------------------------------ */

DEEP_LANES
static void gather(const row *r, size_t channels, const deep_real *restrict from, deep_real *restrict to)
{
    EACH_RUN(*r, channels, i, o, n)
    {
        for (size_t c = 0; c < n; c++) to[o + c] += from[i + c];
    }
}

DEEP_LANES
static void scatter(const row *r, size_t channels, deep_real *restrict to, const deep_real *restrict slope,
                    const deep_real *restrict share)
{
    for (size_t x = r->from, i = r->at; x < r->to; x++, i += r->step) {
        const deep_real part = share[x];
        for (size_t c = 0; c < channels; c++) to[i + c] += slope[x * channels + c] * part;
    }
}

/* One over the number of places of each window of row y that are within the picture. */
static void shares(const deep_window *w, size_t y, deep_real *share)
{
    for (size_t x = 0; x < w->out_width; x++) share[x] = 0;
    EACH_PLACE(*w, k, j)
    {
        const row r = row_of(w, y, k, j);
        for (size_t x = r.from; x < r.to; x++) share[x]++;
    }
    for (size_t x = 0; x < w->out_width; x++) share[x] = 1 / share[x];
}

static void mean_forward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const size_t size = w.out_width * w.channels, out = deep_size(layer->out), in = deep_size(layer->in);
    for (size_t y = 0; y < w.out_height; y++) {
        shares(&w, y, pass->scratch);
        for (size_t i = 0; i < pass->examples; i++) {
            deep_real *to = pass->value[l + 1] + i * out + y * size;
            memset(to, 0, size * sizeof *to);
            EACH_PLACE(w, k, j)
            {
                const row r = row_of(&w, y, k, j);
                gather(&r, w.channels, pass->value[l] + i * in, to);
            }
            for (size_t x = 0; x < w.out_width; x++)
                for (size_t c = 0; c < w.channels; c++) to[x * w.channels + c] *= pass->scratch[x];
        }
    }
}

static void mean_backward(deep_pass *pass, size_t l)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_window w = deep_window_of(layer);
    const size_t size = w.out_width * w.channels, out = deep_size(layer->out), in = deep_size(layer->in);
    memset(pass->slope[l], 0, pass->examples * in * sizeof(deep_real));
    for (size_t y = 0; y < w.out_height; y++) {
        shares(&w, y, pass->scratch);
        for (size_t i = 0; i < pass->examples; i++) EACH_PLACE(w, k, j)
            {
                const row r = row_of(&w, y, k, j);
                scatter(&r, w.channels, pass->slope[l] + i * in, pass->slope[l + 1] + i * out + y * size,
                        pass->scratch);
            }
    }
}

static size_t scratch(const deep_layer *layer) { return deep_window_of(layer).out_width; }

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
                                 .scratch = scratch,
                                 .forward = mean_forward,
                                 .backward = mean_backward };
