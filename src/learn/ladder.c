/* SPDX-License-Identifier: Apache-2.0 */
/* As much noise as a target allows: versions of a model, each with less noise than the one before, until one is good enough [Ligett et al. 2017]. Noise is
 * not taken back but averaged away: with Gaussian noise that is as good, and every version is a release of its own, so that the
 * filter of a ledger adds them up as it adds up anything. Proof: ladder.proof.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/learn_select.h"
#include "dusk/mechanisms.h"
#include "learn/learner.h"
#include "learn/scores.h"

enum { VERSIONS_MOST = 16 };
#define ERROR_MOST                                                                                           \
    4.0 /* targets: larger errors of rows count as that in a comparison, so that noise is for no more */

struct dusk_ladder {
    dusk_fields *fields;
    dusk_task task;
    double target;
    const dusk_frame *rows; /* public, or NULL: */
    double held_out, check; /* epsilon of the comparisons */
    double factor;          /* how many rows one change of the data moves */
    bool each;
    uint32_t count;
    dusk_training *training[VERSIONS_MOST];
    learn_versions versions;
    dusk_statement step[VERSIONS_MOST];  /* what each version adds; the first with the check */
    dusk_statement spent[VERSIONS_MOST]; /* all up to it */
    dusk_ledger *ledger;                 /* of the next run, where versions are charged one by one */
    char analyst[64];
    uint64_t data;
    char purpose[160];
    void (*progress)(void *context, double part);
    void *progress_context;
    dusk_buffer said;
};

void dusk_ladder_options_init(dusk_ladder_options *options)
{
    *options = (dusk_ladder_options){
        .size = sizeof *options, .target = NAN, .versions = 6, .held_out = 0.2, .check_share = 0.1
    };
}

void dusk_ladder_free(dusk_ladder *ladder)
{
    if (!ladder) return;
    for (uint32_t i = 0; i < ladder->count; i++) dusk_training_free(ladder->training[i]);
    learn_versions_clear(&ladder->versions);
    dusk_fields_free(ladder->fields);
    dusk_buffer_clear(&ladder->said);
    dusk_deallocate(ladder);
}

/* --- prepare ---------------------------------------------------------------------------------------------------------- */

static dusk_status check_target(dusk_task task, const dusk_ladder_options *o, const char *name,
                                dusk_error *err)
{
    if (task == DUSK_TASK_GROUPS || task == DUSK_TASK_VECTOR || task == DUSK_TASK_LABELS)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose a learner of categories, numbers or densities",
                         "models of %s have no score to aim at", name);
    if (task == DUSK_TASK_DENSITY && !o->rows)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "give public rows to check by",
                         "a log likelihood has no bound, and cannot be compared on private rows");
    bool fine = task == DUSK_TASK_NUMBER ? o->target > 1e-100 && o->target < 1e100
                                         : task == DUSK_TASK_DENSITY || (o->target > 0 && o->target < 1);
    if (fine && isfinite(o->target)) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT,
                     task == DUSK_TASK_NUMBER ? "give an error in the unit of the label"
                                              : "give a share of rows, such as 0.8",
                     "the target of %s is %s", name,
                     task == DUSK_TASK_NUMBER    ? "a root mean squared error, above 0"
                     : task == DUSK_TASK_DENSITY ? "a log likelihood"
                                                 : "an accuracy, between 0 and 1");
}

static dusk_status check(const dusk_train_options *train, const dusk_ladder_options *o, dusk_error *err)
{
    if (train->size != sizeof *train || o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_train_options_init and dusk_ladder_options_init",
                         "the options were never made");
    if (!(train->delta > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "add a delta, far below 1 over the number of rows",
                         "versions with less noise are of Gaussian noise, which needs a delta");
    if (o->versions < 2 || o->versions > VERSIONS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 6", "there are 2 to %d versions", VERSIONS_MOST);
    if (!(o->first == 0 || (o->first > 0 && o->first < train->epsilon)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0: a 32nd of it",
                         "the first version costs less than the whole");
    if (!o->rows && (!(o->held_out > 0 && o->held_out < 1) || !(o->check_share > 0 && o->check_share < 1)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0.2 and 0.1",
                         "held_out and check_share are between 0 and 1");
    return DUSK_OK;
}

/* What version i adds, and what all up to it cost. */
DUSK_PROVEN(add_version)
static dusk_status add_version(dusk_ladder *l, uint32_t i, learn_budget *all, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_statement *own = dusk_training_statement(l->training[i]);
    l->step[i] = *own;
    if (i == 0 && DUSK_MUTATE(LADDER_CHECK_IS_FREE, all->any, false)) {
        dusk_event both;
        DUSK_TRY(dusk_event_add(&both, &all->event, &own->event, err));
        DUSK_TRY(dusk_statement_init(&l->step[i], &both, own->delta, own->neighbours, own->unit, err));
    }
    if (all->any && DUSK_MUTATE(LADDER_CHARGES_LAST_ONLY, true, i == 0))
        DUSK_TRY(dusk_event_add(&all->event, &all->event, &own->event, err));
    else
        all->event = own->event;
    all->any = true;
    DUSK_TRY(learn_budget_state(all, &l->spent[i], own->unit, err));
    l->step[i].numerics = l->spent[i].numerics = own->numerics;
    memcpy(l->step[i].assumed, own->assumed, sizeof own->assumed);
    memcpy(l->spent[i].assumed, own->assumed, sizeof own->assumed);
    dusk_buffer_add(&l->said, "version %u: epsilon %s in all\n", i + 1,
                    dusk_shown_up(l->spent[i].epsilon, 4).text);
done:
    return status;
}

static dusk_status plan_versions(dusk_ladder *l, const char *name, const dusk_train_options *train,
                                 const dusk_ladder_options *o, learn_budget *all, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double first = o->first > 0 ? o->first : train->epsilon / 32, share = all->left;
    dusk_train_options options = *train;
    learn_budget low;
    DUSK_TRY(learn_budget_init(&low, train->neighbours, first, train->delta, l->fields->rows_per_unit, err));
    const double bottom = low.mu * sqrt(share), top = all->mu * sqrt(share) * (1 - 0x1p-20);
    options.progress = NULL;
    if (!l->rows) options.rows = (uint64_t)((double)train->rows * (1 - l->held_out));
    for (uint32_t i = 0; i < o->versions; i++) {
        l->versions.before = l->versions.now;
        l->versions.now = i + 1 < o->versions ? bottom * pow(top / bottom, i / (o->versions - 1.0)) : top;
        DUSK_TRY(learn_training_prepare(&l->training[i], name, l->fields, &options, &l->versions, err));
        l->count++;
        DUSK_TRY(add_version(l, i, all, err));
    }
done:
    return status;
}

/* What the last version says of itself: noise is as of a training at its epsilon. */
static dusk_status say_last(dusk_ladder *l, dusk_error *err)
{
    char *text = NULL;
    dusk_status status = dusk_training_explain(l->training[l->count - 1], &text, err);
    if (status == DUSK_OK) dusk_buffer_add(&l->said, "the last version, when it comes to that:\n%s", text);
    dusk_ledger_free_text(text);
    return status;
}

DUSK_PROVEN(plan)
static dusk_status plan(dusk_ladder *l, const char *name, const dusk_train_options *train,
                        const dusk_ladder_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_learner *learner = NULL;
    learn_budget all;
    DUSK_TRY(check(train, o, err));
    DUSK_TRY(learn_find(&learner, name, err));
    DUSK_TRY(check_target(learner->shown.task, o, name, err));
    if (o->rows) DUSK_TRY(learn_check_frame(l->fields, o->rows, err));
    if (o->rows && o->rows->rows == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give some, or none: then private ones are held out",
                         "there are no public rows to check by");
    DUSK_TRY(learn_budget_init(&all, train->neighbours, train->epsilon, train->delta,
                               l->fields->rows_per_unit, err));
    l->task = learner->shown.task;
    l->target = o->target;
    l->rows = o->rows;
    l->held_out = o->held_out;
    l->factor = all.factor;
    l->each = o->each;
    l->progress = train->progress;
    l->progress_context = train->progress_context;
    snprintf(l->purpose, sizeof l->purpose, "train %s%s%.60s", name, train->label ? " for " : "",
             train->label ? train->label : "");
    if (l->rows) {
        dusk_buffer_add(&l->said,
                        "versions of less and less noise, until one meets %.4g on %zu public rows\n",
                        o->target, o->rows->rows);
    } else {
        DUSK_TRY(learn_budget_pure(&all, &l->check, false, o->check_share, 1, err));
        dusk_buffer_add(
            &l->said,
            "versions of less and less noise, until one meets %.4g on about %.0f %% of the rows, held out, "
            "by noisy comparisons of epsilon %s together\n",
            o->target, 100 * l->held_out, dusk_shown_up(l->check, 4).text);
    }
    DUSK_TRY(plan_versions(l, name, train, o, &all, err));
    DUSK_TRY(say_last(l, err));
done:
    return status;
}

dusk_status dusk_ladder_prepare(dusk_ladder **out, const char *learner, const dusk_fields *fields,
                                const dusk_train_options *train, const dusk_ladder_options *options,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ladder *ladder = NULL;
    *out = NULL;
    DUSK_NEW(ladder, 1);
    DUSK_TRY(dusk_fields_copy(&ladder->fields, fields, NULL, 0, err));
    DUSK_TRY(plan(ladder, learner, train, options, err));
    *out = ladder;
    ladder = NULL;
done:
    dusk_ladder_free(ladder);
    return status;
}

const dusk_statement *dusk_ladder_statement(const dusk_ladder *ladder)
{
    return &ladder->spent[ladder->count - 1];
}

dusk_status dusk_ladder_explain(const dusk_ladder *ladder, char **text, dusk_error *err)
{
    dusk_buffer copy = { .data = NULL };
    if (ladder->said.failed) return dusk_fail_memory(err);
    dusk_buffer_add(&copy, "%s", ladder->said.data ? ladder->said.data : "");
    return dusk_buffer_take(&copy, text, err);
}

/* --- charges ---------------------------------------------------------------------------------------------------------- */

static dusk_status charge_version(dusk_ladder *l, uint32_t i, dusk_error *err)
{
    char purpose[200];
    uint64_t id;
    snprintf(purpose, sizeof purpose, "%s, version %u of %u", l->purpose, i + 1, l->count);
    return dusk_ledger_reserve_statement(l->ledger, &id, &l->step[i], l->analyst, purpose, l->data, err);
}

DUSK_PROVEN(dusk_ladder_charge)
dusk_status dusk_ladder_charge(dusk_ladder *ladder, dusk_ledger *ledger, const char *analyst,
                               uint64_t version, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ledger_options made;
    uint64_t id;
    ladder->ledger = NULL;
    if (!ladder->each)
        return dusk_ledger_reserve_statement(ledger, &id, dusk_ladder_statement(ladder), analyst,
                                             ladder->purpose, version, err);
    dusk_ledger_made_with(ledger, &made);
    if (made.filter == DUSK_FILTER_BASIC)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         "charge the maximum, or keep the budget with the filter gdp, zcdp or rdp",
                         "a basic filter would add up the epsilons of versions to more than the maximum");
    if (strlen(analyst) >= sizeof ladder->analyst)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a shorter one", "the name of the analyst is too long");
    snprintf(ladder->analyst, sizeof ladder->analyst, "%s", analyst);
    ladder->data = version;
    ladder->ledger = ledger;
    status = charge_version(ladder, 0, err);
    if (status != DUSK_OK) ladder->ledger = NULL;
    return status;
}

/* May version i > 0 be made? Not when a limit does not allow it. */
DUSK_PROVEN(may_go_on)
static dusk_status may_go_on(dusk_ladder *l, uint32_t i, bool *may, dusk_error *err)
{
    dusk_error why = { .message = "" };
    *may = true;
    if (!DUSK_MUTATE(LADDER_CHARGES_FIRST_ONLY, l->ledger, NULL)) return DUSK_OK;
    dusk_status status = charge_version(l, i, &why);
    *may = status == DUSK_OK;
    if (status == DUSK_OK || status == DUSK_ERR_BUDGET) return DUSK_OK;
    if (err) *err = why;
    return status;
}

/* --- run ---------------------------------------------------------------------------------------------------------------- */

/* Rows to learn from and to check by. */
typedef struct climb {
    const dusk_frame *learn;
    dusk_frame *first, *second; /* of private rows that are held out */
    dusk_sparse_vector *vector;
} climb;

DUSK_PROVEN(begin)
static dusk_status begin(climb *c, const dusk_ladder *l, const dusk_frame *frame, dusk_generator *gen,
                         dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_sparse_vector_options how;
    c->learn = frame;
    if (l->rows) return DUSK_OK;
    dusk_sparse_vector_options_init(&how);
    how.sensitivity = DUSK_MUTATE(LADDER_UNIT_HAS_ONE_ROW, l->factor, 1);
    how.threshold = 0;
    how.hits = 1;
    how.epsilon = l->check * (1 - 0x1p-30);
    DUSK_TRY(dusk_frame_split(frame, &c->first, &c->second, l->held_out, gen, err));
    DUSK_TRY(dusk_sparse_vector_new(&c->vector, &how, gen, err));
    c->learn = c->first;
done:
    return status;
}

/* Whether private rows are at least as good as the target, after noise. */
DUSK_PROVEN(ask)
static dusk_status ask(const climb *c, const dusk_ladder *l, bool *met, const dusk_model *model,
                       dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool number = l->task == DUSK_TASK_NUMBER;
    const double most = number ? pow(ERROR_MOST * l->target, 2) : 1;
    dusk_int128 excess = 0;
    DUSK_TRY(learn_excess(&excess, number ? DUSK_METRIC_MSE : DUSK_METRIC_ACCURACY, model, c->second, most,
                          number ? 1 - 1.0 / (ERROR_MOST * ERROR_MOST) : l->target, err));
    DUSK_TRY(dusk_sparse_vector_release(c->vector, met, NULL, (double)excess / LEARN_EXCESS_ONE, gen, err));
done:
    return status;
}

static dusk_status look(const dusk_ladder *l, bool *met, const dusk_model *model, dusk_error *err)
{
    dusk_model_scores scores;
    dusk_status status = dusk_model_score(&scores, model, l->rows, err);
    if (status != DUSK_OK) return status;
    *met = l->task == DUSK_TASK_NUMBER    ? scores.rmse <= l->target
           : l->task == DUSK_TASK_DENSITY ? scores.log_likelihood >= l->target
                                          : scores.accuracy >= l->target;
    return DUSK_OK;
}

DUSK_PROVEN(dusk_ladder_run)
dusk_status dusk_ladder_run(dusk_ladder *ladder, dusk_ladder_result *out, const dusk_frame *frame,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_ladder_result best = { .model = NULL };
    climb c = { .learn = NULL };
    bool may = true;

    *out = best;
    DUSK_TRY(learn_check_frame(ladder->fields, frame, err));
    learn_versions_clear(&ladder->versions);
    DUSK_TRY(begin(&c, ladder, frame, gen, err));
    for (uint32_t i = 0; i < ladder->count && !best.met; i++) {
        dusk_model *next;
        if (i > 0) DUSK_TRY(may_go_on(ladder, i, &may, err));
        if (!may) break;
        DUSK_TRY(dusk_training_run(ladder->training[i], &next, c.learn, gen, err));
        dusk_model_free(best.model);
        best.model = next;
        best.version = i + 1;
        DUSK_TRY(ladder->rows ? look(ladder, &best.met, next, err)
                              : ask(&c, ladder, &best.met, next, gen, err));
        if (ladder->progress) ladder->progress(ladder->progress_context, (i + 1.0) / ladder->count);
    }
    best.model->statement = *dusk_ladder_statement(ladder);
    best.spent =
        (dusk_budget){ ladder->spent[best.version - 1].epsilon, ladder->spent[best.version - 1].delta };
    *out = best;
    best.model = NULL;
done:
    ladder->ledger = NULL;
    learn_versions_clear(&ladder->versions);
    dusk_model_free(best.model);
    dusk_sparse_vector_free(c.vector);
    dusk_frame_free(c.first);
    dusk_frame_free(c.second);
    return status;
}
