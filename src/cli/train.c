/* SPDX-License-Identifier: Apache-2.0 */
/* dusk train: a model from private rows. Everything is checked and priced, and the file of the model is made, before a
 * budget is charged or a row is read. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/ask.h"
#include "cli/file.h"
#include "cli/help.h"
#include "cli/operands.h"
#include "cli/train.h"
#include "cli/train_stop.h"

#define EXAMPLE                                                                                              \
    "dusk train linear credit.csv --schema credit.fields --label income --epsilon 1 --delta 1e-6 --out "     \
    "income.model"

#define AT(field) .offset = offsetof(train_settings, field)
/* clang-format off */
static const dusk_option train_options[] = {
    { .name = "schema", .letter = 's', .argument = "FILE", .type = DUSK_OPTION_STRING, AT(schema), .sample = "credit.fields", .heading = "What",
      .help = "what the columns may hold, a line each: age numeric 17:90, sex category Female,Male; a source (FILE.dusk) has that, too" },
    { .name = "label", .letter = 'l', .argument = "FIELD", .type = DUSK_OPTION_STRING, AT(label), .sample = "income", .heading = "What",
      .help = "the field to be learned; of net_labels several, with \",\" between them" },
    { .name = "epsilon", .letter = 'e', .argument = "E", .type = DUSK_OPTION_NUMBER, AT(epsilon), .sample = "1", .heading = "What",
      .help = "what the whole training may cost" },
    { .name = "delta", .letter = 'd', .argument = "D", .type = DUSK_OPTION_NUMBER, AT(delta), .sample = "1e-6", .heading = "What",
      .help = "failure probability, far below 1 over the number of rows, and 0.1 at most; without one noise is larger, and some learners refuse" },
    { .name = "out", .letter = 'o', .argument = "FILE", .type = DUSK_OPTION_STRING, AT(out), .sample = "income.model", .writes = true, .heading = "What",
      .help = "the file of the model" },
    { .name = "set", .argument = "NAME=VALUE", .type = DUSK_OPTION_LIST, AT(set), .sets = true, .sample = "norm=2", .heading = "How",
      .help = "a setting of the learner; may be given several times. dusk train LEARNER -h lists them" },
    { .name = "try", .argument = "'NAME=VALUE ...'", .type = DUSK_OPTION_LIST, AT(candidates), .sample = "depth=3", .heading = "How",
      .help = "settings to choose from, given several times: the best of random runs, scored on rows held out; --epsilon is for the whole search" },
    { .name = "by-stability", .type = DUSK_OPTION_FLAG, AT(stable), .heading = "How",
      .help = "of --try: one noisy choice by scores that hardly move when a row changes; of amp_logistic, amp_svm and amp_huber with form=output, and --rows" },
    { .name = "until", .argument = "TARGET", .type = DUSK_OPTION_NUMBER, AT(until), .sample = "25", .heading = "How",
      .help = "less and less noise, until the model is as good: an accuracy, or a root mean squared error; --epsilon is the most it may cost" },
    { .name = "check", .argument = "FILE|FOLDER", .type = DUSK_OPTION_STRING, AT(check), .sample = "public.csv", .heading = "How",
      .help = "public rows of other people, with the same columns. Of networks: how right they are on them as they are trained, by which nothing is chosen. Of --until: to check by; without, private rows are held out, and the check is paid for" },
    { .name = "public", .argument = "FILE", .type = DUSK_OPTION_STRING, AT(open), .sample = "credit_new.csv", .heading = "How",
      .help = "public rows of other people, with the same columns, whose label nobody needs to know: pate and private_knn ask about them, and networks with subspace=K find directions of gradients by them; of pate and private_knn answers about them are what is paid for" },
    { .name = "columns", .letter = 'c', .argument = "A,B,...", .type = DUSK_OPTION_STRING, AT(columns), .sample = "age,years", .heading = "How",
      .help = "learn from these fields only, besides the label" },
    { .name = "rows", .letter = 'r', .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows), .low = 1, .high = INT64_C(1) << 40, .sample = "2000", .heading = "How",
      .help = "about how many rows there are, if that is public; otherwise learners that need it pay for a noisy count" },
    { .name = "replace-one", .type = DUSK_OPTION_FLAG, AT(replace_one), .heading = "How",
      .help = "the promise compares data of which one unit was exchanged; by default one that was added or removed" },
    { .name = "labels", .argument = "FILE", .type = DUSK_OPTION_STRING, AT(labels), .sample = "labels.idx", .heading = "How",
      .help = "of IDX files: where the last field is" },
    { .name = "accept-idealised", .type = DUSK_OPTION_FLAG, AT(idealised), .heading = "How",
      .help = "take a learner whose promise holds for real numbers only, and not for those of a computer" },
    { .name = "net", .argument = "FILE|'LAYER; ...'", .type = DUSK_OPTION_STRING, AT(net), .sample = "'dense 64; relu; output'", .heading = "Networks",
      .help = "the layers, or a file of them, a line each: a word with . or / in it is the name of a file" },
    { .name = "lot", .argument = "B", .type = DUSK_OPTION_STRING, AT(lot), .sample = "256", .heading = "Networks",
      .help = "how many rows a step takes, on average; of --rows, or of a noisy count of rows that is paid for" },
    { .name = "epochs", .argument = "K", .type = DUSK_OPTION_STRING, AT(epochs), .sample = "10", .heading = "Networks",
      .help = "how often a row is taken, on average" },
    { .name = "rate", .argument = "Q", .type = DUSK_OPTION_STRING, AT(rate), .sample = "0.01", .heading = "Networks",
      .help = "instead of --lot: the chance of a row to be in a step" },
    { .name = "steps", .argument = "T", .type = DUSK_OPTION_STRING, AT(steps), .sample = "1000", .heading = "Networks",
      .help = "instead of --epochs: how many steps" },
    { .name = "noise", .argument = "M", .type = DUSK_OPTION_NUMBER, AT(noise), .sample = "1.1", .heading = "Networks",
      .help = "instead of --epsilon, and with --rows: the deviation of the noise, times the clip; what that costs at --delta is the promise" },
    { .name = "no-privacy", .type = DUSK_OPTION_FLAG, AT(no_privacy), .heading = "Networks",
      .help = "instead of --epsilon, and with --rows, for comparisons only: no noise at all; the model is marked, and no ledger is charged" },
    { .name = "checkpoint", .argument = "FILE", .type = DUSK_OPTION_STRING, AT(checkpoint), .sample = "run.checkpoint", .writes = true, .heading = "Networks",
      .help = "keep what the training has come to in a file that is not to be shown, so that it can go on when it was stopped" },
    { .name = "every", .argument = "STEPS", .type = DUSK_OPTION_WHOLE, AT(every), .low = 1, .high = 10000000, .fallback = "100", .sample = "100", .heading = "Networks",
      .help = "how often" },
    { .name = "resume", .type = DUSK_OPTION_FLAG, AT(resume), .heading = "Networks",
      .help = "go on from --checkpoint, with all other options as they were; nothing is charged again" },
    { .name = "check-every", .argument = "STEPS", .type = DUSK_OPTION_WHOLE, AT(check_every), .low = 1, .high = 10000000, .sample = "100", .heading = "Networks",
      .help = "how often a network is looked at by --check, besides before the first step and after the last (default: every twentieth of the steps)" },
    { .name = "plot", .argument = "FILE.svg", .type = DUSK_OPTION_STRING, AT(plot), .sample = "curve.svg", .writes = true, .heading = "Networks",
      .help = "of --check: draw the learning curves" },
    { .name = "memory", .argument = "SIZE", .type = DUSK_OPTION_STRING, AT(memory), .sample = "500M", .heading = "Networks",
      .help = "what training may take besides the rows: K, M or G bytes. Fewer threads and rows at a time are used, and what is learned stays the same" },
    { .name = "query", .letter = 'q', .argument = "SELECT", .type = DUSK_OPTION_STRING, AT(query), .sample = "'SELECT age, paid FROM visits'", .heading = "Sources",
      .help = "which rows of a source (FILE.dusk): columns and expressions with declared bounds or domains; by default all such columns of a table" },
    { .name = "table", .argument = "NAME", .type = DUSK_OPTION_STRING, AT(table), .sample = "visits", .heading = "Sources",
      .help = "which table of the source, when there are several" },
    { .name = "rows-per-unit", .argument = "N", .type = DUSK_OPTION_WHOLE, AT(rows_per_unit), .low = 1, .high = 1 << 20, .sample = "3", .heading = "Sources",
      .help = "of each person at most N rows are used, chosen at random (default: as declared, else 1)" },
    { .name = "analyst", .letter = 'a', .argument = "NAME", .type = DUSK_OPTION_STRING, AT(analyst), .sample = "ana", .heading = "Sources",
      .help = "who asks; charged to this analyst's limit too (default: $DUSK_ANALYST, else owner)" },
    { .name = "charge-each", .type = DUSK_OPTION_FLAG, AT(each), .heading = "Sources",
      .help = "of --until: charge each version when it is made, and none that is not needed; by default the maximum, before a row is read" },
    { .name = "engine", .argument = "NAME", .type = DUSK_OPTION_STRING, AT(engine), .sample = "sqlite", .heading = "Sources",
      .help = "sqlite, duckdb or postgres; by default the fastest that serves the source" },
    { .name = "dry-run", .letter = 'n', .type = DUSK_OPTION_FLAG, AT(dry), .heading = "Output",
      .help = "say what would be released, with which noise, and what it costs; read no private rows and spend nothing" },
    { .name = "json", .letter = 'j', .type = DUSK_OPTION_FLAG, AT(json), .heading = "Output", .help = "the card of the model as one JSON object" },
    { .name = NULL },
};
/* clang-format on */

static const dusk_section train_sections[] = {
    { "Description",
      "Learn from private rows with differential privacy, and write a model that may be shown to anybody. "
      "Everything in the file was released by a mechanism or was public before; its statement is in it.\n"
      "DATA is text (comma-separated values with a header, compressed or not), Parquet, a table of a "
      "database, IDX, a folder, or a source (FILE.dusk). Nothing is found out from rows: bounds, categories "
      "and what a "
      "missing value counts "
      "as are declared in "
      "the schema, and what is out of bounds is clamped. Rows whose label is missing are left out.\n"
      "The unit is a row, unless the schema says whose rows they are and how many there can be of one "
      "(unit person, rows_per_unit 3). How many rows there are is private: declare it with --rows where it "
      "is known, or learners that need it pay for a noisy count." },
    { "Folders",
      "A folder of IDX files with their usual names (train-images-idx3-ubyte.gz and "
      "train-labels-idx1-ubyte.gz) is "
      "read without --labels; FOLDER/t10k is the pair that begins with t10k, as for dusk score. Any other "
      "folder has "
      "pictures (PNG, PGM, PPM) in sub-folders, one for each category. The schema declares their numbers, "
      "and then the label: pixel[784] numeric 0:255 for 28 x 28 places, pixel[3072] for 32 x 32 in colours; "
      "digit category 0,1,2. All that are declared have a sub-folder, with pictures in it or not; one whose "
      "name is not declared is no category, and a file that is no "
      "picture of this size "
      "is a row whose numbers are missing." },
    { "Sources",
      "Rows of a source come through a query; of each person as many are used as was declared. The training "
      "is "
      "charged to the ledger of the source before a row is looked at, with the relation that the ledger "
      "has; a charge that is refused spends nothing and writes nothing." },
    { "The best of several",
      "Trying settings and keeping the best model costs as much as all the trainings. --try does it for "
      "less: a "
      "random number of runs, each of a random candidate, scored with noise on rows that were held out; the "
      "best is kept [Papernot & Steinke 2022]. A run has a third to a half of the epsilon, so that "
      "defaults are often better.\nWith --by-stability all candidates are trained in private, and one noisy "
      "choice is made by scores that "
      "are stable because the regularisation is strong [Chaudhuri & Vinterbo 2013]: it costs one choice and "
      "one training, "
      "however many candidates there are." },
    { "As much noise as a target allows",
      "--until makes version after version, each with less noise than the one before, and stops at the first "
      "that is "
      "good enough [Ligett et al. 2017; Whitehouse et al. 2022]. A version is as good as a training at its "
      "epsilon, and all "
      "versions up to it cost no more. The promise is the maximum, --epsilon, as whether to go on follows "
      "from "
      "rows; a ledger whose filter is gdp, zcdp or rdp can be charged for the versions that were made only "
      "(--charge-each). For linear, lasso, bayes_linear, functional, naive_bayes, density and covariance, "
      "with a "
      "delta." },
    { "Layers", train_layers },
    { "Looking on",
      "--check shows how right a network is on public rows as it is trained: on a terminal meanwhile, with "
      "what the steps so far would have cost if it had been planned to stop there, and as a table, JSON or "
      "a plot in the end. Those rows are yours to show. Of private rows nothing is shown: neither losses nor "
      "how many were clipped. Nothing is chosen by what is shown, and the promise is for all steps: who "
      "stops a "
      "training because of what it shows has paid for all of it." },
    { "Numerics",
      "Most learners add whole numbers exactly and draw noise exactly: what is promised is what is "
      "computed. A learner that is idealised holds its promise in real arithmetic; it must be accepted, "
      "is marked in the model, and is never charged to a ledger." },
    { "Output",
      "The card of the model on standard output: what it was learned from, what was released with which "
      "noise, what is promised. The receipt is on standard error. The file is whole or not there." },
    { NULL, NULL },
};

static const dusk_example train_examples[] = {
    { "learn an income from a table of credits", EXAMPLE },
    { "learn who repays",
      "dusk train logistic credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --out "
      "repaid.model" },
    { "what would be released, and with which noise", EXAMPLE " --dry-run" },
    { "a network, with its learning curves on rows that are public",
      "dusk train net credit.csv --schema credit.fields --label repaid --epsilon 1 --delta 1e-6 --check "
      "credit_new.csv --plot curve.svg --out a.model" },
    { NULL, NULL },
};

/* ---- Checks ---------------------------------------------------------------------------------------- */

static dusk_status check_source(const train_settings *s, const dusk_operand *learner, dusk_error *err)
{
    if (dusk_learner_is_for_labels(dusk_learner_named(learner->name)))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, "train on a file, or choose a learner that takes all columns for private",
            "%s keeps labels private and nothing else, and a source promises more", learner->name);
    if (!dusk_learner_has(dusk_learner_named(learner->name), DUSK_ABILITY_LEDGER))
        return dusk_fail(
            err, DUSK_ERR_ARGUMENT, "train on a file, or choose one whose promise is exact",
            "the promise of %s holds in ideal arithmetic only, and cannot be charged to a ledger",
            learner->name);
    if (s->schema || s->labels || s->replace_one)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "%s does not go with a source, which has its own",
                         s->schema   ? "--schema"
                         : s->labels ? "--labels"
                                     : "--replace-one");
    if (s->query && (s->table || s->columns))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "say it in the query",
                         "--query does not go with --table and --columns");
    return DUSK_OK;
}

static dusk_status check_file(const train_settings *s, const dusk_operand *learner, dusk_error *err)
{
    if (!s->schema)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, learner->example,
                         "--schema is missing: what the columns may hold is declared, not read");
    if (s->query || s->analyst || s->engine || s->rows_per_unit)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "--query, --analyst, --engine and --rows-per-unit are for a source (FILE.dusk)");
    if (s->table && !model_is_source(s->schema))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "--table is for a source, or a schema that is one (FILE.dusk)");
    return DUSK_OK;
}

static dusk_status check(const train_settings *s, const dusk_parsed *parsed, const dusk_operand *learner,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (parsed->operand_count != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, learner->example,
                         parsed->operand_count < 2 ? "say where the rows are" : "there are words too many");
    const bool source = model_is_source(parsed->operands[1]);
    DUSK_TRY(source ? check_source(s, learner, err) : check_file(s, learner, err));
    const dusk_learner *own = dusk_learner_named(learner->name);
    DUSK_TRY(train_plan_check(s, dusk_learner_has(own, DUSK_ABILITY_STEPS), source, err));
    if (!s->out && !s->dry)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, learner->example, "--out is missing: the file of the model");
    DUSK_TRY(
        train_promise_check(s, dusk_learner_has(own, DUSK_ABILITY_NOISE), source, learner->example, err));
    DUSK_TRY(model_delta_check(s->delta, err));
    if (dusk_options_given(&dusk_train_command, parsed, "every") && !s->checkpoint)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add --checkpoint FILE, or leave it away",
                         "--every says how often a checkpoint is written, and there is none");
done:
    return status;
}

/* ---- Training ---------------------------------------------------------------------------------------- */

static void fill_options(dusk_train_options *options, const train_settings *s, const train_words *words,
                         const model_data *data, train_curve *curve)
{
    dusk_train_options_init(options);
    options->label = s->label;
    options->epsilon = isnan(s->epsilon) ? 0 : s->epsilon;
    options->noise = isnan(s->noise) ? 0 : s->noise;
    options->no_privacy = s->no_privacy;
    options->delta = isnan(s->delta) ? 0 : s->delta;
    options->neighbours = model_neighbours(data, s->replace_one);
    options->rows = (uint64_t)s->rows;
    options->settings = words->word;
    options->settings_count = words->count;
    options->accept_idealised = s->idealised;
    options->progress = train_curve_progress;
    options->progress_context = curve;
}

static dusk_status explain(train_plan *plan, const model_data *data, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char *text = NULL;
    DUSK_TRY(train_files_try(s, err));
    DUSK_TRY(train_plan_keep(plan, s, data->source != NULL, err));
    DUSK_TRY(train_plan_explain(plan, &text, err));
    if (s->json)
        DUSK_TRY(model_print_plan(train_plan_statement(plan), text, err));
    else
        fputs(text, stdout);
    DUSK_TRY(dusk_output_flush(err));
    dusk_output_note("dry run", "no private row was read and nothing was released");
    DUSK_TRY(model_print_promise(train_plan_statement(plan), true, err));
    model_note_delta(train_plan_statement(plan), s->rows);
    if (data->source) DUSK_TRY(train_plan_quote(plan, data, s, err));
done:
    dusk_ledger_free_text(text);
    return status;
}

static dusk_status learn_rows(train_plan *plan, dusk_model **out, model_data *data, const train_settings *s,
                              train_curve *curve, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = model_data_read(data, gen, err);
    if (status != DUSK_OK) return status;
    train_curve_start(curve, plan->training, train_plan_statement(plan));
    status = train_plan_run(plan, out, data, s, gen, err);
    dusk_progress_end(&curve->progress);
    return status;
}

static dusk_status learn(train_plan *plan, const char *learner, model_data *data, const train_settings *s,
                         train_curve *curve, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger *ledger = data->source ? dusk_source_ledger(data->source) : NULL;
    dusk_generator *gen = NULL;
    dusk_model_file *file = NULL;
    dusk_model *model = NULL;
    char *text = NULL;
    DUSK_TRY(dusk_model_file_open(&file, s->out, err));
    if (s->plot) DUSK_TRY(dusk_file_try(s->plot, err));
    if (plan->training) DUSK_TRY(dusk_model_file_reserve(file, plan->training, err));
    DUSK_TRY(train_plan_explain(plan, &text, err));
    DUSK_TRY(dusk_generator_new(&gen, err));
    DUSK_TRY(train_plan_keep(plan, s, ledger != NULL, err));
    if (ledger) status = train_plan_charge(plan, learner, data, s, err);
    if (status == DUSK_OK) train_stop_watch(plan, s, ledger != NULL);
    if (status == DUSK_OK) status = learn_rows(plan, &model, data, s, curve, gen, err);
    train_stop_end();
    if (status == DUSK_OK) status = dusk_model_file_put(file, model, err);
    bool made = status == DUSK_OK;
    if (made && plan->training) status = dusk_training_end(plan->training, err);
    if (status == DUSK_OK) status = train_curve_end(curve, err);
    if (status == DUSK_OK) status = model_print_card(model, text, curve, s->out, s->json, err);
    if (status == DUSK_OK) status = dusk_output_flush(err);
    if (status == DUSK_OK && s->plot) status = train_curve_plot(curve, model, s->plot, err);
    if (plan->charged && s->each && !made)
        dusk_output_note("cost",
                         "versions were charged as they were made; dusk budget FILE.dusk says what is left");
    else if (plan->charged) /* what was spent stays spent */
        model_print_charged(ledger, &plan->cost, ask_analyst(s->analyst));
    else if (made && ledger)
        model_print_charged_before(&plan->cost);
    else if (made)
        model_print_cost(train_plan_statement(plan));
    if (plan->charged || made) model_note_delta(train_plan_statement(plan), s->rows);
done:
    dusk_ledger_free_text(text);
    dusk_model_file_close(file);
    dusk_model_free(model);
    dusk_generator_free(gen);
    return status;
}

static dusk_status open_data(model_data *data, const char *path, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const model_query query = { s->query, s->table, s->columns, s->engine, s->rows_per_unit };
    if (model_is_source(path)) return model_source_open(data, path, &query, s->label, err);
    data->path = path;
    data->labels = s->labels;
    DUSK_TRY(model_fields(&data->fields, s->schema, s->table, err));
    if (s->columns) DUSK_TRY(model_fields_keep(&data->fields, s->columns, s->label, err));
done:
    return status;
}

static dusk_status run(const void *settings, const dusk_parsed *parsed, dusk_error *err)
{
    const train_settings *s = settings;
    dusk_status status = DUSK_OK;
    const dusk_operand *learner;
    dusk_train_options options;
    train_curve curve = { .training = NULL };
    train_plan plan = { .training = NULL };
    model_data data = { .path = NULL };
    train_words words = { .count = 0 };
    DUSK_TRY(dusk_operand_find(&learner, &dusk_train_command, parsed, "dusk train -h", err));
    DUSK_TRY(dusk_operand_check(learner, &dusk_train_command, parsed, "", err));
    DUSK_TRY(check(s, parsed, learner, err));
    ask_begin();
    DUSK_TRY(open_data(&data, parsed->operands[1], s, err));
    DUSK_TRY(train_files_check(&data, s, err));
    DUSK_TRY(train_words_make(&words, s, err));
    fill_options(&options, s, &words, &data, &curve);
    DUSK_TRY(train_memory_read(&options.memory, s->memory, err));
    if (s->open) DUSK_TRY(train_plan_open_rows(&plan, &options, data.fields, s, err));
    if (s->check && isnan(s->until))
        DUSK_TRY(train_plan_check_rows(&plan, &options, &curve, data.fields, s, err));
    DUSK_TRY(train_plan_prepare(&plan, learner->name, data.fields, &options, s, err));
    status = s->dry ? explain(&plan, &data, s, err) : learn(&plan, learner->name, &data, s, &curve, err);
done:
    train_curve_clear(&curve);
    train_plan_clear(&plan);
    train_words_clear(&words);
    model_data_clear(&data);
    return status;
}

const dusk_command dusk_train_command = {
    .name = "dusk train",
    .summary = "learn a model from private rows",
    .synopsis = "LEARNER DATA --schema FILE [--label FIELD] --epsilon E [--delta D] --out FILE [options]\n"
                "LEARNER FILE.dusk [--query SELECT] [--label FIELD] --epsilon E --out FILE [options]",
    .operand = "Learners",
    .noun = "a learner",
    .note = "All need --schema, unless DATA is a source, and --out, unless --dry-run is given.",
    .operands = train_learners,
    .options = train_options,
    .sections = train_sections,
    .examples = train_examples,
    .settings_size = sizeof(train_settings),
    .run = run,
};
