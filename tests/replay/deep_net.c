/* SPDX-License-Identifier: Apache-2.0 */
/* Networks on neighbouring tables: every way to clip, layers that go each way, threads, samples and all rows, rates that throw weights
 * far; the totals of every step are within what it declares, and all that a model holds follows from what was released. */
#include "learners.h"

#include <stdio.h>
#include <string.h>

#include "replay.h"

enum { ROWS = 30, WHOLE = 24 };

typedef struct request {
    const char *learner, *settings[8];
} request;

static const request requests[] = {
    { "net", { "net=output", "rate=1", "steps=3", "clip=0.1", "learning_rate=100" } }, /* all rows first */
    { "net", { "net=dense 5; tanh; dense 3; output", "rate=1", "steps=3", "frozen=2" } },
    { "net", { "net=dense 5; tanh; output", "rate=1", "steps=3", "clipping=layers" } },
    { "net", { "net=dense 5; relu; output", "rate=1", "steps=3", "clipping=automatic", "threads=3" } },
    { "net", { "net=input 6 1; conv1d 3 2; elu; output", "rate=1", "steps=2", "optimiser=adam" } },
    { "net", { "net=dense 4; tanh; output", "rate=1", "steps=4", "clipping=adaptive", "threads=2" } },
    { "net", { "net=standard clip 0.1; dense 4; tanh; output", "rate=1", "steps=3" } },
    { "net_labels",
      { "net=input 7 1; dense 3 each; standard; tanh; output", "rate=1", "steps=2", "frozen=1",
        "clip=0.2" } },
    { "net", { "net=layernorm; dropout 0.3; dense 4; output", "rate=1", "steps=3", "threads=2" } },
    { "net", { "net=layernorm fixed; tanh; dense 4; tanh; output", "rate=1", "steps=3", "threads=2" } },
    { "net", { "net=embedding 4 3; tanh; output", "range=raw", "rate=1", "steps=3", "threads=2" } },
    { "net", { "net=embedding 40 3; tanh; output", "range=raw", "rate=1", "steps=3" } }, /* few are there */
    { "net", { "net=input 6; lstm 3; gru 2 last; output", "rate=1", "steps=2", "clip=0.2" } },
    { "net", { "net=input 3 1 2; attention 2; positions; output", "rate=1", "steps=2", "clipping=layers" } },
    { "net_numbers", { "net=dense 4 ; sigmoid; output", "rate=1", "steps=3", "clip=100", "average=0.5" } },
    { "net_labels", { "net=tanh; dense 3; output", "rate=1", "steps=3", "clip=0.1", "threads=2" } },
    { "autoencoder", { "net=tanh; dense 2; tanh; output", "rate=1", "steps=3", "clip=0.1", "threads=2" } },
    { "net",
      { "net=dense 4; tanh; output", "rate=1", "steps=3", "clip=0.3", "smooth=2", "smooth_radius=1" } },
    { "net", { "net=dense 4; dropout 0.3; output", "rate=1", "steps=3", "clip=0.1", "bias_noise=2" } },
    { "net",
      { "net=embedding 4 3; tanh; output", "range=raw", "rate=1", "steps=3", "smooth=3", "bias_noise=0.5",
        "threads=2" } },
    { "net",
      { "net=dense 4; tanh; output", "rate=1", "steps=3", "smooth=2", "bias_noise=1", "clipping=adaptive" } },
    { "net", { "net=dense 4; tanh; output", "rate=1", "steps=20", "allocation=adaptive", "threads=2" } },
    { "net",
      { "net=dense 4; tanh; output", "rate=1", "steps=25", "allocation=descent", "threads=2", "clip=0.3" } },
    { "net_numbers", { "net=output", "rate=1", "steps=25", "allocation=descent", "learning_rate=1e4" } },
    { "net", { "net=dense 4; relu; output", "rate=0.5", "steps=12", "clip=0.3" } },
    { "net", { "net=output", "sampler=allocated", "rate=0.01", "steps=130", "clip=0.3" } },
    { "net", { "net=dense 4; tanh; output", "sampler=shuffled", "lot=8", "epochs=3", "clip=0.1" } },
    { "net",
      { "net=dense 4; tanh; output", "sampler=shuffled", "lot=8", "epochs=3", "clip=0.1",
        "correlation=tree" } },
    { "net",
      { "net=output", "sampler=shuffled", "lot=4", "epochs=2", "clip=0.1", "correlation=bands", "bands=8" } },
    { "net",
      { "net=dense 4; tanh; output", "sampler=shuffled", "lot=5", "epochs=3", "correlation=bands", "bands=4",
        "clipping=adaptive" } },
    { "net", { "net=dense 4; tanh; output", "sampler=fixed", "lot=8", "steps=12", "threads=2" } },
    { "net", { "net=dense 4; dropout 0.3; output", "sampler=drawn", "lot=1", "steps=30" } },
    { "net", { "net=dense 4; output", "sampler=drawn", "lot=12", "steps=30", "threads=2" } },
    { "net", { "net=dense 4; tanh; output", "sampler=drawn", "lot=12", "steps=30", "clipping=layers" } },
    { "net", { "net=dense 6; dropout 0.5; output", "rate=0.5", "steps=6", "clip=0.3" } },
    { "net", { "net=dense 4; output", "rate=0.5", "steps=9", "noise_fall=0.3", "optimiser=adam_unbiased" } },
    { "net", { "net=dense 4; output", "rate=0.5", "steps=40", "allocation=adaptive", "clipping=adaptive" } },
    { "net",
      { "net=dense 4; dropout 0.3; output", "rate=0.5", "steps=40", "allocation=descent", "threads=2",
        "average=0.5" } },
    { "net", { "net=dense 4; output", "lot=12", "epochs=4", "threads=2" } },
    { "net", { "net=output", "lot=12", "steps=20", "allocation=adaptive" } },
    { "net_numbers", { "net=output", "rate=0.9", "steps=12", "optimiser=adagrad", "threads=2" } },
};

/* A row at an end of everything: a gradient that is as long as the clip. */
static void make_extreme(dusk_frame *frame, size_t row, uint64_t *seed)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        uint64_t r = splitmix64(seed);
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = r % 2 ? f->lower : f->upper;
        else
            frame->column[c].code[row] = (int32_t)(r % f->values);
    }
}

/* Samples of places, where noise is for a row that comes or goes. */
static bool is_of_places(const request *r)
{
    return !strcmp(r->settings[1], "sampler=fixed") || !strcmp(r->settings[1], "sampler=drawn");
}

/* A row that is replaced goes and another one comes, as often as it may be in a sample: what that costs is in the price of samples with replacement. */
static double distance_of(const request *r)
{
    double lot = 1;
    if (!strcmp(r->settings[1], "sampler=drawn") && sscanf(r->settings[2], "lot=%lf", &lot) != 1)
        fail_msg("which lot?");
    return is_of_places(r) ? 2 * lot : 1;
}

/* Several places of a sample that may be one row's: so it is priced. */
static void check_price(const request *r, const dusk_training *training, const dusk_train_options *o)
{
    char text[400], said[80];
    const dusk_statement *statement = dusk_training_statement(training);
    if (distance_of(r) <= 2) return;
    assert_int_equal(dusk_event_format(&statement->event, text, sizeof text, NULL), DUSK_OK);
    snprintf(said, sizeof said, "with_replacement(%.0f, %llu, gaussian(", distance_of(r) / 2,
             (unsigned long long)o->rows);
    if (!strstr(text, said)) fail_msg("%s is not in %s", said, text);
}

/* All rows from `at` on move down by one place. */
static void make_room(dusk_frame *frame, size_t at)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_frame_column *column = &frame->column[c];
        for (size_t i = frame->rows - 1; i > at; i--) {
            if (column->number) column->number[i] = column->number[i - 1];
            if (column->code) column->code[i] = column->code[i - 1];
        }
    }
}

/* Where the row is that differs: at the beginning, in the middle or at the end. A row that comes moves others by a place; where coins are of places it comes at the end,
 * so that every row that both have tosses the same (training.proof.md). */
static size_t place_of(const request *r, bool replaced, bool sampled, size_t turn)
{
    static const size_t places[] = { 0, ROWS / 2, ROWS };
    bool coins = sampled || strstr(r->settings[0], "dropout");
    for (size_t k = 0; k < 8 && r->settings[k]; k++) coins |= !strncmp(r->settings[k], "bias_noise", 10);
    return coins && !replaced ? ROWS : places[turn % 3];
}

static dusk_model *train(const request *r, const dusk_train_options *o, const dusk_frame *frame,
                         dusk_generator *gen)
{
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, r->learner, frame->fields, o, &err) != DUSK_OK)
        fail_msg("%s: %s", r->learner, err.message);
    check_price(r, training, o);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    return model;
}

static size_t repeated; /* runs in which a row was in a sample more than once */

static void run_pair(const request *r, dusk_train_options *o, bool sampled, size_t at, uint64_t seed)
{
    const bool priced = !sampled || !strcmp(r->settings[1], "sampler=shuffled");
    const size_t base = o->neighbours == DUSK_REPLACE_ONE ? 1 : 0;
    dusk_model *model[2];
    replay p = replay_open(seed);
    for (size_t side = 0; side < 2; side++) {
        dusk_generator *gen = seeded(seed);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, base || side ? ROWS + 1 : ROWS, gen);
        uint64_t state = seed + 1000 * side;
        if (!base && side) make_room(frame, at);
        if (base || side) make_extreme(frame, at, &state);
        model[side] = train(r, o, frame, p.gen[side]);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    size_t rows, columns;
    const double *w = dusk_model_array(model[0], "parameters", &rows, &columns);
    replay_same(w, dusk_model_array(model[1], "parameters", &rows, &columns), rows * columns);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    char why[REPLAY_WHY];
    if (distance_of(r) > 2)
        repeated += !replay_compare(why, p.record[0], p.record[1], &(replay_declared){ .distance = 2 });
    /* What samples cost is not the sum of their calls. Rows in a random order are no samples: all releases of all epochs are within the price together. */
    replay_close(&p, (replay_declared){
                         .epsilon = priced ? o->epsilon : 0, .delta = o->delta, .distance = distance_of(r) });
}

static void neighbours_are_within_the_clip(void **state)
{
    (void)state;
    const size_t count = sizeof requests / sizeof *requests;
    for (size_t k = 0; k < count; k++)
        for (uint64_t how = 0; how < 8; how++) {
            const request *r = &requests[k];
            const bool sampled = k >= WHOLE;
            const bool placed = !strcmp(r->settings[1], "sampler=shuffled") || is_of_places(r);
            /* with a delta; samples of add/remove, and rows in places of replace-one */
            if (!(how & 1) || (sampled && placed != ((how & 2) > 0))) continue;
            dusk_train_options o = learners_options(dusk_learner_named(r->learner), how & 4 ? 50 : 0.7, 1e-6);
            o.neighbours = how & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
            if (placed) o.rows = ROWS + 1;
            if (is_of_places(r)) { /* to find it for so few steps takes seconds */
                o.epsilon = 0;
                o.noise = 0.7;
            }
            o.settings = r->settings;
            o.settings_count = 0;
            while (o.settings_count < 8 && r->settings[o.settings_count]) o.settings_count++;
            const size_t at = place_of(r, o.neighbours == DUSK_REPLACE_ONE, sampled, k + how / 2);
            run_pair(r, &o, sampled, at, 50 + 10 * k + how);
        }
    assert_true(repeated > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_are_within_the_clip) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
