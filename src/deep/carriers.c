/* SPDX-License-Identifier: Apache-2.0 */
/* Carriers of gradients; see carriers.h. Nothing here looks at a row: all numbers were released, or drawn without rows. Proof: carriers.proof.md. */
#include "deep/carriers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"

#define LEAST 1e-4 /* of a vector must be left when those before it are taken off */

/* --- open and close --------------------------------------------------------------------------------------------------------- */

static size_t matrices_of(const deep_carriers *c, size_t l, deep_matrix *out)
{
    const deep_layer *layer = &c->net->layer[l];
    const bool carried = c->tuning->part[l].way == DEEP_TUNE_CARRIED && c->tuning->part[l].count > 0;
    return carried ? layer->kind->matrices(layer, out) : 0;
}

/* Of the largest matrix: vectors on both sides, and their products. */
static size_t work_of(const deep_net *net, const deep_tuning *tuning)
{
    const deep_carriers c = { .tuning = tuning, .net = net };
    size_t most = 1;
    deep_matrix m[DEEP_PAIRS];
    for (size_t l = 0; l < net->layers; l++) {
        const size_t n = matrices_of(&c, l, m);
        for (size_t k = 0; k < n; k++) {
            const size_t size = tuning->rank * (m[k].rows + m[k].columns + tuning->rank);
            if (size > most) most = size;
        }
    }
    return most;
}

dusk_status deep_carriers_open(deep_carriers *out, const deep_net *net, const deep_tuning *tuning,
                               dusk_error *err)
{
    dusk_status status = DUSK_OK;
    deep_carriers c = { .tuning = tuning, .net = net };
    *out = (deep_carriers){ .net = NULL };
    DUSK_NEW(c.first, net->parameters);
    DUSK_NEW(c.carrier, tuning->learned);
    DUSK_NEW(c.released, tuning->learned);
    DUSK_NEW(c.whole, net->parameters);
    DUSK_NEW(c.work, work_of(net, tuning));
    *out = c;
    c = (deep_carriers){ .net = NULL };
done:
    deep_carriers_close(&c);
    return status;
}

void deep_carriers_close(deep_carriers *c)
{
    dusk_deallocate(c->first);
    dusk_deallocate(c->carrier);
    dusk_deallocate(c->released);
    dusk_deallocate(c->whole);
    dusk_deallocate(c->work);
    *c = (deep_carriers){ .net = NULL };
}

double deep_carriers_bytes(const deep_net *net, const deep_tuning *tuning)
{
    return sizeof(deep_real) *
           (2 * (double)net->parameters + 2 * (double)tuning->learned + (double)work_of(net, tuning));
}

/* --- orthogonal vectors ------------------------------------------------------------------------------------------------------ */

DEEP_LANES
static double product(const deep_real *restrict x, const deep_real *restrict y, size_t n)
{
    double lane[16] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 16; j++) lane[j] += (double)x[i + j] * (double)y[i + j];
    for (size_t j = 0; j < 16; j++) sum += lane[j];
    for (; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

DEEP_LANES
static void take_off(deep_real *restrict x, const deep_real *restrict y, deep_real weight, size_t n)
{
    for (size_t j = 0; j < n; j++) x[j] -= weight * y[j];
}

/* Rows of length 1 that span the same, each orthogonal to those before it, by Gram and Schmidt, twice; false where that cannot be. */
static bool orthogonalise(deep_real *x, size_t rows, size_t n)
{
    for (size_t k = 0; k < rows; k++) {
        deep_real *row = x + k * n;
        const double before = sqrt(product(row, row, n));
        for (size_t j = 0; j < 2 * k; j++) {
            const deep_real *other = x + j % k * n;
            take_off(row, other, (deep_real)product(row, other, n), n);
        }
        const double length = sqrt(product(row, row, n));
        if (!(length > LEAST * before && length > 1e-30 && length < 1e30)) return false;
        for (size_t j = 0; j < n; j++) row[j] = (deep_real)((double)row[j] / length);
    }
    return true;
}

/* --- carriers ------------------------------------------------------------------------------------------------------------------ */

/* Columns of B, which are rows of `turned`. */
static void put_columns(deep_real *b, size_t width, const deep_real *turned, size_t rank, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t q = 0; q < rank; q++) b[r * width + q] = turned[q * rows + r];
}

dusk_status deep_carriers_begin(deep_carriers *c, const deep_real *parameters, dusk_generator *gen,
                                dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t rank = c->tuning->rank;
    memcpy(c->first, parameters, c->net->parameters * sizeof *c->first);
    for (size_t l = 0; l < c->net->layers; l++) {
        deep_matrix m[DEEP_PAIRS];
        const size_t n = matrices_of(c, l, m);
        deep_real *a = c->carrier + c->tuning->part[l].first;
        for (size_t k = 0; k < n; k++) {
            DUSK_TRY(deep_uniform(a, rank * m[k].columns, 1, gen, err));
            DUSK_TRY(deep_uniform(c->work, rank * m[k].rows, 1, gen, err));
            (void)orthogonalise(a, rank, m[k].columns);
            (void)orthogonalise(c->work, rank, m[k].rows);
            put_columns(a + rank * m[k].columns, deep_tuned_width(DEEP_TUNE_CARRIED, rank, m[k].constant),
                        c->work, rank, m[k].rows);
            a += deep_tuned_size(DEEP_TUNE_CARRIED, rank, &m[k]);
        }
    }
done:
    return status;
}

/* One power iteration with `moved`, which W has moved by: B spans moved A^T, and A moved^T B. */
static void follow(deep_carriers *c, const deep_matrix *m, const deep_real *moved, deep_real *a,
                   deep_pass *pass)
{
    const size_t rank = c->tuning->rank, step = m->columns + m->constant;
    deep_real *columns = c->work, *rows = c->work + rank * m->rows;
    deep_gemm(pass->level, columns, m->rows, (deep_view){ a, m->columns, 1 }, (deep_view){ moved, 1, step },
              rank, m->rows, m->columns, false, &pass->gemm);
    if (!orthogonalise(columns, rank, m->rows)) return;
    deep_gemm(pass->level, rows, m->columns, (deep_view){ columns, m->rows, 1 },
              (deep_view){ moved, step, 1 }, rank, m->columns, m->rows, false, &pass->gemm);
    if (!orthogonalise(rows, rank, m->columns)) return;
    memcpy(a, rows, rank * m->columns * sizeof *a);
    put_columns(a + rank * m->columns, deep_tuned_width(DEEP_TUNE_CARRIED, rank, m->constant), columns, rank,
                m->rows);
}

DUSK_PROVEN(deep_carriers_find)
void deep_carriers_find(deep_carriers *c, const deep_real *parameters, deep_pass *pass)
{
    for (size_t j = 0; j < c->net->parameters; j++) c->whole[j] = parameters[j] - c->first[j];
    for (size_t l = 0; l < c->net->layers; l++) {
        deep_matrix m[DEEP_PAIRS];
        const size_t n = matrices_of(c, l, m);
        deep_real *a = c->carrier + c->tuning->part[l].first;
        for (size_t k = 0; k < n; k++) {
            follow(c, &m[k], c->whole + c->net->layer[l].first + m[k].first, a, pass);
            a += deep_tuned_size(DEEP_TUNE_CARRIED, c->tuning->rank, &m[k]);
        }
    }
}

/* --- gradients ------------------------------------------------------------------------------------------------------------------ */

/* (D - B B^T D) A + B E, with D = G A^T and E = B^T G; and constants as they are. */
static void expand(deep_carriers *c, const deep_matrix *m, size_t at, deep_real *out, deep_pass *pass)
{
    const size_t rank = c->tuning->rank, step = m->columns + m->constant;
    const size_t width = deep_tuned_width(DEEP_TUNE_CARRIED, rank, m->constant);
    const deep_real *a = c->carrier + at, *b = a + rank * m->columns;
    const deep_real *by_a = c->released + at, *by_b = by_a + rank * m->columns;
    deep_real *both = c->work, *rest = c->work + rank * rank;
    deep_gemm(pass->level, both, rank, (deep_view){ b, 1, width }, (deep_view){ by_b, width, 1 }, rank, rank,
              m->rows, false, &pass->gemm);
    for (size_t j = 0; j < rank * rank; j++) both[j] = DUSK_MUTATE(DEEP_CARRIED_TWICE, -both[j], 0);
    for (size_t r = 0; r < m->rows; r++) memcpy(rest + r * rank, by_b + r * width, rank * sizeof *rest);
    deep_gemm(pass->level, rest, rank, (deep_view){ b, width, 1 }, (deep_view){ both, rank, 1 }, m->rows,
              rank, rank, true, &pass->gemm);
    deep_gemm(pass->level, out, step, (deep_view){ rest, rank, 1 }, (deep_view){ a, m->columns, 1 }, m->rows,
              m->columns, rank, false, &pass->gemm);
    deep_gemm(pass->level, out, step, (deep_view){ b, width, 1 }, (deep_view){ by_a, m->columns, 1 }, m->rows,
              m->columns, rank, true, &pass->gemm);
    for (size_t r = 0; m->constant && r < m->rows; r++) out[r * step + m->columns] = by_b[r * width + rank];
}

DUSK_PROVEN(deep_carriers_expand)
void deep_carriers_expand(deep_carriers *c, deep_pass *pass)
{
    for (size_t l = 0; l < c->net->layers; l++) {
        const deep_part *part = &c->tuning->part[l];
        deep_real *out = c->whole + c->net->layer[l].first;
        deep_matrix m[DEEP_PAIRS];
        const size_t n = matrices_of(c, l, m);
        size_t at = part->first;
        if (n == 0) memcpy(out, c->released + at, part->count * sizeof *out);
        for (size_t k = 0; k < n; k++) {
            expand(c, &m[k], at, out + m[k].first, pass);
            at += deep_tuned_size(DEEP_TUNE_CARRIED, c->tuning->rank, &m[k]);
        }
    }
}
