/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_LOCAL_PLACES_H
#define DUSK_LOCAL_PLACES_H

#include "dusk/local.h"

/* Surveys of places (DUSK_PLANAR): geo-indistinguishability on devices [Andres, Bordenabe, Chatzikokolakis & Palamidessi 2013]. A public grid of square cells lies over the plane; a device reports
 * the cell that it is in, with noise whose law is exact.
 *
 *     dusk_survey survey;                              options.mechanism = DUSK_PLANAR, width: columns, rows: rows, cell, left, bottom, within
 *     dusk_survey_steps(&survey)                       steps of the grid between two places that are `within` apart, at most
 *     dusk_place_cell(&survey, x, y)                   the value of a device; on devices dusk_client_cell, in whole numbers
 *     dusk_tally_shares(tally, shares, cells, err)     where people are: dusk/local_estimates.h
 *
 * The epsilon of such a survey is for ONE STEP of the grid, and is no epsilon of the usual kind: two places are told apart by no more than exp(epsilon times the steps between them), and so
 * places that are far from each other can be told apart. What is promised for two places at most `within` apart is the event of dusk_survey_event: metric(epsilon, steps).
 * Whoever wants n steps to cost E asks for an epsilon of E / n.
 *
 * Caveats
 *   - Distances are those of the plane that x and y are in. Degrees are no distances: bring places into metres first, by a map that makes no distance longer than it is.
 *   - Noise is cut off at the edges of the grid: a report beyond it is that of the nearest cell. Shares take that into account; the mean of reports does not, and is drawn to the middle.
 *   - Somebody who reports from many places spends for each. */

#ifdef __cplusplus
extern "C" {
#endif

/* What one report costs: metric(epsilon, steps) of places, pure(epsilon) of all others. */
DUSK_API DUSK_MUST_USE dusk_status dusk_survey_event(dusk_event *out, const dusk_survey *survey,
                                                     dusk_error *err);
/* The most steps, which is the distance of their cells' centres rounded up, that two places have between them which are at most `within` apart; 1 where that is 0, and for surveys that are not of places. */
DUSK_API uint32_t dusk_survey_steps(const dusk_survey *survey);
/* The cell where a place is, exactly; beyond the grid the nearest one; where a coordinate is no number the middle of the grid in this direction. And the centre of a cell. */
DUSK_API uint64_t dusk_place_cell(const dusk_survey *survey, double x, double y);
DUSK_API void dusk_cell_place(const dusk_survey *survey, uint64_t cell, double *x, double *y);
/* squares[c]: the mean squared distance of a report from the truth of somebody in cell c, centre to centre, as reports are, cut off at the edges. As many as there are cells. */
DUSK_API DUSK_MUST_USE dusk_status dusk_survey_distances(const dusk_survey *survey, double *squares,
                                                         dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
