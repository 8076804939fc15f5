/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_RECORD_H
#define DUSK_RANDOM_RECORD_H

/* What a run on private data did: every call of an operator that makes a promise, with its
 * public parameters, its private inputs and its output. Two runs on neighbouring data are then
 * compared call by call (tests/replay.h).
 *
 *     DUSK_RECORD(dusk_record_real(at, i, score, NULL));
 *
 * is that call in a test build, and nothing in a release build. A recorder hangs on a
 * generator, so that whoever draws noise knows where to write, and on its forks (which then
 * must be used in one thread); without one the calls do nothing. The second run may be given the first one's record: its outputs are then replaced
 * by those of the first as they are made. What follows from equal outputs must be equal, that
 * is what composition says; so a later parameter, or an answer, that still differs has looked
 * at the data behind the noise's back. */

#ifdef DUSK_TESTING
#define DUSK_RECORD(...) __VA_ARGS__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"
#include "dusk/random.h"

/* How far the inputs of a call may be apart. */
typedef enum dusk_record_norm {
    DUSK_RECORD_L1,     /* sum of |difference|                                        */
    DUSK_RECORD_L2,     /* length                                                     */
    DUSK_RECORD_LINF,   /* largest                                                    */
    DUSK_RECORD_RANGE,  /* largest rise plus largest fall: one side only counts once  */
    DUSK_RECORD_L0,     /* how many differ                                            */
    DUSK_RECORD_SMOOTH, /* key 0 is a value, key 1 its smooth sensitivity: `sensitivity` is beta */
} dusk_record_norm;

/* The law of what is added, or what decides. */
typedef enum dusk_record_law {
    DUSK_RECORD_OTHER, /* priced by the promise of the call */
    DUSK_RECORD_LAPLACE,
    DUSK_RECORD_DISCRETE_LAPLACE,
    DUSK_RECORD_GAUSSIAN,
    DUSK_RECORD_NORM,                /* density exp(-norm / scale), in the norm of the call */
    DUSK_RECORD_GUMBEL,              /* a choice: exp(score / scale), or permute-and-flip */
    DUSK_RECORD_TRUNCATED_GEOMETRIC, /* keys with (epsilon, delta) each                   */
} dusk_record_law;

/* What is public about a call, as the mechanism declares it. Numbers without a name are compared
 * too. */
enum { DUSK_RECORD_PARAMETERS = 6 };
typedef struct dusk_record_header {
    const char *what; /* lives as long as the program */
    dusk_record_law law;
    dusk_record_norm norm;
    double sensitivity;    /* in the unit of the inputs; how many for L0                          */
    double scale;          /* of the law, in the unit of the inputs                               */
    double epsilon, delta; /* promise of this call for inputs that far apart; 0 where not known   */
    uint32_t choices;      /* a choice of several is priced several times; 0 counts as 1          */
    bool is_step;          /* an input holds for all keys up to the next one                      */
    bool selects;          /* keys come from the data: one that only one side has is allowed when all
                              of these together pass the threshold with probability delta at most */
    double threshold;      /* input plus noise passes when it is at least this                    */
    struct {
        const char *name;
        double value;
    } parameter[DUSK_RECORD_PARAMETERS];
} dusk_record_header;

typedef struct dusk_record_input {
    uint64_t key;
    bool is_whole;
    dusk_int128 whole; /* one of the two */
    double real;
    dusk_int128 whole_output; /* what came out for this key, if anything did */
    double real_output;
    unsigned uses; /* more than one: the same noise was used again */
} dusk_record_input;

typedef struct dusk_record_call {
    dusk_record_header header;
    const char *scope; /* NULL, or what dusk_record_scope said */
    uint64_t scope_key, index;
    size_t guard; /* 1 + the call whose passing is needed for this one to be shown; 0: none */
    dusk_record_input *inputs;
    size_t n, room;
    uint64_t largest; /* key so far */
    unsigned char *output;
    size_t output_size;
} dusk_record_call;

typedef struct dusk_record {
    dusk_record_call *calls;
    size_t n, room, guard;
    const char *scope;
    uint64_t scope_key;
    const struct dusk_record *outputs; /* whose outputs these calls get; NULL: their own */
    const uint64_t *name;              /* of key i, for i < names */
    size_t names;
    uint64_t taken; /* bytes of coins */
} dusk_record;

/* Where a call is written to; zero where nothing is recorded. */
typedef struct dusk_record_at {
    dusk_record *record;
    size_t call;
} dusk_record_at;

/* Let the generator write what is done with it to `record`, zeroed by the caller; NULL: no longer. */
void dusk_generator_record(dusk_generator *gen, dusk_record *record);
/* Free what a record holds; the generator must not use it any more. */
void dusk_record_clear(dusk_record *record);

/* The calls that follow are about `key` of what `scope` names, such as one group of a query: they
 * are matched with those of the same scope and key. NULL: about everything. */
void dusk_record_scope(dusk_generator *gen, const char *scope, uint64_t key);
/* Key i of the calls that follow is called name[i], so that two sides which do not have the same keys
 * are matched by what the keys are and not by their place; borrowed until NULL takes it back. */
void dusk_record_names(dusk_generator *gen, const uint64_t *name, size_t n);
/* The calls that follow are shown only if the selection `at` passes; a zero `at`: no longer. */
void dusk_record_guard(dusk_generator *gen, dusk_record_at at);

/* A call. Its number among those of the same operator and scope is counted here. */
dusk_record_at dusk_record_begin(dusk_generator *gen, const dusk_record_header *header);
/* An input under a key. `output`, if there is one: what comes out for this key; it is kept, or
 * replaced by that of the record whose outputs are used. */
void dusk_record_whole(dusk_record_at at, uint64_t key, dusk_int128 input, dusk_int128 *output);
void dusk_record_real(dusk_record_at at, uint64_t key, double input, double *output);
/* An output of the whole call. */
void dusk_record_output(dusk_record_at at, void *output, size_t size);
/* Declare something else about a call that was begun elsewhere. */
void dusk_record_declare(dusk_record_at at, dusk_record_norm norm, double sensitivity);

/* The call of b that belongs to `call` of another record; NULL: there is none. `hint` is where
 * it is looked for first. */
const dusk_record_call *dusk_record_twin(const dusk_record *b, const dusk_record_call *call, size_t hint);
/* The input under this key, or NULL. */
const dusk_record_input *dusk_record_find(const dusk_record_call *call, uint64_t key, size_t hint);
#else
#define DUSK_RECORD(...)
#endif

#endif
