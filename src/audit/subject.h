/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SUBJECT_H
#define DUSK_AUDIT_SUBJECT_H

/* A subject of the suite: how to open it for a claimed epsilon. One table a file
 * (subject_*.c), gathered by suite.c in the order of dusk_suite_at. */

#include "audit/coins.h"
#include "dusk/audit_suite.h"

/* A subject ready to be audited. What it needs lies behind sampler.context and ends with
 * `close`. */
typedef struct audit_case {
    dusk_sampler sampler;
    const dusk_input_pair *pairs;
    size_t pair_count;
    dusk_distance search;     /* 0: the pairs are the worst ones                      */
    double epsilon, delta;    /* the claim                                            */
    double exact;             /* true epsilon, the largest of all pairs; NaN: unknown */
    bool broken;              /* where `exact` is unknown: whether the claim is wrong */
    const double *worst[2];   /* the inputs that `exact` is of; NULL: not known       */
    dusk_density_use density; /* how its density is to be used                        */
    uint64_t draws;           /* of the last step, a side, at most, where a draw costs
                                 much or the fault is small; 0: as the options say    */
    double worth;             /* a smaller share worth showing, where the fault is small;
                                 0: as the options say                                */
    void (*close)(void *context);
} audit_case;

typedef struct audit_subject {
    dusk_suite_subject says;
    /* Open for a claim of `epsilon`. `seed` feeds the subject's own coins, `gen` (not NULL)
     * the mechanisms of Dusk. */
    dusk_status (*open)(audit_case *out, double epsilon, uint64_t seed, dusk_generator *gen, dusk_error *err);
    /* Subjects that are audited bit by bit instead (then `open` is NULL). */
    dusk_status (*audit)(dusk_suite_result *out, double epsilon, const dusk_audit_options *options,
                         dusk_generator *gen, dusk_error *err);
} audit_subject;

/* Tables end in a row without a name. */
extern const audit_subject audit_additive_subjects[];      /* subject_additive.c      */
extern const audit_subject audit_discrete_subjects[];      /* subject_discrete.c      */
extern const audit_subject audit_noisy_max_subjects[];     /* subject_noisy_max.c     */
extern const audit_subject audit_sparse_vector_subjects[]; /* subject_sparse_vector.c */
extern const audit_subject audit_float_subjects[];         /* subject_floats.c        */

#endif
