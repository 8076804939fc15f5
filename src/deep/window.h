/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_DEEP_WINDOW_H
#define DUSK_DEEP_WINDOW_H

/* Windows that move over a picture: what convolutions and pools have in common. A sequence is a picture of one row. */

#include "deep/layer.h"

typedef struct deep_window {
    size_t height, width, channels; /* of the picture */
    size_t rows, columns;           /* of the window */
    size_t stride, dilation;        /* steps from one window to the next, and within a window */
    size_t above, before;           /* how far the first window begins outside of the picture */
    size_t out_height, out_width;   /* how many windows there are */
} deep_window;

/* The words stride, pad, same and dilation of a window of `rows` x `columns` over layer->in, of which a sequence takes rows only. Sets layer->size, and
 * height and width of layer->out; refuses windows that do not fit. */
void deep_window_shape(deep_layer *layer, deep_words *words, size_t rows, size_t columns, size_t stride);
deep_window deep_window_of(const deep_layer *layer);

#endif
