/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows by group, about known centres [Su, Cao, Li, Bertino & Jin 2016 for private Lloyd; offsets instead of rows and a
 * radius a group are ours]. Proof: groups.proof.md. */
#include "learn/groups.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/noise.h"

/* --- plan ---------------------------------------------------------------------------------------------------- */

/* Noise of a count is divided by weight / SIZE. With offsets of half a radius the error of a mean, d (1 + a^2) +
 * (1 + a^2) / (4 a^2), is least near a^2 = 1 / (2 sqrt(d)). */
static double count_weight(size_t width) { return floor(LEARN_GROUP_SIZE * sqrt(0.5 / sqrt((double)width))); }

DUSK_PROVEN(learn_plan_groups)
dusk_status learn_plan_groups(learn_job *job, learn_group_noise *out, double share, uint64_t times,
                              dusk_error *err)
{
    const double size = LEARN_GROUP_SIZE, weight = count_weight(job->features.width);
    const double steps = ceil(sqrt(size * size * 1.25 + weight * weight) * (1 + 0x1p-50));
    out->weight = weight;
    return learn_budget_noise(&job->budget, &out->noise, (uint32_t)job->features.width + 2,
                              DUSK_MUTATE(GROUPS_COUNT_IS_FREE, steps, size), 0, share, times, err);
}

/* --- groups -------------------------------------------------------------------------------------------------- */

/* What a column may be, in steps. */
static void find_box(learn_groups *out, const learn_features *features, const dusk_fields *fields)
{
    for (size_t i = 0; i < features->width; i++) {
        const learn_feature *f = &features->feature[i];
        double low = 0, high = 1;
        if (f->column != DUSK_NO_LINK && f->code < 0) {
            const dusk_field *field = &fields->field[f->column];
            low = fmin((field->lower - f->centre) * f->factor, (field->upper - f->centre) * f->factor);
            high = fmax((field->lower - f->centre) * f->factor, (field->upper - f->centre) * f->factor);
        }
        out->low[i] = fmax(ceil(fmax(low, -LEARN_NORM_MOST) * LEARN_ONE - 1), -features->bound);
        out->high[i] = fmin(floor(fmin(high, LEARN_NORM_MOST) * LEARN_ONE + 1), features->bound);
        if (!(out->low[i] <= 0)) out->low[i] = 0; /* rows may be scaled down */
        if (!(out->high[i] >= 0)) out->high[i] = 0;
    }
}

dusk_status learn_groups_init(learn_groups *out, size_t k, const learn_features *features,
                              const dusk_fields *fields, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_groups groups = { .k = k, .width = features->width, .bound = features->bound };
    *out = (learn_groups){ .k = 0 };
    DUSK_NEW(groups.centre, k * groups.width);
    DUSK_NEW(groups.square, k);
    DUSK_NEW(groups.scale, k);
    DUSK_NEW(groups.reach, k);
    DUSK_NEW(groups.count, k);
    DUSK_NEW(groups.spread, k);
    DUSK_NEW(groups.low, groups.width);
    DUSK_NEW(groups.high, groups.width);
    find_box(&groups, features, fields);
    for (size_t j = 0; j < k; j++) learn_groups_reach(&groups, j, 2 * groups.bound);
    *out = groups;
    groups = (learn_groups){ .k = 0 };
done:
    learn_groups_clear(&groups);
    return status;
}

void learn_groups_clear(learn_groups *groups)
{
    dusk_deallocate(groups->centre);
    dusk_deallocate(groups->square);
    dusk_deallocate(groups->scale);
    dusk_deallocate(groups->reach);
    dusk_deallocate(groups->count);
    dusk_deallocate(groups->spread);
    dusk_deallocate(groups->low);
    dusk_deallocate(groups->high);
    *groups = (learn_groups){ .k = 0 };
}

static double square_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

/* Whole steps in the box, no longer than the bound: squares of whole numbers of at most 2^21, exact up to 2^53. */
DUSK_PROVEN(learn_groups_place)
void learn_groups_place(learn_groups *groups, size_t j, const double *at)
{
    double *centre = groups->centre + j * groups->width, square;
    for (size_t i = 0; i < groups->width; i++) {
        double x = isfinite(at[i]) ? rint(at[i]) : 0;
        centre[i] = fmin(fmax(x, groups->low[i]), groups->high[i]);
    }
    while ((square = square_of(centre, groups->width)) > groups->bound * groups->bound) {
        double factor = groups->bound / sqrt(square) * (1 - 0x1p-40);
        for (size_t i = 0; i < groups->width; i++) centre[i] = trunc(centre[i] * factor);
    }
    groups->square[j] = square;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

/* |x - c|^2 is least where |c|^2 - 2 x c is: whole numbers of at most 2^44. */
DUSK_PROVEN(learn_groups_nearest)
void learn_groups_nearest(const learn_groups *groups, const tensor_block *block, double *margins,
                          int32_t *which)
{
    const size_t k = groups->k;
    tensor_block_multiply(block, margins, groups->centre, k);
    for (size_t i = 0; i < block->rows; i++) {
        const double *margin = margins + i * k;
        double least = groups->square[0] - 2 * margin[0];
        which[i] = 0;
        for (size_t j = 1; j < k; j++) {
            double here = groups->square[j] - 2 * margin[j];
            which[i] = here < least ? (int32_t)j : which[i];
            least = here < least ? here : least;
        }
    }
}

/* The scale is a whole number by which offsets within reach are multiplied, so that SIZE is the most they can be. */
DUSK_PROVEN(learn_groups_reach)
void learn_groups_reach(learn_groups *groups, size_t j, double radius)
{
    radius = radius >= 1 ? fmin(radius, 2 * groups->bound) : 1; /* NaN is 1 */
    groups->scale[j] = fmax(floor(LEARN_GROUP_SIZE / radius), 1);
    groups->reach[j] = floor(LEARN_GROUP_SIZE / groups->scale[j]);
}

/* A group has [rows within reach | how many those are | how many rows | squares | offsets from beyond the radius, in steps of SIZE]: the
 * sum of offsets within reach is that of the rows less so many times the centre. */
static size_t stride(const learn_groups *groups) { return 2 * groups->width + 3; }

dusk_status learn_groups_sum(const learn_groups *groups, tensor_sum *out, dusk_error *err)
{
    return tensor_sum_init(out, groups->k * stride(groups), err);
}

/* An offset from beyond the radius: pulled in to it, in steps of SIZE; how long it then is is checked. */
DUSK_PROVEN(pull_in)
static double pull_in(double *v, size_t width, double square, double size)
{
    double factor = size / sqrt(square), now;
    for (size_t i = 0; i < width; i++) v[i] = trunc(v[i] * factor);
    while ((now = square_of(v, width)) > size * size)
        for (size_t i = 0; i < width; i++) v[i] = trunc(v[i] * (1 - 0x1p-20));
    return now;
}

/* A row beyond the radius: its offset goes to cells of its own. Returns the square of what it is pulled in to. */
static double add_far(const learn_groups *groups, tensor_sum *sum, size_t j, const double *x, double square,
                      double *v)
{
    const size_t d = groups->width;
    for (size_t c = 0; c < d; c++) v[c] = x[c] - groups->centre[j * d + c];
    square = pull_in(v, d, square, LEARN_GROUP_SIZE);
    tensor_sum_add(sum, j * stride(groups) + d + 3, v, d, LEARN_GROUP_SIZE);
    return square;
}

DUSK_PROVEN(learn_groups_add)
void learn_groups_add(const learn_groups *groups, tensor_sum *sum, const tensor_block *block, int32_t *which,
                      double *scratch)
{
    const size_t d = groups->width, n = block->rows, all = stride(groups);
    const double size = LEARN_GROUP_SIZE, endless = DUSK_MUTATE(GROUPS_HAVE_NO_RADIUS, 1, INFINITY);
    double *square = scratch, *tally = square + n, *v = tally + 3 * n;
    tensor_block_distances(block, square, groups->centre, which);
    for (size_t i = 0; i < n; i++) {
        const size_t j = (size_t)which[i];
        const double scale = groups->scale[j], reach = groups->reach[j];
        const bool near = square[i] <= reach * reach * endless;
        square[i] =
            near ? square[i] * (scale * scale) : add_far(groups, sum, j, block->x + i * d, square[i], v);
        tally[3 * i] = near;
        tally[3 * i + 1] = 1;
        tally[3 * i + 2] = (double)(int64_t)(square[i] * (0.5 / size));
    }
    tensor_sum_scatter(sum, d, all, tally, n, 3, which, size);
    for (size_t i = 0; i < n; i++) which[i] = tally[3 * i] > 0 ? which[i] : -1;
    tensor_sum_scatter(sum, 0, all, block->x, n, d, which, size);
}

/* --- releases ------------------------------------------------------------------------------------------------- */

/* The totals of one group as they are released. */
static void totals_of(dusk_int128 *out, const learn_groups *groups, const learn_group_noise *noise, size_t j,
                      const dusk_int128 *sums)
{
    const size_t d = groups->width;
    const dusk_int128 *own = sums + j * stride(groups), scale = (dusk_int128)groups->scale[j];
    const double *centre = groups->centre + j * d;
    for (size_t i = 0; i < d; i++)
        out[i] = (own[i] - own[d] * (dusk_int128)centre[i]) * scale + own[d + 3 + i];
    out[d] = own[d + 1] * (dusk_int128)noise->weight;
    out[d + 1] = own[d + 2];
}

/* Groups are apart, so each has its own noise: K-norm noise of few coordinates, or Gaussian noise all at once. */
static dusk_status release_totals(const learn_groups *groups, const learn_noise *noise, double *out,
                                  const dusk_int128 *totals, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t each = groups->width + 2;
    if (noise->gaussian)
        return dusk_noise_release_totals(&noise->gauss, out, totals, groups->k * each, gen, err);
    for (size_t j = 0; j < groups->k; j++)
        DUSK_TRY(learn_noise_release(noise, out + j * each, totals + j * each, gen, err));
done:
    return status;
}

DUSK_PROVEN(learn_groups_release)
dusk_status learn_groups_release(const learn_groups *groups, const learn_group_noise *noise, tensor_sum *sum,
                                 double *out, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = groups->width, each = d + 2;
    const dusk_int128 *sums = tensor_sum_totals(sum);
    dusk_int128 *totals = NULL;

    DUSK_NEW(totals, groups->k * each);
    for (size_t j = 0; j < groups->k; j++) totals_of(totals + j * each, groups, noise, j, sums);
    DUSK_TRY(release_totals(groups, &noise->noise, out, totals, gen, err));
    for (size_t j = 0; j < groups->k; j++) {
        double *own = out + j * each, scale = groups->scale[j];
        for (size_t i = 0; i < d; i++) own[i] /= scale;
        own[d] /= noise->weight;
        own[d + 1] *= 2 * LEARN_GROUP_SIZE / (scale * scale);
    }
done:
    if (totals) dusk_wipe(totals, groups->k * each * sizeof *totals);
    dusk_deallocate(totals);
    return status;
}

/* --- what was released ------------------------------------------------------------------------------------------ */

/* A mean moves by as much as is not explained by noise (the positive part of James and Stein); a group that is lost in noise
 * stays where it is. */
static void move_one(learn_groups *groups, const learn_group_noise *noise, size_t j, double *own)
{
    const size_t d = groups->width;
    double *centre = groups->centre + j * d, scale = groups->scale[j], count = own[d];
    double doubt = noise->noise.deviation / noise->weight;
    if (!(count > fmax(2 * doubt, 1))) {
        groups->count[j] = fmax(count, 0);
        return;
    }
    double shift = square_of(own, d) / (count * count), slip = noise->noise.deviation / scale / count;
    double part = shift > 0 ? fmax(1 - (double)d * slip * slip / shift, 0) : 0;
    double length = part * sqrt(shift), most = groups->reach[j], square = own[d + 1] / count - shift * part;
    if (length > most) part *= most / length;
    for (size_t i = 0; i < d; i++) own[i] = centre[i] + part * own[i] / count;
    learn_groups_place(groups, j, own);
    groups->count[j] = count;
    if (square > 0) groups->spread[j] = sqrt(square);
}

void learn_groups_move(learn_groups *groups, const learn_group_noise *noise, double *released)
{
    for (size_t j = 0; j < groups->k; j++) move_one(groups, noise, j, released + j * (groups->width + 2));
    for (size_t j = 0; j < groups->k; j++)
        if (groups->spread[j] > 0) learn_groups_reach(groups, j, LEARN_GROUP_RADIUS * groups->spread[j]);
}

dusk_status learn_groups_round(learn_groups *groups, const learn_group_noise *noise,
                               const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *margins = NULL, *scratch = NULL, *released = NULL;
    int32_t *which = NULL;
    size_t room = 0;

    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    room = block.room;
    DUSK_TRY(learn_groups_sum(groups, &sum, err));
    DUSK_NEW(margins, room * groups->k);
    DUSK_NEW(which, room);
    DUSK_NEW(scratch, LEARN_GROUP_SCRATCH(room, groups->width));
    DUSK_NEW(released, groups->k * (groups->width + 2));
    while (tensor_block_next(&block)) {
        learn_groups_nearest(groups, &block, margins, which);
        learn_groups_add(groups, &sum, &block, which, scratch);
    }
    DUSK_TRY(learn_groups_release(groups, noise, &sum, released, gen, err));
    learn_groups_move(groups, noise, released);
done:
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    if (margins) dusk_wipe(margins, room * groups->k * sizeof *margins);
    if (which) dusk_wipe(which, room * sizeof *which);
    if (scratch) dusk_wipe(scratch, LEARN_GROUP_SCRATCH(room, groups->width) * sizeof *scratch);
    dusk_deallocate(margins);
    dusk_deallocate(which);
    dusk_deallocate(scratch);
    dusk_deallocate(released);
    return status;
}
