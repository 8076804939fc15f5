/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_AUDIT_FLOATS_H
#define DUSK_AUDIT_FLOATS_H

/* Auditing what computers do to mechanisms that are right on paper: the bits of a double,
 * and the time it took.
 *
 * Noise that is made in floating point and added to a value has holes: of two values
 * each gives outputs that the other cannot give (Mironov 2012; Jin, McMurtry, Rubinstein &
 * Ohrimenko 2022; Casacuberta et al. 2022; Haney et al. 2022). No histogram sees them: they lie between numbers that
 * differ in the last digits. So outputs are sorted by their bits instead, and the sets that
 * this gives are counted as in audit_mechanisms.h: chosen on some draws, counted on fresh
 * ones, bounded by Clopper & Pearson. What is believed of the sampler (its formula, its
 * scale) only helps to choose: the bound rests on counts alone.
 *
 * Caveats
 *   - Doubles must arrive bit by bit. What prints six digits is audited as what prints six
 *     digits.
 *   - Where the value is far larger than the noise, the addition rounds the holes away, and
 *     there is nothing to be seen: audit values of the size of the noise, as 0 and 1. */

#include <stddef.h>
#include <stdint.h>

#include "dusk/audit_mechanisms.h"
#include "dusk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Audit a sampler of value + noise bit by bit. Inputs are the values: one number for all
 * outputs, or one for each of them (at most 16). `scale` is that of the noise as it comes,
 * b of Laplace or sigma of Gaussian noise, or 0 when it is not known; with it outputs are also led
 * back through the formulae that people use. Of the options search and density are not
 * used, and draws = 0 means 2^22. In the report `family` says what the deciding set is made
 * of:
 *   "size"             sign and octave of an output: no bits were needed
 *   "last bits"        how fine a multiple of a power of two the output is, alone or less
 *                      the value; how many digits that takes; whether it can be a sum
 *   "laplace support"  outputs that a uniform number on a lattice gives through -b ln u
 *                      with one value and not with the other
 *   "gaussian pair"    the same of two outputs, through Box & Muller's or the polar formula.
 *                      Of a sampler with one output these are two releases, one after the
 *                      other: delta is paid twice, and half the epsilon is reported; hits
 *                      and trials are then of pairs.
 * `event` calls the inputs A and B. `detectable` is for a set that has one output in a
 * hundred; inconclusive is where not even such a set that is impossible on the other side
 * would have been shown. */
DUSK_API DUSK_MUST_USE dusk_status dusk_audit_bits(dusk_audit_report *out, const dusk_sampler *sampler,
                                                   const dusk_input_pair *pair, double scale,
                                                   const dusk_audit_options *options, dusk_error *err);
/* So many draws a side are spent on the choice of the set, before those that are counted. */
DUSK_API uint64_t dusk_audit_bits_selection(uint64_t draws);

/* Does the time of a draw tell its value? Values and durations of n >= 64 draws in the order in
 * which they were made. Ranks are compared within blocks of 16 neighbours, so that neither
 * interrupts nor a machine that gets slower matter: if the values were drawn from one law, independently
 * of each other and of the times, each block's rank correlation has mean 0 and variance at most
 * 1/15 exactly, whatever the times are. Two questions are asked, and paid for: the size
 * |value| of all draws; and, in the second half of them, the time that each of 64 classes of
 * values was seen to take in the first half. A dependence that neither orders ranks nor
 * shows in classes of neighbouring values (on the last bit, say) is not seen. */
typedef struct dusk_timing_report {
    dusk_verdict verdict; /* DUSK_VIOLATION: the time depends on the value, but for a chance of `alarm`;
                             DUSK_INCONCLUSIVE: even a correlation of 0.1 might have hidden         */
    double correlation;   /* the mean of the blocks' rank correlations of the deciding question     */
    double p;             /* chance of as much without a dependence, by the normal law              */
    double p_sure;        /* the same, never less than the truth (Bernstein's inequality): what the
                             verdict rests on                                                       */
    double detectable;    /* a correlation of this size would have been seen nine times in ten      */
    uint64_t draws;
    char question[24]; /* "size", "classes" */
} dusk_timing_report;
DUSK_API DUSK_MUST_USE dusk_status dusk_audit_timing(dusk_timing_report *out, const double *values,
                                                     const double *durations, size_t n, double alarm,
                                                     dusk_error *err);
/* Draw n times one at a time, and write first number and duration of each: processor ticks
 * where they can be read, else nanoseconds. */
DUSK_API DUSK_MUST_USE dusk_status dusk_timing_measure(double *values, double *durations, size_t n,
                                                       const dusk_sampler *sampler, const double *input,
                                                       dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
