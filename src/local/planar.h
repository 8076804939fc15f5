/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_PLANAR_H
#define DUSK_LOCAL_PLANAR_H

/* The law of planar noise in double, for estimates: nothing that bounds privacy is computed from it. */

#include "local/protocol.h"
#include "numeric/fft.h"

/* grid.c: the numbers of a grid that survey and task must have, and those that no other survey has. */
bool local_grid_is_fine(const dusk_survey *survey);

/* Mean squared distances, in cells: by_column[c] + by_row[r] of somebody in column c and row r. */
DUSK_MUST_USE dusk_status local_planar_spread(const dusk_client_task *task, double *by_column, double *by_row,
                                              dusk_error *err);

/* What is needed to apply the law to shares of cells: the chance of an answer that is no edge of the grid depends on the difference of two cells, and is applied by a Fourier transform; those of
 * edges and corners stand for all that is beyond them. */
typedef struct local_planar_law {
    size_t columns, rows;
    double *beside, *above,
        *corner; /* [row][column]: all points as far as this to one side, to the other, or both */
    dusk_fft fft;
    double *kernel_re, *kernel_im, *re, *im;
} local_planar_law;

DUSK_MUST_USE dusk_status local_planar_law_new(local_planar_law *out, const dusk_client_task *task,
                                               dusk_error *err);
void local_planar_law_free(local_planar_law *law);
/* out[y] = sum over x of shares[x] P(y | x). */
void local_planar_chances(local_planar_law *law, double *out, const double *shares);
/* out[x] = sum over y of weight[y] P(y | x). */
void local_planar_explain(local_planar_law *law, double *out, const double *weight);

#endif
