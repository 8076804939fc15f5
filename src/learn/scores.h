/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SCORES_H
#define DUSK_LEARN_SCORES_H

/* What scores on public rows and released scores share, for a slice of rows and its prediction. */

#include "learn/slices.h"

/* The number of the largest of k numbers, the first of equal ones; k >= 1. */
size_t learn_largest(const double *value, size_t k);
/* out[i] = squared distance of row i, encoded, to the centre of its group. `memberships` is the prediction for the slice.
 * NAN for all rows when the model has no centres of encoded rows. */
DUSK_MUST_USE dusk_status learn_squared_distances(const dusk_model *model, const dusk_frame *slice,
                                                  const double *memberships, double *out, dusk_error *err);
/* Steps that learn_excess counts in. */
#define LEARN_EXCESS_ONE 0x1p20
/* How much better rows are than `level` from 0 to 1, added up over those that have a label: a row adds 1 - error - level. Its error is from 0 to
 * 1 as in a released score: accuracy, or squared error as a share of `most`, above 0, larger ones counting as that much. The frame's fields fit, and
 * have the label. */
DUSK_MUST_USE dusk_status learn_excess(dusk_int128 *out, dusk_metric metric, const dusk_model *model,
                                       const dusk_frame *frame, double most, double level, dusk_error *err);
/* The centres of a model of groups, or NULL. */
const double *learn_centres(const dusk_model *model, size_t *groups);

#endif
