/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_RANDOM_STATE_H
#define DUSK_RANDOM_STATE_H

/* What a dusk_generator consists of. For generator.c, tape.c and record.c only. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "random/generator.h"
#include "random/stream.h"

enum { DUSK_GENERATOR_BUFFER = 1 << 15 };

#ifdef DUSK_TESTING
/* The coins of a tape generator; see tape.h. */
typedef struct dusk_tape {
    const uint64_t *bits;
    unsigned length, taken;
    size_t missing; /* coins that the last refused request wanted beyond the end */
} dusk_tape;
#endif

struct dusk_generator {
    unsigned char *buffer; /* stream bytes; those before `next` are zero */
    size_t next;
    volatile uint64_t *alive; /* reads 0 in a forked child: the key is the parent's */
    pid_t owner;              /* stands in for `alive` on old kernels, else 0 */
    uint64_t since_entropy;   /* bytes made since the system's entropy was mixed in */
    bool repeatable;          /* seeded, in tests: no entropy, no fork check */
    dusk_stream stream;
    void *page, *storage; /* where `alive` and `buffer` lie */
    uint64_t always;      /* what `alive` points to without a page */
#ifdef DUSK_TESTING
    bool is_tape; /* then only `tape` is in use */
    dusk_tape tape;
    struct dusk_record *record; /* what is done with this generator is written there; see record.h */
#endif
};

#ifdef DUSK_TESTING
/* dusk_generator_words and _bytes on a tape. */
DUSK_MUST_USE dusk_status dusk_tape_words(dusk_tape *tape, uint64_t *out, size_t n, unsigned bits,
                                          dusk_error *err);
DUSK_MUST_USE dusk_status dusk_tape_bytes(dusk_tape *tape, unsigned char *out, size_t n, dusk_error *err);

/* Make new generators of this thread do without MADV_WIPEONFORK, or without
 * AES, as on machines that have none. */
void dusk_generator_pretend(bool old_kernel, bool no_aes);
#endif

#endif
