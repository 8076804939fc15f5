/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles by smooth sensitivity. A row that comes, goes or changes moves every
 * rank by at most one, and so a window of j rows about the quantile becomes part of
 * one of j + 1: that is all the proof needs, for both relations [Nissim,
 * Raskhodnikova & Smith 2007, Proposition 3.4, is about replacing a row where n is
 * known]. The largest weighted window is found by their divide and conquer in
 * O(n log n). Proof: smooth_quantile.proof.md. */
#include "mechanisms/smooth_quantile.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/smooth_sensitivity.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

#define RANK ((uint64_t)1 << 32)
#define FADED 300 /* windows that reach further than FADED / beta count for nothing */

void dusk_smooth_options_init(dusk_smooth_options *options)
{
    *options = (dusk_smooth_options){ .size = sizeof *options, .law = DUSK_SMOOTH_CAUCHY, .degrees = 2 };
}

/* --- ranks ---------------------------------------------------------------------------- */

size_t dusk_rank_of(uint64_t target, size_t n)
{
    return (size_t)(((dusk_uint128)target * n + RANK - 1) >> 32);
}

uint64_t dusk_rank_target(double q)
{
    return (uint64_t)fmin(fmax(rint(q * (double)RANK), 1), (double)RANK - 1);
}

double dusk_ordered_row(const dusk_ordered *x, int64_t i)
{
    return i < 1 ? x->lower : (uint64_t)i > x->n ? x->upper : x->rows[i - 1];
}

/* Doubles and unsigned numbers in the same order. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double row_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Radix sort, a byte at a time. */
static void sort_rows(double *rows, uint64_t *spare, size_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[257] = { 0 };
        for (size_t i = 0; i < n; i++) start[(key_of(rows[i]) >> shift & 255) + 1]++;
        for (size_t b = 0; b < 256; b++) start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++) spare[start[key_of(rows[i]) >> shift & 255]++] = key_of(rows[i]);
        for (size_t i = 0; i < n; i++) rows[i] = row_of(spare[i]);
    }
}

dusk_status dusk_ordered_new(dusk_ordered *out, const double *rows, size_t n, double lower, double upper,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double *sorted = NULL;
    uint64_t *spare = NULL;

    *out = (dusk_ordered){ .n = 0 };
    DUSK_NEW(sorted, n);
    DUSK_NEW(spare, n);
    for (size_t i = 0; i < n; i++) sorted[i] = fmin(fmax(isnan(rows[i]) ? 0 : rows[i], lower), upper);
    sort_rows(sorted, spare, n);
    *out = (dusk_ordered){ sorted, n, lower, upper };
    sorted = NULL;
done:
    if (spare) dusk_wipe(spare, n * sizeof *spare);
    dusk_deallocate(spare);
    dusk_deallocate(sorted); /* without rows: failed before they were looked at */
    return status;
}

void dusk_ordered_clear(dusk_ordered *x)
{
    double *rows = (double *)(uintptr_t)x->rows;
    if (rows) dusk_wipe(rows, x->n * sizeof *rows);
    dusk_deallocate(rows);
    *x = (dusk_ordered){ .n = 0 };
}

/* --- the largest window ------------------------------------------------------------------ */

/* Ends of windows are rows first + s m: a window of k + 1 places s holds (k + 1) m rows. */
typedef struct search {
    const dusk_ordered *x;
    int64_t first, m;
    double beta;
    double most;
} search;

static double window(const search *s, int64_t i, int64_t j)
{
    double length = dusk_ordered_row(s->x, s->first + j * s->m) - dusk_ordered_row(s->x, s->first + i * s->m);
    return j > i ? length * exp(-s->beta * (double)(j - i - 1)) : 0;
}

/* The best right end does not move left when the left end moves right. */
DUSK_PROVEN(search_windows)
static void search_windows(search *s, int64_t i_from, int64_t i_to, int64_t j_from, int64_t j_to)
{
    if (i_from > i_to) return;
    int64_t i = i_from + (i_to - i_from) / 2, best = j_from;
    double most = -1;
    for (int64_t j = j_from; j <= j_to; j++) {
        double w = window(s, i, j);
        if (w > most) {
            most = w;
            best = j;
        }
    }
    s->most = fmax(s->most, most);
    search_windows(s, i_from, i - 1, j_from, best);
    search_windows(s, i + 1, i_to, best, j_to);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

DUSK_PROVEN(dusk_ordered_smooth)
double dusk_ordered_smooth(const dusk_ordered *x, size_t r, uint32_t m, double beta)
{
    search s = { .x = x, .m = m, .beta = beta };
    int64_t rank = (int64_t)r, last = (int64_t)x->n + 1;
    int64_t reach = FADED / beta < 0x1p62 ? (int64_t)(FADED / beta) + 1 : INT64_MAX / 2;
    if (m >= last) return (x->upper - x->lower) * (1 + 0x1p-32); /* one unit may hold all rows */
    for (s.first = 0; s.first < s.m; s.first++) {
        int64_t below = floor_div(rank - s.first, s.m); /* the last end not above the rank */
        int64_t above = below + ((rank - s.first) % s.m != 0);
        int64_t from = floor_div(-s.first, s.m), to = -floor_div(s.first - last, s.m);
        if (below - from > reach) from = below - reach;
        if (to - above > reach) to = above + reach;
        search_windows(&s, from, below, DUSK_MUTATE(SMOOTH_WINDOW_FROM_ONE_END, above, to), to);
    }
    return s.most * (1 + 0x1p-32);
}

/* --- the release -------------------------------------------------------------------------- */

/* Everything public. */
typedef struct smooth_plan {
    const dusk_aggregate *how;
    uint64_t target;
    dusk_smooth smooth;
    bool paid;            /* for an interval: */
    dusk_noise log_noise; /* on ln S */
    double log_half_width;
    double multiple; /* of S */
    dusk_statement statement;
} smooth_plan;

static dusk_status check_options(const dusk_smooth_options *options, double q, dusk_error *err)
{
    if (options->size != sizeof *options)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "call dusk_smooth_options_init first",
                         "the dusk_smooth_options were not initialised");
    if (!(q > 0 && q < 1))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for 0.5, the median",
                         "the quantile must lie between 0 and 1");
    if (!(options->interval_epsilon >= 0 && isfinite(options->interval_epsilon)))
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "use 0 for no interval",
                         "interval_epsilon must be finite and not below 0");
    return DUSK_OK;
}

/* ln S moves by at most beta, and by what rounding it adds. */
static dusk_status plan_interval(smooth_plan *plan, const dusk_smooth_options *options, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double risk = dusk_sub_down(1, plan->how->confidence) / 2;
    plan->paid = options->interval_epsilon > 0;
    if (!plan->paid) return DUSK_OK;
    DUSK_TRY(dusk_laplace_init(&plan->log_noise, 1, dusk_add_up(plan->smooth.beta, 0x1p-40),
                               options->interval_epsilon, DUSK_GRID_DEFAULT, err));
    DUSK_TRY(dusk_noise_interval(&plan->log_noise, &plan->log_half_width, dusk_sub_up(1, risk), err));
    DUSK_TRY(dusk_smooth_interval(&plan->smooth, &plan->multiple, dusk_sub_up(1, risk), err));
done:
    return status;
}

/* Grid, noise and statement. Answers have 40 digits of the range. */
static dusk_status make_plan(smooth_plan *plan, const dusk_smooth_options *options, double q, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_aggregate *how = plan->how;
    dusk_event event, extra;

    DUSK_TRY(dusk_aggregate_check(how, true, err));
    DUSK_TRY(check_options(options, q, err));
    if (!isfinite(how->upper - how->lower))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the rows in another unit",
                           "upper - lower is too large for a grid"));
    plan->target = dusk_rank_target(q);
    DUSK_TRY(dusk_smooth_init(&plan->smooth, options->law, options->degrees, options->beta, how->epsilon,
                              how->delta, ilogb(how->upper - how->lower) - 40, err));
    DUSK_TRY(plan_interval(plan, options, err));
    DUSK_TRY(dusk_smooth_event(&plan->smooth, &event, err));
    if (plan->paid) {
        DUSK_TRY(dusk_noise_event(&plan->log_noise, &extra, err));
        DUSK_TRY(dusk_event_add(&event, &event, &extra, err));
    }
    DUSK_TRY(dusk_aggregate_state(&plan->statement, how, true, &event, err));
done:
    return status;
}

/* Without a paid interval the bounds are all that is known. */
static dusk_status bound_answer(const smooth_plan *plan, dusk_answer *answer, double sensitivity,
                                dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double lower = plan->how->lower, upper = plan->how->upper, log_sensitivity;
    dusk_range range = { lower, upper };

    if (plan->paid) {
        DUSK_TRY(dusk_noise_release(&plan->log_noise, &log_sensitivity, dusk_log_up(sensitivity), gen, err));
        double most = dusk_exp_up(dusk_add_up(log_sensitivity, plan->log_half_width));
        double half_width = dusk_add_up(dusk_mul_up(plan->multiple, most), ldexp(1, plan->smooth.grid));
        range =
            dusk_range_clamp(dusk_range_about(answer->value, half_width, plan->smooth.grid), lower, upper);
    }
    answer->low = range.low;
    answer->high = range.high;
done:
    return status;
}

DUSK_PROVEN(dusk_smooth_quantile_release)
dusk_status dusk_smooth_quantile_release(dusk_answer *out, const dusk_aggregate *how,
                                         const dusk_smooth_options *options, double q, const double *rows,
                                         size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    smooth_plan plan = { .how = how };
    dusk_ordered x = { .n = 0 };
    double sensitivity;
    dusk_int128 steps;
    dusk_answer answer;
    size_t r;

    DUSK_TRY(make_plan(&plan, options, q, err));
    DUSK_TRY(dusk_ordered_new(&x, rows, n, how->lower, how->upper, err));
    r = dusk_rank_of(plan.target, n);
    sensitivity =
        fmax(dusk_ordered_smooth(&x, r, how->rows_per_unit, dusk_smooth_inner_beta(plan.smooth.beta)),
             plan.smooth.least);
    DUSK_TRY(dusk_smooth_release_steps(&plan.smooth, &steps, dusk_ordered_row(&x, (int64_t)r), sensitivity,
                                       DUSK_WIDTH_FULL, gen, err));
    answer =
        (dusk_answer){ .value = fmin(fmax(dusk_fixed_value(steps, plan.smooth.grid), how->lower), how->upper),
                       .confidence = how->confidence,
                       .statement = plan.statement };
    DUSK_TRY(bound_answer(&plan, &answer, sensitivity, gen, err));
    *out = answer;
done:
    dusk_ordered_clear(&x);
    return status;
}
