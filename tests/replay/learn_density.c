/* SPDX-License-Identifier: Apache-2.0 */
/* Densities on neighbouring tables with the same coins: counts, scores of pairs and counts of pairs move by what is declared. */
#include "replay.h"
#include "spectral.h"

enum { ROWS = 60 };

/* The second column follows the first; the others follow nothing. The row that comes or goes is unlike all. */
static dusk_frame *side_of(size_t more, uint64_t seed)
{
    dusk_frame *frame =
        frame_of("x numeric 0:1\ny numeric 5:6\nc category a,b,c\nd category a,b\n", ROWS + more);
    for (size_t i = 0; i < ROWS + more; i++) {
        double x = (even(&seed) + 1) / 2;
        frame->column[0].number[i] = i < ROWS ? x : NAN;
        frame->column[1].number[i] = i < ROWS ? 5 + x : -1e300;
        frame->column[2].code[i] = i < ROWS ? (int32_t)(splitmix64(&seed) % 2) : -7;
        frame->column[3].code[i] = i < ROWS ? (int32_t)(splitmix64(&seed) % 2) : 1000;
    }
    return frame;
}

static void run_pair(const char *setting, double epsilon, double delta, bool declared, uint64_t seed)
{
    const char *words[] = { setting, "bins=4" };
    dusk_model *model[2];
    replay r = replay_open(seed);
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.settings = words;
    o.settings_count = 2;
    o.epsilon = epsilon;
    o.delta = delta;
    o.rows = declared ? ROWS : 0;
    o.neighbours = DUSK_ADD_REMOVE;
    for (int side = 0; side < 2; side++) {
        dusk_frame *frame = side_of((size_t)side, seed);
        dusk_training *training;
        assert_int_equal(dusk_training_prepare(&training, "density", frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model[side], frame, r.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    for (size_t i = 0; dusk_model_array_at(model[0], i); i++) {
        size_t rows, columns;
        const char *name = dusk_model_array_at(model[0], i);
        const double *x = dusk_model_array(model[0], name, &rows, &columns);
        replay_same(x, dusk_model_array(model[1], name, &rows, &columns), rows * columns);
    }
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    replay_close(&r, (replay_declared){ .epsilon = epsilon, .delta = delta });
}

static void neighbours_look_alike(void **state)
{
    (void)state;
    for (uint64_t t = 0; t < 80; t++)
        run_pair(t % 2 ? "structure=tree" : "structure=independent", t / 2 % 2 ? 30 : 0.9,
                 t / 4 % 2 ? 0 : 1e-6, t / 8 % 2, t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_look_alike) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
