/* SPDX-License-Identifier: Apache-2.0 */
/* Grids: from places to cells, and how many steps lie between places that are near each other. Proof: grid.proof.md. */
#include <math.h>

#include "base/mutant.h"
#include "dusk/local_places.h"
#include "local/planar.h"
#include "numeric/rounding.h"

#define STEPS_MOST 1048576.0 /* cells between two places that are to be hidden from each other */

bool local_grid_is_fine(const dusk_survey *survey)
{
    if (survey->task.mechanism != DUSK_PLANAR)
        return survey->cell == 0 && survey->within == 0 && survey->left == 0 && survey->bottom == 0;
    return survey->cell > 0 && isfinite(survey->cell) && isfinite(survey->left) && isfinite(survey->bottom) &&
           survey->within >= 0 && isfinite(survey->within) && survey->within / survey->cell <= STEPS_MOST;
}

/* --- cells ----------------------------------------------------------------------------------------------------------- */

/* floor((x - low) / side), exactly, or the nearest of 0 .. count - 1. */
DUSK_PROVEN(number_of)
static uint32_t number_of(double x, double low, double side, uint32_t count)
{
    if (isnan(x)) return count / 2;
    const double distance = x - low;
    if (!(distance > 0)) return 0;
    if (distance / side >= 2.0 * count) return count - 1;
    const double back = distance + low,
                 lost = (x - back) + ((back - distance) - low); /* x - low is distance + lost */
    const double rest = fmod(distance, side);
    double number = rint((distance - rest) / side);
    if (-lost > rest)
        number -= 1;
    else if (lost > 0 && lost >= side - rest)
        number += 1;
    return number < 0 ? 0 : number < count ? (uint32_t)number : count - 1;
}

uint64_t dusk_place_cell(const dusk_survey *survey, double x, double y)
{
    const dusk_client_task *task = &survey->task;
    return number_of(x, survey->left, survey->cell, task->width) +
           (uint64_t)task->width * number_of(y, survey->bottom, survey->cell, task->rows);
}

void dusk_cell_place(const dusk_survey *survey, uint64_t cell, double *x, double *y)
{
    const uint32_t width = survey->task.width;
    *x = survey->left + survey->cell * ((double)(cell % width) + 0.5);
    *y = survey->bottom + survey->cell * ((double)(cell / width) + 0.5);
}

/* --- steps ------------------------------------------------------------------------------------------------------------ */

/* Whether places at most `within` apart may be in cells that are i columns and j rows apart: more than i - 1 and j - 1 sides lie between them. */
static bool may_be(const dusk_survey *survey, double i, double j)
{
    const double a = fmax(i - 1, 0), b = fmax(j - 1, 0);
    return dusk_mul_down(dusk_sqrt_down(a * a + b * b), survey->cell) < survey->within;
}

DUSK_PROVEN(dusk_survey_steps)
uint32_t dusk_survey_steps(const dusk_survey *survey)
{
    double j = 0, most = 1;
    if (survey->task.mechanism != DUSK_PLANAR || survey->within == 0) return 1;
    if (DUSK_MUTATE(STEPS_OF_CENTRES, false, true)) return (uint32_t)ceil(survey->within / survey->cell);
    while (may_be(survey, 0, j + 1)) j++;
    for (double i = 0; may_be(survey, i, 0); i++) {
        while (!may_be(survey, i, j)) j--;
        most = fmax(most, ceil(dusk_sqrt_up(i * i + j * j)));
    }
    return (uint32_t)most;
}

DUSK_PROVEN(dusk_survey_event)
dusk_status dusk_survey_event(dusk_event *out, const dusk_survey *survey, dusk_error *err)
{
    if (survey->task.mechanism != DUSK_PLANAR) return dusk_event_pure(out, survey->epsilon, err);
    return dusk_event_metric(out, survey->epsilon, dusk_survey_steps(survey), err);
}
