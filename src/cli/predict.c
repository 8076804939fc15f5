/* SPDX-License-Identifier: Apache-2.0 */
/* dusk predict: what a model says of rows, as comma-separated values. Costs nothing: the model was paid for. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/ask.h"
#include "cli/file.h"
#include "cli/model.h"

#define EXAMPLE "dusk predict income.model credit_new.csv"

typedef struct predict_settings {
    const char *out, *labels;
    bool proba;
} predict_settings;

#define AT(field) .offset = offsetof(predict_settings, field)
/* clang-format off */
static const dusk_option predict_options[] = {
    { .name = "proba", .letter = 'p', .type = DUSK_OPTION_FLAG, AT(proba), .heading = "Output",
      .help = "a probability for each category, or the membership of each group, instead of the most probable one" },
    { .name = "out", .letter = 'o', .argument = "FILE", .type = DUSK_OPTION_STRING, AT(out), .sample = "said.csv", .writes = true, .heading = "Output",
      .help = "write here instead of to standard output" },
    { .name = "labels", .argument = "FILE", .type = DUSK_OPTION_STRING, AT(labels), .sample = "labels.idx", .heading = "Input",
      .help = "of IDX files: where the last field is, when it is no label" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section predict_sections[] = {
    { "Description",
      "Say of every row of DATA what the model of dusk train says: the most probable category, the value, "
      "the group, "
      "the coordinates or the log likelihood; a line for each row, after a header. DATA has the columns "
      "that the model was learned from, in any order; the label need not be there.\n"
      "This costs nothing: the model was paid for when it was learned. But a prediction tells about the "
      "row that it is made for. Whoever may not see the row should not see it, either." },
    { NULL, NULL },
};

static const dusk_example predict_examples[] = {
    { "the income that a model expects", EXAMPLE },
    { "the probability of each category", "dusk predict repaid.model credit_new.csv --proba" },
    { NULL, NULL },
};

/* ---- Output ------------------------------------------------------------------------------------------ */

typedef struct said {
    const dusk_model *model;
    const dusk_prediction *prediction;
    bool proba;
} said;

static size_t largest(const double *value, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (value[i] > value[best]) best = i;
    return best;
}

static const dusk_field *label_of(const dusk_model *model)
{
    size_t label = dusk_model_label(model);
    return label == DUSK_NO_LINK ? NULL : &dusk_model_fields(model)->field[label];
}

/* "sex=Male" as one field. */
static void put_category(FILE *file, const dusk_field *field, size_t value)
{
    char name[1024];
    snprintf(name, sizeof name, "%s=%s", field->name, field->value[value]);
    ask_print_field(file, name);
}

/* Rows that came back have the names of their columns, coordinates have none. */
static bool are_rows(const said *s)
{
    const size_t columns = s->prediction->columns;
    const char *setting;
    for (size_t i = 0; (setting = dusk_model_setting(s->model, i)) != NULL; i++)
        if (!strcmp(setting, "code=0"))
            return dusk_model_feature(s->model, columns - 1) && !dusk_model_feature(s->model, columns);
    return false;
}

static void put_columns(FILE *file, const said *s)
{
    const bool rows = are_rows(s);
    for (size_t c = 0; c < s->prediction->columns; c++) {
        if (c) fputc(',', file);
        if (rows)
            ask_print_field(file, dusk_model_feature(s->model, c));
        else
            fprintf(file, "c%zu", c + 1);
    }
}

/* Of several labels the names, or what a row has of each: the category, or with --proba the probability of the second one. */
static void put_labels(FILE *file, const said *s, const double *value)
{
    const dusk_fields *fields = dusk_model_fields(s->model);
    for (size_t i = 0, c = 0; i < fields->count; i++) {
        if (!dusk_model_is_label(s->model, i)) continue;
        if (c) fputc(',', file);
        if (!value && s->proba)
            put_category(file, &fields->field[i], 1);
        else if (!value)
            ask_print_field(file, fields->field[i].name);
        else if (s->proba)
            dusk_print_number(file, value[c]);
        else
            ask_print_field(file, fields->field[i].value[value[c] > 0.5]);
        c++;
    }
}

static void put_header(FILE *file, const said *s)
{
    const dusk_field *label = label_of(s->model);
    size_t columns = s->prediction->columns;
    switch (dusk_model_learner(s->model)->task) {
    case DUSK_TASK_BINARY:
    case DUSK_TASK_CLASS:
        if (!s->proba) ask_print_field(file, label->name);
        for (size_t c = 0; s->proba && c < columns; c++) {
            if (c) fputc(',', file);
            put_category(file, label, c);
        }
        break;
    case DUSK_TASK_NUMBER: ask_print_field(file, label->name); break;
    case DUSK_TASK_GROUPS:
        if (!s->proba) fputs("group", file);
        for (size_t c = 0; s->proba && c < columns; c++) fprintf(file, c ? ",group%zu" : "group%zu", c + 1);
        break;
    case DUSK_TASK_VECTOR: put_columns(file, s); break;
    case DUSK_TASK_DENSITY: fputs("log_likelihood", file); break;
    case DUSK_TASK_LABELS: put_labels(file, s, NULL); break;
    }
    fputc('\n', file);
}

static void put_row(FILE *file, const said *s, size_t row)
{
    size_t columns = s->prediction->columns;
    const double *value = s->prediction->value + row * columns;
    dusk_task task = dusk_model_learner(s->model)->task;
    bool classes = task == DUSK_TASK_BINARY || task == DUSK_TASK_CLASS;
    if (classes && !s->proba) {
        ask_print_field(file, label_of(s->model)->value[largest(value, columns)]);
    } else if (task == DUSK_TASK_LABELS) {
        put_labels(file, s, value);
    } else if (task == DUSK_TASK_GROUPS && !s->proba) {
        fprintf(file, "%zu", largest(value, columns) + 1);
    } else {
        for (size_t c = 0; c < columns; c++) {
            if (c) fputc(',', file);
            dusk_print_number(file, value[c]);
        }
    }
    fputc('\n', file);
}

static void put_all(FILE *file, const void *what)
{
    const said *s = what;
    put_header(file, s);
    for (size_t row = 0; row < s->prediction->rows && !ferror(file); row++) put_row(file, s, row);
}

/* ---- The command --------------------------------------------------------------------------------------- */

static dusk_status check(const predict_settings *s, const dusk_parsed *parsed, dusk_error *err)
{
    if (parsed->operand_count != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                         parsed->operand_count < 2 ? "a model and a file of rows are needed"
                                                   : "there are words too many");
    if (model_is_source(parsed->operands[1]))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                         "a prediction tells about its row, and rows of a source are private");
    if (s->out && !*s->out)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example --out said.csv", "--out needs a file");
    return DUSK_OK;
}

static dusk_status check_proba(bool proba, const dusk_model *model, dusk_error *err)
{
    dusk_task task = dusk_model_learner(model)->task;
    if (!proba || task == DUSK_TASK_BINARY || task == DUSK_TASK_CLASS || task == DUSK_TASK_GROUPS ||
        task == DUSK_TASK_LABELS)
        return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                     "--proba is for models of categories and groups, and this is one of %s",
                     dusk_model_learner(model)->name);
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    const predict_settings *s = settings;
    dusk_status status = DUSK_OK;
    dusk_model *model = NULL;
    dusk_prediction prediction = { .rows = 0 };
    model_data data = { .path = NULL };
    DUSK_TRY(check(s, parsed, err));
    if (s->out) DUSK_TRY(dusk_file_try(s->out, err));
    ask_begin();
    DUSK_TRY(dusk_model_read(&model, parsed->operands[0], err));
    model_print_none(dusk_model_statement(model));
    DUSK_TRY(check_proba(s->proba, model, err));
    data.path = parsed->operands[1];
    data.labels = s->labels;
    DUSK_TRY(model_fields_of(&data.fields, model, false, err));
    DUSK_TRY(model_data_read(&data, NULL, err));
    DUSK_TRY(dusk_predict(&prediction, model, data.frame, err));
    said all = { model, &prediction, s->proba };
    if (s->out)
        DUSK_TRY(dusk_file_replace(s->out, put_all, &all, err));
    else
        put_all(stdout, &all);
done:
    dusk_prediction_clear(&prediction);
    dusk_model_free(model);
    model_data_clear(&data);
    return status;
}

const dusk_command dusk_predict_command = {
    .name = "dusk predict",
    .summary = "what a model says of rows",
    .synopsis = "MODEL DATA [--proba] [--out FILE]",
    .options = predict_options,
    .sections = predict_sections,
    .examples = predict_examples,
    .settings_size = sizeof(predict_settings),
    .run = run,
};
