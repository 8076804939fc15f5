/* SPDX-License-Identifier: Apache-2.0 */
/* Teachers, and nearest rows, on neighbouring tables: every aggregator, both relations, units of several rows; labels by chance, so that a row more changes what its
 * teacher says. Votes of every release are within what it declares, and all that a model holds follows from what was released. */
#include "learners.h"

#include <stdio.h>
#include <string.h>

#include "replay.h"

enum { ROWS = 30 };

typedef struct request {
    const char *settings[8];
} request;

/* Samples: the same rows are in, and perhaps one more. What they cost is not the sum of what these releases do. */
static const request sampled[] = {
    { { "neighbours=5", "questions=60", "epochs=1", "rate=0.5", "noise=0.5" } },
    { { "neighbours=40", "questions=60", "epochs=1", "rate=0.5" } },
    { { "neighbours=4", "questions=60", "answers=45", "epochs=1", "method=confident", "rate=0.5" } },
};
static const request of_all[] = {
    { { "neighbours=3", "questions=12", "epochs=1", "rate=1" } },
    { { "neighbours=40", "questions=12", "epochs=1", "rate=1" } }, /* all rows vote */
    { { "neighbours=6", "questions=12", "answers=9", "epochs=1", "method=confident", "rate=1" } },
    { { "neighbours=40", "questions=12", "answers=9", "epochs=1", "method=confident", "rate=1" } },
};

static const request requests[] = {
    { { "teachers=5", "questions=12", "epochs=1", "method=gnmax", "width=0.1" } },
    { { "teachers=5", "questions=12", "epochs=1", "method=lnmax" } },
    { { "teachers=4", "questions=12", "answers=8", "epochs=1", "method=confident", "threads=2" } },
    { { "teachers=4", "questions=12", "epochs=1", "method=interactive", "sure=0.4", "threshold=0.1" } },
    { { "teachers=20", "questions=12", "epochs=1", "teacher_rows=3", "net=dense 3; relu; output" } },
};
/* Reports need much of epsilon where teachers are few, and the second and third of these units of one row: else they are refused. */
static const request reports[] = {
    { { "teachers=20", "questions=12", "epochs=1", "report=yes", "margin=0.2" } },
    { { "teachers=20", "questions=12", "answers=7", "epochs=1", "report=yes", "method=confident" } },
    { { "teachers=20", "questions=12", "epochs=1", "report=yes", "method=lnmax" } },
    { { "teachers=20", "questions=12", "epochs=1", "report=yes", "margin=0", "report_share=0.4" } },
    { { "teachers=20", "questions=12", "answers=7", "epochs=1", "report=yes", "method=interactive",
        "sure=0.4", "threshold=0.3" } },
};

/* Anything anywhere, some without a label. */
static void fill(dusk_frame *frame, size_t row, uint64_t *seed)
{
    for (size_t c = 0; c < frame->fields->count; c++) {
        const dusk_field *f = &frame->fields->field[c];
        const uint64_t r = splitmix64(seed);
        if (f->kind == DUSK_FIELD_NUMERIC)
            frame->column[c].number[row] = f->lower + (f->upper - f->lower) * (double)(r >> 11) * 0x1p-53;
        else
            frame->column[c].code[row] = (int32_t)(r % (f->values + 1)) - (r % 7 == 0);
    }
}

static dusk_frame *side_of(uint32_t unit, bool more, uint64_t own, uint64_t seed)
{
    char text[400];
    dusk_generator *gen = seeded(seed);
    snprintf(text, sizeof text, "%srows_per_unit %u\n", LEARNERS_FIELDS, unit);
    dusk_frame *frame = learners_frame(text, more ? ROWS + unit : ROWS, gen);
    uint64_t state = seed;
    for (size_t i = 0; i < ROWS; i++) fill(frame, i, &state);
    state = own;
    for (size_t i = ROWS; i < frame->rows; i++) fill(frame, i, &state);
    dusk_generator_free(gen);
    return frame;
}

/* How many releases have a smooth sensitivity that is not the same on both sides. */
static size_t sensitivities_apart(const replay *p)
{
    size_t apart = 0;
    for (size_t i = 0; i < p->record[0]->n && i < p->record[1]->n; i++) {
        const dusk_record_call *a = &p->record[0]->calls[i], *b = &p->record[1]->calls[i];
        if (a->header.norm == DUSK_RECORD_SMOOTH && b->header.norm == DUSK_RECORD_SMOOTH)
            apart += a->inputs[1].real != b->inputs[1].real;
    }
    return apart;
}

static size_t run_pair(const char *learner, const dusk_train_options *o, uint32_t unit, bool priced,
                       uint64_t seed)
{
    const bool replace = o->neighbours == DUSK_REPLACE_ONE;
    dusk_model *model[2];
    replay p = replay_open(seed);
    for (uint64_t side = 0; side < 2; side++) {
        dusk_frame *frame = side_of(unit, replace || side, seed + 1000 * side, seed);
        dusk_training *training;
        dusk_error err = { .message = "" };
        if (dusk_training_prepare(&training, learner, frame->fields, o, &err) != DUSK_OK)
            fail_msg("%s", err.message);
        assert_int_equal(dusk_training_run(training, &model[side], frame, p.gen[side], NULL), DUSK_OK);
        dusk_training_free(training);
        dusk_frame_free(frame);
    }
    size_t rows, columns;
    const double *w = dusk_model_array(model[0], "parameters", &rows, &columns);
    replay_same(w, dusk_model_array(model[1], "parameters", &rows, &columns), rows * columns);
    w = dusk_model_array(model[0], "answers", &rows, &columns);
    replay_same(w, dusk_model_array(model[1], "answers", &rows, &columns), rows * columns);
    w = dusk_model_array(model[0], "report", &rows, &columns);
    if (w) replay_same(w, dusk_model_array(model[1], "report", &rows, &columns), rows * columns);
    for (int side = 0; side < 2; side++) dusk_model_free(model[side]);
    const size_t apart = sensitivities_apart(&p);
    replay_close(&p, (replay_declared){ .epsilon = priced ? o->epsilon : 0, .delta = o->delta });
    return apart;
}

static dusk_train_options options_of(const char *learner, const request *r, double epsilon, bool replace)
{
    dusk_train_options o = learners_options(dusk_learner_named(learner), epsilon, 1e-6);
    o.neighbours = replace ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    o.settings = r->settings;
    o.settings_count = 0;
    while (o.settings_count < 8 && r->settings[o.settings_count]) o.settings_count++;
    return o;
}

static void votes_are_within_what_they_declare(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        for (uint64_t how = 0; how < 16; how++) {
            const dusk_train_options o = options_of("pate", &requests[k], how & 4 ? 30 : 0.7, how & 1);
            (void)run_pair("pate", &o, how & 2 ? 3 : 1, true, 500 + 20 * k + how);
        }
}

static void reports_are_within_what_they_declare(void **state)
{
    (void)state;
    size_t apart = 0;
    for (size_t k = 0; k < sizeof reports / sizeof *reports; k++)
        for (uint64_t how = 0; how < 8; how++) {
            const dusk_train_options o = options_of("pate", &reports[k], how & 4 ? 150 : 80, how & 1);
            apart +=
                run_pair("pate", &o, how & 2 && (k % 3 == 0 || k == 4) ? 2 : 1, true, 1200 + 20 * k + how);
        }
    if (apart < 8) fail_msg("only %zu sensitivities differ", apart);
}

/* All rows have one label, so that teachers agree on it, and a student who is asked in between says it. Its answer is as good as theirs: where nothing is to be enough to contradict it
 * it is open whether they do, which is what costs; where half of them have to, it is not. */
static void reports_are_of_what_was_asked(void **state)
{
    (void)state;
    double said[2];
    for (int way = 0; way < 2; way++) {
        const request r = { { "teachers=20", "questions=12", "answers=12", "epochs=1", "report=yes",
                              "method=interactive", "sure=0.4", way ? "threshold=0.5" : "threshold=0" } };
        const dusk_train_options o = options_of("pate", &r, 150, false);
        dusk_generator *gen = seeded(77);
        dusk_frame *frame = side_of(1, false, 5, 9);
        dusk_training *training;
        dusk_model *model;
        size_t rows, columns;
        for (size_t i = 0; i < frame->rows; i++) frame->column[LEARNERS_COLOUR].code[i] = 1;
        assert_int_equal(dusk_training_prepare(&training, "pate", frame->fields, &o, NULL), DUSK_OK);
        assert_int_equal(dusk_training_run(training, &model, frame, gen, NULL), DUSK_OK);
        said[way] = dusk_model_array(model, "report", &rows, &columns)[1];
        dusk_model_free(model);
        dusk_training_free(training);
        dusk_frame_free(frame);
        dusk_generator_free(gen);
    }
    if (!(said[0] > 100 && said[1] < 2)) fail_msg("%g and %g", said[0], said[1]);
}

static void nearest_rows_are_within_what_they_declare(void **state)
{
    (void)state;
    dusk_generator *gen = seeded(4712);
    dusk_frame *open = learners_frame(LEARNERS_FIELDS, 60, gen);
    for (size_t k = 0; k < sizeof of_all / sizeof *of_all; k++)
        for (uint64_t how = 0; how < 8; how++) {
            const dusk_train_options o = options_of("private_knn", &of_all[k], how & 4 ? 30 : 0.7, how & 1);
            (void)run_pair("private_knn", &o, how & 2 ? 3 : 1, true, 700 + 20 * k + how);
        }
    for (size_t k = 0; k < sizeof sampled / sizeof *sampled; k++)
        for (uint64_t how = 0; how < 4; how++) {
            dusk_train_options o = options_of("private_knn", &sampled[k], 1, how & 1);
            o.open_rows = open;
            (void)run_pair("private_knn", &o, 1, false, 800 + 20 * k + how);
        }
    dusk_frame_free(open);
    dusk_generator_free(gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(votes_are_within_what_they_declare),
                                        cmocka_unit_test(reports_are_within_what_they_declare),
                                        cmocka_unit_test(reports_are_of_what_was_asked),
                                        cmocka_unit_test(nearest_rows_are_within_what_they_declare) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
