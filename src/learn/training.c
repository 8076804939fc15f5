/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to a model: prepare (no row is looked at), charge, run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/suggestion.h"
#include "learn/training.h"
#include "numeric/rounding.h"

void dusk_train_options_init(dusk_train_options *options)
{
    *options = (dusk_train_options){ .size = sizeof *options };
}

void dusk_training_free(dusk_training *training)
{
    if (!training) return;
    if (training->job.learner && training->job.learner->forget)
        training->job.learner->forget(training->job.plan);
    else
        dusk_deallocate(training->job.plan);
    learn_features_clear(&training->job.features);
    learn_labels_clear(&training->job.labels);
    dusk_buffer_clear(&training->job.said);
    for (size_t i = 0; i < LEARN_SETTINGS_MAX; i++) dusk_deallocate(training->value[i]);
    dusk_fields_free(training->fields);
    dusk_deallocate(training->open.column);
    dusk_deallocate(training->check.column);
    learn_checkpoint_close(&training->job.checkpoint);
    dusk_deallocate(training);
}

/* --- what was asked for ------------------------------------------------------------------------------------------- */

bool learn_wants_label(dusk_task task) { return task <= DUSK_TASK_NUMBER; }

dusk_status learn_label_check(const learn_learner *learner, const dusk_field *field, dusk_error *err)
{
    dusk_task task = learner->shown.task;
    if (task == DUSK_TASK_NUMBER && field->kind != DUSK_FIELD_NUMERIC)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare it numeric, with bounds",
                         "%s learns numbers, and %.60s is a category", learner->shown.name, field->name);
    if (task != DUSK_TASK_NUMBER && field->kind != DUSK_FIELD_CATEGORY)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare it a category, with its values",
                         "%s learns categories, and %.60s is numeric", learner->shown.name, field->name);
    if (task == DUSK_TASK_BINARY && field->values != 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a learner for more than two, such as multinomial",
                         "%s learns a category of two values, and %.60s has %zu", learner->shown.name,
                         field->name, field->values);
    if (task == DUSK_TASK_CLASS && field->values < 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "declare all values that it may have",
                         "the label %.60s has one value only", field->name);
    return DUSK_OK;
}

static dusk_status find_label(learn_job *job, const char *label, dusk_error *err)
{
    job->label = DUSK_NO_LINK;
    if (label && job->learner->shown.task == DUSK_TASK_LABELS)
        return learn_labels_read(&job->labels, job->fields, label, err);
    if (!label && job->learner->shown.task == DUSK_TASK_LABELS)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name the fields to be learned: a,b,c", "%s needs labels",
                         job->learner->shown.name);
    if (!learn_wants_label(job->learner->shown.task)) {
        if (!label) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it out", "%s learns without a label",
                         job->learner->shown.name);
    }
    if (!label)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "name the field to be learned", "%s needs a label",
                         job->learner->shown.name);
    job->label = dusk_fields_find(job->fields, label);
    if (job->label == DUSK_NO_LINK)
        return learn_label_unknown(job->fields, label, "declare it, with its bounds or values", err);
    job->label_field = &job->fields->field[job->label];
    return learn_label_check(job->learner, job->label_field, err);
}

static bool same_field(const dusk_field *a, const dusk_field *b)
{
    if (strcmp(a->name, b->name) || a->kind != b->kind || a->values != b->values) return false;
    if (a->kind == DUSK_FIELD_NUMERIC)
        return a->lower == b->lower && a->upper == b->upper && a->missing == b->missing;
    for (size_t v = 0; v < a->values; v++)
        if (strcmp(a->value[v], b->value[v])) return false;
    return true;
}

/* Public rows: a frame with the fields of the training in their order, without the label or with it, borrowed from the caller's. */
static dusk_status borrow_rows(dusk_frame *out, dusk_training *training, const dusk_frame *rows, bool label,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_job *job = &training->job;
    DUSK_NEW(out->column, job->fields->count);
    for (size_t c = 0; c < job->fields->count; c++) {
        if (c == job->label && !label) continue;
        const size_t at = dusk_fields_find(rows->fields, job->fields->field[c].name);
        if (at == DUSK_NO_LINK || !same_field(&job->fields->field[c], &rows->fields->field[at]))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "read them with the same fields",
                             "public rows lack the field %.60s, or have it otherwise",
                             job->fields->field[c].name);
        out->column[c] = rows->column[at];
    }
    out->fields = training->fields;
    out->rows = rows->rows;
done:
    return status;
}

static dusk_status take_check_rows(dusk_training *training, const dusk_train_options *options,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = &training->job;
    if (!options->check_rows) return DUSK_OK;
    if (!learn_has(job->learner, DUSK_ABILITY_STEPS))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "leave them out; dusk score says how right a model is on public rows",
                         "%s has no steps after which it could be looked at", job->learner->shown.name);
    DUSK_TRY(borrow_rows(&training->check, training, options->check_rows, true, err));
    job->check_rows = &training->check;
    job->check_every = options->check_every;
    job->observe = options->observe;
    job->observe_context = options->observe_context;
done:
    return status;
}

static dusk_status take_memory(learn_job *job, uint64_t memory, dusk_error *err)
{
    job->memory = memory;
    if (memory == 0 || learn_has(job->learner, DUSK_ABILITY_STEPS)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it out", "%s has no limit of memory; networks have",
                     job->learner->shown.name);
}

static dusk_status take_open_rows(dusk_training *training, const dusk_frame *rows, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = &training->job;
    const char *name = job->learner->shown.name;
    if (!job->learner->open_rows && !rows) return DUSK_OK;
    if (!learn_has(job->learner, DUSK_ABILITY_OPEN_ROWS))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave them out, or choose pate or private_knn",
                         "%s learns from private rows only, and public rows were given", name);
    if (!rows)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give them by --public FILE; they need no labels",
                         "%s needs public rows besides the private ones", name);
    DUSK_TRY(borrow_rows(&training->open, training, rows, false, err));
    job->open_rows = &training->open;
done:
    return status;
}

/* --- settings ------------------------------------------------------------------------------------------------------- */

/* Which of "a|b|c", or -1. */
static int choice_number(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int number = 0;
    for (const char *at = choices; *at; number++) {
        size_t here = strcspn(at, "|");
        if (here == length && !memcmp(at, word, length)) return number;
        at += here + (at[here] == '|');
    }
    return -1;
}

dusk_status learn_setting_read(const dusk_setting *setting, double *out, const char *value, dusk_error *err)
{
    char *end;
    if (setting->choices && !*setting->choices) {
        *out = 0;
        if (strlen(value) <= LEARN_TEXT_MOST && !strpbrk(value, "\n\r")) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make it shorter, on one line",
                         "%s is a line of at most %d bytes", setting->name, LEARN_TEXT_MOST);
    }
    if (setting->choices) {
        int number = choice_number(setting->choices, value);
        *out = number;
        if (number >= 0) return DUSK_OK;
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose one of them", "%s is one of %.120s", setting->name,
                         setting->choices);
    }
    *out = dusk_number_at(value, &end);
    if (end == value || *end || !(*out >= setting->low && *out <= setting->high) ||
        (setting->whole && *out != floor(*out)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give another number", "%s is a %snumber from %g to %g",
                         setting->name, setting->whole ? "whole " : "", setting->low, setting->high);
    return DUSK_OK;
}

static size_t find_setting(const learn_learner *learner, const char *text)
{
    const dusk_setting *settings = learner->shown.settings;
    size_t length = strcspn(text, "=");
    for (size_t i = 0; settings[i].name; i++)
        if (strlen(settings[i].name) == length && !memcmp(settings[i].name, text, length)) return i;
    return DUSK_NO_LINK;
}

static dusk_status copy_text(char **out, const char *text, dusk_error *err)
{
    dusk_buffer copy = { .data = NULL };
    dusk_buffer_add(&copy, "%s", text);
    return dusk_buffer_take(&copy, out, err);
}

static dusk_status fail_setting(const dusk_learner *learner, const char *text, dusk_error *err)
{
    char hint[160], name[61];
    dusk_suggestion suggestion;
    const bool whole = strchr(text, '=') != NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    dusk_suggestion_init(&suggestion, name);
    for (const dusk_setting *s = learner->settings; s->name; s++)
        if (strcmp(s->name, name) != 0) dusk_suggestion_offer(&suggestion, s->name);
    snprintf(hint, sizeof hint, "%s%s%sdusk train %s -h lists its settings",
             suggestion.best ? "did you mean " : "", suggestion.best ? suggestion.best : "",
             suggestion.best ? "? " : "", learner->name);
    return dusk_fail(err, DUSK_ERR_ARGUMENT, hint, "%s is no setting of %s%s", *name ? name : "an empty word",
                     learner->name, whole ? "" : " (write name=value)");
}

static dusk_status read_settings(dusk_training *training, const dusk_train_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_learner *learner = training->job.learner;
    for (size_t k = 0; k < options->settings_count; k++) {
        const char *text = options->settings[k];
        size_t i = find_setting(learner, text);
        if (i == DUSK_NO_LINK || !strchr(text, '=')) return fail_setting(&learner->shown, text, err);
        if (training->value[i])
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give it once", "%s is set twice",
                             learner->shown.settings[i].name);
        DUSK_TRY(copy_text(&training->value[i], strchr(text, '=') + 1, err));
    }
    for (size_t i = 0; learner->shown.settings[i].name; i++) {
        const dusk_setting *setting = &learner->shown.settings[i];
        if (!training->value[i]) DUSK_TRY(copy_text(&training->value[i], setting->fallback, err));
        DUSK_TRY(learn_setting_read(setting, &training->job.setting[i], training->value[i], err));
    }
done:
    return status;
}

/* --- plan --------------------------------------------------------------------------------------------------------------- */

/* Whose privacy: a unit's, or only that of the labels of its rows. */
static const char *unit_of(const learn_job *job, char *room, size_t size)
{
    const char *unit = job->fields->unit;
    if (!job->learner->labels_only) return unit;
    const bool one = job->fields->rows_per_unit == 1 || !strcmp(unit, "row");
    snprintf(room, size, DUSK_LABEL_OF "a %.40s%s", unit, one ? "" : "'s rows");
    return room;
}

/* What needs no delta is stated without: epsilon at delta 0, where that is within what was asked for. */
static void leave_delta(learn_job *job)
{
    const learn_budget *budget = &job->budget;
    char room[sizeof job->statement.unit];
    dusk_statement pure;
    double epsilon;
    if (dusk_event_epsilon_up(&budget->event, &epsilon, 0, NULL) != DUSK_OK || !(epsilon < INFINITY)) return;
    if (dusk_statement_init(&pure, &budget->event, 0, budget->neighbours, unit_of(job, room, sizeof room),
                            NULL) == DUSK_OK &&
        pure.epsilon <= budget->epsilon)
        job->statement = pure;
}

static dusk_status state(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char room[sizeof job->statement.unit];
    if (job->plain)
        return dusk_statement_none(&job->statement, job->budget.neighbours, job->fields->unit, err);
    DUSK_TRY(learn_budget_state(&job->budget, &job->statement, unit_of(job, room, sizeof room), err));
    leave_delta(job);
    job->statement.numerics = job->learner->shown.numerics;
    DUSK_TRY(learn_assume_rows(&job->statement, job->fields, job->rows, err));
    if (job->assumed) DUSK_TRY(dusk_statement_assume(&job->statement, job->assumed, err));
done:
    return status;
}

/* One of: an epsilon, the noise, none. */
static dusk_status make_budget(learn_job *job, const dusk_train_options *options, dusk_error *err)
{
    const uint32_t rows_per_unit = job->fields->rows_per_unit;
    if (options->noise == 0 && !options->no_privacy)
        return learn_budget_init(&job->budget, options->neighbours, options->epsilon, options->delta,
                                 rows_per_unit, err);
    if (!learn_has(job->learner, DUSK_ABILITY_NOISE))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give an epsilon",
                         "%s cannot be trained with a given noise, or without privacy: net can",
                         job->learner->shown.name);
    if (options->epsilon != 0 || (options->noise != 0 && options->no_privacy))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give one of them",
                         "an epsilon, a noise and no privacy exclude each other");
    job->plain = options->no_privacy;
    return learn_budget_by_noise(&job->budget, options->neighbours, job->plain ? 1 : options->noise,
                                 job->plain ? 0.5 : options->delta, rows_per_unit, err);
}

static dusk_status plan(dusk_training *training, const dusk_train_options *options, learn_versions *versions,
                        dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = &training->job;
    if (job->learner->shown.numerics == DUSK_NUMERICS_IDEALISED && !options->accept_idealised)
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "choose another learner, or accept it as it is: --accept-idealised",
                         "the promise of %s holds in ideal arithmetic only", job->learner->shown.name);
    DUSK_TRY(find_label(job, options->label, err));
    DUSK_TRY(take_open_rows(training, options->open_rows, err));
    DUSK_TRY(take_check_rows(training, options, err));
    DUSK_TRY(take_memory(job, options->memory, err));
    DUSK_TRY(read_settings(training, options, err));
    DUSK_TRY(make_budget(job, options, err));
    if (versions) learn_budget_version(&job->budget, versions);
    if (versions && !learn_has(job->learner, DUSK_ABILITY_VERSIONS))
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "linear, lasso, functional and naive_bayes have them",
                         "%s has no versions with less noise: it does more than to release sums once",
                         job->learner->shown.name);
    DUSK_TRY(job->learner->plan(job, err));
    if (job->said.failed) DUSK_TRY(dusk_fail_memory(err)); /* a plan that says all it does, or none */
    DUSK_TRY(state(job, err));
done:
    return status;
}

DUSK_PROVEN(learn_training_prepare)
dusk_status learn_training_prepare(dusk_training **out, const char *learner, const dusk_fields *fields,
                                   const dusk_train_options *options, learn_versions *versions,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_training *training = NULL;

    *out = NULL;
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_train_options_init",
                         "the options were never made");
    DUSK_TRY(dusk_check_arithmetic(err));
    DUSK_NEW(training, 1);
    DUSK_TRY(dusk_fields_copy(&training->fields, fields, NULL, 0, err));
    training->job.fields = training->fields;
    training->job.text = training->value;
    training->job.rows = options->rows;
    training->job.progress = options->progress;
    training->job.progress_context = options->progress_context;
    DUSK_TRY(learn_find(&training->job.learner, learner, err));
    DUSK_TRY(plan(training, options, versions, err));
    *out = training;
    training = NULL;
done:
    dusk_training_free(training);
    return status;
}

dusk_status dusk_training_prepare(dusk_training **out, const char *learner, const dusk_fields *fields,
                                  const dusk_train_options *options, dusk_error *err)
{
    return learn_training_prepare(out, learner, fields, options, NULL, err);
}

learn_job *learn_training_job(dusk_training *training) { return &training->job; }

const dusk_statement *dusk_training_statement(const dusk_training *training)
{
    return &training->job.statement;
}

uint64_t dusk_training_steps(const dusk_training *training) { return training->job.steps; }

dusk_status dusk_training_spent(const dusk_training *training, uint64_t steps, double *epsilon,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_job *job = &training->job;
    dusk_event event;
    dusk_statement statement;
    if (!job->learner->spent || steps < 1 || steps > job->steps)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for steps from 1 to dusk_training_steps",
                         "the training does not take %llu steps", (unsigned long long)steps);
    *epsilon = INFINITY;
    if (job->plain) return DUSK_OK;
    DUSK_TRY(job->learner->spent(job, steps, &event, err));
    DUSK_TRY(dusk_statement_init(&statement, &event, job->budget.delta, job->budget.neighbours,
                                 job->fields->unit, err));
    *epsilon = statement.epsilon;
done:
    return status;
}

dusk_status dusk_training_explain(const dusk_training *training, char **text, dusk_error *err)
{
    return copy_text(text, training->job.said.data ? training->job.said.data : "", err);
}

/* --- run ------------------------------------------------------------------------------------------------------------------ */

dusk_status learn_check_frame(const dusk_fields *fields, const dusk_frame *frame, dusk_error *err)
{
    bool same = frame->fields->count == fields->count;
    for (size_t i = 0; same && i < fields->count; i++)
        same = same_field(&frame->fields->field[i], &fields->field[i]);
    if (same && frame->fields->rows_per_unit == fields->rows_per_unit) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "read it with the same fields",
                     "the frame has other fields than those it was prepared for");
}

static dusk_status start_model(dusk_training *training, dusk_model **out, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = &training->job;
    const dusk_setting *settings = job->learner->shown.settings;
    DUSK_TRY(learn_model_new(out, job->learner, training->fields, job->label, err));
    DUSK_TRY(learn_labels_copy(&(*out)->labels, &job->labels, err));
    for (size_t i = 0; settings[i].name; i++)
        DUSK_TRY(learn_model_setting(*out, settings[i].name, training->value[i], err));
    (*out)->statement = job->statement;
done:
    return status;
}

/* What fit may rescale is the job's; the model has a copy of its own. */
static dusk_status copy_features(learn_features *out, const learn_features *features, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_features copy = *features;
    if (features->width == 0) return DUSK_OK;
    DUSK_NEW(copy.feature, features->width);
    memcpy(copy.feature, features->feature, features->width * sizeof *copy.feature);
    *out = copy;
done:
    return status;
}

DUSK_PROVEN(dusk_training_run)
dusk_status dusk_training_run(dusk_training *training, dusk_model **out, const dusk_frame *frame,
                              dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = &training->job;
    learn_features planned = { 0 };
    dusk_model *model = NULL;

    *out = NULL;
    if (DUSK_MUTATE(TRAINING_RUNS_IN_ANY_ARITHMETIC, true, false)) DUSK_TRY(dusk_check_arithmetic(err));
    DUSK_TRY(learn_check_frame(training->fields, frame, err));
    if (!training->begun) DUSK_TRY(dusk_training_begin(training, NULL, 0, err));
    training->begun = false; /* a charge is for one run */
    DUSK_TRY(start_model(training, &model, err));
    DUSK_TRY(copy_features(&planned, &job->features, err));
    job->model = model;
    status = job->learner->fit(job, frame, gen, err);
    job->model = NULL;
    model->features = job->features; /* as they were used; the plan is as it was, for another run */
    job->features = planned;
    planned = (learn_features){ 0 };
    if (status == DUSK_OK) status = learn_model_names(model, err);
    if (status == DUSK_OK) status = learn_training_answer(training, err); /* before anybody has the model */
    if (status != DUSK_OK) goto done;
    learn_progress(job, 1);
    *out = model;
    model = NULL;
done:
    learn_features_clear(&planned);
    dusk_model_free(model);
    return status;
}

dusk_status dusk_training_run_charged(dusk_training *training, dusk_model **out, const dusk_frame *frame,
                                      dusk_ledger *ledger, const char *analyst, uint64_t version,
                                      dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_job *job = &training->job;
    char purpose[160];
    uint64_t id;
    dusk_model *model = NULL;

    *out = NULL;
    if (job->plain)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "train with an epsilon",
                         "a training without privacy is never charged to a ledger");
    if (DUSK_MUTATE(TRAINING_RUNS_IN_ANY_ARITHMETIC, true, false)) DUSK_TRY(dusk_check_arithmetic(err));
    DUSK_TRY(learn_check_frame(training->fields, frame, err));
    snprintf(purpose, sizeof purpose, "train %s%s%.60s", job->learner->shown.name,
             job->label_field ? " for " : "", job->label_field ? job->label_field->name : "");
    id = job->checkpoint.charge;
    if (!job->checkpoint.resumed)
        DUSK_TRY(dusk_ledger_reserve_statement(ledger, &id, &job->statement, analyst, purpose, version, err));
    DUSK_TRY(dusk_training_begin(training, ledger, id, err));
    DUSK_TRY(dusk_training_run(training, &model, frame, gen, err));
    *out = model;
    model = NULL;
done:
    dusk_model_free(model);
    return status;
}
