/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_BINS_H
#define DUSK_LEARN_BINS_H

/* How a row becomes a few small numbers, by public facts alone: what trees and additive models look at. The bounds of a
 * number are cut into equal parts, and the parts beside zero are halved towards zero a few more times, since amounts are often
 * many small ones and few large ones; a category has a bin for each value and one more for rows without any.
 * Which bin a row is in depends on the row only. Proof: bins.proof.md. */

#include <stdint.h>

#include "base/platform.h"
#include "dusk/frame.h"

#define LEARN_BINS_MOST 4096   /* of equal width, of a number */
#define LEARN_BIN_COLUMNS 2048 /* fields besides the label, at most */
#define LEARN_BIN_VALUES 32768 /* of a category, at most */

typedef struct learn_bins {
    size_t columns; /* fields but the label */
    size_t *column; /* their numbers among the fields */
    size_t *first;  /* columns + 1: bins of column j are first[j] to first[j + 1] - 1 */
    double *edge;   /* first[columns] of them: where the bin of a number begins; the code of a category */
    size_t widest;  /* the most bins of a column */
    size_t label;   /* or DUSK_NO_LINK */
} learn_bins;

/* `bins` equal parts. DUSK_ERR_ARGUMENT: no field besides the label, or too many of them, or of their values. */
DUSK_MUST_USE dusk_status learn_bins_init(learn_bins *out, const dusk_fields *fields, size_t label,
                                          size_t bins, dusk_error *err);
void learn_bins_clear(learn_bins *bins);
/* Is column j a number, whose bins have an order? */
bool learn_bins_ordered(const learn_bins *bins, const dusk_fields *fields, size_t j);
/* How wide bin `bin` of column j is, as a part of the bounds; of a category 1. */
double learn_bin_width(const learn_bins *bins, const dusk_fields *fields, size_t j, size_t bin);

/* The rows of a frame. */
typedef struct learn_codes {
    size_t rows, columns;
    uint16_t **code; /* code[j][row]: the bin of column j, from 0 */
    int32_t *
        target; /* labels: the category, or a number in steps, [lower, upper] being [-LEARN_ONE, LEARN_ONE]; or NULL */
} learn_codes;
/* Rows whose label is missing are left out. */
DUSK_MUST_USE dusk_status learn_codes_make(learn_codes *out, const learn_bins *bins, const dusk_frame *frame,
                                           dusk_error *err);
/* The same for prediction: all rows, labels are not looked at. */
DUSK_MUST_USE dusk_status learn_codes_make_all(learn_codes *out, const learn_bins *bins,
                                               const dusk_frame *frame, dusk_error *err);
/* Wipe and free. */
void learn_codes_clear(learn_codes *codes);

#endif
