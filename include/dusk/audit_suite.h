/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SUITE_H
#define DUSK_AUDIT_SUITE_H

/* The audit of the auditor, and of this library: standard subjects of the literature, right
 * ones and broken ones, each with its true epsilon where that can be computed, samplers of
 * floating-point noise, and every mechanism of Dusk. */

#include "dusk/audit_mechanisms.h"
#include "dusk/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a subject comes from. */
typedef enum dusk_suite_part {
    DUSK_SUITE_STANDARD = 1, /* of the literature: SVT1-6, noisy max, histograms, ...  */
    DUSK_SUITE_FLOATS = 2,   /* noise as doubles, looked at bit by bit                 */
    DUSK_SUITE_DUSK = 3      /* Dusk's own mechanisms                                  */
} dusk_suite_part;

typedef struct dusk_suite_subject {
    const char *name;    /* "svt3", "dusk.count", ... */
    const char *summary; /* what it is, and what is wrong with it */
    dusk_suite_part part;
} dusk_suite_subject;

/* How many there are, and the one at `index`. */
DUSK_API size_t dusk_suite_size(void);
DUSK_API const dusk_suite_subject *dusk_suite_at(size_t index);

typedef struct dusk_suite_result {
    dusk_audit_report report;
    double exact;          /* the true epsilon on its inputs at the claim's delta, to the
                              digits of a double; INFINITY; NaN where it is not known    */
    double rarer_mass;     /* about the largest mass, on its rarer side, of a set that shows
                              nearly all of `exact`; 0 where it is not known. Below 1e-5 it
                              is not counted: the subject's density is believed          */
    dusk_verdict expected; /* by `exact`, or by the subject's proof, whatever was found  */
} dusk_suite_result;

/* Audit one subject that claims `epsilon`. Of `options` the claim, the density's use and
 * the search are set by the subject, and where its fault is small or its draws cost much also
 * `worth` and `draws`. `gen` feeds Dusk's own mechanisms. */
DUSK_API DUSK_MUST_USE dusk_status dusk_suite_audit(dusk_suite_result *out, size_t index, double epsilon,
                                                    const dusk_audit_options *options, dusk_generator *gen,
                                                    dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
