/* SPDX-License-Identifier: Apache-2.0 */
/* One-run audits of real models [Steinke, Nasr & Jagielski 2023]: a thousand canaries are among the rows, each by a fair coin, a network is
 * trained once, with the noise that its statement asks for, and the score of a canary is how far the output for its label lies above the others, compared with
 * a model that saw no canary. The value is what that shows of epsilon at 95 %, beside what is stated; the program ends where more than is stated is shown at
 * 1 - 1e-6, or the event is refuted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "dusk/audit_scores.h"
#include "dusk/learn.h"
#include "learn_data.h"

enum { CANARIES = 1000, SETTINGS = 8, PICTURE = 100 };

typedef struct task {
    const char *set, *settings[SETTINGS];
    double epsilon;
} task;

/* Within three of the edge of a picture. */
static bool at_edge(size_t pixel, size_t pixels)
{
    const size_t side = (size_t)sqrt((double)pixels), x = pixel % side, y = pixel / side;
    return x < 3 || y < 3 || x + 3 >= side || y + 3 >= side;
}

static void put(const dusk_frame_column *column, size_t row, double x)
{
    if (column->byte)
        column->byte[row] = (uint8_t)x;
    else
        column->number[row] = x;
}

/* Of pictures a few bright places at the edge, where others are dark; of other rows anything within bounds. And any label. */
static void make_canary(dusk_frame *frame, size_t row, const double *u)
{
    const size_t width = frame->fields->count;
    size_t pixel = 0;
    for (size_t c = 0; c < width; c++) {
        const dusk_field *f = &frame->fields->field[c];
        if (f->kind != DUSK_FIELD_NUMERIC)
            frame->column[c].code[row] = (int32_t)(u[c] * (double)f->values);
        else if (width <= PICTURE)
            put(&frame->column[c], row, f->lower + u[c] * (f->upper - f->lower));
        else
            put(&frame->column[c], row, at_edge(pixel++, width - 1) && u[c] < 0.03 ? f->upper : f->lower);
    }
}

typedef struct canaries {
    dusk_frame *frame; /* of them alone */
    bool member[CANARIES];
    double score[CANARIES];
} canaries;

/* The first rows become canaries, without a label for now: they are left out of trainings. */
static void plant(canaries *k, dusk_frame *train, size_t label, uint64_t seed)
{
    const size_t width = train->fields->count;
    double *u = bench_allocate(width, sizeof *u);
    dusk_error err;
    bench_require(dusk_frame_new(&k->frame, train->fields, CANARIES, &err), &err);
    for (size_t i = 0; i < CANARIES; i++) {
        dusk_canary_input(u, width, 0, 1, seed, i);
        make_canary(train, i, u);
        make_canary(k->frame, i, u);
        train->column[label].code[i] = -1;
        k->member[i] = dusk_canary_member(seed, i);
        k->score[i] = 0;
    }
    free(u);
}

/* Scores grow by `weight` times how far the output of a canary's label lies above the mean of all. */
static void add_scores(canaries *k, const dusk_model *model, size_t label, double weight)
{
    dusk_prediction chances;
    dusk_error err;
    bench_require(dusk_predict(&chances, model, k->frame, &err), &err);
    const size_t classes = chances.columns;
    for (size_t i = 0; i < CANARIES; i++)
        for (size_t c = 0; c < classes; c++) {
            const bool own = c == (size_t)k->frame->column[label].code[i];
            k->score[i] +=
                weight * (own - 1 / (double)classes) * log(chances.value[i * classes + c] + 1e-300);
        }
    dusk_prediction_clear(&chances);
}

/* What the scores show, of a statement. */
static double audit(const canaries *k, const dusk_statement *said)
{
    dusk_scores *scores;
    dusk_composition *claimed;
    dusk_score_options o;
    dusk_score_report report;
    dusk_error err;
    bench_require(dusk_composition_new(&claimed, said->neighbours, &err), &err);
    bench_require(dusk_composition_add(claimed, &said->event, 1, &err), &err);
    dusk_score_options_init(&o);
    o.delta = said->delta;
    o.event = claimed;
    o.fair_coins = true;
    bench_require(dusk_scores_new(&scores, k->score, k->member, CANARIES, &err), &err);
    bench_require(dusk_scores_audit(&report, scores, &o, &err), &err);
    if (report.verdict == DUSK_VIOLATION || !(report.epsilon_sure <= said->epsilon)) {
        fprintf(stderr, "one run shows %g at 1 - 1e-6, where %g is stated\n", report.epsilon_sure,
                said->epsilon);
        exit(1);
    }
    dusk_scores_free(scores);
    dusk_composition_free(claimed);
    return report.epsilon;
}

/* Train, score, and give the statement. */
static dusk_statement train(canaries *k, const bench_data *data, const task *t, double epsilon, double weight,
                            dusk_generator *gen)
{
    dusk_train_options o;
    dusk_training *training;
    dusk_model *model;
    dusk_error err;
    dusk_train_options_init(&o);
    o.label = data->label;
    o.epsilon = epsilon;
    o.delta = 1e-5;
    o.neighbours = DUSK_ADD_REMOVE;
    o.rows = data->train->rows;
    o.settings = t->settings;
    while (o.settings_count < SETTINGS && t->settings[o.settings_count]) o.settings_count++;
    bench_require(dusk_training_prepare(&training, "net", data->train->fields, &o, &err), &err);
    bench_require(dusk_training_run(training, &model, data->train, gen, &err), &err);
    add_scores(k, model, dusk_fields_find(data->train->fields, data->label), weight);
    const dusk_statement said = *dusk_training_statement(training);
    dusk_model_free(model);
    dusk_training_free(training);
    return said;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const task *t = self->setup;
    bench_data data;
    canaries k;
    *out = (bench_result){ .value = NAN, .floor_value = NAN };
    if (!bench_data_open(&data, t->set)) return;
    const size_t label = dusk_fields_find(data.train->fields, data.label);
    double *u = bench_uniform(1, 0, 0x1p53, gen);
    plant(&k, data.train, label, (uint64_t)*u);
    free(u);
    (void)train(&k, &data, t, 1000, -1, gen); /* how sure one is that saw none of them */
    for (size_t i = 0; i < CANARIES; i++)
        if (k.member[i]) data.train->column[label].code[i] = k.frame->column[label].code[i];
    const dusk_statement said = train(&k, &data, t, t->epsilon, 1, gen);
    *out = (bench_result){
        .value = audit(&k, &said), .floor_value = said.epsilon, .epsilon = said.epsilon, .trainings = 1
    };
    dusk_frame_free(k.frame);
    bench_data_close(&data);
}

#define CASE(data, which, at, ...)                                                                           \
    {                                                                                                        \
        .name = "deep/audit/" data "/" which "/" #at,                                                        \
        .what = "one-run audit of " which " on " data ", epsilon " #at ", delta 1e-5", .unit = "epsilon",    \
        .floor = "what is stated", .aim = "ratio <= 1", .run = run, .setup = &(const task)                   \
        {                                                                                                    \
            .set = data, .epsilon = at, .settings = { __VA_ARGS__ }                                          \
        }                                                                                                    \
    }
#define PICTURES "range=unit", "lot=16384", "epochs=30", "clip=0.1", "learning_rate=8", "threads=2"

const bench_case bench_deep_audit_cases[] = {
    CASE("mnist", "logistic", 3, "net=output", PICTURES),
    CASE("mnist", "logistic", 10, "net=output", PICTURES),
    CASE("mnist", "mlp", 3, "net=dense 64; tanh; output", PICTURES),
    CASE("mnist", "mlp", 10, "net=dense 64; tanh; output", PICTURES),
    CASE("adult", "mlp", 3, "net=dense 32; tanh; output", "lot=8192", "epochs=50", "clip=0.3",
         "learning_rate=2"),
    CASE("adult", "mlp", 10, "net=dense 32; tanh; output", "lot=8192", "epochs=50", "clip=0.3",
         "learning_rate=2"),
    { .name = NULL },
};
