/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_BITS_H
#define DUSK_AUDIT_BITS_H

/* The pieces of the bit-level audit: features, which sort what a sampler gives into at most
 * 2^16 cells by its bits. A feature may be as wild as it likes: what is said of it is said
 * by counts. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "dusk/audit_floats.h"

enum { AUDIT_CELLS = 1 << 16, AUDIT_BITS_LENGTH = 16 };

/* What is known of the sampler. */
typedef struct audit_bits {
    const double *centre[2]; /* the values, of either input            */
    bool single;             /* one value for all outputs              */
    size_t length;           /* of an output                           */
    double scale;            /* of the noise; 0: not known             */
    int top;                 /* exponent of the larger value           */
} audit_bits;

static inline double audit_bits_centre(const audit_bits *bits, unsigned side, size_t i)
{
    return bits->centre[side][bits->single ? 0 : i % bits->length];
}

/* The cell of output number i at `y` (of a pair: of y[i] and y[i + 1]), below AUDIT_CELLS.
 * `form` is one of the feature's variants. */
typedef unsigned audit_bits_key(const audit_bits *bits, const double *y, size_t i, unsigned form);

typedef struct audit_bits_feature {
    const char *family; /* as in the report */
    audit_bits_key *key;
    unsigned forms;
    bool scaled; /* needs the scale                        */
    bool paired; /* looks at two outputs at once           */
    /* The cell in words. */
    void (*say)(dusk_text *text, const audit_bits *bits, unsigned key, unsigned form);
} audit_bits_feature;

extern const audit_bits_feature audit_low_bits;        /* low_bits.c        */
extern const audit_bits_feature audit_low_bits_scaled; /* low_bits.c        */
extern const audit_bits_feature audit_laplace_support; /* laplace_support.c */
extern const audit_bits_feature audit_gaussian_pairs;  /* gaussian_pairs.c  */

/* --- lattices ------------------------------------------------------------------------ */

/* The uniform numbers of people's generators: (k + offset) step. */
typedef struct audit_lattice {
    double step, offset;
    const char *name;
} audit_lattice;
enum { AUDIT_LATTICES = 8 };
extern const audit_lattice audit_lattices[AUDIT_LATTICES]; /* laplace_support.c */

/* How far u lies from a lattice, in parts of what rounding may have moved it (error, in the
 * unit of u): 0 for less than half of it, 7 for more than ten times. */
unsigned audit_lattice_miss(const audit_lattice *lattice, long double u, long double error);

/* What rounding y = fl(centre + noise) may have moved the noise by: half a step of y, and
 * nothing when the value is zero. */
double audit_sum_error(double y, double centre);

#endif
