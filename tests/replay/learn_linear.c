/* SPDX-License-Identifier: Apache-2.0 */
/* Linear learners with settings of their own on neighbouring tables (all learners with their defaults: learners.c): the inputs
 * of every release are within what it declares, and all that a model holds follows from what was released. */
#include "regressions.h"

#include "replay_models.h"

enum { ROWS = 40 };

static const char *const texts[] = {
    regression_fields,
    "a numeric 0:1\nb numeric -1:0\nc numeric 5:6\ny numeric -10:10\nrows_per_unit 2\n",
};

/* Extreme rows, so that bounds are met: every column and the label at an end. */
static void make_extreme(dusk_frame *frame, size_t row, uint64_t *seed)
{
    for (size_t c = 0; c < 4; c++) {
        const dusk_field *f = &frame->fields->field[c];
        uint64_t r = splitmix64(seed) % 5;
        double values[] = { f->lower, f->upper, 1e308, -INFINITY, NAN };
        frame->column[c].number[row] = c == 3 && r >= 3 ? f->lower : values[r];
    }
}

static void run_pair(const regression_request *r, uint64_t seed)
{
    bool replace = r->neighbours == DUSK_REPLACE_ONE;
    dusk_frame *frame[2];
    dusk_model *model[2];
    for (int side = 0; side < 2; side++) {
        size_t more = replace || side == 1 ? 1 + seed % 2 : 0; /* rows of the unit that is changed */
        uint64_t state = seed;
        frame[side] = regression_frame(texts[seed % 2], ROWS + more, 1, 77 + seed);
        for (size_t i = 0; i < 6; i++) make_extreme(frame[side], i, &state);
        state += (uint64_t)side * 1000;
        for (size_t i = ROWS; i < ROWS + more; i++) make_extreme(frame[side], i, &state);
    }
    replay p = replay_open(seed);
    for (int side = 0; side < 2; side++) model[side] = regression_run(r, frame[side], p.gen[side]);
    replay_same_models(model[0], model[1]);
    for (int side = 0; side < 2; side++) {
        dusk_model_free(model[side]);
        dusk_frame_free(frame[side]);
    }
    bool ranks =
        !strcmp(r->settings[0], "combine=median"); /* which look at as many places as there are values */
    replay_close(&p, (replay_declared){ .epsilon = r->epsilon, .delta = r->delta, .coins_vary = ranks });
}

static void run_all(const char *learner, const char *setting, int count)
{
    for (int k = 0; k < count; k++) {
        regression_request r = { learner,
                                 .settings = { setting },
                                 .epsilon = k & 8 ? 100 : 0.8,
                                 .delta = k % 2 ? 1e-6 : 0,
                                 .neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE,
                                 .rows = k & 4 ? ROWS : 0 };
        run_pair(&r, (uint64_t)(100 + k));
    }
}

static void test_settings(void **unused)
{
    (void)unused;
    run_all("linear", "method=ssp", 16);
    run_all("aggregate_linear", "combine=median", 4);
}

/* A row that comes turns the weights of its block around: from one end of the ball to the other. */
static void test_ball(void **unused)
{
    (void)unused;
    const regression_request r = { "aggregate_linear", .settings = { "blocks=1", "longest=0.01" },
                                   .epsilon = 1, .delta = 1e-6 };
    replay p = replay_open(5);
    dusk_model *model[2];
    for (size_t side = 0; side < 2; side++) {
        dusk_frame *frame = regression_frame(regression_fields, 1 + side, 0, 6);
        for (size_t i = 0; i <= side; i++) {
            for (size_t c = 0; c < 3; c++) frame->column[c].number[i] = frame->fields->field[c].upper;
            frame->column[3].number[i] = i ? -10 : 2;
        }
        model[side] = regression_run(&r, frame, p.gen[side]);
        dusk_frame_free(frame);
    }
    replay_same_models(model[0], model[1]);
    for (size_t side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&p, (replay_declared){ .epsilon = 1, .delta = 1e-6 });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_settings), cmocka_unit_test(test_ball) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
