/* SPDX-License-Identifier: Apache-2.0 */
/* dusk score --card --plot: the coefficients of a linear model, the largest first, with their intervals where the learner has them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/file.h"
#include "cli/model.h"
#include "cli/plot.h"

enum { SHOWN = 24, LINE = 22, LEFT = 210, WIDTH = 760, TOP = 84 };

typedef struct bar {
    const char *name;
    double value, low, high;
} bar;

typedef struct chart {
    const dusk_model *model;
    bar *bars;
    size_t n, shown;
    bool intervals;
    dusk_ticks x;
} chart;

static int larger_first(const void *a, const void *b)
{
    double x = fabs(((const bar *)a)->value), y = fabs(((const bar *)b)->value);
    return (x < y) - (x > y);
}

static const double *by_column(const dusk_model *model, const char *name, size_t n)
{
    size_t rows, columns;
    const double *values = dusk_model_array(model, name, &rows, &columns);
    return values && n > 0 && rows * columns == n ? values : NULL;
}

static bool can_plot(const dusk_model *model, size_t *n)
{
    *n = 0;
    while (dusk_model_feature(model, *n)) ++*n;
    return by_column(model, "weights", *n) != NULL;
}

/* Coefficients in the units of the data when there are intervals for them, else the weights of encoded columns. */
static void fill(chart *c)
{
    const double *value = by_column(c->model, "coefficients", c->n);
    const double *low = by_column(c->model, "low", c->n), *high = by_column(c->model, "high", c->n);
    dusk_plot_axis axis = { .low = 0, .high = 0 };
    c->intervals = value && low && high;
    if (!c->intervals) value = low = high = by_column(c->model, "weights", c->n);
    for (size_t i = 0; i < c->n; i++)
        c->bars[i] = (bar){ dusk_model_feature(c->model, i), value[i], low[i], high[i] };
    qsort(c->bars, c->n, sizeof *c->bars, larger_first);
    c->shown = c->n < SHOWN ? c->n : SHOWN;
    for (size_t i = 0; i < c->shown; i++) {
        if (isfinite(c->bars[i].low)) axis.low = fmin(axis.low, c->bars[i].low);
        if (isfinite(c->bars[i].high)) axis.high = fmax(axis.high, c->bars[i].high);
    }
    if (axis.high - axis.low <= 0) axis.high = axis.low + 1;
    dusk_ticks_make(&c->x, &axis);
}

static double place(const chart *c, double x)
{
    double at = dusk_ticks_place(&c->x, x);
    return LEFT + fmin(fmax(at, 0), 1) * (WIDTH - LEFT - 30);
}

static void put_text(FILE *file, double x, double y, const char *more, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
    dusk_svg_text(file, text);
    fputs("</text>\n", file);
}

static void put_axis(FILE *file, const chart *c, double bottom)
{
    char number[40];
    for (size_t i = 0; i < c->x.n; i++) {
        double x = place(c, c->x.at[i]);
        fprintf(file, "<path d=\"M%.1f %dV%.1f\" stroke=\"%s\"/>\n", x, TOP - 8, bottom,
                c->x.at[i] == 0 ? "#666" : "#e5e5e5");
        if (!c->x.labelled[i]) continue;
        snprintf(number, sizeof number, "%.*f", c->x.decimals, c->x.at[i]);
        put_text(file, x, bottom + 18, "text-anchor=\"middle\"", number);
    }
}

static void put_chart(FILE *file, const void *what)
{
    const chart *c = what;
    double bottom = TOP + (double)c->shown * LINE;
    char promise[300], subtitle[400];
    fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
        "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"#fff\"/>\n",
        WIDTH, bottom + 34, WIDTH, bottom + 34);
    put_text(file, 20, 30, "font-size=\"16\" font-weight=\"bold\"",
             c->intervals ? "Coefficients, in the units of the data"
                          : "Weights, of columns as the model scales them");
    model_promise_words(promise, sizeof promise, c->model);
    snprintf(subtitle, sizeof subtitle, "%s%s%s", promise,
             c->intervals ? "; bars: intervals that include the noise" : "",
             c->n > c->shown ? "; the largest ones" : "");
    put_text(file, 20, 50, "fill=\"#555\"", subtitle);
    put_axis(file, c, bottom);
    for (size_t i = 0; i < c->shown; i++) {
        const bar *b = &c->bars[i];
        double y = TOP + ((double)i + 0.5) * LINE, from = c->intervals ? b->low : 0;
        double to = c->intervals ? b->high : b->value;
        put_text(file, LEFT - 10, y + 4, "text-anchor=\"end\"", b->name);
        fprintf(
            file,
            "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#0072B2\" stroke-width=\"%d\" stroke-opacity=\"%s\"/>\n",
            place(c, from), y, place(c, to), c->intervals ? 4 : 10, c->intervals ? "0.35" : "0.8");
        if (c->intervals)
            fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"#0072B2\"/>\n",
                    place(c, b->value), y);
    }
    fputs("</svg>\n", file);
}

dusk_status model_plot_weights(const char *path, const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    chart c = { .model = model };
    if (!can_plot(model, &c.n))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "--plot draws the weights of a linear model, and a model of %s has none",
                         dusk_model_learner(model)->name);
    DUSK_NEW(c.bars, c.n);
    fill(&c);
    DUSK_TRY(dusk_file_replace(path, put_chart, &c, err));
    dusk_output_note("drawn", "%s", path);
done:
    dusk_deallocate(c.bars);
    return status;
}
