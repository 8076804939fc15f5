/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect estimate --plot: a line for each value, from the low end of its interval to the high one, with a point where the estimate is. SVG, nothing from
 * outside the file. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cli/collect.h"
#include "cli/file.h"
#include "cli/plot.h"

#define ROWS_MOST 60
#define LEFT 170
#define WIDTH 760
#define RIGHT 30
#define TOP 70
#define ROW 20
#define BOTTOM 50

typedef struct drawing {
    const char *title, *subtitle;
    const collect_bar *bars;
    size_t n;
    dusk_ticks ticks;
} drawing;

static double across(const drawing *d, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * dusk_ticks_place(&d->ticks, x);
}

static void put_name(FILE *file, const char *name)
{
    char shown[80];
    size_t n = 0;
    while (name[n] && n < 20)
        n += dusk_utf8_length(name + n) ? dusk_utf8_length(name + n) : 1; /* whole characters */
    snprintf(shown, sizeof shown, "%.*s%s", (int)n, name, name[n] ? "..." : "");
    dusk_svg_text(file, shown);
}

static void put_axis(FILE *file, const drawing *d, double bottom)
{
    for (size_t i = 0; i < d->ticks.n; i++) {
        const double x = across(d, d->ticks.at[i]);
        fprintf(file, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n", x, x, TOP,
                bottom, d->ticks.at[i] == 0 ? "#888" : "#e4e4e4");
        if (d->ticks.labelled[i])
            fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.*f</text>\n", x, bottom + 18,
                    d->ticks.decimals, d->ticks.at[i]);
    }
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">people who reported</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, bottom + 38);
}

static void put(FILE *file, const void *what)
{
    const drawing *d = what;
    const double bottom = TOP + (double)ROW * (double)d->n;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" "
            "font-size=\"12\" "
            "fill=\"#333\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"20\" "
            "y=\"28\" font-size=\"16\">",
            WIDTH, bottom + BOTTOM);
    dusk_svg_text(file, d->title);
    fprintf(file, "</text>\n<text x=\"20\" y=\"48\" fill=\"#666\">");
    dusk_svg_text(file, d->subtitle);
    fprintf(file, "</text>\n");
    put_axis(file, d, bottom);
    for (size_t i = 0; i < d->n; i++) {
        const collect_bar *b = &d->bars[i];
        const double y = TOP + ROW * ((double)i + 0.5);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y + 4);
        put_name(file, b->name);
        fprintf(file, "</text>\n<path d=\"M%.1f %.1fH%.1f\" stroke=\"#0072B2\" stroke-width=\"2\"/>\n",
                across(d, b->low), y, across(d, b->high));
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#0072B2\"/>\n", across(d, b->middle),
                y);
    }
    fprintf(file, "</svg>\n");
}

dusk_status collect_plot(const char *path, const char *title, const char *subtitle, const collect_bar *bars,
                         size_t n, dusk_error *err)
{
    drawing d = { .title = title, .subtitle = subtitle, .bars = bars, .n = n < ROWS_MOST ? n : ROWS_MOST };
    dusk_plot_axis axis = { .low = 0, .high = 0 };
    for (size_t i = 0; i < d.n; i++) {
        axis.low = fmin(axis.low, bars[i].low);
        axis.high = fmax(axis.high, bars[i].high);
    }
    if (!(axis.high > axis.low)) axis.high = axis.low + 1;
    dusk_ticks_make(&d.ticks, &axis);
    return dusk_file_replace(path, put, &d, err);
}
