/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a stream through a matrix C [Li, Miklau, Hay, McGregor & Rastogi 2015; Denisov
 * et al. 2022]: C x is released with noise, and A C^-1 takes it to the sums A x. C is lower
 * triangular with constant diagonals c_0 = 1, c_1, ...:
 *   square root  c_k = C(2k, k) / 4^k, whose square is the matrix A of ones [Fichtenberger,
 *                Henzinger & Upadhyay 2023]: the least largest error known, ln(n)/pi + O(1)
 *                for C and A C^-1 together
 *   banded       the same, cut off after b diagonals [Kalinin & Lampert 2024]: columns b
 *                steps apart are orthogonal, which is what units with several items need
 * each rounded to a multiple of 2^-30, so that C x is a whole number of steps of a grid that
 * was fixed before. Noise is added there, step by step; only then is C^-1 applied, as public
 * arithmetic on the noisy values. Rounding noise and adding a correlated transform of it to
 * exact sums would be another mechanism, without a proof.
 *
 * A step costs min(t, b) products. Proof: matrix_factorisation.proof.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "mechanisms/stream.h"
#include "numeric/rounding.h"

#define ONE ((int64_t)1 << DUSK_MATRIX_BITS)

/* --- the diagonals ------------------------------------------------------------------ */

static double next_root(double root, uint64_t k) { return root * ((double)(2 * k - 1) / (double)(2 * k)); }

DUSK_PROVEN(set_diagonals)
static void set_diagonals(dusk_matrix *m)
{
    dusk_int128 squares = 0;
    double root = 1, sizes = 0;
    for (uint64_t k = 0; k < m->bands; k++) {
        if (k > 0) root = next_root(root, k);
        m->diagonal[k] = (int64_t)rint(root * (double)ONE);
        squares += DUSK_MUTATE(MATRIX_NORM_BEFORE_ROUNDING, m->diagonal[k] * m->diagonal[k],
                               (int64_t)(root * root * 0x1p60));
        sizes += (double)m->diagonal[k];
    }
    double up = (double)squares * (1 + 0x1p-51); /* the conversion was to nearest */
    m->norm = dusk_sqrt_up(up) / (double)ONE;
    m->sizes = sizes * (1 + 1e-8) / (double)ONE;
}

/* --- the rows of A C^-1 ------------------------------------------------------------- */

/* Weights of noise in the sum of all steps: C weight = (1, 1, ...). The square root solves
 * this by itself, up to the rounding of its diagonals; bands by substitution. */
static void set_weights(const dusk_matrix *m, double *weight, uint64_t length)
{
    weight[0] = 1;
    for (uint64_t k = 1; k < length; k++) {
        if (m->bands == length) {
            weight[k] = next_root(weight[k - 1], k);
            continue;
        }
        double sum = 0;
        for (uint64_t j = 1; j < m->bands && j <= k; j++) sum += (double)m->diagonal[j] * weight[k - j];
        weight[k] = 1 - sum / (double)ONE;
    }
}

/* How much longer than `weight` the true rows may be: a factor, and a distance for each
 * entry; and a bound of the l1 norm of the rows of C^-1. */
typedef struct row_error {
    double factor, each, inverse;
} row_error;

DUSK_PROVEN(bound_rows)
static row_error bound_rows(const dusk_matrix *m, const double *weight, uint64_t length)
{
    double n = (double)length, largest = 0, steps = 1;
    if (m->bands == length) {
        double factor = 1 / (1 - 1.01 * n * ldexp(1, -DUSK_MATRIX_BITS)) + 1e-8;
        return (row_error){ .factor = factor, .each = 0, .inverse = 2 * factor };
    }
    for (uint64_t k = 0; k < length; k++) {
        largest = fmax(largest, fabs(weight[k]));
        if (k > 0) steps += fabs(weight[k] - weight[k - 1]);
    }
    double residual = ((double)m->bands + 4) * 0x1p-52 * (1 + m->sizes * largest);
    double inverse = 1.01 * steps / (1 - fmin(4 * n * residual, 1));
    return (row_error){ .factor = 1 + 1e-8, .each = inverse * residual, .inverse = inverse };
}

/* Sums over the first t entries of a row, with a window the difference of two. */
static void add_up_rows(dusk_matrix *m, const double *weight, row_error error, uint64_t length,
                        uint64_t window)
{
    double squares = 0, sizes = 0;
    for (uint64_t k = 0; k < length; k++) {
        double entry = fabs(k >= window ? weight[k] - weight[k - window] : weight[k]) + 2 * error.each;
        squares += entry * entry;
        sizes += entry;
        m->squares[k + 1] = squares * error.factor * error.factor;
        m->lengths[k + 1] = sizes * error.factor;
    }
}

/* --- the handle ------------------------------------------------------------------------ */

static dusk_status allocate(dusk_matrix *m, uint64_t length, uint64_t window, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    m->keep = window + 1 > m->bands ? window + 1 : m->bands;
    if (m->keep > length) m->keep = length;
    m->room = 2 * m->keep < length ? 2 * m->keep : length;
    DUSK_NEW(m->diagonal, m->bands);
    DUSK_NEW(m->squares, length + 1);
    DUSK_NEW(m->lengths, length + 1);
    DUSK_NEW(m->numbers, m->room);
    DUSK_NEW(m->estimates, m->room);
done:
    return status;
}

dusk_status dusk_matrix_new(dusk_matrix *out, uint64_t length, uint64_t bands, uint64_t window,
                            dusk_error *err)
{
    dusk_status status = DUSK_OK;
    dusk_matrix m = { .bands = bands < length ? bands : length, .window = window };
    double *weight = NULL;
    row_error error;

    DUSK_TRY(allocate(&m, length, window, err));
    set_diagonals(&m);
    DUSK_NEW(weight, length);
    set_weights(&m, weight, length);
    error = bound_rows(&m, weight, length);
    if (!(error.inverse <= DUSK_MATRIX_INVERSE_MAX))
        DUSK_TRY(dusk_fail(err, DUSK_ERR_ARGUMENT, "take fewer bands or a shorter stream",
                           "this matrix cannot be inverted closely enough"));
    add_up_rows(&m, weight, error, length, window);
    *out = m;
    m = (dusk_matrix){ 0 };
done:
    dusk_deallocate(weight);
    dusk_matrix_free(&m);
    return status;
}

void dusk_matrix_free(dusk_matrix *m)
{
    if (m->numbers) dusk_wipe(m->numbers, m->room * sizeof *m->numbers);
    dusk_deallocate(m->numbers);
    dusk_deallocate(m->estimates);
    dusk_deallocate(m->diagonal);
    dusk_deallocate(m->squares);
    dusk_deallocate(m->lengths);
    dusk_wipe(m, sizeof *m);
}

/* --- a step ------------------------------------------------------------------------------ */

/* Room for one more; the last `keep` values move to the front when it is full. */
static void make_room(dusk_matrix *m)
{
    if (m->at < m->room) return;
    size_t from = m->at - (m->keep - 1);
    memmove(m->numbers, m->numbers + from, (m->keep - 1) * sizeof *m->numbers);
    memmove(m->estimates, m->estimates + from, (m->keep - 1) * sizeof *m->estimates);
    m->at = m->keep - 1;
}

DUSK_PROVEN(dusk_matrix_add)
dusk_int128 dusk_matrix_add(dusk_matrix *m, int64_t number)
{
    dusk_int128 sum = 0;
    make_room(m);
    m->numbers[m->at] = number;
    size_t reach = m->at + 1 < m->bands ? m->at + 1 : m->bands;
    for (size_t k = 0; k < reach; k++) sum += (dusk_int128)m->diagonal[k] * m->numbers[m->at - k];
    return sum;
}

/* Row t of C estimate = noisy, solved for its last entry; to nearest. */
DUSK_PROVEN(dusk_matrix_estimate)
void dusk_matrix_estimate(dusk_matrix *m, dusk_int128 noisy)
{
    dusk_int128 sum = ONE / 2;
    size_t reach = m->at + 1 < m->bands ? m->at + 1 : m->bands;
    for (size_t k = 1; k < reach; k++) sum += m->diagonal[k] * m->estimates[m->at - k];
    m->estimates[m->at] = noisy - (sum >> DUSK_MATRIX_BITS);
    m->total += m->estimates[m->at];
    if (m->steps >= m->window) m->total -= m->estimates[m->at - m->window];
    m->at++;
    m->steps++;
}
