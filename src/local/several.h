/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_SEVERAL_H
#define DUSK_LOCAL_SEVERAL_H

/* Surveys of several attributes as the server sees them: groups, which are what is answered together, and where their counters are. */

#include "local/protocol.h"

enum { SEVERAL_GROUPS = DUSK_ATTRIBUTES_MOST * (DUSK_ATTRIBUTES_MOST - 1) / 2 };

typedef struct several_group {
    uint32_t first, second; /* attributes; the same: it is one */
    uint32_t size, at;      /* categories, and where their counters begin */
    uint32_t place, bytes;  /* where in a report its answer is */
    bool bits;              /* the answer is a bit a category */
    double truth, other;    /* how likely an answer supports a value: of who has it, of who does not */
    double prior;           /* what a report that answers for another group says of a value */
} several_group;

/* Counters: one a category of each group; of SMP, behind all of those, how many reports answered for each group. */
typedef struct several_layout {
    uint32_t groups, categories, size; /* size: bytes of a report */
    bool sampled;                      /* a report answers for one group */
    several_group group[SEVERAL_GROUPS];
} several_layout;

void several_lay_out(several_layout *out, const dusk_client_task *task);

/* What one group of a sampled survey says of a value: supports by how many reports of so many, each a part of the estimate that is fixed before. A value may be `together` categories
 * of the group. */
typedef struct several_source {
    double part, supports, asked;
    double base,
        gain; /* supports by a report of who does not have the value, and how many more of who does */
    double of_holder, of_other; /* their variances */
} several_source;

several_source several_source_of(const several_group *group, uint32_t together);
/* The variance that one report of a holder, or of somebody else, brings. */
double several_variance(const several_layout *layout, const several_source *source, size_t n, double prior,
                        bool holder);
/* Unbiased, as parts add up to 1. */
void several_estimate(const several_layout *layout, const several_source *source, size_t n, double prior,
                      double reports, double *count, double *deviation);

#endif
