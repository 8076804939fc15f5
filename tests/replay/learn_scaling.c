/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling that is paid for, on neighbouring tables with the same coins: its release moves by what is declared, and the whole model,
 * scaling among it, follows from what was released. The row that is there or not lies at the ends of all bounds. */
#include <stdio.h>

#include "learners.h"
#include "replay.h"

enum { ROWS = 12 };

/* All numbers at an end, in the middle, or beyond. */
static void make_row(dusk_frame *frame, size_t row, uint64_t kind)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        const double values[] = { f->lower, f->upper, NAN, -1e300 };
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = values[kind % 4];
        else
            frame->column[c].code[row] = (int32_t)(kind % 2);
    }
}

static char *model_of(bool more, const dusk_train_options *o, uint64_t seed, dusk_generator *gen)
{
    dusk_generator *rows = seeded(seed);
    dusk_frame *frame = learners_frame(LEARNERS_FIELDS, ROWS + 1, rows);
    dusk_training *training;
    dusk_model *model;
    char *text;
    size_t length;
    make_row(frame, ROWS, seed);
    if (!more && o->neighbours == DUSK_ADD_REMOVE) frame->rows--;
    if (!more && o->neighbours == DUSK_REPLACE_ONE) make_row(frame, ROWS, seed + 1);
    assert_int_equal(dusk_training_prepare(&training, "pca", frame->fields, o, NULL), DUSK_OK);
    assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
    assert_int_equal(dusk_model_format(model, &text, &length, NULL), DUSK_OK);
    dusk_model_free(model);
    dusk_training_free(training);
    frame->rows = ROWS + 1;
    dusk_frame_free(frame);
    dusk_generator_free(rows);
    return text;
}

static void neighbours_look_alike(void **state)
{
    static const char *const settings[] = { "scaling=standard" };
    (void)state;
    for (uint64_t k = 0; k < 16; k++) {
        replay p = replay_open(k);
        dusk_train_options o = learners_options(dusk_learner_named("pca"), 3, k & 1 ? 1e-6 : 0);
        char *text[2];
        o.settings = settings;
        o.settings_count = 1;
        o.neighbours = k & 8 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
        for (int side = 0; side < 2; side++) text[side] = model_of(side, &o, k / 2, p.gen[side]);
        assert_string_equal(text[0], text[1]);
        for (int side = 0; side < 2; side++) dusk_ledger_free_text(text[side]);
        replay_close(&p, (replay_declared){ .epsilon = o.epsilon, .delta = o.delta });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_look_alike) };
    return cmocka_run_group_tests_name("learn_scaling", tests, NULL, NULL);
}
