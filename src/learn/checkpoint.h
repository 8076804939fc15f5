/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_CHECKPOINT_H
#define DUSK_LEARN_CHECKPOINT_H

/* What is kept of a training so that it can go on after it was stopped. The promise is for all planned steps and was charged before the first, so
 * that going on costs nothing, provided that one model is made of one plan. Steps after the last checkpoint are taken anew, with coins of their own: nobody has
 * seen what they were, since nothing is shown of a step before it is kept. The last state is kept until the model is safe: whoever goes on from it gets the same model again. A file is for one plan (by a hash), is held by one process, and
 * is for whoever runs the training, and for nobody else. Proof: checkpoint.proof.md.
 *
 * The file has two places; they are written in turn, each with a hash, so that one of them is whole whenever the machine stops. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LEARN_PLAN_HASH = 32 };

typedef struct learn_checkpoint {
    bool open; /* all zero: there is none */
    int file;
    unsigned char plan[LEARN_PLAN_HASH];
    size_t size;             /* of a state */
    uint64_t charge;         /* number of the entry in a ledger; 0: none */
    unsigned char entry[32]; /* its hash */
    uint64_t every;          /* steps */
    uint64_t sequence;       /* of the last state that was written; 0: none */
    bool resumed;            /* of a training that was begun */
    bool fresh;              /* the file was not there: it goes away again unless it is begun */
    bool made;               /* the last state is that after all steps */
    unsigned char state[32]; /* the hash of the last state */
    char *path;
} learn_checkpoint;

/* Make a file that is not there yet, or is empty, and take room on the disk for all that will be in it; or with `resume` take one over: DUSK_ERR_ARGUMENT when it is of another plan, or when the training has ended,
 * DUSK_ERR_CORRUPT when neither place is whole, DUSK_ERR_BUSY when another process has it. */
DUSK_MUST_USE dusk_status learn_checkpoint_open(learn_checkpoint *out, const char *path,
                                                const unsigned char plan[LEARN_PLAN_HASH], size_t size,
                                                uint64_t every, bool resume, dusk_error *err);
/* Before the first row is read, of a new file: the plan was charged, as an entry of a ledger that has this hash. */
DUSK_MUST_USE dusk_status learn_checkpoint_begin(learn_checkpoint *checkpoint, uint64_t charge,
                                                 const unsigned char entry[32], dusk_error *err);
/* The last state, if there is one; `size` bytes. */
DUSK_MUST_USE dusk_status learn_checkpoint_load(const learn_checkpoint *checkpoint, void *state, bool *found,
                                                dusk_error *err);
/* On disk when it returns. `made`: after all steps. */
DUSK_MUST_USE dusk_status learn_checkpoint_save(learn_checkpoint *checkpoint, const void *state, bool made,
                                                dusk_error *err);
/* The model is safe: nobody goes on from here, and no state is left. On disk when it returns. */
DUSK_MUST_USE dusk_status learn_checkpoint_end(learn_checkpoint *checkpoint, dusk_error *err);
/* A file that was made and never begun is gone. Fine on a zeroed one. */
void learn_checkpoint_close(learn_checkpoint *checkpoint);

#endif
