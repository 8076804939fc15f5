/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LEARN_SHAPE_STEP_H
#define DUSK_LEARN_SHAPE_STEP_H

/* One step of boosting: what the part of a column should be, from noisy sums of residuals and noisy counts. Post-processing:
 * nothing here sees a row. */

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct shape_step {
    double curvature; /* of the loss, a row */
    double noise;     /* deviation of the sums of one round */
    double drift;     /* how far parts may still move after a round, by what other columns learn */
    double *answer;   /* n: the part of the column */
    double *upper, *diagonal, *value, *best; /* n: scratch */
} shape_step;

/* What is known of a column so far: n bins. */
typedef struct shape_known {
    const double *counts;
    double *evidence; /* curvature * count * part, about */
    double *variance; /* of that, by the noise; negative: nothing yet */
    size_t n;
    bool ordered; /* neighbouring bins are alike */
} shape_known;

DUSK_MUST_USE dusk_status shape_step_open(shape_step *out, size_t widest, dusk_error *err);
void shape_step_close(shape_step *step);
/* step->answer from n sums of residuals, where the part was `shape`. */
void shape_step_solve(shape_step *step, const shape_known *known, const double *sums, const double *shape);

#endif
