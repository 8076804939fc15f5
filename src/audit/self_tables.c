/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, models, hierarchies and maps as subjects of the suite; see self.h. The row that is
 * added is in a cell of every marginal and in a node of every level. */
#include <math.h>

#include "audit/self.h"
#include "base/memory.h"
#include "dusk/mechanisms_tables.h"

static void set_how(dusk_aggregate *how, dusk_neighbours neighbours, double epsilon)
{
    dusk_aggregate_init(how);
    how->neighbours = neighbours;
    how->epsilon = epsilon;
}

static double least_of(const double *x, size_t n)
{
    double least = x[0];
    for (size_t i = 1; i < n; i++) least = fmin(least, x[i]);
    return least;
}

static dusk_status begin_adding(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    set_how(state, DUSK_ADD_REMOVE, *epsilon);
    return DUSK_OK;
}

static dusk_status begin_replacing(void *state, double *epsilon, dusk_error *err)
{
    (void)err;
    set_how(state, DUSK_REPLACE_ONE, *epsilon);
    return DUSK_OK;
}

/* ---- Marginals ------------------------------------------------------------------- */

#define COLUMNS 2
static const uint32_t two_by_two[COLUMNS] = { 2, 2 };
static const dusk_marginal singles[COLUMNS] = { { 1, { 0 } }, { 1, { 1 } } };

static dusk_status count_cells(const dusk_aggregate *how, double counts[4], const uint32_t *codes,
                               size_t rows, dusk_generator *gen, dusk_error *err)
{
    const dusk_table table = { COLUMNS, two_by_two, rows, codes };
    double half_width;
    dusk_statement statement;
    return dusk_marginals_release(counts, &half_width, &statement, how, &table, singles, COLUMNS, gen, err);
}

static dusk_status release_marginals(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    static const uint32_t codes[] = { 0, 0 };
    double counts[4] = { 0 };
    dusk_status status = count_cells(state, counts, codes, (size_t)world, gen, err);
    *out = fmin(counts[0], counts[2]);
    return status;
}

static const self_mechanism marginals = { .output_length = 1,
                                          .pair_count = 1,
                                          .names = { "a row is added" },
                                          .draws = 60000,
                                          .state = sizeof(dusk_aggregate),
                                          .begin = begin_adding,
                                          .one = release_marginals,
                                          .exact = audit_self_tight };
SELF_OPEN(marginals)

static dusk_status release_exchanged(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    static const uint32_t codes[][COLUMNS] = { { 0, 0 }, { 1, 1 } };
    double c[4] = { 0 };
    dusk_status status = count_cells(state, c, codes[world], 1, gen, err);
    *out = least_of((double[]){ -c[0], c[1], -c[2], c[3] }, 4);
    return status;
}

static const self_mechanism marginals_replaced = { .output_length = 1,
                                                   .pair_count = 1,
                                                   .names = { "a row is exchanged for its opposite" },
                                                   .draws = 100000,
                                                   .state = sizeof(dusk_aggregate),
                                                   .begin = begin_replacing,
                                                   .one = release_exchanged,
                                                   .exact = audit_self_tight };
SELF_OPEN(marginals_replaced)

/* ---- Models ---------------------------------------------------------------------- */

#define ROUNDS 4

/* One column of two values: the model is two weights. Their difference moves with what was
 * measured, their sum with the number of rows. */
static dusk_status release_mwem(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    static const uint32_t codes[] = { 0, 0, 0, 0 };
    const dusk_table table = { 1, two_by_two, world == 0 ? 1 : 2, codes };
    dusk_mwem_options options;
    dusk_statement statement;
    double model[2] = { 0 }, error;
    dusk_mwem_options_init(&options);
    options.marginals = singles;
    options.marginals_count = 1;
    options.rounds = ROUNDS;
    dusk_status status = dusk_mwem_release(model, &error, &statement, state, &options, &table, gen, err);
    out[0] = model[0] - model[1];
    out[1] = model[0] + model[1];
    return status;
}

static const self_mechanism mwem = { .output_length = 2,
                                     .pair_count = 1,
                                     .names = { "a row is added" },
                                     .draws = 40000,
                                     .state = sizeof(dusk_aggregate),
                                     .begin = begin_adding,
                                     .one = release_mwem };
SELF_OPEN(mwem)

/* Three columns: which pair is left out of the tree, and counts of the model. */
#define SYNTHETIC_COLUMNS 3
#define SYNTHETIC_ROWS 8

static dusk_status release_model(const dusk_aggregate *how, double *out, const uint32_t *codes, size_t rows,
                                 dusk_generator *gen, dusk_error *err)
{
    static const uint32_t sizes[SYNTHETIC_COLUMNS] = { 2, 2, 2 };
    static const dusk_marginal first = { 1, { 0 } };
    const dusk_table table = { SYNTHETIC_COLUMNS, sizes, rows, codes };
    dusk_synthetic_table *synthetic = NULL;
    dusk_statement statement;
    uint32_t neighbour[SYNTHETIC_COLUMNS] = { 0 };
    double counts[2] = { 0 };
    dusk_status status = dusk_synthetic_table_release(&synthetic, &statement, how, &table, gen, err);
    if (status == DUSK_OK) status = dusk_synthetic_table_marginal(synthetic, counts, &first, err);
    if (status == DUSK_OK) {
        dusk_synthetic_table_tree(synthetic, neighbour);
        out[0] = 4 * neighbour[1] + neighbour[2];
        out[1] = counts[0];
        out[2] = counts[1];
    }
    dusk_synthetic_table_free(synthetic);
    return status;
}

/* Columns that agree in all rows, and a row more in which the first one does not. */
static dusk_status release_synthetic(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    static const uint32_t codes[] = { 1, 0, 0, 0, 0, 0, 1, 1, 1 };
    return release_model(state, out, world == 0 ? codes + SYNTHETIC_COLUMNS : codes, world == 0 ? 2 : 3, gen,
                         err);
}

static const self_mechanism synthetic = { .output_length = 3,
                                          .pair_count = 1,
                                          .names = { "a row that is unlike the others" },
                                          .draws = 30000,
                                          .state = sizeof(dusk_aggregate),
                                          .begin = begin_adding,
                                          .one = release_synthetic };
SELF_OPEN(synthetic)

/* ---- Hierarchies ----------------------------------------------------------------- */

/* A root, two nodes below it, and two leaves below the first of these. */
#define NODES 5
static const uint32_t parents[NODES] = { 0, 0, 0, 1, 1 };

typedef struct hierarchy_state {
    dusk_hierarchy *hierarchy;
} hierarchy_state;

static dusk_status begin_hierarchy(void *state, double *epsilon, dusk_error *err)
{
    hierarchy_state *s = state;
    dusk_aggregate how;
    set_how(&how, DUSK_ADD_REMOVE, *epsilon);
    return dusk_hierarchy_new(&s->hierarchy, &how, parents, NODES, NULL, 0, err);
}

static void end_hierarchy(void *state)
{
    hierarchy_state *s = state;
    dusk_hierarchy_free(s->hierarchy);
}

static dusk_status count_nodes(const hierarchy_state *s, double noisy[NODES], int world, dusk_generator *gen,
                               dusk_error *err)
{
    const uint64_t exact[NODES] = { 0, 0, 0, (uint64_t)world, 0 };
    return dusk_hierarchy_release(s->hierarchy, noisy, exact, gen, err);
}

/* A row in a leaf of the last level raises it and all above it. */
static dusk_status release_hierarchy(void *state, double *out, int world, dusk_generator *gen,
                                     dusk_error *err)
{
    double noisy[NODES] = { 0 };
    dusk_status status = count_nodes(state, noisy, world, gen, err);
    *out = fmin(fmin(noisy[0], noisy[1]), noisy[3]);
    return status;
}

static const self_mechanism hierarchy = { .output_length = 1,
                                          .pair_count = 1,
                                          .names = { "a row is added to the last level" },
                                          .state = sizeof(hierarchy_state),
                                          .begin = begin_hierarchy,
                                          .one = release_hierarchy,
                                          .end = end_hierarchy,
                                          .exact = audit_self_tight };
SELF_OPEN(hierarchy)

/* The same, and the claim is what its event says. */
static dusk_status begin_hierarchy_event(void *state, double *epsilon, dusk_error *err)
{
    hierarchy_state *s = state;
    dusk_composition *claim = NULL;
    dusk_account account;
    dusk_event event;
    dusk_status status = begin_hierarchy(state, epsilon, err);
    if (status != DUSK_OK) return status;
    DUSK_TRY(dusk_hierarchy_event(s->hierarchy, &event, err));
    DUSK_TRY(dusk_composition_new(&claim, DUSK_ADD_REMOVE, err));
    DUSK_TRY(dusk_composition_add(claim, &event, 1, err));
    DUSK_TRY(dusk_account_epsilon(&account, claim, 0, DUSK_BEST, err));
    *epsilon = account.bound.upper;
done:
    dusk_composition_free(claim);
    if (status != DUSK_OK) end_hierarchy(state);
    return status;
}

static const self_mechanism hierarchy_event = { .output_length = 1,
                                                .pair_count = 1,
                                                .names = { "a row is added to the last level" },
                                                .state = sizeof(hierarchy_state),
                                                .begin = begin_hierarchy_event,
                                                .one = release_hierarchy,
                                                .end = end_hierarchy };
SELF_OPEN(hierarchy_event)

/* Two nodes of one level: noise that they shared would vanish. */
static dusk_status release_siblings(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    double noisy[NODES] = { 0 };
    dusk_status status = count_nodes(state, noisy, world, gen, err);
    *out = noisy[3] - noisy[4];
    return status;
}

static const self_mechanism siblings = { .output_length = 1,
                                         .pair_count = 1,
                                         .names = { "a row is added to one of them" },
                                         .state = sizeof(hierarchy_state),
                                         .begin = begin_hierarchy,
                                         .one = release_siblings,
                                         .end = end_hierarchy };
SELF_OPEN(siblings)

/* A root that is not counted and two leaves: all of epsilon is theirs. */
#define LEAVES 2

static dusk_status begin_exchange(void *state, double *epsilon, dusk_error *err)
{
    static const uint32_t above[1 + LEAVES] = { 0, 0, 0 };
    static const double shares[] = { 0, 1 };
    hierarchy_state *s = state;
    dusk_aggregate how;
    set_how(&how, DUSK_REPLACE_ONE, *epsilon);
    return dusk_hierarchy_new(&s->hierarchy, &how, above, 1 + LEAVES, shares, 2, err);
}

/* A row goes from one leaf to the other. */
static dusk_status release_exchange(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const hierarchy_state *s = state;
    const uint64_t exact[1 + LEAVES] = { 0, world == 0, world == 1 };
    double noisy[1 + LEAVES] = { 0 };
    dusk_status status = dusk_hierarchy_release(s->hierarchy, noisy, exact, gen, err);
    *out = fmin(noisy[2], -noisy[1]);
    return status;
}

static const self_mechanism hierarchy_replaced = { .output_length = 1,
                                                   .pair_count = 1,
                                                   .names = { "a row goes from one leaf to the other" },
                                                   .state = sizeof(hierarchy_state),
                                                   .begin = begin_exchange,
                                                   .one = release_exchange,
                                                   .end = end_hierarchy,
                                                   .exact = audit_self_tight };
SELF_OPEN(hierarchy_replaced)

/* A balanced tree over four bins: three levels. */
#define BINS 4
#define BIN_NODES 7

static dusk_status begin_ranges(void *state, double *epsilon, dusk_error *err)
{
    hierarchy_state *s = state;
    dusk_aggregate how;
    uint32_t above[BIN_NODES] = { 0 };
    size_t nodes = 0;
    set_how(&how, DUSK_ADD_REMOVE, *epsilon);
    dusk_status status = dusk_hierarchy_balanced(above, &nodes, BINS, 2, err);
    if (status == DUSK_OK) status = dusk_hierarchy_new(&s->hierarchy, &how, above, nodes, NULL, 0, err);
    return status;
}

static dusk_status release_ranges(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    const hierarchy_state *s = state;
    uint64_t exact[BIN_NODES] = { 0 };
    double noisy[BIN_NODES] = { 0 };
    exact[BIN_NODES - BINS] = (uint64_t)world;
    dusk_status status = dusk_hierarchy_release(s->hierarchy, noisy, exact, gen, err);
    *out = fmin(fmin(noisy[0], noisy[1]), noisy[BIN_NODES - BINS]);
    return status;
}

static const self_mechanism ranges = { .output_length = 1,
                                       .pair_count = 1,
                                       .names = { "a row is added to the first bin" },
                                       .state = sizeof(hierarchy_state),
                                       .begin = begin_ranges,
                                       .one = release_ranges,
                                       .end = end_hierarchy,
                                       .exact = audit_self_tight };
SELF_OPEN(ranges)

/* ---- Maps ------------------------------------------------------------------------ */

/* The box and four cells. */
#define CELLS 5

typedef struct map_state {
    dusk_quadtree *quadtree;
} map_state;

static dusk_status begin_map(void *state, double *epsilon, dusk_error *err)
{
    static const dusk_box box = { 0, 1, 0, 1 };
    static const double shares[] = { 1, 1 };
    map_state *s = state;
    dusk_aggregate how;
    set_how(&how, DUSK_ADD_REMOVE, *epsilon);
    return dusk_quadtree_new(&s->quadtree, &how, &box, 2, 1, shares, DUSK_OUTSIDE_DROP, err);
}

/* The box and those of its cells that a point is in: one, or two where it were counted on both
 * sides of an edge. */
static dusk_status release_point(const map_state *s, double *out, double x, size_t points, size_t cells,
                                 dusk_generator *gen, dusk_error *err)
{
    const double y = 0.25;
    double noisy[CELLS] = { 0 };
    dusk_status status = dusk_quadtree_release(s->quadtree, noisy, &x, &y, points, gen, err);
    *out = least_of(noisy, 1 + cells);
    return status;
}

static dusk_status release_map(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return release_point(state, out, 0.25, (size_t)world, 1, gen, err);
}

static dusk_status release_edge(void *state, double *out, int world, dusk_generator *gen, dusk_error *err)
{
    return release_point(state, out, 0.5, (size_t)world, 2, gen, err);
}

static void end_map(void *state)
{
    map_state *s = state;
    dusk_quadtree_free(s->quadtree);
}

static const self_mechanism quadtree = { .output_length = 1,
                                         .pair_count = 1,
                                         .names = { "a point in a cell" },
                                         .state = sizeof(map_state),
                                         .begin = begin_map,
                                         .one = release_map,
                                         .end = end_map,
                                         .exact = audit_self_tight };
SELF_OPEN(quadtree)

static const self_mechanism edge = { .output_length = 1,
                                     .pair_count = 1,
                                     .names = { "a point on the edge of two cells" },
                                     .state = sizeof(map_state),
                                     .begin = begin_map,
                                     .one = release_edge,
                                     .end = end_map };
SELF_OPEN(edge)

const audit_subject audit_self_tables[] = {
    SELF_ROW("dusk.marginals", marginals, "counts of two columns"),
    SELF_ROW("dusk.marginals.replace-one", marginals_replaced, "counts of two columns, a row is exchanged"),
    SELF_ROW("dusk.mwem", mwem, "a model of one column that learns in four rounds"),
    SELF_ROW("dusk.synthetic-table", synthetic, "a model of three columns and the tree of their pairs"),
    SELF_ROW("dusk.hierarchy", hierarchy, "counts over a tree of three levels"),
    SELF_ROW("dusk.hierarchy.event", hierarchy_event, "the same, held against its own account"),
    SELF_ROW("dusk.hierarchy.siblings", siblings, "the difference of two of its nodes"),
    SELF_ROW("dusk.hierarchy.replace-one", hierarchy_replaced, "counts of two leaves, a row is exchanged"),
    SELF_ROW("dusk.range-histogram", ranges, "counts over a balanced tree of four bins"),
    SELF_ROW("dusk.quadtree", quadtree, "counts of the cells of a map"),
    SELF_ROW("dusk.quadtree.edge", edge, "the same for a point on an edge"),
    { .says = { .name = NULL } },
};
