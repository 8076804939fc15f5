/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_TABLES_H
#define DUSK_MECHANISMS_TABLES_H

/* Tables of categorical columns, and counts over trees of regions, cells and bins.
 * What all mechanisms have in common: dusk/mechanisms.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dusk/accounting.h"
#include "dusk/base.h"
#include "dusk/mechanisms_summaries.h"
#include "dusk/random.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tables --------------------------------------------------------------------------- */

/* A table of categorical columns with public domains: column c has the values 0 to
 * sizes[c] - 1, and a code beyond them counts as the last one. Borrowed. Where only
 * the domain is used, `rows` and `codes` are not looked at. */
typedef struct dusk_table {
    size_t columns;        /* 1 to 64 */
    const uint32_t *sizes; /* each at least 1; public, never looked up in the data */
    size_t rows;
    const uint32_t *codes; /* row by row: columns * rows of them */
} dusk_table;

/* A set of columns, at least one, in increasing order. Its marginal has a count for
 * every combination of their values, the last column's changing fastest. */
#define DUSK_MARGINAL_COLUMNS_MAX 8
typedef struct dusk_marginal {
    uint32_t columns;
    uint32_t column[DUSK_MARGINAL_COLUMNS_MAX];
} dusk_marginal;

/* All marginals together have at most so many cells; so has the domain in MWEM. */
#define DUSK_CELLS_MAX (1U << 26)

/* How many cells `n` marginals have, one after the other. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_cells(size_t *cells, const dusk_table *domain,
                                                        const dusk_marginal *marginals, size_t n,
                                                        dusk_error *err);
/* Release several marginals of one table, counts one marginal after the other. A row
 * is in one cell of each: n marginals have sensitivity n in l1 and sqrt(n) in l2, twice
 * and sqrt(2) times that where rows are exchanged. *half_width holds for all cells at
 * once. Time and memory depend on the number of rows. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_release(double *counts, double *half_width,
                                                          dusk_statement *statement,
                                                          const dusk_aggregate *how, const dusk_table *table,
                                                          const dusk_marginal *marginals, size_t n,
                                                          dusk_generator *gen, dusk_error *err);
/* Make released marginals agree on the columns they share, by weighted least squares:
 * counts with variances[i] (NULL: all alike) move as little as possible [Barak et al.
 * 2007; Qardaji, Yang & Li 2014]. `total`, where it is public (else NaN), is met. With
 * `non_negative` they are also the nearest ones without a negative count, to within
 * *gap: the most by which shared sums still differ. Public post-processing, in doubles. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_reconcile(double *counts, double *gap,
                                                            const dusk_table *domain,
                                                            const dusk_marginal *marginals, size_t n,
                                                            const double *variances, double total,
                                                            bool non_negative, dusk_error *err);

/* Sums of a whole domain's cells (the last column's value changing fastest) over all but
 * the columns of each marginal, one marginal after the other. Public arithmetic. */
DUSK_API DUSK_MUST_USE dusk_status dusk_marginals_of(double *counts, const dusk_table *domain,
                                                     const dusk_marginal *marginals, size_t n,
                                                     const double *cells, dusk_error *err);

/* MWEM [Hardt, Ligett & McSherry 2012]: a model of the whole table that answers a
 * workload of counting queries, the cells of some marginals. In each round the query
 * that the model answers worst is chosen (exponential mechanism) and measured (noise),
 * and the model moves to what has been measured so far, by multiplicative weights. Half
 * of the budget chooses, half measures; the number of rows, where it is not public,
 * gets a twentieth. */
typedef struct dusk_mwem_options {
    size_t size; /* set by _init */
    const dusk_marginal *marginals;
    size_t marginals_count;
    bool prefixes;    /* false; true: a marginal of one column asks for "at most v", not for "v" */
    uint32_t rounds;  /* 10 */
    uint32_t replays; /* 20: how often a round goes through all measurements */
} dusk_mwem_options;
DUSK_API void dusk_mwem_options_init(dusk_mwem_options *options);
/* What dusk_mwem_release will state, or why it will refuse: the rows are not looked at. */
DUSK_API DUSK_MUST_USE dusk_status dusk_mwem_state(dusk_statement *out, const dusk_aggregate *how,
                                                   const dusk_mwem_options *options, const dusk_table *domain,
                                                   dusk_error *err);
/* `model` has a weight >= 0 for every cell of the domain, the last column's value changing
 * fastest; their sum is the number of rows as far as it is known. With probability
 * how->confidence every query of the workload, answered by the model, is within *error
 * of the exact count (of up to 2^42 rows): a bound that is made from what was
 * released. Time, memory and coins of the choices depend on the data, as in
 * dusk_selection_release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_mwem_release(double *model, double *error, dusk_statement *statement,
                                                     const dusk_aggregate *how,
                                                     const dusk_mwem_options *options,
                                                     const dusk_table *table, dusk_generator *gen,
                                                     dusk_error *err);

/* A synthetic table [McKenna, Miklau & Sheldon 2021: MST]: the counts of every column are
 * measured, a spanning tree of pairs of columns is chosen (exponential mechanism, by how far a
 * pair is from independent), the counts of its pairs are measured, each for a third of the budget.
 * From counts that are made to agree follows a model in which every column depends on its
 * neighbours in the tree, and from the model as many rows as are wanted. Values that are
 * hardly there, by less than three deviations of the noise, are measured together. All pairs
 * of columns have at most DUSK_CELLS_MAX cells each. */
typedef struct dusk_synthetic_table dusk_synthetic_table;
/* Release the model: choices and measurements under one promise. Time and memory depend on the
 * number of rows; those of choices, and their coins, on the data, as in dusk_selection_release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_release(dusk_synthetic_table **out,
                                                                dusk_statement *statement,
                                                                const dusk_aggregate *how,
                                                                const dusk_table *table, dusk_generator *gen,
                                                                dusk_error *err);
DUSK_API void dusk_synthetic_table_free(dusk_synthetic_table *synthetic);
/* The number of rows as far as it is known. */
DUSK_API uint64_t dusk_synthetic_table_rows(const dusk_synthetic_table *synthetic);
/* neighbour[c]: the column on which column c depends in the model; column 0 depends on none. */
DUSK_API void dusk_synthetic_table_tree(const dusk_synthetic_table *synthetic, uint32_t *neighbour);
/* With probability at least `confidence` all counts of single columns were measured to within
 * *single, and all counts of pairs in the tree to within *pair (0 when there is one column). */
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_interval(const dusk_synthetic_table *synthetic,
                                                                 double *single, double *pair,
                                                                 double confidence, dusk_error *err);
/* The model's counts for a marginal, and `rows` rows of the model, row by row. Public
 * post-processing, costs nothing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_marginal(const dusk_synthetic_table *synthetic,
                                                                 double *counts,
                                                                 const dusk_marginal *marginal,
                                                                 dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_synthetic_table_draw(const dusk_synthetic_table *synthetic,
                                                             uint32_t *codes, size_t rows,
                                                             dusk_generator *gen, dusk_error *err);

/* ---- Hierarchies ------------------------------------------------------------------- */

/* Counts over a public tree of regions. Every node gets a noisy count, level by level
 * (level 0 is the root), and the counts are then made to agree, children with their
 * parent, by least squares [Hay, Rastogi, Miklau & Suciu 2010; the census' "top-down"
 * release: Abowd et al. 2022]. A row is in one leaf or in none; so it is in one node of
 * a level at most, the levels share the promise, and the nodes of a level do not.
 * Delta 0: discrete Laplace noise, levels share epsilon; otherwise rounded Gaussian
 * noise, levels share 1 / sigma^2. No count is taken as known: whatever shall hold
 * exactly has to be declared by leaving it out of the tree. */
typedef struct dusk_hierarchy dusk_hierarchy;
#define DUSK_HIERARCHY_LEVELS_MAX 64
#define DUSK_HIERARCHY_NODES_MAX (1u << 26)

/* Node 0 is the root, and parents[i] < i for every other node i; leaves are the nodes
 * that are nobody's parent, at any level. `shares` says how the promise is divided among
 * the `levels` levels: numbers >= 0 of which only the proportions matter; NULL and 0:
 * equal shares. A level with share 0 is not counted; levels with leaves cannot have it. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_new(dusk_hierarchy **out, const dusk_aggregate *how,
                                                      const uint32_t *parents, size_t nodes,
                                                      const double *shares, size_t levels, dusk_error *err);
DUSK_API void dusk_hierarchy_free(dusk_hierarchy *hierarchy);
/* The shares with the least sum of the noisy counts' variances over all nodes, for
 * Laplace (delta 0) or Gaussian noise: (nodes of the level)^(1/3), or its square root.
 * *levels: how many; `shares` has room for DUSK_HIERARCHY_LEVELS_MAX. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_optimal_shares(double *shares, size_t *levels,
                                                                 const uint32_t *parents, size_t nodes,
                                                                 double delta, dusk_error *err);
/* Noisy counts of all nodes; NaN for those of a level with share 0. exact[i] is the number
 * of rows in leaf i; what it holds for other nodes is not looked at. Each call is a release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_release(const dusk_hierarchy *hierarchy, double *noisy,
                                                          const uint64_t *exact, dusk_generator *gen,
                                                          dusk_error *err);
/* Public post-processing, costs nothing. _fit: the linear unbiased estimates of least
 * variance in which children add up to their parents (as doubles do). _whole: whole
 * numbers >= 0 near the fitted ones in which they add up exactly, made from the root
 * down; small counts are biased upwards by it. `fitted` may be `noisy` (`whole` be
 * `fitted`). */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_fit(const dusk_hierarchy *hierarchy, double *fitted,
                                                      const double *noisy, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_whole(const dusk_hierarchy *hierarchy, double *whole,
                                                        const double *fitted, dusk_error *err);
/* One release: the sum of its levels' events. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_event(const dusk_hierarchy *hierarchy, dusk_event *out,
                                                        dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_state(const dusk_hierarchy *hierarchy, dusk_statement *out,
                                                        dusk_error *err);
/* With probability at least how->confidence all exact counts are within half_widths[i]
 * of the noisy ones (`fitted` false; NaN where there is none), or of the fitted ones, up
 * to the rounding of doubles. They are public, and known before the release. Fitted
 * counts: with Gaussian noise from the exact variance of each, with Laplace noise from
 * tail bounds that are near what is true. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_interval(const dusk_hierarchy *hierarchy,
                                                           double *half_widths, bool fitted, dusk_error *err);

/* Any sum over leaves: of weights[i] fitted[i], other nodes are not looked at. With
 * probability at least how->confidence this one is within *half_width (may be NULL) of the
 * sum of the exact counts; from its exact variance, so far below the sum of half-widths.
 * Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_query(const dusk_hierarchy *hierarchy, double *value,
                                                        double *half_width, const double *weights,
                                                        const double *fitted, dusk_error *err);

/* A balanced tree over `leaves` bins in a row, `branching` >= 2 of them below a node: its
 * last `leaves` nodes are the bins in their order, all of one level. With fitted counts,
 * sums over adjacent bins err less than sums of a plain histogram. *nodes: how many
 * nodes it has; `parents` may be NULL, to ask for that only. */
DUSK_API DUSK_MUST_USE dusk_status dusk_hierarchy_balanced(uint32_t *parents, size_t *nodes, size_t leaves,
                                                           uint32_t branching, dusk_error *err);
/* The branching that is best for random ranges of so many bins with equal shares
 * [Qardaji, Yang & Li 2013, equation 3; two dimensions: section 5.1, for a side]. */
DUSK_API uint32_t dusk_hierarchy_branching(size_t leaves, unsigned dimensions);

/* Spatial histogram: a complete tree of cells over a public box, each cell split into
 * split x split equal ones [Cormode, Procopiuc, Srivastava, Shen & Yu 2012]; a quadtree
 * where split is 2. Cells are counted, fitted and enclosed as nodes of a hierarchy. */
typedef struct dusk_box {
    double x_low, x_high, y_low, y_high;
} dusk_box;

/* What becomes of points that are not in the box; a point with a NaN is never counted. */
typedef enum dusk_outside {
    DUSK_OUTSIDE_DROP = 1, /* they are in no cell     */
    DUSK_OUTSIDE_CLAMP = 2 /* they are moved to its edge */
} dusk_outside;

typedef struct dusk_quadtree dusk_quadtree;
#define DUSK_QUADTREE_CELLS_MAX (1u << 24)

/* split^(2 depth) cells on the last level, at most DUSK_QUADTREE_CELLS_MAX. `shares` has
 * depth + 1 numbers as for dusk_hierarchy_new; NULL: those of least variance for ranges
 * that touch split^l cells of level l, growing by split^(1/3) a level for Laplace noise
 * (the "geometric" budget) and by split^(1/2) for Gaussian noise. */
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_new(dusk_quadtree **out, const dusk_aggregate *how,
                                                     const dusk_box *box, uint32_t split, uint32_t depth,
                                                     const double *shares, dusk_outside outside,
                                                     dusk_error *err);
DUSK_API void dusk_quadtree_free(dusk_quadtree *quadtree);
/* Its tree, for dusk_hierarchy_fit, _whole, _event and _interval. Node 0 is the box; the
 * cells of node i are the nodes split^2 i + 1 and following. Borrowed. */
DUSK_API const dusk_hierarchy *dusk_quadtree_hierarchy(const dusk_quadtree *quadtree);
DUSK_API size_t dusk_quadtree_nodes(const dusk_quadtree *quadtree);
/* Where node i lies. A cell has its low edges, and its high ones only at the end of the box. */
DUSK_API dusk_box dusk_quadtree_cell(const dusk_quadtree *quadtree, size_t node);
/* Noisy counts of the n points (x[i], y[i]) for all nodes. Each call is a release. */
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_release(const dusk_quadtree *quadtree, double *noisy,
                                                         const double *x, const double *y, size_t n,
                                                         dusk_generator *gen, dusk_error *err);
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_state(const dusk_quadtree *quadtree, dusk_statement *out,
                                                       dusk_error *err);
/* How many points lie in `range`, from fitted counts: cells of the last level that it cuts
 * count with the part of their area. With probability at least how->confidence noise puts
 * this one answer off by at most *half_width (may be NULL); that points lie evenly in the
 * cells that are cut is an assumption. Public post-processing. */
DUSK_API DUSK_MUST_USE dusk_status dusk_quadtree_query(const dusk_quadtree *quadtree, double *value,
                                                       double *half_width, const double *fitted,
                                                       const dusk_box *range, dusk_error *err);

#ifdef __cplusplus
}
#endif
#endif
