/* SPDX-License-Identifier: Apache-2.0 */
/* k-ary randomized response, the server's side [Kairouz, Bonawitz & Ramage 2016]: the best for few categories or a large epsilon.
 * Counters: one a category. Device: client_response.c. Proof: response.proof.md. */
#include <math.h>

#include "local/attacks.h"
#include "local/counting.h"

static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    (void)err;
    survey->task.p = local_keep_down(options->epsilon, (double)survey->task.domain - 1);
    return DUSK_OK;
}

/* An answer is the truth with p / 2^64, and one of the k - 1 others with (1 - p / 2^64) / (k - 1). Rounded fractions may tell lies more often than
 * the truth, and then the ratio is the other way round. */
DUSK_PROVEN(grr_epsilon)
static double grr_epsilon(const dusk_client_task *task)
{
    return local_log_odds_up(task->p, task->domain - 1, 1);
}

static uint64_t cells(const dusk_client_task *task) { return task->domain; }

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    return local_histogram_add(cell, task->domain, reports, client_bytes_for(task->domain), n);
}

static double truth_of(const dusk_client_task *task) { return local_chance(task->p); }
static double other_of(const dusk_client_task *task)
{
    return local_chance(0 - task->p) / (task->domain - 1);
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    (void)err;
    local_pure_counts(truth_of(task), other_of(task), cell, task->domain, reports, out, deviations, values,
                      n);
    return DUSK_OK;
}

static double variance(const dusk_client_task *task, double share)
{
    return local_pure_variance(truth_of(task), other_of(task), share);
}

/* An answer supports one value. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    local_pure_reach(truth_of(task), other_of(task), targets, 1, least, most);
}

/* Whether the answer is in the range: a pure protocol again. */
static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double more = (double)(to - from) * other_of(task), gain = truth_of(task) - other_of(task);
    const double truth = fmin(truth_of(task) + more, 1), other = other_of(task) + more;
    *inside = truth * (1 - truth) / (gain * gain);
    *outside = other * (1 - other) / (gain * gain);
}

const local_protocol local_grr = {
    .name = "grr",
    .about = "randomized response: the truth, or any other category",
    .mechanism = DUSK_GRR,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = grr_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_number,
    .craft = local_craft_number,
    .range = range,
};
