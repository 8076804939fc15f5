/* SPDX-License-Identifier: Apache-2.0 */
/* The mean of numbers: one bit [Duchi, Jordan & Wainwright 2018; Ding, Kulkarni & Yekhanin 2017], piecewise and hybrid [Wang et al. 2019], and the square wave [Li et al. 2020],
 * whose cells are also good for a distribution (distribution.c). Counters: how many answered each cell, then how many answered 0 and 1 by one bit. So
 * every estimate is a function of counts, and its deviation is the one that answers show. Device: client_numbers.c. Proof: numbers.proof.md. */
#include <math.h>

#include "base/mutant.h"
#include "local/counting.h"

#define PLACES 2048 /* of a window: rounding to them adds less than a millionth to the variance of a number */
#define WAVES 256   /* the same where a distribution is asked for: bins of it */

static bool has_window(const dusk_client_task *task) { return task->width > 0; }
static bool has_bit(const dusk_client_task *task) { return task->q > 0; }
/* The top of one bit; the bottom is q. */
static uint64_t top_of(const dusk_client_task *task) { return has_window(task) ? 0 - task->q : task->p; }
static uint64_t window_cells(const dusk_client_task *task)
{
    return has_window(task) ? (uint64_t)task->domain + task->width - 1 : 0;
}

static uint64_t cells(const dusk_client_task *task) { return window_cells(task) + (has_bit(task) ? 2 : 0); }

/* --- plan --------------------------------------------------------------------------------------------------------------- */

static void plan_bit(dusk_client_task *task, double epsilon)
{
    const uint64_t p = local_keep_down(epsilon, 1);
    if (!has_window(task)) task->p = p;
    task->q = 0 - p;
}

/* A window whose cells are `part` of the others. */
static void plan_window(dusk_client_task *task, double epsilon, double part, uint32_t places)
{
    task->domain = places;
    task->width = (uint32_t)fmax(rint(part * (places - 1)), 1);
    task->p = local_keep_down(epsilon, nextafter((double)(places - 1) / task->width, INFINITY));
}

static dusk_status plan_onebit(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    (void)err;
    survey->task.domain = 0;
    plan_bit(&survey->task, options->epsilon);
    return DUSK_OK;
}

static dusk_status plan_piecewise(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    (void)err;
    plan_window(&survey->task, options->epsilon, exp(-options->epsilon / 2), PLACES);
    return DUSK_OK;
}

/* Below an epsilon of 0.61 one bit is better by itself; the window is there all the same, and never taken. */
static dusk_status plan_hybrid(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    (void)err;
    plan_window(&survey->task, options->epsilon, exp(-options->epsilon / 2), PLACES);
    plan_bit(&survey->task, options->epsilon);
    if (options->epsilon > 0.61) survey->task.f = (uint64_t)ldexp(-expm1(-options->epsilon / 2), 64);
    return DUSK_OK;
}

/* The window that tells most of the number [Li et al. 2020, section 5.3]; b by its series where e^epsilon - 1 - epsilon loses its digits. */
static dusk_status plan_squarewave(dusk_survey *survey, const dusk_survey_options *options, dusk_error *err)
{
    const double e = options->epsilon, rest = expm1(e) - e;
    const double b = e < 0.01 ? 0.5 - e / 6 : (e * exp(e) - expm1(e)) / (2 * exp(e) * rest);
    const uint32_t places = options->domain ? (uint32_t)options->domain : WAVES;
    if (places < 2 || places > 65536)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "for example 256", "a distribution has 2 to 65536 bins");
    plan_window(&survey->task, e, 2 * b, places);
    return DUSK_OK;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* Of one bit: both answers, between the bottom and the top; what is between them is between them. Of a window: a cell that is within for one number and not for another. Of
 * both: an answer shows which it was, and that does not depend on the number. */
DUSK_PROVEN(numbers_epsilon)
static double numbers_epsilon(const dusk_client_task *task)
{
    const dusk_uint128 all = (dusk_uint128)1 << 64;
    double most = 0;
    if (has_bit(task)) {
        const uint64_t p = top_of(task), q = task->q;
        most = larger(local_log_ratio_up(p, q), local_log_ratio_up(all - p, all - q));
    }
    if (has_window(task)) most = larger(most, local_log_odds_up(task->p, task->domain - 1, task->width));
    return most;
}

/* --- reports ------------------------------------------------------------------------------------------------------------- */

static uint64_t absorb(const dusk_client_task *task, int64_t *cell, const uint8_t *reports, size_t n)
{
    const uint32_t most = (uint32_t)cells(task);
    return local_histogram_add(cell, most, reports, client_bytes_for(most), n);
}

/* --- estimates ----------------------------------------------------------------------------------------------------------- */

/* The number in [-1, 1] that an answer stands for: on average that of who gave it. */
static double stands_for(const dusk_client_task *task, uint64_t answer)
{
    const uint64_t window = window_cells(task);
    if (answer >= window) {
        const double high = local_chance(top_of(task)), low = local_chance(task->q);
        return 2 * ((double)(answer - window) - low) / (high - low) - 1;
    }
    const double p = local_chance(task->p), others = task->domain - 1, width = task->width,
                 last = (double)window - 1;
    /* of place s the answer is p (s + (width - 1) / 2) + (1 - p) (sum of all cells - sum of the window) / others on average */
    const double slope = p - (1 - p) * width / others;
    const double start =
        p * (width - 1) / 2 + (1 - p) * (last * (last + 1) - width * (width - 1)) / 2 / others;
    return 2 * ((double)answer - start) / slope / others - 1;
}

static dusk_status mean(const dusk_client_task *task, const int64_t *cell, uint64_t reports, double *out,
                        double *deviation, dusk_error *err)
{
    const double n = (double)reports;
    double sum = 0, squares = 0;
    (void)err;
    for (uint64_t i = 0; i < cells(task); i++) sum += (double)cell[i] * stands_for(task, i);
    *out = n > 0 ? sum / n : 0;
    for (uint64_t i = 0; i < cells(task); i++)
        squares += (double)cell[i] * pow(stands_for(task, i) - *out, 2);
    *deviation = n > 1 ? sqrt(squares / (n - 1) / DUSK_MUTATE(MEAN_DEVIATION_OF_ONE, n, 1)) : INFINITY;
    return DUSK_OK;
}

/* How far what an answer stands for is from a number, squared. */
static double missed(const dusk_client_task *task, uint64_t answer, double number)
{
    const double by = stands_for(task, answer) - number;
    return by * by;
}

/* Of people who all have the number 2 share - 1: over all answers. */
static double variance(const dusk_client_task *task, double share)
{
    const uint64_t window = window_cells(task);
    const double f = !has_window(task) ? 0 : has_bit(task) ? local_chance(task->f) : 1;
    const double p = local_chance(task->p), number = 2 * share - 1;
    double sum = 0;
    if (has_bit(task)) {
        const double one =
            local_chance(task->q) + share * (local_chance(top_of(task)) - local_chance(task->q));
        sum += (1 - f) * (one * missed(task, window + 1, number) + (1 - one) * missed(task, window, number));
    }
    if (has_window(task)) {
        const double others = task->domain - 1, place = share * others, up = place - floor(place);
        for (uint64_t i = 0; i < window; i++) {
            const double at = (double)i - floor(place);
            const double within =
                (1 - up) * (at >= 0 && at < task->width) + up * (at >= 1 && at < task->width + 1.0);
            sum += f * (within * p / task->width + (1 - within) * (1 - p) / others) * missed(task, i, number);
        }
    }
    return sum;
}

/* The answers that stand for the lowest and the highest number. */
static void reach(const dusk_client_task *task, uint32_t targets, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    (void)targets;
    for (uint64_t i = 0; i < cells(task); i++) {
        *least = fmin(*least, stands_for(task, i));
        *most = fmax(*most, stands_for(task, i));
    }
}

/* The answer that stands for the highest number. It hides nowhere: who has the top gives others, too. */
static int craft(const dusk_client_task *task, const uint64_t *targets, uint32_t n, bool hides,
                 uint8_t *report, dusk_entropy *entropy)
{
    uint64_t best = 0;
    (void)targets, (void)n, (void)hides, (void)entropy;
    for (uint64_t i = 0; i < cells(task); i++)
        if (stands_for(task, i) > stands_for(task, best)) best = i;
    client_put(report, best, dusk_report_size(task));
    return DUSK_CLIENT_OK;
}

#define NUMBERS(symbol, NAME, ABOUT, WHICH, QUESTION, PLAN)                                                  \
    const local_protocol symbol = {                                                                          \
        .name = NAME,                                                                                        \
        .about = ABOUT,                                                                                      \
        .mechanism = WHICH,                                                                                  \
        .question = QUESTION,                                                                                \
        .plan = PLAN,                                                                                        \
        .epsilon = numbers_epsilon,                                                                          \
        .cells = cells,                                                                                      \
        .absorb = absorb,                                                                                    \
        .mean = mean,                                                                                        \
        .variance = variance,                                                                                \
        .reach = reach,                                                                                      \
        .craft = craft,                                                                                      \
    }

NUMBERS(local_onebit, "onebit", "one-bit mean: a bit a number", DUSK_ONEBIT, DUSK_ASKS_MEAN, plan_onebit);
NUMBERS(local_duchi, "duchi", "two-point mean: a bit a number", DUSK_DUCHI, DUSK_ASKS_MEAN, plan_onebit);
NUMBERS(local_piecewise, "piecewise", "piecewise: near the number more often than not", DUSK_PIECEWISE,
        DUSK_ASKS_MEAN, plan_piecewise);
NUMBERS(local_hybrid, "hybrid", "piecewise or one bit: the least variance of a mean", DUSK_HYBRID,
        DUSK_ASKS_MEAN, plan_hybrid);
NUMBERS(local_squarewave, "squarewave", "square wave: the distribution of numbers", DUSK_SQUAREWAVE,
        DUSK_ASKS_DISTRIBUTION, plan_squarewave);
