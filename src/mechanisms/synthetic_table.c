/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic table by select, measure, generate [McKenna, Miklau & Sheldon 2021, "Winning the NIST
 * contest", Algorithm 1: MST]. The data is used three times, as the schedule says: counts
 * of single columns, choices of pairs, counts of the chosen pairs. All else is made from these.
 * Counts that are made to agree by least squares without negative ones are what
 * Private-PGM would find for a tree [McKenna, Sheldon & Miklau 2019], in closed form.
 * Proof: synthetic_table.proof.md. */
#include "mechanisms/synthetic_table.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "mechanisms/aggregate.h"
#include "mechanisms/noise.h"
#include "mechanisms/packing.h"
#include "mechanisms/spanning_tree.h"
#include "mechanisms/tree_model.h"
#include "numeric/rounding.h"
#include "random/rounded.h"

struct dusk_synthetic_table {
    uint32_t sizes[DUSK_TABLE_COLUMNS_MAX];
    dusk_packing packing;
    dusk_tree_model model; /* of packed values */
    double total;
    dusk_noise single, pair; /* their dimension: how many counts were measured */
};

typedef struct maker {
    const dusk_aggregate *how;
    const dusk_table *table;
    dusk_schedule_part parts[DUSK_SYNTHETIC_PARTS];
    size_t parts_count;
    uint32_t *codes; /* packed rows */
    dusk_table packed;
    dusk_marginal views[2 * DUSK_TABLE_COLUMNS_MAX]; /* columns, then pairs of the tree */
    double variances[2 * DUSK_TABLE_COLUMNS_MAX];
    dusk_column_pair edges[DUSK_TABLE_COLUMNS_MAX];
    double *noisy;  /* single counts as measured */
    double *counts; /* of the views, packed */
} maker;

/* --- plan ------------------------------------------------------------------------- */

static dusk_status check(const dusk_aggregate *how, const dusk_table *table, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t singles = 0, most = 0;
    DUSK_TRY(dusk_aggregate_check(how, false, err));
    DUSK_TRY(dusk_table_check(table, err));
    for (uint32_t i = 0; i < table->columns; i++) {
        singles += table->sizes[i];
        for (uint32_t j = i; j < table->columns; j++) {
            dusk_marginal pair = { i == j ? 1 : 2, { i, j } };
            DUSK_TRY(dusk_marginal_check(table, &pair, err));
            size_t cells = dusk_marginal_cells(table, &pair);
            if (i != j && cells > most) most = cells;
        }
    }
    if (singles + (table->columns - 1) * most > DUSK_CELLS_MAX) /* whatever tree it will be */
        return dusk_fail(err, DUSK_ERR_ARGUMENT, "take fewer columns, or columns of fewer values",
                         "the pairs of a tree may have more than %u cells", DUSK_CELLS_MAX);
done:
    return status;
}

DUSK_PROVEN(dusk_synthetic_table_parts)
size_t dusk_synthetic_table_parts(dusk_schedule_part parts[DUSK_SYNTHETIC_PARTS], const dusk_aggregate *how,
                                  size_t columns)
{
    double m = how->rows_per_unit, share = columns > 1 ? 1.0 / 3 : 1;
    double sides = DUSK_MUTATE(PAIR_SCORE_ONE_SIDED, how->neighbours == DUSK_REPLACE_ONE ? 2 : 1, 1);
    parts[DUSK_SYNTHETIC_SINGLES] = (dusk_schedule_part){
        .times = 1, .share = share, .sensitivity = dusk_marginals_change(how, columns), .dimension = 1
    };
    parts[DUSK_SYNTHETIC_CHOICES] = (dusk_schedule_part){
        .choice = true, .times = columns - 1, .share = share, .sensitivity = sides * m
    };
    parts[DUSK_SYNTHETIC_PAIRS] = (dusk_schedule_part){
        .times = 1, .share = share, .sensitivity = dusk_marginals_change(how, columns - 1), .dimension = 1
    };
    return columns > 1 ? DUSK_SYNTHETIC_PARTS : DUSK_SYNTHETIC_CHOICES;
}

static double variance_of(const dusk_noise *noise)
{
    double square = noise->scale * noise->scale;
    return noise->law == DUSK_DISCRETE_LAPLACE ? 2 * square : square;
}

/* --- measuring -------------------------------------------------------------------- */

/* Noisy counts of n marginals, one after the other; `noise` gets their number as dimension. */
DUSK_PROVEN(measure)
static dusk_status measure(double *counts, dusk_noise *noise, const dusk_table *table,
                           const dusk_marginal *marginals, size_t n, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_pool pool = { 0 };
    uint64_t *exact = NULL;
    size_t cells = 0, at = 0;

    DUSK_TRY(dusk_marginals_cells(&cells, table, marginals, n, err));
    noise->dimension = (uint32_t)cells;
    DUSK_NEW(exact, cells);
    DUSK_TRY(dusk_pool_draw(&pool, noise, cells, DUSK_WIDTH_FULL, gen, err));
    for (size_t i = 0; i < n; i++) {
        dusk_marginal_count(exact + at, table, &marginals[i]);
        at += dusk_marginal_cells(table, &marginals[i]);
    }
    for (size_t i = 0; i < cells; i++) counts[i] = (double)dusk_pool_add(&pool, i, exact[i]);
    for (size_t i = 0; i < cells && DUSK_MUTATE(SYNTHETIC_MEASURES_EXACTLY, false, true); i++)
        counts[i] = (double)exact[i];
done:
    dusk_pool_clear(&pool);
    if (exact) dusk_wipe(exact, cells * sizeof *exact);
    dusk_deallocate(exact);
    return status;
}

static double known_total(const maker *k)
{
    return dusk_aggregate_size_is_public(k->how) ? (double)k->table->rows : (double)NAN;
}

/* The single counts as measured, packed. */
static void pack_singles(const maker *k, const dusk_synthetic_table *out, double *counts)
{
    const double *noisy = k->noisy;
    for (size_t c = 0; c < k->packed.columns; c++) {
        dusk_packing_counts(&out->packing, c, counts, noisy);
        counts += out->packing.packed[c];
        noisy += out->sizes[c];
    }
}

/* Single columns: measure, pack what is rare, and make them agree on a total >= 0. */
static dusk_status measure_singles(maker *k, dusk_synthetic_table *out, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t cells = 0, columns = k->table->columns;
    double gap;

    for (uint32_t c = 0; c < columns; c++) k->views[c] = (dusk_marginal){ 1, { c } };
    DUSK_TRY(dusk_marginals_cells(&cells, k->table, k->views, columns, err));
    DUSK_NEW(k->noisy, cells);
    DUSK_TRY(measure(k->noisy, &out->single, k->table, k->views, columns, gen, err));
    DUSK_TRY(dusk_packing_make(&out->packing, k->table, k->noisy, 3 * sqrt(variance_of(&out->single)), err));
    out->packing.sizes = out->sizes; /* the caller's may go */
    k->packed = (dusk_table){
        .columns = columns, .sizes = out->packing.packed, .rows = k->table->rows, .codes = k->codes
    };
    dusk_packing_rows(&out->packing, k->codes, k->table);
    DUSK_NEW(k->counts, cells);
    pack_singles(k, out, k->counts);
    DUSK_TRY(dusk_marginals_reconcile(k->counts, &gap, &k->packed, k->views, columns, NULL, known_total(k),
                                      true, err));
done:
    return status;
}

/* Where the counts of each column begin. */
static void point_to_singles(const maker *k, const double **singles)
{
    const double *count = k->counts;
    for (size_t c = 0; c < k->packed.columns; c++) {
        singles[c] = count;
        count += k->packed.sizes[c];
    }
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum;
}

/* Which pairs: scores against independent columns, then a spanning tree. */
DUSK_PROVEN(choose_pairs)
static dusk_status choose_pairs(maker *k, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t columns = k->packed.columns, pairs = columns * (columns - 1) / 2, at = 0, most = 0;
    const double *singles[DUSK_TABLE_COLUMNS_MAX];
    double *scores = NULL, total;
    uint64_t *exact = NULL;

    point_to_singles(k, singles);
    total = sum_of(singles[0], k->packed.sizes[0]);
    for (size_t i = 0; i < columns; i++)
        for (size_t j = i + 1; j < columns; j++) {
            size_t cells = (size_t)k->packed.sizes[i] * k->packed.sizes[j];
            most = cells > most ? cells : most;
        }
    DUSK_NEW(scores, pairs);
    DUSK_NEW(exact, most);
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = i + 1; j < columns; j++)
            scores[at++] = dusk_pair_score(exact, &k->packed, (dusk_column_pair){ i, j }, singles, total);
    DUSK_TRY(dusk_spanning_tree_release(k->edges, columns, scores,
                                        &k->parts[DUSK_SYNTHETIC_CHOICES].selection, gen, err));
done:
    if (scores) dusk_wipe(scores, pairs * sizeof *scores);
    if (exact) dusk_wipe(exact, most * sizeof *exact);
    dusk_deallocate(scores);
    dusk_deallocate(exact);
    return status;
}

/* The pairs of the tree: measured, and made to agree with each other and the columns. */
static dusk_status measure_pairs(maker *k, dusk_synthetic_table *out, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t columns = k->packed.columns, single_cells = 0, cells = 0;
    double gap, *all = NULL;

    for (size_t c = 0; c < columns; c++) k->variances[c] = variance_of(&out->single);
    for (size_t e = 0; e + 1 < columns; e++) {
        k->views[columns + e] = (dusk_marginal){ 2, { k->edges[e].first, k->edges[e].second } };
        k->variances[columns + e] = variance_of(&out->pair);
    }
    DUSK_TRY(dusk_marginals_cells(&single_cells, &k->packed, k->views, columns, err));
    DUSK_TRY(dusk_marginals_cells(&cells, &k->packed, k->views, 2 * columns - 1, err));
    DUSK_NEW(all, cells);
    pack_singles(k, out, all);
    DUSK_TRY(measure(all + single_cells, &out->pair, &k->packed, k->views + columns, columns - 1, gen, err));
    DUSK_TRY(dusk_marginals_reconcile(all, &gap, &k->packed, k->views, 2 * columns - 1, k->variances,
                                      known_total(k), true, err));
    dusk_deallocate(k->counts);
    k->counts = all;
    all = NULL;
done:
    dusk_deallocate(all);
    return status;
}

static dusk_status build_model(maker *k, dusk_synthetic_table *out, dusk_error *err)
{
    const double *singles[DUSK_TABLE_COLUMNS_MAX], *at;
    dusk_tree_edge edges[DUSK_TABLE_COLUMNS_MAX];
    size_t columns = k->packed.columns;

    point_to_singles(k, singles);
    at = singles[columns - 1] + k->packed.sizes[columns - 1];
    for (size_t e = 0; e + 1 < columns; e++) {
        edges[e] = (dusk_tree_edge){ k->edges[e].first, k->edges[e].second, at };
        at += (size_t)k->packed.sizes[k->edges[e].first] * k->packed.sizes[k->edges[e].second];
    }
    out->total = isnan(known_total(k)) ? sum_of(singles[0], k->packed.sizes[0]) : known_total(k);
    return dusk_tree_model_make(&out->model, &k->packed, singles, edges, err);
}

DUSK_PROVEN(dusk_synthetic_table_release)
dusk_status dusk_synthetic_table_release(dusk_synthetic_table **out, dusk_statement *statement,
                                         const dusk_aggregate *how, const dusk_table *table,
                                         dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    maker k = { .how = how, .table = table };
    dusk_synthetic_table *made = NULL;
    dusk_statement stated;
    size_t codes = table->rows * table->columns;

    *out = NULL;
    DUSK_TRY(check(how, table, err));
    k.parts_count = dusk_synthetic_table_parts(k.parts, how, table->columns);
    DUSK_TRY(dusk_schedule_calibrate(k.parts, k.parts_count, how, &stated, err));
    DUSK_TRY(dusk_statement_assume(&stated, "domain declared", err));
    DUSK_NEW(made, 1);
    for (size_t c = 0; c < table->columns; c++) made->sizes[c] = table->sizes[c];
    made->single = k.parts[DUSK_SYNTHETIC_SINGLES].noise;
    made->pair = k.parts[DUSK_SYNTHETIC_PAIRS].noise;
    DUSK_NEW(k.codes, codes);
    DUSK_TRY(measure_singles(&k, made, gen, err));
    if (table->columns > 1) {
        DUSK_TRY(choose_pairs(&k, gen, err));
        DUSK_TRY(measure_pairs(&k, made, gen, err));
    }
    DUSK_TRY(build_model(&k, made, err));
    *statement = stated;
    *out = made;
    made = NULL;
done:
    if (k.codes) dusk_wipe(k.codes, codes * sizeof *k.codes);
    dusk_deallocate(k.codes);
    dusk_deallocate(k.noisy);
    dusk_deallocate(k.counts);
    dusk_synthetic_table_free(made);
    return status;
}

/* --- what it says ------------------------------------------------------------------- */

void dusk_synthetic_table_free(dusk_synthetic_table *synthetic)
{
    if (!synthetic) return;
    dusk_packing_clear(&synthetic->packing);
    dusk_tree_model_clear(&synthetic->model);
    dusk_deallocate(synthetic);
}

uint64_t dusk_synthetic_table_rows(const dusk_synthetic_table *synthetic)
{
    return (uint64_t)fmin(fmax(rint(synthetic->total), 0), 0x1p62);
}

void dusk_synthetic_table_tree(const dusk_synthetic_table *synthetic, uint32_t *neighbour)
{
    for (size_t c = 0; c < synthetic->model.columns; c++) neighbour[c] = synthetic->model.parent[c];
}

DUSK_PROVEN(dusk_synthetic_table_interval)
dusk_status dusk_synthetic_table_interval(const dusk_synthetic_table *synthetic, double *single, double *pair,
                                          double confidence, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    double first, second = 0, each = confidence;

    if (synthetic->model.columns > 1 && confidence > 0 && confidence < 1)
        each = dusk_sub_up(1, dusk_sub_down(1, confidence) / 2);
    DUSK_TRY(dusk_noise_interval(&synthetic->single, &first, each, err));
    if (synthetic->model.columns > 1) DUSK_TRY(dusk_noise_interval(&synthetic->pair, &second, each, err));
    *single = floor(first); /* counts are whole; nothing was rounded */
    *pair = floor(second);
done:
    return status;
}

dusk_status dusk_synthetic_table_marginal(const dusk_synthetic_table *synthetic, double *counts,
                                          const dusk_marginal *marginal, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const dusk_packing *packing = &synthetic->packing;
    dusk_table full = { .columns = packing->columns, .sizes = packing->sizes };
    dusk_table packed = { .columns = packing->columns, .sizes = packing->packed };
    double *chances = NULL;
    size_t cells = 0;

    DUSK_TRY(dusk_marginal_check(&full, marginal, err));
    DUSK_NEW(chances, dusk_marginal_cells(&packed, marginal));
    DUSK_TRY(dusk_tree_model_marginal(&synthetic->model, chances, marginal, err));
    cells = dusk_marginal_cells(&full, marginal);
    for (size_t i = 0; i < cells; i++) {
        size_t at = 0, step = 1, rest = i;
        double part = synthetic->total;
        for (uint32_t j = marginal->columns; j-- > 0;) {
            uint32_t c = marginal->column[j], x = (uint32_t)(rest % full.sizes[c]);
            at += step * packing->code[c][x];
            part *= packing->within[c][x];
            step *= packed.sizes[c];
            rest /= full.sizes[c];
        }
        counts[i] = part * chances[at];
    }
done:
    dusk_deallocate(chances);
    return status;
}

dusk_status dusk_synthetic_table_draw(const dusk_synthetic_table *synthetic, uint32_t *codes, size_t rows,
                                      dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    DUSK_TRY(dusk_tree_model_draw(&synthetic->model, codes, rows, gen, err));
    DUSK_TRY(dusk_packing_undo(&synthetic->packing, codes, rows, gen, err));
done:
    return status;
}
