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
#include "base/text.h"
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
    DUSK_EVENT_METRIC, /* real = epsilon a unit of distance, largest distance */
    DUSK_EVENT_MCDP,
    DUSK_EVENT_TCDP,
    DUSK_EVENT_RDP, /* points below */
    DUSK_EVENT_FDP, /* points below */
    DUSK_EVENT_PLD, /* points below */
    DUSK_EVENT_STAIRCASE,
    DUSK_EVENT_SVT_GAUSSIAN,
    DUSK_EVENT_THRESHOLD_MONITOR, /* real = epsilon of a query, whole = k */
    DUSK_EVENT_TREE,
    DUSK_EVENT_MATRIX,
    DUSK_EVENT_SHUFFLE,
    DUSK_EVENT_SHUFFLE_RESPONSE,    /* whole = n, k */
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

_Static_assert(sizeof(dusk_event_node) == 48, "equal nodes have equal bytes");
_Static_assert(sizeof(dusk_event_nodes) == sizeof(dusk_event), "an event is its nodes");

/* Wrappers and parentheses around wrappers and parentheses. */
#define DUSK_EVENT_DEPTH_MAX 64

/* What a real parameter may be; all must be finite. */
typedef enum dusk_event_range {
    DUSK_RANGE_POSITIVE,
    DUSK_RANGE_NOT_NEGATIVE,
    DUSK_RANGE_DELTA,          /* [0, 1)     */
    DUSK_RANGE_PROBABILITY,    /* [0, 1]     */
    DUSK_RANGE_BETWEEN,        /* (0, 1)     */
    DUSK_RANGE_ABOVE_ONE,      /* (1, inf)   */
    DUSK_RANGE_ABOVE_MINUS_ONE /* (-1, inf)  */
} dusk_event_range;

/* What stands behind the parameters of a kind. */
typedef enum dusk_event_below {
    DUSK_BELOW_NOTHING,
    DUSK_BELOW_SUM,      /* a sum of events                        */
    DUSK_BELOW_BRANCHES, /* sums, each below a BRANCH              */
    DUSK_BELOW_POINTS    /* pairs of numbers, each in a POINT      */
} dusk_event_below;

/* The grammar of one kind: checking, writing and reading all follow it. */
typedef struct dusk_event_form {
    const char *name;
    unsigned reals;
    const char *real_name[2];
    dusk_event_range range[2];
    bool real_may_be_left_out; /* the last one; then it is 0 */
    unsigned wholes;
    const char *whole_name[2];
    uint64_t whole_least[2];
    bool whole_may_be_left_out; /* the last one; then it is 1 */
    bool wholes_first;          /* in the text */
    dusk_event_below below;
} dusk_event_form;

/* The form of a kind from 1 to DUSK_EVENT_KINDS - 1. */
const dusk_event_form *dusk_event_form_of(uint32_t kind);
/* The kind called name[0..length-1], or 0. */
uint32_t dusk_event_kind_named(const char *name, size_t length);

/* The parameters of one node of a kind with a name, and the points below it,
 * against its form: DUSK_ERR_ARGUMENT names the parameter. What is below a
 * wrapper is not looked at. Tables are checked for sense:
 *   rdp  orders > 1 increase, epsilons >= 0
 *   fdp  the first a is 0, the last 1; b falls, is convex and at most 1 - a,
 *        all within 1e-12, for decimals are rounded: whoever reads it takes the
 *        largest convex function below
 *   pld  losses increase, "inf" last; the sums of p and of p exp(-loss) are at
 *        most 1 + 1e-9 */
DUSK_MUST_USE dusk_status dusk_event_check(const dusk_event_node *node, dusk_error *err);
/* The nodes of an event; DUSK_ERR_ARGUMENT when it was never made. */
DUSK_MUST_USE dusk_status dusk_event_read(dusk_event_nodes *out, const dusk_event *event, dusk_error *err);
/* statement.c: the relation by which the event of a statement is priced. Its noise is relative to what the
 * statement's own relation can change already, so a replacement is not counted twice; what samples, shuffles,
 * responds or divides the data means the relation itself: a unit that is replaced may move from one part to another. */
dusk_neighbours dusk_event_relation(const dusk_event_nodes *nodes, dusk_neighbours neighbours);
/* The event of `count` nodes that are a normal form and checked; refuses with
 * DUSK_ERR_ARGUMENT what is too large, too deep or too long to write. */
DUSK_MUST_USE dusk_status dusk_event_seal(dusk_event *out, const dusk_event_node *node, size_t count,
                                          dusk_error *err);

/* Whether two trees are the same but for how often they run. */
bool dusk_event_same(const dusk_event_node *a, const dusk_event_node *b);
/* A tree runs more than DUSK_EVENT_TIMES_MAX times. */
dusk_status dusk_fail_times(dusk_error *err);

/* The text form of the trees in node[0..count-1], joined with " + ". */
void dusk_event_write(dusk_text *text, const dusk_event_node *node, size_t count);

#endif
