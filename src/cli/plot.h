/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_CLI_PLOT_H
#define DUSK_CLI_PLOT_H

/* Line plots as SVG: axes with round ticks, linear or logarithmic, a light
 * grid, lines labelled where they end, colours that the colour-blind can tell
 * apart (Okabe & Ito), nothing from outside the file. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "dusk/base.h"

typedef struct dusk_plot_line {
    const char *label; /* at its end; NULL for none */
    const double *x, *y;
    size_t n;
    const char *colour; /* NULL: by its place among the lines */
    bool dashed;
    bool reference;    /* grey and thin: something to compare with */
    bool label_inside; /* the label is beside the middle of the line, in the frame */
    bool shaded;       /* the frame below it is tinted: what the line allows */
} dusk_plot_line;

typedef struct dusk_plot_axis {
    const char *label;
    bool logarithmic;
    double low, high; /* of what is to be seen */
} dusk_plot_axis;

typedef struct dusk_plot {
    const char *title, *subtitle;
    dusk_plot_axis x, y;
    const dusk_plot_line *lines;
    size_t line_count; /* at most DUSK_PLOT_LINES_MAX of them with a label */
    bool marked;       /* a point, with lines to both axes */
    double mark_x, mark_y;
    const char *mark_label;
} dusk_plot;
#define DUSK_PLOT_LINES_MAX 24

/* Write it to `path`: first beside it, then moved into place, so that nobody
 * sees half of one and a failure leaves what was there. */
dusk_status dusk_plot_write(const dusk_plot *plot, const char *path, dusk_error *err);

/* Text as it stands in an SVG file: what is special is escaped. */
void dusk_svg_text(FILE *file, const char *text);

/* Ticks of an axis. Widens low and high to round numbers. */
#define DUSK_PLOT_TICKS_MAX 64
typedef struct dusk_ticks {
    double low, high;
    double at[DUSK_PLOT_TICKS_MAX];
    bool labelled[DUSK_PLOT_TICKS_MAX];
    size_t n;
    int decimals; /* of the labels of a linear axis */
    bool logarithmic;
} dusk_ticks;
void dusk_ticks_make(dusk_ticks *out, const dusk_plot_axis *axis);
/* Where x is between the ends: 0 is low and 1 high. */
double dusk_ticks_place(const dusk_ticks *ticks, double x);

#endif
