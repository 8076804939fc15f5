/* SPDX-License-Identifier: Apache-2.0 */
/* dusk train --plot: learning curves, one panel under the other over the same steps: loss and accuracy (or error) on public rows, and what the steps until then
 * would have cost. */
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "cli/ask.h"
#include "cli/file.h"
#include "cli/plot.h"
#include "cli/train_curve.h"

enum { WIDTH = 800, LEFT = 84, RIGHT = 28, TOP = 78, PANEL = 150, GAP = 44, BOTTOM = 52, PANELS = 3 };

typedef struct panel {
    const char *title;
    double low, high; /* of what is to be seen */
    const char *colour;
    double (*value)(const train_curve *curve, size_t i);
} panel;

typedef struct chart {
    const train_curve *curve;
    const dusk_model *model;
    panel panel[PANELS];
    size_t panels;
    dusk_ticks x;
} chart;

static double loss_of(const train_curve *c, size_t i) { return c->point[i].loss; }
static double accuracy_of(const train_curve *c, size_t i) { return c->point[i].accuracy; }
static double rmse_of(const train_curve *c, size_t i) { return c->point[i].rmse; }
static double epsilon_of(const train_curve *c, size_t i) { return c->epsilon[i]; }

/* A panel, if there is anything in it: from 0 on, or from the least for shares, which are seldom near 0. */
static void add_panel(chart *c, const char *title, const char *colour, bool share,
                      double (*value)(const train_curve *curve, size_t i))
{
    panel p = { title, share ? 1 : 0, 0, colour, value };
    bool any = false;
    for (size_t i = 0; i < c->curve->count; i++) {
        const double y = value(c->curve, i);
        if (!isfinite(y)) continue;
        any = true;
        p.high = fmax(p.high, y);
        p.low = fmin(p.low, y);
    }
    if (any) c->panel[c->panels++] = p;
}

static double x_of(const chart *c, double x)
{
    return LEFT + dusk_ticks_place(&c->x, x) * (WIDTH - LEFT - RIGHT);
}

static void put_text(FILE *file, double x, double y, const char *attributes, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    dusk_svg_text(file, text);
    fputs("</text>\n", file);
}

/* Lines of a grid with their numbers; every second where they are many. */
static void put_grid(FILE *file, const chart *c, const dusk_ticks *y, double top, bool last)
{
    char number[40];
    const double bottom = top + PANEL;
    for (size_t i = 0; i < y->n; i++) {
        const double at = bottom - dusk_ticks_place(y, y->at[i]) * PANEL;
        fprintf(file, "<path d=\"M%d %.1fH%d\" stroke=\"#e5e5e5\"/>\n", LEFT, at, WIDTH - RIGHT);
        if (y->n > 6 && i % 2) continue;
        snprintf(number, sizeof number, "%.*f", y->decimals, y->at[i]);
        put_text(file, LEFT - 8, at + 4, "text-anchor=\"end\" fill=\"#444\"", number);
    }
    for (size_t i = 0; i < c->x.n; i++) {
        const double at = x_of(c, c->x.at[i]);
        fprintf(file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e5e5e5\"/>\n", at, top, bottom);
        if (!last || !c->x.labelled[i]) continue;
        snprintf(number, sizeof number, "%.*f", c->x.decimals, c->x.at[i]);
        put_text(file, at, bottom + 18, "text-anchor=\"middle\" fill=\"#444\"", number);
    }
}

static void put_curve(FILE *file, const chart *c, const panel *p, const dusk_ticks *y, double top)
{
    bool pen = false;
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"",
            p->colour);
    for (size_t i = 0; i < c->curve->count; i++) {
        const double value = p->value(c->curve, i);
        if (isfinite(value))
            fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', x_of(c, (double)c->curve->point[i].step),
                    top + PANEL * (1 - dusk_ticks_place(y, value)));
        pen = isfinite(value);
    }
    fputs("\"/>\n", file);
    for (size_t i = 0; i < c->curve->count; i++) {
        const double value = p->value(c->curve, i);
        if (isfinite(value))
            fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
                    x_of(c, (double)c->curve->point[i].step), top + PANEL * (1 - dusk_ticks_place(y, value)),
                    p->colour);
    }
}

static void put_panel(FILE *file, const chart *c, size_t k)
{
    const panel *p = &c->panel[k];
    const dusk_plot_axis axis = { .low = p->low, .high = p->high };
    const double top = TOP + (double)k * (PANEL + GAP);
    dusk_ticks y;
    dusk_ticks_make(&y, &axis);
    put_text(file, LEFT, top - 9, "font-weight=\"600\"", p->title);
    put_grid(file, c, &y, top, k + 1 == c->panels);
    put_curve(file, c, p, &y, top);
}

static void put_chart(FILE *file, const void *what)
{
    const chart *c = what;
    const dusk_statement *s = dusk_model_statement(c->model);
    const double height = TOP + (double)c->panels * (PANEL + GAP) - GAP + BOTTOM;
    char subtitle[400], delta[ASK_BUDGET_SIZE];
    ask_delta_up(delta, s->delta);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
            "role=\"img\" font-family=\"system-ui, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', "
            "sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>Learning curves</title>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height);
    put_text(file, 20, 28, "font-size=\"17\" font-weight=\"600\"", "Learning curves, on public rows");
    if (dusk_statement_is_none(s))
        snprintf(subtitle, sizeof subtitle, "%s, NO PRIVACY; %zu public rows",
                 dusk_model_learner(c->model)->name, c->curve->rows);
    else
        snprintf(subtitle, sizeof subtitle, "%s; the model costs epsilon %s at delta %s; %zu public rows",
                 dusk_model_learner(c->model)->name, dusk_shown_up(s->epsilon, 4).text, delta,
                 c->curve->rows);
    put_text(file, 20, 47, "fill=\"#555\"", subtitle);
    for (size_t k = 0; k < c->panels; k++) put_panel(file, c, k);
    put_text(file, (LEFT + WIDTH - RIGHT) / 2.0, height - 12, "text-anchor=\"middle\"", "steps");
    fputs("</svg>\n", file);
}

dusk_status train_curve_plot(const train_curve *curve, const dusk_model *model, const char *path,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    chart c = { .curve = curve, .model = model };
    const dusk_plot_axis steps = { .low = 0, .high = (double)curve->steps };
    dusk_ticks_make(&c.x, &steps);
    add_panel(&c, "loss", "#0072B2", false, loss_of);
    add_panel(&c, "share of rows that are right", "#009E73", true, accuracy_of);
    add_panel(&c, "root of the mean squared error", "#009E73", false, rmse_of);
    add_panel(&c, "epsilon of the steps so far, had it been planned to stop there", "#D55E00", false,
              epsilon_of);
    DUSK_TRY(dusk_file_replace(path, put_chart, &c, err));
    dusk_output_note("drawn", "%s", path);
done:
    return status;
}
