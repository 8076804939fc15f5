/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TRAINING_AUDIT_H
#define TESTS_TRAINING_AUDIT_H

/* Trainings as subjects of an audit: planned once, trained anew on one of two small tables for every draw; what is looked at is the
 * model. See audit/learners.c and audit/nets.c. */

#include "dusk/learn.h"
#include "inner_audit.h"

enum { FIELDS_MAX = 4, ROWS_MAX = 8, OUTPUTS_MAX = 4 };

typedef struct world {
    size_t rows;
    double row[ROWS_MAX][FIELDS_MAX]; /* a category is its number */
} world;

typedef struct asked {
    const char *learner, *fields, *label;
    const char *settings[12];
    dusk_neighbours neighbours;
    double delta;
    uint64_t rows; /* declared */
    const char *array;
    const world *world[2];
    const world *open; /* public rows, or NULL */
} asked;

static dusk_training *training; /* the same plan for both tables */
static dusk_frame *table[2], *open_table;
static const asked *current;

/* --- worlds -------------------------------------------------------------------------------------------- */

static inline dusk_frame *fill(const dusk_fields *fields, const world *w)
{
    dusk_frame *frame;
    must(dusk_frame_new(&frame, fields, w->rows, NULL));
    for (size_t r = 0; r < w->rows; r++)
        for (size_t c = 0; c < fields->count; c++) {
            if (fields->field[c].kind == DUSK_FIELD_NUMERIC)
                frame->column[c].number[r] = w->row[r][c];
            else
                frame->column[c].code[r] = (int32_t)w->row[r][c];
        }
    return frame;
}

static inline void end_training(void)
{
    dusk_training_free(training);
    training = NULL;
    for (int w = 0; w < 2; w++) {
        dusk_frame_free(table[w]);
        table[w] = NULL;
    }
    dusk_frame_free(open_table);
    open_table = NULL;
}

static inline claim begin(const asked *a, double epsilon)
{
    dusk_fields *fields;
    dusk_train_options o;
    dusk_error err = { 0 };
    end_training();
    current = a;
    must(dusk_fields_parse(&fields, a->fields, &err));
    dusk_train_options_init(&o);
    o.label = a->label;
    o.epsilon = epsilon;
    o.delta = a->delta;
    o.neighbours = a->neighbours;
    o.rows = a->rows;
    o.settings = a->settings;
    while (a->settings[o.settings_count]) o.settings_count++;
    if (a->open) o.open_rows = open_table = fill(fields, a->open);
    dusk_status status = dusk_training_prepare(&training, a->learner, fields, &o, &err);
    if (status != DUSK_OK) fprintf(stderr, "%s: %s\n", a->learner, err.message);
    must(status);
    for (int w = 0; w < 2; w++) table[w] = fill(fields, a->world[w]);
    dusk_fields_free(fields);
    return (claim){ epsilon, a->delta };
}

/* --- a draw --------------------------------------------------------------------------------------------- */

static inline void draw_numbers(double *out, int w, size_t n)
{
    dusk_model *model;
    size_t rows, columns;
    must(dusk_training_run(training, &model, table[w], coins, NULL));
    const double *array = dusk_model_array(model, current->array, &rows, &columns);
    if (!array || rows * columns < n) must(DUSK_ERR_INTERNAL);
    for (size_t i = 0; i < n; i++) out[i] = array[i];
    dusk_model_free(model);
}

static inline void draw_one(double *out, int w) { draw_numbers(out, w, 1); }
static inline void draw_two(double *out, int w) { draw_numbers(out, w, 2); }
static inline void draw_four(double *out, int w) { draw_numbers(out, w, 4); }

/* --- subjects ------------------------------------------------------------------------------------------- */

/* OPEN: with public rows. */
#define SUBJECT(name, ...) OPEN_SUBJECT(name, __VA_ARGS__, NULL)
#define OPEN_SUBJECT(name, ...)                                                                              \
    static claim begin_##name(double epsilon)                                                                \
    {                                                                                                        \
        static const asked a = { __VA_ARGS__ };                                                              \
        return begin(&a, epsilon);                                                                           \
    }

#endif
