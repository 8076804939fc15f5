/* SPDX-License-Identifier: Apache-2.0 */
/* Where windows are. */
#include "deep/window.h"

enum { ROWS, COLUMNS, STRIDE, DILATION, ABOVE, BEFORE }; /* of layer->size */

/* How many windows of `span` there are along a side of `size`; before: how far the first begins outside. */
static size_t count_windows(deep_words *words, size_t size, size_t span, size_t stride, bool same, size_t pad,
                            size_t *before)
{
    *before = pad;
    if (same) { /* as many as there are steps; what is missing is shared by both ends, the last getting the odd one */
        const size_t count = (size + stride - 1) / stride, need = (count - 1) * stride + span;
        *before = need > size ? (need - size) / 2 : 0;
        return count;
    }
    if (span > size + 2 * pad) {
        deep_refuse(words, "its window of %zu is larger than the %zu that there are%s", span, size + 2 * pad,
                    words->net->layers == 0 && size == 1 ? "; say how numbers lie first: input HEIGHT WIDTH"
                                                         : "");
        return 1;
    }
    return (size + 2 * pad - span) / stride + 1;
}

void deep_window_shape(deep_layer *layer, deep_words *words, size_t rows, size_t columns, size_t stride)
{
    const bool sequence = layer->in.width == 1;
    const bool same = deep_flag(words, "same");
    size_t *size = layer->size, pad;
    size[ROWS] = sequence ? 1 : rows;
    size[COLUMNS] = sequence ? rows : columns;
    size[STRIDE] = deep_option(words, "stride", 1, 1 << 16, stride);
    size[DILATION] = deep_option(words, "dilation", 1, 1 << 12, 1);
    const size_t high = (size[ROWS] - 1) * size[DILATION] + 1,
                 wide = (size[COLUMNS] - 1) * size[DILATION] + 1;
    pad = deep_option(words, "pad", 0, 1 << 16, 0);
    if (same && pad > 0) deep_refuse(words, "it has pad or same, not both");
    if (pad >= wide || (!sequence && pad >= high)) {
        if (pad > 0) deep_refuse(words, "pad is less than the window");
        pad = 0;
    }
    const deep_window w = deep_window_of(layer);
    layer->out.height =
        sequence ? 1 : count_windows(words, w.height, high, w.stride, same, pad, &size[ABOVE]);
    layer->out.width = count_windows(words, w.width, wide, w.stride, same, pad, &size[BEFORE]);
    if (sequence) {
        layer->out.height = layer->out.width;
        layer->out.width = 1;
    }
}

deep_window deep_window_of(const deep_layer *layer)
{
    const bool sequence = layer->in.width == 1;
    const size_t *size = layer->size;
    return (deep_window){
        .height = sequence ? 1 : layer->in.height,
        .width = sequence ? layer->in.height : layer->in.width,
        .channels = layer->in.channels,
        .rows = size[ROWS],
        .columns = size[COLUMNS],
        .stride = size[STRIDE],
        .dilation = size[DILATION],
        .above = size[ABOVE],
        .before = size[BEFORE],
        .out_height = sequence ? 1 : layer->out.height,
        .out_width = sequence ? layer->out.height : layer->out.width,
    };
}
