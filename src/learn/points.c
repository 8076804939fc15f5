/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted k-means on released points: greedy k-means++ [Arthur & Vassilvitskii 2007], Lloyd, and random swaps [Franti
 * 2018]: the centre that is missed least moves to where points are far from all, and stays there if the cost falls. Nothing here is
 * private; coins are public. Work is bounded by a public number of operations. */
#include "learn/points.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define WORK_MOST 6e8 /* products, in all */
enum { STARTS = 4, LLOYD_MOST = 40, SWAP_ROUNDS = 2 };

dusk_status learn_points_init(learn_points *out, size_t n, size_t width, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    learn_points points = { .n = n, .width = width };
    *out = (learn_points){ .n = 0 };
    DUSK_NEW(points.x, n * width);
    DUSK_NEW(points.weight, n);
    *out = points;
    points = (learn_points){ .n = 0 };
done:
    learn_points_clear(&points);
    return status;
}

void learn_points_clear(learn_points *points)
{
    dusk_deallocate(points->x);
    dusk_deallocate(points->weight);
    *points = (learn_points){ .n = 0 };
}

/* splitmix64 [Steele, Lea & Flood 2014]. */
uint64_t learn_points_coin(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double learn_points_uniform(uint64_t *seed) { return (double)(learn_points_coin(seed) >> 11) * 0x1p-53; }

static double distance(const double *a, const double *b, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

size_t learn_nearest(const double *x, const double *centres, size_t k, size_t width, double *square)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t j = 0; j < k; j++) {
        double here = distance(x, centres + j * width, width);
        if (here < least) {
            least = here;
            best = j;
        }
    }
    *square = least;
    return best;
}

/* What a search needs besides the points. */
typedef struct search {
    const learn_points *points;
    size_t k;
    uint64_t seed;
    double *centres, *sum, *mass; /* of k */
    double *tried;                /* k centres */
    double *far, *trial;          /* of n: squared distance to the nearest centre */
    double work;
} search;

/* --- starts -------------------------------------------------------------------------------------------------- */

/* A point, by weight times far; n when there is nothing. */
static size_t draw(search *s, const double *far)
{
    const learn_points *p = s->points;
    double total = 0;
    for (size_t i = 0; i < p->n; i++) total += p->weight[i] * far[i];
    double at = learn_points_uniform(&s->seed) * total;
    if (!(total > 0) || !isfinite(total)) return p->n;
    for (size_t i = 0; i < p->n; i++) {
        at -= p->weight[i] * far[i];
        if (at < 0 && p->weight[i] * far[i] > 0) return i;
    }
    return p->n;
}

/* The cost with one more centre at point `at`; distances to trial. */
static double cost_with(search *s, size_t at)
{
    const learn_points *p = s->points;
    double cost = 0;
    for (size_t i = 0; i < p->n; i++) {
        double here = distance(p->x + i * p->width, p->x + at * p->width, p->width);
        s->trial[i] = fmin(s->far[i], here);
        cost += p->weight[i] * s->trial[i];
    }
    s->work += (double)(p->n * p->width);
    return cost;
}

/* Greedy k-means++; what cannot be placed keeps the centre it had. */
static void place_centres(search *s, double *centres)
{
    const learn_points *p = s->points;
    const int candidates = 2 + (int)log((double)s->k);
    for (size_t i = 0; i < p->n; i++) s->far[i] = 1;
    for (size_t j = 0; j < s->k; j++) {
        size_t best = p->n;
        double least = INFINITY;
        for (int c = 0; c < (j == 0 ? 1 : candidates); c++) {
            size_t at = draw(s, s->far);
            if (at == p->n) return;
            if (j == 0) {
                for (size_t i = 0; i < p->n; i++) s->far[i] = INFINITY;
            }
            double cost = cost_with(s, at);
            if (cost < least) {
                least = cost;
                best = at;
            }
        }
        (void)cost_with(s, best);
        memcpy(s->far, s->trial, p->n * sizeof *s->far);
        memcpy(centres + j * p->width, p->x + best * p->width, p->width * sizeof *centres);
    }
}

/* --- improvement --------------------------------------------------------------------------------------------- */

/* The cost of the centres; means of their points replace them, where there are points. */
static double lloyd(search *s, double *centres)
{
    const learn_points *p = s->points;
    const size_t d = p->width;
    double cost = 0;
    memset(s->sum, 0, s->k * d * sizeof *s->sum);
    memset(s->mass, 0, s->k * sizeof *s->mass);
    for (size_t i = 0; i < p->n; i++) {
        double square, w = p->weight[i];
        if (!(w > 0)) continue;
        size_t j = learn_nearest(p->x + i * d, centres, s->k, d, &square);
        cost += w * square;
        s->mass[j] += w;
        for (size_t c = 0; c < d; c++) s->sum[j * d + c] += w * p->x[i * d + c];
    }
    for (size_t j = 0; j < s->k; j++)
        for (size_t c = 0; c < d && s->mass[j] > 0; c++) centres[j * d + c] = s->sum[j * d + c] / s->mass[j];
    s->work += (double)(p->n * s->k * d);
    return cost;
}

static double improve(search *s, double *centres, int rounds)
{
    double cost = INFINITY;
    for (int r = 0; r < rounds && s->work < WORK_MOST; r++) {
        double now = lloyd(s, centres);
        if (!(now < cost * (1 - 1e-6))) return fmin(now, cost);
        cost = now;
    }
    return cost;
}

/* The centre whose points lose least by its removal; distances of all points to far. */
static size_t least_missed(search *s, const double *centres)
{
    const learn_points *p = s->points;
    double *loss = s->mass;
    size_t least = 0;
    memset(loss, 0, s->k * sizeof *loss);
    for (size_t i = 0; i < p->n; i++) {
        double first = INFINITY, second = INFINITY;
        size_t nearest = 0;
        for (size_t j = 0; j < s->k; j++) {
            double here = distance(p->x + i * p->width, centres + j * p->width, p->width);
            if (here < first) {
                second = first;
                first = here;
                nearest = j;
            } else if (here < second)
                second = here;
        }
        s->far[i] = first;
        loss[nearest] += p->weight[i] * (second - first);
    }
    for (size_t j = 1; j < s->k; j++)
        if (loss[j] < loss[least]) least = j;
    s->work += (double)(p->n * s->k * p->width);
    return least;
}

/* Move a centre if that helps. */
static double swap(search *s, double *centres, double cost)
{
    const size_t d = s->points->width, size = s->k * d * sizeof *centres;
    size_t from = least_missed(s, centres), to = draw(s, s->far);
    if (to == s->points->n) return cost;
    memcpy(s->tried, centres, size);
    memcpy(s->tried + from * d, s->points->x + to * d, d * sizeof *centres);
    (void)improve(s, s->tried, SWAP_ROUNDS);
    double now = improve(s, s->tried, 1);
    if (!(now < cost)) return cost;
    memcpy(centres, s->tried, size);
    return now;
}

static void run(search *s, double *centres)
{
    const size_t size = s->k * s->points->width * sizeof *centres;
    double best = INFINITY;
    memcpy(s->centres, centres, size);
    for (int start = 0; start < STARTS && (start == 0 || s->work < WORK_MOST / 3); start++) {
        memcpy(s->tried, s->centres, size);
        place_centres(s, s->tried);
        double cost = improve(s, s->tried, LLOYD_MOST);
        if (cost < best) {
            best = cost;
            memcpy(centres, s->tried, size);
        }
    }
    for (size_t swaps = 0; s->k > 1 && swaps < 20 + 2 * s->k && s->work < WORK_MOST; swaps++)
        best = swap(s, centres, best);
    (void)improve(s, centres, LLOYD_MOST);
}

dusk_status learn_points_cluster(const learn_points *points, double *centres, size_t k, uint64_t seed,
                                 dusk_error *err)
{
    dusk_status status = DUSK_OK;
    search s = { .points = points, .k = k, .seed = seed };
    const size_t cells = k * points->width;

    if (points->n == 0) return DUSK_OK;
    DUSK_NEW(s.centres, cells);
    DUSK_NEW(s.tried, cells);
    DUSK_NEW(s.sum, cells);
    DUSK_NEW(s.mass, k);
    DUSK_NEW(s.far, points->n);
    DUSK_NEW(s.trial, points->n);
    run(&s, centres);
done:
    dusk_deallocate(s.centres);
    dusk_deallocate(s.tried);
    dusk_deallocate(s.sum);
    dusk_deallocate(s.mass);
    dusk_deallocate(s.far);
    dusk_deallocate(s.trial);
    return status;
}

void learn_points_describe(const learn_points *points, const double *centres, size_t k, double *weight,
                           double *square)
{
    memset(weight, 0, k * sizeof *weight);
    memset(square, 0, k * sizeof *square);
    for (size_t i = 0; i < points->n; i++) {
        double here;
        size_t j = learn_nearest(points->x + i * points->width, centres, k, points->width, &here);
        weight[j] += points->weight[i];
        square[j] += points->weight[i] * here;
    }
    for (size_t j = 0; j < k; j++) square[j] = weight[j] > 0 ? square[j] / weight[j] : 0;
}
