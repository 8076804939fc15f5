/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_TRAINING_H
#define DUSK_LEARN_TRAINING_H

/* A training from the inside: training.c plans and runs it, resume.c lets it be stopped and gone on with. */

#include "dusk/ledger.h"
#include "learn/learner.h"

struct dusk_training {
    learn_job job;
    dusk_fields *fields;
    char *value[LEARN_SETTINGS_MAX]; /* settings as text */
    dusk_frame open, check;          /* public rows; columns are borrowed */
    bool begun;                      /* it was said what it was charged as */
    dusk_ledger *ledger;             /* the ledger of that; borrowed; NULL: none */
};

/* When a run has its model and before anybody is given it: where there is a checkpoint, its last state is what the charge is answered with, once. Proof: resume.proof.md. */
DUSK_MUST_USE dusk_status learn_training_answer(dusk_training *training, dusk_error *err);

#endif
