/* SPDX-License-Identifier: Apache-2.0 */
/* Hadamard response, the server's side [Acharya, Sun & Zhang 2019]: one number a report, and estimates by the fast transform; better than one bit for a larger epsilon. Counters: one a number.
 * Device: client_blocks.c. Proof: blocks.proof.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

static uint64_t numbers(const dusk_client_task *task) { return (uint64_t)task->rows * task->width; }

/* What an answer of the value's own block is worth: with the sign of its row it is 1 on average for who has the value, and 0 for others. */
static double worth(const dusk_client_task *task)
{
    return 1 / (local_chance(task->p) - local_chance(0 - task->p) / (2.0 * task->rows - 1));
}

/* The chance that the answer is in the value's own block. */
static double own_block(const dusk_client_task *task)
{
    return local_chance(task->p) + local_chance(0 - task->p) / (2.0 * task->rows - 1);
}

/* Of others, as many in each block; blocks have as many values, so that it is this on average over values whatever others have. */
static double variance(const dusk_client_task *task, double share)
{
    const double square = worth(task) * worth(task);
    return share * (own_block(task) * square - 1) + (1 - share) * square / task->rows;
}

/* As many blocks as make the variance least: a power of 2. */
static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task best = survey->task;
    double least = INFINITY;
    for (uint32_t rows = 1; rows <= 1 << 20 && rows <= survey->task.domain; rows *= 2) {
        dusk_client_task task = survey->task;
        uint64_t width = 2;
        while ((width - 1) * rows < task.domain) width *= 2;
        if (width * rows > LOCAL_CELLS_MOST) continue;
        task.rows = rows;
        task.width = (uint32_t)width;
        task.p = local_keep_down(options->epsilon, 2.0 * rows - 1);
        if (!(variance(&task, 0) < least)) continue;
        least = variance(&task, 0);
        best = task;
    }
    if (!(least < INFINITY))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "hash texts: take hcms",
                         "hr has room for about 2^27 categories");
    survey->task = best;
    return DUSK_OK;
}

/* A number of the set has p / s, another one (1 - p) / (K - s), and (K - s) / s is 2 rows - 1. */
DUSK_PROVEN(hr_epsilon)
static double hr_epsilon(const dusk_client_task *task)
{
    return local_log_odds_up(task->p, 2 * (uint64_t)task->rows - 1, 1);
}

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t most = (uint32_t)numbers(task);
    return local_histogram_add(cell, most, reports, client_bytes_for(most), n);
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double value_of_one = worth(task);
    int64_t *sum = NULL;
    (void)reports;
    DUSK_NEW(sum, numbers(task));
    memcpy(sum, cell, numbers(task) * sizeof *sum);
    for (uint32_t block = 0; block < task->rows; block++)
        local_hadamard(sum + (uint64_t)block * task->width, task->width);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        if (value >= task->domain) {
            local_no_estimate(&out[i], deviations ? &deviations[i] : NULL);
            continue;
        }
        const uint64_t block = value % task->rows * task->width, row = value / task->rows + 1;
        out[i] = value_of_one * (double)sum[block + row];
        /* row 0 of the transform is how many answers the block had */
        const double answers = (double)sum[block], square = value_of_one * value_of_one;
        if (deviations) deviations[i] = sqrt(fmax(answers * square - fmax(out[i], 0), answers > 0));
    }
done:
    dusk_deallocate(sum);
    return status;
}

/* At most: targets need not be in one block, nor have one sign. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    *most = targets * fabs(worth(task));
    *least = -*most;
}

/* Rows of a block are orthogonal: squares add up where the answer does not depend on the value. In the value's own block it does, and two values of which the value's row is
 * the sum count twice; each has at most one such partner. Blocks take turns. */
static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double lie = local_chance(0 - task->p) / (2.0 * task->rows - 1), m = (double)(to - from + 1);
    const double own = ceil(m / task->rows),
                 partners = DUSK_MUTATE(RANGE_IGNORES_PARTNERS, own > 1, false) ? own / fabs(worth(task)) : 0;
    *outside = worth(task) * worth(task) * (2 * lie * (m - own) + own_block(task) * own + partners);
    *inside = *outside - 1;
}

const local_protocol local_hr = {
    .name = "hr",
    .about = "Hadamard response: a number of the value's half of a block, or any other",
    .mechanism = DUSK_HR,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = hr_epsilon,
    .cells = numbers,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .range = range,
    .range_bound = true,
    .supports = local_supports_block,
    .craft = local_craft_block,
};
