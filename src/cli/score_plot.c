/* SPDX-License-Identifier: Apache-2.0 */
/* dusk score --plot and --calibration: the ROC curve of a model of two categories, and how often it is right over how sure
 * it is. Of rows that may be seen. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/model.h"
#include "cli/plot.h"

enum { BINS = 10, POINTS = 512 };

typedef struct scored {
    double score;
    bool positive;
} scored;

static int higher_first(const void *a, const void *b)
{
    double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x < y) - (x > y);
}

/* Rows with a label, by the probability of the second category, the highest first. */
static dusk_status sort_rows(scored **out, size_t *n, const dusk_model *model, const dusk_frame *frame,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_prediction p = { .rows = 0 };
    scored *list = NULL;
    size_t label =
        dusk_fields_find(frame->fields, dusk_model_fields(model)->field[dusk_model_label(model)].name);
    *n = 0;
    DUSK_TRY(dusk_predict(&p, model, frame, err));
    DUSK_NEW(list, frame->rows + 1);
    for (size_t i = 0; i < frame->rows; i++) {
        int32_t code = frame->column[label].code[i];
        if (code == 0 || code == 1) list[(*n)++] = (scored){ p.value[2 * i + 1], code == 1 };
    }
    qsort(list, *n, sizeof *list, higher_first);
    *out = list;
    list = NULL;
done:
    dusk_prediction_clear(&p);
    dusk_deallocate(list);
    return status;
}

/* A point wherever the score changes; of many a few hundred, evenly. */
static size_t trace(double *x, double *y, const scored *list, size_t n)
{
    double positives = 0, hits = 0, alarms = 0;
    size_t points = 0, step = n / (POINTS - 2) + 1, since = 0;
    for (size_t i = 0; i < n; i++) positives += list[i].positive;
    x[points] = y[points] = 0;
    points++;
    for (size_t i = 0; i < n; i++) {
        hits += list[i].positive;
        alarms += !list[i].positive;
        since++;
        bool ends = i + 1 == n || list[i + 1].score != list[i].score;
        if (!ends || (since < step && i + 1 < n)) continue;
        x[points] = alarms / fmax((double)n - positives, 1);
        y[points++] = hits / fmax(positives, 1);
        since = 0;
    }
    return points;
}

dusk_status model_plot_roc(const char *path, const dusk_model *model, const dusk_frame *frame, double auc,
                           dusk_error *err)
{
    dusk_status status = DUSK_OK;
    scored *list = NULL;
    size_t n;
    double x[POINTS], y[POINTS];
    const double ends[2] = { 0, 1 };
    char promise[300], subtitle[400], label[64];
    DUSK_TRY(sort_rows(&list, &n, model, frame, err));
    size_t points = trace(x, y, list, n);
    snprintf(label, sizeof label, "AUC %.3f", auc);
    model_promise_words(promise, sizeof promise, model);
    snprintf(subtitle, sizeof subtitle, "%s; %zu rows", promise, n);
    const dusk_plot_line lines[] = {
        { .label = label, .x = x, .y = y, .n = points, .label_inside = true },
        { .label = "by chance", .x = ends, .y = ends, .n = 2, .reference = true },
    };
    const dusk_plot plot = {
        .title = "ROC curve",
        .subtitle = subtitle,
        .x = { .label = "false alarms", .low = 0, .high = 1 },
        .y = { .label = "hits", .low = 0, .high = 1 },
        .lines = lines,
        .line_count = 2,
    };
    DUSK_TRY(dusk_plot_write(&plot, path, err));
done:
    dusk_deallocate(list);
    return status;
}

/* ---- Calibration ------------------------------------------------------------------------------------ */

typedef struct bin {
    double rows, right, confidence;
} bin;

static void fill_bins(bin *bins, const dusk_prediction *p, const dusk_frame *frame, size_t label)
{
    for (size_t i = 0; i < p->rows; i++) {
        const double *value = p->value + i * p->columns;
        int32_t code = frame->column[label].code[i];
        size_t best = 0;
        if (code < 0 || (size_t)code >= p->columns) continue;
        for (size_t c = 1; c < p->columns; c++)
            if (value[c] > value[best]) best = c;
        double sure = fmin(fmax(value[best], 0), 1);
        bin *b = &bins[(size_t)fmin(sure * BINS, BINS - 1)];
        b->rows++;
        b->right += best == (size_t)code;
        b->confidence += sure;
    }
}

dusk_status model_plot_calibration(const char *path, const dusk_model *model, const dusk_frame *frame,
                                   double error, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_prediction p = { .rows = 0 };
    size_t label =
        dusk_fields_find(frame->fields, dusk_model_fields(model)->field[dusk_model_label(model)].name);
    bin bins[BINS] = { { 0 } };
    double x[BINS], y[BINS];
    size_t n = 0;
    const double ends[2] = { 0, 1 };
    char promise[300], subtitle[400];
    DUSK_TRY(dusk_predict(&p, model, frame, err));
    fill_bins(bins, &p, frame, label);
    for (size_t i = 0; i < BINS; i++) {
        if (bins[i].rows == 0) continue;
        x[n] = bins[i].confidence / bins[i].rows;
        y[n++] = bins[i].right / bins[i].rows;
    }
    char found[64] = "no rows";
    if (n > 0) snprintf(found, sizeof found, "expected calibration error %.3f", error);
    model_promise_words(promise, sizeof promise, model);
    snprintf(subtitle, sizeof subtitle, "%s; %s", promise, found);
    const dusk_plot_line lines[] = {
        { .label = "model", .x = x, .y = y, .n = n, .label_inside = true },
        { .label = "as sure as right", .x = ends, .y = ends, .n = 2, .reference = true },
    };
    const dusk_plot plot = {
        .title = "Calibration",
        .subtitle = subtitle,
        .x = { .label = "probability of the most probable category", .low = 0, .high = 1 },
        .y = { .label = "share that is right", .low = 0, .high = 1 },
        .lines = lines,
        .line_count = 2,
    };
    DUSK_TRY(dusk_plot_write(&plot, path, err));
done:
    dusk_prediction_clear(&p);
    return status;
}
