/* SPDX-License-Identifier: Apache-2.0 */
/* Count-mean sketches, the server's side [Apple 2017]: for values that nobody can list beforehand, such as texts. Counters: `rows` times `width`; of CMS how many set a bit, and
 * after them how many reports a row had; of HCMS the sum of signs of a coefficient. Device: client_sketch.c. Proof: sketch.proof.md.
 *
 * Which values share a place is public and the same for all reports, so that estimates are right on average over the choice of `seed`, and for a given
 * one off by about the root of sum of squares of all counts / (rows width). That is part of the deviations, by an estimate of the sum of squares from the sketch itself. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

#define ROWS 1024
#define WIDTH 1024
#define WIDTH_MOST 524288

/* --- plan --------------------------------------------------------------------------------------------------------------- */

static dusk_status plan_sizes(dusk_client_task *task, const dusk_survey_options *options, dusk_error *err)
{
    task->rows = options->rows ? options->rows : ROWS;
    task->width = options->width ? options->width : WIDTH;
    if (task->width < 2 || task->width > WIDTH_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example a width of 1024",
                         "a row of a sketch has 2 to %d places", WIDTH_MOST);
    return DUSK_OK;
}

static dusk_status plan_cms(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    survey->task.p = local_keep_down(options->epsilon / 2, 1);
    return plan_sizes(&survey->task, options, err);
}

static dusk_status plan_hcms(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_client_task *task = &survey->task;
    task->p = local_keep_down(options->epsilon, 1);
    DUSK_TRY(plan_sizes(task, options, err));
    if ((task->width & (task->width - 1)) != 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "for example a width of 1024",
                           "the width of a Hadamard sketch is a power of 2"));
done:
    return status;
}

static double lies_up(const dusk_client_task *task) { return local_log_odds_up(task->p, 1, 1); }

/* Two values differ in two bits at most, ... */
DUSK_PROVEN(cms_epsilon)
static double cms_epsilon(const dusk_client_task *task)
{
    return DUSK_MUTATE(CMS_COUNTS_ONE_BIT, 2, 1) * lies_up(task);
}
/* ... and in one sign. */
DUSK_PROVEN(hcms_epsilon)
static double hcms_epsilon(const dusk_client_task *task) { return lies_up(task); }

/* --- reports ------------------------------------------------------------------------------------------------------------- */

static uint64_t table(const dusk_client_task *task) { return (uint64_t)task->rows * task->width; }
static uint64_t cms_cells(const dusk_client_task *task) { return table(task) + task->rows; }

static uint64_t cms_absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = client_bytes_for(task->rows), size = dusk_report_size(task);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *report = reports + i * size;
        const uint64_t row = client_get(report, bytes);
        if (row >= task->rows || local_row_is_padded(task->width, report + bytes)) {
            dropped++;
            continue;
        }
        local_columns_add(cell + row * task->width, task->width, report + bytes, size, 1);
        cell[table(task) + row]++;
    }
    return dropped;
}

static uint64_t hcms_absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = dusk_report_size(task);
    const uint64_t most = table(task);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t number = client_get(reports + i * bytes, bytes), at = number >> 1;
        if (at < most)
            cell[at] += number & 1 ? -1 : 1;
        else
            dropped++;
    }
    return dropped;
}

/* --- estimates ----------------------------------------------------------------------------------------------------------- */

/* What a report adds to the variance of a place's count, of its own place and of others. */
static double place_variance(const dusk_client_task *task, bool own)
{
    const double lie = local_chance(0 - task->p), gain = 1 - 2 * lie;
    if (task->mechanism == DUSK_CMS)
        return lie * (1 - lie) / (gain * DUSK_MUTATE(SKETCH_DIVIDES_ONCE, gain, 1));
    return 1 / (gain * gain) - own;
}

/* from[b] = about how many of the reports of a row have place b. */
static void row_counts(const dusk_client_task *task, const int64_t *cell, uint32_t row, double *to,
                       int64_t *scratch)
{
    const int64_t *from = cell + (uint64_t)row * task->width;
    const double lie = local_chance(0 - task->p), gain = 1 - 2 * lie;
    if (task->mechanism == DUSK_CMS) {
        const double lies = (double)cell[table(task) + row] * lie;
        for (uint32_t b = 0; b < task->width; b++) to[b] = ((double)from[b] - lies) / gain;
        return;
    }
    memcpy(scratch, from, task->width * sizeof *scratch);
    local_hadamard(scratch, task->width);
    for (uint32_t b = 0; b < task->width; b++) to[b] = (double)scratch[b] / gain;
}

/* The sum of squares of the counts of all values, from that of places, `squares` over all rows: noise and the chance of rows are taken off, and what values share places adds. */
static double value_squares(const dusk_client_task *task, double squares, double reports)
{
    const double k = task->rows, m = task->width;
    const double noise = reports * ((m - 1) * place_variance(task, false) + place_variance(task, true));
    const double places = k * (squares - noise - reports * (1 - 1 / k));
    return fmin(fmax((places - reports * reports / m) / (1 - 1 / m), reports > 0), reports * reports);
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double all = (double)reports, m = task->width, scale = m / (m - 1);
    double *row = NULL, squares = 0;
    int64_t *scratch = NULL;
    DUSK_NEW(row, task->width);
    DUSK_NEW(scratch, task->width);
    memset(out, 0, n * sizeof *out);
    for (uint32_t j = 0; j < task->rows; j++) {
        row_counts(task, cell, j, row, scratch);
        for (uint32_t b = 0; b < task->width; b++) squares += row[b] * row[b];
        for (size_t i = 0; i < n; i++)
            out[i] += row[client_place(task->seed, j, values ? values[i] : i, task->width)];
    }
    squares = value_squares(task, squares, all);
    for (size_t i = 0; i < n; i++) {
        out[i] = scale * (out[i] - all / m);
        const double own = fmin(fmax(out[i], 0), all);
        const double noise = own * place_variance(task, true) + (all - own) * place_variance(task, false);
        const double shared = fmax(squares - own * own, 0) / task->rows / (m - 1) + (all - own) / (m - 1);
        if (deviations) deviations[i] = sqrt(scale * scale * noise + shared);
    }
done:
    dusk_deallocate(row);
    dusk_deallocate(scratch);
    return status;
}

/* Without what values that share a place add, which depends on all of them. */
static double variance(const dusk_client_task *task, double share)
{
    const double m = task->width, scale = m / (m - 1);
    return scale * scale * (share * place_variance(task, true) + (1 - share) * place_variance(task, false)) +
           (1 - share) / (m - 1);
}

/* All bits of a row can be set, and the first coefficient of a row has one sign everywhere. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    const double m = task->width, lie = local_chance(0 - task->p), gain = 1 - 2 * lie;
    const double yes = task->mechanism == DUSK_CMS ? (1 - lie) / gain : 1 / gain;
    const double no = task->mechanism == DUSK_CMS ? -lie / gain : -1 / gain;
    *least = targets * (m / (m - 1)) * (fmin(yes, no) - 1 / m);
    *most = targets * (m / (m - 1)) * (fmax(yes, no) - 1 / m);
}

const local_protocol local_cms = {
    .name = "cms",
    .about = "count-mean sketch: texts and other values that nobody can list",
    .mechanism = DUSK_CMS,
    .question = DUSK_ASKS_COUNTS,
    .hashed = true,
    .plan = plan_cms,
    .epsilon = cms_epsilon,
    .cells = cms_cells,
    .absorb = cms_absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_row,
    .craft = local_craft_row,
};

const local_protocol local_hcms = {
    .name = "hcms",
    .about = "Hadamard count-mean sketch: the same with one bit a report",
    .mechanism = DUSK_HCMS,
    .question = DUSK_ASKS_COUNTS,
    .hashed = true,
    .plan = plan_hcms,
    .epsilon = hcms_epsilon,
    .cells = table,
    .absorb = hcms_absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_row_sign,
    .craft = local_craft_row_sign,
};
