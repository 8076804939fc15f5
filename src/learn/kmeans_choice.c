/* SPDX-License-Identifier: Apache-2.0 */
/* k-means begins with centres chosen by the exponential mechanism from public candidates, one after the other: each is the one with which the cost is
 * least, or nearly; then each in turn is taken away and chosen anew [after the swaps of Gupta, Ligett, McSherry, Roth & Talwar 2010]. A row can raise a cost by the square of the
 * diameter, so that this is for many rows in few groups; its noise does not grow with the number of candidates but by their logarithm.
 * Proof: kmeans_choice.proof.md. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/kmeans_start.h"

#define CANDIDATES 512.0
#define UNIT 0x1p12 /* squared steps, that costs are counted in */

/* --- plan ---------------------------------------------------------------------------------------------------- */

/* The most that a row costs: the square of twice the bound, in units. */
static double most_cost(double bound) { return floor(4 * bound * bound / UNIT); }

DUSK_PROVEN(learn_plan_choice)
dusk_status learn_plan_choice(learn_job *job, dusk_selection *out, size_t k, double share, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const bool one_way = job->budget.neighbours == DUSK_ADD_REMOVE;
    double epsilon, most = fmax(most_cost(job->features.bound), 1);
    DUSK_TRY(learn_budget_pure(&job->budget, &epsilon, true, share, 2 * k, err));
    DUSK_TRY(dusk_selection_init(out, DUSK_SELECT_EXPONENTIAL,
                                 most * DUSK_MUTATE(CHOICE_OF_ONE_ROW, job->budget.factor, 0.5), one_way,
                                 epsilon, err));
    learn_say(job, "%zu choices of a centre by its cost, of %s epsilon each", 2 * k,
              dusk_shown_up(epsilon, 3).text);
done:
    return status;
}

/* --- candidates ------------------------------------------------------------------------------------------------ */

/* A lattice over the box where it has at least three places a side, else places anywhere in it; public. */
static dusk_status make_candidates(learn_groups *out, const learn_groups *groups,
                                   const learn_features *features, const dusk_fields *fields, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = groups->width;
    size_t side = (size_t)floor(pow(CANDIDATES, 1 / (double)d) + 1e-9);
    size_t n = side >= 3 ? (size_t)(pow((double)side, (double)d) + 0.5) : (size_t)CANDIDATES;
    double *at = NULL;
    uint64_t seed = 2010;
    DUSK_NEW(at, d);
    DUSK_TRY(learn_groups_init(out, n, features, fields, err));
    for (size_t c = 0; c < n; c++) {
        size_t rest = c;
        for (size_t i = 0; i<d; i++, rest /= side> 0 ? side : 1) {
            double place =
                side >= 3 ? ((double)(rest % side) + 0.5) / (double)side : learn_points_uniform(&seed);
            at[i] = groups->low[i] + place * (groups->high[i] - groups->low[i]);
        }
        learn_groups_place(out, c, at);
    }
done:
    dusk_deallocate(at);
    return status;
}

/* --- costs ------------------------------------------------------------------------------------------------------- */

/* In units, whole: |x|^2 - 2 x c + |c|^2 is exact. */
static double unit_cost(double square, double margin, double own)
{
    return floor((own - 2 * margin + square) / UNIT);
}

/* What rows cost with the centres so far and each of the candidates. */
DUSK_PROVEN(add_costs)
static void add_costs(tensor_sum *sum, const learn_groups *candidates, const learn_groups *chosen,
                      const tensor_block *block, double *margins, double *costs)
{
    const size_t n = candidates->k, k = chosen->k, d = chosen->width;
    const double most = fmax(most_cost(chosen->bound), 1);
    double *centre_margins = margins + block->room * n;
    tensor_block_multiply(block, margins, candidates->centre, n);
    if (k > 0) tensor_block_multiply(block, centre_margins, chosen->centre, k);
    for (size_t i = 0; i < block->rows; i++) {
        double own = 0, least = most;
        for (size_t a = 0; a < d; a++) own += block->x[i * d + a] * block->x[i * d + a];
        for (size_t j = 0; j < k; j++)
            least = fmin(least, unit_cost(chosen->square[j], centre_margins[i * k + j], own));
        for (size_t c = 0; c < n; c++)
            costs[c] = fmin(least, unit_cost(candidates->square[c], margins[i * n + c], own));
        tensor_sum_add(sum, 0, costs, n, most);
    }
}

/* Whole numbers up to 2^53. */
static void score(double *scores, const dusk_int128 *totals, size_t n)
{
    const dusk_int128 most = (dusk_int128)1 << 53;
    for (size_t c = 0; c < n; c++) scores[c] = -(double)(totals[c] < most ? totals[c] : most);
}

static dusk_status choose(const dusk_selection *choice, learn_groups *groups, const learn_groups *candidates,
                          const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t n = candidates->k, k = groups->k, d = groups->width;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *margins = NULL, *costs = NULL, *scores = NULL;
    size_t chosen, room = 0;

    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    room = block.room;
    DUSK_NEW(margins, room * (n + k));
    DUSK_NEW(costs, n);
    DUSK_NEW(scores, n);
    DUSK_TRY(tensor_sum_init(&sum, n, err));
    for (size_t step = 0; step < 2 * k; step++) {
        groups->k = step < k ? step : k - 1;
        if (step >= k) /* one leaves, in turn: the last takes its place */
            learn_groups_place(groups, step - k, groups->centre + (k - 1) * d);
        tensor_sum_reset(&sum);
        while (tensor_block_next(&block)) add_costs(&sum, candidates, groups, &block, margins, costs);
        score(scores, tensor_sum_totals(&sum), n);
        DUSK_TRY(dusk_selection_release(choice, &chosen, scores, n, gen, err));
        learn_groups_place(groups, groups->k, candidates->centre + chosen * d);
    }
done:
    groups->k = k;
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    if (margins) dusk_wipe(margins, room * (n + k) * sizeof *margins);
    if (costs) dusk_wipe(costs, n * sizeof *costs);
    if (scores) dusk_wipe(scores, n * sizeof *scores);
    dusk_deallocate(margins);
    dusk_deallocate(costs);
    dusk_deallocate(scores);
    return status;
}

DUSK_PROVEN(learn_start_choice)
dusk_status learn_start_choice(learn_groups *groups, const dusk_selection *choice,
                               const learn_features *features, const dusk_fields *fields,
                               const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = groups->width;
    learn_groups candidates = { .k = 0 };
    double square = 0;

    DUSK_TRY(make_candidates(&candidates, groups, features, fields, err));
    DUSK_TRY(choose(choice, groups, &candidates, matrix, gen, err));
    for (size_t i = 0; i < d; i++) square += pow(groups->high[i] - groups->low[i] + 1, 2) / 12;
    for (size_t j = 0; j < groups->k; j++) { /* as if groups shared the box */
        groups->spread[j] = sqrt(square) / pow((double)groups->k, 1 / (double)d);
        learn_groups_reach(groups, j, 2 * groups->spread[j]);
    }
done:
    learn_groups_clear(&candidates);
    return status;
}
