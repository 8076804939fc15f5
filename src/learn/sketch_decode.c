/* SPDX-License-Identifier: Apache-2.0 */
/* Round heaps of rows from a sketch, after CLOMPR [Keriven, Bourrier, Gribonval & Perez 2018] and its sketched mixtures [Keriven, Tremblay,
 * Traonmilin & Gribonval 2017]: the heap that explains most of what is left is found among public places and refined, then all
 * are refined in turn; in the end the least of them is given up for a new one as long as that helps. A heap of `weight` rows about c with variance q has
 * the sketch weight exp(-q |w|^2 / 2) (cos, sin)(w c). Seen from its own phase the weight and the variance are all of the real part, the
 * place all of the imaginary part: two small least squares problems. Everything here is released; work is bounded by public numbers. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "learn/points.h"
#include "learn/sketch.h"

#define WORK_MOST 8e9 /* operations, about */
#define PLACES 2048.0
#define PICTURES 0x1p22 /* numbers of the pictures of all places, at most */
enum { LEVELS = 4, ALONE = 10, TOGETHER = 2, MISSES = 4, PASSES = 40 };

typedef struct decoder {
    const learn_sketch *s;
    const double *sums;
    size_t n, room; /* heaps */
    double *weight, *variance, *centre;
    double *best_weight, *best_variance, *best_centre;
    double *rest;                     /* 2 waves: what heaps do not explain */
    double *phase, *real, *imaginary; /* waves: of the heap at hand; a wave's phase and its cos and sin */
    double *size;                     /* waves: exp(-q |w|^2 / 2) */
    double *lever, *square, *step;    /* waves * width, width^2, width */
    double *place, *picture, *score;  /* places * width; places * 2 waves; places * LEVELS */
    double *filtered;                 /* LEVELS * 2 waves */
    size_t places;
    double least, most; /* variance */
    double work;
} decoder;

/* --- heaps --------------------------------------------------------------------------------------------------- */

/* The picture of a heap of weight 1. */
static void draw(decoder *d, const double *centre, double variance)
{
    const learn_sketch *s = d->s;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)s->waves, (int)s->width, 1, s->turn, (int)s->width, centre,
                1, 0, d->phase, 1);
    for (size_t w = 0; w < s->waves; w++) {
        d->real[w] = cos(d->phase[w]);
        d->imaginary[w] = sin(d->phase[w]);
        d->size[w] = exp(-variance * s->square[w] / 2);
    }
    d->work += (double)s->waves * ((double)s->width + 60);
}

/* rest += part times the heap that was drawn. */
static void add(decoder *d, double part)
{
    for (size_t w = 0; w < d->s->waves; w++) {
        d->rest[2 * w] += part * d->size[w] * d->real[w];
        d->rest[2 * w + 1] += part * d->size[w] * d->imaginary[w];
    }
}

/* What would be left of `rest` without `weight` times the heap that was drawn: the sum of squares. */
static double error_with(const decoder *d, double weight)
{
    double sum = 0;
    for (size_t w = 0; w < d->s->waves; w++) {
        double a = d->rest[2 * w] - weight * d->size[w] * d->real[w];
        double b = d->rest[2 * w + 1] - weight * d->size[w] * d->imaginary[w];
        sum += a * a + b * b;
    }
    return sum;
}

/* The step of the place, in d->step; false: there is none. */
static bool find_step(decoder *d, double weight)
{
    const learn_sketch *s = d->s;
    const size_t n = s->width;
    double trace = 0;
    memset(d->step, 0, n * sizeof *d->step);
    for (size_t w = 0; w < s->waves; w++) {
        double part = weight * d->size[w];
        double across = d->rest[2 * w + 1] * d->real[w] - d->rest[2 * w] * d->imaginary[w];
        for (size_t i = 0; i < n; i++) {
            d->lever[w * n + i] = part * s->turn[w * n + i];
            d->step[i] += across * d->lever[w * n + i];
        }
    }
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)n, (int)s->waves, 1, d->lever, (int)n, 0,
                d->square, (int)n);
    for (size_t i = 0; i < n; i++) trace += d->square[i * n + i];
    for (size_t i = 0; i < n; i++) d->square[i * n + i] += 1e-3 * trace / (double)n;
    d->work += (double)s->waves * (double)(n * n);
    return trace > 0 && LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (int)n, 1, d->square, (int)n, d->step, 1) == 0;
}

/* By how much the variance should change, and the weight that is best as it is. */
static double find_shape(const decoder *d, double *weight)
{
    const learn_sketch *s = d->s;
    double along = 0, own = 0, aa = 0, ab = 0, bb = 0, ga = 0, gb = 0;
    for (size_t w = 0; w < s->waves; w++) {
        double here = d->rest[2 * w] * d->real[w] + d->rest[2 * w + 1] * d->imaginary[w];
        along += here * d->size[w];
        own += d->size[w] * d->size[w];
    }
    *weight = own > 0 ? fmax(along / own, 0) : 0;
    for (size_t w = 0; w < s->waves; w++) {
        double here = d->rest[2 * w] * d->real[w] + d->rest[2 * w + 1] * d->imaginary[w];
        double a = d->size[w], b = -*weight * d->size[w] * s->square[w] / 2, left = here - *weight * a;
        aa += a * a, ab += a * b, bb += b * b, ga += a * left, gb += b * left;
    }
    double determinant = aa * bb - ab * ab;
    return determinant > 1e-12 * aa * bb ? (aa * gb - ab * ga) / determinant : 0;
}

/* One step of a heap towards `rest`, which does not have it: as far as it helps; false: not worth another. */
static bool step_heap(decoder *d, double *weight, double *variance, double *centre, double *trial)
{
    const learn_sketch *s = d->s;
    const size_t n = s->width;
    double change, length, limit = 1, error, old = *variance, now, left;
    draw(d, centre, old);
    change = find_shape(d, weight);
    error = error_with(d, *weight);
    if (!(*weight > 0) || !find_step(d, *weight)) return false;
    length = cblas_dnrm2((int)n, d->step, 1);
    if (length > 0) limit = fmin(1, 2 * sqrt(old) / length);
    change = fmin(fmax(change, -old / 2), old);
    for (int halving = 0; halving < 4; halving++, limit /= 4, change /= 4) {
        for (size_t i = 0; i < n; i++)
            trial[i] = fmin(fmax(centre[i] + limit * d->step[i], s->low[i]), s->high[i]);
        now = fmin(fmax(old + change, d->least), d->most);
        draw(d, trial, now);
        left = error_with(d, *weight);
        if (left < error) {
            memcpy(centre, trial, n * sizeof *centre);
            *variance = now;
            (void)find_shape(d, weight);
            return left < error * (1 - 1e-7);
        }
    }
    return false;
}

/* Heap j anew, the others being as they are. */
static void refine(decoder *d, size_t j, int steps)
{
    double *centre = d->centre + j * d->s->width, *trial = d->centre + d->room * d->s->width;
    draw(d, centre, d->variance[j]);
    add(d, d->weight[j]);
    for (int i = 0; i < steps && step_heap(d, &d->weight[j], &d->variance[j], centre, trial); i++) continue;
    draw(d, centre, d->variance[j]);
    add(d, -d->weight[j]);
}

/* All of them in turn, until that is not worth it any more. */
static double refine_all(decoder *d, int passes)
{
    double before = INFINITY, now = INFINITY;
    for (int p = 0; p < passes && !(now > before * (1 - 1e-4)) && d->work < WORK_MOST; p++) {
        before = now;
        for (size_t j = 0; j < d->n; j++) refine(d, j, TOGETHER);
        now = cblas_ddot((int)(2 * d->s->waves), d->rest, 1, d->rest, 1);
    }
    return fmin(now, before);
}

/* --- new heaps ------------------------------------------------------------------------------------------------- */

static double level_variance(const decoder *d, size_t level)
{
    return d->most * pow(d->least / d->most, (double)level / LEVELS);
}

/* Places that fill the box evenly: multiples of powers of the root of x^(n + 1) = x + 1 [Roberts 2018]. */
static void set_places(decoder *d)
{
    const learn_sketch *s = d->s;
    double root = 1.5;
    for (int i = 0; i < 60; i++) root = pow(1 + root, 1 / ((double)s->width + 1));
    for (size_t p = 0; p < d->places; p++) {
        double *place = d->place + p * s->width, *picture = d->picture + p * 2 * s->waves;
        for (size_t i = 0; i < s->width; i++) {
            double part = fmod(0.5 + (double)(p + 1) * pow(root, -(double)(i + 1)), 1);
            place[i] = s->low[i] + part * (s->high[i] - s->low[i]);
        }
        draw(d, place, 0);
        for (size_t w = 0; w < s->waves; w++) {
            picture[2 * w] = d->real[w];
            picture[2 * w + 1] = d->imaginary[w];
        }
    }
}

/* How well heaps at all places, of all levels of variance, explain what is left. */
static void score_places(decoder *d)
{
    const learn_sketch *s = d->s;
    const int numbers = (int)(2 * s->waves);
    for (size_t l = 0; l < LEVELS; l++) {
        double *own = d->filtered + l * 2 * s->waves, square = 0;
        for (size_t w = 0; w < s->waves; w++) {
            double size = exp(-level_variance(d, l) * s->square[w] / 2);
            own[2 * w] = size * d->rest[2 * w];
            own[2 * w + 1] = size * d->rest[2 * w + 1];
            square += size * size;
        }
        cblas_dscal(numbers, 1 / sqrt(fmax(square, 1e-300)), own, 1);
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)d->places, LEVELS, numbers, 1, d->picture,
                numbers, d->filtered, numbers, 0, d->score, LEVELS);
    d->work += (double)(d->places * LEVELS * 2) * (double)s->waves;
}

/* One heap more: of each level the best place, refined; the best of those. */
static void add_heap(decoder *d)
{
    const size_t n = d->s->width, at = d->n++;
    double *centre = d->centre + at * n, *chosen = d->centre + (d->room + 1) * n;
    double weight = 0, variance = d->most, least = INFINITY;
    score_places(d);
    for (size_t l = 0; l < LEVELS; l++) {
        size_t best = 0;
        for (size_t p = 1; p < d->places; p++)
            if (d->score[p * LEVELS + l] > d->score[best * LEVELS + l]) best = p;
        memcpy(centre, d->place + best * n, n * sizeof *centre);
        d->variance[at] = level_variance(d, l);
        d->weight[at] = 0;
        refine(d, at, ALONE);
        double error = cblas_ddot((int)(2 * d->s->waves), d->rest, 1, d->rest, 1);
        if (error < least) {
            least = error;
            weight = d->weight[at];
            variance = d->variance[at];
            memcpy(chosen, centre, n * sizeof *centre);
        }
        draw(d, centre, d->variance[at]);
        add(d, d->weight[at]);
    }
    memcpy(centre, chosen, n * sizeof *centre);
    d->weight[at] = weight;
    d->variance[at] = variance;
    draw(d, centre, variance);
    add(d, -weight);
}

/* Heap j goes; the last takes its number. */
static void drop_heap(decoder *d, size_t j)
{
    const size_t n = d->s->width, last = d->n - 1;
    draw(d, d->centre + j * n, d->variance[j]);
    add(d, d->weight[j]);
    d->weight[j] = d->weight[last];
    d->variance[j] = d->variance[last];
    memmove(d->centre + j * n, d->centre + last * n, n * sizeof *d->centre);
    d->n--;
}

static size_t fewest_rows(const decoder *d)
{
    size_t least = 0;
    for (size_t j = 1; j < d->n; j++)
        if (d->weight[j] < d->weight[least]) least = j;
    return least;
}

/* The heap that costs most but for `rank` others. */
static size_t widest(const decoder *d, size_t rank)
{
    for (size_t j = 0; j < d->n; j++) {
        size_t above = 0;
        double own = d->weight[j] * d->variance[j];
        for (size_t i = 0; i < d->n; i++) {
            double other = d->weight[i] * d->variance[i];
            above += other > own || (other == own && i < j);
        }
        if (above == rank) return j;
    }
    return 0;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static void keep(decoder *d)
{
    memcpy(d->best_weight, d->weight, d->n * sizeof *d->weight);
    memcpy(d->best_variance, d->variance, d->n * sizeof *d->variance);
    memcpy(d->best_centre, d->centre, d->n * d->s->width * sizeof *d->centre);
}

static void restore(decoder *d, size_t k)
{
    d->n = k;
    memcpy(d->weight, d->best_weight, k * sizeof *d->weight);
    memcpy(d->variance, d->best_variance, k * sizeof *d->variance);
    memcpy(d->centre, d->best_centre, k * d->s->width * sizeof *d->centre);
    memcpy(d->rest, d->sums, 2 * d->s->waves * sizeof *d->rest);
    for (size_t j = 0; j < k; j++) {
        draw(d, d->centre + j * d->s->width, d->variance[j]);
        add(d, -d->weight[j]);
    }
}

/* One heap more; or, `rank` > 0, two for a wide one. Then that of fewest rows goes. */
static double swap(decoder *d, size_t rank)
{
    const size_t k = d->n;
    if (rank > 0) drop_heap(d, widest(d, rank - 1));
    while (d->n < k + 1) add_heap(d);
    (void)refine_all(d, 2);
    drop_heap(d, fewest_rows(d));
    return refine_all(d, PASSES);
}

static void search(decoder *d, size_t k)
{
    double best, now;
    while (d->n < k) {
        add_heap(d);
        if (d->work < WORK_MOST / 3) (void)refine_all(d, 1);
    }
    best = refine_all(d, PASSES);
    keep(d);
    for (size_t misses = 0; misses <= MISSES && misses < k && d->work < WORK_MOST;) {
        now = swap(d, misses);
        misses = now < best * (1 - 1e-4) ? 0 : misses + 1;
        if (now < best) {
            best = now;
            keep(d);
        } else {
            restore(d, k);
        }
    }
}

static void put_groups(learn_groups *groups, const decoder *d)
{
    const size_t n = d->s->width;
    double halves = 0, *at = d->centre;
    for (size_t i = 0; i < n; i++) halves += d->s->half[i] * d->s->half[i];
    for (size_t j = 0; j < groups->k; j++) {
        for (size_t i = 0; i < n; i++) at[i] = d->best_centre[j * n + i] * d->s->half[i];
        learn_groups_place(groups, j, at);
        groups->count[j] = fmax(d->best_weight[j], 0);
        groups->spread[j] = sqrt(d->best_variance[j] * halves);
        learn_groups_reach(groups, j, LEARN_GROUP_RADIUS * groups->spread[j]);
    }
}

static void close_decoder(decoder *d)
{
    double *all[] = { d->weight, d->variance, d->centre, d->best_weight, d->best_variance, d->best_centre,
                      d->rest,   d->phase,    d->real,   d->imaginary,   d->size,          d->lever,
                      d->square, d->step,     d->place,  d->picture,     d->score,         d->filtered };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) dusk_deallocate(all[i]);
}

static dusk_status open_decoder(decoder *d, const learn_sketch *s, size_t k, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t m = s->waves, n = s->width;
    d->s = s;
    d->room = k + 1;
    d->places = (size_t)fmin(fmin(PLACES, 64 * (double)k * (double)(n + 1)), PICTURES / (2 * (double)m));
    d->most = 0.1 * pow((double)k, -2 / (double)n);
    d->least = fmin(0.1 / (s->fastest * s->fastest), d->most / 16);
    DUSK_NEW(d->weight, d->room);
    DUSK_NEW(d->variance, d->room);
    DUSK_NEW(d->centre, (d->room + 2) * n);
    DUSK_NEW(d->best_weight, d->room);
    DUSK_NEW(d->best_variance, d->room);
    DUSK_NEW(d->best_centre, d->room * n);
    DUSK_NEW(d->rest, 2 * m);
    DUSK_NEW(d->phase, m);
    DUSK_NEW(d->real, m);
    DUSK_NEW(d->imaginary, m);
    DUSK_NEW(d->size, m);
    DUSK_NEW(d->lever, m * n);
    DUSK_NEW(d->square, n * n);
    DUSK_NEW(d->step, n);
    DUSK_NEW(d->place, d->places * n);
    DUSK_NEW(d->picture, d->places * 2 * m);
    DUSK_NEW(d->score, d->places * LEVELS);
    DUSK_NEW(d->filtered, LEVELS * 2 * m);
done:
    return status;
}

dusk_status learn_sketch_decode(learn_groups *groups, const learn_sketch *sketch, const double *sums,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    decoder d = { .n = 0 };
    DUSK_TRY(open_decoder(&d, sketch, groups->k, err));
    d.sums = sums;
    memcpy(d.rest, sums, 2 * sketch->waves * sizeof *sums);
    set_places(&d);
    search(&d, groups->k);
    put_groups(groups, &d);
done:
    close_decoder(&d);
    return status;
}
