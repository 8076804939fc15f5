/* SPDX-License-Identifier: Apache-2.0 */
/* Correlated noise over steps; see correlation.h. A step's release is its total and a few kept sums, each by a weight:
 *
 *     y = x + sum of w_i h_i,    x^ = y + noise - sum of w_i k_i
 *
 * For bands h are earlier totals and k their estimates, w = c_1, c_2, ...; for trees h are the open nodes that this step closes and k
 * what was released of them, w = 1. */
#include "deep/correlation.h"

#include <math.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/platform.h"
#include "deep/real.h"

#define ONE (1 << DEEP_WEIGHT_BITS)

static size_t levels_of(uint64_t epoch)
{
    size_t levels = 0;
    for (; epoch > 0; epoch >>= 1) levels++;
    return levels;
}

/* c_k = C(2k, k) / 4^k, whose square is the matrix of ones [Fichtenberger, Henzinger & Upadhyay 2023; Kalinin & Lampert 2024 for cutting it off]. */
void deep_correlation_init(deep_correlation *out, deep_correlating way, uint64_t epoch, size_t bands)
{
    double root = 1;
    *out = (deep_correlation){ .way = way, .epoch = epoch, .bands = 1 };
    if (way == DEEP_BANDS) out->bands = bands < DEEP_BANDS_MOST ? bands : DEEP_BANDS_MOST;
    /* columns of different epochs must not meet */
    if (DUSK_MUTATE(DEEP_BANDS_MEET, out->bands > epoch, false)) out->bands = (size_t)epoch;
    for (size_t k = 0; k < out->bands; k++) {
        out->weight[k] = (int32_t)rint(root * ONE);
        root *= (double)(2 * k + 1) / (double)(2 * k + 2);
    }
}

DUSK_PROVEN(deep_correlation_steps)
double deep_correlation_steps(const deep_correlation *c, double steps, size_t cells)
{
    const double up = 1 + 0x1p-40;
    if (c->way == DEEP_TREE) {
        const double levels = (double)levels_of(c->epoch);
        return ceil(steps * sqrt(DUSK_MUTATE(DEEP_TREE_HAS_ONE_LEVEL, levels, 1)) * up);
    }
    double squares = 0;
    for (size_t k = 0; k < c->bands; k++) squares += (double)c->weight[k] * (double)c->weight[k];
    const double rounded = sqrt((double)(c->bands - 1) * (double)cells);
    return ceil((steps * sqrt(squares) / ONE + DUSK_MUTATE(DEEP_BANDS_ROUND_FREELY, rounded, 0)) * up);
}

double deep_correlation_error(const deep_correlation *c, uint64_t steps)
{
    double square = 0, sum[DEEP_BANDS_MOST] = { 0 };
    if (c->way == DEEP_TREE) {
        uint64_t nodes = steps / c->epoch * (uint64_t)__builtin_popcountll(c->epoch);
        return sqrt((double)(nodes + (uint64_t)__builtin_popcountll(steps % c->epoch)));
    }
    for (uint64_t t = 0; t < steps; t++) { /* C sum = (1, 1, ...) */
        double s = 1;
        for (size_t k = 1; k < c->bands && k <= t; k++)
            s -= (double)c->weight[k] / ONE * sum[(t - k) % DEEP_BANDS_MOST];
        sum[t % DEEP_BANDS_MOST] = s;
        square += s * s;
    }
    return sqrt(square);
}

/* --- what is kept ---------------------------------------------------------------------------------------------- */

void deep_history_close(deep_history *h)
{
    if (h->sum) dusk_wipe(h->sum, h->rows * h->cells * sizeof *h->sum);
    if (h->piece) dusk_wipe(h->piece, h->room * sizeof *h->piece);
    dusk_deallocate(h->sum);
    dusk_deallocate(h->piece);
    dusk_deallocate(h->released);
    *h = (deep_history){ .rows = 0 };
}

double deep_history_bytes(const deep_correlation *c, size_t cells, size_t room)
{
    const double rows = (double)(c->way == DEEP_TREE ? levels_of(c->epoch) : c->bands);
    return rows * (double)cells * (sizeof(int64_t) + sizeof(float)) + (double)room * sizeof(int64_t);
}

dusk_status deep_history_open(deep_history *out, const deep_correlation *c, size_t cells, size_t room,
                              dusk_error *err)
{
    dusk_status status = DUSK_OK;
    const size_t rows = c->way == DEEP_TREE ? levels_of(c->epoch) : c->bands;
    deep_history h = { .c = c, .cells = cells, .rows = rows, .room = room };
    *out = (deep_history){ .rows = 0 };
    if (cells > SIZE_MAX / rows) return dusk_fail_memory(err);
    DUSK_NEW(h.sum, rows * cells);
    DUSK_NEW(h.released, rows * cells);
    DUSK_NEW(h.piece, room);
    *out = h;
    h = (deep_history){ .rows = 0 };
done:
    deep_history_close(&h);
    return status;
}

DUSK_PROVEN(deep_history_begin)
void deep_history_begin(deep_history *h, uint64_t step)
{
    const deep_correlation *c = h->c;
    h->terms = 0;
    h->step = step;
    if (c->way == DEEP_TREE) {
        const uint64_t t = step % c->epoch + 1; /* the node of level ctz(t) closes */
        while (!(t >> h->terms & 1)) {
            h->term[h->terms] = h->terms;
            h->weight[h->terms++] = ONE;
        }
        h->place = h->terms;
        return;
    }
    h->place = (size_t)(step % c->bands);
    for (size_t k = 1; k < c->bands && k <= step; k++) {
        h->term[h->terms] = (size_t)((step - k) % c->bands);
        h->weight[h->terms++] = c->weight[k];
    }
}

DEEP_LANES
static void add_term(int64_t *restrict to, const int64_t *restrict from, int64_t weight, size_t n)
{
    for (size_t j = 0; j < n; j++) to[j] += weight * from[j];
}

DEEP_LANES
static void take_term(float *restrict from, const float *restrict term, float weight, size_t n)
{
    for (size_t j = 0; j < n; j++) from[j] -= weight * term[j];
}

DUSK_PROVEN(deep_history_mix)
const int64_t *deep_history_mix(deep_history *h, const int64_t *total, size_t first, size_t n)
{
    int64_t *y = h->piece, *keep = h->sum + h->place * h->cells + first;
    for (size_t j = 0; j < n; j++) y[j] = ONE / 2;
    for (size_t i = 0; i < h->terms; i++)
        add_term(y, h->sum + h->term[i] * h->cells + first, h->weight[i], n);
    for (size_t j = 0; j < n; j++) y[j] = total[j] + (y[j] >> DEEP_WEIGHT_BITS);
    memcpy(keep, h->c->way == DEEP_TREE ? y : total, n * sizeof *keep);
    return y;
}

void deep_history_undo(deep_history *h, float *noisy, size_t first, size_t n)
{
    float *keep = h->released + h->place * h->cells + first;
    if (h->c->way == DEEP_TREE) {
        for (size_t j = 0; j < n; j++) keep[j] = noisy[j]; /* its own level: none of the terms */
    }
    for (size_t i = 0; i < h->terms; i++)
        take_term(noisy, h->released + h->term[i] * h->cells + first, (float)h->weight[i] / ONE, n);
    if (h->c->way != DEEP_TREE) memcpy(keep, noisy, n * sizeof *keep);
}
