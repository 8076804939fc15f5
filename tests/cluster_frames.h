/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CLUSTER_FRAMES_H
#define TESTS_CLUSTER_FRAMES_H

/* Frames of numbers in clusters, and trainings on them. */

#include <math.h>
#include <stdio.h>

#include "dusk/learn.h"
#include "seeded.h"

static inline double cluster_uniform(uint64_t *seed) { return (double)(splitmix64(seed) >> 11) * 0x1p-53; }

/* `text`: numeric fields. Rows in `k` clusters, at places that differ by the seed, row i in cluster i % k; each within a
 * twentieth of the bounds of its place. */
static inline dusk_frame *cluster_frame(const char *text, size_t rows, size_t k, uint64_t seed)
{
    const uint64_t first = seed;
    dusk_fields *fields;
    dusk_frame *frame;
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(dusk_frame_new(&frame, fields, rows, NULL), DUSK_OK);
    for (size_t i = 0; i < rows; i++) {
        uint64_t place = first + i % k * 1000;
        for (size_t c = 0; c < fields->count; c++) {
            const dusk_field *f = &fields->field[c];
            double at = 0.1 + 0.8 * cluster_uniform(&place) + 0.05 * (cluster_uniform(&seed) - 0.5);
            if (f->kind == DUSK_FIELD_NUMERIC)
                frame->column[c].number[i] = f->lower + (f->upper - f->lower) * at;
            if (f->kind == DUSK_FIELD_CATEGORY) frame->column[c].code[i] = (int32_t)(i % k % f->values);
        }
    }
    dusk_fields_free(fields);
    return frame;
}

typedef struct cluster_request {
    const char *learner, *settings[6], *label;
    double epsilon, delta;
    dusk_neighbours neighbours; /* 0: add or remove */
    uint64_t rows;
} cluster_request;

static inline dusk_status cluster_prepare(dusk_training **out, const cluster_request *r,
                                          const dusk_fields *fields, dusk_error *err)
{
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.epsilon = r->epsilon;
    o.delta = r->delta;
    o.neighbours = r->neighbours ? r->neighbours : DUSK_ADD_REMOVE;
    o.rows = r->rows;
    o.label = r->label;
    o.settings = r->settings;
    while (o.settings_count < 6 && r->settings[o.settings_count]) o.settings_count++;
    return dusk_training_prepare(out, r->learner, fields, &o, err);
}

static inline dusk_model *cluster_run(const cluster_request *r, const dusk_frame *frame, dusk_generator *gen)
{
    dusk_training *training;
    dusk_model *model;
    dusk_error err = { .message = "" };
    if (cluster_prepare(&training, r, frame->fields, &err) != DUSK_OK) fail_msg("%s", err.message);
    if (dusk_training_run(training, &model, frame, gen, &err) != DUSK_OK) fail_msg("%s", err.message);
    dusk_training_free(training);
    return model;
}

static inline dusk_model *cluster_train(const cluster_request *r, const dusk_frame *frame, uint64_t seed)
{
    dusk_generator *gen = seeded(seed);
    dusk_model *model = cluster_run(r, frame, gen);
    dusk_generator_free(gen);
    return model;
}

static inline void cluster_refused(const cluster_request *r, const char *text, const char *part)
{
    dusk_fields *fields;
    dusk_training *training;
    dusk_error err = { .message = "" };
    assert_int_equal(dusk_fields_parse(&fields, text, NULL), DUSK_OK);
    assert_int_equal(cluster_prepare(&training, r, fields, &err), DUSK_ERR_ARGUMENT);
    if (!strstr(err.message, part)) fail_msg("\"%s\" does not say \"%s\"", err.message, part);
    dusk_fields_free(fields);
}

#endif
