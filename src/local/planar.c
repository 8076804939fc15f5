/* SPDX-License-Identifier: Apache-2.0 */
/* Places by planar Laplace noise, the server's side [Andres, Bordenabe, Chatzikokolakis & Palamidessi 2013]. Counters: one a cell of the grid. What is estimated are the shares of all cells, by expectation
 * maximisation (distribution.c) with the law of planar_law.c. Device: client_planar.c. Proof: planar.proof.md. */
#include <math.h>
#include <mpfr.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "dusk/local_places.h"
#include "local/counting.h"
#include "local/planar.h"

#define SIDE 32    /* columns and rows where nobody says */
#define LEAST 0.01 /* epsilon of a step: with less the noise goes over hundreds of cells */
#define CELLS_MOST (1u << 22)

/* The least p with 2^64 / p <= e^epsilon. */
DUSK_PROVEN(decay_up)
static uint64_t decay_up(double epsilon)
{
    mpfr_t x, high;
    mpfr_inits2(192, x, high, (mpfr_ptr)0);
    mpfr_set_d(x, -epsilon, MPFR_RNDU);
    mpfr_exp(x, x, MPFR_RNDU);
    mpfr_mul_2ui(x, x, 64, MPFR_RNDU);
    if (DUSK_MUTATE(PLANAR_DECAY_ROUNDS_DOWN, true, false))
        mpfr_ceil(x, x);
    else
        mpfr_floor(x, x);
    mpfr_div_2ui(high, x, 32, MPFR_RNDD);
    mpfr_floor(high, high);
    const uint64_t top = mpfr_get_ui(high, MPFR_RNDD);
    mpfr_mul_2ui(high, high, 32, MPFR_RNDD);
    mpfr_sub(x, x, high, MPFR_RNDD);
    const uint64_t p = top << 32 | mpfr_get_ui(x, MPFR_RNDD);
    mpfr_clears(x, high, (mpfr_ptr)0);
    return p > 0 ? p : 1;
}

static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    task->width = options->width ? options->width : SIDE;
    task->rows = options->rows ? options->rows : SIDE;
    survey->cell = options->cell == 0 ? 1 : options->cell;
    survey->left = options->left;
    survey->bottom = options->bottom;
    survey->within = options->within;
    const uint64_t cells = (uint64_t)task->width * task->rows;
    if (task->width < 2 || task->rows < 2 || cells > CELLS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take larger cells, or a survey for each region",
                         "a grid has two columns and two rows at least, and 2^22 cells at most");
    if (!local_grid_is_fine(survey))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example cells of 100 and places within 500",
                         "a cell needs a side above 0, and at most 2^20 of them lie between two places");
    if (options->epsilon < LEAST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take larger cells, which have fewer steps between them",
                         "epsilon is %.3g for a step from cell to cell, and %g is the least",
                         options->epsilon, LEAST);
    task->domain = (uint32_t)cells;
    task->p = decay_up(options->epsilon);
    return DUSK_OK;
}

/* Of one step. The double above covers that lengths end. */
DUSK_PROVEN(planar_epsilon)
static double planar_epsilon(const dusk_client_task *task)
{
    return nextafter(local_log_ratio_up((dusk_uint128)1 << 64, task->p), INFINITY);
}

static uint64_t cells(const dusk_client_task *task) { return task->domain; }

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    return local_histogram_add(cell, task->domain, reports, client_bytes_for(task->domain), n);
}

dusk_status dusk_survey_distances(const dusk_survey *survey, double *squares, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_client_task *task = &survey->task;
    const double square = survey->cell * survey->cell;
    double *by_column = NULL, *by_row = NULL;
    if (task->mechanism != DUSK_PLANAR)
        return dusk_fail(err, DUSK_ERR_UNSUPPORTED, "take planar", "this is no survey of places");
    DUSK_NEW(by_column, task->width);
    DUSK_NEW(by_row, task->rows);
    DUSK_TRY(local_planar_spread(task, by_column, by_row, err));
    for (size_t r = 0; r < task->rows; r++)
        for (size_t c = 0; c < task->width; c++)
            squares[r * task->width + c] = square * (by_column[c] + by_row[r]);
done:
    dusk_deallocate(by_column);
    dusk_deallocate(by_row);
    return status;
}

/* The mean squared distance in cells, of somebody in the cell that is `share` of all. */
static double variance(const dusk_client_task *task, double share)
{
    dusk_status status = DUSK_OK;
    dusk_error *err = NULL;
    const uint32_t cell = (uint32_t)fmin(floor(share * task->domain), task->domain - 1.0);
    double *by_column = NULL, *by_row = NULL, out = NAN;
    DUSK_NEW(by_column, task->width);
    DUSK_NEW(by_row, task->rows);
    DUSK_TRY(local_planar_spread(task, by_column, by_row, err));
    out = by_column[cell % task->width] + by_row[cell / task->width];
done:
    dusk_deallocate(by_column);
    dusk_deallocate(by_row);
    return status == DUSK_OK ? out : NAN;
}

const local_protocol local_planar = {
    .name = "planar",
    .about = "planar Laplace: a place, hidden among those nearby",
    .mechanism = DUSK_PLANAR,
    .question = DUSK_ASKS_DISTRIBUTION,
    .plan = plan,
    .epsilon = planar_epsilon,
    .cells = cells,
    .absorb = absorb,
    .variance = variance,
};
