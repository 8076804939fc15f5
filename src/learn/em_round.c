/* SPDX-License-Identifier: Apache-2.0 */
/* A round of EM, released. Proof: em_round.proof.md. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "learn/mixture.h"
#include "learn/shares.h"

#define RADIUS 2.5 /* times the spread */

/* --- plan -------------------------------------------------------------------------------------------------------- */

size_t learn_mixture_numbers(size_t width, bool full)
{
    return 1 + width + (full ? width * (width + 1) / 2 : width);
}

DUSK_PROVEN(learn_plan_mixture)
dusk_status learn_plan_mixture(learn_job *job, learn_mixture_noise *out, size_t k, bool full, double share,
                               uint64_t times, dusk_error *err)
{
    const size_t d = job->features.width;
    const double size = LEARN_MIXTURE_SIZE, weight = floor(size * sqrt(0.5 / sqrt((double)d)));
    const double one = ceil(sqrt(size * size * 1.25 + weight * weight) * (1 + 0x1p-50));
    out->weight = weight;
    return learn_budget_noise(&job->budget, &out->noise, (uint32_t)(k * learn_mixture_numbers(d, full)),
                              one * DUSK_MUTATE(EM_ROWS_HAVE_ONE_PART, LEARN_PARTS, 1), 0, share, times, err);
}

/* --- components --------------------------------------------------------------------------------------------------- */

dusk_status learn_mixture_init(learn_mixture *out, size_t k, bool full, const learn_features *features,
                               const dusk_fields *fields, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_mixture m = { .full = full };
    const size_t d = features->width;
    DUSK_TRY(learn_groups_init(&m.groups, k, features, fields, err));
    DUSK_NEW(m.weight, k);
    DUSK_NEW(m.covariance, k * d * d);
    DUSK_NEW(m.root, k * d * d);
    DUSK_NEW(m.constant, k);
    DUSK_NEW(m.scratch, d);
    *out = m;
    m = (learn_mixture){ .full = full };
done:
    learn_mixture_clear(&m);
    return status;
}

void learn_mixture_clear(learn_mixture *m)
{
    learn_groups_clear(&m->groups);
    dusk_deallocate(m->weight);
    dusk_deallocate(m->covariance);
    dusk_deallocate(m->root);
    dusk_deallocate(m->constant);
    dusk_deallocate(m->scratch);
    *m = (learn_mixture){ .full = m->full };
}

/* Variances are at least (8 steps)^2 and a fiftieth of the component's average. */
static double least_variance(const double *covariance, size_t d)
{
    double trace = 0;
    for (size_t i = 0; i < d; i++) trace += fmax(covariance[i * d + i], 0);
    return fmax(64, 0.02 * trace / (double)d);
}

static void settle_diagonal(learn_mixture *m, size_t j)
{
    const size_t d = m->groups.width;
    double *c = m->covariance + j * d * d, *root = m->root + j * d * d, least = least_variance(c, d);
    for (size_t i = 0; i < d * d; i++) {
        bool diagonal = i / d == i % d;
        c[i] = diagonal ? fmax(c[i], least) : 0;
        root[i] = diagonal ? 1 / sqrt(c[i]) : 0;
        if (diagonal) m->constant[j] += log(root[i]);
    }
}

/* By eigenvectors: C = sum of v v^T times at least the least; A = v^T / sqrt(value). */
static void settle_full(learn_mixture *m, size_t j)
{
    const size_t d = m->groups.width;
    double *c = m->covariance + j * d * d, *root = m->root + j * d * d, least = least_variance(c, d);
    double *value = m->scratch;
    memcpy(root, c, d * d * sizeof *root);
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', (int)d, root, (int)d, value) != 0) {
        settle_diagonal(m, j); /* of what was released */
        return;
    }
    for (size_t e = 0; e < d; e++) value[e] = fmax(value[e], least);
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double sum = 0;
            for (size_t e = 0; e < d; e++) sum += root[a * d + e] * root[b * d + e] * value[e];
            c[a * d + b] = sum;
        }
    for (size_t a = 0; a < d; a++) /* transposed: a row for each eigenvector */
        for (size_t e = a + 1; e < d; e++) {
            double swapped = root[a * d + e];
            root[a * d + e] = root[e * d + a];
            root[e * d + a] = swapped;
        }
    for (size_t e = 0; e < d; e++) {
        for (size_t a = 0; a < d; a++) root[e * d + a] /= sqrt(value[e]);
        m->constant[j] -= log(value[e]) / 2;
    }
}

void learn_mixture_settle(learn_mixture *m)
{
    const size_t d = m->groups.width;
    double total = 0;
    for (size_t j = 0; j < m->groups.k; j++) total += m->weight[j] = m->weight[j] > 0 ? m->weight[j] : 1e-6;
    for (size_t j = 0; j < m->groups.k; j++) {
        m->weight[j] *= (1 - LEARN_BACKGROUND) / total;
        m->constant[j] = log(m->weight[j]) - (double)d / 2 * log(2 * M_PI);
        if (m->full)
            settle_full(m, j);
        else
            settle_diagonal(m, j);
        double trace = 0;
        for (size_t i = 0; i < d; i++) trace += m->covariance[j * d * d + i * d + i];
        m->groups.spread[j] = sqrt(trace);
        learn_groups_reach(&m->groups, j, RADIUS * m->groups.spread[j]);
    }
}

void learn_mixture_begin(learn_mixture *m)
{
    const size_t d = m->groups.width;
    for (size_t j = 0; j < m->groups.k; j++) {
        double spread = m->groups.spread[j] > 0 ? m->groups.spread[j] : m->groups.bound;
        m->weight[j] = fmax(m->groups.count[j], 1);
        for (size_t i = 0; i < d; i++) m->covariance[j * d * d + i * d + i] = spread * spread / (double)d;
    }
    learn_mixture_settle(m);
}

/* --- densities ----------------------------------------------------------------------------------------------------- */

/* log of weight times density of component j at x. */
static double log_part(const learn_mixture *m, const double *x, size_t j)
{
    const size_t d = m->groups.width;
    const double *c = m->groups.centre + j * d, *root = m->root + j * d * d;
    double square = 0;
    for (size_t a = 0; a < d; a++) {
        double y = 0;
        if (m->full)
            for (size_t b = 0; b < d; b++) y += root[a * d + b] * (x[b] - c[b]);
        else
            y = root[a * d + a] * (x[a] - c[a]);
        square += y * y;
    }
    return m->constant[j] - square / 2;
}

static double log_box(const learn_groups *g)
{
    double sum = 0;
    for (size_t i = 0; i < g->width; i++) sum += log(g->high[i] - g->low[i] + 1);
    return sum;
}

double learn_mixture_log(const learn_mixture *m, const double *x, double units)
{
    double most = log(LEARN_BACKGROUND) - log_box(&m->groups), sum = 1;
    for (size_t j = 0; j < m->groups.k; j++) {
        double here = log_part(m, x, j);
        sum = here > most ? sum * exp(most - here) + 1 : sum + exp(here - most);
        most = fmax(here, most);
    }
    return most + log(sum) + units;
}

/* --- rows ------------------------------------------------------------------------------------------------------------ */

/* How many of LEARN_PARTS each component gets of a row; what is left is the background's. */
DUSK_PROVEN(share_row)
static void share_row(const learn_mixture *m, const double *x, double background, double *part)
{
    for (size_t j = 0; j < m->groups.k; j++) part[j] = log_part(m, x, j);
    learn_share_out(part, m->groups.k, background);
}

/* Whole numbers that are at most SIZE long: the offset times a whole number, or pulled in to the radius. */
DUSK_PROVEN(offset_of)
static void offset_of(double *u, const learn_mixture *m, const double *x, size_t j)
{
    const size_t d = m->groups.width;
    const double size = LEARN_MIXTURE_SIZE, *c = m->groups.centre + j * d;
    double square = 0, factor = fmax(floor(size / m->groups.reach[j]), 1), now;
    for (size_t i = 0; i < d; i++) square += (x[i] - c[i]) * (x[i] - c[i]);
    if (!(factor * factor * square <= size * size)) factor = size / sqrt(square);
    for (size_t i = 0; i < d; i++) u[i] = trunc((x[i] - c[i]) * factor);
    do {
        now = 0;
        for (size_t i = 0; i < d; i++) now += u[i] * u[i];
        for (size_t i = 0; i < d && now > size * size; i++) u[i] = trunc(u[i] * (1 - 0x1p-20));
    } while (now > size * size);
}

/* What a row adds to component j: part times (weight, u, u u^T / 2 SIZE). */
DUSK_PROVEN(add_row)
static void add_row(tensor_sum *sum, const learn_mixture *m, const learn_mixture_noise *noise,
                    const double *u, double part, size_t j, double *numbers)
{
    const size_t d = m->groups.width, each = learn_mixture_numbers(d, m->full);
    double *at = numbers;
    *at++ = part * noise->weight;
    for (size_t i = 0; i < d; i++) *at++ = part * u[i];
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < (m->full ? d : a + 1); b++)
            *at++ = part * trunc(u[a] * u[b] / (2 * LEARN_MIXTURE_SIZE));
    tensor_sum_add(sum, j * each, numbers, each, LEARN_PARTS * LEARN_MIXTURE_SIZE);
}

static void add_block(tensor_sum *sum, const learn_mixture *m, const learn_mixture_noise *noise,
                      const tensor_block *block, double *part, double *u, double *numbers)
{
    const size_t d = m->groups.width;
    const double background = log(LEARN_BACKGROUND) - log_box(&m->groups);
    for (size_t i = 0; i < block->rows; i++) {
        const double *x = block->x + i * d;
        share_row(m, x, background, part);
        for (size_t j = 0; j < m->groups.k; j++) {
            if (part[j] == 0) continue;
            offset_of(u, m, x, j);
            add_row(sum, m, noise, u, part[j], j, numbers);
        }
    }
}

/* --- what was released -------------------------------------------------------------------------------------------------- */

/* How much of what was known before stays, when what is measured has this deviation: before, it was known to about a half. */
static double stays(double before, double deviation)
{
    double square = deviation * deviation, known = before * before / 4;
    return square + known > 0 ? square / (square + known) : 1;
}

/* Covariance j about a centre that moves by `part` of the mean offset; measured moments and those of before, by what they are worth. */
static void move_covariance(learn_mixture *m, size_t j, const double *mean, double part, const double *second,
                            double unit, double deviation)
{
    const size_t d = m->groups.width;
    double *c = m->covariance + j * d * d, average = 0;
    for (size_t a = 0; a < d; a++) average += c[a * d + a] / (double)d;
    double old = stays(average, deviation);
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < (m->full ? d : a + 1); b++) {
            double value = *second++ * unit - (2 * part - part * part) * mean[a] * mean[b];
            value = (1 - old) * value + old * c[a * d + b];
            c[a * d + b] = c[b * d + a] = a == b ? fmax(value, 0.05 * average) : value;
        }
}

/* Component j from its numbers; one that is lost in noise stays. */
static void move(learn_mixture *m, const learn_mixture_noise *noise, size_t j, double *own)
{
    const size_t d = m->groups.width;
    const double parts = LEARN_PARTS, size = LEARN_MIXTURE_SIZE;
    const double deviation = noise->noise.deviation / parts, doubt = deviation / noise->weight;
    double scale = fmax(floor(size / m->groups.reach[j]), 1), count = own[0] / parts / noise->weight;
    double before = fmax(m->groups.count[j], 1), old = stays(before, doubt), shift = 0, *mean = own + 1;
    count = fmax((1 - old) * count + old * before, 0);
    m->weight[j] = m->groups.count[j] = count;
    if (!(count > fmax(2 * doubt, 1))) return;
    for (size_t i = 0; i < d; i++) {
        mean[i] = mean[i] / parts / scale / count;
        shift += mean[i] * mean[i];
    }
    double slip = deviation / scale / count, unit = 2 * size / (scale * scale) / count;
    double part = shift > 0 ? fmax(1 - (double)d * slip * slip / shift, 0) : 0;
    part *= fmin(1, m->groups.reach[j] / fmax(part * sqrt(shift), 1e-9));
    move_covariance(m, j, mean, part, mean + d, unit / parts, deviation * unit);
    for (size_t i = 0; i < d; i++) mean[i] = m->groups.centre[j * d + i] + part * mean[i];
    learn_groups_place(&m->groups, j, mean);
}

DUSK_PROVEN(learn_mixture_round)
dusk_status learn_mixture_round(learn_mixture *m, const learn_mixture_noise *noise,
                                const learn_matrix *matrix, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t d = m->groups.width, each = learn_mixture_numbers(d, m->full), k = m->groups.k;
    tensor_block block = { 0 };
    tensor_sum sum = { 0 };
    double *part = NULL, *u = NULL, *numbers = NULL, *released = NULL;

    DUSK_NEW(part, k);
    DUSK_NEW(u, d);
    DUSK_NEW(numbers, each);
    DUSK_NEW(released, k * each);
    DUSK_TRY(tensor_sum_init(&sum, k * each, err));
    DUSK_TRY(tensor_block_open(&block, &matrix->rows, err));
    while (tensor_block_next(&block)) add_block(&sum, m, noise, &block, part, u, numbers);
    DUSK_TRY(learn_noise_release(&noise->noise, released, tensor_sum_totals(&sum), gen, err));
    for (size_t j = 0; j < k; j++) move(m, noise, j, released + j * each);
    learn_mixture_settle(m);
done:
    tensor_block_close(&block);
    tensor_sum_clear(&sum);
    if (part) dusk_wipe(part, k * sizeof *part);
    if (u) dusk_wipe(u, d * sizeof *u);
    if (numbers) dusk_wipe(numbers, each * sizeof *numbers);
    dusk_deallocate(part);
    dusk_deallocate(u);
    dusk_deallocate(numbers);
    dusk_deallocate(released);
    return status;
}
