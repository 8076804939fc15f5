/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of histograms that answer ranges, as DPBench measures them [Hay,
 * Machanavajjhala, Miklau, Chen & Zhang 2016]: epsilon 0.1; one dimension: 4096 bins and
 * all 4096 prefixes; two: 256 x 256 cells and 2000 random rectangles. The figure is the
 * scaled average per-query error, the l2 norm of all errors over (queries x rows), at 10^5
 * rows: what these mechanisms err does not depend on the data, so that it is ten times
 * less with ten times the rows. With DUSK_DATA set, the histograms are those of DPBench,
 * one after the other, drawn anew to that many rows; without it they are empty. The floor
 * is noise on every bin alone (Identity), measured the same way. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dusk/mechanisms.h"
#include "random/generator.h"

enum { BINS = 4096, SIDE = 256, QUERIES = 2000, ROWS = 100000, RUNS = 60 };
static const double epsilon = 0.1;

static const char *const names[2][20] = {
    { "ADULT", "HEPTH", "INCOME", "MEDCOST", "NETTRACE", "PATENT", "SEARCHLOGS", "BIDS-FJ", "BIDS-FM",
      "BIDS-ALL", "MDSALARY", "MDSALARY-FA", "LC-REQ-F1", "LC-REQ-F2", "LC-REQ-ALL", "LC-DTIR-F1",
      "LC-DTIR-F2", "LC-DTIR-ALL", NULL },
    { "ADULT-2D", "SF-CABS-E", "SF-CABS-S", "GOWALLA", "BJ-CABS-E", "BJ-CABS-S", "MDSALARY-OVERT",
      "LOAN-FUNDED-INCOME", "STROKE", "TWITTER", NULL },
};

typedef struct setup {
    int dimensions;
    uint32_t branching; /* 0: the best; 1: no tree */
    bool geometric;     /* shares of a quadtree, else equal ones */
    double delta;
} setup;

/* ---- Data ------------------------------------------------------------------------ */

static double uniform(dusk_generator *gen)
{
    uint64_t word;
    bench_require(dusk_generator_words(gen, &word, 1, 64, NULL), NULL);
    return (double)(word >> 11) * 0x1p-53;
}

/* The histogram of this name as cumulated shares; false when it is not there. */
static bool read_shape(double *shape, size_t bins, int dimensions, const char *name)
{
    const char *folder = getenv("DUSK_DATA");
    char command[1024];
    double count;
    size_t n = 0;
    if (!folder || strchr(folder, '\'')) return false;
    snprintf(command, sizeof command, "gzip -dc '%s/dpbench/%dD.%s.txt.gz'", folder, dimensions, name);
    FILE *pipe = popen(command, "r");
    if (!pipe) return false;
    while (n < bins && fscanf(pipe, "%lf", &count) == 1) {
        shape[n] = (n ? shape[n - 1] : 0) + count;
        n++;
    }
    pclose(pipe);
    for (size_t i = 0; i < bins && n == bins; i++) shape[i] /= shape[bins - 1];
    return n == bins;
}

/* ROWS rows with this shape. */
static void draw_rows(uint64_t *counts, const double *shape, size_t bins, dusk_generator *gen)
{
    memset(counts, 0, bins * sizeof *counts);
    for (int r = 0; r < ROWS; r++) {
        double u = uniform(gen);
        size_t low = 0, high = bins;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (u >= shape[middle - 1])
                low = middle;
            else
                high = middle;
        }
        counts[low]++;
    }
}

/* ---- Mechanisms ------------------------------------------------------------------- */

typedef struct tree {
    const dusk_hierarchy *hierarchy;
    dusk_hierarchy *own;
    dusk_quadtree *quadtree;
    size_t nodes;
    size_t *leaf; /* of a bin */
} tree;

static dusk_aggregate request(double delta)
{
    dusk_aggregate how;
    dusk_aggregate_init(&how);
    how.neighbours = DUSK_ADD_REMOVE;
    how.epsilon = epsilon;
    how.delta = delta;
    return how;
}

static tree make_row(const setup *s)
{
    dusk_error err = { .message = "" };
    dusk_aggregate how = request(s->delta);
    uint32_t branching = s->branching ? s->branching : dusk_hierarchy_branching(BINS, 1);
    tree t = { .leaf = bench_allocate(BINS, sizeof *t.leaf) };
    double shares[64];
    bench_require(dusk_hierarchy_balanced(NULL, &t.nodes, BINS, branching, &err), &err);
    uint32_t *parents = bench_allocate(t.nodes, sizeof *parents);
    bench_require(dusk_hierarchy_balanced(parents, &t.nodes, BINS, branching, &err), &err);
    size_t levels = 0;
    bench_require(dusk_hierarchy_optimal_shares(shares, &levels, parents, t.nodes, 0, &err), &err);
    for (size_t l = 0; l < levels; l++) shares[l] = l > 0; /* the root is in no prefix but one */
    bench_require(dusk_hierarchy_new(&t.own, &how, parents, t.nodes, shares, levels, &err), &err);
    t.hierarchy = t.own;
    for (size_t i = 0; i < BINS; i++) t.leaf[i] = t.nodes - BINS + i;
    free(parents);
    return t;
}

static tree make_map(const setup *s)
{
    const dusk_box box = { 0, SIDE, 0, SIDE };
    dusk_error err = { .message = "" };
    dusk_aggregate how = request(s->delta);
    uint32_t split = s->branching, depth = 0;
    double equal[16];
    tree t = { .leaf = bench_allocate((size_t)SIDE * SIDE, sizeof *t.leaf) };
    for (size_t side = 1; side < SIDE; side *= split) depth++;
    for (uint32_t l = 0; l <= depth; l++) equal[l] = l > 0;
    bench_require(dusk_quadtree_new(&t.quadtree, &how, &box, split, depth, s->geometric ? NULL : equal,
                                    DUSK_OUTSIDE_DROP, &err),
                  &err);
    t.hierarchy = dusk_quadtree_hierarchy(t.quadtree);
    t.nodes = dusk_quadtree_nodes(t.quadtree);
    for (size_t i = 0; i < t.nodes; i++) {
        dusk_box c = dusk_quadtree_cell(t.quadtree, i);
        if (c.x_high - c.x_low == 1) t.leaf[(size_t)c.y_low * SIDE + (size_t)c.x_low] = i;
    }
    return t;
}

static void free_tree(tree *t)
{
    dusk_hierarchy_free(t->own);
    dusk_quadtree_free(t->quadtree);
    free(t->leaf);
}

/* errors[i]: of bin i, by the tree or (NULL) by noise on every bin. */
static void release(double *errors, const tree *t, const uint64_t *exact, size_t bins, double delta,
                    dusk_generator *gen)
{
    dusk_error err = { .message = "" };
    dusk_aggregate how = request(delta);
    dusk_statement statement;
    double width;
    if (!t) {
        bench_require(dusk_counts_release(errors, &width, &statement, &how, exact, bins, gen, &err), &err);
        for (size_t i = 0; i < bins; i++) errors[i] -= (double)exact[i];
        return;
    }
    uint64_t *counts = bench_allocate(t->nodes, sizeof *counts);
    double *noisy = bench_allocate(t->nodes, sizeof *noisy);
    memset(counts, 0, t->nodes * sizeof *counts);
    for (size_t i = 0; i < bins; i++) counts[t->leaf[i]] = exact[i];
    bench_require(dusk_hierarchy_release(t->hierarchy, noisy, counts, gen, &err), &err);
    bench_require(dusk_hierarchy_fit(t->hierarchy, noisy, noisy, &err), &err);
    for (size_t i = 0; i < bins; i++) errors[i] = noisy[t->leaf[i]] - (double)exact[i];
    free(counts);
    free(noisy);
}

/* ---- Queries ---------------------------------------------------------------------- */

/* The sum over queries of squared errors: all prefixes, or random rectangles by sums from
 * the corner. */
static double squares(double *errors, int dimensions, dusk_generator *gen)
{
    double sum = 0;
    if (dimensions == 1) {
        double prefix = 0;
        for (size_t i = 0; i < BINS; i++) {
            prefix += errors[i];
            sum += prefix * prefix;
        }
        return sum;
    }
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            errors[y * SIDE + x] += (x ? errors[y * SIDE + x - 1] : 0) +
                                    (y ? errors[(y - 1) * SIDE + x] : 0) -
                                    (x && y ? errors[(y - 1) * SIDE + x - 1] : 0);
    for (int q = 0; q < QUERIES; q++) {
        size_t from[2], to[2]; /* a random extent at a random place that has room for it */
        for (int d = 0; d < 2; d++) {
            size_t extent = 1 + (size_t)(uniform(gen) * SIDE);
            from[d] = (size_t)(uniform(gen) * (double)(SIDE - extent + 1));
            to[d] = from[d] + extent - 1;
        }
        double e = errors[to[1] * SIDE + to[0]];
        if (from[0]) e -= errors[to[1] * SIDE + from[0] - 1];
        if (from[1]) e -= errors[(from[1] - 1) * SIDE + to[0]];
        if (from[0] && from[1]) e += errors[(from[1] - 1) * SIDE + from[0] - 1];
        sum += e * e;
    }
    return sum;
}

static void run(const bench_case *self, bench_result *out, dusk_generator *gen)
{
    const setup *s = self->setup;
    size_t bins = s->dimensions == 1 ? BINS : (size_t)SIDE * SIDE;
    double queries = s->dimensions == 1 ? BINS : QUERIES;
    double *shape = bench_allocate(bins, sizeof *shape), *errors = bench_allocate(bins, sizeof *errors);
    uint64_t *exact = bench_allocate(bins, sizeof *exact);
    tree t = s->dimensions == 1 ? make_row(s) : make_map(s);
    memset(exact, 0, bins * sizeof *exact);
    *out = (bench_result){ 0, 0 };
    for (int r = 0, set = 0; r < RUNS; r++, set++) {
        if (!names[s->dimensions - 1][set]) set = 0;
        if (read_shape(shape, bins, s->dimensions, names[s->dimensions - 1][set]))
            draw_rows(exact, shape, bins, gen);
        release(errors, &t, exact, bins, s->delta, gen);
        out->value += sqrt(squares(errors, s->dimensions, gen)) / queries / ROWS / RUNS;
        release(errors, NULL, exact, bins, s->delta, gen);
        out->floor_value += sqrt(squares(errors, s->dimensions, gen)) / queries / ROWS / RUNS;
    }
    free_tree(&t);
    free(shape);
    free(errors);
    free(exact);
}

static const setup h2 = { 1, 2, false, 0 }, hb = { 1, 0, false, 0 }, hb_gaussian = { 1, 0, false, 1e-6 };
static const setup quadtree = { 2, 2, true, 0 }, quadtree_equal = { 2, 2, false, 0 },
                   quadtree_gaussian = { 2, 2, true, 1e-6 }, map_4 = { 2, 4, false, 0 },
                   map_16 = { 2, 16, false, 0 };

#define ERROR_OF "scaled error"
#define IDENTITY "noise on every bin"

const bench_case bench_dpbench_cases[] = {
    { "dpbench/1d/h2", "binary tree over 4096 bins, all prefixes", ERROR_OF, IDENTITY, "", run, &h2 },
    { "dpbench/1d/hb", "the best branching, 16", ERROR_OF, IDENTITY, "ratio <= 0.3", run, &hb },
    { "dpbench/1d/hb/gaussian", "the same, delta 1e-6", ERROR_OF, IDENTITY, "", run, &hb_gaussian },
    { "dpbench/2d/quadtree", "256 x 256 cells, random rectangles", ERROR_OF, IDENTITY, "", run, &quadtree },
    { "dpbench/2d/quadtree/equal", "the same, equal shares, no root", ERROR_OF, IDENTITY, "", run,
      &quadtree_equal },
    { "dpbench/2d/quadtree/gaussian", "the same, delta 1e-6", ERROR_OF, IDENTITY, "", run,
      &quadtree_gaussian },
    { "dpbench/2d/hb4", "cells split into 4 x 4", ERROR_OF, IDENTITY, "", run, &map_4 },
    { "dpbench/2d/hb16", "cells split into 16 x 16", ERROR_OF, IDENTITY, "ratio <= 1", run, &map_16 },
    { .name = NULL },
};
