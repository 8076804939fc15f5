/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CHECKPOINTS_H
#define TESTS_CHECKPOINTS_H

/* Trainings that are killed, in a process of their own, and go on from a checkpoint. */

#include <sys/wait.h>

#include "learners.h"
#include "ledgers.h"

typedef struct run {
    const char *settings[8];
    size_t count;
    bool plain, counts; /* counts: how many rows there are is not declared */
    bool stays;         /* the training is not ended when there is a model */
    double dies_at, first_part;
    const dusk_frame *check; /* public rows, or NULL */
    uint64_t dies_told;      /* when this step is told of; 0: never */
    uint64_t first_told;     /* of a run, after those of before the first step */
    uint64_t last_told;
    bool replaces;  /* of data a row is replaced; else it comes or goes */
    double epsilon; /* 0: 5 */
    uint64_t every; /* 0: a state is kept after 2 steps */
} run;

static inline void watch(void *context, double part)
{
    run *r = context;
    if (r->first_part == 0) r->first_part = part;
    if (part >= r->dies_at) _exit(0);
}

static inline void observe(void *context, const dusk_train_point *point)
{
    run *r = context;
    if (r->first_told == 0) r->first_told = point->step;
    r->last_told = point->step;
    if (r->dies_told > 0 && point->step >= r->dies_told) _exit(0);
}

static inline dusk_training *prepared(run *r, const dusk_frame *frame)
{
    dusk_training *training;
    dusk_train_options o;
    dusk_train_options_init(&o);
    o.label = "colour";
    if (r->plain)
        o.no_privacy = true;
    else
        o.epsilon = r->epsilon > 0 ? r->epsilon : 5;
    o.delta = 1e-6;
    o.rows = r->counts ? 0 : 60;
    o.neighbours = r->replaces ? DUSK_REPLACE_ONE : DUSK_ADD_REMOVE;
    o.settings = r->settings;
    o.settings_count = r->count;
    for (size_t k = 0; k < r->count; k++)
        if (strstr(r->settings[k], "subspace")) o.open_rows = learners_open_rows();
    o.progress = watch;
    o.progress_context = r;
    r->first_part = 0;
    r->first_told = 0;
    o.check_rows = r->check;
    o.check_every = 3;
    o.observe = observe;
    o.observe_context = r;
    OK(dusk_training_prepare(&training, "net", frame->fields, &o, &err));
    return training;
}

/* A process that is gone when `dies_at` of the work is done. */
static inline void die(run *r, const char *path, const dusk_frame *frame, const char *ledger, double dies_at)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint64_t charge;
        dusk_model *model;
        dusk_error err;
        dusk_generator *gen = seeded(5);
        r->dies_at = dies_at;
        dusk_training *training = prepared(r, frame);
        dusk_status status =
            dusk_training_keep(training, path, r->every ? r->every : 2, false, &charge, &err);
        if (status == DUSK_OK)
            status = ledger ? dusk_training_run_charged(training, &model, frame, ledger_of(ledger), "ana", 1,
                                                        gen, &err)
                            : dusk_training_run(training, &model, frame, gen, &err);
        _exit(1); /* it should not have come so far */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    r->dies_at = 2;
}

static inline dusk_model *go_on(run *r, const char *path, const dusk_frame *frame, dusk_generator *gen)
{
    uint64_t charge;
    dusk_model *model;
    dusk_training *training = prepared(r, frame);
    OK(dusk_training_keep(training, path, r->every ? r->every : 2, true, &charge, &err));
    assert_int_equal(charge, 0);
    OK(dusk_training_run(training, &model, frame, gen, &err));
    if (!r->stays) OK(dusk_training_end(training, &err));
    dusk_training_free(training);
    return model;
}

static inline const double *parameters(const dusk_model *model, size_t *n)
{
    size_t rows;
    return dusk_model_array(model, "parameters", &rows, n);
}

static inline bool same(const dusk_model *a, const dusk_model *b)
{
    size_t n, m;
    const double *x = parameters(a, &n), *y = parameters(b, &m);
    assert_true(x && y && n == m);
    return !memcmp(x, y, n * sizeof *x);
}

#endif
