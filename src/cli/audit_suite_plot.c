/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit suite --plot: a row for each subject with its claim, what was measured and what is
 * exact. The second file is drawn by audit_suite_roc.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/audit_suite.h"
#include "cli/file.h"
#include "cli/plot.h"

#define WIDTH 820
#define LEFT 260
#define RIGHT 790
#define TOP 96
#define ROW 15
#define PATH_SIZE 1024

/* Okabe & Ito, as in plot.c. */
static const char *colour_of(dusk_verdict verdict)
{
    switch (verdict) {
    case DUSK_PASS: return "#0072B2";
    case DUSK_VIOLATION: return "#D55E00";
    case DUSK_INCONCLUSIVE: return "#999999";
    }
    return "#000000";
}

typedef struct dot_canvas {
    FILE *file;
    const suite_run *run;
    dusk_ticks x;
    double bottom;
} dot_canvas;

/* What is beyond the axis is drawn at its end. */
static double x_of(const dot_canvas *c, double epsilon)
{
    double place = epsilon > c->x.low ? dusk_ticks_place(&c->x, fmin(epsilon, c->x.high)) : 0;
    return LEFT + place * (RIGHT - LEFT);
}

static double y_of(size_t row) { return TOP + ROW * ((double)row + 0.5); }

/* A logarithmic axis around all that is finite. */
static void make_axis(dot_canvas *c)
{
    dusk_plot_axis axis = { .label = "", .logarithmic = true, .low = INFINITY, .high = 0 };
    for (size_t i = 0; i < c->run->count; i++) {
        const dusk_suite_result *result = &c->run->list[i].result;
        axis.low = fmin(axis.low, result->report.claimed / 10);
        axis.high = fmax(axis.high, fmax(result->report.claimed * 2, result->report.epsilon));
        if (isfinite(result->exact)) axis.high = fmax(axis.high, result->exact);
    }
    axis.low = fmax(axis.low, 1e-4);
    axis.high = fmin(axis.high, 1e3);
    dusk_ticks_make(&c->x, &axis);
    c->bottom = y_of(c->run->count);
}

static void put_axis(const dot_canvas *c)
{
    for (size_t i = 0; i < c->x.n; i++) {
        double x = x_of(c, c->x.at[i]);
        fprintf(c->file, "<path d=\"M%.1f %d V%.1f\" stroke=\"%s\"/>\n", x, TOP - 4, c->bottom,
                c->x.labelled[i] ? "#e0e0e0" : "#f3f3f3");
        if (c->x.labelled[i])
            fprintf(c->file,
                    "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" fill=\"#333\" "
                    "text-anchor=\"middle\">%.6g</text>\n",
                    x, c->bottom + 18, c->x.at[i]);
    }
    fprintf(
        c->file,
        "<text x=\"%d\" y=\"%.1f\" font-size=\"13\" fill=\"#222\" text-anchor=\"middle\">epsilon</text>\n",
        (LEFT + RIGHT) / 2, c->bottom + 38);
}

/* One of each mark, and what it means. */
static void put_legend(const dot_canvas *c)
{
    static const dusk_verdict verdicts[] = { DUSK_PASS, DUSK_VIOLATION, DUSK_INCONCLUSIVE };
    double x = 20;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++, x += 105)
        fprintf(c->file,
                "<circle cx=\"%.1f\" cy=\"68\" r=\"4\" fill=\"%s\"/>"
                "<text x=\"%.1f\" y=\"72\" font-size=\"12\">%s</text>\n",
                x + 4, colour_of(verdicts[i]), x + 13, dusk_verdict_name(verdicts[i]));
    fprintf(c->file,
            "<path d=\"M%.1f 62 v12\" stroke=\"#111\" stroke-width=\"2\"/><text x=\"%.1f\" y=\"72\" "
            "font-size=\"12\">claimed</text>\n",
            x + 4, x + 11);
    x += 75;
    fprintf(c->file,
            "<path d=\"M%.1f 64 l5 4.5 l-5 4.5 l-5 -4.5 z\" fill=\"none\" stroke=\"#111\"/><text x=\"%.1f\" "
            "y=\"72\" font-size=\"12\">exact (at the edge: infinite)</text>\n",
            x + 5, x + 14);
}

static void put_row(const dot_canvas *c, size_t row)
{
    const suite_line *line = &c->run->list[row];
    const dusk_audit_report *report = &line->result.report;
    double y = y_of(row), measured = x_of(c, report->epsilon);
    fprintf(c->file,
            "<text x=\"%d\" y=\"%.1f\" font-size=\"11\" fill=\"#222\" text-anchor=\"end\">%s</text>\n",
            LEFT - 10, y + 4, dusk_suite_at(line->subject)->name);
    fprintf(c->file,
            "<path d=\"M%d %.1f H%.1f\" stroke=\"%s\" stroke-opacity=\"0.35\" stroke-width=\"2\"/>\n", LEFT,
            y, measured, colour_of(report->verdict));
    fprintf(c->file, "<path d=\"M%.1f %.1f v%d\" stroke=\"#111\" stroke-width=\"2\"/>\n",
            x_of(c, report->claimed), y - 0.4 * ROW, (int)(0.8 * ROW));
    if (!isnan(line->result.exact))
        fprintf(c->file, "<path d=\"M%.1f %.1f l5 4.5 l-5 4.5 l-5 -4.5 z\" fill=\"none\" stroke=\"#111\"/>\n",
                x_of(c, line->result.exact), y - 4.5);
    fprintf(c->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", measured, y,
            colour_of(report->verdict));
}

static void put_svg(FILE *file, const void *what)
{
    dot_canvas c = { .file = file, .run = what };
    make_axis(&c);
    double height = c.bottom + 52;
    char percent[DUSK_DECIMAL_SIZE];
    dusk_decimal_percent(percent, c.run->job->settings->confidence);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "role=\"img\" font-family=\"system-ui, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', "
            "sans-serif\">\n<title>Claimed and measured epsilon</title>\n"
            "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height, WIDTH, height);
    fprintf(file,
            "<text x=\"20\" y=\"28\" font-size=\"16\" font-weight=\"600\" fill=\"#111\">Claimed and measured "
            "epsilon</text>\n<text x=\"20\" y=\"48\" font-size=\"12.5\" fill=\"#555\">the true epsilon is at "
            "least "
            "the dot, at %s %% confidence; orange: the claim is wrong</text>\n",
            percent);
    put_legend(&c);
    put_axis(&c);
    for (size_t i = 0; i < c.run->count; i++) put_row(&c, i);
    fputs("</svg>\n", file);
}

dusk_status suite_plot(const suite_run *run, dusk_error *err)
{
    const char *path = run->job->settings->plot;
    size_t length = strlen(path),
           stem = length > 4 && !strcmp(path + length - 4, ".svg") ? length - 4 : length;
    char beside[PATH_SIZE];
    dusk_text text;
    dusk_text_init(&text, beside, sizeof beside);
    dusk_text_add(&text, "%.*s-roc%s", (int)stem, path, path + stem);
    if (text.overflow)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give a shorter one", "the name of the plot is too long");
    dusk_status status = dusk_file_replace(path, put_svg, run, err);
    return status == DUSK_OK ? suite_plot_roc(run, beside, err) : status;
}
