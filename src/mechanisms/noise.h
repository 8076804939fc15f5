/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DUSK_MECHANISMS_NOISE_H
#define DUSK_MECHANISMS_NOISE_H

/* The inside of dusk_noise: the one place where scale, grid and event of an
 * additive mechanism are fixed, and where noise meets a value. An _init goes
 *     dusk_noise_start   check the request
 *     dusk_noise_place   choose the grid; sensitivity once values are rounded
 *     dusk_noise_settle  the scale: enough for the promise, and drawable */

#include "base/platform.h"
#include "dusk/mechanisms.h"
#include "random/record.h"

/* Every answer (below 2^125 steps) and every scale (above 2^-40 steps) is then
 * a normal double. */
#define DUSK_GRID_MIN (-960)
#define DUSK_GRID_MAX 880

DUSK_MUST_USE dusk_status dusk_noise_start(dusk_noise *out, dusk_noise_law law, uint32_t dimension,
                                           double sensitivity, double epsilon, double delta, dusk_error *err);
/* `ratio`: scale over sensitivity, about. */
DUSK_MUST_USE dusk_status dusk_noise_place(dusk_noise *noise, double ratio, int grid, dusk_error *err);
/* Set the scale, raised until dusk_event_epsilon_up(event) <= promise.epsilon. */
DUSK_MUST_USE dusk_status dusk_noise_settle(dusk_noise *noise, double scale, dusk_error *err);

/* Refuse a scale that cannot be drawn on the grid. */
DUSK_MUST_USE dusk_status dusk_noise_check_scale(const dusk_noise *noise, dusk_error *err);
/* Refuse what no _init made: the fields are public. */
DUSK_MUST_USE dusk_status dusk_noise_check(const dusk_noise *noise, dusk_error *err);
/* Scale and grid_sensitivity in steps, exactly, for noise that passed the check. */
double dusk_noise_scale_in_steps(const dusk_noise *noise);
double dusk_noise_sensitivity_in_steps(const dusk_noise *noise);

/* What the sensitivity is once every coordinate was rounded to the grid; >= it. */
double dusk_noise_rounded_sensitivity(const dusk_noise *noise);
/* A deviation with which discrete Gaussian noise of this grid_sensitivity keeps
 * its promise (discrete_gaussian.c). */
DUSK_MUST_USE dusk_status dusk_discrete_gaussian_scale(const dusk_noise *noise, double *scale,
                                                       dusk_error *err);

/* Staircase noise (staircase.c): whether the fields make sense; its event, and the epsilon of
 * that; a t, in steps, with P(|K| > t) <= p; scale over sensitivity, of the law that is
 * drawn; the high part of a stair in half steps. */
bool dusk_staircase_is_made(const dusk_noise *noise);
DUSK_MUST_USE dusk_status dusk_staircase_event(const dusk_noise *noise, dusk_event *out, dusk_error *err);
double dusk_staircase_epsilon_up(const dusk_noise *noise);
double dusk_staircase_tail(const dusk_noise *noise, double p);
double dusk_staircase_ratio(const dusk_noise *noise);
double dusk_staircase_inner(const dusk_noise *noise);

/* The same for truncated Laplace noise (truncated_laplace.c), and the most it can be, in steps. */
bool dusk_truncated_laplace_is_made(const dusk_noise *noise);
DUSK_MUST_USE dusk_status dusk_truncated_laplace_event(const dusk_noise *noise, dusk_event *out,
                                                       dusk_error *err);
double dusk_truncated_laplace_tail(const dusk_noise *noise, double p);
double dusk_truncated_laplace_most(const dusk_noise *noise);

/* The same for sinh-normal noise (sinh_normal.c), its tail from an upper bound on the normal deviate of p/2; A in
 * steps; and an upper bound on rho for orders up to 1 + t, t >= 1/2, all else in steps. */
bool dusk_sinh_normal_is_made(const dusk_noise *noise);
DUSK_MUST_USE dusk_status dusk_sinh_normal_event(const dusk_noise *noise, dusk_event *out, dusk_error *err);
double dusk_sinh_normal_tail(const dusk_noise *noise, double deviate);
double dusk_sinh_normal_bend(const dusk_noise *noise);
double dusk_sinh_normal_rho_up(double scale, double bend, double steps, double t);

/* floor(value / 2^grid + 1/2), clamped to +-2^100; NaN counts as 0. It moves by
 * whole steps when the value does, which rounding ties to even would not: 0.5
 * and 1.5 are one step apart and must not become 0 and 2. */
dusk_int128 dusk_noise_steps(double value, int grid);

/* Release a number of steps, |steps| <= 2^125 after clamping: one draw of
 * constant work. `width`: DUSK_WIDTH_FULL, or less in exhaustive tests. */
DUSK_MUST_USE dusk_status dusk_noise_release_steps(const dusk_noise *noise, double *out, dusk_int128 steps,
                                                   unsigned width, dusk_generator *gen, dusk_error *err);
/* The inside of the two public releases. */
DUSK_MUST_USE dusk_status dusk_noise_release_width(const dusk_noise *noise, double *out, const double *values,
                                                   unsigned width, dusk_generator *gen, dusk_error *err);

/* Noise for n coordinates, drawn before any value is looked at; in bulk where the
 * scale is at most DUSK_POOL_NARROW_SCALE steps. Values and answers end at +-2^125
 * steps. */
typedef struct dusk_pool {
    size_t n;
    int64_t *narrow; /* one of the two */
    dusk_int128 *wide;
    DUSK_RECORD(dusk_record_at at;)
} dusk_pool;

#define DUSK_POOL_NARROW_SCALE 0x1p32

/* `pool` is empty on failure. */
DUSK_MUST_USE dusk_status dusk_pool_draw(dusk_pool *pool, const dusk_noise *noise, size_t n, unsigned width,
                                         dusk_generator *gen, dusk_error *err);
/* Wipe and free; fine on an empty pool. */
void dusk_pool_clear(dusk_pool *pool);
/* The answer, in steps, for coordinate i whose exact value is `steps`. */
dusk_int128 dusk_pool_add(const dusk_pool *pool, size_t i, dusk_int128 steps);
/* How many of n coordinates get their noise eight at a time: none where the machine has no AVX-512, and where private
 * bytes are followed (base/taint.h), which is not possible through its instructions. */
size_t dusk_noise_eights(size_t n);
#ifdef DUSK_TESTING
/* What there is to say about n values that get this noise. */
dusk_record_at dusk_noise_record(dusk_generator *gen, const dusk_noise *noise, size_t n);
#endif
/* Release n exact totals in steps, each with noise of its own; the sensitivity of the noise is that of the
 * whole vector, in its norm. Noise is drawn before a total is looked at.
 * Very many, in pieces: totals.h. */
DUSK_MUST_USE dusk_status dusk_noise_release_totals(const dusk_noise *noise, double *out,
                                                    const dusk_int128 *totals, size_t n, dusk_generator *gen,
                                                    dusk_error *err);
/* The same in whole steps, not rounded to doubles. */
DUSK_MUST_USE dusk_status dusk_noise_release_whole(const dusk_noise *noise, dusk_int128 *out,
                                                   const dusk_int128 *totals, size_t n, dusk_generator *gen,
                                                   dusk_error *err);

#endif
