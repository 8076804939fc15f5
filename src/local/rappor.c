/* SPDX-License-Identifier: Apache-2.0 */
/* RAPPOR, the server's side [Erlingsson, Pihur & Korolova 2014]. Counters: of every cohort how many reports have each bit of the filter, and after them how many reports there were.
 * Estimates here are of one value at a time, from the bits that it sets; a list of all candidates at once does better: decode.c. Device: client_rappor.c.
 * Proof: rappor.proof.md. */
#include <math.h>
#include <mpfr.h>

#include "base/mutant.h"
#include "local/attacks.h"
#include "local/counting.h"

#define COHORTS 1024 /* the more there are, the less do values share all their bits */
#define WIDTH 128
#define HASHES 2

/* --- fractions ----------------------------------------------------------------------------------------------------------- */

/* 2^129 times the probability that a bit of the filter that is 1 (0) is reported as 1: (2^65 - f) q + f p, and with p and q exchanged. Exactly, at 192 bits. */
static void reported(const dusk_client_task *task, bool set, mpfr_t out)
{
    mpfr_t x;
    mpfr_init2(x, 192);
    mpfr_set_ui_2exp(x, 1, 65, MPFR_RNDN);
    mpfr_sub_ui(x, x, task->f, MPFR_RNDN);
    mpfr_mul_ui(out, x, set ? task->q : task->p, MPFR_RNDN);
    mpfr_set_ui(x, task->f, MPFR_RNDN);
    mpfr_mul_ui(x, x, set ? task->p : task->q, MPFR_RNDN);
    mpfr_add(out, out, x, MPFR_RNDN);
    mpfr_clear(x);
}

double local_rappor_chance(const dusk_client_task *task, bool set)
{
    mpfr_t x;
    mpfr_init2(x, 192);
    reported(task, set, x);
    mpfr_div_2ui(x, x, 129, MPFR_RNDN);
    const double chance = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return chance;
}

/* At least |ln(a / b)|. */
static double log_ratio_up(mpfr_t a, mpfr_t b)
{
    mpfr_t x;
    mpfr_init2(x, 192);
    const bool larger = mpfr_cmp(a, b) >= 0;
    mpfr_div(x, larger ? a : b, larger ? b : a, MPFR_RNDU);
    mpfr_log(x, x, MPFR_RNDU);
    const double up = mpfr_get_d(x, MPFR_RNDU);
    mpfr_clear(x);
    return up;
}

/* Two values differ in `hashes` bits that only the one sets, and as many of the other; each has its ratio for a 1 or for a 0, whichever is worse. */
DUSK_PROVEN(rappor_epsilon)
static double rappor_epsilon(const dusk_client_task *task)
{
    mpfr_t one, zero, not_one, not_zero;
    mpfr_inits2(192, one, zero, not_one, not_zero, (mpfr_ptr)0);
    reported(task, true, one);
    reported(task, false, zero);
    mpfr_set_ui_2exp(not_one, 1, 129, MPFR_RNDN);
    mpfr_sub(not_zero, not_one, zero, MPFR_RNDN);
    mpfr_sub(not_one, not_one, one, MPFR_RNDN);
    const double yes = log_ratio_up(one, zero), no = log_ratio_up(not_one, not_zero);
    mpfr_clears(one, zero, not_one, not_zero, (mpfr_ptr)0);
    return nextafter(task->hashes * nextafter(yes + no, INFINITY), INFINITY);
}

/* The same of the permanent response: a bit stays with 1 - f / 2. */
DUSK_PROVEN(rappor_permanent)
static double rappor_permanent(const dusk_client_task *task)
{
    if (task->f == 0) return INFINITY;
    const double one = local_log_ratio_up(((dusk_uint128)1 << 65) - task->f, task->f);
    return nextafter(2 * task->hashes * one, INFINITY);
}

/* --- plan ---------------------------------------------------------------------------------------------------------------- */

/* p = 1 - q, so that 1 - q* = p* and one report has 2 hashes ln(q* / (1 - q*)), q* = (1 - f/2) q + f/2 (1 - q): f is what the permanent epsilon asks for, and q what remains. */
static dusk_status plan(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    dusk_client_task *task = &survey->task;
    task->rows = options->rows ? options->rows : COHORTS;
    task->width = options->width ? options->width : WIDTH;
    task->hashes = options->hashes ? options->hashes : HASHES;
    const double permanent = options->permanent > 0 ? options->permanent : 2 * options->epsilon;
    const double bits = 2.0 * task->hashes;
    if (!(permanent > options->epsilon))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example twice that of one report",
                         "the epsilon of all reports must be above that of one");
    if (task->width < 2 || task->width > 65536 || task->hashes > 16)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 128 bits and 2 hash functions",
                         "a filter has 2 to 65536 bits, and 1 to 16 hash functions");
    const uint64_t stays = local_keep_down(permanent / bits, 1); /* 1 - f / 2, rounded down */
    task->f = stays > UINT64_MAX / 2 + 1 ? (0 - stays) * 2 : UINT64_MAX;
    const double kept = local_chance(local_keep_down(options->epsilon / bits, 1)),
                 half = local_chance(task->f) / 2;
    const double q = fmin((kept - half) / (1 - 2 * half) * (1 - 0x1p-50), 1 - 0x1p-53);
    task->q = (uint64_t)ldexp(q, 64);
    task->p = 0 - task->q;
    return DUSK_OK;
}

/* --- reports -------------------------------------------------------------------------------------------------------------- */

static uint64_t table(const dusk_client_task *task) { return (uint64_t)task->rows * task->width; }
static uint64_t cells(const dusk_client_task *task) { return table(task) + task->rows; }

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t bytes = client_bytes_for(task->rows), size = dusk_report_size(task);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *report = reports + i * size;
        const uint64_t cohort = client_get(report, bytes);
        if (cohort >= task->rows || local_row_is_padded(task->width, report + bytes)) {
            dropped++;
            continue;
        }
        local_columns_add(cell + cohort * task->width, task->width, report + bytes, size, 1);
        cell[table(task) + cohort]++;
    }
    return dropped;
}

/* --- estimates ------------------------------------------------------------------------------------------------------------- */

/* The chance that a value sets a bit that it has nothing to do with. */
static double chance_of_bit(const dusk_client_task *task)
{
    return -expm1(task->hashes * log1p(-1.0 / task->width));
}

/* Of one report: noise of `hashes` bits, and bits that others set. */
static double variance(const dusk_client_task *task, double share)
{
    const double one = local_rappor_chance(task, true), zero = local_rappor_chance(task, false),
                 gain = one - zero;
    const double c = chance_of_bit(task);
    const double own = one * (1 - one) / (gain * gain) / task->hashes;
    const double set = zero + c * gain; /* of a bit of the value, by who does not have it */
    const double other = set * (1 - set) / (gain * gain) / task->hashes;
    return (share * own + (1 - share) * other) / ((1 - c) * (1 - c));
}

static dusk_status counts(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                          double *deviations, const uint64_t *values, size_t n, dusk_error *err)
{
    const double one = local_rappor_chance(task, true), zero = local_rappor_chance(task, false);
    const double all = (double)reports, c = chance_of_bit(task);
    (void)err;
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = values ? values[i] : i;
        double set = 0;
        for (uint32_t j = 0; j < task->rows; j++)
            for (uint32_t h = 0; h < task->hashes; h++) {
                const uint32_t bit = client_place(task->seed, j * task->hashes + h, value, task->width);
                set += (double)cell[(uint64_t)j * task->width + bit] - (double)cell[table(task) + j] * zero;
            }
        out[i] = (set / task->hashes / (one - zero) - c * all) / (1 - c);
        const double own = fmin(fmax(out[i], 0), all), share = all > 0 ? own / all : 0;
        /* others share its bits by their hash functions, which are the same for all reports: at the most as if they all had one value */
        const double shared = (all - own) * (all - own) * c * (1 - c) / task->hashes / task->rows;
        if (deviations) deviations[i] = sqrt(all * variance(task, share) + shared / ((1 - c) * (1 - c)));
    }
    return DUSK_OK;
}

/* All bits of a filter can be set, or none. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    const double one = local_rappor_chance(task, true), zero = local_rappor_chance(task, false),
                 gain = one - zero;
    const double c = chance_of_bit(task), yes = (1 - zero) / gain, no = -zero / gain;
    *least = targets * (fmin(yes, no) - c) / (1 - c);
    *most = targets * (fmax(yes, no) - c) / (1 - c);
}

const local_protocol local_rappor = {
    .name = "rappor",
    .about = "RAPPOR: texts, reported again and again",
    .mechanism = DUSK_RAPPOR,
    .question = DUSK_ASKS_COUNTS,
    .hashed = true,
    .plan = plan,
    .epsilon = rappor_epsilon,
    .permanent = rappor_permanent,
    .cells = cells,
    .absorb = absorb,
    .counts = counts,
    .variance = variance,
    .reach = reach,
    .supports = local_supports_filter,
    .craft = local_craft_row,
};
