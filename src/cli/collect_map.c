/* SPDX-License-Identifier: Apache-2.0 */
/* dusk collect estimate, of places: the densest cells, and --plot a map of all of them as SVG, nothing from outside the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/collect_places.h"
#include "cli/file.h"
#include "cli/plot.h"

#define ALL_MOST 50 /* so many cells are shown where --top does not say */
#define TOP_USUAL 20
#define SIDE 640   /* of the map, the longer one */
#define BLOCKS 200 /* along it; with more columns or rows several cells are drawn as one */
#define LEFT 70
#define TOP 70
#define SHADES 5

/* ---- The map ---------------------------------------------------------------------------------------------------- */

typedef struct map {
    const dusk_survey *survey;
    const double *shares;
    char title[120], subtitle[200];
    size_t columns, rows, block; /* blocks, and cells along each */
    double size, most; /* of a block in the drawing; the largest share of a cell, on average over a block */
} map;

/* The mean share of the cells of a block. */
static double block_share(const map *m, size_t x, size_t y)
{
    const size_t columns = m->survey->task.width, rows = m->survey->task.rows;
    double sum = 0;
    size_t n = 0;
    for (size_t j = y * m->block; j < (y + 1) * m->block && j < rows; j++)
        for (size_t i = x * m->block; i < (x + 1) * m->block && i < columns; i++, n++)
            sum += m->shares[j * columns + i];
    return n ? sum / (double)n : 0;
}

/* From white over blue to nearly black: lightness falls all the way, so that it prints in grey. By the root of the share, because shares of places differ by orders of magnitude. */
static void shade(char out[8], double part)
{
    static const double stop[][3] = {
        { 255, 255, 255 }, { 158, 202, 225 }, { 49, 130, 189 }, { 8, 64, 129 }, { 8, 20, 50 }
    };
    const double at = sqrt(fmin(fmax(part, 0), 1)) * (SHADES - 1);
    const size_t k = at < SHADES - 1 ? (size_t)at : SHADES - 2;
    const double between = at - (double)k;
    int c[3];
    for (int i = 0; i < 3; i++)
        c[i] = (int)(stop[k][i] * (1 - between) + stop[k + 1][i] * between + 0.5) & 255;
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)c[0] & 255u, (unsigned)c[1] & 255u, (unsigned)c[2] & 255u);
}

static void put_axes(FILE *file, const map *m, double width, double height)
{
    const dusk_survey *s = m->survey;
    const double right = s->left + s->cell * s->task.width, top = s->bottom + s->cell * s->task.rows;
    fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888\"/>\n",
            LEFT, TOP, width, height);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\">%.6g</text>\n", LEFT, TOP + height + 16, s->left);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT + width,
            TOP + height + 16, right);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, TOP + height,
            s->bottom);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, TOP + 10, top);
}

/* How dark is how much. */
static void put_scale(FILE *file, const map *m, double x, double y)
{
    char colour[8];
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\">share of a cell</text>\n", x, y);
    for (int i = 0; i <= 40; i++) {
        shade(colour, i / 40.0 * (i / 40.0)); /* the bar goes by the root, as shades do */
        fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"5.5\" height=\"12\" fill=\"%s\"/>\n",
                x + 110 + 5 * i, y - 10, colour);
    }
    fprintf(file,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"205.5\" height=\"12\" fill=\"none\" stroke=\"#888\"/>\n",
            x + 110, y - 10);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">0</text>\n", x + 110, y + 18);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.3g</text>\n", x + 212, y + 18,
            m->most / 4);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.3g</text>\n", x + 315, y + 18,
            m->most);
}

static void put(FILE *file, const void *what)
{
    const map *m = what;
    const double width = m->size * (double)m->columns, height = m->size * (double)m->rows;
    char colour[8];
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
            "font-size=\"12\" "
            "fill=\"#333\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"20\" "
            "y=\"28\" font-size=\"16\">",
            LEFT + fmax(width, 560) + 30, TOP + height + 80);
    dusk_svg_text(file, m->title);
    fprintf(file, "</text>\n<text x=\"20\" y=\"48\" fill=\"#666\">");
    dusk_svg_text(file, m->subtitle);
    fprintf(file, "</text>\n<g shape-rendering=\"crispEdges\">\n");
    for (size_t y = 0; y < m->rows; y++)
        for (size_t x = 0; x < m->columns; x++) {
            const double share = block_share(m, x, y);
            shade(colour, m->most > 0 ? share / m->most : 0);
            if (!strcmp(colour, "#ffffff")) continue;
            fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                    LEFT + m->size * (double)x, TOP + m->size * (double)(m->rows - 1 - y), m->size, m->size,
                    colour);
        }
    fprintf(file, "</g>\n");
    put_axes(file, m, width, height);
    put_scale(file, m, LEFT, TOP + height + 44);
    fprintf(file, "</svg>\n");
}

static dusk_status plot_map(const collect_job *job, const dusk_tally *tally, const double *shares,
                            dusk_error *err)
{
    const dusk_survey *s = dusk_tally_survey(tally);
    const size_t longer = s->task.width > s->task.rows ? s->task.width : s->task.rows;
    map m = { .survey = s, .shares = shares, .block = (longer + BLOCKS - 1) / BLOCKS };
    char epsilon[DUSK_DECIMAL_SIZE];
    m.columns = (s->task.width + m.block - 1) / m.block;
    m.rows = (s->task.rows + m.block - 1) / m.block;
    m.size = (double)SIDE / (double)(m.columns > m.rows ? m.columns : m.rows);
    for (size_t y = 0; y < m.rows; y++)
        for (size_t x = 0; x < m.columns; x++) m.most = fmax(m.most, block_share(&m, x, y));
    dusk_decimal_up(epsilon, collect_within_epsilon(s), 6);
    snprintf(m.title, sizeof m.title, "%s: where people are", s->name);
    snprintf(m.subtitle, sizeof m.subtitle,
             "%llu reports by planar, epsilon %s for two places at most %.6g apart",
             (unsigned long long)dusk_tally_reports(tally), epsilon, s->within);
    return dusk_file_replace(job->settings->plot, put, &m, err);
}

/* ---- The densest ----------------------------------------------------------------------------------------------------- */

struct ranked {
    double share;
    size_t cell;
};

static int larger_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return x->cell < y->cell ? -1 : 1;
}

static void print_cells(const dusk_tally *tally, const struct ranked *order, size_t shown, dusk_json *json)
{
    const dusk_survey *s = dusk_tally_survey(tally);
    const double people = (double)dusk_tally_reports(tally);
    double x, y;
    if (json->file) {
        dusk_json_key(json, "cells");
        dusk_json_open(json, '[');
    } else {
        printf("%14s %14s %8s %10s %12s\n", "x", "y", "cell", "share", "people");
    }
    for (size_t k = 0; k < shown; k++) {
        dusk_cell_place(s, order[k].cell, &x, &y);
        if (!json->file) {
            printf("%14.8g %14.8g %8zu %10.5f %12.1f\n", x, y, order[k].cell, order[k].share,
                   order[k].share * people);
            continue;
        }
        dusk_json_open(json, '{');
        dusk_json_number_field(json, "cell", (double)order[k].cell);
        dusk_json_number_field(json, "x", x);
        dusk_json_number_field(json, "y", y);
        dusk_json_number_field(json, "share", order[k].share);
        dusk_json_close(json, '}');
    }
    if (json->file) dusk_json_close(json, ']');
}

dusk_status collect_check_places(const collect_job *job, dusk_error *err)
{
    static const char *const others[] = { "values",   "confidence", "liars",      "range",       "ranges",
                                          "bins",     "consistent", "quantiles",  "discoveries", "attribute",
                                          "marginal", "with",       "with-values" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (collect_given(job, others[i]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                             "this survey is of places: it has no --%s", others[i]);
    return DUSK_OK;
}

dusk_status collect_say_places(const collect_job *job, const dusk_tally *tally, dusk_json *json,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = dusk_tally_survey(tally)->task.domain;
    double *shares = NULL;
    struct ranked *order = NULL;
    DUSK_NEW(shares, n);
    DUSK_NEW(order, n);
    DUSK_TRY(dusk_tally_shares(tally, shares, n, err));
    for (size_t i = 0; i < n; i++) order[i] = (struct ranked){ shares[i], i };
    qsort(order, n, sizeof *order, larger_first);
    size_t shown = collect_given(job, "top")     ? (size_t)job->settings->top
                   : n > ALL_MOST && !json->file ? TOP_USUAL
                                                 : n;
    if (shown > n) shown = n;
    if (job->settings->plot) DUSK_TRY(plot_map(job, tally, shares, err));
    print_cells(tally, order, shown, json);
    if (!json->file && shown < n) dusk_output_note("shown", "%zu of %zu cells; --top K for more", shown, n);
    if (!json->file)
        dusk_output_note("shares", "the most likely ones by all reports: none is below 0, they add up to 1, "
                                   "and they are not unbiased");
done:
    dusk_deallocate(shares);
    dusk_deallocate(order);
    return status;
}
