/* SPDX-License-Identifier: Apache-2.0 */
/* dusk audit suite --plot, the second file: ROC curves. For each subject the level sets of the
 * score that decided its audit: how often they happen on one input (hits) against how often on the
 * other (false alarms). Both axes are logarithmic: a set lies above the line of a blind guess by the
 * epsilon that it shows, and sets of little mass are seen. A claim allows what is below its line.
 * Curves are estimates (dusk_audit_roc); verdicts rest on other draws. */
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/audit_suite.h"
#include "cli/plot.h"

#define POINTS 201
#define LEAST 1e-4 /* the smallest rate in sight */
#define NAMED 3    /* curves of each kind that have a colour and a name */
#define SEEN 100   /* draws */
#define WELL_SEEN 400

typedef struct curve {
    const suite_line *of;
    char label[80];
    double y[POINTS];
} curve;

/* What is drawn: the curves in the order of lines, the grid of false alarms they share. */
typedef struct roc_page {
    curve *curves;
    dusk_plot_line *lines;
    size_t count;
    double x[POINTS], most[POINTS];
} roc_page;

/* Okabe & Ito, as in plot.c: warm ones for violations. */
static const char *const colours[2][NAMED] = { { "#D55E00", "#CC79A7", "#E69F00" },
                                               { "#0072B2", "#009E73", "#56B4E9" } };

/* Hits at `x` false alarms, by a coin between two sets where no set has just that many. NaN where
 * they were seen too seldom to be drawn; of a subject that is not accused, too seldom to be taken
 * for a fault. */
static double hits_at(const dusk_audit_report *report, double x)
{
    const dusk_audit_roc *roc = &report->roc;
    size_t i = roc->count - 1;
    while (i > 1 && roc->q[i - 1] > x) i--;
    double from = roc->q[i - 1], to = roc->q[i], y = roc->p[i];
    if (to > from) y = roc->p[i - 1] + (y - roc->p[i - 1]) * (x - from) / (to - from);
    bool enough = report->verdict == DUSK_VIOLATION ? fmax(x, y) * (double)roc->draws >= SEEN
                                                    : x * (double)roc->draws >= WELL_SEEN;
    return enough ? y : NAN;
}

/* Whether a subject has a curve, and claims what the line is drawn for. */
static bool is_drawn(const suite_run *run, const suite_line *line)
{
    const dusk_audit_report *report = &line->result.report;
    return report->roc.count > 1 && report->delta == 0 && report->claimed == run->job->settings->epsilon;
}

static dusk_verdict verdict_of(const curve *c) { return c->of->result.report.verdict; }

static int rank_of(const curve *c)
{
    switch (verdict_of(c)) {
    case DUSK_VIOLATION: return 0;
    case DUSK_PASS: return 1;
    case DUSK_INCONCLUSIVE: break;
    }
    return 2;
}

/* Violations first, then passes; of one verdict the largest epsilon first. */
static int by_verdict(const void *a, const void *b)
{
    const curve *x = a, *y = b;
    double epsilon[2] = { x->of->result.report.epsilon, y->of->result.report.epsilon };
    if (rank_of(x) != rank_of(y)) return rank_of(x) - rank_of(y);
    if (epsilon[0] != epsilon[1]) return epsilon[0] > epsilon[1] ? -1 : 1;
    return (x->of->subject > y->of->subject) - (x->of->subject < y->of->subject);
}

static void collect(roc_page *page, const suite_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (is_drawn(run, &run->list[i])) page->curves[page->count++].of = &run->list[i];
    qsort(page->curves, page->count, sizeof *page->curves, by_verdict);
    for (size_t i = 0; i < page->count; i++) {
        curve *c = &page->curves[i];
        for (size_t k = 0; k < POINTS; k++) c->y[k] = hits_at(&c->of->result.report, page->x[k]);
        snprintf(c->label, sizeof c->label, "%s: %s", dusk_suite_at(c->of->subject)->name,
                 dusk_verdict_name(verdict_of(c)));
    }
}

/* The lines of the curves of one rank: those with a name, from the largest epsilon
 * to the smallest in equal steps, or the others, which are grey. */
static void add_lines(roc_page *page, size_t *count, int rank, bool named)
{
    size_t from = 0, n = 0, next = 0;
    while (from < page->count && rank_of(&page->curves[from]) < rank) from++;
    while (from + n < page->count && rank_of(&page->curves[from + n]) == rank) n++;
    size_t names = rank > 1 ? 0 : n < NAMED ? n : NAMED;
    for (size_t i = 0; i < n; i++) {
        bool has_name = next < names && i == (names > 1 ? next * (n - 1) / (names - 1) : 0);
        const curve *c = &page->curves[from + i];
        dusk_plot_line line = {
            .x = page->x, .y = c->y, .n = POINTS, .colour = "#bbbbbb", .reference = true
        };
        if (has_name) {
            line.reference = false;
            line.label = c->label;
            line.colour = colours[rank][next++];
        }
        if (has_name == named) page->lines[(*count)++] = line;
    }
}

/* The first is drawn last, on top. */
static size_t make_lines(roc_page *page)
{
    size_t n = 0;
    page->lines[n++] = (dusk_plot_line){ .label = "the claim",
                                         .x = page->x,
                                         .y = page->most,
                                         .n = POINTS,
                                         .colour = "#000000",
                                         .dashed = true,
                                         .shaded = true };
    for (int named = 1; named >= 0; named--)
        for (int rank = 0; rank < 3; rank++) add_lines(page, &n, rank, named);
    page->lines[n++] = (dusk_plot_line){
        .label = "a blind guess", .x = page->x, .y = page->x, .n = POINTS, .dashed = true, .reference = true
    };
    return n;
}

dusk_status suite_plot_roc(const suite_run *run, const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double epsilon = run->job->settings->epsilon;
    roc_page page = { .count = 0 };
    char subtitle[160];
    dusk_text text;
    DUSK_NEW(page.curves, run->count);
    DUSK_NEW(page.lines, run->count + 2);
    audit_region(page.x, page.most, POINTS, LEAST, epsilon, 0);
    collect(&page, run);
    dusk_text_init(&text, subtitle, sizeof subtitle);
    dusk_text_add(&text, "estimates of what the deciding score reaches; tinted: all that epsilon %s allows",
                  dusk_shown_up(epsilon, 6).text);
    if (page.count > 2 * NAMED) dusk_text_add(&text, "; grey: further subjects");
    const dusk_plot plot = {
        .title = "What an attacker reaches: ROC curves",
        .subtitle = subtitle,
        .x = { .label = "false alarms: the set on the other input",
               .logarithmic = true,
               .low = LEAST,
               .high = 1 },
        .y = { .label = "hits: the set on one input", .logarithmic = true, .low = LEAST, .high = 1 },
        .lines = page.lines,
        .line_count = make_lines(&page)
    };
    DUSK_TRY(dusk_plot_write(&plot, path, err));
done:
    dusk_deallocate(page.curves);
    dusk_deallocate(page.lines);
    return status;
}
