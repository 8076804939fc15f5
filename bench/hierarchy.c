/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over trees: a release with noise for a million nodes beside the noise alone,
 * and the two passes of least squares beside one pass that only adds up. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/mechanisms.h"
#include "random/noise_additive.h"

enum { DEPTH = 9, POINTS = 1000000 };

typedef struct job {
    dusk_generator *gen;
    dusk_quadtree *quadtree;
    const dusk_hierarchy *hierarchy;
    dusk_additive draw;
    size_t nodes;
    uint64_t *exact;
    double *noisy, *fitted, *x, *y;
    int64_t *noise;
} job;

static job start(dusk_generator *gen)
{
    const dusk_box box = { 0, 1, 0, 1 };
    dusk_error err = { .message = "" };
    dusk_aggregate how;
    job j = { .gen = gen };
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = 1;
    bench_require(dusk_quadtree_new(&j.quadtree, &how, &box, 2, DEPTH, NULL, DUSK_OUTSIDE_DROP, &err), &err);
    j.hierarchy = dusk_quadtree_hierarchy(j.quadtree);
    j.nodes = dusk_quadtree_nodes(j.quadtree);
    j.exact = bench_allocate(j.nodes, sizeof *j.exact);
    j.noisy = bench_allocate(j.nodes, sizeof *j.noisy);
    j.fitted = bench_allocate(j.nodes, sizeof *j.fitted);
    j.noise = bench_allocate(j.nodes, sizeof *j.noise);
    memset(j.exact, 0, j.nodes * sizeof *j.exact);
    dusk_additive_init(&j.draw, DUSK_ADDITIVE_DISCRETE_LAPLACE, 8, DUSK_WIDTH_FULL);
    bench_require(dusk_hierarchy_release(j.hierarchy, j.noisy, j.exact, gen, &err), &err);
    return j;
}

static void stop(job *j)
{
    dusk_quadtree_free(j->quadtree);
    free(j->exact);
    free(j->noisy);
    free(j->fitted);
    free(j->noise);
    free(j->x);
    free(j->y);
}

static void release(void *context)
{
    job *j = context;
    bench_require(dusk_hierarchy_release(j->hierarchy, j->noisy, j->exact, j->gen, NULL), NULL);
}

static void draw(void *context)
{
    job *j = context;
    bench_require(dusk_additive_fill(&j->draw, j->noise, j->nodes, j->gen, NULL), NULL);
}

static void fit(void *context)
{
    job *j = context;
    bench_require(dusk_hierarchy_fit(j->hierarchy, j->fitted, j->noisy, NULL), NULL);
}

static void whole(void *context)
{
    job *j = context;
    bench_require(dusk_hierarchy_whole(j->hierarchy, j->fitted, j->noisy, NULL), NULL);
}

/* What any consistent answer has to do: children added to their parents. */
static void add_up(void *context)
{
    job *j = context;
    memcpy(j->fitted, j->noisy, j->nodes * sizeof *j->fitted);
    for (size_t i = j->nodes; i-- > 1;) j->fitted[(i - 1) / 4] += j->fitted[i];
    bench_keep(j->fitted[0]);
}

static void release_points(void *context)
{
    job *j = context;
    bench_require(dusk_quadtree_release(j->quadtree, j->noisy, j->x, j->y, POINTS, j->gen, NULL), NULL);
}

/* Points counted into cells without a tree. */
static void count_points(void *context)
{
    job *j = context;
    const double side = 1 << DEPTH;
    for (size_t i = 0; i < POINTS; i++) {
        size_t cell = (size_t)(j->y[i] * side) * (size_t)side + (size_t)(j->x[i] * side);
        j->exact[cell]++;
    }
    memset(j->exact, 0, j->nodes * sizeof *j->exact);
}

typedef struct pair {
    bench_work *work, *floor;
} pair;

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const pair *p = self->setup;
    job j = start(gen);
    *out = bench_rate(bench_compare(p->work, p->floor, &j), (double)j.nodes);
    stop(&j);
}

static void run_points(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const pair *p = self->setup;
    job j = start(gen);
    j.x = bench_uniform(POINTS, 0, 1, gen);
    j.y = bench_uniform(POINTS, 0, 1, gen);
    *out = bench_rate(bench_compare(p->work, p->floor, &j), POINTS);
    stop(&j);
}

static const pair releasing = { release, draw }, fitting = { fit, add_up }, rounding = { whole, add_up },
                  points = { release_points, count_points };

const bench_case bench_hierarchy_cases[] = {
    { "hierarchy/release", "noisy counts of 350000 nodes in ten levels", "million nodes/s", "as many draws",
      "ratio >= 0.3", run, &releasing },
    { "hierarchy/fit", "least squares over them", "million nodes/s", "adding up", "", run, &fitting },
    { "hierarchy/whole", "whole numbers that add up", "million nodes/s", "adding up", "", run, &rounding },
    { "quadtree/release", "a million points into 2^18 cells and all above", "million points/s",
      "points counted in cells", "", run_points, &points },
    { .name = NULL },
};
