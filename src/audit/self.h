/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SELF_H
#define DUSK_AUDIT_SELF_H

/* Mechanisms of Dusk as subjects of the suite, on their public releases only.
 *
 * A mechanism here is one release on a *world*: a whole table, a value, a stream. Worlds
 * come in pairs of neighbours, 2 k and 2 k + 1, chosen to be the worst ones: extreme rows,
 * ties, values between two steps of the grid, the first row and the last. What a release
 * gives may be cut down to the numbers on which the worst event shows (public
 * post-processing): that makes an audit sharper and is never unfair.
 *
 * `exact` is made from the claim and the public mathematics of the law, never from what the
 * mechanism has calibrated: a wrong scale must not excuse itself. */

#include "audit/subject.h"

#define SELF_PAIRS_MAX 4

typedef struct self_mechanism {
    size_t output_length;
    size_t pair_count;
    const char *names[SELF_PAIRS_MAX]; /* of the pairs */
    double delta;                      /* of the claim */
    uint64_t draws;                    /* enough for a verdict, where a release costs much; 0: 2^20 */
    size_t state;                      /* bytes that `begin` fills, zeroed before */
    /* Calibrate for a claim of *epsilon, and perhaps lower it to what is claimed. */
    dusk_status (*begin)(void *state, double *epsilon, dusk_error *err);
    /* One release on a world. */
    dusk_status (*one)(void *state, double *out, int world, dusk_generator *gen, dusk_error *err);
    /* Or `n` of them, where that is cheaper. */
    dusk_status (*many)(void *state, double *out, size_t n, int world, dusk_generator *gen, dusk_error *err);
    void (*end)(void *state);        /* NULL: nothing to free */
    double (*exact)(double epsilon); /* true epsilon at `delta`, given the claim; NULL: not known */
} self_mechanism;

dusk_status audit_self_open(audit_case *out, const self_mechanism *mechanism, double epsilon,
                            dusk_generator *gen, dusk_error *err);
/* `exact` of laws that give away all that they claim. */
double audit_self_tight(double epsilon);

/* open_NAME of the mechanism NAME, for its row in a table. */
#define SELF_OPEN(name)                                                                                      \
    static dusk_status open_##name(audit_case *out, double epsilon, uint64_t seed, dusk_generator *gen,      \
                                   dusk_error *err)                                                          \
    {                                                                                                        \
        (void)seed; /* coins are the generator's */                                                          \
        return audit_self_open(out, &name, epsilon, gen, err);                                               \
    }
#define SELF_ROW(title, which, text)                                                                         \
    {                                                                                                        \
        .says = { .name = (title), .summary = (text), .part = DUSK_SUITE_DUSK }, .open = open_##which        \
    }

/* Each file's rows; they end in a row without a name. */
extern const audit_subject audit_self_numbers[];   /* self_numbers.c   */
extern const audit_subject audit_self_places[];    /* self_places.c    */
extern const audit_subject audit_self_choice[];    /* self_choice.c    */
extern const audit_subject audit_self_streams[];   /* self_streams.c   */
extern const audit_subject audit_self_sums[];      /* self_sums.c      */
extern const audit_subject audit_self_summaries[]; /* self_summaries.c */
extern const audit_subject audit_self_ranks[];     /* self_ranks.c     */
extern const audit_subject audit_self_keys[];      /* self_keys.c      */
extern const audit_subject audit_self_tables[];    /* self_tables.c    */
extern const audit_subject audit_self_reports[];   /* self_reports.c   */

#endif
