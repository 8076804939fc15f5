/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of columns: from counts that agree it is the table of largest entropy with these
 * marginals [Chow & Liu 1968; McKenna, Sheldon & Miklau 2019], and sums over it are exact.
 * Rows are drawn column by column, counts rounded at random and dealt out in random order, as in
 * McKenna, Miklau & Sheldon 2021, section 3.4: less noise than rows drawn one by one. Nothing
 * private is seen here. */
#include "mechanisms/tree_model.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/sampling.h"

/* --- making ------------------------------------------------------------------------ */

/* chance[0..n-1] in proportion to weight; false when there is nothing to go by. */
static bool set_chances(double *chance, const double *weight, size_t n, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight[i * stride];
    if (!(sum > 0 && isfinite(sum))) return false;
    for (size_t i = 0; i < n; i++) chance[i] = weight[i * stride] / sum;
    return true;
}

static void set_fallback(double *chance, const double *single, size_t n)
{
    if (set_chances(chance, single, n, 1)) return;
    for (size_t i = 0; i < n; i++) chance[i] = 1 / (double)n;
}

static dusk_status make_child(dusk_tree_model *model, uint32_t c, uint32_t parent, const dusk_tree_edge *edge,
                              const double *single, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t n = model->sizes[c], above = model->sizes[parent];
    bool forward = edge->first == parent; /* the child's values change fastest */

    DUSK_NEW(model->chance[c], n * above);
    for (size_t x = 0; x < above; x++) {
        const double *weight = edge->counts + (forward ? x * n : x);
        double *chance = model->chance[c] + x * n;
        if (!set_chances(chance, weight, n, forward ? 1 : above)) set_fallback(chance, single, n);
    }
    model->parent[c] = parent;
done:
    return status;
}

dusk_status dusk_tree_model_make(dusk_tree_model *model, const dusk_table *domain,
                                 const double *const *singles, const dusk_tree_edge *edges, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    uint64_t reached = 1;
    size_t known = 1;

    *model = (dusk_tree_model){ .columns = domain->columns };
    for (size_t c = 0; c < domain->columns; c++) model->sizes[c] = domain->sizes[c];
    DUSK_NEW(model->chance[0], model->sizes[0]);
    set_fallback(model->chance[0], singles[0], model->sizes[0]);
    for (size_t at = 0; at < known; at++) {
        uint32_t parent = model->order[at];
        for (size_t e = 0; e + 1 < domain->columns; e++) {
            bool here = edges[e].first == parent || edges[e].second == parent;
            uint32_t c = edges[e].first == parent ? edges[e].second : edges[e].first;
            if (!here || reached >> c & 1) continue;
            DUSK_TRY(make_child(model, c, parent, &edges[e], singles[c], err));
            reached |= UINT64_C(1) << c;
            model->order[known++] = c;
        }
    }
done:
    if (status != DUSK_OK) dusk_tree_model_clear(model);
    return status;
}

void dusk_tree_model_clear(dusk_tree_model *model)
{
    for (size_t c = 0; c < model->columns; c++) dusk_deallocate(model->chance[c]);
    *model = (dusk_tree_model){ 0 };
}

/* --- marginals --------------------------------------------------------------------- */

/* What the columns below (and with) c say: cells[x * count + k] is the probability of
 * assignment k to the marginal's columns there, when the parent of c has x. */
typedef struct message {
    double *cells;
    size_t count;
    uint64_t columns; /* which of the marginal's */
} message;

static double *new_cells(size_t rows, size_t count, dusk_error *err)
{
    double *cells = dusk_allocate(rows * count, sizeof *cells);
    if (!cells) (void)dusk_fail_memory(err);
    return cells;
}

/* The number that assignment k to `columns` has in the part `to` of them. */
static size_t part_of(const dusk_tree_model *model, uint64_t columns, size_t k, uint64_t to)
{
    size_t at = 0, step = 1;
    for (size_t c = model->columns; c-- > 0;) {
        if (!(columns >> c & 1)) continue;
        if (to >> c & 1) {
            at += step * (k % model->sizes[c]);
            step *= model->sizes[c];
        }
        k /= model->sizes[c];
    }
    return at;
}

/* Multiply what is known about value y of column c and assignment k: its own chance is left
 * out, those below are in `parts`. */
static double below(const dusk_tree_model *model, const message *parts, uint32_t c, size_t y,
                    uint64_t columns, size_t k)
{
    double product = 1;
    for (uint32_t child = 1; child < model->columns; child++)
        if (model->parent[child] == c && parts[child].cells)
            product *=
                parts[child].cells[y * parts[child].count + part_of(model, columns, k, parts[child].columns)];
    return product;
}

/* The message of column c from those of its children, which are freed. */
static dusk_status send(const dusk_tree_model *model, message *parts, uint32_t c, uint64_t wanted,
                        dusk_error *err)
{
    bool own = wanted >> c & 1;
    size_t above = c == 0 ? 1 : model->sizes[model->parent[c]], n = model->sizes[c];
    message sent = { .count = 1, .columns = own ? UINT64_C(1) << c : 0 };
    for (uint32_t child = 1; child < model->columns; child++)
        if (model->parent[child] == c) sent.columns |= parts[child].columns;
    for (size_t i = 0; i < model->columns; i++)
        if (sent.columns >> i & 1) sent.count *= model->sizes[i];
    sent.cells = new_cells(above, sent.count, err);
    if (!sent.cells) return DUSK_ERR_MEMORY;
    for (size_t k = 0; k < sent.count; k++) {
        size_t only = own ? part_of(model, sent.columns, k, UINT64_C(1) << c) : 0;
        for (size_t y = own ? only : 0; y < (own ? only + 1 : n); y++) {
            double rest = below(model, parts, c, y, sent.columns, k);
            for (size_t x = 0; x < above; x++)
                sent.cells[x * sent.count + k] += model->chance[c][x * n + y] * rest;
        }
    }
    parts[c] = sent;
    return DUSK_OK;
}

dusk_status dusk_tree_model_marginal(const dusk_tree_model *model, double *chances,
                                     const dusk_marginal *marginal, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    message parts[DUSK_TABLE_COLUMNS_MAX] = { { 0 } };
    uint64_t wanted = 0;

    for (uint32_t j = 0; j < marginal->columns; j++) wanted |= UINT64_C(1) << marginal->column[j];
    for (size_t at = model->columns; at-- > 0;) {
        uint32_t c = model->order[at];
        DUSK_TRY(send(model, parts, c, wanted, err));
    }
    for (size_t k = 0; k < parts[0].count; k++) chances[k] = parts[0].cells[k];
done:
    for (size_t c = 0; c < model->columns; c++) dusk_deallocate(parts[c].cells);
    return status;
}

/* --- rows -------------------------------------------------------------------------- */

/* Deal `rows` places of `order` to the n values by their chances: each gets its expected number
 * rounded up or down, by one coin for all (systematic sampling). */
static dusk_status deal(uint32_t *codes, size_t columns, uint32_t c, const size_t *order, size_t rows,
                        const double *chance, size_t n, dusk_generator *gen, dusk_error *err)
{
    uint64_t word;
    dusk_status status = dusk_uniform_below(gen, &word, UINT64_C(1) << 52, err);
    if (status != DUSK_OK) return status;
    double start = (double)word * 0x1p-52, sum = 0;
    size_t at = 0;
    for (size_t y = 0; y < n; y++) {
        sum += chance[y];
        double reach = floor((double)rows * fmin(sum, 1) + start);
        size_t end = y + 1 == n || reach >= (double)rows ? rows : (size_t)reach;
        for (; at < end; at++) codes[order[at] * columns + c] = (uint32_t)y;
    }
    return DUSK_OK;
}

/* The places of a random order by the parent's value; first[x] is where value x begins. */
static void group(size_t *grouped, size_t *first, const size_t *order, const uint32_t *codes, size_t rows,
                  size_t columns, uint32_t parent, size_t values)
{
    for (size_t x = 0; x <= values; x++) first[x] = 0;
    for (size_t r = 0; r < rows; r++) first[codes[r * columns + parent] + 1]++;
    for (size_t x = 0; x < values; x++) first[x + 1] += first[x];
    for (size_t r = 0; r < rows; r++) grouped[first[codes[order[r] * columns + parent]]++] = order[r];
    for (size_t x = values; x > 0; x--) first[x] = first[x - 1];
    first[0] = 0;
}

dusk_status dusk_tree_model_draw(const dusk_tree_model *model, uint32_t *codes, size_t rows,
                                 dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    size_t *order = NULL, *grouped = NULL, *first = NULL, most = 0, columns = model->columns;

    for (size_t c = 0; c < columns; c++) most = model->sizes[c] > most ? model->sizes[c] : most;
    DUSK_NEW(order, rows);
    DUSK_NEW(grouped, rows);
    DUSK_NEW(first, most + 1);
    for (size_t at = 0; at < columns; at++) {
        uint32_t c = model->order[at], parent = model->parent[c];
        size_t n = model->sizes[c];
        DUSK_TRY(dusk_shuffle(gen, order, rows, err));
        if (at == 0) {
            DUSK_TRY(deal(codes, columns, c, order, rows, model->chance[c], n, gen, err));
            continue;
        }
        group(grouped, first, order, codes, rows, columns, parent, model->sizes[parent]);
        for (size_t x = 0; x < model->sizes[parent]; x++)
            DUSK_TRY(deal(codes, columns, c, grouped + first[x], first[x + 1] - first[x],
                          model->chance[c] + x * n, n, gen, err));
    }
done:
    dusk_deallocate(order);
    dusk_deallocate(grouped);
    dusk_deallocate(first);
    return status;
}
