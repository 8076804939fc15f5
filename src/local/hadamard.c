/* SPDX-License-Identifier: Apache-2.0 */
/* One bit of the Hadamard transform, the server's side [Apple 2017; Acharya & Sun 2019]: the shortest reports, and nearly the least variance for a small epsilon.
 * Counters: one a row, the signs that came added up. Estimates are their transform. Device: client_hadamard.c. Proof: hadamard.proof.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "local/attacks.h"
#include "local/counting.h"

static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    uint64_t width = 2;
    while (width < survey->task.domain) width *= 2;
    if (width > LOCAL_CELLS_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "hash texts: take hcms",
                         "hadamard has room for 2^28 categories at most");
    survey->task.width = (uint32_t)width;
    survey->task.p = local_keep_down(options->epsilon, 1);
    return DUSK_OK;
}

DUSK_PROVEN(hadamard_epsilon)
static double hadamard_epsilon(const dusk_client_task *task) { return local_log_odds_up(task->p, 1, 1); }

static uint64_t cells(const dusk_client_task *task) { return task->width; }

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = client_bytes_for(2 * task->width);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = bytes == 2 ? reports[2 * i] | (uint64_t)reports[2 * i + 1] << 8
                                      : client_get(reports + i * bytes, bytes);
        if (x >> 1 < task->width)
            cell[x >> 1] += 1 - 2 * (int64_t)(x & 1);
        else
            dropped++;
    }
    return dropped;
}

/* A report supports a value whose sign it has: n / 2 of those that others sent, so that supports are (n + transform) / 2. */
static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    int64_t *sum = NULL;
    DUSK_NEW(sum, task->width);
    memcpy(sum, cell, task->width * sizeof *sum);
    local_hadamard(sum, task->width);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        double *deviation = deviations ? &deviations[i] : NULL;
        if (value < task->domain)
            local_pure_estimate(local_chance(task->p), 0.5, ((double)reports + (double)sum[value]) / 2,
                                (double)reports, &out[i], deviation);
        else
            local_no_estimate(&out[i], deviation);
    }
done:
    dusk_deallocate(sum);
    return status;
}

static double variance(const dusk_client_task *task, double share)
{
    return local_pure_variance(local_chance(task->p), 0.5, share);
}

/* In the first row all values have one sign. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    local_pure_reach(local_chance(task->p), 0.5, targets, targets, least, most);
}

/* Rows are orthogonal: squares of what a report is worth to several values add up. */
static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double gain = 2 * local_chance(task->p) - 1;
    *outside = (double)(to - from + 1) / (gain * gain);
    *inside = *outside - 1;
}

const local_protocol local_hadamard_bit = {
    .name = "hadamard",
    .about = "one bit of the Hadamard transform: a row by lot and the value's sign in it",
    .mechanism = DUSK_HADAMARD,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = hadamard_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_sign,
    .craft = local_craft_sign,
    .range = range,
};
