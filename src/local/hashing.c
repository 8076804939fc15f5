/* SPDX-License-Identifier: Apache-2.0 */
/* Optimised local hashing, the server's side [Wang et al. 2017]: the variance of optimised unary encoding in a few bytes. Counters: one a category, so that every report is
 * decoded for every category. The domain must be known: to count texts that are not, take cms or hcms. Device: client_hashing.c. Proof: hashing.proof.md. */
#include <math.h>
#include <string.h>

#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

enum { WIDTH_MOST = 65536, SPARE = 16 };

/* --- plan ---------------------------------------------------------------------------------------------------------------------- */

/* How often two values of the domain hash to the same: the sum of squares of the shares of answers, of which P mod g have one more. */
static double collision(const dusk_client_task *task)
{
    const double part = task->rows / task->width, more = task->rows % task->width, g = task->width;
    return (more * (part + 1) * (part + 1) + (g - more) * part * part) / ((double)task->rows * task->rows);
}

static double truth_of(const dusk_client_task *task) { return local_chance(task->p); }
static double other_of(const dusk_client_task *task)
{
    const double same = DUSK_MUTATE(OLH_IGNORES_COLLISIONS, collision(task), 0);
    return truth_of(task) * same + local_chance(0 - task->p) * (1 - same) / (task->width - 1);
}

static double variance(const dusk_client_task *task, double share)
{
    return local_pure_variance(truth_of(task), other_of(task), share);
}

/* Answers of the hash as the least variance wants them, about e^epsilon + 1; a prime with SPARE as many, so that they are nearly as likely each. */
static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    const double ideal = fmin(exp(options->epsilon) + 1, WIDTH_MOST);
    uint64_t width = options->width ? options->width : (uint64_t)round(ideal), prime = options->rows;
    if (task->domain > LOCAL_CELLS_MOST || width < 2 || width > WIDTH_MOST)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take hadamard for a large domain",
                         "olh has at most 2^28 categories and from 2 to %d answers of the hash", WIDTH_MOST);
    if (!prime) {
        prime = task->domain > SPARE * width ? task->domain : SPARE * width;
        while (!client_is_prime((uint32_t)prime)) prime++;
    }
    while (!options->width && width > 2 && prime * prime > ((uint64_t)1 << 63) / width) width--;
    task->width = (uint32_t)width;
    task->rows = (uint32_t)prime;
    task->p = local_keep_down(options->epsilon, (double)width - 1);
    return DUSK_OK;
}

DUSK_PROVEN(olh_epsilon)
static double olh_epsilon(const dusk_client_task *task)
{
    return local_log_odds_up(task->p, task->width - 1, 1);
}

/* --- reports ------------------------------------------------------------------------------------------------------------------- */

static uint64_t cells(const dusk_client_task *task) { return task->domain; }

enum { BATCH = 512, CHUNK = 1024, PASS = 4, NARROW = 1 << 14 };

/* A report as the decoder wants it: of a value v it is for where (a v + start) mod P < length. */
typedef struct hashed {
    uint32_t a, start, length;
} hashed;

#define LANE int16_t
#define ADD_LANES narrow_lanes
#define ADD_VECTOR narrow_vector
#define ADD_NAME add_narrow
#include "local/hashing_lanes.h"

#define LANE int32_t
#define ADD_LANES wide_lanes
#define ADD_VECTOR wide_vector
#define ADD_NAME add_wide
#include "local/hashing_lanes.h"

static bool read_report(const dusk_client_task *task, hashed *out, const uint8_t *report, uint32_t bytes)
{
    const uint64_t number = client_get(report, bytes), pair = number / task->width;
    const uint64_t answer = number % task->width, a = pair / task->rows, b = pair % task->rows;
    const uint64_t low = (answer * task->rows + task->width - 1) / task->width;
    const uint64_t high = ((answer + 1) * task->rows + task->width - 1) / task->width;
    *out = (hashed){ (uint32_t)a, (uint32_t)(b >= low ? b - low : b + task->rows - low),
                     (uint32_t)(high - low) };
    return a < task->rows;
}

static void decode(const dusk_client_task *task, int64_t *cell, const hashed *report, size_t n)
{
    for (uint32_t first = 0; first < task->domain; first += CHUNK) {
        const uint32_t left = task->domain - first, values = left < CHUNK ? left : CHUNK;
        int16_t narrow[CHUNK] = { 0 };
        int32_t wide[CHUNK] = { 0 };
        if (task->rows < NARROW) {
            add_narrow(narrow, values, first, report, n, task->rows);
            for (uint32_t i = 0; i < values; i++) cell[first + i] += narrow[i];
        } else {
            add_wide(wide, values, first, report, n, task->rows);
            for (uint32_t i = 0; i < values; i++) cell[first + i] += wide[i];
        }
    }
}

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = client_hash_bytes(task);
    hashed batch[BATCH];
    uint64_t dropped = 0;
    size_t held = 0;
    for (size_t i = 0; i < n; i++) {
        if (read_report(task, &batch[held], reports + i * bytes, bytes))
            held++;
        else
            dropped++;
        if (held == BATCH || (i + 1 == n && held > 0)) {
            decode(task, cell, batch, held);
            held = 0;
        }
    }
    return dropped;
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    (void)err;
    local_pure_counts(truth_of(task), other_of(task), cell, task->domain, reports, out, deviations, values,
                      n);
    return DUSK_OK;
}

/* The hash function with a = 0 takes all of them to one answer. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    local_pure_reach(truth_of(task), other_of(task), targets, targets, least, most);
}

const local_protocol local_olh = {
    .name = "olh",
    .about = "local hashing: randomized response on a hash of the value, a fresh hash a report",
    .mechanism = DUSK_OLH,
    .question = DUSK_ASKS_COUNTS,
    .plan = plan,
    .epsilon = olh_epsilon,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_hash,
    .craft = local_craft_hash,
};
