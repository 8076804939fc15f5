/* SPDX-License-Identifier: Apache-2.0 */
/* dusk account --plot: delta over epsilon, the trade-off of an attacker's
 * errors, epsilon over steps for every accountant; see account.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/account.h"
#include "cli/plot.h"

#define CURVE_POINTS 121
#define CURVE_POINTS_FEW 31 /* for sums of more than MANY_TERMS */
#define MANY_TERMS 50
#define TRADEOFF_POINTS 201
#define DRAWN_DELTA 1e-4 /* less cannot be seen in a trade-off */
#define STEPS_POINTS 13
#define LEAST_DELTA 1e-300 /* what is below is not drawn */

static void subtitle(dusk_text *out, const account_job *job, const char *what)
{
    dusk_text_add(out, "%s; %s neighbours; ", what, dusk_neighbours_name(job->neighbours));
    if (job->accountant == DUSK_BEST)
        dusk_text_add(out, "certified upper bound");
    else
        dusk_text_add(out, "accountant %s%s", dusk_accountant_name(job->accountant),
                      job->accountant == DUSK_CLT ? ", an approximation" : "");
}

/* ---- Delta over epsilon ------------------------------------------------------------ */

/* The answer that is printed too, as a point of the curve. */
static dusk_status mark(const account_job *job, dusk_plot *plot, dusk_text *label, dusk_error *err)
{
    dusk_account found;
    char epsilon[DUSK_DECIMAL_SIZE], delta[DUSK_DECIMAL_SIZE];
    bool of_delta = account_given(job, "epsilon");
    double at = of_delta ? job->settings->epsilon : job->settings->delta;
    if (job->settings->curve || !(of_delta || account_given(job, "delta"))) return DUSK_OK;
    dusk_status status = of_delta ? dusk_account_delta(&found, job->composition, at, job->accountant, err)
                                  : dusk_account_epsilon(&found, job->composition, at, job->accountant, err);
    if (status != DUSK_OK) return status;
    plot->marked = true;
    plot->mark_x = of_delta ? at : found.bound.upper;
    plot->mark_y = of_delta ? found.bound.upper : at;
    dusk_decimal_up(epsilon, plot->mark_x, 5);
    dusk_decimal_up(delta, plot->mark_y, 3);
    dusk_text_add(label, "\u03b5 %s at \u03b4 %s", epsilon, delta);
    plot->mark_label = label->data;
    return DUSK_OK;
}

/* The drawing goes beyond the answer, so that it is not at the edge. */
static account_settings wider(const account_job *job)
{
    account_settings settings = *job->settings;
    if (job->settings->curve) return settings;
    if (account_given(job, "epsilon")) settings.epsilon = fmin(1.6 * settings.epsilon, DBL_MAX);
    if (account_given(job, "delta")) settings.delta *= 1e-4;
    return settings;
}

/* A point costs as much as the sum is long. */
static size_t curve_points(const account_job *job)
{
    size_t terms = 1;
    for (const char *c = job->text; *c; c++) terms += *c == '+';
    return terms > MANY_TERMS ? CURVE_POINTS_FEW : CURVE_POINTS;
}

static void curve_range(dusk_plot *plot, const account_series *series)
{
    double least = 1, most = LEAST_DELTA;
    for (size_t i = 0; i < series->n; i++) {
        double y = series->upper[i];
        if (y > most) most = y;
        if (y >= LEAST_DELTA && y < least) least = y;
    }
    if (most < least) { /* nothing above 0: an empty frame */
        least = 1e-10;
        most = 1;
    }
    if (least > most / 10) least = most / 10;
    plot->y = (dusk_plot_axis){ .label = "delta", .logarithmic = true, .low = least, .high = most };
    plot->x = (dusk_plot_axis){ .label = "epsilon", .low = 0, .high = series->x[series->n - 1] };
}

dusk_status account_plot_curve(const account_job *job, dusk_error *err)
{
    char under[160], point[160];
    account_series series = { .n = 0 };
    dusk_plot plot = { .title = job->title };
    dusk_text words, label;
    account_settings settings = wider(job);
    account_job wide = *job;
    dusk_status status = DUSK_OK;
    dusk_text_init(&words, under, sizeof under);
    dusk_text_init(&label, point, sizeof point);
    wide.settings = &settings;
    subtitle(&words, job, "privacy curve");
    DUSK_TRY(account_sample_curve(&wide, &series, curve_points(job), ACCOUNT_CURVE_DELTA, false, err));
    DUSK_TRY(mark(job, &plot, &label, err));
    dusk_plot_line line = { .x = series.x, .y = series.upper, .n = series.n };
    line.dashed = job->accountant == DUSK_CLT;
    plot.subtitle = under;
    plot.lines = &line;
    plot.line_count = 1;
    curve_range(&plot, &series);
    status = dusk_plot_write(&plot, job->settings->plot, err);
done:
    account_series_free(&series);
    return status;
}

/* ---- Trade-off --------------------------------------------------------------------- */

/* Every point of the privacy curve is a bound on the errors [Dong, Roth & Su 2022,
 * Proposition 2.4]; their envelope is the trade-off, finer than a drawing shows. */
static double type_two(const account_series *curve, double alpha)
{
    double beta = 0;
    for (size_t i = 0; i < curve->n; i++) {
        double rest = 1 - curve->upper[i], slope = exp(curve->x[i]);
        beta = fmax(beta, fmax(rest - slope * alpha, (rest - alpha) / slope));
    }
    return beta;
}

/* Denser at both ends, where the envelope bends. */
static dusk_status sample_envelope(const account_job *job, account_series *out, dusk_error *err)
{
    account_series curve = { .n = 0 };
    dusk_status status = DUSK_OK;
    DUSK_TRY(account_sample_curve(job, &curve, curve_points(job), DRAWN_DELTA, false, err));
    DUSK_TRY(account_series_new(out, TRADEOFF_POINTS, err));
    for (size_t i = 0; i < TRADEOFF_POINTS; i++) {
        double t = (double)i / (TRADEOFF_POINTS - 1);
        out->x[i] = t * t * t * (10 + t * (6 * t - 15));
        out->lower[i] = type_two(&curve, out->x[i]);
    }
done:
    account_series_free(&curve);
    return status;
}

dusk_status account_plot_tradeoff(const account_job *job, dusk_error *err)
{
    static const double ends[] = { 0, 1 }, blind[] = { 1, 0 };
    char under[160];
    account_series series = { .n = 0 };
    dusk_text words;
    dusk_status status = DUSK_OK;
    dusk_text_init(&words, under, sizeof under);
    dusk_text_add(&words, "no test of an attacker gets below the line; %s neighbours; ",
                  dusk_neighbours_name(job->neighbours));
    if (job->accountant == DUSK_BEST)
        dusk_text_add(&words, "certified lower bound");
    else
        dusk_text_add(&words, "accountant %s", dusk_accountant_name(job->accountant));
    DUSK_TRY(sample_envelope(job, &series, err));
    dusk_plot_line lines[] = {
        { .label = "promised", .x = series.x, .y = series.lower, .n = series.n, .label_inside = true },
        { .label = "a blind guess",
          .x = ends,
          .y = blind,
          .n = 2,
          .reference = true,
          .dashed = true,
          .label_inside = true },
    };
    dusk_plot plot = { .title = job->title,
                       .subtitle = under,
                       .x = { .label = "type I error: false alarms", .low = 0, .high = 1 },
                       .y = { .label = "type II error: misses", .low = 0, .high = 1 },
                       .lines = lines,
                       .line_count = 2 };
    status = dusk_plot_write(&plot, job->settings->plot, err);
done:
    account_series_free(&series);
    return status;
}

/* ---- Epsilon over steps ------------------------------------------------------------ */

/* The `*` of a count at the very end of an expression that is no sum; NULL when
 * there is none. */
static const char *last_count(const char *text)
{
    const char *star = NULL;
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '(') depth++;
        if (*c == ')') depth--;
        if (depth == 0 && *c == '+' && (c == text || (c[-1] != 'e' && c[-1] != 'E'))) return NULL;
        if (depth == 0 && *c == '*') star = c;
    }
    return star;
}

/* What is repeated, and how often at most. */
typedef struct repetition {
    char *text; /* "(e) * t" is written into it */
    size_t size, length;
    double most;
} repetition;

static dusk_status find_repetition(const account_job *job, repetition *out, dusk_error *err)
{
    const char *star = last_count(job->text);
    dusk_status status = DUSK_OK;
    out->length = star ? (size_t)(star - job->text) : strlen(job->text);
    out->size = out->length + 40;
    out->most = account_given(job, "steps") ? (double)job->settings->steps
                : star                      ? strtod(star + 1, NULL)
                                            : 100;
    if (!(out->most >= 2)) out->most = 100; /* one step draws no line */
    DUSK_NEW(out->text, out->size);
    out->text[0] = '(';
    memcpy(out->text + 1, job->text, out->length);
done:
    return status;
}

/* One accountant at one number of steps; NaN where it has no answer. */
static dusk_status ask_steps(const account_job *job, const repetition *what, double steps,
                             double epsilon[DUSK_ACCOUNTANTS + 1], dusk_error *err)
{
    dusk_composition *composition = NULL;
    dusk_status status = DUSK_OK;
    snprintf(what->text + 1 + what->length, what->size - 1 - what->length, ") * %.0f", steps);
    DUSK_TRY(dusk_composition_new(&composition, job->neighbours, err));
    status = dusk_composition_parse(composition, what->text, NULL);
    if (status == DUSK_ERR_PARSE) /* the text is right: only the count can be too large */
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "give a smaller one", "--steps is too large");
    if (status != DUSK_OK) goto done;
    for (int i = DUSK_BEST + 1; i <= DUSK_ACCOUNTANTS; i++) {
        dusk_account found;
        status = dusk_account_epsilon(&found, composition, job->settings->delta, (dusk_accountant)i, err);
        bool drawn = status == DUSK_OK && found.bound.upper > 0 && isfinite(found.bound.upper);
        epsilon[i] = drawn ? found.bound.upper : NAN;
        if (status != DUSK_OK && status != DUSK_ERR_UNSUPPORTED) goto done;
    }
    status = DUSK_OK;
done:
    dusk_composition_free(composition);
    return status;
}

typedef struct steps_plot {
    double steps[STEPS_POINTS];
    double epsilon[DUSK_ACCOUNTANTS + 1][STEPS_POINTS];
    char label[DUSK_ACCOUNTANTS + 1][100];
    size_t n;
} steps_plot;

/* Numbers of steps evenly on a logarithmic scale, whole and different. */
static void choose_steps(steps_plot *out, double most)
{
    for (size_t i = 0; i < STEPS_POINTS; i++) {
        double t = floor(pow(most, (double)i / (STEPS_POINTS - 1)) + 0.5);
        if (i + 1 == STEPS_POINTS) t = most;
        if (out->n && t <= out->steps[out->n - 1]) continue;
        out->steps[out->n++] = t;
    }
}

/* Lines of all who answered somewhere; those far above the best run out of the
 * frame. */
static size_t choose_lines(steps_plot *data, dusk_plot_line lines[DUSK_PLOT_LINES_MAX], dusk_plot_axis *y)
{
    size_t count = 0;
    double least = INFINITY, most = 0, best = INFINITY; /* best: at the last point */
    for (int i = DUSK_BEST + 1; i <= DUSK_ACCOUNTANTS; i++) {
        char number[DUSK_DECIMAL_SIZE];
        size_t drawn = data->n;
        while (drawn && !isfinite(data->epsilon[i][drawn - 1])) drawn--;
        if (!drawn) continue;
        dusk_decimal_up(number, data->epsilon[i][drawn - 1], 3);
        snprintf(data->label[i], sizeof data->label[i], "%s %s", dusk_accountant_name((dusk_accountant)i),
                 number);
        lines[count++] = (dusk_plot_line){ .label = data->label[i],
                                           .x = data->steps,
                                           .y = data->epsilon[i],
                                           .n = drawn,
                                           .dashed = i == DUSK_CLT };
        if (drawn == data->n) best = fmin(best, data->epsilon[i][drawn - 1]);
        for (size_t k = 0; k < drawn; k++) {
            if (data->epsilon[i][k] < least) least = data->epsilon[i][k];
            if (data->epsilon[i][k] > most) most = data->epsilon[i][k];
        }
    }
    *y = (dusk_plot_axis){ .label = "epsilon", .logarithmic = true, .low = least, .high = most };
    if (isfinite(best) && most > 1e4 * best) y->high = 1e4 * best;
    return count;
}

dusk_status account_plot_steps(const account_job *job, dusk_error *err)
{
    char under[200], delta[DUSK_DECIMAL_SIZE];
    dusk_plot_line lines[DUSK_PLOT_LINES_MAX];
    repetition what = { .text = NULL };
    steps_plot *data = NULL;
    dusk_progress progress = { .on = false };
    dusk_text words;
    dusk_status status = DUSK_OK;
    DUSK_NEW(data, 1);
    DUSK_TRY(find_repetition(job, &what, err));
    choose_steps(data, what.most);
    dusk_progress_start(&progress, data->n, 0);
    for (size_t k = 0; k < data->n; k++) {
        double epsilon[DUSK_ACCOUNTANTS + 1];
        DUSK_TRY(ask_steps(job, &what, data->steps[k], epsilon, err));
        dusk_progress_count(&progress, k);
        for (int i = DUSK_BEST + 1; i <= DUSK_ACCOUNTANTS; i++) data->epsilon[i][k] = epsilon[i];
    }
    dusk_decimal(delta, job->settings->delta);
    dusk_text_init(&words, under, sizeof under);
    dusk_text_add(&words, "epsilon at delta %s by each accountant; %s neighbours", delta,
                  dusk_neighbours_name(job->neighbours));
    if (isfinite(data->epsilon[DUSK_CLT][data->n - 1])) dusk_text_add(&words, "; clt is an approximation");
    dusk_plot plot = { .title = job->title,
                       .subtitle = under,
                       .x = { .label = "steps", .logarithmic = true, .low = 1, .high = what.most },
                       .lines = lines };
    plot.line_count = choose_lines(data, lines, &plot.y);
    if (!plot.line_count)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_UNSUPPORTED, "draw it at a larger delta",
                           "no accountant has a finite epsilon above 0 to draw"));
    status = dusk_plot_write(&plot, job->settings->plot, err);
done:
    dusk_progress_end(&progress);
    dusk_deallocate(what.text);
    dusk_deallocate(data);
    return status;
}
