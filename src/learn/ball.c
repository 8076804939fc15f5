/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows are, and how far they reach. Proof: ball.proof.md. */
#include "learn/ball.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "tensor/lanes.h"

/* --- plan ------------------------------------------------------------------------------------------------- */

/* The least whole number whose square is at least a sum of two squares of whole numbers below 2^25. */
static double length_up(double a, double b)
{
    double length = floor(sqrt(a * a + b * b));
    while (length * length < a * a + b * b) length++;
    return length;
}

DUSK_PROVEN(learn_plan_ball)
dusk_status learn_plan_ball(learn_job *job, learn_ball_plan *out, double centre_share, double distance_share,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = job->features.width;
    const double bound = job->features.bound;
    learn_ball_plan plan = { .centred = centre_share > 0, .measured = distance_share > 0 };

    if (plan.centred) {
        plan.weight = job->rows > 0 ? 0 : ceil(bound / 2);
        DUSK_TRY(learn_budget_noise(&job->budget, &plan.mean, (uint32_t)(d + (plan.weight > 0)),
                                    length_up(bound, DUSK_MUTATE(BALL_COUNT_IS_FREE, plan.weight, 0)),
                                    -LEARN_BITS, centre_share, 1, err));
        learn_say(job, "the sum of all rows%s, with noise of deviation %.4g a column",
                  plan.weight > 0 ? " and their number" : "", plan.mean.deviation);
    }
    if (plan.measured) {
        if (job->budget.delta > 0)
            status = learn_budget_noise(&job->budget, &plan.distances, LEARN_BALL_BINS, 1, 0, distance_share,
                                        1, err);
        else
            status = learn_budget_counts(&job->budget, &plan.distances, 1, distance_share, err);
        if (status != DUSK_OK) goto done;
        learn_say(job,
                  "how far rows are from there, as %d counts with noise of deviation %.4g; rows farther away "
                  "than the "
                  "median count as if they were that far",
                  LEARN_BALL_BINS, plan.distances.deviation);
    }
    *out = plan;
done:
    return status;
}

/* --- the centre --------------------------------------------------------------------------------------------- */

static dusk_status add_rows(tensor_sum *sum, const learn_matrix *matrix, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    double *ones = NULL;
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_NEW(ones, block.room);
    for (size_t i = 0; i < block.room; i++) ones[i] = 1;
    while (tensor_block_advance(&block)) tensor_sum_combine(sum, &block, ones, 1, matrix->bound);
done:
    tensor_block_close(&block);
    dusk_deallocate(ones);
    return status;
}

/* The mean in whole steps, no longer than rows can be. */
static void put_centre(learn_ball *ball, const double *sums, double bound)
{
    double square = 0;
    for (size_t j = 0; j < ball->width; j++) square += sums[j] * sums[j];
    double length = sqrt(square) * LEARN_ONE / ball->count;
    double factor = LEARN_ONE / ball->count * (length > bound ? bound / length : 1);
    for (size_t j = 0; j < ball->width; j++)
        ball->centre[j] = isfinite(length) ? fmin(fmax(rint(sums[j] * factor), -bound), bound) : 0;
}

DUSK_PROVEN(find_centre)
static dusk_status find_centre(const learn_ball_plan *plan, learn_ball *ball, const learn_matrix *matrix,
                               dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = ball->width;
    tensor_sum sum = { 0 };
    double *released = NULL, weight;

    DUSK_TRY(tensor_sum_init(&sum, d + 1, err));
    DUSK_NEW(released, d + 1);
    DUSK_TRY(add_rows(&sum, matrix, err));
    (void)tensor_sum_totals(&sum);
    sum.total[d] = (dusk_int128)plan->weight * (dusk_int128)matrix->rows.rows;
    DUSK_TRY(learn_noise_release(&plan->mean, released, sum.total, gen, err));
    weight = plan->weight / LEARN_ONE;
    if (plan->weight > 0) ball->count = fmax(released[d] / weight, 1);
    put_centre(ball, released, matrix->bound);
done:
    tensor_sum_clear(&sum);
    dusk_deallocate(released);
    return status;
}

/* --- distances ------------------------------------------------------------------------------------------------ */

/* Four sums, so that the processor need not wait for one. Exact while below 2^53: a term is never negative. */
static double square_of(const double *x, size_t n)
{
    double sum[4] = { 0, 0, 0, 0 };
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t l = 0; l < 4; l++) sum[l] += x[i + l] * x[i + l];
    for (; i < n; i++) sum[0] += x[i] * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Bin b ends at this; the first has all that are nearer. */
static double bin_end(size_t b, double largest)
{
    return largest * exp2(((double)b + 1 - LEARN_BALL_BINS) / 4);
}

/* The bin of a squared distance, as a part of the largest one's square: two bins for each power of two, by the bits of the double and
 * without a branch that would follow the rows. */
static size_t bin_of(double part)
{
    uint64_t bits;
    memcpy(&bits, &part, sizeof bits);
    int64_t bin =
        LEARN_BALL_BINS + 2 * ((int64_t)(bits >> 52) - 1023) + ((bits & 0xfffffffffffff) >= 0x6a09e667f3bcd);
    bin = bin > 0 ? bin : 0;
    return (size_t)(bin < LEARN_BALL_BINS ? bin : LEARN_BALL_BINS - 1);
}

/* Where half of the rows are nearer, by noisy counts; the largest where they say nothing. */
static double median_of(const double *counts, double largest)
{
    double all = 0, nearer = 0;
    for (size_t b = 0; b < LEARN_BALL_BINS; b++) all += counts[b];
    for (size_t b = 0; b < LEARN_BALL_BINS; b++)
        if ((nearer += counts[b]) * 2 >= all && all > 0) return bin_end(b, largest);
    return largest;
}

static dusk_status count_distances(dusk_int128 *counts, const learn_ball *ball, const learn_matrix *matrix,
                                   dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const double unit = 1 / (ball->radius * ball->radius);
    tensor_block block = { 0 };
    double *squares = NULL;

    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    DUSK_NEW(squares, block.room);
    while (tensor_block_next(&block)) {
        tensor_block_distances(&block, squares, ball->centre, NULL);
        for (size_t i = 0; i < block.rows; i++) counts[bin_of(squares[i] * unit)]++;
    }
    dusk_wipe(squares, block.room * sizeof *squares);
done:
    tensor_block_close(&block);
    dusk_deallocate(squares);
    return status;
}

DUSK_PROVEN(find_radius)
static dusk_status find_radius(const learn_ball_plan *plan, learn_ball *ball, const learn_matrix *matrix,
                               bool count_too, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_int128 counts[LEARN_BALL_BINS] = { 0 };
    double released[LEARN_BALL_BINS], all = 0;

    DUSK_TRY(count_distances(counts, ball, matrix, err));
    if (plan->distances.gaussian)
        status = learn_noise_release(&plan->distances, released, counts, gen, err);
    else
        status = learn_counts_release(&plan->distances, released, counts, LEARN_BALL_BINS, gen, err);
    if (status != DUSK_OK) goto done;
    for (size_t b = 0; b < LEARN_BALL_BINS; b++) all += released[b];
    if (count_too) ball->count = fmax(all, 1);
    ball->radius = fmax(median_of(released, ball->radius), 1);
done:
    dusk_wipe(counts, sizeof counts);
    return status;
}

/* --- the ball --------------------------------------------------------------------------------------------------- */

void learn_ball_clear(learn_ball *ball)
{
    dusk_deallocate(ball->centre);
    *ball = (learn_ball){ 0 };
}

DUSK_PROVEN(learn_fit_ball)
dusk_status learn_fit_ball(const learn_job *job, const learn_ball_plan *plan, learn_ball *out,
                           const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_ball ball = { .width = matrix->rows.width, .count = job->rows > 0 ? (double)job->rows : 1 };

    *out = (learn_ball){ 0 };
    DUSK_NEW(ball.centre, ball.width);
    if (plan->centred) DUSK_TRY(find_centre(plan, &ball, matrix, gen, err));
    ball.radius = matrix->bound + ceil(sqrt(square_of(ball.centre, ball.width)));
    if (plan->measured)
        DUSK_TRY(find_radius(plan, &ball, matrix, job->rows == 0 && !plan->centred, gen, err));
    *out = ball;
    ball = (learn_ball){ 0 };
done:
    learn_ball_clear(&ball);
    return status;
}

/* Privacy needs that the length in whole steps is within the ball. Of up to 2048 columns the factor sees to it, by a bound on its rounding;
 * of more it is checked on whole numbers. */
DUSK_PROVEN(learn_ball_map)
void learn_ball_map(const learn_ball *ball, tensor_block *block)
{
    const size_t d = ball->width;
    block->changed = true;
    tensor_lanes_into_ball(tensor_lanes_level(), block->x, block->source->x + block->first * d, block->rows,
                           d, ball->centre, ball->radius,
                           DUSK_MUTATE(BALL_HAS_NO_END, ball->radius, INFINITY), LEARN_BALL);
    for (size_t i = 0; d > 2048 && i < block->rows; i++)
        while (square_of(block->x + i * d, d) > LEARN_BALL * LEARN_BALL)
            for (size_t j = 0; j < d; j++) block->x[i * d + j] = trunc(block->x[i * d + j] * (1 - 0x1p-10));
}
