/* SPDX-License-Identifier: Apache-2.0 */
/* Every learner that is listed, on neighbouring tables with the same coins: the inputs of every release are within what it
 * declares, releases are of the same kind in the same order, and all that a model holds follows from what was released. A
 * unit of up to two rows is there or not, or is exchanged; its rows lie at the ends of all bounds and beyond. Learners whose law is
 * idealised have no releases that could be compared. */
#include "learners.h"

#include <stdio.h>

#include "replay_models.h"

enum { ROWS = 24 };

/* One extreme row: numbers at an end, beyond it, or missing; any category, or none. */
static void make_extreme(dusk_frame *frame, size_t row, uint64_t *seed)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        const double values[] = { f->lower, f->upper, 1e308, -INFINITY, NAN, f->lower };
        uint64_t r = splitmix64(seed);
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = values[r % 6];
        else
            frame->column[c].code[row] = (int32_t)(r % (f->values + 1)) - (r % 7 == 0);
    }
}

/* A row whose numbers all lie at one end, but for the last, the label: exchanged for its opposite it moves sums the farthest. */
static void make_opposite(dusk_frame *frame, size_t row, int side)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = side && c + 1 < frame->fields->count ? f->lower : f->upper;
        else
            frame->column[c].code[row] = 1;
    }
}

static dusk_frame *side_of(const char *fields, size_t more, uint64_t own, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_frame *frame = learners_frame(fields, ROWS + more, gen);
    uint64_t state = seed;
    for (size_t i = 0; i < 6; i++) make_extreme(frame, i, &state);
    state = own;
    for (size_t i = ROWS; i < ROWS + more; i++) make_extreme(frame, i, &state);
    dusk_generator_free(gen);
    return frame;
}

static void run_pair(const dusk_learner *l, const dusk_train_options *o, uint32_t rows_per_unit,
                     uint64_t seed)
{
    bool replace = o->neighbours == DUSK_REPLACE_ONE;
    char text[512];
    dusk_model *model[2];
    replay p = replay_open(seed);
    snprintf(text, sizeof text, "%srows_per_unit %u\n", learners_fields(l), rows_per_unit);
    for (int side = 0; side < 2; side++) {
        dusk_frame *frame =
            side_of(text, replace || side ? rows_per_unit : 0, seed + 1000 * (uint64_t)side, seed);
        dusk_training *training;
        dusk_error err = { .message = "" };
        if (replace && o->rows) make_opposite(frame, ROWS, side);
        if (dusk_training_prepare(&training, l->name, frame->fields, o, &err) != DUSK_OK)
            fail_msg("%s: %s", l->name, err.message);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    replay_same_models(model[0], model[1]);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    /* a choice by ranks looks at as many places as there are rows; one of many candidates takes as many coins as it needs */
    bool ranks = !strcmp(l->name, "theil_sen") || !strcmp(l->name, "tree") || !strncmp(l->name, "net_", 4);
    replay_close(&p, (replay_declared){ .epsilon = o->epsilon, .delta = o->delta, .coins_vary = ranks });
}

static bool has_pure_version(const dusk_learner *l)
{
    dusk_train_options o = learners_options(l, 1, 0);
    dusk_fields *fields;
    dusk_training *training;
    assert_int_equal(dusk_fields_parse(&fields, learners_fields(l), NULL), DUSK_OK);
    dusk_status status = dusk_training_prepare(&training, l->name, fields, &o, NULL);
    dusk_training_free(training);
    dusk_fields_free(fields);
    return status == DUSK_OK;
}

static void neighbours_look_alike(void **state)
{
    (void)state;
    for (size_t i = 0; dusk_learner_at(i); i++) {
        const dusk_learner *l = dusk_learner_at(i);
        if (l->numerics == DUSK_NUMERICS_IDEALISED) continue;
        if (!strncmp(l->name, "amp_", 4)) continue;    /* private by a density: learn_amp.c */
        if (!strncmp(l->name, "oracle_", 7)) continue; /* private by a shift: learn_lattice.c */
        if (dusk_learner_is_for_labels(l)) continue;   /* only labels may differ: deep_labels.c */
        print_message("%s\n", l->name);
        for (uint64_t k = 0; k < 8; k++) {
            dusk_train_options o = learners_options(l, k & 4 ? 50 : 0.8, k & 1 ? 1e-6 : 0);
            o.neighbours = k & 2 ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
            o.rows = k & 4 ? ROWS : 0;
            if (o.delta == 0 && !has_pure_version(l)) continue;
            run_pair(l, &o, 1 + k % 2, 100 * i + k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours_look_alike) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
