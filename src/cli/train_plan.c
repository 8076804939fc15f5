/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to a model: one training, the best of several settings by runs or by stability, or as much noise as a target allows. */
#include "cli/train.h"

#include <math.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/ask.h"

dusk_status train_plan_check(const train_settings *s, bool steps, bool source, dusk_error *err)
{
    if ((s->plot || s->check_every) && !(s->check && isnan(s->until)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT,
                         "add --check FILE: public rows with labels, by which a curve can be drawn",
                         "%s is for networks that are looked at by public rows",
                         s->plot ? "--plot" : "--check-every");
    if (isnan(s->until) && ((s->check && !steps) || s->each))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add --until TARGET, or leave it away",
                         "%s is for versions with less and less noise",
                         s->check ? "--check" : "--charge-each");
    if (!isnan(s->until) && s->candidates.count > 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use one of them",
                         "--until and --try are two ways to a model, and do not go together");
    if ((s->checkpoint || s->resume) && (!s->checkpoint || s->candidates.count > 0 || !isnan(s->until)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --checkpoint FILE, without --try and --until",
                         "a training that goes on has one checkpoint");
    if (s->stable && s->candidates.count == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add --try 'NAME=VALUE ...', several times",
                         "--by-stability is a way to choose among settings");
    if (s->each && !source)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave it away",
                         "--charge-each is for a source (FILE.dusk), which has a ledger");
    return DUSK_OK;
}

void train_plan_clear(train_plan *plan)
{
    dusk_training_free(plan->training);
    dusk_search_free(plan->search);
    dusk_validation_free(plan->validation);
    dusk_ladder_free(plan->ladder);
    dusk_frame_free(plan->check);
    dusk_frame_free(plan->open);
    *plan = (train_plan){ .training = NULL };
}

dusk_status train_plan_open_rows(train_plan *plan, dusk_train_options *options, const dusk_fields *fields,
                                 const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_fields *seen = NULL;
    const char **keep = NULL;
    size_t count = 0;
    DUSK_NEW(keep, fields->count);
    const size_t label = s->label ? dusk_fields_find(fields, s->label) : DUSK_NO_LINK;
    for (size_t i = 0; i < fields->count; i++)
        if (i != label) keep[count++] = fields->field[i].name;
    DUSK_TRY(dusk_fields_copy(&seen, fields, keep, count, err));
    DUSK_TRY(model_rows_read(&plan->open, seen, s->open, NULL, err));
    options->open_rows = plan->open;
done:
    dusk_fields_free(seen);
    dusk_deallocate(keep);
    return status;
}

dusk_status train_plan_check_rows(train_plan *plan, dusk_train_options *options, train_curve *curve,
                                  const dusk_fields *fields, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(model_rows_read(&plan->check, fields, s->check, NULL, err));
    options->check_rows = plan->check;
    options->check_every = (uint64_t)s->check_every;
    options->observe = train_curve_observe;
    options->observe_context = curve;
    DUSK_TRY(model_rows_known(&curve->rows, plan->check, s->label, s->check, err));
done:
    return status;
}

const dusk_statement *train_plan_statement(const train_plan *plan)
{
    if (plan->ladder) return dusk_ladder_statement(plan->ladder);
    if (plan->validation) return dusk_validation_statement(plan->validation);
    return plan->search ? dusk_search_statement(plan->search) : dusk_training_statement(plan->training);
}

dusk_status train_plan_explain(const train_plan *plan, char **text, dusk_error *err)
{
    if (plan->ladder) return dusk_ladder_explain(plan->ladder, text, err);
    if (plan->validation) return dusk_validation_explain(plan->validation, text, err);
    return plan->search ? dusk_search_explain(plan->search, text, err)
                        : dusk_training_explain(plan->training, text, err);
}

static dusk_status prepare_ladder(train_plan *plan, const char *learner, const dusk_fields *fields,
                                  const dusk_train_options *options, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ladder_options ladder;
    size_t known;
    dusk_ladder_options_init(&ladder);
    if (s->check) DUSK_TRY(model_rows_read(&plan->check, fields, s->check, NULL, err));
    if (s->check) DUSK_TRY(model_rows_known(&known, plan->check, s->label, s->check, err));
    ladder.target = s->until;
    ladder.rows = plan->check;
    ladder.each = s->each;
    DUSK_TRY(dusk_ladder_prepare(&plan->ladder, learner, fields, options, &ladder, err));
done:
    return status;
}

static dusk_status prepare_choice(train_plan *plan, const char *learner, const dusk_fields *fields,
                                  const dusk_train_options *options, const train_settings *s, dusk_error *err)
{
    dusk_search_options search;
    dusk_validation_options validation;
    dusk_search_options_init(&search);
    dusk_validation_options_init(&validation);
    search.candidates = validation.candidates = s->candidates.word;
    search.candidates_count = validation.candidates_count = s->candidates.count;
    return s->stable ? dusk_validation_prepare(&plan->validation, learner, fields, options, &validation, err)
                     : dusk_search_prepare(&plan->search, learner, fields, options, &search, err);
}

dusk_status train_plan_prepare(train_plan *plan, const char *learner, const dusk_fields *fields,
                               const dusk_train_options *options, const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (!isnan(s->until))
        status = prepare_ladder(plan, learner, fields, options, s, err);
    else if (s->candidates.count == 0)
        status = dusk_training_prepare(&plan->training, learner, fields, options, err);
    else
        status = prepare_choice(plan, learner, fields, options, s, err);
    if (status == DUSK_OK) plan->cost = *train_plan_statement(plan);
    return status;
}

dusk_status train_plan_keep(train_plan *plan, const train_settings *s, bool source, dusk_error *err)
{
    if (!s->checkpoint) return DUSK_OK;
    dusk_status status =
        dusk_training_keep(plan->training, s->checkpoint, (uint64_t)s->every, s->resume, &plan->charge, err);
    if (status == DUSK_OK && s->resume && source && plan->charge == 0)
        status = dusk_fail(err, DUSK_ERR_ARGUMENT, "train anew", "the checkpoint was charged to no ledger");
    if (s->dry && !s->resume) return status; /* it goes away again, as it was not begun */
    if (status == DUSK_OK && !source) status = dusk_training_begin(plan->training, NULL, 0, err);
    if (status == DUSK_OK && s->resume)
        dusk_output_note("resumed", "%s; nothing is charged again", s->checkpoint);
    return status;
}

static dusk_status reserve(train_plan *plan, const char *purpose, const model_data *data,
                           const train_settings *s, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    if (plan->charge > 0) {
        DUSK_TRY(dusk_query_frame_ready(data->source, data->sql, &data->options, err));
    } else {
        DUSK_TRY(model_reserve(data, &plan->charge, train_plan_statement(plan), ask_analyst(s->analyst),
                               purpose, err));
        plan->charged = true;
    }
    if (plan->training)
        DUSK_TRY(dusk_training_begin(plan->training, dusk_source_ledger(data->source), plan->charge, err));
done:
    return status;
}

dusk_status train_plan_quote(const train_plan *plan, const model_data *data, const train_settings *s,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger *ledger = dusk_source_ledger(data->source);
    dusk_ledger_options made;
    DUSK_TRY(dusk_query_frame_ready(data->source, data->sql, &data->options, err));
    dusk_ledger_made_with(ledger, &made);
    if (s->each && made.filter == DUSK_FILTER_BASIC) /* as in dusk_ladder_charge */
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         "charge the maximum, or keep the budget with the filter gdp, zcdp or rdp",
                         "a basic filter would add up the epsilons of versions to more than the maximum");
    if (!s->each && plan->charge == 0)
        DUSK_TRY(dusk_ledger_quote_statement(ledger, NULL, train_plan_statement(plan),
                                             ask_analyst(s->analyst), err));
done:
    return status;
}

dusk_status train_plan_charge(train_plan *plan, const char *learner, const model_data *data,
                              const train_settings *s, dusk_error *err)
{
    char purpose[160];
    if (plan->ladder) {
        dusk_status status = dusk_query_frame_ready(data->source, data->sql, &data->options, err);
        if (status != DUSK_OK) return status;
        status = dusk_ladder_charge(plan->ladder, dusk_source_ledger(data->source), ask_analyst(s->analyst),
                                    dusk_source_schema(data->source)->version, err);
        plan->charged = status == DUSK_OK;
        return status;
    }
    if (plan->search || plan->validation)
        snprintf(purpose, sizeof purpose, "%s %s", plan->search ? "search" : "validate", learner);
    else
        snprintf(purpose, sizeof purpose, "train %s%s%.60s", learner, s->label ? " for " : "",
                 s->label ? s->label : "");
    return reserve(plan, purpose, data, s, err);
}

static dusk_status run_search(const train_plan *plan, dusk_model **out, const model_data *data,
                              const train_settings *s, dusk_generator *gen, dusk_error *err)
{
    dusk_search_result best = { .model = NULL };
    dusk_status status = dusk_search_run(plan->search, &best, data->frame, gen, err);
    if (status != DUSK_OK) return status;
    dusk_output_note("best", "\"%s\", with a noisy score of %.4g on rows held out",
                     s->candidates.word[best.candidate], best.score);
    *out = best.model;
    return DUSK_OK;
}

static dusk_status run_validation(const train_plan *plan, dusk_model **out, const model_data *data,
                                  const train_settings *s, dusk_generator *gen, dusk_error *err)
{
    size_t best;
    dusk_status status = dusk_validation_run(plan->validation, out, &best, data->frame, gen, err);
    if (status == DUSK_OK)
        dusk_output_note("best", "\"%s\", chosen with noise on rows held out", s->candidates.word[best]);
    return status;
}

static dusk_status run_ladder(train_plan *plan, dusk_model **out, const model_data *data,
                              const train_settings *s, dusk_generator *gen, dusk_error *err)
{
    dusk_ladder_result last = { .model = NULL };
    dusk_status status = dusk_ladder_run(plan->ladder, &last, data->frame, gen, err);
    if (status != DUSK_OK) return status;
    dusk_output_note("version", "number %u %s %g on %s; what was made costs epsilon %s", last.version,
                     last.met ? "meets" : "is the last, and does not meet", s->until,
                     plan->check ? "public rows" : "rows held out, by a noisy comparison",
                     dusk_shown_up(last.spent.epsilon, 4).text);
    if (s->each) plan->cost.epsilon = last.spent.epsilon;
    *out = last.model;
    return DUSK_OK;
}

dusk_status train_plan_run(train_plan *plan, dusk_model **out, const model_data *data,
                           const train_settings *s, dusk_generator *gen, dusk_error *err)
{
    if (plan->ladder) return run_ladder(plan, out, data, s, gen, err);
    if (plan->validation) return run_validation(plan, out, data, s, gen, err);
    return plan->search ? run_search(plan, out, data, s, gen, err)
                        : dusk_training_run(plan->training, out, data->frame, gen, err);
}
