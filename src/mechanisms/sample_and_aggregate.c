/* SPDX-License-Identifier: Apache-2.0 */
/* Sample-and-aggregate [Nissim, Raskhodnikova & Smith 2007, section 4; GUPT: Mohan,
 * Thakurta, Shi, Song & Culler 2012; Dwork & Roth 2014, section 7.3]. Whatever the
 * relation between tables is, the values of the blocks are compared by replacing: their
 * number is public, and one unit, there or not, changes one of them. So the aggregate is
 * made for replace-one neighbours, over blocks, and its promise holds for the relation of
 * the tables. It holds for every way to put units into blocks that looks at one unit at a
 * time; that it is random is for the sake of accuracy. Proof: sample_and_aggregate.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/text.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "numeric/rounding.h"
#include "random/keyed.h"
#include "random/rounded.h"

#define BLOCKS_MAX ((uint32_t)1 << 24)
enum { CHUNK = 512 }; /* rows at a time */

/* Everything public. */
typedef struct blocks_plan {
    const dusk_aggregate *how;
    dusk_blocks_aggregate aggregate;
    uint32_t blocks;
    bool named;          /* units are */
    uint32_t touched;    /* at most how many blocks one unit changes */
    dusk_aggregate over; /* the request over blocks */
    dusk_centre centre;  /* of the mean: */
    dusk_noise noise;
    double half_width;
    dusk_statement statement;
} blocks_plan;

/* --- plan ------------------------------------------------------------------------------- */

static dusk_status check_request(const blocks_plan *plan, dusk_error *err)
{
    dusk_status status = dusk_aggregate_check(plan->how, true, err);
    if (status != DUSK_OK) return status;
    if (plan->aggregate < DUSK_BLOCKS_MEAN || plan->aggregate > DUSK_BLOCKS_SMOOTH_MEDIAN)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "choose DUSK_BLOCKS_MEAN or one of the medians",
                         "there is no such aggregate of blocks");
    if (plan->blocks < 1 || plan->blocks > BLOCKS_MAX)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "about the square root of the number of rows is usual",
                         "the number of blocks must lie between 1 and 2^24");
    if (plan->aggregate == DUSK_BLOCKS_MEDIAN && plan->how->delta != 0)
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "set delta to 0",
                         "the exponential mechanism takes no delta");
    return DUSK_OK;
}

/* Values are in [lower, upper], and `touched` of them may change from end to end. */
static dusk_status plan_mean(blocks_plan *plan, dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double touched = DUSK_MUTATE(BLOCKS_UNIT_IN_ONE_BLOCK, plan->touched, 1);
    plan->centre = dusk_centre_of(&plan->over);
    DUSK_TRY(dusk_aggregate_sum_noise(&plan->noise, &plan->over, 1,
                                      dusk_mul_up(2 * touched, plan->centre.reach), plan->centre.reach, err));
    DUSK_TRY(dusk_aggregate_interval(&plan->half_width, &plan->over, 1, &plan->noise, err));
    DUSK_TRY(dusk_aggregate_event(event, &plan->noise, 1, err));
done:
    return status;
}

static void choose_law(const blocks_plan *plan, dusk_smooth_options *options)
{
    dusk_smooth_options_init(options);
    if (plan->how->delta > 0) options->law = DUSK_SMOOTH_LAPLACE;
}

/* The medians check their request and state their event on no values at all. */
static dusk_status plan_median(blocks_plan *plan, dusk_event *event, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_smooth_options options;
    const double half = 0.5;
    double value, rank_error;
    dusk_statement statement;
    dusk_answer answer;

    if (plan->aggregate == DUSK_BLOCKS_MEDIAN) {
        DUSK_TRY(dusk_quantiles_release(&value, &rank_error, &statement, &plan->over, &half, 1, NULL, 0, gen,
                                        err));
        *event = statement.event;
    } else {
        choose_law(plan, &options);
        DUSK_TRY(dusk_smooth_quantile_release(&answer, &plan->over, &options, half, NULL, 0, gen, err));
        *event = answer.statement.event;
    }
done:
    return status;
}

static dusk_status state(blocks_plan *plan, const dusk_event *event, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_aggregate *how = plan->how;
    char fact[200];
    dusk_text text;
    DUSK_TRY(dusk_statement_init(&plan->statement, event, how->delta, how->neighbours, how->unit, err));
    dusk_text_init(&text, fact, sizeof fact);
    dusk_text_add(&text, "values of %u blocks clamped to ", plan->blocks);
    dusk_text_number(&text, how->lower);
    dusk_text_add(&text, ":");
    dusk_text_number(&text, how->upper);
    DUSK_TRY(dusk_statement_assume(&plan->statement, fact, err));
    dusk_text_init(&text, fact, sizeof fact);
    if (plan->named)
        dusk_text_add(&text, "rows name their unit");
    else
        dusk_text_add(&text, "at most %u row%s a unit", how->rows_per_unit,
                      how->rows_per_unit == 1 ? "" : "s");
    DUSK_TRY(dusk_statement_assume(&plan->statement, fact, err));
done:
    return status;
}

static dusk_status make_plan(blocks_plan *plan, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_event event;

    DUSK_TRY(check_request(plan, err));
    /* a unit that takes the place of another may have another name, hence another block */
    uint32_t named = plan->how->neighbours == DUSK_REPLACE_ONE ? 2 : 1;
    plan->touched = plan->named ? named : plan->how->rows_per_unit;
    if (plan->touched > plan->blocks) plan->touched = plan->blocks;
    plan->over = *plan->how;
    plan->over.neighbours = DUSK_MUTATE(BLOCKS_ADD_REMOVE, DUSK_REPLACE_ONE, DUSK_ADD_REMOVE);
    plan->over.rows_per_unit = plan->touched;
    if (plan->aggregate == DUSK_BLOCKS_MEAN)
        DUSK_TRY(plan_mean(plan, &event, err));
    else
        DUSK_TRY(plan_median(plan, &event, gen, err));
    DUSK_TRY(state(plan, &event, err));
done:
    return status;
}

/* --- blocks ------------------------------------------------------------------------------- */

/* Rows sorted by block: those of block b are order[start[b]] .. order[start[b+1] - 1]. */
typedef struct partition {
    uint32_t *block; /* of each row */
    size_t *start, *order;
    size_t n;
} partition;

static void partition_clear(partition *p)
{
    if (p->block) dusk_wipe(p->block, p->n * sizeof *p->block);
    if (p->order) dusk_wipe(p->order, p->n * sizeof *p->order);
    dusk_deallocate(p->block);
    dusk_deallocate(p->start);
    dusk_deallocate(p->order);
}

/* A unit's name alone, under a key that nobody knows, decides its block; rows without names
 * count as units by their number. */
DUSK_PROVEN(assign_blocks)
static dusk_status assign_blocks(partition *p, const uint64_t *units, uint32_t blocks, dusk_generator *gen,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_keyed_coins *coins = NULL;
    uint64_t numbers[CHUNK], block[CHUNK];

    if (DUSK_MUTATE(REPLAY_BLOCKS_BY_ROW, false, true)) units = NULL;
    DUSK_TRY(dusk_keyed_new(&coins, gen, err));
    for (size_t at = 0; at < p->n; at += CHUNK) {
        size_t m = p->n - at < CHUNK ? p->n - at : CHUNK;
        for (size_t i = 0; i < m && !units; i++) numbers[i] = at + i;
        DUSK_TRY(dusk_keyed_below(coins, 0, units ? units + at : numbers, block, m, blocks, err));
        for (size_t i = 0; i < m; i++)
            p->block[at + i] =
                (uint32_t)DUSK_MUTATE(BLOCKS_BY_POSITION, block[i], (block[i] + p->n) % blocks);
    }
done:
    dusk_wipe(block, sizeof block);
    dusk_keyed_free(coins);
    return status;
}

static dusk_status make_partition(partition *p, size_t n, const uint64_t *units, uint32_t blocks,
                                  dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;

    *p = (partition){ .n = n };
    DUSK_NEW(p->block, n);
    DUSK_NEW(p->order, n);
    DUSK_NEW(p->start, (size_t)blocks + 2);
    DUSK_TRY(assign_blocks(p, units, blocks, gen, err));
    for (size_t i = 0; i < n; i++) p->start[p->block[i] + 2]++;
    for (uint32_t b = 0; b < blocks; b++) p->start[b + 2] += p->start[b + 1];
    for (size_t i = 0; i < n; i++) p->order[p->start[p->block[i] + 1]++] = i;
done:
    return status;
}

/* --- the release --------------------------------------------------------------------------- */

static double total_value(const dusk_aggregate *how, double x)
{
    if (isnan(x)) return how->lower / 2 + how->upper / 2;
    return fmin(fmax(x, how->lower), how->upper);
}

/* The sum about the middle, over the number of blocks, which is public. */
static dusk_status release_mean(const blocks_plan *plan, dusk_answer *answer, const double *values,
                                dusk_generator *gen, dusk_error *err)
{
    const dusk_centre *centre = &plan->centre;
    double sum, blocks = plan->blocks, lost = ldexp(1, plan->noise.grid) + centre->reach * 0x1p-51;
    dusk_int128 exact = dusk_centre_sum(centre, values, plan->blocks, plan->noise.grid);
    dusk_status status = dusk_noise_release_steps(&plan->noise, &sum, exact, DUSK_WIDTH_FULL, gen, err);
    if (status != DUSK_OK) return status;
    dusk_range total = dusk_range_about(sum, plan->half_width, plan->noise.grid);
    dusk_range mean = dusk_range_ratio(total, (dusk_range){ blocks, blocks });
    mean.low = dusk_add_down(centre->middle, dusk_sub_down(mean.low, lost));
    mean.high = dusk_add_up(centre->middle, dusk_add_up(mean.high, lost));
    mean = dusk_range_clamp(mean, centre->lower, centre->upper);
    answer->value = fmin(fmax(centre->middle + sum / blocks, centre->lower), centre->upper);
    answer->low = mean.low;
    answer->high = mean.high;
    return DUSK_OK;
}

static dusk_status release_median(const blocks_plan *plan, dusk_answer *answer, const double *values,
                                  dusk_generator *gen, dusk_error *err)
{
    const double half = 0.5;
    double rank_error;
    dusk_statement statement;
    dusk_smooth_options options;
    answer->low = plan->how->lower;
    answer->high = plan->how->upper;
    if (plan->aggregate == DUSK_BLOCKS_MEDIAN)
        return dusk_quantiles_release(&answer->value, &rank_error, &statement, &plan->over, &half, 1, values,
                                      plan->blocks, gen, err);
    choose_law(plan, &options);
    return dusk_smooth_quantile_release(answer, &plan->over, &options, half, values, plan->blocks, gen, err);
}

DUSK_PROVEN(dusk_sample_and_aggregate_release)
dusk_status dusk_sample_and_aggregate_release(dusk_answer *out, const dusk_aggregate *how,
                                              dusk_blocks_aggregate aggregate, uint32_t blocks, size_t rows,
                                              const uint64_t *units, dusk_block_function *function,
                                              void *context, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    blocks_plan plan = { .how = how, .aggregate = aggregate, .blocks = blocks, .named = units != NULL };
    partition p = { 0 };
    double *values = NULL;
    dusk_answer answer;

    DUSK_TRY(make_plan(&plan, gen, err));
    DUSK_NEW(values, blocks);
    DUSK_TRY(make_partition(&p, rows, units, blocks, gen, err));
    for (uint32_t b = 0; b < blocks; b++)
        values[b] = total_value(how, function(p.order + p.start[b], p.start[b + 1] - p.start[b], context));
    if (aggregate == DUSK_BLOCKS_MEAN)
        DUSK_TRY(release_mean(&plan, &answer, values, gen, err));
    else
        DUSK_TRY(release_median(&plan, &answer, values, gen, err));
    answer.confidence = how->confidence;
    answer.statement = plan.statement;
    *out = answer;
done:
    if (values) dusk_wipe(values, blocks * sizeof *values);
    dusk_deallocate(values);
    partition_clear(&p);
    return status;
}
