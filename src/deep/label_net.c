/* SPDX-License-Identifier: Apache-2.0 */
/* Networks for private labels of public rows [Ghazi, Golowich, Kumar, Manurangsi & Zhang 2021]. Every
 * label is randomised once (response.h), and the network is trained on the answers without noise, by how
 * likely they are for each class. In stages: what a network has learned from the answers of some rows is
 * what is known of the labels of others, so that these are asked about fewer classes. All columns but the
 * label are public, and so is how many rows there are: this is no promise about rows. Proof:
 * label_net.proof.md. */
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "deep/front.h"
#include "deep/moments.h"
#include "deep/net_learner.h"
#include "deep/response.h"
#include "deep/training.h"
#include "numeric/rounding.h"

#define WARM 0.3 /* of the steps: answers are taken for labels */
#define ASSUMED "all columns but the label are public"

enum { RANGE_BOUNDS, RANGE_UNIT, RANGE_RAW };

typedef struct label_plan {
    deep_plan train; /* but for sampler and steps, which rows decide */
    double lot, epochs;
    size_t classes, stages;
    double first;         /* the part of the rows that the first of several stages has */
    double *share;        /* of classes, declared; NULL: nothing is known */
    double epsilon;       /* of a label */
    deep_response answer; /* what is known before the first answer */
} label_plan;

/* --- plan ---------------------------------------------------------------------------- */

static void forget(void *plan)
{
    label_plan *p = plan;
    if (p) deep_net_clear(&p->train.net);
    if (p) deep_response_close(&p->answer);
    if (p) dusk_deallocate(p->share);
    dusk_deallocate(p);
}

/* "0.7,0.2,0.1": one for each class. */
static dusk_status read_shares(label_plan *p, const char *text, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double sum = 0;
    size_t n = 0;
    bool fine = true;
    if (!strcmp(text, "none")) return DUSK_OK;
    DUSK_NEW(p->share, p->classes);
    for (const char *at = text; fine && n < p->classes; n++) {
        char *end;
        p->share[n] = dusk_number_at(at, &end);
        sum += p->share[n];
        fine = end != at && p->share[n] >= 0 && *end == (n + 1 < p->classes ? ',' : '\0');
        at = end + 1;
    }
    if (fine && fabs(sum - 1) <= 0.01) return DUSK_OK;
    return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example shares=0.7,0.2,0.1, of public knowledge, or none",
                     "shares are %zu numbers, one for each class, that add to 1", p->classes);
done:
    return status;
}

/* Without stages all labels are asked about as many classes; with them the fewest that say something are
 * two, and two tell the most. */
static dusk_status plan_price(learn_job *job, label_plan *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const uint32_t rows = DUSK_MUTATE(LABELS_UNIT_HAS_ONE_ROW, job->fields->rows_per_unit, 1);
    dusk_event event;
    p->epsilon = dusk_div_down(job->budget.epsilon * (1 - 0x1p-40), rows);
    DUSK_TRY(deep_response_open(&p->answer, p->classes, p->epsilon, err));
    deep_response_know(&p->answer, p->share);
    if (p->answer.among < 2)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --set shares=none, other shares, or a larger epsilon",
                         "by these shares the best answer is always the same class, and nothing is learned");
    DUSK_TRY(dusk_event_randomized_response(&event, p->epsilon, p->stages > 1 ? 2 : p->answer.among, err));
    DUSK_TRY(learn_budget_event(&job->budget, &event, job->budget.left, rows, err));
done:
    return status;
}

static dusk_status check_promise(const learn_job *job, dusk_error *err)
{
    if (DUSK_MUTATE(LABELS_COME_AND_GO, job->budget.neighbours != DUSK_REPLACE_ONE, false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "give --replace-one, if all other columns are public",
                         "the promise is for labels that are exchanged, not for rows that come and go");
    return DUSK_OK;
}

static void say_plan(learn_job *job, const label_plan *p)
{
    const char *label = job->label_field->name;
    learn_say(job, "PUBLIC are all columns but %.60s, and how many rows there are: only labels are private",
              label);
    learn_say(job, "every label is randomised once, with epsilon %s, and a network learns from the answers",
              dusk_shown_up(p->epsilon, 4).text);
    if (p->share)
        learn_say(job,
                  "by declared shares: among the %u likeliest of %zu classes, right with probability %.4g",
                  p->answer.among, p->classes, p->answer.right);
    else
        learn_say(job, "among all %zu classes: an answer is right with probability %.4g", p->classes,
                  p->answer.right);
    if (p->stages > 1)
        learn_say(job, "in %zu stages: later answers are among what the network takes for likely by then",
                  p->stages);
    learn_say(job, "a label that is missing counts as one of them by chance");
    learn_say(job, "%zu parameters in %zu layer%s: %s", p->train.net.parameters, p->train.net.layers,
              p->train.net.layers == 1 ? "" : "s", learn_text(job, "net"));
}

static dusk_status plan(learn_job *job, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    label_plan *p = NULL;
    DUSK_TRY(check_promise(job, err));
    DUSK_TRY(
        learn_features_init(&job->features, job->fields, job->label, false, learn_setting(job, "norm"), err));
    if (learn_choice(job, "range") == RANGE_UNIT) deep_scale_to_unit(job);
    DUSK_NEW(p, 1);
    job->plan = p;
    job->assumed = ASSUMED;
    p->classes = job->label_field->values;
    DUSK_TRY(deep_net_parse(&p->train.net, learn_text(job, "net"), job->features.width, p->classes, err));
    DUSK_TRY(deep_check_tokens(&p->train.net, learn_choice(job, "range") == RANGE_RAW, DEEP_RAW_HINT, err));
    DUSK_TRY(deep_refuse_standard(&p->train.net, err));
    DUSK_TRY(learn_model_room((double)p->train.net.parameters, err));
    p->train.plain = true; /* what it sees is public, or was released */
    p->train.method = (deep_method)learn_choice(job, "optimiser");
    p->train.rate = learn_setting(job, "learning_rate");
    p->train.momentum = learn_setting(job, "momentum");
    p->train.weight_decay = learn_setting(job, "decay");
    p->train.schedule = (deep_schedule){ (deep_falling)learn_choice(job, "schedule"),
                                         learn_setting(job, "warm_up"), learn_setting(job, "cool_down") };
    p->train.average = learn_setting(job, "average");
    p->train.threads = (size_t)learn_setting(job, "threads");
    p->lot = learn_setting(job, "lot");
    p->epochs = learn_setting(job, "epochs");
    p->stages = (size_t)learn_setting(job, "stages");
    p->first = learn_setting(job, "first");
    DUSK_TRY(read_shares(p, learn_text(job, "shares"), err));
    DUSK_TRY(plan_price(job, p, err));
    say_plan(job, p);
done:
    return status;
}

/* --- fit ----------------------------------------------------------------------------- */

typedef struct lesson {
    learn_job *job;
    const label_plan *plan;
    deep_net front, net; /* what is not learned, and what is */
    deep_rows rows;      /* in the order of stages, without labels */
    int32_t *label;      /* of them: private */
    deep_response known;
    float *parameters; /* of net */
    double *share;
    size_t stage;
    int phase;
} lesson;

static void close_lesson(lesson *l)
{
    if (l->label) dusk_wipe(l->label, l->rows.rows * sizeof *l->label);
    dusk_deallocate(l->label);
    deep_rows_clear(&l->rows);
    deep_response_close(&l->known);
    deep_net_clear(&l->front);
    deep_net_clear(&l->net);
    dusk_deallocate(l->parameters);
    dusk_deallocate(l->share);
}

/* Rows and their labels in a random order, of places alone, and rows through the layers that are not
 * learned. */
DUSK_PROVEN(open_lesson)
static dusk_status open_lesson(lesson *l, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const label_plan *p = l->plan;
    const int32_t *code = frame->column[l->job->label].code;
    const bool raw = learn_choice(l->job, "range") == RANGE_RAW;
    dusk_keyed_coins *coins = NULL;
    size_t *order = NULL;
    if (raw) /* tokens would not survive rounding */
        DUSK_TRY(deep_net_parse(&l->net, learn_text(l->job, "net"), l->job->features.width, p->classes, err));
    else
        DUSK_TRY(deep_front_split(&p->train.net, &l->front, &l->net, err));
    DUSK_TRY(raw ? deep_rows_make_raw(&l->rows, &l->job->features, frame, false, err)
                 : deep_rows_make_all(&l->rows, &l->job->features, frame, err));
    DUSK_NEW(order, frame->rows + 1);
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    DUSK_TRY(dusk_keyed_order(coins, 0, NULL, order, frame->rows, err));
    DUSK_TRY(deep_rows_order(&l->rows, order, err));
    if (l->front.layers > 0) DUSK_TRY(deep_front_run(&l->front, &l->rows, p->train.threads, err));
    DUSK_NEW(l->label, frame->rows + 1);
    for (size_t i = 0; i < frame->rows; i++) l->label[i] = code[order[i]];
    DUSK_NEW(l->rows.code, frame->rows + 1);
    DUSK_NEW(l->rows.number, frame->rows * p->classes + 1);
    l->rows.numbers = p->classes;
    DUSK_NEW(l->parameters, l->net.parameters + 1);
    DUSK_NEW(l->share, p->classes);
    DUSK_TRY(deep_response_open(&l->known, p->classes, p->epsilon, err));
done:
    dusk_keyed_free(coins);
    dusk_deallocate(order);
    return status;
}

/* What the network, whose pass it is, says of a row is what is known of its label. */
static void know_by_net(lesson *l, deep_pass *pass, size_t row)
{
    const size_t k = l->plan->classes;
    deep_real *out = pass->value[l->net.layers];
    deep_rows_take(&l->rows, row, pass->value[0]);
    deep_forward(pass);
    deep_softmax(out, out, k);
    for (size_t c = 0; c < k; c++) l->share[c] = (double)out[c];
    if (DUSK_MUTATE(LABELS_PRIOR_IS_THE_LABEL, false, l->label[row] >= 0))
        l->share[(size_t)l->label[row] % k] += 1;
    deep_response_know(&l->known, l->share);
}

/* Answers about rows from `first` on up to `end`; each label is asked for here, and nowhere else. `pass`:
 * the network that learned from answers about rows before them, or NULL. */
DUSK_PROVEN(ask)
static dusk_status ask(lesson *l, size_t first, size_t end, deep_pass *pass, dusk_generator *gen,
                       dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_response_know(&l->known, l->plan->share);
    for (size_t row = first; row < end; row++) {
        int32_t answer;
        if (pass) know_by_net(l, pass, row);
        if (DUSK_MUTATE(LABELS_MISSING_ARE_LEFT_OUT, false, l->label[row] < 0)) continue;
        DUSK_TRY(deep_response_draw(&l->known, &answer, l->label[row], 64, gen, err));
        l->rows.code[row] = answer;
        deep_response_likelihood(&l->known, answer, l->rows.number + row * l->plan->classes);
    }
done:
    return status;
}

static void tell_progress(void *context, double part)
{
    const lesson *l = context;
    const double here = l->phase == 0 ? WARM * part : WARM + (1 - WARM) * part;
    learn_progress(l->job, ((double)l->stage + here) / (double)l->plan->stages);
}

/* A new network on the answers about the first `n` rows. At first answers are taken for labels, with which
 * no class is lost; then by how likely they are, which knows that most are wrong. */
static dusk_status train(lesson *l, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job job = { .progress = tell_progress, .progress_context = l };
    deep_plan plan = l->plan->train;
    deep_rows rows = l->rows;
    plan.net = l->net;
    rows.rows = n;
    DUSK_TRY(deep_net_start(&plan.net, l->parameters, gen, err));
    if (n == 0) return DUSK_OK;
    DUSK_TRY(learn_sampler_init(&plan.sampler, n <= INT32_MAX ? LEARN_SHUFFLED : LEARN_POISSON,
                                l->plan->lot / (double)n, n, DUSK_REPLACE_ONE, err));
    plan.lot = fmax(plan.sampler.rate * (double)n, 1);
    const double steps = fmax(rint(l->plan->epochs * ceil((double)n / plan.lot)), 1);
    for (l->phase = 0; l->phase < 2; l->phase++) {
        plan.loss = l->phase == 0 ? DEEP_SOFTMAX : DEEP_ANSWER;
        plan.steps = (uint64_t)ceil(steps * (l->phase == 0 ? WARM : 1 - WARM));
        DUSK_TRY(deep_train(&job, &plan, &rows, l->parameters, NULL, gen, err));
    }
done:
    return status;
}

/* How many rows stages up to this one have. */
static size_t end_of_stage(const label_plan *p, size_t stage, size_t rows)
{
    if (stage + 1 == p->stages) return rows;
    const double later = (1 - p->first) * (double)stage / (double)(p->stages - 1);
    return (size_t)((double)rows * (p->first + later));
}

DUSK_PROVEN(fit)
static dusk_status fit(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const label_plan *p = job->plan;
    lesson l = { .job = job, .plan = p };
    deep_pass pass = { .net = NULL };
    size_t asked = 0;
    DUSK_TRY(open_lesson(&l, frame, gen, err));
    DUSK_TRY(deep_pass_open(&pass, &l.net, 1, err));
    pass.parameters = l.parameters;
    pass.examples = 1;
    for (l.stage = 0; l.stage < p->stages; l.stage++) {
        const size_t end = end_of_stage(p, l.stage, frame->rows);
        DUSK_TRY(
            ask(&l, DUSK_MUTATE(LABELS_ARE_ASKED_AGAIN, asked, 0), end, asked > 0 ? &pass : NULL, gen, err));
        asked = end;
        DUSK_TRY(train(&l, asked, gen, err));
    }
    DUSK_TRY(deep_put_parameters(job, l.parameters, l.net.parameters, err));
done:
    deep_pass_close(&pass);
    close_lesson(&l);
    return status;
}

static const dusk_setting settings[] = {
    { "net", "dense 64; relu; output", "", 0, 0, false, "the network, layers with \";\" between them" },
    { "stages", "2", NULL, 1, 16, true,
      "parts of the rows; of each but the first the network says which classes labels are asked about" },
    { "first", "0.5", NULL, 0.01, 0.99, false, "the part of the rows that the first of several stages has" },
    { "shares", "none", "", 0, 0, false,
      "public shares of the classes, in the order in which they are declared, such as 0.7,0.2,0.1" },
    { "lot", "256", NULL, 1, 1e9, true, "how many rows a step takes" },
    { "epochs", "10", NULL, 0.001, 10000, false, "how often every row is taken, in each stage" },
    { "optimiser", "adam", "sgd|adam|adamw|adagrad", 0, 0, false, "what makes steps of gradients" },
    { "learning_rate", "0.001", NULL, 1e-9, 1e6, false, "how far a step goes" },
    { "momentum", "0.9", NULL, 0, 0.9999, false, "how much of the last step goes into the next" },
    { "decay", "0", NULL, 0, 1, false, "of weights" },
    { "schedule", "cosine", "constant|root|cosine", 0, 0, false,
      "of the learning rate: as it is, over the root of the step, or half a cosine" },
    { "warm_up", "0.2", NULL, 0, 1, false,
      "part of the steps in which the rate rises; without it classes can be lost" },
    { "cool_down", "0", NULL, 0, 1, false, "part of the steps in which the rate falls" },
    { "average", "0", NULL, 0, 0.99999, false,
      "weights are averaged over steps, with this decay; 0: the last ones" },
    { "range", "bounds", "bounds|unit|raw", 0, 0, false,
      "numbers to [-1, 1] by their bounds, or to [0, 1], which suits pictures, or raw, as tokens are" },
    { "norm", "0", NULL, 0, LEARN_NORM_MOST, false,
      "rows longer than this are scaled down to it; 0: as long as the bounds allow" },
    { "threads", "1", NULL, 1, 64, true, "how many" },
    { NULL, NULL, NULL, 0, 0, false, NULL },
};

const learn_learner deep_label_net = {
    .shown = { "label_net", DUSK_TASK_CLASS, DUSK_NUMERICS_EXACT,
               "a network from randomised labels; only labels are private, all other columns are public",
               "Ghazi et al. 2021", settings },
    .plan = plan,
    .fit = fit,
    .forget = forget,
    .outputs = deep_outputs,
    .predict = deep_predict,
    .complete = deep_complete,
    .labels_only = true,
};
