/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles by the exponential mechanism on ranks [Smith 2011, Algorithm 2;
 * McSherry & Talwar 2007, Theorem 6], several by recursive halving [Kaplan,
 * Schnapp & Stemmer 2022]. The score of a point is how far the rank sought lies
 * outside the ranks that the point has, from "rows below" to "rows not above":
 * so values that many rows share are found. Scores are whole numbers of 2^-32
 * ranks and points are counted, so that no exponential is ever formed and
 * nothing overflows, whatever the number of rows.
 *
 * Halving needs rows that differ: rows that share a point are spread evenly over
 * 2^32 places within it, by coins that do not look at the data. Proof:
 * quantile.proof.md. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "mechanisms/noisy_max.h"
#include "mechanisms/quantile.h"
#include "numeric/fixed_sum.h"
#include "numeric/rounding.h"
#include "random/keyed.h"
#include "random/record.h"
#include "random/rounded.h"
#include "random/sampling.h"

#define RANK ((uint64_t)1 << 32) /* one rank, in the unit of scores */

/* Everything public. Places are numbered 0 .. places - 1, in order. */
typedef struct quantile_plan {
    const dusk_aggregate *how;
    const double *q;
    size_t m;
    int grid;
    dusk_int128 first; /* the lowest grid point is first 2^grid */
    uint64_t points;
    unsigned spread;      /* 2^spread places a point: more than one when m > 1 */
    double level_epsilon; /* of one level of the recursion */
    double log_odds;      /* ln(places / chance that one choice is bad) */
    double ties;          /* more rows than this share no place, but for that chance */
    dusk_statement statement;
} quantile_plan;

/* Private: rows as places, sorted, and room for the candidates. */
typedef struct quantile_work {
    const quantile_plan *plan;
    uint64_t *places, *spare;
    size_t n;
    double *scores;
    uint64_t *weights;
    uint64_t *chosen;  /* per quantile */
    double rank_error; /* public */
    dusk_generator *gen;
} quantile_work;

/* --- plan ----------------------------------------------------------------------------- */

static dusk_status check_quantiles(const dusk_aggregate *how, const double *q, size_t m, dusk_error *err)
{
    dusk_status status = dusk_aggregate_check(how, true, err);
    if (status != DUSK_OK) return status;
    if (how->delta != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "set delta to 0", "quantiles take no delta");
    if (m < 1 || m > UINT32_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "ask for 0.5, the median", "no quantile was asked for");
    for (size_t i = 0; i < m; i++)
        if (!(q[i] > 0 && q[i] < 1) || (i > 0 && !(q[i - 1] < q[i])))
            return dusk_fail(err, DUSK_ERR_ARGUMENT, "give them in order, such as 0.25, 0.5, 0.75",
                             "quantile %zu must lie between 0 and 1, above the one before it", i);
    return DUSK_OK;
}

/* Between 2^30 and 2^31 points. */
static dusk_status place_points(quantile_plan *plan, dusk_error *err)
{
    const dusk_aggregate *how = plan->how;
    double range = how->upper - how->lower;
    plan->grid = isfinite(range) ? ilogb(range) - 30 : DUSK_GRID_MAX + 1;
    if (plan->grid < DUSK_GRID_MIN || plan->grid > DUSK_GRID_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "measure the rows in another unit",
                         "upper - lower is too small or too large for a grid");
    plan->first = (dusk_int128)ceil(ldexp(how->lower, -plan->grid));
    plan->points = (uint64_t)((dusk_int128)floor(ldexp(how->upper, -plan->grid)) - plan->first + 1);
    plan->spread = plan->m > 1 ? 32 : 0;
    return DUSK_OK;
}

static unsigned levels_of(size_t m)
{
    unsigned levels = 0;
    for (; m; m /= 2) levels++;
    return levels;
}

/* Half of the risk is for the choices and half for the spreading: at most 2^32
 * rows put k on one place with probability 2^32 / k! at most. */
static void set_odds(quantile_plan *plan)
{
    double risk = 1 - plan->how->confidence, kinds = plan->m > 1 ? 2 : 1, factorial = 1, k = 1;
    plan->log_odds = log((double)plan->points) + plan->spread * log(2) + log(kinds * (double)plan->m / risk);
    while (factorial < 0x1p33 / risk) factorial *= ++k;
    plan->ties = plan->m > 1 ? k : 0;
}

static dusk_status make_plan(quantile_plan *plan, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    unsigned levels = levels_of(plan->m);
    dusk_event event;

    DUSK_TRY(check_quantiles(plan->how, plan->q, plan->m, err));
    DUSK_TRY(place_points(plan, err));
    plan->level_epsilon = dusk_div_down(plan->how->epsilon, levels);
    set_odds(plan);
    if (plan->m == 1)
        DUSK_TRY(dusk_event_exponential(&event, plan->level_epsilon, err));
    else {
        DUSK_TRY(dusk_event_pure(&event, plan->level_epsilon, err));
        DUSK_TRY(dusk_event_repeat(&event, &event, levels, err));
    }
    DUSK_TRY(dusk_aggregate_state(&plan->statement, plan->how, true, &event, err));
done:
    return status;
}

dusk_status dusk_quantiles_state(dusk_statement *out, const dusk_aggregate *how, const double *q, size_t m,
                                 dusk_error *err)
{
    quantile_plan plan = { .how = how, .q = q, .m = m };
    dusk_status status = make_plan(&plan, err);
    if (status == DUSK_OK) *out = plan.statement;
    return status;
}

/* --- rows to places --------------------------------------------------------------------- */

static uint64_t point_of(const quantile_plan *plan, double row)
{
    double x = fmin(fmax(isnan(row) ? 0 : row, plan->how->lower), plan->how->upper);
    dusk_int128 i = dusk_noise_steps(x, plan->grid) - plan->first, last = (dusk_int128)plan->points - 1;
    return (uint64_t)(i < 0 ? 0 : i > last ? last : i);
}

static dusk_status place_rows(quantile_work *work, const double *rows, dusk_error *err)
{
    const quantile_plan *plan = work->plan;
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;
    if (plan->spread > 0) {
        DUSK_TRY(dusk_keyed_new(&coins, work->gen, err));
        DUSK_TRY(dusk_keyed_words(coins, 0, NULL, work->places, work->n, err));
    }
    for (size_t i = 0; i < work->n; i++) {
        uint64_t within = plan->spread > 0 ? work->places[i] >> (64 - plan->spread) : 0;
        work->places[i] = point_of(plan, rows[i]) << plan->spread | within;
    }
done:
    dusk_keyed_free(coins);
    return status;
}

/* Radix sort, a byte at a time: the same work for every content. */
static void sort_places(uint64_t *places, uint64_t *spare, size_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[257] = { 0 };
        for (size_t i = 0; i < n; i++) start[(places[i] >> shift & 255) + 1]++;
        for (size_t b = 0; b < 256; b++) start[b + 1] += start[b];
        for (size_t i = 0; i < n; i++) spare[start[places[i] >> shift & 255]++] = places[i];
        uint64_t *swap = places; /* eight times: back where it began */
        places = spare;
        spare = swap;
    }
}

/* --- one choice ------------------------------------------------------------------------- */

/* A quantile among the rows from..to-1 (sorted) and the places low..high. */
typedef struct part {
    size_t from, to;
    uint64_t low, high;
    uint64_t target; /* the quantile, of RANK */
} part;

/* How far the rank target n lies from [below, below + equal], as a negative
 * number. It is a whole number up to 2^53, exact as a double. */
DUSK_PROVEN(score_of)
static double score_of(uint64_t below, uint64_t equal, uint64_t above, uint64_t target)
{
    dusk_int128 rest = (dusk_int128)(RANK - target);
    dusk_int128 over = rest * below - (dusk_int128)target * (above + equal);
    dusk_int128 under = (dusk_int128)target * above - rest * (below + equal);
    dusk_int128 far = over > under ? over : under, most = (dusk_int128)1 << 53;
    return far <= 0 ? 0 : -(double)(far < most ? far : most);
}

/* Candidates: each place that holds rows, and each run of empty ones. Returns
 * how many there are, at most 2 (to - from) + 1. */
static size_t list_candidates(quantile_work *work, const part *p)
{
    size_t count = 0;
    uint64_t next = p->low; /* the lowest place not listed yet */
    for (size_t i = p->from; i < p->to;) {
        size_t end = i;
        while (end < p->to && work->places[end] == work->places[i]) end++;
        work->weights[count] = work->places[i] - next;
        work->scores[count++] = score_of(i - p->from, 0, p->to - i, p->target);
        work->weights[count] = 1;
        work->scores[count++] = score_of(i - p->from, end - i, p->to - end, p->target);
        next = work->places[i] + 1;
        i = end;
    }
    work->weights[count] = p->high + 1 - next;
    work->scores[count++] = score_of(p->to - p->from, 0, 0, p->target);
    return count;
}

/* The lowest place of candidate i, from the sum of the weights before it. */
static uint64_t start_of(const quantile_work *work, const part *p, size_t index)
{
    uint64_t place = p->low;
    for (size_t i = 0; i < index; i++) place += work->weights[i];
    return place;
}

/* In the unit of scores. One row moves a score by max(q, 1 - q) ranks at most;
 * exchanging one by 1, or by twice that when they may lie in different parts. */
static double sensitivity_up(const quantile_plan *plan, uint64_t target)
{
    double larger = (double)(target < RANK - target ? RANK - target : target);
    if (plan->how->neighbours == DUSK_REPLACE_ONE) larger = plan->m > 1 ? 2 * larger : (double)RANK;
    return dusk_mul_up(plan->how->rows_per_unit,
                       DUSK_MUTATE(QUANTILE_SENSITIVITY_HALVED, larger, larger / 2));
}

#ifdef DUSK_TESTING
/* The scores as a function of the place. */
static void record_choice(const quantile_work *work, const part *p, const dusk_noisy_scores *in,
                          uint64_t *place)
{
    dusk_record_header header = {
        .what = "rank",
        .law = DUSK_RECORD_GUMBEL,
        .norm = DUSK_RECORD_LINF,
        .sensitivity = sensitivity_up(work->plan, p->target),
        .scale = in->denominator / in->numerator,
        .epsilon = in->numerator,
        .is_step = true,
        .parameter = { { "lowest", (double)p->low },
                       { "highest", (double)p->high },
                       { "target", (double)p->target } },
    };
    dusk_record_at at = dusk_record_begin(work->gen, &header);
    uint64_t start = p->low;
    for (size_t i = 0; i < in->n; i++) {
        if (in->weights[i] > 0) dusk_record_real(at, start, in->scores[i], NULL);
        start += in->weights[i];
    }
    dusk_record_output(at, place, sizeof *place);
}
#endif

DUSK_PROVEN(choose_place)
static dusk_status choose_place(quantile_work *work, uint64_t *place, const part *p, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_noisy_scores in = { .scores = work->scores,
                             .weights = work->weights,
                             .n = list_candidates(work, p),
                             .numerator = work->plan->level_epsilon,
                             .denominator = 2 * sensitivity_up(work->plan, p->target),
                             .law = DUSK_NOISY_GUMBEL,
                             .width = DUSK_WIDTH_FULL };
    size_t index;
    uint64_t within;

    DUSK_TRY(dusk_noisy_max(&index, 1, &in, work->gen, err));
    DUSK_TRY(dusk_uniform_below(work->gen, &within, work->weights[index], err));
    *place = start_of(work, p, index) + within;
    DUSK_RECORD(record_choice(work, p, &in, place);)
done:
    return status;
}

/* With what is left of the confidence no score is below this, in ranks [McSherry
 * & Talwar 2007, Theorem 7], plus one rank for rounding the target, at up to
 * 2^32 rows, and the ties. */
static double choice_error(const quantile_plan *plan, uint64_t target)
{
    double far = 2 * sensitivity_up(plan, target) / plan->level_epsilon * plan->log_odds;
    return far < 0x1p53 ? (far / (double)RANK) * (1 + 1e-9) + 1 + plan->ties : INFINITY;
}

/* --- halving ------------------------------------------------------------------------------ */

/* The first row after `from` that lies above `place`. */
static size_t first_above(const quantile_work *work, size_t from, size_t to, uint64_t place)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (work->places[middle] > place)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* q as a share of (low, high), in the unit of ranks. */
static uint64_t target_of(double q, double low, double high)
{
    double share = rint((q - low) / (high - low) * (double)RANK);
    return (uint64_t)fmin(fmax(share, 1), (double)RANK - 1);
}

/* Find the quantiles i..j-1, which lie between the quantiles `low` and `high`
 * that bound the rows and places of p; `error` is how far those may be off. */
DUSK_PROVEN(halve)
static dusk_status halve(quantile_work *work, size_t i, size_t j, part p, double low, double high,
                         double error, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t middle = i + (j - i) / 2;
    double q;

    if (i == j) return DUSK_OK;
    q = work->plan->q[middle];
    p.target = target_of(q, low, high);
    error += choice_error(work->plan, p.target);
    work->rank_error = fmax(work->rank_error, error);
    DUSK_TRY(choose_place(work, &work->chosen[middle], &p, err));
    part left = p, right = p;
    left.to = right.from = first_above(work, p.from, p.to, work->chosen[middle]);
    left.high = right.low = work->chosen[middle];
    DUSK_TRY(halve(work, i, middle, left, low, q, error, err));
    DUSK_TRY(halve(work, middle + 1, j, right, q, high, error, err));
done:
    return status;
}

static void work_clear(quantile_work *work)
{
    if (work->places) dusk_wipe(work->places, work->n * sizeof *work->places);
    if (work->spare) dusk_wipe(work->spare, work->n * sizeof *work->spare);
    if (work->scores) dusk_wipe(work->scores, (2 * work->n + 1) * sizeof *work->scores);
    if (work->weights) dusk_wipe(work->weights, (2 * work->n + 1) * sizeof *work->weights);
    dusk_deallocate(work->places);
    dusk_deallocate(work->spare);
    dusk_deallocate(work->scores);
    dusk_deallocate(work->weights);
    dusk_deallocate(work->chosen);
}

static double value_of(const quantile_plan *plan, uint64_t place)
{
    double x = dusk_fixed_value(plan->first + (dusk_int128)(place >> plan->spread), plan->grid);
    return fmin(fmax(x, plan->how->lower), plan->how->upper);
}

DUSK_PROVEN(dusk_quantiles_release)
dusk_status dusk_quantiles_release(double *values, double *rank_error, dusk_statement *statement,
                                   const dusk_aggregate *how, const double *q, size_t m, const double *rows,
                                   size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    quantile_plan plan = { .how = how, .q = q, .m = m };
    quantile_work work = { .plan = &plan, .n = n, .gen = gen };

    DUSK_TRY(make_plan(&plan, err));
    DUSK_NEW(work.places, n);
    DUSK_NEW(work.spare, n);
    DUSK_NEW(work.scores, 2 * n + 1);
    DUSK_NEW(work.weights, 2 * n + 1);
    DUSK_NEW(work.chosen, m);
    DUSK_TRY(place_rows(&work, rows, err));
    sort_places(work.places, work.spare, n);
    part all = { .to = n, .high = (plan.points << plan.spread) - 1 };
    DUSK_TRY(halve(&work, 0, m, all, 0, 1, 0, err));
    for (size_t i = 0; i < m; i++) values[i] = value_of(&plan, work.chosen[i]);
    *rank_error = work.rank_error;
    *statement = plan.statement;
done:
    work_clear(&work);
    return status;
}
