/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a net that are learned; see tuning.h. */
#include "deep/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"

/* --- which ---------------------------------------------------------------------------------------------------------------- */

static size_t matrices_of(const deep_layer *layer, deep_matrix *out)
{
    return layer->kind->matrices ? layer->kind->matrices(layer, out) : 0;
}

/* Whether `rank` vectors on each side of each matrix can be orthogonal. */
static bool can_carry(const deep_layer *layer, const deep_matrix *m, size_t n, size_t rank)
{
    bool fits = n > 0 && !layer->shared;
    for (size_t k = 0; k < n; k++) fits &= rank <= m[k].rows && rank <= m[k].columns;
    return fits;
}

/* How much of a layer the way is about. */
static size_t count_of(const deep_layer *layer, deep_tune way, size_t rank)
{
    deep_matrix m[DEEP_PAIRS];
    const size_t n = matrices_of(layer, m);
    size_t count = 0;
    if (way == DEEP_TUNE_ALL) return layer->parameters;
    if (way == DEEP_TUNE_CARRIED && !can_carry(layer, m, n, rank)) return layer->parameters;
    if (way == DEEP_TUNE_CONSTANTS && layer->kind->moves) return layer->parameters;
    for (size_t k = 0; k < n; k++)
        count +=
            way == DEEP_TUNE_CONSTANTS ? (m[k].constant ? m[k].rows : 0) : deep_tuned_size(way, rank, &m[k]);
    return count;
}

/* Whether the list names the layer; "all" does. */
static bool is_named(const char *list, size_t place)
{
    if (!strcmp(list, "all")) return true;
    for (const char *p = list; *p;) {
        char *end;
        if (strtoul(p, &end, 10) == place) return true;
        p = *end ? end + 1 : end;
    }
    return false;
}

/* The list is numbers of layers that have parameters. */
static dusk_status check_list(const char *list, const deep_net *net, dusk_error *err)
{
    const char *p = list;
    while (strcmp(list, "all") != 0) {
        char *end;
        const bool digit = *p >= '0' && *p <= '9';
        const unsigned long place = digit ? strtoul(p, &end, 10) : 0;
        bool found = false;
        for (size_t l = 0; l < net->layers; l++)
            found |= net->layer[l].place == place && net->layer[l].parameters > 0;
        if (!found || (*end != ',' && *end != 0))
            return dusk_fail(err, DUSK_ERR_ARGUMENT,
                             "for example tuned=1,3, layers being counted as they are written",
                             "\"%s\" is no list of layers with parameters", list);
        if (*end == 0) break;
        p = end + 1;
    }
    return DUSK_OK;
}

static deep_part choose(const deep_net *net, const deep_tuning_wish *wish, size_t l)
{
    const deep_layer *layer = &net->layer[l];
    deep_part part = { .way = DEEP_TUNE_ALL };
    if (l < wish->frozen) return part;
    if (l < wish->start) {
        part.way = wish->way;
        if (!is_named(wish->layers, layer->place)) return part;
    }
    part.count = count_of(layer, part.way, wish->rank);
    if (part.count < layer->parameters) return part;
    return (deep_part){ .way = DEEP_TUNE_ALL, .count = layer->parameters };
}

dusk_status deep_tuning_open(deep_tuning *out, const deep_net *net, const deep_tuning_wish *wish,
                             dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_tuning tuning = { .rank = wish->rank };
    *out = (deep_tuning){ .rank = 0 };
    DUSK_TRY(check_list(wish->layers, net, err));
    DUSK_NEW(tuning.part, net->layers);
    for (size_t l = 0; l < net->layers; l++) {
        deep_part *part = &tuning.part[l];
        *part = choose(net, wish, l);
        part->first = tuning.learned;
        tuning.learned += part->count;
        if (part->way == DEEP_TUNE_LOW_RANK && part->count > 0 && net->layer[l].shared)
            DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "name other layers in tuned, or choose tune=bias",
                               "layer %zu shares its matrix, which low-rank updates cannot",
                               net->layer[l].place));
    }
    if (tuning.learned == 0)
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "choose another tune, or freeze fewer layers",
                           "the network has nothing to learn"));
    *out = tuning;
    tuning = (deep_tuning){ .rank = 0 };
done:
    deep_tuning_clear(&tuning);
    return status;
}

void deep_tuning_clear(deep_tuning *tuning)
{
    dusk_deallocate(tuning->part);
    *tuning = (deep_tuning){ .rank = 0 };
}

deep_part deep_part_of(const deep_tuning *tuning, const deep_net *net, size_t l)
{
    const deep_layer *layer = &net->layer[l];
    if (tuning && tuning->part) return tuning->part[l];
    return (deep_part){ .way = DEEP_TUNE_ALL, .first = layer->first, .count = layer->parameters };
}

/* --- parameters ------------------------------------------------------------------------------------------------------------ */

/* Constants of a layer, to or from a list. */
static void copy_constants(const deep_layer *layer, const deep_real *from, deep_real *to, bool back)
{
    deep_matrix m[DEEP_PAIRS];
    const size_t n = matrices_of(layer, m);
    for (size_t k = 0, j = 0; k < n; k++)
        for (size_t r = 0; m[k].constant && r < m[k].rows; r++, j++) {
            const size_t at = m[k].first + r * (m[k].columns + 1) + m[k].columns;
            if (back)
                to[at] = from[j];
            else
                to[j] = from[at];
        }
}

/* Rows of A are about 1 long, so that B A moves as far as B does. */
static dusk_status begin_low_rank(const deep_layer *layer, size_t rank, deep_real *out, dusk_generator *gen,
                                  dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_matrix m[DEEP_PAIRS];
    const size_t n = matrices_of(layer, m);
    for (size_t k = 0; k < n; k++) {
        DUSK_TRY(deep_uniform(out, rank * m[k].columns, sqrt(3 / (double)m[k].columns), gen, err));
        out += rank * m[k].columns;
        memset(out, 0, rank * m[k].rows * sizeof *out);
        out += rank * m[k].rows;
    }
done:
    return status;
}

dusk_status deep_tuning_begin(const deep_tuning *tuning, const deep_net *net, const deep_real *parameters,
                              deep_real *learned, dusk_generator *gen, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    for (size_t l = 0; l < net->layers; l++) {
        const deep_layer *layer = &net->layer[l];
        const deep_part *part = &tuning->part[l];
        deep_real *to = learned + part->first;
        if (part->count == 0) continue;
        if (part->way == DEEP_TUNE_ALL)
            memcpy(to, parameters + layer->first, part->count * sizeof *to);
        else if (part->way == DEEP_TUNE_CONSTANTS)
            copy_constants(layer, parameters + layer->first, to, false);
        else
            DUSK_TRY(begin_low_rank(layer, tuning->rank, to, gen, err));
    }
done:
    return status;
}

/* W = start + B A, row by row. */
DEEP_LANES
static void add_products(const deep_matrix *m, size_t rank, const deep_real *restrict start,
                         const deep_real *restrict a, deep_real *restrict w)
{
    const size_t step = m->columns + m->constant;
    const deep_real *b = a + rank * m->columns;
    for (size_t r = 0; r < m->rows; r++, start += step, w += step) {
        memcpy(w, start, step * sizeof *w);
        for (size_t k = 0; k < rank; k++) {
            const deep_real weight = b[r * rank + k];
            for (size_t c = 0; c < m->columns; c++) w[c] += weight * a[k * m->columns + c];
        }
    }
}

void deep_tuning_apply(const deep_tuning *tuning, const deep_net *net, const deep_real *start,
                       const deep_real *learned, deep_real *parameters)
{
    for (size_t l = 0; l < net->layers; l++) {
        const deep_layer *layer = &net->layer[l];
        const deep_part *part = &tuning->part[l];
        const deep_real *from = learned + part->first;
        deep_real *to = parameters + layer->first;
        deep_matrix m[DEEP_PAIRS];
        if (part->count == 0) continue;
        if (part->way == DEEP_TUNE_ALL) memcpy(to, from, part->count * sizeof *to);
        if (part->way == DEEP_TUNE_CONSTANTS) copy_constants(layer, from, to, true);
        const size_t n = part->way == DEEP_TUNE_LOW_RANK ? matrices_of(layer, m) : 0;
        for (size_t k = 0; k < n; k++) {
            const deep_real *was = DUSK_MUTATE(DEEP_START_DRIFTS, start, parameters) + layer->first;
            add_products(&m[k], tuning->rank, was + m[k].first, from, to + m[k].first);
            from += tuning->rank * (m[k].rows + m[k].columns);
        }
    }
}

/* --- gradients --------------------------------------------------------------------------------------------------------------- */

/* By A and B, of that by the matrix: B^T G, and G A^T; and by constants, where they are learned beside B. */
static void turn_gradient(deep_pass *pass, const deep_matrix *m, deep_tune way, const deep_real *a,
                          const deep_real *whole, deep_real *out)
{
    const size_t rank = pass->tuning->rank, step = m->columns + m->constant;
    const size_t width = deep_tuned_width(way, rank, m->constant);
    const deep_real *b = a + rank * m->columns;
    deep_gemm(pass->level, out, m->columns, (deep_view){ b, 1, width }, (deep_view){ whole, step, 1 }, rank,
              m->columns, m->rows, false, &pass->gemm);
    out += rank * m->columns;
    deep_gemm(pass->level, out, width, (deep_view){ whole, step, 1 }, (deep_view){ a, 1, m->columns },
              m->rows, rank, m->columns, false, &pass->gemm);
    for (size_t r = 0; width > rank && r < m->rows; r++) out[r * width + rank] = whole[r * step + m->columns];
}

/* What the gradient of a layer by all of its parameters means for those that are learned. */
static void take_gradient(deep_pass *pass, size_t l, const deep_real *whole, deep_real *out)
{
    const deep_layer *layer = &pass->net->layer[l];
    const deep_part *part = &pass->tuning->part[l];
    const deep_real *a = pass->learned + part->first;
    deep_matrix m[DEEP_PAIRS];
    if (part->way == DEEP_TUNE_ALL) memcpy(out, whole, part->count * sizeof *out);
    if (part->way == DEEP_TUNE_CONSTANTS) copy_constants(layer, whole, out, false);
    const size_t n = part->way >= DEEP_TUNE_LOW_RANK ? matrices_of(layer, m) : 0;
    for (size_t k = 0; k < n; k++) {
        const size_t size = deep_tuned_size(part->way, pass->tuning->rank, &m[k]);
        turn_gradient(pass, &m[k], part->way, a, whole + m[k].first, out);
        a += size;
        out += size;
    }
}

void deep_tuning_gradient(deep_pass *pass, const deep_real *whole, deep_real *out)
{
    for (size_t l = 0; l < pass->net->layers; l++)
        if (pass->tuning->part[l].count > 0)
            take_gradient(pass, l, whole + pass->net->layer[l].first, out + pass->tuning->part[l].first);
}

void deep_tuned_gradient(deep_pass *pass, size_t l, size_t i, deep_real *whole, deep_real *out)
{
    deep_gradient(pass, l, i, whole);
    take_gradient(pass, l, whole, out);
}

/* --- factors ------------------------------------------------------------------------------------------------------------------- */

static size_t factors_of(const deep_pass *pass, size_t l, size_t i, deep_factors *out)
{
    const deep_kind *kind = pass->net->layer[l].kind;
    const bool low_rank = pass->tuning->part[l].way >= DEEP_TUNE_LOW_RANK;
    return low_rank && kind->factors ? kind->factors(pass, l, i, out) : 0;
}

size_t deep_tuned_room(const deep_pass *pass, size_t l)
{
    deep_factors f[DEEP_PAIRS];
    const size_t pairs = factors_of(pass, l, 0, f);
    size_t room = 0;
    for (size_t k = 0; k < pairs; k++) room += 2 * pass->room * f[k].positions * pass->tuning->rank;
    return room;
}

/* A right_t and B^T left_t of `n` positions. */
static void make(deep_pass *pass, const deep_factors *f, const deep_real *a, size_t width, size_t n,
                 deep_real *right, deep_real *left)
{
    const size_t rank = pass->tuning->rank;
    const deep_real *b = a + rank * f->columns;
    deep_gemm(pass->level, right, rank, (deep_view){ f->right, f->right_step, 1 },
              (deep_view){ a, 1, f->columns }, n, rank, f->columns, false, &pass->gemm);
    deep_gemm(pass->level, left, rank, (deep_view){ f->left, f->left_step, 1 }, (deep_view){ b, width, 1 }, n,
              rank, f->rows, false, &pass->gemm);
}

void deep_tuned_prepare(deep_pass *pass, size_t l, deep_real *room)
{
    const size_t rank = pass->tuning->rank;
    const deep_part *part = &pass->tuning->part[l];
    const deep_real *a = pass->learned + part->first;
    deep_factors f[DEEP_PAIRS], next[DEEP_PAIRS];
    const size_t pairs = factors_of(pass, l, 0, f);
    if (pass->examples > 1) (void)factors_of(pass, l, 1, next);
    for (size_t k = 0; k < pairs; k++) {
        const size_t n = f[k].positions, each = n * rank;
        const size_t width = deep_tuned_width(part->way, rank, f[k].constant);
        deep_real *left = room + pass->room * each;
        const bool in_line = pass->examples == 1 || (next[k].left == f[k].left + n * f[k].left_step &&
                                                     next[k].right == f[k].right + n * f[k].right_step);
        if (in_line) make(pass, &f[k], a, width, pass->examples * n, room, left);
        for (size_t i = 0; !in_line && i < pass->examples; i++) {
            (void)factors_of(pass, l, i, next);
            make(pass, &next[k], a, width, n, room + i * each, left + i * each);
        }
        a += rank * f[k].columns + f[k].rows * width;
        room = left + pass->room * each;
    }
}

size_t deep_tuned_factors(const deep_pass *pass, size_t l, size_t i, const deep_real *room, deep_factors *out)
{
    const size_t rank = pass->tuning->rank;
    deep_factors f[DEEP_PAIRS];
    const size_t pairs = factors_of(pass, l, i, f);
    size_t first = 0;
    for (size_t k = 0; k < pairs; k++) {
        const size_t each = f[k].positions * rank;
        const size_t width = deep_tuned_width(pass->tuning->part[l].way, rank, f[k].constant);
        deep_factors *by_a = &out[2 * k], *by_b = &out[2 * k + 1];
        *by_a = *by_b = f[k];
        by_a->constant = false;
        by_b->constant = width > rank;
        by_a->left = room ? room + pass->room * each + i * each : NULL;
        by_b->right = room ? room + i * each : NULL;
        by_a->left_step = by_b->right_step = by_a->rows = by_b->columns = rank;
        by_a->first = first;
        by_b->first = first + rank * f[k].columns;
        first += rank * f[k].columns + f[k].rows * width;
        if (room) room += 2 * pass->room * each;
    }
    return 2 * pairs;
}
