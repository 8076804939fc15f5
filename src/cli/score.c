/* SPDX-License-Identifier: Apache-2.0 */
/* dusk score: how right a model is, on rows that may be seen, or as one number that is released. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/ask.h"
#include "cli/file.h"
#include "cli/model.h"

#define EXAMPLE "dusk score income.model credit_new.csv"
#define PRIVATE_EXAMPLE "dusk score income.model credit.csv --private --epsilon 0.1"

typedef struct score_settings {
    const char *plot, *calibration, *labels;
    const char *query, *table, *analyst, *engine;
    double epsilon, delta;
    int64_t rows, rows_per_unit;
    bool json, card, private, replace_one, dry;
} score_settings;

#define AT(field) .offset = offsetof(score_settings, field)
/* clang-format off */
static const dusk_option score_options[] = {
    { .name = "json", .letter = 'j', .type = DUSK_OPTION_FLAG, AT(json), .heading = "Output", .help = "one JSON object" },
    { .name = "card", .type = DUSK_OPTION_FLAG, AT(card), .heading = "Output",
      .help = "say what the model is, and what it has cost; no rows are needed" },
    { .name = "plot", .argument = "FILE.svg", .type = DUSK_OPTION_STRING, AT(plot), .sample = "roc.svg", .writes = true, .heading = "Output",
      .help = "draw the ROC curve, of two categories; with --card the weights of a linear model" },
    { .name = "calibration", .argument = "FILE.svg", .type = DUSK_OPTION_STRING, AT(calibration), .sample = "calibration.svg", .writes = true, .heading = "Output",
      .help = "draw how often the most probable category is right, over its probability" },
    { .name = "private", .type = DUSK_OPTION_FLAG, AT(private), .heading = "Private rows",
      .help = "rows are private: release one number, which costs --epsilon" },
    { .name = "epsilon", .letter = 'e', .argument = "E", .type = DUSK_OPTION_NUMBER, AT(epsilon), .sample = "0.1", .heading = "Private rows",
      .help = "what that may cost" },
    { .name = "delta", .letter = 'd', .argument = "D", .type = DUSK_OPTION_NUMBER, AT(delta), .sample = "1e-6", .heading = "Private rows",
      .help = "failure probability; without one the noise is that of epsilon alone" },
    { .name = "rows", .letter = 'r', .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows), .low = 1, .high = INT64_C(1) << 40, .sample = "2000", .heading = "Private rows",
      .help = "how many rows have a label, if that is public: as many, not about as many; the score is over this number" },
    { .name = "replace-one", .type = DUSK_OPTION_FLAG, AT(replace_one), .heading = "Private rows",
      .help = "the promise compares data of which one unit was exchanged; by default one that was added or removed" },
    { .name = "dry-run", .letter = 'n', .type = DUSK_OPTION_FLAG, AT(dry), .heading = "Private rows",
      .help = "say what it would cost; read nothing and spend nothing" },
    { .name = "query", .letter = 'q', .argument = "SELECT", .type = DUSK_OPTION_STRING, AT(query), .sample = "'SELECT age, paid FROM visits'", .heading = "Sources",
      .help = "which rows of a source (FILE.dusk); by default all declared columns of a table" },
    { .name = "table", .argument = "NAME", .type = DUSK_OPTION_STRING, AT(table), .sample = "visits", .heading = "Sources",
      .help = "which table of the source, when there are several" },
    { .name = "rows-per-unit", .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows_per_unit), .low = 1, .high = 1 << 20, .sample = "3", .heading = "Sources",
      .help = "of each person at most N rows are used, chosen at random (default: as declared, else 1)" },
    { .name = "analyst", .letter = 'a', .argument = "NAME", .type = DUSK_OPTION_STRING, AT(analyst), .sample = "ana", .heading = "Sources",
      .help = "who asks; charged to this analyst's limit too (default: $DUSK_ANALYST, else owner)" },
    { .name = "engine", .argument = "NAME", .type = DUSK_OPTION_STRING, AT(engine), .sample = "sqlite", .heading = "Sources",
      .help = "sqlite, duckdb or postgres; by default the fastest that serves the source" },
    { .name = "labels", .argument = "FILE", .type = DUSK_OPTION_STRING, AT(labels), .sample = "labels.idx", .heading = "Input",
      .help = "of IDX files: where the last field is" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section score_sections[] = {
    { "Description",
      "How right a model of dusk train is on rows whose label is known. Categories: accuracy, the share of "
      "the most "
      "frequent category (what is right without a model), the area under the ROC curve, log loss, "
      "calibration. Numbers: root mean squared error, mean absolute error, R2. Groups: mean squared "
      "distance to the centre, in encoded columns. Coordinates: the share of the variance that they keep. "
      "Densities: the mean log likelihood.\n"
      "These are exact, and tell about the rows: use rows that are public, or held out and allowed to be "
      "seen. On private rows --private releases one number (accuracy, mean squared error or inertia) with "
      "noise, an interval, and a statement of what it costs. It costs on top of what the model has cost. "
      "Whose "
      "privacy that is, and how many rows one has at most, is as in the schema of the model; a source "
      "(FILE.dusk) has its own, and its ledger is charged before a row is read.\n"
      "Of a folder of IDX files the pair that begins with train is read; FOLDER/t10k is the pair that begins "
      "with t10k." },
    { NULL, NULL },
};

static const dusk_example score_examples[] = {
    { "on rows that were held out", EXAMPLE },
    { "on the private rows themselves", PRIVATE_EXAMPLE },
    { "what it is, and what it has cost", "dusk score income.model --card" },
    { NULL, NULL },
};

/* ---- Rows that may be seen ----------------------------------------------------------------------------- */

typedef struct figure {
    const char *name;
    double value;
    const char *says;
} figure;

static void print_scores(const dusk_model_scores *scores, const dusk_model *model, bool json)
{
    const figure figures[] = {
        { "accuracy", scores->accuracy, "share of rows whose most probable category is right" },
        { "majority", scores->majority, "share of the most frequent category" },
        { "auc", scores->auc, "area under the ROC curve" },
        { "log_loss", scores->log_loss, "mean of -ln of the probability of the label" },
        { "calibration", scores->calibration, "expected calibration error" },
        { "rmse", scores->rmse, "root of the mean squared error" },
        { "mae", scores->mae, "mean absolute error" },
        { "r2", scores->r2, "share of the variance of the label that is explained" },
        { "inertia", scores->inertia, "mean squared distance to the centre of the group" },
        { "explained", scores->explained, "share of the variance that the coordinates keep" },
        { "log_likelihood", scores->log_likelihood, "mean a row" },
    };
    dusk_json out = { .file = stdout };
    if (json) {
        dusk_json_open(&out, '{');
        dusk_json_string_field(&out, "learner", dusk_model_learner(model)->name);
        dusk_json_number_field(&out, "rows", (double)scores->rows);
        model_json_none(&out, model);
    } else {
        printf("%-14s %-10zu scored\n", "rows", scores->rows);
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (json && isfinite(figures[i].value))
            dusk_json_number_field(&out, figures[i].name, figures[i].value);
        else if (!json && !isnan(figures[i].value))
            printf("%-14s %-10.6g %s\n", figures[i].name, figures[i].value, figures[i].says);
    }
    if (!json) return;
    dusk_json_close(&out, '}');
    fputc('\n', stdout);
}

static dusk_status draw(const score_settings *s, const dusk_model *model, const dusk_frame *frame,
                        const dusk_model_scores *scores, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (s->plot) DUSK_TRY(model_plot_roc(s->plot, model, frame, scores->auc, err));
    if (s->plot) dusk_output_note("drawn", "%s", s->plot);
    if (s->calibration)
        DUSK_TRY(model_plot_calibration(s->calibration, model, frame, scores->calibration, err));
    if (s->calibration) dusk_output_note("drawn", "%s", s->calibration);
done:
    return status;
}

static dusk_status score_seen(const score_settings *s, const dusk_model *model, model_data *data,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_model_scores scores;
    DUSK_TRY(model_data_read(data, NULL, err));
    DUSK_TRY(dusk_model_score(&scores, model, data->frame, err));
    if (scores.rows == 0)
        return dusk_fail(err, DUSK_ERR_PARSE, "see that its labels are there, as values that are declared",
                         "%.150s has no row that can be scored", data->path);
    print_scores(&scores, model, s->json);
    DUSK_TRY(dusk_output_flush(err));
    dusk_output_note("exact", "for rows that may be seen; on private rows give --private and --epsilon");
    DUSK_TRY(draw(s, model, data->frame, &scores, err));
done:
    return status;
}

/* ---- Private rows --------------------------------------------------------------------------------------------- */

static dusk_metric metric_of(const dusk_model *model)
{
    switch (dusk_model_learner(model)->task) {
    case DUSK_TASK_NUMBER: return DUSK_METRIC_MSE;
    case DUSK_TASK_GROUPS: return DUSK_METRIC_INERTIA;
    default: return DUSK_METRIC_ACCURACY;
    }
}

static const char *metric_name(dusk_metric metric)
{
    return metric == DUSK_METRIC_MSE ? "mse" : metric == DUSK_METRIC_INERTIA ? "inertia" : "accuracy";
}

static dusk_status print_released(dusk_metric metric, const double value[3], const dusk_model *model,
                                  const dusk_statement *statement, bool json, dusk_error *err)
{
    char promise[16384];
    dusk_status status = dusk_statement_json(statement, promise, sizeof promise, err);
    if (status != DUSK_OK) return status;
    if (!json) {
        printf("%-14s %.6g [%.6g, %.6g]\n", metric_name(metric), value[0], value[1], value[2]);
        return DUSK_OK;
    }
    dusk_json out = { .file = stdout };
    dusk_json_open(&out, '{');
    dusk_json_number_field(&out, metric_name(metric), value[0]);
    dusk_json_number_field(&out, "low", value[1]);
    dusk_json_number_field(&out, "high", value[2]);
    model_json_none(&out, model);
    dusk_json_key(&out, "statement");
    dusk_json_raw(&out, promise);
    dusk_json_close(&out, '}');
    fputc('\n', stdout);
    return DUSK_OK;
}

/* A declared number of rows is taken as it is: the mean is the noisy sum over it. */
static void print_interval(dusk_metric metric, int64_t rows)
{
    if (rows > 0)
        dusk_output_note("interval",
                         "holds the exact %s of the rows that were used with 95 %% confidence, if %lld have "
                         "a label as declared",
                         metric_name(metric), (long long)rows);
    else
        dusk_output_note("interval", "holds the exact %s of the rows that were used with 95 %% confidence",
                         metric_name(metric));
}

static dusk_status score_private(const score_settings *s, const dusk_model *model, model_data *data,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_metric metric = metric_of(model);
    dusk_train_options options;
    dusk_statement statement;
    uint64_t id;
    dusk_generator *gen = NULL;
    char purpose[64];
    double value[3];
    dusk_train_options_init(&options);
    options.epsilon = s->epsilon;
    options.delta = isnan(s->delta) ? 0 : s->delta;
    options.neighbours = model_neighbours(data, s->replace_one);
    options.rows = (uint64_t)s->rows;
    DUSK_TRY(dusk_model_score_price(&statement, metric, model, data->fields, &options, err));
    if (s->dry) {
        dusk_output_note("dry run", "no row was read and nothing was released");
        status = model_print_promise(&statement, true, err);
        goto done;
    }
    DUSK_TRY(dusk_generator_new(&gen, err));
    snprintf(purpose, sizeof purpose, "score %s of a model", metric_name(metric));
    if (data->source) DUSK_TRY(model_reserve(data, &id, &statement, ask_analyst(s->analyst), purpose, err));
    status = model_data_read(data, gen, err);
    if (status == DUSK_OK)
        status = dusk_model_score_release(&value[0], &value[1], &value[2], &statement, metric, model,
                                          data->frame, &options, gen, err);
    if (status == DUSK_OK) status = print_released(metric, value, model, &statement, s->json, err);
    if (status == DUSK_OK) status = dusk_output_flush(err);
    if (status == DUSK_OK) print_interval(metric, s->rows);
    if (status == DUSK_OK) status = model_print_promise(&statement, data->source != NULL, err);
    if (status == DUSK_OK) model_note_delta(&statement, s->rows);
    if (data->source) /* what was spent stays spent */
        model_print_charged(dusk_source_ledger(data->source), &statement, ask_analyst(s->analyst));
done:
    dusk_generator_free(gen);
    return status;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

static dusk_status check_private(const score_settings *s, dusk_error *err)
{
    bool budget = !isnan(s->epsilon) || !isnan(s->delta) || s->rows > 0 || s->replace_one || s->dry;
    if (!s->private && budget)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, PRIVATE_EXAMPLE,
                         "--epsilon, --delta, --rows, --replace-one and --dry-run are for --private");
    if (!s->private) return DUSK_OK;
    if (!(s->epsilon > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, PRIVATE_EXAMPLE,
                         "--private needs --epsilon above 0: what the score may cost");
    if (s->plot || s->calibration)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave them away",
                         "--plot and --calibration show rows, and do not go with --private");
    return model_delta_check(s->delta, err);
}

static dusk_status check_source(const score_settings *s, bool source, dusk_error *err)
{
    if (source && !s->private)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk score income.model FILE.dusk --private --epsilon 0.1",
                         "rows of a source are private: give --private and --epsilon");
    if (source && (s->labels || s->replace_one))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away", "%s does not go with a source",
                         s->labels ? "--labels" : "--replace-one");
    if (source && s->query && s->table)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say it in the query", "--query does not go with --table");
    if (!source && (s->query || s->table || s->analyst || s->engine || s->rows_per_unit))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, "leave it away",
            "--query, --table, --analyst, --engine and --rows-per-unit are for a source (FILE.dusk)");
    return DUSK_OK;
}

static dusk_status check(const score_settings *s, const dusk_parsed *parsed, dusk_error *err)
{
    if (s->card && parsed->operand_count != 1)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk score income.model --card",
                         "--card needs a model, and nothing else");
    if (s->card &&
        (s->private || s->calibration || s->labels || !isnan(s->epsilon) || !isnan(s->delta) || s->rows > 0 ||
         s->replace_one || s->dry || s->query || s->table || s->rows_per_unit > 0 || s->analyst || s->engine))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "dusk score income.model --card",
                         "--card looks at no rows, and goes with --json and --plot only");
    if (s->card) return DUSK_OK;
    if (parsed->operand_count != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, EXAMPLE,
                         parsed->operand_count < 2 ? "a model and a file of rows are needed"
                                                   : "there are words too many");
    dusk_status status = check_source(s, model_is_source(parsed->operands[1]), err);
    return status == DUSK_OK ? check_private(s, err) : status;
}

static dusk_status check_plots(const score_settings *s, const dusk_model *model, dusk_error *err)
{
    dusk_task task = dusk_model_learner(model)->task;
    if (s->plot && task != DUSK_TASK_BINARY &&
        !(task == DUSK_TASK_CLASS && dusk_model_fields(model)->field[dusk_model_label(model)].values == 2))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away", "--plot is for models of two categories");
    if (s->calibration && task != DUSK_TASK_BINARY && task != DUSK_TASK_CLASS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "--calibration is for models of categories");
    return DUSK_OK;
}

/* What is to be drawn can be. */
static dusk_status try_drawings(const score_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (s->plot) DUSK_TRY(dusk_file_try(s->plot, err));
    if (s->calibration) DUSK_TRY(dusk_file_try(s->calibration, err));
done:
    return status;
}

static dusk_status open_data(model_data *data, const char *path, const score_settings *s,
                             const dusk_model *model, dusk_error *err)
{
    const model_query query = { s->query, s->table, NULL, s->engine, s->rows_per_unit };
    if (model_is_source(path)) return model_source_open(data, path, &query, NULL, err);
    data->path = path;
    data->labels = s->labels;
    return model_fields_of(&data->fields, model, true, err);
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    const score_settings *s = settings;
    dusk_status status = DUSK_OK;
    dusk_model *model = NULL;
    model_data data = { .path = NULL };
    DUSK_TRY(check(s, parsed, err));
    DUSK_TRY(try_drawings(s, err));
    ask_begin();
    DUSK_TRY(dusk_model_read(&model, parsed->operands[0], err));
    model_print_none(dusk_model_statement(model));
    if (s->card) {
        DUSK_TRY(model_print_card(model, NULL, NULL, NULL, s->json, err));
        if (s->plot) DUSK_TRY(model_plot_weights(s->plot, model, err));
        goto done;
    }
    DUSK_TRY(check_plots(s, model, err));
    DUSK_TRY(open_data(&data, parsed->operands[1], s, model, err));
    status = s->private ? score_private(s, model, &data, err) : score_seen(s, model, &data, err);
done:
    dusk_model_free(model);
    model_data_clear(&data);
    return status;
}

const dusk_command dusk_score_command = {
    .name = "dusk score",
    .summary = "how right a model is",
    .synopsis = "MODEL DATA [--json] [--plot FILE.svg]\nMODEL DATA --private --epsilon E [options]\nMODEL "
                "--card [--plot FILE.svg]",
    .options = score_options,
    .sections = score_sections,
    .examples = score_examples,
    .settings_size = sizeof(score_settings),
    .run = run,
};
