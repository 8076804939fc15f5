/* SPDX-License-Identifier: Apache-2.0 */
/* The best of several settings [Liu & Talwar 2019; Papernot & Steinke 2022], by mechanisms/candidates.c: a run is a training and a
 * score on rows held out. What a run may cost is found from the promise before a row is looked at. Proof: select.proof.md. */
#include "dusk/learn_select.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accounting/event.h"
#include "accounting/renyi.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/mechanisms.h"
#include "learn/learner.h"
#include "mechanisms/candidates.h"
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

enum { ORDERS = 44 };
static const double order[ORDERS] = { 1.125, 1.25, 1.5, 1.75, 2,  2.25, 2.5, 2.75, 3,   3.25, 3.5,
                                      4,     4.5,  5,   5.5,  6,  6.5,  7,   8,    9,   10,   11,
                                      12,    13,   14,  16,   18, 20,   22,  24,   28,  32,   40,
                                      48,    56,   64,  80,   96, 128,  192, 256,  512, 1024, 4096 };

/* What one run costs: without delta its epsilon, else its Renyi divergences. */
typedef struct cost {
    bool pure;
    double epsilon, divergence[ORDERS];
} cost;

/* And what a statement says besides. */
DUSK_PROVEN(cost_add)
static dusk_status cost_add(cost *c, const dusk_statement *statement, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_composition *whole = NULL;
    dusk_renyi renyi = { .count = 0 };
    dusk_event_nodes nodes;
    if (c->pure) {
        c->epsilon = dusk_add_up(c->epsilon, statement->epsilon);
        return DUSK_OK;
    }
    DUSK_TRY(dusk_event_read(&nodes, &statement->event, err));
    DUSK_TRY(dusk_composition_new(&whole, dusk_event_relation(&nodes, statement->neighbours), err));
    DUSK_TRY(dusk_composition_add(whole, &statement->event, 1, err));
    DUSK_TRY(dusk_renyi_new(&renyi, whole, "rdp", err));
    for (int k = 0; k < ORDERS; k++)
        c->divergence[k] = dusk_add_up(c->divergence[k], dusk_renyi_divergence_up(&renyi, order[k]));
done:
    dusk_renyi_free(&renyi);
    dusk_composition_free(whole);
    return status;
}

/* Either: the worse of them, at each order. */
static void cost_either(cost *c, const cost *other)
{
    c->epsilon = fmax(c->epsilon, other->epsilon);
    for (int k = 0; k < ORDERS; k++) c->divergence[k] = fmax(c->divergence[k], other->divergence[k]);
}

/* To six digits, never down: for those who read it. */
static double six_digits_up(double x)
{
    const double scale = pow(10, 5 - floor(log10(x)));
    return x > 1e-15 && x < 1e5 ? fmax(ceil(dusk_mul_up(x, scale)) / scale, x) : x;
}

/* The curve, which is all that one event can say of several candidates. */
static dusk_status cost_event(dusk_event *out, const cost *c, dusk_error *err)
{
    double at[ORDERS], divergence[ORDERS];
    size_t n = 0;
    if (c->pure) return dusk_event_pure(out, c->epsilon, err);
    for (int k = 0; k < ORDERS; k++) {
        if (!(c->divergence[k] < INFINITY)) continue;
        at[n] = order[k];
        divergence[n++] = six_digits_up(c->divergence[k]);
    }
    if (n == 0)
        return dusk_fail(
            err, DUSK_ERR_UNSUPPORTED,
            "declare --rows where a training counts them, sample by poisson, fixed or shuffled, or "
            "search without delta",
            "the price of a run has no Renyi divergence, or a delta of its own, which a search "
            "would multiply");
    return dusk_event_rdp(out, at, divergence, n, err);
}

/* Are all candidates the same event, and that of a score of the same relation? Then *out is their sum. */
DUSK_PROVEN(add_events)
static dusk_status add_events(bool *same, dusk_event *out, const dusk_search *s, const dusk_statement *score,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_statement *first = dusk_training_statement(s->training[0]);
    dusk_event_nodes nodes[2];
    *same = true;
    for (size_t i = 1; i < s->count; i++)
        *same = *same &&
                !memcmp(&dusk_training_statement(s->training[i])->event, &first->event, sizeof first->event);
    DUSK_TRY(dusk_event_read(&nodes[0], &first->event, err));
    DUSK_TRY(dusk_event_read(&nodes[1], &score->event, err));
    *same = *same && dusk_event_relation(&nodes[0], first->neighbours) ==
                         dusk_event_relation(&nodes[1], first->neighbours);
    if (*same) DUSK_TRY(dusk_event_add(out, &first->event, &score->event, err));
done:
    return status;
}

/* The statement of a search whose runs cost that each, and are that event, where it is one. */
DUSK_PROVEN(state)
static dusk_status state(dusk_statement *out, const dusk_search *s, const cost *one, const dusk_event *event,
                         const dusk_train_options *train, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event run, all;
    DUSK_TRY(cost_event(&run, one, err)); /* refuses what has no curve */
    if (event) run = *event;
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

/* --- parts of a run -------------------------------------------------------------------------------------------------------- */

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
        if (!strchr(word[n - 1], '='))
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             "a value with a blank in it, such as a network, cannot be tried: set it for all",
                             "a candidate is name=value, with blanks between several, and %.60s is none",
                             word[n - 1]);
    }
    *count = n;
    return DUSK_OK;
}

/* A search that is being planned. */
typedef struct planning {
    dusk_search *search;
    const learn_learner *learner;
    const dusk_train_options *train;
    const dusk_search_options *options;
    dusk_model *empty; /* for the price of scores */
} planning;

/* The i-th candidate, for so much epsilon by itself. */
static dusk_status plan_candidate(planning *p, size_t i, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_search *s = p->search;
    const char *word[LEARN_WORDS_MAX];
    char text[1024];
    dusk_train_options o = *p->train;
    DUSK_TRY(learn_candidate_words(word, &o.settings_count, text, sizeof text, p->options->candidates[i],
                                   p->train, err));
    o.settings = word;
    o.epsilon = epsilon;
    o.rows = (uint64_t)((double)o.rows * (1 - s->held_out));
    o.progress = NULL;
    dusk_training_free(s->training[i]);
    s->training[i] = NULL;
    DUSK_TRY(dusk_training_prepare(&s->training[i], p->learner->shown.name, s->fields, &o, err));
done:
    return status;
}

static dusk_status plan_score(planning *p, dusk_statement *statement, double epsilon, dusk_error *err)
{
    dusk_search *s = p->search;
    s->score = *p->train;
    s->score.epsilon = epsilon;
    s->score.rows = 0;
    s->score.progress = NULL;
    return dusk_model_score_price(statement, s->metric, p->empty, s->fields, &s->score, err);
}

/* All of it, where a run is for about so much epsilon by itself: costs grow with epsilon, those of noise with its square. */
DUSK_PROVEN(plan_runs_for)
static dusk_status plan_runs_for(planning *p, double epsilon, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_search *s = p->search;
    const double share = p->options->score_share;
    const bool pure = p->train->delta == 0;
    cost score = { .pure = pure }, most = { .pure = pure };
    dusk_statement statement;
    dusk_event event;
    bool same;
    DUSK_TRY(plan_score(p, &statement, epsilon * (pure ? share : sqrt(share)), err));
    if (DUSK_MUTATE(SEARCH_SCORES_FOR_FREE, true, false)) DUSK_TRY(cost_add(&score, &statement, err));
    for (size_t i = 0; i < s->count; i++) {
        cost one = score;
        DUSK_TRY(plan_candidate(p, i, epsilon * (pure ? 1 - share : sqrt(1 - share)), err));
        DUSK_TRY(cost_add(&one, dusk_training_statement(s->training[i]), err));
        if (DUSK_MUTATE(SEARCH_PRICES_ONE_CANDIDATE, true, i + 1 == s->count)) cost_either(&most, &one);
    }
    DUSK_TRY(add_events(&same, &event, s, &statement, err));
    DUSK_TRY(state(&s->statement, s, &most, same && !pure ? &event : NULL, p->train, err));
done:
    return status;
}

/* The most that a run may be for, about, with which the whole keeps the promise. */
static dusk_status plan_cost(planning *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double aim = p->train->epsilon;
    double epsilon = aim / 3;
    for (int i = 0; i < 24; i++) {
        DUSK_TRY(plan_runs_for(p, epsilon, err));
        const double whole = p->search->statement.epsilon;
        if (whole <= aim && (whole > 0.99 * aim || i >= 8)) return DUSK_OK;
        const double ratio = whole < INFINITY ? aim / whole * (1 - 0x1p-20 - 0.001 * i) : 0.25;
        epsilon *= fmax(fmin(ratio, 8), 0x1p-10);
    }
    status = dusk_fail(err, DUSK_ERR_ARGUMENT, "use a larger epsilon or delta",
                       "no run of a search is cheap enough for epsilon %.3g", aim);
done:
    return status;
}

static void say(dusk_search *s, const dusk_search_options *o, double delta)
{
    dusk_buffer_add(&s->said, "the best of a random number of runs, %.4g on average\n", s->runs.mean);
    dusk_buffer_add(&s->said, "each run is scored on about %.0f %% of the rows, for epsilon %s\n",
                    100 * s->held_out, dusk_shown_up(s->score.epsilon, 6).text);
    for (size_t i = 0; i < s->count; i++)
        dusk_buffer_add(&s->said, "candidate %zu: %s%sepsilon %s at delta %s a training\n", i,
                        o->candidates[i], *o->candidates[i] ? ", " : "",
                        dusk_shown_up(dusk_training_statement(s->training[i])->epsilon, 6).text,
                        dusk_shown_up(delta, 3).text);
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
    if (train->noise > 0 || train->no_privacy)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give an epsilon",
                         "the noise of a search follows from its promise");
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

/* The gamma with which there are about so many runs on average. What has no gamma has too many. */
static dusk_status plan_runs(dusk_search *s, const dusk_search_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char hint[80];
    const double runs = o->runs > 0 ? o->runs : fmax(2 * (double)o->candidates_count, 2);
    double low = 0x1p-30, high = 1 - 0x1p-20; /* fewer runs with a larger gamma */
    for (int i = 0; i < 60; i++) {
        const double middle = sqrt(low * high);
        if (dusk_candidates_init(&s->runs, o->eta, middle, NULL) != DUSK_OK || s->runs.mean > runs)
            low = middle;
        else
            high = middle;
    }
    DUSK_TRY(dusk_candidates_init(&s->runs, o->eta, high, err));
    s->runs.padding = o->padding;
    if (!(s->runs.mean >= 0.9 * runs)) {
        dusk_format(hint, sizeof hint, "give a larger eta, or about %.3g runs", s->runs.mean);
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, hint,
                           "with eta %g there are fewer than %g runs on average", o->eta, runs));
    }
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

/* What any training of it rests on, and that nobody sees how many there were. */
DUSK_PROVEN(assume)
static dusk_status assume(dusk_search *s, const dusk_training *first, uint64_t padding, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    char fact[80] = "how many runs there were, and so the time, is not seen";
    memcpy(s->statement.assumed, dusk_training_statement(first)->assumed, sizeof s->statement.assumed);
    for (size_t i = 0; i < s->count; i++) {
        const char *more = learn_training_job(s->training[i])->assumed;
        if (DUSK_MUTATE(SEARCH_ASSUMES_LESS, more != NULL, false) && !strstr(s->statement.assumed, more))
            DUSK_TRY(dusk_statement_assume(&s->statement, more, err));
    }
    if (padding > 0)
        snprintf(fact, sizeof fact, "the time is not seen if there were more than %llu runs",
                 (unsigned long long)padding);
    DUSK_TRY(dusk_statement_assume(&s->statement, fact, err));
done:
    return status;
}

DUSK_PROVEN(plan)
static dusk_status plan(dusk_search *s, const char *name, const dusk_train_options *train,
                        const dusk_search_options *o, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    planning p = { .search = s, .train = train, .options = o };
    dusk_training *first = NULL;

    DUSK_TRY(check(train, o, err));
    DUSK_TRY(choose_learner(&p.learner, s, name, err));
    DUSK_TRY(dusk_training_prepare(&first, name, s->fields, train, err)); /* refuses what makes no sense */
    s->held_out = o->held_out;
    DUSK_TRY(plan_runs(s, o, err));
    DUSK_TRY(learn_model_new(&p.empty, p.learner, s->fields, dusk_fields_find(s->fields, train->label), err));
    DUSK_NEW(s->training, o->candidates_count);
    s->count = o->candidates_count;
    DUSK_TRY(plan_cost(&p, err));
    if (train->delta == 0) DUSK_TRY(state_pure(&s->statement, err));
    say(s, o, train->delta);
    s->statement.numerics = p.learner->shown.numerics;
    DUSK_TRY(assume(s, first, o->padding, err));
done:
    dusk_model_free(p.empty);
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
    size_t place; /* of its model, among those that are kept; of one that is not: nowhere */
    size_t candidate;
} found;

/* Models are kept while they may still be the answer: the best so far. Runs of a padding are not known here: with one, all that were the best in their time. */
typedef struct searching {
    dusk_search *search;
    const dusk_frame *frame;
    dusk_model **model;
    double score; /* of the last of them */
    size_t models, room;
} searching;

/* The price is that of the best run alone: nothing of the others may stay. */
static void forget_model(dusk_model *model)
{
    for (size_t i = 0; model && i < model->arrays; i++)
        dusk_wipe(model->array[i].value, model->array[i].rows * model->array[i].columns * sizeof(double));
    dusk_model_free(model);
}

/* Where the model of a run is; it is given away. */
static dusk_status keep_model(searching *g, size_t *place, dusk_model *model, double score, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool best = g->models == 0 || dusk_candidates_better(score, g->score);
    const bool alone = g->search->runs.padding == 0;
    *place = SIZE_MAX;
    if (DUSK_MUTATE(SEARCH_KEEPS_ALL_MODELS, !best, false)) goto done;
    if (DUSK_MUTATE(SEARCH_KEEPS_ALL_MODELS, g->models > 0 && alone, false))
        forget_model(g->model[--g->models]);
    *place = g->models;
    g->score = score;
    DUSK_GROW(g->model, g->room, g->models);
    g->model[g->models++] = model;
    model = NULL;
done:
    forget_model(model);
    return status;
}

/* Any of the candidates, a training, a score. */
DUSK_PROVEN(run_once)
static dusk_status run_once(void *context, double *score, void *output, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    searching *g = context;
    dusk_search *s = g->search;
    dusk_frame *first = NULL, *second = NULL;
    dusk_model *model = NULL;
    found f = { .place = SIZE_MAX };
    double low, high, value;
    dusk_statement statement;
    uint64_t i;

    DUSK_TRY(dusk_uniform_below(gen, &i, s->count, err));
    f.candidate = (size_t)i;
    DUSK_TRY(dusk_frame_split(g->frame, &first, &second, s->held_out, gen, err));
    DUSK_TRY(dusk_training_run(s->training[i], &model, first, gen, err));
    DUSK_TRY(dusk_model_score_release(&value, &low, &high, &statement, s->metric, model, second, &s->score,
                                      gen, err));
    *score = s->metric == DUSK_METRIC_MSE ? -value : value;
    status = keep_model(g, &f.place, model, *score, err);
    model = NULL;
    memcpy(output, &f, sizeof f);
done:
    forget_model(model);
    dusk_frame_free(first);
    dusk_frame_free(second);
    return status;
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
