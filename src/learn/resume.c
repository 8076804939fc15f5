/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings that are stopped and go on: which plan a checkpoint is of, what it was charged as, and that one charge gives one model.
 * Proof: resume.proof.md. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/training.h"
#include "ledger/digest.h"

/* --- plans ------------------------------------------------------------------------------------------------------ */

/* Of all that is public about a training: which steps may follow which. */
static dusk_status hash_plan(const dusk_training *training, unsigned char out[LEARN_PLAN_HASH],
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const learn_job *job = &training->job;
    dusk_buffer text = { .data = NULL };
    char statement[16384], *fields = NULL, *all = NULL;
    DUSK_TRY(dusk_statement_json(&job->statement, statement, sizeof statement, err));
    DUSK_TRY(dusk_fields_format(job->fields, &fields, err));
    dusk_buffer_add(&text, "%s\n%zu\n%llu\n%s\n%s\n", job->learner->shown.name, job->label,
                    (unsigned long long)job->rows, statement, fields);
    for (size_t i = 0; job->learner->shown.settings[i].name; i++)
        dusk_buffer_add(&text, "%s\n", training->value[i]);
    if (DUSK_MUTATE(CHECKPOINT_OF_ANY_LABELS, true, false))
        learn_labels_add(&job->labels, job->fields, &text);
    DUSK_TRY(dusk_buffer_take(&text, &all, err));
    crypto_generichash(out, LEARN_PLAN_HASH, (const unsigned char *)all, strlen(all), NULL, 0);
done:
    dusk_buffer_clear(&text);
    dusk_ledger_free_text(fields);
    dusk_deallocate(all);
    return status;
}

dusk_status dusk_training_keep(dusk_training *training, const char *path, uint64_t every, bool resume,
                               uint64_t *charge, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_job *job = &training->job;
    unsigned char plan[LEARN_PLAN_HASH];
    if (job->state_size == 0)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED,
                         "networks have one: dusk train net, net_numbers, net_labels, autoencoder",
                         "%s has no state to be kept", job->learner->shown.name);
    if (every < 1) return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 100", "there are no such steps");
    if (job->checkpoint.open)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "make one", "there is a checkpoint already");
    DUSK_TRY(hash_plan(training, plan, err));
    DUSK_TRY(learn_checkpoint_open(&job->checkpoint, path, plan, job->state_size, every, resume, err));
    *charge = job->checkpoint.charge;
done:
    return status;
}

/* --- charges ------------------------------------------------------------------------------------------------------ */

/* What a ledger says of a charge. */
typedef struct charge {
    uint64_t number;
    bool found;
    unsigned char hash[LEARN_PLAN_HASH]; /* of the entry, and so of all before it: no two ledgers have it */
    char answer[65];                     /* the hash of its answer; empty: it has none */
} charge;

static dusk_status look_at(void *context, const dusk_entry *entry, dusk_error *err)
{
    charge *c = context;
    (void)err;
    if (entry->number == c->number && entry->kind == DUSK_ENTRY_CHARGED) {
        c->found = true;
        memcpy(c->hash, entry->hash, sizeof c->hash);
    }
    if (entry->kind == DUSK_ENTRY_ANSWERED && entry->charge == c->number)
        snprintf(c->answer, sizeof c->answer, "%s", entry->value);
    return DUSK_OK;
}

static dusk_status find_charge(charge *out, dusk_ledger *ledger, uint64_t number, dusk_error *err)
{
    *out = (charge){ .number = number };
    return dusk_ledger_history(ledger, number, look_at, out, err);
}

/* What the charge is answered with: the last state, by its hash. */
static void write_answer(char out[80], const learn_checkpoint *c)
{
    char hex[65];
    ledger_digest_hex(hex, c->state);
    snprintf(out, 80, "trained %s", hex);
}

static bool is_answer(const char hash[65], const learn_checkpoint *c)
{
    char text[80], own[65];
    write_answer(text, c);
    ledger_answer_hash(own, text, strlen(text));
    return !strcmp(hash, own);
}

/* The charge of a file that is gone on with, in this ledger: it was made there, and has no answer but this one. */
DUSK_PROVEN(check_charge)
static dusk_status check_charge(const learn_checkpoint *c, dusk_ledger *ledger, dusk_error *err)
{
    charge at;
    if (!ledger && c->charge == 0) return DUSK_OK;
    if (!ledger || c->charge == 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, ledger ? "train anew" : "go on with that ledger",
                         ledger ? "the checkpoint was charged to no ledger"
                                : "the checkpoint was charged to a ledger");
    dusk_status status = find_charge(&at, ledger, c->charge, err);
    if (status != DUSK_OK) return status;
    if (DUSK_MUTATE(CHECKPOINT_OF_ANY_LEDGER, !at.found || memcmp(at.hash, c->entry, sizeof at.hash) != 0,
                    false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "go on with the source that it was begun with",
                         "the checkpoint was charged to another ledger");
    if (DUSK_MUTATE(CHECKPOINT_HAS_TWO_ANSWERS, *at.answer && !(c->made && is_answer(at.answer, c)), false))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "train anew, which costs anew",
                         "a model was made already for what the checkpoint was charged");
    return DUSK_OK;
}

dusk_status dusk_training_begin(dusk_training *training, dusk_ledger *ledger, uint64_t number,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_checkpoint *c = &training->job.checkpoint;
    charge at = { .number = 0 };
    if (c->open && c->made && !c->resumed)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "end it, and prepare another",
                         "the training of the checkpoint has made its model");
    if (c->open && c->resumed) {
        DUSK_TRY(check_charge(c, ledger, err));
    } else if (c->open) {
        if (ledger) DUSK_TRY(find_charge(&at, ledger, number, err));
        if (ledger && !at.found)
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give the id that dusk_ledger_reserve gave",
                             "the charge is not there");
        DUSK_TRY(learn_checkpoint_begin(c, ledger ? number : 0, at.hash, err));
    }
    training->ledger = ledger;
    training->begun = true;
done:
    return status;
}

DUSK_PROVEN(learn_training_answer)
dusk_status learn_training_answer(dusk_training *training, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_checkpoint *c = &training->job.checkpoint;
    charge at;
    char text[80];
    if (!c->open) return DUSK_OK;
    c->resumed = false; /* it has given its model, and this handle gives no other */
    if (!training->ledger) return DUSK_OK;
    DUSK_TRY(find_charge(&at, training->ledger, c->charge, err));
    write_answer(text, c);
    if (*at.answer) return is_answer(at.answer, c) ? DUSK_OK : check_charge(c, training->ledger, err);
    DUSK_TRY(dusk_ledger_commit(training->ledger, c->charge, text, strlen(text), err));
done:
    return status;
}

dusk_status dusk_training_end(dusk_training *training, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_checkpoint *c = &training->job.checkpoint;
    if (!c->open) return DUSK_OK;
    if (!c->made)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "run it to its end", "the training has made no model");
    status = learn_checkpoint_end(c, err);
    learn_checkpoint_close(c);
    return status;
}
