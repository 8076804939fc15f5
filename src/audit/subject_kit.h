/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_SUBJECT_KIT_H
#define DUSK_AUDIT_SUBJECT_KIT_H

/* What standard subjects are made of: a design says how a mechanism of the literature draws
 * and what its truth is; opened for a claim it becomes a kit, which is the context of its
 * sampler and owns its pairs of inputs. */

#include "audit/oracle.h"
#include "audit/subject.h"

enum {
    AUDIT_INPUTS_MAX = 20,
    AUDIT_PAIRS_MAX = 32,
    AUDIT_PARAMETERS = 4,
    AUDIT_TABLE_MAX = 4096,
    AUDIT_LAW_MAX = 1024
};

typedef struct audit_kit audit_kit;
struct audit_levels; /* what a draw needs of an input, made once */

typedef struct audit_design {
    size_t inputs, outputs; /* numbers of an input, and of an output                       */
    dusk_distance moves;    /* standard pairs that are audited; 0: only those of `prepare` */
    /* Set the parameters from kit->epsilon, add pairs, change the claim where it is another. */
    void (*prepare)(audit_kit *kit);
    dusk_status (*draw)(void *kit, double *out, size_t n, const double *input, dusk_error *err);
    dusk_status (*log_density)(void *kit, double *out, const double *outputs, size_t n, const double *input,
                               dusk_error *err);
    /* Of one output: of a draw, and its log density by the laws in a slot of the kit; for those that
     * draw and log_density make many of (subject_sparse_vector.c). */
    void (*draw_one)(audit_kit *kit, const struct audit_levels *levels, const double *input, double *out);
    double (*density_of)(const audit_kit *kit, size_t slot, const double *output, const double *input);
    /* The true epsilon of "input p, seen against input q" at kit->delta. */
    double (*truth)(audit_kit *kit, const double *p, const double *q);
    dusk_density_use density;
    uint64_t draws; /* as in audit_case: 0, or what a fault that is small needs */
    double worth;
    double parameter[AUDIT_PARAMETERS]; /* what tells designs with the same functions apart */
} audit_design;

/* A law on 0 ... size - 1 from which draws take constant time. */
typedef struct audit_alias {
    size_t size, other[AUDIT_TABLE_MAX];
    double chance[AUDIT_TABLE_MAX];
} audit_alias;

struct audit_kit {
    const audit_design *design;
    audit_coins coins;
    double epsilon, delta; /* the claim */
    double scale[3];
    audit_svt svt;
    /* Laws of the last two inputs that a density was asked for. */
    size_t laws, newest;
    double law_input[2][AUDIT_INPUTS_MAX], log_law[2][AUDIT_LAW_MAX];
    audit_shown shown[2];
    audit_alias alias;
    dusk_input_pairs *standard;
    size_t pair_count;
    dusk_input_pair pairs[AUDIT_PAIRS_MAX];
    double inputs[AUDIT_PAIRS_MAX][2][AUDIT_INPUTS_MAX];
};

dusk_status audit_design_open(audit_case *out, const audit_design *design, double epsilon, uint64_t seed,
                              dusk_error *err);

/* Defines open_NAME for the row of a table. */
#define AUDIT_OPENS(name)                                                                                    \
    static dusk_status open_##name(audit_case *out, double epsilon, uint64_t seed, dusk_generator *gen,      \
                                   dusk_error *err)                                                          \
    {                                                                                                        \
        (void)gen;                                                                                           \
        return audit_design_open(out, &name, epsilon, seed, err);                                            \
    }

/* The row of a table. */
#define AUDIT_ROW(title, text, opener)                                                                       \
    {                                                                                                        \
        .says = { .name = (title), .summary = (text), .part = DUSK_SUITE_STANDARD }, .open = (opener)        \
    }
#define AUDIT_LAST_ROW                                                                                       \
    {                                                                                                        \
        .says = {.name = NULL }                                                                              \
    }

/* One pair more: `a` against `b`, copied; or numbers that are the same throughout. */
void audit_kit_pair(audit_kit *kit, const char *name, const double *a, const double *b);
void audit_kit_flat_pair(audit_kit *kit, const char *name, double a, double b);

/* --- noise, in blocks -------------------------------------------------------------- */

/* `n` draws each: Laplace noise by the inverse of its distribution function, exponential
 * noise, and Gaussian noise of standard deviation 1 (Box & Muller 1958). */
void audit_laplace(audit_coins *coins, double *out, size_t n, double scale);
void audit_exponential(audit_coins *coins, double *out, size_t n, double scale);
void audit_gaussian(audit_coins *coins, double *out, size_t n);

/* Natural logarithms of numbers in (0, 1), in place. */
void audit_log_block(double *numbers, size_t n);

/* Laplace noise from its upper tail probability u. */
double audit_laplace_at(double u, double scale);

#endif
