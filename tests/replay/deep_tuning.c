/* SPDX-License-Identifier: Apache-2.0 */
/* Networks of which a part is learned, on neighbouring tables: as many numbers are released a step as are said to be learned, each with noise and within what is
 * declared; all that a model holds follows from that and from the public model it started with, or public rows, or carriers that follow from it. */
#include "learners.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "replay.h"

enum { ROWS = 30, STEPS = 3 };
static char path[] = "/tmp/dusk_tuning_XXXXXX", start[60];

typedef struct request {
    const char *settings[6];
    size_t released; /* a step; of 6 inputs, and 3 classes */
    bool open;       /* public rows instead of a model to start from */
} request;

static const request requests[] = {
    { { "tune=lora", "rank=1" }, (6 + 7) + (7 + 5) + 3 * 6, false }, /* the last layer is new */
    { { "tune=lora", "rank=2", "tuned=1", "threads=2" }, 2 * (6 + 7) + 3 * 6, false },
    { { "tune=lora", "rank=1", "clipping=layers", "average=0.5" }, (6 + 7) + (7 + 5) + 3 * 6, false },
    { { "tune=lora", "rank=1", "clipping=adaptive", "frozen=2" }, (7 + 5) + 3 * 6 + 1, false },
    { { "tune=bias", "optimiser=adam" }, 7 + 5 + 10 + 3 * 6, false },
    { { "tuned=4", "clip=0.1", "learning_rate=50" }, 10 + 3 * 6, false },
    { { "carriers=1", "learning_rate=20" }, (6 + 2 * 7) + (7 + 2 * 5) + 10 + (5 + 2 * 3), false },
    { { "carriers=2", "threads=2", "clip=0.1", "clipping=adaptive", "optimiser=adam" },
      2 * 6 + 3 * 7 + 2 * 7 + 3 * 5 + 10 + 3 * 6 + 1,
      false }, /* the last layer is too small */
    { { "carriers=1", "clipping=layers", "frozen=2", "average=0.5" }, (7 + 2 * 5) + 10 + (5 + 2 * 3), false },
    { { "subspace=4", "subspace_every=2", "learning_rate=20" }, 4, true },
    { { "subspace=12", "subspace_every=1", "threads=2", "clip=0.1", "clipping=adaptive" }, 13, true },
};

static dusk_model *train(const dusk_train_options *o, const dusk_frame *frame, dusk_generator *gen)
{
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (dusk_training_prepare(&training, "net", frame->fields, o, &err) != DUSK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    dusk_training_free(training);
    return model;
}

/* The model to start from, of rows that are nobody's. */
static int open_start(void **state)
{
    const char *const settings[] = { "net=dense 7; tanh; dense 5; layernorm; dense 2; output", "rate=1",
                                     "steps=3" };
    dusk_train_options o = learners_options(dusk_learner_named("net"), 10, 1e-6);
    dusk_generator *gen = seeded(77);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS, gen);
    (void)state;
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0 || remove(path) != 0) return 1;
    o.settings = settings;
    o.settings_count = 3;
    dusk_model *model = train(&o, frame, gen);
    const dusk_status status = dusk_model_write(model, path, NULL);
    snprintf(start, sizeof start, "start=%s", path);
    dusk_model_free(model);
    dusk_frame_free(frame);
    dusk_generator_free(gen);
    return status == DUSK_OK ? 0 : 1;
}

static int remove_start(void **state)
{
    (void)state;
    return remove(path);
}

/* Numbers that got noise, in all calls of a side. */
static size_t released(const replay *p, int side)
{
    size_t n = 0;
    for (size_t k = 0; k < p->record[side]->n; k++) n += p->record[side]->calls[k].n;
    return n;
}

static void run_pair(const request *r, bool replaces, double epsilon, uint64_t seed)
{
    const char *settings[12] = { "net=dense 7; tanh; dense 5; layernorm; output", "rate=1", "steps=3" };
    dusk_train_options o = learners_options(dusk_learner_named("net"), epsilon, 1e-6);
    dusk_model *model[2];
    size_t rows, columns;
    replay p = replay_open(seed);
    o.settings = settings;
    o.settings_count = 3;
    if (r->open)
        o.open_rows = learners_open_rows();
    else
        settings[o.settings_count++] = start, settings[o.settings_count++] = "start_is=public";
    for (size_t k = 0; k < 6 && r->settings[k]; k++) settings[o.settings_count++] = r->settings[k];
    o.neighbours = replaces ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    o.rows = ROWS;
    for (size_t side = 0; side < 2; side++) {
        dusk_generator *gen = seeded(seed);
        dusk_frame *frame = learners_frame(LEARNERS_FIELDS, replaces || side ? ROWS + 1 : ROWS, gen);
        for (size_t c = 0; frame->rows > ROWS && c < frame->fields->count; c++)
            if (frame->column[c].number)
                frame->column[c].number[ROWS] =
                    side ? frame->fields->field[c].upper : frame->fields->field[c].lower;
            else
                frame->column[c].code[ROWS] = (int32_t)side;
        model[side] = train(&o, frame, p.gen[side]);
        assert_int_equal(released(&p, (int)side), STEPS * r->released);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    const double *w = dusk_model_array(model[0], "parameters", &rows, &columns);
    replay_same(w, dusk_model_array(model[1], "parameters", &rows, &columns), rows * columns);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta });
}

static void parts_are_released(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        for (uint64_t how = 0; how < 2; how++)
            run_pair(&requests[k], how, k % 2 ? 50 : 0.7, 90 + 2 * k + how);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(parts_are_released) };
    return cmocka_run_group_tests(tests, open_start, remove_start);
}
