/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LEARNERS_H
#define TESTS_LEARNERS_H

/* Small frames on which every learner can be trained, whatever it learns, and odd ones on which it must be, too. */

#include <math.h>

#include "dusk/learn.h"
#include "random/sampling.h"
#include "seeded.h"

/* Both kinds of columns, one that never changes, and both kinds of labels. */
#define LEARNERS_FIELDS                                                                                      \
    "x numeric -1:1\nz numeric 0:10\nsame numeric 0:1\ncolour category red,green,blue\n"                     \
    "good category no,yes\ny numeric -5:5\n"
enum { LEARNERS_X, LEARNERS_Z, LEARNERS_SAME, LEARNERS_COLOUR, LEARNERS_GOOD, LEARNERS_Y };

/* Theil-Sen learns from one column, and a lattice is for few: the fields of a learner. */
static inline bool learners_narrow(const dusk_learner *learner)
{
    return !strncmp(learner->name, "theil", 5) || !strncmp(learner->name, "bernstein_", 10) ||
           !strncmp(learner->name, "oracle_", 7);
}

static inline const char *learners_fields(const dusk_learner *learner)
{
    if (!learners_narrow(learner)) return LEARNERS_FIELDS;
    return learner->task == DUSK_TASK_NUMBER ? "x numeric -1:1\ny numeric -5:5\n"
                                             : "x numeric -1:1\ngood category no,yes\n";
}

static inline const char *learners_label(const dusk_learner *learner)
{
    if (learner->task == DUSK_TASK_LABELS) return "good";
    if (learner->task > DUSK_TASK_NUMBER) return NULL;
    return learner->task == DUSK_TASK_NUMBER ? "y" : learner->task == DUSK_TASK_CLASS ? "colour" : "good";
}

/* Rows in which the labels follow the other columns. */
static inline dusk_frame *learners_frame(const char *text, size_t rows, dusk_generator *gen)
{
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t r = 0; r < rows; r++) {
        uint64_t word[3];
        assert_int_equal(dusk_generator_words(gen, word, 3, 64, NULL), DUSK_OK);
        double x = (double)word[0] * 0x1p-63 - 1, z = (double)word[1] * 0x1p-64 * 10;
        int32_t colour = (int32_t)(word[2] % 3);
        if (fields->count == 2) {
            frame->column[0].number[r] = x;
            if (frame->column[1].number)
                frame->column[1].number[r] = 3 * x + 1;
            else
                frame->column[1].code[r] = x > 0.2;
            continue;
        }
        frame->column[LEARNERS_X].number[r] = x;
        frame->column[LEARNERS_Z].number[r] = z;
        frame->column[LEARNERS_COLOUR].code[r] = colour;
        frame->column[LEARNERS_GOOD].code[r] = x + z / 10 > 0.5;
        frame->column[LEARNERS_Y].number[r] = 3 * x - z / 5 + (colour == 1);
    }
    dusk_fields_free(fields);
    return frame;
}

/* Networks: a small one, a few steps over all rows. */
static const char *const learners_net[] = { "net=dense 3; relu; output", "rate=1", "steps=3" };

static inline bool learners_is_net(const dusk_learner *learner)
{
    return !strcmp(learner->name, "net") || !strcmp(learner->name, "net_numbers") ||
           !strcmp(learner->name, "autoencoder") || !strcmp(learner->name, "net_labels");
}

/* Of private labels: the same, in two stages. */
static const char *const learners_labels[] = { "net=dense 3; relu; output", "epochs=2" };

/* Learners with public rows: few teachers, few questions; rows are taken for pictures, which are moved. */
static const char *const learners_pate[] = { "net=input 2 3; output", "teachers=3", "questions=4", "epochs=1",
                                             "method=lnmax" };

static const char *const learners_knn[] = { "neighbours=5", "rate=1", "questions=4", "epochs=1" };

static inline bool learners_open(const dusk_learner *learner)
{
    return !strcmp(learner->name, "pate") || !strcmp(learner->name, "private_knn");
}

/* Public rows, made once, for as long as the program runs. */
static inline const dusk_frame *learners_open_rows(void)
{
    static dusk_frame *frame;
    dusk_generator *gen = seeded(4711);
    if (!frame) frame = learners_frame(LEARNERS_FIELDS, 12, gen);
    dusk_generator_free(gen);
    return frame;
}

static inline dusk_train_options learners_options(const dusk_learner *learner, double epsilon, double delta)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = learners_label(learner);
    o.epsilon = epsilon;
    o.delta = delta;
    o.neighbours = DUSK_ADD_REMOVE;
    o.accept_idealised = true;
    if (learners_is_net(learner)) {
        o.settings = learners_net;
        o.settings_count = sizeof learners_net / sizeof *learners_net;
    }
    if (dusk_learner_is_for_labels(learner)) {
        o.neighbours = DUSK_REPLACE_ONE;
        o.settings = learners_labels;
        o.settings_count = sizeof learners_labels / sizeof *learners_labels;
    }
    if (learners_open(learner)) o.open_rows = learners_open_rows();
    if (!strcmp(learner->name, "private_knn")) {
        o.settings = learners_knn;
        o.settings_count = sizeof learners_knn / sizeof *learners_knn;
    }
    if (!strcmp(learner->name, "pate")) {
        o.settings = learners_pate;
        o.settings_count =
            sizeof learners_pate / sizeof *learners_pate - (delta > 0); /* gnmax with a delta */
    }
    return o;
}

#endif
