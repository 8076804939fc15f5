/* SPDX-License-Identifier: Apache-2.0 */
/* Public rows among themselves; see spread.h. */
#include "deep/spread.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "deep/real.h"
#include "deep/threads.h"
#include "tensor/lanes.h"

enum { BLOCK = 64, DEGREE = 10, GROUP_TURNS = 10, SPREAD_TURNS = 100 };
#define FALL 6.0f /* weights fall to exp(-FALL) at the last neighbour */

static double squared_length(const float *x, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += (double)x[j] * (double)x[j];
    return sum;
}

double deep_open_spread(const deep_open *open)
{
    double squares = 0, square_of_mean = 0;
    const double n = open->count > 0 ? (double)open->count : 1;
    for (size_t i = 0; i < open->count; i++)
        squares += squared_length(open->x + i * open->width, open->width);
    for (size_t j = 0; j < open->width; j++) {
        double mean = 0;
        for (size_t i = 0; i < open->count; i++) mean += (double)open->x[i * open->width + j];
        square_of_mean += mean / n * (mean / n);
    }
    return 2 * (squares / n - square_of_mean);
}

/* --- nearest among some ---------------------------------------------------------------------------------------------- */

/* For every row the `degree` nearest of `points`, with their squared distances, nearest first. */
typedef struct nearest {
    const deep_open *open;
    const float *point;
    size_t points, degree;
    bool others; /* points are the rows, and copies of them: each row but itself */
    float *point_square;
    uint32_t *which;
    float *distance;
    float *product[DEEP_THREADS_MOST];
    tensor_gemm_work gemm[DEEP_THREADS_MOST];
    size_t threads;
} nearest;

/* Where point `one` is among those that are held, or `held`. */
static size_t place_of(const uint32_t *which, size_t held, size_t one)
{
    size_t at = 0;
    while (at < held && which[at] != one) at++;
    return at;
}

/* The points of a set: all there are, or those of one copy of the rows. */
static size_t set_size(const nearest *n) { return n->others ? n->open->count : n->points; }

/* `product` is with the points of a set, the first of which is number `first`; *held of the nearest were found before. */
static void keep_nearest(const nearest *n, size_t row, size_t first, double square, const float *product,
                         size_t *held)
{
    uint32_t *which = n->which + row * n->degree;
    float *distance = n->distance + row * n->degree;
    for (size_t j = 0; j < set_size(n); j++) {
        const float d = (float)square + n->point_square[first + j] - 2 * product[j];
        if ((*held == n->degree && !(d < distance[*held - 1])) || (n->others && j == row)) continue;
        size_t at = DUSK_MUTATE(PATE_COPIES_ARE_ROWS, place_of(which, *held, j), *held);
        if (at < *held && !(d < distance[at])) continue; /* another copy is nearer */
        if (at == *held) at = *held < n->degree ? (*held)++ : *held - 1;
        for (; at > 0 && d < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            which[at] = which[at - 1];
        }
        distance[at] = d;
        which[at] = (uint32_t)j;
    }
}

static void find_some(void *context, size_t number)
{
    nearest *n = context;
    const deep_open *o = n->open;
    const size_t set = set_size(n), w = o->width;
    for (size_t first = number * BLOCK; first < o->count; first += n->threads * BLOCK) {
        const size_t count = o->count - first < BLOCK ? o->count - first : BLOCK;
        size_t held[BLOCK] = { 0 };
        for (size_t from = 0; from < n->points; from += set) {
            const tensor_view a = { o->x + first * w, w, 1 }, b = { n->point + from * w, 1, w };
            tensor_gemm(tensor_lanes_level(), n->product[number], set, a, b, count, set, w, false,
                        &n->gemm[number]);
            for (size_t i = 0; i < count; i++)
                keep_nearest(n, first + i, from, squared_length(o->x + (first + i) * w, w),
                             n->product[number] + i * set, &held[i]);
        }
    }
}

static dusk_status find_nearest(nearest *n, size_t threads, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t w = n->open->width;
    n->threads = 0;
    DUSK_NEW(n->point_square, n->points + 1);
    for (size_t j = 0; j < n->points; j++) n->point_square[j] = (float)squared_length(n->point + j * w, w);
    while (n->threads < threads && n->threads < DEEP_THREADS_MOST) {
        DUSK_NEW(n->product[n->threads], BLOCK * set_size(n) + 1);
        DUSK_TRY(tensor_gemm_open(&n->gemm[n->threads++], err));
    }
    deep_work(find_some, n, n->threads);
done:
    dusk_deallocate(n->point_square);
    for (size_t k = 0; k < DEEP_THREADS_MOST; k++) {
        dusk_deallocate(n->product[k]);
        tensor_gemm_close(&n->gemm[k]);
        n->product[k] = NULL;
    }
    return status;
}

/* --- questions -------------------------------------------------------------------------------------------------------- */

static void move_centres(float *centre, size_t *held, const deep_open *open, const uint32_t *group,
                         size_t groups)
{
    const size_t w = open->width;
    memset(held, 0, groups * sizeof *held);
    for (size_t i = 0; i < open->count; i++) held[group[i]]++;
    for (size_t g = 0; g < groups; g++)
        if (held[g] > 0) memset(centre + g * w, 0, w * sizeof *centre);
    for (size_t i = 0; i < open->count; i++)
        for (size_t j = 0; j < w; j++) centre[group[i] * w + j] += open->x[i * w + j] / (float)held[group[i]];
}

/* The row of each group that is nearest to its centre, largest groups first; then, for groups that are empty, rows that were not taken. */
static void take_nearest(size_t *question, size_t questions, size_t *held, bool *taken, const nearest *n)
{
    size_t count = 0, next = 0;
    for (;;) {
        size_t largest = 0, best = n->open->count;
        for (size_t g = 1; g < questions; g++)
            if (held[g] > held[largest]) largest = g;
        if (held[largest] == 0) break;
        held[largest] = 0;
        for (size_t i = 0; i < n->open->count; i++)
            if (n->which[i] == largest && (best == n->open->count || n->distance[i] < n->distance[best]))
                best = i;
        taken[best] = true;
        question[count++] = best;
    }
    for (; count < questions; next++)
        if (!taken[next]) question[count++] = next;
}

dusk_status deep_choose_questions(size_t *question, size_t questions, const deep_open *open, size_t threads,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t w = open->width;
    float *centre = NULL;
    size_t *held = NULL;
    bool *taken = NULL;
    nearest *n = NULL;
    if (questions == open->count) { /* nothing to choose */
        for (size_t i = 0; i < questions; i++) question[i] = i;
        return DUSK_OK;
    }
    DUSK_NEW(n, 1);
    n->open = open;
    n->points = questions;
    n->degree = 1;
    DUSK_NEW(n->which, open->count + 1);
    DUSK_NEW(n->distance, open->count + 1);
    DUSK_NEW(centre, questions * w + 1);
    DUSK_NEW(held, questions + 1);
    DUSK_NEW(taken, open->count + 1);
    for (size_t g = 0; g < questions; g++)
        memcpy(centre + g * w, open->x + (g * open->count / questions) * w, w * sizeof *centre);
    n->point = centre;
    for (int turn = 0; turn < GROUP_TURNS && questions > 0; turn++) {
        if (turn > 0) move_centres(centre, held, open, n->which, questions);
        DUSK_TRY(find_nearest(n, threads, err));
    }
    memset(held, 0, questions * sizeof *held);
    for (size_t i = 0; i < open->count && questions > 0; i++) held[n->which[i]]++;
    if (questions > 0) take_nearest(question, questions, held, taken, n);
done:
    if (n) {
        dusk_deallocate(n->which);
        dusk_deallocate(n->distance);
    }
    dusk_deallocate(n);
    dusk_deallocate(centre);
    dusk_deallocate(held);
    dusk_deallocate(taken);
    return status;
}

/* --- the graph ---------------------------------------------------------------------------------------------------------- */

void deep_graph_clear(deep_graph *graph)
{
    dusk_deallocate(graph->neighbour);
    dusk_deallocate(graph->weight);
    *graph = (deep_graph){ .count = 0 };
}

/* Weights fall with distance, by what is near for a row. */
static void set_weights(deep_graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        float *at = g->weight + i * g->degree;
        const float scale = at[g->degree - 1] > 0 ? at[g->degree - 1] : 1;
        for (size_t j = 0; j < g->degree; j++) at[j] = deep_exp(-FALL * (at[j] > 0 ? at[j] : 0) / scale);
    }
}

dusk_status deep_graph_make(deep_graph *out, const deep_open *open, size_t copies, size_t threads,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_graph graph = { .count = open->count };
    nearest *n = NULL;
    *out = (deep_graph){ .count = 0 };
    graph.degree = open->count <= DEGREE ? (open->count > 0 ? open->count - 1 : 0) : DEGREE;
    DUSK_NEW(graph.neighbour, graph.count * graph.degree + 1);
    DUSK_NEW(graph.weight, graph.count * graph.degree + 1);
    DUSK_NEW(n, 1);
    *n = (nearest){ .open = open,
                    .point = open->x,
                    .points = (1 + copies) * open->count,
                    .degree = graph.degree,
                    .others = true,
                    .which = graph.neighbour,
                    .distance = graph.weight };
    if (graph.degree > 0) {
        DUSK_TRY(find_nearest(n, threads, err));
        set_weights(&graph);
    }
    *out = graph;
    graph = (deep_graph){ .count = 0 };
done:
    deep_graph_clear(&graph);
    dusk_deallocate(n);
    return status;
}

static void normalise(float *score, size_t count, size_t classes)
{
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        for (size_t c = 0; c < classes; c++) sum += score[i * classes + c];
        for (size_t c = 0; sum > 0 && c < classes; c++) score[i * classes + c] /= sum;
    }
}

/* Every row becomes the mean of its neighbours, weighted, both ways; answers stay what they are. */
static void flow(const deep_graph *g, const float *from, float *to, const int32_t *answer, size_t k)
{
    memset(to, 0, g->count * k * sizeof *to);
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j < g->degree; j++) {
            const size_t other = g->neighbour[i * g->degree + j];
            const float each = g->weight[i * g->degree + j];
            for (size_t c = 0; c < k; c++) {
                to[i * k + c] += each * from[other * k + c];
                to[other * k + c] += each * from[i * k + c];
            }
        }
    normalise(to, g->count, k);
    for (size_t i = 0; i < g->count; i++)
        for (size_t c = 0; answer[i] >= 0 && c < k; c++) to[i * k + c] = (size_t)answer[i] == c;
}

dusk_status deep_graph_spread(const deep_graph *graph, const int32_t *answer, size_t classes, float *score,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    float *next = NULL;
    DUSK_NEW(next, graph->count * classes + 1);
    memset(score, 0, graph->count * classes * sizeof *score);
    for (int turn = 0; turn < SPREAD_TURNS / 2; turn++) {
        flow(graph, score, next, answer, classes);
        flow(graph, next, score, answer, classes);
    }
done:
    dusk_deallocate(next);
    return status;
}
