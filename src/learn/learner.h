/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_LEARNER_H
#define DUSK_LEARN_LEARNER_H

/* What a learner is to the rest of the room: a table of functions, one file each (or one file of the losses or
 * methods that share a solver), listed in learners.c.
 *
 *     plan     public facts only: check the settings, take shares of the budget, prepare noise, say in words what will be
 *              released. Everything that can be refused is refused here.
 *     fit      rows: sums, releases, post-processing; puts arrays into job->model. Only memory and entropy may fail, and no
 *              choice may depend on rows but through what was released.
 *     predict  a row's output from the model's arrays; plain arithmetic, in the same order wherever the row is (no BLAS, which
 *              rounds by its place): a released score counts on it (VECTOR and DENSITY may use BLAS: of those no
 *              score is released). The frame is a slice of rows in the order of the model's fields,
 *              whatever the caller's frame was (slices.h); the label's column is not there.
 *
 * Arrays that scores know (all in encoded columns, steps over LEARN_ONE; columns = features.width):
 *     "centres"     k rows, GROUPS: group j is the one whose membership is largest
 *     "components"  k rows, VECTOR: coordinates are about row * components^T */

#include "base/buffer.h"
#include "learn/budget.h"
#include "learn/checkpoint.h"
#include "learn/features.h"
#include "learn/model.h"

#define LEARN_SETTINGS_MAX 64
#define LEARN_TEXT_MOST 4000 /* bytes of a setting that is a text */

typedef struct learn_job {
    const struct learn_learner *learner;
    const dusk_fields *fields;     /* of the training */
    size_t label;                  /* or DUSK_NO_LINK */
    const dusk_field *label_field; /* or NULL */
    learn_labels labels;           /* of the task LABELS */
    uint64_t rows;                 /* declared, or 0 */
    bool plain;                    /* no privacy at all; the budget is not to be taken from */
    const dusk_frame
        *open_rows; /* public rows, in the order of fields, the label's column being NULL; or NULL */
    double setting
        [LEARN_SETTINGS_MAX]; /* in the order of learner->shown.settings; of choices the number of the word */
    char *const *text;        /* the same as texts */
    learn_budget budget;
    learn_features features; /* by learn_plan_features, or empty */
    learn_noise scaling;     /* of learn_plan_features, where scaling is paid for */
    bool scaling_is_paid;
    dusk_statement statement; /* after the plan */
    const char *assumed;      /* a fact besides that the promise rests on, or NULL */
    dusk_buffer said;         /* the explanation */
    void *plan;               /* the learner's own, made by plan, ended by forget */
    dusk_model *model;        /* while fit runs */
    size_t state_size; /* by plan: bytes of a state that can be kept while fit runs; 0: there is none */
    uint64_t steps;    /* by plan, of learners that have `spent` */
    uint64_t memory;   /* bytes that fit may take besides rows, of learners that have `spent`; 0: no limit */
    const dusk_frame *check_rows; /* public rows with labels, in the order of fields; or NULL */
    uint64_t check_every; /* steps, after which it is told how right it is on them; 0: a twentieth of all */
    void (*observe)(void *context, const dusk_train_point *point);
    void *observe_context;
    learn_checkpoint checkpoint; /* where; fit loads and saves, training.c does the rest */
    size_t numbers;              /* that the model will have, about, where they are many; 0: few */
    void (*progress)(void *context, double part);
    void *progress_context;
} learn_job;

/* Weights on encoded columns, of one output. With the same noise those of neighbours that differ by F rows are within F * moved steps
 * of each other in l2, before and after noise. */
typedef struct learn_stability {
    size_t cells;
    double moved; /* a whole number */
    int grid;
} learn_stability;

typedef struct learn_learner {
    dusk_learner shown; /* what is public about it */
    dusk_status (*plan)(learn_job *job, dusk_error *err);
    dusk_status (*fit)(learn_job *job, const dusk_frame *frame, dusk_generator *gen, dusk_error *err);
    /* For validation by stability (validate.c); NULL: none. `stability` says how little weights move, DUSK_ERR_UNSUPPORTED where the
     * settings do not bound it. `rehearse` gives weights as fit would release them with noise of its own, in steps of 2^grid: they are
     * private, and only what noise hides may be told of them. */
    dusk_status (*stability)(const learn_job *job, struct learn_stability *out, dusk_error *err);
    dusk_status (*rehearse)(learn_job *job, dusk_int128 *weights, const dusk_frame *frame,
                            dusk_generator *gen, dusk_error *err);
    /* All that it releases are sums of rows, once each and none by what another was, so that it can be had in versions (budget.h).
     * Plans refuse settings with which that is not so by learn_refuse_versions. */
    bool versions;
    bool
        gradients; /* all that it must pay for are sampled sums: it can be told the noise instead of a promise, or do without any */
    /* Of learners that take steps, job->steps of them, each of which is a release: the event of the first `steps`. They tell
     * how it is going by public rows (learn_observe). NULL: takes none. */
    dusk_status (*spent)(const learn_job *job, uint64_t steps, dusk_event *out, dusk_error *err);
    bool open_rows;       /* needs public rows, and plan may look at them */
    bool add_remove_only; /* its promise is for rows that come or go, and not for such as are exchanged */
    bool labels_only;     /* its promise is for labels alone, all other columns being public */
    bool may_open_rows;   /* the same, but can do without */
    void (*forget)(void *plan); /* NULL: plan is one allocation, or NULL */
    /* Columns of a prediction, and the prediction: out has frame->rows * columns doubles. */
    size_t (*outputs)(const dusk_model *model);
    dusk_status (*predict)(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err);
    /* The log likelihood of each row, for GROUPS that have a density; NULL: has none. Frame as in predict. */
    dusk_status (*likelihood)(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err);
    /* What of each row is still there, features.width encoded columns, in steps over LEARN_ONE: for VECTOR that is not linear; NULL: by
     * "components". Frame as in predict. */
    dusk_status (*rebuild)(const dusk_model *model, const dusk_frame *frame, double *out, dusk_error *err);
    /* Does a model that was read from a file have what predict needs? Arrays of the right shape; finite numbers. */
    bool (*complete)(const dusk_model *model);
} learn_learner;

/* learners.c: all of them, NULL at the end. */
extern const learn_learner *const learn_learners[];
DUSK_MUST_USE dusk_status learn_find(const learn_learner **out, const char *name, dusk_error *err);
/* dusk_learner_has: what is refused for want of it asks here. */
bool learn_has(const learn_learner *learner, dusk_ability ability);

/* Training and reading a model check the same: whether tasks have a label, whether a field may be it, and the value of a
 * setting as a number (of choices the number of the word). */
bool learn_wants_label(dusk_task task);
DUSK_MUST_USE dusk_status learn_label_check(const learn_learner *learner, const dusk_field *field,
                                            dusk_error *err);
DUSK_MUST_USE dusk_status learn_setting_read(const dusk_setting *setting, double *out, const char *value,
                                             dusk_error *err);

/* DUSK_ERR_ARGUMENT unless a frame has the fields that it was prepared for; no row is looked at. */
DUSK_MUST_USE dusk_status learn_check_frame(const dusk_fields *fields, const dusk_frame *frame,
                                            dusk_error *err);

/* training.c: dusk_training_prepare, of a version (NULL: none). `options` have the delta and an epsilon above what the version costs. */
struct dusk_training;
DUSK_MUST_USE dusk_status learn_training_prepare(struct dusk_training **out, const char *learner,
                                                 const dusk_fields *fields, const dusk_train_options *options,
                                                 learn_versions *versions, dusk_error *err);
learn_job *learn_training_job(struct dusk_training *training);
/* select.c: the settings of all candidates, then those of one, "name=value name=value". `text` is scratch. */
enum { LEARN_WORDS_MAX = 2 * LEARN_SETTINGS_MAX };
DUSK_MUST_USE dusk_status learn_candidate_words(const char *word[LEARN_WORDS_MAX], size_t *count, char *text,
                                                size_t size, const char *candidate,
                                                const dusk_train_options *train, dusk_error *err);
/* For plans: DUSK_ERR_UNSUPPORTED where a version is planned, for one sum follows from another with these settings. */
DUSK_MUST_USE dusk_status learn_refuse_versions(const learn_job *job, const char *hint, dusk_error *err);

/* For plans: the value of a setting by name (a bug in the learner when there is none), and the number of a choice. */
double learn_setting(const learn_job *job, const char *name);
int learn_choice(const learn_job *job, const char *name);
/* The text of a setting. */
const char *learn_text(const learn_job *job, const char *name);
/* A line of the explanation. */
void learn_say(learn_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct learn_sampler;
/* How samples are taken, as a line of it. */
void learn_sampler_say(learn_job *job, const struct learn_sampler *sampler);
void learn_progress(const learn_job *job, double part);
/* Whether it is told how it is going after so many steps, and telling it: all of a point is made of releases and public rows. Where there is a checkpoint, the step is kept before. */
bool learn_is_observed(const learn_job *job, uint64_t step);
void learn_observe(const learn_job *job, const dusk_train_point *point);
/* Name the declared facts that a promise rests on: how many rows a unit has, where a unit is not a row, and `rows`, unless 0. */
DUSK_MUST_USE dusk_status learn_assume_rows(dusk_statement *statement, const dusk_fields *fields,
                                            uint64_t rows, dusk_error *err);

/* Settings that every learner on vectors has: put LEARN_FEATURE_SETTINGS at the end of its table, or one of the others with the
 * defaults of scaling and its share, and of the norm. */
#define LEARN_FEATURE_SETTINGS LEARN_FEATURE_SETTINGS_BY("bounds", "0.1")
#define LEARN_FEATURE_SETTINGS_BY(scaling, share) LEARN_FEATURE_SETTINGS_OF("0", scaling, share)
#define LEARN_FEATURE_SETTINGS_OF(norm, scaling, share)                                                      \
    { "norm",                                                                                                \
      norm,                                                                                                  \
      NULL,                                                                                                  \
      0,                                                                                                     \
      LEARN_NORM_MOST,                                                                                       \
      false,                                                                                                 \
      "rows longer than this are scaled down to it; 0: as long as the bounds allow, or twice as long as "    \
      "most" },                                                                                              \
        { "scaling",                                                                                         \
          scaling,                                                                                           \
          "bounds|standard",                                                                                 \
          0,                                                                                                 \
          0,                                                                                                 \
          false,                                                                                             \
          "numbers to [-1, 1] by their bounds, or by a mean and deviation that are paid for" },              \
    {                                                                                                        \
        "scaling_share", share, NULL, 0.001, 0.9, false, "of the budget, for scaling=standard"               \
    }

/* Set up job->features by the settings above, and take the share for scaling. To be called first in plan. */
DUSK_MUST_USE dusk_status learn_plan_features(learn_job *job, bool constant, dusk_error *err);
/* The matrix of a frame; pays for scaling where that was planned. To be called first in fit. */
DUSK_MUST_USE dusk_status learn_fit_features(learn_job *job, learn_matrix *out, const dusk_frame *frame,
                                             dusk_generator *gen, dusk_error *err);

/* How many rows, for learners that need a scale: job->rows when declared, else a noisy count of `share` of the budget.
 * Plan fills *noise (dimension 0: declared), fit gives *count >= 1. */
DUSK_MUST_USE dusk_status learn_plan_count(learn_job *job, learn_noise *noise, double share, dusk_error *err);
DUSK_MUST_USE dusk_status learn_fit_count(const learn_job *job, const learn_noise *noise, double *count,
                                          size_t rows, dusk_generator *gen, dusk_error *err);

#endif
