/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_H
#define DUSK_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/frame.h"
#include "dusk/ledger.h"
#include "dusk/random.h"

/* Private learning on tables.
 *
 *     dusk_training_prepare    fields, settings, promise -> plan and price; no row is looked at
 *     dusk_training_run        charge (where there is a ledger), learn, give the model
 *     dusk_model_write         a file with its statement inside
 *     dusk_predict, dusk_model_score what it says of other rows, and how right it is
 *
 * Everything that a model holds is released by mechanisms or is public. Rows are encoded by declared facts: numbers
 * within their bounds to [-1, 1], categories one column each, a constant 1; on a grid, so that sums are exact. How
 * many rows there are is private too: declare it (`rows`), or learners that need it pay for a noisy count.
 *
 * Under add/remove objectives are sums, with an absolute regularisation; under replace-one the number of
 * rows is public. A promise without delta uses noise that gives one where a learner has it, and is refused where
 * not.
 *
 * Errors do not depend on rows: settings, assumptions and budgets are checked by dusk_training_prepare. */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Learners ------------------------------------------------------------------------------- */

typedef enum dusk_task {
    DUSK_TASK_BINARY = 1,  /* label: a category of two values             */
    DUSK_TASK_CLASS = 2,   /* label: a category                           */
    DUSK_TASK_NUMBER = 3,  /* label: numeric                              */
    DUSK_TASK_GROUPS = 4,  /* no label; a row gets a group                */
    DUSK_TASK_VECTOR = 5,  /* no label; a row gets coordinates            */
    DUSK_TASK_DENSITY = 6, /* no label; a row gets a log likelihood       */
    DUSK_TASK_LABELS = 7   /* labels: several categories of two values    */
} dusk_task;

/* A setting of a learner. */
typedef struct dusk_setting {
    const char *name;
    const char *fallback; /* its value when not given                               */
    const char *choices;  /* the words it may be, "|" between them; NULL: a number; "": any text */
    double low, high;     /* of a number; both ends are allowed                     */
    bool whole;
    const char *help;
} dusk_setting;

typedef struct dusk_learner {
    const char *name; /* "logistic" */
    dusk_task task;
    dusk_numerics numerics;       /* IDEALISED: needs accept_idealised */
    const char *summary;          /* one line */
    const char *source;           /* the paper */
    const dusk_setting *settings; /* ends with a name of NULL */
} dusk_learner;
/* Learner number i, or NULL beyond the last; the learner of that name, or NULL. */
DUSK_API const dusk_learner *dusk_learner_at(size_t i);
DUSK_API const dusk_learner *dusk_learner_named(const char *name);
/* A kind of layer, as the setting `net` of networks names it. */
typedef struct dusk_layer {
    const char *form; /* "dense N [each] [zero]": the word, numbers in their places, options */
    const char *help; /* one line */
} dusk_layer;
/* Kind number i; false beyond the last. */
DUSK_API bool dusk_layer_at(dusk_layer *out, size_t i);
/* Does it keep labels private and nothing else? All other columns, and how many rows there are, are then public: this is said in the statement
 * (dusk_statement_is_for_labels), and nothing is charged to a ledger. */
DUSK_API bool dusk_learner_is_for_labels(const dusk_learner *learner);
/* What only some learners take; the others refuse it, whatever their settings are. */
typedef enum dusk_ability {
    DUSK_ABILITY_STEPS, /* steps that can be looked at, kept and held to a memory: check_rows, memory, dusk_training_keep */
    DUSK_ABILITY_NOISE,      /* noise, or no_privacy, instead of an epsilon  */
    DUSK_ABILITY_OPEN_ROWS,  /* open_rows                                   */
    DUSK_ABILITY_LEDGER,     /* a charge: dusk_training_run_charged          */
    DUSK_ABILITY_EXCHANGE,   /* a promise for rows that are exchanged: DUSK_REPLACE_ONE */
    DUSK_ABILITY_VERSIONS,   /* less and less noise: dusk_ladder_prepare     */
    DUSK_ABILITY_SEARCH,     /* the best of several: dusk_search_prepare     */
    DUSK_ABILITY_VALIDATION, /* the same by stability: dusk_validation_prepare */
} dusk_ability;
DUSK_API bool dusk_learner_has(const dusk_learner *learner, dusk_ability ability);
/* Does it learn nothing without open_rows? */
DUSK_API bool dusk_learner_needs_open_rows(const dusk_learner *learner);

/* ---- Training -------------------------------------------------------------------------------- */

/* How a training in steps is going, by rows that are public. */
typedef struct dusk_train_point {
    uint64_t step, steps; /* that were taken, of so many                                            */
    double loss;     /* mean over the rows of what steps make small: cross entropy, half the squared error */
    double accuracy; /* of categories: share of rows whose most probable one is right; else NaN     */
    double rmse;     /* of numbers, in the unit of the label; else NaN                              */
} dusk_train_point;

typedef struct dusk_train_options {
    size_t size;       /* set by _init                                                */
    const char *label; /* the field to be learned, of LABELS several, "," between them; NULL for learners
                          without one */
    double epsilon;    /* no default; 0 where one of the next two says it instead     */
    double noise; /* 0; of networks: deviation of the noise, times the clip. The promise is what that costs */
    bool
        no_privacy; /* false; of networks, for comparisons: no noise. The statement is dusk_statement_none    */
    double delta;   /* 0                                                           */
    dusk_neighbours neighbours;  /* no default                                                  */
    uint64_t rows;               /* 0: private. The number of rows, declared public; or about it */
    const char *const *settings; /* "name=value"                                                */
    size_t settings_count;
    bool accept_idealised; /* false                                                       */
    /* NULL. `part` goes from 0 to 1, by steps: they are public, or follow from what was released. */
    void (*progress)(void *context, double part);
    void *progress_context;
    /* NULL. Rows that are public, for learners that learn from such, too (pate, private_knn; net with subspace=K): the same fields, with or without the label,
     * which is not looked at. Borrowed until the training is freed. */
    const dusk_frame *open_rows;
    /* NULL. Of networks: public rows with labels, the same fields, borrowed until the training is freed. How right the network is on them is told before the first step, after
     * every `check_every` steps (0: a twentieth of all) and after the last. Nothing is chosen by them, and nothing of private rows is told. With a checkpoint each
     * step that is told of is kept before. */
    const dusk_frame *check_rows;
    uint64_t check_every;
    void (*observe)(void *context, const dusk_train_point *point); /* by the thread that runs the training */
    void *observe_context;
    uint64_t
        memory; /* 0: no limit. Of networks: bytes that training may take besides the rows, and some 30 bytes a row. Fewer threads are used, and fewer rows at a
                      * time, which changes neither the promise nor what is learned; refused where that is not enough */
} dusk_train_options;
DUSK_API void dusk_train_options_init(dusk_train_options *options);

typedef struct dusk_training dusk_training;
typedef struct dusk_model dusk_model;

/* Check everything, plan and price. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_prepare(dusk_training **out, const char *learner,
                                                         const dusk_fields *fields,
                                                         const dusk_train_options *options, dusk_error *err);
DUSK_API void dusk_training_free(dusk_training *training);
/* What a run will cost; borrowed. */
DUSK_API const dusk_statement *dusk_training_statement(const dusk_training *training);
/* How many steps it takes, each of which is a release; 0 for learners that take none, and before a run whose steps follow from a count of the rows. */
DUSK_API uint64_t dusk_training_steps(const dusk_training *training);
/* What the first `steps` of them would cost, at the delta of the training, if it had been planned to stop there: for a stop fixed in advance, so it is no promise, which is
 * dusk_training_statement for all steps, however many are taken. +inf without privacy. Few sampled steps (below 40) take
 * long to price. May be asked while the training runs. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_spent(const dusk_training *training, uint64_t steps,
                                                       double *epsilon, dusk_error *err);
/* What it will do, in words: releases with their noise, assumptions; to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_explain(const dusk_training *training, char **text,
                                                         dusk_error *err);
/* Learn, once for each call. The fields of the frame must be those of the training. After the first row was read
 * only memory and entropy can fail. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_run(dusk_training *training, dusk_model **out,
                                                     const dusk_frame *frame, dusk_generator *gen,
                                                     dusk_error *err);
/* The same, charged to a ledger before the frame is looked at; an idealised learner is refused. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_run_charged(dusk_training *training, dusk_model **out,
                                                             const dusk_frame *frame, dusk_ledger *ledger,
                                                             const char *analyst, uint64_t version,
                                                             dusk_generator *gen, dusk_error *err);

/* Keep what a training has come to, after every `every` steps, in a file of its own, and go on from there with `resume` when the
 * training was stopped: the same plan, to its last step. *charge: the entry of a ledger that it was charged as, of a file that was there;
 * otherwise 0, and dusk_training_begin tells it. A training that goes on is not charged again: the promise is for all of
 * its steps. The file is for whoever runs the training: it must not be shown, and who copies it and goes on twice has released two models for the price of one (with a ledger the second model is
 * refused, but not what `observe` is told on the way to it). A training that has come to its last step gives the same model again, until dusk_training_end. DUSK_ERR_UNSUPPORTED for learners
 * that have no steps. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_keep(dusk_training *training, const char *path,
                                                      uint64_t every, bool resume, uint64_t *charge,
                                                      dusk_error *err);
/* What the next run was charged as: entry `charge` of a ledger, which is borrowed until that run has ended (NULL, 0: of none). Where there is a file to be kept, a run that is stopped before its first step
 * can then go on, too; of a file that is gone on with it is checked: DUSK_ERR_ARGUMENT when it was charged as something else, or when a model was made of it already. The run gives such
 * a charge its answer, so that there is one. _run (of none) and _run_charged do it themselves. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_begin(dusk_training *training, dusk_ledger *ledger,
                                                       uint64_t charge, dusk_error *err);
/* The model is safe: nothing is left in the file, and nobody goes on from it. Without a file there is nothing to do. */
DUSK_API DUSK_MUST_USE dusk_status dusk_training_end(dusk_training *training, dusk_error *err);

/* ---- Models ------------------------------------------------------------------------------------ */

/* Names, numbers and texts that a learner released or was told. */
DUSK_API const dusk_learner *dusk_model_learner(const dusk_model *model);
DUSK_API const dusk_statement *dusk_model_statement(const dusk_model *model);
DUSK_API const dusk_fields *dusk_model_fields(const dusk_model *model);
/* The number of the label among the fields, or DUSK_NO_LINK. */
DUSK_API size_t dusk_model_label(const dusk_model *model);
/* Whether a field is the label, or one of several. */
DUSK_API bool dusk_model_is_label(const dusk_model *model, size_t field);
/* An array by name ("weights"), rows * columns doubles row by row; NULL when there is none. Its names: _array_at
 * (NULL beyond the last). */
DUSK_API const double *dusk_model_array(const dusk_model *model, const char *name, size_t *rows,
                                        size_t *columns);
DUSK_API const char *dusk_model_array_at(const dusk_model *model, size_t i);
/* "name=value" of setting i of the learner, or NULL beyond the last. */
DUSK_API const char *dusk_model_setting(const dusk_model *model, size_t i);
/* What a row becomes before the learner sees it: name of encoded column i ("age", "sex=Male", "1"), or NULL. */
DUSK_API const char *dusk_model_feature(const dusk_model *model, size_t i);
DUSK_API void dusk_model_free(dusk_model *model);

/* A file: docs/model-format.md. Whole or not at all. */
DUSK_API DUSK_MUST_USE dusk_status dusk_model_write(const dusk_model *model, const char *path,
                                                    dusk_error *err);
/* DUSK_ERR_CORRUPT for a file that was changed or is none, DUSK_ERR_UNSUPPORTED for one of a newer library. */
DUSK_API DUSK_MUST_USE dusk_status dusk_model_read(dusk_model **out, const char *path, dusk_error *err);
/* The same as text, to be freed with dusk_ledger_free_text. */
DUSK_API DUSK_MUST_USE dusk_status dusk_model_format(const dusk_model *model, char **text, size_t *length,
                                                     dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_model_parse(dusk_model **out, const char *text, size_t length,
                                                    dusk_error *err);

/* Writing in steps, for those who spend a budget between them: _open makes a file beside `path`, with room for a model, so that
 * a folder that is not there or a full disk is found out at once; _put fills it, syncs it and moves it into
 * place, once; _close removes what was not put. Devices and pipes are written to directly. */
typedef struct dusk_model_file dusk_model_file;
DUSK_API DUSK_MUST_USE dusk_status dusk_model_file_open(dusk_model_file **out, const char *path,
                                                        dusk_error *err);
/* Take room on the disk for the model that a training will make, before it is charged. */
DUSK_API DUSK_MUST_USE dusk_status dusk_model_file_reserve(dusk_model_file *file,
                                                           const dusk_training *training, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_model_file_put(dusk_model_file *file, const dusk_model *model,
                                                       dusk_error *err);
DUSK_API void dusk_model_file_close(dusk_model_file *file);

/* ---- Prediction and scores ------------------------------------------------------------------------ */

/* What a model says of the rows of a frame: `columns` numbers a row.
 *   BINARY, CLASS  a probability for each category
 *   NUMBER         the value
 *   GROUPS         membership of each group, adding to 1
 *   VECTOR         coordinates
 *   DENSITY        the log likelihood
 *   LABELS         the probability of the second category of each label, in the order of the fields */
typedef struct dusk_prediction {
    size_t rows, columns;
    double *value; /* rows * columns */
} dusk_prediction;
/* Columns are found by the names of the model's fields: the frame may have them in another order, have more, and lack the
 * label; numbers count within the model's bounds, categories must be the model's. Read such a frame with
 * dusk_model_fields less the label (dusk_fields_copy). Costs nothing; whether it is private depends on whose
 * rows those are: a prediction tells about its row. */
DUSK_API DUSK_MUST_USE dusk_status dusk_predict(dusk_prediction *out, const dusk_model *model,
                                                const dusk_frame *frame, dusk_error *err);
DUSK_API void dusk_prediction_clear(dusk_prediction *prediction);

/* How right a model is on rows that are public, or held out and allowed to be seen. NaN: does not apply, or no rows. */
typedef struct dusk_model_scores {
    size_t rows; /* with a label, where there is one                                */
    double
        accuracy; /* share of rows whose most probable category is the label; LABELS: of all labels of all rows */
    double majority;       /* share of the most frequent label: what is right without a model */
    double auc;            /* BINARY: area under the ROC curve, ties count half               */
    double log_loss;       /* mean of -ln of the probability of the label, at least 2^-40     */
    double calibration;    /* expected calibration error of the most probable category, ten equal bins */
    double rmse, mae, r2;  /* NUMBER                                                          */
    double inertia;        /* GROUPS: mean squared distance to the centre of the row's group  */
    double explained;      /* VECTOR: share of the variance (about the centre) that the coordinates keep */
    double log_likelihood; /* GROUPS with densities, DENSITY: mean a row                      */
} dusk_model_scores;
DUSK_API DUSK_MUST_USE dusk_status dusk_model_score(dusk_model_scores *out, const dusk_model *model,
                                                    const dusk_frame *frame, dusk_error *err);

/* One number about private rows, released: */
typedef enum dusk_metric {
    DUSK_METRIC_ACCURACY = 1, /* BINARY, CLASS                                            */
    DUSK_METRIC_MSE = 2,      /* NUMBER: squared error, predictions clamped to the bounds */
    DUSK_METRIC_INERTIA = 3   /* GROUPS                                                   */
} dusk_metric;
/* The mean over the rows that have a label (groups: over all rows), between *low and *high with probability 95 % over
 * the noise: how it would be on other rows is another question. By a noisy sum over a noisy count, or over `rows` of the
 * options, where that is the number of those rows and public. `epsilon`, `delta`, `neighbours` and `rows` of
 * the options count; whose privacy, and how many rows a unit has, is what the frame's fields say. */
DUSK_API DUSK_MUST_USE dusk_status dusk_model_score_release(double *value, double *low, double *high,
                                                            dusk_statement *statement, dusk_metric metric,
                                                            const dusk_model *model, const dusk_frame *frame,
                                                            const dusk_train_options *options,
                                                            dusk_generator *gen, dusk_error *err);
/* What that costs for rows of such fields, and whether it is refused; no row is looked at. */
DUSK_API DUSK_MUST_USE dusk_status dusk_model_score_price(dusk_statement *statement, dusk_metric metric,
                                                          const dusk_model *model, const dusk_fields *fields,
                                                          const dusk_train_options *options, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
