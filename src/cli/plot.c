/* SPDX-License-Identifier: Apache-2.0 */
/* Line plots as SVG; see plot.h. */
#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file.h"
#include "cli/output.h"

#define WIDTH 800
#define HEIGHT 500
#define LEFT 84
#define TOP 72
#define BOTTOM 60
#define LABEL_HEIGHT 16

/* Okabe & Ito, the darker ones first; lines beyond the last repeat them dashed. */
static const char *const palette[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                       "#E69F00", "#56B4E9", "#000000" };
#define COLOURS (sizeof palette / sizeof palette[0])
static const char *const dashes[] = { "", "7 3", "2 3", "9 3 2 3" };

typedef struct canvas {
    FILE *file;
    const dusk_plot *plot;
    dusk_ticks x, y;
    double right; /* where the frame ends */
} canvas;

/* ---- Text ------------------------------------------------------------------------ */

void dusk_svg_text(FILE *file, const char *s)
{
    while (*s) {
        size_t n = dusk_utf8_length(s);
        if (n == 0 || (unsigned char)*s < 0x20)
            fputs("&#xFFFD;", file);
        else if (strchr("&<>\"'", *s))
            fprintf(file, "&#%d;", *s);
        else
            fwrite(s, 1, n, file);
        s += n ? n : 1;
    }
}

static void put_text(const canvas *c, double x, double y, const char *attributes, const char *text)
{
    fprintf(c->file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    dusk_svg_text(c->file, text);
    fputs("</text>\n", c->file);
}

/* Whether every label of a logarithmic axis is short in plain digits. */
static bool is_plain(const dusk_ticks *ticks)
{
    bool few = ticks->high / ticks->low < 2e3;
    return ticks->low > (few ? 9e-6 : 9e-4) && ticks->high < 1.1e5;
}

/* Plain digits, or a power of ten with its exponent raised. */
static void put_tick_label(const canvas *c, const dusk_ticks *ticks, double at)
{
    if (!ticks->logarithmic) {
        bool plain = ticks->high < 1e6 && ticks->decimals <= 5;
        fprintf(c->file, plain ? "%.*f" : "%.*g", plain ? ticks->decimals : 6, at == 0 ? 0.0 : at);
        return;
    }
    int exponent = (int)floor(log10(at) + 1e-9), front = (int)lround(at / pow(10, exponent));
    if (is_plain(ticks) || exponent == 0) {
        fprintf(c->file, "%.6g", at);
        return;
    }
    if (front != 1) fprintf(c->file, "%d\u00b7", front);
    fprintf(c->file, "10<tspan dy=\"-5\" font-size=\"9\">%s%d</tspan>", exponent < 0 ? "\u2212" : "",
            abs(exponent));
}

/* ---- Places ---------------------------------------------------------------------- */

static double bottom_of(void) { return HEIGHT - BOTTOM; }

static double x_of(const canvas *c, double x)
{
    return LEFT + dusk_ticks_place(&c->x, x) * (c->right - LEFT);
}

static double y_of(const canvas *c, double y)
{
    return bottom_of() - dusk_ticks_place(&c->y, y) * (bottom_of() - TOP);
}

/* ---- Frame ----------------------------------------------------------------------- */

static void put_grid(const canvas *c)
{
    fputs("<g stroke=\"#e4e4e4\" stroke-width=\"1\">\n", c->file);
    for (size_t i = 0; i < c->x.n; i++)
        fprintf(c->file, "<path d=\"M%.1f %d V%.1f\"%s/>\n", x_of(c, c->x.at[i]), TOP, bottom_of(),
                c->x.labelled[i] ? "" : " stroke=\"#f3f3f3\"");
    for (size_t i = 0; i < c->y.n; i++)
        fprintf(c->file, "<path d=\"M%d %.1f H%.1f\"%s/>\n", LEFT, y_of(c, c->y.at[i]), c->right,
                c->y.labelled[i] ? "" : " stroke=\"#f3f3f3\"");
    fputs("</g>\n", c->file);
    fprintf(c->file, "<path d=\"M%d %d V%.1f H%.1f\" fill=\"none\" stroke=\"#555\"/>\n", LEFT, TOP,
            bottom_of(), c->right);
}

static void put_tick_labels(const canvas *c)
{
    fputs("<g font-size=\"12\" fill=\"#333\">\n", c->file);
    for (size_t i = 0; i < c->x.n; i++) {
        if (!c->x.labelled[i]) continue;
        fprintf(c->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x_of(c, c->x.at[i]),
                bottom_of() + 18);
        put_tick_label(c, &c->x, c->x.at[i]);
        fputs("</text>\n", c->file);
    }
    for (size_t i = 0; i < c->y.n; i++) {
        if (!c->y.labelled[i]) continue;
        fprintf(c->file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y_of(c, c->y.at[i]) + 4);
        put_tick_label(c, &c->y, c->y.at[i]);
        fputs("</text>\n", c->file);
    }
    fputs("</g>\n", c->file);
}

static void put_titles(const canvas *c)
{
    const dusk_plot *plot = c->plot;
    char attributes[120];
    put_text(c, LEFT, 30, "font-size=\"16\" font-weight=\"600\" fill=\"#111\"", plot->title);
    put_text(c, LEFT, 52, "font-size=\"12.5\" fill=\"#555\"", plot->subtitle);
    put_text(c, (LEFT + c->right) / 2, HEIGHT - 16, "font-size=\"13\" text-anchor=\"middle\" fill=\"#222\"",
             plot->x.label);
    snprintf(attributes, sizeof attributes,
             "font-size=\"13\" text-anchor=\"middle\" fill=\"#222\" transform=\"rotate(-90 22 %.1f)\"",
             (TOP + bottom_of()) / 2);
    put_text(c, 22, (TOP + bottom_of()) / 2, attributes, plot->y.label);
}

/* ---- Lines ----------------------------------------------------------------------- */

static const char *colour_of(const dusk_plot_line *line, size_t index)
{
    if (line->colour) return line->colour;
    return line->reference ? "#999999" : palette[index % COLOURS];
}

static const char *dash_of(const dusk_plot_line *line, size_t index)
{
    if (line->dashed) return "2 4";
    return line->reference || line->colour ? "" : dashes[(index / COLOURS) % 4];
}

/* A coordinate that SVG can hold, for what is far outside the frame. */
static double tame(double v) { return v < -9e4 ? -9e4 : v > 9e4 ? 9e4 : v; }

static bool is_drawn(const canvas *c, const dusk_plot_line *line, size_t i)
{
    double x = line->x[i], y = line->y[i];
    return isfinite(x) && isfinite(y) && (!c->x.logarithmic || x > 0) && (!c->y.logarithmic || y > 0);
}

static void put_line(const canvas *c, const dusk_plot_line *line, size_t index)
{
    bool pen = false;
    const char *dash = dash_of(line, index);
    fprintf(c->file, "<path clip-path=\"url(#frame)\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"",
            colour_of(line, index), line->reference ? "1.2" : "2");
    if (dash[0]) fprintf(c->file, " stroke-dasharray=\"%s\"", dash);
    fputs(" stroke-linejoin=\"round\" d=\"", c->file);
    for (size_t i = 0; i < line->n; i++) {
        if (!is_drawn(c, line, i)) {
            pen = false;
            continue;
        }
        fprintf(c->file, "%c%.2f %.2f", pen ? 'L' : 'M', x_of(c, line->x[i]), tame(y_of(c, line->y[i])));
        pen = true;
    }
    fputs("\"/>\n", c->file);
}

/* From the line down to the frame's bottom. */
static void put_shade(const canvas *c, const dusk_plot_line *line)
{
    bool pen = false;
    double last = 0;
    fputs("<path clip-path=\"url(#frame)\" fill=\"#eef3f7\" d=\"", c->file);
    for (size_t i = 0; i < line->n; i++) {
        if (!is_drawn(c, line, i)) continue;
        last = x_of(c, line->x[i]);
        if (!pen) fprintf(c->file, "M%.2f %.2f", last, bottom_of());
        fprintf(c->file, "L%.2f %.2f", last, tame(y_of(c, line->y[i])));
        pen = true;
    }
    if (pen) fprintf(c->file, "L%.2f %.2fz", last, bottom_of());
    fputs("\"/>\n", c->file);
}

/* Where a line leaves the frame: the label's place. */
typedef struct end {
    const dusk_plot_line *line;
    size_t index;
    double x, y, label_y;
} end;

static bool find_end(const canvas *c, const dusk_plot_line *line, size_t index, end *out)
{
    double top = TOP, bottom = bottom_of();
    for (size_t i = line->n; i-- > 0;) {
        if (!is_drawn(c, line, i)) continue;
        double x = x_of(c, line->x[i]), y = tame(y_of(c, line->y[i]));
        if (y >= top - 0.5 && y <= bottom + 0.5) {
            *out = (end){ line, index, x, y, y };
            return true;
        }
        if (i == 0 || !is_drawn(c, line, i - 1)) continue;
        double before = tame(y_of(c, line->y[i - 1])), edge = y < top ? top : bottom;
        if ((before - edge) * (y - edge) > 0) continue;
        double share = (edge - before) / (y - before), from = x_of(c, line->x[i - 1]);
        *out = (end){ line, index, from + share * (x - from), edge, edge };
        return true;
    }
    return false;
}

static int compare_ends(const void *left, const void *right)
{
    const end *a = left, *b = right;
    if (a->y < b->y) return -1;
    return a->y > b->y ? 1 : (int)a->index - (int)b->index;
}

/* Labels LABEL_HEIGHT apart, within the frame where they fit. */
static void spread(end *ends, size_t n)
{
    double least = TOP + 4;
    for (size_t i = 0; i < n; i++) {
        if (ends[i].label_y < least) ends[i].label_y = least;
        least = ends[i].label_y + LABEL_HEIGHT;
    }
    double most = bottom_of() - 2;
    for (size_t i = n; i-- > 0;) {
        if (ends[i].label_y > most) ends[i].label_y = most;
        most = ends[i].label_y - LABEL_HEIGHT;
    }
}

/* The line's own colour and dashes, in front of its label. */
static void put_leader(const canvas *c, const end *one)
{
    const char *colour = colour_of(one->line, one->index), *dash = dash_of(one->line, one->index);
    fprintf(c->file,
            "<path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"%s\" stroke-width=\"1\" stroke-opacity=\"0.5\"/>\n",
            one->x, one->y, c->right + 8, one->label_y, colour);
    fprintf(c->file, "<path d=\"M%.1f %.1f h20\" stroke=\"%s\" stroke-width=\"2\"", c->right + 8,
            one->label_y, colour);
    if (dash[0]) fprintf(c->file, " stroke-dasharray=\"%s\"", dash);
    fputs("/>\n", c->file);
}

/* Beside the middle of the line, where it goes from the left to the right. */
static void put_inside(const canvas *c, const dusk_plot_line *line, size_t index)
{
    char attributes[160];
    for (size_t i = 0; i + 1 < line->n; i++) {
        double x = x_of(c, line->x[i]), next = x_of(c, line->x[i + 1]),
               middle = LEFT + 0.42 * (c->right - LEFT);
        if (x > middle || next < middle) continue;
        double share = (middle - x) / (next - x), y = y_of(c, line->y[i]);
        y += share * (y_of(c, line->y[i + 1]) - y);
        if (y < TOP + 14) y = TOP + 14;
        snprintf(attributes, sizeof attributes,
                 "font-size=\"12.5\" font-weight=\"600\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"4\" "
                 "paint-order=\"stroke\"",
                 line->reference ? "#777" : colour_of(line, index));
        put_text(c, middle + 8, y - 6, attributes, line->label);
        return;
    }
}

/* A line that ends well inside the frame has its label at its end, and a dot
 * there, since it may be a single point. */
static bool put_at_end(const canvas *c, const end *one)
{
    const char *colour = colour_of(one->line, one->index);
    if (one->x > c->right - 60) return false;
    fprintf(c->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", one->x, one->y, colour);
    put_text(c, one->x + 8, one->y + 4,
             "font-size=\"12\" fill=\"#222\" stroke=\"#fff\" stroke-width=\"4\" paint-order=\"stroke\"",
             one->line->label);
    return true;
}

static void put_labels(const canvas *c)
{
    end ends[DUSK_PLOT_LINES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < c->plot->line_count; i++) {
        const dusk_plot_line *line = &c->plot->lines[i];
        if (!line->label) continue;
        if (line->label_inside)
            put_inside(c, line, i);
        else if (find_end(c, line, i, &ends[n]) && !put_at_end(c, &ends[n]))
            n++;
    }
    qsort(ends, n, sizeof ends[0], compare_ends);
    spread(ends, n);
    for (size_t i = 0; i < n; i++) {
        put_leader(c, &ends[i]);
        put_text(c, c->right + 33, ends[i].label_y + 4, "font-size=\"12\" fill=\"#222\"",
                 ends[i].line->label);
    }
}

static void put_mark(const canvas *c)
{
    const dusk_plot *plot = c->plot;
    if (!plot->marked || !isfinite(plot->mark_x) || !isfinite(plot->mark_y)) return;
    if (c->y.logarithmic && !(plot->mark_y > 0)) return;
    double x = x_of(c, plot->mark_x), y = y_of(c, plot->mark_y);
    if (!(x >= LEFT && x <= c->right + 0.5 && y >= TOP && y <= bottom_of() + 0.5)) return;
    bool left = x > (LEFT + c->right) / 2;
    fprintf(c->file,
            "<path d=\"M%d %.1f H%.1f V%.1f\" fill=\"none\" stroke=\"#777\" stroke-width=\"1\" "
            "stroke-dasharray=\"3 3\"/>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\" "
            "stroke=\"#fff\" stroke-width=\"1.5\"/>\n",
            LEFT, y, x, bottom_of(), x, y, palette[1]);
    char attributes[160];
    snprintf(attributes, sizeof attributes,
             "font-size=\"12.5\" font-weight=\"600\" fill=\"%s\" text-anchor=\"%s\" stroke=\"#fff\" "
             "stroke-width=\"4\" paint-order=\"stroke\"",
             palette[1], left ? "end" : "start");
    put_text(c, left ? x - 9 : x + 9,
             y > bottom_of() - 24 ? y - 10
             : left               ? y + 20
                                  : y - 8,
             attributes, plot->mark_label);
}

/* ---- All of it -------------------------------------------------------------------- */

/* Room for the labels, by a guess of their width. */
static double right_edge(const dusk_plot *plot)
{
    size_t longest = 0;
    for (size_t i = 0; i < plot->line_count; i++)
        if (plot->lines[i].label && !plot->lines[i].label_inside && strlen(plot->lines[i].label) > longest)
            longest = strlen(plot->lines[i].label);
    return WIDTH - (longest ? 42 + 7 * (double)longest : 28);
}

static void put_svg(FILE *file, const void *what)
{
    const dusk_plot *plot = what;
    canvas c = { .file = file, .plot = plot, .right = right_edge(plot) };
    dusk_ticks_make(&c.x, &plot->x);
    dusk_ticks_make(&c.y, &plot->y);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "role=\"img\" font-family=\"system-ui, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', "
            "sans-serif\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    dusk_svg_text(file, plot->title);
    fputs("</title>\n", file);
    fprintf(file, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
    fprintf(file,
            "<clipPath id=\"frame\"><rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
            LEFT, TOP - 1, c.right - LEFT + 1, bottom_of() - TOP + 2);
    for (size_t i = 0; i < plot->line_count; i++)
        if (plot->lines[i].shaded) put_shade(&c, &plot->lines[i]);
    put_grid(&c);
    put_tick_labels(&c);
    put_titles(&c);
    /* The first line is the one that matters: it is drawn last, on top. */
    for (size_t i = plot->line_count; i-- > 0;) put_line(&c, &plot->lines[i], i);
    put_labels(&c);
    put_mark(&c);
    fputs("</svg>\n", file);
}

dusk_status dusk_plot_write(const dusk_plot *plot, const char *path, dusk_error *err)
{
    return dusk_file_replace(path, put_svg, plot, err);
}
