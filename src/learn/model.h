/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_MODEL_H
#define DUSK_LEARN_MODEL_H

/* The inside of a model: public facts, and named arrays that a learner released. What it is on disk: model_file.c. */

#include "dusk/learn.h"
#include "learn/features.h"
#include "learn/labels.h"

struct learn_learner;

typedef struct learn_array {
    char name[32]; /* letters, digits and '_' */
    size_t rows, columns;
    double *value;
} learn_array;

struct dusk_model {
    const struct learn_learner *learner;
    dusk_fields *fields;
    size_t label;        /* or DUSK_NO_LINK */
    learn_labels labels; /* of the task LABELS */
    dusk_statement statement;
    learn_features features; /* width 0: the learner does not encode rows as vectors */
    char **feature_name;     /* features.width texts, made on demand by learn_model_names */
    char **setting;          /* "name=value", all settings of the learner in their order; `settings` texts */
    size_t settings;
    learn_array *array;
    size_t arrays, room;
};

/* An empty model; `fields` and texts are copied. */
DUSK_MUST_USE dusk_status learn_model_new(dusk_model **out, const struct learn_learner *learner,
                                          const dusk_fields *fields, size_t label, dusk_error *err);
/* Add an array, or replace the one of that name; values are copied. */
DUSK_MUST_USE dusk_status learn_model_put(dusk_model *model, const char *name, size_t rows, size_t columns,
                                          const double *values, dusk_error *err);
/* One number, or `fallback` when there is no array of that name. */
double learn_model_number(const dusk_model *model, const char *name, double fallback);
DUSK_MUST_USE dusk_status learn_model_setting(dusk_model *model, const char *name, const char *value,
                                              dusk_error *err);
/* The value of a setting; NULL when there is none of that name. */
const char *learn_model_value(const dusk_model *model, const char *name);
/* The same as a whole number from 0 to 2^20; `fallback` when there is none, 0 when it is no such number: files are not trusted. */
size_t learn_model_whole(const dusk_model *model, const char *name, size_t fallback);
/* Make feature names; called once a model is complete (by training and by reading). */
DUSK_MUST_USE dusk_status learn_model_names(dusk_model *model, dusk_error *err);

/* For plans: DUSK_ERR_ARGUMENT when a model of so many numbers would be too large a file to be read back. */
DUSK_MUST_USE dusk_status learn_model_room(double numbers, dusk_error *err);

#endif
