/* SPDX-License-Identifier: Apache-2.0 */
/* The best of several settings [Liu & Talwar 2019; Papernot & Steinke 2022], by mechanisms/candidates.c: a run is a training and a
 * score on rows held out. What a run may cost is found from the promise before a row is looked at. Proof: select.proof.md. */
#include "dusk/learn_select.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accounting/accountants.h"
#include "accounting/event.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/mechanisms.h"
#include "learn/learner.h"
#include "numeric/rounding.h"
#include "random/sampling.h"

struct dusk_search {
    dusk_fields *fields;
    dusk_training **training; /* of each candidate */
    size_t count;
    dusk_candidates runs;
    dusk_metric metric;
    dusk_train_options score; /* promise of the score of a run */
    double held_out;
    double cost; /* what a run may cost: rho of zero-concentrated privacy, or epsilon without delta */
    dusk_statement statement;
    char name[DUSK_NAME_MAX + 1];
    dusk_buffer said;
};

void dusk_search_options_init(dusk_search_options *options)
{
    *options = (dusk_search_options){ .size = sizeof *options, .held_out = 0.2, .score_share = 0.1 };
}

void dusk_search_free(dusk_search *search)
{
    if (!search) return;
    for (size_t i = 0; search->training && i < search->count; i++) dusk_training_free(search->training[i]);
    dusk_deallocate(search->training);
    dusk_fields_free(search->fields);
    dusk_buffer_clear(&search->said);
    dusk_deallocate(search);
}

/* --- prices -------------------------------------------------------------------------------------------------------------- */

/* Noise and choices, relative to what the statement's own relation changes. */
static bool is_plain(const dusk_event_node *node)
{
    switch (node->kind) {
    case DUSK_EVENT_PURE:
    case DUSK_EVENT_ZCDP:
    case DUSK_EVENT_GDP:
    case DUSK_EVENT_GAUSSIAN:
    case DUSK_EVENT_LAPLACE:
    case DUSK_EVENT_DISCRETE_LAPLACE:
    case DUSK_EVENT_DISCRETE_GAUSSIAN:
    case DUSK_EVENT_EXPONENTIAL:
    case DUSK_EVENT_PERMUTE_AND_FLIP: return node->span == 1;
    default: return false;
    }
}

/* The cost of a statement in the unit of dusk_search.cost. */
DUSK_PROVEN(cost_of)
static dusk_status cost_of(double *out, const dusk_statement *statement, bool pure, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event_nodes nodes;
    double sum = 0;
    if (pure) {
        *out = statement->epsilon;
        return DUSK_OK;
    }
    DUSK_TRY(dusk_event_read(&nodes, &statement->event, err));
    for (uint64_t i = 0; i < nodes.count; i++) {
        double xi, rho;
        if (!DUSK_MUTATE(SEARCH_PRICES_ANYTHING, is_plain(&nodes.node[i]), true))
            return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "search without delta, or choose another learner",
                             "the price of a run is not that of noise and choices alone");
        DUSK_TRY(dusk_zcdp_of_tree(&xi, &rho, &nodes.node[i], DUSK_ADD_REMOVE, err));
        if (!(xi <= 0 && rho < INFINITY))
            return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "search without delta, or choose another learner",
                             "the price of a run has no zero-concentrated form");
        sum = dusk_add_up(sum, rho);
    }
    *out = sum;
done:
    return status;
}

/* The statement of a search whose runs cost `cost` each. */
DUSK_PROVEN(state)
static dusk_status state(dusk_statement *out, const dusk_search *s, double cost,
                         const dusk_train_options *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event run, all;
    DUSK_TRY(train->delta > 0 ? dusk_event_zcdp(&run, cost, err) : dusk_event_pure(&run, cost, err));
    DUSK_TRY(dusk_candidates_event(&s->runs, &all, &run, err));
    DUSK_TRY(dusk_statement_init(out, DUSK_MUTATE(SEARCH_COSTS_ONE_RUN, &all, &run), train->delta,
                                 train->neighbours, s->fields->unit, err));
done:
    return status;
}

/* What is pure is said as that, which every ledger can charge: not all of them know what a search of pure runs costs. */
DUSK_PROVEN(state_pure)
static dusk_status state_pure(dusk_statement *statement, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_statement whole = *statement;
    dusk_event all;
    DUSK_TRY(dusk_event_pure(&all, whole.epsilon, err));
    DUSK_TRY(dusk_statement_init(statement, &all, 0, whole.neighbours, whole.unit, err));
done:
    return status;
}

/* The largest cost of a run, about, with which the whole keeps the promise. */
static dusk_status find_cost(dusk_search *s, const dusk_train_options *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double low = 0, high = train->delta > 0 ? train->epsilon * train->epsilon : train->epsilon;
    high = fmin(high, train->epsilon);
    for (int i = 0; i < 40 && (low == 0 || high > low * (1 + 0x1p-10)); i++) {
        const double middle = low > 0 ? (low + high) / 2 : high / 4;
        dusk_statement statement;
        DUSK_TRY(state(&statement, s, middle, train, err));
        if (statement.epsilon <= train->epsilon)
            low = middle;
        else
            high = middle;
    }
    if (!(low > 0))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use a larger epsilon or delta",
                         "no run of a search is cheap enough for epsilon %.3g", train->epsilon);
    s->cost = low;
    DUSK_TRY(state(&s->statement, s, low, train, err));
    if (train->delta == 0) DUSK_TRY(state_pure(&s->statement, err));
done:
    return status;
}

/* --- parts of a run -------------------------------------------------------------------------------------------------------- */

/* A part that can be had at any epsilon: what it costs. */
typedef struct part {
    dusk_search *search;
    const char *learner;
    dusk_train_options options; /* epsilon is to be found */
    dusk_model *empty;          /* of scores */
    dusk_training *training;    /* of trainings */
} part;

static dusk_status price(part *p, double *cost, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_search *s = p->search;
    dusk_statement statement;
    p->options.epsilon = epsilon;
    if (p->empty) {
        DUSK_TRY(dusk_model_score_price(&statement, s->metric, p->empty, s->fields, &p->options, err));
    } else {
        dusk_training_free(p->training);
        p->training = NULL;
        DUSK_TRY(dusk_training_prepare(&p->training, p->learner, s->fields, &p->options, err));
        statement = *dusk_training_statement(p->training);
    }
    DUSK_TRY(cost_of(cost, &statement, p->options.delta == 0, err));
done:
    return status;
}

/* An epsilon with which a part costs at most `most`, and not much less. Costs grow about with epsilon (pure) or its square. */
DUSK_PROVEN(calibrate)
static dusk_status calibrate(part *p, double most, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool pure = p->options.delta == 0;
    double epsilon = pure ? most * (1 - 0x1p-30) : sqrt(2 * most) * 4, cost;
    DUSK_TRY(price(p, &cost, epsilon, err));
    for (int i = 0; i < 60; i++) {
        if (cost <= most && (pure || i >= 8 || cost > 0.99 * most)) return DUSK_OK;
        const double ratio = pure ? 0.999 : sqrt(most / cost) * (i < 8 ? 0.998 : 0.95);
        epsilon *= cost > most ? fmin(ratio, 0.999) : ratio;
        DUSK_TRY(price(p, &cost, epsilon, err));
    }
    if (cost <= most) return DUSK_OK;
    status = dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose another learner, or a larger epsilon",
                       "no run of %s is cheap enough", p->learner);
done:
    return status;
}

dusk_status learn_candidate_words(const char *word[LEARN_WORDS_MAX], size_t *count, char *text, size_t size,
                                  const char *candidate, const dusk_train_options *train, dusk_error *err)
{
    size_t n = 0;
    if (strlen(candidate) >= size || train->settings_count > LEARN_SETTINGS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "shorten it", "settings of a candidate are too long");
    memcpy(text, candidate, strlen(candidate) + 1);
    for (; n < train->settings_count; n++) word[n] = train->settings[n];
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        if (n == LEARN_WORDS_MAX)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give fewer", "a candidate has at most %d settings",
                             LEARN_WORDS_MAX);
        word[n++] = text;
        text += strcspn(text, " ");
        if (*text) *text++ = '\0';
    }
    *count = n;
    return DUSK_OK;
}

static dusk_status plan_candidate(dusk_search *s, size_t i, const char *learner, const char *candidate,
                                  const dusk_train_options *train, double most, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const char *word[LEARN_WORDS_MAX];
    char text[1024];
    part p = { .search = s, .learner = learner, .options = *train };
    DUSK_TRY(
        learn_candidate_words(word, &p.options.settings_count, text, sizeof text, candidate, train, err));
    p.options.settings = word;
    p.options.rows = (uint64_t)((double)train->rows * (1 - s->held_out));
    p.options.progress = NULL;
    DUSK_TRY(calibrate(&p, most, err));
    s->training[i] = p.training;
    p.training = NULL;
    dusk_buffer_add(&s->said, "candidate %zu: %s%sepsilon %.4g at delta %.3g a training\n", i, candidate,
                    *candidate ? ", " : "", dusk_training_statement(s->training[i])->epsilon, train->delta);
done:
    dusk_training_free(p.training);
    return status;
}

static dusk_status plan_score(dusk_search *s, const learn_learner *learner, size_t label,
                              const dusk_train_options *train, double most, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    part p = { .search = s, .learner = learner->shown.name, .options = *train };
    p.options.rows = 0;
    p.options.progress = NULL;
    DUSK_TRY(learn_model_new(&p.empty, learner, s->fields, label, err));
    DUSK_TRY(calibrate(&p, most, err));
    s->score = p.options;
    dusk_buffer_add(&s->said, "each run is scored on about %.0f %% of the rows, for epsilon %.4g\n",
                    100 * s->held_out, s->score.epsilon);
done:
    dusk_model_free(p.empty);
    return status;
}

/* --- prepare ------------------------------------------------------------------------------------------------------------------ */

static dusk_status check(const dusk_train_options *train, const dusk_search_options *o, dusk_error *err)
{
    if (train->size != sizeof *train || o->size != sizeof *o)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_train_options_init and dusk_search_options_init",
                         "the options were never made");
    if (DUSK_MUTATE(SEARCH_SHOWS_ITS_RUNS, train->check_rows != NULL, false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "leave the public rows out",
                         "only the best of several runs may be seen, so none can be looked at as it goes");
    if (o->candidates_count < 1 || o->candidates_count > 4096)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give settings to choose from",
                         "a search has 1 to 4096 candidates");
    if (!(o->held_out > 0 && o->held_out < 1) || !(o->score_share > 0 && o->score_share < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0.2 and 0.1",
                         "held_out and score_share are between 0 and 1");
    if (!(o->eta > -1 && o->eta <= 100) || !(o->runs == 0 || (o->runs > 1 && o->runs <= 1e6)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use eta 0, and runs 0",
                         "eta is above -1 and at most 100, runs are above 1 and at most 10^6");
    return DUSK_OK;
}

/* The gamma with which there are about so many runs on average. */
static dusk_status plan_runs(dusk_search *s, const dusk_search_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double runs = o->runs > 0 ? o->runs : fmax(2 * (double)o->candidates_count, 2);
    double low = 0x1p-30, high = 1 - 0x1p-20; /* fewer runs with a larger gamma */
    for (int i = 0; i < 60; i++) {
        const double middle = sqrt(low * high);
        DUSK_TRY(dusk_candidates_init(&s->runs, o->eta, middle, err));
        if (s->runs.mean > runs)
            low = middle;
        else
            high = middle;
    }
    DUSK_TRY(dusk_candidates_init(&s->runs, o->eta, high, err));
    s->runs.padding = o->padding;
    dusk_buffer_add(&s->said, "the best of a random number of runs, %.4g on average\n", s->runs.mean);
done:
    return status;
}

static dusk_status choose_learner(const learn_learner **out, dusk_search *s, const char *name,
                                  dusk_error *err)
{
    dusk_status status = learn_find(out, name, err);
    if (status != DUSK_OK) return status;
    const bool fine = learn_has(*out, DUSK_ABILITY_SEARCH);
    if (!fine && (*out)->shown.task > DUSK_TASK_NUMBER)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose a learner that has a label",
                         "models of %s have no score to choose by", name);
    if (!fine && (*out)->shown.numerics == DUSK_NUMERICS_CERTIFIED)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose another learner",
                         "what %s certifies holds but for a delta, which a search would multiply", name);
    if (!fine)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "choose settings by public rows that have labels",
                         "the promise of %s is for labels alone, and that of a search for rows", name);
    s->metric = (*out)->shown.task == DUSK_TASK_NUMBER ? DUSK_METRIC_MSE : DUSK_METRIC_ACCURACY;
    snprintf(s->name, sizeof s->name, "%s", name);
    return DUSK_OK;
}

DUSK_PROVEN(plan)
static dusk_status plan(dusk_search *s, const char *name, const dusk_train_options *train,
                        const dusk_search_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_learner *learner = NULL;
    dusk_training *first = NULL;
    double scoring;

    DUSK_TRY(check(train, o, err));
    DUSK_TRY(choose_learner(&learner, s, name, err));
    DUSK_TRY(dusk_training_prepare(&first, name, s->fields, train, err)); /* refuses what makes no sense */
    s->held_out = o->held_out;
    DUSK_TRY(plan_runs(s, o, err));
    DUSK_TRY(find_cost(s, train, err));
    scoring = s->cost * o->score_share;
    DUSK_TRY(plan_score(s, learner, dusk_fields_find(s->fields, train->label), train, scoring, err));
    DUSK_NEW(s->training, o->candidates_count);
    s->count = o->candidates_count;
    for (size_t i = 0; i < s->count; i++)
        DUSK_TRY(plan_candidate(s, i, name, o->candidates[i], train,
                                dusk_sub_down(s->cost, DUSK_MUTATE(SEARCH_SCORES_FOR_FREE, scoring, 0)),
                                err));
    s->statement.numerics = learner->shown.numerics;
    memcpy(s->statement.assumed, dusk_training_statement(first)->assumed, sizeof s->statement.assumed);
done:
    dusk_training_free(first);
    return status;
}

dusk_status dusk_search_prepare(dusk_search **out, const char *learner, const dusk_fields *fields,
                                const dusk_train_options *train, const dusk_search_options *options,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_search *search = NULL;
    *out = NULL;
    DUSK_NEW(search, 1);
    DUSK_TRY(dusk_fields_copy(&search->fields, fields, NULL, 0, err));
    DUSK_TRY(plan(search, learner, train, options, err));
    *out = search;
    search = NULL;
done:
    dusk_search_free(search);
    return status;
}

const dusk_statement *dusk_search_statement(const dusk_search *search) { return &search->statement; }

dusk_status dusk_search_explain(const dusk_search *search, char **text, dusk_error *err)
{
    dusk_buffer copy = { .data = NULL };
    if (search->said.failed) return dusk_fail_memory(err);
    dusk_buffer_add(&copy, "%s", search->said.data ? search->said.data : "");
    return dusk_buffer_take(&copy, text, err);
}

/* --- run -------------------------------------------------------------------------------------------------------------------------- */

/* What a run gives. */
typedef struct found {
    size_t place; /* among all models that were made */
    size_t candidate;
} found;

typedef struct searching {
    dusk_search *search;
    const dusk_frame *frame;
    dusk_model **model;
    size_t models, room;
} searching;

/* Any of the candidates, a training, a score. */
DUSK_PROVEN(run_once)
static dusk_status run_once(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    searching *g = context;
    dusk_search *s = g->search;
    dusk_frame *first = NULL, *second = NULL;
    found f = { .place = g->models };
    double low, high, value;
    dusk_statement statement;
    uint64_t i;

    DUSK_TRY(dusk_uniform_below(gen, &i, s->count, err));
    f.candidate = (size_t)i;
    DUSK_TRY(dusk_frame_split(g->frame, &first, &second, s->held_out, gen, err));
    DUSK_GROW(g->model, g->room, g->models);
    DUSK_TRY(dusk_training_run(s->training[i], &g->model[g->models], first, gen, err));
    g->models++;
    DUSK_TRY(dusk_model_score_release(&value, &low, &high, &statement, s->metric, g->model[f.place], second,
                                      &s->score, gen, err));
    *score = s->metric == DUSK_METRIC_MSE ? -value : value;
    memcpy(output, &f, sizeof f);
done:
    dusk_frame_free(first);
    dusk_frame_free(second);
    return status;
}

/* The price is that of the best run alone: nothing of the others may stay. */
static void forget_model(dusk_model *model)
{
    for (size_t i = 0; model && i < model->arrays; i++)
        dusk_wipe(model->array[i].value, model->array[i].rows * model->array[i].columns * sizeof(double));
    dusk_model_free(model);
}

DUSK_PROVEN(dusk_search_run)
dusk_status dusk_search_run(dusk_search *search, dusk_search_result *out, const dusk_frame *frame,
                            dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    searching g = { .search = search, .frame = frame };
    found f;
    double score;
    bool any;

    *out = (dusk_search_result){ .model = NULL };
    DUSK_TRY(learn_check_frame(search->fields, frame, err));
    DUSK_TRY(dusk_candidates_release(&search->runs, &any, &score, &f, sizeof f, run_once, &g, gen, err));
    *out = (dusk_search_result){ .model = g.model[f.place], .candidate = f.candidate, .score = score };
    out->model->statement = search->statement;
    g.model[f.place] = NULL;
done:
    for (size_t i = 0; i < g.models; i++) forget_model(g.model[i]);
    dusk_deallocate(g.model);
    return status;
}

dusk_status dusk_search_run_charged(dusk_search *search, dusk_search_result *out, const dusk_frame *frame,
                                    dusk_ledger *ledger, const char *analyst, uint64_t version,
                                    dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char purpose[160];
    uint64_t id;

    *out = (dusk_search_result){ .model = NULL };
    DUSK_TRY(learn_check_frame(search->fields, frame, err));
    snprintf(purpose, sizeof purpose, "search %s", search->name);
    DUSK_TRY(dusk_ledger_reserve_statement(ledger, &id, &search->statement, analyst, purpose, version, err));
    DUSK_TRY(dusk_search_run(search, out, frame, gen, err));
done:
    return status;
}
