/* SPDX-License-Identifier: Apache-2.0 */
/* The card of a model: what it is, from what it was learned, what was released with which noise, what is promised. All of it is
 * public: it is in the file, or was known before a row was read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/train_curve.h"

enum { SHOWN = 10 }; /* coefficients */

static size_t features_of(const dusk_model *model)
{
    size_t width = 0;
    while (dusk_model_feature(model, width)) width++;
    return width;
}

static void line(const char *label, const char *text) { printf("%-10s %s\n", label, text); }

/* ---- Text --------------------------------------------------------------------------------------------- */

static void print_learned(const dusk_model *model)
{
    const dusk_fields *fields = dusk_model_fields(model);
    size_t width = features_of(model), labels = 0;
    char words[200];
    for (size_t i = 0; i < fields->count; i++) {
        if (!dusk_model_is_label(model, i)) continue;
        model_field_words(words, sizeof words, &fields->field[i]);
        printf("%-10s ", labels++ ? "" : "learned");
        dusk_print_tame(stdout, fields->field[i].name);
        printf(", %s\n", words);
    }
    printf("%-10s %zu field%s", "from", fields->count - labels, fields->count - labels == 1 ? "" : "s");
    if (width > 0) printf(", %zu column%s", width, width == 1 ? "" : "s");
    fputs(": ", stdout);
    bool any = false;
    for (size_t i = 0, shown = 0; i < fields->count; i++) {
        if (dusk_model_is_label(model, i)) continue;
        if (shown++ == 20) {
            fputs(", ...", stdout);
            break;
        }
        if (any) fputs(", ", stdout);
        dusk_print_tame(stdout, fields->field[i].name);
        any = true;
    }
    fputc('\n', stdout);
}

static void print_settings(const dusk_model *model)
{
    const char *setting;
    for (size_t i = 0; (setting = dusk_model_setting(model, i)); i++)
        printf(i ? " %s" : "settings   %s", setting);
    if (dusk_model_setting(model, 0)) fputc('\n', stdout);
}

/* What is said, line by line. */
static void print_released(const char *text)
{
    bool first = true;
    while (text && *text) {
        int length = (int)strcspn(text, "\n");
        printf("%-10s %.*s\n", first ? "released" : "", length, text);
        text += length + (text[length] == '\n');
        first = false;
    }
}

typedef struct coefficient {
    const char *name;
    double value;
} coefficient;

static int larger_first(const void *a, const void *b)
{
    double x = fabs(((const coefficient *)a)->value), y = fabs(((const coefficient *)b)->value);
    return (x < y) - (x > y);
}

/* An array with a number for each column, or NULL. */
static const double *by_column(const dusk_model *model, const char *name, size_t width)
{
    size_t rows, columns;
    const double *values = dusk_model_array(model, name, &rows, &columns);
    return values && width > 0 && rows * columns == width ? values : NULL;
}

/* Coefficients in the units of the data with their intervals, where the learner has them. */
static bool print_coefficients(const dusk_model *model, size_t width)
{
    const double *value = by_column(model, "coefficients", width);
    const double *low = by_column(model, "low", width), *high = by_column(model, "high", width);
    const double *p = by_column(model, "p_value", width);
    if (!value || !low || !high || width > 4 * SHOWN) return false;
    for (size_t i = 0; i < width; i++) {
        printf("%-10s ", i ? "" : "slopes");
        dusk_print_tame(stdout, dusk_model_feature(model, i));
        printf(" %.4g [%.4g, %.4g]", value[i], low[i], high[i]);
        if (p) printf(" p %.2g", p[i]);
        fputc('\n', stdout);
    }
    return true;
}

/* Of a model with one weight for each column: the largest. */
static dusk_status print_weights(const dusk_model *model, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t width = features_of(model);
    const double *weights = by_column(model, "weights", width);
    coefficient *list = NULL;
    if (!weights || print_coefficients(model, width)) return DUSK_OK;
    DUSK_NEW(list, width);
    for (size_t i = 0; i < width; i++) list[i] = (coefficient){ dusk_model_feature(model, i), weights[i] };
    qsort(list, width, sizeof *list, larger_first);
    for (size_t i = 0; i < width && i < SHOWN; i++) {
        printf("%-10s ", i ? "" : "weights");
        dusk_print_tame(stdout, list[i].name);
        printf(" %.4g\n", list[i].value);
    }
    if (width > SHOWN)
        printf("%-10s ... and %zu smaller ones, of columns as the model scales them\n", "", width - SHOWN);
done:
    dusk_deallocate(list);
    return status;
}

static void print_holds(const dusk_model *model)
{
    const char *name;
    printf("%-10s", "holds");
    for (size_t i = 0; (name = dusk_model_array_at(model, i)); i++) {
        size_t rows, columns;
        const double *value = dusk_model_array(model, name, &rows, &columns);
        if (value && rows * columns == 1)
            printf("%s %s %.6g", i ? "," : "", name, *value);
        else
            printf("%s %s %zux%zu", i ? "," : "", name, rows, columns);
    }
    fputc('\n', stdout);
}

/* Of teachers: what their agreement would make of the price. */
static void print_report(const dusk_model *model)
{
    size_t rows, columns;
    const double *report = dusk_model_array(model, "report", &rows, &columns);
    if (!report || rows != 1 || columns != 6) return;
    const dusk_shown delta = dusk_shown_up(report[4], 6), alone = dusk_shown_up(report[5], 4);
    if (report[3] < report[5])
        printf(
            "%-10s by how teachers agreed these answers cost epsilon %s at delta %s at most (at 95 %%), and "
            "%s by their noise alone; released with noise, and not what is promised\n",
            "report", dusk_shown_up(report[3], 4).text, delta.text, alone.text);
    else
        printf(
            "%-10s how teachers agreed says no more of these answers than their noise alone does: epsilon %s "
            "at delta %s; released with noise, and not what is promised\n",
            "report", alone.text, delta.text);
}

static dusk_status print_text(const dusk_model *model, const char *explained, const train_curve *curve,
                              const char *path, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_learner *learner = dusk_model_learner(model);
    char promise[16384];
    DUSK_TRY(dusk_statement_format(dusk_model_statement(model), promise, sizeof promise, err));
    printf("%-10s %s: %s\n", "learner", learner->name, learner->summary);
    if (*learner->source) line("after", learner->source);
    print_learned(model);
    print_settings(model);
    print_released(explained);
    print_holds(model);
    DUSK_TRY(print_weights(model, err));
    print_report(model);
    if (curve) train_curve_print(curve);
    line("promise", dusk_statement_is_none(dusk_model_statement(model)) ? "none: NO PRIVACY" : promise);
    if (path) {
        printf("%-10s ", "file");
        dusk_print_tame(stdout, path);
        fputc('\n', stdout);
    }
done:
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static void json_lines(dusk_json *json, const char *text)
{
    dusk_json_open(json, '[');
    while (text && *text) {
        char one[600];
        size_t length = strcspn(text, "\n");
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        dusk_json_string(json, one);
        text += length + (text[length] == '\n');
    }
    dusk_json_close(json, ']');
}

static void json_settings(dusk_json *json, const dusk_model *model)
{
    const char *setting;
    dusk_json_open(json, '{');
    for (size_t i = 0; (setting = dusk_model_setting(model, i)); i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
        dusk_json_string_field(json, name, strchr(setting, '=') + 1);
    }
    dusk_json_close(json, '}');
}

dusk_status model_print_plan(const dusk_statement *statement, const char *explained, dusk_error *err)
{
    char promise[16384];
    dusk_status status = dusk_statement_json(statement, promise, sizeof promise, err);
    if (status != DUSK_OK) return status;
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_key(&json, "released");
    json_lines(&json, explained);
    dusk_json_key(&json, "statement");
    dusk_json_raw(&json, promise);
    dusk_json_close(&json, '}');
    fputc('\n', stdout);
    return DUSK_OK;
}

static void json_labels(dusk_json *json, const dusk_model *model)
{
    const dusk_fields *fields = dusk_model_fields(model);
    dusk_json_key(json, "labels");
    dusk_json_open(json, '[');
    for (size_t i = 0; i < fields->count; i++)
        if (dusk_model_is_label(model, i)) dusk_json_string(json, fields->field[i].name);
    dusk_json_close(json, ']');
}

static void json_report(dusk_json *json, const dusk_model *model)
{
    static const char *const names[] = { "order", "divergence", "at_most", "epsilon", "delta", "by_noise" };
    size_t rows, columns;
    const double *report = dusk_model_array(model, "report", &rows, &columns);
    if (!report || rows != 1 || columns != sizeof names / sizeof *names) return;
    dusk_json_key(json, "report");
    dusk_json_open(json, '{');
    for (size_t i = 0; i < columns; i++) dusk_json_number_field(json, names[i], report[i]);
    dusk_json_close(json, '}');
}

static dusk_status print_json(const dusk_model *model, const char *explained, const train_curve *curve,
                              const char *path, dusk_error *err)
{
    const dusk_fields *fields = dusk_model_fields(model);
    size_t label = dusk_model_label(model);
    char promise[16384];
    dusk_status status = dusk_statement_json(dusk_model_statement(model), promise, sizeof promise, err);
    if (status != DUSK_OK) return status;
    dusk_json json = { .file = stdout };
    dusk_json_open(&json, '{');
    dusk_json_string_field(&json, "learner", dusk_model_learner(model)->name);
    if (label != DUSK_NO_LINK) dusk_json_string_field(&json, "label", fields->field[label].name);
    dusk_json_key(&json, "fields");
    dusk_json_open(&json, '[');
    for (size_t i = 0; i < fields->count; i++)
        if (!dusk_model_is_label(model, i)) dusk_json_string(&json, fields->field[i].name);
    dusk_json_close(&json, ']');
    if (dusk_model_learner(model)->task == DUSK_TASK_LABELS) json_labels(&json, model);
    dusk_json_number_field(&json, "columns", (double)features_of(model));
    dusk_json_key(&json, "settings");
    json_settings(&json, model);
    dusk_json_key(&json, "released");
    json_lines(&json, explained);
    dusk_json_key(&json, "statement");
    dusk_json_raw(&json, promise);
    json_report(&json, model);
    if (curve) train_curve_json(curve, &json);
    if (path) dusk_json_string_field(&json, "file", path);
    dusk_json_close(&json, '}');
    fputc('\n', stdout);
    return DUSK_OK;
}

dusk_status model_print_card(const dusk_model *model, const char *explained, const train_curve *curve,
                             const char *path, bool json, dusk_error *err)
{
    return json ? print_json(model, explained, curve, path, err)
                : print_text(model, explained, curve, path, err);
}
