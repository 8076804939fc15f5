/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs from tables: a trade-off function that is straight between points
 * [Dong, Roth & Su 2022], a table of privacy losses, and a privacy curve known
 * at points ("connecting the dots": Doroshenko et al. 2022). A piecewise linear
 * curve is that of a pair with finitely many losses, one for each slope. */
#include <mpfr.h>

#include "accounting/bound.h"
#include "accounting/pair_make.h"
#include "base/memory.h"
#include "base/mutant.h"

#define EXACT 2300 /* bits that hold products of differences of doubles in [0, 1] */
#define BITS 320
#define DECIMALS 1e-9 /* what rounding of a table's decimals can lose together */

typedef struct corner {
    double x, y;
} corner;

/* Whether b lies strictly below the line from a to c; a.x < b.x < c.x in [0, 1]. */
static bool is_below(corner a, corner b, corner c)
{
    mpfr_t left, right, t;
    mpfr_inits2(EXACT, left, right, t, (mpfr_ptr)0);
    mpfr_set_d(left, b.y, MPFR_RNDN);
    mpfr_sub_d(left, left, a.y, MPFR_RNDN);
    mpfr_set_d(t, c.x, MPFR_RNDN);
    mpfr_sub_d(t, t, a.x, MPFR_RNDN);
    mpfr_mul(left, left, t, MPFR_RNDN);
    mpfr_set_d(right, c.y, MPFR_RNDN);
    mpfr_sub_d(right, right, a.y, MPFR_RNDN);
    mpfr_set_d(t, b.x, MPFR_RNDN);
    mpfr_sub_d(t, t, a.x, MPFR_RNDN);
    mpfr_mul(right, right, t, MPFR_RNDN);
    bool below = mpfr_less_p(left, right);
    mpfr_clears(left, right, t, (mpfr_ptr)0);
    return below;
}

/* The lower convex hull of the first n corners, in place; its size. */
static size_t hull(corner *at, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        while (size >= 2 && !is_below(at[size - 2], at[size - 1], at[i])) size--;
        at[size++] = at[i];
    }
    return size;
}

/* The points of an fdp, below 1 - x and decreasing, which lowers them at most. */
static size_t read_tradeoff(corner *at, const dusk_event_node *table)
{
    size_t n = 0;
    double least = 1;
    for (const dusk_event_node *p = table + 1; p < table + table->span; p++) {
        double ceiling = dusk_sub_down(1, p->real[0]), y = p->real[1] < ceiling ? p->real[1] : ceiling;
        if (!(y >= 0)) y = 0;
        if (y > least) y = least;
        least = y;
        if (n > 0 && !(p->real[0] > at[n - 1].x)) { /* a jump; the lower point counts */
            at[n - 1].y = y;
            continue;
        }
        at[n++] = (corner){ p->real[0], y };
    }
    return hull(at, n);
}

/* Exactly its own inverse: the points mirrored at the diagonal are the points. */
static bool is_symmetric(const corner *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i].x != at[n - 1 - i].y || at[i].y != at[n - 1 - i].x) return false;
    return true;
}

/* On a straight piece the alternative has mass y_i - y_(i+1) and the null
 * hypothesis x_(i+1) - x_i; the loss is the logarithm of their ratio. */
DUSK_PROVEN(dusk_atoms_tradeoff)
dusk_status dusk_atoms_tradeoff(dusk_pair *pair, const dusk_event_node *table, dusk_error *err)
{
    dusk_status status = DUSK_OK;
    corner *at;
    DUSK_NEW(at, table->span);
    size_t n = read_tradeoff(at, table), atoms = 0;
    DUSK_TRY(dusk_atoms_new(pair, n, err));
    pair->infinite = dusk_bound_clamp(dusk_bound_sub(dusk_bound_of(1), dusk_bound_of(n ? at[0].y : 0)));
    for (size_t i = n; i-- > 1;) { /* slopes grow towards the left */
        dusk_bound mass = dusk_bound_sub(dusk_bound_of(at[i - 1].y), dusk_bound_of(at[i].y));
        dusk_bound null = dusk_bound_sub(dusk_bound_of(at[i].x), dusk_bound_of(at[i - 1].x));
        if (!(at[i - 1].y > at[i].y)) {
            pair->absent = dusk_bound_add(pair->absent, null);
            continue;
        }
        dusk_bound ratio = dusk_bound_div(mass, null);
        pair->loss[atoms] = (dusk_bound){ dusk_log_down(ratio.lower), dusk_log_up(ratio.upper) };
        pair->mass[atoms++] = mass;
    }
    pair->atoms = atoms;
    pair->tight = is_symmetric(at, n);
    dusk_atoms_finish(pair);
done:
    dusk_deallocate(at);
    return status;
}

/* Mass that is missing: on any of the losses when decimals explain it, so on
 * the largest; else nothing is known about it. */
static void add_missing(dusk_pair *pair, dusk_bound total)
{
    double missing = dusk_sub_up(1, total.lower);
    if (!(missing > 0)) return;
    if (missing <= DECIMALS && pair->atoms > 0) {
        dusk_bound *top = &pair->mass[pair->atoms - 1];
        top->upper = dusk_add_up(top->upper, missing);
    } else {
        pair->infinite.upper = dusk_add_up(pair->infinite.upper, missing);
        pair->tight = false;
    }
}

DUSK_PROVEN(dusk_atoms_losses)
dusk_status dusk_atoms_losses(dusk_pair *pair, const dusk_event_node *table, dusk_error *err)
{
    dusk_bound total = dusk_bound_of(0), other = dusk_bound_of(0);
    size_t n = 0;
    dusk_status status = dusk_atoms_new(pair, table->span, err);
    if (status != DUSK_OK) return status;
    pair->tight = false; /* a mechanism of one order may break the promise in the other */
    for (const dusk_event_node *p = table + 1; p < table + table->span; p++) {
        dusk_bound loss = dusk_bound_of(p->real[0]), mass = dusk_bound_of(p->real[1]);
        total = dusk_bound_add(total, mass);
        if (isinf(p->real[0])) {
            pair->infinite = mass;
            continue;
        }
        if (!(p->real[1] > 0)) continue;
        other = dusk_bound_add(other, dusk_bound_mul(mass, dusk_bound_exp(dusk_bound_neg(loss))));
        pair->loss[n] = loss;
        pair->mass[n++] = mass;
    }
    pair->atoms = n;
    pair->absent = dusk_bound_clamp(dusk_bound_sub(dusk_bound_of(1), other));
    if (pair->absent.upper < 0) pair->absent.upper = 0;
    add_missing(pair, total);
    dusk_atoms_finish(pair);
    return DUSK_OK;
}
