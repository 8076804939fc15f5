/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a fit: the rows and whatever a fit needs besides, at its peak, beside the rows as a matrix of doubles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

enum { ROWS = 1000000 };

typedef struct setup {
    const char *learner, *label;
    size_t columns;
} setup;

static dusk_frame *make_rows(const setup *s)
{
    char text[128];
    dusk_fields *fields;
    dusk_frame *frame;
    dusk_error err = { .message = "" };
    uint64_t state = 1;
    snprintf(text, sizeof text, "x[%zu] numeric -1:1\n%s", s->columns, s->label);
    bench_require(dusk_fields_parse(&fields, text, &err), &err);
    bench_require(dusk_frame_new(&frame, fields, ROWS, &err), &err);
    for (size_t c = 0; c < fields->count; c++)
        for (size_t i = 0; i < ROWS; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (frame->column[c].number) frame->column[c].number[i] = (double)(state >> 11) * 0x1p-52 - 1;
            if (frame->column[c].code) frame->column[c].code[i] = (int32_t)(state >> 63);
        }
    dusk_fields_free(fields);
    return frame;
}

static void run_memory(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    dusk_train_options options;
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    double before = bench_memory("VmRSS");
    dusk_frame *frame = make_rows(s);
    dusk_train_options_init(&options);
    options.label = *s->label ? "y" : NULL;
    options.epsilon = 1;
    options.delta = 1e-9;
    options.neighbours = DUSK_ADD_REMOVE;
    bench_require(dusk_training_prepare(&training, s->learner, frame->fields, &options, &err), &err);
    bench_forget_peak();
    bench_require(dusk_training_run(training, &model, frame, gen, &err), &err);
    *out = (bench_result){ .value = bench_memory("VmHWM") - before,
                           .floor_value = (double)ROWS * (double)frame->fields->count * 8 / 1048576 };
    dusk_model_free(model);
    dusk_training_free(training);
    dusk_frame_free(frame);
}

#define MEMORY(learner, label, columns)                                                                      \
    {                                                                                                        \
        "learn/" learner "/memory/1e6x" #columns, "rows and all that a fit needs, at the peak", "MB",        \
            "the rows as a matrix of doubles", "ratio <= 1.5", run_memory, &(const setup)                    \
        {                                                                                                    \
            learner, label, columns                                                                          \
        }                                                                                                    \
    }
#define BOTH(learner, label) MEMORY(learner, label, 20), MEMORY(learner, label, 100)

const bench_case bench_learn_memory_cases[] = {
    BOTH("linear", "y numeric -1:1\n"),
    BOTH("logistic", "y category no,yes\n"),
    BOTH("pca", ""),
    BOTH("kmeans", ""),
    { .name = NULL },
};
