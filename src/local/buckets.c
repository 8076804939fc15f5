/* SPDX-License-Identifier: Apache-2.0 */
/* d bits of a histogram, the server's side [Ding, Kulkarni & Yekhanin 2017, dBitFlipPM]: as exact as all bits with d of k buckets asked, and reports stay small. Counters: of
 * each bucket how many were asked, and how many said yes. Device: client_buckets.c. Proof: buckets.proof.md. */
#include <math.h>

#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

#define WIDTH 16 /* bits a device, unless there are fewer buckets or more are asked for */

/* Two values differ in two of all bits; who is asked for one bit shows one of them only. */
static int bits_that_differ(const dusk_client_task *task) { return task->width > 1 ? 2 : 1; }

static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    task->width = options->width ? options->width : task->domain < WIDTH ? task->domain : WIDTH;
    if (task->width > task->domain || task->width > 1024)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example a width of 16",
                         "a device answers for as many buckets as there are, at most, and 1024");
    task->p = local_keep_down(options->epsilon / bits_that_differ(task), 1);
    return DUSK_OK;
}

DUSK_PROVEN(dbitflip_epsilon)
static double dbitflip_epsilon(const dusk_client_task *task)
{
    return bits_that_differ(task) * local_log_odds_up(task->p, 1, 1);
}

static uint64_t cells(const dusk_client_task *task) { return (uint64_t)2 * task->domain; }

/* Buckets that there are, in the order in which a device can have drawn them, and no bits besides. The i-th is new: it is at most k - width + i, and that
 * only where the draw was taken; so none is there twice. */
static bool is_sound(const dusk_client_task *task, const uint8_t *report, uint32_t bytes)
{
    bool fine = !local_row_is_padded(task->width, report + (size_t)task->width * bytes);
    for (uint32_t i = 0; i < task->width; i++) {
        const uint64_t bucket = client_get(report + (size_t)i * bytes, bytes);
        fine &= bucket <= task->domain - task->width + i;
        for (uint32_t j = 0; j < i; j++) fine &= client_get(report + (size_t)j * bytes, bytes) != bucket;
    }
    return fine;
}

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = client_bytes_for(task->domain), size = dusk_report_size(task);
    uint64_t dropped = 0;
    for (size_t r = 0; r < n; r++) {
        const uint8_t *report = reports + r * size, *bits = report + (size_t)task->width * bytes;
        if (!is_sound(task, report, bytes)) {
            dropped++;
            continue;
        }
        for (uint32_t i = 0; i < task->width; i++) {
            const uint64_t bucket = client_get(report + (size_t)i * bytes, bytes);
            cell[bucket]++;
            cell[task->domain + bucket] += bits[i / 8] >> i % 8 & 1;
        }
    }
    return dropped;
}

/* What a yes and a no of a bucket that is asked for count: on average 1 for who is in it, and 0 for others. */
static double yes_of(const dusk_client_task *task)
{
    const double p = local_chance(task->p);
    return p / (2 * p - 1) * task->domain / task->width;
}
static double no_of(const dusk_client_task *task)
{
    const double p = local_chance(task->p);
    return -(1 - p) / (2 * p - 1) * task->domain / task->width;
}

/* Of the estimate, by one who is in the bucket, and by one who is not. */
static double variance_of(const dusk_client_task *task, bool inside)
{
    const double yes = inside ? local_chance(task->p) : 1 - local_chance(task->p);
    const double asked = (double)task->width / task->domain;
    const double right = inside ? 1 : 0;
    return asked * (yes * pow(yes_of(task) - right, 2) + (1 - yes) * pow(no_of(task) - right, 2)) +
           (1 - asked) * right;
}

static double variance(const dusk_client_task *task, double share)
{
    return share * variance_of(task, true) + (1 - share) * variance_of(task, false);
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    (void)err;
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        const bool known = value < task->domain;
        const double asked = known ? (double)cell[value] : 0,
                     yes = known ? (double)cell[task->domain + value] : 0;
        out[i] = yes * yes_of(task) + (asked - yes) * no_of(task);
        const double share = reports > 0 ? fmin(fmax(out[i] / (double)reports, 0), 1) : 0;
        if (deviations) deviations[i] = known ? sqrt((double)reports * variance(task, share)) : 0;
    }
    return DUSK_OK;
}

/* A liar chooses the buckets, too. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    const double asked = targets < task->width ? targets : task->width;
    *least = asked * fmin(yes_of(task), no_of(task));
    *most = asked * fmax(yes_of(task), no_of(task));
}

/* Answers on two buckets are independent where both are asked, and one of them is right on average with 0: squares add up. */
static void range(const dusk_client_task *task, uint64_t from, uint64_t to, double *inside, double *outside)
{
    const double others = (double)(to - from) * variance_of(task, false);
    *inside = variance_of(task, true) + others;
    *outside = variance_of(task, false) + others;
}

const local_protocol local_dbitflip = {
    .name = "dbitflip",
    .about = "d bits of a histogram: whether the value is in some buckets",
    .mechanism = DUSK_DBITFLIP,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = dbitflip_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .range = range,
    .supports = local_supports_bucket,
    .craft = local_craft_buckets,
};
