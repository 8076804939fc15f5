/* SPDX-License-Identifier: Apache-2.0 */
/* Private labels of public rows: tables that differ in the labels of one unit, to another class or to
 * none, and in nothing else. Every answer is asked for once, about as many classes on both sides, in the
 * same order; what they cost together is what was promised; and the network follows from the answers. */
#include "learners.h"

#include <stdio.h>
#include <string.h>

#include "replay_models.h"

enum { ROWS = 24 };

typedef struct request {
    const char *settings[8];
} request;

static const request requests[] = {
    { { "net=output", "stages=1", "epochs=1" } },
    { { "net=output", "stages=2", "epochs=20", "learning_rate=0.3", "lot=8" } },
    { { "net=dense 3; relu; output", "stages=3", "first=0.2", "epochs=10", "learning_rate=0.3" } },
    { { "net=output", "stages=1", "epochs=1", "shares=0.45,0.1,0.45" } },
    { { "net=dropout 0.5; output", "stages=2", "epochs=5", "range=raw", "shares=0.3,0.3,0.4",
        "learning_rate=0.3", "optimiser=sgd" } },
};

/* A class, none, or none that was declared. */
static int32_t any_label(uint64_t r) { return r % 6 == 0 ? -1 : r % 6 == 1 ? INT32_MAX : (int32_t)(r % 3); }

static dusk_frame *side_of(const char *text, uint32_t unit, uint64_t side, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame = learners_frame(text, ROWS, gen);
    uint64_t state = seed;
    for (size_t i = 0; i < 6; i++) frame->column[LEARNERS_COLOUR].code[i] = any_label(splitmix64(&state));
    for (uint32_t i = 0; i < unit; i++) { /* wherever they are */
        const size_t row = splitmix64(&state) % ROWS;
        const uint64_t first = splitmix64(&state), other = splitmix64(&state);
        frame->column[LEARNERS_COLOUR].code[row] = any_label(side ? other : first);
    }
    dusk_generator_free(gen);
    return frame;
}

static void run_pair(const dusk_train_options *o, uint32_t unit, uint64_t seed)
{
    char text[512];
    dusk_model *model[2];
    replay p = replay_open(seed);
    snprintf(text, sizeof text, "%srows_per_unit %u\n", LEARNERS_FIELDS, unit);
    for (uint64_t side = 0; side < 2; side++) {
        dusk_frame *frame = side_of(text, unit, side, seed);
        dusk_training *training;
        dusk_error err = { .message = "" };
        if (dusk_training_prepare(&training, "label_net", frame->fields, o, &err) != DUSK_OK)
            fail_msg("%s", err.message);
        assert_true(dusk_training_statement(training)->epsilon <= o->epsilon);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    replay_same_models(model[0], model[1]);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = o->epsilon });
}

static void labels_are_asked_for_once(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        for (uint64_t how = 0; how < 12; how++) {
            const request *r = &requests[k];
            dusk_train_options o = learners_options(dusk_learner_named("label_net"), how & 2 ? 6 : 1.5, 0);
            o.settings = r->settings;
            o.settings_count = 0;
            while (o.settings_count < 8 && r->settings[o.settings_count]) o.settings_count++;
            run_pair(&o, how & 1 ? 3 : 1, 700 + 20 * k + how);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(labels_are_asked_for_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
