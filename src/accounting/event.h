/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_ACCOUNTING_EVENT_H
#define DUSK_ACCOUNTING_EVENT_H

/* The inside of dusk_event: a forest of nodes in prefix order. A node is one
 * mechanism with its parameters and how often it ran; a wrapper (poisson,
 * group, ...) is followed by the nodes of what it wraps, which is a sum again.
 * `span` counts a node with everything below it, so that the next brother is
 * at node + span. Every list of brothers is a normal form: sums and repetitions
 * are multiplied out ((a + b) * 2 is a * 2 + b * 2) and equal brothers are
 * counted together. That keeps the meaning, because the price of a composition
 * does not depend on the order of its parts. Branches of `parallel` and points
 * of a table are nodes of their own kind below it. */

#include <stdbool.h>

#include "base/error.h"
#include "base/platform.h"
#include "dusk/accounting.h"

typedef enum dusk_event_kind {
    DUSK_EVENT_PURE = 1,
    DUSK_EVENT_APPROX,
    DUSK_EVENT_ZCDP,
    DUSK_EVENT_GDP,
    DUSK_EVENT_LAPLACE,
    DUSK_EVENT_GAUSSIAN,
    DUSK_EVENT_DISCRETE_LAPLACE,
    DUSK_EVENT_DISCRETE_GAUSSIAN,
    DUSK_EVENT_RANDOMIZED_RESPONSE,
    DUSK_EVENT_EXPONENTIAL,
    DUSK_EVENT_PERMUTE_AND_FLIP,
    DUSK_EVENT_NOISY_MAX,
    DUSK_EVENT_SVT,
    DUSK_EVENT_MCDP,
    DUSK_EVENT_TCDP,
    DUSK_EVENT_RDP, /* points below */
    DUSK_EVENT_FDP, /* points below */
    DUSK_EVENT_PLD, /* points below */
    DUSK_EVENT_STAIRCASE,
    DUSK_EVENT_SVT_GAUSSIAN,
    DUSK_EVENT_TREE,
    DUSK_EVENT_MATRIX,
    DUSK_EVENT_SHUFFLE,
    DUSK_EVENT_POISSON,             /* a sum below */
    DUSK_EVENT_WITHOUT_REPLACEMENT, /* a sum below; whole = m, n */
    DUSK_EVENT_WITH_REPLACEMENT,    /* a sum below; whole = m, n */
    DUSK_EVENT_GROUP,               /* a sum below; whole = k */
    DUSK_EVENT_PARALLEL,            /* branches below */
    DUSK_EVENT_SELECT_BEST,         /* a sum below; real = eta, gamma */
    DUSK_EVENT_SELECT_POISSON,      /* a sum below; real = mu */
    DUSK_EVENT_KINDS,               /* one more than the last that has a name */
    DUSK_EVENT_BRANCH,              /* one e of a parallel: a sum below */
    DUSK_EVENT_POINT                /* one entry of a table: real = left, right of ':' */
} dusk_event_kind;

/* More would not fit an honest sum; 2^62 of anything is beyond every run. */
#define DUSK_EVENT_TIMES_MAX (UINT64_C(1) << 62)
/* Bytes of the longest text form, with its '\0'; longer events are refused. */
#define DUSK_EVENT_TEXT_MAX 8192

/* Real parameters in the order of the text form, then whole numbers. What a
 * kind does not have is 0. */
typedef struct dusk_event_node {
    uint32_t kind;
    uint32_t span; /* nodes of this subtree, itself included */
    double real[2];
    uint64_t whole[2];
    uint64_t times;
} dusk_event_node;

typedef struct dusk_event_nodes {
    uint64_t count; /* 1 .. DUSK_EVENT_NODES_MAX */
    dusk_event_node node[DUSK_EVENT_NODES_MAX];
} dusk_event_nodes;

/* The flat form that event.c still uses. */
typedef struct dusk_event_part {
    uint64_t kind;
    double real[2];
    uint64_t whole;
    uint64_t times;
} dusk_event_part;

typedef struct dusk_event_parts {
    uint64_t count;
    dusk_event_part part[DUSK_EVENT_NODES_MAX];
    uint64_t unused[DUSK_EVENT_NODES_MAX];
} dusk_event_parts;

_Static_assert(sizeof(dusk_event_parts) == sizeof(dusk_event), "an event is its parts");
_Static_assert(sizeof(dusk_event_nodes) == sizeof(dusk_event), "an event is its nodes");

/* What a real parameter may be; all must be finite. */
typedef enum dusk_event_range {
    DUSK_RANGE_POSITIVE,
    DUSK_RANGE_NOT_NEGATIVE,
    DUSK_RANGE_DELTA /* [0, 1) */
} dusk_event_range;

/* The grammar of one kind of part. */
typedef struct dusk_event_form {
    const char *name;
    unsigned reals;
    const char *real_name[2];
    dusk_event_range range[2];
    const char *whole_name; /* NULL: none */
    uint64_t whole_least;
    bool whole_may_be_left_out; /* then it is 1 */
} dusk_event_form;

/* The form of a kind from 1 to DUSK_EVENT_KINDS - 1. */
const dusk_event_form *dusk_event_form_of(uint64_t kind);
/* The kind called name[0..length-1], or 0. */
uint64_t dusk_event_kind_named(const char *name, size_t length);
/* A one-part event after checking the parameters against the form. */
DUSK_MUST_USE dusk_status dusk_event_make(dusk_event *out, const dusk_event_part *part, dusk_error *err);
/* The parts of an event; DUSK_ERR_ARGUMENT when it was never made. */
DUSK_MUST_USE dusk_status dusk_event_read(dusk_event_parts *out, const dusk_event *event, dusk_error *err);
/* The bytes of the text form, without the '\0'. */
size_t dusk_event_text_length(const dusk_event_parts *parts);

#endif
